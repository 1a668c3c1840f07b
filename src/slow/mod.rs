//! Slow manifolds: how to start stiff springs without ringing, and the iterated projection (IPA) of Ariel, Sanz-Serna & Tsai.
//!
//! A mechanism on stiff springs has motions in which nothing rings: every spring is stretched by what it has to carry, and by
//! nothing else. They fill a manifold at a distance of `1 / omega^2` from the constraints `g = 0`, `g_t + G v = 0`. A start off it
//! rings, and a start 3 % off rings with the energy of a 3 % strain: 10^5 times that of the motion, on springs of 10^8.
//!
//! The projection runs the stiff equations a few periods of the ringing into the past and into the future, filters what it sees
//! with a [`Kernel`], and starts again from there until the constraints settle. No equation is solved, nothing is factorised but
//! the mass, and the work does not depend on the stiffness: windows and steps are counted in periods.
//!
//! ```
//! # use stiffstep::prelude::*;
//! # use stiffstep::manifold::Ipa;
//! # #[derive(Clone, Copy)]
//! # struct Spring;
//! # impl Mechanical<f64, 2, 1, 0> for Spring {
//! #     type Joints = Elastic<f64, 1>;
//! #     type Mass<T: Scalar<f64>> = Unit;
//! #     fn joints(&self) -> Elastic<f64, 1> { Elastic { stiffness: [1e6] } }
//! #     fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
//! #     fn force<T: Scalar<f64>>(&self, _t: T, _q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {
//! #         [T::constant(0.0), T::constant(-1.0)].into()
//! #     }
//! #     fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
//! #         [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0].into()
//! #     }
//! # }
//! // A pendulum on a spring that rings with 1000 rad/s, pulled out by a tenth, at its lowest point.
//! let (q, v) = ([0.0, -1.1].into(), [2.0, 0.0].into());
//! let slow = Ipa::new(1e3).force(1e-4).project(&Spring, 0.0, &q, &v, &Vector::from([]))?;
//! assert_eq!(slow.report.outcome, Outcome::Converged);
//! // It carries its weight and the centrifugal force.
//! let (v, tension) = (slow.motion.v, slow.motion.lambda[0]);
//! assert!((tension - 1.0 - v[0] * v[0]).abs() < 1e-2, "{tension} {v:?} {:?}", slow.motion.q);
//! # Ok::<(), stiffstep::Error>(())
//! ```
//!
//! # Which way to a slow start
//!
//! What each way leaves of the ringing of two masses on two springs, 3 % off and with a kinetic energy of 0.25 (`cargo xtask
//! slow-start` shows it for any stiffness):
//!
//! | | omega = 1e3 | omega = 1e4 | kinetic energy, 1e3 / 1e4 |
//! |---|---|---|---|
//! | as given | 1.1e3 | 1.1e5 | 0.25 |
//! | [`consistent`](crate::manifold::consistent) (Jay & Petzold, section 4) | 6e-7 | 6e-9 | 0.20 |
//! | `Ipa` | 6e-14 | 5e-18 | 0.26 |
//! | 1 step of Radau IIA 3, h = 0.01 | 2.5e2 | 2.0e2 | 144 / 161 |
//! | 5 steps | 1.6 | 3e-9 | 5.5 / 0.30 |
//! | 10 steps | 4e-3 | 7e-15 | 4.5 / 0.30 |
//!
//! - **Rigid joints** need none of it: a simulation projects its start onto the constraints.
//! - **[`consistent`](crate::manifold::consistent)** is the cheapest, two or three Newton iterations, and the right one for Radau
//!   methods, which damp the `C lambda` that it leaves within a step. It moves along the normals, in the metric of the mass.
//! - **`Ipa`** is for methods that keep what rings (Gauss, Lobatto, Verlet), for soft springs whose stretch matters, and
//!   where `C lambda` is to be right from the first step. An iteration is `2 N - 1` evaluations of the model; on a Cortex-M4F four
//!   iterations of the double spring in single precision are 33,000 instructions. It needs springs that oscillate (joints whose
//!   frequencies lie within a factor of [four](Ipa::fitted), or more steps), and `omega` well above the slow motion: its error
//!   is of the order `omega^-4` in q, and `h^2 v'' / 6`, Verlet's own, in v.
//! - **Damping by Radau steps** needs nothing, but time goes by; it works where `h omega` is large (at 10 it takes dozens of
//!   steps, at 1 it does nothing), and a large ringing leaves its mark on the slow motion that it dies into.
//!
//! A simulation that has been running is put back by [`Ipa::reproject`]. [`RungeKutta4Ipa`] projects at
//! every stage, and so makes an explicit method of order 4 with large steps; an implicit one is cheaper for mechanisms of this
//! size (a Radau step on springs: a thousand instructions; this: a hundred thousand).

