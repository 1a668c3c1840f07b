//! The series RLC circuit: the linear plant of the benchmark, stiff on demand, and example (67) of Wunderlich.
//!
//! Capacitor, coil and resistor in one loop with a source u: `C v_C' = i`, `L i' = v_L`, `v_R = R i`,
//! `v_C + v_L + v_R = u`. Eliminating v_L and v_R gives an ordinary differential equation of two states; keeping them gives
//! a descriptor system of four with a singular E.

use stiffstep::prelude::*;

/// The elements of the circuit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rlc<R> {
    /// C, in farad.
    pub capacitance: R,
    /// L, in henry.
    pub inductance: R,
    /// R, in ohm.
    pub resistance: R,
}

impl<R: Real> Rlc<R> {
    /// C = 1, L = 0.5, R = 3: eigenvalues `-3 +- sqrt 7`.
    pub fn mild() -> Self {
        Rlc {
            capacitance: R::ONE,
            inductance: R::from_f64(0.5),
            resistance: R::from_f64(3.0),
        }
    }

    /// R = 2121.32 instead: time constants of 2121 s and 0.24 ms.
    pub fn stiff() -> Self {
        Rlc {
            resistance: R::from_f64(2_121.320_343_559_643),
            ..Self::mild()
        }
    }

    /// The two states v_C and i as matrices.
    pub fn ode(&self) -> Circuit<R, 2, 1> {
        let (zero, one) = (R::ZERO, R::ONE);
        Circuit {
            e: Matrix::from([[self.capacitance, zero], [zero, self.inductance]]),
            // By columns, as nalgebra keeps them.
            a: Matrix::from([[zero, -one], [one, -self.resistance]]),
            b: Matrix::from([[zero, one]]),
            nominal: [one; 2].into(),
        }
    }

    /// The four states v_C, i, v_L and v_R as matrices: two differential and two algebraic equations.
    pub fn dae(&self) -> Circuit<R, 4, 1> {
        let (zero, one) = (R::ZERO, R::ONE);
        Circuit {
            // C v_C' = i;  L i' = v_L;  0 = R i - v_R;  0 = u - v_C - v_L - v_R.
            e: Matrix::from([
                [self.capacitance, zero, zero, zero],
                [zero, self.inductance, zero, zero],
                [zero; 4],
                [zero; 4],
            ]),
            a: Matrix::from([
                [zero, zero, zero, -one],
                [one, zero, self.resistance, zero],
                [zero, one, zero, -one],
                [zero, zero, -one, -one],
            ]),
            b: Matrix::from([[zero, zero, zero, one]]),
            nominal: [one; 4].into(),
        }
    }
}

/// A ladder of coils in series and capacitors to ground, one after the other, all of size one and with losses: any number of states,
/// to see what size costs.
pub fn ladder<R: Real, const N: usize>() -> Circuit<R, N, 1> {
    let (mut e, mut a) = ([[R::ZERO; N]; N], [[R::ZERO; N]; N]);
    let mut b = [R::ZERO; N];
    for i in 0..N {
        e[i][i] = R::ONE;
        a[i][i] = R::from_f64(-0.1 * (1 + i % 3) as f64);
        if i > 0 {
            // By columns.
            a[i - 1][i] = R::ONE;
            a[i][i - 1] = -R::ONE;
        } else {
            b[i] = R::ONE;
        }
    }
    Circuit {
        e: e.into(),
        a: a.into(),
        b: b.into(),
        nominal: [R::ONE; N].into(),
    }
}

/// Any positive value of an element makes sense.
const POSITIVE: [f64; 2] = [f32::EPSILON as f64, f32::MAX as f64];

/// The exact solution of (67), `v_C, i, v_L, v_R` of [`Rlc::mild`] at time t with u = 0: the slower of the two modes alone,
/// `v_C = exp((sqrt 7 - 3) t)`.
pub fn wunderlich<R: Real>(t: R) -> Vector<R, 4> {
    let circuit = Rlc::<R>::mild();
    let rate = R::from_f64(7.0).sqrt() - R::from_f64(3.0);
    let v_c = (rate * t).exp();
    let i = circuit.capacitance * rate * v_c;
    [
        v_c,
        i,
        circuit.inductance * rate * i,
        circuit.resistance * i,
    ]
    .into()
}

/// The two-state circuit written out, as one would for a plant of one's own: E is diagonal and the zeros of A are
/// structural.
impl<R: Real> FirstOrder<R, 2, 1> for Rlc<R> {
    type Mass = Diagonal<R, 2>;
    const AFFINE: bool = true;

    #[inline]
    fn mass(&self) -> Self::Mass {
        Diagonal([self.capacitance, self.inductance].into())
    }

    #[inline]
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<R, 1>) -> Vector<T, 2> {
        let (v_c, i) = (x[0], x[1]);
        [i, -v_c - i * self.resistance + u[0]].into()
    }
}

impl<R: Real> Linear<R, 2, 1> for Rlc<R> {}

impl Plant<f32, 1, 2> for Rlc<f32> {
    type State = Vector<f32, 2>;
    const NAME: &'static str = "series RLC circuit";
    const INPUTS: [Quantity; 1] = quantities![("source", "V")];
    const OUTPUTS: [Quantity; 2] = quantities![("capacitor voltage", "V"), ("current", "A")];
    const STATES: &'static [Quantity] = &Self::OUTPUTS;
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("capacitance", "F", POSITIVE[0], POSITIVE[1], capacitance),
        ("inductance", "H", POSITIVE[0], POSITIVE[1], inductance),
        ("resistance", "Ohm", POSITIVE[0], POSITIVE[1], resistance),
    ];

    fn outputs(&self, _t: f32, state: &Self::State, _u: &Vector<f32, 1>) -> Vector<f32, 2> {
        *state
    }
}

remembers_parameters!(Rlc<f32>);
