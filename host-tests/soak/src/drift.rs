//! A rigid pendulum that swings for more than a day: the constraints and the energy at the end.

use crate::{Draw, Tally};
use stiffstep::prelude::*;
use stiffstep_plants::pendulum::RigidPendulum;

/// What the constraints may be off by, in units in the last place of their scale, which is one.
const ULPS: f64 = 50.0;
/// What the energy may be off by.
const ENERGY: f64 = 1e-4;

/// So many steps of 0.01 s from rest: level, or from any angle up to 80 degrees above or below.
pub fn drift(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let angle = if draw.one_in(2) {
        0.0
    } else {
        (2.0 * draw.part() - 1.0) as f32 * 1.4
    };
    let (sin, cos) = angle.sin_cos();
    let start = ([cos, sin].into(), [0.0; 2].into());
    let plant = Simulation::new(RigidPendulum, Lean(RadauIIA::<3>), 0.01_f32, start);
    let mut plant = plant.map_err(|error| error.to_string())?;
    while tally.cases < cases {
        let report = plant.step().map_err(|error| error.to_string())?;
        if report.outcome == Outcome::Unconverged {
            tally.note("unconverged");
        }
        tally.cases += 1;
    }
    let (q, v) = (
        plant.state().q.map(f64::from),
        plant.state().v.map(f64::from),
    );
    let ulp = f64::from(f32::EPSILON);
    let position = (q.dot(&q) - 1.0).abs() / 2.0 / ulp;
    let velocity = q.dot(&v).abs() / ulp;
    let energy = (v.dot(&v) / 2.0 + q[1] - f64::from(sin)).abs();
    tally.measure("ulp of |g|", position);
    tally.measure("ulp of |G v|", velocity);
    tally.measure("of energy", energy);
    if position > ULPS || velocity > ULPS || energy > ENERGY {
        return Err(format!(
            "from {angle} rad: |g| {position:.1} ulp, |G v| {velocity:.1} ulp, energy {energy:.1e}"
        ));
    }
    Ok(())
}
