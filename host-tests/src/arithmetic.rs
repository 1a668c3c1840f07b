//! Floating point routines of boards without the hardware for it, compared with this machine's hardware to the last bit.
//!
//! The board draws operands, calls a routine and hashes its results; we do the same with our own operators. Where hashes differ, the
//! block is run again and the first operands that differ are named.

use crate::emulator::Board;
use crate::emulator::boot::{Boot, boot};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::time::Duration;
use stiffstep_plants::operands::{BLOCK, Draw, GRID, Hash, grid_double, grid_single};

/// A routine of the compiler's runtime, by its name, and what it gives.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    /// The symbol.
    pub name: &'static str,
    of: Function,
}

const fn routine(name: &'static str, of: Function) -> Routine {
    Routine { name, of }
}

#[derive(Clone, Copy, Debug)]
enum Function {
    Single(fn(u32, u32) -> u32),
    Double(fn(u64, u64) -> u64),
    Test(fn(f64, f64) -> bool),
}
use Function::{Double, Single, Test};

/// A NaN that is the result of arithmetic: the same one always.
const NAN_SINGLE: u32 = 0x7fc0_0000;
const NAN_DOUBLE: u64 = 0x7ff8_0000_0000_0000;

fn single(y: f32) -> u32 {
    if y.is_nan() { NAN_SINGLE } else { y.to_bits() }
}

