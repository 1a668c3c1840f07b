//! An STM32F4 board as a plant: pins, clocks, and the UART as its link.
//!
//! | | F405 | F411, F446 (Nucleo) |
//! |---|---|---|
//! | link, 921600 baud | USART1: PA9 out, PA10 in | USART2: PA2 out, PA3 in, which is the probe's serial port |
//! | inputs 0, 1 | PA0, PA1: 0 to 3.3 V is the input's range | the same |
//! | outputs 0 to 3 | PA6, PA7, PB0, PB1: PWM at 40 kHz, full duty is the end of the output's range | the same |
#![no_std]

mod link;
#[cfg(not(feature = "qemu"))]
mod pins;

#[cfg(feature = "log")]
use {defmt_rtt as _, panic_probe as _};

use stiffstep::Error;
use stiffstep::hil::{Rig, Session, Setup, run as serve};
use stiffstep_systick::SysTickPace;
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::{pac, rcc};

/// What the link runs at.
const BAUD: u32 = 921_600;

/// Runs a plant for ever. A plant that has no start is silent. `build` tells hosts what the image was built from, see
/// [`Setup`].
pub fn run<R: Rig>(rig: Result<R, Error>, build: u32) -> ! {
    if let (Ok(rig), Some(core), Some(chip)) =
        (rig, cortex_m::Peripherals::take(), pac::Peripherals::take())
    {
        work(rig, build, core, chip);
    }
    halt()
}

/// From the chip's own oscillator, so that it does not matter which crystal a board has.
#[cfg(not(feature = "qemu"))]
fn clock() -> Config {
    let megahertz = if cfg!(feature = "f411") { 100 } else { 168 };
    Config::hsi().sysclk(megahertz.MHz())
}

#[cfg(not(feature = "qemu"))]
fn work<R: Rig>(rig: R, build: u32, core: cortex_m::Peripherals, chip: pac::Peripherals) {
    let mut rcc: rcc::Rcc = chip.RCC.freeze(clock());
    let (a, b) = (chip.GPIOA.split(&mut rcc), chip.GPIOB.split(&mut rcc));
    #[cfg(feature = "f405")]
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    #[cfg(not(feature = "f405"))]
    let serial = chip.USART2.serial((a.pa2, a.pa3), BAUD.bps(), &mut rcc);
    let pace = SysTickPace::new(core.SYST, rcc.clocks.hclk().raw(), rig.about().h);
    let analogue = (a.pa0.into_analog(), a.pa1.into_analog());
    let pins = pins::BoardPins::new(
        (chip.ADC1, analogue),
        (chip.TIM3, (a.pa6, a.pa7, b.pb0, b.pb1)),
        &mut rcc,
    );
    if let Some(link) = serial.ok().and_then(link::Link::new) {
        // Fast enough for smoother outputs than one value a period.
        let setup = Setup {
            drives: 4,
            ..Setup::new("STM32F4", false, build)
        };
        serve(Session::new(rig, setup), link, pace, pins)
    }
}

/// The emulated board stays on its first clock, because the others never get ready, while its SysTick runs at 168 MHz all the
/// same. Its converters never finish: it has no pins.
#[cfg(feature = "qemu")]
fn work<R: Rig>(rig: R, build: u32, core: cortex_m::Peripherals, chip: pac::Peripherals) {
    let mut rcc: rcc::Rcc = chip.RCC.freeze(Config::hsi());
    let a = chip.GPIOA.split(&mut rcc);
    let serial = chip.USART1.serial((a.pa9, a.pa10), BAUD.bps(), &mut rcc);
    let pace = SysTickPace::new(core.SYST, 168_000_000, rig.about().h).awake();
    if let Some(link) = serial.ok().and_then(link::Link::new) {
        serve(
            Session::new(rig, Setup::new("netduinoplus2", true, build)),
            link,
            pace,
            (),
        )
    }
}

fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}

/// Without a log there is nobody to tell.
#[cfg(all(not(feature = "log"), target_os = "none"))]
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    halt()
}
