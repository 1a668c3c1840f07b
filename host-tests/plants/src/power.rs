//! Converters and drives that are ready to flash. Their tables are made when a board starts. The step of a converter with gates is a period of
//! its pulses: coils and capacitors are as large as that makes them, so that the ripple is that of 20 us.

use stiffstep::Error;
use stiffstep::electric::{Servo, Shaft, Synchronous};
use stiffstep::hil::{Converter, Gating, GivenRig, Range, ServoRig, SignalNames};
use stiffstep::model::Quantity;
use stiffstep::switched::{Circuit, Conduction, Scale, Tables};

/// Their names on the command line, which are also those of their images.
pub const NAMES: [&str; 7] = [
    "drive",
    "buck",
    "boost",
    "h-bridge",
    "six-pulse",
    "flyback",
    "lcl-inverter",
];

/// Those that are images of real boards, too. The others are for the emulated one: their tables are made at start-up, for which even a buck needs more
/// than the 48 KB of stack that an STM32F405 has.
pub const ON_BOARDS: [&str; 1] = ["drive"];

/// A converter that carries its tables, with N states, U sources, Y devices, M modes, L maps, degree K and I inputs.
pub type Carried<
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const I: usize,
> = GivenRig<Converter<Tables<f32, N, U, Y, M, L, K>, N, U, Y, K>, I, N>;

type Signal = (Quantity, Range);

const fn signal(name: &'static str, unit: &'static str, least: f32, most: f32) -> Signal {
    (Quantity { name, unit }, Range::new(least, most))
}

/// A share of the step.
const fn share(name: &'static str) -> Signal {
    signal(name, "", 0.0, 1.0)
}

