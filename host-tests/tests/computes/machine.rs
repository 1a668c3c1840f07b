//! What a stepper owes its user whatever the method and the kind of model: budgets that are kept, changes that roll back, restarts,
//! snapshots, dense output, a place on a rig. Eight steppers, one list.
#![allow(clippy::unwrap_used)]

use super::plants::Line;
use std::fmt::Debug;
use stiffstep::drive::{After, Crossing, Events, Switched, Watch as Look};
use stiffstep::hil::{PlantRig, Range, Rig, States, Watch};
use stiffstep::manifold::{Ipa, Kernel};
use stiffstep::memory::{Digest, Load, Memory, Save, Words};
use stiffstep::model::{Constrained, visit_parameters};
use stiffstep::prelude::*;
use stiffstep::step::{Convergence, Dense, Method, Remember, Restart};
use stiffstep_host_tests::Go;
use stiffstep_plants::papers::Wunderlich;
use stiffstep_plants::slider_crank::SliderCrank;
use stiffstep_plants::valley::Valley;

/// A pendulum of mass and gravity one, whose rod has a length that may change, pushed by its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    length: f32,
    nominal: f32,
}

const ROD: Rod = Rod {
    length: 1.0,
    nominal: 1.0,
};

macro_rules! plant {
    ($model:ty, $state:ty, $at:ident => $output:expr, $($field:ident)*) => {
        impl Plant<f32, 1, 1> for $model {
            type State = $state;
            const NAME: &'static str = "pendulum";
            const INPUTS: [Quantity; 1] = [Quantity::new("push", "N")];
            const OUTPUTS: [Quantity; 1] = [Quantity::new("height", "m")];
            const PARAMETERS: &'static [Parameter<Self>] = &[$(
                Parameter::new(stringify!($field), "", 0.1, 1e9, |model| &mut model.$field)
            ),*];

            fn outputs(&self, _t: f32, $at: &$state, _u: &Vector<f32, 1>) -> Vector<f32, 1> {
                [$output].into()
            }
        }

        impl Memory for $model {
            fn visit<W: Words>(&mut self, words: &mut W) {
                visit_parameters::<f32, _, _, 1, 1>(self, words);
            }
        }
    };
}

/// As angle and speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle(Rod);
impl FirstOrder<f32, 2, 1> for Angle {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f32, 1>) -> Vector<T, 2> {
        [
            x[1],
            (-x[0].sin_cos().0 + u[0]) / T::constant(self.0.length),
        ]
        .into()
    }
    fn nominal(&self) -> Vector<f32, 2> {
        [1.0, self.0.nominal].into()
    }
}
impl Angle {
    fn rod(&mut self) -> &mut Rod {
        &mut self.0
    }
}
impl Plant<f32, 1, 1> for Angle {
    type State = Vector<f32, 2>;
    const NAME: &'static str = "pendulum";
    const INPUTS: [Quantity; 1] = [Quantity::new("push", "N")];
    const OUTPUTS: [Quantity; 1] = [Quantity::new("angle", "rad")];
    const PARAMETERS: &'static [Parameter<Self>] =
        &[Parameter::new("length", "m", 0.1, 10.0, |angle| {
            &mut angle.0.length
        })];
    fn outputs(&self, _t: f32, at: &Vector<f32, 2>, _u: &Vector<f32, 1>) -> Vector<f32, 1> {
        [at[0]].into()
    }
}
impl Memory for Angle {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.0.length.visit(words);
        self.0.nominal.visit(words);
    }
}

