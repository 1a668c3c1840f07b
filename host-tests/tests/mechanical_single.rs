//! Single precision, as a microcontroller computes: multipliers without noise, energy without drift, a shaft whose
//! twist is not lost in its turns.

use stiffstep::prelude::*;
use stiffstep::step::Convergence;
use stiffstep_host_tests::figures::{assert_at_most, assert_figure};
use stiffstep_host_tests::pendulum::{TIGHT, level};
use stiffstep_plants::drive::Drive;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

/// eps, h, and the published errors of the multiplier over 20 seconds: with g evaluated directly in single precision, with
/// increments and compensated sums, and in double precision.
const TABLE: [(f64, f64, [f64; 3]); 5] = [
    (1e-2, 1e-2, [1.5e-2, 6.1e-4, 6.0e-4]),
    (1e-3, 1e-2, [0.11, 1.75e-4, 1.7e-4]),
    (1e-4, 1e-2, [0.14, 1.1e-4, 9.1e-5]),
    (1e-3, 1e-3, [4.9, 2.2e-3, 6.0e-6]),
    (1e-4, 1e-3, [10.4, 6.4e-5, 1.7e-6]),
];

/// The largest distance over 20 seconds of the tension over the length from the rigid pendulum's, `(|v|^2 - q_2) / r^2`,
/// and the largest deviation of the energy. The latter takes the spring's energy from its force: in single precision its
/// length says nothing.
fn multiplier_and_energy<R, P, B>(
    mut pendulum: Simulation<P, B>,
    eps: f64,
) -> Result<[f64; 2], Error>
where
    R: Real,
    P: Stepper<Real = R, State = Motion<R, 2, 1>>,
    B: Budget<R>,
{
    let (mut multiplier, mut energy) = (0.0_f64, 0.0_f64);
    while pendulum.time().to_f64() < 20.0 {
        pendulum.step()?;
        let at = pendulum.state();
        let (q, v) = (at.q.map(R::to_f64), at.v.map(R::to_f64));
        let tension = at.lambda[0].to_f64();
        let rigid = (v.norm_squared() - q[1]) / q.norm_squared();
        multiplier = multiplier.max((tension / q.norm() - rigid).abs());
        let spring = 0.5 * (eps * tension).powi(2);
        energy = energy.max((0.5 * v.norm_squared() + q[1] + spring).abs());
    }
    Ok([multiplier, energy])
}

/// The start at rest on the slow manifold: the spring is a little shorter than without load.
fn slow<R: Real>(eps: f64) -> (Vector<R, 2>, Vector<R, 2>) {
    let (mut q, v) = level();
    q[0] = R::from_f64(1.0 - 3.0 * eps.powi(4) - 90.0 * eps.powi(8));
    (q, v)
}

#[test]
fn multipliers_are_as_good_as_published() -> Result<(), Error> {
    for (eps, h, [_, single, double]) in TABLE {
        let what = format!("eps = {eps}, h = {h}");
        let model = StiffPendulum::<f32>::new(eps);
        let pendulum = Simulation::new(model, RadauIIA::<3>, h as f32, slow(eps))?;
        let [multiplier, energy] = multiplier_and_energy(pendulum, eps)?;
        assert_at_most(&format!("{what}, f32"), multiplier, 2.0 * single);
        assert_at_most(&format!("{what}, f32 energy"), energy, 5e-7);
        // The comparison itself: in double precision it finds the method's error.
        let model = StiffPendulum::<f64>::new(eps);
        let pendulum = Simulation::new(model, RadauIIA::<3>, h, slow(eps))?;
        let [multiplier, _] = multiplier_and_energy(pendulum.with_budget(TIGHT), eps)?;
        assert_figure(&format!("{what}, f64"), multiplier, double);
    }
    Ok(())
}

/// The stiff pendulum in double precision, but for its length, which is rounded to single precision.
struct Rounded(StiffPendulum<f64>);

