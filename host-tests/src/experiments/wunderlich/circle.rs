//! The body on a circle, (62), and the same as a first-order system, (64).

use crate::reference::{Descriptor, Tableau, descriptor};
use crate::second_order::states;
use anyhow::Result;
use nalgebra::{DMatrix, DVector};
use stiffstep::drive::Paced;
use stiffstep::prelude::*;
use stiffstep::step::{EachOfCourse, Method};
use stiffstep_plants::second_order::Circle;

/// A moment on the circle of (62): the numerical y1, y2 and lambda, and the errors of y, y' and lambda.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time.
    pub t: f64,
    /// y1, y2 and lambda.
    pub x: [f64; 3],
    /// The errors of y, y' and lambda.
    pub error: [f64; 3],
}

impl Moment {
    fn new(t: f64, x: [f64; 3], v: [f64; 2]) -> Self {
        let (exact, slope) = Circle::at(t);
        let difference = |a: f64, b: f64| (a - b).abs();
        Moment {
            t,
            x,
            error: [
                difference(x[0], exact[0]).max(difference(x[1], exact[1])),
                difference(v[0], slope[0]).max(difference(v[1], slope[1])),
                difference(x[2], exact[2]),
            ],
        }
    }

    fn of(t: f64, state: &Course<f64, 3>) -> Self {
        Moment::new(t, state.x.data.0[0], [state.v[0], state.v[1]])
    }
}

/// A run of (62) or of (64).
pub type Path = Vec<Moment>;

/// The largest error of y, y' or lambda on a path.
pub fn worst(path: &[Moment], part: usize) -> f64 {
    path.iter()
        .map(|moment| moment.error[part])
        .fold(0.0, f64::max)
}

/// (62) by a method in these steps.
pub fn circle<K, Kind>(method: K, steps: &[f64]) -> Result<Path, Error>
where
    K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>)>,
    K::Stepper: Stepper<Real = f64, Model = Circle, State = Course<f64, 3>, Input = Vector<f64, 0>>,
{
    let run = states(Circle, method, Circle::at(0.0), steps)?;
    let mut t = 0.0;
    let moments = run.iter().zip(steps).map(|(state, h)| {
        t += h;
        Moment::of(t, state)
    });
    Ok(moments.collect())
}

/// (62) by a method that chooses its steps, with the paper's tolerances of 1e-4, and 1e-2 for lambda, to t = 0.1 or a little
/// beyond.
pub fn circle_controlled<K, Kind, P>(method: K) -> Result<Path, Error>
where
    K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>), Stepper = P>,
    P: Paced<Absolute = EachOfCourse<f64, 3>> + Stepper<Real = f64, State = Course<f64, 3>>,
{
    let absolute = EachOfCourse {
        x: [1e-4, 1e-4, 1e-2],
        v: [1e-4; 3],
    };
    let mut plant =
        Adaptive::new(Circle, method, 1e-4, 1e-3, Circle::at(0.0))?.with_absolute(absolute)?;
    let mut path = Vec::new();
    while plant.time() < 0.1 {
        // Steps of which there are several.
        plant.longest = 0.02_f64.min(0.1 - plant.time()).max(1e-3);
        plant.step()?;
        path.push(Moment::of(plant.time(), plant.state()));
    }
    Ok(path)
}

/// (64): the same equations as a first-order system in y, v and lambda.
struct FirstOrderCircle;

impl Descriptor for FirstOrderCircle {
    fn mass(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 1.0, 1.0, 1.0, 0.0]))
    }

    fn rhs(&self, t: f64, x: &DVector<f64>) -> DVector<f64> {
        let unknowns = Vector::from([x[0], x[1], x[4]]);
        let (v, none) = (Vector::from([x[2], x[3], 0.0]), Vector::from([]));
        // F is linear in the accelerations, which appear with a factor of one.
        let f: Vector<f64, 3> = Circle.residual(t, &unknowns, &v, &Vector::from([0.0; 3]), &none);
        DVector::from_row_slice(&[x[2], x[3], -f[0], -f[1], f[2]])
    }
}

/// (64) by the ordinary Radau IIA method of two stages in these steps, as the textbook has it.
pub fn first_order_circle(steps: &[f64]) -> Result<Path> {
    let method = Tableau::radau_iia(2);
    let (x, v) = Circle::at(0.0);
    let mut state = DVector::from_row_slice(&[x[0], x[1], v[0], v[1], x[2]]);
    let (mut t, mut path) = (0.0, Vec::new());
    for &h in steps {
        state = descriptor::step(&FirstOrderCircle, &method, t, &state, h)?;
        t += h;
        let x = [state[0], state[1], state[4]];
        path.push(Moment::new(t, x, [state[2], state[3]]));
    }
    Ok(path)
}

/// The steps of a path.
pub fn steps_of(path: &[Moment]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(path.iter().map(|moment| moment.t));
    path.iter()
        .zip(before)
        .map(|(moment, before)| moment.t - before)
        .collect()
}
