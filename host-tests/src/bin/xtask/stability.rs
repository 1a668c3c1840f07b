//! `cargo xtask stability`: what every method does to oscillations, so that one of them can be chosen.

use anyhow::{Context, Result, anyhow, ensure};
use comfy_table::{CellAlignment, Table, presets};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::path::{Path, PathBuf};
use stiffstep_host_tests::stability::{Interval, Offered, Scheme, catalogue};

/// The oscillation that the table is about.
#[derive(clap::Args)]
pub struct Oscillation {
    /// Its angular frequency, in radians a second
    #[arg(long, default_value_t = 1e5)]
    omega: f64,
    /// The step size, in seconds
    #[arg(long, default_value_t = 0.01)]
    step: f64,
}

/// Where the curves run: `h omega` from a hundredth of a radian to ten thousand.
const DECADES: (i32, i32) = (-2, 4);

/// Growth beyond this is not drawn.
const CEILING: f64 = 1.5;

/// Prints the table and draws the curves.
pub fn stability(oscillation: &Oscillation) -> Result<()> {
    let &Oscillation { omega, step } = oscillation;
    ensure!(
        omega.is_finite() && omega > 0.0,
        "--omega must be greater than zero"
    );
    ensure!(
        step.is_finite() && step > 0.0,
        "--step must be greater than zero"
    );
    let methods = catalogue();
    println!(
        "Oscillations of {omega} rad/s in steps of {step} s: h omega = {}, {:.3} steps a period\n{}",
        number(omega * step),
        std::f64::consts::TAU / (omega * step),
        table(&methods, oscillation)
    );
    println!(
        "A-stable: no motion that should not grow does, whatever the step. L-stable: and the fastest ones die at once.\n\
         P-stable: every oscillation keeps its amplitude, whatever the step.\n\
         R(inf): what a step makes of an infinitely fast motion. -1 shows it from step to step, +1 hides it.\n\
         kept: the amplitude after a step and after a second. seen as: the frequency that the result shows.\n\
         periodic for: the h omega with which oscillations keep their amplitude.\n\
         Stiff joints ask for more than P-stability: Gauss from 4 stages on, Lobatto IIIA from 3 stages on."
    );
    let path = folder()?.join("stability.svg");
    plot(&path, &methods, omega * step)?;
    println!("curves of |R(i h omega)|: {}", path.display());
    Ok(())
}

fn table(methods: &[Offered], oscillation: &Oscillation) -> Table {
    let &Oscillation { omega, step } = oscillation;
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "method",
        "order",
        "stable",
        "R(inf)",
        "kept\na step",
        "kept\na second",
        "seen as\n[rad/s]",
        "damping\norder",
        "periodic for",
    ]);
    for method in methods {
        let kept = method.scheme.kept(omega * step);
        let turn = method.scheme.turn(omega * step);
        let (stable, infinity, damping) = match &method.scheme {
            Scheme::RungeKutta(function) => (
                letters(&[
                    ("A", function.a_stable()),
                    ("L", function.l_stable()),
                    ("P", function.p_stable()),
                ]),
                limit(function.at_infinity()),
                function
                    .damping_order()
                    .map_or_else(|| "none".to_owned(), |order| order.to_string()),
            ),
            Scheme::Partitioned(_) => ("-".to_owned(), "unbounded".to_owned(), "none".to_owned()),
        };
        table.add_row([
            method.name.clone(),
            method.order.to_string(),
            stable,
            infinity,
            number(kept),
            number(kept.powf(step.recip())),
            turn.map_or_else(|| "-".to_owned(), |turn| number(turn / step)),
            damping,
            intervals(&method.scheme.periodicity()),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A limit that theory says is whole.
fn limit(x: f64) -> String {
    if x.abs() < 1e-9 {
        "0".to_owned()
    } else {
        format!("{x:+.0}")
    }
}

fn letters(which: &[(&str, bool)]) -> String {
    let letters: Vec<&str> = which
        .iter()
        .filter(|(_, is)| *is)
        .map(|(l, _)| *l)
        .collect();
    letters.join(" ")
}

fn intervals(all: &[Interval]) -> String {
    let written: Vec<String> = all
        .iter()
        .map(|interval| match interval.to {
            f64::INFINITY if interval.from == 0.0 => "all".to_owned(),
            to => format!("{} .. {}", number(interval.from), number(to)),
        })
        .collect();
    if written.is_empty() {
        "-".to_owned()
    } else {
        written.join(", ")
    }
}

/// Four digits, and no exponent where it can be helped. What differs from 1 by rounding is 1.
fn number(x: f64) -> String {
    if (x - 1.0).abs() < 1e-9 {
        return "1".to_owned();
    }
    if x != 0.0 && !(1e-4..1e5).contains(&x) {
        return format!("{x:.1e}");
    }
    let digits = if x == 0.0 {
        0.0
    } else {
        3.0 - x.log10().floor()
    };
    let text = format!("{x:.*}", digits.max(0.0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Cargo's target folder: the one that this program was built into.
pub fn folder() -> Result<PathBuf> {
    let program = std::env::current_exe().context("this program does not know where it is")?;
    let folder = program.ancestors().nth(2);
    Ok(folder
        .context("this program is not in a target folder")?
        .to_path_buf())
}

/// One curve and its name. Symmetric methods lie on top of each other and share one.
struct Curve<'a> {
    name: String,
    scheme: &'a Scheme,
}

fn curves(methods: &[Offered]) -> Vec<Curve<'_>> {
    let symmetric =
        |method: &&Offered| matches!(&method.scheme, Scheme::RungeKutta(f) if f.p_stable());
    let mut curves: Vec<Curve> = methods
        .iter()
        .filter(|method| !symmetric(method))
        .map(|method| Curve {
            name: method.name.clone(),
            scheme: &method.scheme,
        })
        .collect();
    curves.extend(methods.iter().find(symmetric).map(|method| Curve {
        name: "every Gauss and Lobatto IIIA".to_owned(),
        scheme: &method.scheme,
    }));
    curves
}

type Axes<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn plot(path: &Path, methods: &[Offered], mu: f64) -> Result<()> {
    // The errors of the library borrow from the drawing and cannot be passed on.
    draw(path, methods, mu)
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("{} could not be drawn", path.display()))
}

fn draw(path: &Path, methods: &[Offered], mu: f64) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(path, (960, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let (from, to) = (f64::from(DECADES.0), f64::from(DECADES.1));
    // The axis is that of the exponents: tick marks at whole powers of ten, whatever the library thinks of logarithms.
    let mut axes: Axes = ChartBuilder::on(&root)
        .caption("what a step keeps of an oscillation", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(from..to, 0.0..CEILING)?;
    axes.configure_mesh()
        .x_desc("h omega")
        .y_desc("|R(i h omega)|")
        .x_labels((DECADES.1 - DECADES.0 + 1) as usize)
        .x_label_formatter(&|x| format!("1e{x:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    for (k, curve) in curves(methods).iter().enumerate() {
        let colour = Palette99::pick(k).to_rgba();
        let points = (0..=3000).map(|k| {
            let exponent = from + (to - from) * f64::from(k) / 3000.0;
            // A little above the ceiling, so that a curve which leaves is cut at the frame.
            (
                exponent,
                curve.scheme.kept(10_f64.powf(exponent)).min(2.0 * CEILING),
            )
        });
        axes.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    let here = mu.log10();
    if (from..=to).contains(&here) {
        axes.draw_series(LineSeries::new([(here, 0.0), (here, CEILING)], BLACK))?
            .label("this step")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK));
    }
    axes.configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    drop(axes);
    root.present()?;
    Ok(())
}
