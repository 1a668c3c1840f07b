//! Energies, and which currents and voltages are independent.

use super::super::circuit::{Circuit, CircuitError, Kind};
use super::super::dense::{Matrix, cholesky, product, solve, zero};
use super::Network;

impl<'a, const S: usize> Network<'a, S> {
    pub(super) fn set_energy(&mut self, circuit: &Circuit<'a, S>) -> Result<(), CircuitError<'a>> {
        let (mut coil, mut capacitor) = (0, self.coils);
        for index in 0..self.count {
            match self.parts[index].kind {
                Kind::Coil(value) => {
                    self.energy[coil][coil] = value;
                    coil += 1;
                }
                Kind::Capacitor(value) => {
                    self.energy[capacitor][capacitor] = value;
                    capacitor += 1;
                }
                _ => {}
            }
        }
        for &(i, j, factor) in circuit.couplings.iter().take(circuit.coupled) {
            if i.max(j) >= self.coils {
                return Err(CircuitError::Coupling(i.max(j)));
            }
            let mutual = factor * libm::sqrt(self.energy[i][i] * self.energy[j][j]);
            self.energy[i][j] = mutual;
            self.energy[j][i] = mutual;
        }
        if cholesky(&self.energy, self.coils).is_none() {
            return Err(CircuitError::Coupling(self.coils));
        }
        let mut inverse = zero();
        for i in 0..self.coils {
            inverse[i][i] = 1.0;
        }
        let coils = self.coils;
        solve(&mut self.energy.clone(), coils, &mut inverse, coils)
            .ok_or(CircuitError::Coupling(coils))?;
        self.inverse_inductance = inverse;
        Ok(())
    }

    /// Which states are independent: coils that form a star in every mode leave the last of them to the others.
    pub(super) fn find_states(&mut self) -> Result<(), CircuitError<'a>> {
        let full = self.full_states();
        if full + 2 * self.inputs + 1 > S {
            return Err(CircuitError::TooLarge);
        }
        let groups = self.groups(|_| true);
        let (cut, _) = self.cutsets(&groups);
        let mut rows = zero::<S>();
        let mut pivots = [usize::MAX; S];
        let mut count = 0;
        for group in groups.floating(self.nodes).filter(|&group| cut[group]) {
            let mut row = self.incidence(&groups, group);
            for k in 0..count {
                let factor = row[pivots[k]];
                for j in 0..full {
                    row[j] -= factor * rows[k][j];
                }
            }
            let last = row.iter().rposition(|x| *x != 0.0);
            let pivot = last.ok_or(CircuitError::Singular(0))?;
            let divisor = row[pivot];
            row.iter_mut().for_each(|x| *x /= divisor);
            for k in 0..count {
                let factor = rows[k][pivot];
                for j in 0..full {
                    rows[k][j] -= factor * row[j];
                }
            }
            (rows[count], pivots[count]) = (row, pivot);
            count += 1;
        }
        for state in 0..full {
            if !pivots.contains(&state) {
                self.keep[self.states] = state;
                self.all[state][self.states] = 1.0;
                self.states += 1;
            }
        }
        for k in 0..count {
            for j in 0..self.states {
                self.all[pivots[k]][j] = -rows[k][self.keep[j]];
            }
        }
        Ok(())
    }

    /// Twice the energy of the kept states, as a matrix.
    pub fn energy(&self) -> Matrix<S> {
        let (full, states) = (self.full_states(), self.states);
        let right = product(&self.energy, &self.all, (full, full, states));
        let mut energy = zero();
        for i in 0..states {
            for j in 0..states {
                for k in 0..full {
                    energy[i][j] += self.all[k][i] * right[k][j];
                }
            }
        }
        energy
    }
}
