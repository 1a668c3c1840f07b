//! Images with one problem of the benchmark, one method and one number type: what a step costs as a user gets it.
//!
//! What else is linked into an image changes what the compiler inlines into a step, by up to a tenth of its cost and half of its stack.

use super::Board;
use super::firmware::{add_flags, cargo, images};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use stiffstep_plants::workload::{CHAINS_ALONE, MAPS, Workload, benchmark};

/// An image, by the features of the package `stiffstep-alone` that make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alone {
    problem: &'static str,
    two: bool,
    double: bool,
    /// A feature of one's own, or none.
    extra: &'static str,
}

impl Alone {
    /// The image that a row of the benchmark, a map, or a chain that has one is measured in.
    pub fn of(workload: &Workload) -> Self {
        let problem = match (workload.plant.get(..2), workload.plant) {
            (Some("P1"), _) => "p1",
            (Some("P2"), _) => "p2",
            (Some("P3"), plant) if plant.ends_with("DAE") => "p3-dae",
            (_, plant) if plant.ends_with("map") => "p3-map",
            (_, "P3 map 10") => "p3-map-10",
            (_, "P3 map 20") => "p3-map-20",
            (_, "P3 map 30") => "p3-map-30",
            (Some("P3"), _) => "p3-ode",
            (_, "lean chain 4") => "chain-4",
            (_, "lean chain 8") => "chain-8",
            (_, "lean chain 16") => "chain-16",
            (_, plant) if plant.ends_with("full") => "p4-full",
            _ => "p4-lean",
        };
        Alone {
            problem,
            two: workload.method.ends_with('2'),
            double: workload.scalar == "f64",
            extra: "",
        }
    }

    /// All images of the benchmark and of the maps.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for image in benchmark().chain(MAPS).map(Alone::of) {
            if !all.contains(&image) {
                all.push(image);
            }
        }
        all
    }

    /// Those of the chains.
    pub fn chains() -> [Self; 3] {
        CHAINS_ALONE.each_ref().map(Alone::of)
    }

    /// The same with a feature more: `slower` with useless work in every step, `pico` for a Raspberry Pi Pico's memories.
    pub fn with(self, extra: &'static str) -> Self {
        Alone { extra, ..self }
    }

    /// The rows that it runs.
    pub fn rows(self) -> impl Iterator<Item = &'static Workload> {
        let all = benchmark().chain(MAPS).chain(&CHAINS_ALONE);
        all.filter(move |workload| Alone::of(workload) == self.with(""))
    }

    fn features(self) -> Vec<&'static str> {
        let all = [
            (self.problem, true),
            ("two", self.two),
            ("double", self.double),
            (self.extra, !self.extra.is_empty()),
        ];
        all.iter()
            .filter(|(_, on)| *on)
            .map(|(feature, _)| *feature)
            .collect()
    }

    /// The image for a board, built on first use in this process.
    pub fn image(self, board: Board) -> Result<PathBuf> {
        type Images = BTreeMap<(&'static str, Alone), PathBuf>;
        static BUILT: Mutex<Images> = Mutex::new(BTreeMap::new());
        let built = || BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = built().get(&(board.name, self)) {
            return Ok(image.clone());
        }
        let features = self.features();
        let mut cargo = cargo();
        cargo.args(["build", "--release", "--package", "stiffstep-alone"]);
        cargo.args(["--features", &features.join(",")]);
        add_flags(&mut cargo, board);
        let folder = format!("{}-{}", board.name, features.join("-"));
        let image = images(&mut cargo, board.target, &["alone"], &folder)?;
        let image = image.into_iter().next().context("cargo built nothing")?;
        built().insert((board.name, self), image.clone());
        Ok(image)
    }
}
