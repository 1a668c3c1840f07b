//! How many digits a tolerance buys on published problems, and for how much work.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::test_set::{PROBLEMS, Problem};
use anyhow::Result;

/// The tolerances, as exponents of a tenth.
const TOLERANCES: std::ops::RangeInclusive<i32> = 4..=12;

const HEADER: &str = "problem | method | tolerance | digits | steps | rejected | evaluations | Jacobians | factorisations";

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    let (mut rows, mut panels) = (Vec::new(), Vec::new());
    for problem in &PROBLEMS {
        wish.say(&format!("tolerances: {}", problem.name));
        let axes = Panel::new(
            format!("{}, {}", problem.name, problem.kind),
            Axis::logarithmic("evaluations"),
            Axis::linear("digits").within(0.0, 14.0),
        );
        panels.push([false, true].into_iter().fold(axes, |panel, five| {
            let points = TOLERANCES.filter_map(|exponent| run(problem, five, exponent, &mut rows));
            let points: Vec<(f64, f64)> = points.collect();
            panel.with(method(five), Look::Both, points)
        }));
    }
    let table = Body::plain(HEADER, rows);
    Chapter::of(
        "tolerances",
        [
            ("tolerances-table", table),
            ("tolerances-curves", panels.into()),
        ],
    )
}

fn method(five: bool) -> &'static str {
    if five { "Radau IIA 5" } else { "Radau IIA 3" }
}

/// A row of the table; and evaluations, and digits of the states or coordinates, if it got to the end.
fn run(
    problem: &Problem,
    five: bool,
    exponent: i32,
    rows: &mut Vec<Vec<String>>,
) -> Option<(f64, f64)> {
    let words = [problem.name, method(five)].map(str::to_owned);
    let mut row = [&words[..], &[format!("1e-{exponent}")]].concat();
    let outcome = problem.run(10_f64.powi(-exponent), five);
    let point = match &outcome {
        Ok((digits, done)) => {
            let each: Vec<String> = digits.iter().map(|d| format!("{d:.1}")).collect();
            row.push(each.join(" / "));
            let counts = [done.steps, done.rejected, done.evaluations, done.jacobians];
            row.extend(counts.map(|count| count.to_string()));
            row.push(done.factorisations.to_string());
            digits
                .first()
                .map(|&digits| (done.evaluations.into(), digits))
        }
        Err(error) => {
            row.push(error.to_string());
            None
        }
    };
    rows.push(row);
    point
}
