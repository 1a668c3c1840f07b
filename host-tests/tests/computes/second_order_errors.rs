//! What can be wrong with a step of a second-order system, and a state that no error touches.

use core::cell::Cell;
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_host_tests::Go;
use stiffstep_plants::papers::{Wright, Wunderlich};

/// A bead on a circle that misbehaves on demand.
#[derive(Clone)]
struct Bead {
    /// What the constraint is multiplied by from now on.
    fault: Cell<Option<f64>>,
    /// Whether the constraint does not depend on anything.
    floating: bool,
    nominal: f64,
    gravity: f64,
}

impl Bead {
    fn calm() -> Self {
        Bead {
            fault: Cell::new(None),
            floating: false,
            nominal: 1.0,
            gravity: 1.0,
        }
    }
}

impl SecondOrder<f64, 3, 1> for Bead {
    const ALGEBRAIC: [bool; 3] = [false, false, true];
    fn residual<T: Scalar<f64>>(
        &self,
        _t: T,
        x: &Vector<T, 3>,
        _v: &Vector<T, 3>,
        a: &Vector<T, 3>,
        u: &Vector<f64, 1>,
    ) -> Vector<T, 3> {
        let mut g = (x[0] * x[0] + x[1] * x[1] - 1.0) * 0.5;
        if self.floating {
            g = T::constant(0.0);
        }
        if let Some(fault) = self.fault.get() {
            g = g * fault;
        }
        let weight = x[1] * x[2] + self.gravity;
        [a[0] + x[0] * x[2] - u[0], a[1] + weight, g].into()
    }
    fn nominal(&self) -> [f64; 3] {
        [self.nominal; 3]
    }
}

type Start = (Vector<f64, 3>, Vector<f64, 3>);

fn level() -> Start {
    ([1.0, 0.0, 0.0].into(), [0.0; 3].into())
}

/// Everything, for one method.
fn check<K, Kind>(method: K)
where
    K: Method<Bead, Kind, Real = f64, Start = Start> + Copy,
    K::Stepper: Stepper<Real = f64, Model = Bead, State = Course<f64, 3>, Input = Vector<f64, 1>>,
{
    let make = |bead: Bead, h: f64, start: Start| Simulation::new(bead, method, h, start);
    for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(make(Bead::calm(), h, level()).err(), Some(Error::StepSize));
    }
    for index in 0..3 {
        let mut start = level();
        start.1[index] = f64::NAN;
        let made = make(Bead::calm(), 0.1, start).err();
        assert_eq!(made, Some(Error::Start { index: 3 + index }));
    }
    for nominal in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut bead = Bead::calm();
        bead.nominal = nominal;
        let made = make(bead, 0.1, level()).err();
        assert_eq!(made, Some(Error::Nominal { index: 0 }));
    }

    let mut bead = make(Bead::calm(), 0.02, level()).unwrap();
    bead.go(10).unwrap();
    // Two runs, of which one meets errors on the way, end in the same bits.
    let mut other = make(Bead::calm(), 0.02, level()).unwrap();
    other.go(10).unwrap();
    let before = (*bead.state(), bead.time());
    bead.input = [f64::NAN].into();
    assert_eq!(bead.step().err(), Some(Error::Input));
    bead.input = [0.0].into();
    bead.model().fault.set(Some(f64::NAN));
    assert_eq!(bead.step().err(), Some(Error::NonFinite));
    // A failed step of another size leaves nothing behind, either.
    bead.set_h(0.01).unwrap();
    bead.model().fault.set(Some(0.0));
    let said = bead.step().err();
    assert!(matches!(said, Some(Error::Singular { .. })), "{said:?}");
    bead.model().fault.set(None);
    bead.set_h(0.02).unwrap();
    assert_eq!(bead.set_h(-1.0).err(), Some(Error::StepSize));
    let refused = bead.change(|bead| bead.nominal = 0.0).err();
    assert_eq!(refused, Some(Error::Nominal { index: 0 }));
    assert_eq!(bead.model().nominal, 1.0);
    assert_eq!((*bead.state(), bead.time()), before);
    for _ in 0..10 {
        bead.step().unwrap();
        other.step().unwrap();
        assert_eq!(bead.state(), other.state());
    }

    // No step without an iteration.
    let idle = make(Bead::calm(), 0.02, level()).unwrap();
    let refused = idle.with_budget(Fixed(0)).step().err();
    assert_eq!(refused, Some(Error::Budget));

    // A change of the model changes the tension at once: weightless, the bead needs only its own speed's.
    bead.change(|bead| bead.gravity = 0.0).unwrap();
    let tension = |state: &Course<f64, 3>| state.v[0].powi(2) + state.v[1].powi(2);
    bead.go(20).unwrap();
    let state = bead.state();
    assert!((state.x[2] - tension(state)).abs() < 2e-3, "{state:?}");
}

#[test]
fn multistep_methods() {
    check(Bdf::<1>);
    check(Bdf::<2>);
    check(Bdf::<5>);
    check(Started(Bdf::<3>));
}

#[test]
fn runge_kutta_methods() {
    check(RadauIIA::<2>);
    check(RadauIIA::<3>);
}

#[test]
fn general_linear_methods() {
    check(Wunderlich);
    check(Wright);
}

/// A floating unknown is found at the first step, or by the starting procedure.
#[test]
fn floating_unknowns_are_found() {
    let bead = Bead {
        floating: true,
        ..Bead::calm()
    };
    let mut made = Simulation::new(bead.clone(), Bdf::<2>, 0.1, level()).unwrap();
    assert!(matches!(made.step().err(), Some(Error::Singular { .. })));
    let made = Simulation::new(bead, Wunderlich, 0.1, level()).err();
    assert!(matches!(made, Some(Error::Singular { .. })), "{made:?}");
}
