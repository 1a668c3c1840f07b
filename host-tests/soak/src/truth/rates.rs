//! How often a claim was true: counts by iterations, input, kind of step and precision.

use super::affine::Affine;
use super::bars::{Bar, bars};
use super::cell::{Cell, Judged, Said};
use comfy_table::{CellAlignment, Table, presets};

const KINDS: [&str; 3] = ["full", "lean", "first"];

/// All counts: iterations, jump (smooth, after, at), kind, precision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    cells: Box<[[[[Cell; 2]; 3]; 3]; 4]>,
    /// Plants.
    pub plants: u64,
    /// Steps that were judged.
    pub judged: u64,
    /// Runs that ended in an error other than Diverged.
    pub failed: u64,
    /// Steps whose equations could not be solved otherwise.
    pub unsolved: u64,
    /// Affine models in double and in single precision.
    affine: [Affine; 2],
    /// The rounding floor in double and in single precision, by powers of ten.
    floors: [[u64; 17]; 2],
    /// The worst claims, each with how to get it again.
    worst: [Vec<(f64, String)>; 2],
}

/// Which cells a row of the table sums up: none of a kind means all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Which {
    pub n: (u8, u8),
    pub jump: Option<bool>,
    pub kind: Option<u8>,
    pub mechanisms: bool,
    pub single: Option<bool>,
}

impl Rates {
    /// One more step.
    pub fn add(&mut self, j: &Judged) {
        self.judged += 1;
        if j.kind == 3 {
            self.affine[usize::from(j.single)].add(j);
            return;
        }
        let n = usize::from(j.n.clamp(1, 4) - 1);
        let (jump, kind) = (usize::from(j.jump.min(2)), usize::from(j.kind.min(2)));
        self.cells[n][jump][kind][usize::from(j.single)].add(j);
    }

    /// How near to the solution this arithmetic gets, in units of the nominal magnitudes.
    pub fn floor(&mut self, single: bool, floor: f64) {
        let decade = (floor.max(1e-17).log10().floor() + 17.0).clamp(0.0, 16.0) as usize;
        self.floors[usize::from(single)][decade] += 1;
    }

    /// Keeps the worst claims.
    pub fn remember(&mut self, said: Said, ratio: f64, text: &str) {
        let list = &mut self.worst[usize::from(said != Said::Converged)];
        let at = list.partition_point(|(other, _)| *other >= ratio);
        list.insert(at, (ratio, text.to_owned()));
        list.truncate(6);
    }

    /// Both together.
    pub fn merge(&mut self, other: &Rates) {
        self.plants += other.plants;
        self.judged += other.judged;
        self.failed += other.failed;
        self.unsolved += other.unsolved;
        for p in 0..2 {
            self.affine[p].merge(&other.affine[p]);
            for (sum, count) in self.floors[p].iter_mut().zip(&other.floors[p]) {
                *sum += count;
            }
        }
        let said = [Said::Converged, Said::Unconverged];
        for (said, list) in said.into_iter().zip(&other.worst) {
            for (ratio, text) in list {
                self.remember(said, *ratio, text);
            }
        }
        let others = other.cells.as_flattened().as_flattened().as_flattened();
        let own = self.cells.as_flattened_mut().as_flattened_mut();
        for (sum, cell) in own.as_flattened_mut().iter_mut().zip(others) {
            sum.merge(cell);
        }
    }

    fn sum(&self, which: &Which) -> Cell {
        let mut sum = Cell::default();
        for n in which.n.0..=which.n.1 {
            for jump in 0..3 {
                for kind in 0..3 {
                    for single in 0..2 {
                        let wanted = which.jump.is_none_or(|at| at == (jump == 2))
                            && which.kind.is_none_or(|k| usize::from(k) == kind)
                            && !(which.mechanisms && kind == 2)
                            && which.single.is_none_or(|s| usize::from(s) == single);
                        if wanted {
                            let n = usize::from(n - 1);
                            sum.merge(&self.cells[n][jump][kind][single]);
                        }
                    }
                }
            }
        }
        sum
    }