impl Mechanical<f64, 2, 1, 0> for Rounded {
    type Joints = Elastic<f64, 1>;
    type Mass<T: Scalar<f64>> = Unit;
    type Jacobian = Lean;
    fn joints(&self) -> Elastic<f64, 1> {
        self.0.joints()
    }
    fn mass<T: Scalar<f64>>(&self, q: &Vector<T, 2>) -> Unit {
        self.0.mass(q)
    }
    fn force<T: Scalar<f64>>(
        &self,
        t: T,
        q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        self.0.force(t, q, v, u)
    }
    fn constraint<T: Scalar<f64>>(&self, t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        let [stretch] = self.0.constraint(t, q).data.0[0];
        let length = stretch.value() + 1.0;
        [stretch + (f64::from(length as f32) - length)].into()
    }
}

/// Three iterations, whose result is taken as it is.
struct Anyhow;

impl Budget<f64> for Anyhow {
    fn another(&mut self, so_far: &Convergence<f64>) -> bool {
        so_far.iterations() < 3
    }
    fn tolerance(&self) -> f64 {
        1e3
    }
}

/// Why all this: with rounding of the constraint as the only thing that is single, multipliers are worthless.
#[test]
fn a_rounded_constraint_alone_would_spoil_multipliers() -> Result<(), Error> {
    for (eps, h, [direct, single, _]) in TABLE {
        let model = Rounded(StiffPendulum::new(eps));
        let pendulum = Simulation::new(model, RadauIIA::<3>, h, slow(eps))?.with_budget(Anyhow);
        let [multiplier, _] = multiplier_and_energy(pendulum, eps)?;
        println!("eps = {eps}, h = {h}: {multiplier:.1e}, published {direct:.1e}");
        assert!(multiplier > 10.0 * single, "{multiplier:e}");
    }
    Ok(())
}

/// The rigid pendulum over 1000 seconds, with `g = |q|^2 - 1`.
#[test]
fn a_thousand_seconds_keep_to_the_rod() -> Result<(), Error> {
    let mut pendulum = Simulation::new(RigidPendulum, RadauIIA::<3>, 0.01_f32, level())?;
    let (mut g, mut rate, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..100_000 {
        pendulum.step()?;
        let at = pendulum.state();
        let (q, v) = (at.q.map(f64::from), at.v.map(f64::from));
        g = g.max((q.norm_squared() - 1.0).abs());
        rate = rate.max((2.0 * q.dot(&v)).abs());
        energy = 0.5 * v.norm_squared() + q[1];
    }
    assert_at_most("g", g, 2.0e-7);
    // At rounding level: 4.6e-7 was published, with rounding of its own.
    assert_at_most("G v", rate, 2.0 * 4.6e-7);
    assert_at_most("energy", energy.abs(), 6e-7);
    Ok(())
}

/// Runs the servo drive up to 300 rad/s, where it stays, and answers the twist of its shaft after each of 600 seconds, from
/// the torque and from the angles.
fn twists<R: Real>() -> Result<Vec<[f64; 2]>, Error> {
    let rest = Vector::from([R::ZERO; 2]);
    let h = R::from_f64(1e-3);
    let mut drive = Simulation::new(Drive::<R>::servo(), RadauIIA::<2>, h, (rest, rest))?;
    // Friction takes 3 N m at 300 rad/s; the load besides takes half a newton metre.
    drive.input = [3.5, 0.5].map(R::from_f64).into();
    let mut twists = Vec::new();
    for _ in 0..600 {
        for _ in 0..1000 {
            drive.step()?;
        }
        let at = drive.state();
        let angles = at.q.map(R::to_f64);
        twists.push([drive.model().twist(at).to_f64(), angles[0] - angles[1]]);
    }
    let speed = drive.state().v[0].to_f64();
    assert!((speed - 300.0).abs() < 0.1, "{speed} rad/s");
    Ok(twists)
}

#[test]
fn a_fast_shaft_keeps_its_twist() -> Result<(), Error> {
    let mut worst = [0.0_f64; 2];
    for (single, double) in twists::<f32>()?.iter().zip(twists::<f64>()?) {
        // In double precision both agree, at five milliradians.
        assert!((double[0] / double[1] - 1.0).abs() < 1e-6, "{double:?}");
        for k in 0..2 {
            worst[k] = worst[k].max((single[k] / double[k] - 1.0).abs());
        }
    }
    assert_at_most("relative error of the twist, by torque", worst[0], 0.01);
    assert_at_most("relative error of the twist, by angles", worst[1], 0.01);
    Ok(())
}
