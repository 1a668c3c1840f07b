//! The chemical Akzo Nobel problem (IVP Test Set): five reactions with carbon dioxide supplied from outside, and one
//! equilibrium, which makes it a differential-algebraic system of index 1.

use stiffstep::prelude::*;

/// The reaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AkzoNobel;

/// The equilibrium constant of the algebraic equation.
const KS: f64 = 115.83;

/// The start; the last value satisfies the algebraic equation.
pub const START: [f64; 6] = [0.444, 0.00123, 0.0, 0.007, 0.0, KS * 0.444 * 0.007];
/// The end of the interval.
pub const END_TIME: f64 = 180.0;
/// The published solution there.
pub const END: [f64; 6] = [
    0.1150794920661702,
    1.203831471567715e-3,
    0.1611562887407974,
    3.656156421249283e-4,
    1.708010885264404e-2,
    4.873531310307455e-3,
];

impl<R: Real> FirstOrder<R, 6, 0> for AkzoNobel {
    type Mass = Diagonal<R, 6>;

    #[inline]
    fn mass(&self) -> Self::Mass {
        Diagonal([R::ONE, R::ONE, R::ONE, R::ONE, R::ONE, R::ZERO].into())
    }

    #[inline]
    fn rhs<T: Scalar<R>>(&self, _t: T, y: &Vector<T, 6>, _u: &Vector<R, 0>) -> Vector<T, 6> {
        let k = R::from_f64;
        let [y1, y2, y3, y4, y5, y6] = y.data.0[0];
        let root = y2.sqrt();
        let r1 = y1.square().square() * root * k(18.7);
        let r2 = y3 * y4 * k(0.58);
        let r3 = y1 * y5 * k(0.58 / 34.4);
        let r4 = y1 * y4.square() * k(0.09);
        let r5 = y6.square() * root * k(0.42);
        let supply = (-y2 + k(0.9 / 737.0)) * k(3.3);
        let half = k(0.5);
        [
            r1 * k(-2.0) + r2 - r3 - r4,
            r1 * -half - r4 - r5 * half + supply,
            r1 - r2 + r3,
            -r2 + r3 - r4 * k(2.0),
            r2 - r3 + r5,
            y1 * y4 * k(KS) - y6,
        ]
        .into()
    }

    #[inline]
    fn nominal(&self) -> Vector<R, 6> {
        [0.4, 1e-3, 0.2, 7e-3, 2e-2, 0.4].map(R::from_f64).into()
    }
}
