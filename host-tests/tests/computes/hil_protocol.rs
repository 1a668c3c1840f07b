//! The link: nothing is accepted that was not sent, and a reader is back in step within one frame.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use stiffstep::hil::frame::{Broken, Decoder, MOST, encode};
use stiffstep::hil::protocol::{
    Change, Description, Event, Hello, Kind, Numbered, Refusal, Request, STATES, Sample, Status,
    WORDS,
};
use stiffstep::hil::{Counters, Fault, Policy, Span, Timing};
use stiffstep_host_tests::hil::client::Client;
use stiffstep_host_tests::hil::desk::Desk;
use stiffstep_host_tests::hil::noise::Noise;
use stiffstep_host_tests::hil::port::Port;
use stiffstep_host_tests::hil::reference::by_name;

fn requests() -> Vec<Request> {
    let changes = [
        Change::Parameter {
            index: 3,
            value: 1e-30,
        },
        Change::Inputs([Some(f32::MIN), None, Some(-0.0)].into_iter().collect()),
        Change::Fault(Fault::Stuck { output: 1 }),
        Change::Fault(Fault::Offset { output: 2, by: 0.1 }),
        Change::Fault(Fault::Lost {
            output: 0,
            samples: 65_535,
        }),
        Change::Fault(Fault::Jump {
            index: 15,
            value: 3.0,
        }),
        Change::Fault(Fault::Burden {
            microseconds: u32::MAX,
        }),
        Change::Heal,
        Change::Keep,
        Change::Restore,
        Change::Reset,
        Change::Policy(Policy::Safe),
    ];
    let mut all = vec![
        Request::Hello,
        Request::Describe(Kind::Parameter, 7),
        Request::Pins(Kind::Output, 7),
        Request::Status,
        Request::Telemetry {
            divider: 1_000,
            states: true,
        },
        Request::Snapshot,
        Request::Arm,
        Request::Disarm,
    ];
    all.extend(changes.map(Request::Change));
    all
}

fn frame<T: serde::Serialize>(sequence: u32, message: &T) -> Vec<u8> {
    let mut buffer = [0; MOST];
    let numbered = Numbered { sequence, message };
    encode(&numbered, &mut buffer).expect("it fits").to_vec()
}

fn decode<T: serde::de::DeserializeOwned>(
    decoder: &mut Decoder,
    bytes: &[u8],
) -> Vec<Result<Numbered<T>, Broken>> {
    bytes.iter().filter_map(|&b| decoder.push(b)).collect()
}

/// A frame has 256 bytes: four of them are the checksum, two may be needed to get rid of zeros, one is the zero at the end.
#[test]
fn a_message_fills_its_frame_and_no_more() {
    let mut buffer = [0; MOST];
    let bytes = [0x5A_u8; MOST];
    // Two bytes say how many follow.
    let most = MOST - 4 - 2 - 1 - 2;
    let frame = encode(&&bytes[..most], &mut buffer).expect("it fits");
    assert_eq!(frame.len(), MOST - 1);
    assert_eq!(encode(&&bytes[..most + 1], &mut buffer), None);
}

#[test]
fn requests_come_back_as_they_were() {
    let mut decoder = Decoder::new();
    for (k, request) in requests().into_iter().enumerate() {
        let bytes = frame(k as u32, &request);
        assert!(!bytes[..bytes.len() - 1].contains(&0) && bytes.ends_with(&[0]));
        let back = decode::<Request>(&mut decoder, &bytes);
        assert_eq!(back.len(), 1);
        assert_eq!(back[0].as_ref().unwrap().message, request);
    }
}

/// The longest event of each kind fits a frame.
#[test]
fn events_fit_and_come_back() {
    let span = Span {
        least: u32::MAX,
        most: u32::MAX,
        sum: u64::MAX,
        count: u32::MAX,
    };
    let full = |value| (0..8).map(|_| value).collect::<stiffstep::hil::Signals>();
    let name = "a name of forty characters, which is long".to_owned();
    let events = [
        Event::Hello(Hello {
            protocol: u16::MAX,
            board: name.clone(),
            emulated: true,
            plant: name.clone(),
            build: u32::MAX,
            h: 1e-3,
            counts: [255; 4],
            words: u16::MAX,
        }),
        Event::Description(Description {
            kind: Kind::State,
            index: 255,
            name: name.clone(),
            unit: name,
            range: [f32::MIN, f32::MAX],
            value: 1.0,
        }),
        Event::Sample(Sample {
            step: u32::MAX,
            iterations: 255,
            inputs: full(1.5),
            outputs: full(-2.5),
            digest: u32::MAX,
        }),
        Event::States {
            step: u32::MAX,
            values: (0..STATES).map(|_| 1.25).collect(),
        },
        Event::Snapshot {
            step: u32::MAX,
            total: u16::MAX,
            first: u16::MAX,
            words: (0..WORDS).map(|_| u32::MAX).collect(),
        },
        Event::Status(Status {
            step: u32::MAX,
            armed: true,
            safe: true,
            cause: Some(stiffstep::hil::Cause::Panic),
            stack: None,
            counters: Counters {
                missed: u32::MAX,
                shortened: u32::MAX,
                unconverged: u32::MAX,
                failed: u32::MAX,
                granted: u32::MAX,
                refused: u32::MAX,
                broken: u32::MAX,
                dropped: u32::MAX,
                lost_hosts: u32::MAX,
            },
            timing: Timing {
                frequency: u32::MAX,
                period: u32::MAX,
                latched: true,
                began: span,
                drove: span,
                stepped: span,
                worked: span,
            },
        }),
        Event::Reply {
            to: u32::MAX,
            step: u32::MAX,
            result: Err(Refusal::Model(stiffstep::Error::Singular {
                column: usize::MAX,
            })),
        },
        Event::Failed {
            step: 1,
            error: stiffstep::Error::Diverged,
        },
    ];
    let mut decoder = Decoder::new();
    for event in events {
        let back = decode::<Event<String>>(&mut decoder, &frame(u32::MAX, &event));
        assert_eq!(back[0].as_ref().unwrap().message, event);
    }
}

