//! The way to the safe state when nothing else works any more: outputs by their registers, and a note for after the reset.
#![allow(unsafe_code)] // Registers that somebody else owns.

use crate::dma::{self, Job, LATCHES};
use crate::tempo::ASKED_BY_PERIOD;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m_rt::{ExceptionFrame, exception};
use rp2040_hal::pac;
use stiffstep::hil::Cause;

/// The first slice of the outputs; each has two of them.
const FIRST_SLICE: usize = 1;

/// What the compare registers of the slices have to be in the safe state. Both channels of a slice share one.
static SAFE: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// What they are to be from the next period on: the DMA takes it from here.
static NEXT: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Scratch registers survive a reset by the watchdog; the boot ROM uses the last four.
const PANIC: u32 = 0x5AFE_0001;
const FAULT: u32 = 0x5AFE_0002;

fn set(words: &[AtomicU32; 2], output: usize, duty: u16) {
    if let Some(slice) = words.get(output / 2) {
        let shift = 16 * (output as u32 % 2);
        let others = slice.load(Ordering::Relaxed) & !(0xffff << shift);
        slice.store(others | u32::from(duty) << shift, Ordering::Relaxed);
    }
}

/// What an output shows from the next period on.
pub fn show(output: usize, duty: u16) {
    set(&NEXT, output, duty);
}

/// What an output has to show in the safe state, and shows until the first period.
pub fn remember(output: usize, duty: u16) {
    set(&SAFE, output, duty);
    set(&NEXT, output, duty);
    at_once();
}

fn compare(slice: usize) -> &'static pac::pwm::ch::CC {
    // SAFETY: only this module writes the compare registers.
    unsafe { &*pac::PWM::ptr() }.ch(FIRST_SLICE + slice).cc()
}

/// Has what was shown in a period appear when the next one begins, for ever.
pub fn latch() {
    for (k, number) in LATCHES.into_iter().enumerate() {
        if !dma::busy(number) {
            let job = Job {
                count: u32::MAX,
                ..Job::word(
                    NEXT[k].as_ptr() as u32,
                    compare(k).as_ptr() as u32,
                    ASKED_BY_PERIOD,
                )
            };
            job.start(number);
        }
    }
}

fn at_once() {
    for (k, next) in NEXT.iter().enumerate() {
        let value = next.load(Ordering::Relaxed);
        // SAFETY: any two duties.
        compare(k).write(|w| unsafe { w.bits(value) });
    }
}

/// Has every output show its safe value, at once and in all periods to come.
pub fn outputs() {
    for (safe, next) in SAFE.iter().zip(&NEXT) {
        next.store(safe.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    at_once();
}

/// Nothing can be computed any more: safe outputs until the watchdog resets the board, and a note for after that.
pub fn stop(cause: Cause) -> ! {
    cortex_m::interrupt::disable();
    outputs();
    let note = if cause == Cause::Panic { PANIC } else { FAULT };
    // SAFETY: nobody else uses this register.
    unsafe {
        let watchdog = &*pac::WATCHDOG::ptr();
        watchdog.scratch0().write(|w| w.bits(note));
    }
    #[allow(clippy::empty_loop)]
    loop {}
}

/// Why the watchdog reset the board, if it did. Asked once, before it starts anew.
pub fn after(watchdog: &pac::WATCHDOG) -> Option<Cause> {
    let (note, bitten) = (
        watchdog.scratch0().read().bits(),
        watchdog.reason().read().timer().bit(),
    );
    // SAFETY: any word.
    watchdog.scratch0().write(|w| unsafe { w.bits(0) });
    match note {
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
