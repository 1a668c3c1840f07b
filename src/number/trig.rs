//! Sine and cosine in `f32`, for models that call them at every stage of every step.
//!
//! `libm::sinf` computes in `f64` inside, which is software on a Cortex-M4F: 1,225 instructions
//! or so within the first turn, 2,050 beyond, 12,000 for the largest. Here everything is `f32` and
//! integer arithmetic, each operation rounded by itself (no fused multiply-add), so a Cortex-M0 in
//! software, a Cortex-M4F and the host give the same bits.
//!
//! # Method
//! 1. Reduction: |x| = k pi/2 + r with k an integer and |r| to about pi/4, r kept as an unevaluated
//!    sum `high + low`, because near a multiple of pi/2 one `f32` could not hold what cancellation
//!    leaves. For |x| < 3216 by Cody and Waite's scheme (Software Manual for the Elementary
//!    Functions, 1980): pi/2 in three parts. Above it by Payne and Hanek's (ACM SIGNUM Newsletter
//!    18, 1983): an integer product with just those bits of 2/pi that matter modulo 4.
//! 2. Two polynomials, sine and cosine of r; the low two bits of k choose between them and the
//!    sign.
//!
//! # Accuracy
//! Measured over all 2^32 arguments against `f64`: at most 0.897 ulp for [`sin`], 0.917 ulp for
//! [`cos`]. sin(-x) = -sin(x) and cos(-x) = cos(x) to the bit, sin(-0) = -0; infinities and NaN
//! give NaN. [`sin_cos`] gives the bits of the other two.
//!
//! # Cost
//! Instructions on a Cortex-M4F, call included, at opt-level 3:
//!
//! | argument | [`sin`] | [`cos`] | [`sin_cos`] |
//! |---|---|---|---|
//! | below 3216 | 43 to 48 | 42 to 49 | 63 to 64 |
//! | larger, at most | 121 | 118 | 138 |

use core::f32::consts::FRAC_2_PI;

/// Arguments of at least this magnitude take the integer reduction: the last round number that
/// keeps k below 2^11, where the products of k with [`HALF_PI_A`] and [`HALF_PI_B`] stay exact.
const FAST_LIMIT: f32 = 3216.0;

/// pi/2 = A + B + C - 1.2e-18. A has 12 significant bits, so k A is exact, and so is x - k A: a
/// multiple of 2^-24 below 1. pi/2 happens to be as close to it as to its best 17-bit value.
const HALF_PI_A: f32 = 3217.0 / 2048.0;
/// The next part: 13 significant bits, a multiple of 2^-30, so k B is exact as well.
const HALF_PI_B: f32 = -4783.0 / 1_073_741_824.0;
/// The rest of pi/2, rounded to an `f32`.
const HALF_PI_C: f32 = 6.077_100_6e-11;

/// 2^23: where the spacing of `f32` numbers is 1. Adding it rounds a number from 0 to 2^22 to the
/// nearest integer, which then is in the low bits of the sum.
const SPACING_ONE: f32 = 8_388_608.0;

/// 2 (sin r - r) / r^3 in powers of z = r^2/2: the first terms of the series, which leave 2^-28.7 at pi/4. A term less, fitted, would
/// do for the accuracy, but the sine would then be cheaper than the cosine.
const SINE: [f32; 4] = [-2.0 / 6.0, 4.0 / 120.0, -8.0 / 5_040.0, 16.0 / 362_880.0];
/// 4 (cos r - 1 + r^2/2) / r^4 in powers of z: minimax fit (Remez) of the absolute error over |r| <= 1.0001 pi/4, each coefficient
/// rounded to `f32` before the following were fitted; 2^-33.1.
const COSINE: [f32; 3] = [
    4.0 * 0.041_666_646,
    8.0 * -0.001_388_730_1,
    16.0 * 2.443_067e-5,
];

const SIGN: u32 = 0x8000_0000;