fn double(y: f64) -> u64 {
    if y.is_nan() { NAN_DOUBLE } else { y.to_bits() }
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

macro_rules! on_f32 {
    (|$a:ident, $b:ident| $y:expr) => {
        Single(|a, b| {
            let ($a, $b) = (f32::from_bits(a), f32::from_bits(b));
            $y
        })
    };
}

macro_rules! on_f64 {
    (|$a:ident, $b:ident| $y:expr) => {
        Double(|a, b| {
            let ($a, $b) = (f64::from_bits(a), f64::from_bits(b));
            double($y)
        })
    };
}

/// The routines for `f32`.
pub const SINGLE: [Routine; 18] = [
    routine("__aeabi_fadd", on_f32!(|a, b| single(a + b))),
    routine("__aeabi_fsub", on_f32!(|a, b| single(a - b))),
    routine("__aeabi_frsub", on_f32!(|a, b| single(b - a))),
    routine("__aeabi_fmul", on_f32!(|a, b| single(a * b))),
    routine("__aeabi_fdiv", on_f32!(|a, b| single(a / b))),
    routine("sqrtf", on_f32!(|a, _b| single(a.sqrt()))),
    routine("__aeabi_fcmplt", on_f32!(|a, b| (a < b).into())),
    routine("__aeabi_fcmple", on_f32!(|a, b| (a <= b).into())),
    routine("__aeabi_fcmpgt", on_f32!(|a, b| (a > b).into())),
    routine("__aeabi_fcmpge", on_f32!(|a, b| (a >= b).into())),
    routine("__aeabi_fcmpeq", on_f32!(|a, b| (a == b).into())),
    routine(
        "__aeabi_fcmpun",
        on_f32!(|a, b| (a.is_nan() || b.is_nan()).into()),
    ),
    routine("__aeabi_f2iz", on_f32!(|a, _b| (a as i32).cast_unsigned())),
    routine("__aeabi_f2uiz", on_f32!(|a, _b| a as u32)),
    routine("__aeabi_i2f", Single(|a, _| single(a.cast_signed() as f32))),
    routine("__aeabi_ui2f", Single(|a, _| single(a as f32))),
    routine(
        "__aeabi_l2f",
        Single(|a, b| single(wide(a, b).cast_signed() as f32)),
    ),
    routine("__aeabi_ul2f", Single(|a, b| single(wide(a, b) as f32))),
];

/// The routines for `f64`.
pub const DOUBLE: [Routine; 12] = [
    routine("__aeabi_dadd", on_f64!(|a, b| a + b)),
    routine("__aeabi_dsub", on_f64!(|a, b| a - b)),
    routine("__aeabi_drsub", on_f64!(|a, b| b - a)),
    routine("__aeabi_dmul", on_f64!(|a, b| a * b)),
    routine("__aeabi_ddiv", on_f64!(|a, b| a / b)),
    routine("sqrt", on_f64!(|a, _b| a.sqrt())),
    routine("__aeabi_dcmplt", Test(|a, b| a < b)),
    routine("__aeabi_dcmple", Test(|a, b| a <= b)),
    routine("__aeabi_dcmpgt", Test(|a, b| a > b)),
    routine("__aeabi_dcmpge", Test(|a, b| a >= b)),
    routine("__aeabi_dcmpeq", Test(|a, b| a == b)),
    routine("__aeabi_dcmpun", Test(|a, b| a.is_nan() || b.is_nan())),
];

impl Routine {
    /// What it gives for bits, low word first.
    fn call(&self, a: u64, b: u64) -> [u32; 2] {
        match self.of {
            Single(of) => [of(a as u32, b as u32), 0],
            Double(of) => {
                let y = of(a, b);
                [y as u32, (y >> 32) as u32]
            }
            Test(of) => [of(f64::from_bits(a), f64::from_bits(b)).into(), 0],
        }
    }

    fn operands(&self, draw: &mut Draw) -> (u64, u64) {
        match self.of {
            Single(_) => {
                let (a, b) = draw.single();
                (a.into(), b.into())
            }
            Double(_) | Test(_) => draw.double(),
        }
    }

    fn grid(&self, i: u32, j: u32) -> (u64, u64) {
        match self.of {
            Single(_) => (grid_single(i).into(), grid_single(j).into()),
            Double(_) | Test(_) => (grid_double(i), grid_double(j)),
        }
    }

    fn hash(&self, operands: impl Iterator<Item = (u64, u64)>) -> u32 {
        let mut hash = Hash::EMPTY;
        for (a, b) in operands {
            let [low, high] = self.call(a, b);
            hash.absorb(low);
            hash.absorb(high);
        }
        hash.0
    }

    fn drawn(&self, block: u32) -> impl Iterator<Item = (u64, u64)> {
        let mut draw = Draw::of_block(block);
        (0..BLOCK).map(move |_| self.operands(&mut draw))
    }

    /// Compares all pairs of the grid, which has every special number and every kind of rounding.
    pub fn same_on_grid(&self, board: Board, image: &Path) -> Result<()> {
        for (i, hash) in hashes(board, image, &format!("{};grid;0;{GRID}", self.name), GRID)? {
            if hash != self.hash((0..GRID).map(|j| self.grid(i, j))) {
                let lines = lines(board, image, &format!("{};row;{i}", self.name))?;
                self.first_difference((0..GRID).map(|j| self.grid(i, j)), &lines)?;
            }
        }
        Ok(())
    }

    /// Compares so many pairs of random operands, rounded up to blocks.
    pub fn same_on_pairs(&self, board: Board, image: &Path, pairs: u64) -> Result<()> {
        let blocks = pairs.div_ceil(BLOCK.into()) as u32;
        let argument = format!("{};blocks;0;{blocks}", self.name);
        for (block, hash) in hashes(board, image, &argument, blocks)? {
            if hash != self.hash(self.drawn(block)) {
                let lines = lines(board, image, &format!("{};block;{block}", self.name))?;
                self.first_difference(self.drawn(block), &lines)?;
            }
        }
        Ok(())
    }

    /// Names the first operands whose result on a board differs from ours.
    fn first_difference(
        &self,
        operands: impl Iterator<Item = (u64, u64)>,
        lines: &[String],
    ) -> Result<()> {
        for ((a, b), line) in operands.zip(lines) {
            let words = numbers(line, "result")?;
            let own = self.call(a, b);
            ensure!(
                words == [own[1], own[0]],
                "{} of {a:x}, {b:x}: {words:x?} on the board, {own:x?} here",
                self.name
            );
        }
        bail!("{}: a hash differs, but no result does", self.name)
    }

    /// Instructions of a call: the fewest, the mean and the most, over operands of a kind, the grid's for 8, of all kinds for 9.
    pub fn cost(&self, board: Board, image: &Path, kind: u32, count: u32) -> Result<Cost> {
        let how = Boot {
            argument: &format!("{};cost;{kind};{count}", self.name),
            ..Boot::counted()
        };
        let lines = boot(board, image, how)?;
        let line = lines.first();
        let line = line.context("the board did not say what a call costs")?;
        let fields: Vec<&str> = line.split('|').collect();
        let [_, least, total, most] = fields[..] else {
            bail!("`{line}` is no cost");
        };
        Ok(Cost {
            least: least.parse()?,
            mean: total.parse::<f64>()? / f64::from(count),
            most: most.parse()?,
        })
    }
}

/// Instructions of a call.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The fewest.
    pub least: u32,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: u32,
}

fn lines(board: Board, image: &Path, argument: &str) -> Result<Vec<String>> {
    let how = Boot {
        argument,
        limit: Duration::from_secs(3600),
        ..Boot::default()
    };
    boot(board, image, how)
}

/// The board's hashes and what they are of.
fn hashes(board: Board, image: &Path, argument: &str, count: u32) -> Result<Vec<(u32, u32)>> {
    let lines = lines(board, image, argument)?;
    ensure!(
        lines.len() == count as usize,
        "{argument}: {} hashes",
        lines.len()
    );
    lines
        .iter()
        .map(|line| numbers(line, "hash").map(|[place, hash]| (place, hash)))
        .collect()
}

/// The two numbers of a line of the log, hexadecimal.
fn numbers(line: &str, kind: &str) -> Result<[u32; 2]> {
    let fields: Vec<&str> = line.split('|').collect();
    match fields[..] {
        [first, a, b] if first == kind => {
            Ok([u32::from_str_radix(a, 16)?, u32::from_str_radix(b, 16)?])
        }
        _ => bail!("`{line}` is no {kind}"),
    }
}
