//! The way to the safe state when nothing else works any more: outputs by their registers, and a note for after the reset.
#![allow(unsafe_code)] // Registers that somebody else owns, and memory that survives a reset.

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m_rt::{ExceptionFrame, exception};
use stiffstep::hil::Cause;
use stm32f4xx_hal::pac;

/// What the compare registers of the outputs have to be.
static COMPARE: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];

/// Survives a reset by the watchdog, and is anything after power was lost.
#[unsafe(link_section = ".uninit.note")]
static NOTE: AtomicU32 = AtomicU32::new(0);

const PANIC: u32 = 0x5AFE_0001;
const FAULT: u32 = 0x5AFE_0002;

/// What an output has to show.
#[cfg(not(feature = "qemu"))]
pub fn remember(output: usize, duty: u32) {
    if let Some(slot) = COMPARE.get(output) {
        slot.store(duty, Ordering::Relaxed);
    }
}

/// Has every output show its safe value with its next pulse.
pub fn outputs() {
    // SAFETY: whoever owns the outputs does not go on. A timer without a clock takes no notice.
    let timer = unsafe { &*pac::TIM3::ptr() };
    for (k, value) in COMPARE.iter().enumerate() {
        let value = value.load(Ordering::Relaxed);
        // SAFETY: any duty.
        timer.ccr(k).write(|w| unsafe { w.bits(value) });
    }
    #[cfg(not(feature = "qemu"))]
    crate::latch::free_outputs();
}

/// Nothing can be computed any more: safe outputs until the watchdog resets the board, and a note for after that.
pub fn stop(cause: Cause) -> ! {
    cortex_m::interrupt::disable();
    outputs();
    #[cfg(not(feature = "qemu"))]
    crate::tracks::stop();
    let note = if cause == Cause::Panic { PANIC } else { FAULT };
    NOTE.store(note, Ordering::Relaxed);
    #[allow(clippy::empty_loop)]
    loop {}
}

/// Why the watchdog reset the board, if it did. Asked once, before the clocks start.
#[cfg(not(feature = "qemu"))]
pub fn after(rcc: &pac::RCC) -> Option<Cause> {
    let bitten = rcc.csr().read().wdgrstf().bit();
    rcc.csr().modify(|_, w| w.rmvf().set_bit());
    match NOTE.swap(0, Ordering::Relaxed) {
        _ if !bitten => None,
        PANIC => Some(Cause::Panic),
        FAULT => Some(Cause::Fault),
        _ => Some(Cause::Watchdog),
    }
}

#[exception]
unsafe fn HardFault(_frame: &ExceptionFrame) -> ! {
    stop(Cause::Fault)
}
