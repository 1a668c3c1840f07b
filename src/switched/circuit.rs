//! A circuit from its parts, and what can be wrong with it.

use super::network::Network;

/// The most parts, nodes and unknowns of a circuit whose size is not stated.
pub const SIZE: usize = 48;

/// The name of the reference node.
const GROUND: &str = "0";

/// A device that conducts: its resistance, and the voltage that its diode needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conduction {
    /// The resistance of the channel and of the diode, in ohms: greater than zero.
    pub resistance: f64,
    /// The forward voltage of the diode, in volts.
    pub forward: f64,
}

/// What a part is. Coils, capacitors and sources count in the order in which they are added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Resistor(f64),
    Coil(f64),
    Capacitor(f64),
    VoltageSource,
    CurrentSource,
    Device(Device),
}

/// A switch, a diode, or both in parallel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Device {
    /// The bit of the gate that closes the channel.
    pub gate: Option<u8>,
    /// Conducts from the part's first node to its second.
    pub diode: bool,
    pub conduction: Conduction,
    /// Of a bridge leg: 1 is the upper device, 2 the lower one, which follows it.
    pub leg: u8,
}

/// A part between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub kind: Kind,
    /// What the current of a coil, the voltage of a capacitor or a source is never below and never above.
    pub range: [f64; 2],
}

/// No limits.
const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Which part an error is about: its kind and its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// `coil`, `capacitor` and so on.
    pub kind: &'static str,
    /// The first node.
    pub from: &'a str,
    /// The second node.
    pub to: &'a str,
}

impl<'a> Named<'a> {
    pub(super) fn of(part: &Part<'a>) -> Self {
        let kind = match part.kind {
            Kind::Resistor(_) => "resistor",
            Kind::Coil(_) => "coil",
            Kind::Capacitor(_) => "capacitor",
            Kind::VoltageSource => "voltage source",
            Kind::CurrentSource => "current source",
            Kind::Device(device) if device.leg > 0 => "device of a bridge leg",
            Kind::Device(device) if device.gate.is_none() => "diode",
            Kind::Device(device) if device.diode => "transistor",
            Kind::Device(_) => "switch",
        };
        let (from, to) = (part.from, part.to);
        Named { kind, from, to }
    }
}

impl core::fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} between {} and {}", self.kind, self.from, self.to)
    }
}

/// The sizes that a circuit's tables need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Independent currents of coils and voltages of capacitors.
    pub states: usize,
    /// Sources.
    pub inputs: usize,
    /// Switches, diodes and transistors; a bridge leg has two.
    pub devices: usize,
    /// Combinations of what conducts that can be reached.
    pub modes: usize,
    /// Stored maps of modes that are too fast for a polynomial over the whole step.
    pub maps: usize,
    /// All combinations, if some cannot be reached; 0 if every one has its mode.
    pub slots: usize,
}

