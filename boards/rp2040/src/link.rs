//! The UART as the link, moved by DMA both ways: no byte waits for the processor, and none interrupts a step.
#![allow(unsafe_code)] // The addresses that DMA works on.

use crate::dma::{ASKED_BY_UART0_RX, ASKED_BY_UART0_TX, RECEIVER, SENDER, busy, channel};
use core::convert::Infallible;
use core::sync::atomic::{AtomicU8, Ordering};
use embedded_io::{ErrorType, Read, ReadReady, Write, WriteReady};
use rp2040_hal::pac::UART0;

/// Bytes that may wait, as a power of two: those of the longest step at the highest rate, and some more. 11 ms at 921,600 baud.
const BITS: u8 = 10;
const ROOM: usize = 1 << BITS;

/// Where DMA wraps around by itself, for which the address must be a multiple of the size.
#[repr(C, align(1024))]
struct Ring([AtomicU8; ROOM]);

impl Ring {
    const fn new() -> Self {
        Ring([const { AtomicU8::new(0) }; ROOM])
    }

    fn address(&'static self) -> u32 {
        self.0.as_ptr() as u32
    }

    /// The place that an address stands for.
    fn place(&'static self, address: u32) -> usize {
        address.wrapping_sub(self.address()) as usize % ROOM
    }
}

static RECEIVED: Ring = Ring::new();
static SENDING: Ring = Ring::new();

/// As many transfers as a channel can count: half a day of bytes.
const FOR_LONG: u32 = u32::MAX;

/// The link in service.
pub struct Link {
    /// The place of the next received byte, and of the next byte to be queued.
    taken: usize,
    queued: usize,
}

impl Link {
    /// Takes the channels into service. The UART must be enabled, with its requests for DMA, and so must the DMA.
    pub fn start() -> Self {
        let mut link = Link {
            taken: 0,
            queued: 0,
        };
        let port = UART0::ptr() as u32;
        let (sender, receiver) = (channel(SENDER), channel(RECEIVER));
        // SAFETY: static rings that wrap around, of which DMA writes one and nobody else does, and the UART's data register, which is
        // its first.
        unsafe {
            sender.ch_read_addr().write(|w| w.bits(SENDING.address()));
            sender.ch_write_addr().write(|w| w.bits(port));
            receiver.ch_read_addr().write(|w| w.bits(port));
            receiver
                .ch_write_addr()
                .write(|w| w.bits(RECEIVED.address()));
        }
        link.listen();
        link
    }

    /// Receives, from where it ended the last time.
    fn listen(&mut self) {
        let receiver = channel(RECEIVER);
        // SAFETY: the addresses are set, and the ring wraps around.
        unsafe {
            receiver.ch_trans_count().write(|w| w.bits(FOR_LONG));
            receiver.ch_ctrl_trig().write(|w| {
                w.incr_write().set_bit().ring_sel().set_bit();
                w.ring_size().bits(BITS);
                w.chain_to().bits(RECEIVER as u8);
                w.treq_sel().bits(ASKED_BY_UART0_RX);
                w.irq_quiet().set_bit().en().set_bit()
            });
        }
    }

    /// How many bytes were received and not taken.
    fn waiting(&mut self) -> usize {
        if !busy(RECEIVER) {
            self.listen();
        }
        let address = channel(RECEIVER).ch_write_addr().read().bits();
        RECEIVED.place(address).wrapping_sub(self.taken) % ROOM
    }

    /// How many bytes wait to be sent.
    fn unsent(&self) -> usize {
        let address = channel(SENDER).ch_read_addr().read().bits();
        self.queued.wrapping_sub(SENDING.place(address)) % ROOM
    }

    /// Starts to send what waits, unless the last lot is still under way.
    fn pump(&mut self) {
        // In this order: what is counted while a lot is under way is sent when it is not.
        if busy(SENDER) {
            return;
        }
        let unsent = self.unsent();
        if unsent == 0 {
            return;
        }
        let sender = channel(SENDER);
        // SAFETY: as many bytes as are queued in the ring.
        unsafe {
            sender.ch_trans_count().write(|w| w.bits(unsent as u32));
            sender.ch_ctrl_trig().write(|w| {
                w.incr_read().set_bit().ring_sel().clear_bit();
                w.ring_size().bits(BITS);
                w.chain_to().bits(SENDER as u8);
                w.treq_sel().bits(ASKED_BY_UART0_TX);
                w.irq_quiet().set_bit().en().set_bit()
            });
        }
    }
}

impl ErrorType for Link {
    type Error = Infallible;
}

impl ReadReady for Link {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        self.pump();
        Ok(self.waiting() > 0)
    }
}

impl WriteReady for Link {
    fn write_ready(&mut self) -> Result<bool, Infallible> {
        self.pump();
        Ok(self.unsent() < ROOM - 1)
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let count = self.waiting().min(buffer.len());
        for slot in buffer.iter_mut().take(count) {
            *slot = RECEIVED.0[self.taken % ROOM].load(Ordering::Relaxed);
            self.taken = (self.taken + 1) % ROOM;
        }
        Ok(count)
    }
}

impl Write for Link {
    fn write(&mut self, buffer: &[u8]) -> Result<usize, Infallible> {
        let count = (ROOM - 1 - self.unsent()).min(buffer.len());
        for byte in buffer.iter().take(count) {
            SENDING.0[self.queued % ROOM].store(*byte, Ordering::Relaxed);
            self.queued = (self.queued + 1) % ROOM;
        }
        self.pump();
        Ok(count)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while self.unsent() > 0 {
            self.pump();
        }
        Ok(())
    }
}
