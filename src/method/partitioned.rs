//! The partitioned Lobatto IIIA-IIIB pair: positions by IIIA, velocities by IIIB. With two stages it is the Verlet method, and
//! RATTLE where there are rigid constraints. Symplectic and cheap for plants that are not stiff; not P-stable, so a stiff
//! spring with `h omega > 2` makes it explode, see Jay & Petzold, Theorem 2.4.

use super::tableau::{lagrange_integral, legendre_nodes};

/// The pair with `S` = 2 (Verlet, RATTLE) or 3 stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LobattoPair<const S: usize>;

/// The pair's coefficients in double precision.
#[derive(Clone, Copy, Debug)]
pub struct PairCoefficients<const S: usize> {
    /// The nodes.
    pub c: [f64; S],
    /// Lobatto IIIA.
    pub a: [[f64; S]; S],
    /// Lobatto IIIB.
    pub a_hat: [[f64; S]; S],
    /// The weights of both.
    pub b: [f64; S],
    /// `A A^`: from accelerations to positions. Its first row and its last column are zero.
    pub places: [[f64; S]; S],
    /// The inverse of what is left of it: from positions 2..s to accelerations 1..s-1.
    pub inverse: [[f64; S]; S],
}

impl<const S: usize> LobattoPair<S> {
    /// The coefficients, from the nodes.
    pub const COEFFICIENTS: PairCoefficients<S> = {
        let c: [f64; S] = legendre_nodes(0.0, -1.0);
        let (mut a, mut a_hat, mut b) = ([[0.0; S]; S], [[0.0; S]; S], [0.0; S]);
        let mut j = 0;
        while j < S {
            b[j] = lagrange_integral(&c, j, 1.0);
            let mut i = 0;
            while i < S {
                a[i][j] = lagrange_integral(&c, j, c[i]);
                i += 1;
            }
            j += 1;
        }
        // The pair is symplectic: b_i a^_ij + b_j a_ji = b_i b_j.
        let mut i = 0;
        while i < S {
            j = 0;
            while j < S {
                a_hat[i][j] = b[j] - b[j] * a[j][i] / b[i];
                j += 1;
            }
            i += 1;
        }
        let mut places = [[0.0; S]; S];
        i = 0;
        while i < S {
            j = 0;
            while j + 1 < S {
                let mut k = 0;
                while k < S {
                    places[i][j] += a[i][k] * a_hat[k][j];
                    k += 1;
                }
                j += 1;
            }
            i += 1;
        }
        let mut inverse = [[0.0; S]; S];
        if S == 2 {
            inverse[0][0] = 1.0 / places[1][0];
        } else {
            assert!(S == 3, "the pair comes with two or three stages");
            let (p, q, r, s) = (places[1][0], places[1][1], places[2][0], places[2][1]);
            let determinant = p * s - q * r;
            inverse[0] = first_two(s / determinant, -q / determinant);
            inverse[1] = first_two(-r / determinant, p / determinant);
        }
        PairCoefficients {
            c,
            a,
            a_hat,
            b,
            places,
            inverse,
        }
    };
}

const fn first_two<const S: usize>(first: f64, second: f64) -> [f64; S] {
    let mut row = [0.0; S];
    row[0] = first;
    row[1] = second;
    row
}
