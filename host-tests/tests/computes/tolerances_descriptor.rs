//! What a tolerance promises to descriptor systems: variables of higher index are told apart, and rounding is not mistaken for
//! a step that is too large.

use stiffstep::prelude::*;
use stiffstep::step::Outcome;
use stiffstep_plants::transistor_amplifier::{END_TIME, START, TransistorAmplifier};

/// A source across a capacitor, and another one behind a resistor. The current of the source charges the first capacitor as fast
/// as the voltage changes: it is of index 2.
#[derive(Clone, Copy)]
struct Loop {
    told: bool,
    /// Units of time in a second.
    second: f64,
}

impl FirstOrder<f64, 3, 0> for Loop {
    type Mass = Diagonal<f64, 3>;
    fn mass(&self) -> Diagonal<f64, 3> {
        Diagonal([self.second, self.second, 0.0].into())
    }
    fn rhs<T: Scalar<f64>>(&self, t: T, x: &Vector<T, 3>, _u: &Vector<f64, 0>) -> Vector<T, 3> {
        let through = x[0] - x[1];
        let source = (t * (1.0 / self.second)).sin();
        [x[2] - through, through * 0.5, x[0] - source].into()
    }
    fn index(&self) -> [u8; 3] {
        if self.told { [1, 1, 2] } else { [1; 3] }
    }
    fn pace(&self) -> f64 {
        self.second
    }
}

/// Its voltages and the current after ten seconds.
fn loop_at_ten() -> [f64; 3] {
    let (t, rate) = (10.0_f64, 0.5);
    let behind = rate * (rate * t.sin() - t.cos() + (-rate * t).exp()) / (1.0 + rate * rate);
    [t.sin(), behind, t.cos() + t.sin() - behind]
}

#[test]
fn a_current_of_index_2_does_not_hold_up_the_rest() -> Result<(), Error> {
    let exact = loop_at_ten();
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let mut counts = Vec::new();
        for (told, second) in [(false, 1.0), (true, 1.0), (true, 1e3), (true, 1e6)] {
            let model = Loop { told, second };
            let start = [0.0, 0.0, 1.0].into();
            let mut plant = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-4 * second, start)?;
            plant.run_to(10.0 * second)?;
            let errors = [0, 1, 2].map(|n: usize| (plant.state()[n] - exact[n]).abs() / tolerance);
            let done = plant.statistics();
            println!("{tolerance:e}, told {told}, {second}: {errors:.2?}, {done:?}");
            assert!(errors[0] < 30.0 && errors[1] < 30.0, "{errors:?}");
            if told {
                // The current is not controlled, and that is said.
                assert!(done.beyond > 0);
                assert!(errors[2] * tolerance < 10.0 * tolerance.sqrt());
            }
            counts.push(done.steps);
        }
        assert!(counts[1] < counts[0], "{counts:?}");
        let (least, most) = (counts[1..].iter().min(), counts[1..].iter().max());
        assert_eq!(least, most, "{counts:?}");
    }
    Ok(())
}

/// The pendulum as a descriptor system of index 3.
#[derive(Clone, Copy)]
struct Pendulum {
    told: bool,
}

impl FirstOrder<f64, 5, 0> for Pendulum {
    type Mass = Diagonal<f64, 5>;
    fn mass(&self) -> Diagonal<f64, 5> {
        Diagonal([1.0, 1.0, 1.0, 1.0, 0.0].into())
    }
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 5>, _u: &Vector<f64, 0>) -> Vector<T, 5> {
        [
            x[2],
            x[3],
            -x[0] * x[4],
            -x[1] * x[4] - 1.0,
            x[0] * x[0] + x[1] * x[1] - 1.0,
        ]
        .into()
    }
    fn index(&self) -> [u8; 5] {
        if self.told { [1, 1, 2, 2, 3] } else { [1; 5] }
    }
}

#[test]
fn index_3_runs_if_it_is_told() -> Result<(), Error> {
    let exact = [-0.517_719_703_552_777_8, -0.855_550_295_747_259_9];
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let start = [1.0, 0.0, 0.0, 0.0, 0.0].into();
        let model = Pendulum { told: true };
        let mut plant = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-4, start)?;
        plant.run_to(20.0)?;
        let errors = [0, 1].map(|n: usize| (plant.state()[n] - exact[n]).abs() / tolerance);
        println!("{tolerance:e}: {errors:.1?}, {:?}", plant.statistics());
        assert!(errors.into_iter().all(|error| error < 30.0), "{errors:?}");
        // Untold, the force's own error ends the run, with a reason.
        let model = Pendulum { told: false };
        let mut plant = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-4, start)?;
        plant.most_steps = 100_000;
        let ended = plant.run_to(20.0);
        let told = matches!(ended, Err(Error::Rounding | Error::StepTooSmall));
        assert!(told, "{ended:?}");
    }
    Ok(())
}

/// The published amplifier with an input of another frequency.
#[derive(Clone, Copy)]
struct Amplifier<R> {
    /// Of the published one's 100 Hz.
    faster: R,
}

