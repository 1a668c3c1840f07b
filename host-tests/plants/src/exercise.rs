//! A plant on its rig, exercised for its certificate: a long run, and states that random inputs and parameters lead to. Boards and
//! the desk do the same to the bit, because everything random follows from one seed.

use crate::rigs::ITERATIONS;
use crate::workload::{Bits, Probe, Record};
use core::fmt;
use core::hint::black_box;
use core::mem::size_of;
use stiffstep::hil::protocol::{Change, Kind};
use stiffstep::hil::{Allowance, Rig, Signals};
use stiffstep::prelude::{Error, Report};

/// A way to exercise a plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exercise {
    /// Steps in a row from the start, with inputs that jump within their ranges now and then.
    Long,
    /// Steps in which every input is random within its range; every few steps the plant starts anew with random parameters.
    Random,
}

impl Exercise {
    /// Both.
    pub const ALL: [Exercise; 2] = [Exercise::Long, Exercise::Random];

    /// Its name, how many steps a certificate takes, and how many of them keep their inputs.
    const fn about(self) -> (&'static str, u32, u32) {
        match self {
            Exercise::Long => ("long run", 10_000, 50),
            Exercise::Random => ("random states", 2_000, 1),
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.about().0
    }

    /// How many steps a certificate takes.
    pub const fn steps(self) -> u32 {
        self.about().1
    }

    /// Takes the steps. The record counts those that were not refused; a long run ends with the first that is.
    pub fn run<R: Rig>(self, rig: Result<R, Error>, steps: u32, probe: &mut dyn Probe) -> Record {
        let mut record = Record::EMPTY;
        let Ok(mut rig) = rig else {
            return record;
        };
        let mut chance = Chance::new();
        let mut inputs = Signals::new();
        for n in 0..steps {
            if self == Exercise::Random && n % RESTART == 0 {
                restart(&mut rig, &mut chance);
            }
            if n % self.about().2 == 0 {
                inputs = random_inputs(&mut rig, &mut chance);
            }
            probe.begin();
            let report = step(black_box(&mut rig), black_box(&inputs));
            probe.end();
            if black_box(report).is_ok() {
                record.absorb(&Shown(&rig));
            } else if self == Exercise::Long {
                break;
            } else {
                probe.refused();
            }
        }
        // Rigs keep no time that they show; everything else that they keep is in here.
        record.time = rig.digest().into();
        record
    }
}

/// What a board logs of an exercise, as the desk says it.
pub struct Line {
    /// The plant.
    pub plant: &'static str,
    /// What was done.
    pub exercise: Exercise,
    /// What it left behind.
    pub record: Record,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (record, exercise) = (&self.record, self.exercise.name());
        write!(
            f,
            "record|{}|f32|{exercise}|{}|{:x}|{:x}|{:x?}|0|0|0|0",
            self.plant,
            record.steps,
            record.hash,
            record.time,
            record.final_state()
        )
    }
}

/// Everything that a certificate's exercises leave behind on the desk.
pub fn lines<R: Rig>(
    make: impl Fn() -> Result<R, Error>,
) -> Result<[Line; Exercise::ALL.len()], Error> {
    let plant = make()?.about().plant;
    Ok(Exercise::ALL.map(|exercise| Line {
        plant,
        exercise,
        record: exercise.run(make(), exercise.steps(), &mut ()),
    }))
}

/// Steps from one start to the next.
const RESTART: u32 = 8;

/// What a board keeps of a plant besides the stack, in bytes: the plant, its sensors and faults, and the memory of its start.
pub const fn bytes<R: Rig>() -> usize {
    size_of::<R>()
}

/// A period's work, kept out of line so that its size and cost can be seen: inputs in, a step of a fixed budget, outputs out.
#[inline(never)]
pub fn step<R: Rig>(rig: &mut R, inputs: &[f32]) -> Result<Report<f32>, Error> {
    rig.step(inputs, &mut Allowance::new(ITERATIONS, &mut || false))
}

/// What is seen of a plant, sensors included.
struct Shown<'a, R>(&'a R);

impl<R: Rig> Bits for Shown<'_, R> {
    fn each(&self, see: &mut dyn FnMut(u64)) {
        self.0.states(&mut |value| see(value.to_bits().into()));
        for value in self.0.outputs() {
            see(value.to_bits().into());
        }
    }
}

/// Back to the start, with parameters from their ranges. Those that the plant refuses stay as they were.
fn restart<R: Rig>(rig: &mut R, chance: &mut Chance) {
    let _always_possible = rig.apply(&Change::Reset);
    let mut index = 0;
    while let Some(parameter) = rig.describe(Kind::Parameter, index) {
        let value = chance.around(parameter.value, parameter.range);
        let _may_not_fit = rig.apply(&Change::Parameter { index, value });
        index += 1;
    }
}

fn random_inputs<R: Rig>(rig: &mut R, chance: &mut Chance) -> Signals {
    let mut inputs = Signals::new();
    let mut index = 0;
    while let Some(input) = rig.describe(Kind::Input, index) {
        let [least, most] = input.range;
        let _fits = inputs.push(least + (most - least) * chance.part());
        index += 1;
    }
    inputs
}

/// Numbers that only look random: Marsaglia's xorshift.
struct Chance(u32);

impl Chance {
    fn new() -> Self {
        Chance(0x2545_f491)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// From 0 to 1.
    fn part(&mut self) -> f32 {
        (self.next() >> 8) as f32 / 16_777_216.0
    }

    /// A value between a quarter and four times the usual one, as far as the range goes; anything of the range if the usual one is
    /// zero. A range spans what the physics allows, often many powers of ten: drawn evenly, nearly all values would be extreme.
    fn around(&mut self, usual: f32, [least, most]: [f32; 2]) -> f32 {
        let part = self.part();
        let value = if usual == 0.0 {
            least + (most - least) * part
        } else {
            let factor = 0.25 + 1.75 * part;
            usual * factor * factor
        };
        value.max(least).min(most)
    }
}
