//! What counts as one in a mechanism's step, and what rounding does to it.

use super::Linear;
use crate::geometry::Geometry;
use crate::memory::visits;
use crate::model::{Joints, MassFactor, Mechanical};
use crate::number::Real;
use crate::step::Error;
use crate::step::convergence::HIGHEST;
use crate::step::newton::Norm;
use crate::step::prediction::over_a_step;

/// Increments of velocities and multipliers in units of their nominal magnitudes.
#[derive(Clone, Copy, Debug)]
pub struct Scales<R, const Q: usize, const L: usize> {
    pub(super) norm: Norm<R, Q>,
    rounding: Rounding<R>,
    /// One over the magnitudes of the multipliers.
    pub(super) force_weights: [R; L],
    /// The square of what rounding does to them.
    pub(super) force_noise: R,
    /// What a unit of acceleration counts over a step: `h` over the nominal velocities.
    pub(super) rates: [R; Q],
    /// `1 / h^2`, by which rows of constraints are scaled.
    pub(super) per_square: R,
}

impl<R: Real, const Q: usize, const L: usize> Scales<R, Q, L> {
    /// At (t, q), for steps of `h` by a method that amplifies rounding so much.
    pub fn at<M: Mechanical<R, Q, L, U>, const U: usize>(
        model: &M,
        (t, q): (R, &[R; Q]),
        (weights, force_weights): ([R; Q], [R; L]),
        (h, amplification): (R, R),
    ) -> Self {
        let mut scales = Scales {
            norm: Norm {
                weights,
                floor: R::ZERO,
            },
            rounding: Rounding::of(model, t, q, (&weights, &force_weights)),
            force_weights,
            force_noise: R::ZERO,
            rates: weights,
            per_square: R::ZERO,
        };
        scales.resize::<M::Joints>(h, amplification);
        scales
    }

    /// Makes them those of a step of `h`.
    pub fn resize<J: Joints<R, L>>(&mut self, h: R, amplification: R) {
        self.norm.floor = self.rounding.floor(h, J::ELASTIC, amplification);
        let noise = self.rounding.force_floor(h, amplification);
        self.force_noise = noise * noise;
        self.measure_by(self.norm, h);
        self.per_square = R::ONE / (h * h);
    }

    /// Makes increments of velocities count what a norm says, in a step of `h`.
    pub fn measure_by(&mut self, norm: Norm<R, Q>, h: R) {
        (self.norm, self.rates) = (norm, over_a_step(&norm.weights, h));
    }
}

visits!(
    [R: Real, const Q: usize, const L: usize] Scales<R, Q, L>:
    norm, rounding, force_weights, force_noise, rates, per_square
);

impl<R: Real, T, F: MassFactor<R, Q>, const Q: usize, const L: usize> Linear<R, T, F, Q, L> {
    /// The square of what rounding of the positions does to increments by forces that depend on them. A spring of stiffness S
    /// between two masses, written as a force, sees positions to their last digit, `epsilon q`: that is an acceleration of
    /// `S epsilon q / M`, and, where the step does not resolve the spring, one that moves the masses by as much as that digit. An
    /// increment below that is no sign of convergence.
    #[inline(always)]
    pub(super) fn rounded_forces(
        &self,
        q: &[R; Q],
        weights: &[R; Q],
        (h, amplification): (R, R),
    ) -> R {
        let moved = h * h * R::from_f64(4.0) / amplification;
        let mut sum = R::ZERO;
        for n in 0..Q {
            let mut pull = [R::ZERO; Q];
            for m in 0..Q {
                pull[m] = self.parts.stiffness[m][n];
            }
            self.geometry.mass.solve(&mut pull);
            let (place, rate) = (q[n], pull[n].abs());
            let d = place * weights[n] * rate / (R::ONE + moved * rate);
            sum += d * d;
        }
        let digit = R::EPSILON * h;
        digit * digit * sum
    }
}

/// One over each nominal multiplier. Joints that are redundant have none of their own: theirs count as one.
pub(super) fn force_weights<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    (t, q): (R, &[R; Q]),
) -> Result<[R; L], Error>
where
    M: Mechanical<R, Q, L, U>,
{
    match nominal_multipliers(model, t, q) {
        Ok(nominal) => Ok(nominal.map(|magnitude| R::ONE / magnitude)),
        Err(Error::Nominal { index }) => Err(Error::Nominal { index }),
        Err(_) => Ok([R::ONE; L]),
    }
}

