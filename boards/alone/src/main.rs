//! One problem of the benchmark by one method in one precision, and nothing else: features choose it.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use stiffstep_plants::workload::{Workload, alone};
use stiffstep_qemu::record::run_all;

/// How the plant's name begins and ends; in between is its stiffness, a number that changes no code.
const PLANT: (&str, &str) = if cfg!(feature = "p1") {
    ("P1", "")
} else if cfg!(feature = "p2") {
    ("P2", "")
} else if cfg!(feature = "p3-dae") {
    ("P3", "DAE")
} else if cfg!(feature = "p3-ode") {
    ("P3", "ODE")
} else if cfg!(feature = "p3-map") {
    ("P3", "map")
} else if cfg!(feature = "p3-map-10") {
    ("P3", "map 10")
} else if cfg!(feature = "p3-map-20") {
    ("P3", "map 20")
} else if cfg!(feature = "p3-map-30") {
    ("P3", "map 30")
} else if cfg!(feature = "chain-4") {
    ("lean", "chain 4")
} else if cfg!(feature = "chain-8") {
    ("lean", "chain 8")
} else if cfg!(feature = "chain-16") {
    ("lean", "chain 16")
} else if cfg!(feature = "p4-full") {
    ("P4", "full")
} else {
    ("P4", "lean")
};

const SCALAR: &str = if cfg!(feature = "double") {
    "f64"
} else {
    "f32"
};

/// The methods of two stages are projected on the pendulums.
const METHOD: &str = if cfg!(feature = "two") { "2" } else { "3" };

const ROWS: [Option<Workload>; 2] = alone(PLANT, SCALAR, METHOD);

#[entry]
fn main() -> ! {
    run_all(ROWS.iter().flatten());
    semihosting::process::exit(0)
}