mod answer;
mod band;
mod kernel;
mod micro;
mod step;

pub use answer::{Ending, Slow};
pub use kernel::Kernel;
pub use step::{OfSlow, OnSlow, SlowStepper};

use crate::model::{Joints, Mechanical, Springs, Vector};
use crate::number::Real;
use crate::step::{Error, Inputs, checked_start, checked_step};
use answer::{Change, report};
use band::Band;
use micro::{Micro, Point};

/// The window that [`Ipa::fitted`] chooses, in radians of the slowest joint, and the step of the fastest, if both are possible:
/// about those of the paper's experiments, in which joints of 0.6 and 1.6 omega have 11.7 radians and 1.7 radians.
const WINDOW: f64 = 12.0;
const STEP: f64 = 1.75;

/// The projection's settings: a kernel in a window of `N` Verlet steps each way, and when to stop.
///
/// The work of an iteration is `2 N - 1` evaluations of the model, whatever the stiffness: a stiffer joint has a shorter window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ipa<R, const N: usize = 18> {
    /// Half the window's width, in units of time.
    pub half_width: R,
    /// The iteration stops when no constraint changes by as much any more, nor its rate: (14), in the model's own units.
    pub tolerance: R,
    /// And when no joint's force changes by as much, `K |dg|`. The paper does without, and so does this unless it is set; but a
    /// change of g that is below any tolerance may be a large force. Whoever computes with forces, as
    /// [`RungeKutta4Ipa`] does, wants it.
    pub force: R,
    /// The most iterations.
    pub iterations: u8,
    weights: [R; N],
}

impl<R: Real> Ipa<R, 18> {
    /// The paper's: the piecewise cubic kernel, a window of three periods of `omega` each way, six steps a period.
    ///
    /// Springs of the constant `omega^2` on unit masses are in such a window. For others see [`Ipa::fitted`].
    pub fn new(omega: R) -> Self {
        Self::with(
            &Kernel::CUBIC,
            R::from_f64(6.0 * core::f64::consts::PI) / omega,
        )
    }
}

impl<R: Real, const N: usize> Ipa<R, N> {
    /// Any kernel in any window. The tolerance is what the number type can meet, 1e-9 in double and 1e-6 in single
    /// precision, and at most ten iterations are spent on it.
    pub fn with(kernel: &Kernel, half_width: R) -> Self {
        const { assert!(N >= 2, "a window has at least two steps each way") };
        Ipa {
            half_width,
            tolerance: R::from_f64(if R::EXACT_ENOUGH { 1e-9 } else { 1e-6 }),
            force: R::LARGEST,
            iterations: 10,
            weights: kernel.weights::<N>().map(R::from_f64),
        }
    }

    /// The window that fits a model's joints where it is, with a tolerance that its nominal velocities allow.
    pub fn fitted<M, const Q: usize, const L: usize, const U: usize>(
        kernel: &Kernel,
        model: &M,
        t: R,
        q: &Vector<R, Q>,
    ) -> Result<Self, Error>
    where
        M: Mechanical<R, Q, L, U>,
        M::Joints: Springs<R, L>,
    {
        let band = Band::of(model, t, &q.data.0[0])?;
        let count = R::from_f64(N as f64);
        let wanted = R::from_f64(WINDOW) / band.slowest;
        let possible = R::from_f64(STEP) * count / band.fastest;
        let half_width = wanted.min(possible);
        band.check(half_width, half_width / count)?;
        let ipa = Self::with(kernel, half_width);
        let possible = band.rounding * R::from_f64(4.0);
        Ok(ipa.tolerance(ipa.tolerance.max(possible)))
    }

    /// The same with another tolerance.
    #[must_use]
    pub fn tolerance(self, tolerance: R) -> Self {
        Ipa { tolerance, ..self }
    }

    /// The same with a tolerance for the forces in the joints.
    #[must_use]
    pub fn force(self, force: R) -> Self {
        Ipa { force, ..self }
    }

