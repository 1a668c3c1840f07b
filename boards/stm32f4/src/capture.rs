//! A controller's pulses at PA1, captured by TIM5, the clock: its first channel writes down rising edges, its second one falling edges of the same
//! pin, and the DMA moves both to rings. A period must not have more than 255 edges of either kind.
#![allow(unsafe_code)] // Registers, and the words that DMA moves.

use core::sync::atomic::{AtomicU32, Ordering};
use stiffstep::hil::{Edge, Pulses};
use stm32f4xx_hal::pac::{DMA1, GPIOA, TIM5};

/// Edges of either kind that may wait.
const ROOM: usize = 256;

/// Falling edges, then rising ones.
static RINGS: [[AtomicU32; ROOM]; 2] = [const { [const { AtomicU32::new(0) }; ROOM] }; 2];

/// The streams of the DMA for the timer's second and first channel, and the channel of both.
const STREAMS: [usize; 2] = [4, 2];
const CHANNEL: u32 = 6;

/// The input in service.
pub struct Capture {
    dma: DMA1,
    taken: [usize; 2],
    pulses: Pulses,
}

impl Capture {
    /// Has the clock, which is to start later, capture. The pin is its second channel already, and the DMA is in service.
    pub fn new(clock: &TIM5, dma: DMA1) -> Self {
        // SAFETY: values within their fields; the addresses are those of the timer's registers and of statics.
        unsafe {
            // Both channels look at the second one's pin, and the second channel for falling edges.
            clock.ccmr1_input().write(|w| w.bits(0b01 << 8 | 0b10));
            clock.ccer().write(|w| w.bits(1 | 1 << 4 | 1 << 5));
            clock.dier().write(|w| w.bits(1 << 9 | 1 << 10));
            for (k, stream) in STREAMS.into_iter().enumerate() {
                let registers = dma.st(stream);
                let compare = clock.ccr(1 - k).as_ptr() as u32;
                registers.cr().write(|w| w.bits(0));
                registers.par().write(|w| w.bits(compare));
                registers.m0ar().write(|w| w.bits(RINGS[k].as_ptr() as u32));
                registers.ndtr().write(|w| w.bits(ROOM as u32));
                // Words, to one address after the other, in a circle.
                const WORDS: u32 = 2 << 13 | 2 << 11 | 1 << 10 | 1 << 8;
                registers.cr().write(|w| w.bits(CHANNEL << 25 | WORDS | 1));
            }
        }
        // SAFETY: only read.
        let high = unsafe { (*GPIOA::ptr()).idr().read().bits() } & 1 << 1 != 0;
        Capture {
            dma,
            taken: [0; 2],
            pulses: Pulses::new(high, 0),
        }
    }

    /// The oldest edge of a kind that nobody took.
    fn peek(&self, kind: usize) -> Option<Edge> {
        let left = self.dma.st(STREAMS[kind]).ndtr().read().bits() as usize;
        let written = (ROOM - left.min(ROOM)) % ROOM;
        (written != self.taken[kind]).then(|| Edge {
            at: RINGS[kind][self.taken[kind]].load(Ordering::Relaxed),
            high: kind == 1,
        })
    }

    /// The part of the time for which the signal was high, from the beginning of the period before to that of this one.
    pub fn until(&mut self, beginning: u32) -> f32 {
        loop {
            let before = |edge: &Edge| edge.before(beginning);
            let (falling, rising) = (self.peek(0).filter(before), self.peek(1).filter(before));
            let kind = match (falling, rising) {
                (Some(falling), Some(rising)) => usize::from(rising.before(falling.at)),
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (None, None) => break,
            };
            self.taken[kind] = (self.taken[kind] + 1) % ROOM;
            if let Some(edge) = [falling, rising][kind] {
                self.pulses.take(edge);
            }
        }
        self.pulses.end(beginning)
    }
}
