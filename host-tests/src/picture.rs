//! The picture on the front page: the motor of `cargo xtask demo --hil` under its speed loop, computed on the desk.
//!
//! It is kept twice: as `src/guide/motor.svg`, which the README shows, and as `src/guide/motor.md`, the same as a link for the pages that
//! rustdoc makes of the README, where no other file can be reached.

use crate::hil::control::{Controller, SpeedLoop};
use crate::hil::reference::by_name;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Write;
use stiffstep::hil::protocol::Sample;
use stiffstep::hil::{Allowance, Rig, Setup, Signals};

/// The files, from the top of the repository.
pub const FILES: [&str; 2] = ["src/guide/motor.svg", "src/guide/motor.md"];

const H: f32 = 1e-3;
const STEPS: u32 = 10_000;
/// Steps from one answer of the controller to the next, as in the demonstration.
const EVERY: u32 = 5;
/// Steps from one point of a curve to the next.
const SHOWN: u32 = 40;

/// A moment of the run: target and speed in rad/s, torque in N m.
struct Moment {
    t: f64,
    target: f64,
    speed: f64,
    torque: f64,
}

/// The picture and its link, in the order of [`FILES`].
pub fn files() -> Result<[String; 2]> {
    let picture = svg(&run()?)?;
    let link = format!("[motor]: {}\n", data(&picture));
    Ok([picture, link])
}

fn run() -> Result<Vec<Moment>> {
    let mut rig: Box<dyn Rig> = by_name("dc-motor", H)?;
    let (mut controller, mut inputs) = (SpeedLoop::default(), vec![0.0; 2]);
    let mut moments = Vec::new();
    for step in 0..STEPS {
        rig.step(
            &inputs,
            &mut Allowance::new(Setup::ITERATIONS, &mut || false),
        )?;
        let outputs: Signals = rig.outputs().iter().copied().collect();
        let t = f64::from(step + 1) * f64::from(H);
        if step % SHOWN == 0 {
            let value = |k: usize| f64::from(outputs.get(k).copied().unwrap_or(f32::NAN));
            let target = controller.target(t).first().copied().unwrap_or(f64::NAN);
            moments.push(Moment {
                t,
                target,
                speed: value(1),
                torque: value(3),
            });
        }
        if step % EVERY == 0 {
            let sample = Sample {
                step,
                iterations: Setup::ITERATIONS,
                inputs: inputs.iter().copied().collect(),
                outputs,
                digest: 0,
            };
            inputs = controller.answer(&sample, H.into());
        }
    }
    Ok(moments)
}

fn svg(moments: &[Moment]) -> Result<String> {
    let mut text = String::new();
    draw(moments, &mut text).map_err(|error| anyhow!("the picture could not be drawn: {error}"))?;
    // Where axes share a corner the library writes blanks at the ends of lines.
    Ok(text
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(moments: &[Moment], text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(text, (800, 400)).into_drawing_area();
    root.fill(&WHITE)?;
    let title = "A motor, an elastic shaft, a load that brakes from 6 s to 8 s";
    let (upper, lower) = root
        .titled(title, ("sans-serif", 17))?
        .split_vertically(205);
    let target = |m: &Moment| (m.t, m.target);
    let speed = |m: &Moment| (m.t, m.speed);
    let torque = |m: &Moment| (m.t, m.torque);
    let speeds: [Curve; 2] = [("wanted", BLACK, &target), ("load speed", BLUE, &speed)];
    curves(&upper, ("rad/s", 0.0..230.0), moments, &speeds)?;
    let torques: [Curve; 1] = [("shaft torque", RED, &torque)];
    curves(&lower, ("N m", -0.1..0.5), moments, &torques)?;
    root.present()?;
    Ok(())
}

type Curve<'a> = (&'static str, RGBColor, &'a dyn Fn(&Moment) -> (f64, f64));

fn curves(
    area: &Area,
    (unit, range): (&str, std::ops::Range<f64>),
    moments: &[Moment],
    of: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut axes = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(32)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..10.0, range)?;
    axes.configure_mesh()
        .x_desc("t [s]")
        .y_desc(unit)
        .y_labels(5)
        .light_line_style(WHITE)
        .draw()?;
    for &(name, colour, point) in of {
        let line = LineSeries::new(moments.iter().map(point), colour.stroke_width(1));
        axes.draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour));
    }
    axes.configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

/// A picture as an address.
fn data(svg: &str) -> String {
    let mut address = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            _ if byte.is_ascii_alphanumeric() || b"-._,=/:".contains(&byte) => {
                address.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => _ = write!(address, "%{byte:02X}"),
        }
    }
    address
}
