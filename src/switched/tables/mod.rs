//! A circuit's modes as numbers that a step reads: in flash, or computed at start-up.

mod build;
mod maps;
mod numbers;
mod reach;
mod written;

pub(super) use reach::NO_SLOT;

/// What sizes a circuit's numbers have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The step, in seconds.
    pub step: f64,
    /// The largest current that is usual, in amperes. Currents below a millionth of it are zero.
    pub current: f64,
    /// The largest voltage that is usual, in volts.
    pub voltage: f64,
}

impl Scale {
    fn is_valid(&self) -> bool {
        let all = [self.step, self.current, self.voltage];
        all.into_iter()
            .all(|value| value > 0.0 && value.is_finite())
    }
}

/// One combination of what conducts: `x' = a x + b u + e`, time in steps.
///
/// For each watched device `c x + d u + o` is its current, if it conducts, or what its voltage lacks to conduct: not negative
/// while the mode lasts. The mode is entered at `p x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode<R, const N: usize, const U: usize, const Y: usize> {
    /// States on rates.
    pub a: [[R; N]; N],
    /// Inputs on rates.
    pub b: [[R; U]; N],
    /// Forward voltages on rates.
    pub e: [R; N],
    /// The state at once, by the state before.
    pub p: [[R; N]; N],
    /// Of a device that is off, minus the current that is forced through it; of one that conducts, the part of its current that ends
    /// at once.
    pub w: [[R; N]; Y],
    /// States on conditions.
    pub c: [[R; N]; Y],
    /// Inputs on conditions.
    pub d: [[R; U]; Y],
    /// Forward voltages on conditions.
    pub o: [R; Y],
    /// The devices of the rows of `w`, `c`, `d` and `o`.
    pub device: [u8; Y],
    /// The diodes that conduct, but have no path for a current: they hold a part of the circuit that floats.
    pub idle: u32,
    /// The diodes whose current is that of another one backwards: both conduct without a current only.
    pub opposed: u32,
    /// How many rows there are.
    pub watched: u8,
    /// Whether currents may lack a path: otherwise `p` is one and `w` is zero, and a step leaves both out.
    pub cut: bool,
    /// Maps exist over `2^-coarsest` of a step, a quarter of it and so on: this many.
    pub levels: u8,
    /// The longest of them.
    pub coarsest: u8,
    /// Where they begin.
    pub first: u16,
}

/// The exact change of the state over a part of a step: `phi x + g u + r u' + s` where inputs begin at u and change by u' a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map<R, const N: usize, const U: usize> {
    /// States.
    pub phi: [[R; N]; N],
    /// Inputs.
    pub g: [[R; U]; N],
    /// Ramps.
    pub r: [[R; U]; N],
    /// Forward voltages.
    pub s: [R; N],
}

/// How gates and diodes number the modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys<const Y: usize> {
    /// What a conducting diode and a closed channel add to a mode's number.
    pub weight: [[u16; 2]; Y],
    /// The bit of the gate, 0 without one.
    pub gate: [u32; Y],
    /// The bit of the other device of a leg, 0 without one.
    pub partner: [u32; Y],
    /// The gates of the other device of a leg.
    pub opposite: [u32; Y],
}

/// What states and inputs stay between, as far as modes without tables rely on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<R, const N: usize, const U: usize> {
    /// States: least and most.
    pub states: [[R; 2]; N],
    /// Inputs: least and most.
    pub inputs: [[R; 2]; U],
}

/// The modes of a circuit with N states, U inputs and Y devices, for polynomials of degree K. With SLOTS other than 0 there are that many
/// combinations of what conducts, of which MODES can be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const MODES: usize,
    const MAPS: usize,
    const K: usize,
    const SLOTS: usize = 0,
> {
    /// By their numbers, or as slots say.
    pub modes: [Mode<R, N, U, Y>; MODES],
    /// Of all modes that need them.
    pub maps: [Map<R, N, U>; MAPS],
    /// How modes are numbered.
    pub keys: Keys<Y>,
    /// By numbers: which mode; or the device that cannot be as it is then, from 2^15 on; or 2^16 - 1, if gates are not permitted.
    pub slots: [u16; SLOTS],
    /// What slots without a mode rely on.
    pub limits: Limits<R, N, U>,
}

/// Tables without their sizes: what a step reads.
#[derive(Clone, Copy, Debug)]
pub struct View<'t, R, const N: usize, const U: usize, const Y: usize, const K: usize> {
    pub(super) modes: &'t [Mode<R, N, U, Y>],
    pub(super) maps: &'t [Map<R, N, U>],
    pub(super) keys: &'t Keys<Y>,
    pub(super) slots: &'t [u16],
    pub(super) limits: &'t Limits<R, N, U>,
}

