//! Strong potentials without a constraint function: Lubich's iteration (8.5)-(8.8).

use nalgebra::{DMatrix, DVector};
use stiffstep::prelude::*;
use stiffstep_host_tests::reference::{Descriptor, Tableau, descriptor};
use stiffstep_host_tests::until;
use stiffstep_plants::valley::Valley;

/// The valley written out as a first-order system for the reference solver, gradient by hand.
struct WrittenOut {
    stiffness: f64,
}

impl WrittenOut {
    fn acceleration(&self, q: [f64; 2]) -> [f64; 2] {
        let r = q[0].hypot(q[1]);
        let (depth, width) = (r - 1.0, 1.0 + q[0] * q[0] / 2.0);
        let along = width * depth / r;
        [
            -self.stiffness * (along * q[0] + q[0] * depth * depth / 2.0),
            -1.0 - self.stiffness * along * q[1],
        ]
    }
}

impl Descriptor for WrittenOut {
    fn mass(&self) -> DMatrix<f64> {
        DMatrix::identity(4, 4)
    }
    fn rhs(&self, _t: f64, x: &DVector<f64>) -> DVector<f64> {
        let [a, b] = self.acceleration([x[0], x[1]]);
        DVector::from_vec(vec![x[2], x[3], a, b])
    }
}

/// A state of the rigid pendulum, at the bottom of the valley and moving along it.
const Q: [f64; 2] = [0.8795481324118892, -0.4758099229427208];
const V: [f64; 2] = [-0.464157358850994, -0.8580080373224432];
const TIGHT: Until<f64> = until(1e-13, 40);

/// The corrected step is that of the coupled stage equations.
#[test]
fn the_step_is_the_reference_solvers() {
    for (eps, h) in [(1e-2, 1e-2), (1e-3, 1e-2)] {
        let model = Valley::<f64, 2>::new(eps);
        let system = WrittenOut {
            stiffness: model.stiffness,
        };
        let mut plant = Simulation::new(model, RadauIIA::<3>, h, (Q.into(), V.into()))
            .unwrap()
            .with_budget(TIGHT);
        plant.step().unwrap();
        let x = DVector::from_vec([Q, V].concat());
        let expected = descriptor::step(&system, &Tableau::radau_iia(3), 0.0, &x, h).unwrap();
        let found = plant.state();
        for i in 0..2 {
            let q = found.q[i] - expected[i];
            assert!(q.abs() < 1e-13, "eps {eps}: q {q}");
            let v = found.v[i] - expected[2 + i];
            assert!(v.abs() < 1e-11, "eps {eps}: v {v}");
        }
    }
}

/// In single precision it runs, and the valley holds the pendulum.
#[test]
fn single_precision_stays_in_the_valley() {
    let model = Valley::<f32, 1>::new(1e-2);
    let start = ([1.0, 0.0].into(), [0.0, 0.0].into());
    let mut plant = Simulation::new(model, RadauIIA::<3>, 1e-2, start).unwrap();
    for _ in 0..2000 {
        plant.step().unwrap();
        let q = plant.state().q;
        assert!((q[0].hypot(q[1]) - 1.0).abs() < 1e-3);
    }
}

#[test]
fn bad_input_changes_nothing() {
    let new = |eps: f64, h: f64, q: f64| {
        let (model, start) = (Valley::<f64, 1>::new(eps), ([q, 0.0].into(), V.into()));
        Simulation::new(model, RadauIIA::<3>, h, start).map(|_| ())
    };
    assert_eq!(new(0.0, 0.1, 1.0), Err(Error::Joint { index: 0 }));
    assert_eq!(new(1e-2, 0.0, 1.0), Err(Error::StepSize));
    assert_eq!(new(1e-2, 0.1, f64::NAN), Err(Error::Start { index: 0 }));
}

/// A valley whose speeds are of another magnitude.
struct Fast(Valley<f64, 1>, f64);

impl Potential<f64, 2, 1, 0> for Fast {
    type Mass<T: Scalar<f64>> = Unit;
    fn mass(&self) -> Unit {
        Unit
    }
    fn force(
        &self,
        t: f64,
        q: &Vector<f64, 2>,
        v: &Vector<f64, 2>,
        u: &Vector<f64, 0>,
    ) -> Vector<f64, 2> {
        self.0.force(t, q, v, u)
    }
    fn potential<T: Scalar<f64>>(&self, q: &Vector<T, 2>) -> T {
        self.0.potential(q)
    }
    fn stiffness(&self) -> f64 {
        self.0.stiffness()
    }
    fn directions(&self, q: &Vector<f64, 2>) -> [[f64; 2]; 1] {
        self.0.directions(q)
    }
    fn nominal(&self) -> [f64; 2] {
        [self.1; 2]
    }
}

/// Increments are told in units of the magnitudes that the model names.
#[test]
fn increments_are_relative_to_magnitudes() {
    let increment = |magnitude: f64| {
        let model = Fast(Valley::new(1e-2), magnitude);
        let plant = Simulation::new(model, RadauIIA::<3>, 1e-2, (Q.into(), V.into())).unwrap();
        plant.with_budget(Fixed(1)).step().unwrap().increment()
    };
    let ratio = increment(1.0) / increment(1e3);
    assert!((ratio / 1e3 - 1.0).abs() < 1e-9, "{ratio}");
}
