//! The pins: two voltages, pulses, two levels, four outputs, an encoder, an enable input.

use crate::analogue::Analogue;
use crate::capture::Capture;
use crate::outputs::Outputs;
use crate::tracks::Tracks;
use crate::wires::{Connected, Sink, Source};
use stiffstep::hil::pins::Pins;
use stiffstep::hil::{Range, Stack, Terminal};
use stiffstep_systick::HighWater;
use stm32f4xx_hal::gpio::{Input, PB12, PB13, PB14};
use stm32f4xx_hal::watchdog::IndependentWatchdog;

/// The pins in service.
pub struct BoardPins {
    pub connected: Connected,
    pub analogue: Analogue,
    pub capture: Capture,
    pub outputs: Outputs,
    pub tracks: Option<Tracks>,
    pub levels: (PB13<Input>, PB14<Input>),
    pub enable: PB12<Input>,
    pub stack: HighWater,
    /// When the period began, and the mean of the pulses before, taken once whoever asks for it.
    pub beginning: u32,
    pub mean: f32,
    /// Fed once a period, from the first one on.
    pub watchdog: Option<IndependentWatchdog>,
}

/// What drives an output, and by which part of the swing.
fn driven(sink: Sink, part: f32) -> Option<(usize, f32)> {
    match sink {
        Sink::Pwm(number) => Some((number.into(), part)),
        Sink::Level(number) => Some((number.into(), if part >= 0.5 { 1.0 } else { 0.0 })),
        Sink::Encoder(..) => None,
    }
}

impl BoardPins {
    /// Does something with all timers that show an output.
    fn each(&mut self, output: usize, part: f32, action: impl Fn(&mut Outputs, usize, f32)) {
        let sinks = self.connected.outputs.get(output).into_iter().flatten();
        for (number, part) in sinks.flatten().filter_map(|sink| driven(*sink, part)) {
            action(&mut self.outputs, number, part);
        }
    }
}

impl Pins for BoardPins {
    fn begin(&mut self, beginning: u32) {
        self.beginning = beginning;
        self.mean = self.capture.until(beginning);
    }

    fn read(&mut self, input: usize) -> Option<f32> {
        let level = |high: bool| if high { 1.0 } else { 0.0 };
        Some(match (*self.connected.inputs.get(input)?)? {
            Source::VoltageA0 => self.analogue.read(0, self.beginning),
            Source::VoltageA4 => self.analogue.read(1, self.beginning),
            Source::PulsesA1 => self.mean,
            Source::LevelB13 => level(self.levels.0.is_high()),
            Source::LevelB14 => level(self.levels.1.is_high()),
        })
    }

    fn write(&mut self, output: usize, part: f32) {
        self.each(output, part, Outputs::show);
    }

    fn show(&mut self, output: usize, value: f32, range: Range) {
        self.write(output, range.part(value));
        let sinks = self.connected.outputs.get(output).into_iter().flatten();
        let turns = sinks.flatten().any(|sink| sink.encoder().is_some());
        if let (Some(tracks), true) = (&mut self.tracks, turns) {
            tracks.show(value);
        }
    }

    fn alive(&mut self) {
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.feed();
        }
        self.stack.look();
    }

    fn secure(&mut self, output: usize, part: f32) {
        self.each(output, part, Outputs::secure);
    }

    fn enabled(&mut self) -> bool {
        self.enable.is_high()
    }

    fn stack(&self) -> Option<Stack> {
        self.stack.stack()
    }
}
