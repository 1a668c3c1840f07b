//! Everything that can be wrong with a step, each with its own answer, and a state that no error touches.

use core::cell::Cell;
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;

/// A plant that misbehaves on demand: `x0' = -x0^3 + u`, `0 = x1 + 0.1 x1^3 - x0`.
///
/// Two states, one of them algebraic, nonlinear in both.
#[derive(Clone, Default)]
struct Moody<R> {
    /// What the model returns at evaluation number `moment`, counted from zero.
    fault: Option<(usize, R)>,
    /// Right-hand sides evaluated so far.
    evaluations: Cell<usize>,
    /// A number that the Jacobian is off by, to make it wrong.
    distortion: R,
    /// The nominal magnitude of the second state.
    nominal: R,
    /// Whether the algebraic equation forgets its unknown, which makes the iteration matrix singular.
    floating: bool,
}

impl<R: Real> Moody<R> {
    fn calm() -> Self {
        Moody {
            nominal: R::ONE,
            ..Moody::default()
        }
    }
}

impl<R: Real> FirstOrder<R, 2, 1> for Moody<R> {
    type Mass = Diagonal<R, 2>;

    fn mass(&self) -> Self::Mass {
        Diagonal([R::ONE, R::ZERO].into())
    }

    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<R, 1>) -> Vector<T, 2> {
        let number = self.evaluations.get();
        self.evaluations.set(number + 1);
        let link = if self.floating { R::ZERO } else { R::ONE };
        let mut f = [
            -(x[0] * x[0] * x[0]) + u[0],
            (x[1] + x[1].square() * x[1] * R::from_f64(0.1)) * link - x[0],
        ];
        if let Some((moment, value)) = self.fault
            && moment == number
        {
            f[number % 2] = T::constant(value);
        }
        f.into()
    }

    fn jacobian(&self, _t: R, x: &Vector<R, 2>, _u: &Vector<R, 1>) -> Matrix<R, 2, 2> {
        let three = R::from_f64(3.0);
        let link = if self.floating { R::ZERO } else { R::ONE };
        [
            [-three * x[0] * x[0] + self.distortion, -R::ONE],
            [R::ZERO, (R::ONE + x[1] * x[1] * R::from_f64(0.3)) * link],
        ]
        .into()
    }

    fn nominal(&self) -> Vector<R, 2> {
        [R::ONE, self.nominal].into()
    }
}

const H: f64 = 0.05;

/// Where the plant starts; the second state satisfies the algebraic equation.
fn start<R: Real>() -> Vector<R, 2> {
    [R::from_f64(0.9), R::from_f64(0.8406020637734534)].into()
}

/// Everything that a simulation shows of itself, to the bit.
pub fn picture<P, B, R, const N: usize>(simulation: &Simulation<P, B>) -> (Vec<u64>, u64, u64)
where
    R: Real,
    P: Stepper<Real = R, State = Vector<R, N>>,
    B: Budget<R>,
{
    (
        simulation.state().iter().map(|x| x.bits()).collect(),
        simulation.time().bits(),
        simulation.steps(),
    )
}

/// Steps a plant three times, lets `spoil` do its worst, expects `error` twice, undoes the harm, and compares
/// the next steps with those of a plant that never saw any of it.
fn survives<const S: usize, R: Real>(
    error: Error,
    spoil: &dyn Fn(&mut Moody<R>, &mut Vector<R, 1>),
) -> Result<(), Error>
where
    Stages<S>: Modes,
{
    let h = R::from_f64(H);
    // It takes three iterations to tell one that diverges from a jump.
    let plant = || Simulation::new(Moody::calm(), RadauIIA::<S>, h, start());
    let mut spoiled = plant()?.with_budget(Fixed(3));
    let mut calm = plant()?.with_budget(Fixed(3));
    for _ in 0..3 {
        spoiled.step()?;
        calm.step()?;
    }
    let (model, input) = (spoiled.model().clone(), spoiled.input);
    let before = picture(&spoiled);
    for _ in 0..2 {
        let mut spoilt_input = input;
        spoiled.model().evaluations.set(0);
        spoiled.change(|model| spoil(model, &mut spoilt_input))?;
        spoiled.input = spoilt_input;
        assert_eq!(spoiled.step(), Err(error), "s = {S}");
        assert_eq!(picture(&spoiled), before, "s = {S}: {error}");
    }
    spoiled.change(|spoilt| *spoilt = model)?;
    spoiled.input = input;
    for _ in 0..3 {
        assert_eq!(spoiled.step(), calm.step(), "s = {S}: after {error}");
        assert_eq!(picture(&spoiled), picture(&calm), "s = {S}: after {error}");
    }
    Ok(())
}

