//! Controllers on this machine, plants on emulated boards, the reference beside them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;
use stiffstep_host_tests::hil::closed_loop::{Outcome, Plan, run};
use stiffstep_host_tests::hil::control::{ArmLoop, Controller, SpeedLoop};
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};

fn closed_loop(
    kit: Kit,
    plant: &str,
    controller: &mut dyn Controller,
    seconds: f64,
    divider: u16,
) -> Outcome {
    let image = kit.build(&[plant]).unwrap();
    let (_board, mut client) = Emulated::start(kit, &image[0]).unwrap();
    let hello = client.hello().unwrap();
    let plan = Plan {
        seconds,
        divider,
        every: u32::from(5 / divider),
        limit: Duration::from_secs(60),
    };
    let outcome = run(&mut client, &hello, controller, plan, None, |_| {}).unwrap();
    println!(
        "{plant} on {}: {}, error {:?}, {:?}",
        hello.board,
        outcome.verifier.summary(),
        outcome.error,
        outcome.status.counters
    );
    assert!(outcome.verifier.passed(), "{:?}", outcome.verifier.remarks);
    assert_eq!(outcome.verifier.starts, 1, "{:?}", outcome.verifier.remarks);
    let steps = seconds / f64::from(hello.h);
    assert!(outcome.verifier.compared as f64 >= (steps / f64::from(divider)).floor());
    assert_eq!(outcome.status.counters.missed, 0);
    assert_eq!(outcome.status.counters.failed, 0);
    outcome
}

/// The two-link arm is brought from hanging to reaching out, and held there. Its samples are long: every fifth is sent.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_arm_is_controlled_over_the_link() {
    let outcome = closed_loop(Kit::Qemu, "arm", &mut ArmLoop, 8.0, 5);
    assert!(outcome.error.iter().all(|error| error.abs() < 0.02));
    assert!((outcome.last.outputs[0] - 0.0).abs() < 0.02);
    assert!((outcome.last.outputs[1] - 0.8).abs() < 0.02);
}

/// The drive reaches its first speed, on the other two boards.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_motor_is_controlled_on_an_stm32() {
    let outcome = closed_loop(Kit::Stm32f4, "dc-motor", &mut SpeedLoop::default(), 3.0, 1);
    assert!(outcome.error[0].abs() < 1.0);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_motor_is_controlled_on_a_pico() {
    let outcome = closed_loop(Kit::Rp2040, "dc-motor", &mut SpeedLoop::default(), 3.0, 1);
    assert!(outcome.error[0].abs() < 1.0);
}
