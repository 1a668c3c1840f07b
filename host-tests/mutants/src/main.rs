//! `cargo xtask mutants`: small wrong changes of the core, drawn by chance, and whether the tests notice them.
//!
//! cargo-mutants lists the changes. Those of a sample are built into one program, each behind a switch ([`switch`]), and every mutant is
//! tried with just the tests that come upon it, the quickest first, until one fails. What is computed by the compiler cannot have a
//! switch: those mutants are built one by one.

mod draw;
mod switch;
mod tests;
mod tree;

use anyhow::{Context, Result, bail};
use clap::Parser;
use draw::{Mutant, Part};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use stiffstep_emulator::firmware::target_folder;
use stiffstep_emulator::install;
use stiffstep_emulator::stage::{Bar, Stages};
use tests::{End, Test};
use tree::Tree;

/// Draws mutants of the core and says which of them the tests notice.
#[derive(Parser)]
#[command(name = "cargo xtask mutants", bin_name = "cargo xtask mutants")]
struct Arguments {
    /// How many mutants to draw; some of them do not compile and do not count
    #[arg(long, default_value_t = 250)]
    sample: usize,
    /// The seed of the draw; that of the commit, its first eight hexadecimal digits, unless told otherwise
    #[arg(long)]
    seed: Option<u64>,
    /// Only files whose path begins so, as src/linear
    #[arg(long, default_value = "src/")]
    under: String,
    /// Only a part of the draw, as 1/2 and then 2/2: two runs that are one sample
    #[arg(long, value_name = "K/N", default_value = "1/1", value_parser = Part::read)]
    part: Part,
    /// No draw, but those that the last run missed: after more tests were written
    #[arg(long)]
    again: bool,
}

/// The part of the mutants that must be noticed, in percent.
const WANTED: usize = 90;

/// What became of a mutant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A test failed.
    Caught,
    /// A test did not end: a loop without an end, most of the time. It counts as caught.
    Endless,
    /// All tests passed.
    Missed,
    /// It does not compile.
    Unviable,
}

impl Fate {
    /// That of a mutant with which tests ended so.
    fn of(end: End) -> Self {
        match end {
            End::Passed => Fate::Missed,
            End::Failed => Fate::Caught,
            End::Endless => Fate::Endless,
        }
    }
}

