//! Parameters and faults while a plant runs: each does what it says, the reference follows to the bit, and what is refused
//! changes nothing.

use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::protocol::{
    Change, Description, Event, Hello, Kind, Numbered, Refusal, Request, Sample,
};
use stiffstep::hil::{Fault, Rig};
use stiffstep_host_tests::hil::client::Heard;
use stiffstep_host_tests::hil::desk::Desk;
use stiffstep_host_tests::hil::names::Names;
use stiffstep_host_tests::hil::reference::by_name;
use stiffstep_host_tests::hil::verify::Verifier;
use stiffstep_plants::rigs::{BUILD, NAMES};

fn desk(name: &str) -> (Desk, Names) {
    let mut rig = by_name(name, 1e-3).unwrap();
    let names = Names::of(&mut *rig).unwrap();
    let mut desk = Desk::new(rig);
    desk.must(Request::Snapshot);
    desk.must(Request::Telemetry {
        divider: 1,
        states: false,
    });
    desk.must(Request::Arm);
    let inputs = names.inputs.iter().map(|_| Some(0.3)).collect();
    change(&mut desk, Change::Inputs(inputs));
    (desk, names)
}

fn change(desk: &mut Desk, change: Change) {
    let said = format!("{change:?}");
    let answer = desk.ask(Request::Change(change));
    assert_eq!(answer, Some(Ok(())), "{said}");
}

/// What was told last, of a kind.
macro_rules! told {
    ($desk:expr, $kind:pat => $told:expr) => {
        $desk
            .heard
            .iter()
            .rev()
            .find_map(|heard| match &heard.event {
                $kind => Some($told),
                _ => None,
            })
    };
}

fn last(desk: &Desk) -> Sample {
    told!(desk, Event::Sample(sample) => sample.clone()).unwrap()
}

/// A parameter, as the board describes it.
fn value(desk: &mut Desk, index: u8) -> Option<f32> {
    desk.must(Request::Describe(Kind::Parameter, index));
    told!(desk, Event::Description(description) => description.value)
}

/// Everything that the desk's board told, against the reference.
fn verify(desk: &Desk) -> Verifier {
    let about = desk.session.rig().about();
    let mut verifier = Verifier::new(&Hello {
        protocol: 1,
        board: "desk".to_owned(),
        emulated: true,
        plant: about.plant.to_owned(),
        build: BUILD,
        h: about.h,
        counts: about.counts,
        words: about.words,
    })
    .unwrap();
    // The first request was for the snapshot.
    verifier.asked(1);
    desk.heard.iter().for_each(|heard| verifier.take(heard));
    verifier
}

/// A value within a parameter's range that is not the present one.
fn another(d: &Description<String>) -> f32 {
    let value = if d.value == 0.0 { 1e-3 } else { d.value * 1.05 };
    value.min(d.range[1])
}

#[test]
fn every_parameter_of_every_plant_works_live() {
    for name in NAMES {
        let (mut desk, names) = desk(name);
        desk.run(20);
        for d in &names.parameters {
            let (index, value) = (d.index, another(d));
            change(&mut desk, Change::Parameter { index, value });
            desk.run(10);
            let told = self::value(&mut desk, index);
            assert_eq!(told, Some(value), "{name}: {}", d.name);
        }
        desk.run(100);
        assert!(last(&desk).outputs.iter().all(|y| y.is_finite()), "{name}");
        let verifier = verify(&desk);
        assert!(verifier.passed(), "{name}: {:?}", verifier.remarks);
        assert_eq!((verifier.skipped, verifier.starts), (0, 1));
        assert_eq!(verifier.compared, u64::from(desk.session.rig().steps()));
        // The parameters did something: without them the plant is elsewhere.
        let (mut untouched, _) = self::desk(name);
        untouched.run(desk.session.rig().steps());
        assert_ne!(last(&untouched).digest, last(&desk).digest, "{name}");
    }
}

#[test]
fn a_board_tells_its_status() {
    let (mut desk, _) = desk("rlc");
    desk.run(10);
    desk.must(Request::Status);
    let status = told!(desk, Event::Status(status) => *status).expect("no status");
    assert!(status.armed && !status.safe);
    assert!(status.step >= 10 && status.step <= desk.session.rig().steps());
    assert_eq!(status.counters, desk.session.supervision().counters);
}

