//! Chains of one to sixteen elastic links: what a larger mechanism costs.

use super::{Bits, P124, Probe, Record, Workload, run};
use crate::chain::Chain;
use stiffstep::prelude::*;
use stiffstep::step::{Method, OfMechanical};

/// The kind of a chain.
type Of<const Q: usize, const L: usize> = OfMechanical<f32, Q, L, 0, 3>;

/// The methods.
type Full = RadauIIA<3>;
type Lean = stiffstep::method::Lean<RadauIIA<3>>;

/// A chain of `L` links that falls from level.
fn chain<K, const Q: usize, const L: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<Chain<f32>, Of<Q, L>, Real = f32, Start = (Vector<f32, Q>, Vector<f32, Q>)> + Default,
    K::Stepper: Stepper<Real = f32, Input = Vector<f32, 0>, State: Bits>,
{
    let start = Chain::<f32>::level::<Q>();
    let chain = Simulation::new(Chain::stiff(), K::default(), 1e-3, start);
    run(chain, steps, |_| [0.0; 0].into(), probe)
}

const fn row<K, const Q: usize, const L: usize>(plant: &'static str) -> Workload
where
    K: Method<Chain<f32>, Of<Q, L>, Real = f32, Start = (Vector<f32, Q>, Vector<f32, Q>)> + Default,
    K::Stepper: Stepper<Real = f32, Input = Vector<f32, 0>, State: Bits>,
{
    Workload::of::<f32, 3>(plant, P124, chain::<K, Q, L>)
}

/// How many links the chains have; the longest has no full Newton matrix.
pub const LINKS: [usize; 7] = [1, 2, 3, 4, 6, 8, 16];

/// The chains by their links, with the lean and with the full Newton matrix.
pub const CHAINS: [Workload; 13] = [
    row::<Lean, 2, 1>("lean chain 1"),
    row::<Lean, 4, 2>("lean chain 2"),
    row::<Lean, 6, 3>("lean chain 3"),
    row::<Lean, 8, 4>("lean chain 4"),
    row::<Lean, 12, 6>("lean chain 6"),
    row::<Lean, 16, 8>("lean chain 8"),
    row::<Lean, 32, 16>("lean chain 16"),
    row::<Full, 2, 1>("full chain 1"),
    row::<Full, 4, 2>("full chain 2"),
    row::<Full, 6, 3>("full chain 3"),
    row::<Full, 8, 4>("full chain 4"),
    row::<Full, 12, 6>("full chain 6"),
    row::<Full, 16, 8>("full chain 8"),
];

/// Those that are measured in images of their own.
pub const CHAINS_ALONE: [Workload; 3] = [CHAINS[3], CHAINS[5], CHAINS[6]];
