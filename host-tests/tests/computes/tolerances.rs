//! What a tolerance promises to a mechanism: positions, velocities and multipliers are as exact as they are asked to be,
//! whatever the units, and what is not controlled is said.

use super::plants::{Line, Moves, Oscillator, Point};
use stiffstep::prelude::*;
use stiffstep::step::{Control, EachOfMotion};
use stiffstep_host_tests::pendulum::level;
use stiffstep_plants::pendulum::RigidPendulum;

/// q'' = -omega^2 q, as a mechanism and as a system of first order: an ordinary differential equation both times.
fn oscillator(omega: f64) -> Line<f64, Rigid, 1, 0, 0> {
    Line {
        spring: [[omega * omega]],
        ..Line::of(Rigid)
    }
}

#[test]
fn a_mechanism_without_joints_is_as_exact_as_a_system_of_first_order() -> Result<(), Error> {
    for omega in [1.0, 1e2, 1e4, 1e6] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let (model, end) = (oscillator(omega), 20.0 / omega);
            let (method, first) = (RadauIIA::<3>, end * 1e-4);
            let start = ([0.0].into(), [1.0].into());
            let mut mechanism = Adaptive::new(model, method, tolerance, first, start)?;
            mechanism.run_to(end)?;
            let model = Oscillator(omega);
            let mut plain = Adaptive::new(model, method, tolerance, first, [0.0, 1.0].into())?;
            plain.run_to(end)?;
            let exact = 20.0_f64.cos();
            let errors = [mechanism.state().v[0], plain.state()[1]].map(|v| (v - exact).abs());
            let steps = [mechanism.statistics().steps, plain.statistics().steps];
            println!("omega {omega:e}, {tolerance:e}: errors {errors:?}, steps {steps:?}");
            assert!(errors[0] < 10.0 * tolerance, "{errors:?}");
            assert!(errors[0] < 2.0 * errors[1], "{errors:?}");
            assert!(steps[0].abs_diff(steps[1]) <= steps[1] / 10, "{steps:?}");
        }
    }
    Ok(())
}

type Shaft = Line<f64, Elastic<f64, 1>, 2, 1, 0>;

/// Two masses on an elastic shaft, which rings; with so many units of time in a second and of angle in a radian, which the nominal
/// magnitudes know.
fn shaft(stiffness: f64, second: f64, radian: f64) -> Shaft {
    let stiffness = [stiffness / second.powi(2)];
    Line {
        constraint: [[1.0, -1.0]],
        nominal: [radian, radian / second],
        ..Line::of(Elastic { stiffness })
    }
}

#[test]
fn an_elastic_shaft_that_rings_is_followed() -> Result<(), Error> {
    for stiffness in [1e2, 1e4, 1e6, 1e8, 1e10] {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let (shaft, omega) = (shaft(stiffness, 1.0, 1.0), (2.0 * stiffness).sqrt());
            let end = 20.0 / omega;
            let start = || ([0.0; 2].into(), [0.5, -0.5].into());
            let speed = 0.5 * 20.0_f64.cos();
            let torque = stiffness / omega * 20.0_f64.sin();
            let allowed = 30.0 * tolerance;
            let check = |name: &str, at: &Motion<f64, 2, 1>, steps: u32| {
                let errors = [at.v[0] - speed, (at.lambda[0] - torque) / torque];
                println!("K {stiffness:e}, {tolerance:e}, {name}: {errors:?}, {steps} steps");
                assert!(errors.into_iter().all(|e| e.abs() < allowed), "{errors:?}");
            };
            let method = Lean(RadauIIA::<3>);
            // From a step that resolves it, and from one that does not.
            for first in [1e-4 * end, 100.0 * end] {
                let mut plant = Adaptive::new(shaft, method, tolerance, first, start())?;
                plant.run_to(end)?;
                check("free", plant.state(), plant.statistics().steps);
                let method = Projected(method);
                let mut plant = Adaptive::new(shaft, method, tolerance, first, start())?;
                plant.run_to(end)?;
                check("projected", plant.state(), plant.statistics().steps);
            }
        }
    }
    Ok(())
}