    /// The splits that are printed and asserted, with their names.
    fn splits() -> Vec<(String, Which)> {
        let of = |n, jump| Which {
            n,
            jump,
            ..Which::default()
        };
        let mut all = vec![("all".to_owned(), of((1, 4), None))];
        let jumps = [(Some(false), "smooth"), (Some(true), "jump")];
        let precisions = [(Some(true), "f32"), (Some(false), "f64")];
        for (jump, at) in jumps {
            for n in 1..=4 {
                all.push((format!("n={n} {at}"), of((n, n), jump)));
            }
        }
        for (jump, at) in jumps {
            for (single, bits) in precisions {
                for (n, name) in [((2, 2), "n=2"), ((3, 4), "n=3,4")] {
                    let mut which = of(n, jump);
                    which.single = single;
                    all.push((format!("{name} {bits} {at}"), which));
                }
            }
        }
        for (jump, at) in jumps {
            for kind in 0..3_u8 {
                for (n, name) in [((2, 2), "n=2"), ((3, 3), "n=3"), ((4, 4), "n=4")] {
                    let mut which = of(n, jump);
                    which.kind = Some(kind);
                    let kind = KINDS[usize::from(kind)];
                    all.push((format!("{name} {kind} {at}"), which));
                }
            }
        }
        for (jump, at) in jumps {
            for (n, name) in [((2, 2), "n=2"), ((3, 4), "n=3,4")] {
                let mut which = of(n, jump);
                which.mechanisms = true;
                all.push((format!("{name} mechanisms {at}"), which));
            }
        }
        all
    }

    /// The rounding floors and affine models, which have their own lines, and the worst claims.
    pub fn remarks(&self) -> String {
        let mut text = String::new();
        for (p, name) in [(1, "f32"), (0, "f64")] {
            let floors = &self.floors[p];
            let all: u64 = floors.iter().sum();
            text += &format!("rounding floor {name}, measured in {all} steps, % below");
            let mut below = 0;
            for (decade, count) in floors.iter().enumerate() {
                below += count;
                if *count > 0 {
                    let percent = 100.0 * below as f64 / all as f64;
                    text += &format!(" 1e{}: {percent:.2}", decade as i32 - 16);
                }
            }
            let a = &self.affine[p];
            text += &format!(
                "\naffine {name}: {} steps, {} off by more than the tolerance, {} of these claim less than a third, worst {:.1e}\n",
                a.steps, a.off, a.unsaid, a.worst
            );
        }
        for (ratio, case) in self.worst.iter().flatten() {
            text += &format!("claims too little by {ratio:.0e}: {case}\n");
        }
        text
    }

    /// The table.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header([
            "split", "steps", "C %", "U %", "D %", "a", "worst", "a floor", "worst", "b %", "c",
            "d %", "e %", "above", "l>1e-2", "l>1e-4",
        ]);
        for (name, which) in Self::splits() {
            table.add_row(self.sum(&which).row(&name));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    /// Every bar that is not kept. `chance` allows for the scatter of small samples: so many standard deviations.
    pub fn broken(&self, chance: f64) -> Vec<String> {
        let mut broken = Vec::new();
        for (name, which) in Self::splits() {
            let cell = self.sum(&which);
            let kept = bars(&which, &cell);
            let texts = kept.iter().filter_map(|bar| bar.broken(chance));
            broken.extend(texts.map(|text| format!("{name}: {text}")));
        }
        let a = &self.affine[1];
        let bars = [
            Bar::most("off", a.off, a.steps, 0.02),
            Bar::most("off without a word", a.unsaid, a.steps, 0.0),
        ];
        let texts = bars.iter().filter_map(|bar| bar.broken(chance));
        broken.extend(texts.map(|text| format!("affine f32: {text}")));
        broken
    }
}
