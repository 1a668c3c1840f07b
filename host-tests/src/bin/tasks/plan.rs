//! `cargo xtask plan`: the fixed step and the budget that keep a wanted accuracy, and what they cost on a board.

use crate::install;
use crate::plot::{Area, Axes, Drawn, key, plot, power_of_ten};
use crate::stage::Stages;
use crate::table::{number, table_of};
use anyhow::{Context, Result, bail, ensure};
use plotters::prelude::*;
use stiffstep_host_tests::emulator::bench::counted;
use stiffstep_host_tests::emulator::record::{Instructions, Run};
use stiffstep_host_tests::emulator::{Board, board};
use stiffstep_host_tests::plan::{Course, Found, Judged, Tried, planned};
use stiffstep_plants::workload::plan::{Choice, Planned};

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
    ensure!(
        accuracy.is_finite() && accuracy > 0.0,
        "--accuracy must be greater than zero"
    );
    let seconds = wish.seconds.unwrap_or(plant.seconds);
    let judged = if wish.velocities {
        Judged::Velocities
    } else {
        Judged::Positions
    };
    let mut stages = Stages::new(4);
    let (mut course, mut found, mut runs) = (None, Vec::new(), Vec::new());
    stages.run("reference", |_| {
        course = Some(Course::new(plant, seconds)?);
        Ok(String::new())
    })?;
    let course = course.context("there is no reference")?;
    stages.run("steps of every size", |bar| {
        found = course.plan(accuracy, judged, &mut |done| bar.fraction(done))?;
        Ok(String::new())
    })?;
    stages.run("tools", |bar| {
        install::targets(&[board], bar)?;
        install::emulator(bar)?;
        Ok(String::new())
    })?;
    stages.run(&format!("their cost on {}", board.core), |_| {
        runs = counted(board, plant.group)?;
        Ok(String::new())
    })?;
    let all: Result<Vec<Costed>> = found
        .into_iter()
        .map(|found| costed(found, &runs))
        .collect();
    let all = all?;
    let best = best(&all);
    println!(
        "\n{}: {}\nerrors of at most {accuracy:e} of the nominal {} over {} s, f32, on {}\n{}",
        plant.name,
        plant.what,
        if wish.velocities {
            "positions and velocities"
        } else {
            "positions or states"
        },
        number(course.seconds()),
        board.core,
        table(&all, best)
    );
    println!("{}", summary(&all, best));
    let file = format!("plan-{}.svg", plant.name);
    let path = plot(&file, (1240, 600), |root| {
        draw(root, (&plant, board, accuracy), &all, best)
    })?;
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
    let Choice {
        method, workload, ..
    } = found.choice;
    let mut named = runs
        .iter()
        .filter(|run| run.name.plant == workload && run.name.method == method);
    let run = named
        .next()
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
    let header = [
        "",
        "method",
        "Newton\niterations",
        "largest\nstep [s]",
        "error",
        "a larger step\nhas error",
        "instructions\na step",
        "at most",
        "instructions\na simulated second",
    ];
    let row = |(k, each): (usize, &Costed)| {
        let found = &each.found;
        let mut row = vec![
            if best == Some(k) { "best" } else { "" }.to_owned(),
            found.choice.method.to_owned(),
            found.choice.iterations.to_string(),
        ];
        let cost = format!("{:.0}", each.instructions.typical());
        let most = each.instructions.most.to_string();
        match each.cost() {
            Some((largest, a_second)) => {
                let larger = found.larger_than(&largest);
                row.extend([
                    number(largest.h),
                    error(largest.error),
                    larger.map_or_else(|| "not tried".to_owned(), |larger| error(larger.nearby)),
                    cost,
                    most,
                    format!("{a_second:.0}"),
                ]);
            }
            None => {
                row.extend([
                    "none".to_owned(),
                    format!("{} or more", error(found.attainable())),
                    "-".to_owned(),
                    cost,
                    most,
                    "-".to_owned(),
                ]);
            }
        }
        row
    };
    table_of(&header, 2, all.iter().enumerate().map(row).collect())
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
        let Choice {
            method, iterations, ..
        } = each.found.choice;
        let plural = if iterations == 1 { "" } else { "s" };
        format!(
            "h = {} s by {method} with {iterations} iteration{plural}, {cost:.0} instructions a second",
            number(tried.h)
        )
    };
    // Of equals the first, which has the smaller budget.
    let largest = feasible().reduce(|a, b| if b.1.0.h > a.1.0.h { b } else { a });
    let smallest = feasible().reduce(|a, b| {
        let key = |x: &(&Costed, (Tried, f64))| (x.0.found.choice.iterations, x.1.1);
        if key(&b) < key(&a) { b } else { a }
    });
    let cheapest = best
        .and_then(|k| all.get(k))
        .and_then(|each| Some((each, each.cost()?)));
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