impl<
    R,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const S: usize,
> Tables<R, N, U, Y, M, L, K, S>
{
    /// What a step reads.
    pub fn view(&self) -> View<'_, R, N, U, Y, K> {
        View {
            modes: &self.modes,
            maps: &self.maps,
            keys: &self.keys,
            slots: &self.slots,
            limits: &self.limits,
        }
    }

    /// Bytes of a mode with its share of the maps and of the slots.
    pub fn bytes_per_mode(&self) -> usize {
        let shared = size_of_val(&self.maps) + size_of_val(&self.slots);
        size_of::<Mode<R, N, U, Y>>() + shared.div_ceil(M.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Circuit, CircuitError, Conduction, Edge, Input, Switched};
    use super::{Mode, Scale, Tables};

    const DEVICE: Conduction = Conduction {
        resistance: 0.125,
        forward: 0.5,
    };
    const SCALE: Scale = Scale {
        step: 0.01,
        current: 2.0,
        voltage: 8.0,
    };

    /// A half bridge that feeds a coil, a capacitor and a resistor.
    fn buck<'a>() -> Circuit<'a, 16> {
        Circuit::new()
            .source("in", "0")
            .bridge_leg(("in", "0"), "mid", (3, 5), DEVICE)
            .coil("mid", "out", 0.5)
            .capacitor("out", "0", 0.25)
            .resistor("out", "0", 4.0)
    }

    type Buck = Tables<f64, 2, 1, 2, 5, 0, 5>;

    fn assert_near(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-12, "{a:?} is not {b:?}");
        }
    }

    /// Off, the diodes, the channels: Kirchhoff's laws by hand, a step instead of a second.
    #[test]
    fn modes_are_kirchhoffs_laws() -> Result<(), CircuitError<'static>> {
        let tables: Buck = buck().build(SCALE)?;
        let by_current = -0.125 / 0.5 * 0.01;
        let by_voltage = -0.01 / 0.5;
        let rest = [0.01 / 0.25, -0.01 / (4.0 * 0.25)];
        // What the source and the forward voltage add to the coil's voltage.
        let driven = [(1.0, 0.5), (0.0, -0.5), (1.0, 0.0), (0.0, 0.0)];
        for (mode, (source, forward)) in tables.modes[1..].iter().zip(driven) {
            assert_near(&mode.a[0], &[by_current, by_voltage]);
            assert_near(&mode.a[1], &rest);
            assert_near(&[mode.b[0][0], mode.b[1][0]], &[source * 0.01 / 0.5, 0.0]);
            assert_near(&mode.e, &[forward * 0.01 / 0.5, 0.0]);
            assert_eq!((mode.p, mode.cut), ([[1.0, 0.0], [0.0, 1.0]], false));
        }
        // Without a path there is no current; the capacitor goes on.
        let off = &tables.modes[0];
        assert_near(&off.a[0], &[0.0; 2]);
        assert_near(&off.a[1], &[0.0, -0.01]);
        assert_eq!((off.p, off.cut), ([[0.0, 0.0], [0.0, 1.0]], true));
        Ok(())
    }

    /// A diode that conducts has its current for a condition, one that does not its missing voltage; nothing else is watched.
    #[test]
    fn conditions_are_currents_and_missing_voltages() -> Result<(), CircuitError<'static>> {
        let tables: Buck = buck().build(SCALE)?;
        let watched = |mode: &Mode<f64, 2, 1, 2>| mode.watched;
        assert_eq!(tables.modes.each_ref().map(watched), [2, 1, 1, 0, 0]);
        let [off, upper, lower, ..] = &tables.modes;
        assert_eq!([upper.device[0], lower.device[0]], [0, 1]);
        assert_near(&upper.c[0], &[-0.5, 0.0]);
        assert_near(&lower.c[0], &[0.5, 0.0]);
        // The middle is at the capacitor's voltage.
        assert_near(&off.c[0], &[0.0, -1.0 / 8.0]);
        assert_near(&off.c[1], &[0.0, 1.0 / 8.0]);
        assert_near(&[off.d[0][0], off.d[1][0]], &[1.0 / 8.0, 0.0]);
        assert_near(&off.o, &[0.5 / 8.0; 2]);
        // A current out of the middle is forced through both, half through each but for what strays.
        let half = 0.5 * 2.0 / 2.001 / 2.0 * 2.0;
        assert!((off.w[0][0] - 0.5 * half).abs() < 1e-3, "{:?}", off.w);
        assert!((off.w[1][0] + 0.5 * half).abs() < 1e-3, "{:?}", off.w);
        Ok(())
    }

    /// Two current sources and a voltage between them are three inputs, each where it belongs.
    #[test]
    fn inputs_are_numbered_in_their_order() -> Result<(), CircuitError<'static>> {
        let fed = Circuit::<16>::new()
            .current_source("0", "a")
            .source("in", "0")
            .current_source("0", "b")
            .capacitor("a", "0", 0.5)
            .capacitor("b", "0", 0.25)
            .resistor("in", "b", 2.0);
        let tables: Tables<f64, 2, 3, 0, 1, 0, 5> = fed.build(SCALE)?;
        let mode = &tables.modes[0];
        assert_near(&mode.b[0], &[0.01 / 0.5, 0.0, 0.0]);
        assert_near(&mode.b[1], &[0.0, 0.01 / (2.0 * 0.25), 0.01 / 0.25]);
        assert_near(&mode.a[1], &[0.0, -0.01 / (2.0 * 0.25)]);
        Ok(())
    }

    /// A condition with a term of many nominal units is in sixteenths of that: a small resistance across a conducting diode.
    #[test]
    fn large_terms_are_a_conditions_unit() -> Result<(), CircuitError<'static>> {
        let bypassed = Circuit::<16>::new()
            .capacitor("a", "0", 1.0)
            .diode("a", "0", DEVICE);
        let scale = Scale {
            step: 1e-3,
            current: 2.0,
            voltage: 8.0,
        };
        let tables: Tables<f64, 1, 0, 1, 2, 0, 5> = bypassed.build(scale)?;
        // (v - 0.5) / 0.125 amperes: 64 A of eight volts, of which a sixteenth is more than two amperes.
        let conducting = &tables.modes[1];
        assert_near(&conducting.c[0], &[8.0 / 4.0]);
        assert_near(&conducting.o, &[-4.0 / 4.0]);
        Ok(())
    }

    /// Each part has its name.
    #[test]
    fn parts_are_named_by_their_kind() {
        let named = |circuit: Circuit<'static, 16>| match circuit.sizes(SCALE, 5) {
            Err(CircuitError::Value(part)) => part.kind,
            _ => "",
        };
        let new = Circuit::<'static, 16>::new;
        let bad = Conduction {
            resistance: -1.0,
            ..DEVICE
        };
        assert_eq!(named(new().resistor("a", "0", 0.0)), "resistor");
        assert_eq!(named(new().coil("a", "0", -1.0)), "coil");
        assert_eq!(named(new().capacitor("a", "0", f64::NAN)), "capacitor");
        assert_eq!(named(new().diode("a", "0", bad)), "diode");
        assert_eq!(named(new().transistor("a", "0", 1, bad)), "transistor");
        assert_eq!(named(new().switch("a", "0", 1, 0.0)), "switch");
        let leg = new().rectifier_leg(("a", "0"), "b", bad);
        assert_eq!(named(leg), "device of a bridge leg");
    }

    /// Numbers of modes: a digit a device, and what a gate excludes.
    #[test]
    fn keys_number_the_modes() -> Result<(), CircuitError<'static>> {
        let tables: Buck = buck().build(SCALE)?;
        assert_eq!(tables.keys.weight, [[1, 3], [2, 4]]);
        assert_eq!(tables.keys.gate, [8, 32]);
        assert_eq!(
            (tables.keys.partner, tables.keys.opposite),
            ([2, 1], [32, 8])
        );
        Ok(())
    }

    /// A mode with its share of the maps and the slots.
    #[test]
    fn a_mode_takes_its_share_of_bytes() -> Result<(), CircuitError<'static>> {
        let tables: Buck = buck().build(SCALE)?;
        let mode = size_of::<Mode<f64, 2, 1, 2>>();
        assert_eq!(tables.bytes_per_mode(), mode);
        let blank = super::maps::blank_map::<f64, 2, 1>();
        let more = Tables::<f64, 2, 1, 2, 5, 7, 5, 3> {
            modes: tables.modes,
            maps: [blank; 7],
            keys: tables.keys,
            slots: [0; 3],
            limits: tables.limits,
        };
        // Ten numbers a map: 560 and 6 bytes among five modes.
        assert_eq!(more.bytes_per_mode(), mode + 114);
        Ok(())
    }

    /// What is no scale.
    #[test]
    fn scales_are_positive() {
        let built = |scale: Scale| buck().build::<f64, 2, 1, 2, 5, 0, 5, 0>(scale).is_ok();
        assert!(built(SCALE));
        assert!(!built(Scale { step: 0.0, ..SCALE }));
        assert!(!built(Scale {
            current: f64::INFINITY,
            ..SCALE
        }));
        assert!(!built(Scale {
            voltage: -1.0,
            ..SCALE
        }));
    }

    /// A coil of a microsecond in steps of ten, with a ramp of its source: exact maps, against the formula.
    #[test]
    fn fast_modes_have_exact_maps() -> Result<(), &'static str> {
        let fast = Circuit::<16>::new()
            .source("in", "0")
            .resistor("in", "a", 1.0)
            .coil("a", "0", 1e-6);
        let scale = Scale {
            step: 1e-5,
            ..SCALE
        };
        let sizes = fast.sizes(scale, 5).map_err(|_| "no sizes")?;
        // Of ten time constants a series of degree five leaves 10^6 / 6!, and a 64th of it with every half: a millionth after six.
        assert_eq!(
            (sizes.states, sizes.inputs, sizes.modes, sizes.maps),
            (1, 1, 1, 4)
        );
        let tables: Tables<f64, 1, 1, 0, 1, 4, 5> = fast.build(scale).map_err(|_| "no tables")?;
        assert_eq!((tables.modes[0].coarsest, tables.modes[0].levels), (0, 4));
        for level in 0..4 {
            // Over a share of the step the current decays, and follows the source and its rise.
            let tau = 10.0 / f64::from(1 << (2 * level));
            let (map, e) = (&tables.maps[level as usize], libm::exp(-tau));
            assert_near(&[map.phi[0][0], map.g[0][0]], &[e - 1.0, 1.0 - e]);
            assert_near(&[map.r[0][0], map.s[0]], &[(tau - (1.0 - e)) / 10.0, 0.0]);
        }
        let mut coil = Switched::new(tables.view(), [3.0], [2.0]).map_err(|_| "no start")?;
        let input = Input {
            start: [2.0],
            change: [5.0],
        };
        coil.step(&input, &[]).map_err(|_| "no step")?;
        let lag = 5.0 / 10.0;
        let expected = 7.0 - lag + (3.0 - (2.0 - lag)) * libm::exp(-10.0);
        assert!((coil.state().x[0] - expected).abs() < 1e-6);
        let within = coil
            .within(0.25, &Input::held([0.0]), &[])
            .map_err(|_| "nothing within")?;
        assert!((within[0] - coil.state().x[0] * libm::exp(-2.5)).abs() < 1e-6);
        Ok(())
    }

    /// A buck from edge to edge against its exact solution without losses: volt-seconds on the coil.
    #[test]
    fn a_step_goes_from_edge_to_edge() -> Result<(), &'static str> {
        let tables: Buck = buck().build(SCALE).map_err(|_| "no tables")?;
        let mut buck = Switched::new(tables.view(), [1.0, 6.0], [12.0]).map_err(|_| "no start")?;
        let edges = [(0.25, 8), (0.5, 0), (0.75, 32)].map(|(at, gates)| Edge { at, gates });
        // The lower diode conducts at first and between, then the upper channel, then the lower one.
        let report = buck
            .step(&Input::held([12.0]), &edges)
            .map_err(|_| "no step")?;
        let rates = |[i, v]: [f64; 2], part: usize| {
            let driven = [-0.5, 12.0, -0.5, 0.0][part];
            [(driven - 0.125 * i - v) / 0.5, (i - v / 4.0) / 0.25]
        };
        let (mut x, parts) = ([1.0, 6.0], 400);
        for k in 0..parts {
            let (dt, plus) = (0.01 / parts as f64, |a: [f64; 2], b: [f64; 2], by: f64| {
                [a[0] + by * b[0], a[1] + by * b[1]]
            });
            let part = 4 * k / parts;
            let a = rates(x, part);
            let b = rates(plus(x, a, dt / 2.0), part);
            x = plus(x, b, dt);
        }
        assert_near(&[report.segments.into()], &[4.0]);
        for i in 0..2 {
            assert!(
                (buck.state().x[i] - x[i]).abs() < 1e-8,
                "{x:?} {:?}",
                buck.state().x
            );
        }
        assert_eq!((buck.state().gates, buck.state().diodes), (32, 0));
        Ok(())
    }
}
