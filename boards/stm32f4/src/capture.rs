//! A controller's pulses at PA15, captured by TIM2: its first channel writes down rising edges, its second one falling edges of the same pin, and
//! the DMA moves both to rings. A period must not have more than 256 edges of either kind.
#![allow(unsafe_code)] // Registers, and the words that DMA moves.

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::SYST;
use stiffstep::hil::{Edge, Pulses};
use stm32f4xx_hal::pac::{DMA1, TIM2};
use stm32f4xx_hal::rcc::{Enable, Rcc, Reset};

/// Edges of either kind that may wait.
const ROOM: usize = 256;

/// Falling edges, then rising ones.
static RINGS: [[AtomicU32; ROOM]; 2] = [const { [const { AtomicU32::new(0) }; ROOM] }; 2];

/// The streams of the DMA for the timer's second and first channel, and the channel of both.
const STREAMS: [usize; 2] = [6, 5];
const CHANNEL: u32 = 3;

/// The input in service.
pub struct Capture {
    timer: TIM2,
    dma: DMA1,
    taken: [usize; 2],
    pulses: Pulses,
    /// Cycles of the processor for a tick of the timer.
    slower: u32,
}

impl Capture {
    /// Takes timer and DMA into service. The pin is the timer's first channel already.
    pub fn new(timer: TIM2, dma: DMA1, rcc: &mut Rcc) -> Self {
        TIM2::enable(rcc);
        TIM2::reset(rcc);
        DMA1::enable(rcc);
        let slower = rcc.clocks.hclk().raw() / rcc.clocks.timclk1().raw().max(1);
        // SAFETY: values within their fields; the addresses are those of the timer's registers and of statics.
        unsafe {
            timer.arr().write(|w| w.bits(u32::MAX));
            // Both channels look at the first one's pin, the second one for falling edges.
            timer.ccmr1_input().write(|w| w.bits(0b10 << 8 | 0b01));
            timer.ccer().write(|w| w.bits(1 | 1 << 4 | 1 << 5));
            timer.dier().write(|w| w.bits(1 << 9 | 1 << 10));
            for (k, stream) in STREAMS.into_iter().enumerate() {
                let registers = dma.st(stream);
                let compare = timer.ccr(1 - k).as_ptr() as u32;
                registers.cr().write(|w| w.bits(0));
                registers.par().write(|w| w.bits(compare));
                registers.m0ar().write(|w| w.bits(RINGS[k].as_ptr() as u32));
                registers.ndtr().write(|w| w.bits(ROOM as u32));
                // Words, to one address after the other, in a circle.
                const WORDS: u32 = 2 << 13 | 2 << 11 | 1 << 10 | 1 << 8;
                registers.cr().write(|w| w.bits(CHANNEL << 25 | WORDS | 1));
            }
            timer.egr().write(|w| w.bits(1));
            timer.cr1().write(|w| w.bits(1));
        }
        Capture {
            timer,
            dma,
            taken: [0; 2],
            pulses: Pulses::new(false, 0),
            slower: slower.max(1),
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

    /// The part of the time for which the signal was high, from the beginning of the period before to that of this one. SysTick, which begins
    /// them, and the timer have the same source.
    pub fn read(&mut self) -> f32 {
        let (now, left) = (self.timer.cnt().read().bits(), SYST::get_current());
        let into = SYST::get_reload().wrapping_sub(left);
        let end = now.wrapping_sub(into / self.slower);
        loop {
            let before = |edge: &Edge| edge.before(end);
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
        self.pulses.end(end)
    }
}
