//! The UART as the link. It keeps one byte only, so that an interrupt takes every byte away while a step is computed.

use core::cell::RefCell;
use core::convert::Infallible;
use critical_section::Mutex;
use embedded_io::{ErrorType, Read, ReadReady, Write, WriteReady};
use heapless::spsc::{Consumer, Producer, Queue};
use stm32f4xx_hal::pac::{NVIC, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::serial::{Rx, RxISR, RxListen, Serial, Tx, TxISR};

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

/// The interrupt's side: the receiver, and where its bytes go.
type Intake = (Rx<Usart>, Producer<'static, u8>);

static INTAKE: Mutex<RefCell<Option<Intake>>> = Mutex::new(RefCell::new(None));

/// The loop's side.
pub struct Link {
    sender: Tx<Usart>,
    received: Consumer<'static, u8>,
}

impl Link {
    /// Takes the UART into service. `None` the second time.
    #[allow(unsafe_code)] // Unmasking an interrupt.
    pub fn new(serial: Serial<Usart>) -> Option<Self> {
        let queue: &'static mut Queue<u8, ROOM> =
            cortex_m::singleton!(: Queue<u8, ROOM> = Queue::new())?;
        let (producer, consumer) = queue.split();
        let (sender, mut receiver) = serial.split();
        receiver.listen();
        critical_section::with(|cs| INTAKE.replace(cs, Some((receiver, producer))));
        // SAFETY: the interrupt's data is in place, and no critical section of ours relies on its mask.
        unsafe { NVIC::unmask(INTERRUPT) };
        Some(Link {
            sender,
            received: consumer,
        })
    }
}

fn take_byte() {
    critical_section::with(|cs| {
        if let Some((receiver, producer)) = INTAKE.borrow_ref_mut(cs).as_mut() {
            while receiver.is_rx_not_empty() {
                match receiver.read() {
                    // A byte that finds no room is a damaged frame, which the checksum finds.
                    Ok(byte) => _ = producer.enqueue(byte),
                    Err(_) => break,
                }
            }
        }
    });
}

#[cfg(feature = "f405")]
#[interrupt]
fn USART1() {
    take_byte();
}

#[cfg(not(feature = "f405"))]
#[interrupt]
fn USART2() {
    take_byte();
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
        Ok(self.sender.is_tx_empty())
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
        let sent = buffer
            .iter()
            .map_while(|&byte| self.sender.write(byte).ok());
        Ok(sent.count())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
