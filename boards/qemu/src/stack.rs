//! How deep the stack grew: paint it, run, look how far the paint is gone.
#![allow(unsafe_code)] // The stack below us belongs to nobody, which only we can know.

use core::ptr;
use cortex_m::register::msp;

/// A word that a computation is unlikely to leave behind.
const PAINT: u32 = 0xa5c3_5a3c;

/// Bytes that are painted, more than any workload uses.
const DEPTH: u32 = 128 * 1024;

/// Bytes right below the stack pointer that are left alone, for the frame of the painter itself.
const MARGIN: u32 = 128;

/// The painted stack.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    top: u32,
}

impl Paint {
    /// Paints the stack below the caller.
    #[inline(never)]
    pub fn new() -> Self {
        let top = msp::read();
        let mut address = top - DEPTH;
        while address < top - MARGIN {
            // SAFETY: RAM that only the stack uses, and the stack does not reach it now: no interrupt is enabled, and this
            // function's own frame ends above.
            unsafe { ptr::write_volatile(address as *mut u32, PAINT) };
            address += 4;
        }
        Paint { top }
    }

    /// The most bytes that were in use since, below the caller of [`new`](Self::new). Less than the margin shows as the
    /// margin.
    #[inline(never)]
    pub fn used(&self) -> u32 {
        let mut address = self.top - DEPTH;
        // SAFETY: as above, for reading.
        while address < self.top - MARGIN
            && unsafe { ptr::read_volatile(address as *const u32) } == PAINT
        {
            address += 4;
        }
        self.top - address
    }
}

impl Default for Paint {
    fn default() -> Self {
        Self::new()
    }
}
