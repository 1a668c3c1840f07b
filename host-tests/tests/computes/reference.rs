//! The reference solver itself, against exact and published solutions of the pendulum: an oracle must be right.
#![allow(clippy::excessive_precision, reason = "published digits, as published")]

use nalgebra::{DMatrix, DVector};
use stiffstep_host_tests::reference::{
    Mechanism, Motion, NoConvergence, Tableau,
    mechanical::{integrate, step},
};

fn column<const N: usize>(values: [f64; N]) -> DVector<f64> {
    DVector::from_row_slice(&values)
}

/// A point of mass 1 on a rod of length 1, rigid or elastic, with gravity 1: `g = |q| - 1`.
struct Pendulum {
    /// One over the rod's stiffness; `None` for a rigid rod.
    compliance: Option<f64>,
    /// The rod's damping over its stiffness.
    relaxation: f64,
}

const RIGID: Pendulum = Pendulum {
    compliance: None,
    relaxation: 0.0,
};

fn elastic(compliance: f64) -> Pendulum {
    Pendulum {
        compliance: Some(compliance),
        ..RIGID
    }
}

impl Mechanism for Pendulum {
    fn mass(&self, _q: &DVector<f64>) -> DMatrix<f64> {
        DMatrix::identity(2, 2)
    }
    fn force(&self, _t: f64, _q: &DVector<f64>, _v: &DVector<f64>) -> DVector<f64> {
        column([0.0, -1.0])
    }
    fn constraint(&self, _t: f64, q: &DVector<f64>) -> DVector<f64> {
        column([q.norm() - 1.0])
    }
    fn constraint_jacobian(&self, _t: f64, q: &DVector<f64>) -> DMatrix<f64> {
        DMatrix::from_rows(&[q.transpose() / q.norm()])
    }
    fn compliance(&self) -> Option<DVector<f64>> {
        self.compliance.map(|c| column([c]))
    }
    fn relaxation(&self) -> Option<DVector<f64>> {
        Some(column([self.relaxation]))
    }
}

/// Level and at rest.
fn level() -> Motion {
    Motion {
        q: column([1.0, 0.0]),
        v: column([0.0, 0.0]),
        lambda: column([0.0]),
    }
}

/// The largest errors in q, v and lambda.
fn errors(motion: &Motion, expected: [f64; 5]) -> [f64; 3] {
    [
        (&motion.q - column([expected[0], expected[1]])).amax(),
        (&motion.v - column([expected[2], expected[3]])).amax(),
        (motion.lambda[0] - expected[4]).abs(),
    ]
}

/// The rigid pendulum at t = 5, by elliptic functions; lambda = -3 q2.
const RIGID_AT_5: [f64; 5] = [
    -0.6853448712787484796701,
    -0.7282186535731666337252,
    0.8788357128748399882497,
    -0.8270943700220096860081,
    3.0 * 0.7282186535731666337252,
];

/// Schropp's problem: orders q, v, lambda = (3, 2, 1) for Radau 2 and (5, 3, 2) for Radau 3, and the errors at h = 0.0125.
#[test]
fn a_rigid_pendulum_converges_as_theory_says() -> Result<(), NoConvergence> {
    for (s, orders) in [(2, [3.0, 2.0, 1.0]), (3, [5.0, 3.0, 2.0])] {
        let method = Tableau::radau_iia(s);
        let coarse = integrate(&RIGID, &method, &level(), 0.025, 200)?;
        let fine = integrate(&RIGID, &method, &level(), 0.0125, 400)?;
        let [coarse, fine] = [coarse, fine].map(|end| errors(&end, RIGID_AT_5));
        println!("s = {s}: q, v, lambda {coarse:?}, then {fine:?}");
        for k in 0..3 {
            let order = (coarse[k] / fine[k]).log2();
            let off = (order - orders[k]).abs();
            assert!(off < 0.1, "s = {s}: order {order} of {k}");
        }
        if s == 3 {
            // lambda is twice the published one, which belongs to g = |q|^2 - 1.
            for (error, published) in fine.iter().zip([1.8e-11, 8.7e-8, 6.0e-5]) {
                let off = (error / published - 1.0).abs();
                assert!(off < 0.1, "{error:e}, published {published:e}");
            }
        }
    }
    Ok(())
}

/// Jay and Petzold's stiff pendulum, eps = 1e-5, h = 0.01, from the smooth start.
#[test]
fn a_stiff_pendulum_has_the_published_errors() -> Result<(), NoConvergence> {
    let eps = 1e-5f64;
    let stiff = elastic(eps * eps);
    let expected = [
        -0.5177197074392945227308,
        -0.8555502936954095065835,
        1.119137155646086425545,
        -0.6772241974297999530739,
        2.566650880127458851533,
    ];
    let end = integrate(&stiff, &Tableau::radau_iia(3), &level(), 0.01, 2000)?;
    let [q, v, _] = errors(&end, expected);
    println!("q {q:.2e}, v {v:.2e}");
    assert!((q / 8.7e-11 - 1.0).abs() < 0.1, "{q:e}");
    assert!((v / 8.5e-8 - 1.0).abs() < 0.1, "{v:e}");
    Ok(())
}

/// As the rod stiffens, the elastic pendulum becomes the rigid one, with a distance proportional to the compliance.
#[test]
fn elastic_becomes_rigid() -> Result<(), NoConvergence> {
    let method = Tableau::radau_iia(3);
    let rigid = integrate(&RIGID, &method, &level(), 0.05, 20)?;
    let distance = |compliance: f64| -> Result<f64, NoConvergence> {
        Ok((integrate(&elastic(compliance), &method, &level(), 0.05, 20)?.q - &rigid.q).amax())
    };
    let (soft, hard) = (distance(1e-6)?, distance(1e-8)?);
    assert!(soft > 1e-7, "{soft:e}");
    let ratio = soft / hard;
    assert!((ratio / 100.0 - 1.0).abs() < 0.05, "{soft:e}, {hard:e}");
    Ok(())
}

