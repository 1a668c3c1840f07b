//! What the build scripts of boards, and of firmware outside this repository, tell the linker.
//!
//! The arguments are set by build scripts and not in a configuration of cargo's, because there they would apply to the host,
//! too.

use std::path::PathBuf;
use std::{env, fs, io};

/// For the build script of a board's library: this file is the board's memory map.
///
/// The map is found as `board.x`, and as `memory.x` unless the folder that cargo builds in has one of its own: the linker
/// looks there first.
pub fn memory(map: &str) -> io::Result<()> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    let out =
        out.ok_or_else(|| io::Error::other("OUT_DIR is not set: this is for build scripts"))?;
    fs::copy(map, out.join("board.x"))?;
    fs::write(out.join("memory.x"), "INCLUDE board.x\n")?;
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={map}");
    Ok(())
}

/// For the build script of firmware: the linker scripts of its binaries, those of the log included if there is a feature
/// `log` and it is on. Nothing for the host.
pub fn scripts() {
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumb")) {
        println!("cargo:rustc-link-arg-bins=--nmagic");
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
        if env::var_os("CARGO_FEATURE_LOG").is_some() {
            println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
        }
    }
}
