//! Two voltages, pulses, two levels, four outputs by pulse width, an enable input.

use crate::capture::Capture;
use crate::safe;
use crate::wires::{Connected, Sink, Source};
use embedded_hal::pwm::SetDutyCycle;
use stiffstep::hil::Stack;
use stiffstep::hil::pins::{Drive, Pins, Pwm};
use stiffstep_systick::HighWater;
use stm32f4xx_hal::adc::Adc;
use stm32f4xx_hal::adc::config::{AdcConfig, Clock, SampleTime};
use stm32f4xx_hal::gpio::{Analog, Input, PA0, PA1, PA6, PA7, PB0, PB1, PB12, PB13, PB14};
use stm32f4xx_hal::pac::{ADC1, TIM3};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Rcc;
use stm32f4xx_hal::timer::pwm::ErasedChannel;
use stm32f4xx_hal::watchdog::IndependentWatchdog;

/// The converter takes 36 MHz at most, and gets a fourth of its bus's clock: 84 MHz, or 100 on the F411.
const CONVERTER: Clock = Clock::Pclk2_div_4;

/// The pins in service.
pub struct BoardPins {
    connected: Connected,
    capture: Capture,
    /// The mean of the pulses, taken once a period whoever asks for it.
    mean: f32,
    levels: (PB13<Input>, PB14<Input>),
    converter: Adc<ADC1>,
    inputs: (PA0<Analog>, PA1<Analog>),
    outputs: [Pwm<ErasedChannel<TIM3>>; 4],
    enable: PB12<Input>,
    stack: HighWater,
    /// Fed once a period, from the first one on.
    pub watchdog: Option<IndependentWatchdog>,
}

impl BoardPins {
    /// Takes them into service.
    pub fn new(
        connected: Connected,
        (converter, inputs): (ADC1, (PA0<Analog>, PA1<Analog>)),
        (timer, (one, two, three, four)): (TIM3, (PA6, PA7, PB0, PB1)),
        (enable, lower, upper): (PB12<Input>, PB13<Input>, PB14<Input>),
        capture: Capture,
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
            connected,
            capture,
            mean: 0.0,
            levels: (lower, upper),
            converter: Adc::new(converter, true, AdcConfig::default().clock(CONVERTER), rcc),
            inputs,
            outputs: [ch1.erase(), ch2.erase(), ch3.erase(), ch4.erase()].map(Pwm),
            enable,
            stack: HighWater::new(),
            watchdog: None,
        }
    }
}

/// What drives an output, and by which part of the swing.
fn driven(sink: Sink, part: f32) -> (usize, f32) {
    match sink {
        Sink::Pwm(number) => (number.into(), part),
        Sink::Level(number) => (number.into(), if part >= 0.5 { 1.0 } else { 0.0 }),
    }
}

impl Pins for BoardPins {
    fn begin(&mut self, _beginning: u32) {
        self.mean = self.capture.read();
    }

    fn read(&mut self, input: usize) -> Option<f32> {
        let time = SampleTime::Cycles_28;
        let level = |high: bool| if high { 1.0 } else { 0.0 };
        let code = match (*self.connected.inputs.get(input)?)? {
            Source::VoltageA0 => self.converter.convert(&self.inputs.0, time),
            Source::VoltageA1 => self.converter.convert(&self.inputs.1, time),
            Source::PulsesA15 => return Some(self.mean),
            Source::LevelB13 => return Some(level(self.levels.0.is_high())),
            Source::LevelB14 => return Some(level(self.levels.1.is_high())),
        };
        Some(f32::from(code) / 4095.0)
    }

    fn write(&mut self, output: usize, part: f32) {
        let sinks = self.connected.outputs.get(output).into_iter().flatten();
        for sink in sinks.flatten() {
            let (number, part) = driven(*sink, part);
            if let Some(channel) = self.outputs.get_mut(number) {
                channel.drive(part);
            }
        }
    }

    fn alive(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.feed();
        }
        self.stack.look();
    }

    fn secure(&mut self, output: usize, part: f32) {
        let sinks = self.connected.outputs.get(output).into_iter().flatten();
        for sink in sinks.flatten() {
            let (number, part) = driven(*sink, part);
            if let Some(channel) = self.outputs.get(number) {
                let most = f32::from(channel.0.max_duty_cycle());
                safe::remember(number, (part * most + 0.5) as u16);
            }
        }
    }

    fn enabled(&mut self) -> bool {
        self.enable.is_high()
    }

    fn stack(&self) -> Option<Stack> {
        self.stack.stack()
    }
}