/// The same for every number of stages, in both precisions.
macro_rules! survives {
    ($error:expr, $spoil:expr) => {
        survives!($error, $spoil, 1 2 3 5)
    };
    ($error:expr, $spoil:expr, $($stages:literal)*) => {{$(
        survives::<$stages, f32>($error, &$spoil)?;
        survives::<$stages, f64>($error, &$spoil)?;
    )*}};
}

#[test]
fn a_step_must_be_finite_and_positive() -> Result<(), Error> {
    let mut plant = Simulation::new(Moody::calm(), RadauIIA::<3>, H, start())?;
    plant.step()?;
    let mut untouched = Simulation::new(Moody::calm(), RadauIIA::<3>, H, start())?;
    untouched.step()?;
    for h in [0.0, -0.0, -H, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let made = Simulation::new(Moody::calm(), RadauIIA::<3>, h, start());
        assert_eq!(made.err(), Some(Error::StepSize), "{h}");
        let before = picture(&plant);
        assert_eq!(plant.set_h(h), Err(Error::StepSize), "{h}");
        assert_eq!(picture(&plant), before, "{h}");
        assert_eq!(plant.h(), H);
    }
    plant.step()?;
    untouched.step()?;
    assert_eq!(picture(&plant), picture(&untouched));
    Ok(())
}

#[test]
fn a_start_must_be_finite() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for index in 0..2 {
            let mut start = start();
            start[index] = bad;
            let made = Simulation::new(Moody::calm(), RadauIIA::<2>, H as f32, start);
            assert_eq!(made.err(), Some(Error::Start { index }));
        }
    }
}

#[test]
fn a_nominal_magnitude_must_be_finite_and_positive() {
    for nominal in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let model = Moody {
            nominal,
            ..Moody::calm()
        };
        let made = Simulation::new(model, RadauIIA::<3>, H, start());
        assert_eq!(made.err(), Some(Error::Nominal { index: 1 }), "{nominal}");
    }
}

#[test]
fn an_input_must_be_finite() -> Result<(), Error> {
    for bad in [f64::NAN, f64::INFINITY] {
        survives!(Error::Input, |_, input| input[0] = Real::from_f64(bad));
        let mut adaptive = Adaptive::new(Moody::calm(), RadauIIA::<3>, 1e-6, 1e-3, start::<f64>())?;
        adaptive.input = [bad].into();
        assert_eq!(adaptive.run_to(1.0), Err(Error::Input));
        assert_eq!((adaptive.time(), *adaptive.state()), (0.0, start()));
    }
    Ok(())
}

/// At the first, the last and every other evaluation of a step with two iterations.
#[test]
fn a_model_must_return_numbers() -> Result<(), Error> {
    macro_rules! at_every_moment {
        ($($stages:literal $real:ty),*) => {$(
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for moment in 0..2 * $stages {
                    survives::<$stages, $real>(Error::NonFinite, &|model, _| {
                        model.fault = Some((moment, Real::from_f64(bad)));
                    })?;
                }
            }
        )*};
    }
    at_every_moment!(1 f32, 2 f32, 3 f32, 5 f64, 3 f64);
    Ok(())
}

/// A Jacobian that is not a number says nothing about columns: the model is to blame, not the matrix.
#[test]
fn a_jacobian_must_consist_of_numbers() -> Result<(), Error> {
    for bad in [f64::NAN, f64::INFINITY] {
        survives!(Error::NonFinite, |model, _| model.distortion =
            Real::from_f64(bad));
    }
    Ok(())
}

#[test]
fn a_singular_matrix_names_its_column() -> Result<(), Error> {
    survives!(Error::Singular { column: 1 }, |model, _| model.floating =
        true);
    Ok(())
}

