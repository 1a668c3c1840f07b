//! Timers that take over what was written to them when a period begins, all of it at once. The trigger of TIM2 restarts them, which is an update:
//! then they take it over, unless updates are disabled. They are disabled while somebody writes, and the DMA enables them just before a period ends.
#![allow(unsafe_code)] // Addresses for the DMA.

use core::sync::atomic::{AtomicU32, Ordering};
use stm32f4xx_hal::pac::{DMA1, TIM3, TIM4};
use stm32f4xx_hal::rcc::{Enable, Rcc};

/// Ticks before the end of a period at which updates are enabled.
pub const BEFORE: u32 = 64;

/// Restarted by the trigger of TIM2, which is ITR1 of both timers; in `SMCR`.
pub const RESTARTED_BY_TIM2: u32 = 0b001 << 4 | 0b100;

/// `CR1` of a timer that counts, takes a new length over at updates, and has some.
const FREE: u32 = 1 << 7 | 1;
/// The same without updates.
const HELD: u32 = FREE | 1 << 1;

/// The streams of the DMA that the first and second compare value of TIM2 ask, and their channel.
const STREAMS: [usize; 2] = [5, 6];
const CHANNEL: u32 = 3;

/// What the DMA writes.
static WORD: AtomicU32 = AtomicU32::new(0);

/// The timers, by the stream that is theirs.
fn controls() -> [u32; 2] {
    // SAFETY: only addresses are taken.
    unsafe {
        [
            (*TIM3::ptr()).cr1().as_ptr() as u32,
            (*TIM4::ptr()).cr1().as_ptr() as u32,
        ]
    }
}

/// Has the DMA enable updates of both timers before the end of every period.
pub fn start(dma: &DMA1, rcc: &mut Rcc) {
    DMA1::enable(rcc);
    WORD.store(FREE, Ordering::Relaxed);
    for (stream, control) in STREAMS.into_iter().zip(controls()) {
        let registers = dma.st(stream);
        // SAFETY: the addresses of a static and of a register.
        unsafe {
            registers.cr().write(|w| w.bits(0));
            registers.par().write(|w| w.bits(control));
            registers.m0ar().write(|w| w.bits(WORD.as_ptr() as u32));
            registers.ndtr().write(|w| w.bits(1));
            // One word from one address to the other, in a circle, from memory.
            const WORDS: u32 = 2 << 13 | 2 << 11 | 1 << 8 | 1 << 6;
            registers.cr().write(|w| w.bits(CHANNEL << 25 | WORDS | 1));
        }
    }
}

/// Has the outputs stay as they are until the next period begins, whatever is written.
pub fn hold_outputs() {
    // SAFETY: this module says whether the timer has updates.
    unsafe { (*TIM3::ptr()).cr1().write(|w| w.bits(HELD)) };
}

/// Has the outputs show what was written with their next pulse.
pub fn free_outputs() {
    // SAFETY: as above.
    unsafe { (*TIM3::ptr()).cr1().write(|w| w.bits(FREE)) };
}

/// The same for the tracks.
pub fn hold_tracks() {
    // SAFETY: as above.
    unsafe { (*TIM4::ptr()).cr1().write(|w| w.bits(HELD)) };
}
