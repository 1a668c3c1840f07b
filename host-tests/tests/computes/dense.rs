//! Dense output: it ends in the state, begins where the last step did, and outlasts another step size.

use super::plants::{Spring, falling};
use stiffstep::drive::After;
use stiffstep::prelude::*;
use stiffstep_host_tests::Go;

/// `x' = -x`.
#[derive(Clone, Copy)]
struct Decay;

impl FirstOrder<f64, 1, 0> for Decay {
    type Mass = Unit;
    const AFFINE: bool = true;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, _u: &Vector<f64, 0>) -> Vector<T, 1> {
        [-x[0]].into()
    }
}

/// A pendulum on a spring.
#[derive(Clone, Copy)]
struct Bob(f64);

mechanical! {
    impl [] Mechanical<f64, 2, 1, 0> for Bob;
    joints(self) -> Elastic<f64, 1> { Elastic { stiffness: [self.0] } }
    force(self, _t, _q, _v, _u) { [0.0, -1.0].map(T::constant) }
    constraint(self, _t, q) { [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0] }
}

/// The same on a rod, in Hessenberg form.
#[derive(Clone, Copy)]
struct Rod;

impl Hessenberg<f64, 2, 2, 1, 0> for Rod {
    fn f<T: Scalar<f64>>(&self, _u: &Vector<T, 2>, v: &Vector<T, 2>) -> Vector<T, 2> {
        *v
    }
    fn k<T: Scalar<f64>>(
        &self,
        u: &Vector<T, 2>,
        _v: &Vector<T, 2>,
        lambda: &Vector<T, 1>,
        _input: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        [-(u[0] * lambda[0]), -(u[1] * lambda[0]) - 1.0].into()
    }
    fn g<T: Scalar<f64>>(&self, u: &Vector<T, 2>) -> Vector<T, 1> {
        [(u[0] * u[0] + u[1] * u[1] - 1.0) * 0.5].into()
    }
}

/// The same in a valley.
#[derive(Clone, Copy)]
struct Trough;

impl Potential<f64, 2, 1, 0> for Trough {
    type Mass<T: Scalar<f64>> = Unit;
    fn mass(&self) -> Unit {
        Unit
    }
    fn force(
        &self,
        _t: f64,
        _q: &Vector<f64, 2>,
        _v: &Vector<f64, 2>,
        _u: &Vector<f64, 0>,
    ) -> Vector<f64, 2> {
        [0.0, -1.0].into()
    }
    fn potential<T: Scalar<f64>>(&self, q: &Vector<T, 2>) -> T {
        let depth = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
        depth * depth * 0.5
    }
    fn stiffness(&self) -> f64 {
        1e4
    }
    fn directions(&self, q: &Vector<f64, 2>) -> [[f64; 2]; 1] {
        let r = (q[0] * q[0] + q[1] * q[1]).sqrt();
        [[q[0] / r, q[1] / r]]
    }
}

const SPRING: Spring = Spring {
    k: 4.0,
    c: 0.1,
    push: 1.0,
};

fn level() -> (Vector<f64, 2>, Vector<f64, 2>) {
    ([1.0, 0.0].into(), [0.0; 2].into())
}

/// Where the last step began, before and after its size changed: by a little, by a lot, and to more.
fn outlasts<P: Stepper<Real = f64> + stiffstep::step::Dense>(
    mut plant: Simulation<P>,
    show: impl Fn(&P::State) -> f64,
) {
    plant.go(7).unwrap();
    let h = plant.h();
    let begin = show(&plant.before(h));
    for size in [h / 4.0, h / 1000.0, h * 3.0] {
        plant.set_h(size).unwrap();
        let off = show(&plant.before(h)) - begin;
        assert!(off.abs() < 1e-9, "{off:e} off after a size of {size}");
        assert_eq!(show(&plant.before(0.0)), show(plant.state()));
    }
}

