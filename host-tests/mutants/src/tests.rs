//! The tests that mutants are tried with: each in a process of its own, with what it reaches and how long it takes.

use crate::tree::Tree;
use anyhow::{Result, anyhow, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use stiffstep_emulator::firmware::target_folder;
use stiffstep_emulator::stage::Bar;

/// The test binaries that compute on this machine, boot nothing and build nothing.
const COMPUTE: [(&str, &[&str]); 5] = [
    ("stiffstep", &[]),
    ("stiffstep-plants", &["bits"]),
    ("stiffstep-host-tests", &["computes"]),
    ("stiffstep-soak", &["properties", "soak"]),
    (
        "stiffstep-switched-tests",
        &[
            "accuracy",
            "circuits",
            "coupled",
            "events",
            "freewheeling",
            "machines",
            "mild",
            "netlist",
            "reach",
            "rig",
            "sags",
            "servo",
            "step",
            "zeros",
        ],
    ),
];

/// What a mutant that is built by itself is tried with: the bits of every workload, which hardly anything escapes, and then tests.
const BITS: [(&str, &[&str]); 1] = [("stiffstep-plants", &["bits"])];
const ALONE: [(&str, &[&str]); 2] = [("stiffstep", &[]), ("stiffstep-host-tests", &["computes"])];

/// Tests of a mutant that is built by itself are not optimised: those that take longer would take minutes.
const LONGEST_ALONE: Duration = Duration::from_millis(200);

/// These read the source, switches included.
const READS_SOURCE: &str = "layers::";

/// Tests that take longer are not tried: hardly a mutant is seen by them alone.
const LONGEST: Duration = Duration::from_secs(60);

/// A test, as it is without a mutant.
pub struct Test {
    binary: PathBuf,
    folder: PathBuf,
    name: String,
    /// How long it takes.
    took: Duration,
    /// The numbers of the mutants that it comes upon.
    reached: BTreeSet<usize>,
}

/// How a test ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not end in time.
    Endless,
}

/// How many tests run at once.
pub fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does something with each of them, several at once.
pub fn each<T: Sync, U: Send>(
    all: &[T],
    bar: &Bar,
    work: impl Fn(&T) -> Result<U> + Sync,
) -> Result<Vec<U>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            bar.fraction(next.load(Ordering::Relaxed) as f64 / all.len() as f64);
            done.push(work(one)?);
        }
        Ok(done)
    };
    let done: Result<Vec<Vec<U>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers()).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|done| done.map_err(|_| anyhow!("a worker panicked"))?)
            .collect()
    });
    Ok(done?.into_iter().flatten().collect())
}

/// A test binary, and the folder of its package.
type Binary = (PathBuf, PathBuf);

