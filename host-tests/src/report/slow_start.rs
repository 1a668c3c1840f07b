//! How two masses on stiff springs ring after a start that is 3 % off, and what each way onto the slow manifold leaves of it.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::slow_start::{Ringing, Way};
use anyhow::{Context, Result, ensure};
use stiffstep_plants::double_spring::{OFF, start};

/// What is tried, with its name.
const WAYS: [(&str, Way); 7] = [
    ("as given", Way::AsGiven),
    ("onto the constraints", Way::Constraints),
    ("iterated projection", Way::Iterated),
    ("1 step of Radau IIA 3", Way::Damped(1)),
    ("2 steps", Way::Damped(2)),
    ("5 steps", Way::Damped(5)),
    ("10 steps", Way::Damped(10)),
];

/// The springs carry a force of about 1. What swings by more than a few times that hides what does not.
const LOUD: f64 = 5.0;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    let omega = wish.omega.unwrap_or(1e4);
    ensure!(
        omega.is_finite() && omega >= 50.0,
        "--omega must be at least 50: below that nothing is slow"
    );
    let axes = |title: &str| Panel::new(title, Axis::linear("omega t"), Axis::linear("force"));
    let mut all = axes("the force in the first spring");
    let mut few = axes("after the better starts alone");
    let mut rows = Vec::new();
    for (k, (name, way)) in WAYS.into_iter().enumerate() {
        let there = way.from(omega, start(OFF));
        let there = there.with_context(|| format!("{name} did not get there"))?;
        let ringing = Ringing::of(omega, there).context("the springs could not be simulated")?;
        let kinetic = format!("{:.3}", there.1.norm_squared() / 2.0);
        rows.push(vec![
            name.to_owned(),
            format!("{:.1e}", ringing.energy),
            kinetic,
        ]);
        let points: Vec<(f64, f64)> = ringing.forces.iter().map(|(t, f)| (*t, f[0])).collect();
        if (2.0 * ringing.energy).sqrt() * omega < LOUD {
            few = few.coloured(k, name, Look::Line, points.clone());
        }
        all = all.coloured(k, name, Look::Line, points);
    }
    let table = Body::plain("start | ringing energy | kinetic energy", rows);
    let exhibits = [
        ("slow-start-table", table),
        ("slow-start-curves", vec![all, few].into()),
    ];
    let mut chapter = Chapter::of("slow-start", exhibits)?;
    chapter.exhibits[0].title =
        format!("Two unit masses on springs of {omega} rad/s, both 3 % too long");
    Ok(chapter)
}
