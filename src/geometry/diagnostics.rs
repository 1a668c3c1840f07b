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

#[cfg(test)]
mod tests {
    use super::Diagnostics;
    use crate::model::{Damped, Mechanical, Motion, Unit, Vector};
    use crate::number::Scalar;

    /// A pendulum on a damped spring, whose pivot rises with time.
    struct Pendulum;
    impl Mechanical<f64, 2, 1, 0> for Pendulum {
        type Joints = Damped<f64, 1>;
        type Mass<T: Scalar<f64>> = Unit;
        fn joints(&self) -> Damped<f64, 1> {
            Damped {
                stiffness: [100.0],
                damping: [25.0],
            }
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
        fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
            [q[0] * q[0] + q[1] * q[1] - t * t].into()
        }
        fn potential(&self, q: &Vector<f64, 2>) -> f64 {
            10.0 * q[1]
        }
    }

    /// By hand: `g = q^2 - t^2`, its two derivatives, and the spring's share of what the joint carries.
    #[test]
    fn energies_and_constraints_by_hand() {
        let at = Motion {
            q: [3.0, 4.0].into(),
            v: [2.0, -1.0].into(),
            a: [0.5, 0.25].into(),
            lambda: [40.0].into(),
            turns: 0,
        };
        let shown = Diagnostics::of::<_, 2, 0>(&Pendulum, 2.0, &at);
        assert_eq!(shown.constraint, [25.0 - 4.0]);
        let rate = 2.0 * (6.0 - 4.0) - 4.0;
        assert_eq!(shown.rate, [rate]);
        assert_eq!(shown.acceleration, [2.0 * 5.0 + 2.0 * (1.5 + 1.0) - 2.0]);
        assert_eq!((shown.kinetic, shown.potential), (2.5, 40.0));
        // Force is stiffness times stretch and damping times its rate.
        let stretch = (40.0 - 25.0 * rate) / 100.0;
        assert!((shown.strain - 50.0 * stretch * stretch).abs() < 1e-12);
        assert_eq!(shown.energy(), shown.strain + 42.5);
    }

    /// With the joint's rate in it, whatever its sign is.
    #[test]
    fn a_damper_carries_its_share() {
        let mut at = Motion {
            q: [3.0, 4.0].into(),
            v: [2.0, 1.0].into(),
            a: [0.0; 2].into(),
            lambda: [40.0].into(),
            turns: 0,
        };
        for direction in [1.0, -1.0] {
            at.v = Vector::from([2.0 * direction, direction]);
            let shown = Diagnostics::of::<_, 2, 0>(&Pendulum, 0.0, &at);
            let stretch = (40.0 - 25.0 * 20.0 * direction) / 100.0;
            let strain = 50.0 * stretch * stretch;
            assert!((shown.strain - strain).abs() < 1e-9, "{}", shown.strain);
        }
    }
}
