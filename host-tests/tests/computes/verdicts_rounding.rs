//! Rounding is neither divergence nor convergence: small pivots, coordinates of other sizes, springs that see the last digit.

use super::plants::Line;
use super::verdicts::signed;
use stiffstep::hil::{Allowance, PlantRig, Range, Rig};
use stiffstep::model::{Motion, Parameter, Plant, Quantity};
use stiffstep::prelude::*;
use stiffstep::step::{Budget, Outcome};
use stiffstep_host_tests::until;
use stiffstep_plants::andrews::{self, Andrews};

/// Forces that make the first pivot of the Newton matrix vanish, though it is regular.
fn gyroscopic<R: Real>(driven: R, coupled: R) -> Line<R, Rigid, 2, 0, 0> {
    Line {
        damper: [[-driven, -coupled], [coupled, R::ZERO]],
        ..Line::of(Rigid)
    }
}

/// A small first pivot is no singular matrix: without an exchange of rows a linear plant was refused, or wrong.
#[test]
fn a_small_pivot_is_no_end() -> Result<(), Error> {
    let (mu, h) = (1.0 / 3.637_834_252_744_496, f64::from(1e-2_f32));
    for coupled in [50.0, 300.0, 3000.0] {
        for pivot in [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let driven = f64::from(((1.0 - pivot) / (h * mu)) as f32);
            let start = ([0.0; 2].into(), [1.0; 2].into());
            let model = gyroscopic(driven as f32, coupled as f32);
            let mut single = Simulation::new(model, RadauIIA::<3>, h as f32, start)?;
            let start = ([0.0; 2].into(), [1.0; 2].into());
            let mut double = Simulation::new(gyroscopic(driven, coupled), RadauIIA::<3>, h, start)?
                .with_budget(until(1e-13, 60));
            let report = single.step()?;
            double.step()?;
            let off = (single.state().v.map(f64::from) - double.state().v).amax();
            let scale = double.state().v.amax();
            assert!(report.defect() < 1e-3 * scale as f32, "{report:?}");
            let what = format!("{coupled} {pivot:e}: {off:e} of {scale}");
            assert!(off < 2e-5 * scale, "{what}");
        }
    }
    Ok(())
}

/// A mass on a rod whose stretch is a coordinate of its own, a millionth of the others.
#[derive(Clone, Copy)]
struct Stretching;

mechanical! {
    impl [] Mechanical<f64, 3, 1, 0> for Stretching;
    joints(self) -> Rigid { Rigid }
    mass(self, _q) -> Diagonal<T, 3> { Diagonal([1.0, 1.0, 0.01].map(T::constant).into()) }
    force(self, _t, q, v, _u) {
        let spring = q[2] * -1e7 - v[2] * 1e3;
        [T::constant(0.0), T::constant(-9.81), spring]
    }
    constraint(self, _t, q) {
        let length = q[2] + 1.0;
        [(q[0] * q[0] + q[1] * q[1] - length * length) * 0.5]
    }
    fn nominal(&self) -> Nominal<f64, 3> {
        Nominal { q: [1.0, 1.0, 1e-6], v: [1.0, 1.0, 1e-6] }
    }
}

/// A joint carries the rounding of large coordinates to small ones. A floor for each coordinate by itself does not see that: the
/// rod was refused as Diverged after 1 to 463 steps.
#[test]
fn rounding_that_a_joint_carries_is_no_divergence() -> Result<(), Error> {
    for h in [1e-4, 1e-5, 1e-6, 1e-7] {
        let start = ([1.0, 0.0, 0.0].into(), [0.0; 3].into());
        let mut rod = Simulation::new(Stretching, RadauIIA::<3>, h, start)?.with_budget(Fixed(3));
        for step in 0..2_000 {
            let report = rod.step()?;
            assert_eq!(report.outcome, Outcome::Converged, "step {step} of {h:e} s");
        }
    }
    Ok(())
}

/// Andrews' mechanism, whose angles count as one radian each, whatever the turns of its crank.
#[derive(Clone, Copy)]
struct Turning(Andrews<f64>);

mechanical! {
    impl [] Mechanical<f64, 7, 6, 0> for Turning;
    joints(self) -> Rigid { Rigid }
    mass(self, q) -> <Andrews<f64> as Mechanical<f64, 7, 6, 0>>::Mass<T> { self.0.mass(q) }
    force(self, t, q, v, u) { self.0.force(t, q, v, u) }
    constraint(self, t, q) { self.0.constraint(t, q) }
    fn nominal(&self) -> Nominal<f64, 7> {
        Nominal { q: [1.0; 7], v: [1e3; 7] }
    }
}

/// Andrews' mechanism at the smallest of published steps, where two iterations flagged 1,030 of 3,000 steps and three 2,917, though right to
/// eleven digits. It is 3 and 190.
#[test]
fn small_steps_of_a_mechanism_are_not_flagged() -> Result<(), Error> {
    for iterations in [2, 3] {
        let start = (andrews::START.into(), [0.0; 7].into());
        let mut andrews = Simulation::new(Turning(Andrews::default()), RadauIIA::<3>, 3e-7, start)?
            .with_budget(Fixed(iterations));
        let (steps, mut flagged) = (3_000, 0);
        for _ in 0..steps {
            flagged += u32::from(andrews.step()?.outcome == Outcome::Unconverged);
        }
        println!("{iterations} iterations: {flagged} of {steps} flagged");
        assert!(10 * flagged <= steps, "{flagged} of {steps}");
    }
    Ok(())
}

/// Two masses on a spring that is written as a force, at angles that are far from zero.
#[derive(Clone, Copy)]
pub struct Sprung<R> {
    stiffness: R,
    masses: [R; 2],
    damping: R,
}

