//! Rigid joints by way of springs (section 5.4): a slow point of very stiff springs is a consistent one, and their pull is the
//! multiplier. No algebraic equation is solved.

use stiffstep::manifold::{Ending, Ipa, Kernel};
use stiffstep::model::MassFactor;
use stiffstep::number::Dual;
use stiffstep::prelude::*;

/// A model whose joints are replaced by springs.
#[derive(Clone, Copy, Debug)]
pub struct Sprung<'a, M, const L: usize> {
    /// Everything else about it.
    pub model: &'a M,
    /// The springs' stiffness.
    pub stiffness: [f64; L],
}

impl<'a, M, const L: usize> Sprung<'a, M, L> {
    /// Springs each of which, where the model is, would ring with the frequency omega if the others did not hold it.
    pub fn ringing_at<const Q: usize, const U: usize>(
        model: &'a M,
        omega: f64,
        t: f64,
        q: &Vector<f64, Q>,
    ) -> Result<Self, Error>
    where
        M: Mechanical<f64, Q, L, U>,
    {
        let mut variables = q.map(Dual::<f64, Q>::constant);
        for n in 0..Q {
            variables[n] = Dual::variable(q[n], n);
        }
        let g = model.constraint(Dual::constant(t), &variables);
        let mass = model.mass(q).factor()?;
        let stiffness = g.map(|g| {
            let (row, mut direction) = (g.slope(), g.slope());
            mass.solve(&mut direction);
            let inverse: f64 = row.iter().zip(direction).map(|(a, b)| a * b).sum();
            omega * omega / inverse
        });
        // An inverse mass of zero: this constraint moves nothing.
        match stiffness.iter().position(|k| !(*k > 0.0 && k.is_finite())) {
            Some(index) => Err(Error::Constraint { index }),
            None => Ok(Sprung {
                model,
                stiffness: stiffness.into(),
            }),
        }
    }
}

impl<M: Mechanical<f64, Q, L, U>, const Q: usize, const L: usize, const U: usize>
    Mechanical<f64, Q, L, U> for Sprung<'_, M, L>
{
    type Joints = Elastic<f64, L>;
    type Mass<T: Scalar<f64>> = M::Mass<T>;

    fn joints(&self) -> Elastic<f64, L> {
        Elastic {
            stiffness: self.stiffness,
        }
    }
    fn mass<T: Scalar<f64>>(&self, q: &Vector<T, Q>) -> M::Mass<T> {
        self.model.mass(q)
    }
    fn force<T: Scalar<f64>>(
        &self,
        t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<f64, U>,
    ) -> Vector<T, Q> {
        self.model.force(t, q, v, u)
    }
    fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        self.model.constraint(t, q)
    }
    fn nominal(&self) -> Nominal<f64, Q> {
        self.model.nominal()
    }
}

/// A rigid mechanism's consistent motion near (q, v), multipliers included, by Richardson's extrapolation of the slow motions of
/// springs that ring with omega and with twice omega: `(4 x(2 omega) - x(omega)) / 3`. What is left is of order
/// `omega^-4`, or what rounding leaves.
pub fn rigid_limit<M: Mechanical<f64, Q, L, U>, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    omega: f64,
    t: f64,
    (q, v): (&Vector<f64, Q>, &Vector<f64, Q>),
    u: &Vector<f64, U>,
) -> Result<Motion<f64, Q, L>, Error> {
    let at = |omega: f64| {
        let sprung = Sprung::ringing_at(model, omega, t, q)?;
        let ipa = Ipa::<f64, 18>::fitted(&Kernel::CUBIC, &sprung, t, q)?;
        // What is left of a rate, times omega, is left of the multipliers.
        let ipa = ipa.tolerance(f64::EPSILON.sqrt() / omega);
        let slow = ipa.project(&sprung, t, q, v, u)?;
        if slow.ending == Ending::Exhausted {
            return Err(Error::Inconsistent);
        }
        Ok(slow)
    };
    let (soft, stiff) = (at(omega)?, at(omega + omega)?);
    let (x, y) = (stiff.motion, soft.motion);
    // x + (x - x') / 3: only the difference is rounded.
    Ok(Motion {
        q: x.q + stiff.low + (x.q - y.q + stiff.low - soft.low) / 3.0,
        v: x.v + (x.v - y.v) / 3.0,
        a: x.a + (x.a - y.a) / 3.0,
        lambda: x.lambda + (x.lambda - y.lambda) / 3.0,
        turns: 0,
    })
}