/// Sine of `x` radians, within 1 ulp.
pub fn sin(x: f32) -> f32 {
    let r = reduce(x);
    flip_sign(r.at(r.quadrant), x.to_bits())
}

/// Cosine of `x` radians, within 1 ulp.
pub fn cos(x: f32) -> f32 {
    let r = reduce(x);
    // A quadrant ahead of the sine.
    r.at(r.quadrant.wrapping_add(1))
}

/// `(sin(x), cos(x))`, the same bits from one argument reduction.
pub fn sin_cos(x: f32) -> (f32, f32) {
    let r = reduce(x);
    let (s, c) = if r.odd_quadrant() {
        (r.cos(), r.sin())
    } else {
        (r.sin(), r.cos())
    };
    (
        flip_sign(s, r.sine_sign() ^ x.to_bits()),
        flip_sign(c, r.cosine_sign()),
    )
}

/// Marks a branch as the rarer one: registers are kept for the other. `core::hint::cold_path` is younger than the oldest compiler
/// that will do.
#[cold]
#[inline]
pub(crate) fn cold_path() {}

/// Changes the sign of `y` if the top bit of `sign` is set.
#[inline]
fn flip_sign(y: f32, sign: u32) -> f32 {
    f32::from_bits(y.to_bits() ^ (sign & SIGN))
}

/// |x| = quadrant pi/2 + high + low, |high + low| to about pi/4. Where high is tiny, low may be
/// as large; elsewhere it is a few ulps of high at most.
#[derive(Clone, Copy)]
struct Reduced {
    /// Only its low two bits have a meaning.
    quadrant: u32,
    high: f32,
    low: f32,
}

impl Reduced {
    /// The sine of `high + low`, that many quadrants on.
    #[inline]
    fn at(self, quadrant: u32) -> f32 {
        let magnitude = if quadrant & 1 == 0 {
            // The cheaper of the two pays for the jump: a step then costs nearly the same whatever its angles.
            cold_path();
            self.sin()
        } else {
            self.cos()
        };
        flip_sign(magnitude, quadrant << 30)
    }

    #[inline]
    fn odd_quadrant(self) -> bool {
        self.quadrant & 1 != 0
    }

    /// In its top bit: sin |x| is the negative of the polynomial's value in quadrants 2 and 3.
    #[inline]
    fn sine_sign(self) -> u32 {
        self.quadrant << 30
    }

    /// In its top bit: the cosine is a quadrant ahead of the sine.
    #[inline]
    fn cosine_sign(self) -> u32 {
        self.quadrant.wrapping_add(1) << 30
    }

    /// sin(high + low) = sin high + low cos high, with 1 - high^2/2 for that cosine. All that is
    /// small is summed first, so that only the last addition rounds at the size of the result.
    #[inline]
    fn sin(self) -> f32 {
        let Self { high, low, .. } = self;
        let z = 0.5 * (high * high);
        let series = SINE[0] + z * (SINE[1] + z * (SINE[2] + z * SINE[3]));
        high + (z * (high * series - low) + low)
    }

    /// cos(high + low) = cos high - low sin high, with high for that sine. 1 - z loses up to half
    /// an ulp, which is recovered exactly from the difference and added to the small terms.
    #[inline]
    fn cos(self) -> f32 {
        let Self { high, low, .. } = self;
        let z = 0.5 * (high * high);
        let series = COSINE[0] + z * (COSINE[1] + z * COSINE[2]);
        let main = 1.0 - z;
        let lost = (1.0 - main) - z;
        main + (lost + (z * z * series - high * low))
    }
}

