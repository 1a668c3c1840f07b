//! The board as a plant: its UART is the link, and it has no pins.
#![allow(unsafe_code)] // Registers.

use core::convert::Infallible;
use core::ptr;
use cortex_m::Peripherals;
use embedded_io::{ErrorType, Read, ReadReady, Write, WriteReady};
use stiffstep::Error;
use stiffstep::hil::{Rig, Session, Setup, run as serve};
use stiffstep_systick::SysTickPace;

/// The processor clock of the mps2 boards.
const CLOCK: u32 = 25_000_000;

/// Runs a plant for ever. A plant that has no start, or whose period no timer counts, ends the emulation. `build` tells hosts what the image was built from, see
/// [`Setup`].
pub fn run<R: Rig>(rig: Result<R, Error>, build: u32) -> ! {
    let (Ok(rig), Some(peripherals)) = (rig, Peripherals::take()) else {
        semihosting::process::exit(1)
    };
    let Some(pace) = SysTickPace::new(peripherals.SYST, CLOCK, rig.about().h) else {
        semihosting::process::exit(1)
    };
    let session = Session::new(rig, Setup::new("mps2-an386", true, build));
    serve(session, Uart::new(), pace.awake(), ())
}

/// The first UART of Arm's CMSDK.
struct Uart;

/// Its registers.
#[derive(Clone, Copy)]
enum Register {
    Data = 0x4000_4000,
    State = 0x4000_4004,
    Control = 0x4000_4008,
    Divider = 0x4000_4010,
}

/// Bits of the state: a byte waits to be sent, a byte was received.
const FULL: u32 = 1;
const RECEIVED: u32 = 2;

impl Uart {
    /// Switched on, both ways, at a rate that the emulator does not care about.
    fn new() -> Self {
        let uart = Uart;
        uart.write_to(Register::Divider, CLOCK / 921_600);
        uart.write_to(Register::Control, 0b11);
        uart
    }

    fn read_from(&self, register: Register) -> u32 {
        // SAFETY: a register of a device that only we use.
        unsafe { ptr::read_volatile(register as usize as *const u32) }
    }

    fn write_to(&self, register: Register, value: u32) {
        // SAFETY: as above.
        unsafe { ptr::write_volatile(register as usize as *mut u32, value) }
    }
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl ReadReady for Uart {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(self.read_from(Register::State) & RECEIVED != 0)
    }
}

impl WriteReady for Uart {
    fn write_ready(&mut self) -> Result<bool, Infallible> {
        Ok(self.read_from(Register::State) & FULL == 0)
    }
}

impl Read for Uart {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        for slot in buffer {
            if !self.read_ready()? {
                break;
            }
            *slot = self.read_from(Register::Data) as u8;
            count += 1;
        }
        Ok(count)
    }
}

impl Write for Uart {
    fn write(&mut self, buffer: &[u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        for &byte in buffer {
            if !self.write_ready()? {
                break;
            }
            self.write_to(Register::Data, byte.into());
            count += 1;
        }
        Ok(count)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
