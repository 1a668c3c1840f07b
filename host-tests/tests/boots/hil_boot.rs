//! The images that are flashed, booted: the bits of the desk, the work of a period within its limits, whatever the inputs do.

use super::hil_board::{compare, telemetry};
use stiffstep::hil::protocol::{Change, Request};
use stiffstep_host_tests::hil::control::{Controller, Wander};
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};
use stiffstep_host_tests::hil::names::Names;
use stiffstep_host_tests::hil::verify::Verifier;
use stiffstep_plants::power;
use stiffstep_plants::rigs::NAMES;

/// Boots a plant, and lets its inputs jump by a tenth of their ranges every 20 steps. It is reset every now and then: a plant without a
/// brake would gather speed for ever.
fn boot(kit: Kit, plant: &str, samples: u64) {
    let image = kit.build(&[plant]).unwrap();
    // Power electronics need all of the chip: 16 ns for an instruction are 2.7 cycles of its 168 MHz.
    let shift = if power::NAMES.contains(&plant) { 4 } else { 5 };
    let (_board, mut client) = Emulated::start_at(kit, &image[0], shift).unwrap();
    let hello = client.hello().unwrap();
    let names = Names::ask(&mut client, hello.counts).unwrap();
    let mut wander = Wander::new(&names, 7);
    client.insist(&Request::Arm).unwrap();
    // What the wire has room for: a mechanism's samples are long, and those of power electronics many.
    let divider = if hello.h < 9e-4 {
        (4e-3 / hello.h) as u16
    } else if kit == Kit::Qemu {
        5
    } else {
        1
    };
    telemetry(&mut client, divider);
    let mut verifier = Verifier::new(&hello).unwrap();
    compare(
        &mut client,
        &mut verifier,
        samples,
        |client, verifier, sample| {
            if verifier.compared % 20 == 10 {
                let change = if verifier.compared % 100 == 90 {
                    Change::Reset
                } else {
                    let inputs = wander.answer(&sample, 1e-3).into_iter();
                    // The pulses of a drive are in the middle of the step, so that it does not run away.
                    let middle = names.inputs.iter().map(|d| match d.name.as_str() {
                        "a on" | "b on" | "c on" => 0.25,
                        "a off" | "b off" | "c off" => 0.75,
                        _ => 0.5 * (d.range[0] + d.range[1]),
                    });
                    let inputs = inputs.zip(middle).map(|(u, m)| Some(m + 0.1 * (u - m)));
                    Change::Inputs(inputs.collect())
                };
                client.send(&Request::Change(change)).unwrap();
            }
        },
    );
    let status = client.status().unwrap();
    let timing = &status.timing;
    let part = |ticks: u32| 100.0 * f64::from(ticks) / f64::from(timing.period);
    println!(
        "{plant} on {}: h = {} s, {}; work {:.1} % of a period at most, the step {:.1} %, jitter {} ticks, {:?}",
        kit.name(),
        hello.h,
        verifier.summary(),
        part(timing.worked.most),
        part(timing.stepped.most),
        timing.began.most - timing.began.least,
        status.counters
    );
    assert!(verifier.passed(), "{plant}: {:?}", verifier.remarks);
    assert_eq!(status.counters.missed, 0, "{plant}");
    assert_eq!(status.counters.shortened, 0, "{plant}");
    assert_eq!(status.counters.failed, 0, "{plant}");
    // QEMU has no cycles: there an instruction takes its 16 or 32 ns. A drive turns by too much in a step that would leave a Pico more time.
    let most = match (kit, plant) {
        (Kit::Rp2040, "drive") => 90.0,
        (Kit::Rp2040, _) => 70.0,
        (Kit::Stm32f4, _) => 100.0,
        (Kit::Qemu, _) => return,
    };
    let worked = part(timing.worked.most);
    assert!(worked <= most, "{plant}: {worked:.1} % of the period");
}

#[test]
fn a_pico_runs_its_motor() {
    boot(Kit::Rp2040, "dc-motor", 200);
}

#[test]
fn an_stm32_runs_its_motor() {
    boot(Kit::Stm32f4, "dc-motor", 200);
}

#[test]
fn an_emulated_board_runs_its_motor() {
    boot(Kit::Qemu, "dc-motor", 100);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_pico_runs_every_plant() {
    for plant in NAMES {
        boot(Kit::Rp2040, plant, 1_500);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_pico_runs_power_electronics() {
    for plant in power::NAMES {
        boot(Kit::Rp2040, plant, 200);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn an_stm32_runs_every_plant() {
    for plant in NAMES {
        boot(Kit::Stm32f4, plant, 500);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn an_stm32_runs_power_electronics() {
    for plant in power::NAMES {
        boot(Kit::Stm32f4, plant, 200);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn an_emulated_board_runs_every_plant() {
    for plant in NAMES {
        boot(Kit::Qemu, plant, 300);
    }
}
