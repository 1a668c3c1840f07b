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
    /// Only a part of the draw, as 1/2 and then 2/2: two runs that are one sample
    #[arg(long, value_name = "K/N", default_value = "1/1", value_parser = part)]
    part: Part,
    /// No draw, but those that the last run missed: after more tests were written
    #[arg(long)]
    again: bool,
}

/// The k-th of n parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    k: usize,
    n: usize,
}

/// Reads `2/3`.
fn part(text: &str) -> Result<Part, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((k, n)) if (1..=n).contains(&k) => Ok(Part { k, n }),
        _ => Err("a part is 1/2 or 2/2, 1/3 and so on".into()),
    }
}

impl Part {
    /// Its share of what was drawn, in the order of the draw.
    fn of<T>(self, mut drawn: Vec<T>) -> Vec<T> {
        let (from, to) = (
            (self.k - 1) * drawn.len() / self.n,
            self.k * drawn.len() / self.n,
        );
        drawn.truncate(to);
        drawn.drain(..from);
        drawn
    }
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
const SLOW: [&str; 13] = [
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
    "states_are_those_of_the_independent_solution",
    "double_precision_shows_the_method",
];

/// The test binary that knows a part of the core: the first of whose words one is part of the path.
const BINARIES: [(&str, &[&str]); 10] = [
    ("hil", &["src/hil/", "src/memory/"]),
    ("numbers", &["src/number/", "src/linear/"]),
    ("switched", &["src/switched/", "src/electric/"]),
    (
        "second_order",
        &[
            "method/bdf",
            "general_linear",
            "method/differences",
            "method/interpolation",
            "second_order",
            "step/multistep",
            "adaptive/orders",
        ],
    ),
    (
        "others",
        &[
            "method/runge_kutta",
            "src/slow/",
            "step/hessenberg/",
            "step/potential",
            "model/hessenberg",
            "model/potential",
        ],
    ),
    ("method", &["src/method/"]),
    (
        "first_order",
        &[
            "model/circuit",
            "model/first_order",
            "model/linear",
            "step/first_order/",
            "step/map/",
        ],
    ),
    ("adaptive", &["src/drive/", "/controlled"]),
    (
        "mechanical",
        &[
            "src/model/",
            "src/geometry/",
            "step/convergence",
            "step/full",
            "step/lean",
            "step/linearization",
            "step/machine",
            "step/mechanical/",
            "step/motion",
            "step/partitioned",
            "step/turn",
        ],
    ),
    ("first_order", &["src/"]),
];

/// Without optimisation the tables of converters need more stack than a test has.
const STACK: (&str, &str) = ("RUST_MIN_STACK", "67108864");

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
    let (mut drawn, mut draw) = (Vec::new(), String::from("those that were missed"));
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
        drawn = wish.part.of(std::mem::take(&mut drawn));
        let Part { k, n } = wish.part;
        draw = format!(
            "part {k}/{n} of {} of {count} mutants, seed {seed:08x}",
            wish.sample
        );
        Ok(format!("{}: {draw}", drawn.len()))
    })?;
    stages.run("the tests without a mutant", |bar| {
        let mut tests = cargo();
        tests.args(["test", "--profile", "mutants", "--package", KERNEL]);
        // Not where mutants are built: what is there may be one.
        tests.env("CARGO_TARGET_DIR", folder().join("unchanged"));
        tests.env(STACK.0, STACK.1);
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
            ended.take(&attempt(&mutants, &[part], 120)?, &mutants);
        }
        Ok(format!("{} missed", ended.missed.len()))
    })?;
    // Bits that did not change do not change the second time.
    let bits = (!wish.again).then_some(("the missed ones by bits", vec![BITS], 240));
    let rest = ("what is left by all tests", all(), 900);
    for (what, binaries, seconds) in bits.into_iter().chain([rest]) {
        ended.pass(what, &mut stages, &drawn, &binaries, seconds)?;
    }
    ended.report(&draw, wish.part.k > 1)
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

    /// Prints the score of a draw. What was missed is kept for another try, beside that of the parts before.
    fn report(&self, draw: &str, adds: bool) -> Result<()> {
        let before = if adds {
            std::fs::read_to_string(missed()).unwrap_or_default()
        } else {
            String::new()
        };
        let names = self.missed.iter().map(String::as_str);
        let names: BTreeSet<&str> = before.lines().chain(names).collect();
        let names: Vec<&str> = names.into_iter().collect();
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
        let percent = 100.0 * caught as f64 / viable.max(1) as f64;
        println!("{draw}: {caught} of {viable} that compile were caught, {percent:.1} %");
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
        .env(STACK.0, STACK.1)
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

#[cfg(test)]
mod tests {
    use super::{BINARIES, Part, all, part};
    use std::fs;
    use std::path::Path;
    use stiffstep_host_tests::emulator::firmware::workspace;

    fn files(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                files(&path, found);
            } else if let Ok(path) = path.strip_prefix(workspace()) {
                found.push(path.display().to_string());
            }
        }
    }

    /// A part of the core that has moved would be tried with tests that know nothing of it.
    #[test]
    fn every_word_names_a_part_of_the_core() {
        let mut found = Vec::new();
        files(&workspace().join("src"), &mut found);
        assert!(found.len() > 100, "{}", found.len());
        for (binary, words) in BINARIES {
            for word in words {
                assert!(
                    found.iter().any(|file| file.contains(word)),
                    "{binary}: there is no {word}"
                );
            }
        }
        for binary in all() {
            let file = workspace().join(format!("host-tests/kernel/tests/{binary}.rs"));
            assert!(file.is_file(), "there is no {}", file.display());
        }
    }

    /// Parts are all of a draw, each mutant once.
    #[test]
    fn parts_make_a_whole() {
        let drawn: Vec<u32> = (0..251).collect();
        let parts = [1, 2].map(|k| Part { k, n: 2 }.of(drawn.clone()));
        assert_eq!([parts[0].len(), parts[1].len()], [125, 126]);
        assert_eq!(parts.concat(), drawn);
        assert_eq!(part("2/2"), Ok(Part { k: 2, n: 2 }));
        for wrong in ["", "2", "0/2", "3/2", "1/0", "a/b"] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }
}
