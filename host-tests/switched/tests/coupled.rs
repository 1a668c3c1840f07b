//! Parts that exchange polynomials: where that is stable, and a mechanical part that is a simulation of its own.
#![allow(clippy::unwrap_used)]

use stiffstep::electric::{
    Axle, Coupled, DirectCurrent, DirectServo, Electrical, Induction, InductionServo, Mechanics,
    Mechanism, PermanentMagnet, Servo, Shaft, Synchronous, Voltage,
};
use stiffstep::prelude::*;
use stiffstep::step::Stepper;
use stiffstep_switched_tests::servo::plants;

const H: f64 = 50e-6;

/// A rotor of this inertia that is alone on its shaft, as good as: its load is much heavier and soft-mounted.
fn alone(motor: f64) -> Shaft<f64> {
    Shaft {
        motor,
        load: 1e3 * motor,
        stiffness: 0.0,
        damping: 0.0,
        friction: 0.0,
        fan: 0.0,
    }
}

/// How the last of a swing compares with the first: the largest torque of the second half over that of the first. Infinite if a step
/// is refused.
fn growth<E, M, const F: usize, const V: usize>(
    mut drive: Coupled<f64, E, M, F, V>,
    kick: [f64; V],
) -> f64
where
    E: Electrical<f64, F, V>,
    M: Mechanics<f64>,
{
    let (mut largest, mut angle) = ([0.0_f64; 2], 0.0);
    for step in 0..20_000 {
        let voltage = if step < 3 { kick } else { [0.0; V] };
        if drive.step(&Voltage::held(voltage), 0.0).is_err() {
            return f64::INFINITY;
        }
        let turned = (drive.angle() - angle).abs();
        angle = drive.angle();
        if step >= 10 {
            let half = &mut largest[usize::from(step >= 10_000)];
            *half = half.max(turned);
        }
    }
    largest[1] / largest[0]
}

/// A synchronous machine whose exchange has this number, and whose resistance takes this share of a swing in a step.
fn synchronous(number: f64, inductance: [f64; 2], taken: f64) -> f64 {
    let least = inductance[0].min(inductance[1]);
    let machine = Synchronous {
        resistance: 2.0 * taken * least / H,
        inductance,
        magnet: 0.12,
        pairs: 4.0,
    };
    let flux = machine.pairs * machine.magnet;
    let inertia = 1.5 * flux * flux * H * H / (number * least);
    let drive = Servo::new(machine, alone(inertia), H).unwrap();
    growth(drive, [0.0, 1e-3])
}

fn direct(number: f64) -> f64 {
    let machine = DirectCurrent {
        resistance: 0.0,
        inductance: 2e-3,
        constant: 0.3,
    };
    let inertia = machine.constant * machine.constant * H * H / (number * machine.inductance);
    let drive = DirectServo::new(machine, alone(inertia), H).unwrap();
    growth(drive, [1e-3])
}

/// An induction machine without losses with a field of its own, which it keeps.
fn induction(number: f64) -> f64 {
    let machine = Induction {
        resistance: [0.0; 2],
        inductance: [0.178, 0.178],
        mutual: 0.17,
        pairs: 2.0,
    };
    let leakage = machine.inductance[0] - machine.mutual * machine.mutual / machine.inductance[1];
    // The field, and a rotor whose flux is its mirror in the leakage.
    let flux = 1.0;
    let linked = machine.pairs * flux;
    let inertia = 1.5 * linked * linked * H * H / (number * leakage);
    let drive = InductionServo::new(machine, alone(inertia), H).unwrap();
    let rotor = flux * machine.inductance[1] / machine.mutual;
    let (electrical, mechanical) = (*drive.electrical(), *drive.mechanical());
    let drive = Coupled::of(electrical, mechanical, [flux, 0.0, rotor, 0.0], H).unwrap();
    growth(drive, [0.0, 1e-3])
}

/// What the documentation of `Coupled` says a swing gains in a step: at most the cube of the exchange's number over this.
const GAINED: f64 = 1600.0;

/// The share of itself that a swing gains in a step, from how it grew.
fn gained(growth: f64) -> f64 {
    growth.powf(1e-4) - 1.0
}

