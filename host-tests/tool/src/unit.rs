//! `cargo stiffstep test`: the tests of a plant, as they stand in its folder `tests`, on an emulated core.
//!
//! The standard test harness needs an operating system. So the files are copied without their `#[test]`, into a program that runs the
//! one that it is told to; an emulator is booted for each, because a test that fails ends the program. What is printed has the form of
//! the standard harness. Tests may use what `core` and the plant's dependencies have, and `println!`.

use crate::package::{Package, SCRIPTS, cargo, quoted};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiffstep_emulator::boot::{Boot, boot_with_status};
use stiffstep_emulator::firmware::{add_flags, images_in};
use stiffstep_emulator::stage::Stages;
use stiffstep_emulator::{Board, board};

/// Which tests, and where.
#[derive(clap::Args, Debug)]
pub struct Test {
    /// The emulated board: m0, m3, m4f, m7 or m33
    #[arg(long, default_value = "m4f")]
    pub board: String,
    /// Only tests whose name has this in it
    pub filter: Option<String>,
    /// The plant's Cargo.toml [default: the one of this folder]
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file's name, and the function's.
    pub name: [String; 2],
    /// Whether it is not to be run.
    pub ignored: bool,
    /// Whether it is to fail.
    pub panics: bool,
}

impl Case {
    fn path(&self) -> String {
        self.name.join("::")
    }
}

/// Runs them, and fails if one does.
pub fn test(wish: &Test) -> Result<ExitCode> {
    let board = board(&wish.board)?;
    let package = Package::find(wish.manifest_path.as_deref())?;
    let mut stages = Stages::new(2);
    stages.tools(&[board])?;
    let title = format!("tests for {}", board.core);
    let (image, cases) = stages.make(&title, |_| build(&package, board))?;
    let filter = wish.filter.as_deref().unwrap_or("");
    let chosen = |case: &&Case| case.path().contains(filter);
    let all: Vec<&Case> = cases.iter().filter(chosen).collect();
    let filtered = cases.len() - all.len();
    println!("\nrunning {} tests on {}", all.len(), board.core);
    let (mut passed, mut ignored, mut failures) = (0, 0, Vec::new());
    for case in all {
        if case.ignored {
            ignored += 1;
            println!("test {} ... ignored", case.path());
            continue;
        }
        let (ok, said) = one(&image, board, case)?;
        let verdict = if ok { "ok" } else { "FAILED" };
        println!("test {} ... {verdict}", case.path());
        if ok {
            passed += 1;
        } else {
            failures.push((case, said));
        }
    }
    for (case, said) in &failures {
        println!("\n---- {} stdout ----\n{said}", case.path());
    }
    let verdict = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; {ignored} ignored; 0 measured; {filtered} filtered out",
        failures.len()
    );
    Ok(ExitCode::from(if failures.is_empty() { 0 } else { 101 }))
}

/// Whether a test passes, and what it printed.
fn one(image: &Path, board: Board, case: &Case) -> Result<(bool, String)> {
    let name = case.path();
    let how = Boot {
        argument: &name,
        ..Boot::default()
    };
    let (lines, status) = boot_with_status(board, image, how)?;
    let mut said = lines.join("\n");
    let panicked = match status {
        Some(0) => false,
        Some(101) => true,
        _ => return Ok((false, said + "\nthe processor faulted")),
    };
    if case.panics && !panicked {
        said += "\nit did not panic as it should";
    }
    Ok((panicked == case.panics, said))
}

