//! The Pico's link at its real speed: bytes take their time, and what finds a full receiver is lost.

use std::collections::BTreeSet;
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};
use stiffstep_host_tests::hil::strain::{length, requests, strain};

fn talk(count: u32, periods: u32) {
    let image = Kit::Rp2040.build(&["dc-motor"]).unwrap();
    let (_board, mut client) = Emulated::start(Kit::Rp2040, &image[0]).unwrap();
    let sizes: BTreeSet<usize> = requests().iter().map(length).collect();
    println!("sizes: {sizes:?}");
    let strained = strain(&mut client, periods, count).unwrap();
    let status = strained.status;
    println!("{strained:?}");
    assert_eq!(strained.answered, strained.asked);
    assert_eq!((status.counters.broken, status.counters.missed), (0, 0));
    assert_eq!((client.broken, client.lost), (0, 0));
    assert!(strained.periods > 100, "no telemetry was under way");
    // Two microseconds. From the sample to the outputs it is one period, by hardware.
    let began = status.timing.began;
    let jitter = began.most - began.least;
    assert!(jitter <= status.timing.frequency / 500_000, "{began:?}");
    assert!(status.timing.latched && status.timing.drove.most < status.timing.period);
}

#[test]
fn requests_of_every_size_are_answered_at_once() {
    talk(200, 0);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn ten_thousand_requests_are_answered_at_once() {
    talk(10_000, 10_000);
}
