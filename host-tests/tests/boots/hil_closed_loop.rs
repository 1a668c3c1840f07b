//! Controllers on this machine, plants on emulated boards, the reference beside them.

use serialport::{SerialPort, TTYPort};
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use stiffstep_host_tests::hil::beside::compare_with;
use stiffstep_host_tests::hil::client::Client;
use stiffstep_host_tests::hil::closed_loop::{Outcome, Plan, run};
use stiffstep_host_tests::hil::control::{
    ArmLoop, Controller, FieldLoop, SpeedLoop, VoltageLoop, Wander,
};
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};
use stiffstep_host_tests::hil::names::Names;
use stiffstep_host_tests::hil::port::{BAUD, Port};
use stiffstep_plants::power;
use stiffstep_plants::rigs::{arm, dc_motor};

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

/// Power electronics at periods of 20 and 50 us: field-oriented control of the drive, a voltage loop for the buck, and anything for the
/// others, of which only the bits count.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn power_electronics_are_controlled_over_the_link() {
    for plant in power::NAMES {
        let image = Kit::Qemu.build(&[plant]).unwrap();
        let shift = if plant == "drive" { 2 } else { 0 };
        let (_board, mut client) = Emulated::start_at(Kit::Qemu, &image[0], shift).unwrap();
        let hello = client.hello().unwrap();
        let names = Names::ask(&mut client, hello.counts).unwrap();
        let (mut controller, seconds, every): (Box<dyn Controller>, f64, u32) = match plant {
            "drive" => (Box::new(FieldLoop::default()), 0.1, FieldLoop::EVERY),
            "buck" => (Box::new(VoltageLoop::default()), 0.01, 1),
            _ => (Box::new(Wander::new(&names, 1)), 0.004, 1),
        };
        let plan = Plan {
            seconds,
            divider: 1,
            every,
            limit: Duration::from_secs(60),
        };
        let outcome = run(&mut client, &hello, &mut *controller, plan, None, |_| {}).unwrap();
        assert!(outcome.verifier.passed(), "{:?}", outcome.verifier.remarks);
        assert!(outcome.verifier.compared as f64 >= (seconds / f64::from(hello.h)).floor());
        assert_eq!(outcome.status.counters.failed, 0, "{plant}");
        // The LCL inverter's step and its sample are more than 20,000 instructions.
        let missed = outcome.status.counters.missed;
        assert!(missed == 0 || plant == "lcl-inverter", "{plant}: {missed}");
        if plant == "drive" {
            let off = (outcome.last.outputs[3] - 150.0).abs();
            assert!(off < 15.0, "{:?}", outcome.last);
        }
    }
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

/// What `cargo stiffstep check --port` does with the plant of a board at a serial port, here a pseudo terminal with an emulated board behind it.
#[test]
fn a_board_at_a_serial_port_is_checked() {
    let image = Kit::Qemu.build(&["dc-motor"]).unwrap();
    let (mut board, client) = Emulated::start(Kit::Qemu, &image[0]).unwrap();
    drop(client);
    let mut wire = board.wire().unwrap();
    let (mut ours, theirs) = TTYPort::pair().unwrap();
    ours.set_timeout(Duration::from_millis(1)).unwrap();
    let (name, done) = (theirs.name().unwrap(), AtomicBool::new(false));
    // Only one may have it.
    drop(theirs);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut bytes = [0; 4096];
            while !done.load(Ordering::Relaxed) {
                let count = ours.read(&mut bytes).unwrap_or(0);
                wire.send(&bytes[..count]).unwrap();
                let count = wire.receive(&mut bytes).unwrap();
                // Nobody may be there to read it.
                let _ = ours.write_all(&bytes[..count]);
            }
        });
        let client = || Port::serial(Some(&name), BAUD).map(Client::new);
        let same = client().and_then(|client| compare_with(client, dc_motor, 0.5));
        let other = client().and_then(|client| compare_with(client, arm, 0.5));
        done.store(true, Ordering::Relaxed);
        same.unwrap();
        let said = other.unwrap_err().to_string();
        assert!(said.contains("another plant"), "{said}");
    });
}
