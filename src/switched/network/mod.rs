//! Kirchhoff's equations of a circuit, mode by mode, in double precision.
//!
//! A device that is off does not conduct at all. Two limits of a large off-resistance are taken exactly:
//! - at the *instant* of a change, currents of coils that have no other path are forced through devices that are off. They share
//!   them as equal resistances would, and their sign says which diode must conduct;
//! - *slowly*, such currents are zero, and nodes that only coils hold have the voltage with which they stay zero. Getting there is
//!   a projection that keeps the flux of every loop.
//!
//! Nodes that conducting parts connect form a group. Groups without the reference node are where both limits differ from
//! ordinary nodal analysis: each adds one equation.

mod check;
mod equations;
mod groups;
mod nodal;
mod states;

use super::circuit::{Circuit, CircuitError, Device, Kind, Named};
use super::dense::{Matrix, zero};
pub(super) use equations::Equations;
use groups::Groups;

/// What a device does: nothing, conduct by its diode, conduct by its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digit {
    Off,
    Diode,
    Channel,
}

/// A part, its nodes by number: 0 is the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    from: usize,
    to: usize,
    pub kind: Kind,
    range: [f64; 2],
    name: Named<'a>,
}

/// A circuit whose structure has been checked.
#[derive(Clone, Debug)]
pub(super) struct Network<'a, const S: usize> {
    parts: [Placed<'a>; S],
    count: usize,
    /// Nodes, the reference included.
    nodes: usize,
    pub coils: usize,
    pub capacitors: usize,
    pub inputs: usize,
    pub devices: usize,
    /// Inductances, and capacitances in the rows after them: twice the energy is `x^T energy x`.
    energy: Matrix<S>,
    inverse_inductance: Matrix<S>,
    /// The states that are kept, and all by them.
    pub keep: [usize; S],
    pub states: usize,
    all: Matrix<S>,
    /// Gates that may be set together, if not all may.
    pub permitted: Option<&'a [u32]>,
}

/// The parts of a circuit with numbered nodes, the names of nodes, and how many there are.
type Numbered<'a, const S: usize> = ([Placed<'a>; S], [&'a str; S], usize);

/// Numbers nodes in the order in which parts name them.
fn numbered<'a, const S: usize>(
    circuit: &Circuit<'a, S>,
) -> Result<Numbered<'a, S>, CircuitError<'a>> {
    let (mut names, mut nodes) = (["0"; S], 1);
    let mut number = |name: &'a str| -> Result<usize, CircuitError<'a>> {
        if let Some(found) = names.iter().take(nodes).position(|known| *known == name) {
            return Ok(found);
        }
        *names.get_mut(nodes).ok_or(CircuitError::TooLarge)? = name;
        nodes += 1;
        Ok(nodes - 1)
    };
    let name = Named {
        kind: "",
        from: "0",
        to: "0",
    };
    let nothing = Placed {
        from: 0,
        to: 0,
        kind: Kind::VoltageSource,
        range: [0.0; 2],
        name,
    };
    let mut parts = [nothing; S];
    let given = circuit.parts.iter().take(circuit.count);
    for (place, part) in parts.iter_mut().zip(given) {
        *place = Placed {
            from: number(part.from)?,
            to: number(part.to)?,
            kind: part.kind,
            range: part.range,
            name: Named::of(part),
        };
    }
    Ok((parts, names, nodes))
}

impl<'a, const S: usize> Network<'a, S> {
    /// Numbers nodes and looks for what no mode can repair.
    pub fn new(circuit: &Circuit<'a, S>) -> Result<Self, CircuitError<'a>> {
        let (parts, names, nodes) = numbered(circuit)?;
        let all = parts.iter().take(circuit.count);
        let count = |kind: fn(&Kind) -> bool| all.clone().filter(|part| kind(&part.kind)).count();
        let mut network = Network {
            count: circuit.count,
            nodes,
            coils: count(|kind| matches!(kind, Kind::Coil(_))),
            capacitors: count(|kind| matches!(kind, Kind::Capacitor(_))),
            inputs: count(|kind| matches!(kind, Kind::VoltageSource | Kind::CurrentSource)),
            devices: count(|kind| matches!(kind, Kind::Device(_))),
            parts,
            energy: zero(),
            inverse_inductance: zero(),
            keep: [0; S],
            states: 0,
            all: zero(),
            permitted: circuit.permitted,
        };
        network.check_structure(&names)?;
        network.set_energy(circuit)?;
        network.find_states()?;
        Ok(network)
    }

    fn parts(&self) -> impl Iterator<Item = &Placed<'a>> + Clone {
        self.parts.iter().take(self.count)
    }

    /// Coils, capacitors: currents first.
    fn full_states(&self) -> usize {
        self.coils + self.capacitors
    }

    fn coils(&self) -> impl Iterator<Item = &Placed<'a>> + Clone {
        self.parts()
            .filter(|part| matches!(part.kind, Kind::Coil(_)))
    }

    fn placed_devices(&self) -> impl Iterator<Item = (&Placed<'a>, Device)> + Clone {
        self.parts().filter_map(|part| match part.kind {
            Kind::Device(device) => Some((part, device)),
            _ => None,
        })
    }

    /// The devices.
    pub fn devices(&self) -> impl Iterator<Item = Device> + Clone {
        self.placed_devices().map(|(_, device)| device)
    }

    /// The range of a state that is kept.
    pub fn state_range(&self, state: usize) -> [f64; 2] {
        let capacitor = |part: &&Placed<'a>| matches!(part.kind, Kind::Capacitor(_));
        let mut all = self.coils().chain(self.parts().filter(capacitor));
        all.nth(self.keep[state])
            .map_or([0.0; 2], |part| part.range)
    }

    /// The range of an input.
    pub fn input_range(&self, input: usize) -> [f64; 2] {
        let source =
            |part: &&Placed<'a>| matches!(part.kind, Kind::VoltageSource | Kind::CurrentSource);
        let mut all = self.parts().filter(source);
        all.nth(input).map_or([0.0; 2], |part| part.range)
    }

    /// Which nodes resistors, sources, capacitors and conducting devices connect.
    fn groups(&self, mut conducts: impl FnMut(&Device) -> bool) -> Groups<S> {
        let mut groups = Groups::new();
        for part in self.parts() {
            let joins = match &part.kind {
                Kind::Coil(_) | Kind::CurrentSource => false,
                Kind::Device(device) => conducts(device),
                _ => true,
            };
            if joins {
                groups.join(part.from, part.to);
            }
        }
        groups
    }

    /// The groups whose coils' currents sum to zero, one left out of those that only coils connect with each other; and the larger
    /// groups that coils leave without connection to the reference.
    fn cutsets(&self, groups: &Groups<S>) -> ([bool; S], Groups<S>) {
        let mut larger = *groups;
        self.coils()
            .for_each(|coil| larger.join(coil.from, coil.to));
        let mut cut = [false; S];
        for group in groups.floating(self.nodes) {
            cut[group] = larger.0[group] != group;
        }
        (cut, larger)
    }

    /// How the currents of coils add up at a group: +1 for those that leave it, -1 for those that enter.
    fn incidence(&self, groups: &Groups<S>, group: usize) -> [f64; S] {
        let mut row = [0.0; S];
        for (place, coil) in row.iter_mut().zip(self.coils()) {
            *place = f64::from(u8::from(groups.0[coil.from] == group))
                - f64::from(u8::from(groups.0[coil.to] == group));
        }
        row
    }
}