/// The colour tells the method, the line the budget.
fn style(all: &[Costed], k: usize) -> (RGBAColor, u32) {
    let mut methods: Vec<&str> = all.iter().map(|each| each.found.choice.method).collect();
    methods.dedup();
    let choice = all.get(k).map(|each| each.found.choice);
    let method = methods
        .iter()
        .position(|&method| choice.is_some_and(|choice| choice.method == method));
    let colours = [
        RGBColor(0, 90, 170),
        RGBColor(200, 60, 0),
        RGBColor(0, 140, 80),
        RGBColor(150, 50, 160),
    ];
    let colour = colours[method.unwrap_or(0) % colours.len()];
    (
        colour.to_rgba(),
        choice.map_or(1, |choice| u32::from(choice.iterations)),
    )
}

fn draw(
    root: &Area,
    (plant, board, accuracy): (&Planned, Board, f64),
    all: &[Costed],
    best: Option<usize>,
) -> Drawn {
    let title = format!(
        "{}: f32 on {}, errors of at most {accuracy:e} wanted",
        plant.name, board.core
    );
    let root = root.titled(&title, ("sans-serif", 20))?;
    let (left, right) = root.split_horizontally((50).percent_width());
    let tried = || all.iter().flat_map(|each| &each.found.tried);
    let steps = decades(tried().map(|tried| tried.h));
    let errors = decades(
        tried()
            .map(|tried| tried.error.clamp(1e-9, 10.0))
            .chain([accuracy]),
    );
    let mut axes = axes_of(&left, "largest error", steps, errors)?;
    for (k, each) in all.iter().enumerate() {
        let (colour, width) = style(all, k);
        let points = each.found.tried.iter();
        // What fails leaves through the top of the frame.
        let points = points.map(|tried| (tried.h.log10(), tried.error.min(1e3).log10()));
        axes.draw_series(LineSeries::new(points, colour.stroke_width(width)))?;
    }
    let wanted = accuracy.log10();
    axes.draw_series(LineSeries::new(
        [(steps.0, wanted), (steps.1, wanted)],
        BLACK.stroke_width(1),
    ))?
    .label("wanted")
    .legend(|at| key(at, BLACK.into()));
    axes.configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK)
        .draw()?;
    draw_costs(&right, steps, all, best)
}

/// A dot where the largest step keeps the accuracy. The legend is for both panels: below the lines is room for it.
fn draw_costs(area: &Area, steps: (f64, f64), all: &[Costed], best: Option<usize>) -> Drawn {
    let costs = all.iter().flat_map(|each| {
        let tried = each.found.tried.iter();
        tried.map(|tried| each.a_second(tried.h))
    });
    let costs = decades(costs);
    let mut axes = axes_of(area, "instructions a simulated second", steps, costs)?;
    for (k, each) in all.iter().enumerate() {
        let (colour, width) = style(all, k);
        let at = |h: f64| (h.log10(), each.a_second(h).log10());
        let tried = each.found.tried.iter().map(|tried| at(tried.h));
        let plural = if width == 1 { "" } else { "s" };
        axes.draw_series(LineSeries::new(tried, colour.mix(0.3).stroke_width(1)))?
            .label(format!(
                "{}, {width} iteration{plural}",
                each.found.choice.method
            ))
            .legend(move |at| {
                let line = PathElement::new([(0, 0), (18, 0)], colour.stroke_width(width));
                EmptyElement::at(at) + line + Circle::new((9, 0), dot(width), colour.filled())
            });
        if let Some((largest, _)) = each.cost() {
            axes.draw_series([Circle::new(at(largest.h), dot(width), colour.filled())])?;
        }
    }
    if let Some((largest, cost)) = best.and_then(|k| all.get(k)?.cost()) {
        let at = (largest.h.log10(), cost.log10());
        axes.draw_series([Circle::new(at, 12, BLACK.stroke_width(2))])?
            .label("cheapest")
            .legend(|(x, y)| Circle::new((x + 9, y), 6, BLACK.stroke_width(2)));
    }
    axes.configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK)
        .draw()?;
    Ok(())
}

/// The size of a dot for so many iterations.
fn dot(iterations: u32) -> u32 {
    1 + 2 * iterations
}

/// The exponents of the powers of ten around all values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let exponents = values.map(f64::log10);
    let (from, to) = exponents.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), x| {
        (from.min(x), to.max(x))
    });
    (from.floor(), to.ceil().max(from.floor() + 1.0))
}

fn axes_of<'a, 'b>(
    area: &'a Area<'b>,
    what: &str,
    (left, right): (f64, f64),
    (low, high): (f64, f64),
) -> Result<Axes<'a, 'b>, Box<dyn std::error::Error>>
where
    'b: 'a,
{
    let mut axes: Axes = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(left..right, low..high)?;
    axes.configure_mesh()
        .x_desc("step [s]")
        .y_desc(what)
        .x_labels((right - left) as usize + 1)
        .x_label_formatter(&power_of_ten)
        .y_labels((high - low) as usize + 1)
        .y_label_formatter(&power_of_ten)
        .light_line_style(WHITE)
        .draw()?;
    Ok(axes)
}
