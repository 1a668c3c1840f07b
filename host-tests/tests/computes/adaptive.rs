//! The adaptive driver: published problems, dense output, and what it does with bad input.

use std::cell::Cell;
use stiffstep::drive::Statistics;
use stiffstep::prelude::*;
use stiffstep::step::{Control, Method};
use stiffstep_host_tests::figures::assert_order_at_least;
use stiffstep_host_tests::pendulum::level;
use stiffstep_host_tests::test_set::PROBLEMS;
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::van_der_pol::{self, VanDerPol};

/// Every published problem reaches its digits with five stages, and with three at a smaller tolerance.
#[test]
fn published_problems_reach_their_digits() -> Result<(), Error> {
    for problem in &PROBLEMS {
        for (tolerance, five) in [(1e-12, true), (1e-13, false)] {
            // Beyond the rounding of this one's exponentials with so many small steps.
            let amplifier = problem.name == "transistor amplifier" && !five;
            let tolerance = if amplifier { 1e-12 } else { tolerance };
            let (digits, done) = problem.run(tolerance, five)?;
            let name = problem.name;
            println!("{name}, {tolerance:e}, five {five}: {digits:.1?}, {done:?}");
            for (digits, wanted) in digits.iter().zip(problem.wanted) {
                assert!(digits >= wanted, "{name}: {digits} of {wanted} digits");
            }
        }
    }
    Ok(())
}

/// No tolerance between one digit and twelve fails on any of them, and tighter ones are more exact in the long run.
#[test]
fn tolerances_are_worth_their_price() -> Result<(), Error> {
    for problem in &PROBLEMS {
        for five in [false, true] {
            let mut all = Vec::new();
            for exponent in 4..=12 {
                all.push(problem.run(10_f64.powi(-exponent), five)?.0[0]);
            }
            println!("{}: {all:.1?}", problem.name);
            assert!(all[8] - all[0] > 3.0, "{}: {all:?}", problem.name);
        }
    }
    Ok(())
}

/// Dense output between steps of the fixed driver: its own order is that of the stages.
#[test]
fn dense_output_has_the_order_of_the_stages() -> Result<(), Error> {
    use stiffstep::step::Dense;
    let error = |steps: usize| -> Result<[f64; 2], Error> {
        let h = 1.0 / steps as f64;
        let mut coarse = Lean(RadauIIA::<3>).stepper(RigidPendulum, h, level())?;
        let mut fine = Lean(RadauIIA::<5>).stepper(RigidPendulum, h / 4.0, level())?;
        let mut budget = until(1e-14, 20);
        let mut worst = [0.0_f64; 2];
        for n in 0..steps {
            coarse.advance(n as f64 * h, &Vector::from([]), &mut budget)?;
            for k in 0..4 {
                let t = (n as f64 + f64::from(k) / 4.0) * h;
                fine.advance(t, &Vector::from([]), &mut budget)?;
                let at = coarse.before(h * f64::from(3 - k) / 4.0);
                worst[0] = worst[0].max((at.q - fine.state().q).amax());
                worst[1] = worst[1].max((at.v - fine.state().v).amax());
            }
            // The end is the end, to the bit.
            assert_eq!(coarse.before(0.0), *coarse.state());
        }
        Ok(worst)
    };
    let (coarse, fine) = (error(20)?, error(40)?);
    assert_order_at_least("dense q", coarse[0], fine[0], 3.8);
    assert_order_at_least("dense v", coarse[1], fine[1], 2.8);
    Ok(())
}

