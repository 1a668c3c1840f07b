//! `cargo xtask report`: the papers' tables and figures from our own runs, as one page.

use crate::install;
use crate::stage::{Bar, Stages};
use crate::table::table_of;
use anyhow::{Context, Result, bail, ensure};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use stiffstep_host_tests::emulator::BOARDS;
use stiffstep_host_tests::emulator::firmware::target_folder;
use stiffstep_host_tests::report::{
    APART, Body, CHAPTERS, Chapter, Compute, Wish, contents, failures, write,
};

/// What is reported.
#[derive(clap::Args)]
pub struct Selection {
    /// Only this chapter, and others with more of these: lubich, schropp, jay-petzold, ariel, wunderlich, precision, stability, slow-start,
    /// tolerances, boards, peers, certificate; chains and sine are computed only if they are asked for
    #[arg(long, value_name = "CHAPTER")]
    only: Vec<String>,
    /// Of stability and slow-start: the angular frequency, in radians a second
    #[arg(long)]
    omega: Option<f64>,
    /// Of stability: the step size, in seconds
    #[arg(long, default_value_t = 0.01)]
    step: f64,
    /// Of chains: the board, m0, m3, m4f, m7 or m33
    #[arg(long, default_value = "m4f")]
    board: String,
}

/// Those that compile are begun first, and last: the compiler works for one at a time.
const FIRST: &str = "boards";
const LAST: &str = "peers";

/// Computes the chapters, writes the page, and fails if a value is out of its tolerance.
pub fn report(selection: &Selection) -> Result<()> {
    let all = [&CHAPTERS[..], &APART].concat();
    for name in &selection.only {
        let known: Vec<&str> = all.iter().map(|(id, _)| *id).collect();
        let (there, known) = (known.contains(&name.as_str()), known.join(", "));
        ensure!(
            there,
            "there is no chapter `{name}`; those that there are: {known}"
        );
    }
    let asked = |id: &str| selection.only.iter().any(|name| name == id);
    let usual = |id: &str| selection.only.is_empty() && APART.iter().all(|(apart, _)| *apart != id);
    let wanted = |id: &str| asked(id) || usual(id);
    let chosen: Vec<(&str, Compute)> = all.into_iter().filter(|(id, _)| wanted(id)).collect();
    let mut stages = Stages::new(3);
    stages.run("tools", |bar| {
        let compile = ["boards", "peers", "certificate", "chains"];
        if compile.into_iter().any(wanted) {
            install::targets(&BOARDS, bar)?;
            install::emulator(bar)?;
        }
        Ok(String::new())
    })?;
    let mut chapters = Vec::new();
    stages.run("experiments", |bar| {
        chapters = compute(&chosen, selection, bar)?;
        let count = chapters.len();
        if let Some(contents) = contents::chapter(&chapters)? {
            chapters.insert(0, contents);
        }
        Ok(format!("{count} chapters"))
    })?;
    let page = stages.make("page", |_| {
        write(&chapters, &target_folder().join("report"))
    })?;
    // Whoever asks for a chapter sees its plain tables at once.
    let asked = chapters.iter().filter(|chapter| asked(chapter.id));
    for exhibit in asked.flat_map(|chapter| &chapter.exhibits) {
        if let Body::Plain { header, rows } = &exhibit.body {
            let table = table_of(&header.join(" | "), 1, rows.clone());
            println!("\n{}\n{table}", exhibit.title);
        }
    }
    let figures: usize = chapters.iter().map(|chapter| chapter.exhibits.len()).sum();
    let values = chapters.iter().flat_map(|chapter| &chapter.exhibits);
    let values: usize = values.map(|exhibit| exhibit.comparisons().len()).sum();
    let page = page.display();
    println!("{figures} tables and figures, {values} values compared: {page}");
    let failures = failures(&chapters);
    if !failures.is_empty() {
        let (count, all) = (failures.len(), failures.join("\n"));
        bail!("{count} values are out of their tolerance:\n{all}");
    }
    Ok(())
}

/// Two at a time: one may wait for a compiler while the other computes.
fn compute(chosen: &[(&str, Compute)], selection: &Selection, bar: &Bar) -> Result<Vec<Chapter>> {
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|&k| (chosen[k].0 != FIRST, chosen[k].0 == LAST));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, Result<Chapter>)>> = Mutex::new(Vec::new());
    let work = || {
        while let Some(&k) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (id, compute) = chosen[k];
            let say = |what: &str| {
                let done = done.load(Ordering::Relaxed) as f64;
                bar.progress(done / order.len() as f64, what);
            };
            let wish = Wish {
                progress: &say,
                omega: selection.omega,
                step: selection.step,
                board: &selection.board,
            };
            let result = compute(&wish).with_context(|| format!("the chapter `{id}`"));
            done.fetch_add(1, Ordering::Relaxed);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((k, result));
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, chapter)| chapter).collect()
}
