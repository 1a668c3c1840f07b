//! Two analogue inputs, four outputs by pulse width.

use stiffstep::hil::pins::{Drive, Pins, Pwm};
use stm32f4xx_hal::adc::Adc;
use stm32f4xx_hal::adc::config::{AdcConfig, SampleTime};
use stm32f4xx_hal::gpio::{Analog, PA0, PA1, PA6, PA7, PB0, PB1};
use stm32f4xx_hal::pac::{ADC1, TIM3};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Rcc;
use stm32f4xx_hal::timer::pwm::ErasedChannel;

/// The pins in service.
pub struct BoardPins {
    converter: Adc<ADC1>,
    inputs: (PA0<Analog>, PA1<Analog>),
    outputs: [Pwm<ErasedChannel<TIM3>>; 4],
}

impl BoardPins {
    /// Takes them into service.
    pub fn new(
        (converter, inputs): (ADC1, (PA0<Analog>, PA1<Analog>)),
        (timer, (one, two, three, four)): (TIM3, (PA6, PA7, PB0, PB1)),
        rcc: &mut Rcc,
    ) -> Self {
        let (_, (ch1, ch2, ch3, ch4)) = timer.pwm_hz(40.kHz(), rcc);
        let (mut ch1, mut ch2) = (ch1.with(one), ch2.with(two));
        let (mut ch3, mut ch4) = (ch3.with(three), ch4.with(four));
        ch1.enable();
        ch2.enable();
        ch3.enable();
        ch4.enable();
        BoardPins {
            converter: Adc::new(converter, true, AdcConfig::default(), rcc),
            inputs,
            outputs: [ch1.erase(), ch2.erase(), ch3.erase(), ch4.erase()].map(Pwm),
        }
    }
}

impl Pins for BoardPins {
    fn read(&mut self, input: usize) -> Option<f32> {
        let time = SampleTime::Cycles_28;
        let code = match input {
            0 => self.converter.convert(&self.inputs.0, time),
            1 => self.converter.convert(&self.inputs.1, time),
            _ => return None,
        };
        Some(f32::from(code) / 4095.0)
    }

    fn write(&mut self, output: usize, part: f32) {
        if let Some(channel) = self.outputs.get_mut(output) {
            channel.drive(part);
        }
    }
}
