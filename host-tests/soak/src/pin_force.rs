//! How good the slider-crank's pin force is at the rate of a board, against the same motion in small steps of double
//! precision: over one period from the plant's own state, for inputs anywhere in their ranges, and over seconds from rest,
//! where an iteration that stops too early shows as a wrong speed.

use crate::hour::plain;
use crate::truth::equations::Mechanism;
use crate::truth::precise::Precise;
use crate::truth::solve::solve;
use stiffstep::prelude::*;
use stiffstep_plants::rigs::{ITERATIONS, wired_slider_crank};
use stiffstep_plants::slider_crank::SliderCrank;

type Step<'a> = Mechanism<'a, Precise<SliderCrank>, 3, 2, 2, 3>;

/// Steps of the reference a period.
const PARTS: usize = 8;

/// Where the mechanism is, in double precision.
#[derive(Clone, Copy)]
struct Place {
    q: [f64; 3],
    v: [f64; 3],
    a: [f64; 3],
    lambda: [f64; 2],
}

impl Place {
    fn of(at: &Motion<f32, 3, 2>) -> Self {
        Place {
            q: plain(&at.q),
            v: plain(&at.v),
            a: plain(&at.a),
            lambda: plain(&at.lambda),
        }
    }

    fn pin_force(&self) -> f64 {
        self.lambda[0].hypot(self.lambda[1])
    }

    /// After a period of h by small steps.
    fn period(mut self, model: &SliderCrank, h: f32, u: &Vector<f32, 2>) -> Option<Self> {
        let model = Precise(*model);
        for _ in 0..PARTS {
            let equations = Step::new(
                &model,
                f64::from(h) / PARTS as f64,
                (self.q, self.v),
                plain(u).into(),
                ([0.0; 2], [0.0; 2]),
                ([50.0, 15.0, 2.5], [100.0; 2]),
                Some(&self.lambda),
            );
            let start = Step::everywhere(&self.a, &self.lambda);
            let (x, _) = solve(&equations, &start, false)?;
            (self.q, self.v) = equations.place(&x, 2);
            (self.a, self.lambda) = Step::unknowns(&x, 2);
        }
        Some(self)
    }
}

/// The largest error of the pin force over `seconds` with held inputs, relative to the largest force: from the plant's own
/// state in every period, or, with `drifts`, of a reference that goes its own way from rest.
fn held(h: f32, inputs: [f32; 2], seconds: f32, drifts: bool) -> Option<f64> {
    let mut plant = wired_slider_crank(h).ok()?.plant;
    plant.input = inputs.into();
    let mut place = Place::of(plant.state());
    let (mut most, mut error) = (1.0, 0.0);
    for _ in 0..(seconds / h) as usize {
        if !drifts {
            place = Place::of(plant.state());
        }
        plant.step_within(&mut Fixed(ITERATIONS)).ok()?;
        place = place.period(plant.model(), h, &plant.input)?;
        let now = Place::of(plant.state()).pin_force();
        error = f64::max(error, (now - place.pin_force()).abs());
        most = f64::max(most, place.pin_force());
    }
    Some(error / most)
}

/// The worst relative errors at a rate: of single periods anywhere in the inputs' ranges, and after `seconds` of a torque
/// alone. None if a step was refused.
pub fn worst(h: f32, seconds: f32) -> Option<[f64; 2]> {
    const PARTS: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
    let [torques, forces] = wired_slider_crank(h).ok()?.inputs;
    let mut worst = [0.0; 2];
    for torque in PARTS.map(|part| torques.at(part)) {
        for force in PARTS.map(|part| forces.at(part)) {
            let error = held(h, [torque, force], 0.2 * seconds, false)?;
            worst[0] = f64::max(worst[0], error);
        }
        let error = held(h, [torque, 0.0], seconds, true)?;
        worst[1] = f64::max(worst[1], error);
    }
    Some(worst)
}
