//! What a mechanism's state says about itself: energies, and how well the joints hold.

use super::{constraint_curvature, constraint_jacobian, constraint_rate, dot};
use crate::model::{Joints, MassMatrix, Mechanical, Motion};
use crate::number::Real;

/// Energies and constraints at one moment, to be logged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Diagnostics<R, const L: usize> {
    /// The energy of the motion, `v^T M v / 2`.
    pub kinetic: R,
    /// The energy in the joints' springs, `sum K g^2 / 2`; zero if they are rigid.
    pub strain: R,
    /// What [`Mechanical::potential`] says.
    pub potential: R,
    /// The constraints g.
    pub constraint: [R; L],
    /// How fast they change, `g_t + G v`.
    pub rate: [R; L],
    /// How fast that changes, `g_tt + 2 g_tq v + v^T g_qq v + G a` with the motion's own accelerations.
    pub acceleration: [R; L],
}

impl<R: Real, const L: usize> Diagnostics<R, L> {
    /// The diagnostics of a model at time t.
    ///
    /// The strain comes from the joints' forces, which single precision knows better than their deflections.
    pub fn of<M, const Q: usize, const U: usize>(model: &M, t: R, at: &Motion<R, Q, L>) -> Self
    where
        M: Mechanical<R, Q, L, U>,
    {
        let half = R::from_f64(0.5);
        let (q, v) = (&at.q.data.0[0], &at.v.data.0[0]);
        let momentum: [R; Q] = model.mass(&at.q).times(v);
        let (constraint, rate) = constraint_rate(model, t, q, v);
        let mut acceleration = constraint_curvature(model, t, q, v);
        let (_, jacobian) = constraint_jacobian(model, t, q);
        for j in 0..L {
            acceleration[j] += dot(&jacobian[j], &at.a.data.0[0]);
        }
        let joints = model.joints();
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        let mut strain = R::ZERO;
        if M::Joints::ELASTIC {
            for j in 0..L {
                // C lambda = g + tau gdot.
                let deflection = compliance[j] * at.lambda.data.0[0][j] - tau[j] * rate[j];
                if compliance[j] > R::ZERO {
                    strain += half * deflection * deflection / compliance[j];
                }
            }
        }
        Diagnostics {
            kinetic: half * dot(v, &momentum),
            strain,
            potential: model.potential(&at.q),
            constraint,
            rate,
            acceleration,
        }
    }

    /// All energy.
    pub fn energy(&self) -> R {
        self.kinetic + self.strain + self.potential
    }
}
