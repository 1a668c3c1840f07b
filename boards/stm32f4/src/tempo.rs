//! The time base: TIM2 begins the periods, and by its trigger starts conversions and has outputs and encoder go on, whatever the processor does.
//! TIM5 begins to count the same ticks with the first period and never stops: it is the clock, and what edges are captured by.
#![allow(unsafe_code)] // Registers of the timers, and an interrupt.

use stiffstep::hil::{Pace, Slices};
use stm32f4xx_hal::pac::TIM5;
#[cfg(not(feature = "qemu"))]
use stm32f4xx_hal::pac::{NVIC, TIM2, interrupt};
use stm32f4xx_hal::rcc::{Enable, Rcc, Reset};

/// The time base in service. Its ticks are those of the timers, at half the processor's clock or all of it.
pub struct Tempo {
    clock: TIM5,
    frequency: u32,
    period: u32,
}

/// The ticks of a period. `None` for periods that no timer counts.
pub fn period(h: f32, frequency: u32) -> Option<u32> {
    Slices::of(h, frequency, 1 << 31).map(Slices::period)
}

/// Takes the clock into service, standing at zero.
pub fn clock(timer: TIM5, rcc: &mut Rcc) -> TIM5 {
    TIM5::enable(rcc);
    TIM5::reset(rcc);
    // SAFETY: any word.
    timer.arr().write(|w| unsafe { w.bits(u32::MAX) });
    timer
}

#[cfg(not(feature = "qemu"))]
impl Tempo {
    /// Has periods of so many ticks. The first one begins before this returns, and with it whatever waits for the trigger. `None` if the clock does
    /// not start with it.
    pub fn start(
        periods: TIM2,
        clock: TIM5,
        frequency: u32,
        period: u32,
        rcc: &mut Rcc,
    ) -> Option<Self> {
        /// Ticks from here to the first period.
        const LEAD: u32 = 16;
        /// The trigger at updates, in `CR2`.
        const TRIGGER_AT_UPDATES: u32 = 0b010 << 4;
        /// The trigger of TIM2 starts TIM5 (its ITR0), in `SMCR`.
        const STARTED_BY_TIM2: u32 = 0b110;
        /// Interrupts at updates, DMA at both compare values, in `DIER`.
        const REQUESTS: u32 = 1 | 1 << 9 | 1 << 10;
        TIM2::enable(rcc);
        TIM2::reset(rcc);
        // SAFETY: values within their fields. Without an update of its own the timer takes all of them at once; an update would be a trigger.
        unsafe {
            clock.smcr().write(|w| w.bits(STARTED_BY_TIM2));
            periods.arr().write(|w| w.bits(period - 1));
            periods.cnt().write(|w| w.bits(period.saturating_sub(LEAD)));
            for k in 0..2 {
                let before = period.saturating_sub(crate::latch::BEFORE);
                periods.ccr(k).write(|w| w.bits(before));
            }
            periods.cr2().write(|w| w.bits(TRIGGER_AT_UPDATES));
            periods.sr().write(|w| w.bits(0));
            periods.dier().write(|w| w.bits(REQUESTS));
            periods.cr1().write(|w| w.bits(1));
        }
        // Long enough for any lead.
        if (0..1_000).all(|_| clock.cnt().read().bits() == 0) {
            return None;
        }
        // SAFETY: the interrupt finds everything in place.
        unsafe { NVIC::unmask(interrupt::TIM2) };
        Some(Tempo {
            clock,
            frequency,
            period,
        })
    }
}

#[cfg(not(feature = "qemu"))]
#[interrupt]
fn TIM2() {
    // SAFETY: only this interrupt writes the flag, which a zero clears.
    let timer = unsafe { &*TIM2::ptr() };
    timer.sr().write(|w| unsafe { w.bits(!1) });
    crate::tracks::taken();
}

#[cfg(feature = "qemu")]
impl Tempo {
    /// QEMU's timers count, at 1 GHz divided by what their prescaler says, but neither start each other nor interrupt at the right time.
    pub fn start(clock: TIM5, h: f32) -> Option<Self> {
        const FREQUENCY: u32 = 100_000_000;
        // SAFETY: any word.
        unsafe {
            clock.psc().write(|w| w.bits(1_000_000_000 / FREQUENCY - 1));
            clock.cnt().write(|w| w.bits(0));
            clock.cr1().write(|w| w.bits(1));
        }
        Some(Tempo {
            clock,
            frequency: FREQUENCY,
            period: period(h, FREQUENCY)?,
        })
    }
}

impl Pace for Tempo {
    fn now(&self) -> u32 {
        self.clock.cnt().read().bits()
    }

    fn frequency(&self) -> u32 {
        self.frequency
    }

    fn period(&self) -> u32 {
        self.period
    }

    fn idle(&self) {
        // An interrupt between the last look at the clock and this is an event that ends it at once.
        #[cfg(not(feature = "qemu"))]
        cortex_m::asm::wfe();
    }
}
