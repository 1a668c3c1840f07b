//! Orders of convergence of Radau IIA on the pendulum, rigid and stiff, with and without projection, and what happens to
//! motions off the manifold: the tables of Schropp and of Lubich.

use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_figure, assert_order};
use stiffstep_host_tests::pendulum::{
    LESS_STIFF_5, RIGID_5, STIFF_5, State, TIGHT, errors, halved, integrate, level,
};
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};

const EPS: f64 = 1e-5;

/// Asserts the orders of q, v and lambda, from the errors at t = 5 with `steps` steps and with twice as many.
fn assert_orders(
    what: &str,
    run: impl Fn(f64, usize) -> Result<Motion<f64, 2, 1>, Error>,
    expected: &State,
    steps: usize,
    orders: [f64; 3],
) -> Result<(), Error> {
    let [coarse, fine] = halved(run, expected, steps)?;
    for (k, name) in ["q", "v", "lambda"].into_iter().enumerate() {
        let what = format!("{what}, {name}");
        assert_order(&what, coarse[k], fine[k], orders[k], 0.05);
    }
    Ok(())
}

#[test]
fn a_rigid_pendulum_has_the_orders_of_schropp() -> Result<(), Error> {
    let two = |h, n| integrate(RigidPendulum, RadauIIA::<2>, h, n);
    assert_orders("Radau 2", two, &RIGID_5, 800, [3.0, 1.99, 1.0])?;
    let three = |h, n| integrate(RigidPendulum, RadauIIA::<3>, h, n);
    assert_orders("Radau 3", three, &RIGID_5, 200, [5.0, 2.99, 2.01])?;
    let two = |h, n| integrate(RigidPendulum, Projected(RadauIIA::<2>), h, n);
    assert_orders("projected Radau 2", two, &RIGID_5, 400, [3.0, 3.0, 1.0])?;
    let three = |h, n| integrate(RigidPendulum, Projected(RadauIIA::<3>), h, n);
    assert_orders("projected Radau 3", three, &RIGID_5, 200, [5.0, 5.0, 2.0])
}

/// Schropp's multiplier belongs to `g = |q|^2 - 1` and is half of ours.
#[test]
fn a_rigid_pendulum_has_the_errors_of_schropp() -> Result<(), Error> {
    let free = integrate(RigidPendulum, RadauIIA::<3>, 0.0125, 400)?;
    let projected = integrate(RigidPendulum, Projected(RadauIIA::<3>), 0.0125, 400)?;
    for (what, at, [q, v, lambda]) in [
        ("free", free, [1.8e-11, 8.7e-8, 3.0e-5]),
        ("projected", projected, [1.0e-11, 1.3e-11, 4.3e-5]),
    ] {
        let measured = errors(&at, &RIGID_5);
        assert_figure(&format!("{what}, q"), measured[0], q);
        assert_figure(&format!("{what}, v"), measured[1], v);
        assert_figure(&format!("{what}, lambda"), measured[2] / 2.0, lambda);
    }
    Ok(())
}

#[test]
fn a_stiff_pendulum_has_the_orders_of_lubich() -> Result<(), Error> {
    let stiff = StiffPendulum::<f64>::new(EPS);
    let two = |h, n| integrate(stiff, RadauIIA::<2>, h, n);
    assert_orders("Radau 2", two, &STIFF_5, 800, [3.0, 1.99, 1.0])?;
    let three = |h, n| integrate(stiff, RadauIIA::<3>, h, n);
    assert_orders("Radau 3", three, &STIFF_5, 200, [5.0, 2.99, 2.01])
}

/// The error of the stiff pendulum is that of the rigid one and a term in eps^2, in v of first order for Radau 3. With
/// eps = 1e-4 the term is four digits above rounding even for the smallest step.
#[test]
fn stiffness_adds_an_error_in_eps_squared() -> Result<(), Error> {
    let eps = 1e-4;
    let mut terms = Vec::new();
    for (steps, published) in [(400, 1.16e-2), (800, 6.3e-3), (1600, 3.3e-3)] {
        let h = 5.0 / steps as f64;
        let stiff = integrate(StiffPendulum::<f64>::new(eps), RadauIIA::<3>, h, steps)?;
        let rigid = integrate(RigidPendulum, RadauIIA::<3>, h, steps)?;
        let difference = |k: usize| {
            let errors = (stiff.v[k] - LESS_STIFF_5[2 + k]) - (rigid.v[k] - RIGID_5[2 + k]);
            (errors / (eps * eps)).abs()
        };
        let term = difference(0).max(difference(1));
        assert_figure(&format!("eps^2 term at h = {h}"), term, published);
        terms.push(term);
    }
    assert_order("eps^2 term", terms[1], terms[2], 1.0, 0.2);
    Ok(())
}

