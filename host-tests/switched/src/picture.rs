//! The pictures of the guide: currents beside the exact solution.
//!
//! Each is kept twice: as a file, and as the end of a page that rustdoc makes, where no other file can be reached.

use crate::cases::cases;
use crate::compare::sampled;
use crate::library::stepped;
use crate::reference::Reference;
use crate::servo::{self, Told};
use std::fmt::Write;

/// The files, from the top of the repository.
pub const FILES: [&str; 4] = [
    "src/guide/converters.svg",
    "src/guide/converters_picture.md",
    "src/guide/drives.svg",
    "src/guide/drives_picture.md",
];

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;

/// A line, or dots, through these points.
struct Curve {
    label: &'static str,
    colour: &'static str,
    dots: bool,
    points: Vec<[f64; 2]>,
}

fn line(label: &'static str, colour: &'static str, points: Vec<[f64; 2]>) -> Curve {
    Curve {
        label,
        colour,
        dots: false,
        points,
    }
}

fn dots(label: &'static str, points: Vec<[f64; 2]>) -> Curve {
    Curve {
        label,
        colour: "#c00000",
        dots: true,
        points,
    }
}

/// The curves over time in microseconds, with what the other axis shows.
fn svg(what: &str, curves: &[Curve]) -> String {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let fold = |k: usize, f: fn(f64, f64) -> f64, from: f64| all().map(|p| p[k]).fold(from, f);
    let (left, right) = (fold(0, f64::min, f64::MAX), fold(0, f64::max, f64::MIN));
    let (low, high) = (fold(1, f64::min, 0.0), fold(1, f64::max, 0.0));
    let x = |t: f64| 50.0 + (WIDTH - 70.0) * (t - left) / (right - left);
    let y = |v: f64| HEIGHT - 40.0 - (HEIGHT - 70.0) * (v - low) / (high - low);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"
    );
    for value in [low, 0.0, high] {
        let at = y(value);
        let _ = write!(
            text,
            "<path d=\"M50 {at:.1}H{:.1}\" stroke=\"#ccc\"/><text x=\"45\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>",
            WIDTH - 20.0,
            at + 4.0
        );
    }
    let _ = write!(
        text,
        "<text x=\"50\" y=\"16\">{what}</text><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.0} us</text>",
        WIDTH - 20.0,
        HEIGHT - 24.0,
        right - left
    );
    for (k, curve) in curves.iter().enumerate() {
        let colour = curve.colour;
        let mut path = String::new();
        for (n, [t, value]) in curve.points.iter().enumerate() {
            if curve.dots {
                let _ = write!(path, "M{:.1} {:.1}h0", x(*t), y(*value));
            } else {
                let step = if n == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{step}{:.1} {:.1}", x(*t), y(*value));
            }
        }
        let width = if curve.dots { 5 } else { 1 };
        let _ = write!(
            text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/><text x=\"{}\" y=\"{:.0}\" fill=\"{colour}\">{}</text>",
            50 + 220 * k,
            HEIGHT - 8.0,
            curve.label
        );
    }
    text + "</svg>\n"
}

/// A buck in discontinuous conduction with random edges: the coil's current.
fn converter() -> Result<String, String> {
    const STEPS: usize = 24;
    const FINE: usize = 40;
    let case = cases().into_iter().find(|case| case.name == "buck DCM");
    let case = case.ok_or("no such case")?;
    // What has become of the start by then.
    let from = 400;
    let given = case.given(from + STEPS);
    let h = case.scale.step;
    let mut reference = Reference::new(&case.net, case.look);
    let mut plant = stepped::<f32>(&case)?;
    let (mut fine, mut ours) = (Vec::new(), Vec::new());
    for (n, given) in given.iter().enumerate() {
        let shown = n >= from;
        let begin = (n as f64 - from as f64) * h * 1e6;
        for k in 0..if shown { FINE } else { 1 } {
            let parts = if shown { FINE as f32 } else { 1.0 };
            let within = |at: f32| (at * parts).floor().min(parts - 1.0) == k as f32;
            let edges = given.edges.iter().filter(|edge| within(edge.0));
            let edges: Vec<_> = edges.map(|e| (e.0 * parts - k as f32, e.1)).collect();
            let ramp = |(u, du): (&f32, &f32)| u + du * k as f32 / parts;
            let start: Vec<f32> = given.start.iter().zip(&given.change).map(ramp).collect();
            let change: Vec<f32> = given.change.iter().map(|du| du / parts).collect();
            if shown {
                let t = begin + h * 1e6 * k as f64 / FINE as f64;
                fine.push([t, reference.x[case.keep[0]]]);
            }
            reference.step(h / f64::from(parts), &start, &change, &edges);
        }
        plant.step(given).map_err(|error| error.to_string())?;
        if shown {
            ours.push([begin + h * 1e6, plant.x()[0]]);
        }
    }
    let coarse = sampled(&case, &given);
    let coarse = coarse[from..].iter().enumerate();
    let coarse = coarse.map(|(n, x)| [(n + 1) as f64 * h * 1e6, x[0]]);
    let curves = [
        line("exact", "#1f4e9c", fine),
        dots("step by step, f32", ours),
        line("gates sampled at steps", "#999", coarse.collect()),
    ];
    Ok(svg("current of a buck, A, in steps of 20 us", &curves))
}

/// The servo drive while its speed is stepped up from 200 to 300 rad/s: the current along the magnet, which is to be none.
fn drive() -> Result<String, String> {
    let plant = &servo::plants()[0];
    let (from, count) = (2395, 120);
    let run = |told| servo::currents(plant, 6000, 0.3, told).map_err(|error| error.to_string());
    let (ours, duties) = (run(Told::Edges)?, run(Told::Duties)?);
    let points = |values: &[f64]| {
        let shown = values[from..from + count].iter().enumerate();
        let point = |(n, value): (usize, &f64)| [n as f64 * plant.h * 1e6, *value];
        shown.map(point).collect()
    };
    let curves = [
        line("exact", "#1f4e9c", points(&ours.1)),
        dots("step by step, f32", points(&ours.0)),
        line("duties instead of edges", "#999", points(&duties.0)),
    ];
    Ok(svg(
        "current along the magnet, A, in steps of 50 us",
        &curves,
    ))
}

/// A picture that needs no other file, under a heading of its own, with its caption.
fn shown(caption: &str, picture: &str) -> String {
    let mut data = String::new();
    for byte in picture.trim_end().bytes() {
        match byte {
            b'#' | b'%' | b'<' | b'>' | b'"' | b' ' | b'(' | b')' => {
                let _ = write!(data, "%{byte:02X}");
            }
            _ => data.push(char::from(byte)),
        }
    }
    format!("\n## A picture\n\n![{caption}](data:image/svg+xml,{data})\n\n*{caption}*\n")
}

/// What the files hold, in the order of [`FILES`].
pub fn files() -> Result<[String; 4], String> {
    let (converter, drive) = (converter()?, drive()?);
    let first = shown(
        "A buck with random edges in discontinuous conduction: every dot is a step in single precision, and lies on the exact solution; gates that are sampled where steps begin make another converter of it.",
        &converter,
    );
    let second = shown(
        "The larger drive while its speed is stepped up from 200 to 300 rad/s, edges shifted by 0.3 of the step: every dot is a step in single precision.",
        &drive,
    );
    Ok([converter, first, drive, second])
}
