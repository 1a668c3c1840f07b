//! `cargo xtask precision`: how many digits a tolerance buys on published problems, and for how much work.

use crate::plot::{Area, Axes, Drawn, key, plot, power_of_ten};
use crate::stage::Stages;
use crate::table::table_of;
use anyhow::Result;
use comfy_table::{Table, presets};
use plotters::prelude::*;
use stiffstep_host_tests::test_set::{Outcome, PROBLEMS, Problem};

/// The tolerances, as exponents of a tenth.
const TOLERANCES: std::ops::RangeInclusive<i32> = 4..=12;

/// The digits that the curves show at most.
const MOST_DIGITS: f64 = 14.0;

/// A run to one tolerance.
struct Run {
    exponent: i32,
    five: bool,
    /// Digits of the states, or of q, v and lambda, and what they cost.
    outcome: Outcome,
}

/// A problem with its runs.
type Runs = (&'static Problem, Vec<Run>);

/// Prints the tables and draws the curves.
pub fn precision() -> Result<()> {
    let mut all: Vec<Runs> = Vec::new();
    Stages::new(1).run("published problems", |bar| {
        for (n, problem) in PROBLEMS.iter().enumerate() {
            bar.fraction(n as f64 / PROBLEMS.len() as f64);
            all.push((problem, runs(problem)));
        }
        Ok(String::new())
    })?;
    for (problem, runs) in &all {
        println!("\n{}, {}\n{}", problem.name, problem.kind, table(runs));
    }
    println!(
        "digits: -log10 of the largest relative error at the end, of the states or of q, v and lambda.\n\
         Mechanisms are projected onto their constraints after every step.\n\
         evaluations: of the right-hand side, or of forces and constraints. factorisations: of all modes together."
    );
    let path = plot("precision.svg", (1320, 680), |root| draw(root, &all))?;
    println!("digits over evaluations: {}", path.display());
    Ok(())
}

fn runs(problem: &Problem) -> Vec<Run> {
    let methods = [false, true].into_iter();
    let runs = methods.flat_map(|five| TOLERANCES.map(move |exponent| (five, exponent)));
    runs.map(|(five, exponent)| Run {
        exponent,
        five,
        outcome: problem.run(10_f64.powi(-exponent), five),
    })
    .collect()
}

fn table(runs: &[Run]) -> Table {
    let header = [
        "method",
        "tolerance",
        "digits",
        "steps",
        "rejected",
        "evaluations",
        "Jacobians",
        "factorisations",
    ];
    let row = |run: &Run| {
        let mut row = vec![method(run.five).to_owned(), format!("1e-{}", run.exponent)];
        match &run.outcome {
            Ok((digits, done)) => {
                let digits: Vec<String> = digits.iter().map(|d| format!("{d:.1}")).collect();
                row.push(digits.join(" / "));
                let counts = [
                    done.steps,
                    done.rejected,
                    done.evaluations,
                    done.jacobians,
                    done.factorisations,
                ];
                row.extend(counts.map(|count| count.to_string()));
            }
            Err(error) => row.push(error.to_string()),
        }
        row
    };
    let mut table = table_of(&header, 1, runs.iter().map(row).collect());
    // A line under every row would make seven tables twice as long.
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table
}

fn method(five: bool) -> &'static str {
    if five { "Radau IIA 5" } else { "Radau IIA 3" }
}

fn colour(five: bool) -> RGBColor {
    if five {
        RGBColor(200, 80, 0)
    } else {
        RGBColor(0, 90, 170)
    }
}

/// Exponents of the evaluations, and digits of the states or coordinates.
fn points(runs: &[Run], five: bool) -> Vec<(f64, f64)> {
    let runs = runs.iter().filter(|run| run.five == five);
    let done = runs.filter_map(|run| run.outcome.as_ref().ok());
    done.filter_map(|(digits, done)| {
        let digits = digits.first()?.clamp(0.0, MOST_DIGITS);
        Some((f64::from(done.evaluations).log10(), digits))
    })
    .collect()
}

fn draw(root: &Area, all: &[Runs]) -> Drawn {
    let exponents = || {
        let both = [false, true].into_iter();
        both.flat_map(|five| all.iter().flat_map(move |(_, runs)| points(runs, five)))
            .map(|(exponent, _)| exponent)
    };
    let from = exponents().fold(f64::INFINITY, f64::min).floor();
    let to = exponents().fold(f64::NEG_INFINITY, f64::max).ceil();
    let columns = all.len().div_ceil(2);
    for (k, area) in root.split_evenly((2, columns)).iter().enumerate() {
        let Some((problem, runs)) = all.get(k) else {
            continue;
        };
        let mut axes: Axes = ChartBuilder::on(area)
            .caption(problem.name, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(40)
            .build_cartesian_2d(from..to, 0.0..MOST_DIGITS)?;
        axes.configure_mesh()
            .x_desc("evaluations")
            .y_desc("digits")
            .x_labels((to - from) as usize + 1)
            .x_label_formatter(&power_of_ten)
            .y_labels(8)
            .y_label_formatter(&|y| format!("{y:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        for five in [false, true] {
            let (points, style) = (points(runs, five), colour(five).stroke_width(2));
            axes.draw_series(LineSeries::new(points.clone(), style))?
                .label(method(five))
                .legend(move |at| key(at, style));
            axes.draw_series(
                points
                    .iter()
                    .map(|&at| Circle::new(at, 3, colour(five).filled())),
            )?;
        }
        axes.configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
    }
    Ok(())
}