impl<R: Real> FirstOrder<R, 8, 0> for Amplifier<R> {
    type Mass = Matrix<R, 8, 8>;
    fn mass(&self) -> Matrix<R, 8, 8> {
        <TransistorAmplifier as FirstOrder<R, 8, 0>>::mass(&TransistorAmplifier)
    }
    fn rhs<T: Scalar<R>>(&self, t: T, y: &Vector<T, 8>, u: &Vector<R, 0>) -> Vector<T, 8> {
        // Time enters by the input alone.
        TransistorAmplifier.rhs(t * self.faster, y, u)
    }
    fn nominal(&self) -> Vector<R, 8> {
        TransistorAmplifier.nominal()
    }
}

fn start<R: Real>() -> Vector<R, 8> {
    START.map(R::from_f64).into()
}

/// Where it ends in double precision, with five stages and to a tolerance.
fn with_five(faster: f64, tolerance: f64) -> Result<Vector<f64, 8>, Error> {
    let model = Amplifier { faster };
    let mut plant = Adaptive::new(model, RadauIIA::<5>, tolerance, 1e-8, start())?;
    plant.run_to(END_TIME)?;
    Ok(*plant.state())
}

#[test]
fn the_amplifier_gets_through_at_every_tolerance() -> Result<(), Error> {
    for faster in [1.0, 3.0] {
        let (model, exact) = (Amplifier { faster }, with_five(faster, 1e-11)?);
        for exponent in 2..=8 {
            let tolerance = 10_f64.powi(-exponent);
            let five = with_five(faster, tolerance)?;
            let mut three = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-8, start())?;
            three.run_to(END_TIME)?;
            let errors = [five, *three.state()].map(|x| (x - exact).amax() / tolerance);
            println!("{faster} times 100 Hz, {tolerance:e}: {errors:?} times");
            let kept = errors.into_iter().all(|error| error < 30.0);
            assert!(kept, "{tolerance:e}: {errors:?} times");
        }
    }
    Ok(())
}

/// Single precision has digits for 1e-3 of the published form, whose exponentials and second stage amplify rounding by ten
/// thousand. For more it says so.
#[test]
fn the_amplifier_in_single_precision() -> Result<(), Error> {
    for faster in [1.0, 3.0] {
        let exact = with_five(faster, 1e-11)?;
        let faster = faster as f32;
        let model = Amplifier { faster };
        for tolerance in [1e-2_f32, 3e-3, 1e-3] {
            let mut plant = Adaptive::new(model, RadauIIA::<3>, tolerance, 1e-6, start())?;
            plant.run_to(END_TIME as f32)?;
            let error = (plant.state().map(f64::from) - exact).amax();
            let done = plant.statistics();
            println!("{faster} times 100 Hz, {tolerance:e}: {error:.1e}, {done:?}");
            assert!(error < 30.0 * f64::from(tolerance), "{error:e}");
        }
        let mut plant = Adaptive::new(model, RadauIIA::<3>, 1e-6, 1e-6, start())?;
        plant.most_steps = 100_000;
        let ended = plant.run_to(END_TIME as f32);
        let told = matches!(ended, Err(Error::Rounding | Error::StepTooSmall));
        assert!(told, "{ended:?}");
    }
    Ok(())
}

/// A run of the amplifier at fixed steps: how many were unconverged, and where it ended.
fn fixed<R: Real>(faster: f64, h: f64, iterations: u8) -> Result<(u32, Vector<f64, 8>), Error> {
    let [faster, step] = [faster, h].map(R::from_f64);
    let plant = Simulation::new(Amplifier { faster }, RadauIIA::<3>, step, start())?;
    let mut plant = plant.with_budget(Fixed(iterations));
    let mut unconverged = 0;
    for _ in 0..(END_TIME / h).round() as u32 {
        unconverged += u32::from(plant.step()?.outcome == Outcome::Unconverged);
    }
    Ok((unconverged, plant.state().map(R::to_f64)))
}

/// At fixed steps single precision gets through wherever double precision does: increments that rounding keeps from shrinking, of a thousandth of
/// nominal and more, are no divergence. With three iterations and more every step size was refused.
#[test]
fn the_amplifier_at_fixed_steps_in_single_precision() -> Result<(), Error> {
    for (faster, steps) in [
        (1.0, [1e-4, 5e-5, 2e-5, 1e-5]),
        (3.0, [5e-5, 2e-5, 1e-5, 5e-6]),
    ] {
        let exact = with_five(faster, 1e-11)?;
        let mut through = 0;
        for (h, n) in steps.into_iter().flat_map(|h| [2, 3, 4, 6].map(|n| (h, n))) {
            // Steps that double precision refuses are too large for so few iterations.
            if fixed::<f64>(faster, h, n).is_err() {
                continue;
            }
            let (unconverged, end) = fixed::<f32>(faster, h, n)?;
            let error = (end - exact).amax();
            println!("{faster} times 100 Hz, {h:e}, {n}: {error:.1e}, {unconverged} unconverged");
            assert!(error < 1e-3, "{error:e}");
            through += 1;
        }
        assert!(through >= 10, "{through}");
    }
    Ok(())
}
