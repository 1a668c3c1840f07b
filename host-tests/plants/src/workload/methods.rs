//! P1 by every method, two iterations a step, to compare what methods cost; and RATTLE on P2, because a stiff spring makes it
//! explode.

use super::mechanisms::{eps, pendulum};
use super::{Probe, Record, Workload};
use crate::papers::RadauIA;
use crate::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep::method::{Collocation, LobattoPair, Modes, Stages};
use stiffstep::prelude::*;

/// P1, stepped by the method `K`.
fn p1<R: Real, K, const S: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Collocation<S> + Default,
    Stages<S>: Modes,
{
    let model = StiffPendulum::<R>::new(eps::<3>());
    pendulum(model, Direct(Lean(K::default())), Fixed(2), steps, probe)
}

/// P2, stepped by RATTLE.
fn p2<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    pendulum::<R, _, _, _>(RigidPendulum, LobattoPair::<2>, Fixed(2), steps, probe)
}

/// P2, stepped by the pair of three stages.
fn p2_three<R: Real>(steps: u32, probe: &mut dyn Probe) -> Record {
    pendulum::<R, _, _, _>(RigidPendulum, LobattoPair::<3>, Fixed(2), steps, probe)
}

/// A row of P1's table.
const fn row<R: Real, K, const S: usize>() -> Workload
where
    K: Collocation<S> + Default,
    Stages<S>: Modes,
{
    Workload::of::<R, 1>("method P1", super::P124, p1::<R, K, S>).by(K::NAME)
}

/// All rows in one precision.
const fn rows<R: Real>() -> [Workload; 17] {
    [
        row::<R, RadauIIA<1>, 1>(),
        row::<R, RadauIIA<2>, 2>(),
        row::<R, RadauIIA<3>, 3>(),
        row::<R, RadauIIA<5>, 5>(),
        row::<R, RadauIA<3>, 3>(),
        row::<R, Gauss<1>, 1>(),
        row::<R, Gauss<2>, 2>(),
        row::<R, Gauss<3>, 3>(),
        row::<R, Gauss<4>, 4>(),
        row::<R, Gauss<5>, 5>(),
        row::<R, Gauss<6>, 6>(),
        row::<R, LobattoIIIA<2>, 1>(),
        row::<R, LobattoIIIA<3>, 2>(),
        row::<R, LobattoIIIA<4>, 3>(),
        row::<R, LobattoIIIA<5>, 4>(),
        Workload::of::<R, 1>("method P2", super::P124, p2::<R>).by("Lobatto pair 2"),
        Workload::of::<R, 1>("method P2", super::P124, p2_three::<R>).by("Lobatto pair 3"),
    ]
}

/// The table in single precision.
pub const SINGLE: [Workload; 17] = rows::<f32>();
/// The table in double precision.
pub const DOUBLE: [Workload; 17] = rows::<f64>();
