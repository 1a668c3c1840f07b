//! Floating point routines that the compiler calls where the processor has none: hashes of their results over many operands, for
//! the host to compare with its own, and what a call costs.
//!
//! The emulator's argument has parts, apart by semicolons: the routine, then
//! - `grid;FIRST;COUNT`: so many rows of the grid of operands, a hash for each;
//! - `blocks;FIRST;COUNT`: so many blocks of random operands, a hash for each;
//! - `row;NUMBER`, `block;NUMBER`: every result of one of these;
//! - `cost;KIND;COUNT`: instructions of a call, the fewest, of all, and the most, over random operands of a kind, the grid's for 8, of all kinds for 9.
#![no_std]
#![no_main]
#![allow(unsafe_code)] // The routines are called by their names.

use core::hint::black_box;
use cortex_m_rt::entry;
use stiffstep_plants::operands::{BLOCK, Draw, GRID, Hash, grid_double, grid_single};
use stiffstep_plants::workload::Probe;
use stiffstep_qemu::count::Counter;
use stiffstep_qemu::record::with_argument;

/// A routine on bits, by its number of words.
#[derive(Clone, Copy)]
enum Routine {
    /// Takes two `f32`, or what has their size.
    Single(unsafe extern "aapcs" fn(u32, u32) -> u32),
    /// Takes two `f64`.
    Double(unsafe extern "aapcs" fn(u64, u64) -> u64),
    /// Takes two `f64` and gives a word.
    Test(unsafe extern "aapcs" fn(u64, u64) -> u32),
}
use Routine::{Double, Single, Test};

macro_rules! single {
    ($($name:ident)*) => {
        unsafe extern "aapcs" { $(fn $name(a: u32, b: u32) -> u32;)* }
        const SINGLE: &[(&str, Routine)] = &[$((stringify!($name), Single($name)),)*];
    };
}
macro_rules! double {
    ($($name:ident)*) => {
        unsafe extern "aapcs" { $(fn $name(a: u64, b: u64) -> u64;)* }
        const DOUBLE: &[(&str, Routine)] = &[$((stringify!($name), Double($name)),)*];
    };
}
macro_rules! test {
    ($($name:ident)*) => {
        unsafe extern "aapcs" { $(fn $name(a: u64, b: u64) -> u32;)* }
        const TEST: &[(&str, Routine)] = &[$((stringify!($name), Test($name)),)*];
    };
}

single! {
    __aeabi_fadd __aeabi_fsub __aeabi_frsub __aeabi_fmul __aeabi_fdiv
    __aeabi_fcmplt __aeabi_fcmple __aeabi_fcmpgt __aeabi_fcmpge __aeabi_fcmpeq __aeabi_fcmpun
    __aeabi_i2f __aeabi_ui2f __aeabi_l2f __aeabi_ul2f __aeabi_f2iz __aeabi_f2uiz
}
double! { __aeabi_dadd __aeabi_dsub __aeabi_drsub __aeabi_dmul __aeabi_ddiv }
test! { __aeabi_dcmplt __aeabi_dcmple __aeabi_dcmpgt __aeabi_dcmpge __aeabi_dcmpeq __aeabi_dcmpun }

unsafe extern "C" {
    #[cfg(target_abi = "eabihf")]
    fn sqrtf(x: f32) -> f32;
    fn sqrt(x: f64) -> f64;
}

#[cfg(target_abi = "eabihf")]
unsafe extern "aapcs" fn root_single(x: u32, _: u32) -> u32 {
    // SAFETY: a function of a number.
    unsafe { sqrtf(f32::from_bits(x)) }.to_bits()
}

#[cfg(target_abi = "eabi")]
unsafe extern "aapcs" {
    #[link_name = "sqrtf"]
    fn root_single(x: u32, _: u32) -> u32;
}

unsafe extern "aapcs" fn root_double(x: u64, _: u64) -> u64 {
    // SAFETY: a function of a number.
    unsafe { sqrt(f64::from_bits(x)) }.to_bits()
}

core::arch::global_asm!(
    ".thumb_func",
    "nothing_single:",
    ".thumb_func",
    "nothing_double:",
    ".thumb_func",
    "nothing_test:",
    "bx lr",
    ".global nothing_single, nothing_double, nothing_test",
);

unsafe extern "aapcs" {
    fn nothing_single(a: u32, b: u32) -> u32;
    fn nothing_double(a: u64, b: u64) -> u64;
    fn nothing_test(a: u64, b: u64) -> u32;
}

const ROOTS: [(&str, Routine); 2] = [
    ("sqrtf", Single(root_single)),
    ("sqrt", Double(root_double)),
];

fn routine(name: &str) -> Option<Routine> {
    let mut all = SINGLE.iter().chain(DOUBLE).chain(TEST).chain(&ROOTS);
    all.find(|(known, _)| *known == name)
        .map(|(_, routine)| *routine)
}

impl Routine {
    /// The result of a pair of the grid.
    fn on_grid(self, i: u32, j: u32) -> [u32; 2] {
        let (a, b) = self.grid(i, j);
        self.call(a, b)
    }

    fn grid(self, i: u32, j: u32) -> (u64, u64) {
        match self {
            Single(_) => (grid_single(i).into(), grid_single(j).into()),
            Double(_) | Test(_) => (grid_double(i), grid_double(j)),
        }
    }

