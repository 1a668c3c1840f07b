//! The pins: inputs that are sampled, and outputs that change, when a period begins; an enable input.

use crate::analogue::Analogue;
use crate::capture::{self, Capture, level};
use crate::safe;
use crate::tracks::{Tracks, most};
use crate::wires::{Connected, Sink, Source, pulses};
use embedded_hal::digital::InputPin;
use rp2040_hal::Watchdog;
use rp2040_hal::adc::AdcPin;
use rp2040_hal::gpio::bank0::*;
use rp2040_hal::gpio::{FunctionNull, FunctionSioInput, Pin, PullDown, PullUp};
use rp2040_hal::pac::{ADC, PIO0, PIO1, PWM, RESETS};
use rp2040_hal::pwm::Slices;
use stiffstep::hil::pins::Pins;
use stiffstep::hil::{Divided, Encoder, Range, Stack, Terminal};
use stiffstep_systick::HighWater;

/// A little more than 30 kHz at 125 MHz, and 12 bits.
const TOP: u16 = 4095;

/// A pin as it comes out of reset.
type Reset<I> = Pin<I, FunctionNull, PullDown>;

/// The pins that take part, by what they are for.
pub struct Fresh {
    pub outputs: (Reset<Gpio2>, Reset<Gpio3>, Reset<Gpio4>, Reset<Gpio5>),
    pub tracks: (Reset<Gpio6>, Reset<Gpio7>),
    pub period: Reset<Gpio14>,
    pub pulses: (Reset<Gpio16>, Reset<Gpio17>),
    pub levels: (Reset<Gpio18>, Reset<Gpio19>),
    pub enable: Reset<Gpio22>,
    pub voltages: (Reset<Gpio26>, Reset<Gpio27>),
}

/// What takes part in inputs and outputs.
pub struct Devices {
    pub converter: ADC,
    pub timers: PWM,
    pub pios: (PIO0, PIO1),
}

/// The pins in service.
pub struct BoardPins {
    connected: Connected,
    analogue: Option<Analogue>,
    /// The pins that are converted, in order.
    converted: [Option<u8>; 2],
    captures: [Option<Capture>; 2],
    tracks: Option<Tracks>,
    enable: Pin<Gpio22, FunctionSioInput, PullUp>,
    stack: HighWater,
    /// When the period began.
    beginning: u32,
    /// Fed once a period, from the first one on.
    pub watchdog: Option<Watchdog>,
}

/// The pins that captures are at.
const CAPTURED: [u8; 2] = [16, 17];

impl BoardPins {
    /// Takes them into service, up to the first period, which the time base begins; it gets the pin that it needs. `None` if something refuses
    /// its pins.
    pub fn new(
        connected: Connected,
        h: f32,
        divided: Divided,
        devices: Devices,
        pins: Fresh,
        resets: &mut RESETS,
    ) -> Option<(Self, Reset<Gpio14>)> {
        let slices = Slices::new(devices.timers, resets);
        let (mut first, mut second) = (slices.pwm1, slices.pwm2);
        first.set_top(TOP);
        second.set_top(TOP);
        first.enable();
        second.enable();
        // The pins stay connected; nobody takes them back.
        first.channel_a.output_to(pins.outputs.0);
        first.channel_b.output_to(pins.outputs.1);
        second.channel_a.output_to(pins.outputs.2);
        second.channel_b.output_to(pins.outputs.3);
        let both = CAPTURED.map(|pin| pulses(&connected, pin));
        pins.pulses.0.into_pull_down_input();
        pins.pulses.1.into_pull_down_input();
        pins.levels.0.into_pull_down_input();
        pins.levels.1.into_pull_down_input();
        let captures = capture::start(devices.pios.0, resets, both)?;
        let tracks = match connected.encoder() {
            None => None,
            Some((turning, counts)) => Some(Tracks::new(
                Encoder::new(turning, counts, h, most(divided.period())),
                divided.period(),
                pins.tracks,
                devices.pios.1,
                resets,
            )?),
        };
        AdcPin::new(pins.voltages.0.into_floating_input()).ok()?;
        AdcPin::new(pins.voltages.1.into_floating_input()).ok()?;
        let converted = converted(&connected, both[1].is_some());
        let channels = converted.map(|pin| pin.map_or(0, |pin| pin - 26));
        let count = converted.iter().flatten().count();
        Some((
            BoardPins {
                connected,
                analogue: Analogue::start(devices.converter, resets, channels.get(..count)?),
                converted,
                captures,
                tracks,
                enable: pins.enable.into_pull_up_input(),
                stack: HighWater::new(),
                beginning: 0,
                watchdog: None,
            },
            pins.period,
        ))
    }

