//! The frequencies of joints, and the windows that fit them.

use super::answer::larger;
use crate::geometry::Geometry;
use crate::linear::eigenvalues;
use crate::model::{Joints, Mechanical, Springs};
use crate::number::Real;
use crate::step::Error;

/// Verlet's method is stable up to `h omega` = 2; beyond this it is too close to that.
const LONGEST: f64 = 1.9;
/// A window of this many radians still halves an oscillation by far, whatever the kernel.
const SHORTEST: f64 = 8.0;
/// The frequencies that a mechanism's joints ring with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band<R> {
    pub slowest: R,
    pub fastest: R,
    /// What rounding of the velocities does to the rates of the constraints.
    pub rounding: R,
    /// What it may do to an iteration that does not contract any more: the same with the root of epsilon.
    pub large_rounding: R,
}

impl<R: Real> Band<R> {
    /// From the eigenvalues of `K^(1/2) G M^-1 G^T K^(1/2)`, which are their squares. Redundant joints, such as two springs side
    /// by side, have zeros among them that are no oscillations.
    pub fn of<M, const Q: usize, const L: usize, const U: usize>(
        model: &M,
        t: R,
        q: &[R; Q],
    ) -> Result<Self, Error>
    where
        M: Mechanical<R, Q, L, U>,
        M::Joints: Springs<R, L>,
    {
        let joints = model.joints();
        if let Some(index) = joints.invalid() {
            return Err(Error::Joint { index });
        }
        let stiffness = joints.stiffness();
        let mut roots = stiffness;
        for index in 0..L {
            // Rigid at run time: it does not ring.
            if !stiffness[index].finite() {
                return Err(Error::Joint { index });
            }
            roots[index] = stiffness[index].sqrt();
        }
        let geometry = Geometry::at(model, t, q)?;
        let nominal = model.nominal();
        let (mut scaled, mut largest) = (geometry.schur, R::ZERO);
        for i in 0..L {
            let mut rate = R::ZERO;
            for j in 0..L {
                scaled[i][j] *= roots[i] * roots[j];
            }
            for n in 0..Q {
                rate += geometry.jacobian[i][n].abs() * nominal.v[n];
            }
            largest = larger(largest, rate);
        }
        let squares = eigenvalues(scaled);
        let mut fastest = R::ZERO;
        for square in squares {
            if !square.finite() {
                return Err(Error::NonFinite);
            }
            fastest = larger(fastest, square);
        }
        if fastest == R::ZERO {
            return Err(Error::Constraint { index: 0 });
        }
        let nothing = fastest * R::EPSILON * R::from_f64(16.0);
        let mut slowest = fastest;
        for square in squares {
            if square > nothing && square < slowest {
                slowest = square;
            }
        }
        Ok(Band {
            slowest: slowest.sqrt(),
            fastest: fastest.sqrt(),
            rounding: largest * R::EPSILON,
            large_rounding: largest * R::EPSILON.sqrt(),
        })
    }

    /// Whether a window is long enough for all joints, and its steps short enough.
    pub fn check(&self, half_width: R, h: R) -> Result<(), Error> {
        if half_width * self.slowest >= R::from_f64(SHORTEST)
            && h * self.fastest <= R::from_f64(LONGEST)
        {
            Ok(())
        } else {
            let ratio = (self.fastest / self.slowest).to_f64();
            Err(Error::Window {
                steps: (ratio * (SHORTEST / LONGEST)) as usize + 1,
            })
        }
    }
}
