//! An emulated board at the other end of a wire: a host that goes away, noise, steps that take too long.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Change, Event, Refusal, Request, Sample, Status};
use stiffstep::hil::{Fault, Policy};
use stiffstep_host_tests::hil::client::Client;
use stiffstep_host_tests::hil::emulated::{Emulated, Kit, crashes};
use stiffstep_host_tests::hil::names::Names;
use stiffstep_host_tests::hil::noise::Noise;
use stiffstep_host_tests::hil::verify::Verifier;

/// The images that the tests here share.
fn image(plant: &str) -> PathBuf {
    static IMAGES: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let plants = ["dc-motor", "arm"];
    let images = IMAGES.get_or_init(|| Kit::Qemu.build(&plants).unwrap());
    images[plants.iter().position(|name| *name == plant).unwrap()].clone()
}

fn start(plant: &str) -> (Emulated, Client) {
    Emulated::start(Kit::Qemu, &image(plant)).unwrap()
}

pub fn telemetry(client: &mut Client, divider: u16) {
    let states = false;
    let telemetry = Request::Telemetry { divider, states };
    client.insist(&telemetry).unwrap();
}

/// Lets a reference run beside the board until it has compared so many samples, all of which are seen.
pub fn compare(
    client: &mut Client,
    verifier: &mut Verifier,
    samples: u64,
    mut seen: impl FnMut(&mut Client, &Verifier, Sample),
) {
    let (began, limit) = (Instant::now(), Duration::from_secs(120));
    while verifier.compared < samples {
        assert!(began.elapsed() < limit, "{}", verifier.summary());
        follow(client, verifier);
        let Some(heard) = client.next(Duration::from_secs(1)).unwrap() else {
            continue;
        };
        verifier.take(&heard);
        if let Event::Sample(sample) = heard.event {
            assert!(sample.outputs.iter().all(|y| y.is_finite()));
            seen(client, verifier, sample);
        }
    }
}

/// Asks for what a reference wants to know.
fn follow(client: &mut Client, verifier: &mut Verifier) {
    if let Some(request) = verifier.wants() {
        let number = client.send(&request).unwrap();
        verifier.asked(number);
    }
}

/// The last of so many samples, which are those of a reference beside the board.
fn verify(client: &mut Client, samples: u64) -> Sample {
    let mut verifier = Verifier::new(&client.hello().unwrap()).unwrap();
    let mut last = None;
    compare(client, &mut verifier, samples, |_, _, sample| {
        last = Some(sample);
    });
    assert!(verifier.passed(), "{:?}", verifier.remarks);
    last.unwrap()
}

/// Waits until the board has done so many steps.
fn wait_for(client: &mut Client, steps: u32) -> Status {
    let began = Instant::now();
    loop {
        let status = client.status().unwrap();
        if status.step >= steps {
            return status;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "{status:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn every_parameter_and_fault_works_over_the_wire() {
    let (_board, mut client) = start("dc-motor");
    let hello = client.hello().unwrap();
    let names = Names::ask(&mut client, hello.counts).unwrap();
    assert_eq!(names.parameters.len(), 9);
    telemetry(&mut client, 1);
    let mut verifier = Verifier::new(&hello).unwrap();
    let unarmed = Request::Change(Change::Reset);
    assert_eq!(client.ask(&unarmed).unwrap().1, Err(Refusal::NotArmed));
    let mut changes = vec![Change::Inputs(
        [Some(12.0), Some(0.1)].into_iter().collect(),
    )];
    for d in &names.parameters {
        let (index, value) = (d.index, d.value * 1.1);
        changes.push(Change::Parameter { index, value });
        let value = d.value * 0.9;
        changes.push(Change::Fault(Fault::Jump { index, value }));
    }
    for output in 0..hello.counts[1] {
        changes.push(Change::Fault(Fault::Stuck { output }));
        changes.push(Change::Fault(Fault::Offset { output, by: 0.5 }));
        changes.push(Change::Heal);
        changes.push(Change::Fault(Fault::Lost { output, samples: 5 }));
    }
    changes.extend([Change::Keep, Change::Restore, Change::Reset]);
    let wrong = Change::Parameter {
        index: 0,
        value: -1.0,
    };
    let mut carried_out = 0;
    for change in changes {
        client.change(change).unwrap();
        let (_, refused) = client.ask(&Request::Change(wrong.clone())).unwrap();
        assert_eq!(refused, Err(Refusal::OutOfRange));
        follow(&mut client, &mut verifier);
        while let Some(heard) = client.next(Duration::ZERO).unwrap() {
            verifier.take(&heard);
            carried_out += u32::from(matches!(heard.event, Event::Changed { .. }));
        }
    }
    while let Some(heard) = client.next(Duration::from_millis(20)).unwrap() {
        verifier.take(&heard);
        carried_out += u32::from(matches!(heard.event, Event::Changed { .. }));
        if verifier.compared > 500 {
            break;
        }
    }
    // All but the inputs, which every step tells by itself.
    assert!(carried_out >= 9 * 2 + 4 * 4 + 3 - 1, "{carried_out}");
    println!("{}", verifier.summary());
    assert!(verifier.passed(), "{:?}", verifier.remarks);
    assert_eq!(client.status().unwrap().counters.missed, 0);
}

/// The host disappears in the middle of a frame and comes back: the plant has not missed a step, goes on with the inputs that
/// it had, and wants to be armed again.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_lost_host_never_stops_the_plant() {
    let (mut board, mut client) = start("dc-motor");
    client
        .change(Change::Inputs([Some(6.0), Some(0.0)].into_iter().collect()))
        .unwrap();
    telemetry(&mut client, 1);
    let before = client.status().unwrap();
    assert!(before.armed);
    client.send_raw(&[7, 7, 7, 7, 7]).unwrap();
    drop(client);
    thread::sleep(Duration::from_secs(3));
    let mut client = board.reconnect().unwrap();
    let status = wait_for(&mut client, before.step + 1_500);
    assert!(!status.armed);
    assert_eq!(status.counters.lost_hosts, 1);
    assert_eq!((status.counters.missed, status.counters.failed), (0, 0));
    let reset = Request::Change(Change::Reset);
    assert_eq!(client.ask(&reset).unwrap().1, Err(Refusal::NotArmed));
    telemetry(&mut client, 1);
    let last = verify(&mut client, 500);
    assert_eq!(last.inputs[0], 6.0);
    client.change(Change::Reset).unwrap();
}

/// A tenth of all bytes damaged, both ways, and then 10,000 frames that nobody sent: the board takes nothing for a request
/// that was none, understands the next real one, and its plant misses no step.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn noise_on_the_wire_costs_no_step() {
    let (mut board, client) = start("dc-motor");
    let mut client = client.on_a_noisy_wire(5, 10);
    let mut granted = 0;
    use Request::{Arm, Disarm, Status};
    for request in [Status, Arm, Disarm, Status] {
        client.insist(&request).unwrap();
        granted += 1;
    }
    telemetry(&mut client, 1);
    for _ in 0..200 {
        let _ = client.next(Duration::from_millis(5)).unwrap();
    }
    assert!(client.broken > 100, "{}", client.broken);
    drop(client);

    let mut client = board.reconnect().unwrap();
    telemetry(&mut client, 0);
    let damaged = client.status().unwrap();
    assert!(damaged.counters.granted >= granted && damaged.counters.refused == 0);
    assert!(damaged.counters.broken > 0);
    assert_eq!(damaged.counters.missed, 0);
    assert!(!damaged.armed);
    let mut noise = Noise::new(6);
    for _ in 0..100 {
        let frames: Vec<u8> = (0..100).flat_map(|_| noise.frame()).collect();
        client.send_raw(&frames).unwrap();
        // Understood at once, behind the noise.
        client.insist(&Request::Status).unwrap();
    }
    let status = client.status().unwrap();
    println!("{:?}", status.counters);
    assert_eq!(status.counters.broken - damaged.counters.broken, 10_000);
    assert_eq!((status.counters.missed, status.counters.refused), (0, 0));
    telemetry(&mut client, 1);
    verify(&mut client, 300);
}

