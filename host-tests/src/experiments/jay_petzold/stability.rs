//! Section 2: what a step does to an oscillation.

use super::{distance, methods, stiff_end};
use crate::figures::Tolerance::{AtLeast, AtMost, Factor, Within};
use crate::figures::{Comparison, Figures};
use crate::pendulum::{LESS_STIFF_5, STIFF_5};
use crate::stability::{Pair, StabilityFunction};
use anyhow::Result;
use stiffstep::prelude::*;

/// Theorem 2.3 and (14): symmetric methods keep every oscillation, infinitely fast ones with their sign or against it; Theorem 2.4 by
/// (15), Verlet's matrix.
pub fn stability() -> Vec<Comparison> {
    let mut all = Vec::new();
    for (name, method) in methods() {
        let function = StabilityFunction::new(method.clone());
        let steps = (0..=800).map(|k| 10_f64.powf(-2.0 + f64::from(k) / 100.0));
        let most = steps
            .map(|mu| (function.kept(mu) - 1.0).abs())
            .fold(0.0, f64::max);
        all.theory(format!("{name}, ||R(i μ)| - 1|"), most, 1e-11, AtMost(0.0));
        let stages = method.stages() + usize::from(!name.starts_with("Gauss"));
        let limit = if stages % 2 == 0 { 1.0 } else { -1.0 };
        let what = format!("{name}, R(∞)");
        all.printed(what, function.at_infinity(), limit, Within(1e-11));
    }
    let mu: f64 = 3.0;
    let matrix = Pair::of(LobattoPair::<2>).matrix(mu);
    let printed = [
        1.0 - mu * mu / 2.0,
        mu,
        -mu + mu.powi(3) / 4.0,
        1.0 - mu * mu / 2.0,
    ];
    for (k, printed) in printed.into_iter().enumerate() {
        let what = format!("(15), Verlet, entry {}{} at μ = 3", k / 2 + 1, k % 2 + 1);
        let ours = matrix[(k / 2, k % 2)];
        all.printed(what, ours, printed, Within(1e-13));
    }
    all
}

/// Theorem 2.3 for Lobatto IIIB alone, Theorem 2.6 for pairs of more stages, and what IIIB does on the stiff pendulum: it keeps every
/// oscillation of the test equation, and is no method for stiff springs, because with its last stage on no other's account the
/// spring's force there is whatever a step makes of it.
pub fn lobatto() -> Result<Vec<Comparison>> {
    let mut all = Vec::new();
    for (name, method) in methods()
        .into_iter()
        .filter(|(name, _)| name.starts_with("Lobatto"))
    {
        let stages = method.stages();
        let pair = Pair::symplectic(method.clone());
        let function = StabilityFunction::new(pair.momentum.clone());
        let steps = (0..=800).map(|k| 10_f64.powf(-2.0 + f64::from(k) / 100.0));
        let most = steps
            .map(|mu| (function.kept(mu) - 1.0).abs())
            .fold(0.0, f64::max);
        let what = format!("Lobatto IIIB {stages} alone, ||R(i μ)| - 1| up to μ = 1e6");
        all.theory(what, most, 1e-10, AtMost(0.0));
        let trace = |mu: f64| pair.matrix(mu).trace().abs();
        let what = format!("pair IIIA–IIIB {stages}: |tr M| grows like μ to the power of");
        let growth = (trace(2e3) / trace(1e3)).log2();
        all.theory(what, growth, 2.0, Within(1e-3));
        let intervals = pair.periodicity();
        let what = format!("pair IIIA–IIIB {stages}: the end of its last interval of periodicity");
        let end = intervals.last().map_or(f64::NAN, |last| last.to);
        all.ours(what, end, 20.0, AtMost(0.0));
        if name == "Lobatto IIIA 4" {
            let run = |eps, exact| -> Result<[f64; 2]> {
                Ok(distance(&stiff_end(&pair.momentum, eps, 0.0, 400)?, &exact))
            };
            let (softer, stiffer) = (run(1e-4, LESS_STIFF_5)?, run(1e-5, STIFF_5)?);
            let what = "Lobatto IIIB 4 on the stiff pendulum, h = 0.0125: error of v at eps = 1e-5 over that at 1e-4";
            all.ours(what, stiffer[1] / softer[1], 100.0, Factor(1.2));
            let alike = distance(&stiff_end(&method, 1e-5, 0.0, 400)?, &STIFF_5);
            let what = "the same, eps = 1e-5, over that of Lobatto IIIA 4";
            all.ours(what, stiffer[1] / alike[1], 1e6, AtLeast(0.0));
        }
    }
    Ok(all)
}
