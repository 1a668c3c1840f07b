//! An STM32F4 board as a plant: pins, clocks, and the UART as its link.
//!
//! | | F405 | F411, F446 (Nucleo) |
//! |---|---|---|
//! | link, 921600 baud | USART1: PA9 out, PA10 in | USART2: PA2 out, PA3 in, which is the probe's serial port |
//! | voltages | PA0, PA1: 0 to 3.3 V is the input's range | the same |
//! | pulses | PA15: their mean over the period before | the same |
//! | levels | PB13, PB14 | the same |
//! | outputs | PA6, PA7, PB0, PB1: PWM at 40 kHz, full duty is the end of the output's range, or levels | the same |
//! | enable | PB12: low stops the plant and has the outputs show their safe values; open is high | the same |
//!
//! [`Wires`] says which signal is at which pin. Without it inputs 0 and 1 are the voltages, and outputs 0 to 3 the PWM.
//!
//! A watchdog is fed once a period. After a panic, a fault or a stopped loop it resets the board, which then waits in its safe state until a
//! host resets the plant.
#![no_std]

#[cfg(not(feature = "qemu"))]
mod capture;
mod link;
#[cfg(not(feature = "qemu"))]
mod pins;
mod safe;
mod wires;

pub use wires::{Sink, Source, Wires};

#[cfg(feature = "log")]
use defmt_rtt as _;

use stiffstep::Error;
use stiffstep::hil::{Cause, Rig, Session, Setup, baud, run as serve};
use stiffstep_systick::SysTickPace;
use stm32f4xx_hal::prelude::*;
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

/// Of the processor, in MHz.
#[cfg(not(feature = "qemu"))]
const CLOCK: u32 = if cfg!(feature = "f411") { 100 } else { 168 };

/// Of the crystal, in MHz.
#[cfg(not(feature = "qemu"))]
const CRYSTAL: u32 = if cfg!(feature = "crystal-25") {
    25
} else if cfg!(feature = "crystal-16") {
    16
} else if cfg!(feature = "crystal-12") {
    12
} else {
    8
};

/// From the crystal, unless a feature says otherwise. A board whose crystal does not start is silent.
#[cfg(not(feature = "qemu"))]
fn clock() -> Config {
    let crystal = cfg!(any(
        feature = "f405",
        feature = "crystal-8",
        feature = "crystal-12",
        feature = "crystal-16",
        feature = "crystal-25"
    ));
    let config = if cfg!(feature = "rc") {
        Config::hsi()
    } else if crystal {
        Config::hse(CRYSTAL.MHz())
    } else {
        Config::hse(CRYSTAL.MHz()).bypass_hse_oscillator()
    };
    config.sysclk(CLOCK.MHz())
}

/// The F411 leaves its reset with the core's voltage for 84 MHz. The next scale has to be set before the PLL starts.
#[cfg(all(feature = "f411", not(feature = "qemu")))]
fn full_voltage(chip: &pac::Peripherals) {
    chip.RCC.apb1enr().modify(|_, w| w.pwren().set_bit());
    // The clock of the register needs a moment.
    let _ = chip.RCC.apb1enr().read();
    #[allow(unsafe_code)]
    // SAFETY: 0b11 is scale 1.
    chip.PWR.cr().modify(|_, w| unsafe { w.vos().bits(0b11) });
}

#[cfg(not(feature = "qemu"))]
fn work<R: Rig>(
    rig: R,
    build: u32,
    connected: Connected,
    core: cortex_m::Peripherals,
    chip: pac::Peripherals,
) {
    let after = safe::after(&chip.RCC);
    #[cfg(feature = "f411")]
    full_voltage(&chip);
    let mut rcc: rcc::Rcc = chip.RCC.freeze(clock());
    let (a, b) = (chip.GPIOA.split(&mut rcc), chip.GPIOB.split(&mut rcc));
    #[cfg(feature = "f405")]
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    #[cfg(not(feature = "f405"))]
    let serial = chip.USART2.serial((a.pa2, a.pa3), BAUD.bps(), &mut rcc);
    let h = rig.about().h;
    let pace = SysTickPace::new(core.SYST, rcc.clocks.hclk().raw(), h);
    let analogue = (a.pa0.into_analog(), a.pa1.into_analog());
    // Its first function on this pin is the first channel of TIM2.
    a.pa15.into_alternate::<1>();
    let mut pins = pins::BoardPins::new(
        connected,
        (chip.ADC1, analogue),
        (chip.TIM3, (a.pa6, a.pa7, b.pb0, b.pb1)),
        (
            b.pb12.into_pull_up_input(),
            b.pb13.into_pull_down_input(),
            b.pb14.into_pull_down_input(),
        ),
        capture::Capture::new(chip.TIM2, chip.DMA1, &mut rcc),
        &mut rcc,
    );
    if let (Some(link), Some(pace)) = (serial.ok().and_then(link::Link::new), pace) {
        // Fast enough for smoother outputs than one value a period.
        let setup = Setup {
            drives: 4,
            after,
            wiring: connected.wiring(),
            ..Setup::new("STM32F4", false, build)
        };
        // Four periods, and half a second for the heaviest burden. There are periods that it cannot wait for.
        let patience = 4e3 * h + 5e2;
        if patience < 3e4 {
            let mut watchdog = IndependentWatchdog::new(chip.IWDG);
            watchdog.stop_on_debug(&chip.DBGMCU, true);
            watchdog.start((patience as u32).millis());
            pins.watchdog = Some(watchdog);
        }
        serve(Session::new(rig, setup), link, pace, pins)
    }
}

/// The emulated board stays on its first clock, because the others never get ready, while its SysTick runs at 168 MHz all the
/// same. Its converters never finish: it has no pins.
#[cfg(feature = "qemu")]
fn work<R: Rig>(
    rig: R,
    build: u32,
    _connected: Connected,
    core: cortex_m::Peripherals,
    chip: pac::Peripherals,
) {
    let mut rcc: rcc::Rcc = chip.RCC.freeze(Config::hsi());
    let a = chip.GPIOA.split(&mut rcc);
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    let pace = SysTickPace::new(core.SYST, 168_000_000, rig.about().h);
    if let (Some(link), Some(pace)) = (serial.ok().and_then(link::Link::new), pace) {
        let session = Session::new(rig, Setup::new("netduinoplus2", true, build));
        serve(session, link, pace.awake(), ())
    }
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
