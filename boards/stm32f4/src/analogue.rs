//! Two voltages at PA0 and PA4, converted one after the other when a period begins: the trigger of TIM2 starts injected conversions, which have
//! a register each for their results.
#![allow(unsafe_code)] // Registers that the HAL has no words for.

use crate::clocks;
use stm32f4xx_hal::adc::Adc;
use stm32f4xx_hal::adc::config::AdcConfig;
use stm32f4xx_hal::gpio::{Analog, PA0, PA4};
use stm32f4xx_hal::pac::{ADC1, TIM5};
use stm32f4xx_hal::rcc::Rcc;

/// The channels of the pins.
const CHANNELS: [u32; 2] = [0, 4];

/// Cycles of the converter until both results are there: 28 for the sample and 12 for the conversion of each, and some for the trigger.
const CYCLES: u32 = 2 * (28 + 12) + 8;

/// The converter in service.
pub struct Analogue {
    converter: ADC1,
    /// Ticks of the clock from the beginning of a period until both results are there.
    ready: u32,
    _pins: (PA0<Analog>, PA4<Analog>),
}

impl Analogue {
    /// Converts both in every period.
    pub fn new(converter: ADC1, pins: (PA0<Analog>, PA4<Analog>), rcc: &mut Rcc) -> Self {
        /// 28 cycles for the sample, in the field of a channel of `SMPR2`.
        const SAMPLE: u32 = 0b010;
        /// More than one channel, in `CR1`.
        const SCAN: u32 = 1 << 8;
        /// At rising edges of the trigger of TIM2, in `CR2`.
        const TRIGGERED: u32 = 0b01 << 20 | 0b0011 << 16;
        let config = AdcConfig::default().clock(clocks::CONVERTER);
        let _ = Adc::new(converter, true, config, rcc);
        let ticks = rcc.clocks.timclk1().raw() / (rcc.clocks.pclk2().raw() / clocks::DIVIDER);
        // SAFETY: the HAL's converter, which had it, is gone.
        let converter = unsafe { ADC1::steal() };
        let [first, second] = CHANNELS;
        // SAFETY: values within their fields. Of two conversions the third and the fourth place of the sequence are used.
        unsafe {
            let times = SAMPLE << (3 * first) | SAMPLE << (3 * second);
            converter.smpr2().write(|w| w.bits(times));
            let sequence = 1 << 20 | second << 15 | first << 10;
            converter.jsqr().write(|w| w.bits(sequence));
            converter.cr1().modify(|r, w| w.bits(r.bits() | SCAN));
            converter.cr2().modify(|r, w| w.bits(r.bits() | TRIGGERED));
        }
        Analogue {
            converter,
            ready: CYCLES * ticks.max(1),
            _pins: pins,
        }
    }

    /// A voltage at the beginning of this period, as a part of the swing.
    pub fn read(&self, number: usize, beginning: u32) -> f32 {
        // SAFETY: only read.
        let now = || unsafe { (*TIM5::ptr()).cnt().read().bits() };
        while now().wrapping_sub(beginning) < self.ready {}
        let code = self.converter.jdr(number % 4).read().bits() & 0xfff;
        code as f32 / 4095.0
    }
}
