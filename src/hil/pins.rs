//! Pins: what the world outside sees of the plant. A pin shows a part of its full swing, from 0 to 1.

use super::Range;
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal::spi::SpiDevice;

/// The pins of a board.
pub trait Pins {
    /// A period began at this tick of the clock: whoever takes the mean of an input takes it up to there.
    fn begin(&mut self, _beginning: u32) {}
    /// What stands at an input; none if it is not connected. Asked for every input in every period in which the plant steps.
    fn read(&mut self, input: usize) -> Option<f32>;
    /// Drives an output, if it is connected.
    fn write(&mut self, output: usize, part: f32);
    /// Shows an output's value, of which the pin's full swing is the range.
    fn show(&mut self, output: usize, value: f32, range: Range) {
        self.write(output, range.part(value));
    }
    /// All outputs were driven: boards that have all of them change at one moment, when the next period begins, get that ready.
    fn latch(&mut self) {}
    /// Called once a period: where a watchdog is fed.
    fn alive(&mut self) {}
    /// What an output has to show from the moment on when nobody can compute it any more, as after a panic.
    fn secure(&mut self, _output: usize, _part: f32) {}
    /// The enable input: while it is off, the outputs show their safe values and the plant stands still.
    fn enabled(&mut self) -> bool {
        true
    }
    /// The stack, if somebody looks after it.
    fn stack(&self) -> Option<super::Stack> {
        None
    }
}

/// No pins: everything goes over the link.
impl Pins for () {
    fn read(&mut self, _input: usize) -> Option<f32> {
        None
    }
    fn write(&mut self, _output: usize, _part: f32) {}
}

/// An output.
pub trait Drive {
    /// Shows a part of the full swing.
    fn drive(&mut self, part: f32);
}

/// An analogue output by pulse width: a low-pass of a resistor and a capacitor makes a voltage of it.
#[derive(Debug)]
pub struct Pwm<P>(pub P);

impl<P: SetDutyCycle> Drive for Pwm<P> {
    fn drive(&mut self, part: f32) {
        let most = self.0.max_duty_cycle();
        let duty = (part * f32::from(most) + 0.5) as u16;
        // A channel that takes no duty has nothing to say either.
        let _ = self.0.set_duty_cycle(duty.min(most));
    }
}

/// A channel of a converter of the MCP4921 and MCP4922 family: 12 bits over SPI, gain 1, always on.
#[derive(Debug)]
pub struct Dac<S> {
    /// The converter on its bus.
    pub device: S,
    /// Its second channel.
    pub second: bool,
}

impl<S: SpiDevice> Drive for Dac<S> {
    fn drive(&mut self, part: f32) {
        let code = ((part * 4095.0 + 0.5) as u16).min(4095);
        let word = u16::from(self.second) << 15 | 0b0011 << 12 | code;
        // The next period drives it again.
        let _ = self.device.write(&word.to_be_bytes());
    }
}
