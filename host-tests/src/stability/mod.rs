//! What a method does to an oscillation, `y'' = -omega^2 y`, whatever the step: linear stability after Jay & Petzold,
//! section 2, and Hairer & Wanner II, section IV.3.
//!
//! Everything depends on `mu = h omega` alone. A Runge-Kutta method multiplies the amplitude by |R(i mu)| each step; a
//! partitioned one applies a matrix M(mu) to position and momentum. Nothing is fitted or sampled: intervals and orders come
//! from the polynomials whose quotients R and the trace of M are.
//!
//! | file | what |
//! |---|---|
//! | [`function`] | R(z), R(infinity), A-stability and L-stability of a Runge-Kutta method |
//! | [`partitioned`] | M(mu), its trace, and the intervals of periodicity of a pair of methods |
//! | [`mod@catalogue`] | every method that the core offers, as one of the two |
//! | [`modes`](mod@modes) | the eigenvalues and eigenvectors that the core keeps of A |
//! | [`polynomial`] | determinants and real zeros |

pub mod catalogue;
pub mod function;
pub mod modes;
pub mod partitioned;
pub mod polynomial;

pub use catalogue::{Offered, Scheme, catalogue, tableau};
pub use function::StabilityFunction;
pub use modes::modes;
pub use partitioned::{Interval, Pair};
pub use polynomial::Polynomial;
