//! Filtering kernels (Ariel, Sanz-Serna & Tsai, section 3.1): even functions on [-1, 1] of unit mass.
//!
//! Two numbers decide what a kernel is worth. With mu vanishing moments it reproduces a slow motion up to the window's width
//! to the power of mu + 1 (Lemma 3.1); with nu derivatives it leaves of an oscillation of frequency omega the part
//! `(omega delta)^-nu` (Lemma 3.2).

/// Coefficients of a piece, lowest power first.
const TERMS: usize = 11;

/// A kernel as data: a polynomial in |t| up to 1/2, and one beyond, which is zero at 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// For |t| <= 1/2, lowest power of |t| first.
    pub inner: [f64; TERMS],
    /// For 1/2 <= |t| <= 1.
    pub outer: [f64; TERMS],
    /// mu: the moments 1 .. mu vanish. It is odd, because the kernel is even.
    pub moments: u8,
    /// nu of Lemma 3.2: all derivatives up to nu - 2 are continuous, the next two may jump.
    pub smoothness: u8,
}

impl Kernel {
    /// The piecewise cubic one of section 5.2, with which the paper's experiments were made: mu = 3, nu = 2.
    pub const CUBIC: Kernel = Kernel {
        inner: [2.0, -2.0, -8.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        outer: [
            2.0,
            -22.0 / 3.0,
            8.0,
            -8.0 / 3.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
        moments: 3,
        smoothness: 2,
    };

    /// `2079/1024 (1 - 13/3 t^2) (1 - t^2)^4`: mu = 3, nu = 5. In wide windows it leaves far less of an oscillation than the
    /// cubic one (3e-5 instead of 1e-2 for `omega delta` = 30), and its error on slow motions is two thirds of that one's.
    pub const SMOOTH: Kernel = {
        let piece = {
            // (1 - t^2)^4, then times (1 - 13/3 t^2).
            let power = [1.0, -4.0, 6.0, -4.0, 1.0];
            let mut piece = [0.0; TERMS];
            let mut k = 0;
            while k < power.len() {
                piece[2 * k] += 2079.0 / 1024.0 * power[k];
                piece[2 * k + 2] -= 9009.0 / 1024.0 * power[k];
                k += 1;
            }
            piece
        };
        Kernel {
            inner: piece,
            outer: piece,
            moments: 3,
            smoothness: 5,
        }
    };

    /// The kernel at t.
    pub const fn at(&self, t: f64) -> f64 {
        let t = t.abs();
        if t >= 1.0 {
            return 0.0;
        }
        let piece = if t <= 0.5 { &self.inner } else { &self.outer };
        let mut value = 0.0;
        let mut k = TERMS;
        while k > 0 {
            k -= 1;
            value = value * t + piece[k];
        }
        value
    }

    /// The weights of the trapezoidal sum over a window of `N` steps each way, from its middle outwards. Both ends have
    /// weight zero and are left out. Where the sum's mass and second moment are not quite those of the integral, they are
    /// made so: gravity's parabola is not to move what it filters.
    pub const fn weights<const N: usize>(&self) -> [f64; N] {
        let mut weights = [0.0; N];
        // Mass, second and fourth moment.
        let mut moments = [0.0; 3];
        let mut k = 0;
        while k < N {
            let t = k as f64 / N as f64;
            weights[k] = self.at(t) / N as f64;
            let both = if k == 0 { weights[k] } else { 2.0 * weights[k] };
            moments[0] += both;
            moments[1] += both * t * t;
            moments[2] += both * t * t * t * t;
            k += 1;
        }
        let determinant = moments[0] * moments[2] - moments[1] * moments[1];
        k = 0;
        while k < N {
            let t = k as f64 / N as f64;
            weights[k] *= (moments[2] - moments[1] * t * t) / determinant;
            k += 1;
        }
        weights
    }
}
