//! Methods whose Newton matrix leaves out how forces vary.

/// A method for mechanisms whose Newton matrix knows masses and constraints only. The stiffness of joints is in the constraints, so
/// for a mechanism that turns slowly and whose applied forces are not stiff it converges as fast, at half the price: one real
/// factorisation serves all stages. The equations that it solves are the same.
///
/// `Lean(RadauIIA::<3>)`, `Projected(Lean(RadauIIA::<2>))`; without it a method's matrix is full: it knows how forces, inertia and the
/// directions of the joints vary, and is right for every model.
///
/// Its limits: from rest, with a damper of `c` on a mass of `m`, two iterations leave about `(h c/m)^3 / 6` of the velocity. What
/// turns fast contracts slowly, too: at 31 steps a turn two iterations are not enough. The report's defect says so. Beyond
/// `h c/m = 2` the iteration does not contract, and the step says [`Diverged`](crate::Error::Diverged).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lean<K>(pub K);
