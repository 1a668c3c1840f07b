//! A circuit's tables, or why there are none.

use super::super::circuit::{Circuit, CircuitError, Sizes};
use super::maps::{SPACING, blank_map, levels, map};
use super::numbers::{digits, keys, mode_count};
use super::written::fill;
use super::{Mode, Scale, Tables};
use crate::number::Real;

impl<'a, const S: usize> Circuit<'a, S> {
    /// The sizes of this circuit's tables for polynomials of degree `degree`.
    pub fn sizes(&self, scale: Scale, degree: usize) -> Result<Sizes, CircuitError<'a>> {
        let network = self.network()?;
        let modes = mode_count(&network);
        let mut maps = 0;
        for index in 0..modes {
            let equations = network.mode(&digits(&network, index), index)?;
            maps += usize::from(levels(&network, &equations, scale, degree, index)?.1);
        }
        Ok(Sizes {
            states: network.states,
            inputs: network.inputs,
            devices: network.devices,
            modes,
            maps,
        })
    }

    /// The tables: N states, U inputs, Y devices, M modes, L maps, polynomials of degree K. [`CircuitError::Sizes`] says which
    /// numbers are right.
    pub fn build<
        R: Real,
        const N: usize,
        const U: usize,
        const Y: usize,
        const M: usize,
        const L: usize,
        const K: usize,
    >(
        &self,
        scale: Scale,
    ) -> Result<Tables<R, N, U, Y, M, L, K>, CircuitError<'a>> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !(positive(scale.step) && positive(scale.current) && positive(scale.voltage)) {
            return Err(CircuitError::Nominal);
        }
        let sizes = self.sizes(scale, K)?;
        let wanted = Sizes {
            states: N,
            inputs: U,
            devices: Y,
            modes: M,
            maps: L,
        };
        if sizes != wanted {
            return Err(CircuitError::Sizes(sizes));
        }
        let network = self.network()?;
        let mut tables = Tables {
            modes: [blank_mode(); M],
            maps: [blank_map(); L],
            keys: keys(&network),
        };
        let mut first = 0;
        for index in 0..M {
            let digits = digits(&network, index);
            let equations = network.mode(&digits, index)?;
            let mode = &mut tables.modes[index];
            fill(mode, &network, &equations, &digits, scale);
            let (coarsest, count) = levels(&network, &equations, scale, K, index)?;
            (mode.coarsest, mode.levels, mode.first) = (coarsest, count, first as u16);
            for level in 0..count {
                let share = libm::exp2(-f64::from(coarsest + SPACING * level));
                tables.maps[first] = map(&equations, scale.step, share);
                first += 1;
            }
        }
        Ok(tables)
    }
}

fn blank_mode<R: Real, const N: usize, const U: usize, const Y: usize>() -> Mode<R, N, U, Y> {
    Mode {
        a: [[R::ZERO; N]; N],
        b: [[R::ZERO; U]; N],
        e: [R::ZERO; N],
        p: [[R::ZERO; N]; N],
        w: [[R::ZERO; N]; Y],
        c: [[R::ZERO; N]; Y],
        d: [[R::ZERO; U]; Y],
        o: [R::ZERO; Y],
        device: [0; Y],
        watched: 0,
        cut: false,
        levels: 0,
        coarsest: 0,
        first: 0,
    }
}