/// A damped elastic joint, checked against its own elimination: with `lambda = (g + tau G v) / C` the rod is a spring and
/// a damper, and on an axis through the support everything is linear.
#[test]
fn a_damped_joint_is_a_spring_and_a_damper() -> Result<(), NoConvergence> {
    // Hanging and stretched by 0.1: r'' = 1 - (r - 1 + tau r') / C.
    let (c, tau) = (0.01, 0.03);
    let rod = Pendulum {
        relaxation: tau,
        ..elastic(c)
    };
    let start = Motion {
        q: column([0.0, -1.1]),
        v: column([0.0, 0.0]),
        lambda: column([10.0]),
    };
    let (h, steps) = (0.005, 100);
    let end = integrate(&rod, &Tableau::radau_iia(5), &start, h, steps)?;
    // r - 1 - C = exp(-d t) (a cos w t + b sin w t) with d = tau / (2 C), w^2 = 1 / C - d^2.
    let d = tau / (2.0 * c);
    let w = (1.0 / c - d * d).sqrt();
    let t = h * steps as f64;
    let a = 0.1 - c;
    let expected = 1.0 + c + (-d * t).exp() * a * ((w * t).cos() + d / w * (w * t).sin());
    let off = end.q.norm() - expected;
    assert!(off.abs() < 1e-12, "{off:e}");
    assert!(end.q[0] == 0.0);
    Ok(())
}

/// A constraint that moves: the rod's support is pulled along, `g = |q - (s(t), 0)| - 1`. In the moving frame, with constant
/// velocity of the support, the motion is that of the pendulum at rest.
#[test]
fn a_moving_support_is_a_change_of_frame() -> Result<(), NoConvergence> {
    struct Moving;
    const SPEED: f64 = 0.7;
    impl Mechanism for Moving {
        fn mass(&self, q: &DVector<f64>) -> DMatrix<f64> {
            RIGID.mass(q)
        }
        fn force(&self, t: f64, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
            RIGID.force(t, q, v)
        }
        fn constraint(&self, t: f64, q: &DVector<f64>) -> DVector<f64> {
            RIGID.constraint(t, &(q - column([SPEED * t, 0.0])))
        }
        fn constraint_jacobian(&self, t: f64, q: &DVector<f64>) -> DMatrix<f64> {
            RIGID.constraint_jacobian(t, &(q - column([SPEED * t, 0.0])))
        }
        fn constraint_rate(&self, t: f64, q: &DVector<f64>) -> DVector<f64> {
            &self.constraint_jacobian(t, q) * &column([-SPEED, 0.0])
        }
    }
    let method = Tableau::radau_iia(3);
    let mut start = level();
    let at_rest = integrate(&RIGID, &method, &start, 0.05, 10)?;
    start.v[0] += SPEED;
    let moving = integrate(&Moving, &method, &start, 0.05, 10)?;
    assert!((moving.q - &at_rest.q - column([SPEED * 0.5, 0.0])).amax() < 1e-13);
    assert!((moving.v - &at_rest.v - column([SPEED, 0.0])).amax() < 1e-11);
    assert!((moving.lambda - &at_rest.lambda).amax() < 1e-9);
    Ok(())
}

/// The elastic pendulum in polar coordinates, where the mass matrix depends on the position, moves as it does in Cartesian
/// ones.
#[test]
fn coordinates_do_not_matter() -> Result<(), NoConvergence> {
    struct Polar;
    impl Mechanism for Polar {
        fn mass(&self, q: &DVector<f64>) -> DMatrix<f64> {
            DMatrix::from_diagonal(&column([1.0, q[0] * q[0]]))
        }
        fn force(&self, _t: f64, q: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
            let (r, angle) = (q[0], q[1]);
            column([
                r * v[1] * v[1] - angle.sin(),
                -2.0 * r * v[0] * v[1] - r * angle.cos(),
            ])
        }
        fn constraint(&self, _t: f64, q: &DVector<f64>) -> DVector<f64> {
            column([q[0] - 1.0])
        }
        fn constraint_jacobian(&self, _t: f64, _q: &DVector<f64>) -> DMatrix<f64> {
            DMatrix::from_row_slice(1, 2, &[1.0, 0.0])
        }
        fn compliance(&self) -> Option<DVector<f64>> {
            Some(column([0.1]))
        }
    }
    let method = Tableau::radau_iia(5);
    let polar = integrate(&Polar, &method, &level(), 0.05, 40)?;
    let cartesian = integrate(&elastic(0.1), &method, &level(), 0.05, 40)?;
    let (r, angle) = (polar.q[0], polar.q[1]);
    let difference = (cartesian.q - column([r * angle.cos(), r * angle.sin()])).amax();
    assert!((r - 1.0).abs() > 0.1, "{r}");
    assert!(difference < 1e-10, "{difference:e}");
    assert!((polar.lambda - cartesian.lambda).amax() < 1e-9);
    Ok(())
}

/// No stage equations have a solution when the force is not a number: that is said, not returned.
#[test]
fn failure_is_reported() {
    let mut start = level();
    start.v[0] = f64::NAN;
    assert!(step(&RIGID, &Tableau::radau_iia(2), 0.0, &start, 0.1).is_err());
}
