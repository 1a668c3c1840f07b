//! The firmware of real boards: every plant, every chip. What is to be flashed is built as it is flashed, and its size told;
//! of the other chips of the family it is enough to see that they build.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep_host_tests::emulator::firmware::workspace;
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::hil::emulated::Kit;
use stiffstep_plants::rigs::NAMES;

/// Builds all plants with these arguments; flash and RAM must fit the smallest chip of the family, with the stack.
fn build(kit: Kit, arguments: &[&str], folder: &str, flash: u64) {
    let images = kit.build_with(&NAMES, arguments, folder).unwrap();
    assert_eq!(images.len(), NAMES.len());
    for (name, image) in NAMES.iter().zip(images) {
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

/// The guide says at which rates.
#[test]
fn the_picos_plants_run_at_their_rates() {
    let bins = workspace().join("boards/rp2040/src/bin");
    for (name, step) in [
        ("rlc", "1e-3"),
        ("half_bridge", "1e-3"),
        ("dc_motor", "1e-3"),
        ("pendulum", "2e-3"),
        ("slider_crank", "2e-3"),
        ("arm", "4e-3"),
    ] {
        let text = std::fs::read_to_string(bins.join(format!("{name}.rs"))).unwrap();
        assert!(text.contains(&format!("rigs::{name}({step})")), "{text}");
    }
}

#[test]
fn stm32f405() {
    build(Kit::Stm32f4, &[], "hil-stm32f405", 128 * 1024);
}

#[test]
fn raspberry_pi_pico() {
    build(Kit::Rp2040, &[], "hil-pico", 128 * 1024);
}

/// These are Nucleo boards, with less flash, and another UART.
#[test]
fn stm32f411_and_stm32f446() {
    for chip in ["f411,log,plants", "f446,log,plants"] {
        let arguments = [
            "--profile",
            "quick",
            "--no-default-features",
            "--features",
            chip,
        ];
        build(
            Kit::Stm32f4,
            &arguments,
            &format!("hil-stm32-{chip}"),
            512 * 1024,
        );
    }
}
