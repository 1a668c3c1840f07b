//! Machines beside independent equations of the same machines, and sensors.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{PI, TAU};
use stiffstep::electric::{
    Counts, CurrentSensor, DirectCurrent, DirectDrive, DirectServo, Induction, InductionDrive,
    InductionServo, Resolver, ServoError, Shaft, Voltage, hall,
};
use stiffstep::mild::{Course, RungeKutta4};
use stiffstep_switched_tests::servo::small_steps;

const SHAFT: Shaft<f64> = Shaft {
    motor: 1.2e-3,
    load: 4.0e-3,
    stiffness: 800.0,
    damping: 0.05,
    friction: 1e-3,
    fan: 2.5e-5,
};

/// Speeds of motor and load and the twist, by their own equations.
fn inertias(motor: f64, load: f64, twist: f64, torque: f64, against: f64) -> [f64; 3] {
    let shaft = SHAFT.stiffness * twist + SHAFT.damping * (motor - load);
    [
        (torque - shaft - SHAFT.friction * motor) / SHAFT.motor,
        (shaft - SHAFT.fan * load * load.abs() - against) / SHAFT.load,
        motor - load,
    ]
}

/// A chopper's pulses, one a step, wherever they are.
#[test]
fn a_direct_current_drive_follows_its_pulses() {
    let machine = DirectCurrent {
        resistance: 0.5,
        inductance: 2e-3,
        constant: 0.3,
    };
    let (h, supply) = (50e-6, 100.0);
    let model = DirectDrive::new(machine, SHAFT).unwrap();
    let mut drive = RungeKutta4::new(model, h, [0.0; 5])
        .unwrap()
        .turning(DirectDrive::<f64>::ANGLE);
    let mut coupled = DirectServo::new(machine, SHAFT, h).unwrap();
    let mut x = [0.0; 4];
    let (mut worst, mut largest, mut exchanged) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..4000 {
        let begin = 0.1 + 0.3 * (f64::from(step) * 0.7).sin().abs();
        let (end, load) = (begin + 0.5, if step > 2000 { 5.0 } else { 0.0 });
        let course = Course::held([0.0, load].into()).with_pulse(0, supply, begin, end);
        drive.step(&course).unwrap();
        let voltage = Voltage::of_pulse(supply, begin, end);
        coupled.step(&voltage, load).unwrap();
        for (share, voltage) in [(begin, 0.0), (0.5, supply), (0.5 - begin, 0.0)] {
            small_steps(&mut x, share * h, 5, |[current, motor, speed, twist]| {
                let torque = machine.constant * current;
                let [a, b, c] = inertias(*motor, *speed, *twist, torque, load);
                let rest = voltage - machine.resistance * current - machine.constant * motor;
                [rest / machine.inductance, a, b, c]
            });
        }
        let [current, motor, relative, _, _] = *drive.state();
        let ([exchange], shaft) = (coupled.currents(), coupled.mechanical());
        exchanged = exchanged.max((exchange - x[0]).abs() / 20.0);
        exchanged = exchanged.max((shaft.motor_speed() - x[1]).abs() / 150.0);
        exchanged = exchanged.max((shaft.load_speed() - x[2]).abs() / 150.0);
        worst = worst.max((current - x[0]).abs() / 20.0);
        worst = worst.max((motor - x[1]).abs() / 150.0);
        worst = worst.max((motor - relative - x[2]).abs() / 150.0);
        worst = worst.max(
            (model.shaft_torque(drive.state())
                - SHAFT.damping * (x[1] - x[2])
                - SHAFT.stiffness * x[3])
                .abs()
                / 6.0,
        );
        largest = largest.max(x[1]);
    }
    println!("one model {worst:e}, coupled {exchanged:e}");
    assert!(worst < 1e-5 && largest > 100.0, "{worst:e} {largest}");
    assert!(exchanged < 1e-5, "{exchanged:e}");
    let bad = DirectCurrent {
        inductance: 0.0,
        ..machine
    };
    let coupled = DirectServo::new(bad, SHAFT, h);
    assert_eq!(coupled.err(), Some(ServoError::Machine));
    let bad = DirectDrive::new(bad, SHAFT);
    assert_eq!(bad.err(), Some(ServoError::Machine));
}

