//! Two analogue inputs, four outputs by pulse width.

use rp2040_hal::adc::{Adc, AdcPin};
use rp2040_hal::gpio::bank0::{Gpio2, Gpio3, Gpio4, Gpio5, Gpio26, Gpio27};
use rp2040_hal::gpio::{FunctionNull, FunctionSioInput, Pin, PullDown, PullNone};
use rp2040_hal::pac::{ADC, PWM, RESETS};
use rp2040_hal::pwm::{A, B, Channel, FreeRunning, Pwm1, Pwm2, Slice, Slices};
use stiffstep::hil::pins::{Drive, Pins, Pwm};

/// A pin as it comes out of reset.
type Fresh<I> = Pin<I, FunctionNull, PullDown>;
type Input<I> = AdcPin<Pin<I, FunctionSioInput, PullNone>>;
type Output<S, C> = Pwm<Channel<Slice<S, FreeRunning>, C>>;

/// Two slices with two channels each.
type Outputs = (
    Output<Pwm1, A>,
    Output<Pwm1, B>,
    Output<Pwm2, A>,
    Output<Pwm2, B>,
);
type FreshOutputs = (Fresh<Gpio2>, Fresh<Gpio3>, Fresh<Gpio4>, Fresh<Gpio5>);

/// A little more than 30 kHz at 125 MHz, and 12 bits.
const TOP: u16 = 4095;

/// The pins in service.
pub struct BoardPins {
    converter: Adc,
    inputs: (Input<Gpio26>, Input<Gpio27>),
    outputs: Outputs,
}

impl BoardPins {
    /// Takes them into service. `None` if the converter refuses its pins.
    pub fn new(
        (converter, inputs): (ADC, (Fresh<Gpio26>, Fresh<Gpio27>)),
        (timer, pins): (PWM, FreshOutputs),
        resets: &mut RESETS,
    ) -> Option<Self> {
        let slices = Slices::new(timer, resets);
        let (mut first, mut second) = (slices.pwm1, slices.pwm2);
        first.set_top(TOP);
        second.set_top(TOP);
        first.enable();
        second.enable();
        let mut outputs = (
            Pwm(first.channel_a),
            Pwm(first.channel_b),
            Pwm(second.channel_a),
            Pwm(second.channel_b),
        );
        // The pins stay connected; nobody takes them back.
        outputs.0.0.output_to(pins.0);
        outputs.1.0.output_to(pins.1);
        outputs.2.0.output_to(pins.2);
        outputs.3.0.output_to(pins.3);
        outputs.0.0.set_enabled(true);
        outputs.1.0.set_enabled(true);
        outputs.2.0.set_enabled(true);
        outputs.3.0.set_enabled(true);
        Some(BoardPins {
            converter: Adc::new(converter, resets),
            inputs: (
                AdcPin::new(inputs.0.into_floating_input()).ok()?,
                AdcPin::new(inputs.1.into_floating_input()).ok()?,
            ),
            outputs,
        })
    }
}

impl Pins for BoardPins {
    fn read(&mut self, input: usize) -> Option<f32> {
        let code: u16 = match input {
            0 => self.converter.read(&mut self.inputs.0).ok()?,
            1 => self.converter.read(&mut self.inputs.1).ok()?,
            _ => return None,
        };
        Some(f32::from(code) / 4095.0)
    }

    fn write(&mut self, output: usize, part: f32) {
        match output {
            0 => self.outputs.0.drive(part),
            1 => self.outputs.1.drive(part),
            2 => self.outputs.2.drive(part),
            3 => self.outputs.3.drive(part),
            _ => {}
        }
    }
}
