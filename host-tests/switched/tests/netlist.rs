//! Netlists: what is read, and what is refused with its line.
#![allow(clippy::unwrap_used)]

use stiffstep_switched_tests::net::Kind;
use stiffstep_switched_tests::netlist::{number, read};

const BUCK: &str = include_str!("../netlists/synchronous_buck.cir");

#[test]
fn numbers_have_the_letters_of_spice() {
    for (text, value) in [
        ("10", 10.0),
        ("4.7k", 4700.0),
        ("100uF", 100e-6),
        ("2MEG", 2e6),
        ("20m", 0.02),
        ("1e-3", 1e-3),
        ("1.5e3", 1500.0),
        ("-3n", -3e-9),
        ("5p", 5e-12),
    ] {
        let read = number(text).unwrap();
        assert!((read / value - 1.0).abs() < 1e-12, "{text}: {read}");
    }
    assert_eq!(number("ohm"), None);
}

#[test]
fn the_guides_converter_is_read() {
    assert!(BUCK.lines().count() < 40);
    let netlist = read(BUCK).unwrap();
    assert_eq!(netlist.states, ["L1", "CS", "C1"]);
    assert_eq!(netlist.inputs, [24.0]);
    assert_eq!((netlist.steps, netlist.pulses.len()), (500, 2));
    assert_eq!(netlist.net.parts[1].kind, Kind::Switch(0, 0.02));
    let sizes = netlist.net.circuit().sizes(netlist.scale, 6).unwrap();
    assert_eq!(
        (sizes.states, sizes.inputs, sizes.devices, sizes.modes),
        (3, 1, 4, 16)
    );
    // On for half of every step, then 1 us of nothing, then the other switch until 1 us before the end.
    let given = netlist.given(2).unwrap();
    let gates: Vec<u32> = given[1].edges.iter().map(|edge| edge.1).collect();
    assert_eq!(gates, [1, 0, 2, 0]);
    assert!((given[1].edges[2].0 - 0.55).abs() < 1e-4);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (line, part, why) in [
        ("Rx a b ten", "Rx", "no number"),
        ("Q1 a b c", "Q1", "only R, L, C"),
        ("D7 a b nothing", "D7", "no .model nothing"),
        ("S7 a b control 0 channel", "S7", "no gate"),
        ("S7 a b g40 0 channel", "S7", "no gate"),
        ("K1 L1 L9 0.5", "K1", "no coil L9"),
        ("C9 a", "C9", "too few words"),
        (
            "Vg5 g5 0 PULSE(0 1 0 1n 1n 30u 20u)",
            "Vg5",
            "fit into its period",
        ),
    ] {
        let text = BUCK.replace(".end", line);
        let error = read(&text).unwrap_err();
        assert_eq!((error.line, error.part.as_str()), (19, part), "{error}");
        assert!(error.why.contains(why), "{error}");
    }
    let error = read(&BUCK.replace(".tran 20u 10m", "")).unwrap_err();
    assert_eq!(error.part, ".tran");
}

#[test]
fn more_edges_than_a_step_takes_are_refused() {
    let fast = BUCK.replace("10u 20u)", "1u 2u)");
    assert!(read(&fast).unwrap().given(1).is_err());
}

#[test]
fn lines_may_go_on() {
    let text = BUCK.replace(
        "L1 sw m 100u",
        "L1 sw m\n+ 100u ; the coil\n* and a comment",
    );
    assert_eq!(read(&text).unwrap().net, read(BUCK).unwrap().net);
}

/// What the guide prints is what runs.
#[test]
fn the_guide_shows_the_netlist() {
    let guide = include_str!("../../../src/guide/converters.md");
    assert!(guide.contains(include_str!("../netlists/synchronous_buck.cir")));
}