    /// The result of the next pair.
    fn on_draw(self, draw: &mut Draw) -> [u32; 2] {
        let (a, b) = self.operands(draw);
        self.call(a, b)
    }

    fn operands(self, draw: &mut Draw) -> (u64, u64) {
        match self {
            Single(_) => {
                let (a, b) = draw.single();
                (a.into(), b.into())
            }
            Double(_) | Test(_) => draw.double(),
        }
    }

    /// Without the sign.
    fn magnitude(self, a: u64) -> u64 {
        match self {
            Single(_) => a & 0x7fff_ffff,
            Double(_) | Test(_) => a & (u64::MAX >> 1),
        }
    }

    #[inline(always)]
    fn call(self, a: u64, b: u64) -> [u32; 2] {
        // SAFETY: functions of numbers, all of them.
        match self {
            Single(of) => [unsafe { of(a as u32, b as u32) }, 0],
            Double(of) => {
                let y = unsafe { of(a, b) };
                [y as u32, (y >> 32) as u32]
            }
            Test(of) => [unsafe { of(a, b) }, 0],
        }
    }

    /// One that does nothing, with the same operands.
    fn nothing(self) -> Routine {
        match self {
            Single(_) => Single(nothing_single),
            Double(_) => Double(nothing_double),
            Test(_) => Test(nothing_test),
        }
    }

    /// Instructions of a call.
    #[inline(never)]
    fn count(self, a: u64, b: u64, counter: &mut Counter) {
        match self {
            // SAFETY: as above.
            Single(of) => {
                let (a, b) = (a as u32, b as u32);
                counter.begin();
                black_box(unsafe { of(a, b) });
                counter.end();
            }
            Double(of) => {
                counter.begin();
                black_box(unsafe { of(a, b) });
                counter.end();
            }
            Test(of) => {
                counter.begin();
                black_box(unsafe { of(a, b) });
                counter.end();
            }
        }
    }
}

fn absorb(hash: &mut Hash, result: [u32; 2]) {
    hash.absorb(result[0]);
    hash.absorb(result[1]);
}

fn grid(routine: Routine, first: u32, count: u32) {
    for i in (first..GRID).take(count as usize) {
        let mut hash = Hash::EMPTY;
        for j in 0..GRID {
            absorb(&mut hash, routine.on_grid(i, j));
        }
        defmt::println!("hash|{=u32:x}|{=u32:x}", i, hash.0);
    }
}

fn blocks(routine: Routine, first: u32, count: u32) {
    for block in first..first + count {
        let mut draw = Draw::of_block(block);
        let mut hash = Hash::EMPTY;
        for _ in 0..BLOCK {
            absorb(&mut hash, routine.on_draw(&mut draw));
        }
        defmt::println!("hash|{=u32:x}|{=u32:x}", block, hash.0);
    }
}

fn row(routine: Routine, i: u32) {
    for j in 0..GRID {
        let [low, high] = routine.on_grid(i, j);
        defmt::println!("result|{=u32:x}|{=u32:x}", high, low);
    }
}

fn results(routine: Routine, block: u32) {
    let mut draw = Draw::of_block(block);
    for _ in 0..BLOCK {
        let [low, high] = routine.on_draw(&mut draw);
        defmt::println!("result|{=u32:x}|{=u32:x}", high, low);
    }
}

/// Stands for the grid among the kinds of operands.
const GRID_KIND: u32 = 8;

/// All kinds of random operands in turn.
const EVERY_KIND: u32 = 9;

fn cost(routine: Routine, kind: u32, count: u32, positive: bool) {
    let Some(counter) = Counter::new() else {
        return;
    };
    let mut empty = counter.restarted();
    routine.nothing().count(0, 0, &mut empty);
    let mut counted = counter.restarted();
    let mut draw = Draw::of_block(0);
    for k in 0..count {
        let (a, b) = if kind == GRID_KIND {
            // All over it: the factor has none in common with the number of pairs.
            let pair = k.wrapping_mul(7_919) % (GRID * GRID);
            routine.grid(pair / GRID, pair % GRID)
        } else if kind == EVERY_KIND {
            routine.operands(&mut draw)
        } else {
            routine.operands(draw.of_kind(kind))
        };
        let a = if positive { routine.magnitude(a) } else { a };
        routine.count(a, b, &mut counted);
    }
    // What does nothing is one instruction, its return.
    let net = |count: u32| count + 1 - empty.least;
    defmt::println!(
        "cost|{=u32}|{=u64}|{=u32}",
        net(counted.least),
        counted.total - u64::from(count) * u64::from(empty.least - 1),
        net(counted.most)
    );
}

#[entry]
fn main() -> ! {
    with_argument(|argument| {
        let mut parts = argument.split(';');
        let mut next = || parts.next().unwrap_or("");
        let name = next();
        let Some(routine) = routine(name) else {
            return;
        };
        let (what, mut number) = (next(), || next().parse().unwrap_or(0));
        match what {
            "grid" => grid(routine, number(), number()),
            "row" => row(routine, number()),
            "blocks" => blocks(routine, number(), number()),
            "block" => results(routine, number()),
            "cost" => cost(routine, number(), number(), name.starts_with("sqrt")),
            _ => {}
        }
    });
    semihosting::process::exit(0)
}
