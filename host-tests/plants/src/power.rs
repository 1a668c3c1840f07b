//! Converters and drives that are ready to flash. The step of a converter with gates is a period of its pulses: coils and capacitors are as
//! large as that makes them (see `circuits.rs`).

use crate::tables;
use stiffstep::Error;
use stiffstep::electric::{Servo, Shaft, Synchronous};
use stiffstep::hil::{Converter, Gating, GivenRig, Range, Rig, ServoRig, SignalNames, Tabled};
use stiffstep::model::Quantity;

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

type Signal = (Quantity, Range);

const fn signal(name: &'static str, unit: &'static str, least: f32, most: f32) -> Signal {
    (Quantity { name, unit }, Range::new(least, most))
}

/// A share of the step.
const fn share(name: &'static str) -> Signal {
    signal(name, "", 0.0, 1.0)
}

const fn names<const I: usize, const N: usize>(
    plant: &'static str,
    h: f32,
    inputs: [Signal; I],
    outputs: [Signal; N],
) -> SignalNames<I, N> {
    SignalNames {
        plant,
        h,
        inputs,
        outputs,
    }
}

/// A converter on its rig, without currents and voltages.
fn rig<T, const N: usize, const U: usize, const Y: usize, const K: usize, const I: usize>(
    tables: T,
    sources: [f32; U],
    gating: Gating,
    names: SignalNames<I, N>,
) -> Result<GivenRig<Converter<T, N, U, Y, K>, I, N>, Error>
where
    T: Tabled<N, U, Y, K>,
{
    GivenRig::new(Converter::new(tables, [0.0; N], sources, gating)?, names)
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
    let inputs = [
        share("a on"),
        share("a off"),
        share("b on"),
        share("b off"),
        share("c on"),
        share("c off"),
        signal("supply", "V", 0.0, 400.0),
        signal("load", "N m", -10.0, 10.0),
    ];
    let outputs = [
        signal("current along", "A", -30.0, 30.0),
        signal("current across", "A", -30.0, 30.0),
        signal("electrical angle", "rad", -4.0, 4.0),
        speed("motor speed"),
        speed("load speed"),
        signal("shaft torque", "N m", -30.0, 30.0),
    ];
    let names = names("drive", h, inputs, outputs);
    GivenRig::new(Servo::new(machine, shaft, h)?, names)
}

/// A buck of 24 V with a diode, 100 uH and 100 uF for 20 us: continuous or discontinuous, as its duty and its load have it.
pub fn buck(h: f32) -> Result<impl Rig, Error> {
    let inputs = [
        signal("supply", "V", 0.0, 30.0),
        share("gate on"),
        share("gate off"),
    ];
    let outputs = [
        signal("current", "A", 0.0, 20.0),
        signal("voltage", "V", 0.0, 30.0),
    ];
    let names = names("buck", h, inputs, outputs);
    rig(tables::buck()?, [24.0], Gating::Gates, names)
}

/// A boost of 24 V whose output is clamped to 48 V, 100 uH and 100 uF for 20 us.
pub fn boost(h: f32) -> Result<impl Rig, Error> {
    let inputs = [
        signal("supply", "V", 0.0, 30.0),
        signal("clamp", "V", 30.0, 60.0),
        share("gate on"),
        share("gate off"),
    ];
    let outputs = [
        signal("current", "A", 0.0, 40.0),
        signal("voltage", "V", 0.0, 60.0),
    ];
    let names = names("boost", h, inputs, outputs);
    rig(tables::boost()?, [0.0, 48.0], Gating::Gates, names)
}

/// A direct-current motor of 24 V in an H-bridge with a dead time of a twentieth of the step, 1 mH and 1e-4 kg m^2 for 20 us. Its inertia is a
/// capacitor: the voltage is that of the armature, 0.05 V s times its speed.
pub fn h_bridge(h: f32) -> Result<impl Rig, Error> {
    let gating = Gating::Legs {
        legs: 2,
        dead: 0.05,
    };
    let inputs = [
        signal("supply", "V", 0.0, 30.0),
        share("duty of leg a"),
        share("duty of leg b"),
    ];
    let outputs = [
        signal("current", "A", -60.0, 60.0),
        signal("armature voltage", "V", -30.0, 30.0),
    ];
    let names = names("h-bridge", h, inputs, outputs);
    rig(tables::h_bridge()?, [24.0], gating, names)
}

/// A six-pulse rectifier with inductances in its lines, in steps of 50 us: the mains do not ask a board.
pub fn six_pulse(h: f32) -> Result<impl Rig, Error> {
    let phase = |name| signal(name, "V", -360.0, 360.0);
    let current = |name| signal(name, "A", -150.0, 150.0);
    let inputs = [phase("phase a"), phase("phase b"), phase("phase c")];
    let outputs = [
        current("current a"),
        current("current b"),
        current("direct current"),
        signal("direct voltage", "V", 0.0, 1000.0),
    ];
    let names = names("six-pulse", h, inputs, outputs);
    rig(tables::six_pulse()?, [0.0; 3], Gating::Gates, names)
}

/// A flyback of 48 V with leakage and a clamp, 200 uH, 50 uH, 220 uF and 100 nF for 20 us.
pub fn flyback(h: f32) -> Result<impl Rig, Error> {
    let inputs = [
        signal("supply", "V", 0.0, 60.0),
        share("gate on"),
        share("gate off"),
    ];
    let outputs = [
        signal("primary current", "A", -2.0, 20.0),
        signal("secondary current", "A", -2.0, 40.0),
        signal("voltage", "V", 0.0, 60.0),
        signal("clamp voltage", "V", 0.0, 400.0),
    ];
    let names = names("flyback", h, inputs, outputs);
    rig(tables::flyback()?, [48.0], Gating::Gates, names)
}

/// An inverter with an LCL filter on the mains, 2 mH, 0.5 mH and 10 uF a phase for 20 us, with a dead time of a fiftieth of the step. The
/// emulated board misses periods of 20 us, with a sample of each step on the link: its image has 100 us.
pub fn lcl_inverter(h: f32) -> Result<impl Rig, Error> {
    let gating = Gating::Legs {
        legs: 3,
        dead: 0.02,
    };
    let mains = |name| signal(name, "V", -360.0, 360.0);
    let current = |name| signal(name, "A", -200.0, 200.0);
    let filter = |name| signal(name, "V", -1000.0, 1000.0);
    let inputs = [
        signal("supply", "V", 600.0, 800.0),
        mains("mains a"),
        mains("mains b"),
        mains("mains c"),
        share("duty of leg a"),
        share("duty of leg b"),
        share("duty of leg c"),
    ];
    let outputs = [
        current("inverter's current a"),
        current("inverter's current b"),
        current("mains current a"),
        current("mains current b"),
        filter("filter voltage a"),
        filter("filter voltage b"),
        filter("filter voltage c"),
    ];
    let names = names("lcl-inverter", h, inputs, outputs);
    rig(
        tables::lcl_inverter()?,
        [700.0, 0.0, 0.0, 0.0],
        gating,
        names,
    )
}
