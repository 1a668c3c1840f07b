//! How an adaptive step of a mechanism is measured, in units of the tolerances: its error, the increments of its iteration, and
//! what rounding does to them.
//!
//! A joint that is rigid, or so stiff that the step does not resolve it, makes the equations those of index 3 in its direction:
//! the estimates of velocities and multipliers are there of one and two orders less than those of positions (Hairer & Wanner
//! II, VII.4 to VII.6). All others are an ordinary differential equation. A joint that would ring with omega is resolved up
//! to an `h omega` of 3 to 10, by the method's stages; between, with `S = G M^-1 G^T` and a compliance that grows as `(h omega)^-6`,
//!
//! ```text
//! B = S + diag(S_jj (10 / h omega_j)^6),   e_v = e_t + e_n,   e_n = M^-1 G^T B^-1 G e_v
//! ```
//!
//! has all of G's directions in `e_n` if they are rigid, and nothing if they are soft. Then `e_t` is compared with the
//! tolerance of velocities and `h e_n` with that of positions, whatever the units. The same goes for multipliers, which move
//! positions by `h^2 M^-1 G^T e_lambda`.

use super::controlled::EachOfMotion;
use super::{Manner, OnMechanical};
use crate::geometry::{Degenerate, Geometry, dot, plus};
use crate::model::{Joints, MassFactor, Mechanical, Motion};
use crate::number::Real;
use crate::step::controlled::inverse;
use crate::step::newton::Norm;
use crate::step::scheme::Old;
use crate::step::{Control, Tolerance};

/// One over the tolerance of each component of a motion.
pub(super) fn scales<R: Real, const Q: usize, const L: usize>(
    at: &Motion<R, Q, L>,
    tolerance: &Tolerance<R, EachOfMotion<R, Q, L>>,
) -> EachOfMotion<R, Q, L> {
    let (relative, absolute) = (tolerance.relative, &tolerance.absolute);
    EachOfMotion {
        q: inverse(&at.q.data.0[0], relative, &absolute.q),
        v: inverse(&at.v.data.0[0], relative, &absolute.v),
        lambda: inverse(&at.lambda.data.0[0], relative, &absolute.lambda),
    }
}

/// An error in two parts: what an ordinary differential equation has, and what is of higher index.
pub(super) struct Split<R, const Q: usize, const L: usize> {
    pub soft: EachOfMotion<R, Q, L>,
    /// In the directions of joints that the step does not resolve; multipliers as the accelerations that they are.
    pub stiff_v: [R; Q],
    pub stiff_a: [R; Q],
}

/// The sixth power of the `h omega` up to which a method of so many stages resolves a spring's ringing: 3, 5 and 10 with two,
/// three and five. Below that a projection onto the slow motion of the stages' polynomial would feed the ringing, by up to 16 %
/// a step with three stages and 19 % with five.
const RESOLVED: [f64; 6] = [1e3, 1e3, 1e3, 1e4, 1e6, 1e6];

/// How soft each joint is for a step of size h: zero if it is rigid, one where it is about to be resolved, large if it is soft.
#[inline(always)]
pub(super) fn softness<R, J: Joints<R, L>, F, const Q: usize, const L: usize, const S: usize>(
    joints: &J,
    geometry: &Geometry<R, F, Q, L>,
    h: R,
) -> [R; L] {
    let mut softness = [R::ZERO; L];
    if J::ELASTIC {
        let (compliance, tau) = (joints.compliance(), joints.relaxation());
        for j in 0..L {
            // One over (h omega)^2. A damper makes a joint stiffer.
            let damped = if J::DAMPED { h + tau[j] } else { h };
            let slow = compliance[j] / (geometry.schur[j][j] * h * damped);
            let cube = slow * slow * slow * R::from_f64(RESOLVED[S.min(5)]);
            softness[j] = cube;
        }
    }
    softness
}

/// Splits an error by a geometry and the softness of its joints.
pub(super) fn split<R, F: MassFactor<R, Q>, const Q: usize, const L: usize>(
    error: &EachOfMotion<R, Q, L>,
    geometry: &Geometry<R, F, Q, L>,
    softness: &[R; L],
) -> Result<Split<R, Q, L>, Degenerate> {
    let mut yielding = *geometry;
    for j in 0..L {
        // Softer than that makes no difference, and would overflow.
        let softness = softness[j].min(R::from_f64(1e12));
        yielding.schur[j][j] += yielding.schur[j][j] * softness;
    }
    let block = yielding.factor()?;
    let (mut across, mut carried) = ([R::ZERO; L], [R::ZERO; L]);
    for j in 0..L {
        across[j] = dot(&geometry.jacobian[j], &error.v);
        carried[j] = dot(&geometry.schur[j], &error.lambda);
    }
    block.solve(&mut across);
    block.solve(&mut carried);
    let stiff_v = geometry.respond(&across);
    let stiff_a = geometry.respond(&carried);
    let mut soft = *error;
    plus(&mut soft.v, -R::ONE, &stiff_v);
    plus(&mut soft.lambda, -R::ONE, &carried);
    Ok(Split {
        soft,
        stiff_v,
        stiff_a,
    })
}

