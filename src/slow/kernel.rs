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

const fn cubic([c0, c1, c2, c3]: [f64; 4]) -> [f64; TERMS] {
    [c0, c1, c2, c3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
}

impl Kernel {
    /// The piecewise cubic one of section 5.2, with which the paper's experiments were made: mu = 3, nu = 2.
    pub const CUBIC: Kernel = Kernel {
        inner: cubic([2.0, -2.0, -8.0, 8.0]),
        outer: cubic([2.0, -22.0 / 3.0, 8.0, -8.0 / 3.0]),
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

#[cfg(test)]
mod tests {
    use super::Kernel;

    /// The integral of `K(t) t^power` over [-1, 1] by Simpson's rule in a thousand parts.
    fn moment(kernel: &Kernel, power: i32) -> f64 {
        let n = 1000;
        let f = |k: i32| {
            let t = -1.0 + 2.0 * f64::from(k) / f64::from(n);
            kernel.at(t) * libm::pow(t, f64::from(power))
        };
        let inner: f64 = (1..n).map(|k| f64::from(2 + 2 * (k % 2)) * f(k)).sum();
        (f(0) + inner + f(n)) / f64::from(n) * 2.0 / 3.0
    }

    /// Unit mass, no second moment, even, and nothing at the ends.
    #[test]
    fn kernels_have_their_moments() {
        for kernel in [Kernel::CUBIC, Kernel::SMOOTH] {
            assert!((moment(&kernel, 0) - 1.0).abs() < 1e-9);
            assert!(moment(&kernel, 2).abs() < 1e-9);
            assert_eq!([kernel.at(1.0), kernel.at(-1.5)], [0.0; 2]);
            assert_eq!(kernel.at(0.3), kernel.at(-0.3));
            // Smooth where its pieces meet and where it ends.
            let e = 1e-7;
            assert!((kernel.at(0.5 - e) - kernel.at(0.5 + e)).abs() < 1e-5);
            assert!(kernel.at(1.0 - e).abs() < 1e-6);
        }
        assert_eq!([Kernel::CUBIC.at(0.0), Kernel::CUBIC.at(0.5)], [2.0, 0.0]);
        assert!((Kernel::CUBIC.at(0.75) + 0.125).abs() < 1e-15);
        let square: f64 = 1.0 - 0.25 * 0.25;
        let smooth = 2079.0 / 1024.0 * square.powi(4) * (1.0 - 13.0 / 48.0);
        assert!((Kernel::SMOOTH.at(0.25) - smooth).abs() < 1e-14);
    }

    /// The weights of a window keep a parabola as it is in the middle, exactly.
    #[test]
    fn weights_keep_parabolas() {
        for kernel in [Kernel::CUBIC, Kernel::SMOOTH] {
            let weights = kernel.weights::<7>();
            let sum = |f: fn(f64) -> f64| {
                let sides = weights[1..].iter().zip(1..);
                let sides = sides.map(|(w, k)| w * (f(f64::from(k)) + f(-f64::from(k))));
                weights[0] * f(0.0) + sides.sum::<f64>()
            };
            assert!((sum(|_| 1.0) - 1.0).abs() < 1e-14);
            assert!(sum(|k| k * k).abs() < 1e-13);
            // Nearly what the kernel is there.
            assert!((weights[3] * 7.0 - kernel.at(3.0 / 7.0)).abs() < 0.2);
        }
    }
}