fn main() -> ExitCode {
    // The command's own name comes first.
    let arguments = Arguments::parse_from(std::env::args().skip(1));
    match mutants(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Draws mutants and tries them.
fn mutants(wish: &Arguments) -> Result<()> {
    let mut stages = Stages::new(5);
    let (mut drawn, mut from) = (Vec::new(), String::new());
    stages.run("mutants", |bar| {
        install::subcommand("mutants", bar)?;
        (drawn, from) = sample(wish)?;
        Ok(from.clone())
    })?;
    let tree = Tree::copy("tree", true)?;
    let mut switched = BTreeSet::new();
    stages.run("switches", |bar| {
        switched = tree.switch(&drawn, |message| bar.say(message))?;
        Ok(format!(
            "{} of {} mutants have one",
            switched.len(),
            drawn.len()
        ))
    })?;
    let mut tests = Vec::new();
    stages.run("the tests without a mutant", |bar| {
        tests = tests::all(&tree, bar)?;
        Ok(format!("{} tests", tests.len()))
    })?;
    let mut fates = vec![Fate::Missed; drawn.len()];
    stages.run("mutants with a switch", |bar| {
        let ids: Vec<usize> = switched.iter().copied().collect();
        for (id, fate) in tests::each(&ids, bar, |id| Ok((*id, by_switch(*id, &tests)?)))? {
            fates[id - 1] = fate;
        }
        let missed = ids.iter().filter(|id| fates[*id - 1] == Fate::Missed);
        let names: Vec<&str> = missed.map(|id| &*drawn[id - 1].name).collect();
        // At once: the other ones take as long again.
        keep(&names, wish.part.k > 1)?;
        Ok(format!("{} missed of {}", names.len(), ids.len()))
    })?;
    stages.run("mutants that are built one by one", |bar| {
        let tree = Tree::copy("alone", false)?;
        let alone = (0..drawn.len()).filter(|index| !switched.contains(&(index + 1)));
        let alone: Vec<usize> = alone.collect();
        for (done, index) in alone.iter().enumerate() {
            let mutant = &drawn[*index];
            bar.progress(done as f64 / alone.len() as f64, &mutant.name);
            fates[*index] = by_itself(mutant, &tree, &tests, bar)?;
            tree.mend(mutant)?;
        }
        let missed = alone.iter().filter(|index| fates[**index] == Fate::Missed);
        Ok(format!("{} missed of {}", missed.count(), alone.len()))
    })?;
    report(&drawn, &fates, &from, wish.part.k > 1)
}

/// What is tried, and where it comes from.
fn sample(wish: &Arguments) -> Result<(Vec<Mutant>, String)> {
    let mut all = draw::list(&wish.under)?;
    if wish.again {
        let names = fs::read_to_string(missed()).context("no run has missed one yet")?;
        all.retain(|mutant| names.lines().any(|name| name == mutant.name));
        let from = format!("{} that were missed", all.len());
        return Ok((all, from));
    }
    let seed = wish.seed.map_or_else(draw::seed_of_the_commit, Ok)?;
    let (count, Part { k, n }) = (all.len(), wish.part);
    let from = format!(
        "part {k}/{n} of {} of {count} mutants, seed {seed:08x}",
        wish.sample
    );
    Ok((draw::draw(all, wish.sample, seed, wish.part), from))
}

/// Tries a mutant that has a switch.
fn by_switch(id: usize, tests: &[Test]) -> Result<Fate> {
    for test in tests.iter().filter(|test| test.reaches(id)) {
        let fate = Fate::of(test.attempt(id)?);
        if fate != Fate::Missed {
            return Ok(fate);
        }
    }
    Ok(Fate::Missed)
}

/// Builds a mutant and tries it.
fn by_itself(mutant: &Mutant, tree: &Tree, tests: &[Test], bar: &Bar) -> Result<Fate> {
    if !tree.mutate(mutant)? {
        return Ok(Fate::Unviable);
    }
    // What only the tests do not compile with is a constant that cannot be computed.
    Ok(tests::alone(tree, tests, bar).map_or(Fate::Unviable, Fate::of))
}

/// Prints the score. What was missed is kept for another try, beside that of the parts before.
fn report(drawn: &[Mutant], fates: &[Fate], from: &str, adds: bool) -> Result<()> {
    let count = |fate| fates.iter().filter(|own| **own == fate).count();
    let names = drawn
        .iter()
        .zip(fates)
        .filter(|(_, fate)| **fate == Fate::Missed);
    let mut names: Vec<&str> = names.map(|(mutant, _)| &*mutant.name).collect();
    names.sort_unstable();
    for name in &names {
        println!("missed: {name}");
    }
    keep(&names, adds)?;
    let caught = count(Fate::Caught) + count(Fate::Endless);
    let viable = caught + count(Fate::Missed);
    let percent = 100.0 * caught as f64 / viable.max(1) as f64;
    println!(
        "{} do not compile, {} of the caught ones ran into a time-out",
        count(Fate::Unviable),
        count(Fate::Endless)
    );
    println!("{from}: {caught} of {viable} that compile were caught, {percent:.1} %");
    if caught * 100 < viable * WANTED {
        bail!("fewer than {WANTED} % were caught");
    }
    Ok(())
}

/// Writes the names of those that were missed, beside those of the parts before or without them.
fn keep(names: &[&str], adds: bool) -> Result<()> {
    let before = fs::read_to_string(missed()).unwrap_or_default();
    let before = before.lines().filter(|name| adds && !names.contains(name));
    let all: Vec<&str> = names.iter().copied().chain(before).collect();
    Ok(fs::write(missed(), all.join("\n"))?)
}

/// The names of those that the last run missed.
fn missed() -> PathBuf {
    target_folder().join("mutants/missed.txt")
}
