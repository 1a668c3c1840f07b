//! `cargo xtask plan`: the fixed step and the budget that keep a wanted accuracy, and what they cost on a board.

use crate::stage::Stages;
use crate::table::{number, table_of};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use stiffstep_host_tests::emulator::bench::counted;
use stiffstep_host_tests::emulator::board;
use stiffstep_host_tests::emulator::firmware::target_folder;
use stiffstep_host_tests::emulator::record::{Instructions, Run};
use stiffstep_host_tests::plan::{Course, Found, Judged, Tried, planned};
use stiffstep_host_tests::report::chart::{Axis, Look, Panel};
use stiffstep_host_tests::report::drawing::sheet;

/// What to plan for.
#[derive(clap::Args)]
pub struct Wish {
    /// The plant on its course: spring-pendulum, rigid-pendulum, arm, drive, rlc
    #[arg(long)]
    plant: String,
    /// The largest error at any time, relative to the plant's nominal magnitudes
    #[arg(long, default_value_t = 1e-4)]
    accuracy: f64,
    /// How long the course is, in seconds, rounded up to whole periods [default: the plant's own]
    #[arg(long)]
    seconds: Option<f64>,
    /// The board: m0, m3, m4f, m7, m33
    #[arg(long, default_value = "m4f")]
    board: String,
    /// Velocities must be as accurate as positions
    #[arg(long)]
    velocities: bool,
}

/// A method and a budget: what was found, and what its steps cost.
struct Costed {
    found: Found,
    instructions: Instructions,
}

impl Costed {
    /// Instructions a simulated second in steps of `h`.
    fn a_second(&self, h: f64) -> f64 {
        self.instructions.typical() / h
    }

    /// Its budget, in words.
    fn iterations(&self) -> String {
        match self.found.choice.iterations {
            1 => "1 iteration".to_owned(),
            several => format!("{several} iterations"),
        }
    }

    /// The largest step that keeps the accuracy, with its cost.
    fn cost(&self) -> Option<(Tried, f64)> {
        let largest = self.found.largest?;
        Some((largest, self.a_second(largest.h)))
    }
}

/// Prints the table and draws the curves.
pub fn plan(wish: &Wish) -> Result<()> {
    let (plant, board) = (planned(&wish.plant)?, board(&wish.board)?);
    let accuracy = wish.accuracy;
    let sound = accuracy.is_finite() && accuracy > 0.0;
    ensure!(sound, "--accuracy must be greater than zero");
    let seconds = wish.seconds.unwrap_or(plant.seconds);
    let (judged, what) = match wish.velocities {
        true => (Judged::Velocities, "positions and velocities"),
        false => (Judged::Positions, "positions or states"),
    };
    let mut stages = Stages::new(4);
    let course = stages.make("reference", |_| Course::new(plant, seconds))?;
    let found = stages.make("steps of every size", |bar| {
        course.plan(accuracy, judged, &mut |done| bar.fraction(done))
    })?;
    stages.tools(&[board])?;
    let title = format!("their cost on {}", board.core);
    let runs = stages.make(&title, |_| counted(board, plant.group))?;
    let all = found.into_iter().map(|found| costed(found, &runs));
    let all = all.collect::<Result<Vec<Costed>>>()?;
    let best = best(&all);
    println!(
        "\n{}: {}\nerrors of at most {accuracy:e} of the nominal {what} over {} s, f32, on {}\n{}",
        plant.name,
        plant.what,
        number(course.seconds()),
        board.core,
        table(&all, best)
    );
    println!("{}", summary(&all, best));
    let file = format!("plan-{}.svg", plant.name);
    let path = target_folder().join(file);
    fs::write(&path, sheet(&panels(&all, accuracy, best), 2)?)
        .with_context(|| format!("{} could not be written", path.display()))?;
    println!("error and cost over the step: {}", path.display());
    if best.is_none() {
        let attainable = all.iter().map(|each| each.found.attainable());
        let least = attainable.fold(f64::INFINITY, f64::min);
        bail!(
            "no step keeps errors below {accuracy:e} in single precision; the best that can be had is {least:.1e}"
        );
    }
    Ok(())
}

fn costed(found: Found, runs: &[Run]) -> Result<Costed> {
    let (method, workload) = (found.choice.method, found.choice.workload);
    let run = runs
        .iter()
        .find(|run| run.name.plant == workload && run.name.method == method)
        .with_context(|| format!("{workload}, {method}: the board did not run it"))?;
    Ok(Costed {
        found,
        instructions: run.instructions,
    })
}