    /// The same with at most so many iterations.
    #[must_use]
    pub fn iterations(self, iterations: u8) -> Self {
        Ipa { iterations, ..self }
    }

    /// The slow motion nearest to (q, v) at time t with inputs u.
    ///
    /// Positions and velocities are filtered until the constraints settle. An iteration that ends above the tolerance, because
    /// rounding keeps it there or because it ran out of iterations, says so in its [`Slow::ending`]; one that does not
    /// contract is an error.
    pub fn project<M, const Q: usize, const L: usize, const U: usize>(
        &self,
        model: &M,
        t: R,
        q: &Vector<R, Q>,
        v: &Vector<R, Q>,
        u: &Vector<R, U>,
    ) -> Result<Slow<R, Q, L>, Error>
    where
        M: Mechanical<R, Q, L, U>,
        M::Joints: Springs<R, L>,
    {
        self.project_from(model, t, (&q.data.0[0], &[R::ZERO; Q]), &v.data.0[0], u)
    }

    /// The slow motion near a position of which it is known what rounding left out.
    pub(crate) fn project_from<M, const Q: usize, const L: usize, const U: usize>(
        &self,
        model: &M,
        t: R,
        (q, low): (&[R; Q], &[R; Q]),
        v: &[R; Q],
        u: &Vector<R, U>,
    ) -> Result<Slow<R, Q, L>, Error>
    where
        M: Mechanical<R, Q, L, U>,
        M::Joints: Springs<R, L>,
    {
        let (mut point, v) = (
            Point {
                q: *q,
                d: *low,
                v: *v,
            },
            *v,
        );
        checked_start(&Vector::from(*q))?;
        checked_start(&Vector::from(v))?;
        u.checked()?;
        let h = checked_step(self.half_width / R::from_f64(N as f64))?;
        let band = Band::of(model, t, q)?;
        band.check(self.half_width, h)?;
        let (joints, nominal) = (model.joints(), model.nominal().q);
        let (stiffness, tau) = (joints.stiffness(), joints.relaxation());
        let (mut first, mut previous, mut done) = (Change::NONE, Change::NONE, 0);
        loop {
            if done == 0 || point.strayed(&nominal) {
                point = point.rebased();
            }
            let micro = Micro::at(model, (t, u), stiffness, point)?;
            let before = micro.constraints(&point.d, &point.v);
            let next = micro.filtered(h, &self.weights);
            let after = micro.constraints(&next.d, &next.v);
            let change = Change::between(&before, &after, &stiffness).ok_or(Error::NonFinite)?;
            first = if done == 0 { change } else { first };
            done += 1;
            let seen = (done, &first, &previous, &change);
            if let Some(ending) = self.ending(&band, seen)? {
                return Ok(Slow {
                    motion: micro.motion(&next, after, &tau),
                    low: next.rebased().d.into(),
                    report: report(done, change.constraint, previous.constraint, ending),
                    ending,
                });
            }
            (point, previous) = (next, change);
        }
    }

    /// Whether the iteration ends after `done` iterations, of which the first, the last but one and the last changed so much.
    fn ending(
        &self,
        band: &Band<R>,
        (done, first, previous, change): (u8, &Change<R>, &Change<R>, &Change<R>),
    ) -> Result<Option<Ending>, Error> {
        let grows =
            done > 1 && change.constraint >= previous.constraint && change.force >= previous.force;
        let small = change.force < self.force;
        let hundredth = first.constraint * R::from_f64(0.01);
        if small && change.constraint < self.tolerance {
            // A fixed point of the rounded iteration does not change at all, and is no better for it.
            return Ok(Some(if self.tolerance >= band.rounding {
                Ending::Settled
            } else {
                Ending::Stagnant
            }));
        }
        let rounding = change.constraint <= band.large_rounding || change.constraint <= hundredth;
        if small && change.constraint <= band.rounding || grows && rounding {
            return Ok(Some(Ending::Stagnant));
        }
        if grows && (done > 2 || change.constraint >= previous.constraint + previous.constraint) {
            return Err(Error::Diverged);
        }
        Ok((done >= self.iterations).then_some(Ending::Exhausted))
    }
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

#[cfg(test)]
mod tests {
    use super::{Band, Change, Ending, Error, Ipa};

