//! The equations of a mode in the states that are kept.

use super::super::circuit::{CircuitError, Kind};
use super::super::dense::{Matrix, product, solve, zero};
use super::nodal::Nodal;
use super::{Digit, Groups, Network, Placed};

/// One mode: `x' = a x + b (u, 1)`. Of every device `w x` at the instant, `c x + d (u, 1)` slowly.
pub(in crate::switched) struct Equations<const S: usize> {
    pub a: Matrix<S>,
    pub b: Matrix<S>,
    /// Where the state is at once.
    pub p: Matrix<S>,
    pub w: Matrix<S>,
    pub c: Matrix<S>,
    pub d: Matrix<S>,
}

impl<'a, const S: usize> Network<'a, S> {
    /// The projection that makes the sums of currents at groups zero and keeps the flux of loops: along `L^-1 sums`.
    fn projection(&self, sums: &Matrix<S>, count: usize) -> Option<Matrix<S>> {
        let (coils, full) = (self.coils, self.full_states());
        let along = product(sums, &self.inverse_inductance, (count, coils, coils));
        let mut between = zero();
        for i in 0..count {
            for j in 0..count {
                for k in 0..coils {
                    between[i][j] += along[i][k] * sums[j][k];
                }
            }
        }
        let mut share = *sums;
        solve(&mut between, count, &mut share, coils)?;
        let mut p = zero();
        for i in 0..full {
            p[i][i] = 1.0;
        }
        for i in 0..coils {
            for j in 0..coils {
                for k in 0..count {
                    p[i][j] -= along[k][i] * share[k][j];
                }
            }
        }
        Some(p)
    }

    /// The equations of a mode.
    pub fn mode(
        &self,
        digits: &[Digit; S],
        index: usize,
    ) -> Result<Equations<S>, CircuitError<'a>> {
        let mut digit = digits.iter();
        let groups = self.groups(|_| digit.next().is_some_and(|digit| *digit != Digit::Off));
        for part in self.parts() {
            if part.kind == Kind::CurrentSource && groups.0[part.from] != groups.0[part.to] {
                return Err(CircuitError::CoilCutset(part.name));
            }
        }
        let (cut, larger) = self.cutsets(&groups);
        let singular = CircuitError::Singular(index);
        let nodal = self.nodal(digits)?;
        let columns = self.full_states() + self.inputs + 1;
        let floating = groups.floating(self.nodes).count();
        let size = nodal.size + floating;
        if size > S {
            return Err(CircuitError::TooLarge);
        }
        let (mut instant, mut slow) = (nodal.matrix, nodal.matrix);
        let (mut sums, mut count) = (zero::<S>(), 0);
        for (k, group) in groups.floating(self.nodes).enumerate() {
            let border = nodal.size + k;
            let leakage = self.leakage(digits, |node| groups.0[node] == group);
            let mut row = self.leakage(digits, |node| larger.0[node] == larger.0[group]);
            if cut[group] {
                sums[count] = self.incidence(&groups, group);
                row = self.holding(&sums[count]);
                count += 1;
            }
            for i in 0..self.nodes - 1 {
                instant[i][border] = leakage[i];
                slow[i][border] = leakage[i];
                instant[border][i] = leakage[i];
                slow[border][i] = row[i];
            }
        }
        let (mut at_once, mut later) = (nodal.right, nodal.right);
        solve(&mut instant, size, &mut at_once, columns).ok_or(singular)?;
        solve(&mut slow, size, &mut later, columns).ok_or(singular)?;
        let p = self.projection(&sums, count).ok_or(singular)?;
        let forced = Forced {
            groups: &groups,
            solution: &at_once,
            first: nodal.size,
        };
        Ok(self.in_kept_states(&nodal, digits, &forced, &later, &p))
    }

    /// Rates, conditions and what is forced through devices, from the solutions of the nodal equations: by the currents of all coils,
    /// the voltages of all capacitors, inputs and 1.
    fn by_all_states(
        &self,
        nodal: &Nodal<S>,
        digits: &[Digit; S],
        forced: &Forced<'_, S>,
        later: &Matrix<S>,
    ) -> [Matrix<S>; 3] {
        let (full, inputs) = (self.full_states(), self.inputs + 1);
        let voltage = |part: &Placed, j: usize| {
            let at = |node: usize| if node > 0 { later[node - 1][j] } else { 0.0 };
            at(part.from) - at(part.to)
        };
        let (mut rates, mut slow, mut once) = (zero::<S>(), zero::<S>(), zero::<S>());
        for j in 0..full + inputs {
            for (k, coil) in self.coils().enumerate() {
                for i in 0..self.coils {
                    rates[i][j] += self.inverse_inductance[i][k] * voltage(coil, j);
                }
            }
            for k in 0..self.capacitors {
                let state = self.coils + k;
                rates[state][j] = later[nodal.capacitor + k][j] / self.energy[state][state];
            }
            for (k, (part, device)) in self.placed_devices().enumerate() {
                let one = f64::from(u8::from(j + 1 == full + inputs));
                if digits[k] == Digit::Off {
                    slow[k][j] = device.conduction.forward * one - voltage(part, j);
                    once[k][j] = -forced.through(part, j);
                } else {
                    slow[k][j] = later[nodal.current[k]][j];
                    once[k][j] = forced.solution[nodal.current[k]][j];
                }
            }
        }
        [rates, slow, once]
    }

    /// The same by the states that are kept, from where a mode is entered.
    fn in_kept_states(
        &self,
        nodal: &Nodal<S>,
        digits: &[Digit; S],
        forced: &Forced<'_, S>,
        later: &Matrix<S>,
        p: &Matrix<S>,
    ) -> Equations<S> {
        let (full, inputs) = (self.full_states(), self.inputs + 1);
        let [rates, slow, once] = self.by_all_states(nodal, digits, forced, later);
        let (states, devices) = (self.states, self.devices);
        let p = product(p, &self.all, (full, full, states));
        let a = product(&rates, &p, (full, full, states));
        let c = product(&slow, &p, (devices, full, states));
        let mut w = product(&once, &self.all, (devices, full, states));
        let (mut b, mut d) = (zero(), zero());
        for k in 0..devices {
            for j in 0..states {
                if digits[k] != Digit::Off {
                    w[k][j] -= c[k][j];
                }
            }
            d[k][..inputs].copy_from_slice(&slow[k][full..full + inputs]);
        }
        let (mut kept_a, mut kept_p) = (zero(), zero());
        for i in 0..states {
            let from = self.keep[i];
            (kept_a[i], kept_p[i]) = (a[from], p[from]);
            b[i][..inputs].copy_from_slice(&rates[from][full..full + inputs]);
        }
        let (a, p) = (kept_a, kept_p);
        Equations { a, b, p, w, c, d }
    }
}

/// What devices that are off carry at the instant of a change.
struct Forced<'n, const S: usize> {
    groups: &'n Groups<S>,
    solution: &'n Matrix<S>,
    /// The first border.
    first: usize,
}

impl<const S: usize> Forced<'_, S> {
    /// The current through a device that is off.
    fn through(&self, part: &Placed, column: usize) -> f64 {
        let level = |node: usize| {
            let group = self.groups.0[node];
            if group == 0 {
                return 0.0;
            }
            let before = (1..group).filter(|&other| self.groups.0[other] == other);
            self.solution[self.first + before.count()][column]
        };
        level(part.from) - level(part.to)
    }
}