/// On a soft spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    stiffness: f32,
    nominal: f32,
}
const SPRING: Spring = Spring {
    stiffness: 100.0,
    nominal: 1.0,
};
impl Mechanical<f32, 2, 1, 1> for Spring {
    type Joints = Elastic<f32, 1>;
    type Mass<T: Scalar<f32>> = Unit;
    fn joints(&self) -> Elastic<f32, 1> {
        Elastic {
            stiffness: [self.stiffness],
        }
    }
    fn mass<T: Scalar<f32>>(&self, _q: &Vector<T, 2>) -> Unit {
        Unit
    }
    fn force<T: Scalar<f32>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        _v: &Vector<T, 2>,
        u: &Vector<f32, 1>,
    ) -> Vector<T, 2> {
        [T::constant(u[0]), T::constant(-1.0)].into()
    }
    fn constraint<T: Scalar<f32>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
    }
    fn nominal(&self) -> Nominal<f32, 2> {
        Nominal {
            q: [1.0; 2],
            v: [self.nominal; 2],
        }
    }
}
plant!(Spring, Motion<f32, 2, 1>, at => at.q[1], stiffness nominal);

/// In Hessenberg form.
impl Hessenberg<f32, 2, 2, 1, 1> for Rod {
    fn f<T: Scalar<f32>>(&self, _u: &Vector<T, 2>, v: &Vector<T, 2>) -> Vector<T, 2> {
        *v
    }
    fn k<T: Scalar<f32>>(
        &self,
        u: &Vector<T, 2>,
        _v: &Vector<T, 2>,
        lambda: &Vector<T, 1>,
        input: &Vector<f32, 1>,
    ) -> Vector<T, 2> {
        [-(u[0] * lambda[0]) + input[0], -(u[1] * lambda[0]) - 1.0].into()
    }
    fn g<T: Scalar<f32>>(&self, u: &Vector<T, 2>) -> Vector<T, 1> {
        [(u[0] * u[0] + u[1] * u[1] - self.length * self.length) * 0.5].into()
    }
    fn nominal(&self) -> ([f32; 2], [f32; 2]) {
        ([1.0; 2], [self.nominal, 1.0])
    }
}
plant!(Rod, Constrained<f32, 2, 2, 1>, at => at.u[1], length nominal);

/// In a valley.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trough {
    stiffness: f32,
    nominal: f32,
}
const TROUGH: Trough = Trough {
    stiffness: 1e4,
    nominal: 1.0,
};
impl Potential<f32, 2, 1, 1> for Trough {
    type Mass<T: Scalar<f32>> = Unit;
    fn mass(&self) -> Unit {
        Unit
    }
    fn force(
        &self,
        _t: f32,
        _q: &Vector<f32, 2>,
        _v: &Vector<f32, 2>,
        u: &Vector<f32, 1>,
    ) -> Vector<f32, 2> {
        [u[0], -1.0].into()
    }
    fn potential<T: Scalar<f32>>(&self, q: &Vector<T, 2>) -> T {
        let depth = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
        depth * depth * 0.5
    }
    fn stiffness(&self) -> f32 {
        self.stiffness
    }
    fn directions(&self, q: &Vector<f32, 2>) -> [[f32; 2]; 1] {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        [[q[0] / r, q[1] / r]]
    }
    fn nominal(&self) -> [f32; 2] {
        [self.nominal; 2]
    }
}
plant!(Trough, Motion<f32, 2, 1>, at => at.q[1], stiffness nominal);

/// With its tension as an unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bead {
    length: f32,
    nominal: f32,
}
const BEAD: Bead = Bead {
    length: 1.0,
    nominal: 1.0,
};
impl SecondOrder<f32, 3, 1> for Bead {
    const ALGEBRAIC: [bool; 3] = [false, false, true];
    fn residual<T: Scalar<f32>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        _v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        u: &Vector<f32, 1>,
    ) -> Vector<T, 3> {
        [
            a[0] + x[0] * x[2] - u[0],
            a[1] + x[1] * x[2] + 1.0,
            (x[0] * x[0] + x[1] * x[1] - self.length * self.length) * 0.5,
        ]
        .into()
    }
    fn nominal(&self) -> [f32; 3] {
        [self.nominal, 1.0, 1.0]
    }
}
plant!(Bead, Course<f32, 3>, at => at.x[1], length nominal);

const H: f32 = 0.02;
const LEVEL: [f32; 2] = [1.0, 0.0];

