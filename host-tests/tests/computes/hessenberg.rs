//! General Hessenberg systems: orders of convergence, projection, bad input.

use stiffstep::method::{Collocation, Modes, Stages};
use stiffstep::model::Constrained;
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_host_tests::pendulum::TIGHT;
use stiffstep_plants::exponentials::{Exponentials, solution};
use stiffstep_plants::papers::RadauIA;

type State = Constrained<f64, 2, 2, 1>;

/// Largest errors of u, v and lambda over [0, 1], without the first step, in which lambda has no history.
fn errors<K, Kind>(method: K, steps: u32) -> [f64; 3]
where
    K: Method<Exponentials, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    K::Stepper: Stepper<Real = f64, State = State>,
{
    let start = Vector::from([1.0, 1.0]);
    let h = 1.0 / f64::from(steps);
    let plant = Simulation::new(Exponentials, method, h, (start, start)).unwrap();
    let mut plant = plant.with_budget(TIGHT);
    let mut worst = [0.0_f64; 3];
    for _ in 0..steps {
        plant.step().unwrap();
        let exact = solution(plant.time());
        let at = plant.state();
        let found = [at.u[0], at.u[1], at.v[0], at.v[1], at.lambda[0]];
        for (i, part) in [0, 0, 1, 1, 2].into_iter().enumerate() {
            worst[part] = worst[part].max((found[i] - exact[i]).abs());
        }
    }
    worst
}

/// Observed orders of u, v and lambda when the step is halved.
fn orders<K, Kind>(method: K, steps: u32) -> [f64; 3]
where
    K: Method<Exponentials, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)> + Copy,
    K::Stepper: Stepper<Real = f64, State = State>,
{
    let (coarse, fine) = (errors(method, steps), errors(method, 2 * steps));
    println!("{steps} steps: {coarse:?}, twice as many: {fine:?}");
    [0, 1, 2].map(|i| (coarse[i] / fine[i]).log2())
}

fn assert_orders(found: [f64; 3], expected: [f64; 3]) {
    for i in 0..3 {
        let off = (found[i] - expected[i]).abs();
        assert!(off < 0.25, "found {found:?}, expected {expected:?}");
    }
}

#[test]
fn radau_converges_with_its_orders() {
    assert_orders(orders(RadauIIA::<2>, 40), [3.0, 2.0, 1.0]);
    assert_orders(orders(RadauIIA::<3>, 20), [5.0, 3.0, 2.0]);
}

/// The projection gives the velocities the order of the positions and leaves them on the manifold.
#[test]
fn projection_lifts_the_velocities_order() {
    assert_orders(orders(Projected(RadauIIA::<2>), 40), [3.0, 3.0, 1.0]);
    assert_orders(orders(Projected(RadauIIA::<3>), 20), [5.0, 5.0, 2.0]);
    let start = Vector::from([1.0, 1.0]);
    let mut plant =
        Simulation::new(Exponentials, Projected(RadauIIA::<3>), 0.05, (start, start)).unwrap();
    for _ in 0..20 {
        plant.step().unwrap();
        let State { u, v, .. } = plant.state();
        let rate = 2.0 * u[0] * u[1] * v[0] * v[1] * u[1] * u[1]
            - 2.0 * u[0] * u[1] * u[0] * u[1] * v[1] * v[1];
        assert!(rate.abs() < 1e-13, "{rate:e}");
    }
}

/// Radau IA leaves the constraint at every step and needs both projections, (2.7).
#[test]
fn the_general_projection_holds_radau_ia() {
    let start = Vector::from([1.0, 1.0]);
    let mut plant =
        Simulation::new(Exponentials, Projected(RadauIA::<3>), 0.05, (start, start)).unwrap();
    for _ in 0..20 {
        plant.step().unwrap();
        let State { u, .. } = plant.state();
        assert!((u[0] * u[1] * u[1] - 1.0).abs() < 1e-14);
    }
    // Theorem 2.1 promises the stage order, 2, and that is what it has.
    assert_orders(orders(Projected(RadauIA::<3>), 40), [2.0, 2.0, 1.0]);
}

/// A start gives u and v only; the multipliers that keep them on the manifold follow.
#[test]
fn a_start_has_its_multipliers() {
    let start = Vector::from([1.0, 1.0]);
    let plant = Simulation::new(Exponentials, RadauIIA::<3>, 0.1, (start, start)).unwrap();
    assert!((plant.state().lambda[0] - solution(0.0)[4]).abs() < 1e-14);
}

#[test]
fn bad_input_changes_nothing() {
    let good = Vector::from([1.0, 1.0]);
    let new = |h, u: [f64; 2]| {
        Simulation::new(Exponentials, RadauIIA::<3>, h, (u.into(), good)).map(|_| ())
    };
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(new(h, [1.0, 1.0]), Err(Error::StepSize));
    }
    assert_eq!(new(0.1, [1.0, f64::NAN]), Err(Error::Start { index: 1 }));
    // u_2 = 0 makes the constraint's gradient vanish.
    assert_eq!(new(0.1, [1.0, 0.0]), Err(Error::Constraint { index: 0 }));
    let mut plant = Simulation::new(Exponentials, RadauIIA::<3>, 0.1, (good, good)).unwrap();
    plant.step().unwrap();
    let before = *plant.state();
    plant.set_h(10.0).unwrap();
    assert!(plant.step().is_err());
    assert_eq!(*plant.state(), before);
}

/// The tableau of Radau IA: D(s) and stage order s - 1, the stability of Radau IIA.
#[test]
fn radau_ia_is_what_it_is_called() {
    fn check<const S: usize>()
    where
        Stages<S>: Modes,
    {
        let one = RadauIA::<S>::coefficients::<f64>();
        let two = RadauIIA::<S>::coefficients::<f64>();
        assert_eq!(one.c[0], 0.0);
        for j in 0..S {
            assert!((one.c[j] - (1.0 - two.c[S - 1 - j])).abs() < 1e-15);
            for k in 1..=S {
                let part = |i: usize| one.b[i] * one.c[i].powi(k as i32 - 1) * one.a[i][j];
                let expected = one.b[j] / k as f64 * (1.0 - one.c[j].powi(k as i32));
                assert!(((0..S).map(part).sum::<f64>() - expected).abs() < 1e-13);
            }
        }
        for i in 0..S {
            for k in 1..S {
                let part = |j: usize| one.a[i][j] * one.c[j].powi(k as i32 - 1);
                let expected = one.c[i].powi(k as i32) / k as f64;
                assert!(((0..S).map(part).sum::<f64>() - expected).abs() < 1e-13);
            }
        }
        assert!(one.r_infinity.abs() < 1e-13);
        if S % 2 == 1 {
            assert!((one.real.eigenvalue - two.real.eigenvalue).abs() < 1e-13);
        }
    }
    check::<2>();
    check::<3>();
    check::<5>();
}
