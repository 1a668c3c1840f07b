//! Channels of the DMA, and what each is for. Everything that has to happen at its time, whatever the processor does, is done by one.
#![allow(unsafe_code)] // The addresses that DMA works on.

use rp2040_hal::pac::{DMA, RESETS, dma};

/// The channels of the link.
pub const RECEIVER: usize = 0;
pub const SENDER: usize = 1;
/// Outputs that are latched when a period begins: one for each of two slices of the PWM.
pub const LATCHES: [usize; 2] = [2, 3];
/// Conversions that begin when a period does. The last two serve a second analogue input, or else a second captured one.
pub const CONVERSIONS: [usize; 4] = [4, 5, 6, 7];
/// Edges of the encoder's tracks, and what starts them.
pub const TRIGGER: usize = 8;
pub const TRACKS: usize = 9;
/// Captured edges, from two state machines for each input.
pub const CAPTURES: [[usize; 2]; 2] = [[10, 11], [6, 7]];

/// What asks for transfers (table 120 of the chip's data sheet).
pub const ASKED_BY_UART0_TX: u8 = 20;
pub const ASKED_BY_UART0_RX: u8 = 21;
pub const ASKED_BY_WRAP0: u8 = 24;
pub const ASKED_BY_ADC: u8 = 36;
pub const ASKED_BY_PIO0_RX0: u8 = 4;
pub const ASKED_BY_PIO1_TX0: u8 = 8;
/// Nobody: as fast as it goes.
pub const UNASKED: u8 = 0x3f;

/// Takes the DMA into service.
pub fn start(_dma: DMA, resets: &mut RESETS) {
    resets.reset().modify(|_, w| w.dma().clear_bit());
    while resets.reset_done().read().dma().bit_is_clear() {}
}

/// The registers of a channel.
pub fn channel(number: usize) -> &'static dma::CH {
    // SAFETY: the constants above say who uses which channel, and only this module writes to them.
    unsafe { &*DMA::ptr() }.ch(number)
}

/// Whether a channel is at work, or waits to be asked.
pub fn busy(number: usize) -> bool {
    channel(number).ch_ctrl_trig().read().busy().bit()
}

/// What a channel does: it moves words from one address to another.
#[derive(Clone, Copy)]
pub struct Job {
    pub from: u32,
    pub to: u32,
    pub count: u32,
    pub asked_by: u8,
    /// Whether the next word comes from the next address, or goes there.
    pub reads_on: bool,
    pub writes_on: bool,
    /// Where it writes on, it wraps around after so many bytes, as a power of two.
    pub ring: u8,
    /// The channel that it starts at its end.
    pub then: Option<usize>,
}

impl Job {
    /// One word, when asked.
    pub const fn word(from: u32, to: u32, asked_by: u8) -> Self {
        Job {
            from,
            to,
            count: 1,
            asked_by,
            reads_on: false,
            writes_on: false,
            ring: 0,
            then: None,
        }
    }

    fn control(&self, number: usize) -> u32 {
        const WORD: u32 = 2 << 2;
        const RING_WRITES: u32 = 1 << 10;
        const QUIET: u32 = 1 << 21;
        let (on, then) = (1, self.then.unwrap_or(number) as u32);
        on | WORD
            | u32::from(self.reads_on) << 4
            | u32::from(self.writes_on) << 5
            | u32::from(self.ring) << 6
            | RING_WRITES
            | then << 11
            | u32::from(self.asked_by) << 15
            | QUIET
    }

    /// Has a channel ready to do it when another one, or somebody else, starts it.
    pub fn prepare(&self, number: usize) {
        let channel = channel(number);
        // SAFETY: whoever makes a job answers for its addresses: statics and registers, all of them.
        unsafe {
            channel.ch_read_addr().write(|w| w.bits(self.from));
            channel.ch_write_addr().write(|w| w.bits(self.to));
            channel.ch_trans_count().write(|w| w.bits(self.count));
            channel
                .ch_al1_ctrl()
                .write(|w| w.bits(self.control(number)));
        }
    }

    /// Has a channel do it, when asked.
    pub fn start(&self, number: usize) {
        self.prepare(number);
        // SAFETY: as above.
        unsafe {
            channel(number)
                .ch_ctrl_trig()
                .write(|w| w.bits(self.control(number)));
        }
    }
}