impl<R: Real> Sprung<R> {
    pub fn new(stiffness: f64, masses: [f64; 2], damping: f64) -> Self {
        // Numbers of single precision, the same plant in both.
        let number = |x: f64| R::from_f64(f64::from(x as f32));
        Sprung {
            stiffness: number(stiffness),
            masses: masses.map(number),
            damping: number(damping),
        }
    }
}

mechanical! {
    impl [R: Real] Mechanical<R, 2, 0, 1> for Sprung<R>;
    joints(self) -> Rigid { Rigid }
    mass(self, _q) -> Diagonal<T, 2> { Diagonal(self.masses.map(T::constant).into()) }
    force(self, _t, q, v, u) {
        let spring = (q[0] - q[1]) * self.stiffness;
        [-spring + u[0], spring - v[1] * self.damping]
    }
    constraint(self, _t, _q) { [] }
}

/// The last digit of an angle, through a stiff spring, is a force that no iteration gets below. A second increment that happens to be
/// small says nothing then: of 1,198 steps of the first plant that said Converged 422 were off by more than three times their
/// claim, up to 122 times.
/// Nor is it with a budget that iterates until it says so: of 1,663 such steps 163 were, up to 70 times.
#[test]
fn rounding_through_a_stiff_spring_is_no_convergence() -> Result<(), Error> {
    let until = Until {
        tolerance: 2e-5_f32,
        max: 10,
    };
    rounded_off("two iterations", Fixed(2))?;
    rounded_off("until 2e-5", until)
}

fn rounded_off(what: &str, budget: impl Budget<f32> + Copy) -> Result<(), Error> {
    let mut chance = 88_172_645_463_325_252_u64;
    for (stiffness, masses, damping, h) in [
        (2.26e6, [0.07, 0.0014], 48.0, 2.9e-4_f32),
        (4.5e5, [2.7e-3, 1.5e-3], 0.36, 4.9e-4),
        (1.27e8, [0.074, 0.028], 0.05, 1.76e-4),
        (1e6, [1.0, 0.01], 0.1, 1e-3),
    ] {
        let (mut steps, mut converged, mut wrong, mut worst) = (0, 0, 0, 0.0_f64);
        for _ in 0..1_500 {
            let model = Sprung::<f32>::new(stiffness, masses, damping);
            let (angle, speed) = (3.0 * signed(&mut chance), signed(&mut chance));
            let start = ([angle as f32; 2].into(), [speed as f32; 2].into());
            let mut plant = Simulation::new(model, RadauIIA::<3>, h, start)?.with_budget(budget);
            for _ in 0..12 {
                let at = *plant.state();
                let start = (at.q.map(f64::from), at.v.map(f64::from));
                let model = Sprung::<f64>::new(stiffness, masses, damping);
                let mut judge = Simulation::new(model, RadauIIA::<3>, f64::from(h), start)?
                    .with_budget(until(1e-12, 60));
                let push = 0.1 * masses[0] / f64::from(h) * signed(&mut chance);
                plant.input = [push as f32].into();
                judge.input = plant.input.map(f64::from);
                let Ok(report) = plant.step() else { break };
                steps += 1;
                judge.step()?;
                if report.outcome == Outcome::Converged {
                    let off = (plant.state().v.map(f64::from) - judge.state().v).amax();
                    let ratio = off / f64::from(report.defect()).max(2e-5);
                    converged += 1;
                    wrong += u32::from(ratio > 3.0);
                    worst = worst.max(ratio);
                }
            }
        }
        println!(
            "K {stiffness:e}, {what}: {converged} converged, {wrong} wrong, at most {worst:.1} times"
        );
        assert!(
            worst < 20.0 && 1_000 * wrong <= steps,
            "K {stiffness:e}, {what}"
        );
    }
    Ok(())
}

impl Plant<f32, 1, 1> for Sprung<f32> {
    type State = Motion<f32, 2, 0>;
    const NAME: &'static str = "sprung";
    const INPUTS: [Quantity; 1] = [Quantity::new("push", "N m")];
    const OUTPUTS: [Quantity; 1] = [Quantity::new("angle", "rad")];
    const PARAMETERS: &'static [Parameter<Self>] = &[];

    fn outputs(&self, _t: f32, at: &Self::State, _u: &Vector<f32, 1>) -> Vector<f32, 1> {
        [at.q[1]].into()
    }
}

/// What a simulation says of its steps a rig says, too: it counts iterations, and looks at nothing else. Of 2,400 answers 2,146 were
/// others, because rounding was not held against a budget that may look at claims.
#[test]
fn a_rig_says_what_its_simulation_says() -> Result<(), Error> {
    let model = Sprung::<f32>::new(2.26e6, [0.07, 0.0014], 48.0);
    let (mut chance, mut unconverged, mut differ) = (88_172_645_463_325_252_u64, 0, 0);
    for _ in 0..200 {
        let (angle, speed) = (3.0 * signed(&mut chance), signed(&mut chance));
        let start = ([angle as f32; 2].into(), [speed as f32; 2].into());
        let mut plant = Simulation::new(model, RadauIIA::<3>, 2.9e-4, start)?;
        let swing = Range::new(-30.0, 30.0);
        let mut rig = PlantRig::new(plant.clone(), [swing], [swing])?;
        for _ in 0..12 {
            plant.input = [24.0 * signed(&mut chance) as f32].into();
            let mut never = || false;
            let said = rig.step(plant.input.as_slice(), &mut Allowance::new(2, &mut never));
            let expected = plant.step();
            unconverged += u32::from(expected.is_ok_and(|it| it.outcome == Outcome::Unconverged));
            differ += u32::from(said != expected);
        }
    }
    assert!(unconverged > 100, "{unconverged}");
    assert_eq!(differ, 0, "of {unconverged}");
    Ok(())
}