fn level() -> (Vector<f32, 2>, Vector<f32, 2>) {
    (LEVEL.into(), [0.0; 2].into())
}

fn bead() -> (Vector<f32, 3>, Vector<f32, 3>) {
    ([1.0, 0.0, 0.0].into(), [0.0; 3].into())
}

fn slow() -> RungeKutta4Ipa<f32> {
    let stiff = Spring {
        stiffness: 1e4,
        ..SPRING
    };
    let ipa = Ipa::<f32, 18>::fitted(&Kernel::CUBIC, &stiff, 0.0, &LEVEL.into());
    RungeKutta4Ipa(ipa.unwrap())
}

/// A plant at its start.
fn made<M, Kind, K: Method<M, Kind, Real = f32>>(
    model: M,
    method: K,
    start: K::Start,
) -> Simulation<K::Stepper> {
    Simulation::new(model, method, H, start).unwrap()
}

/// The words of a memory.
fn words(memory: &mut impl Memory) -> Vec<u32> {
    let mut words = vec![0; Digest::of(memory).count];
    let mut save = Save::new(&mut words);
    memory.visit(&mut save);
    assert!(save.complete().is_some());
    words
}

fn numbers(state: &impl States) -> Vec<f32> {
    let mut numbers = Vec::new();
    state.each(&mut |x| numbers.push(x));
    numbers
}

/// A simulation of a plant with one input and one output.
trait Whole: Dense<Real = f32, Input = Vector<f32, 1>> + Restart + Memory + Remember + Clone {}
impl<P> Whole for P where
    P: Dense<Real = f32, Input = Vector<f32, 1>> + Restart + Memory + Remember + Clone
{
}

/// Everything that all steppers do. `sound` and `unsound` change a model.
fn everything<P>(
    make: impl Fn() -> Simulation<P>,
    sound: impl Fn(&mut P::Model),
    unsound: impl Fn(&mut P::Model),
) where
    P: Whole,
    P::Model: Plant<f32, 1, 1, State = P::State> + Clone + PartialEq + Debug,
    P::State: States + Copy + PartialEq + Debug,
{
    let mut plant = make();
    plant.go(20).unwrap();
    snapshots(&mut plant, &make);
    changes(&mut plant, &sound, &unsound);
    restarts(&mut plant, &unsound);
    looks_back(&mut plant);
    falls_through(make());
    on_a_rig(make());
}

/// The output falls through half of the way: to minus a half, or to a half from one.
struct Half {
    level: f32,
    seen: Option<f32>,
}
impl<M: Plant<f32, 1, 1, State = X>, X, U> Events<f32, M, X, U, 1> for Half {
    const CROSSINGS: [Crossing; 1] = [Crossing::Falling];
    fn values(&self, t: f32, model: &M, state: &X, _u: &U) -> [f32; 1] {
        [model.outputs(t, state, &Vector::from([0.0]))[0] - self.level]
    }
    fn happen(&mut self, _index: usize, t: f32, model: &mut M, state: &mut X) -> After {
        self.seen = Some(model.outputs(t, state, &Vector::from([0.0]))[0]);
        After::Stop
    }
}

/// An event is found where it is.
fn falls_through<P: Whole>(mut plant: Simulation<P>)
where
    P::Model: Plant<f32, 1, 1, State = P::State> + Clone,
{
    let start = plant
        .model()
        .outputs(0.0, plant.state(), &Vector::from([0.0]))[0];
    let level = if start > 0.9 { 0.5 } else { -0.5 };
    let mut watch = Look::new(Half { level, seen: None });
    for _ in 0..100 {
        let Switched { stop, .. } = plant.step_with(&mut watch).unwrap();
        if stop.is_some() {
            break;
        }
    }
    let seen = watch.events.seen.unwrap();
    assert!((seen - level).abs() < 2e-4, "{seen} for {level}");
    plant.step().unwrap();
}

