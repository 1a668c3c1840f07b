//! Gives the linker the memory map of the board that the target stands for, and the linker scripts themselves.
//!
//! The arguments are here and not in the workspace's configuration, because there they would apply to the host, too.

use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let target = env::var("TARGET")?;
    let map = if target.starts_with("thumbv8m") {
        "memory/mps2-an505.x"
    } else {
        "memory/mps2.x"
    };
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::copy(map, out.join("board.x"))?;
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=memory");
    if target.starts_with("thumb") {
        println!("cargo:rustc-link-arg-bins=--nmagic");
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
        if env::var_os("CARGO_FEATURE_LOG").is_some() {
            println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
        }
    }
    Ok(())
}