#[test]
fn samples_come_at_their_period_whatever_the_steps() -> Result<(), Error> {
    let mut plant = Adaptive::new(RigidPendulum, Lean(RadauIIA::<3>), 1e-9, 1e-6, level())?;
    let mut times = Vec::new();
    let mut energies: f64 = 0.0;
    plant.sample(0.03, 1.0, |t, at| {
        times.push(t);
        energies = energies.max(RigidPendulum.energy(at).abs());
    })?;
    assert_eq!(times.len(), 34);
    for (n, t) in times.iter().enumerate() {
        assert_eq!(*t, 0.03 * n as f64);
    }
    assert_eq!(plant.time(), 1.0);
    assert!(energies < 1e-5, "{energies:e}");
    // From a time between two of them on the next multiple is the first, and one that is reached already is shown at once.
    let mut sampled = |end| -> Result<Vec<f64>, Error> {
        let mut samples = Vec::new();
        plant.sample(0.03, end, |t, at| samples.push((t, at.q)))?;
        for (t, shown) in &samples {
            let mut other = Adaptive::new(RigidPendulum, Lean(RadauIIA::<3>), 1e-9, 1e-6, level())?;
            other.run_to(*t)?;
            let missed = (other.state().q - shown).amax();
            assert!(missed < 1e-6, "{t}: {missed:e}");
        }
        Ok(samples.iter().map(|(t, _)| *t).collect())
    };
    assert_eq!(sampled(1.05)?, [34.0, 35.0].map(|n| n * 0.03));
    assert_eq!(sampled(1.1)?, [35.0, 36.0].map(|n| n * 0.03));
    Ok(())
}

/// What a run takes, to the count: a change of the controller or of the iteration shows here first.
#[test]
fn runs_take_what_they_took() -> Result<(), Error> {
    let (model, start) = (VanDerPol::published(), van_der_pol::START.into());
    let oscillator = Adaptive::new(model, RadauIIA::<3>, 1e-6, 1e-6, start)?;
    let mut oscillator = oscillator.with_control(Control::Radau5);
    oscillator.run_to(van_der_pol::END_TIME)?;
    let taken = |s: Statistics| {
        let work = [s.evaluations, s.jacobians, s.factorisations, s.solves];
        [&[s.steps, s.rejected][..], &work].concat()
    };
    let oscillator = taken(oscillator.statistics());
    assert_eq!(oscillator, [188, 13, 1742, 155, 195, 710]);
    let (model, method) = (StiffPendulum::new(1e-3), Lean(RadauIIA::<3>));
    let spring = Adaptive::new(model, method, 1e-6, 1e-4, level())?;
    let mut spring = spring.with_control(Control::Radau5);
    spring.run_to(5.0)?;
    assert_eq!(taken(spring.statistics()), [71, 10, 714, 67, 81, 304]);
    Ok(())
}

/// A stiff spring costs what the rod costs, also here.
#[test]
fn stiffness_does_not_cost_steps() -> Result<(), Error> {
    let steps = |eps: f64| -> Result<u32, Error> {
        let (model, method) = (StiffPendulum::new(eps), Lean(RadauIIA::<3>));
        let mut plant = Adaptive::new(model, method, 1e-6, 1e-6, level())?;
        plant.run_to(5.0)?;
        Ok(plant.statistics().steps)
    };
    let (stiff, stiffer) = (steps(1e-4)?, steps(1e-6)?);
    assert!(stiff.abs_diff(stiffer) <= stiff / 10, "{stiff}, {stiffer}");
    Ok(())
}

/// A linear circuit keeps its Jacobian for good, and its factorisation while the step stays.
#[test]
fn a_linear_circuit_evaluates_one_jacobian() -> Result<(), Error> {
    let circuit = Rlc::<f64>::stiff();
    let mut plant = Adaptive::new(circuit, RadauIIA::<3>, 1e-8, 1e-6, [0.0, 0.0].into())?;
    plant.input = [1.0].into();
    plant.run_to(7.0)?;
    let exact = [0.003_294_282_805_074_924, 0.000_469_851_633_19];
    for (x, exact) in plant.state().iter().zip(exact) {
        assert!((x - exact).abs() < 1e-8, "{x}, {exact}");
    }
    assert_eq!(plant.statistics().jacobians, 1);
    Ok(())
}

/// x' = x^2, which is infinite at t = 1.
#[derive(Clone)]
struct Explosion;