fn snapshots<P: Whole>(plant: &mut Simulation<P>, make: &impl Fn() -> Simulation<P>) {
    let before = words(plant);
    let run = |plant: &mut Simulation<P>| {
        plant.input = [0.1].into();
        plant.go(10).unwrap();
        words(plant)
    };
    let after = run(plant);
    assert_ne!(before, after);
    let mut other = make();
    for plant in [plant, &mut other] {
        let mut load = Load::new(&before);
        plant.visit(&mut load);
        assert!(load.complete());
        assert_eq!(words(plant), before);
        assert_eq!(run(plant), after, "a snapshot is all there is");
    }
}

fn changes<P: Whole>(
    plant: &mut Simulation<P>,
    sound: &impl Fn(&mut P::Model),
    unsound: &impl Fn(&mut P::Model),
) where
    P::Model: Clone + PartialEq + Debug,
{
    let (before, model) = (words(plant), plant.model().clone());
    plant.change(unsound).unwrap_err();
    assert_eq!(
        words(plant),
        before,
        "a refused change leaves nothing behind"
    );
    assert_eq!(*plant.model(), model);
    plant.change(sound).unwrap();
    assert_ne!(*plant.model(), model);
    plant.step().unwrap();
}

fn restarts<P: Whole>(plant: &mut Simulation<P>, unsound: &impl Fn(&mut P::Model))
where
    P::Model: Clone,
    P::State: States,
{
    let before = words(plant);
    plant.restart(|model, _| unsound(model)).unwrap_err();
    assert_eq!(
        words(plant),
        before,
        "a refused restart leaves nothing behind"
    );
    let (here, time) = (numbers(plant.state())[0], plant.time());
    plant.restart(|_, _| ()).unwrap();
    assert_eq!(plant.time(), time);
    assert!((numbers(plant.state())[0] - here).abs() < 1e-4);
    plant.step().unwrap();
}

/// Dense output ends where the step ended, and begins where it began.
fn looks_back<P: Whole>(plant: &mut Simulation<P>)
where
    P::State: States,
{
    plant.go(5).unwrap();
    let before = numbers(plant.state())[0];
    plant.step().unwrap();
    let after = numbers(plant.state())[0];
    assert!((numbers(&plant.before(0.0))[0] - after).abs() < 1e-6);
    let back = numbers(&plant.before(H))[0];
    assert!((back - before).abs() < 1e-5, "{back} for {before}");
    let middle = numbers(&plant.before(H / 2.0))[0];
    let chord = (before + after) / 2.0;
    assert!((middle - chord).abs() < 1e-3, "{middle} for {chord}");
}

fn on_a_rig<P: Whole>(plant: Simulation<P>)
where
    P::Model: Plant<f32, 1, 1, State = P::State> + Clone,
    P::State: States,
{
    let swing = Range::new(-2.0, 2.0);
    let mut rig = PlantRig::new(plant, [swing], [swing]).unwrap();
    let mut never = || false;
    rig.step(&[0.1], &mut Watch::new(2, &mut never)).unwrap();
    let mut kept = Default::default();
    rig.save(&mut kept);
    let digest = rig.digest();
    rig.step(&[0.2], &mut Watch::new(2, &mut never)).unwrap();
    let mut seen = 0;
    rig.between(0.5, &mut |_, value| {
        assert!(value.is_finite());
        seen += 1;
    });
    assert_eq!(seen, 1);
    assert_ne!(rig.digest(), digest);
    assert!(rig.load(&kept));
    assert_eq!(rig.digest(), digest);
}

#[test]
fn first_order() {
    let start = || Vector::from([1.0, 0.0]);
    everything(
        || made(Angle(ROD), RadauIIA::<3>, start()),
        |angle| angle.rod().length = 1.1,
        |angle| angle.rod().nominal = f32::NAN,
    );
    everything(
        || made(Angle(ROD), LobattoIIIA::<3>, start()),
        |angle| angle.rod().length = 1.1,
        |angle| angle.rod().nominal = 0.0,
    );
}