/// A Jacobian that makes the iteration matrix nearly vanish: every iteration goes ten times too far.
#[test]
fn a_wrong_jacobian_diverges() -> Result<(), Error> {
    // About 1 / (h mu) for the method's smallest eigenvalue mu.
    macro_rules! wrong {
        ($($stages:literal $jacobian:literal),*) => {$(
            survives!(
                Error::Diverged,
                |model, _| model.distortion = Real::from_f64($jacobian),
                $stages
            );
        )*};
    }
    wrong!(1 24.0, 2 44.0, 3 78.0, 5 130.0);
    Ok(())
}

/// `x' = exp(x)`.
struct Runaway;

impl FirstOrder<f64, 1, 0> for Runaway {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        [x[0].exp()].into()
    }
}

/// From 0 it goes to infinity at t = 1: the stage equations of a step beyond have no solution.
#[test]
fn a_step_that_is_too_large_diverges() -> Result<(), Error> {
    for budget in [2, 3, 5, 10] {
        let mut plant =
            Simulation::new(Runaway, RadauIIA::<1>, 2.0, [0.0].into())?.with_budget(Fixed(budget));
        let before = picture(&plant);
        assert_eq!(plant.step(), Err(Error::Diverged), "{budget} iterations");
        assert_eq!(picture(&plant), before);
        // The same plant goes on with a step that it can do.
        plant.set_h(0.01)?;
        plant.step()?;
        assert!((plant.state()[0] - 0.0101).abs() < 1e-4);
    }
    Ok(())
}

/// Goes to one with this rate.
struct Stiff(f32);

impl FirstOrder<f32, 1, 0> for Stiff {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f32, 0>) -> Vector<T, 1> {
        [(x[0] - 1.0) * -self.0].into()
    }
}

/// Nearly infinite stiffness, far beyond what squares of single precision can hold: the state must go to its rest, not
/// stay where it was and be called converged.
#[test]
fn extreme_stiffness_is_stepped_not_frozen() -> Result<(), Error> {
    for stiffness in [1e6, 1e15, 1e21, 1e25] {
        let mut plant = Simulation::new(Stiff(stiffness), RadauIIA::<3>, 0.1, [0.0].into())?
            .with_budget(Fixed(3));
        plant.step()?;
        let x = plant.state()[0];
        assert!((x - 1.0).abs() < 1e-2, "{stiffness:e}: {x}");
    }
    Ok(())
}

/// Nominal magnitudes are the model's, and a model may be changed while it runs.
#[test]
fn changed_nominal_magnitudes_count() -> Result<(), Error> {
    let mut plant = Simulation::new(Moody::calm(), RadauIIA::<3>, 0.4, start())?;
    let coarse = plant.step()?.increment();
    let mut plant = Simulation::new(Moody::calm(), RadauIIA::<3>, 0.4, start())?;
    plant.change(|model| model.nominal = 1e-2)?;
    let fine = plant.step()?.increment();
    assert!(fine > 10.0 * coarse, "{fine:e}, {coarse:e}");
    let before = picture(&plant);
    let refused = plant.change(|model| model.nominal = f64::NAN);
    assert_eq!(refused, Err(Error::Nominal { index: 1 }));
    assert_eq!(picture(&plant), before);
    assert_eq!(plant.model().nominal, 1e-2);
    Ok(())
}

/// Every error says in words what to do about it, and no two say the same.
#[test]
fn errors_read_as_sentences() {
    let errors = [
        Error::StepSize,
        Error::Start { index: 3 },
        Error::Nominal { index: 3 },
        Error::Input,
        Error::NonFinite,
        Error::Singular { column: 3 },
        Error::Diverged,
        Error::Budget,
    ];
    let texts: std::collections::BTreeSet<String> = errors.iter().map(Error::to_string).collect();
    assert_eq!(texts.len(), errors.len());
    assert!(texts.iter().all(|text| text.len() > 15), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| text.contains('3')).count(), 3);
}

/// What cannot be set says why.
#[test]
fn parameters_are_refused_with_a_reason() {
    use stiffstep::model::ParameterError;
    let said = [ParameterError::Unknown, ParameterError::OutOfRange].map(|e| e.to_string());
    assert_eq!(said[0], "the plant has no parameter of that index");
    assert_eq!(said[1], "the value is outside the parameter's range");
}
