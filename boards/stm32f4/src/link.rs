//! The UART as the link. It keeps one byte only, so that an interrupt takes and gives every byte while a step is computed.

use core::cell::RefCell;
use core::convert::Infallible;
use critical_section::Mutex;
use embedded_io::{ErrorType, Read, ReadReady, Write, WriteReady};
use heapless::spsc::{Consumer, Producer, Queue};
use stm32f4xx_hal::pac::{NVIC, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::serial::{Rx, RxListen, Serial, Tx, TxISR, TxListen};

#[cfg(feature = "f405")]
type Usart = stm32f4xx_hal::pac::USART1;
#[cfg(not(feature = "f405"))]
type Usart = stm32f4xx_hal::pac::USART2;

#[cfg(feature = "f405")]
const INTERRUPT: interrupt = interrupt::USART1;
#[cfg(not(feature = "f405"))]
const INTERRUPT: interrupt = interrupt::USART2;

/// Bytes that may wait: those of the longest step at the highest rate, and some more.
const ROOM: usize = 512;

/// The interrupt's side: the UART, and where its bytes go and come from.
struct Port {
    receiver: Rx<Usart>,
    received: Producer<'static, u8>,
    sender: Tx<Usart>,
    sending: Consumer<'static, u8>,
}

static PORT: Mutex<RefCell<Option<Port>>> = Mutex::new(RefCell::new(None));

impl Port {
    /// Takes what came. Read even if no byte is there: an overrun interrupts again and again until it is.
    fn take(&mut self) {
        loop {
            match self.receiver.read() {
                // A byte that finds no room is a damaged frame, which the checksum finds.
                Ok(byte) => _ = self.received.enqueue(byte),
                Err(nb::Error::Other(_)) => {}
                Err(nb::Error::WouldBlock) => break,
            }
        }
    }

    /// Gives what waits, as far as the UART takes it; the next interrupt goes on if something is left.
    fn give(&mut self) {
        while self.sender.is_tx_empty() {
            let Some(byte) = self.sending.dequeue() else {
                self.sender.unlisten();
                return;
            };
            let _ = self.sender.write(byte);
        }
        self.sender.listen();
    }
}

/// Does something with the UART while its interrupt does nothing.
fn with_port(action: impl FnOnce(&mut Port)) {
    critical_section::with(|cs| {
        if let Some(port) = PORT.borrow_ref_mut(cs).as_mut() {
            action(port);
        }
    });
}

/// The loop's side.
pub struct Link {
    outgoing: Producer<'static, u8>,
    received: Consumer<'static, u8>,
}

impl Link {
    /// Takes the UART into service. `None` the second time.
    #[allow(unsafe_code)] // Unmasking an interrupt.
    pub fn new(serial: Serial<Usart>) -> Option<Self> {
        type Ring = Queue<u8, ROOM>;
        let incoming: &'static mut Ring = cortex_m::singleton!(: Ring = Queue::new())?;
        let outgoing: &'static mut Ring = cortex_m::singleton!(: Ring = Queue::new())?;
        let (taken, received) = incoming.split();
        let (outgoing, sending) = outgoing.split();
        let (sender, mut receiver) = serial.split();
        receiver.listen();
        let port = Port {
            receiver,
            received: taken,
            sender,
            sending,
        };
        critical_section::with(|cs| PORT.replace(cs, Some(port)));
        // SAFETY: the interrupt's data is in place, and no critical section of ours relies on its mask.
        unsafe { NVIC::unmask(INTERRUPT) };
        Some(Link { outgoing, received })
    }
}

fn serve() {
    with_port(|port| {
        port.take();
        port.give();
    });
}

#[cfg(feature = "f405")]
#[interrupt]
fn USART1() {
    serve();
}

#[cfg(not(feature = "f405"))]
#[interrupt]
fn USART2() {
    serve();
}

impl ErrorType for Link {
    type Error = Infallible;
}

impl ReadReady for Link {
    fn read_ready(&mut self) -> Result<bool, Infallible> {
        Ok(self.received.ready())
    }
}

impl WriteReady for Link {
    fn write_ready(&mut self) -> Result<bool, Infallible> {
        Ok(self.outgoing.ready())
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        for slot in buffer {
            let Some(byte) = self.received.dequeue() else {
                break;
            };
            *slot = byte;
            count += 1;
        }
        Ok(count)
    }
}

impl Write for Link {
    fn write(&mut self, buffer: &[u8]) -> Result<usize, Infallible> {
        let queued = buffer
            .iter()
            .map_while(|&byte| self.outgoing.enqueue(byte).ok());
        let count = queued.count();
        // The first byte starts the interrupts. An emulator that has none for empty transmitters takes everything here.
        with_port(Port::give);
        Ok(count)
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
