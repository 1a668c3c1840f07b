//! The two tracks of an encoder at GP6 and GP7: PIO shows levels for as many cycles as each word says, and the DMA begins with the words of a
//! period when the period does.
#![allow(unsafe_code)] // The words that DMA reads.

use crate::dma::{self, ASKED_BY_PIO1_TX0, Job, TRACKS, TRIGGER};
use crate::tempo::ASKED_BY_PERIOD;
use core::sync::atomic::{AtomicU32, Ordering};
use pio::pio_asm;
use rp2040_hal::gpio::bank0::{Gpio6, Gpio7};
use rp2040_hal::gpio::{FunctionNull, FunctionPio1, Pin, PullDown, PullNone};
use rp2040_hal::pac::{PIO1, RESETS};
use rp2040_hal::pio::{PIOBuilder, PIOExt, PinDir, ShiftDirection};
use stiffstep::hil::{Encoder, Spread};

/// The most edges of a period.
pub const MOST: usize = 639;

/// Cycles between two edges at 500,000 of them in a second.
const CLOSEST: u32 = 250;

/// What a word takes besides the cycles that it says.
const OVERHEAD: u32 = 3;

/// The words of a period: one is read while the other is written.
static BATCHES: [[AtomicU32; MOST + 1]; 2] = [const { [const { AtomicU32::new(0) }; MOST + 1] }; 2];

/// Where the words of the next period are.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The tracks in service.
pub struct Tracks {
    encoder: Encoder,
    period: u32,
    batch: usize,
    _pins: (
        Pin<Gpio6, FunctionPio1, PullNone>,
        Pin<Gpio7, FunctionPio1, PullNone>,
    ),
}

type Fresh<I> = Pin<I, FunctionNull, PullDown>;

/// The most edges in a period of so many cycles.
pub fn most(period: u32) -> u32 {
    (period / CLOSEST).min(MOST as u32)
}

impl Tracks {
    /// Takes the pins into service.
    pub fn new(
        encoder: Encoder,
        period: u32,
        (one, other): (Fresh<Gpio6>, Fresh<Gpio7>),
        pio: PIO1,
        resets: &mut RESETS,
    ) -> Option<Self> {
        let (mut pio, machine, ..) = pio.split(resets);
        let program = pio_asm!(
            ".wrap_target"
            "    out pins, 2"
            "    out x, 30"
            "hold:"
            "    jmp x-- hold"
            ".wrap"
        );
        let installed = pio.install(&program.program).ok()?;
        let (mut machine, _, _) = PIOBuilder::from_installed_program(installed)
            .out_pins(6, 2)
            .out_shift_direction(ShiftDirection::Right)
            .autopull(true)
            .build(machine);
        machine.set_pindirs([(6, PinDir::Output), (7, PinDir::Output)]);
        machine.start();
        let fifo = PIO1::ptr() as u32 + 0x10;
        let words = Job {
            reads_on: true,
            ..Job::word(0, fifo, ASKED_BY_PIO1_TX0)
        };
        words.prepare(TRACKS);
        Some(Tracks {
            encoder,
            period,
            batch: 0,
            _pins: (one.reconfigure(), other.reconfigure()),
        })
    }

    /// Has the edges that bring the tracks to the sensor's value come in the next period.
    pub fn show(&mut self, value: f32) {
        // After a late step those of the step before have not begun yet: these come later.
        if dma::busy(TRIGGER) {
            self.encoder.advance(value);
            return;
        }
        let mut count = self.encoder.counts();
        let turned = self.encoder.turn(value);
        if turned == 0 {
            return;
        }
        let (edges, direction) = (turned.unsigned_abs(), i64::from(turned.signum()));
        let words = &BATCHES[self.batch];
        self.batch ^= 1;
        let mut distances = Spread::new(edges, self.period);
        for word in words.iter().take(edges as usize) {
            let cycles = distances.next().unwrap_or(CLOSEST).saturating_sub(OVERHEAD);
            word.store(show(count, cycles), Ordering::Relaxed);
            count += direction;
        }
        if let Some(last) = words.get(edges as usize) {
            last.store(show(count, 0), Ordering::Relaxed);
        }
        NEXT.store(words.as_ptr() as u32, Ordering::Relaxed);
        // SAFETY: as many words as were written.
        let length = dma::channel(TRACKS).ch_trans_count();
        length.write(|w| unsafe { w.bits(edges + 1) });
        let address = dma::channel(TRACKS).ch_al3_read_addr_trig().as_ptr() as u32;
        Job::word(NEXT.as_ptr() as u32, address, ASKED_BY_PERIOD).start(TRIGGER);
    }
}

/// The word that shows a count for so many cycles.
fn show(count: i64, cycles: u32) -> u32 {
    cycles << 2 | u32::from(Encoder::tracks(count))
}
