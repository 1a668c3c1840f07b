//! The stability matrix of a partitioned method, one tableau for positions and another for momenta.

use super::Polynomial;
use crate::reference::Tableau;
use nalgebra::{DMatrix, DVector, Matrix2};
use stiffstep::method::LobattoPair;

/// A partitioned Runge-Kutta method: (A, b) makes positions of velocities, (A^, b^) momenta of forces.
#[derive(Clone, Debug)]
pub struct Pair {
    /// (A, b).
    pub position: Tableau,
    /// (A^, b^).
    pub momentum: Tableau,
}

/// Steps `mu = h omega`, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub from: f64,
    /// The largest; may be infinite.
    pub to: f64,
}

/// How much more than 2 a trace may be that only touches it.
const TOUCHING: f64 = 1e-9;

impl Pair {
    /// The core's pair.
    pub fn of<const S: usize>(_pair: LobattoPair<S>) -> Self {
        let t = &LobattoPair::<S>::COEFFICIENTS;
        let with = |a: &[[f64; S]; S]| Tableau {
            a: DMatrix::from_fn(S, S, |i, j| a[i][j]),
            b: DVector::from_row_slice(&t.b),
            c: DVector::from_row_slice(&t.c),
        };
        Pair {
            position: with(&t.a),
            momentum: with(&t.a_hat),
        }
    }

    /// The method with a partner that makes the pair symplectic: `b_i a^_ij + b_j a_ji = b_i b_j`. That of Lobatto IIIA is
    /// Lobatto IIIB.
    pub fn symplectic(position: Tableau) -> Self {
        let (a, b) = (&position.a, &position.b);
        let s = position.stages();
        let momentum = Tableau {
            a: DMatrix::from_fn(s, s, |i, j| b[j] * (1.0 - a[(j, i)] / b[i])),
            b: b.clone(),
            c: position.c.clone(),
        };
        Pair { position, momentum }
    }

    /// Both the same, as any Runge-Kutta method is a partitioned one.
    pub fn same(method: Tableau) -> Self {
        Pair {
            position: method.clone(),
            momentum: method,
        }
    }

    /// `M(mu)` of (8), in the form (13).
    ///
    /// NaN where the stages have no solution.
    pub fn matrix(&self, mu: f64) -> Matrix2<f64> {
        let (a, b) = (&self.position.a, &self.position.b);
        let (a_, b_) = (&self.momentum.a, &self.momentum.b);
        let s = b.len();
        let identity = DMatrix::<f64>::identity(s, s);
        let solve = |product: DMatrix<f64>| {
            (&identity + product * (mu * mu))
                .lu()
                .solve(&DVector::repeat(s, 1.0))
                .unwrap_or_else(|| DVector::repeat(s, f64::NAN))
        };
        let (q, p) = (solve(a * a_), solve(a_ * a));
        Matrix2::new(
            1.0 - mu * mu * b.dot(&(a_ * &q)),
            mu * b.dot(&p),
            -mu * b_.dot(&q),
            1.0 - mu * mu * b_.dot(&(a * &p)),
        )
    }

    /// What a step multiplies the amplitude by, at worst: the largest eigenvalue of M(mu).
    pub fn kept(&self, mu: f64) -> f64 {
        let m = self.matrix(mu);
        let (half, det) = (0.5 * m.trace(), m.determinant());
        let discriminant = half * half - det;
        if discriminant > 0.0 {
            half.abs() + discriminant.sqrt()
        } else {
            det.sqrt()
        }
    }

    /// The trace of M as a quotient of polynomials in mu^2, from (11): with `D = det(I + mu^2 A A^)`,
    /// `4 - [det(I + mu^2 (A A^ + 1 b^T A^)) + det(I + mu^2 (A^ A + 1 b^^T A))] / D`.
    pub fn trace(&self) -> (Polynomial, Polynomial) {
        let (a, b) = (&self.position.a, &self.position.b);
        let (a_, b_) = (&self.momentum.a, &self.momentum.b);
        let ones = DVector::repeat(b.len(), 1.0);
        let below = Polynomial::determinant(&(a * a_));
        let position = Polynomial::determinant(&(a * a_ + &ones * (b.transpose() * a_)));
        let momentum = Polynomial::determinant(&(a_ * a + &ones * (b_.transpose() * a)));
        let sum = position.plus(1.0, &momentum);
        (sum.plus(-4.0, &below).scaled(-1.0), below)
    }

    /// The intervals of periodicity right of zero, ascending: where |tr M| <= 2, given that det M = 1. A single point is
    /// none.
    ///
    /// Between the zeros of tr - 2 and tr + 2 and the poles nothing can change, so one look at each stretch is enough.
    pub fn periodicity(&self) -> Vec<Interval> {
        let (above, below) = self.trace();
        let mut ends = vec![0.0];
        for polynomial in [
            above.plus(-2.0, &below),
            above.plus(2.0, &below),
            below.clone(),
        ] {
            ends.extend(polynomial.zeros_from_zero_on());
        }
        ends.sort_by(f64::total_cmp);
        // Two ends that rounding has made of one.
        ends.dedup_by(|later, earlier| *later - *earlier <= 1e-6 * *later);
        let periodic = |x: f64| (above.at(x) / below.at(x)).abs() <= 2.0 + TOUCHING;
        let mut intervals: Vec<Interval> = Vec::new();
        for (k, &from) in ends.iter().enumerate() {
            let to = ends.get(k + 1).copied().unwrap_or(f64::INFINITY);
            let between = if to.is_finite() {
                0.5 * (from + to)
            } else {
                2.0 * from + 1.0
            };
            if !periodic(between) {
                continue;
            }
            match intervals.last_mut() {
                Some(last) if last.to == from.sqrt() => last.to = to.sqrt(),
                _ => intervals.push(Interval {
                    from: from.sqrt(),
                    to: to.sqrt(),
                }),
            }
        }
        intervals
    }
}
