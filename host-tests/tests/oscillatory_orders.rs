//! Orders of convergence of the symmetric methods on the rigid pendulum, which is the limit of a stiff one: as they are, as
//! Theorems 3.1 and 3.2 of Jay & Petzold have it, and projected.

use stiffstep::manifold::free_motion;
use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_order, assert_order_at_least};
use stiffstep_host_tests::pendulum::{RIGID_5, halved, integrate};
use stiffstep_plants::pendulum::RigidPendulum;

const NAMES: [&str; 3] = ["q", "v", "lambda"];

/// Asserts that q, v and lambda converge with at least these orders, up to 0.2.
fn assert_direct(
    name: &str,
    run: impl Fn(f64, usize) -> Result<Motion<f64, 2, 1>, Error>,
    steps: usize,
    orders: [f64; 3],
) -> Result<(), Error> {
    let [coarse, fine] = halved(run, &RIGID_5, steps)?;
    for k in 0..3 {
        let what = format!("{name}, {}", NAMES[k]);
        assert_order_at_least(&what, coarse[k], fine[k], orders[k] - 0.2);
    }
    Ok(())
}

/// Gauss: s, s - 2, s - 4, each one higher if s is odd. Lobatto IIIA: 2s - 4, s - 1, s - 3; with five stages v and q do no
/// more, and q of four stages does 6. Where the multiplier's order is 0 its error is of the size of the multiplier or more.
#[test]
fn methods_as_they_are_have_the_orders_of_the_theorems() -> Result<(), Error> {
    let run = |h, n| integrate(RigidPendulum, Direct(Gauss::<3>), h, n);
    assert_direct("Gauss 3", run, 100, [4.0, 2.0, 0.0])?;
    let run = |h, n| integrate(RigidPendulum, Direct(Gauss::<4>), h, n);
    assert_direct("Gauss 4", run, 100, [4.0, 2.0, 0.0])?;
    let run = |h, n| integrate(RigidPendulum, Direct(Gauss::<5>), h, n);
    assert_direct("Gauss 5", run, 25, [6.0, 4.0, 2.0])?;
    let run = |h, n| integrate(RigidPendulum, Direct(Gauss::<6>), h, n);
    assert_direct("Gauss 6", run, 50, [6.0, 4.0, 2.0])?;
    let run = |h, n| integrate(RigidPendulum, LobattoIIIA::<3>, h, n);
    assert_direct("Lobatto IIIA 3", run, 100, [2.0, 2.0, 0.0])?;
    let run = |h, n| integrate(RigidPendulum, LobattoIIIA::<4>, h, n);
    assert_direct("Lobatto IIIA 4", run, 50, [4.0, 3.0, 1.0])?;
    let run = |h, n| integrate(RigidPendulum, LobattoIIIA::<5>, h, n);
    assert_direct("Lobatto IIIA 5", run, 25, [6.0, 4.0, 2.0])
}

/// Asserts one order for q, v and the multiplier that belongs to them.
fn assert_projected(
    name: &str,
    run: impl Fn(f64, usize) -> Result<Motion<f64, 2, 1>, Error>,
    steps: usize,
    order: f64,
) -> Result<(), Error> {
    let recomputed = |h, n| {
        let at = run(h, n)?;
        free_motion(&RigidPendulum, 5.0, &at.q, &at.v, &Vector::from([]))
    };
    let [coarse, fine] = halved(recomputed, &RIGID_5, steps)?;
    for k in 0..3 {
        let what = format!("projected {name}, {}", NAMES[k]);
        assert_order(&what, coarse[k], fine[k], order, 0.3);
    }
    Ok(())
}

/// On the manifold everything converges alike: Gauss with s, Lobatto IIIA with its full order.
#[test]
fn projected_methods_have_one_order_for_everything() -> Result<(), Error> {
    let run = |h, n| integrate(RigidPendulum, Projected(Gauss::<3>), h, n);
    assert_projected("Gauss 3", run, 100, 3.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(Gauss::<4>), h, n);
    assert_projected("Gauss 4", run, 100, 4.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(Gauss::<5>), h, n);
    assert_projected("Gauss 5", run, 50, 5.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(Gauss::<6>), h, n);
    assert_projected("Gauss 6", run, 36, 6.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(LobattoIIIA::<3>), h, n);
    assert_projected("Lobatto IIIA 3", run, 100, 4.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(LobattoIIIA::<4>), h, n);
    assert_projected("Lobatto IIIA 4", run, 50, 6.0)?;
    let run = |h, n| integrate(RigidPendulum, Projected(LobattoIIIA::<5>), h, n);
    assert_projected("Lobatto IIIA 5", run, 28, 8.0)
}
