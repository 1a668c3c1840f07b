//! What the pins of a board are made of, on the desk: pulses and their means, encoders, periods by timers, and what a host is told of them.

use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Event, Kind, Refusal, Request, Status};
use stiffstep::hil::{
    Connected, Counters, Divided, Edge, Encoder, Pulses, Session, Setup, Slices, Span, Spread,
    Terminal, Timing, Toggles, Turning, Wires, baud,
};
use stiffstep_host_tests::hil::clock::Seconds;
use stiffstep_host_tests::hil::desk::Desk;
use stiffstep_host_tests::hil::noise::Noise;
use stiffstep_host_tests::hil::reference::by_name;

/// A signal is counted tick by tick beside its edges, over the end of the timer's range, too.
#[test]
fn the_mean_of_pulses_is_that_of_their_ticks() {
    let mut noise = Noise::new(3);
    let start = u32::MAX - 50_000;
    let (mut at, mut high, mut counted) = (0_u32, false, 0_u32);
    let mut pulses = Pulses::new(false, start);
    for period in 1..=100_u32 {
        let end = period * 1_000;
        let mut on = 0;
        loop {
            let next = at.max(counted) + 1 + noise.below(90) as u32;
            let until = next.min(end);
            on += if high { until - counted } else { 0 };
            counted = until;
            if next >= end {
                break;
            }
            at = next;
            high = !high;
            let at = start.wrapping_add(at);
            pulses.take(Edge { at, high });
        }
        assert_eq!(pulses.end(start.wrapping_add(end)), on as f32 / 1_000.0);
    }
}

/// No edge at all is a level; an edge that is told late changes the level and nothing that was counted.
#[test]
fn levels_and_late_edges_are_no_pulses() {
    let mut pulses = Pulses::new(true, 0);
    assert_eq!(pulses.end(500), 1.0);
    let (at, high) = (400, false);
    pulses.take(Edge { at, high });
    assert_eq!(pulses.end(1_000), 0.0);
    assert!(!pulses.high());
    // No time, no mean, but a number.
    assert_eq!(pulses.end(1_000), 0.0);
}

/// An hour at full speed: what was counted is what was turned, to a count in a billion.
#[test]
fn an_encoder_does_not_drift() {
    let mut encoder = Encoder::new(Turning::Speed, 13_600, 1e-3, 500);
    let hour = 3_600_000;
    let counts: i64 = (0..hour).map(|_| i64::from(encoder.turn(225.0))).sum();
    let scale = f64::from(13_600.0_f32 * (65_536.0 / std::f32::consts::TAU) * 1e-3 * 0.5);
    let exact = 450.0 * scale / 65_536.0 * f64::from(hour);
    let off = (counts as f64 - exact).abs();
    assert!(off < 4e-6 * exact, "{counts} {exact}");
    assert_eq!(counts, encoder.counts());
}

/// What does not fit a period comes in the next ones; what is not finite does not turn.
#[test]
fn counts_that_come_too_fast_come_later() {
    let mut encoder = Encoder::new(Turning::Angle, 4_000, 1e-3, 100);
    let turned = [1.0; 8].map(|angle| encoder.turn(angle));
    // 636 counts.
    assert_eq!(turned, [100, 100, 100, 100, 100, 100, 36, 0]);
    assert_eq!(encoder.turn(f32::NAN), 0);
    assert_eq!(encoder.turn(f32::INFINITY), 0);
    assert_eq!(encoder.turn(0.99), -6);
}

/// One track changes with every count, and the first one leads upwards.
#[test]
fn tracks_change_one_at_a_time() {
    for count in -8..8_i64 {
        let (now, next) = (Encoder::tracks(count), Encoder::tracks(count + 1));
        assert_eq!((now ^ next).count_ones(), 1);
    }
    assert_eq!([0, 1, 2, 3].map(Encoder::tracks), [0b00, 0b01, 0b11, 0b10]);
}

/// Edges of a period are as far apart as they can be, and none comes after its end.
#[test]
fn edges_are_spread_over_the_period() {
    let long = [1, 3, 499, 500].map(|count| (count, 125_000));
    for (count, ticks) in long.into_iter().chain([(7, 10)]) {
        let all: Vec<u32> = Spread::new(count, ticks).take(count as usize).collect();
        let gaps = &all[1..];
        let (least, most) = (gaps.iter().min(), gaps.iter().max());
        assert!(most.unwrap_or(&0) - least.unwrap_or(&0) <= 1, "{count}");
        let last: u32 = all.iter().sum();
        assert!(last < ticks && ticks - last >= ticks / count / 2, "{count}");
    }
}