    fn drive(&mut self, output: usize, part: f32) {
        for sink in self.connected.outputs.get(output).into_iter().flatten() {
            match sink {
                Some(Sink::Pwm(pin @ 2..=5)) => safe::show(usize::from(*pin) - 2, duty(part)),
                Some(Sink::Level(pin @ 2..=5)) => safe::show(usize::from(*pin) - 2, edge(part)),
                _ => {}
            }
        }
    }
}

/// The analogue pins that the table names; one only if another input needs the channels of the second.
fn converted(connected: &Connected, one_only: bool) -> [Option<u8>; 2] {
    let named = |pin: u8| connected.inputs.contains(&Some(Source::Voltage(pin)));
    match (named(26), named(27)) {
        (true, true) if !one_only => [Some(26), Some(27)],
        (true, _) => [Some(26), None],
        (false, true) => [Some(27), None],
        (false, false) => [None, None],
    }
}

/// The duty that shows a part of the swing, and the one that is a level.
fn duty(part: f32) -> u16 {
    (part * f32::from(TOP) + 0.5) as u16
}

fn edge(part: f32) -> u16 {
    if part >= 0.5 { TOP + 1 } else { 0 }
}

impl Pins for BoardPins {
    fn begin(&mut self, beginning: u32) {
        self.beginning = beginning;
    }

    fn read(&mut self, input: usize) -> Option<f32> {
        match (*self.connected.inputs.get(input)?)? {
            Source::Voltage(pin) => {
                let number = self.converted.iter().position(|it| *it == Some(pin))?;
                self.analogue.as_ref()?.read(number)
            }
            Source::Pulses(pin) => {
                let number = CAPTURED.iter().position(|it| *it == pin)?;
                let capture = self.captures.get_mut(number)?.as_mut()?;
                Some(capture.until(self.beginning))
            }
            Source::Level(pin @ (18 | 19)) => Some(f32::from(u8::from(level(pin)))),
            Source::Level(_) => None,
        }
    }

    fn write(&mut self, output: usize, part: f32) {
        self.drive(output, part);
    }

    fn show(&mut self, output: usize, value: f32, range: Range) {
        self.drive(output, range.part(value));
        let sinks = self.connected.outputs.get(output);
        let mut turns = sinks.into_iter().flatten().flatten();
        if let (Some(tracks), true) = (&mut self.tracks, turns.any(|sink| sink.encoder().is_some()))
        {
            tracks.show(value);
        }
    }

    fn latch(&mut self) {
        safe::latch();
    }

    fn alive(&mut self) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.feed();
        }
        self.stack.look();
    }

    fn secure(&mut self, output: usize, part: f32) {
        for sink in self.connected.outputs.get(output).into_iter().flatten() {
            match sink {
                Some(Sink::Pwm(pin @ 2..=5)) => safe::remember(usize::from(*pin) - 2, duty(part)),
                Some(Sink::Level(pin @ 2..=5)) => safe::remember(usize::from(*pin) - 2, edge(part)),
                _ => {}
            }
        }
    }

    fn enabled(&mut self) -> bool {
        let Ok(high) = self.enable.is_high();
        high
    }

    fn stack(&self) -> Option<Stack> {
        self.stack.stack()
    }
}
