//! What the mechanical step does when it cannot do its work: it says why, and leaves everything as it was.

use super::plants::{Moves, Places};
use core::cell::Cell;
use stiffstep::manifold::{Ipa, Kernel};
use stiffstep::prelude::*;

/// A mass of three coordinates on a sphere and, with two constraints, on a plane through it; everything about it can go
/// wrong.
struct Fragile<R> {
    mass: Cell<R>,
    /// The second constraint is this times the first, and the plane.
    copied: Cell<R>,
    /// Evaluations of the model since the last look.
    evaluations: Cell<u32>,
    /// The evaluation whose result is multiplied by `poison`.
    poisoned: Cell<u32>,
    poison: Cell<R>,
}

const NEVER: u32 = u32::MAX;

impl<R: Real> Fragile<R> {
    fn sound() -> Self {
        Fragile {
            mass: Cell::new(R::from_f64(2.0)),
            copied: Cell::new(R::ZERO),
            evaluations: Cell::new(0),
            poisoned: Cell::new(NEVER),
            poison: Cell::new(R::ONE),
        }
    }

    fn factor(&self) -> R {
        let n = self.evaluations.get();
        self.evaluations.set(n + 1);
        if n == self.poisoned.get() {
            self.poison.get()
        } else {
            R::ONE
        }
    }
}

/// The fragile model with its joints.
struct With<R, J>(Fragile<R>, J);

mechanical! {
    impl [R: Real, J: Joints<R, 2>] Mechanical<R, 3, 2, 1> for With<R, J>;
    joints(self) -> J { self.1 }
    mass(self, _q) -> Diagonal<T, 3> {
        let (factor, one) = (self.0.factor(), T::constant(R::ONE));
        Diagonal([one * factor, one * self.0.mass.get() * factor, one].into())
    }
    force(self, t, q, v, u) {
        let factor = self.0.factor();
        [(-v[0] + u[0]) * factor, (t.sin() - q[2]) * factor, T::constant(-R::ONE)]
    }
    constraint(self, _t, q) {
        let factor = self.0.factor();
        let sphere = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - R::ONE;
        let copied = self.0.copied.get();
        let plane = q[1] * (R::ONE - copied) + sphere * copied;
        [sphere * factor, plane]
    }
}

fn start<R: Real>() -> Places<R, 3> {
    let (zero, one) = (R::ZERO, R::ONE);
    ([one, zero, zero].into(), [zero, zero, one].into())
}

fn damped<R: Real>() -> Damped<R, 2> {
    Damped {
        stiffness: [1e4, 1e6].map(R::from_f64),
        damping: [1.0, 0.0].map(R::from_f64),
    }
}

/// Every bit of what a user sees.
fn bits<R: Real, P, B>(simulation: &Simulation<P, B>) -> Vec<u64>
where
    P: Stepper<Real = R, State = Motion<R, 3, 2>>,
    B: Budget<R>,
{
    let at = simulation.state();
    let all = at.q.iter().chain(&at.v).chain(&at.a).chain(&at.lambda);
    let time = [simulation.time()];
    all.chain(&time).map(|x| x.bits()).collect()
}

/// Breaks a running simulation with `fault`, which must give one of these errors or do no harm at all, mends it, and
/// compares what follows with an unbroken twin. Answers the error.
fn assert_survives<R: Real, Kind, J: Joints<R, 2>>(
    method: impl Moves<With<R, J>, Kind, R, 3, 2, 1>,
    joints: J,
    fault: impl Fn(&Fragile<R>),
) -> Result<Option<Error>, Error> {
    let h = R::from_f64(0.01);
    let fresh = || Simulation::new(With(Fragile::sound(), joints), method, h, start());
    let (mut broken, mut sound) = (fresh()?, fresh()?);
    for _ in 0..5 {
        broken.step()?;
        sound.step()?;
    }
    let before = bits(&broken);
    broken.model().0.evaluations.set(0);
    fault(&broken.model().0);
    let outcome = broken.step();
    let model = &broken.model().0;
    let mended = Fragile::sound();
    model.mass.set(mended.mass.get());
    model.copied.set(mended.copied.get());
    model.poisoned.set(NEVER);
    if outcome.is_err() {
        assert_eq!(bits(&broken), before, "{outcome:?} changed the state");
    } else {
        sound.step()?;
    }
    for _ in 0..5 {
        assert_eq!(bits(&broken), bits(&sound), "{outcome:?} left a trace");
        broken.step()?;
        sound.step()?;
    }
    Ok(outcome.err())
}

