//! Drives beside the independent solution; angles that turn for ever; errors that leave the state.
#![allow(clippy::unwrap_used)]

use stiffstep::electric::{Angle, ServoError, Voltage};
use stiffstep::memory::Digest;
use stiffstep_switched_tests::servo::{PICO, PICO_LIMIT, Told, drive, error, plants};

/// The whole course, as its commands and loads are spread over it.
const STEPS: usize = 6000;

#[test]
fn drives_are_those_of_the_independent_solution() {
    for plant in plants() {
        for shift in [0.0, 0.3] {
            let (error, largest) = error::<f32>(&plant, STEPS, shift, Told::Edges).unwrap();
            assert!(
                error <= plant.limit,
                "{} shift {shift}: {error:e}",
                plant.name
            );
            // A motor that hardly turns would show nothing; one that runs away, too.
            assert!(largest > 0.8 && largest < 3.0, "{} {largest}", plant.name);
        }
    }
}

/// At the rate that a Raspberry Pi Pico has time for, too.
#[test]
fn a_drive_at_the_picos_rate_is_that_of_the_independent_solution() {
    let plant = plants()[0].stepped(1.0 / PICO);
    for shift in [0.0, 0.3] {
        let (error, _) = error::<f32>(&plant, STEPS / 4, shift, Told::Edges).unwrap();
        assert!(error <= PICO_LIMIT, "shift {shift}: {error:e}");
    }
    // The small motor turns by more than half a radian a step there, which is an error and not a wrong answer.
    let fast = plants()[2].stepped(1.0 / PICO);
    let refused = error::<f32>(&fast, STEPS / 4, 0.0, Told::Edges);
    assert_eq!(refused.err(), Some(ServoError::NonFinite));
}

/// A million turns leave an angle where it belongs, to a rounding.
#[test]
fn an_angle_does_not_drift() {
    let (mut angle, by) = (Angle::<f32>::default(), 0.06_f32);
    let mut exact = 0.0_f64;
    for _ in 0..1_000_000 {
        angle = angle.plus(by);
        exact = (exact + f64::from(by)) % std::f64::consts::TAU;
    }
    let difference = (f64::from(angle.radians()) - exact).rem_euclid(std::f64::consts::TAU);
    let difference = difference.min(std::f64::consts::TAU - difference);
    assert!(difference < 1e-6, "{difference:e}");
    assert!(angle.radians().abs() <= std::f32::consts::PI);
}

#[test]
fn errors_leave_the_drive() {
    let plant = &plants()[0];
    let mut servo = drive::<f32>(plant).unwrap();
    servo.step(&Voltage::held([10.0, 5.0]), 0.0).unwrap();
    let before = Digest::of(&mut servo);
    for (voltage, load, why) in [
        ([f32::NAN, 0.0], 0.0, ServoError::Input),
        ([0.0, f32::INFINITY], 0.0, ServoError::Input),
        ([0.0, 0.0], f32::NAN, ServoError::Input),
        ([1e30, 0.0], 0.0, ServoError::NonFinite),
    ] {
        assert_eq!(servo.step(&Voltage::held(voltage), load), Err(why));
        assert_eq!(Digest::of(&mut servo), before);
    }
    let mut machine = plant.machine;
    machine.inductance[1] = 0.0;
    let servo = stiffstep::electric::Servo::new(machine, plant.shaft, 50e-6);
    assert_eq!(servo.err(), Some(ServoError::Machine));
    let mut shaft = plant.shaft;
    shaft.load = -1.0;
    let servo = stiffstep::electric::Servo::new(plant.machine, shaft, 50e-6);
    assert_eq!(servo.err(), Some(ServoError::Shaft));
}