/// Why a circuit has no tables.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CircuitError<'a> {
    /// A resistance, inductance or capacitance is not positive, or a forward voltage is negative, or one of them is not finite.
    Value(Named<'a>),
    /// A gate's number is above 31, or both devices of a bridge leg have the same gate.
    Gate(Named<'a>),
    /// A range that is none, or of a part that has neither a state nor an input.
    Range(Named<'a>),
    /// The step or a nominal magnitude is not positive and finite.
    Nominal,
    /// Nothing connects this node with the reference node, not even through coils and closed switches.
    FloatingNode(&'a str),
    /// Voltage sources form a loop with this one.
    ShortedSource(Named<'a>),
    /// Capacitors form a loop with this one, or with voltage sources, without a resistance.
    CapacitorLoop(Named<'a>),
    /// With all switches open this coil's current has no path, even if every diode conducts.
    CoilWithoutPath(Named<'a>),
    /// Nothing but coils and open devices take up the current of this source in some mode.
    CoilCutset(Named<'a>),
    /// The coil of this number does not exist, is coupled with itself, or coils are coupled by 1 or more in sum.
    Coupling(usize),
    /// More parts, nodes or unknowns than the circuit's `SIZE`.
    TooLarge,
    /// The tables are of other sizes than these.
    Sizes(Sizes),
    /// The equations of this mode are singular to working precision: values are too far apart.
    Singular(usize),
}

impl core::fmt::Display for CircuitError<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Value(part) => write!(f, "{part}: its value must be positive and finite"),
            Self::Gate(part) => write!(f, "{part}: gates are 0 to 31, two in a leg"),
            Self::Range(part) => write!(f, "{part}: has no such range"),
            Self::Nominal => f.write_str("step and nominal magnitudes must be positive and finite"),
            Self::FloatingNode(node) => write!(f, "node {node} is not connected with node 0"),
            Self::ShortedSource(part) => write!(f, "{part}: voltage sources form a loop"),
            Self::CapacitorLoop(part) => write!(f, "{part}: a loop without a resistance"),
            Self::CoilWithoutPath(part) => {
                write!(
                    f,
                    "{part}: its current has no path when switches open; add a diode"
                )
            }
            Self::CoilCutset(part) => write!(f, "{part}: feeds nothing but coils in some mode"),
            Self::Coupling(coil) => write!(f, "coil {coil} cannot be coupled like this"),
            Self::TooLarge => f.write_str("more parts, nodes or unknowns than SIZE"),
            Self::Sizes(s) => write!(
                f,
                "the tables need {} states, {} inputs, {} devices, {} modes, {} maps, {} slots",
                s.states, s.inputs, s.devices, s.modes, s.maps, s.slots
            ),
            Self::Singular(mode) => write!(f, "the equations of mode {mode} are singular"),
        }
    }
}

impl core::error::Error for CircuitError<'_> {}

/// A circuit: parts between named nodes, of which `"0"` is the reference.
///
/// Parts are added one after the other; the first fault is kept and answered by [`build`](Self::build).
///
/// ```
/// use stiffstep::switched::{Circuit, Conduction, Scale};
///
/// let device = Conduction { resistance: 0.02, forward: 0.7 };
/// let buck = Circuit::<16>::new()
///     .source("in", "0")
///     .switch("in", "sw", 0, 0.02)
///     .diode("0", "sw", device)
///     .coil("sw", "m", 100e-6)
///     .resistor("m", "out", 0.02)
///     .capacitor("out", "0", 100e-6)
///     .resistor("out", "0", 3.0);
/// let scale = Scale { step: 20e-6, current: 5.0, voltage: 24.0 };
/// let tables = buck.build::<f32, 2, 1, 2, 4, 0, 5, 0>(scale)?;
/// # Ok::<(), stiffstep::switched::CircuitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Circuit<'a, const S: usize = SIZE> {
    pub(super) parts: [Part<'a>; S],
    pub(super) count: usize,
    /// Pairs of coils and their coupling.
    pub(super) couplings: [(usize, usize, f64); S],
    pub(super) coupled: usize,
    /// Gates that may be set together, if not all may.
    pub(super) permitted: Option<&'a [u32]>,
    fault: Option<CircuitError<'a>>,
}

impl<const S: usize> Default for Circuit<'_, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, const S: usize> Circuit<'a, S> {
    /// A circuit without parts.
    pub const fn new() -> Self {
        let nothing = Part {
            from: GROUND,
            to: GROUND,
            kind: Kind::VoltageSource,
            range: ANY,
        };
        Circuit {
            parts: [nothing; S],
            count: 0,
            couplings: [(0, 0, 0.0); S],
            coupled: 0,
            permitted: None,
            fault: None,
        }
    }

    fn with(mut self, from: &'a str, to: &'a str, kind: Kind) -> Self {
        let range = ANY;
        let part = Part {
            from,
            to,
            kind,
            range,
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let good = match kind {
            Kind::Resistor(value) | Kind::Coil(value) | Kind::Capacitor(value) => positive(value),
            Kind::VoltageSource | Kind::CurrentSource => true,
            Kind::Device(device) => {
                let forward = device.conduction.forward;
                positive(device.conduction.resistance) && forward >= 0.0 && forward.is_finite()
            }
        };
        if !good {
            self.note(CircuitError::Value(Named::of(&part)));
        }
        if let Kind::Device(Device {
            gate: Some(gate), ..
        }) = kind
            && gate > 31
        {
            self.note(CircuitError::Gate(Named::of(&part)));
        }
        match self.parts.get_mut(self.count) {
            Some(place) => *place = part,
            None => self.note(CircuitError::TooLarge),
        }
        self.count = (self.count + 1).min(S);
        self
    }

    /// Keeps the first fault.
    fn note(&mut self, fault: CircuitError<'a>) {
        self.fault.get_or_insert(fault);
    }

    /// A resistor, in ohms.
    pub fn resistor(self, from: &'a str, to: &'a str, ohms: f64) -> Self {
        self.with(from, to, Kind::Resistor(ohms))
    }

    /// A coil, in henries. Its current, from the first node to the second, is a state unless coils in a star leave it to the others.
    pub fn coil(self, from: &'a str, to: &'a str, henries: f64) -> Self {
        self.with(from, to, Kind::Coil(henries))
    }

    /// Couples two coils, counted from 0 in the order in which they were added, by a factor of magnitude below 1.
    pub fn coupled(mut self, first: usize, second: usize, factor: f64) -> Self {
        if first == second || !(factor > -1.0 && factor < 1.0) {
            self.note(CircuitError::Coupling(second));
        }
        match self.couplings.get_mut(self.coupled) {
            Some(place) => *place = (first, second, factor),
            None => self.note(CircuitError::TooLarge),
        }
        self.coupled = (self.coupled + 1).min(S);
        self
    }

    /// A capacitor, in farads. Its voltage, of the first node against the second, is a state.
    pub fn capacitor(self, from: &'a str, to: &'a str, farads: f64) -> Self {
        self.with(from, to, Kind::Capacitor(farads))
    }

    /// A voltage source: the next input is the voltage of the first node against the second.
    pub fn source(self, from: &'a str, to: &'a str) -> Self {
        self.with(from, to, Kind::VoltageSource)
    }

    /// A current source: the next input is the current through it from the first node to the second.
    pub fn current_source(self, from: &'a str, to: &'a str) -> Self {
        self.with(from, to, Kind::CurrentSource)
    }

    /// The part that was added last stays between these: the current of a coil, the voltage of a capacitor, what a source gives. Modes in
    /// which a diode would then carry a negative current have no tables; a step that meets one outside of the ranges is
    /// [`SwitchedError::OutOfReach`](super::SwitchedError::OutOfReach). Nothing else looks at ranges.
    pub fn within(mut self, least: f64, most: f64) -> Self {
        let last = self.count.checked_sub(1);
        if let Some(part) = last.and_then(|last| self.parts.get_mut(last)) {
            part.range = [least, most];
            let part = *part;
            let none = matches!(part.kind, Kind::Resistor(_) | Kind::Device(_));
            let some = least <= most;
            // NaN, too, is no range.
            if none || !some {
                self.note(CircuitError::Range(Named::of(&part)));
            }
        }
        self
    }

    /// Gates are always one of these words, or all off: modes that need others have no tables, and others are
    /// [`SwitchedError::OutOfReach`](super::SwitchedError::OutOfReach).
    pub fn permitting(mut self, gates: &'a [u32]) -> Self {
        self.permitted = Some(gates);
        self
    }

    /// A switch that conducts both ways while bit `gate` of the gates is set.
    pub fn switch(self, from: &'a str, to: &'a str, gate: u8, ohms: f64) -> Self {
        let conduction = Conduction {
            resistance: ohms,
            forward: 0.0,
        };
        self.device(from, to, Some(gate), false, conduction, 0)
    }

    /// A diode from its anode to its cathode.
    pub fn diode(self, anode: &'a str, cathode: &'a str, conduction: Conduction) -> Self {
        self.device(anode, cathode, None, true, conduction, 0)
    }

    /// A transistor with its diode, which conducts from `source` to `drain`. Two of these across a supply are a modelled short
    /// circuit when both gates are set; a [`bridge_leg`](Self::bridge_leg) answers an error instead.
    pub fn transistor(
        self,
        drain: &'a str,
        source: &'a str,
        gate: u8,
        conduction: Conduction,
    ) -> Self {
        self.device(source, drain, Some(gate), true, conduction, 0)
    }

    /// Two transistors with diodes between two rails, of which `high` is never below `low`, which nothing watches: a source or a capacitor has to
    /// hold them. Their gates are `gates.0` (upper) and `gates.1` (lower).
    pub fn bridge_leg(
        mut self,
        rails: (&'a str, &'a str),
        middle: &'a str,
        gates: (u8, u8),
        conduction: Conduction,
    ) -> Self {
        let (high, low) = rails;
        if gates.0 == gates.1 {
            let (kind, from, to) = ("device of a bridge leg", middle, high);
            self.note(CircuitError::Gate(Named { kind, from, to }));
        }
        self.device(middle, high, Some(gates.0), true, conduction, 1)
            .device(low, middle, Some(gates.1), true, conduction, 2)
    }

    /// Two diodes between two rails, of which `high` is never below `low`: a step in which it would be is refused. Where a coil behind the
    /// rectifier may bring that about, put two [diodes](Self::diode), which have more modes.
    pub fn rectifier_leg(
        self,
        rails: (&'a str, &'a str),
        middle: &'a str,
        conduction: Conduction,
    ) -> Self {
        let (high, low) = rails;
        self.device(middle, high, None, true, conduction, 1)
            .device(low, middle, None, true, conduction, 2)
    }

    fn device(
        self,
        from: &'a str,
        to: &'a str,
        gate: Option<u8>,
        diode: bool,
        conduction: Conduction,
        leg: u8,
    ) -> Self {
        let device = Device {
            gate,
            diode,
            conduction,
            leg,
        };
        self.with(from, to, Kind::Device(device))
    }

    /// The circuit's equations, if its parts are right.
    pub(super) fn network(&self) -> Result<Network<'a, S>, CircuitError<'a>> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Network::new(self),
        }
    }
}