impl FirstOrder<f64, 1, 0> for Explosion {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        [x[0] * x[0]].into()
    }
}

/// At rest, until something hits it a few of the smallest numbers after time zero.
struct Hit {
    slope: f32,
    evaluations: Cell<u32>,
}

/// When it is hit.
const HIT: f32 = 12.0 * SMALLEST;
/// The smallest number.
const SMALLEST: f32 = f32::from_bits(1);

impl FirstOrder<f32, 1, 0> for Hit {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, t: T, _x: &Vector<T, 1>, _u: &Vector<f32, 0>) -> Vector<T, 1> {
        self.evaluations.update(|n| n + 1);
        assert!(self.evaluations.get() < 10_000, "the step has no end");
        [T::constant(if t.value() > HIT { self.slope } else { 0.0 })].into()
    }
}

/// Nine tenths of the smallest number is the smallest number, and at time zero every step is long enough to be seen: a step that
/// is rejected there must end all the same.
#[test]
fn steps_cannot_shrink_for_ever() -> Result<(), Error> {
    let mut small = 0;
    for k in 0..100 {
        let hit = Hit {
            slope: 1e30 * 1.1_f32.powi(k),
            evaluations: Cell::new(0),
        };
        let plant = Adaptive::new(hit, RadauIIA::<3>, 1e-3, 8.0 * SMALLEST, [0.0].into())?;
        let mut plant = plant.with_absolute([1e-13].into())?;
        plant.most_steps = 100;
        small += i32::from(plant.run_to(1e-40) == Err(Error::StepTooSmall));
    }
    assert!(small > 0);
    Ok(())
}

#[test]
fn what_cannot_be_done_is_an_error() -> Result<(), Error> {
    let new =
        |tolerance, first| Adaptive::new(Explosion, RadauIIA::<3>, tolerance, first, [1.0].into());
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.0] {
        assert_eq!(new(tolerance, 1e-3).err(), Some(Error::Tolerance));
    }
    for first in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(new(1e-6, first).err(), Some(Error::StepSize));
    }
    let mut plant = new(1e-6, 1e-3)?;
    assert_eq!(plant.run_to(2.0), Err(Error::StepTooSmall));
    assert!((plant.time() - 1.0).abs() < 1e-6 && plant.state()[0].is_finite());
    // Again and again, and nothing moves.
    let before = (plant.time(), *plant.state());
    assert_eq!(plant.run_to(2.0), Err(Error::StepTooSmall));
    assert_eq!((plant.time(), *plant.state()), before);

    let mut plant = new(1e-6, 1e-3)?;
    plant.most_steps = 5;
    assert_eq!(plant.run_to(0.9), Err(Error::TooManySteps));
    assert_eq!(plant.sample(0.0, 0.9, |_, _| ()), Err(Error::StepSize));
    plant.most_steps = 1000;
    plant.run_to(0.9)?;
    assert!((plant.state()[0] - 10.0).abs() < 1e-3);
    Ok(())
}

/// An input that jumps, a parameter that changes: the driver starts anew and stays exact.
#[test]
fn jumps_are_followed() -> Result<(), Error> {
    let circuit = Rlc::<f64>::mild();
    let mut plant = Adaptive::new(circuit, RadauIIA::<3>, 1e-9, 1e-4, [0.0, 0.0].into())?;
    let mut fixed = Simulation::new(circuit, RadauIIA::<5>, 0.01, [0.0, 0.0].into())?;
    for n in 0..10 {
        let u = if n % 2 == 0 { 1.0 } else { -2.0 };
        (plant.input, fixed.input) = ([u].into(), [u].into());
        plant.run_to(f64::from(n + 1))?;
        fixed.go(100)?;
        let error = (plant.state() - fixed.state()).amax();
        assert!(error < 1e-8, "{error:e}");
    }
    let before = *plant.state();
    plant.input = [f64::NAN].into();
    assert_eq!(plant.run_to(11.0), Err(Error::Input));
    assert_eq!(*plant.state(), before);
    Ok(())
}
