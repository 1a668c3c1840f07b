//! Models: what a user writes. Equations generic in their number type, so that one text gives values, Jacobians and,
//! where single precision needs them, increments.

mod circuit;
#[cfg(test)]
pub(crate) mod clockwork;
mod first_order;
mod hessenberg;
mod joints;
mod linear;
mod mass;
mod mechanical;
mod numbers;
mod plant;
mod potential;
mod second_order;

pub use circuit::Circuit;
pub use first_order::FirstOrder;
pub use hessenberg::{Constrained, Hessenberg};
pub use joints::{Damped, Elastic, Joints, Rigid, Springs};
pub use linear::Linear;
pub use mass::{Block, BlockFactor, Diagonal, Inverse, MassFactor, MassMatrix, Unit};
pub use mechanical::{Mechanical, Motion, Nominal};
pub use numbers::Numbers;
pub use plant::{Parameter, ParameterError, Plant, Quantity, visit_parameters};
pub use potential::Potential;
pub use second_order::{Course, SecondOrder};

/// A column of `N` numbers: nalgebra's.
pub type Vector<T, const N: usize> = nalgebra::SVector<T, N>;

/// A column of these numbers. It says what `.into()` says, and where there are too many or too few the compiler names the number
/// that the model promises: "expected an array with a size of 2, found one with a size of 3".
#[inline(always)]
pub fn vector<T: nalgebra::Scalar, const N: usize>(rows: [T; N]) -> Vector<T, N> {
    rows.into()
}

/// `N` rows and `M` columns of numbers: nalgebra's.
pub type Matrix<T, const N: usize, const M: usize> = nalgebra::SMatrix<T, N, M>;
