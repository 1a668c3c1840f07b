//! Circuits whose conductances are far apart, in single precision.

use super::cell::Judged;
use super::judge::{Run, states};
use super::models::{Numbers, ladder};
use super::network;
use super::rates::Rates;
use crate::Draw;
use stiffstep::prelude::*;

/// Counts of steps of affine models.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Affine {
    /// Steps.
    pub steps: u64,
    /// Off by more than the tolerance.
    pub off: u64,
    /// Of these, with a claim below a third of the truth.
    pub unsaid: u64,
    /// The largest distance.
    pub worst: f64,
}

impl Affine {
    /// One more.
    pub fn add(&mut self, j: &Judged) {
        self.steps += 1;
        self.worst = self.worst.max(j.truth);
        if j.truth > j.tolerance {
            self.off += 1;
            self.unsaid += u64::from(3.0 * j.claim < j.truth);
        }
    }

    /// Both together.
    pub fn merge(&mut self, other: &Affine) {
        self.steps += other.steps;
        self.off += other.off;
        self.unsaid += other.unsaid;
        self.worst = self.worst.max(other.worst);
    }
}

/// A model's equations as its author wrote them down: the matrix, multiplied out.
#[derive(Clone, Copy)]
struct Written<R>(Circuit<R, 3, 1>);

impl<R: Real> FirstOrder<R, 3, 1> for Written<R> {
    type Mass = Diagonal<R, 3>;
    const AFFINE: bool = true;
    fn mass(&self) -> Self::Mass {
        Diagonal([self.0.e[(0, 0)], self.0.e[(1, 1)], self.0.e[(2, 2)]].into())
    }
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 3>, u: &Vector<R, 1>) -> Vector<T, 3> {
        let a = &self.0.a;
        let row = |i: usize| x[0] * a[(i, 0)] + x[1] * a[(i, 1)] + x[2] * a[(i, 2)];
        [row(0) + u[0] * self.0.b[(0, 0)], row(1), row(2)].into()
    }
    fn nominal(&self) -> Vector<R, 3> {
        self.0.nominal
    }
}

/// A ladder by chance, as a `Circuit` or written down.
pub fn random(draw: &mut Draw, mut run: Run, rates: &mut Rates) {
    let mut p = Numbers {
        v: 1.0,
        ..Numbers::default()
    };
    network(draw, &mut p);
    run.numbers = p.rounded();
    (run.kind, run.swing) = (3, run.swing.min(1.0));
    let truth = ladder::<f64>(&run.numbers);
    let start = [0.0; 3];
    match draw.below(4) {
        0 => {
            let model = ladder::<f32>(&run.numbers);
            states::<f32, _, _, 3>(draw, &run, (model, &truth), start, rates);
        }
        1 => {
            let model = Written(ladder::<f32>(&run.numbers));
            states::<f32, _, _, 3>(draw, &run, (model, &truth), start, rates);
        }
        2 => states::<f64, _, _, 3>(draw, &run, (truth, &truth), start, rates),
        _ => states::<f64, _, _, 3>(draw, &run, (Written(truth), &truth), start, rates),
    }
}
