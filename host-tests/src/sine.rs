//! Compares the `f32` sine and cosine with `f64` ones over ranges of bit patterns.
//!
//! The reference is `libm::sincos` in `f64`, not rounded to `f32`: its error, below 1 ulp of an
//! `f64`, is nothing beside an ulp of an `f32`. Bit patterns 0 to 0x7FFF_FFFF with stride 1 cover
//! all 2^32 arguments, because every argument is checked together with its negative.

use std::panic::resume_unwind;
use stiffstep::number::trig::{cos, sin, sin_cos};

/// The largest error seen and the argument that gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Error {
    /// |result - exact| in ulps of the `f32` binade of the exact value; infinite when
    /// one of them is NaN and the other is not.
    pub ulps: f64,
    /// The non-negative argument.
    pub argument: f32,
}

impl Error {
    fn or(self, other: Self) -> Self {
        if other.ulps > self.ulps { other } else { self }
    }
}

/// What [`check`] found over its bit patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// Of [`sin`].
    pub sine: Error,
    /// Of [`cos`].
    pub cosine: Error,
    /// Arguments x compared, each together with -x.
    pub compared: u64,
    /// Arguments where [`sin_cos`] differs in a bit from [`sin`] or [`cos`], at x or at -x.
    pub pair_differs: u64,
    /// Arguments where sin(-x) is not -sin(x), or cos(-x) is not cos(x), to the bit.
    pub asymmetric: u64,
}

impl std::fmt::Display for Worst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} arguments and their negatives: sine off by at most {:.4} ulp (at {:e}), cosine by at most {:.4} ulp (at {:e}), \
             {} where sin_cos differs from sin and cos, {} where symmetry is broken",
            self.compared,
            self.sine.ulps,
            self.sine.argument,
            self.cosine.ulps,
            self.cosine.argument,
            self.pair_differs,
            self.asymmetric
        )
    }
}

impl Worst {
    /// Whether both are within 1 ulp and the three functions agree with each other.
    pub fn acceptable(&self) -> bool {
        self.sine.ulps <= 1.0
            && self.cosine.ulps <= 1.0
            && self.pair_differs == 0
            && self.asymmetric == 0
    }

    fn and(self, other: Self) -> Self {
        Self {
            sine: self.sine.or(other.sine),
            cosine: self.cosine.or(other.cosine),
            compared: self.compared + other.compared,
            pair_differs: self.pair_differs + other.pair_differs,
            asymmetric: self.asymmetric + other.asymmetric,
        }
    }
}

/// Checks the arguments with bit patterns `first`, `first + stride`, ... up to `last`, and their negatives, shared by `threads`
/// threads: interleaved, not cut into halves, because large arguments cost the reference more than small.
///
/// The bit patterns are those of non-negative arguments: `last` counts as 0x7FFF_FFFF at most.
pub fn check(first: u32, last: u32, stride: u32, threads: u32) -> Worst {
    let last = last.min(0x7fff_ffff);
    let share = |n: u32| {
        let own = first.saturating_add(stride.saturating_mul(n));
        let patterns = (own..=last).step_by(stride.saturating_mul(threads) as usize);
        patterns
            .map(f32::from_bits)
            .fold(Worst::default(), check_one)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|n| scope.spawn(move || share(n)))
            .collect();
        let others = others.into_iter().map(|thread| thread.join());
        others
            .map(|worst| worst.unwrap_or_else(|panic| resume_unwind(panic)))
            .fold(share(0), Worst::and)
    })
}

#[inline]
fn check_one(mut worst: Worst, x: f32) -> Worst {
    let (s, c) = (sin(x), cos(x));
    let (exact_s, exact_c) = libm::sincos(f64::from(x));
    worst.compared += 1;
    let error = |result: f32, exact: f64| Error {
        ulps: ulps(result, exact),
        argument: x,
    };
    worst.sine = worst.sine.or(error(s, exact_s));
    worst.cosine = worst.cosine.or(error(c, exact_c));

    let bits = |(a, b): (f32, f32)| (a.to_bits(), b.to_bits());
    let negatives = (sin(-x), cos(-x));
    let differs = bits(sin_cos(x)) != bits((s, c)) || bits(sin_cos(-x)) != bits(negatives);
    worst.pair_differs += u64::from(differs);
    worst.asymmetric += u64::from(bits(negatives) != bits((-s, c)));
    worst
}

/// Distance from `exact`, in units of the spacing of `f32` numbers in the binade of `exact`.
fn ulps(result: f32, exact: f64) -> f64 {
    match (result.is_nan(), exact.is_nan()) {
        (true, true) => return 0.0,
        (false, false) => {}
        _ => return f64::INFINITY,
    }
    // A binade below f32's smallest normal number has the spacing 2^-149 of the denormals.
    let exponent = (((exact.to_bits() >> 52) & 0x7ff) as i64 - 1023).max(-126);
    let per_ulp = f64::from_bits(((1023 + 23 - exponent) as u64) << 52);
    (f64::from(result) - exact).abs() * per_ulp
}
