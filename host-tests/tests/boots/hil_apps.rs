//! Plants inside firmware of one's own: an RTIC application that gives the desk's bits, and an embassy application that builds.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use stiffstep::prelude::*;
use stiffstep_host_tests::emulator::boot::QEMU;
use stiffstep_host_tests::emulator::firmware::{cargo, images};
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::hil::emulated::usable_qemu;
use stiffstep_plants::dc_motor::DcMotor;

fn build(package: &str, binary: &str, features: &[&str], target: &str) -> PathBuf {
    let mut cargo = cargo();
    cargo.args(["build", "--release", "--package", package, "--bin", binary]);
    cargo.args(features);
    let folder = format!("app-{package}-{}", features.len());
    let built = images(&mut cargo, target, &[binary], &folder).unwrap();
    println!("{binary}: {:?}", size(&built[0]).unwrap());
    built[0].clone()
}

/// What the application says until it ends.
fn run(image: &Path) -> String {
    usable_qemu().unwrap();
    let mut qemu = Command::new(QEMU)
        .args(["-M", "netduinoplus2", "-nographic", "-monitor", "none"])
        .args(["-serial", "none", "-icount", "shift=5"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(image)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while qemu.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(120) {
            qemu.kill().unwrap();
            panic!("the application does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    qemu.stdout.unwrap().read_to_string(&mut said).unwrap();
    said
}

/// A thousand steps of the motor, with the voltage that the application's controller sets after each.
fn desk() -> Vec<String> {
    let start = [0.0; 4].into();
    let mut motor = Simulation::new(DcMotor::SERVO, RadauIIA::<2>, 1e-3, start).unwrap();
    let mut voltage = 0.0;
    for step in 1..=1_000 {
        motor.input = [voltage, 0.0].into();
        motor.step().unwrap();
        voltage = if step / 100 % 2 == 0 { 12.0 } else { -6.0 };
    }
    let states = motor.state().iter();
    states.map(|x| format!("{:08x}", x.to_bits())).collect()
}

#[test]
fn a_plant_inside_rtic_gives_the_desks_bits() {
    let features = ["--features", "qemu"];
    let target = "thumbv7em-none-eabihf";
    let image = build("stiffstep-rtic", "rtic-observer", &features, target);
    let said = run(&image);
    assert_eq!(said.lines().collect::<Vec<_>>(), desk());
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn plants_inside_rtic_and_embassy_build() {
    for (with, target) in [
        ("rtic", "thumbv7em-none-eabihf"),
        ("embassy", "thumbv6m-none-eabi"),
    ] {
        let package = format!("stiffstep-{with}");
        build(&package, &format!("{with}-observer"), &[], target);
    }
}
