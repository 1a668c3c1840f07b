//! `cargo xtask slow-start`: how two masses on stiff springs ring after a start that is 3 % off, and what each way onto the slow
//! manifold leaves of it.

use crate::plot::{Area, Axes, Drawn, key, plot};
use crate::table::table_of;
use anyhow::{Context, Result, ensure};
use comfy_table::Table;
use plotters::prelude::*;
use stiffstep_host_tests::slow_start::{Ringing, Start, Way};
use stiffstep_plants::double_spring::{OFF, start};

/// The springs.
#[derive(clap::Args)]
pub struct Springs {
    /// Their frequency on a unit mass, in radians a second: the root of the stiffness
    #[arg(long, default_value_t = 1e4)]
    omega: f64,
}

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

/// A way, where it led, and how it rings there.
struct Trial {
    name: &'static str,
    there: Start,
    ringing: Ringing,
}

/// Prints the table and draws the curves.
pub fn slow_start(springs: &Springs) -> Result<()> {
    let &Springs { omega } = springs;
    ensure!(
        omega.is_finite() && omega >= 50.0,
        "--omega must be at least 50: below that nothing is slow"
    );
    let trial = |(name, way): (&'static str, Way)| {
        let there = way
            .from(omega, start(OFF))
            .with_context(|| format!("{name} did not get there"))?;
        let ringing = Ringing::of(omega, there).context("the springs could not be simulated")?;
        Ok(Trial {
            name,
            there,
            ringing,
        })
    };
    let trials: Vec<Trial> = WAYS.into_iter().map(trial).collect::<Result<_>>()?;
    println!(
        "Two unit masses on springs of {omega} rad/s, both 3 % too long, with a kinetic energy of 0.25\n{}",
        table(&trials)
    );
    println!(
        "ringing: the energy with which the forces in the springs oscillate.\n\
         The steps of Radau are {} s long; time has gone by after them.",
        Way::STEP
    );
    let path = plot("slow-start.svg", (960, 720), |root| {
        draw(root, omega, &trials)
    })?;
    println!(
        "curves of the force in the first spring: {}",
        path.display()
    );
    Ok(())
}

fn table(trials: &[Trial]) -> Table {
    let row = |trial: &Trial| {
        vec![
            trial.name.to_owned(),
            format!("{:.1e}", trial.ringing.energy),
            format!("{:.3}", trial.there.1.norm_squared() / 2.0),
        ]
    };
    let header = ["start", "ringing\nenergy", "kinetic\nenergy"];
    table_of(&header, 1, trials.iter().map(row).collect())
}

/// The springs carry a force of about 1. What swings by more than a few times that hides what does not.
const LOUD: f64 = 5.0;

/// Two panels: everything, and what can only be seen without the loudest.
fn draw(root: &Area, omega: f64, trials: &[Trial]) -> Drawn {
    let panels = root.split_evenly((2, 1));
    let quiet = |trial: &&Trial| (2.0 * trial.ringing.energy).sqrt() * omega < LOUD;
    let all: Vec<&Trial> = trials.iter().collect();
    let few: Vec<&Trial> = trials.iter().filter(quiet).collect();
    for (panel, (title, drawn)) in panels.iter().zip([
        ("the force in the first spring", all),
        ("after the better starts alone", few),
    ]) {
        let forces = drawn.iter().flat_map(|trial| &trial.ringing.forces);
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        for (_, force) in forces {
            (low, high) = (low.min(force[0]), high.max(force[0]));
        }
        let margin = 0.1 * (high - low) + 1e-3;
        let end = drawn
            .iter()
            .filter_map(|trial| trial.ringing.forces.last())
            .fold(0.0, |end: f64, (time, _)| end.max(*time));
        let mut axes: Axes = ChartBuilder::on(panel)
            .caption(title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..end, low - margin..high + margin)?;
        axes.configure_mesh()
            .x_desc("omega t")
            .y_desc("force")
            .light_line_style(WHITE)
            .draw()?;
        for trial in drawn {
            // The same colour in both panels.
            let index = trials.iter().position(|t| t.name == trial.name);
            let colour = Palette99::pick(index.unwrap_or(0)).to_rgba();
            let points = trial.ringing.forces.iter().map(|(t, force)| (*t, force[0]));
            axes.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(trial.name)
                .legend(move |at| key(at, colour.stroke_width(2)));
        }
        axes.configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
    }
    Ok(())
}