#[test]
fn mechanical() {
    let unsound = |spring: &mut Spring| spring.stiffness = f32::NAN;
    everything(
        || made(SPRING, RadauIIA::<3>, level()),
        |spring| spring.stiffness = 110.0,
        unsound,
    );
    everything(
        || made(SPRING, Projected(RadauIIA::<2>), level()),
        |spring| spring.stiffness = 110.0,
        unsound,
    );
    everything(
        || made(SPRING, LobattoIIIA::<3>, level()),
        |spring| spring.stiffness = 110.0,
        |spring| spring.nominal = -1.0,
    );
}

#[test]
fn hessenberg() {
    everything(
        || made(ROD, RadauIIA::<3>, level()),
        |rod| rod.length = 1.01,
        |rod| rod.nominal = f32::NAN,
    );
}

#[test]
fn potential() {
    everything(
        || made(TROUGH, RadauIIA::<3>, level()),
        |trough| trough.stiffness = 2e4,
        |trough| trough.stiffness = -1.0,
    );
}

#[test]
fn pair() {
    everything(
        || made(SPRING, LobattoPair::<2>, level()),
        |spring| spring.stiffness = 110.0,
        |spring| spring.nominal = f32::INFINITY,
    );
}

#[test]
fn multistep() {
    everything(
        || made(BEAD, Bdf::<3>, bead()),
        |bead| bead.nominal = 2.0,
        |bead| bead.nominal = f32::NAN,
    );
}

#[test]
fn general_linear() {
    let unsound = |bead: &mut Bead| bead.nominal = f32::NAN;
    everything(
        || made(BEAD, RadauIIA::<2>, bead()),
        |bead| bead.nominal = 2.0,
        unsound,
    );
    everything(
        || made(BEAD, Wunderlich, bead()),
        |bead| bead.nominal = 2.0,
        unsound,
    );
}

#[test]
fn slow_manifold() {
    let stiff = Spring {
        stiffness: 1e4,
        ..SPRING
    };
    everything(
        || made(stiff, slow(), level()),
        |spring| spring.stiffness = 1.1e4,
        |spring| spring.stiffness = f32::NAN,
    );
}

/// A fixed budget is kept by every iteration, however large it is.
#[test]
fn a_budget_is_what_is_spent() {
    fn spent<P: Stepper<Real = f32>>(plant: Simulation<P>, budget: u8) {
        let mut plant = plant.with_budget(Fixed(budget));
        for _ in 0..3 {
            assert_eq!(plant.step().unwrap().iterations, budget);
        }
    }
    for n in [1, 2, 3, 200, 255] {
        let start = Vector::from([1.0, 0.0]);
        spent(made(Angle(ROD), RadauIIA::<3>, start), n);
        spent(made(SPRING, RadauIIA::<3>, level()), n);
        spent(made(ROD, RadauIIA::<3>, level()), n);
        spent(made(TROUGH, RadauIIA::<3>, level()), n);
        spent(made(SPRING, LobattoPair::<2>, level()), n);
        spent(made(BEAD, Bdf::<3>, bead()), n);
        spent(made(BEAD, RadauIIA::<2>, bead()), n);
        let valley = Valley::<f32, 1>::new(1e-2);
        spent(made(valley, RadauIIA::<3>, level()), n);
    }
}

/// No iteration at all is an error, whatever the stepper.
#[test]
fn an_empty_budget_is_refused() {
    let none = |refused: Option<Error>| assert_eq!(refused, Some(Error::Budget));
    let mut plant = made(TROUGH, RadauIIA::<3>, level());
    none(plant.step_within(&mut Fixed(0)).err());
    let mut plant = made(ROD, RadauIIA::<3>, level());
    none(plant.step_within(&mut Fixed(0)).err());
    let mut plant = made(SPRING, LobattoPair::<2>, level());
    none(plant.step_within(&mut Fixed(0)).err());
}

