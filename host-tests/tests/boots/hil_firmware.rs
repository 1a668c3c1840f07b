//! The firmware of real boards: every plant, every chip. What is to be flashed is built as it is flashed, and its size told;
//! of the other chips of the family it is enough to see that they build. `hil_boot.rs` boots it.

use std::process::Command;
use stiffstep_host_tests::emulator::firmware::{cargo, target_folder};
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::hil::emulated::Kit;
use stiffstep_plants::rigs::NAMES;

/// Builds plants with these arguments; flash and RAM must fit the smallest chip of the family, with the stack.
fn build(kit: Kit, plants: &[&str], arguments: &[&str], folder: &str, flash: u64) {
    let images = kit.build_with(plants, arguments, folder).unwrap();
    assert_eq!(images.len(), plants.len());
    for (name, image) in plants.iter().zip(images) {
        let size = size(&image).unwrap();
        println!(
            "firmware: {folder}: {name}: {} bytes of flash, {} of RAM",
            size.flash, size.ram
        );
        assert!(size.flash <= flash, "{folder}: {name}: {size:?}");
        // The session and everything else of a plant is on the stack: see that it has room.
        assert!(size.ram <= 16 * 1024, "{folder}: {name}: {size:?}");
    }
}

const F405: [&str; 2] = ["--features", "f405"];

#[test]
fn stm32f405() {
    build(Kit::Stm32f4, &["arm"], &F405, "hil-stm32f405", 128 * 1024);
}

/// With everything that its pins can do: pulses, an encoder, outputs.
#[test]
fn a_drive_on_an_stm32f405() {
    let images = Kit::Stm32f4
        .build_binaries(&["drive"], &F405, "hil-stm32f405-drive")
        .unwrap();
    let size = size(&images[0]).unwrap();
    println!("firmware: drive: {size:?}");
    assert!(size.ram <= 16 * 1024, "{size:?}");
}

#[test]
fn raspberry_pi_pico() {
    build(Kit::Rp2040, &["arm"], &[], "hil-pico", 128 * 1024);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn every_plant_of_every_board() {
    build(Kit::Stm32f4, &NAMES, &F405, "hil-stm32f405", 128 * 1024);
    build(Kit::Rp2040, &NAMES, &[], "hil-pico", 128 * 1024);
}

/// These are Nucleo boards, with less flash, and another UART. Naming the chip is enough.
#[test]
fn stm32f411_and_stm32f446() {
    for chip in ["f411", "f446,crystal-25"] {
        let arguments = ["--profile", "quick", "--features", chip];
        let folder = format!("hil-stm32-{chip}");
        build(Kit::Stm32f4, &["dc-motor"], &arguments, &folder, 512 * 1024);
    }
}

/// As far as the compiler can say without those systems.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_tools_compile_for_windows_and_macos() {
    for target in ["x86_64-pc-windows-gnu", "x86_64-apple-darwin"] {
        let added = Command::new("rustup")
            .args(["target", "add", target])
            .status();
        assert!(added.unwrap().success(), "rustup has no {target}");
        let checked = cargo()
            .args(["check", "--package", "stiffstep-host-tests", "--bins"])
            .args(["--quiet", "--target", target, "--target-dir"])
            .arg(target_folder().join("elsewhere"))
            .status();
        assert!(checked.unwrap().success(), "{target}");
    }
}