/// The edges of two toggling channels in a period: when, and which track.
fn edges(toggles: Toggles, period: u32) -> Vec<(u64, usize)> {
    let ticks = |counts: u32| u64::from(counts) * u64::from(toggles.divider);
    let mut all = Vec::new();
    for (track, compare) in toggles.compare.into_iter().enumerate() {
        // A timer that never gets to its compare value has no edges.
        if compare < toggles.length {
            let first = ticks(compare);
            let edges = (first..period.into()).step_by(ticks(toggles.length) as usize);
            all.extend(edges.map(|at| (at, track)));
        }
    }
    all.sort_unstable();
    all
}

/// Whatever was turned before: exactly the counts that were asked for, in their direction, at equal distances, and the last one in time for its timer
/// to restart.
#[test]
fn toggling_channels_turn_by_what_they_are_told() {
    const BEFORE: u32 = 128;
    let mut noise = Noise::new(11);
    let periods = [8_400, 21_000, 84_000, 100_000, 168_000, 840_007, 8_400_000];
    for period in periods.into_iter().chain([1 << 28, u32::MAX / 2]) {
        let most = Toggles::most(period, BEFORE) as i32;
        assert!(most >= 45, "{period}: {most}");
        let (mut count, mut levels) = (0_i64, 0_u8);
        let few = (-4..=4).chain([most, -most, most - 1, 1 - most]);
        let many = (0..300).map(|_| noise.below(2 * most as u64 + 1) as i32 - most);
        for turned in few.chain(many) {
            let toggles = Toggles::new(count, turned, period);
            assert!(toggles.length <= 1 << 16 && toggles.divider <= 1 << 16);
            let edges = edges(toggles, period);
            assert_eq!(edges.len(), turned.unsigned_abs() as usize, "{period}");
            for (_, track) in &edges {
                levels ^= 1 << track;
                count += i64::from(turned.signum());
                assert_eq!(levels, Encoder::tracks(count), "{period}: {turned}");
            }
            let gaps: Vec<u64> = edges.windows(2).map(|two| two[1].0 - two[0].0).collect();
            assert!(gaps.windows(2).all(|two| two[0] == two[1]), "{period}");
            if let Some((last, _)) = edges.last() {
                assert!(last + u64::from(BEFORE) / 2 <= period.into(), "{period}");
            }
        }
    }
    // 230,000 counts a second at 1 kHz.
    assert!(Toggles::most(84_000, BEFORE) >= 230);
}

/// Steps whose counts cannot be shown yet are not forgotten.
#[test]
fn an_encoder_advances_without_being_shown() {
    let mut shown = Encoder::new(Turning::Speed, 4_000, 1e-3, 500);
    let mut late = shown;
    let turned = [100.0, 200.0, 50.0].map(|speed| shown.turn(speed));
    late.advance(100.0);
    late.advance(200.0);
    assert_eq!(late.turn(50.0), turned.iter().sum::<i32>());
}

/// SysTick has 24 bits, which are over after 0.1 s at 168 MHz: a longer period has several parts, and is as long as it should be.
#[test]
fn a_period_beyond_the_timers_range_is_kept() {
    const MOST: u32 = 1 << 24;
    for frequency in [25_000_000, 100_000_000, 125_000_000, 168_000_000] {
        for h in [1e-5, 1e-3, 0.05, 0.099, 0.1, 0.2, 0.5, 1.0, 10.0] {
            let slices = Slices::of(h, frequency, MOST).unwrap();
            assert!(slices.length <= MOST, "{h}: {slices:?}");
            let exact = f64::from(h) * f64::from(frequency);
            let off = (f64::from(slices.period()) - exact).abs();
            let rounded = 0.5 * f64::from(slices.count) + exact * f64::from(f32::EPSILON);
            assert!(off <= rounded + 0.5, "{h} at {frequency}: {slices:?}");
        }
    }
    for h in [f32::NAN, -1.0, 0.0, 1e-9, 100.0, f32::INFINITY] {
        assert_eq!(Slices::of(h, 168_000_000, MOST), None, "{h}");
    }
}

