//! Linear plants with constant coefficients need no stages: a step is a matrix.

/// A method by its map: for a plant with [constant coefficients](crate::model::Linear) a step of any Runge-Kutta method is
/// `x + D x + Gamma u`, and the matrices are computed once, where the simulation starts and whenever the model or the step
/// size changes. Four to six times cheaper than the stages with their factors kept; see
/// [`MapStepper`](crate::step::MapStepper) for what it costs in accuracy.
///
/// ```
/// use stiffstep::prelude::*;
/// // A series RLC circuit: C v' = i, L i' = u - v - R i.
/// let (r, l, c) = (3.0, 0.5, 1.0);
/// let rlc = Circuit {
///     e: Matrix::from_diagonal(&[c, l].into()),
///     a: Matrix::<f32, 2, 2>::new(0.0, 1.0, -1.0, -r),
///     b: [0.0, 1.0].into(),
///     nominal: [1.0, 1.0].into(),
/// };
/// let start = Vector::from([1.0, 0.0]);
/// let mut circuit = Simulation::new(rlc, Mapped(RadauIIA::<3>), 1e-2, start)?;
/// circuit.step()?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapped<K>(pub K);
