//! Models that lie once: the step fails and nothing has happened, or its result is finite.

use crate::faulty::{Faulty, Lie};
use crate::numbers::{Picture, Shown};
use crate::{Draw, Tally, steps};
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_plants::arm::Arm;
use stiffstep_plants::exponentials::Exponentials;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::second_order::Bob;
use stiffstep_plants::slider_crank::SliderCrank;
use stiffstep_plants::valley::Valley;

/// A plant that was never lied to steps beside one that is.
fn beside<R, M, Kind, K>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    (model, method, h, start): steps::Recipe<f64, M, K, K::Start>,
) -> Result<(), String>
where
    R: Real,
    M: Clone,
    K: Method<Faulty<M>, Kind, Real = R> + Copy,
    K::Start: Copy,
    K::Stepper: Stepper<Real = R, Model = Faulty<M>>,
    <K::Stepper as Stepper>::State: Shown,
{
    let plant = || Simulation::new(Faulty::new(model.clone()), method, R::from_f64(h), start);
    let fresh = || plant().map_err(|error| format!("the start fails: {error}"));
    while tally.cases < cases {
        let (mut lied, mut honest) = (fresh()?, fresh()?);
        let warm = 1 + draw.below(4);
        for _ in 0..warm {
            lied.model().lie(Lie::None, 0, 0);
            let steps = [lied.step().is_ok(), honest.step().is_ok()];
            if steps != [true; 2] {
                return Err("an honest step fails".to_owned());
            }
        }
        let evaluations = lied.model().lie(Lie::None, 0, 0);
        for _ in 0..20 {
            let before = Picture::of(lied.state(), lied.time());
            let moment = draw.below(evaluations as usize + 1) as u32;
            lied.model().lie(Lie::draw(draw), moment, draw.below(8));
            let result = lied.step();
            lied.model().lie(Lie::None, 0, 0);
            tally.cases += 1;
            let after = Picture::of(lied.state(), lied.time());
            steps::judge(&result, &before, &after, tally)?;
            if result.is_ok() {
                // Where it is now the honest one has never been.
                break;
            }
            // Nothing has happened: the next step is the honest one's.
            let ends = [lied.step().is_ok(), honest.step().is_ok()];
            let picture = Picture::of(honest.state(), honest.time());
            if Picture::of(lied.state(), lied.time()) != picture || ends != [true; 2] {
                return Err(format!(
                    "the step after {result:?} is not what it was to be"
                ));
            }
        }
        let ended = lied.step();
        let after = Picture::of(lied.state(), lied.time());
        if ended.is_ok() && !after.finite() {
            return Err("the step after a lie is Ok, but not finite".to_owned());
        }
    }
    Ok(())
}

/// A lie in one of the plants, one for each kind of stepper.
pub fn models(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let level = || ([1.0_f32, 0.0].into(), [0.0_f32; 2].into());
    let level_64 = || ([1.0_f64, 0.0].into(), [0.0_f64; 2].into());
    let still = ([0.0_f32; 4].into(), [0.0_f32; 4].into());
    let crank = ([1.0_f32, 0.28, 0.17].into(), [0.0_f32; 3].into());
    let meter = Galvanometer::<f32>::nominal_design();
    let (row, result) = match draw.below(10) {
        0 => (
            "galvanometer, Radau 3",
            beside(
                draw,
                cases,
                tally,
                (meter, RadauIIA::<3>, 0.01, [0.0_f32; 3].into()),
            ),
        ),
        1 => (
            "rigid pendulum, Radau 3, f32",
            beside::<f32, _, _, _>(
                draw,
                cases,
                tally,
                (RigidPendulum, Lean(RadauIIA::<3>), 0.01, level()),
            ),
        ),
        2 => (
            "rigid pendulum, projected Radau 2, f64",
            beside::<f64, _, _, _>(
                draw,
                cases,
                tally,
                (
                    RigidPendulum,
                    Projected(Lean(RadauIIA::<2>)),
                    0.01,
                    level_64(),
                ),
            ),
        ),
        3 => (
            "spring pendulum, Gauss 4",
            beside(
                draw,
                cases,
                tally,
                (
                    StiffPendulum::<f32>::new(1e-3),
                    Lean(Gauss::<4>),
                    0.01,
                    level(),
                ),
            ),
        ),
        4 => (
            "arm, Radau 3, full",
            beside(
                draw,
                cases,
                tally,
                (Arm::<f32>::new(1e5), RadauIIA::<3>, 1e-3, still),
            ),
        ),
        5 => (
            "slider-crank, Radau 3",
            beside(
                draw,
                cases,
                tally,
                (SliderCrank::COMPRESSOR, Lean(RadauIIA::<3>), 1e-3, crank),
            ),
        ),
        6 => (
            "rigid pendulum, RATTLE",
            beside::<f32, _, _, _>(
                draw,
                cases,
                tally,
                (RigidPendulum, LobattoPair::<2>, 0.01, level()),
            ),
        ),
        7 => (
            "Hessenberg, Radau 3",
            beside::<f32, _, _, _>(
                draw,
                cases,
                tally,
                (
                    Exponentials,
                    RadauIIA::<3>,
                    0.01,
                    ([1.0, 1.0].into(), [1.0, 1.0].into()),
                ),
            ),
        ),
        8 => (
            "potential, Radau 3",
            beside(
                draw,
                cases,
                tally,
                (Valley::<f32, 1>::new(1e-3), RadauIIA::<3>, 0.01, level()),
            ),
        ),
        _ => (
            "second order, BDF 3",
            beside::<f32, _, _, _>(draw, cases, tally, (Bob, Bdf::<3>, 0.01, Bob::level())),
        ),
    };
    result.map_err(|error| format!("{row}: {error}"))
}
