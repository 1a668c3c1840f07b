//! The frequencies of joints, and the windows that fit them.

use crate::geometry::Geometry;
use crate::linear::eigenvalues;
use crate::model::{Mechanical, Springs};
use crate::number::Real;
use crate::step::{Error, checked_joints};

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
        checked_joints(&joints)?;
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
            largest = largest.max(rate);
        }
        let squares = eigenvalues(scaled);
        let mut fastest = R::ZERO;
        for square in squares {
            if !square.finite() {
                return Err(Error::NonFinite);
            }
            fastest = fastest.max(square);
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

#[cfg(test)]
mod tests {
    use super::Band;
    use crate::model::{Elastic, Mechanical, Nominal, Unit, Vector};
    use crate::number::Scalar;
    use crate::step::Error;

    /// Two masses on springs: the first on a wall, the second on a wall of its own, three times as far for each of its lengths.
    struct Springs([f64; 2]);
    impl Mechanical<f64, 2, 2, 0> for Springs {
        type Joints = Elastic<f64, 2>;
        type Mass<T: Scalar<f64>> = Unit;
        fn joints(&self) -> Elastic<f64, 2> {
            Elastic { stiffness: self.0 }
        }
        fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit {
            Unit
        }
        fn force<T: Scalar<f64>>(
            &self,
            _t: T,
            _q: &Vector<T, 2>,
            _v: &Vector<T, 2>,
            _u: &Vector<f64, 0>,
        ) -> Vector<T, 2> {
            [T::constant(0.0); 2].into()
        }
        fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 2> {
            [q[0] * 2.0, q[1] * -3.0].into()
        }
        fn nominal(&self) -> Nominal<f64, 2> {
            Nominal {
                q: [1.0; 2],
                v: [5.0, 7.0],
            }
        }
    }

    /// Roots of stiffness over mass, and the rounding of the fastest rate.
    #[test]
    fn frequencies_are_those_of_springs() -> Result<(), Error> {
        let band = Band::of::<_, 2, 2, 0>(&Springs([100.0, 400.0]), 0.0, &[0.1, 0.2])?;
        assert!((band.slowest - 20.0).abs() < 1e-12, "{band:?}");
        assert!((band.fastest - 60.0).abs() < 1e-12, "{band:?}");
        assert_eq!(band.rounding, 21.0 * f64::EPSILON);
        assert_eq!(band.large_rounding, 21.0 * libm::sqrt(f64::EPSILON));
        let turned = Band::of::<_, 2, 2, 0>(&Springs([900.0, 25.0]), 0.0, &[0.1, 0.2])?;
        assert!((turned.slowest - 15.0).abs() < 1e-12 && (turned.fastest - 60.0).abs() < 1e-12);
        Ok(())
    }

    /// A spring that is next to nothing beside the other does not ring; one that is rigid is none.
    #[test]
    fn springs_that_do_not_ring_do_not_count() -> Result<(), Error> {
        let band = Band::of::<_, 2, 2, 0>(&Springs([1e-14, 100.0]), 0.0, &[0.0; 2])?;
        assert!((band.slowest - 30.0).abs() < 1e-9 && (band.fastest - 30.0).abs() < 1e-9);
        let of = |stiffness| Band::of::<_, 2, 2, 0>(&Springs(stiffness), 0.0, &[0.0; 2]).err();
        assert_eq!(of([100.0, f64::INFINITY]), Some(Error::Joint { index: 1 }));
        assert_eq!(of([f64::NAN, 1.0]), Some(Error::Joint { index: 0 }));
        Ok(())
    }
}