/// Builds test binaries of a tree, with the unit tests of their packages.
fn build(tree: &Tree, packages: &[(&str, &[&str])], bar: &Bar) -> Result<Vec<Binary>> {
    let mut cargo = tree.cargo();
    cargo.args([
        "test",
        "--no-run",
        "--quiet",
        "--lib",
        "--features",
        "stiffstep/hil",
    ]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    for (package, tests) in packages {
        cargo.args(["--package", package]);
        tests
            .iter()
            .for_each(|test| _ = cargo.args(["--test", test]));
    }
    let output = bar.command(&mut cargo)?;
    let messages = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let binary = |message: Value| {
        let tests = message["profile"]["test"].as_bool() == Some(true);
        let path = PathBuf::from(message["executable"].as_str().filter(|_| tests)?);
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        Some((path, manifest.parent()?.to_owned()))
    };
    Ok(messages.filter_map(binary).collect())
}

/// What becomes of the one mutant of a tree.
pub fn alone(tree: &Tree, tests: &[Test], bar: &Bar) -> Result<End> {
    for (binary, folder) in build(tree, &BITS, bar)? {
        let end = run(&mut Command::new(&binary), &folder, LONGEST * 6)?;
        if end != End::Passed {
            return Ok(end);
        }
    }
    let binaries = build(tree, &ALONE, bar)?;
    for test in tests.iter().filter(|test| test.took <= LONGEST_ALONE) {
        if let Some((binary, _)) = binaries
            .iter()
            .find(|own| kind(&own.0) == kind(&test.binary))
        {
            let end = test.run(binary, LONGEST * 2, None)?;
            if end != End::Passed {
                return Ok(end);
            }
        }
    }
    Ok(End::Passed)
}

/// The name of a test binary without the digits that tell its builds apart.
fn kind(binary: &Path) -> &str {
    let name = binary.file_stem().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    name.rsplit_once('-').map_or(name, |(kind, _)| kind)
}

/// Builds the tests, runs each once without a mutant, and gives those that are quick, the quickest first.
pub fn all(tree: &Tree, bar: &Bar) -> Result<Vec<Test>> {
    let mut listed = Vec::new();
    for (binary, folder) in build(tree, &COMPUTE, bar)? {
        let mut list = Command::new(&binary);
        list.args(["--list", "--format", "terse"])
            .current_dir(&folder);
        for line in String::from_utf8_lossy(&list.output()?.stdout).lines() {
            let name = line.strip_suffix(": test");
            if let Some(name) = name.filter(|name| !name.starts_with(READS_SOURCE)) {
                listed.push((binary.clone(), folder.clone(), name.to_owned()));
            }
        }
    }
    let tests = each(&listed, bar, |(binary, folder, name)| {
        Test::measured(binary, folder, name)
    })?;
    let mut quick: Vec<Test> = tests.into_iter().flatten().collect();
    quick.sort_by_key(|test| test.took);
    Ok(quick)
}

impl Test {
    /// Runs it without a mutant; nothing, if it takes too long.
    fn measured(binary: &Path, folder: &Path, name: &str) -> Result<Option<Self>> {
        let mut test = Test {
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            name: name.to_owned(),
            took: Duration::ZERO,
            reached: BTreeSet::new(),
        };
        let file = format!("mutants/reached-{}", name.replace("::", "-"));
        let record = target_folder().join(file);
        _ = fs::remove_file(&record);
        let began = Instant::now();
        let end = test.run(
            binary,
            LONGEST,
            Some(("MUTANTS_REACHED", &record.display().to_string())),
        )?;
        test.took = began.elapsed();
        let reached = fs::read_to_string(&record).unwrap_or_default();
        _ = fs::remove_file(&record);
        test.reached = reached
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect();
        match end {
            End::Passed => Ok(Some(test)),
            End::Endless => Ok(None),
            End::Failed => bail!("{name} fails without a mutant"),
        }
    }

    /// Whether it comes upon the mutant of this number.
    pub fn reaches(&self, id: usize) -> bool {
        self.reached.contains(&id)
    }

    /// Tries the mutant of this number.
    pub fn attempt(&self, id: usize) -> Result<End> {
        // Far more than it takes, beside another one, too.
        let limit = self.took * 20 + Duration::from_secs(20);
        self.run(&self.binary, limit, Some(("MUTANT", &id.to_string())))
    }

    fn run(&self, binary: &Path, limit: Duration, with: Option<(&str, &str)>) -> Result<End> {
        let mut command = Command::new(binary);
        command.args(["--exact", &self.name, "--test-threads=1"]);
        run(command.envs(with), &self.folder, limit)
    }
}

/// Runs a program, for so long at most.
fn run(command: &mut Command, folder: &Path, limit: Duration) -> Result<End> {
    command.current_dir(folder).stdin(Stdio::null());
    // Without optimisation the tables of converters need more stack than a test has.
    command.env("RUST_MIN_STACK", "67108864");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (mut child, began) = (command.spawn()?, Instant::now());
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(End::Passed),
            Some(_) => return Ok(End::Failed),
            None if began.elapsed() > limit => break,
            None => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    Ok(End::Endless)
}

#[cfg(test)]
mod checks {
    use super::COMPUTE;
    use std::fs;
    use stiffstep_emulator::firmware::workspace;

    /// These build or boot something, or ask another program.
    const OTHERS: [&str; 7] = [
        "boards", "boots", "messages", "miri", "spice", "stranger", "tool",
    ];

    /// A test file that nobody lists would meet no mutant.
    #[test]
    fn no_test_is_forgotten() {
        let listed = |name: &str| COMPUTE.iter().any(|(_, tests)| tests.contains(&name));
        let packages = fs::read_dir(workspace().join("host-tests"))
            .into_iter()
            .flatten();
        let folders = packages.flatten().map(|entry| entry.path());
        let folders = folders.map(|path| match path.ends_with("tests") {
            true => path,
            false => path.join("tests"),
        });
        let mut seen = 0;
        for entry in folders
            .filter_map(|path| fs::read_dir(path).ok())
            .flatten()
            .flatten()
        {
            let path = entry.path();
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            assert!(listed(name) || OTHERS.contains(&name), "{}", path.display());
            seen += 1;
        }
        assert!(seen > 20, "{seen}");
    }
}