/// Periods are exact wherever a divider makes them so, and within half a count a turn elsewhere.
#[test]
fn a_divided_timer_keeps_the_period() {
    for h in [
        1e-5, 5e-5, 1e-4, 1e-3, 1.25e-3, 2e-3, 2.5e-3, 3e-3, 5e-3, 0.01, 0.1, 0.2, 1.0,
    ] {
        let divided = Divided::of(h, 125_000_000, 1 << 16, 255).unwrap();
        assert!(divided.length <= 1 << 16 && divided.divider <= 255);
        let exact = (h * 125e6 + 0.5) as u32;
        assert_eq!(divided.period(), exact, "{h}: {divided:?}");
    }
    // A prime.
    let divided = Divided::of(1_000_003.0 / 125e6, 125_000_000, 1 << 16, 255).unwrap();
    let off = divided.period().abs_diff(1_000_003);
    assert!(off * 2 <= divided.divider * divided.turns, "{divided:?}");
    for h in [f32::NAN, -1.0, 0.0, 1e-7, 20.0, f32::INFINITY] {
        assert_eq!(Divided::of(h, 125_000_000, 1 << 16, 255), None, "{h}");
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pin(&'static str);

impl Terminal for Pin {
    fn name(self) -> &'static str {
        self.0
    }
}

/// By name, whatever the order, with two pins for an output; a name that nobody has connects nothing.
#[test]
fn a_table_connects_signals_by_their_names() {
    let wires = Wires {
        inputs: &[("load torque", Pin("A")), ("voltages", Pin("B"))],
        outputs: &[
            ("current", Pin("C")),
            ("motor speed", Pin("D")),
            ("current", Pin("E")),
            ("current", Pin("F")),
        ],
    };
    let mut rig = by_name("dc-motor", 1e-3).unwrap();
    let connected = Connected::by_name(&mut rig, &wires);
    assert_eq!(connected.inputs[..3], [None, Some(Pin("A")), None]);
    assert_eq!(connected.outputs[0], [Some(Pin("D")), None]);
    assert_eq!(connected.outputs[1], [None, None]);
    assert_eq!(connected.outputs[2], [Some(Pin("C")), Some(Pin("E"))]);
    let wiring = connected.wiring();
    assert_eq!(
        [wiring.inputs[1], wiring.outputs[2]],
        [["A", ""], ["C", "E"]]
    );
    let order = Connected::in_order(&[Pin("A")], &[Pin("B"), Pin("C")]);
    assert_eq!(order.inputs[..2], [Some(Pin("A")), None]);
    assert_eq!(order.outputs[1], [Some(Pin("C")), None]);
}

#[test]
fn a_host_is_told_the_pins() {
    let mut setup = Setup::new("desk", true, 0);
    setup.wiring.inputs[0] = ["GP16, mean of pulses", ""];
    setup.wiring.outputs[0] = ["GP6 and GP7, encoder", "GP2, PWM"];
    let mut desk = Desk::new(by_name("dc-motor", 1e-3).unwrap());
    desk.session = Session::new(by_name("dc-motor", 1e-3).unwrap(), setup);
    let mut told = |kind, index| {
        let answer = desk.ask(Request::Pins(kind, index)).unwrap();
        let events = std::mem::take(&mut desk.heard).into_iter();
        answer.map(|()| {
            events.into_iter().find_map(|heard| match heard.event {
                Event::Pins { names, .. } => Some(names),
                _ => None,
            })
        })
    };
    let names = |one: &str, two: &str| Ok(Some([one.to_owned(), two.to_owned()]));
    assert_eq!(told(Kind::Input, 0), names("GP16, mean of pulses", ""));
    assert_eq!(told(Kind::Input, 1), names("", ""));
    let both = names("GP6 and GP7, encoder", "GP2, PWM");
    assert_eq!(told(Kind::Output, 0), both);
    assert_eq!(told(Kind::Output, 7), Err(Refusal::Unknown));
    assert_eq!(told(Kind::Parameter, 0), Err(Refusal::Unknown));
}

/// Two answers of a board, and how far its clock is off.
#[test]
fn seconds_are_compared_as_far_as_the_link_lets_them() {
    let status = |count: u32, missed: u32| Status {
        step: 0,
        armed: false,
        safe: false,
        cause: None,
        stack: None,
        counters: Counters {
            missed,
            ..Counters::default()
        },
        timing: Timing {
            frequency: 1_000_000,
            period: 1_000,
            began: Span {
                count,
                ..Span::default()
            },
            ..Timing::default()
        },
    };
    let (now, ms) = (Instant::now(), Duration::from_millis);
    let between = |count, missed| {
        Seconds::between(
            (&status(u32::MAX - 99, 5), now, now + ms(2)),
            (&status(count, missed), now + ms(10_000), now + ms(10_002)),
        )
    };
    // The count goes over its end.
    let right = between(9_895, 10);
    assert_eq!(right.board, 10.0);
    assert!((right.here - 10.0).abs() < 1e-9 && right.agree(), "{right}");
    let slow = between(9_795, 10);
    assert!(!slow.agree(), "{slow}");
    assert!((slow.ratio() - 1.0101).abs() < 1e-4, "{slow}");
    assert!(format!("{slow}").contains("do not agree"));
}

#[test]
fn a_rate_is_what_the_build_says() {
    let said = [None, Some("115200"), Some("3000000")];
    assert_eq!(said.map(baud), [921_600, 115_200, 3_000_000]);
}
