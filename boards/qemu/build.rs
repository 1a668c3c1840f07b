//! Gives the linker the memory map of the board that the target stands for, and the linker scripts.

use std::{env, io};

fn main() -> io::Result<()> {
    let secure = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m"));
    stiffstep_linker::scripts();
    stiffstep_linker::memory(if env::var_os("CARGO_FEATURE_PICO").is_some() {
        "memory/rp2040.x"
    } else if secure {
        "memory/mps2-an505.x"
    } else {
        "memory/mps2.x"
    })
}
