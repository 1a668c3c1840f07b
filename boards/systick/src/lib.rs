//! The pace of a plant on any Cortex-M board: SysTick, whose interrupt begins the periods and ends the sleep between them.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{SCB, SYST};
use cortex_m_rt::exception;
use stiffstep::hil::Pace;

/// Periods begun. The smallest cores have no atomic increment, but only the interrupt writes.
static PERIODS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    PERIODS.store(
        PERIODS.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

/// SysTick with one interrupt a period.
#[derive(Debug)]
pub struct SysTickPace {
    frequency: u32,
    period: u32,
    sleeps: bool,
}

impl SysTickPace {
    /// Starts the timer, which runs at `frequency`, with a period of `h` seconds. SysTick has 24 bits: a longer period than
    /// they hold is cut short there.
    pub fn new(mut timer: SYST, frequency: u32, h: f32) -> Self {
        let ticks = (h * frequency as f32 + 0.5) as u32;
        let period = ticks.clamp(2, 1 << 24);
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(period - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        SysTickPace {
            frequency,
            period,
            sleeps: true,
        }
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
            let periods = PERIODS.load(Ordering::Relaxed);
            let left = SYST::get_current();
            // A period that began without its interrupt having been served yet would make time go backwards.
            if PERIODS.load(Ordering::Relaxed) == periods && !SCB::is_pendst_pending() {
                let into = self.period - 1 - left.min(self.period - 1);
                return periods.wrapping_mul(self.period).wrapping_add(into);
            }
        }
    }

    fn frequency(&self) -> u32 {
        self.frequency
    }

    fn period(&self) -> u32 {
        self.period
    }

    fn idle(&self) {
        if self.sleeps {
            cortex_m::asm::wfi();
        }
    }
}
