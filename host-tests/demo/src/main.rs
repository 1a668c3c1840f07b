//! `cargo xtask demo`: a circuit with a known solution on an emulated board.
//!
//! The first thing that anybody runs: it needs few crates, so that it shows something within a minute, and says at its end what it
//! took.

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use std::env;
use std::process::ExitCode;
use stiffstep_emulator::boot::{Boot, boot_plain};
use stiffstep_emulator::firmware::{Features, build};
use stiffstep_emulator::image::{Size, size};
use stiffstep_emulator::record::{Run, difference, number, runs};
use stiffstep_emulator::stage::{Stages, ended};
use stiffstep_emulator::{Board, boards, cost};
use stiffstep_plants::rlc::wunderlich;
use stiffstep_plants::workload::{DEMO, Record};

const HELP: &str = "\
Steps a circuit on an emulated board, and compares with the exact solution and with this machine

cargo xtask demo [--board m0|m3|m4f|m7|m33|all]
cargo xtask demo --hil [--board qemu|stm32f4|rp2040|two-picos] [--plant dc-motor|arm]
    the board as a plant, controlled from this machine over its UART; two-picos: by a second board";

fn main() -> ExitCode {
    // The first is the command's own name.
    let arguments: Vec<String> = env::args().skip(2).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => demo("m4f"),
        ["--board", name] => demo(name),
        [argument] if argument.starts_with("--board=") => {
            demo(argument.trim_start_matches("--board="))
        }
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    ended(done)
}

/// Steps the circuit on the board of that name, or on all, and fails unless the bits are this machine's.
fn demo(name: &str) -> Result<()> {
    let boards = boards(name)?;
    let mut stages = Stages::new(1 + 2 * boards.len());
    stages.tools(&boards)?;
    let mut results = Vec::new();
    for &board in &boards {
        let images = stages.make(&format!("firmware for {}", board.name), |_| {
            build(board, &["demo"], Features::Plain)
        })?;
        let image = images.first().context("no image was built")?;
        let title = format!("{} steps on {}", DEMO.steps, board.core);
        let log = stages.make(&title, |_| boot_plain(board, image, Boot::counted()))?;
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
    println!("{}", cost::summary());
    Ok(())
}

fn show(results: &[(Board, Run, Size)], host: &Record) {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    let header = "board|v_C\n[V]|i\n[A]|v_L\n[V]|v_R\n[V]|largest\nerror|instructions\na step|at\nmost|stack\n[bytes]|code [bytes]\nstep / image|bits equal\nthe host's";
    table.set_header(header.split('|'));
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
            match difference(host, &run.record) {
                None => "yes".to_owned(),
                Some(_) => "NO".to_owned(),
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
