//! Chains of one to eight elastic links: what a larger mechanism costs.

use super::{P124, Probe, Record, Workload, run};
use crate::chain::Chain;
use stiffstep::prelude::*;
use stiffstep::step::{Free, MechanicalStepper};

/// A chain of `L` links that falls from level.
fn chain<J: Jacobian, const Q: usize, const L: usize>(steps: u32, probe: &mut dyn Probe) -> Record {
    let chain: Chain<f32, J> = Chain::stiff();
    let start = Chain::<f32, J>::level::<Q>();
    let chain = Simulation::<MechanicalStepper<f32, _, _, Free, Q, L, 0, 3>>::new(
        chain,
        RadauIIA::<3>,
        1e-3,
        start,
    );
    run(chain, steps, |_| [0.0; 0].into(), probe)
}

const fn row<J: Jacobian, const Q: usize, const L: usize>(plant: &'static str) -> Workload {
    Workload::of::<f32, 3>(plant, P124, chain::<J, Q, L>)
}

/// How many links the chains have.
pub const LINKS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// The chains by their links, each with the lean and with the full Jacobian.
pub const CHAINS: [Workload; 12] = [
    row::<Lean, 2, 1>("lean chain 1"),
    row::<Lean, 4, 2>("lean chain 2"),
    row::<Lean, 6, 3>("lean chain 3"),
    row::<Lean, 8, 4>("lean chain 4"),
    row::<Lean, 12, 6>("lean chain 6"),
    row::<Lean, 16, 8>("lean chain 8"),
    row::<Full, 2, 1>("full chain 1"),
    row::<Full, 4, 2>("full chain 2"),
    row::<Full, 6, 3>("full chain 3"),
    row::<Full, 8, 4>("full chain 4"),
    row::<Full, 12, 6>("full chain 6"),
    row::<Full, 16, 8>("full chain 8"),
];
