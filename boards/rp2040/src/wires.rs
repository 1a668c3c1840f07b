//! What a signal of the plant can be connected to.

use stiffstep::hil::{self, Terminal, Turning};

/// Where an input comes from. The number is the pin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A voltage at GP26 or GP27: 0 to 3.3 V is the input's range.
    Voltage(u8),
    /// The mean of pulses at GP16 or GP17: low all the time to high all the time is the input's range. With both of them only one voltage is
    /// left.
    Pulses(u8),
    /// A level at GP18 or GP19: low and high are the ends of the input's range.
    Level(u8),
}

/// Where an output goes. The number is the pin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Pulses at GP2 to GP5, 30 kHz: full duty is the end of the output's range.
    Pwm(u8),
    /// A level at GP2 to GP5: high in the upper half of the output's range.
    Level(u8),
    /// The tracks of an encoder at GP6 and GP7, with so many counts a turn.
    Encoder(Turning, u32),
}

/// The table that connects signals by their names.
pub type Wires = hil::Wires<Source, Sink>;

/// What is connected.
pub type Connected = hil::Connected<Source, Sink>;

/// What a board does without a table.
pub fn in_order() -> Connected {
    Connected::in_order(
        &[Source::Voltage(26), Source::Voltage(27)],
        &[2, 3, 4, 5].map(Sink::Pwm),
    )
}

impl Terminal for Source {
    fn name(self) -> &'static str {
        match self {
            Source::Voltage(26) => "GP26, voltage",
            Source::Voltage(27) => "GP27, voltage",
            Source::Pulses(16) => "GP16, mean of pulses",
            Source::Pulses(17) => "GP17, mean of pulses",
            Source::Level(18) => "GP18, level",
            Source::Level(19) => "GP19, level",
            _ => "no such pin",
        }
    }
}

impl Terminal for Sink {
    fn name(self) -> &'static str {
        match self {
            Sink::Pwm(2) => "GP2, PWM",
            Sink::Pwm(3) => "GP3, PWM",
            Sink::Pwm(4) => "GP4, PWM",
            Sink::Pwm(5) => "GP5, PWM",
            Sink::Level(2) => "GP2, level",
            Sink::Level(3) => "GP3, level",
            Sink::Level(4) => "GP4, level",
            Sink::Level(5) => "GP5, level",
            Sink::Encoder(..) => "GP6 and GP7, encoder",
            _ => "no such pin",
        }
    }

    fn encoder(self) -> Option<(Turning, u32)> {
        match self {
            Sink::Encoder(turning, counts) => Some((turning, counts)),
            _ => None,
        }
    }
}

/// The pin, if an input takes the mean of its pulses.
pub fn pulses(connected: &Connected, pin: u8) -> Option<u8> {
    let wanted = Some(Source::Pulses(pin));
    connected.inputs.contains(&wanted).then_some(pin)
}