/// Without losses a swing gains no more than the documentation says, and with an inductance that is the same all around hardly less.
#[test]
fn the_exchange_gains_what_it_is_said_to() {
    for number in [0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0] {
        let most = number * number * number / GAINED;
        let round = [
            synchronous(number, [2e-3, 2e-3], 0.0),
            direct(number),
            induction(number),
        ];
        for growth in round {
            let gain = gained(growth);
            assert!(gain <= most && gain > 0.6 * most, "{number}: {gain:e}");
        }
        for inductance in [[2e-3, 3.2e-3], [3.2e-3, 2e-3]] {
            let gain = gained(synchronous(number, inductance, 0.0));
            assert!(gain <= most, "{number}: {gain:e}");
        }
    }
    // And beyond the limit it runs away.
    assert_eq!(synchronous(1.5, [2e-3, 2e-3], 0.0), f64::INFINITY);
    assert_eq!(direct(1.5), f64::INFINITY);
    assert_eq!(induction(1.5), f64::INFINITY);
}

/// A resistance that takes more than that makes the exchange stable, and one that takes a third of it does not.
#[test]
fn a_resistance_makes_the_exchange_stable() {
    for number in [0.3, 0.5, 0.7, 0.99] {
        let most = number * number * number / GAINED;
        let stable = synchronous(number, [2e-3, 2e-3], most);
        let unstable = synchronous(number, [2e-3, 2e-3], most / 3.0);
        assert!(
            stable < 1.0 && unstable > 1.0,
            "{number}: {stable} {unstable}"
        );
    }
}

/// The elastic shaft of the drive as a model that a simulation steps: angle and speed of the motor, twist and relative speed.
#[derive(Clone, Copy)]
struct Rotating(Shaft<f64>);

impl FirstOrder<f64, 4, 2> for Rotating {
    type Mass = Unit;

    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 4>, u: &Vector<f64, 2>) -> Vector<T, 4> {
        let s = &self.0;
        let held = x[2] * s.stiffness + x[3] * s.damping;
        let load = x[1] - x[3];
        let motor = (-held - x[1] * s.friction + u[0]) / s.motor;
        let slowed = (held - load * load.abs() * s.fan - u[1]) / s.load;
        [x[1], motor, x[3], motor - slowed].into()
    }

    fn nominal(&self) -> Vector<f64, 4> {
        [1.0, 300.0, 0.01, 300.0].into()
    }
}

struct OnTheShaft(f64);

impl<P> Axle<P> for OnTheShaft
where
    P: Stepper<Real = f64, State = Vector<f64, 4>, Input = Vector<f64, 2>>,
{
    fn angle(&self, state: &Vector<f64, 4>) -> f64 {
        self.0 * state[0]
    }

    fn drive(&self, input: &mut Vector<f64, 2>, torque: f64, load: f64) {
        *input = [torque, load].into();
    }
}

/// Any simulation can be the mechanical part: that of the elastic shaft moves as the shaft's own map does.
#[test]
fn a_simulation_is_a_mechanical_part() {
    let plant = &plants()[0];
    let (machine, shaft) = (plant.machine, plant.shaft);
    let mut servo = Servo::new(machine, shaft, H).unwrap();
    let model = Simulation::new(Rotating(shaft), RadauIIA::<3>, H, [0.0; 4].into()).unwrap();
    let electrical = PermanentMagnet::new(machine, H).unwrap();
    let mechanical = Mechanism::new(model, OnTheShaft(machine.pairs));
    let flux = [machine.magnet, 0.0];
    let mut drive = Coupled::of(electrical, mechanical, flux, H).unwrap();
    let (mut worst, mut fastest) = (0.0_f64, 0.0_f64);
    for step in 0..4000 {
        let t = f64::from(step) * H;
        // A field that turns faster and faster.
        let (sin, cos) = (600.0 * t * t).sin_cos();
        let voltage = Voltage::held([(5.0 + 100.0 * t) * cos, (5.0 + 100.0 * t) * sin]);
        let load = if step > 2000 { 0.5 } else { 0.0 };
        servo.step(&voltage, load).unwrap();
        drive.step(&voltage, load).unwrap();
        let speed = drive.mechanical().plant().state()[1];
        let speeds = (speed - servo.outputs().motor_speed).abs() / 300.0;
        worst = worst.max(speeds);
        for (a, b) in drive.currents().into_iter().zip(servo.currents()) {
            worst = worst.max((a - b).abs() / 10.0);
        }
        fastest = fastest.max(speed);
    }
    println!("{worst:e}, {fastest} rad/s");
    assert!(worst < 1e-4 && fastest > 50.0, "{worst:e} {fastest}");
    // A step that is refused leaves both parts.
    let before = (drive.currents(), *drive.mechanical().plant().state());
    assert!(drive.step(&Voltage::held([f64::NAN, 0.0]), 0.0).is_err());
    assert!(drive.step(&Voltage::held([1e12, 0.0]), 0.0).is_err());
    assert_eq!(
        before,
        (drive.currents(), *drive.mechanical().plant().state())
    );
}