impl<R, M, K, const Q: usize, const L: usize, const U: usize, const S: usize>
    Old<'_, OnMechanical<R, M, K, Q, L, U, S>>
where
    M: Mechanical<R, Q, L, U>,
    K: Manner<S>,
{
    /// How increments are measured: in units of the tolerance.
    pub(super) fn norm<F: MassFactor<R, Q>>(
        &self,
        geometry: &Geometry<R, F, Q, L>,
        tolerance: &Tolerance<R, EachOfMotion<R, Q, L>>,
        control: Control,
    ) -> Result<Norm<R, Q>, Degenerate> {
        let scales = scales(self.state, tolerance);
        let mut weights = match control {
            Control::Tolerances => self.weights(&scales, geometry),
            Control::Radau5 => {
                // Positions move by h^2 A^2 dW, velocities, with the weight h, by h^2 A dW: about a third of h^2 dW. Ten times as
                // strict as that, because what an iteration leaves is alike in all steps and adds up to an error of lower order.
                let mut weights = [R::ZERO; Q];
                for n in 0..Q {
                    weights[n] = self.h * R::from_f64(3.0) * scales.q[n].max(scales.v[n]);
                }
                weights
            }
        };
        let mean = R::ONE / R::from_count((S * Q) as u64).sqrt();
        for weight in &mut weights {
            *weight *= mean;
        }
        if control == Control::Radau5 {
            // Rounding as it is in units of the nominal magnitudes, so that counts are those of the published runs.
            let mut floor = R::ZERO;
            for n in 0..Q {
                floor =
                    floor.max(self.scales.norm.floor * weights[n] / self.scales.norm.weights[n]);
            }
            return Ok(Norm::bounded(weights, floor));
        }
        let mut floor = self.noise(&weights, geometry)?;
        // Rounding of constraints makes velocities across the joints no better than this. A projection takes it out of them
        // again; without one nothing does. Either way the iteration cannot get below it.
        let most = R::from_f64(0.01);
        if L > 0 && floor > most {
            let less = most / floor;
            for n in 0..Q {
                weights[n] = (weights[n] * less).max(self.h * scales.q[n] * mean);
            }
            floor = self.noise(&weights, geometry)?;
        }
        Ok(Norm::bounded(weights, floor))
    }

    /// Weights of the iteration's increments `h dW`: what they do to velocities, positions and the forces of soft joints, in
    /// units of the tolerances.
    fn weights<F: MassFactor<R, Q>>(
        &self,
        scales: &EachOfMotion<R, Q, L>,
        geometry: &Geometry<R, F, Q, L>,
    ) -> [R; Q] {
        let h = self.h;
        let mut weights = [R::ZERO; Q];
        for n in 0..Q {
            weights[n] = scales.v[n].max(h * scales.q[n]);
        }
        if M::Joints::ELASTIC {
            let joints = self.model.joints();
            let softness = softness::<_, _, _, Q, L, S>(&joints, geometry, h);
            let compliance = joints.compliance();
            for j in 0..L {
                // A soft joint's force moves with its positions, by h^2 dW / C. Of that of a stiff one nothing is asked.
                let softness = softness[j].min(R::from_f64(1e12));
                let soft = softness / (R::ONE + softness);
                let force = soft * scales.lambda[j] * h / compliance[j];
                for n in 0..Q {
                    weights[n] = weights[n].max(geometry.jacobian[j][n].abs() * force);
                }
            }
        }
        weights
    }

    /// What rounding does to the iteration's increments in these weights. Forces are as good as their size; constraints, in
    /// double precision, as the positions they are made of, and their rounding goes from every coordinate of a joint to all of
    /// its others, over h^2. Increments of constraints, in single precision, are as good as those of the positions.
    fn noise<F: MassFactor<R, Q>>(
        &self,
        weights: &[R; Q],
        geometry: &Geometry<R, F, Q, L>,
    ) -> Result<R, Degenerate> {
        let (h, now) = (self.h, self.state);
        let amplification = K::coefficients::<R>().amplification;
        let mut noise = [R::ZERO; Q];
        let mut sizes = [R::ZERO; Q];
        for n in 0..Q {
            let moved = h * now.v.data.0[0][n].abs();
            noise[n] = now.v.data.0[0][n].abs() + h * self.carry.stages.w[S - 1][n].abs();
            sizes[n] = moved;
            if R::EXACT_ENOUGH {
                sizes[n] += now.q.data.0[0][n].abs();
            }
        }
        if L > 0 {
            let factor = geometry.yielding(self.give()).factor()?;
            for j in 0..L {
                let mut unit = [R::ZERO; L];
                for n in 0..Q {
                    unit[j] += geometry.jacobian[j][n].abs() * sizes[n];
                }
                factor.solve(&mut unit);
                let response = geometry.respond(&unit);
                for n in 0..Q {
                    noise[n] += amplification / h * response[n].abs();
                }
            }
        }
        let mut sum = R::ZERO;
        for n in 0..Q {
            sum += (weights[n] * noise[n]).square();
        }
        Ok(R::EPSILON * (sum * R::from_count(S as u64)).sqrt())
    }
}
