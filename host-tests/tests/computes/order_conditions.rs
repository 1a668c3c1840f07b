//! The conditions that say a method's order, for every method that there is, in first- and in second-order form.

use nalgebra::{DMatrix, DVector};
use stiffstep::method::general_linear::Nordsieck;
use stiffstep::method::{
    Collocation, Gauss, GeneralLinear, LobattoIIIA, Modes, OneStep, RadauIIA, Stages,
};
use stiffstep_host_tests::order_conditions::{Orders, first_order, theorem_2_9};
use stiffstep_host_tests::stability::tableau;
use stiffstep_plants::papers::{RadauIA, Wright, Wunderlich};

/// Stages of order q, and everything else that a method of order p needs: Butcher's theorem, B(p), C(q), D(r) with
/// p <= q + r + 1 and p <= 2 q + 2.
fn assert_orders<K: Collocation<S>, const S: usize>(_method: K, q: usize)
where
    Stages<S>: Modes,
{
    let orders = Orders::of(&tableau::<K, S>());
    println!("{}: {orders:?}", K::NAME);
    let p = K::ORDER;
    assert_eq!(orders.b, p, "{}", K::NAME);
    assert_eq!(orders.c, q, "{}", K::NAME);
    assert!(p <= orders.c + orders.d + 1, "{}", K::NAME);
    // The twins follow: b~ from D(1), A~ from C.
    assert!(orders.b2 >= p && orders.c2 >= q, "{}", K::NAME);
    assert!(orders.d2 >= orders.d, "{}", K::NAME);
}

#[test]
fn every_tableau_has_its_order_in_both_forms() {
    assert_orders(RadauIIA::<1>, 1);
    assert_orders(RadauIIA::<2>, 2);
    assert_orders(RadauIIA::<3>, 3);
    assert_orders(RadauIIA::<5>, 5);
    assert_orders(RadauIA::<3>, 2);
    assert_orders(Gauss::<1>, 1);
    assert_orders(Gauss::<2>, 2);
    assert_orders(Gauss::<3>, 3);
    assert_orders(Gauss::<4>, 4);
    assert_orders(LobattoIIIA::<3>, 3);
    assert_orders(LobattoIIIA::<4>, 4);
}

/// A method that is wrong anywhere is found out.
#[test]
fn a_wrong_coefficient_costs_the_order() {
    let right = tableau::<RadauIIA<3>, 3>();
    for i in 0..3 {
        for j in 0..3 {
            let mut wrong = right.clone();
            wrong.a[(i, j)] += 1e-9;
            assert_eq!(Orders::of(&wrong).c, 0);
        }
        let mut wrong = right.clone();
        wrong.b[i] += 1e-9;
        assert_eq!(Orders::of(&wrong).b, 0);
    }
    let (a2, b2) = (DMatrix::repeat(3, 3, 0.1), DVector::repeat(3, 0.1));
    let nystrom = Orders::nystrom(&right, &a2, &b2);
    assert_eq!((nystrom.b2, nystrom.c2, nystrom.d2), (1, 1, 1));
}

#[test]
fn theorem_2_9_holds_for_the_general_linear_methods() {
    let wunderlich = Wunderlich::matrices::<f64>();
    println!("{:e}", theorem_2_9(&wunderlich, 2));
    assert!(theorem_2_9(&wunderlich, 2) < 1e-15);
    // Its third value stands still, so nothing more can be expected.
    assert!(theorem_2_9(&wunderlich, 3) > 0.1);
    assert!(first_order(&Wright::FIRST_ORDER, 2) < 1e-15);
    assert!(first_order(&Wright::FIRST_ORDER, 3) > 1e-3);
    let wright = Wright::matrices::<f64>();
    assert!(theorem_2_9(&wright, 2) < 1e-15);
    // A Runge-Kutta method as a general linear one, of which the third value is the acceleration.
    let radau = <OneStep<RadauIIA<3>> as GeneralLinear<3, 3>>::matrices::<f64>();
    assert!(theorem_2_9(&radau, 3) < 1e-14);
    let lobatto = <OneStep<LobattoIIIA<3>> as GeneralLinear<2, 3>>::matrices::<f64>();
    assert!(theorem_2_9(&lobatto, 3) < 1e-14);
    // A wrong coefficient anywhere shows.
    for i in 0..3 {
        for j in 0..3 {
            for matrix in 0..6 {
                let mut wrong = wunderlich;
                let Nordsieck {
                    a2,
                    a,
                    u2,
                    u,
                    b2,
                    v2,
                    ..
                } = &mut wrong;
                [a2, a, u2, u, b2, v2][matrix][i][j] += 1e-6;
                assert!(theorem_2_9(&wrong, 2) > 1e-7, "{matrix} {i} {j}");
            }
        }
    }
}

/// Example 2.11 is collocation at its nodes: its matrix is the one whose modes its stages are solved in, and `A~ = A^2`.
#[test]
fn wunderlichs_method_is_collocation() {
    let printed = Wunderlich::matrices::<f64>();
    let collocation =
        <<Wunderlich as GeneralLinear<3, 3>>::Modes as Collocation<3>>::coefficients::<f64>();
    for i in 0..3 {
        for j in 0..3 {
            assert!((printed.a[i][j] - collocation.a[i][j]).abs() < 1e-15);
            assert!((printed.a2[i][j] - collocation.a2[i][j]).abs() < 1e-15);
        }
    }
}