/// Frames that nobody sent: not one is taken for a request, and the frame behind each is understood at once.
#[test]
fn a_million_random_frames_are_refused() {
    let (mut noise, mut decoder) = (Noise::new(1), Decoder::new());
    let honest: Vec<Vec<u8>> = requests().iter().map(|request| frame(9, request)).collect();
    let mut broken = 0;
    for k in 0..1_000_000_usize {
        for found in decode::<Request>(&mut decoder, &noise.frame()) {
            assert!(found.is_err(), "{found:?}");
            broken += 1;
        }
        if k % 10 == 0 {
            let found = decode::<Request>(&mut decoder, &honest[k / 10 % honest.len()]);
            assert!(found.len() == 1 && found[0].is_ok(), "{found:?}");
        }
    }
    assert_eq!(broken, 1_000_000);
}

/// Frames with a tenth of their bytes damaged, zeros included: what is accepted is what was sent.
#[test]
fn damaged_frames_are_what_was_sent_or_nothing() {
    let (mut noise, mut decoder) = (Noise::new(2), Decoder::new());
    let requests = requests();
    let mut accepted = 0;
    for k in 0..300_000_u32 {
        let request = &requests[k as usize % requests.len()];
        let mut bytes = frame(k, request);
        noise.damage(&mut bytes, 10);
        let found = decode::<Request>(&mut decoder, &bytes);
        for found in found.into_iter().flatten() {
            assert_eq!((found.sequence, &found.message), (k, request));
            accepted += 1;
        }
    }
    assert!(accepted > 10_000, "{accepted}");
}

/// More bytes without a zero than a frame can have, then a frame.
#[test]
fn an_endless_frame_is_dropped() {
    let mut decoder = Decoder::new();
    let mut bytes = vec![7; 10 * MOST];
    bytes.push(0);
    let found = decode::<Request>(&mut decoder, &bytes);
    assert_eq!(found, [Err(Broken::Shape)]);
    let found = decode::<Request>(&mut decoder, &frame(1, &Request::Arm));
    assert!(found[0].is_ok());
    assert!(decode::<Request>(&mut decoder, &[0; 1000]).is_empty());
}

/// A board's answer often comes with what else it has to tell, in one piece: none of it may be lost.
#[test]
fn what_comes_with_an_answer_is_heard() {
    let (mut board, desk) = UnixStream::pair().unwrap();
    let patience = Some(Duration::from_millis(2));
    desk.set_read_timeout(patience).unwrap();
    let mut client = Client::new(Port::Socket(desk));
    let asked = client.send(&Request::Disarm).unwrap();
    let reply = |to, step| Event::<&str>::Reply {
        to,
        step,
        result: Ok(()),
    };
    let refused = || Event::Refused(Refusal::Malformed);
    let told = [reply(asked + 1, 7), refused(), reply(0, 8), refused()];
    let told = (0..).zip(&told).flat_map(|(k, event)| frame(k, event));
    board.write_all(&told.collect::<Vec<u8>>()).unwrap();
    assert_eq!(client.ask(&Request::Arm).unwrap(), (7, Ok(())));
    let mut heard = 0;
    while client.next(Duration::ZERO).unwrap().is_some() {
        heard += 1;
    }
    assert_eq!((heard, client.lost, client.broken), (4, 0, 0));
}

/// The same on a board that is at work: its plant takes no notice.
#[test]
fn noise_does_not_change_a_plant() {
    let mut noise = Noise::new(3);
    let mut noisy = Desk::new(by_name("arm", 1e-3).unwrap());
    let mut quiet = Desk::new(by_name("arm", 1e-3).unwrap());
    let telemetry = Request::Telemetry {
        divider: 1,
        states: false,
    };
    for desk in [&mut noisy, &mut quiet] {
        desk.must(Request::Arm);
        desk.must(telemetry.clone());
    }
    for _ in 0..2_000 {
        for _ in 0..5 {
            noisy.receive(&noise.frame());
        }
        noisy.run(1);
        quiet.run(1);
    }
    let samples = |desk: &Desk| -> Vec<Sample> {
        let events = desk.heard.iter();
        let samples = events.filter_map(|heard| match &heard.event {
            Event::Sample(sample) => Some(sample.clone()),
            _ => None,
        });
        samples.collect()
    };
    assert_eq!(samples(&noisy).len(), 2_000);
    assert_eq!(samples(&noisy), samples(&quiet));
    let counters = noisy.session.supervision().counters;
    assert_eq!((counters.broken, counters.missed), (10_000, 0));
    assert_eq!(counters.granted, 2);
}
