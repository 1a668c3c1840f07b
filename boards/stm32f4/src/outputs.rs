//! Four outputs by pulse width at PA6, PA7, PB0 and PB1, from TIM3. What is written in a period is shown when the next one begins.
#![allow(unsafe_code)] // Registers of the timer, which the safe state writes, too.

use crate::latch::{self, RESTARTED_BY_TIM2};
use crate::safe;
use stm32f4xx_hal::pac::TIM3;
use stm32f4xx_hal::rcc::{Enable, Rcc, Reset};

/// Pulses a second.
const RATE: u32 = 40_000;

/// The outputs in service.
pub struct Outputs {
    timer: TIM3,
    /// Ticks of a pulse and the pause behind it: this duty is high all the time.
    top: u32,
}

impl Outputs {
    /// Takes the timer into service, whose channels have their pins already.
    pub fn new(timer: TIM3, rcc: &mut Rcc) -> Self {
        /// Two channels high until their compare value, which is taken over at updates; in `CCMR1` and `CCMR2`.
        const PULSES: u32 = 0b110 << 12 | 1 << 11 | 0b110 << 4 | 1 << 3;
        TIM3::enable(rcc);
        TIM3::reset(rcc);
        let top = (rcc.clocks.timclk1().raw() / RATE).max(2);
        // SAFETY: values within their fields.
        unsafe {
            timer.arr().write(|w| w.bits(top - 1));
            timer.ccmr1_output().write(|w| w.bits(PULSES));
            timer.ccmr2_output().write(|w| w.bits(PULSES));
            timer.ccer().write(|w| w.bits(0x1111));
            timer.egr().write(|w| w.bits(1));
            timer.smcr().write(|w| w.bits(RESTARTED_BY_TIM2));
        }
        latch::free_outputs();
        Outputs { timer, top }
    }

    /// The duty that shows a part of the swing.
    fn duty(&self, part: f32) -> u32 {
        ((part * self.top as f32 + 0.5) as u32).min(self.top)
    }

    /// What an output shows from the next period on.
    pub fn show(&mut self, number: usize, part: f32) {
        let duty = self.duty(part);
        if number < 4 {
            latch::hold_outputs();
            // SAFETY: any duty.
            self.timer.ccr(number).write(|w| unsafe { w.bits(duty) });
        }
    }

    /// What an output has to show in the safe state, and shows until the first period.
    pub fn secure(&mut self, number: usize, part: f32) {
        safe::remember(number, self.duty(part));
        safe::outputs();
    }
}
