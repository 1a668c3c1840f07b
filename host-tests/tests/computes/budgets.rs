//! Budgets of Newton iterations: what each promises, and what a step answers when one is too small.

use super::bad_input::picture;
use core::cell::Cell;
use stiffstep::prelude::*;
use stiffstep_host_tests::until;
use stiffstep_plants::known_solution::KnownSolution;

/// A large step, which takes some ten iterations to rounding.
const H: f64 = 0.25;

/// One at its start, with a budget.
fn plant<B: Budget<f64>>(
    budget: B,
) -> Result<Simulation<impl Stepper<Real = f64, State = Vector<f64, 3>>, B>, Error> {
    let plant = Simulation::new(KnownSolution, RadauIIA::<3>, H, KnownSolution::at(0.0))?;
    Ok(plant.with_budget(budget))
}

/// What divides converged from unconverged.
#[test]
fn budgets_accept_what_they_say() {
    let clock = Deadline {
        max: 1,
        expired: || true,
    };
    assert_eq!(Budget::<f32>::tolerance(&Fixed(2)), 2e-5);
    assert_eq!(Budget::<f64>::tolerance(&Fixed(2)), 4e-11);
    assert_eq!(Budget::<f32>::tolerance(&clock), 2e-5);
    assert_eq!(Budget::<f64>::tolerance(&clock), 4e-11);
    let tolerance = 1e-3;
    assert_eq!(Until { tolerance, max: 9 }.tolerance(), tolerance);
}

#[test]
fn a_budget_of_nothing_is_refused() -> Result<(), Error> {
    let mut calm = Simulation::new(KnownSolution, RadauIIA::<3>, H, KnownSolution::at(0.0))?;
    let mut plant = plant(Fixed(0))?;
    let before = picture(&plant);
    assert_eq!(plant.step(), Err(Error::Budget));
    assert_eq!(picture(&plant), before);
    let mut plant = plant.with_budget(until(1e-9, 0));
    assert_eq!(plant.step(), Err(Error::Budget));
    let mut plant = plant.with_budget(Deadline {
        max: 5,
        expired: || true,
    });
    assert_eq!(plant.step(), Err(Error::Budget));
    assert_eq!(picture(&plant), before);
    let mut plant = plant.with_budget(Fixed(2));
    assert_eq!(plant.step()?, calm.step()?);
    assert_eq!(picture(&plant), picture(&calm));
    Ok(())
}

/// A deadline ends the iteration when it comes, and the answer is the one of a fixed budget that ends there.
#[test]
fn a_deadline_keeps_what_was_reached() -> Result<(), Error> {
    for iterations in 1..=4 {
        let mut fixed = plant(Fixed(iterations))?;
        let asked = Cell::new(0);
        let expired = || asked.replace(asked.get() + 1) >= iterations;
        let mut plant = plant(Deadline { max: 9, expired })?;
        let report = plant.step()?;
        assert_eq!(report.iterations, iterations);
        assert_eq!(report, fixed.step()?);
        assert_eq!(picture(&plant), picture(&fixed));
    }
    // Without a deadline in sight, the largest number of iterations counts.
    let (max, expired) = (3, || false);
    assert_eq!(plant(Deadline { max, expired })?.step()?.iterations, 3);
    Ok(())
}

/// A budget that is too small is not an error: the step is done, says so, and says how far off it is.
#[test]
fn a_small_budget_is_answered_with_its_defect() -> Result<(), Error> {
    let mut exact = plant(Fixed(40))?;
    assert_eq!(exact.step()?.outcome, Outcome::Converged);
    for budget in [2, 3, 4] {
        let mut plant = plant(Fixed(budget))?;
        let report = plant.step()?;
        assert_eq!(report.outcome, Outcome::Unconverged, "{report:?}");
        assert_eq!((report.iterations, plant.steps()), (budget, 1));
        // An estimate: right within a factor of ten, and never too small by more than that.
        let distance = (plant.state() - exact.state()).norm();
        let ratio = distance / report.defect();
        assert!(ratio < 10.0 && ratio > 1e-3, "{distance:e}, {report:?}");
    }
    Ok(())
}

/// `Until` stops when it is there, and not before.
#[test]
fn a_tolerance_is_met() -> Result<(), Error> {
    let mut last = 0;
    for tolerance in [1e-2, 1e-5, 1e-8, 1e-12] {
        let report = plant(until(tolerance, 40))?.step()?;
        assert_eq!(report.outcome, Outcome::Converged);
        assert!(report.defect() <= tolerance, "{report:?}");
        assert!(report.iterations >= last, "{report:?}");
        last = report.iterations;
    }
    assert!(last > 4);
    Ok(())
}
