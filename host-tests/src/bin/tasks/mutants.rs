//! `cargo xtask mutants`: small wrong changes of the core, drawn by chance, and whether the quick tests notice them.
//!
//! cargo-mutants makes the changes. Every mutant is built with one test binary, the one that knows its part of the core, so
//! that it takes seconds; those that it misses are tried again with the bits of every workload, and what is then left with all tests.

use crate::install;
use crate::stage::Stages;
use crate::table::table_of;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};
use stiffstep_host_tests::hil::noise::Noise;

/// How many, and which.
#[derive(Args)]
pub struct Mutants {
    /// How many mutants to draw; some of them do not compile and do not count
    #[arg(long, default_value_t = 250)]
    sample: usize,
    /// The seed of the draw; that of the commit, its first eight hexadecimal digits, unless told otherwise
    #[arg(long)]
    seed: Option<u64>,
    /// Only files whose path begins so, as src/linear
    #[arg(long, default_value = "src/")]
    under: String,
    /// No draw, but those that the last run missed: after more tests were written
    #[arg(long)]
    again: bool,
}

/// A mutant as cargo-mutants lists it.
#[derive(Clone, Deserialize)]
struct Mutant {
    name: String,
    file: String,
}

/// The package with the tests.
const KERNEL: &str = "stiffstep-kernel-tests";

/// The part of the mutants that must be noticed, in percent.
const WANTED: usize = 90;

/// Tests that take longer than all the others.
const SLOW: [&str; 11] = [
    "a_fast_shaft_keeps_its_twist",
    "rattle_holds_for_a_million_steps",
    "a_thousand_seconds_keep_to_the_rod",
    "multipliers_are_as_good_as_published",
    "a_million_random_frames",
    "damaged_frames_are",
    "nonlinear_daes_step",
    "a_rounded_constraint_alone",
    "a_swinging_arm_follows_the_reference",
    "akzo_nobel_and_van_der_pol",
    "tolerances_are_worth_their_price",
];

/// The test binary that knows a part of the core: the first whose words begin or are part of the path.
const BINARIES: [(&str, &[&str]); 13] = [
    ("hil", &["src/hil/", "src/memory"]),
    ("numbers", &["src/number/", "src/linear/"]),
    (
        "second_order",
        &[
            "method/bdf",
            "general_linear",
            "method/differences",
            "method/interpolation",
        ],
    ),
    ("others", &["method/runge_kutta"]),
    ("method", &["src/method/"]),
    (
        "second_order",
        &["second_order", "step/multistep", "drive/variable"],
    ),
    ("mechanical", &["src/model/"]),
    ("adaptive", &["src/drive/", "/controlled"]),
    (
        "others",
        &[
            "src/manifold/",
            "step/hessenberg",
            "step/potential",
            "step/slow",
        ],
    ),
    (
        "mechanical",
        &["step/mechanical", "step/lean", "step/full", "step/geometry"],
    ),
    ("mechanical", &["step/linearization", "step/partitioned"]),
    ("first_order", &["src/step/"]),
    ("first_order", &["src/"]),
];

/// The one that also needs a feature of this name.
const BITS: &str = "bits";

/// All of them, and those of the workloads' bits, the papers and published problems, which take longest.
fn all() -> Vec<&'static str> {
    let all: BTreeSet<&str> = BINARIES.iter().map(|(binary, _)| *binary).collect();
    all.into_iter()
        .chain([BITS, "papers", "problems"])
        .collect()
}

fn binary(file: &str) -> &'static str {
    let known = BINARIES
        .iter()
        .find(|(_, words)| words.iter().any(|word| file.contains(word)));
    known.map_or("first_order", |(binary, _)| binary)
}

/// Draws mutants and tries them.
pub fn mutants(wish: &Mutants) -> Result<()> {
    let mut stages = Stages::new(if wish.again { 4 } else { 5 });
    let mut drawn = Vec::new();
    stages.run("mutants", |bar| {
        install::subcommand("mutants", bar)?;
        let list = cargo()
            .args(["mutants", "--list", "--json", "--package", "stiffstep"])
            .output()?;
        let mut all: Vec<Mutant> =
            serde_json::from_slice(&list.stdout).context("the list of mutants is none")?;
        if wish.again {
            let names = std::fs::read_to_string(missed()).context("no run has missed one yet")?;
            let names: BTreeSet<&str> = names.lines().collect();
            all.retain(|mutant| names.contains(&*mutant.name));
            drawn = all;
            return Ok(format!("{} that were missed", drawn.len()));
        }
        all.retain(|mutant| mutant.file.starts_with(&wish.under));
        let seed = wish.seed.map_or_else(of_the_commit, Ok)?;
        let (count, mut noise) = (all.len(), Noise::new(seed));
        while drawn.len() < wish.sample && !all.is_empty() {
            drawn.push(all.swap_remove(noise.below(all.len() as u64) as usize));
        }
        Ok(format!(
            "{} of {count}, seed {seed} ({seed:08x})",
            drawn.len()
        ))
    })?;
    stages.run("the tests without a mutant", |bar| {
        let mut tests = cargo();
        tests.args(["test", "--profile", "mutants", "--package", KERNEL]);
        // Not where mutants are built: what is there may be one.
        tests.env("CARGO_TARGET_DIR", folder().join("unchanged"));
        bar.command(tests.args(named(&all())).args(without_slow()))
            .context("tests that fail anyway notice nothing")?;
        Ok(String::new())
    })?;
    let mut ended = Ended::default();
    stages.run("by the tests of their part", |bar| {
        let mut parts: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
        for mutant in &drawn {
            parts.entry(binary(&mutant.file)).or_default().push(mutant);
        }
        for (part, mutants) in parts {
            bar.say(part);
            ended.take(&attempt(&mutants, &[part], 60)?, &mutants);
        }
        Ok(format!("{} missed", ended.missed.len()))
    })?;
    // Bits that did not change do not change the second time.
    let bits = (!wish.again).then_some(("the missed ones by bits", vec![BITS], 120));
    let rest = ("what is left by all tests", all(), 900);
    for (what, binaries, seconds) in bits.into_iter().chain([rest]) {
        ended.pass(what, &mut stages, &drawn, &binaries, seconds)?;
    }
    ended.report()
}

