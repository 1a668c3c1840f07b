//! A Raspberry Pi Pico as a plant: pins, clocks, and the UART as its link.
//!
//! | | |
//! |---|---|
//! | link, 921600 baud | UART0: GP0 out, GP1 in |
//! | voltages | GP26, GP27: 0 to 3.3 V is the input's range; converted when a period begins |
//! | pulses | GP16, GP17: their mean over the period before, to the cycle |
//! | levels | GP18, GP19: read at the beginning of a period |
//! | outputs | GP2 to GP5: PWM at 30 kHz, full duty is the end of the output's range, or levels; they change when a period begins |
//! | encoder | GP6, GP7: the counts of a period come in the next one |
//! | period | GP14: high in the first half of every period |
//! | enable | GP22: low stops the plant and has the outputs show their safe values; open is high |
//!
//! [`Wires`] says which signal is at which pin. Without it inputs 0 and 1 are the voltages, and outputs 0 to 3 the PWM.
//!
//! A watchdog is fed once a period. After a panic, a fault or a stopped loop it resets the board, which then waits in its safe state until a
//! host resets the plant.
#![no_std]

mod analogue;
mod capture;
mod dma;
mod link;
mod pins;
mod safe;
mod tempo;
mod tracks;
mod wires;

pub use link::Link;
/// Like that of cortex-m-rt, but frees the locks that a reset of one core left behind.
pub use rp2040_hal::entry;
pub use wires::{Sink, Source, Wires};

#[cfg(feature = "log")]
use defmt_rtt as _;

#[cfg(feature = "softfloat")]
use stiffstep_softfloat as _;

use rp2040_hal::clocks::{ClockSource, init_clocks_and_plls};
use rp2040_hal::fugit::{ExtU32, RateExtU32};
use rp2040_hal::gpio::bank0::{Gpio0, Gpio1};
use rp2040_hal::gpio::{FunctionUart, Pin, PullDown};
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::{Sio, Watchdog, gpio, pac};
use stiffstep::Error;
use stiffstep::hil::{Cause, Rig, Session, Setup, baud, run as serve};
use tempo::Tempo;
use wires::Connected;

/// Starts the chip from the Pico's flash.
#[allow(unsafe_code)] // The linker script wants it there.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// The Pico's crystal.
const CRYSTAL: u32 = 12_000_000;
/// What the link runs at: 921,600 baud, unless `STIFFSTEP_BAUD` said something else when this was built.
const BAUD: u32 = baud(option_env!("STIFFSTEP_BAUD"));

type UartPins = (
    Pin<Gpio0, FunctionUart, PullDown>,
    Pin<Gpio1, FunctionUart, PullDown>,
);

/// The board in service.
pub struct Board {
    /// The link.
    pub link: Link,
    /// The clock of the processor, and of SysTick, in Hz.
    pub clock: u32,
    /// SysTick itself, which the firmware here does not need.
    pub timer: pac::SYST,
    /// Why the watchdog reset the board, if it did.
    pub after: Option<Cause>,
    pins: pins::Fresh,
    devices: pins::Devices,
    resets: pac::RESETS,
    watchdog: Watchdog,
}

impl Board {
    /// Takes it into service. `None` the second time, or if its clocks do not start.
    pub fn new() -> Option<Self> {
        let core = pac::CorePeripherals::take()?;
        let mut chip = pac::Peripherals::take()?;
        let after = safe::after(&chip.WATCHDOG);
        let mut watchdog = Watchdog::new(chip.WATCHDOG);
        watchdog.pause_on_debug(true);
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
        // Enabled with its requests for DMA, which moves its bytes from now on.
        UartPeripheral::new(chip.UART0, uart_pins, &mut chip.RESETS)
            .enable(format, rate)
            .ok()?;
        dma::start(chip.DMA, &mut chip.RESETS);
        Some(Board {
            link: Link::start(),
            clock: clocks.system_clock.get_freq().to_Hz(),
            timer: core.SYST,
            after,
            pins: pins::Fresh {
                outputs: (pins.gpio2, pins.gpio3, pins.gpio4, pins.gpio5),
                tracks: (pins.gpio6, pins.gpio7),
                period: pins.gpio14,
                pulses: (pins.gpio16, pins.gpio17),
                levels: (pins.gpio18, pins.gpio19),
                enable: pins.gpio22,
                voltages: (pins.gpio26, pins.gpio27),
            },
            devices: pins::Devices {
                converter: chip.ADC,
                timers: chip.PWM,
                pios: (chip.PIO0, chip.PIO1),
            },
            resets: chip.RESETS,
            watchdog,
        })
    }
}

/// Runs a plant for ever, with inputs and outputs at the pins in order. A plant that has no start, or whose period no timer counts, is silent.
/// `build` tells hosts what the image was built from, see [`Setup`].
pub fn run<R: Rig>(rig: Result<R, Error>, build: u32) -> ! {
    work(rig, build, |_| wires::in_order())
}

/// The same with the signals at the pins that a table says.
pub fn run_wired<R: Rig>(rig: Result<R, Error>, build: u32, wires: &Wires) -> ! {
    work(rig, build, |rig| Connected::by_name(rig, wires))
}

fn work<R: Rig>(rig: Result<R, Error>, build: u32, connect: impl Fn(&mut R) -> Connected) -> ! {
    if let (Ok(mut rig), Some(board)) = (rig, Board::new()) {
        let connected = connect(&mut rig);
        let setup = Setup {
            after: board.after,
            latched: true,
            wiring: connected.wiring(),
            ..Setup::new(NAME, cfg!(feature = "emulated"), build)
        };
        board.serve(rig, setup, connected);
    }
    halt()
}

impl Board {
    /// Runs a plant. Returns if its period is none that a timer counts.
    fn serve<R: Rig>(mut self, rig: R, setup: Setup, connected: Connected) -> Option<()> {
        let h = rig.about().h;
        let divided = tempo::divided(h, self.clock)?;
        let (mut pins, pin) = pins::BoardPins::new(
            connected,
            h,
            divided,
            self.devices,
            self.pins,
            &mut self.resets,
        )?;
        if let Some(patience) = patience(h) {
            self.watchdog.start(patience.micros());
            pins.watchdog = Some(self.watchdog);
        }
        let mut session = Session::new(rig, setup);
        // Before the first period, in which the outputs are connected to what they show.
        session.secure(&mut pins);
        safe::latch();
        let tempo = Tempo::start(divided, self.clock, pin);
        serve(session, self.link, tempo, pins)
    }
}

/// How long the watchdog waits, in microseconds: four periods, and half a second for the heaviest burden. `None` for periods that it
/// cannot wait for.
fn patience(h: f32) -> Option<u32> {
    let microseconds = 4e6 * h + 5e5;
    (microseconds < 8e6).then_some(microseconds as u32)
}

/// The board's name.
pub const NAME: &str = "RP2040";

/// Nothing more to do.
pub fn halt() -> ! {
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
