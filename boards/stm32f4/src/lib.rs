//! An STM32F4 board as a plant: pins, clocks, and the UART as its link.
//!
//! | | F405 | F411, F446 (Nucleo) |
//! |---|---|---|
//! | link, 921600 baud | USART1: PA9 out, PA10 in | USART2: PA2 out, PA3 in, which is the probe's serial port |
//! | voltages | PA0, PA4: 0 to 3.3 V is the input's range; converted when a period begins | the same |
//! | pulses | PA1: their mean over the period before, to the tick of the timer | the same |
//! | levels | PB13, PB14: read at the beginning of a period | the same |
//! | outputs | PA6, PA7, PB0, PB1: PWM at 40 kHz, full duty is the end of the output's range, or levels; they change when a period begins | the same |
//! | encoder | PB6, PB7: the counts of a period come in the next one | the same |
//! | enable | PB12: low stops the plant and has the outputs show their safe values; open is high | the same |
//!
//! [`Wires`] says which signal is at which pin. Without it inputs 0 and 1 are the voltages, and outputs 0 to 3 the PWM.
//!
//! A watchdog is fed once a period. After a panic, a fault or a stopped loop it resets the board, which then waits in its safe state until a
//! host resets the plant.
#![no_std]

#[cfg(not(feature = "qemu"))]
mod analogue;
#[cfg(not(feature = "qemu"))]
mod capture;
#[cfg(not(feature = "qemu"))]
mod clocks;
#[cfg(not(feature = "qemu"))]
mod latch;
mod link;
#[cfg(not(feature = "qemu"))]
mod outputs;
#[cfg(not(feature = "qemu"))]
mod pins;
mod safe;
mod tempo;
#[cfg(not(feature = "qemu"))]
mod tracks;
mod wires;

pub use wires::{Sink, Source, Wires};

#[cfg(feature = "log")]
use defmt_rtt as _;

use stiffstep::Error;
use stiffstep::hil::{Cause, Rig, Session, Setup, baud, run as serve};
#[cfg(not(feature = "qemu"))]
use stiffstep_systick::HighWater;
use stm32f4xx_hal::prelude::*;
#[cfg(feature = "qemu")]
use stm32f4xx_hal::rcc::Config;
#[cfg(not(feature = "qemu"))]
use stm32f4xx_hal::watchdog::IndependentWatchdog;
use stm32f4xx_hal::{pac, rcc};
use wires::Connected;

/// What the link runs at: 921,600 baud, unless `STIFFSTEP_BAUD` said something else when this was built.
const BAUD: u32 = baud(option_env!("STIFFSTEP_BAUD"));

/// Runs a plant for ever. A plant that has no start, or whose period no timer counts, is silent. `build` tells hosts what the image was built from, see
/// [`Setup`].
pub fn run<R: Rig>(rig: Result<R, Error>, build: u32) -> ! {
    start(rig, build, |_| wires::in_order())
}

/// The same with the signals at the pins that a table says.
pub fn run_wired<R: Rig>(rig: Result<R, Error>, build: u32, wires: &Wires) -> ! {
    start(rig, build, |rig| Connected::by_name(rig, wires))
}

fn start<R: Rig>(rig: Result<R, Error>, build: u32, connect: impl Fn(&mut R) -> Connected) -> ! {
    if let (Ok(mut rig), Some(core), Some(chip)) =
        (rig, cortex_m::Peripherals::take(), pac::Peripherals::take())
    {
        let connected = connect(&mut rig);
        work(rig, build, connected, core, chip);
    }
    halt()
}

