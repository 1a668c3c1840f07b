//! What a stepper owes its user whatever the method and the kind of model: budgets that are kept, changes that roll back, restarts,
//! snapshots, dense output, a place on a rig. Eight steppers, one list.

use super::plants::{Line, falling};
use std::fmt::Debug;
use stiffstep::drive::{After, Switched};
use stiffstep::hil::{Allowance, PlantRig, Range, Rig, States};
use stiffstep::manifold::{Ipa, Kernel};
use stiffstep::memory::{Digest, Load, Memory, Save, Words};
use stiffstep::model::{Constrained, visit_parameters};
use stiffstep::prelude::*;
use stiffstep::step::{Convergence, Dense, Method, Remember, Restart};
use stiffstep_host_tests::Go;
use stiffstep_plants::papers::Wunderlich;
use stiffstep_plants::slider_crank::SliderCrank;
use stiffstep_plants::valley::Valley;

/// A pendulum of mass and gravity one, pushed by its input, and what it shows of its state. It has a length or a stiffness, and a
/// nominal speed.
macro_rules! plant {
    ($model:ident: $field:ident, $state:ty, $at:ident => $output:expr) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $model {
            $field: f32,
            nominal: f32,
        }

        impl $model {
            const fn of($field: f32, nominal: f32) -> Self {
                $model { $field, nominal }
            }
        }

        impl Plant<f32, 1, 1> for $model {
            type State = $state;
            const NAME: &'static str = "pendulum";
            const INPUTS: [Quantity; 1] = [Quantity::new("push", "N")];
            const OUTPUTS: [Quantity; 1] = [Quantity::new("height", "m")];
            const PARAMETERS: &'static [Parameter<Self>] = &[
                Parameter::new(stringify!($field), "", 0.1, 1e9, |model| &mut model.$field),
                Parameter::new("nominal", "", 0.1, 1e9, |model| &mut model.nominal),
            ];

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

// As angle, which it shows, and speed.
plant!(Angle: length, Vector<f32, 2>, at => at[0]);
const ANGLE: Angle = Angle::of(1.0, 1.0);
impl FirstOrder<f32, 2, 1> for Angle {
    type Mass = Unit;
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f32, 1>) -> Vector<T, 2> {
        let torque = -x[0].sin_cos().0 + u[0];
        [x[1], torque / T::constant(self.length)].into()
    }
    fn nominal(&self) -> Vector<f32, 2> {
        [1.0, self.nominal].into()
    }
}

// On a soft spring.
plant!(Spring: stiffness, Motion<f32, 2, 1>, at => at.q[1]);
const SPRING: Spring = Spring::of(100.0, 1.0);
mechanical! {
    impl [] Mechanical<f32, 2, 1, 1> for Spring;
    joints(self) -> Elastic<f32, 1> { Elastic { stiffness: [self.stiffness] } }
    force(self, _t, _q, _v, u) { [T::constant(u[0]), T::constant(-1.0)] }
    constraint(self, _t, q) { [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0] }
    fn nominal(&self) -> Nominal<f32, 2> {
        Nominal { q: [1.0; 2], v: [self.nominal; 2] }
    }
}

// On a rod, in Hessenberg form.
plant!(Rod: length, Constrained<f32, 2, 2, 1>, at => at.u[1]);
const ROD: Rod = Rod::of(1.0, 1.0);
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

// In a valley.
plant!(Trough: stiffness, Motion<f32, 2, 1>, at => at.q[1]);
const TROUGH: Trough = Trough::of(1e4, 1.0);
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

// With its tension as an unknown.
plant!(Bead: length, Course<f32, 3>, at => at.x[1]);
const BEAD: Bead = Bead::of(1.0, 1.0);
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

const H: f32 = 0.02;
const LEVEL: [f32; 2] = [1.0, 0.0];

fn level() -> (Vector<f32, 2>, Vector<f32, 2>) {
    (LEVEL.into(), [0.0; 2].into())
}