/// Does two iterations, and takes none of them.
struct Refusing;
impl Budget<f32> for Refusing {
    fn another(&mut self, so_far: &Convergence<f32>) -> bool {
        so_far.iterations() < 2
    }
    fn verdict(&self, _: &Convergence<f32>, _exact: bool) -> Result<Report<f32>, Error> {
        Err(Error::Diverged)
    }
}

/// What a budget says of an iteration is what the step answers, whatever the stepper.
#[test]
fn a_budget_has_the_last_word() {
    fn asked<P: Stepper<Real = f32>>(plant: Simulation<P>) {
        let said = plant.with_budget(Refusing).step().err();
        assert_eq!(said, Some(Error::Diverged));
    }
    let start = Vector::from([1.0, 0.0]);
    asked(made(Angle(ROD), RadauIIA::<3>, start));
    asked(made(SPRING, RadauIIA::<3>, level()));
    asked(made(ROD, RadauIIA::<3>, level()));
    asked(made(TROUGH, RadauIIA::<3>, level()));
    asked(made(SPRING, LobattoPair::<2>, level()));
    asked(made(BEAD, Bdf::<3>, bead()));
    asked(made(BEAD, RadauIIA::<2>, bead()));
}

/// The forces of springs are those of their new stiffness at once.
#[test]
fn joints_take_up_a_new_stiffness() {
    fn doubles<P>(mut plant: Simulation<P>)
    where
        P: Stepper<Real = f32, Model = Spring, State = Motion<f32, 2, 1>>,
    {
        plant.go(10).unwrap();
        let before = plant.state().lambda[0];
        plant.change(|spring| spring.stiffness *= 2.0).unwrap();
        let after = plant.state().lambda[0];
        assert!(
            before.abs() > 1e-2 && (after / before - 2.0).abs() < 1e-3,
            "{after} after {before}"
        );
    }
    doubles(made(SPRING, RadauIIA::<3>, level()));
    doubles(made(SPRING, LobattoPair::<2>, level()));
    let mut trough = made(TROUGH, RadauIIA::<3>, level());
    trough.go(10).unwrap();
    let before = trough.state().lambda[0];
    trough.change(|trough| trough.stiffness *= 2.0).unwrap();
    let after = trough.state().lambda[0];
    assert!(
        (after / before - 2.0).abs() < 0.05,
        "{after} after {before}"
    );
}

/// A nominal magnitude that is no number is refused by a change as by a start, and the next step knows nothing of it.
#[test]
fn a_change_looks_at_nominal_magnitudes() {
    let mut rod = made(ROD, RadauIIA::<3>, level());
    let mut other = made(ROD, RadauIIA::<3>, level());
    let refused = rod.change(|rod| rod.nominal = f32::NAN).err();
    assert_eq!(refused, Some(Error::Nominal { index: 2 }));
    let (a, b) = (rod.step().unwrap(), other.step().unwrap());
    assert_eq!((a, words(&mut rod)), (b, words(&mut other)));
    // And a sound one counts at once.
    rod.change(|rod| rod.nominal = 1e-2).unwrap();
    other.change(|rod| rod.nominal = 1.0).unwrap();
    let (fine, coarse) = (rod.step().unwrap(), other.step().unwrap());
    let (fine, coarse) = (fine.increment(), coarse.increment());
    assert!(fine > 3.0 * coarse, "{fine:e} {coarse:e}");
    // Of a mechanism, too, which does not say how large its forces are.
    let mut spring = made(SPRING, RadauIIA::<3>, level());
    let mut other = made(SPRING, RadauIIA::<3>, level());
    spring.change(|spring| spring.nominal = 1e-2).unwrap();
    let (fine, coarse) = (spring.step().unwrap(), other.step().unwrap());
    let (fine, coarse) = (fine.increment(), coarse.increment());
    assert!(fine > 3.0 * coarse, "{fine:e} {coarse:e}");
}

/// A wheel that turns for ever, on a soft spring to nothing.
type Wheel = Line<f32, Elastic<f32, 1>, 2, 1, 0>;