#[test]
fn every_fault_of_every_plant_works_live() {
    for name in NAMES {
        let (mut desk, names) = desk(name);
        desk.run(50);
        for d in &names.outputs {
            let output = d.index;
            let k = usize::from(output);
            let plain = last(&desk).outputs[k];
            change(&mut desk, Change::Fault(Fault::Stuck { output }));
            desk.run(5);
            let stuck = last(&desk).outputs[k];
            assert_eq!(stuck, plain, "{name}: {} is not stuck", d.name);
            change(&mut desk, Change::Heal);
            desk.run(5);

            // The same run without the fault, by going back.
            change(&mut desk, Change::Keep);
            desk.run(1);
            let honest = last(&desk).outputs[k];
            change(&mut desk, Change::Restore);
            change(&mut desk, Change::Fault(Fault::Offset { output, by: 2.0 }));
            desk.run(1);
            assert_eq!(last(&desk).outputs[k], honest + 2.0, "{name}: {}", d.name);
            change(&mut desk, Change::Heal);
            desk.run(1);

            let shown = last(&desk).outputs[k];
            change(&mut desk, Change::Fault(Fault::Lost { output, samples: 7 }));
            for _ in 0..7 {
                desk.run(1);
                assert_eq!(last(&desk).outputs[k], shown, "{name}: {}", d.name);
            }
            change(&mut desk, Change::Restore);
            desk.run(1);
            assert_eq!(last(&desk).outputs[k], honest, "{name}: {}", d.name);
        }
        for d in &names.parameters {
            let (index, value) = (d.index, another(d));
            change(&mut desk, Change::Fault(Fault::Jump { index, value }));
            desk.run(5);
            change(&mut desk, Change::Heal);
            let mut rig = by_name(name, 1e-3).unwrap();
            let before = rig.describe(Kind::Parameter, index).unwrap().value;
            let told = self::value(&mut desk, index);
            assert_eq!(told, Some(before), "{name}: {}", d.name);
        }
        desk.run(20);
        let verifier = verify(&desk);
        assert!(verifier.passed(), "{name}: {:?}", verifier.remarks);
        assert_eq!(verifier.compared, u64::from(desk.session.rig().steps()));
    }
}

/// A request that is refused says why, and not a bit of the plant, its faults or its parameters is another one afterwards.
#[test]
fn what_is_refused_changes_nothing() {
    for name in NAMES {
        let (mut desk, names) = desk(name);
        desk.run(30);
        let rigs = desk.session.rig().about();
        let state = |desk: &Desk| {
            let mut states = Vec::new();
            desk.session.rig().states(&mut |x| states.push(x.to_bits()));
            states
        };
        let before = (state(&desk), last(&desk));
        let jump = |index, value| Change::Fault(Fault::Jump { index, value });
        let parameter = |index, value| Change::Parameter { index, value };
        let offset = |output, by| Change::Fault(Fault::Offset { output, by });
        let lost = |output, samples| Change::Fault(Fault::Lost { output, samples });
        let infinite = (0..rigs.counts[0]).map(|_| Some(f32::INFINITY));
        let mut cases = vec![
            (parameter(99, 1.0), Refusal::Unknown),
            (Change::Fault(Fault::Stuck { output: 99 }), Refusal::Unknown),
            (offset(99, 1.0), Refusal::Unknown),
            (lost(99, 1), Refusal::Unknown),
            (jump(99, 1.0), Refusal::Unknown),
            (offset(0, f32::NAN), Refusal::OutOfRange),
            (Change::Inputs(Default::default()), Refusal::Unknown),
            (Change::Inputs(infinite.collect()), Refusal::OutOfRange),
            (Change::Restore, Refusal::NothingKept),
        ];
        for d in &names.parameters {
            let index = d.index;
            let below = d.range[0] - d.range[0].abs().max(1.0);
            for value in [f32::NAN, f32::INFINITY, below] {
                cases.push((parameter(index, value), Refusal::OutOfRange));
                cases.push((jump(index, value), Refusal::OutOfRange));
            }
        }
        for (change, refusal) in cases {
            let said = format!("{name}: {change:?}");
            let answer = desk.ask(Request::Change(change));
            assert_eq!(answer, Some(Err(refusal)), "{said}");
        }
        desk.must(Request::Disarm);
        for d in &names.parameters {
            let (index, value) = (d.index, another(d));
            let (reset, heal, keep) = (Change::Reset, Change::Heal, Change::Keep);
            let stuck = Change::Fault(Fault::Stuck { output: 0 });
            let (set, jump) = (parameter(index, value), jump(index, value));
            for change in [set, jump, reset, heal, keep, stuck] {
                let answer = desk.ask(Request::Change(change));
                assert_eq!(answer, Some(Err(Refusal::NotArmed)), "{name}");
            }
        }
        for kind in [Kind::Input, Kind::Output, Kind::State, Kind::Parameter] {
            let answer = desk.ask(Request::Describe(kind, 99));
            assert_eq!(answer, Some(Err(Refusal::Unknown)), "{name}");
        }
        // Whole frames that are no requests.
        for _ in 0..3 {
            desk.say(200_u8);
            let said = &desk.heard.last().unwrap().event;
            assert_eq!(*said, Event::Refused(Refusal::Malformed));
        }
        assert_eq!((state(&desk), last(&desk)), before, "{name}");
        // Nor later: the plant goes on as if nothing had been asked.
        let (mut other, _) = self::desk(name);
        other.run(130);
        desk.run(100);
        assert_eq!(last(&desk), last(&other), "{name}");
    }
}

