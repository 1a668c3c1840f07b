//! Instructions, counted exactly by a timer.
//!
//! Under QEMU's `-icount` virtual time advances by a fixed amount an instruction, so SysTick counts instructions in units
//! that depend on the board's clock. A loop of known length gives the unit at start, and an empty measurement what
//! measuring itself costs. Without `-icount` the figures mean nothing.

use core::hint::black_box;
use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use stiffstep_plants::workload::Probe;

/// SysTick counts down through 24 bits.
const WRAP: u32 = 0x00ff_ffff;

/// Iterations of the loop that sets the unit. Each is two instructions; the timer must not wrap within them.
const LOOP: u32 = 1_000_000;

/// Counts the instructions of every step that it is told of.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Ticks that `2 LOOP` instructions take.
    unit: u64,
    /// Instructions of an empty measurement.
    overhead: u32,
    began: u32,
    /// The fewest instructions of a step.
    pub least: u32,
    /// Those before the last step.
    least_before: u32,
    /// The most instructions of a step.
    pub most: u32,
    /// The instructions of all steps.
    pub total: u64,
}

impl Counter {
    /// Starts and calibrates the timer. `None` if it is in use already.
    pub fn new() -> Option<Self> {
        let mut timer = Peripherals::take()?.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(WRAP);
        timer.clear_current();
        timer.enable_counter();
        let unit = ticks_of_loop(LOOP) - ticks_of_loop(0);
        let mut counter = Counter {
            unit: unit.into(),
            overhead: 0,
            began: 0,
            least: u32::MAX,
            least_before: u32::MAX,
            most: 0,
            total: 0,
        };
        // Through the same virtual calls as a workload makes.
        let probe: &mut dyn Probe = black_box(&mut counter);
        probe.begin();
        probe.end();
        counter.overhead = counter.least;
        Some(counter.restarted())
    }

    /// The same counter with nothing counted yet.
    pub fn restarted(self) -> Self {
        Counter {
            least: u32::MAX,
            least_before: u32::MAX,
            most: 0,
            total: 0,
            ..self
        }
    }
}

#[inline(never)]
fn ticks_of_loop(iterations: u32) -> u32 {
    let began = SYST::get_current();
    cortex_m::asm::delay(black_box(iterations));
    began.wrapping_sub(SYST::get_current()) & WRAP
}

impl Probe for Counter {
    #[inline(never)]
    fn begin(&mut self) {
        self.began = SYST::get_current();
    }

    #[inline(never)]
    fn end(&mut self) {
        let ticks = u64::from(self.began.wrapping_sub(SYST::get_current()) & WRAP);
        let loop_length = u64::from(2 * LOOP);
        // A tick is less than half an instruction, so rounding makes the count exact.
        let rounded = (ticks * loop_length + self.unit / 2) / self.unit.max(1);
        let count = (rounded as u32).saturating_sub(self.overhead);
        self.least_before = self.least;
        self.least = self.least.min(count);
        self.most = self.most.max(count);
        self.total += u64::from(count);
    }
    fn refused(&mut self) {
        self.least = self.least_before;
    }
}