/// The machine of the independent solution has currents of the stator and fluxes of the rotor instead of two fluxes.
#[test]
fn an_induction_drive_starts_on_the_mains() {
    let machine = Induction {
        resistance: [1.2, 1.0],
        inductance: [0.178, 0.178],
        mutual: 0.17,
        pairs: 2.0,
    };
    let h = 50e-6;
    let model = InductionDrive::new(machine, SHAFT).unwrap();
    let mut drive = RungeKutta4::new(model, h, [0.0; 8])
        .unwrap()
        .turning(InductionDrive::<f64>::ANGLE);
    let [stator, rotor] = machine.inductance;
    let leakage = stator - machine.mutual * machine.mutual / rotor;
    let mut coupled = InductionServo::new(machine, SHAFT, h).unwrap();
    let mut x = [0.0; 7];
    let (mut worst, mut largest, mut exchanged) = (0.0_f64, 0.0_f64, 0.0_f64);
    for step in 0..10_000 {
        let angle = TAU * 50.0 * f64::from(step) * h;
        let (vb, va) = angle.sin_cos();
        let (va, vb) = (310.0 * va, 310.0 * vb);
        let load = if step > 7000 { 4.0 } else { 0.0 };
        drive.step(&Voltage::held([va, vb]).course(load)).unwrap();
        coupled.step(&Voltage::held([va, vb]), load).unwrap();
        small_steps(&mut x, h, 4, |[ia, ib, ra, rb, motor, speed, twist]| {
            let (tau, speed_e) = (machine.resistance[1] / rotor, machine.pairs * motor);
            let rate_a = tau * (machine.mutual * ia - ra) - speed_e * rb;
            let rate_b = tau * (machine.mutual * ib - rb) + speed_e * ra;
            let share = machine.mutual / rotor;
            let torque = 1.5 * machine.pairs * share * (ra * ib - rb * ia);
            let [a, b, c] = inertias(*motor, *speed, *twist, torque, load);
            let r = machine.resistance[0];
            [
                (va - r * ia - share * rate_a) / leakage,
                (vb - r * ib - share * rate_b) / leakage,
                rate_a,
                rate_b,
                a,
                b,
                c,
            ]
        });
        let ([ia, ib], speed) = (
            coupled.stator_currents(),
            coupled.mechanical().motor_speed(),
        );
        exchanged = exchanged.max((ia - x[0]).abs().max((ib - x[1]).abs()) / 60.0);
        exchanged = exchanged.max((speed - x[4]).abs() / 157.0);
        let [ia, ib] = model.stator_currents(drive.state());
        worst = worst.max((ia - x[0]).abs().max((ib - x[1]).abs()) / 60.0);
        worst = worst.max((drive.state()[4] - x[4]).abs() / 157.0);
        largest = largest.max(x[4]);
    }
    println!("one model {worst:e}, coupled {exchanged:e}");
    assert!(worst < 1e-5 && largest > 150.0, "{worst:e} {largest}");
    assert!(exchanged < 1e-5, "{exchanged:e}");
    let bad = Induction {
        mutual: 0.2,
        ..machine
    };
    let bad = InductionDrive::new(bad, SHAFT);
    assert_eq!(bad.err(), Some(ServoError::Machine));
}

#[test]
fn counts_go_once_around() {
    let encoder = Counts { per_turn: 4096 };
    assert_eq!(encoder.of(0.0_f32), 0);
    assert_eq!(encoder.of(-1e-3_f32), 4095);
    assert_eq!(encoder.of(PI), 2048);
    assert_eq!(encoder.of(-PI), 2048);
    assert_eq!(encoder.of(-1e-20_f64), 4095);
    let mut before = 0;
    for k in 0..100_000 {
        let count = encoder.of(TAU * f64::from(k) / 100_000.0);
        assert!(count == before || count == before + 1);
        before = count;
    }
    assert_eq!(before, 4095);
    assert_eq!(Counts { per_turn: 0 }.of(1.0_f32), 0);
    assert_eq!(encoder.of(f32::NAN), 0);
}

/// Six codes a turn, one bit at a time, and never all or none.
#[test]
fn hall_sensors_change_one_at_a_time() {
    let (mut before, mut changes) = (hall(0.0_f64), 0);
    for k in 1..=3600 {
        let now = hall((TAU * (f64::from(k) + 0.5)) / 3600.0);
        assert!(now != 0 && now != 7);
        let changed = (now ^ before).count_ones();
        assert!(changed <= 1);
        changes += changed;
        before = now;
    }
    assert_eq!(changes, 6);
}

#[test]
fn a_resolver_has_its_faults() {
    let resolver = Resolver {
        sine: 1.0,
        cosine: 0.5,
        offset: [0.1, 0.0],
    };
    let [sine, cosine] = resolver.of(PI / 2.0);
    assert!((sine - 1.1_f64).abs() < 1e-15 && cosine.abs() < 1e-15);
}

#[test]
fn a_current_sensor_rounds_and_saturates() {
    let sensor = CurrentSensor {
        offset: 0.0625_f32,
        step: 0.125,
        largest: 2047,
    };
    assert_eq!(sensor.of(1.0), 9);
    assert_eq!(sensor.of(-0.0625), 0);
    assert_eq!(sensor.of(1e9), 2047);
    assert_eq!(sensor.of(-1e9), -2048);
    assert_eq!(sensor.of(f32::NAN), 0);
    assert_eq!(sensor.of(f32::INFINITY), 2047);
}