/// Poisons each evaluation of a step in turn. Most of them matter; what does not, such as an infinite value whose derivative is
/// known to be zero, leaves the sound step's bits.
fn assert_survives_poison<R: Real, Kind, J: Joints<R, 2>>(
    method: impl Moves<With<R, J>, Kind, R, 3, 2, 1>,
    joints: J,
) -> Result<(), Error> {
    let model = With(Fragile::sound(), joints);
    let mut count = Simulation::new(model, method, R::from_f64(0.01), start())?;
    count.model().0.evaluations.set(0);
    count.step()?;
    let evaluations = count.model().0.evaluations.get();
    for poison in [f64::NAN, f64::INFINITY] {
        let mut errors = 0;
        for n in 0..evaluations {
            let error = assert_survives(method, joints, |model| {
                model.poisoned.set(n);
                model.poison.set(R::from_f64(poison));
            })?;
            errors += u32::from(error.is_some());
        }
        println!("{errors} of {evaluations} evaluations of {poison} are errors");
        assert!(errors > 10 && errors * 20 >= evaluations * 17);
    }
    Ok(())
}

#[test]
fn what_is_not_a_number_leaves_no_trace() -> Result<(), Error> {
    assert_survives_poison::<f64, _, _>(RadauIIA::<3>, Rigid)?;
    assert_survives_poison::<f32, _, _>(RadauIIA::<3>, Rigid)?;
    assert_survives_poison::<f64, _, _>(Projected(RadauIIA::<2>), Rigid)?;
    assert_survives_poison::<f32, _, _>(Projected(RadauIIA::<2>), Rigid)?;
    assert_survives_poison::<f64, _, _>(RadauIIA::<2>, damped())?;
    assert_survives_poison::<f32, _, _>(RadauIIA::<2>, damped())
}

/// Gives a running mechanism a mass, or a second constraint that copies the first.
fn degenerate<R: Real, J: Joints<R, 2>>(
    joints: J,
    mass: f64,
    copied: f64,
) -> Result<Option<Error>, Error> {
    assert_survives::<R, _, _>(RadauIIA::<3>, joints, |model| {
        model.mass.set(R::from_f64(mass));
        model.copied.set(R::from_f64(copied));
    })
}

#[test]
fn a_mass_that_is_not_positive_is_named() -> Result<(), Error> {
    let error = Some(Error::Mass { coordinate: 1 });
    for mass in [0.0, -1.0] {
        assert_eq!(degenerate::<f64, _>(Rigid, mass, 0.0)?, error);
        assert_eq!(degenerate::<f32, _>(Rigid, mass, 0.0)?, error);
        assert_eq!(degenerate::<f64, _>(damped(), mass, 0.0)?, error);
        assert_eq!(degenerate::<f32, _>(damped(), mass, 0.0)?, error);
        let model = Fragile::<f64>::sound();
        model.mass.set(mass);
        assert_eq!(refused(With(model, Rigid), start()), error);
    }
    Ok(())
}

