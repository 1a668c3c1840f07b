//! A circuit's tables, or why there are none.

use super::super::circuit::{Circuit, CircuitError, Sizes};
use super::maps::{blank_map, levels, maps};
use super::numbers::{keys, mode_count};
use super::reach::Reach;
use super::written::fill;
use super::{Mode, Scale, Tables};
use crate::number::Real;

impl<'a, const S: usize> Circuit<'a, S> {
    /// The sizes of this circuit's tables for polynomials of degree `degree`.
    pub fn sizes(&self, scale: Scale, degree: usize) -> Result<Sizes, CircuitError<'a>> {
        let network = self.network()?;
        let all = mode_count(&network);
        let (mut modes, mut maps) = (0, 0);
        for index in 0..all {
            if let Reach::Mode(_, equations) = network.reach(scale, index)? {
                modes += 1;
                maps += usize::from(levels(&network, &equations, scale, degree, index)?.1);
            }
        }
        Ok(Sizes {
            states: network.states,
            inputs: network.inputs,
            devices: network.devices,
            modes,
            maps,
            slots: if modes < all { all } else { 0 },
        })
    }

    /// The tables: N states, U inputs, Y devices, M modes, L maps, polynomials of degree K, T slots. [`CircuitError::Sizes`] says
    /// which numbers are right.
    ///
    /// A mode has no table if no permitted gates close exactly its channels, or if one of its diodes would carry a negative current
    /// wherever states and inputs are [within](Self::within) their ranges. Then there are slots, one a combination of what conducts.
    pub fn build<
        R: Real,
        const N: usize,
        const U: usize,
        const Y: usize,
        const M: usize,
        const L: usize,
        const K: usize,
        const T: usize,
    >(
        &self,
        scale: Scale,
    ) -> Result<Tables<R, N, U, Y, M, L, K, T>, CircuitError<'a>> {
        if !scale.is_valid() {
            return Err(CircuitError::Nominal);
        }
        let sizes = self.sizes(scale, K)?;
        let wanted = Sizes {
            states: N,
            inputs: U,
            devices: Y,
            modes: M,
            maps: L,
            slots: T,
        };
        let fits = (sizes == wanted).then(|| self.network());
        let network = fits.ok_or(CircuitError::Sizes(sizes))??;
        let mut tables = Tables {
            modes: [blank_mode(); M],
            maps: [blank_map(); L],
            keys: keys(&network),
            slots: [0; T],
            limits: network.limits(),
        };
        let (mut first, mut reached) = (0, 0);
        for index in 0..mode_count(&network) {
            let (digits, equations) = match network.reach(scale, index)? {
                Reach::Mode(digits, equations) => (digits, equations),
                Reach::Slot(slot) => {
                    tables.slots[index] = slot;
                    continue;
                }
            };
            if T > 0 {
                tables.slots[index] = reached as u16;
            }
            let mode = &mut tables.modes[reached];
            reached += 1;
            fill(mode, &network, &equations, &digits, scale);
            let (coarsest, count) = levels(&network, &equations, scale, K, index)?;
            (mode.coarsest, mode.levels, mode.first) = (coarsest, count, first as u16);
            for map in maps(&equations, scale.step, coarsest, count) {
                tables.maps[first] = map;
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
        idle: 0,
        opposed: 0,
        watched: 0,
        cut: false,
        levels: 0,
        coarsest: 0,
        first: 0,
    }
}