/// It was looked at as if the last step had had the new size: up to 119 of values below one were wrong.
#[test]
fn dense_output_outlasts_another_step_size() -> Result<(), Error> {
    let h = 0.1;
    outlasts(
        Simulation::new(Decay, RadauIIA::<3>, h, [1.0].into())?,
        |x| x[0],
    );
    outlasts(
        Simulation::new(Bob(100.0), RadauIIA::<3>, h, level())?,
        |at| at.q[1],
    );
    outlasts(Simulation::new(Rod, RadauIIA::<3>, h, level())?, |at| {
        at.u[1]
    });
    outlasts(Simulation::new(Trough, RadauIIA::<3>, h, level())?, |at| {
        at.q[1]
    });
    outlasts(
        Simulation::new(Bob(100.0), LobattoPair::<2>, h, level())?,
        |at| at.q[1],
    );
    let start = || ([1.0].into(), [0.5].into());
    outlasts(Simulation::new(SPRING, Bdf::<3>, h, start())?, |at| at.x[0]);
    outlasts(Simulation::new(SPRING, RadauIIA::<2>, h, start())?, |at| {
        at.x[0]
    });
    Ok(())
}

/// After an event dense output covers the last part of the step, as it says.
#[test]
fn dense_output_reaches_back_to_an_event() -> Result<(), Error> {
    let mut plant = Simulation::new(Decay, RadauIIA::<3>, 0.1, [1.0].into())?;
    let mut seen = 0.0;
    let mut watch = falling(
        |_, _: &Decay, x: &Vector<f64, 1>| x[0] - 0.93,
        |_, _, x| {
            seen = x[0];
            After::GoOn
        },
    );
    let step = plant.step_with(&mut watch)?;
    let begin = plant.before(step.part)[0];
    assert_eq!(step.events, 1);
    assert!((begin - seen).abs() < 1e-12, "{begin} for {seen}");
    Ok(())
}

/// With no step behind it there is the start, continued backwards, by the size that it began with; and after a change the last step stays what it
/// was. Of x'' = 0 from 5 with 2 a step of a tenth before was 4.856, and after a change 6.656 for 6.6.
#[test]
fn a_start_is_continued_backwards() -> Result<(), Error> {
    let free = Spring {
        k: 0.0,
        c: 0.0,
        push: 0.0,
    };
    let start = || ([5.0].into(), [2.0].into());
    let mut formula = Simulation::new(free, Bdf::<3>, 0.1, start())?;
    let mut found = vec![(formula.before(0.1).x[0], 4.8)];
    formula.go(9)?;
    formula.change(|_| ())?;
    found.push((formula.before(0.1).x[0], 6.6));
    let mut stages = Simulation::new(free, RadauIIA::<3>, 0.1, start())?;
    stages.set_h(0.01)?;
    found.push((stages.before(0.01).x[0], 4.98));
    for (x, expected) in &found {
        assert!((x - expected).abs() < 1e-9, "{found:?}");
    }
    Ok(())
}

/// Of nothing before its end it is the state, with the forces of strained joints; those of the slow motion stood there.
#[test]
fn dense_output_ends_in_the_state() -> Result<(), Error> {
    let strained = || ([1.01, 0.0].into(), [0.0; 2].into());
    let mut bob = Simulation::new(Bob(1e3), RadauIIA::<3>, 0.02, strained())?;
    let mut gauss = Simulation::new(Bob(1e3), Gauss::<3>, 0.02, strained())?;
    let trough = Simulation::new(Trough, RadauIIA::<3>, 0.02, strained())?;
    assert_eq!(trough.before(0.0), *trough.state());
    for _ in 0..5 {
        assert_eq!(bob.before(0.0), *bob.state());
        assert_eq!(gauss.before(0.0), *gauss.state());
        bob.step()?;
        gauss.step()?;
        bob.change(|bob| bob.0 *= 2.0)?;
    }
    Ok(())
}