const fn on(resistance: f64, forward: f64) -> Conduction {
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

/// A converter on its rig, from these states and sources. Its circuit cannot be wrong, unless this file is.
fn rig<
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const I: usize,
    const P: usize,
>(
    circuit: &Circuit<'_, P>,
    scale: Scale,
    sources: [f32; U],
    gating: Gating,
    names: SignalNames<I, N>,
) -> Result<Carried<N, U, Y, M, L, K, I>, Error> {
    let tables = circuit.build(scale).map_err(|_| Error::Inconsistent)?;
    GivenRig::new(Converter::new(tables, [0.0; N], sources, gating)?, names)
}

/// How many times a step is longer than 20 us.
fn slower(h: f32) -> f64 {
    f64::from(h) / 20e-6
}

/// An inverter-fed permanent-magnet synchronous motor of 2 kW on an elastic shaft. It must not turn by more than half a radian, electrically, in
/// a step: at 300 rad/s a step is 400 us at most.
pub fn drive(h: f32) -> Result<ServoRig, Error> {
    let machine = Synchronous {
        resistance: 0.35,
        inductance: [2.0e-3, 3.2e-3],
        magnet: 0.12,
        pairs: 4.0,
    };
    let shaft = Shaft {
        motor: 1.2e-3,
        load: 4.0e-3,
        stiffness: 800.0,
        damping: 0.05,
        friction: 1e-3,
        fan: 2.5e-5,
    };
    let speed = |name| signal(name, "rad/s", -400.0, 400.0);
    GivenRig::new(
        Servo::new(machine, shaft, h)?,
        SignalNames {
            plant: "drive",
            h,
            inputs: [
                share("a on"),
                share("a off"),
                share("b on"),
                share("b off"),
                share("c on"),
                share("c off"),
                signal("supply", "V", 0.0, 400.0),
                signal("load", "N m", -10.0, 10.0),
            ],
            outputs: [
                signal("current along", "A", -30.0, 30.0),
                signal("current across", "A", -30.0, 30.0),
                signal("electrical angle", "rad", -4.0, 4.0),
                speed("motor speed"),
                speed("load speed"),
                signal("shaft torque", "N m", -30.0, 30.0),
            ],
        },
    )
}

/// A buck of 24 V with a diode, 100 uH and 100 uF for 20 us: continuous or discontinuous, as its duty and its load have it.
pub fn buck(h: f32) -> Result<Carried<2, 1, 2, 4, 0, 5, 3>, Error> {
    let slower = slower(h);
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .switch("in", "sw", 0, 0.02)
        .diode("0", "sw", on(0.02, 0.7))
        .coil("sw", "m", 100e-6 * slower)
        .resistor("m", "out", 0.02)
        .capacitor("out", "0", 100e-6 * slower)
        .resistor("out", "0", 3.0);
    rig(
        &circuit,
        scale(f64::from(h), 5.0, 24.0),
        [24.0],
        Gating::Gates,
        SignalNames {
            plant: "buck",
            h,
            inputs: [
                signal("supply", "V", 0.0, 30.0),
                share("gate on"),
                share("gate off"),
            ],
            outputs: [
                signal("current", "A", 0.0, 20.0),
                signal("voltage", "V", 0.0, 30.0),
            ],
        },
    )
}

/// A boost of 24 V whose output is clamped to 48 V, 100 uH and 100 uF for 20 us.
pub fn boost(h: f32) -> Result<Carried<2, 2, 3, 8, 15, 6, 4>, Error> {
    let slower = slower(h);
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .source("clamp", "0")
        .coil("in", "m", 100e-6 * slower)
        .resistor("m", "sw", 0.02)
        .switch("sw", "0", 0, 0.02)
        .diode("sw", "out", on(0.02, 0.7))
        .diode("out", "clamp", on(0.02, 0.7))
        .capacitor("out", "0", 100e-6 * slower)
        .resistor("out", "0", 20.0);
    rig(
        &circuit,
        scale(f64::from(h), 10.0, 48.0),
        [0.0, 48.0],
        Gating::Gates,
        SignalNames {
            plant: "boost",
            h,
            inputs: [
                signal("supply", "V", 0.0, 30.0),
                signal("clamp", "V", 30.0, 60.0),
                share("gate on"),
                share("gate off"),
            ],
            outputs: [
                signal("current", "A", 0.0, 40.0),
                signal("voltage", "V", 0.0, 60.0),
            ],
        },
    )
}

/// A direct-current motor of 24 V in an H-bridge with a dead time of a twentieth of the step, 1 mH and 1e-4 kg m^2 for 20 us. Its inertia is a
/// capacitor: the voltage is that of the armature, 0.05 V s times its speed.
pub fn h_bridge(h: f32) -> Result<Carried<2, 1, 4, 25, 0, 3, 3>, Error> {
    let slower = slower(h);
    let circuit = Circuit::<16>::new()
        .source("P", "0")
        .bridge_leg(("P", "0"), "a", (0, 2), on(0.02, 0.7))
        .bridge_leg(("P", "0"), "b", (1, 3), on(0.02, 0.7))
        .coil("a", "m", 1e-3 * slower)
        .resistor("m", "e", 0.5)
        .capacitor("e", "b", slower * 1e-4 / (0.05 * 0.05));
    let gating = Gating::Legs {
        legs: 2,
        dead: 0.05,
    };
    rig(
        &circuit,
        scale(f64::from(h), 20.0, 24.0),
        [24.0],
        gating,
        SignalNames {
            plant: "h-bridge",
            h,
            inputs: [
                signal("supply", "V", 0.0, 30.0),
                share("duty of leg a"),
                share("duty of leg b"),
            ],
            outputs: [
                signal("current", "A", -60.0, 60.0),
                signal("armature voltage", "V", -30.0, 30.0),
            ],
        },
    )
}

/// A six-pulse rectifier with inductances in its lines, in steps of 50 us: the mains do not ask a board.
pub fn six_pulse(_h: f32) -> Result<Carried<4, 3, 6, 27, 0, 4, 3>, Error> {
    let leg = on(0.01, 0.8);
    let circuit = Circuit::<24>::new()
        .source("sa", "0")
        .source("sb", "0")
        .source("sc", "0")
        .coil("sa", "ma", 1e-3)
        .resistor("ma", "a", 0.1)
        .coil("sb", "mb", 1e-3)
        .resistor("mb", "b", 0.1)
        .coil("sc", "mc", 1e-3)
        .resistor("mc", "c", 0.1)
        .rectifier_leg(("P", "N"), "a", leg)
        .rectifier_leg(("P", "N"), "b", leg)
        .rectifier_leg(("P", "N"), "c", leg)
        .coil("P", "q", 5e-3)
        .capacitor("q", "N", 500e-6)
        .resistor("q", "N", 20.0);
    let phase = |name| signal(name, "V", -360.0, 360.0);
    let current = |name| signal(name, "A", -150.0, 150.0);
    rig(
        &circuit,
        scale(50e-6, 50.0, 600.0),
        [0.0; 3],
        Gating::Gates,
        SignalNames {
            plant: "six-pulse",
            h: 50e-6,
            inputs: [phase("phase a"), phase("phase b"), phase("phase c")],
            outputs: [
                current("current a"),
                current("current b"),
                current("direct current"),
                signal("direct voltage", "V", 0.0, 1000.0),
            ],
        },
    )
}

/// A flyback of 48 V with leakage and a clamp, 200 uH, 50 uH, 220 uF and 100 nF for 20 us.
pub fn flyback(h: f32) -> Result<Carried<4, 1, 3, 8, 12, 7, 3>, Error> {
    let slower = slower(h);
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .coil("in", "d", 200e-6 * slower)
        .coil("0", "s", 50e-6 * slower)
        .switch("d", "0", 0, 0.05)
        .diode("s", "out", on(0.02, 0.7))
        .diode("d", "cl", on(0.1, 0.7))
        .capacitor("out", "0", 220e-6 * slower)
        .resistor("out", "0", 5.0)
        .capacitor("cl", "in", 100e-9 * slower)
        .resistor("cl", "in", 3e3)
        .coupled(0, 1, 0.98);
    rig(
        &circuit,
        scale(f64::from(h), 5.0, 100.0),
        [48.0],
        Gating::Gates,
        SignalNames {
            plant: "flyback",
            h,
            inputs: [
                signal("supply", "V", 0.0, 60.0),
                share("gate on"),
                share("gate off"),
            ],
            outputs: [
                signal("primary current", "A", -2.0, 20.0),
                signal("secondary current", "A", -2.0, 40.0),
                signal("voltage", "V", 0.0, 60.0),
                signal("clamp voltage", "V", 0.0, 400.0),
            ],
        },
    )
}

/// An inverter with an LCL filter on the mains, 2 mH, 0.5 mH and 10 uF a phase for 20 us, with a dead time of a fiftieth of the step. The
/// emulated board misses periods of 20 us, with a sample of each step on the link: its image has 100 us.
pub fn lcl_inverter(h: f32) -> Result<Carried<7, 4, 6, 125, 0, 6, 7>, Error> {
    let slower = slower(h);
    let leg = on(0.01, 0.8);
    let circuit = Circuit::<48>::new()
        .source("P", "0")
        .source("ga", "n")
        .source("gb", "n")
        .source("gc", "n")
        .coil("a", "ma", 2e-3 * slower)
        .resistor("ma", "fa", 0.1)
        .coil("b", "mb", 2e-3 * slower)
        .resistor("mb", "fb", 0.1)
        .coil("c", "mc", 2e-3 * slower)
        .resistor("mc", "fc", 0.1)
        .coil("fa", "ka", 0.5e-3 * slower)
        .resistor("ka", "ga", 0.05)
        .coil("fb", "kb", 0.5e-3 * slower)
        .resistor("kb", "gb", 0.05)
        .coil("fc", "kc", 0.5e-3 * slower)
        .resistor("kc", "gc", 0.05)
        .capacitor("fa", "ra", 10e-6 * slower)
        .resistor("ra", "s", 1.0)
        .capacitor("fb", "rb", 10e-6 * slower)
        .resistor("rb", "s", 1.0)
        .capacitor("fc", "rc", 10e-6 * slower)
        .resistor("rc", "s", 1.0)
        .bridge_leg(("P", "0"), "a", (0, 3), leg)
        .bridge_leg(("P", "0"), "b", (1, 4), leg)
        .bridge_leg(("P", "0"), "c", (2, 5), leg);
    let gating = Gating::Legs {
        legs: 3,
        dead: 0.02,
    };
    let mains = |name| signal(name, "V", -360.0, 360.0);
    let current = |name| signal(name, "A", -200.0, 200.0);
    let filter = |name| signal(name, "V", -1000.0, 1000.0);
    rig(
        &circuit,
        scale(f64::from(h), 50.0, 700.0),
        [700.0, 0.0, 0.0, 0.0],
        gating,
        SignalNames {
            plant: "lcl-inverter",
            h,
            inputs: [
                signal("supply", "V", 600.0, 800.0),
                mains("mains a"),
                mains("mains b"),
                mains("mains c"),
                share("duty of leg a"),
                share("duty of leg b"),
                share("duty of leg c"),
            ],
            outputs: [
                current("inverter's current a"),
                current("inverter's current b"),
                current("mains current a"),
                current("mains current b"),
                filter("filter voltage a"),
                filter("filter voltage b"),
                filter("filter voltage c"),
            ],
        },
    )
}
