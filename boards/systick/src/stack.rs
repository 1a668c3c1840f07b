//! How much of the stack was used: it is painted before the program starts, and what has lost its paint was used.
#![allow(unsafe_code)] // The linker's symbols, and memory below the stack pointer.

use core::ptr::{addr_of, read_volatile};
use stiffstep::hil::Stack;

/// What cortex-m-rt's `paint-stack` paints with.
const PAINT: u32 = 0xCCCC_CCCC;

/// Words that are looked at in one period: some microseconds on the smallest core.
const AT_ONCE: usize = 64;

unsafe extern "C" {
    static _stack_start: u32;
    static _stack_end: u32;
}

/// A walk from the stack's end to what was used, again and again, a little in every period.
#[derive(Debug)]
pub struct HighWater {
    end: usize,
    start: usize,
    /// Where the walk is, and the lowest place that was used.
    at: usize,
    lowest: usize,
}

impl HighWater {
    /// Before the first look.
    pub fn new() -> Self {
        let (end, start) = (
            addr_of!(_stack_end) as usize,
            addr_of!(_stack_start) as usize,
        );
        HighWater {
            end,
            start,
            at: end,
            lowest: start,
        }
    }

    /// Looks at the next few words.
    pub fn look(&mut self) {
        for _ in 0..AT_ONCE {
            // SAFETY: between the stack's end and its start, and nothing is written.
            let painted =
                self.at < self.lowest && unsafe { read_volatile(self.at as *const u32) } == PAINT;
            if !painted {
                self.lowest = self.lowest.min(self.at);
                self.at = self.end;
                return;
            }
            self.at += size_of::<u32>();
        }
    }

    /// What was seen; none before the first walk has come to its end.
    pub fn stack(&self) -> Option<Stack> {
        let used = (self.start - self.lowest) as u32;
        let room = (self.start - self.end) as u32;
        (used > 0).then_some(Stack { used, room })
    }
}

impl Default for HighWater {
    fn default() -> Self {
        Self::new()
    }
}