/// The cheapest.
fn best(all: &[Costed]) -> Option<usize> {
    let costs = all.iter().enumerate();
    let costs = costs.filter_map(|(k, each)| Some((k, each.cost()?.1)));
    costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}

fn table(all: &[Costed], best: Option<usize>) -> comfy_table::Table {
    let header = " | method | Newton\niterations | largest\nstep [s] | error | a larger step\nhas error | instructions\na step | at most | instructions\na simulated second";
    let row = |(k, each): (usize, &Costed)| {
        let found = &each.found;
        let mut row = vec![
            if best == Some(k) { "best" } else { "" }.to_owned(),
            found.choice.method.to_owned(),
            found.choice.iterations.to_string(),
        ];
        let cost = format!("{:.0}", each.instructions.typical());
        let most = each.instructions.most.to_string();
        row.extend(match each.cost() {
            Some((largest, a_second)) => {
                let larger = found.larger_than(&largest);
                [
                    number(largest.h),
                    error(largest.error),
                    larger.map_or_else(|| "not tried".to_owned(), |larger| error(larger.nearby)),
                    cost,
                    most,
                    format!("{a_second:.0}"),
                ]
            }
            None => {
                let attainable = format!("{} or more", error(found.attainable()));
                let [none, no] = ["none", "-"].map(str::to_owned);
                [none, attainable, no.clone(), cost, most, no]
            }
        });
        row
    };
    table_of(header, 2, all.iter().enumerate().map(row).collect())
}

fn error(error: f64) -> String {
    if error.is_finite() {
        format!("{error:.1e}")
    } else {
        "fails".to_owned()
    }
}

/// The largest step of all, the smallest budget, and the cheapest.
fn summary(all: &[Costed], best: Option<usize>) -> String {
    let feasible = || all.iter().filter_map(|each| Some((each, each.cost()?)));
    let said = |(each, (tried, cost)): (&Costed, (Tried, f64))| {
        format!(
            "h = {} s by {} with {}, {cost:.0} instructions a second",
            number(tried.h),
            each.found.choice.method,
            each.iterations()
        )
    };
    // Of equals the first, which has the smaller budget.
    let largest = feasible().reduce(|a, b| if b.1.0.h > a.1.0.h { b } else { a });
    let smallest = feasible().reduce(|a, b| {
        let key = |x: &(&Costed, (Tried, f64))| (x.0.found.choice.iterations, x.1.1);
        if key(&b) < key(&a) { b } else { a }
    });
    let cheapest = best.and_then(|k| Some((&all[k], all[k].cost()?)));
    [
        ("largest step:   ", largest),
        ("smallest budget:", smallest),
        ("cheapest:       ", cheapest),
    ]
    .into_iter()
    .filter_map(|(title, which)| Some(format!("{title} {}", said(which?))))
    .collect::<Vec<_>>()
    .join("\n")
}

/// Error and cost over the step; a dot where the largest step keeps the accuracy, a large one where that is cheapest.
fn panels(all: &[Costed], accuracy: f64, best: Option<usize>) -> [Panel; 2] {
    let step = || Axis::logarithmic("step [s]");
    let errors = Axis::logarithmic("largest error").within(1e-9, 1e3);
    let costs = Axis::logarithmic("instructions a simulated second");
    let tried = || all.iter().flat_map(|each| &each.found.tried);
    let ends = |f: fn(f64, f64) -> f64| tried().map(|tried| tried.h).reduce(f).unwrap_or(1.0);
    let wanted = [ends(f64::min), ends(f64::max)].map(|h| (h, accuracy));
    let mut left = Panel::new("", step(), errors).coloured(6, "wanted", Look::Line, wanted);
    let mut right = Panel::new("", step(), costs);
    for (k, each) in all.iter().enumerate() {
        let name = format!("{}, {}", each.found.choice.method, each.iterations());
        let tried = || each.found.tried.iter();
        let error = tried().map(|tried| (tried.h, tried.error));
        left = left.coloured(k, "", Look::Line, error);
        let cost = tried().map(|tried| (tried.h, each.a_second(tried.h)));
        right = right.coloured(k, name, Look::Line, cost);
        if let Some((largest, cost)) = each.cost() {
            let name = if best == Some(k) { "cheapest" } else { "" };
            right = right.coloured(k, name, Look::Dots, [(largest.h, cost)]);
        }
    }
    [left, right].map(|panel| panel.sized(620, 600))
}
