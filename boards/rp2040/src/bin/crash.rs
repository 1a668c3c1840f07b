//! The DC motor that crashes on request: to see, on an emulator, that its outputs get to their safe values whatever happens. The request is
//! a fault of the first output with a number of lost samples that stands for the kind of crash.
#![no_std]
#![no_main]

use core::hint::black_box;
use stiffstep::hil::protocol::{Change, Description, Kind, Refusal};
use stiffstep::hil::{About, Allowance, Fault, Rig, Snapshot};
use stiffstep::step::{Error, Report};
use stiffstep_plants::rigs::{BUILD, dc_motor};

struct Crashing<R>(R);

/// Deeper and deeper.
#[allow(unconditional_recursion)]
fn overflow(depth: u32) -> u32 {
    let frame = black_box([depth; 64]);
    overflow(black_box(depth + 1)) + black_box(frame)[7]
}

fn crash(kind: u16) {
    match kind {
        1001 => {
            // A panic that the compiler does not foresee.
            let index: usize = black_box(9);
            let table = black_box([0_u32; 4]);
            black_box(table[index]);
        }
        1002 => cortex_m::asm::udf(),
        1003 => _ = black_box(overflow(0)),
        1004 => loop {
            cortex_m::asm::nop();
        },
        _ => {}
    }
}

impl<R: Rig> Rig for Crashing<R> {
    fn apply(&mut self, change: &Change) -> Result<(), Refusal> {
        if let Change::Fault(Fault::Lost { output: 0, samples }) = change {
            crash(*samples);
        }
        self.0.apply(change)
    }
    fn about(&self) -> About {
        self.0.about()
    }
    fn describe(&mut self, kind: Kind, index: u8) -> Option<Description<&'static str>> {
        self.0.describe(kind, index)
    }
    fn step(
        &mut self,
        inputs: &[f32],
        allowance: &mut Allowance<'_>,
    ) -> Result<Report<f32>, Error> {
        self.0.step(inputs, allowance)
    }
    fn steps(&self) -> u32 {
        self.0.steps()
    }
    fn inputs(&self) -> &[f32] {
        self.0.inputs()
    }
    fn outputs(&self) -> &[f32] {
        self.0.outputs()
    }
    fn between(&self, part: f32, see: &mut dyn FnMut(usize, f32)) {
        self.0.between(part, see);
    }
    fn states(&self, see: &mut dyn FnMut(f32)) {
        self.0.states(see);
    }
    fn digest(&mut self) -> u32 {
        self.0.digest()
    }
    fn save(&mut self, into: &mut Snapshot) {
        self.0.save(into);
    }
    fn load(&mut self, from: &Snapshot) -> bool {
        self.0.load(from)
    }
    fn join(&mut self, step: u32) {
        self.0.join(step);
    }
}

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run(dc_motor(1e-3).map(Crashing), BUILD)
}
