//! A Raspberry Pi Pico as a plant: pins, clocks, and the UART as its link.
//!
//! | | |
//! |---|---|
//! | link, 921600 baud | UART0: GP0 out, GP1 in |
//! | inputs 0, 1 | GP26, GP27: 0 to 3.3 V is the input's range |
//! | outputs 0 to 3 | GP2 to GP5: PWM at 30 kHz, full duty is the end of the output's range |
#![no_std]

mod pins;

#[cfg(feature = "log")]
use {defmt_rtt as _, panic_probe as _};

use rp2040_hal::clocks::{ClockSource, init_clocks_and_plls};
use rp2040_hal::fugit::RateExtU32;
use rp2040_hal::gpio::bank0::{Gpio0, Gpio1};
use rp2040_hal::gpio::{FunctionUart, Pin, PullDown};
use rp2040_hal::uart::{DataBits, Enabled, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::{Sio, Watchdog, gpio, pac};
use stiffstep::Error;
use stiffstep::hil::{Rig, Session, Setup, run as serve};
use stiffstep_systick::SysTickPace;

/// Starts the chip from the Pico's flash.
#[allow(unsafe_code)] // The linker script wants it there.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// The Pico's crystal.
const CRYSTAL: u32 = 12_000_000;
/// What the link runs at.
const BAUD: u32 = 921_600;

type UartPins = (
    Pin<Gpio0, FunctionUart, PullDown>,
    Pin<Gpio1, FunctionUart, PullDown>,
);

/// The board in service.
pub struct Board {
    /// The link.
    pub link: UartPeripheral<Enabled, pac::UART0, UartPins>,
    /// The clock of SysTick, in Hz.
    pub clock: u32,
    /// SysTick itself.
    pub timer: pac::SYST,
    pins: pins::BoardPins,
}

impl Board {
    /// Takes it into service. `None` the second time, or if its clocks do not start.
    pub fn new() -> Option<Self> {
        let core = pac::CorePeripherals::take()?;
        let mut chip = pac::Peripherals::take()?;
        let mut watchdog = Watchdog::new(chip.WATCHDOG);
        let clocks = init_clocks_and_plls(
            CRYSTAL,
            chip.XOSC,
            chip.CLOCKS,
            chip.PLL_SYS,
            chip.PLL_USB,
            &mut chip.RESETS,
            &mut watchdog,
        )
        .ok()?;
        let bank = Sio::new(chip.SIO).gpio_bank0;
        let pins = gpio::Pins::new(chip.IO_BANK0, chip.PADS_BANK0, bank, &mut chip.RESETS);
        let uart_pins: UartPins = (pins.gpio0.reconfigure(), pins.gpio1.reconfigure());
        let format = UartConfig::new(BAUD.Hz(), DataBits::Eight, None, StopBits::One);
        let rate = rp2040_hal::Clock::freq(&clocks.peripheral_clock);
        let link = UartPeripheral::new(chip.UART0, uart_pins, &mut chip.RESETS)
            .enable(format, rate)
            .ok()?;
        Some(Board {
            link,
            clock: clocks.system_clock.get_freq().to_Hz(),
            timer: core.SYST,
            pins: pins::BoardPins::new(
                (chip.ADC, (pins.gpio26, pins.gpio27)),
                (chip.PWM, (pins.gpio2, pins.gpio3, pins.gpio4, pins.gpio5)),
                &mut chip.RESETS,
            )?,
        })
    }
}

/// Runs a plant for ever. A plant that has no start is silent. `build` tells hosts what the image was built from, see
/// [`Setup`].
pub fn run<R: Rig>(rig: Result<R, Error>, build: u32) -> ! {
    if let (Ok(rig), Some(board)) = (rig, Board::new()) {
        let pace = SysTickPace::new(board.timer, board.clock, rig.about().h);
        let session = Session::new(rig, Setup::new(NAME, cfg!(feature = "emulated"), build));
        if cfg!(feature = "emulated") {
            // Nothing is connected there, and what the converter reads of nothing is the end of its range.
            serve(session, board.link, pace, ())
        }
        serve(session, board.link, pace, board.pins)
    }
    halt()
}

/// The board's name.
pub const NAME: &str = "RP2040";

/// Nothing more to do.
pub fn halt() -> ! {
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
