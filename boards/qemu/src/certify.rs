//! What the images of a certificate do: exercise a plant, or prove that its step cannot panic.

use core::hint::black_box;
use stiffstep::Error;
use stiffstep::hil::{MOST_SIGNALS, Rig};
use stiffstep_plants::exercise::step;

#[cfg(feature = "log")]
pub use exercised::run;

/// Steps a plant for ever. An image that does this and nothing else links only without a panic path.
pub fn prove<R: Rig>(rig: Result<R, Error>) -> ! {
    if let Ok(mut rig) = rig {
        let inputs = black_box([0.0; MOST_SIGNALS]);
        while black_box(true) {
            let _ = black_box(step(black_box(&mut rig), black_box(&inputs)));
        }
    }
    semihosting::process::exit(0)
}

#[cfg(feature = "log")]
mod exercised {
    use crate::count::Counter;
    use crate::record::{log, with_argument};
    use crate::stack::Paint;
    use stiffstep::Error;
    use stiffstep::hil::Rig;
    use stiffstep_plants::exercise::{Exercise, bytes};
    use stiffstep_plants::workload::Probe;

    /// Steps for which the stack is painted, each anew.
    const PAINTED: u32 = 200;

    /// Frames between a step's caller and the painter are not painted; more than they take.
    const FRAMES: u32 = 64;

    /// Exercises a plant, and logs what it is and what it left behind. With a number as the emulator's argument each exercise has only
    /// so many steps: for looking at them one by one.
    pub fn run<R: Rig>(make: impl Fn() -> Result<R, Error>) -> ! {
        if let (Ok(rig), Some(counter)) = (make(), Counter::new()) {
            let about = rig.about();
            defmt::println!(
                "about|{=str}|{=u32:x}|{=u32}",
                about.plant,
                about.h.to_bits(),
                bytes::<R>() as u32
            );
            with_argument(|steps| {
                let few = steps.parse().unwrap_or(u32::MAX);
                for exercise in Exercise::ALL {
                    let steps = exercise.steps().min(few);
                    let mut painter = Painter::default();
                    if few == u32::MAX {
                        exercise.run(make(), steps.min(PAINTED), &mut painter);
                    }
                    let mut counter = counter.restarted();
                    let record = exercise.run(make(), steps, &mut counter);
                    let name = [about.plant, "f32", exercise.name()];
                    log(name, &record, &counter, painter.most);
                }
            });
        }
        semihosting::process::exit(0)
    }

    /// Paints the stack before every step and looks at it afterwards.
    #[derive(Default)]
    struct Painter {
        paint: Option<Paint>,
        most: u32,
    }

    impl Probe for Painter {
        #[inline(never)]
        fn begin(&mut self) {
            self.paint = Some(Paint::new());
        }

        #[inline(never)]
        fn end(&mut self) {
            if let Some(paint) = self.paint {
                self.most = self.most.max(paint.used() + FRAMES);
            }
        }
    }
}
