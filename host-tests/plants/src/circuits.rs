//! The circuits of the converters that are ready to flash, with the parts that they have for their usual step: 20 us, for the rectifier 50 us.
//! On a board with a longer step their coils and capacitors are larger in proportion, so that the ripple stays: time is counted in steps, and
//! the tables are the same ones. The build script writes them for flash, a desk makes them when it starts.

use stiffstep::switched::{Circuit, Conduction, Scale};

/// Does something for every converter: its name, and the sizes of its tables (states, sources, devices, modes, maps, degree).
macro_rules! every_converter {
    ($do:ident) => {
        $do! { buck [2, 1, 2, 4, 0, 5] }
        $do! { boost [2, 2, 3, 8, 15, 6] }
        $do! { h_bridge [2, 1, 4, 25, 0, 3] }
        $do! { six_pulse [4, 3, 6, 64, 0, 4] }
        $do! { flyback [4, 1, 3, 8, 12, 7] }
        $do! { lcl_inverter [7, 4, 6, 125, 0, 6] }
    };
}

/// A circuit and what sizes its numbers have.
type Sized<const P: usize> = (Circuit<'static, P>, Scale);

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

/// A diode, 100 uH and 100 uF.
pub fn buck() -> Sized<16> {
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .switch("in", "sw", 0, 0.02)
        .diode("0", "sw", on(0.02, 0.7))
        .coil("sw", "m", 100e-6)
        .resistor("m", "out", 0.02)
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", 3.0);
    (circuit, scale(20e-6, 5.0, 24.0))
}

/// The same with its output clamped.
pub fn boost() -> Sized<16> {
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .source("clamp", "0")
        .coil("in", "m", 100e-6)
        .resistor("m", "sw", 0.02)
        .switch("sw", "0", 0, 0.02)
        .diode("sw", "out", on(0.02, 0.7))
        .diode("out", "clamp", on(0.02, 0.7))
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", 20.0);
    (circuit, scale(20e-6, 10.0, 48.0))
}

/// A motor of 1 mH and 1e-4 kg m^2. Its inertia is a capacitor, with 0.05 V s.
pub fn h_bridge() -> Sized<16> {
    let circuit = Circuit::<16>::new()
        .source("P", "0")
        .bridge_leg(("P", "0"), "a", (0, 2), on(0.02, 0.7))
        .bridge_leg(("P", "0"), "b", (1, 3), on(0.02, 0.7))
        .coil("a", "m", 1e-3)
        .resistor("m", "e", 0.5)
        .capacitor("e", "b", 1e-4 / (0.05 * 0.05));
    (circuit, scale(20e-6, 20.0, 24.0))
}

/// Inductances in its lines, a coil and a capacitor behind it. Diodes and no legs: where the mains sag, the coil's current goes through both
/// diodes of a phase.
pub fn six_pulse() -> Sized<24> {
    let device = on(0.01, 0.8);
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
        .diode("a", "P", device)
        .diode("N", "a", device)
        .diode("b", "P", device)
        .diode("N", "b", device)
        .diode("c", "P", device)
        .diode("N", "c", device)
        .coil("P", "q", 5e-3)
        .capacitor("q", "N", 500e-6)
        .resistor("q", "N", 20.0);
    (circuit, scale(50e-6, 50.0, 600.0))
}

/// 200 uH, 50 uH, 220 uF and a clamp of 100 nF that takes the leakage.
pub fn flyback() -> Sized<16> {
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .coil("in", "d", 200e-6)
        .coil("0", "s", 50e-6)
        .switch("d", "0", 0, 0.05)
        .diode("s", "out", on(0.02, 0.7))
        .diode("d", "cl", on(0.1, 0.7))
        .capacitor("out", "0", 220e-6)
        .resistor("out", "0", 5.0)
        .capacitor("cl", "in", 100e-9)
        .resistor("cl", "in", 3e3)
        .coupled(0, 1, 0.98);
    (circuit, scale(20e-6, 5.0, 100.0))
}

/// 2 mH, 0.5 mH and 10 uF a phase.
pub fn lcl_inverter() -> Sized<48> {
    let leg = on(0.01, 0.8);
    let circuit = Circuit::<48>::new()
        .source("P", "0")
        .source("ga", "n")
        .source("gb", "n")
        .source("gc", "n")
        .coil("a", "ma", 2e-3)
        .resistor("ma", "fa", 0.1)
        .coil("b", "mb", 2e-3)
        .resistor("mb", "fb", 0.1)
        .coil("c", "mc", 2e-3)
        .resistor("mc", "fc", 0.1)
        .coil("fa", "ka", 0.5e-3)
        .resistor("ka", "ga", 0.05)
        .coil("fb", "kb", 0.5e-3)
        .resistor("kb", "gb", 0.05)
        .coil("fc", "kc", 0.5e-3)
        .resistor("kc", "gc", 0.05)
        .capacitor("fa", "ra", 10e-6)
        .resistor("ra", "s", 1.0)
        .capacitor("fb", "rb", 10e-6)
        .resistor("rb", "s", 1.0)
        .capacitor("fc", "rc", 10e-6)
        .resistor("rc", "s", 1.0)
        .bridge_leg(("P", "0"), "a", (0, 3), leg)
        .bridge_leg(("P", "0"), "b", (1, 4), leg)
        .bridge_leg(("P", "0"), "c", (2, 5), leg);
    (circuit, scale(20e-6, 50.0, 700.0))
}
