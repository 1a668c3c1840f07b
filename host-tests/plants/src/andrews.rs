//! Andrews' squeezing mechanism: seven bodies, six constraints, a mass matrix that depends on the position, driven by a
//! constant torque (Hairer & Wanner II, section VII.7; IVP test set).
//!
//! Coordinates are the angles (beta, Theta, gamma, Phi, delta, Omega, epsilon). Names of lengths and masses are the
//! literature's.

use core::marker::PhantomData;
use stiffstep::prelude::*;

/// The mechanism; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Andrews<R>(PhantomData<R>);

/// The angles at t = 0, where everything is at rest.
pub const START: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_56,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];

/// The angles at t = 0.03.
pub const END_Q: [f64; 7] = [
    15.810_771_195_153_707,
    -15.756_371_058_411_84,
    0.040_822_240_119_645_8,
    -0.534_730_116_342_079_6,
    0.524_409_965_879_954,
    0.534_730_116_342_079_6,
    1.048_080_741_041_938,
];

/// The angular velocities at t = 0.03.
pub const END_V: [f64; 7] = [
    1_139.920_302_259_106,
    -1_424.379_295_177_54,
    11.032_911_910_618_594,
    19.293_374_105_032_04,
    0.573_569_914_829_502_4,
    -19.293_374_105_032_04,
    0.323_179_149_249_130_9,
];

/// The multipliers at t = 0.03.
pub const END_LAMBDA: [f64; 6] = [
    199.175_348_104_538_64,
    -29.755_309_974_971_762,
    23.066_543_611_622_15,
    31.452_725_275_771_137,
    22.642_494_786_394_38,
    11.617_392_352_611_256,
];

const M1: f64 = 0.04325;
const M2: f64 = 0.00365;
const M3: f64 = 0.02373;
const M4: f64 = 0.00706;
const M5: f64 = 0.07050;
const M6: f64 = 0.00706;
const M7: f64 = 0.05498;
const I1: f64 = 2.194e-6;
const I2: f64 = 4.410e-7;
const I3: f64 = 5.255e-6;
const I4: f64 = 5.667e-7;
const I5: f64 = 1.169e-5;
const I6: f64 = 5.667e-7;
const I7: f64 = 1.912e-5;
const XA: f64 = -0.06934;
const YA: f64 = -0.00227;
const XB: f64 = -0.03635;
const YB: f64 = 0.03273;
const XC: f64 = 0.014;
const YC: f64 = 0.072;
const C0: f64 = 4530.0;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const L0: f64 = 0.07785;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const MOM: f64 = 0.033;

impl<R: Real> Mechanical<R, 7, 6, 0> for Andrews<R> {
    type Joints = Rigid;
    type Mass<T: Scalar<R>> = Matrix<T, 7, 7>;

    fn joints(&self) -> Rigid {
        Rigid
    }

    fn mass<T: Scalar<R>>(&self, q: &Vector<T, 7>) -> Matrix<T, 7, 7> {
        let c = R::from_f64;
        let (e, f) = (E - EA, ZF - FA);
        let (theta, phi, omega) = (q[1].cos(), q[3].sin(), q[5].sin());
        let zero = T::constant(R::ZERO);
        let constant = |x: f64| T::constant(c(x));
        let m11 =
            theta * c(-2.0 * M2 * DA * RR) + c(M1 * RA * RA + M2 * (RR * RR + DA * DA) + I1 + I2);
        let m21 = theta * c(-M2 * DA * RR) + c(M2 * DA * DA + I2);
        let m54 = phi * c(M4 * ZT * e) + c(M4 * e * e + I4);
        let m55 = phi * c(2.0 * M4 * ZT * e)
            + c(M4 * (ZT * ZT + e * e) + M5 * (TA * TA + TB * TB) + I4 + I5);
        let m76 = omega * c(-M6 * U * f) + c(M6 * f * f + I6);
        let m77 = omega * c(-2.0 * M6 * U * f)
            + c(M6 * (f * f + U * U) + M7 * (UA * UA + UB * UB) + I6 + I7);
        let mut m = Matrix::from([[zero; 7]; 7]);
        m[(0, 0)] = m11;
        (m[(1, 0)], m[(0, 1)]) = (m21, m21);
        m[(1, 1)] = constant(M2 * DA * DA + I2);
        m[(2, 2)] = constant(M3 * (SA * SA + SB * SB) + I3);
        m[(3, 3)] = constant(M4 * e * e + I4);
        (m[(4, 3)], m[(3, 4)]) = (m54, m54);
        m[(4, 4)] = m55;
        m[(5, 5)] = constant(M6 * f * f + I6);
        (m[(6, 5)], m[(5, 6)]) = (m76, m76);
        m[(6, 6)] = m77;
        m
    }

    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        q: &Vector<T, 7>,
        v: &Vector<T, 7>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 7> {
        let c = R::from_f64;
        let (e, f) = (E - EA, ZF - FA);
        let (theta, phi, omega) = (q[1].sin(), q[3].cos(), q[5].cos());
        // The spring between (x_c, y_c) and the point D of body 3.
        let (sin, cos) = q[2].sin_cos();
        let x = cos * c(SD) + sin * c(SC) + c(XB - XC);
        let y = sin * c(SD) - cos * c(SC) + c(YB - YC);
        let length = (x * x + y * y).sqrt();
        let pull = (length - c(L0)) * c(-C0) / length;
        let two = c(2.0);
        [
            theta * v[1] * (v[1] + v[0] * two) * c(-M2 * DA * RR) + c(MOM),
            theta * v[0] * v[0] * c(M2 * DA * RR),
            pull * x * (cos * c(SC) - sin * c(SD)) + pull * y * (cos * c(SD) + sin * c(SC)),
            phi * v[4] * v[4] * c(M4 * ZT * e),
            phi * v[3] * (v[3] + v[4] * two) * c(-M4 * ZT * e),
            omega * v[6] * v[6] * c(-M6 * U * f),
            omega * v[5] * (v[5] + v[6] * two) * c(M6 * U * f),
        ]
        .into()
    }

    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 7>) -> Vector<T, 6> {
        let c = R::from_f64;
        let (sin_be, cos_be) = q[0].sin_cos();
        let (sin_be_th, cos_be_th) = (q[0] + q[1]).sin_cos();
        let (sin_ga, cos_ga) = q[2].sin_cos();
        let (sin_ph_de, cos_ph_de) = (q[3] + q[4]).sin_cos();
        let (sin_de, cos_de) = q[4].sin_cos();
        let (sin_om_ep, cos_om_ep) = (q[5] + q[6]).sin_cos();
        let (sin_ep, cos_ep) = q[6].sin_cos();
        let x = cos_be * c(RR) - cos_be_th * c(D);
        let y = sin_be * c(RR) - sin_be_th * c(D);
        [
            x - sin_ga * c(SS) - c(XB),
            y + cos_ga * c(SS) - c(YB),
            x - sin_ph_de * c(E) - cos_de * c(ZT) - c(XA),
            y + cos_ph_de * c(E) - sin_de * c(ZT) - c(YA),
            x - cos_om_ep * c(ZF) - sin_ep * c(U) - c(XA),
            y - sin_om_ep * c(ZF) + cos_ep * c(U) - c(YA),
        ]
        .into()
    }

    fn nominal(&self) -> Nominal<R, 7> {
        // The crank turns several times, at a thousand radians a second; the others swing as fast as it drives them.
        let one = R::ONE;
        let turned = R::from_f64(30.0);
        Nominal {
            q: [turned, turned, one, one, one, one, one],
            v: [R::from_f64(1e3); 7],
        }
    }
}
