//! `cargo xtask chains`: what larger mechanisms cost, as a table and as curves.

use crate::install;
use crate::plot::{Area, Axes, Drawn, key, plot};
use crate::stage::Stages;
use crate::table::table_of;
use anyhow::Result;
use plotters::prelude::*;
use stiffstep_host_tests::benchmark::chains::{Cost, exponent, on_board};
use stiffstep_host_tests::certificate::report::thousands;
use stiffstep_host_tests::emulator::board;

/// Where.
#[derive(clap::Args)]
pub struct Place {
    /// The board: m0, m3, m4f, m7, m33
    #[arg(long, default_value = "m4f")]
    board: String,
}

/// Prints the table and draws the curves.
pub fn chains(place: &Place) -> Result<()> {
    let board = board(&place.board)?;
    let mut stages = Stages::new(2);
    stages.run("tools", |bar| {
        install::targets(&[board], bar)?;
        install::emulator(bar)?;
        Ok(String::new())
    })?;
    let (mut costs, mut code) = ([Vec::new(), Vec::new()], 0);
    stages.run(&format!("chains on {}", board.core), |_| {
        (costs, code) = on_board(board)?;
        Ok(String::new())
    })?;
    let [lean, full] = &costs;
    println!("\n{}", table(lean, full));
    println!(
        "Radau IIA 3, two iterations, f32; the code of all of them: {} bytes",
        thousands(code)
    );
    let file = plot("chains.svg", (900, 420), |root| {
        let areas = root.split_evenly((1, 2));
        let [left, right] = areas.as_slice() else {
            return Ok(());
        };
        draw(left, "instructions a step", &costs, |cost| {
            cost.instructions
        })?;
        draw(right, "bytes of stack", &costs, |cost| cost.stack.into())
    })?;
    println!("curves: {}", file.display());
    Ok(())
}

fn table(lean: &[Cost], full: &[Cost]) -> comfy_table::Table {
    let header = ["links", "lean", "power", "stack", "full", "power", "stack"];
    let cells = |costs: &[Cost], k: usize| {
        if k >= costs.len() {
            return [const { String::new() }; 3];
        }
        let at = |k: usize| (costs[k].links, costs[k].instructions);
        let power = match k {
            0 => String::new(),
            _ => format!("{:.2}", exponent(at(k - 1), at(k))),
        };
        let count = thousands(costs[k].instructions as u64);
        [count, power, thousands(costs[k].stack.into())]
    };
    let rows = (0..lean.len()).map(|k| {
        let mut row = vec![lean[k].links.to_string()];
        row.extend(cells(lean, k));
        row.extend(cells(full, k));
        row
    });
    table_of(&header, 0, rows.collect())
}

/// Both axes logarithmic, with a cubic to compare with.
fn draw(area: &Area, title: &str, costs: &[Vec<Cost>; 2], figure: fn(&Cost) -> f64) -> Drawn {
    let point = |cost: &Cost| ((cost.links as f64).log2(), figure(cost).log10());
    let heights = costs.iter().flatten().map(|cost| point(cost).1);
    let low = heights.clone().fold(f64::INFINITY, f64::min).floor();
    let high = heights.fold(f64::NEG_INFINITY, f64::max).ceil();
    let mut axes: Axes = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..4.0, low..high)?;
    axes.configure_mesh()
        .x_desc("links")
        .x_labels(5)
        .x_label_formatter(&|x| format!("{:.0}", x.exp2()))
        .y_labels((high - low) as usize + 1)
        .y_label_formatter(&crate::plot::power_of_ten)
        .light_line_style(WHITE)
        .draw()?;
    let colours = [RGBColor(0, 90, 170), RGBColor(200, 80, 0)];
    for ((costs, name), colour) in costs.iter().zip(["lean", "full"]).zip(colours) {
        let points: Vec<(f64, f64)> = costs.iter().map(point).collect();
        let style = colour.stroke_width(2);
        axes.draw_series(LineSeries::new(points.clone(), style))?
            .label(name)
            .legend(move |at| key(at, style));
        axes.draw_series(points.iter().map(|&at| Circle::new(at, 3, colour.filled())))?;
    }
    let grey = RGBColor(150, 150, 150).stroke_width(1);
    let top = costs[1].last().map_or(high, |cost| point(cost).1);
    let cubic = |x: f64| (x, top - 3.0 * (3.0 - x) * 2_f64.log10());
    let cubic = [0.0, 1.0, 2.0, 3.0].map(cubic);
    let inside = cubic.into_iter().filter(|(_, y)| *y >= low);
    axes.draw_series(LineSeries::new(inside, grey))?
        .label("cubic")
        .legend(move |at| key(at, grey));
    axes.configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    Ok(())
}