#[test]
fn a_dependent_constraint_is_named() -> Result<(), Error> {
    let error = Some(Error::Constraint { index: 1 });
    assert_eq!(degenerate::<f64, _>(Rigid, 2.0, 1.0)?, error);
    assert_eq!(degenerate::<f32, _>(Rigid, 2.0, 1.0)?, error);
    let model = Fragile::<f64>::sound();
    model.copied.set(1.0);
    assert_eq!(refused(With(model, Rigid), start()), error);
    // In the centre of the sphere there is no way out, or every way.
    let centre = (Vector::zeros(), Vector::zeros());
    let error = Some(Error::Constraint { index: 0 });
    assert_eq!(refused(With(Fragile::sound(), Rigid), centre), error);
    Ok(())
}

/// Why there is no such simulation.
fn refused<J: Joints<f64, 2>>(model: With<f64, J>, start: Places<f64, 3>) -> Option<Error> {
    Simulation::new(model, RadauIIA::<3>, 0.01, start).err()
}

#[test]
fn a_start_that_is_not_finite_is_named() {
    for (n, value) in (0..).zip([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
        let (mut q, v) = start();
        q[n] = value;
        let error = Some(Error::Start { index: n });
        assert_eq!(refused(With(Fragile::sound(), Rigid), (q, v)), error);
        assert_eq!(refused(With(Fragile::sound(), damped()), (q, v)), error);
        let (q, mut v) = start();
        v[n] = value;
        let error = Some(Error::Start { index: 3 + n });
        assert_eq!(refused(With(Fragile::sound(), Rigid), (q, v)), error);
    }
}

/// A rigid mechanism moves to where it fits, and says so if there is no such place.
#[test]
fn a_start_that_fits_nowhere_is_refused() -> Result<(), Error> {
    let near = ([1.1, 0.2, -0.1].into(), [0.3, 0.1, 1.0].into());
    let fits = Simulation::new(With(Fragile::sound(), Rigid), RadauIIA::<3>, 0.01_f64, near)?;
    let at: &Motion<f64, 3, 2> = fits.state();
    assert!((at.q.norm() - 1.0).abs() < 1e-15 && at.q[1].abs() < 1e-15);
    assert!(at.q.dot(&at.v).abs() < 1e-15 && at.v[1].abs() < 1e-15);
    assert!((at.q - Vector::from([1.1, 0.2, -0.1])).norm() < 0.3);

    struct Nowhere;
    mechanical! {
        impl [] Mechanical<f64, 2, 1, 0> for Nowhere;
        joints(self) -> Rigid { Rigid }
        force(self, _t, _q, v, _u) { -v }
        constraint(self, _t, q) { [q[0] * q[0] + q[1] * q[1] + 0.5] }
    }
    let start = ([1.0, 0.3].into(), [0.0, 0.0].into());
    let refused = Simulation::new(Nowhere, Lean(RadauIIA::<2>), 0.01, start).err();
    assert_eq!(refused, Some(Error::Inconsistent));
    Ok(())
}

#[test]
fn a_joint_that_makes_no_sense_is_named() {
    let elastic = |stiffness| Elastic { stiffness };
    let damped = |stiffness, damping| Damped { stiffness, damping };
    let error = |index| Some(Error::Joint { index });
    for bad in [0.0, -1.0, f64::NAN, 1e-320] {
        let springs = With(Fragile::sound(), elastic([1.0, bad]));
        assert_eq!(refused(springs, start()), error(1), "{bad}");
        let dampers = With(Fragile::sound(), damped([bad, 1.0], [0.0; 2]));
        assert_eq!(refused(dampers, start()), error(0), "{bad}");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let dampers = With(Fragile::sound(), damped([1.0; 2], [0.0, bad]));
        assert_eq!(refused(dampers, start()), error(1), "{bad}");
    }
}

#[test]
fn an_input_that_is_not_finite_leaves_no_trace() -> Result<(), Error> {
    let sound = || With(Fragile::sound(), Rigid);
    let fresh = || Simulation::new(sound(), RadauIIA::<3>, 0.01_f32, start());
    let (mut disturbed, mut calm) = (fresh()?, fresh()?);
    for bad in [f32::NAN, f32::INFINITY] {
        let before = bits(&disturbed);
        disturbed.input = [bad].into();
        assert_eq!(disturbed.step().err(), Some(Error::Input));
        assert_eq!(bits(&disturbed), before);
        disturbed.input = [1.0].into();
        calm.input = [1.0].into();
        disturbed.step()?;
        calm.step()?;
        assert_eq!(bits(&disturbed), bits(&calm));
    }
    Ok(())
}

/// Something pushes with this, forth in one step and back in the next.
struct Pushed(f32);

/// The length of a step.
const SHORT: f32 = 1e-25;

mechanical! {
    impl [] Mechanical<f32, 1, 0, 0> for Pushed;
    joints(self) -> Elastic<f32, 0> { Elastic { stiffness: [] } }
    force(self, t, _q, _v, _u) {
        let forth = ((t.value() / SHORT) as u32).is_multiple_of(2);
        [T::constant(if forth { self.0 } else { -self.0 })]
    }
    constraint(self, _t, _q) { [] }
}

/// What the stages of Gauss's methods say of the end, less what was said of the beginning, grows with every step here, until it
/// overflows; velocity and position are still far from it.
#[test]
fn an_acceleration_that_overflows_is_an_error() -> Result<(), Error> {
    let at_rest = ([0.0].into(), [0.0].into());
    let mut plant = Simulation::new(Pushed(1e37), Lean(Gauss::<3>), SHORT, at_rest)?;
    for _ in 0..100 {
        let before = *plant.state();
        if let Err(error) = plant.step() {
            assert_eq!(error, Error::NonFinite);
            assert_eq!(*plant.state(), before);
            return Ok(());
        }
        assert!(plant.state().a[0].is_finite());
    }
    unreachable!("it never overflowed");
}

/// A bob on a spring, with nominal magnitudes of its coordinates and velocities.
#[derive(Clone, Copy)]
struct Bob([f64; 2]);

mechanical! {
    impl [] Mechanical<f64, 2, 1, 0> for Bob;
    joints(self) -> Elastic<f64, 1> { Elastic { stiffness: [1e4] } }
    force(self, _t, _q, _v, _u) { [0.0, -1.0].map(T::constant) }
    constraint(self, _t, q) { [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0] }
    fn nominal(&self) -> Nominal<f64, 2> {
        let [q, v] = self.0;
        Nominal { q: [q; 2], v: [v; 2] }
    }
}

/// What a start and a change say to nominal magnitudes.
fn said<Kind>(
    method: impl Moves<Bob, Kind, f64, 2, 1, 0>,
    nominal: [f64; 2],
) -> [Option<Error>; 2] {
    let level = || ([1.0, 0.0].into(), [0.0; 2].into());
    let start = Simulation::new(Bob(nominal), method, 0.02, level()).err();
    let mut sound = Simulation::new(Bob([1.0; 2]), method, 0.02, level()).unwrap();
    [start, sound.change(|bob| bob.0 = nominal).err()]
}

/// Nominal magnitudes that make no sense are named by every stepper of mechanisms, at a start and at a change. A step along the slow manifold took
/// any of them, and a pair's those of coordinates.
#[test]
fn every_stepper_looks_at_nominal_magnitudes() {
    let level = [1.0, 0.0].into();
    let ipa = Ipa::<f64, 18>::fitted(&Kernel::CUBIC, &Bob([1.0; 2]), 0.0, &level).unwrap();
    for (nominal, index) in [
        ([1.0, f64::NAN], 2),
        ([1.0, -1.0], 2),
        ([f64::NAN, 1.0], 0),
        ([0.0, 1.0], 0),
    ] {
        let expected = [Some(Error::Nominal { index }); 2];
        assert_eq!(said(RadauIIA::<3>, nominal), expected);
        assert_eq!(said(LobattoPair::<2>, nominal), expected);
        assert_eq!(said(RungeKutta4Ipa(ipa), nominal), expected);
    }
}