fn wheel(stiffness: f32) -> Wheel {
    Line {
        constraint: [[1.0, -1.0]],
        turn: [core::f32::consts::TAU; 2],
        ..Line::of(Elastic {
            stiffness: [stiffness],
        })
    }
}

/// Completed turns are taken off and counted by all steps of mechanisms.
#[test]
fn turns_are_counted_by_all() {
    fn turned<P>(mut wheel: Simulation<P>)
    where
        P: Dense<Real = f32, Model = Wheel, State = Motion<f32, 2, 1>>,
    {
        for _ in 0..200 {
            wheel.step().unwrap();
            let (at, h) = (*wheel.state(), wheel.h());
            assert!(at.q[0].abs() <= 6.3, "{at:?}");
            let back = wheel.before(h).q[0];
            assert!((at.q[0] - back - at.v[0] * h).abs() < 1e-3, "{back} {at:?}");
        }
        // 200 steps of 0.1 s at 3 rad/s: 60 rad, nine turns.
        assert_eq!(wheel.state().turns, 9);
        // A turn that the joint would notice is refused.
        let refused = wheel.change(|wheel| wheel.turn = [f32::NAN; 2]).err();
        assert_eq!(refused, Some(Error::Turn));
    }
    let start = || ([0.0; 2].into(), [3.0; 2].into());
    turned(Simulation::new(wheel(100.0), RadauIIA::<3>, 0.1, start()).unwrap());
    turned(Simulation::new(wheel(100.0), LobattoPair::<2>, 0.1, start()).unwrap());
    let stiff = wheel(1e4);
    let q = Vector::from([0.0; 2]);
    let ipa = Ipa::<f32, 18>::fitted(&Kernel::CUBIC, &stiff, 0.0, &q).unwrap();
    turned(Simulation::new(stiff, RungeKutta4Ipa(ipa), 0.1, start()).unwrap());
}

/// A rigid mechanism that is refitted keeps the turns it has made.
#[test]
fn a_refitted_mechanism_keeps_its_turns() {
    fn kept<P>(mut crank: Simulation<P>)
    where
        P: Stepper<Real = f32, Model = SliderCrank, State = Motion<f32, 3, 2>>,
        P::Input: From<[f32; 2]>,
    {
        crank.input = [2.0, 0.0].into();
        crank.go(2000).unwrap();
        let turns = crank.state().turns;
        assert!(turns > 1);
        crank.change(|crank| crank.rod = 0.16).unwrap();
        assert_eq!(crank.state().turns, turns);
        crank.step().unwrap();
    }
    let start = || ([1.0, 0.28, 0.17].into(), [0.0; 3].into());
    let model = SliderCrank::COMPRESSOR;
    kept(Simulation::new(model, Lean(RadauIIA::<3>), 1e-3, start()).unwrap());
    kept(Simulation::new(model, LobattoPair::<2>, 1e-3, start()).unwrap());
}

/// The index of a start's first number that is not finite counts over the whole state, positions first, in every stepper.
#[test]
fn starts_are_counted_alike() {
    let bad = || (Vector::from(LEVEL), Vector::from([0.0, f32::NAN]));
    let third = Some(Error::Start { index: 3 });
    assert_eq!(
        Simulation::new(SPRING, RadauIIA::<3>, H, bad()).err(),
        third
    );
    assert_eq!(
        Simulation::new(SPRING, LobattoPair::<2>, H, bad()).err(),
        third
    );
    assert_eq!(Simulation::new(SPRING, slow(), H, bad()).err(), third);
    assert_eq!(
        Simulation::new(TROUGH, RadauIIA::<3>, H, bad()).err(),
        third
    );
    assert_eq!(Simulation::new(ROD, RadauIIA::<3>, H, bad()).err(), third);
    let (x, mut v) = bead();
    v[0] = f32::NAN;
    assert_eq!(Simulation::new(BEAD, Bdf::<3>, H, (x, v)).err(), third);
    assert_eq!(Simulation::new(BEAD, RadauIIA::<2>, H, (x, v)).err(), third);
}