/// Writes and builds the program.
fn build(package: &Package, board: Board) -> Result<(PathBuf, Vec<Case>)> {
    let tests = package.folder().join("tests");
    let mut names: Vec<PathBuf> = fs::read_dir(&tests)
        .with_context(|| format!("{} has no tests to run", tests.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect();
    names.sort();
    let plant = quoted(&package.folder().canonicalize()?.to_string_lossy());
    let manifest = MANIFEST
        .replace("NAME", &package.name)
        .replace("\"PLANT\"", &plant);
    let mut files = vec![
        ("Cargo.toml".to_owned(), package.kit.fit(&manifest)?),
        ("build.rs".to_owned(), SCRIPTS.to_owned()),
    ];
    let (mut cases, mut modules) = (Vec::new(), String::new());
    for path in &names {
        let file = path.file_stem().and_then(|stem| stem.to_str());
        let file = file.with_context(|| format!("{} is a strange name", path.display()))?;
        let text = fs::read_to_string(path)?;
        let (text, found) = without_harness(file, &text);
        files.push((format!("tests/{file}.rs"), text));
        writeln!(modules, "#[path = \"../tests/{file}.rs\"]\nmod {file};")?;
        cases.extend(found);
    }
    if cases.is_empty() {
        bail!("there is no `#[test]` in {}", tests.display());
    }
    let mut arms = String::new();
    for case in &cases {
        let path = case.path();
        writeln!(arms, "        {path:?} => Verdict::of({path}()),")?;
    }
    let main = MAIN.replace("//MODULES", &modules).replace("//ARMS", &arms);
    files.push(("src/main.rs".to_owned(), main));
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (&**path, text.clone()))
        .collect();
    let home = package.write("unit", &files)?;
    let mut command = cargo(&home.join("Cargo.toml"));
    command.args(["build", "--release"]);
    add_flags(&mut command, board);
    let folder = format!("unit-{}", board.name);
    let (place, target) = (&package.target, board.target);
    let images = images_in(place, &mut command, target, &["unit"], &folder)?;
    let image = images.into_iter().next().context("no image was built")?;
    Ok((image, cases))
}

/// A file of tests as a module, every line where it was, and the tests in it.
pub fn without_harness(file: &str, text: &str) -> (String, Vec<Case>) {
    let (mut out, mut cases) = (String::new(), Vec::new());
    let (mut is_test, mut ignored, mut panics) = (false, false, false);
    for line in text.lines() {
        let word = line.trim();
        let mut line = line.to_owned();
        if word == "#[test]" {
            is_test = true;
            line.clear();
        } else if is_test && word.starts_with("#[ignore") {
            ignored = true;
            line.clear();
        } else if is_test && word.starts_with("#[should_panic") {
            panics = true;
            line.clear();
        } else if let (true, Some(rest)) =
            (is_test, word.trim_start_matches("pub ").strip_prefix("fn "))
        {
            let name = rest.split('(').next().unwrap_or(rest).trim();
            cases.push(Case {
                name: [file, name].map(str::to_owned),
                ignored,
                panics,
            });
            line = line.replacen(word, &format!("pub {}", word.trim_start_matches("pub ")), 1);
            (is_test, ignored, panics) = (false, false, false);
        }
        out += &line;
        out.push('\n');
    }
    (out, cases)
}

const MANIFEST: &str = include_str!("../written/unit.toml.in");

const MAIN: &str = r#"//! The tests of a plant on a board: runs the one that is named.
#![no_std]
#![no_main]
#![allow(dead_code, unused_macros)]

#[allow(unused_imports)]
#[macro_use(print, println)]
extern crate semihosting;
use stiffstep_qemu as _;

//MODULES
/// What a test may answer.
trait Verdict {
    fn of(self);
}

impl Verdict for () {
    fn of(self) {}
}

impl<E: core::fmt::Debug> Verdict for Result<(), E> {
    fn of(self) {
        if let Err(error) = self {
            panic!("Error: {error:?}");
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let arguments = semihosting::experimental::env::args::<256>();
    let name = match &arguments {
        Ok(arguments) => { arguments }.nth(1).and_then(Result::ok).unwrap_or(""),
        Err(_) => "",
    };
    match name {
//ARMS
        _ => panic!("there is no test `{name}`"),
    }
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(101)
}
"#;

#[cfg(test)]
mod tests {
    use super::{Case, without_harness};

    #[test]
    fn lines_stay_where_they_are() {
        let text = "use a::b;\n\n#[test]\nfn one() {\n    assert!(true);\n}\n\n#[test]\n#[should_panic]\nfn two() {}\nfn helper() {}\n";
        let (out, cases) = without_harness("motion", text);
        assert_eq!(out.lines().count(), text.lines().count());
        assert_eq!(out.lines().nth(3), Some("pub fn one() {"));
        let case = |name: &str, panics| Case {
            name: ["motion", name].map(str::to_owned),
            ignored: false,
            panics,
        };
        assert_eq!(cases, [case("one", false), case("two", true)]);
    }
}
