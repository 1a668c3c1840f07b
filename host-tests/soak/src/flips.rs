//! Flipped bits in everything that a plant keeps between steps: state, compensation, stages, factors, norms, parameters, step.

use crate::numbers::{Numbers, Picture, Shown};
use crate::{Draw, Tally};
use stiffstep::memory::{Digest, Load, Memory, Save, Words};
use stiffstep::prelude::*;
use stiffstep_plants::arm::Arm;
use stiffstep_plants::dc_motor::DcMotor;
use stiffstep_plants::driven_pendulum::DrivenPendulum;
use stiffstep_plants::half_bridge::HalfBridge;
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::slider_crank::SliderCrank;

/// Steps after a flip in which it may be noticed.
const AFTERWARDS: usize = 4;

/// Flips one bit of one word.
struct Flip {
    word: usize,
    bit: u32,
}

impl Words for Flip {
    fn word(&mut self, word: u32) -> u32 {
        let flipped = if self.word == 0 { 1 << self.bit } else { 0 };
        self.word = self.word.wrapping_sub(1);
        word ^ flipped
    }
}

/// What the steps after a flip come to: whether one failed, whether one did not converge, and where it ended.
fn go_on<P: Stepper<Real = f32>>(plant: &mut Simulation<P>) -> Result<(bool, bool, Picture), String>
where
    P::State: Shown,
{
    let (mut failed, mut unconverged) = (false, false);
    for _ in 0..AFTERWARDS {
        match plant.step() {
            Ok(report) => {
                unconverged |= report.outcome == Outcome::Unconverged;
                if !Picture::of(plant.state(), plant.time()).finite() {
                    return Err("a step after a flip is Ok, but not finite".to_owned());
                }
            }
            Err(_) => failed = true,
        }
    }
    let end = Picture::of(plant.state(), plant.time());
    Ok((failed, unconverged, end))
}

/// Flips bits of one plant.
fn flip<P>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    plant: Result<Simulation<P>, Error>,
    swing: [f32; 2],
) -> Result<(), String>
where
    P: Stepper<Real = f32> + Memory,
    P::Input: Memory + Numbers<f32>,
    P::State: Shown,
{
    let mut plant = plant.map_err(|error| format!("the start fails: {error}"))?;
    let words = Digest::of(&mut plant).count;
    let mut memory = vec![0; words];
    while tally.cases < cases {
        plant
            .input
            .each(&mut |u| *u = swing[0] + (swing[1] - swing[0]) * draw.part() as f32);
        for _ in 0..1 + draw.below(20) {
            plant
                .step()
                .map_err(|error| format!("an honest step fails: {error}"))?;
        }
        plant.visit(&mut Save::new(&mut memory));
        let clean = Digest::of(&mut plant);
        let (_, _, expected) = go_on(&mut plant)?;
        for _ in 0..20 {
            plant.visit(&mut Load::new(&memory));
            let (word, bit) = (draw.below(words), draw.bits() % 32);
            plant.visit(&mut Flip { word, bit });
            let mut flipped = vec![0; words];
            plant.visit(&mut Save::new(&mut flipped));
            if flipped == memory {
                // A flag is one bit: the others are not there.
                continue;
            }
            tally.cases += 1;
            if Digest::of(&mut plant) == clean {
                return Err(format!("the digest does not see bit {bit} of word {word}"));
            }
            let (failed, unconverged, end) = go_on(&mut plant)
                .map_err(|error| format!("{error}: bit {bit} of word {word} of {words}"))?;
            tally.note(match (failed, unconverged) {
                (true, _) => "failed",
                (false, true) => "unconverged",
                (false, false) if end == expected => "without effect",
                (false, false) => "finite, not flagged",
            });
        }
        plant.visit(&mut Load::new(&memory));
    }
    Ok(())
}

/// Flips bits of one of the plants that boards run.
pub fn flips(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let hanging = ([-1.57, 0.0, -1.57, 0.0].into(), [0.0; 4].into());
    let turned = ([1.0, 0.28, 0.17].into(), [0.0; 3].into());
    let below = ([0.0, -1.0].into(), [0.0; 2].into());
    let (h, three) = (1e-3, Lean(RadauIIA::<3>));
    macro_rules! flip {
        ($model:expr, $method:expr, $start:expr, $swing:expr) => {
            flip(
                draw,
                cases,
                tally,
                Simulation::new($model, $method, h, $start),
                $swing,
            )
        };
    }
    match draw.below(6) {
        0 => flip!(Rlc::mild(), RadauIIA::<3>, [0.0; 2].into(), [-5.0, 5.0]),
        1 => flip!(
            HalfBridge::SMALL,
            RadauIIA::<3>,
            [0.0; 2].into(),
            [0.0, 1.0]
        ),
        2 => flip!(DcMotor::SERVO, RadauIIA::<2>, [0.0; 4].into(), [-2.0, 2.0]),
        3 => flip!(Arm::<f32>::new(1e5), three, hanging, [-2.0, 2.0]),
        4 => flip!(SliderCrank::COMPRESSOR, three, turned, [-1.0, 1.0]),
        _ => flip!(DrivenPendulum::STIFF, three, below, [-5.0, 5.0]),
    }
}
