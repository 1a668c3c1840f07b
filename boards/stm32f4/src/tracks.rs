//! The two tracks of an encoder at PB6 and PB7, toggled by the channels of TIM4. What they are to do in a period is written in the period before.
#![allow(unsafe_code)] // Registers of the timer, which an interrupt writes, too.

use crate::latch::{self, RESTARTED_BY_TIM2};
use core::sync::atomic::{AtomicBool, Ordering};
use stiffstep::hil::{Encoder, Toggles, Turning};
use stm32f4xx_hal::pac::{TIM2, TIM4};
use stm32f4xx_hal::rcc::{Enable, Rcc, Reset};

/// Ticks before the end of a period from which on nothing is written for the next one.
const LATEST: u32 = 512;

/// Whether what was written waits for the next period.
static WAITS: AtomicBool = AtomicBool::new(false);

fn write(toggles: Toggles) {
    latch::hold_tracks();
    // SAFETY: only this module uses the timer, and only with interrupts off once it runs. It takes the lower 16 bits.
    unsafe {
        let timer = &*TIM4::ptr();
        timer.psc().write(|w| w.bits(toggles.divider - 1));
        timer.arr().write(|w| w.bits(toggles.length - 1));
        timer.ccr(0).write(|w| w.bits(toggles.compare[0]));
        timer.ccr(1).write(|w| w.bits(toggles.compare[1]));
    }
}

/// A period has begun, and with it what was written before: the next one has no edges unless somebody writes some.
pub fn taken() {
    if WAITS.load(Ordering::Relaxed) {
        write(Toggles::NONE);
        WAITS.store(false, Ordering::Relaxed);
    }
}

/// No more edges from the next period on, for when nobody computes them any more.
pub fn stop() {
    write(Toggles::NONE);
}

/// The tracks in service.
pub struct Tracks {
    encoder: Encoder,
    period: u32,
}

impl Tracks {
    /// Takes the timer into service, whose channels have their pins already. It begins with the first period.
    pub fn new(
        turning: Turning,
        counts: u32,
        h: f32,
        period: u32,
        timer: &TIM4,
        rcc: &mut Rcc,
    ) -> Self {
        /// Both channels low, then toggling; with what was written taken over at updates. In `CCMR1`.
        const LOW: u32 = 0b100 << 12 | 0b100 << 4;
        const TOGGLING: u32 = 0b011 << 12 | 1 << 11 | 0b011 << 4 | 1 << 3;
        TIM4::enable(rcc);
        TIM4::reset(rcc);
        // SAFETY: values within their fields.
        unsafe {
            timer.ccmr1_output().write(|w| w.bits(LOW));
            timer.ccer().write(|w| w.bits(1 | 1 << 4));
            timer.ccmr1_output().write(|w| w.bits(TOGGLING));
            let none = Toggles::NONE;
            timer.arr().write(|w| w.bits(none.length - 1));
            timer.ccr(0).write(|w| w.bits(none.compare[0]));
            timer.ccr(1).write(|w| w.bits(none.compare[1]));
            timer.egr().write(|w| w.bits(1));
            timer.smcr().write(|w| w.bits(RESTARTED_BY_TIM2));
        }
        latch::hold_tracks();
        let most = Toggles::most(period, 2 * latch::BEFORE);
        Tracks {
            encoder: Encoder::new(turning, counts, h, most),
            period,
        }
    }

    /// Has the edges that bring the tracks to the sensor's value come in the next period. Where it is too late for that, or another lot waits, they
    /// come in a later one.
    pub fn show(&mut self, value: f32) {
        cortex_m::interrupt::free(|_| {
            // SAFETY: only read.
            let into = unsafe { (*TIM2::ptr()).cnt().read().bits() };
            if WAITS.load(Ordering::Relaxed) || self.period.saturating_sub(into) < LATEST {
                self.encoder.advance(value);
                return;
            }
            let count = self.encoder.counts();
            let turned = self.encoder.turn(value);
            if turned != 0 {
                write(Toggles::new(count, turned, self.period));
                WAITS.store(true, Ordering::Relaxed);
            }
        });
    }
}