    const BAND: Band<f64> = Band {
        slowest: 10.0,
        fastest: 40.0,
        rounding: 1e-12,
        large_rounding: 1e-6,
    };

    fn change(constraint: f64, force: f64) -> Change<f64> {
        Change { constraint, force }
    }

    /// The ending after so many changes of the constraint, of which the first is one.
    fn ending(done: u8, previous: f64, now: f64) -> Result<Option<Ending>, Error> {
        let ipa = Ipa::new(1e3).tolerance(1e-9).iterations(5);
        let all = [change(1.0, 1.0), change(previous, 1.0), change(now, 1.0)];
        ipa.ending(&BAND, (done, &all[0], &all[1], &all[2]))
    }

    /// Settled below the tolerance, stagnant where rounding is all there is.
    #[test]
    fn a_projection_settles_below_its_tolerance() {
        assert_eq!(ending(2, 1e-5, 0.9e-9), Ok(Some(Ending::Settled)));
        assert_eq!(ending(2, 1e-5, 1e-9), Ok(None));
        assert_eq!(ending(4, 1e-5, 1e-8), Ok(None));
        assert_eq!(ending(5, 1e-5, 1e-8), Ok(Some(Ending::Exhausted)));
        let fine = Ipa::new(1e3).tolerance(1e-13);
        let first = change(1.0, 1.0);
        let at = |now: f64| fine.ending(&BAND, (2, &first, &first, &change(now, 0.5)));
        assert_eq!(at(0.0), Ok(Some(Ending::Stagnant)));
        assert_eq!(at(1e-12), Ok(Some(Ending::Stagnant)));
        assert_eq!(at(1.1e-12), Ok(None));
        let just = Ipa::new(1e3).tolerance(1e-12);
        let settled = just.ending(&BAND, (2, &first, &first, &change(0.0, 0.5)));
        assert_eq!(settled, Ok(Some(Ending::Settled)));
    }

    /// What grows is rounding if it is small, and diverges if it is not: at once if it doubles, after three if it grows at all.
    #[test]
    fn what_grows_stagnates_or_diverges() {
        assert_eq!(ending(2, 1e-6, 1e-6), Ok(Some(Ending::Stagnant)));
        assert_eq!(ending(2, 0.005, 0.01), Ok(Some(Ending::Stagnant)));
        assert_eq!(ending(2, 0.5, 0.9), Ok(None));
        assert_eq!(ending(2, 0.5, 1.0), Err(Error::Diverged));
        assert_eq!(ending(3, 0.5, 0.5), Err(Error::Diverged));
        assert_eq!(ending(3, 0.5, 0.4), Ok(None));
        assert_eq!(ending(1, 0.0, 0.5), Ok(None));
        // The force must grow, too.
        let ipa = Ipa::new(1e3).iterations(5);
        let (first, previous) = (change(1.0, 1.0), change(0.5, 1.0));
        let falls = ipa.ending(&BAND, (3, &first, &previous, &change(0.6, 0.9)));
        assert_eq!(falls, Ok(None));
    }

    /// A force that has not settled keeps a constraint that has from being enough.
    #[test]
    fn forces_settle_too() {
        let ipa = Ipa::new(1e3).tolerance(1e-9).force(1e-3);
        let first = change(1.0, 1.0);
        let at = |force: f64| ipa.ending(&BAND, (2, &first, &first, &change(1e-10, force)));
        assert_eq!(
            [at(0.9e-3), at(1e-3)],
            [Ok(Some(Ending::Settled)), Ok(None)]
        );
    }

    /// Eight radians of the slowest in half a window, 1.9 of the fastest in a step; or as many steps as these would be.
    #[test]
    fn a_window_fits_the_band() {
        assert_eq!(BAND.check(0.8, 1.9 / 40.0), Ok(()));
        let steps = (4.0 * 8.0 / 1.9) as usize + 1;
        assert_eq!(steps, 17);
        assert_eq!(BAND.check(0.79, 0.01), Err(Error::Window { steps }));
        assert_eq!(BAND.check(0.8, 0.0476), Err(Error::Window { steps }));
        let ipa = Ipa::<f64>::new(1e3);
        assert!((ipa.half_width - 6e-3 * core::f64::consts::PI).abs() < 1e-16);
        assert_eq!(
            (ipa.tolerance, ipa.force, ipa.iterations),
            (1e-9, f64::MAX, 10)
        );
    }
}