/// A processor that is too slow, by a burden on every iteration: under each policy what it promises happens, is counted and told,
/// and the state stays finite and what the reference computes.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn overruns_get_what_the_policy_says() {
    let (_board, mut client) = start("arm");
    let torques = [Some(3.0), Some(1.0)].into_iter().collect();
    client.change(Change::Inputs(torques)).unwrap();
    // Little time is left to tell about it.
    telemetry(&mut client, 10);
    verify(&mut client, 20);
    let burden = |microseconds| Change::Fault(Fault::Burden { microseconds });
    let undisturbed = client.status().unwrap().counters;
    assert_eq!((undisturbed.missed, undisturbed.shortened), (0, 0));

    // 750 us more before the second iteration: there is no time for it.
    client.change(burden(750)).unwrap();
    let last = verify(&mut client, 30);
    assert_eq!(last.iterations, 1);
    let best = client.status().unwrap().counters;
    assert!(best.shortened >= 290, "{best:?}");
    assert_eq!((best.missed, best.failed), (0, 0));

    // Taking its time, at a little more than one and a half periods a step of two iterations: every second one misses a period.
    client.change(Change::Policy(Policy::Hold)).unwrap();
    client.change(burden(700)).unwrap();
    let last = verify(&mut client, 30);
    assert_eq!(last.iterations, 2);
    let held = client.status().unwrap();
    assert!(held.counters.missed >= 145, "{:?}", held.counters);
    assert!(!held.safe);

    client.change(Change::Policy(Policy::Safe)).unwrap();
    let mut told = false;
    while let Some(heard) = client.next(Duration::from_millis(300)).unwrap() {
        let safe = Policy::Safe;
        told |= matches!(heard.event, Event::Overrun { missed: 1.., policy, .. } if policy == safe);
        if told {
            break;
        }
    }
    assert!(told);
    let safe = client.status().unwrap();
    assert!(safe.safe);
    thread::sleep(Duration::from_millis(200));
    let later = client.status().unwrap().step;
    assert_eq!(later, safe.step, "it does not stand still");
    client.change(Change::Heal).unwrap();
    client.change(Change::Reset).unwrap();
    verify(&mut client, 20);
    assert!(!client.status().unwrap().safe);
}

/// The arm at 10 kHz on a 168 MHz core, with a factor of two to spare: by instructions, all work of a period but telemetry.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_arm_fits_ten_kilohertz() {
    let (_board, mut client) = start("arm");
    telemetry(&mut client, 0);
    wait_for(&mut client, 1_000);
    let timing = client.status().unwrap().timing;
    // Virtual time: 25 MHz ticks, 32 ns an instruction.
    let instructions = |ticks: u32| f64::from(ticks) * 40.0 / 32.0;
    let [most, step] = [timing.worked, timing.stepped].map(|span| instructions(span.most));
    println!("instructions a period: {most:.0} at most, the step alone {step:.0}");
    assert!(most <= 168e6 / 10e3 / 2.0);
}

#[test]
fn a_qemu_that_crashes_is_named() {
    assert!(crashes("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)").is_ok());
    let error = crashes("QEMU emulator version 10.0.2 (Debian 1:10.0.2)").unwrap_err();
    assert!(error.to_string().contains("QEMU 10.0.2 crashes"), "{error}");
}
