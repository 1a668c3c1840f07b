//! Order conditions to hold a method against: the simplifying assumptions of Runge-Kutta methods and their second-order
//! twins (Wunderlich, section 2.2, after Hairer, Norsett & Wanner), and Theorem 2.9 for general linear methods.

use crate::reference::Tableau;
use nalgebra::{DMatrix, DVector};
use stiffstep::method::general_linear::Nordsieck;
use stiffstep_plants::papers::FirstOrderNordsieck;

/// What counts as satisfied.
const ROUNDING: f64 = 2e-13;

/// How far each of a method's conditions goes: the largest p for which B(p) holds, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders {
    /// B: quadrature, `sum b_i c_i^(k-1) = 1/k`.
    pub b: usize,
    /// C: stages, `sum a_ij c_j^(k-1) = c_i^k / k`.
    pub c: usize,
    /// D: `sum b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k`.
    pub d: usize,
    /// B~, with `b~ = b^T A`: for k up to p - 1, `sum b~_i c_i^(k-1) = 1 / (k (k + 1))`.
    pub b2: usize,
    /// C~, with `A~ = A^2`: for k up to q - 1, `sum a~_ij c_j^(k-1) = c_i^(k+1) / (k (k + 1))`.
    pub c2: usize,
    /// D~: for k up to r - 1, `sum b_i c_i^(k-1) a~_ij = b_j (c_j^(k+1) / (k (k + 1)) - c_j / k + 1 / (k + 1))`. (In the paper
    /// the factor b_j stands before the first term only.)
    pub d2: usize,
}

/// The most that is asked for.
const MOST: usize = 20;

/// The largest p up to which all conditions hold.
fn largest(holds: impl Fn(usize) -> f64) -> usize {
    (1..=MOST).take_while(|&k| holds(k) <= ROUNDING).count()
}

impl Orders {
    /// Those of a tableau in second-order form (29), with `A~` and `b~` from (28f).
    pub fn of(method: &Tableau) -> Self {
        let (a2, b2) = (&method.a * &method.a, method.a.transpose() * &method.b);
        Self::nystrom(method, &a2, &b2)
    }

    /// Those of a method with an `A~` and a `b~` of its own, as Nystrom methods have them.
    pub fn nystrom(method: &Tableau, a2: &DMatrix<f64>, b2: &DVector<f64>) -> Self {
        let (a, b, c) = (&method.a, &method.b, &method.c);
        let power = |k: usize| c.map(|c| c.powi(k as i32));
        let n = |k: usize| k as f64;
        // Conditions of k with c^(k-1); the twins count from p = k + 1.
        let bc = |k: usize| b.component_mul(&power(k - 1));
        Orders {
            b: largest(|k| (b.dot(&power(k - 1)) - 1.0 / n(k)).abs()),
            c: largest(|k| (a * power(k - 1) - power(k) / n(k)).amax()),
            d: largest(|k| {
                let right = b.zip_map(c, |b, c| b * (1.0 - c.powi(k as i32)) / n(k));
                (a.transpose() * bc(k) - right).amax()
            }),
            b2: 1 + largest(|k| (b2.dot(&power(k - 1)) - 1.0 / (n(k) * n(k + 1))).abs()),
            c2: 1 + largest(|k| (a2 * power(k - 1) - power(k + 1) / (n(k) * n(k + 1))).amax()),
            d2: 1 + largest(|k| {
                let right = b.zip_map(c, |b, c| {
                    b * (c.powi(k as i32 + 1) / (n(k) * n(k + 1)) - c / n(k) + 1.0 / n(k + 1))
                });
                (a2.transpose() * bc(k) - right).amax()
            }),
        }
    }
}

/// What is left of the three conditions of Theorem 2.9 in powers of z up to p, the largest coefficient: zero if the method
/// has order and stage order p. The values are those of a Nordsieck vector, `z_k = h^k x^(k)`, in any order.
pub fn theorem_2_9<const S: usize, const K: usize>(method: &Nordsieck<f64, S, K>, p: usize) -> f64 {
    // The coefficient of z^m in exp(c z), and in value k: z^(its power).
    let exponential = |c: f64, m: usize| c.powi(m as i32) / factorial(m);
    let accelerations = |row: &[f64; S], m: usize| {
        let nodes = row.iter().zip(&method.c);
        m.checked_sub(2).map_or(0.0, |m| {
            nodes.map(|(a, &c)| a * exponential(c, m)).sum::<f64>()
        })
    };
    let values = |row: &[f64; K], m: usize| {
        let powers = row.iter().zip(&method.powers);
        let of_m = powers.filter(|&(_, &power)| usize::from(power) == m);
        of_m.map(|(u, _)| u).sum::<f64>()
    };
    let mut left: f64 = 0.0;
    let mut see = |rest: f64| left = left.max(rest.abs());
    for m in 0..=p {
        for i in 0..S {
            let (c, before) = (method.c[i], m.checked_sub(1));
            see(exponential(c, m) - accelerations(&method.a2[i], m) - values(&method.u2[i], m));
            let speed = before.map_or(0.0, |m| exponential(c, m));
            see(speed - accelerations(&method.a[i], m) - values(&method.u[i], m));
        }
        for k in 0..K {
            let own = usize::from(method.powers[k]);
            let shifted = m.checked_sub(own).map_or(0.0, |m| exponential(1.0, m));
            see(shifted - accelerations(&method.b2[k], m) - values(&method.v2[k], m));
        }
    }
    left
}

/// The same for a method of first-order systems: `exp(c z) = z A exp(c z) + U Z`, `exp(z) Z = z B exp(c z) + V Z`.
pub fn first_order(method: &FirstOrderNordsieck, p: usize) -> f64 {
    let exponential = |c: f64, m: usize| c.powi(m as i32) / factorial(m);
    let derivatives = |row: &[f64; 3], m: usize| {
        let nodes = row.iter().zip(&method.c);
        m.checked_sub(1).map_or(0.0, |m| {
            nodes.map(|(a, &c)| a * exponential(c, m)).sum::<f64>()
        })
    };
    let value = |row: &[f64; 3], m: usize| row.get(m).copied().unwrap_or(0.0);
    let mut left: f64 = 0.0;
    let mut see = |rest: f64| left = left.max(rest.abs());
    for m in 0..=p {
        for i in 0..3 {
            let stage = exponential(method.c[i], m);
            see(stage - derivatives(&method.a[i], m) - value(&method.u[i], m));
            let shifted = m.checked_sub(i).map_or(0.0, |m| exponential(1.0, m));
            see(shifted - derivatives(&method.b[i], m) - value(&method.v[i], m));
        }
    }
    left
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}
