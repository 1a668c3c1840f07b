//! The Pico's firmware on the emulator that counts cycles: the bits of the desk, and what a step costs a core without
//! floating point.

use object::{Object, ObjectSegment};
use rp2040_emu::{Config, EmulatorBuilder};
use std::fs;
use std::path::Path;
use stiffstep::hil::frame::Decoder;
use stiffstep::hil::protocol::{Event, Hello, Numbered, Status};
use stiffstep_host_tests::hil::client::Heard;
use stiffstep_host_tests::hil::emulated::Kit;
use stiffstep_host_tests::hil::verify::Verifier;

/// The core's clock.
const CLOCK: u64 = 125_000_000;

/// What an image has in flash.
fn flash(image: &Path) -> Vec<u8> {
    const FLASH: u64 = 0x1000_0000;
    let bytes = fs::read(image).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let mut flash = Vec::new();
    for segment in file.segments() {
        let data = segment.data().unwrap();
        // Nothing but code and constants: these images have no initial values of variables.
        if segment.address() >= FLASH && !data.is_empty() {
            let at = (segment.address() - FLASH) as usize;
            flash.resize(flash.len().max(at + data.len()), 0xff);
            flash[at..at + data.len()].copy_from_slice(data);
        }
    }
    flash
}

/// What the board told until it told its status.
fn listen() -> (Hello<String>, Vec<Heard>, Status) {
    let features = "--no-default-features --features emulated,plants,softfloat";
    let features: Vec<&str> = features.split(' ').collect();
    let image = Kit::Rp2040
        .build_binaries(&["alone"], &features, "hil-rp2040-alone")
        .unwrap();
    let mut emulator = EmulatorBuilder::new(Config::default()).build().unwrap();
    emulator.load_flash(&flash(&image[0]));
    emulator.reset();
    emulator.direct_boot_from_flash(0x100);
    let mut decoder = Decoder::new();
    let (mut hello, mut heard) = (None, Vec::new());
    // A second of steps, and as much again for the start.
    for _ in 0..200 {
        emulator.run(CLOCK / 100).unwrap();
        for byte in emulator.drain_uart0_tx_log() {
            match decoder.push::<Numbered<Event<String>>>(byte) {
                Some(Ok(Numbered { sequence, message })) => {
                    assert_eq!(sequence as usize, heard.len(), "an event is missing");
                    match &message {
                        Event::Hello(found) => hello = Some(found.clone()),
                        Event::Status(status) => return (hello.unwrap(), heard, *status),
                        _ => {}
                    }
                    heard.push(Heard {
                        lost: 0,
                        event: message,
                    });
                }
                Some(Err(broken)) => panic!("a frame is broken: {broken:?}"),
                None => {}
            }
        }
    }
    let events = heard.len();
    panic!("the board did not get to its status; {events} events");
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_motor_takes_half_a_core_at_most_and_gives_the_same_bits() {
    let (hello, heard, status) = listen();
    let mut verifier = Verifier::new(&hello).unwrap();
    // The second request was for the snapshot.
    verifier.asked(2);
    heard.iter().for_each(|heard| verifier.take(heard));
    println!("{}", verifier.summary());
    assert!(verifier.passed(), "{:?}", verifier.remarks);
    assert_eq!((verifier.compared, verifier.skipped), (1_000, 0));

    let timing = &status.timing;
    assert_eq!(u64::from(timing.frequency), CLOCK);
    assert_eq!(timing.period, 125_000);
    assert_eq!(status.counters.missed, 0);
    let mean = |span: &stiffstep::hil::Span| span.sum as f64 / f64::from(span.count);
    println!(
        "cycles a step: {} to {}, mean {:.0}; all work of a period with telemetry: {} to {}, mean {:.0}; a period has {}",
        timing.stepped.least,
        timing.stepped.most,
        mean(&timing.stepped),
        timing.worked.least,
        timing.worked.most,
        mean(&timing.worked),
        timing.period,
    );
    assert!(timing.worked.most <= timing.period / 2);
}