#[cfg(not(feature = "qemu"))]
fn work<R: Rig>(
    rig: R,
    build: u32,
    connected: Connected,
    _core: cortex_m::Peripherals,
    chip: pac::Peripherals,
) -> Option<()> {
    let after = safe::after(&chip.RCC);
    #[cfg(feature = "f411")]
    clocks::full_voltage(&chip);
    let mut rcc: rcc::Rcc = chip.RCC.freeze(clocks::config());
    let frequency = rcc.clocks.timclk1().raw();
    let h = rig.about().h;
    let period = tempo::period(h, frequency)?;
    let (a, b) = (chip.GPIOA.split(&mut rcc), chip.GPIOB.split(&mut rcc));
    #[cfg(feature = "f405")]
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    #[cfg(not(feature = "f405"))]
    let serial = chip.USART2.serial((a.pa2, a.pa3), BAUD.bps(), &mut rcc);
    let link = serial.ok().and_then(link::Link::new)?;
    latch::start(&chip.DMA1, &mut rcc);
    // The second function of all these pins is a channel of TIM5, TIM3 and TIM4.
    a.pa1.into_alternate::<2>();
    let outputs = outputs::Outputs::new(chip.TIM3, &mut rcc);
    a.pa6.into_alternate::<2>();
    a.pa7.into_alternate::<2>();
    b.pb0.into_alternate::<2>();
    b.pb1.into_alternate::<2>();
    let tracks = connected.encoder().map(|(turning, counts)| {
        let tracks = tracks::Tracks::new(turning, counts, h, period, &chip.TIM4, &mut rcc);
        b.pb6.into_alternate::<2>();
        b.pb7.into_alternate::<2>();
        tracks
    });
    let clock = tempo::clock(chip.TIM5, &mut rcc);
    let voltages = (a.pa0.into_analog(), a.pa4.into_analog());
    let mut pins = pins::BoardPins {
        connected,
        analogue: analogue::Analogue::new(chip.ADC1, voltages, &mut rcc),
        capture: capture::Capture::new(&clock, chip.DMA1),
        outputs,
        tracks,
        levels: (b.pb13.into_pull_down_input(), b.pb14.into_pull_down_input()),
        enable: b.pb12.into_pull_up_input(),
        stack: HighWater::new(),
        beginning: 0,
        mean: 0.0,
        watchdog: None,
    };
    let setup = Setup {
        after,
        latched: true,
        wiring: connected.wiring(),
        ..Setup::new("STM32F4", false, build)
    };
    let mut session = Session::new(rig, setup);
    // Before the first period.
    session.secure(&mut pins);
    pins.watchdog = watch(h, chip.IWDG, &chip.DBGMCU);
    let tempo = tempo::Tempo::start(chip.TIM2, clock, frequency, period, &mut rcc)?;
    serve(session, link, tempo, pins)
}

/// Starts the watchdog: it waits for four periods, and half a second for the heaviest burden. There are periods that it cannot wait for.
#[cfg(not(feature = "qemu"))]
fn watch(h: f32, watchdog: pac::IWDG, debug: &pac::DBGMCU) -> Option<IndependentWatchdog> {
    let patience = 4e3 * h + 5e2;
    (patience < 3e4).then(|| {
        let mut watchdog = IndependentWatchdog::new(watchdog);
        watchdog.stop_on_debug(debug, true);
        watchdog.start((patience as u32).millis());
        watchdog
    })
}

/// The emulated board stays on its first clock, because the others never get ready, while its timers run at 1 GHz all the
/// same. Its converters never finish: it has no pins.
#[cfg(feature = "qemu")]
fn work<R: Rig>(
    rig: R,
    build: u32,
    _connected: Connected,
    _core: cortex_m::Peripherals,
    chip: pac::Peripherals,
) -> Option<()> {
    let mut rcc: rcc::Rcc = chip.RCC.freeze(Config::hsi());
    let a = chip.GPIOA.split(&mut rcc);
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    let link = serial.ok().and_then(link::Link::new)?;
    let clock = tempo::clock(chip.TIM5, &mut rcc);
    let tempo = tempo::Tempo::start(clock, rig.about().h)?;
    let session = Session::new(rig, Setup::new("netduinoplus2", true, build));
    serve(session, link, tempo, ())
}

fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}

/// Safe outputs, and a word for the log, if there is one.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    safe::outputs();
    #[cfg(feature = "log")]
    defmt::error!("{}", defmt::Display2Format(info));
    let _ = info;
    safe::stop(Cause::Panic)
}
