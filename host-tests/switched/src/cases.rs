//! The circuits, what they are given, and how exact they are to be.

use crate::net::{Kind, Net};
use crate::scenario::{Gates, Given, scenario};
use std::f64::consts::TAU;
use stiffstep::switched::{Conduction, Scale};

/// A circuit with its course.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Its parts.
    pub net: Net,
    /// Step and nominal magnitudes.
    pub scale: Scale,
    /// How gates change.
    pub gates: Gates,
    /// The independent solution looks at conditions this often, in seconds.
    pub look: f64,
    /// Which of all currents and voltages are the library's states.
    pub keep: &'static [usize],
    /// The largest error that is allowed, relative to the largest magnitude of a state.
    pub limit: f64,
    /// Inputs over time.
    inputs: Inputs,
}

#[derive(Clone, Copy, Debug)]
enum Inputs {
    /// A voltage with a ripple of this amplitude at 300 Hz, held; and a second one without, if it is not zero.
    Held(f64, f64, f64),
    /// A supply, if there is one, and three phases of this amplitude and angle at 50 Hz, ramped.
    Phases(Option<f64>, f64, f64),
}

impl Case {
    /// What the first steps are given.
    pub fn given(&self, steps: usize) -> Vec<Given> {
        let ramped = matches!(self.inputs, Inputs::Phases(..));
        let inputs = self.inputs;
        let at = |t: f64| match inputs {
            Inputs::Held(level, ripple, second) => {
                let mut inputs = vec![level + ripple * (TAU * 300.0 * t).sin()];
                if second != 0.0 {
                    inputs.push(second);
                }
                inputs
            }
            Inputs::Phases(supply, amplitude, angle) => {
                let phase =
                    |k: u8| amplitude * (TAU * (50.0 * t - f64::from(k) / 3.0) - angle).sin();
                supply.into_iter().chain((0..3).map(phase)).collect()
            }
        };
        scenario(steps, self.scale.step, self.gates, ramped, at)
    }
}

const PHASES: [&str; 3] = ["a", "b", "c"];

/// The devices of low voltages.
pub const ON: Conduction = conduction(0.02, 0.7);

/// A step of 20 us at 24 V.
pub const SCALE: Scale = scale(20e-6, 5.0, 24.0);

const fn conduction(resistance: f64, forward: f64) -> Conduction {
    Conduction {
        resistance,
        forward,
    }
}

const fn scale(step: f64, current: f64, voltage: f64) -> Scale {
    Scale {
        step,
        current,
        voltage,
    }
}

fn buck(load: f64) -> Net {
    let mut net = Net::default();
    net.add("in", "0", Kind::Source);
    net.add("in", "sw", Kind::Switch(0, 0.02));
    net.add("0", "sw", Kind::Diode(ON));
    net.add("sw", "m", Kind::Coil(100e-6));
    net.add("m", "out", Kind::Resistor(0.02));
    net.add("out", "0", Kind::Capacitor(100e-6));
    net.add("out", "0", Kind::Resistor(load));
    net
}

fn snubbed() -> Net {
    let mut net = buck(60.0);
    net.add("sw", "x", Kind::Resistor(5.0));
    net.add("x", "0", Kind::Capacitor(10e-9));
    net
}

fn boost() -> Net {
    let mut net = Net::default();
    net.add("in", "0", Kind::Source);
    net.add("clamp", "0", Kind::Source);
    net.add("in", "m", Kind::Coil(100e-6));
    net.add("m", "sw", Kind::Resistor(0.02));
    net.add("sw", "0", Kind::Switch(0, 0.02));
    net.add("sw", "out", Kind::Diode(ON));
    net.add("out", "clamp", Kind::Diode(ON));
    net.add("out", "0", Kind::Capacitor(100e-6));
    net.add("out", "0", Kind::Resistor(20.0));
    net
}

/// The motor's inertia is a capacitor: its voltage is k w, its capacitance J / k^2.
fn h_bridge() -> Net {
    let mut net = Net::default();
    net.add("P", "0", Kind::Source);
    net.leg(("P", "0"), "a", Some((0, 2)), ON);
    net.leg(("P", "0"), "b", Some((1, 3)), ON);
    net.add("a", "m", Kind::Coil(1e-3));
    net.add("m", "e", Kind::Resistor(0.5));
    net.add("e", "b", Kind::Capacitor(1e-4 / (0.05 * 0.05)));
    net
}

fn flyback() -> Net {
    let mut net = Net::default();
    net.add("in", "0", Kind::Source);
    net.add("in", "d", Kind::Coil(200e-6));
    net.add("0", "s", Kind::Coil(50e-6));
    net.couplings.push((0, 1, 0.98));
    net.add("d", "0", Kind::Switch(0, 0.05));
    net.add("s", "out", Kind::Diode(ON));
    net.add("d", "cl", Kind::Diode(conduction(0.1, 0.7)));
    net.add("out", "0", Kind::Capacitor(220e-6));
    net.add("out", "0", Kind::Resistor(5.0));
    net.add("cl", "in", Kind::Capacitor(100e-9));
    net.add("cl", "in", Kind::Resistor(3e3));
    net
}

