//! What the firmware for emulated Cortex-M boards has in common: counting instructions, measuring the stack, and logging
//! what a workload leaves behind.
//!
//! The boards compute nothing themselves; plants and steps come from elsewhere. `host-tests` boots the images and reads
//! their logs.
#![no_std]

#[cfg(feature = "certify")]
pub mod certify;
#[cfg(feature = "benchmark")]
pub mod count;
#[cfg(feature = "hil")]
pub mod hil;
#[cfg(all(any(feature = "log", feature = "plain"), feature = "benchmark"))]
pub mod record;
pub mod stack;

// The vector table, and the critical section that logging needs.
use cortex_m as _;
use cortex_m_rt as _;

#[cfg(feature = "log")]
use defmt_semihosting as _;

#[cfg(feature = "softfloat")]
use stiffstep_softfloat as _;

#[cfg(feature = "proof")]
use panic_never as _;

/// The exit status of an image that panicked.
pub const PANICKED: i32 = 101;
/// The exit status of an image that faulted.
pub const FAULTED: i32 = 102;

/// Says where, without formatting anything on the board, and ends the emulation.
#[cfg(all(
    any(feature = "log", feature = "plain"),
    not(feature = "proof"),
    target_os = "none"
))]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    if let Some(place) = info.location() {
        #[cfg(feature = "log")]
        defmt::println!("panic at {=str}:{=u32}", place.file(), place.line());
        #[cfg(all(feature = "plain", not(feature = "log")))]
        semihosting::println!("panic at {}:{}", place.file(), place.line());
    }
    semihosting::process::exit(PANICKED)
}

/// Ends the emulation, which would otherwise hang until its time limit.
#[allow(unsafe_code)] // cortex-m-rt's signature of a fault handler.
#[cortex_m_rt::exception]
unsafe fn HardFault(_frame: &cortex_m_rt::ExceptionFrame) -> ! {
    semihosting::process::exit(FAULTED)
}
