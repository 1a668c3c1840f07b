//! The proof that a step of a converter cannot panic: the panic handler of this image is a symbol that does not exist, so that it
//! links only if the compiler has removed every panic path.
#![no_std]
#![no_main]

use core::hint::black_box;
use panic_never as _;
use stiffstep::electric::{
    DirectCurrent, DirectServo, Drive, Induction, InductionServo, PulsedDrive, Servo, Shaft,
    Synchronous, Voltage,
};
use stiffstep::mild::{ROS4, Rosenbrock, RungeKutta4};
use stiffstep::prelude::*;
use stiffstep::switched::{Edge, Input, Keys, Limits, Map, Mode, Switched, Tables};

include!(concat!(env!("OUT_DIR"), "/converters.rs"));
include!(concat!(env!("OUT_DIR"), "/drives.rs"));

/// Tables with modes that cannot be reached; what the numbers are does not matter here.
static PARTIAL: Tables<f32, 1, 1, 1, 1, 0, 3, 2> = Tables {
    modes: [Mode {
        a: [[0.0]],
        b: [[1.0]],
        e: [0.0],
        p: [[1.0]],
        w: [[0.0]],
        c: [[1.0]],
        d: [[0.0]],
        o: [0.0],
        device: [0],
        idle: 0,
        opposed: 0,
        watched: 1,
        cut: false,
        levels: 0,
        coarsest: 0,
        first: 0,
    }],
    maps: [],
    keys: Keys {
        weight: [[1, 1]],
        gate: [1],
        partner: [0],
        opposite: [0],
    },
    slots: [0, 1 << 15],
    limits: Limits {
        states: [[-1.0, 1.0]],
        inputs: [[-1.0, 1.0]],
    },
};

#[inline(never)]
fn run<
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
    const S: usize,
>(
    tables: &'static Tables<f32, N, U, Y, M, L, K, S>,
) {
    let view = black_box(tables).view();
    if let Ok(mut switched) = Switched::new(view, black_box([0.0; N]), black_box([1.0; U])) {
        while black_box(true) {
            let edges = black_box([Edge { at: 0.5, gates: 1 }; 4]);
            let edges = edges.get(..black_box(3)).unwrap_or(&[]);
            let _ = black_box(switched.step(&black_box(Input::held([1.0; U])), edges));
            let _ = black_box(switched.set_gates(black_box(1), &black_box([1.0; U])));
            black_box(switched.state());
        }
    }
}

/// Other machines on the same shaft, at steps that no compiler knows.
#[inline(never)]
fn others(shaft: Shaft<f32>) {
    let direct = DirectCurrent {
        resistance: 0.5,
        inductance: 2e-3,
        constant: 0.3,
    };
    let induction = Induction {
        resistance: [1.2, 1.0],
        inductance: [0.178, 0.178],
        mutual: 0.17,
        pairs: 2.0,
    };
    let (shaft, h) = (black_box(shaft), black_box(50e-6));
    if let Ok(mut direct) = DirectServo::new(black_box(direct), shaft, h)
        && let Ok(mut induction) = InductionServo::new(black_box(induction), shaft, h)
    {
        while black_box(true) {
            let pulse = Voltage::of_pulse(black_box(24.0), black_box(0.2), black_box(0.6));
            let _ = black_box(direct.step(&pulse, black_box(1.0)));
            let _ = black_box(induction.step(&black_box(Voltage::held([1.0, 2.0])), 1.0));
            black_box((direct.currents(), induction.stator_currents()));
        }
    }
}

#[inline(never)]
fn turn(machine: Synchronous<f32>, shaft: Shaft<f32>, nominal: [f32; 3], supply: f32) {
    if let Ok(mut servo) = Servo::new(black_box(machine), black_box(shaft), black_box(50e-6)) {
        while black_box(true) {
            let pulses = black_box([[[0.25, 0.5]; 2]; 3]);
            let voltage = Voltage::of_pulses(black_box(supply), &pulses);
            let _ = black_box(servo.step(&voltage, black_box(1.0)));
            black_box(servo.outputs());
        }
    }
    let Ok(model) = Drive::new(black_box(machine), black_box(shaft)) else {
        return;
    };
    let [flux, speed, twist] = black_box(nominal);
    let model = model.with_nominal(flux, speed, twist);
    let x = model.at_rest();
    let pulsed = PulsedDrive::new(model, black_box(50e-6));
    if let Ok(mut implicit) = Simulation::new(pulsed, RadauIIA::<3>, black_box(50e-6), x.into()) {
        while black_box(true) {
            let voltage = black_box(Voltage::held([1.0, 2.0]));
            implicit.input = implicit.model().inputs(&voltage, black_box(0.5));
            let _ = black_box(implicit.step());
            black_box(implicit.state());
        }
    }
    if let Ok(mut explicit) = RungeKutta4::new(model, black_box(50e-6), x)
        && let Ok(mut linear) = Rosenbrock::new(model, black_box(ROS4), black_box(50e-6), x)
    {
        explicit = explicit.turning(black_box(5));
        while black_box(true) {
            let course = black_box(Voltage::held([1.0, 2.0])).course(black_box(0.5));
            let _ = black_box(explicit.step(&course));
            let _ = black_box(linear.step(&course.mean));
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    macro_rules! run {
        ($name:expr, $tables:ident, $given:ident) => {
            black_box(($name, $given));
            run(&$tables)
        };
    }
    every_converter!(run);
    run(&PARTIAL);
    macro_rules! turn {
        ($name:expr, $machine:expr, $shaft:expr, $nominal:expr, $supply:expr, $given:ident) => {
            black_box(($name, $given));
            others($shaft);
            turn($machine, $shaft, $nominal, $supply)
        };
    }
    every_drive!(turn);
    loop {
        black_box(());
    }
}