fn rectifier(coil: f64, load: f64) -> Net {
    let mut net = Net::default();
    for p in PHASES {
        net.add(&format!("s{p}"), "0", Kind::Source);
    }
    for p in PHASES {
        net.add(&format!("s{p}"), &format!("m{p}"), Kind::Coil(1e-3));
        net.add(&format!("m{p}"), p, Kind::Resistor(0.1));
    }
    for p in PHASES {
        net.leg(("P", "N"), p, None, conduction(0.01, 0.8));
    }
    net.add("P", "q", Kind::Coil(coil));
    net.add("q", "N", Kind::Capacitor(500e-6));
    net.add("q", "N", Kind::Resistor(load));
    net
}

/// Three legs, the first `k` is `k` and `3 + k`.
fn legs(net: &mut Net) {
    for (k, p) in (0..3).zip(PHASES) {
        net.leg(("P", "0"), p, Some((k, 3 + k)), conduction(0.01, 0.8));
    }
}

fn inverter() -> Net {
    let mut net = Net::default();
    net.add("P", "0", Kind::Source);
    for p in PHASES {
        net.add(&format!("e{p}"), "n", Kind::Source);
    }
    for p in PHASES {
        net.add(p, &format!("m{p}"), Kind::Coil(2e-3));
        net.add(&format!("m{p}"), &format!("e{p}"), Kind::Resistor(0.5));
    }
    legs(&mut net);
    net
}

fn lcl() -> Net {
    let mut net = Net::default();
    net.add("P", "0", Kind::Source);
    for p in PHASES {
        net.add(&format!("g{p}"), "n", Kind::Source);
    }
    for p in PHASES {
        net.add(p, &format!("m{p}"), Kind::Coil(2e-3));
        net.add(&format!("m{p}"), &format!("f{p}"), Kind::Resistor(0.1));
    }
    for p in PHASES {
        net.add(&format!("f{p}"), &format!("k{p}"), Kind::Coil(0.5e-3));
        net.add(&format!("k{p}"), &format!("g{p}"), Kind::Resistor(0.05));
    }
    for p in PHASES {
        net.add(&format!("f{p}"), &format!("r{p}"), Kind::Capacitor(10e-6));
        net.add(&format!("r{p}"), "s", Kind::Resistor(1.0));
    }
    legs(&mut net);
    net
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let one = |on, off| Gates::One { on, off };
    let three = |amplitude| Gates::Legs {
        legs: 3,
        amplitude,
        dead: (0.8, 2.0),
    };
    let case = |name, (net, scale), (gates, inputs), keep, limit| Case {
        name,
        net,
        scale,
        gates,
        // Where nothing is faster than the step.
        look: 1.0,
        keep,
        limit,
        inputs,
    };
    let closely = |case: Case| Case {
        look: 0.3e-6,
        ..case
    };
    let low = SCALE;
    let line = scale(50e-6, 50.0, 600.0);
    let ccm = one((5.0, 14.0), (4.0, 25.0));
    let dcm = one((2.0, 5.0), (8.0, 30.0));
    let ripple = Inputs::Held(24.0, 2.0, 0.0);
    let grid = Inputs::Phases(None, 325.0, 0.0);
    let bridge = Gates::Legs {
        legs: 2,
        amplitude: 0.4,
        dead: (1.0, 1.0),
    };
    let (held, phases) = (Inputs::Held, Inputs::Phases);
    let clamped = (one((6.0, 14.0), (5.0, 15.0)), held(24.0, 1.0, 48.0));
    let motor = (h_bridge(), scale(20e-6, 20.0, 24.0));
    let fly = (flyback(), scale(20e-6, 5.0, 100.0));
    let (overlap, gaps) = (rectifier(5e-3, 20.0), rectifier(0.2e-3, 60.0));
    let free = (Gates::None, grid);
    let inverter = (inverter(), scale(20e-6, 50.0, 600.0));
    let emf = (three(0.32), phases(Some(600.0), 150.0, 0.3));
    let lcl = (lcl(), scale(20e-6, 50.0, 700.0));
    let mains = (three(0.45), phases(Some(700.0), 325.0, 0.1));
    vec![
        case("buck CCM", (buck(3.0), low), (ccm, ripple), &[0, 1], 5e-6),
        case("buck DCM", (buck(60.0), low), (dcm, ripple), &[0, 1], 5e-6),
        closely(case(
            "buck with snubber",
            (snubbed(), low),
            (dcm, ripple),
            &[0, 1, 2],
            1e-4,
        )),
        case(
            "boost with clamp",
            (boost(), scale(20e-6, 10.0, 48.0)),
            clamped,
            &[0, 1],
            1e-5,
        ),
        case(
            "H-bridge with motor",
            motor,
            (bridge, held(24.0, 1.0, 0.0)),
            &[0, 1],
            1e-5,
        ),
        closely(case(
            "flyback",
            fly,
            (ccm, held(48.0, 4.0, 0.0)),
            &[0, 1, 2, 3],
            1e-4,
        )),
        case(
            "rectifier, overlap",
            (overlap, line),
            free,
            &[0, 1, 3, 4],
            1e-5,
        ),
        case(
            "rectifier, discontinuous",
            (gaps, line),
            free,
            &[0, 1, 3, 4],
            5e-5,
        ),
        case("inverter", inverter, emf, &[0, 1], 5e-6),
        case("LCL inverter", lcl, mains, &[0, 1, 3, 4, 6, 7, 8], 1e-5),
    ]
}
