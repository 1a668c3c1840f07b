//! Nodal equations of a mode, and what currents without a path add to them.

use super::super::circuit::{CircuitError, Kind};
use super::super::dense::{Matrix, zero};
use super::{Digit, Network, Placed};

/// Nodal equations with borders: the matrix, the right-hand sides by states, inputs and 1, and where unknowns are.
pub(super) struct Nodal<const S: usize> {
    pub matrix: Matrix<S>,
    pub right: Matrix<S>,
    /// Equations without borders.
    pub size: usize,
    /// The row of the current of each device that conducts.
    pub current: [usize; S],
    /// The row of the current of the first capacitor.
    pub capacitor: usize,
}

impl<const S: usize> Nodal<S> {
    /// Adds a part with a current of its own, in this row: its voltage is `resistance` times the current and what this column gives.
    fn branch<'a>(
        &mut self,
        part: &Placed<'a>,
        row: usize,
        resistance: f64,
        (column, value): (usize, f64),
    ) -> Result<(), CircuitError<'a>> {
        if row >= S {
            return Err(CircuitError::TooLarge);
        }
        for (node, sign) in [(part.from, 1.0), (part.to, -1.0)] {
            if node > 0 {
                self.matrix[row][node - 1] += sign;
                self.matrix[node - 1][row] += sign;
            }
        }
        self.matrix[row][row] = -resistance;
        self.right[row][column] = value;
        Ok(())
    }
}

/// Leakage from every node to the reference, against that of a device that is off: it decides where nothing else does.
const STRAY: f64 = 1e-3;

impl<'a, const S: usize> Network<'a, S> {
    /// The nodal equations of a mode. Unknowns: voltages of nodes, then currents of sources, capacitors, devices that conduct.
    pub(super) fn nodal(&self, digits: &[Digit; S]) -> Result<Nodal<S>, CircuitError<'a>> {
        let full = self.full_states();
        let first_source = self.nodes - 1;
        let first_capacitor = first_source + self.voltage_sources();
        let mut nodal = Nodal {
            matrix: zero(),
            right: zero(),
            size: first_capacitor + self.capacitors,
            current: [0; S],
            capacitor: first_capacitor,
        };
        let (mut sources, mut inputs, mut coils, mut capacitors, mut devices) = (0, 0, 0, 0, 0);
        for part in self.parts() {
            match part.kind {
                Kind::Resistor(ohms) => stamp(&mut nodal.matrix, part, 1.0 / ohms),
                Kind::Coil(_) => {
                    inject(&mut nodal.right, part, coils);
                    coils += 1;
                }
                Kind::CurrentSource => {
                    inject(&mut nodal.right, part, full + inputs);
                    inputs += 1;
                }
                Kind::VoltageSource => {
                    nodal.branch(part, first_source + sources, 0.0, (full + inputs, 1.0))?;
                    (sources, inputs) = (sources + 1, inputs + 1);
                }
                Kind::Capacitor(_) => {
                    let column = self.coils + capacitors;
                    nodal.branch(part, first_capacitor + capacitors, 0.0, (column, 1.0))?;
                    capacitors += 1;
                }
                Kind::Device(device) => {
                    let forward = match digits[devices] {
                        Digit::Off => None,
                        Digit::Diode => Some(device.conduction.forward),
                        Digit::Channel => Some(0.0),
                    };
                    if let Some(forward) = forward {
                        let (row, resistance) = (nodal.size, device.conduction.resistance);
                        nodal.branch(part, row, resistance, (full + self.inputs, forward))?;
                        nodal.current[devices] = row;
                        nodal.size += 1;
                    }
                    devices += 1;
                }
            }
        }
        Ok(nodal)
    }

    fn voltage_sources(&self) -> usize {
        self.parts()
            .filter(|part| part.kind == Kind::VoltageSource)
            .count()
    }

    /// Leakage currents out of nodes if the nodes of these groups have unit voltage.
    pub(super) fn leakage(&self, digits: &[Digit; S], raised: impl Fn(usize) -> bool) -> [f64; S] {
        let level = |node: usize| f64::from(u8::from(node > 0 && raised(node)));
        let mut out = [0.0; S];
        for node in 1..self.nodes {
            out[node - 1] = STRAY * level(node);
        }
        for ((part, _), digit) in self.placed_devices().zip(digits) {
            if *digit == Digit::Off {
                let through = level(part.from) - level(part.to);
                for (node, sign) in [(part.from, 1.0), (part.to, -1.0)] {
                    if node > 0 {
                        out[node - 1] += sign * through;
                    }
                }
            }
        }
        out
    }

    /// The row that keeps a group's currents as they are: the voltages of its coils, by what they do to their sum.
    pub(super) fn holding(&self, sums: &[f64; S]) -> [f64; S] {
        let (mut row, mut size) = ([0.0; S], 0.0);
        for (l, coil) in self.coils().enumerate() {
            let mut weight = 0.0;
            for k in 0..self.coils {
                weight += sums[k] * self.inverse_inductance[k][l];
            }
            size += weight * sums[l];
            for (node, sign) in [(coil.from, 1.0), (coil.to, -1.0)] {
                if node > 0 {
                    row[node - 1] += sign * weight;
                }
            }
        }
        row.map(|x| x / size)
    }
}

/// Adds a conductance.
fn stamp<const S: usize>(matrix: &mut Matrix<S>, part: &Placed, conductance: f64) {
    for (row, sign) in [(part.from, 1.0), (part.to, -1.0)] {
        for (column, other) in [(part.from, sign), (part.to, -sign)] {
            if row > 0 && column > 0 {
                matrix[row - 1][column - 1] += other * conductance;
            }
        }
    }
}

/// Adds a current from one node to the other, which belongs to this column.
fn inject<const S: usize>(right: &mut Matrix<S>, part: &Placed, column: usize) {
    if part.from > 0 {
        right[part.from - 1][column] -= 1.0;
    }
    if part.to > 0 {
        right[part.to - 1][column] += 1.0;
    }
}
