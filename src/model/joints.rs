//! What holds a mechanism together: rigid constraints, springs, or springs with dampers.
//!
//! All three are one equation, `g + tau (g_t + G v) = C lambda` with the compliance `C = 1/K` and `tau = C D`. Written so,
//! a spring that is a million times stiffer changes a small number into a smaller one, and neither the conditioning nor
//! the convergence of the iteration notices (Lubich, section 8; Hairer's formulation).

use crate::number::{Implies, Real};

/// How `L` constraints are held.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold {L} constraints",
    label = "as many joints as there are constraints",
    note = "they are held by `Rigid`, `Elastic<{R}, {L}>` or `Damped<{R}, {L}>`"
)]
pub trait Joints<R: Real, const L: usize>: Copy + Implies<R, Is: Real> {
    /// Whether there is any compliance.
    const ELASTIC: bool;
    /// Whether there is any damping.
    const DAMPED: bool;
    /// The compliance C of each joint.
    fn compliance(&self) -> [R; L];
    /// The relaxation time tau of each joint.
    fn relaxation(&self) -> [R; L];
    /// The first joint whose stiffness or damping makes no sense.
    fn invalid(&self) -> Option<usize>;
}

/// Joints with springs in them: those that can ring, and have a slow motion to be found.
#[diagnostic::on_unimplemented(
    message = "joints of type `{Self}` have no springs that could ring",
    note = "rigid joints have no slow manifold but their constraints: `manifold::consistent` gets there"
)]
pub trait Springs<R: Real, const L: usize>: Joints<R, L> {
    /// The stiffness K of each joint.
    fn stiffness(&self) -> [R; L];
}

impl<R: Real, const L: usize> Springs<R, L> for Elastic<R, L> {
    #[inline(always)]
    fn stiffness(&self) -> [R; L] {
        self.stiffness
    }
}

impl<R: Real, const L: usize> Springs<R, L> for Damped<R, L> {
    #[inline(always)]
    fn stiffness(&self) -> [R; L] {
        self.stiffness
    }
}

/// The constraint holds exactly: index 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rigid;

/// Springs: joint i pulls with `stiffness[i] g_i`. An infinite stiffness makes it rigid at run time, at a spring's price; a
/// start is then projected onto the constraints, as it is for [`Rigid`] joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic<R, const L: usize> {
    /// The stiffness K of each joint.
    pub stiffness: [R; L],
}

/// Springs and dampers: joint i pulls with `stiffness[i] g_i + damping[i] dg_i/dt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damped<R, const L: usize> {
    /// The stiffness K of each joint.
    pub stiffness: [R; L],
    /// The damping D of each joint.
    pub damping: [R; L],
}

impl<R: Real, const L: usize> Joints<R, L> for Rigid {
    const ELASTIC: bool = false;
    const DAMPED: bool = false;
    #[inline(always)]
    fn compliance(&self) -> [R; L] {
        [R::ZERO; L]
    }
    #[inline(always)]
    fn relaxation(&self) -> [R; L] {
        [R::ZERO; L]
    }
    fn invalid(&self) -> Option<usize> {
        None
    }
}

#[inline(always)]
fn inverses<R: Real, const L: usize>(stiffness: &[R; L]) -> [R; L] {
    let mut inverses = *stiffness;
    for c in &mut inverses {
        *c = R::ONE / *c;
    }
    inverses
}

fn not_positive<R: Real, const L: usize>(stiffness: &[R; L]) -> Option<usize> {
    // A stiffness so small that its inverse overflows is no stiffness.
    stiffness
        .iter()
        .position(|k| !(*k > R::ZERO && (R::ONE / *k).finite()))
}

impl<R: Real, const L: usize> Joints<R, L> for Elastic<R, L> {
    const ELASTIC: bool = true;
    const DAMPED: bool = false;
    #[inline(always)]
    fn compliance(&self) -> [R; L] {
        inverses(&self.stiffness)
    }
    #[inline(always)]
    fn relaxation(&self) -> [R; L] {
        [R::ZERO; L]
    }
    fn invalid(&self) -> Option<usize> {
        not_positive(&self.stiffness)
    }
}

impl<R: Real, const L: usize> Joints<R, L> for Damped<R, L> {
    const ELASTIC: bool = true;
    const DAMPED: bool = true;
    #[inline(always)]
    fn compliance(&self) -> [R; L] {
        inverses(&self.stiffness)
    }
    #[inline(always)]
    fn relaxation(&self) -> [R; L] {
        let mut tau = inverses(&self.stiffness);
        for i in 0..L {
            tau[i] *= self.damping[i];
        }
        tau
    }
    fn invalid(&self) -> Option<usize> {
        let damping = self
            .damping
            .iter()
            .position(|d| !(*d >= R::ZERO && d.finite()));
        not_positive(&self.stiffness).or(damping)
    }
}