/// The first eight hexadecimal digits of the commit: nobody can choose them.
fn of_the_commit() -> Result<u64> {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--short=8", "HEAD"])
        .current_dir(workspace());
    let said = git.output().context("git could not be started")?.stdout;
    let digits = String::from_utf8_lossy(&said)
        .trim()
        .chars()
        .take(8)
        .collect::<String>();
    u64::from_str_radix(&digits, 16).context("there is no commit whose digits could be the seed")
}

/// What became of the mutants.
#[derive(Default)]
struct Ended {
    caught: usize,
    /// Did not end: a loop without an end, most of the time. They count as caught.
    endless: usize,
    unviable: usize,
    missed: BTreeSet<String>,
}

impl Ended {
    /// What a folder's lists say of these, and of no other.
    fn take(&mut self, folder: &Path, tried: &[&Mutant]) {
        let lines = |name: &str| -> Vec<String> {
            let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            let ours = |line: &&str| tried.iter().any(|mutant| mutant.name == *line);
            text.lines().filter(ours).map(str::to_owned).collect()
        };
        self.caught += lines("caught.txt").len();
        self.endless += lines("timeout.txt").len();
        self.unviable += lines("unviable.txt").len();
        self.missed.extend(lines("missed.txt"));
    }

    /// Tries those that were missed with other tests.
    fn pass(
        &mut self,
        what: &str,
        stages: &mut Stages,
        drawn: &[Mutant],
        binaries: &[&str],
        seconds: u32,
    ) -> Result<()> {
        stages.run(what, |_| {
            let missed = std::mem::take(&mut self.missed);
            let again: Vec<&Mutant> = drawn.iter().filter(|m| missed.contains(&m.name)).collect();
            if !again.is_empty() {
                self.take(&attempt(&again, binaries, seconds)?, &again);
            }
            Ok(format!("{} missed", self.missed.len()))
        })
    }

    fn report(&self) -> Result<()> {
        let names: Vec<&str> = self.missed.iter().map(String::as_str).collect();
        std::fs::write(missed(), names.join("\n"))?;
        let caught = self.caught + self.endless;
        let viable = caught + self.missed.len();
        let rows = [
            ("caught", self.caught),
            ("did not end", self.endless),
            ("missed", self.missed.len()),
            ("do not compile", self.unviable),
        ];
        let rows = rows.map(|(what, count)| vec![what.to_owned(), count.to_string()]);
        println!("{}", table_of(&["mutants", ""], 1, rows.to_vec()));
        for missed in &self.missed {
            println!("missed: {missed}");
        }
        println!("{caught} of {viable} that compile were caught");
        if caught * 100 < viable * WANTED {
            bail!("fewer than {WANTED} % were caught");
        }
        Ok(())
    }
}

/// Tries these with the named test binaries: the folder of cargo-mutants' lists. What takes longer than so many seconds, several
/// times what the tests need, has no end.
fn attempt(mutants: &[&Mutant], binaries: &[&str], seconds: u32) -> Result<PathBuf> {
    let output = folder().join(format!("found-{}", binaries.join("-")));
    let mut command = Command::new("cargo");
    command
        .args([
            "mutants",
            "--package",
            "stiffstep",
            "--test-package",
            KERNEL,
        ])
        .args(["--profile", "mutants", "--baseline", "skip", "--timeout"])
        .arg(seconds.to_string())
        .args(["--build-timeout", "900", "--no-shuffle", "--output"])
        .arg(&output)
        .env("CARGO_TARGET_DIR", folder().join("build"))
        .current_dir(workspace());
    let files: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.file.as_str()).collect();
    files
        .iter()
        .for_each(|file| _ = command.args(["--file", file]));
    for mutant in mutants {
        command.args(["--re", &format!("^{}$", escaped(&mutant.name))]);
    }
    // Also while it builds, which it does without what follows the dashes.
    for argument in named(binaries) {
        command.arg(format!("--cargo-arg={argument}"));
    }
    command.arg("--").args(without_slow());
    // Its status tells only that some were missed, which is what the lists are for.
    let status = command
        .status()
        .context("cargo-mutants could not be started")?;
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo-mutants failed ({status})");
    }
    Ok(output.join("mutants.out"))
}

/// The arguments of a build that name these binaries.
fn named(binaries: &[&str]) -> Vec<String> {
    let mut arguments: Vec<String> = binaries.iter().map(|b| format!("--test={b}")).collect();
    if binaries.contains(&BITS) {
        arguments.push(format!("--features={BITS}"));
    }
    arguments
}

/// The arguments of a test run that leave out the slow tests.
fn without_slow() -> impl Iterator<Item = &'static str> {
    let skipped = SLOW.into_iter().flat_map(|slow| ["--skip", slow]);
    ["--"].into_iter().chain(skipped)
}

/// The names of those that the last run missed.
fn missed() -> PathBuf {
    folder().join("missed.txt")
}

fn folder() -> PathBuf {
    workspace().join("target/mutants")
}

/// A name as a regular expression of itself.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}
