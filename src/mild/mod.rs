//! Cheap steps for first-order plants that are not stiff, or only mildly: explicit, or with one factorisation and no iteration.
//!
//! [`RungeKutta4`] is the classical method of order 4. It is stable while `h |lambda| < 2.8` for every eigenvalue of the plant that
//! matters. Its inputs are polynomials over the step, [`Course`]: of pulses anywhere within the step it sees mean, slope and bend.
//!
//! [`Rosenbrock`] solves a linear system with one real matrix a step, four times: [`ROS4`] is of order 4 and leaves 1.5e-5 of what
//! decays infinitely fast, [`RODAS3`] is of order 3 and leaves nothing. There is nothing to converge, so that a step always costs the same, and
//! nothing that would say how well it did: on stiff nonlinear plants the methods of [`method`](crate::method) answer an
//! error where these answer a number.
//!
//! Either keeps what rounding leaves out of the state, answers an error that leaves the state, and wraps an angle that
//! [`turning`](RungeKutta4::turning) names.

mod course;
mod explicit;
mod kept;
mod rosenbrock;

pub use course::Course;
pub use explicit::RungeKutta4;
pub use kept::MildError;
pub use rosenbrock::{Coefficients, RODAS3, ROS4, Rosenbrock};