/// How far the radial velocity of a start off the slow manifold is, after each step, from that of a start on it.
fn radial<const S: usize>(delta: f64) -> Result<Vec<f64>, Error>
where
    stiffstep::method::Stages<S>: stiffstep::method::Modes,
{
    let at = |delta: f64| {
        let (mut q, v) = level();
        q[0] += delta;
        let pendulum = StiffPendulum::<f64>::new(EPS);
        Simulation::new(pendulum, RadauIIA::<S>, 0.01, (q, v)).map(|s| s.with_budget(TIGHT))
    };
    let (mut off, mut on) = (at(delta)?, at(0.0)?);
    let speed = |at: &Motion<f64, 2, 1>| at.q.dot(&at.v) / at.q.norm();
    let mut distances = Vec::new();
    for _ in 0..4 {
        off.step()?;
        on.step()?;
        distances.push((speed(off.state()) - speed(on.state())).abs());
    }
    Ok(distances)
}

#[test]
fn motions_off_the_manifold_are_damped() -> Result<(), Error> {
    for (s, measured, published) in [
        (
            3,
            radial::<3>(1e-5)?,
            &[3.0e-3, 3.1e-7, 2.7e-8, 6.7e-12][..],
        ),
        (2, radial::<2>(1e-5)?, &[2.0e-3, 5.6e-8, 8.0e-9]),
    ] {
        for (k, &published) in published.iter().enumerate() {
            assert_figure(
                &format!("Radau {s}, step {}", k + 1),
                measured[k],
                published,
            );
        }
    }
    Ok(())
}

/// The largest |g| and |G v| on the way, with Schropp's `g = |q|^2 - 1`, and the energy at the end, which was zero.
fn long_run<P>(pendulum: Simulation<P>) -> Result<[f64; 3], Error>
where
    P: Stepper<Real = f64, Model = RigidPendulum, State = Motion<f64, 2, 1>>,
{
    let mut pendulum = pendulum.with_budget(TIGHT);
    let (mut g, mut rate) = (0.0_f64, 0.0_f64);
    for _ in 0..100_000 {
        pendulum.step()?;
        let at = pendulum.state();
        g = g.max((at.q.dot(&at.q) - 1.0).abs());
        rate = rate.max((2.0 * at.q.dot(&at.v)).abs());
    }
    Ok([g, rate, RigidPendulum.energy(pendulum.state())])
}

#[test]
fn a_thousand_seconds_keep_to_the_rod() -> Result<(), Error> {
    let h = 0.01;
    let [g, rate, energy] = long_run(Simulation::new(RigidPendulum, RadauIIA::<3>, h, level())?)?;
    assert_figure("Radau 3, g", g, 4e-16);
    assert_figure("Radau 3, G v", rate, 3.0e-7);
    assert_figure("Radau 3, energy", energy, -1.5e-9);
    let [g, rate, energy] = long_run(Simulation::new(RigidPendulum, RadauIIA::<2>, h, level())?)?;
    assert_figure("Radau 2, g", g, 4e-16);
    assert_figure("Radau 2, G v", rate, 5.9e-5);
    assert_figure("Radau 2, energy", energy, -1.1e-4);
    let projected = Simulation::new(RigidPendulum, Projected(RadauIIA::<3>), h, level())?;
    let [g, rate, energy] = long_run(projected)?;
    assert_figure("projected Radau 3, g", g, 4e-16);
    assert_figure("projected Radau 3, G v", rate, 4e-16);
    assert_at_most("projected Radau 3, energy", energy.abs(), 1.5e-9);
    Ok(())
}
