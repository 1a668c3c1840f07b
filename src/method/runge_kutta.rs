//! Explicit Runge-Kutta methods, for models whose fast motion is projected away.

use crate::manifold::Ipa;

/// The coefficients of an explicit method each of whose stages follows from the one before it alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explicit<const S: usize> {
    /// Stage i is the step's start and this much of a step with the slope of stage i - 1; zero for the first.
    pub c: [f64; S],
    /// The weights of the slopes.
    pub b: [f64; S],
}

impl Explicit<4> {
    /// The classical method of Kutta, of order 4.
    pub const CLASSICAL: Self = Explicit {
        c: [0.0, 0.5, 0.5, 1.0],
        b: [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    };
}

/// The classical Runge-Kutta method with every stage projected onto the slow manifold of the joints' springs (Ariel, Sanz-Serna &
/// Tsai, section 6.5): explicit, of order 4, and with steps that do not know how stiff the springs are.
///
/// The slopes are the forces in the joints: give the projection a tolerance for them, [`Ipa::force`]. Without, as in the paper,
/// what its stopping test leaves of a spring's deflection, times the stiffness, is soon more than the method's error.
///
/// ```
/// # use stiffstep::prelude::*;
/// # use stiffstep::manifold::Ipa;
/// # #[derive(Clone, Copy)]
/// # struct Spring;
/// # impl Mechanical<f64, 2, 1, 0> for Spring {
/// #     type Joints = Elastic<f64, 1>;
/// #     type Mass<T: Scalar<f64>> = Unit;
/// #     type Jacobian = Lean;
/// #     fn joints(&self) -> Elastic<f64, 1> { Elastic { stiffness: [1e10] } }
/// #     fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
/// #     fn force<T: Scalar<f64>>(&self, _t: T, _q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
/// #         [T::constant(0.0), T::constant(-1.0)].into()
/// #     }
/// #     fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
/// #         [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
/// #     }
/// # }
/// // A pendulum on a spring that rings with 1e5 rad/s, in steps of 0.02.
/// let level = ([1.0, 0.0].into(), [0.0, 0.0].into());
/// let along = RungeKutta4Ipa(Ipa::new(1e5).force(1e-4));
/// let mut pendulum = Simulation::new(Spring, along, 0.02, level)?;
/// for _ in 0..50 {
///     pendulum.step()?;
/// }
/// assert!((pendulum.state().q[0] - 0.8795481325658396).abs() < 2e-9);
/// # Ok::<(), stiffstep::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RungeKutta4Ipa<R, const N: usize = 18>(pub Ipa<R, N>);
