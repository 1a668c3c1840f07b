//! Expansions in `eps^2`: of smooth motions (Theorem 2.2), of Runge-Kutta solutions (Theorem 6.1), and the systems of higher index whose
//! solutions are their terms (Theorem 4.2).

use super::newton::at_1;
use crate::figures::Tolerance::{AtLeast, AtMost, Within};
use crate::figures::{Comparison, Figures, Grid};
use crate::laboratory;
use crate::laboratory::{Laboratory, Series};
use crate::pendulum::{RIGID_5, SOFT_5, SOFTER_5, State};
use crate::reference::Tableau;
use anyhow::{Context, Result};

/// Theorem 2.2: the smooth motion at t = 5 less the first terms of its expansion, largest of positions and velocities.
pub fn smooth_motion() -> Vec<Comparison> {
    let left = |eps: f64, exact: &State, count: usize| {
        let terms = terms_5();
        let cut = |x: Series<3>| -> f64 {
            let terms = x.0.iter().take(count).enumerate();
            terms.map(|(l, x)| x * eps.powi(2 * l as i32)).sum()
        };
        let all = [terms.y[0], terms.y[1], terms.v[0], terms.v[1]];
        let apart = all.iter().zip(exact);
        let apart = apart.map(|(&x, exact)| (cut(x) - exact).abs());
        apart.fold(0.0, f64::max)
    };
    let order = |count| (left(1e-2, &SOFT_5, count) / left(1e-3, &SOFTER_5, count)).log10() / 2.0;
    let (eps, at) = (1e-3, at_1(1e-3));
    let start = (at[0].hypot(at[1]) - 1.0) / (eps * eps * at[4]);
    let mut all = Vec::new();
    let what = "order in eps² of the smooth motion less the rigid one";
    all.theory(what, order(1), 1.0, Within(0.01));
    all.theory("less the term in eps², too", order(2), 2.0, Within(0.01));
    let what = "distance from the circle at t = 1 over eps² λ, eps = 1e-3";
    all.theory(what, start, 1.0, Within(1e-3));
    all
}

/// The terms of the smooth motion in `eps^0`, `eps^2` and `eps^4` at t = 5: position, then velocity. Those beyond the rigid
/// pendulum's own are extrapolated from motions with eps = 1e-2 .. 1e-5 that were computed with 22 digits.
pub(super) fn terms_5() -> laboratory::State<3> {
    let term = |n: usize, first: f64, second: f64| Series([RIGID_5[n], first, second]);
    laboratory::State {
        y: [
            term(0, -8.198_917_872_98, 70.5268),
            term(1, 4.716_207_607_03, 21.8784),
        ],
        v: [
            term(2, -13.597_940_898_2, 28.747),
            term(3, -5.861_226_745_4, 131.642),
        ],
        lambda: Series([f64::NAN; 3]),
    }
}

/// The Runge-Kutta solution of the systems (2.25.0) to (2.25.2) at time t, by Radau IIA from a level start.
pub(super) fn terms(stages: usize, t: f64, steps: usize) -> Result<laboratory::State<3>> {
    let lab = Laboratory::new(Tableau::radau_iia(stages), 0.0, t / steps as f64);
    let end = lab.run(&laboratory::State::level(), steps);
    end.context("the laboratory's iteration did not end")
}

/// Theorem 4.2: the systems of index 5 (k = 1) and 7 (k = 2) lose two orders each, to `q - 2 k`.
///
/// That is what velocities do; positions do one better. With five stages both do better at steps that leave some digits: index 7
/// has rounding over `h^5` in its velocities.
pub fn higher_index() -> Result<Grid> {
    let mut table = Grid::new("method, system", &["y^k", "y'^k"]);
    for (stages, k, steps) in [
        (2, 1, 200),
        (3, 1, 800),
        (4, 1, 100),
        (5, 1, 50),
        (4, 2, 100),
        (5, 2, 50),
    ] {
        let at = |steps| terms(stages, 5.0, steps).map(|end| end.distance(&terms_5(), k));
        let (coarse, fine) = (at(steps)?, at(2 * steps)?);
        let name = format!("Radau IIA {stages}, index {}", 2 * k + 3);
        table.fill(&*name, &format!("{name}, order of "), |n, what| {
            let order = (coarse[n] / fine[n]).log2();
            let theorem = stages as f64 - 2.0 * k as f64;
            let rule = match n {
                1 if stages < 5 => Within(0.2),
                _ => AtLeast(0.2),
            };
            Comparison::theory(what, order, theorem, rule)
        });
    }
    Ok(table)
}

/// Theorem 6.1, (6.2): what the first k terms of the expansion leave, k = [q / 2], is of the order `eps^2k`, and `h eps^2k` for odd q.
/// With `eps = h / 2` that is the order q in h; and over what the theorem says it is bounded, for smaller eps, too.
pub fn remainder() -> Result<Grid> {
    let left = |stages: usize, steps: usize, share: f64| -> Result<f64> {
        let h = 2.0 / steps as f64;
        let eps = share * h;
        let expanded = terms(stages, 2.0, steps)?;
        let lab = Laboratory::new(Tableau::radau_iia(stages), eps, h);
        let stiff = lab.run(&laboratory::State::<1>::level_with(eps, 0.0), steps);
        let stiff = stiff.context("a stiff step did not end")?;
        let cut = |x: Series<3>| -> f64 {
            let terms = x.0.iter().take(stages / 2 + 1).enumerate();
            terms.map(|(l, x)| x * eps.powi(2 * l as i32)).sum()
        };
        let apart = |n: usize| {
            (stiff.y[n].0[0] - cut(expanded.y[n])).abs()
                + (stiff.v[n].0[0] - cut(expanded.v[n])).abs()
        };
        Ok(apart(0).max(apart(1)))
    };
    let names = [
        "order of |r| + |r'|, eps = h / 2",
        "constant in half the step, eps = h / 2 .. h / 8",
    ];
    let mut table = Grid::new("method", &names);
    for (stages, steps) in [(2, 160), (3, 160), (4, 160), (5, 80)] {
        let order = (left(stages, steps, 0.5)? / left(stages, 2 * steps, 0.5)?).log2();
        // With five stages and eps = h / 8 rounding is all that is left.
        let shares = [0.5, 0.25, 0.125]
            .into_iter()
            .take(if stages < 5 { 3 } else { 2 });
        let constant = |steps: usize| -> Result<f64> {
            let h = 2.0 / steps as f64;
            let odd = if stages % 2 == 1 { h } else { 1.0 };
            shares.clone().try_fold(0.0_f64, |most, share| {
                let bound = odd * (share * h).powi(2 * (stages / 2) as i32);
                Ok(most.max(left(stages, steps, share)? / bound))
            })
        };
        let growth = constant(2 * steps)? / constant(steps)?;
        let name = format!("Radau IIA {stages}");
        table.fill(&*name, &format!("{name}, "), |k, what| match k {
            0 => Comparison::theory(what, order, stages as f64, Within(0.2)),
            _ => Comparison::theory(what, growth, 1.0, AtMost(0.2)),
        });
    }
    Ok(table)
}