fn bead() -> (Vector<f32, 3>, Vector<f32, 3>) {
    ([1.0, 0.0, 0.0].into(), [0.0; 3].into())
}

fn slow() -> RungeKutta4Ipa<f32> {
    let stiff = Spring::of(1e4, 1.0);
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

/// Everything that all steppers do, with a model, another one, and one that makes no sense.
fn everything<M, Kind, K, P>(method: K, start: K::Start, [model, sound, unsound]: [M; 3])
where
    K: Method<M, Kind, Real = f32, Stepper = P, Start: Copy> + Copy,
    M: Plant<f32, 1, 1, State = P::State> + Copy + PartialEq + Debug,
    P: Whole<Model = M>,
    P::State: States + Copy + PartialEq + Debug,
{
    let make = || made(model, method, start);
    let mut plant = make();
    plant.go(20).unwrap();
    snapshots(&mut plant, &make);
    changes(&mut plant, sound, unsound);
    restarts(&mut plant, unsound);
    looks_back(&mut plant);
    falls_through(make());
    on_a_rig(make());
}

/// An event is found where it is: the output falls through half of the way, to minus a half, or to a half from one.
fn falls_through<P: Whole>(mut plant: Simulation<P>)
where
    P::Model: Plant<f32, 1, 1, State = P::State> + Copy,
{
    let shown = |model: &P::Model, at: &P::State| model.outputs(0.0, at, &Vector::from([0.0]))[0];
    let start = shown(plant.model(), plant.state());
    let level = if start > 0.9 { 0.5 } else { -0.5 };
    let mut seen = None;
    let mut watch = falling::<f32, P::Model, P::State, _, _>(
        |_, model, at| shown(model, at) - level,
        |_, model, at| {
            seen = Some(shown(model, at));
            After::Stop
        },
    );
    for _ in 0..100 {
        let Switched { stop, .. } = plant.step_with(&mut watch).unwrap();
        if stop.is_some() {
            break;
        }
    }
    let seen = seen.unwrap();
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
    let resumed = |plant: &mut Simulation<P>| {
        let mut load = Load::new(&before);
        plant.visit(&mut load);
        assert!(load.complete());
        assert_eq!(words(plant), before);
        assert_eq!(run(plant), after, "a snapshot is all there is");
    };
    resumed(plant);
    // What another plant has done so far does not matter. A formula of its own made a multistep method's next steps others.
    for steps in 0..8 {
        let mut other = make();
        other.go(steps).unwrap();
        resumed(&mut other);
    }
}

fn changes<P: Whole>(plant: &mut Simulation<P>, sound: P::Model, unsound: P::Model)
where
    P::Model: Copy + PartialEq + Debug,
{
    let (before, model) = (words(plant), *plant.model());
    plant.change(|model| *model = unsound).unwrap_err();
    assert_eq!(words(plant), before, "a refused change left a trace");
    assert_eq!(*plant.model(), model);
    plant.change(|model| *model = sound).unwrap();
    assert_ne!(*plant.model(), model);
    plant.step().unwrap();
}

fn restarts<P: Whole>(plant: &mut Simulation<P>, unsound: P::Model)
where
    P::Model: Copy,
    P::State: States,
{
    let before = words(plant);
    plant.restart(|model, _| *model = unsound).unwrap_err();
    assert_eq!(words(plant), before, "a refused restart left a trace");
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
    rig.step(&[0.1], &mut Allowance::new(2, &mut never))
        .unwrap();
    let mut kept = Default::default();
    rig.save(&mut kept);
    let digest = rig.digest();
    rig.step(&[0.2], &mut Allowance::new(2, &mut never))
        .unwrap();
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
    let start = Vector::from([1.0, 0.0]);
    let models = |nominal| [ANGLE, Angle::of(1.1, 1.0), Angle::of(1.0, nominal)];
    everything(RadauIIA::<3>, start, models(f32::NAN));
    everything(LobattoIIIA::<3>, start, models(0.0));
}

#[test]
fn mechanical() {
    let models = |unsound| [SPRING, Spring::of(110.0, 1.0), unsound];
    let floppy = models(Spring::of(f32::NAN, 1.0));
    everything(RadauIIA::<3>, level(), floppy);
    everything(Projected(RadauIIA::<2>), level(), floppy);
    everything(LobattoIIIA::<3>, level(), models(Spring::of(100.0, -1.0)));
}

#[test]
fn hessenberg() {
    let models = [ROD, Rod::of(1.01, 1.0), Rod::of(1.0, f32::NAN)];
    everything(RadauIIA::<3>, level(), models);
}

#[test]
fn potential() {
    let models = [TROUGH, Trough::of(2e4, 1.0), Trough::of(-1.0, 1.0)];
    everything(RadauIIA::<3>, level(), models);
}

#[test]
fn pair() {
    let unsound = Spring::of(100.0, f32::INFINITY);
    let models = [SPRING, Spring::of(110.0, 1.0), unsound];
    everything(LobattoPair::<2>, level(), models);
}

const BEADS: [Bead; 3] = [BEAD, Bead::of(1.0, 2.0), Bead::of(1.0, f32::NAN)];

#[test]
fn multistep() {
    everything(Bdf::<3>, bead(), BEADS);
}

#[test]
fn general_linear() {
    everything(RadauIIA::<2>, bead(), BEADS);
    everything(Wunderlich, bead(), BEADS);
}

#[test]
fn slow_manifold() {
    let models = [1e4, 1.1e4, f32::NAN].map(|stiffness| Spring::of(stiffness, 1.0));
    everything(slow(), level(), models);
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
        spent(made(ANGLE, RadauIIA::<3>, start), n);
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
    #[track_caller]
    fn refused<P: Stepper<Real = f32>>(mut plant: Simulation<P>) {
        let said = plant.step_within(&mut Fixed(0)).err();
        assert_eq!(said, Some(Error::Budget));
    }
    refused(made(TROUGH, RadauIIA::<3>, level()));
    refused(made(ROD, RadauIIA::<3>, level()));
    refused(made(SPRING, LobattoPair::<2>, level()));
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
    asked(made(ANGLE, RadauIIA::<3>, start));
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
    #[track_caller]
    fn doubles<P>(mut plant: Simulation<P>, double: fn(&mut P::Model), within: f32)
    where
        P: Stepper<Real = f32, Model: Clone, State = Motion<f32, 2, 1>>,
    {
        plant.go(10).unwrap();
        let before = plant.state().lambda[0];
        plant.change(double).unwrap();
        let after = plant.state().lambda[0];
        assert!(before.abs() > 1e-2, "{after} after {before}");
        let ratio = after / before;
        assert!((ratio - 2.0).abs() < within, "{after} after {before}");
    }
    let double = |spring: &mut Spring| spring.stiffness *= 2.0;
    doubles(made(SPRING, RadauIIA::<3>, level()), double, 1e-3);
    doubles(made(SPRING, LobattoPair::<2>, level()), double, 1e-3);
    let double = |trough: &mut Trough| trough.stiffness *= 2.0;
    doubles(made(TROUGH, RadauIIA::<3>, level()), double, 0.05);
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
    #[track_caller]
    fn third<M, Kind, K: Method<M, Kind, Real = f32>>(model: M, method: K, start: K::Start) {
        let refused = Simulation::new(model, method, H, start).err();
        assert_eq!(refused, Some(Error::Start { index: 3 }));
    }
    let bad = || (Vector::from(LEVEL), Vector::from([0.0, f32::NAN]));
    third(SPRING, RadauIIA::<3>, bad());
    third(SPRING, LobattoPair::<2>, bad());
    third(SPRING, slow(), bad());
    third(TROUGH, RadauIIA::<3>, bad());
    third(ROD, RadauIIA::<3>, bad());
    let (x, mut v) = bead();
    v[0] = f32::NAN;
    third(BEAD, Bdf::<3>, (x, v));
    third(BEAD, RadauIIA::<2>, (x, v));
}
