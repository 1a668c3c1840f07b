//! Which mutants: a list by cargo-mutants, and a draw from it whose seed nobody chooses.

use anyhow::{Context, Result};
use fastrand::Rng;
use serde::Deserialize;
use std::process::Command;
use stiffstep_emulator::firmware::{cargo, workspace};

/// A mutant as cargo-mutants lists it.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    /// What changes where, in words.
    pub name: String,
    /// The file, from the workspace's folder.
    pub file: String,
    /// What is replaced.
    pub span: Span,
    /// By what; nothing, if it is deleted.
    pub replacement: String,
    /// The kind of change.
    pub genre: Genre,
}

/// The kinds of changes that cargo-mutants makes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Genre {
    /// A function that returns something else at once.
    FnValue,
    /// Another operator between two operands.
    BinaryOperator,
    /// A sign or a negation that is left out.
    UnaryOperator,
    /// A pattern that is left out.
    MatchArm,
    /// A guard that always holds, or never.
    MatchArmGuard,
    /// A field that keeps what the base has.
    StructField,
}

/// From one place of a file up to another.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    /// The first character.
    pub start: Place,
    /// The one behind the last.
    pub end: Place,
}

/// A character of a file, counted from one.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Place {
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
}

/// The k-th of n parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 1 to n.
    pub k: usize,
    /// How many there are.
    pub n: usize,
}

impl Part {
    /// Reads `2/3`.
    pub fn read(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Part { k, n }),
            _ => Err("a part is 1/2 or 2/2, 1/3 and so on".into()),
        }
    }

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

/// Every mutant of the core below this folder or file.
pub fn list(under: &str) -> Result<Vec<Mutant>> {
    let mut mutants = cargo();
    mutants.args(["mutants", "--list", "--json", "--package", "stiffstep"]);
    let list = mutants.output()?.stdout;
    let mut all: Vec<Mutant> =
        serde_json::from_slice(&list).context("cargo-mutants gave no list of mutants")?;
    all.retain(|mutant| mutant.file.starts_with(under));
    Ok(all)
}

/// A part of as many as wanted, each mutant at most once.
pub fn draw(mut all: Vec<Mutant>, wanted: usize, seed: u64, part: Part) -> Vec<Mutant> {
    let (mut drawn, mut chance) = (Vec::new(), Rng::with_seed(seed));
    while drawn.len() < wanted && !all.is_empty() {
        drawn.push(all.swap_remove(chance.usize(..all.len())));
    }
    part.of(drawn)
}

/// The first eight hexadecimal digits of the commit: nobody can choose them.
pub fn seed_of_the_commit() -> Result<u64> {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--short=8", "HEAD"])
        .current_dir(workspace());
    let said = git.output().context("git could not be started")?.stdout;
    let said = String::from_utf8_lossy(&said);
    let digits: String = said.trim().chars().take(8).collect();
    u64::from_str_radix(&digits, 16).context("there is no commit whose digits could be the seed")
}

#[cfg(test)]
mod tests {
    use super::Part;

    /// Parts are all of a draw, each mutant once.
    #[test]
    fn parts_make_a_whole() {
        let drawn: Vec<u32> = (0..251).collect();
        let parts = [1, 2].map(|k| Part { k, n: 2 }.of(drawn.clone()));
        assert_eq!([parts[0].len(), parts[1].len()], [125, 126]);
        assert_eq!(parts.concat(), drawn);
        assert_eq!(Part::read("2/2"), Ok(Part { k: 2, n: 2 }));
        for wrong in ["", "2", "0/2", "3/2", "1/0", "a/b"] {
            assert!(Part::read(wrong).is_err(), "{wrong}");
        }
    }
}
