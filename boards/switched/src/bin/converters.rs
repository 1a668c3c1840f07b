//! Every converter with the edges of its course: the bits of its states, and instructions a step.
//!
//! Under QEMU's `-icount shift=8` SysTick counts instructions; a loop of known length gives the unit. A number as the emulator's
//! argument lets each converter take only so many steps, which can then be traced, and leaves the drives out.
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::peripheral::{SYST, syst::SystClkSource};
use semihosting::experimental::env;
use semihosting::println;
use stiffstep::electric::{Drive, PulsedDrive, Servo, Shaft, Synchronous, Voltage};
use stiffstep::memory::{Digest, Memory};
use stiffstep::mild::RungeKutta4;
use stiffstep::prelude::*;
use stiffstep::step::FirstOrderStepper;
use stiffstep::switched::{Keys, Limits, Map, Mode, Switched, Tables};
use stiffstep_switched::Reader;

include!(concat!(env!("OUT_DIR"), "/converters.rs"));
include!(concat!(env!("OUT_DIR"), "/drives.rs"));

/// SysTick counts down through 24 bits.
const WRAP: u32 = 0x00ff_ffff;
/// Iterations of the loop that sets the unit, of two instructions each.
const LOOP: u32 = 1_000_000;

/// Ticks since an earlier reading.
fn since(began: u32) -> u32 {
    began.wrapping_sub(SYST::get_current()) & WRAP
}

#[inline(never)]
fn ticks_of_loop(iterations: u32) -> u32 {
    let began = SYST::get_current();
    cortex_m::asm::delay(black_box(iterations));
    since(began)
}

/// What instructions are counted by.
#[derive(Clone, Copy)]
struct Unit {
    ticks: u64,
    overhead: u32,
}

impl Unit {
    fn instructions(self, ticks: u32) -> u32 {
        let twice = u64::from(2 * LOOP);
        let rounded = (u64::from(ticks) * twice + self.ticks / 2) / self.ticks.max(1);
        (rounded as u32).saturating_sub(self.overhead)
    }
}

/// How converters are run.
#[derive(Clone, Copy)]
struct How {
    unit: Unit,
    /// The most steps of each, if not all.
    steps: Option<usize>,
}

impl How {
    /// As the emulator's argument says.
    fn asked(unit: Unit) -> Self {
        let arguments = env::args::<64>();
        // The first is the image's own name.
        let argument = match &arguments {
            Ok(arguments) => { arguments }.nth(1).and_then(Result::ok).unwrap_or(""),
            Err(_) => "",
        };
        How {
            unit,
            steps: argument.parse().ok(),
        }
    }

    /// What a converter is given.
    fn reader<const U: usize>(self, given: &'static [u8]) -> Reader<'static> {
        let all = Reader(given);
        match self.steps {
            Some(steps) => all.first(steps * Reader::bytes::<U>()),
            None => all,
        }
    }
}

/// Called where a converter begins, so that a trace of all of them can be taken apart.
#[inline(never)]
fn case_begins() {
    cortex_m::asm::nop();
}

#[inline(never)]
fn run<
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
>(
    name: &str,
    tables: &'static Tables<f32, N, U, Y, M, L, K>,
    given: &'static [u8],
    how: How,
) {
    case_begins();
    let mut reader = how.reader::<U>(given);
    let start = { reader }
        .given::<U>()
        .map_or([0.0; U], |(input, _, _)| input.start);
    let Ok(mut switched) = Switched::new(black_box(tables).view(), [0.0; N], start) else {
        println!("error|{name}|start");
        return;
    };
    let (mut steps, mut total, mut plain, mut most, mut least) = (0_u32, 0_u64, 0, 0, u32::MAX);
    let mut digest = Digest::EMPTY;
    while let Some((input, edges, count)) = reader.given::<U>() {
        let edges = edges.get(..count).unwrap_or(&[]);
        let began = SYST::get_current();
        let report = black_box(&mut switched).step(black_box(&input), black_box(edges));
        let instructions = how.unit.instructions(since(began));
        let Ok(report) = report else {
            println!("error|{name}|step {steps}");
            return;
        };
        steps += 1;
        total += u64::from(instructions);
        least = least.min(instructions);
        most = most.max(instructions);
        if count == 0 && report.segments <= 1 && report.iterations == 0 {
            plain = plain.max(instructions);
        }
        switched.visit(&mut digest);
    }
    let mean = total / u64::from(steps.max(1));
    let state = size_of_val(switched.state());
    println!(
        "record|{name}|{steps}|{:08x}|{least}|{plain}|{mean}|{most}|{}|{state}",
        digest.hash,
        tables.bytes_per_mode()
    );
}

/// What a drive is: partitioned, or one model.
trait Driven {
    fn digest(&mut self, digest: &mut Digest);
    fn step(&mut self, voltage: &Voltage<f32>, load: f32) -> bool;
}

impl Driven for Servo<f32> {
    fn digest(&mut self, digest: &mut Digest) {
        self.visit(digest);
    }

    #[inline(always)]
    fn step(&mut self, voltage: &Voltage<f32>, load: f32) -> bool {
        Servo::step(self, voltage, load).is_ok()
    }
}

impl Driven for RungeKutta4<Drive<f32>, f32, 6, 3> {
    fn digest(&mut self, digest: &mut Digest) {
        self.visit(digest);
    }

