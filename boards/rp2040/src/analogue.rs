//! Up to two analogue inputs, converted one after the other when a period begins.
#![allow(unsafe_code)] // Registers that DMA writes, and the words that it moves.

use crate::dma::{self, ASKED_BY_ADC, CONVERSIONS, Job, UNASKED};
use crate::tempo::ASKED_BY_PERIOD;
use core::sync::atomic::{AtomicU32, Ordering};
use rp2040_hal::adc::Adc;
use rp2040_hal::pac::{ADC, RESETS};

/// What starts the conversions, and what came of them.
static STARTS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static CODES: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Times that somebody looks whether the conversions are done, at most: some hundred microseconds.
const PATIENCE: u32 = 1_000;

/// The converter in service.
pub struct Analogue;

impl Analogue {
    /// Converts these channels, one or two, in every period from the first one on.
    pub fn start(converter: ADC, resets: &mut RESETS, channels: &[u8]) -> Option<Self> {
        if channels.is_empty() || channels.len() > STARTS.len() {
            return None;
        }
        let converter = Adc::new(converter, resets).free();
        converter
            .fcs()
            // SAFETY: one word is enough to ask for it.
            .write(|w| unsafe { w.en().set_bit().dreq_en().set_bit().thresh().bits(1) });
        let control = converter.cs().as_ptr() as u32;
        let fifo = converter.fifo().as_ptr() as u32;
        let last = 2 * channels.len() - 1;
        for (k, channel) in channels.iter().enumerate() {
            const ENABLED: u32 = 1;
            const START_ONCE: u32 = 1 << 2;
            STARTS[k].store(
                ENABLED | START_ONCE | u32::from(*channel) << 12,
                Ordering::Relaxed,
            );
            // The period asks for the first conversion, its end for the second, whose end waits for the next period.
            let asked_by = if k == 0 { ASKED_BY_PERIOD } else { UNASKED };
            let start = Job {
                then: Some(CONVERSIONS[2 * k + 1]),
                ..Job::word(STARTS[k].as_ptr() as u32, control, asked_by)
            };
            let next = if 2 * k + 1 == last { 0 } else { 2 * k + 2 };
            let take = Job {
                then: Some(CONVERSIONS[next]),
                ..Job::word(fifo, CODES[k].as_ptr() as u32, ASKED_BY_ADC)
            };
            start.prepare(CONVERSIONS[2 * k]);
            take.prepare(CONVERSIONS[2 * k + 1]);
            if k == 0 {
                start.start(CONVERSIONS[0]);
            }
        }
        Some(Analogue)
    }

    /// What stood at a channel when the period began, as a part of the full swing.
    pub fn read(&self, number: usize) -> Option<f32> {
        // The first channel of the chain waits for the next period again when all conversions are done.
        let mut patience = PATIENCE;
        while !dma::busy(CONVERSIONS[0]) && patience > 0 {
            patience -= 1;
        }
        let code = CODES.get(number)?.load(Ordering::Relaxed) & 0xfff;
        Some(code as f32 / 4095.0)
    }
}
