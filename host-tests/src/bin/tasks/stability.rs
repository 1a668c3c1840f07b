//! `cargo xtask stability`: what every method does to oscillations, so that one of them can be chosen.

use crate::plot::{Area, Axes, Drawn, key, plot, power_of_ten};
use crate::table::{number, table_of};
use anyhow::{Result, ensure};
use comfy_table::Table;
use plotters::prelude::*;
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
    let path = plot("stability.svg", (960, 540), |root| {
        draw(root, &methods, omega * step)
    })?;
    println!("curves of |R(i h omega)|: {}", path.display());
    Ok(())
}

fn table(methods: &[Offered], oscillation: &Oscillation) -> Table {
    let &Oscillation { omega, step } = oscillation;
    let mut rows = Vec::new();
    let header = [
        "method",
        "order",
        "stable",
        "R(inf)",
        "kept\na step",
        "kept\na second",
        "seen as\n[rad/s]",
        "damping\norder",
        "periodic for",
    ];
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
        rows.push(vec![
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
    table_of(&header, 1, rows)
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

fn draw(root: &Area, methods: &[Offered], mu: f64) -> Drawn {
    let (from, to) = (f64::from(DECADES.0), f64::from(DECADES.1));
    let mut axes: Axes = ChartBuilder::on(root)
        .caption("what a step keeps of an oscillation", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(54)
        .build_cartesian_2d(from..to, 0.0..CEILING)?;
    axes.configure_mesh()
        .x_desc("h omega")
        .y_desc("|R(i h omega)|")
        .x_labels((DECADES.1 - DECADES.0 + 1) as usize)
        .x_label_formatter(&power_of_ten)
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
            .legend(move |at| key(at, colour.stroke_width(2)));
    }
    let here = mu.log10();
    if (from..=to).contains(&here) {
        axes.draw_series(LineSeries::new([(here, 0.0), (here, CEILING)], BLACK))?
            .label("this step")
            .legend(|at| key(at, BLACK.into()));
    }
    axes.configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    Ok(())
}