    #[inline(always)]
    fn step(&mut self, voltage: &Voltage<f32>, load: f32) -> bool {
        RungeKutta4::step(self, &voltage.course(load)).is_ok()
    }
}

/// A drive without a word on zeros of its Jacobian.
#[derive(Clone, Copy)]
struct Unknown(PulsedDrive<f32>);

impl AsRef<PulsedDrive<f32>> for Unknown {
    fn as_ref(&self) -> &PulsedDrive<f32> {
        &self.0
    }
}

impl FirstOrder<f32, 6, 7> for Unknown {
    type Mass = stiffstep::model::Unit;
    const TURNS: Option<usize> = Some(Drive::<f32>::ANGLE);

    #[inline(always)]
    fn rhs<T: Scalar<f32>>(&self, t: T, x: &Vector<T, 6>, u: &Vector<f32, 7>) -> Vector<T, 6> {
        self.0.rhs(t, x, u)
    }

    fn period(&self) -> Option<f32> {
        self.0.period()
    }

    fn nominal(&self) -> Vector<f32, 6> {
        self.0.nominal()
    }
}

/// By an implicit method.
type Radau<M> = Simulation<FirstOrderStepper<f32, M, RadauIIA<3>, 6, 7, 3>>;

impl<M: FirstOrder<f32, 6, 7> + AsRef<PulsedDrive<f32>>> Driven for Radau<M> {
    fn digest(&mut self, digest: &mut Digest) {
        self.remember(digest, |_, _| ());
    }

    #[inline(always)]
    fn step(&mut self, voltage: &Voltage<f32>, load: f32) -> bool {
        self.input = self.model().as_ref().inputs(voltage, load);
        Simulation::step(self).is_ok()
    }
}

#[inline(never)]
fn drive<D: Driven>(
    (name, method): (&str, &str),
    drive: &mut D,
    supply: f32,
    given: &'static [u8],
    unit: Unit,
) {
    let mut reader = Reader(given);
    let (mut steps, mut total, mut most, mut least) = (0_u32, 0_u64, 0, u32::MAX);
    let mut digest = Digest::EMPTY;
    while let Some((pulses, load)) = reader.pulses() {
        let began = SYST::get_current();
        let voltage = Voltage::of_pulses(black_box(supply), black_box(&pulses));
        let stepped = black_box(&mut *drive).step(&voltage, load);
        let instructions = unit.instructions(since(began));
        if !stepped {
            println!("error|{name}{method}|step {steps}");
            return;
        }
        steps += 1;
        total += u64::from(instructions);
        least = least.min(instructions);
        most = most.max(instructions);
        drive.digest(&mut digest);
    }
    let mean = total / u64::from(steps.max(1));
    println!(
        "record|{name}{method}|{steps}|{:08x}|{least}|{most}|{mean}|{most}|0|{}",
        digest.hash,
        size_of::<D>()
    );
}

/// A drive by all methods.
fn every_method(
    name: &str,
    (machine, shaft, nominal): (Synchronous<f32>, Shaft<f32>, [f32; 3]),
    supply: f32,
    given: &'static [u8],
    unit: Unit,
) {
    let h = 50e-6;
    match Servo::new(black_box(machine), shaft, h) {
        Ok(mut servo) => drive((name, ""), &mut servo, supply, given, unit),
        Err(error) => println!("error|{name}|{error}"),
    }
    let Ok(model) = Drive::new(black_box(machine), shaft) else {
        return;
    };
    let [flux, speed, twist] = nominal;
    let model = model.with_nominal(flux, speed, twist);
    if let Ok(fitted) = Drive::new(black_box(machine), shaft.fitted(h))
        && let Ok(stepper) = RungeKutta4::new(fitted, h, model.at_rest())
    {
        let mut stepper = stepper.turning(Drive::<f32>::ANGLE);
        drive((name, ", RK4"), &mut stepper, supply, given, unit);
    }
    let (pulsed, start) = (PulsedDrive::new(model, h), model.at_rest().into());
    if let Ok(mut stepper) = Simulation::new(Unknown(pulsed), RadauIIA::<3>, h, start) {
        drive((name, ", Radau 3 dense"), &mut stepper, supply, given, unit);
    }
    if let Ok(mut stepper) = Simulation::new(pulsed, RadauIIA::<3>, h, start) {
        drive((name, ", Radau 3"), &mut stepper, supply, given, unit);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    if let Some(peripherals) = cortex_m::Peripherals::take() {
        let mut timer = peripherals.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(WRAP);
        timer.clear_current();
        timer.enable_counter();
    }
    let ticks = u64::from(ticks_of_loop(LOOP) - ticks_of_loop(0));
    let mut unit = Unit { ticks, overhead: 0 };
    let began = SYST::get_current();
    unit.overhead = unit.instructions(since(began));
    let how = How::asked(unit);
    macro_rules! run {
        ($name:expr, $tables:ident, $given:ident) => {
            run($name, &$tables, $given, how)
        };
    }
    every_converter!(run);
    macro_rules! turn {
        ($name:expr, $machine:expr, $shaft:expr, $nominal:expr, $supply:expr, $given:ident) => {
            every_method($name, ($machine, $shaft, $nominal), $supply, $given, unit)
        };
    }
    if how.steps.is_none() {
        every_drive!(turn);
    }
    semihosting::process::exit(0)
}