/// A request that is sent again, because its answer was lost, is answered again and carried out once.
#[test]
fn a_repeated_request_is_carried_out_once() {
    let (mut desk, _) = desk("dc-motor");
    desk.run(10);
    let changed = |desk: &Desk| {
        let changes = |heard: &&Heard| matches!(heard.event, Event::Changed { .. });
        desk.heard.iter().filter(changes).count()
    };
    let before = changed(&desk);
    let number = desk.say(Request::Change(Change::Reset));
    let again = Numbered {
        sequence: number,
        message: Request::Change(Change::Reset),
    };
    let frame = encode(&again, &mut [0; MOST]).unwrap().to_vec();
    desk.run(5);
    desk.receive(&frame);
    assert_eq!(changed(&desk), before + 1);
    let answers = desk.heard.iter().filter(
        |heard| matches!(heard.event, Event::Reply { to, result: Ok(()), .. } if to == number),
    );
    assert_eq!(answers.count(), 2);
}

/// With fewer samples than steps the reference still knows every step's inputs.
#[test]
fn the_reference_follows_between_samples() {
    for (name, divider) in [("dc-motor", 7), ("arm", 10), ("slider-crank", 100)] {
        let (mut desk, names) = desk(name);
        desk.must(Request::Telemetry {
            divider,
            states: true,
        });
        for k in 0..50_u16 {
            let inputs = names.inputs.iter().map(|_| Some(0.1 * f32::from(k % 7)));
            change(&mut desk, Change::Inputs(inputs.collect()));
            desk.run(23);
        }
        let verifier = verify(&desk);
        assert!(verifier.passed(), "{name}: {:?}", verifier.remarks);
        assert_eq!(verifier.compared, u64::from(50 * 23 / u32::from(divider)));
        assert_eq!(verifier.skipped, 0);
    }
}

/// Time stands still before the step that the host names, and goes on when it says so; on the desk, which counts as emulated.
#[test]
fn an_emulated_plant_waits() {
    let (mut desk, _) = desk("dc-motor");
    desk.run(10);
    let steps = |desk: &Desk| desk.session.rig().steps();
    let before = Some(steps(&desk) + 5);
    desk.must(Request::Pause { before });
    desk.run(100);
    assert_eq!(Some(steps(&desk)), before);
    let counters = desk.session.supervision().counters;
    assert_eq!((counters.missed, counters.lost_hosts), (0, 0));
    desk.must(Request::Pause { before: None });
    desk.run(7);
    assert_eq!(Some(steps(&desk)), before.map(|before| before + 7));
    assert!(verify(&desk).passed());
}

/// A real board cannot wait.
#[test]
fn a_real_plant_does_not_wait() {
    let mut desk = Desk::real(by_name("dc-motor", 1e-3).unwrap());
    let pause = Request::Pause { before: Some(0) };
    assert_eq!(desk.ask(pause), Some(Err(Refusal::Real)));
    desk.run(3);
    assert_eq!(desk.session.rig().steps(), 3);
}

/// After lost events the reference asks for a snapshot, says so, and compares on.
#[test]
fn after_a_gap_the_reference_starts_again() {
    let (mut desk, _) = desk("arm");
    desk.run(100);
    let number = desk.say(Request::Hello) + 1;
    desk.must(Request::Snapshot);
    desk.run(100);
    // Ten events of the first hundred steps never arrived.
    let at = 60;
    desk.heard.drain(at..at + 10);
    desk.heard[at].lost = 10;
    // The board says itself what it is.
    let hello = told!(desk, Event::Hello(hello) => hello);
    let mut verifier = Verifier::new(hello.unwrap()).unwrap();
    verifier.asked(1);
    for heard in &desk.heard {
        verifier.take(heard);
        if verifier.wants().is_some() {
            verifier.asked(number);
        }
    }
    assert!(verifier.passed(), "{:?}", verifier.remarks);
    assert_eq!(verifier.starts, 2);
    assert!(verifier.skipped > 20 && verifier.compared > 140);
    let mut remarks = verifier.remarks.iter();
    assert!(remarks.any(|remark| remark.contains("10 events lost")));
}

/// A single wrong bit in what the plant keeps is seen in the next sample.
#[test]
fn a_wrong_bit_is_seen() {
    let (mut desk, _) = desk("dc-motor");
    desk.run(100);
    for heard in &mut desk.heard {
        if let Event::Sample(sample) = &mut heard.event
            && sample.step == 50
        {
            sample.outputs[2] = f32::from_bits(sample.outputs[2].to_bits() ^ 1);
        }
    }
    let verifier = verify(&desk);
    assert!(!verifier.passed());
    assert_eq!(verifier.different, 1);
}
