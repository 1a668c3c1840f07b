//! Zeros of the Jacobian that a model declares: the same steps, errors that name a wrong declaration.
#![allow(clippy::unwrap_used)]

use stiffstep::prelude::*;
use stiffstep_switched_tests::monolithic::{How, Stepped};
use stiffstep_switched_tests::servo::{course, plants};

/// Dense and sparse factors are those of the same matrix: two iterations with either leave the same stages but for rounding.
#[test]
fn a_drive_with_zeros_steps_as_one_without() {
    for plant in plants() {
        let mut dense = Stepped::<f64>::new(&plant, How::Dense).unwrap();
        let mut sparse = Stepped::<f64>::new(&plant, How::Radau).unwrap();
        for (pulses, load) in course(&plant, 600, 0.3).0 {
            let voltage = stiffstep::electric::Voltage::of_pulses(plant.supply, &pulses);
            dense.step(&voltage, load).unwrap();
            sparse.step(&voltage, load).unwrap();
        }
        for (a, b) in dense.state().iter().zip(sparse.state()) {
            let difference = (a - b).abs() / (a.abs() + 1e-3);
            assert!(difference < 1e-10, "{}: {a} {b}", plant.name);
        }
    }
}

/// Sixteen reservoirs in a row: each empties into the next, faster the fuller it is, and the last into the first if `CLOSED`, which is
/// declared only if `SAID`.
#[derive(Clone, Copy)]
struct Chain<const CLOSED: bool, const SAID: bool>;

impl<const CLOSED: bool, const SAID: bool> FirstOrder<f64, 16, 0> for Chain<CLOSED, SAID> {
    type Mass = Unit;
    const DEPENDS: [u32; 16] = {
        let (mut rows, mut i) = ([1; 16], 1);
        while i < 16 {
            rows[i] = 0b11 << (i - 1);
            i += 1;
        }
        if CLOSED && SAID {
            rows[0] |= 1 << 15;
        }
        rows
    };

    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 16>, _u: &Vector<f64, 0>) -> Vector<T, 16> {
        let mut rate = *x;
        for i in 0..16 {
            let flow = |k: usize| x[k] * x[k] * 30.0;
            rate[i] = -flow(i);
            if i > 0 {
                rate[i] += flow(i - 1);
            } else if CLOSED {
                rate[i] += flow(15);
            }
        }
        rate
    }
}

/// The same without a word.
#[derive(Clone, Copy)]
struct Silent<const CLOSED: bool>;

impl<const CLOSED: bool> FirstOrder<f64, 16, 0> for Silent<CLOSED> {
    type Mass = Unit;

    fn rhs<T: Scalar<f64>>(&self, t: T, x: &Vector<T, 16>, u: &Vector<f64, 0>) -> Vector<T, 16> {
        Chain::<CLOSED, true>.rhs(t, x, u)
    }
}

fn full() -> Vector<f64, 16> {
    let mut x = Vector::from([0.1; 16]);
    x[0] = 1.0;
    x
}

fn compared<const CLOSED: bool>() {
    let mut said = Simulation::new(Chain::<CLOSED, true>, RadauIIA::<3>, 0.02, full()).unwrap();
    let mut silent = Simulation::new(Silent::<CLOSED>, RadauIIA::<3>, 0.02, full()).unwrap();
    for _ in 0..50 {
        said.step().unwrap();
        silent.step().unwrap();
    }
    let difference = (said.state() - silent.state()).amax();
    assert!(difference < 1e-12, "{difference:e}");
    assert!((said.state() - full()).amax() > 0.1);
    let mut said = Adaptive::new(Chain::<CLOSED, true>, RadauIIA::<3>, 1e-9, 1e-3, full()).unwrap();
    let mut silent = Adaptive::new(Silent::<CLOSED>, RadauIIA::<3>, 1e-9, 1e-3, full()).unwrap();
    said.run_to(1.0).unwrap();
    silent.run_to(1.0).unwrap();
    let difference = (said.state() - silent.state()).amax();
    assert!(difference < 1e-9, "{difference:e}");
}

#[test]
fn sixteen_states_with_zeros_step_as_ones_without() {
    compared::<false>();
    compared::<true>();
}

#[test]
fn a_row_that_depends_on_more_is_named() {
    let wrong = Simulation::new(Chain::<true, false>, RadauIIA::<3>, 0.02, full());
    assert_eq!(wrong.err(), Some(Error::Touched { index: 0 }));
}
