//! The pace of a plant on any Cortex-M board: SysTick, whose interrupt begins the periods and ends the sleep between them. A period that
//! is longer than SysTick counts has several interrupts.
#![no_std]

mod stack;

pub use stack::HighWater;

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{SCB, SYST};
use cortex_m_rt::exception;
use stiffstep::hil::{Pace, Slices};

/// Parts of periods begun. The smallest cores have no atomic increment, but only the interrupt writes.
static PARTS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    let begun = PARTS.load(Ordering::Relaxed);
    PARTS.store(begun.wrapping_add(1), Ordering::Relaxed);
}

/// What SysTick can count: it has 24 bits.
const MOST: u32 = 1 << 24;

/// SysTick with one interrupt a period, or a few.
#[derive(Debug)]
pub struct SysTickPace {
    frequency: u32,
    slices: Slices,
    sleeps: bool,
}

impl SysTickPace {
    /// Starts the timer, which runs at `frequency`, with a period of `h` seconds. `None` if that is less than two ticks or more than 2^31.
    pub fn new(mut timer: SYST, frequency: u32, h: f32) -> Option<Self> {
        let slices = Slices::of(h, frequency, MOST)?;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(slices.length - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        Some(SysTickPace {
            frequency,
            slices,
            sleeps: true,
        })
    }

    /// The same without sleeping: an emulator whose virtual time follows instructions does not know when to wake up.
    pub fn awake(self) -> Self {
        SysTickPace {
            sleeps: false,
            ..self
        }
    }
}

impl Pace for SysTickPace {
    fn now(&self) -> u32 {
        loop {
            let begun = PARTS.load(Ordering::Relaxed);
            let left = SYST::get_current();
            // A part that began without its interrupt having been served yet would make time go backwards.
            if PARTS.load(Ordering::Relaxed) == begun && !SCB::is_pendst_pending() {
                let last = self.slices.length - 1;
                let into = last - left.min(last);
                return begun.wrapping_mul(self.slices.length).wrapping_add(into);
            }
        }
    }

    fn frequency(&self) -> u32 {
        self.frequency
    }

    fn period(&self) -> u32 {
        self.slices.period()
    }

    fn idle(&self) {
        if self.sleeps {
            // An interrupt between the last look at the clock and this is an event that ends it at once.
            cortex_m::asm::wfe();
        }
    }
}
