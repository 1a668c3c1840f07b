//! `cargo xtask demo`: a circuit with a known solution on an emulated board.

use crate::install;
use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use stiffstep_host_tests::emulator::boot::{Boot, boot};
use stiffstep_host_tests::emulator::firmware::{Features, build};
use stiffstep_host_tests::emulator::image::{Size, size};
use stiffstep_host_tests::emulator::record::{Run, difference, number, runs};
use stiffstep_host_tests::emulator::{Board, boards};
use stiffstep_plants::rlc::wunderlich;
use stiffstep_plants::workload::{DEMO, Record};

/// Steps the circuit on the board of that name, or on all, and fails unless the bits are this machine's.
pub fn demo(name: &str) -> Result<()> {
    let boards = boards(name)?;
    let mut stages = Stages::new(1 + 2 * boards.len());
    stages.run("tools", |bar| {
        install::targets(&boards, bar)?;
        install::emulator(bar)?;
        Ok(String::new())
    })?;
    let mut results = Vec::new();
    for &board in &boards {
        let (mut images, mut log) = (Vec::new(), Vec::new());
        stages.run(&format!("firmware for {}", board.name), |_| {
            images = build(board, &["demo"], Features::Log)?;
            Ok(String::new())
        })?;
        let image = images.first().context("no image was built")?;
        stages.run(&format!("{} steps on {}", DEMO.steps, board.core), |_| {
            let counted = Boot {
                counted: true,
                ..Boot::default()
            };
            log = boot(board, image, counted)?;
            Ok(String::new())
        })?;
        let run = runs(&log)?.into_iter().next();
        let run = run.with_context(|| format!("{} logged no run", board.name))?;
        results.push((board, run, size(image)?));
    }
    let host = DEMO.run(&mut ());
    show(&results, &host);
    for (board, run, _) in &results {
        if let Some(difference) = difference(&host, &run.record) {
            bail!(
                "the bits on {} are not this machine's: {difference}",
                board.name
            );
        }
    }
    Ok(())
}

fn show(results: &[(Board, Run, Size)], host: &Record) {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "board",
        "v_C\n[V]",
        "i\n[A]",
        "v_L\n[V]",
        "v_R\n[V]",
        "largest\nerror",
        "instructions\na step",
        "at\nmost",
        "stack\n[bytes]",
        "code [bytes]\nstep / image",
        "bits equal\nthe host's",
    ]);
    let exact = wunderlich(number(host.time, DEMO.scalar));
    for (board, run, size) in results {
        let state = run.record.final_state().iter();
        let state: Vec<f64> = state.map(|&bits| number(bits, DEMO.scalar)).collect();
        let error = state
            .iter()
            .zip(exact.iter())
            .map(|(x, exact)| (x - exact).abs())
            .fold(0.0, f64::max);
        let mut row = vec![format!("{} ({})", board.name, board.core)];
        row.extend(state.iter().map(|x| format!("{x:.8}")));
        row.extend([
            format!("{error:.1e}"),
            format!("{:.0}", run.instructions.typical()),
            run.instructions.most.to_string(),
            run.stack.to_string(),
            format!("{} / {}", size.step, size.flash),
            if difference(host, &run.record).is_none() {
                "yes".to_owned()
            } else {
                "NO".to_owned()
            },
        ]);
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!(
        "\nSeries RLC circuit (67) of Wunderlich as a DAE of four variables, {}, {}, h = 0.01, {} steps, t = {}\n{table}",
        DEMO.method,
        DEMO.scalar,
        DEMO.steps,
        number(host.time, DEMO.scalar)
    );
    println!(
        "Exact: v_C = {:.8}, i = {:.8}, v_L = {:.8}, v_R = {:.8}. Factorised once, before the first step.",
        exact[0], exact[1], exact[2], exact[3]
    );
}