/// The rigid pendulum of length one at t = 20: q, v, lambda.
const PENDULUM: ([f64; 2], [f64; 2], f64) = (
    [-0.517_719_703_552_777_8, -0.855_550_295_747_259_9],
    [1.119_137_160_279_955, -0.677_224_193_288_336_6],
    2.566_650_887_241_779_7,
);

#[test]
fn a_rigid_pendulum_keeps_its_tolerance_if_projected_and_says_so_if_not() -> Result<(), Error> {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let run = Adaptive::new(RigidPendulum, Lean(RadauIIA::<3>), tolerance, 1e-6, level())?;
        let mut free = run;
        free.run_to(20.0)?;
        let method = Projected(Lean(RadauIIA::<3>));
        let mut projected = Adaptive::new(RigidPendulum, method, tolerance, 1e-6, level())?;
        projected.run_to(20.0)?;
        let errors = |at: &Motion<f64, 2, 1>| {
            let (q, v, lambda) = PENDULUM;
            [
                (at.q - Vector::from(q)).amax(),
                (at.v - Vector::from(v)).amax(),
                (at.lambda[0] - lambda).abs() / (1.0 + lambda),
            ]
            .map(|error| error / tolerance)
        };
        let (without, with) = (errors(free.state()), errors(projected.state()));
        println!("{tolerance:e}: errors over tolerance {without:.1?}, projected {with:.1?}");
        println!("{:?}\n{:?}", free.statistics(), projected.statistics());
        assert!(with.into_iter().all(|error| error < 30.0), "{with:?}");
        assert_eq!(projected.statistics().beyond, 0);
        // Without it positions are controlled, and that the multiplier is not is said.
        assert!(without[0] < 30.0, "{without:?}");
        assert!(free.statistics().beyond > free.statistics().steps / 2);
    }
    Ok(())
}

/// A rod on a pivot, in units of one's own.
fn rod(second: f64, metre: f64) -> Point<f64, Rigid> {
    Point {
        length: metre,
        weight: metre / (second * second),
        nominal: [metre, metre / second],
        ..Point::on(Rigid)
    }
}

#[test]
fn units_do_not_matter() -> Result<(), Error> {
    let all = [1e-6, 1e-3, 1.0, 1e3, 1e6];
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let mut counts = [const { Vec::new() }; 4];
        for second in all {
            for metre in all {
                let rod = rod(second, metre);
                let start = || ([metre, 0.0].into(), [0.0; 2].into());
                let (method, first) = (Lean(RadauIIA::<3>), 1e-4 * second);
                let mut plant = Adaptive::new(rod, method, tolerance, first, start())?;
                plant.run_to(20.0 * second)?;
                counts[0].push(plant.statistics().steps);
                let method = Projected(method);
                let mut plant = Adaptive::new(rod, method, tolerance, first, start())?;
                plant.run_to(20.0 * second)?;
                counts[1].push(plant.statistics().steps);
                let shaft = shaft(1e4, second, metre);
                let speeds = [0.5, -0.5].map(|v| v * metre / second);
                let (start, method) = (([0.0; 2].into(), speeds.into()), Lean(RadauIIA::<3>));
                let end = 20.0 / 2e4_f64.sqrt() * second;
                let mut plant = Adaptive::new(shaft, method, tolerance, 1e-4 * end, start)?;
                plant.run_to(end)?;
                counts[2].push(plant.statistics().steps);
                let oscillator = oscillator(1.0 / second);
                let start = ([0.0].into(), [metre / second].into());
                let plant = Adaptive::new(oscillator, RadauIIA::<3>, tolerance, first, start)?;
                let mut plant = plant.with_absolute(EachOfMotion {
                    q: [tolerance * metre],
                    v: [tolerance * metre / second],
                    lambda: [],
                })?;
                plant.run_to(20.0 * second)?;
                counts[3].push(plant.statistics().steps);
            }
        }
        for (name, counts) in ["rod", "projected rod", "shaft", "oscillator"]
            .iter()
            .zip(&counts)
        {
            let (least, most) = (counts.iter().min(), counts.iter().max());
            println!("{name}, {tolerance:e}: {least:?} to {most:?} steps");
            let (least, most) = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
            let few = f64::from(most) <= 1.05 * f64::from(least);
            assert!(few, "{name}: {counts:?}");
        }
    }
    Ok(())
}