#[inline]
fn reduce(x: f32) -> Reduced {
    // The sign is put back at the end: that makes the symmetry exact and keeps sin(-0) = -0.
    let magnitude = x.to_bits() & !SIGN;
    if magnitude >= FAST_LIMIT.to_bits() {
        return reduce_large(magnitude);
    }
    let x = f32::from_bits(magnitude);
    let shifted = x * FRAC_2_PI + SPACING_ONE;
    let k = shifted - SPACING_ONE;
    // a and b are exact. high + low = a - b is too (Dekker's Fast2Sum) when |a| >= |b|; otherwise
    // a - b is a multiple of 2^-30 below 2^-6, which one f32 holds. So only k C rounds.
    let a = x - k * HALF_PI_A;
    let b = k * HALF_PI_B;
    let high = a - b;
    let low = ((a - high) - b) - k * HALF_PI_C;
    Reduced {
        quadrant: shifted.to_bits(),
        high,
        low,
    }
}

/// Entry i holds bits 8 i - 23 to 8 i + 8 of 2/pi after the binary point, so entries i, i + 4 and
/// i + 8 are 96 bits in a row, whichever byte they begin at. Bits before the point are 0.
const TWO_OVER_PI: [u32; 24] = {
    let bytes: [u8; 24] = [
        0xa2, 0xf9, 0x83, 0x6e, 0x4e, 0x44, 0x15, 0x29, 0xfc, 0x27, 0x57, 0xd1, 0xf5, 0x34, 0xdd,
        0xc0, 0xdb, 0x62, 0x95, 0x99, 0x3c, 0x43, 0x90, 0x41,
    ];
    let mut words = [0; 24];
    let mut last_four = 0;
    let mut i = 0;
    while i < words.len() {
        last_four = (last_four << 8) | bytes[i] as u32;
        words[i] = last_four;
        i += 1;
    }
    words
};

/// pi/2 as a multiple of 2^-31.
const HALF_PI_FIXED: u64 = 0xc90f_daa2;

/// [`reduce`] for the bits of an argument from [`FAST_LIMIT`] on, infinity and NaN included.
#[cold]
#[inline(never)]
fn reduce_large(magnitude: u32) -> Reduced {
    if magnitude >= f32::INFINITY.to_bits() {
        return Reduced {
            quadrant: 0,
            high: f32::NAN,
            low: 0.0,
        };
    }
    // The exponent field is 128 + 8 i + s, s < 8, so x = m 2^(8 i - 22) with the significand
    // shifted left by s: below 2^31. (FAST_LIMIT > 2 makes the field at least 128.)
    let i = ((magnitude >> 26) & 15) as usize;
    let m = ((magnitude & 0x007f_ffff) | 0x0080_0000) << ((magnitude >> 23) & 7);
    // x 2/pi in units of 2^-62, modulo 4 = 2^64 units: higher bits of 2/pi give multiples of 4,
    // lower ones less than a unit. No f32 this large comes within 2^-30 of an integer here (all
    // were tried), so at least 31 good bits are left after the cancellation.
    let [first, second, third] =
        [TWO_OVER_PI[i], TWO_OVER_PI[i + 4], TWO_OVER_PI[i + 8]].map(u64::from);
    let m = u64::from(m);
    let phase = (m.wrapping_mul(first) << 32)
        .wrapping_add(m * second)
        .wrapping_add((m * third) >> 32);
    let quadrant = (phase.wrapping_add(1 << 61) >> 62) as u32;
    let rest = phase.wrapping_sub(u64::from(quadrant) << 62) as i64;
    // The leading 32 bits of |rest| times pi/2: the angle, an integer in units of 2^(-29 - shift).
    let shift = rest.unsigned_abs().leading_zeros();
    let leading = rest.unsigned_abs().wrapping_shl(shift) >> 32;
    let angle = ((leading * HALF_PI_FIXED) >> 32) as u32;
    // 24 bits at most in each part, so both conversions are exact.
    let high = angle.wrapping_add(0x80) & !0xff;
    let low = angle.wrapping_sub(high) as i32;
    let unit = flip_sign(
        f32::from_bits((127 - 29 - shift) << 23),
        (rest >> 32) as u32,
    );
    Reduced {
        quadrant,
        high: high as f32 * unit,
        low: low as f32 * unit,
    }
}