/// Magnitudes of the multipliers: the model's own, or the forces that give the joints' parts their nominal accelerations.
pub(super) fn nominal_multipliers<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    t: R,
    q: &[R; Q],
) -> Result<[R; L], Error>
where
    M: Mechanical<R, Q, L, U>,
{
    if let Some(nominal) = model.nominal_lambda() {
        return match nominal.iter().position(|x| !(*x > R::ZERO && x.finite())) {
            Some(index) => Err(Error::Nominal {
                index: 2 * Q + index,
            }),
            None => Ok(nominal),
        };
    }
    let nominal = model.nominal();
    let geometry = Geometry::at(model, t, q)?;
    let mut magnitudes = [R::ONE; L];
    for j in 0..L {
        let mut along = R::ZERO;
        for n in 0..Q {
            along += geometry.jacobian[j][n].abs() * nominal.v[n] * (nominal.v[n] / nominal.q[n]);
        }
        let magnitude = along / geometry.schur[j][j];
        // A constraint on nothing has no force.
        if magnitude > R::ZERO && magnitude.finite() {
            magnitudes[j] = magnitude;
        }
    }
    Ok(magnitudes)
}

/// What rounding does to a step, but for epsilon and the method's amplification. That of the constraints does `rigid / h` to
/// `h dW` in rigid joints and at most `elastic h` in elastic ones, whose forces do not depend on the step, in units of the nominal
/// velocities; in single precision, where increments of constraints are computed, it does nothing. That of accelerations does
/// `force / h` to the multipliers, in units of theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding<R> {
    rigid: R,
    elastic: R,
    force: R,
}

visits!([R: Real] Rounding<R>: rigid, elastic, force);

impl<R: Real> Rounding<R> {
    /// In a mechanism at (t, q), with weights of velocities and forces. A constraint is as good as the positions it is made of,
    /// `delta_j = sum_m |G_jm| q_m`, and its rounding goes from a large coordinate to a small one.
    fn of<M: Mechanical<R, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
        model: &M,
        t: R,
        q: &[R; Q],
        (weights, force_weights): (&[R; Q], &[R; L]),
    ) -> Self {
        let mut worst = Rounding {
            rigid: R::ZERO,
            elastic: R::ZERO,
            force: R::ZERO,
        };
        // Joints that are redundant have no rigid limit; the error comes where it matters.
        let Ok(geometry) = Geometry::at(model, t, q) else {
            return worst;
        };
        let Ok(factor) = geometry.factor() else {
            return worst;
        };
        let (nominal, compliance) = (model.nominal(), model.joints().compliance());
        let (mut rigid, mut elastic, mut force) = ([R::ZERO; Q], [R::ZERO; Q], [R::ZERO; L]);
        for j in 0..L {
            let (mut delta, mut speed) = (R::ZERO, R::ZERO);
            for n in 0..Q {
                delta += geometry.jacobian[j][n].abs() * nominal.q[n];
                speed += geometry.jacobian[j][n].abs() * nominal.v[n];
            }
            let mut unit = [R::ZERO; L];
            unit[j] = R::ONE;
            factor.solve(&mut unit);
            let response = geometry.respond(&unit);
            for i in 0..L {
                force[i] += unit[i].abs() * speed;
            }
            for n in 0..Q {
                rigid[n] += response[n].abs() * delta;
                if M::Joints::ELASTIC {
                    elastic[n] += geometry.directions[j][n].abs() * delta / compliance[j];
                }
            }
        }
        for j in 0..L {
            worst.force = worst.force.max(force[j] * force_weights[j]);
        }
        if R::EXACT_ENOUGH {
            for n in 0..Q {
                worst.rigid = worst.rigid.max(rigid[n] * weights[n]);
                worst.elastic = worst.elastic.max(elastic[n] * weights[n]);
            }
        }
        worst
    }

    /// The floor of the multipliers' increments at a step of `h`.
    fn force_floor(&self, h: R, amplification: R) -> R {
        R::EPSILON * amplification * self.force / h
    }

    /// The floor of increments at a step of `h`.
    fn floor(&self, h: R, elastic: bool, amplification: R) -> R {
        let (rigid, soft) = (self.rigid / h, self.elastic * h);
        let constraints = if elastic && soft < rigid { soft } else { rigid };
        let floor = R::EPSILON * amplification * R::ONE.max(constraints);
        floor.min(R::from_f64(HIGHEST))
    }
}
