//! A circuit as a list of parts: what netlists are read into, and what the library and the independent solution are both given.

use stiffstep::switched::{Circuit, Conduction};

/// A part with its nodes by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The first node.
    pub from: String,
    /// The second node.
    pub to: String,
    /// What it is.
    pub kind: Kind,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// In ohms.
    Resistor(f64),
    /// In henries.
    Coil(f64),
    /// In farads.
    Capacitor(f64),
    /// The next input.
    Source,
    /// The next input, a current.
    CurrentSource,
    /// A gate's bit and the resistance.
    Switch(u8, f64),
    /// From the first node to the second.
    Diode(Conduction),
    /// A transistor from drain to source with its diode.
    Transistor(u8, Conduction),
    /// The middle of a leg, `from` and `to` are the rails; the gates of the upper and the lower transistor, if there are any.
    Leg(Option<(u8, u8)>, Conduction),
}

/// Parts, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Net {
    /// All parts.
    pub parts: Vec<Part>,
    /// The middle node of every leg, in order.
    pub middles: Vec<String>,
    /// Pairs of coils and their coupling.
    pub couplings: Vec<(usize, usize, f64)>,
}

impl Net {
    /// Adds a part.
    pub fn add(&mut self, from: &str, to: &str, kind: Kind) {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.parts.push(Part { from, to, kind });
    }

    /// Adds a leg between rails.
    pub fn leg(
        &mut self,
        rails: (&str, &str),
        middle: &str,
        gates: Option<(u8, u8)>,
        on: Conduction,
    ) {
        self.add(rails.0, rails.1, Kind::Leg(gates, on));
        self.middles.push(middle.to_owned());
    }

    /// The same for the library.
    pub fn circuit(&self) -> Circuit<'_, 48> {
        let mut circuit = Circuit::new();
        let mut middles = self.middles.iter();
        for part in &self.parts {
            let (from, to) = (part.from.as_str(), part.to.as_str());
            circuit = match part.kind {
                Kind::Resistor(value) => circuit.resistor(from, to, value),
                Kind::Coil(value) => circuit.coil(from, to, value),
                Kind::Capacitor(value) => circuit.capacitor(from, to, value),
                Kind::Source => circuit.source(from, to),
                Kind::CurrentSource => circuit.current_source(from, to),
                Kind::Switch(gate, ohms) => circuit.switch(from, to, gate, ohms),
                Kind::Diode(on) => circuit.diode(from, to, on),
                Kind::Transistor(gate, on) => circuit.transistor(from, to, gate, on),
                Kind::Leg(gates, on) => {
                    let middle = middles.next().map_or("0", String::as_str);
                    match gates {
                        Some(gates) => circuit.bridge_leg((from, to), middle, gates, on),
                        None => circuit.rectifier_leg((from, to), middle, on),
                    }
                }
            };
        }
        for &(first, second, factor) in &self.couplings {
            circuit = circuit.coupled(first, second, factor);
        }
        circuit
    }

    /// The calls that build the same circuit, as Rust source.
    pub fn source(&self) -> String {
        let mut text = String::from("Circuit::new()");
        let mut middles = self.middles.iter();
        for part in &self.parts {
            let (from, to) = (&part.from, &part.to);
            text += &match part.kind {
                Kind::Resistor(value) => format!(".resistor({from:?}, {to:?}, {value:?})"),
                Kind::Coil(value) => format!(".coil({from:?}, {to:?}, {value:?})"),
                Kind::Capacitor(value) => format!(".capacitor({from:?}, {to:?}, {value:?})"),
                Kind::Source => format!(".source({from:?}, {to:?})"),
                Kind::CurrentSource => format!(".current_source({from:?}, {to:?})"),
                Kind::Switch(gate, ohms) => format!(".switch({from:?}, {to:?}, {gate}, {ohms:?})"),
                Kind::Diode(on) => format!(".diode({from:?}, {to:?}, {on:?})"),
                Kind::Transistor(gate, on) => {
                    format!(".transistor({from:?}, {to:?}, {gate}, {on:?})")
                }
                Kind::Leg(gates, on) => {
                    let middle = middles.next().map_or("0", String::as_str);
                    match gates {
                        Some(gates) => format!(
                            ".bridge_leg(({from:?}, {to:?}), {middle:?}, {gates:?}, {on:?})"
                        ),
                        None => format!(".rectifier_leg(({from:?}, {to:?}), {middle:?}, {on:?})"),
                    }
                }
            };
        }
        for (first, second, factor) in &self.couplings {
            text += &format!(".coupled({first}, {second}, {factor:?})");
        }
        text
    }
}