/// RADAU5's own control is there for whoever compares counts: its steps depend on the unit of time.
#[test]
fn radau5_s_own_control_is_still_there() -> Result<(), Error> {
    let mut steps = [0; 2];
    for (steps, second) in steps.iter_mut().zip([1.0, 1e3]) {
        let rod = rod(second, 1.0);
        let start = ([1.0, 0.0].into(), [0.0; 2].into());
        let plant = Adaptive::new(rod, Lean(RadauIIA::<3>), 1e-6, 1e-4 * second, start)?;
        let mut plant = plant.with_control(Control::Radau5);
        plant.run_to(20.0 * second)?;
        *steps = plant.statistics().steps;
    }
    println!("{steps:?}");
    assert!(2 * steps[1] > 3 * steps[0], "{steps:?}");
    Ok(())
}

/// A multiplier's magnitude is the model's own, or follows from the others.
fn heavy(told: Option<f64>) -> Point<f64, Rigid> {
    Point {
        mass: 1e6,
        weight: 1e6,
        nominal_lambda: told.map(|x| [x]),
        ..Point::on(Rigid)
    }
}

#[test]
fn multipliers_have_magnitudes() -> Result<(), Error> {
    let steps = |told| -> Result<u32, Error> {
        let method = Projected(Lean(RadauIIA::<3>));
        let mut plant = Adaptive::new(heavy(told), method, 1e-6, 1e-4, level())?;
        plant.run_to(5.0)?;
        Ok(plant.statistics().steps)
    };
    // Of a million kilograms at one metre a second and metre: a million newtons, and not one.
    assert_eq!(steps(None)?, steps(Some(1e6))?);
    assert!(steps(Some(1.0))? > steps(None)?);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let method = Lean(RadauIIA::<3>);
        let made = Adaptive::new(heavy(Some(wrong)), method, 1e-6, 1e-4, level());
        assert_eq!(made.err(), Some(Error::Nominal { index: 4 }));
    }
    Ok(())
}

/// A projection onto the slow motion of springs must not feed their ringing, at any step.
#[test]
fn projected_springs_gain_no_energy() -> Result<(), Error> {
    fn growth<Kind>(
        method: impl Moves<Shaft, Kind, f64, 2, 1, 0>,
        ratio: f64,
    ) -> Result<f64, Error> {
        let (stiffness, omega) = (1e4, 2e4_f64.sqrt());
        let start = ([0.0; 2].into(), [0.5, -0.5].into());
        let mut plant = Simulation::new(shaft(stiffness, 1.0, 1.0), method, ratio / omega, start)?;
        let energy = |at: &Motion<f64, 2, 1>| {
            0.5 * (at.v.norm_squared() + stiffness * (at.q[0] - at.q[1]).powi(2))
        };
        let (mut most, before) = (0.0_f64, energy(plant.state()));
        for _ in 0..200 {
            plant.step()?;
            most = most.max(energy(plant.state()) / before);
        }
        Ok(most)
    }
    for ratio in [
        0.03, 0.1, 0.3, 1.0, 2.0, 3.0, 3.4, 4.0, 5.0, 6.3, 8.0, 10.0, 20.0, 100.0,
    ] {
        let gained = [
            growth(Projected(Lean(RadauIIA::<2>)), ratio)?,
            growth(Projected(Lean(RadauIIA::<3>)), ratio)?,
            growth(Projected(Lean(RadauIIA::<5>)), ratio)?,
        ];
        println!("h omega {ratio}: {gained:.6?}");
        let none = 1.0 + 1e-9;
        let passive = gained.into_iter().all(|g| g < none);
        assert!(passive, "h omega {ratio}: {gained:?}");
    }
    Ok(())
}
