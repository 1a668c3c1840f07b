//! Says which instructions the target has: the compiler has no such configuration on stable.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(soft_single, soft_double, soft_long)");
    let target = env::var("TARGET").unwrap_or_default();
    let thumb = target.starts_with("thumbv") && target.contains("-none-eabi");
    // The FPU of a Cortex-M has single precision at least. Those without take both from here.
    if thumb && target.ends_with("-none-eabi") {
        println!("cargo:rustc-cfg=soft_single");
    }
    // The routines for double precision are written in Thumb-2.
    if thumb && !target.starts_with("thumbv6m") && !target.starts_with("thumbv8m.base") {
        println!("cargo:rustc-cfg=soft_double");
    }
    // A multiplication that adds two words, which Cortex-M4 and M7 have for certain.
    if target.starts_with("thumbv7em") {
        println!("cargo:rustc-cfg=soft_long");
    }
}
