//! What a signal of the plant can be connected to.

use stiffstep::hil::{self, Terminal, Turning};

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A voltage at PA0: 0 to 3.3 V is the input's range.
    VoltageA0,
    /// A voltage at PA4.
    VoltageA4,
    /// The mean of pulses at PA1: low all the time to high all the time is the input's range.
    PulsesA1,
    /// A level at PB13: low and high are the ends of the input's range.
    LevelB13,
    /// A level at PB14.
    LevelB14,
}

/// Where an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Pulses at PA6, PA7, PB0 or PB1, counted from 0, at 40 kHz: full duty is the end of the output's range.
    Pwm(u8),
    /// A level there: high in the upper half of the output's range.
    Level(u8),
    /// The tracks of an encoder at PB6 and PB7, with so many counts a turn.
    Encoder(Turning, u32),
}

/// The table that connects signals by their names.
pub type Wires = hil::Wires<Source, Sink>;

/// What is connected.
pub type Connected = hil::Connected<Source, Sink>;

/// What a board does without a table.
pub fn in_order() -> Connected {
    Connected::in_order(
        &[Source::VoltageA0, Source::VoltageA4],
        &[0, 1, 2, 3].map(Sink::Pwm),
    )
}

impl Terminal for Source {
    fn name(self) -> &'static str {
        match self {
            Source::VoltageA0 => "PA0, voltage",
            Source::VoltageA4 => "PA4, voltage",
            Source::PulsesA1 => "PA1, mean of pulses",
            Source::LevelB13 => "PB13, level",
            Source::LevelB14 => "PB14, level",
        }
    }
}

impl Terminal for Sink {
    fn name(self) -> &'static str {
        match self {
            Sink::Pwm(0) => "PA6, PWM",
            Sink::Pwm(1) => "PA7, PWM",
            Sink::Pwm(2) => "PB0, PWM",
            Sink::Pwm(3) => "PB1, PWM",
            Sink::Level(0) => "PA6, level",
            Sink::Level(1) => "PA7, level",
            Sink::Level(2) => "PB0, level",
            Sink::Level(3) => "PB1, level",
            Sink::Encoder(..) => "PB6 and PB7, encoder",
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
