//! The time base: slice 7 of the PWM. It begins the periods, and in the same cycle asks the DMA to start conversions and to latch outputs, so
//! that neither depends on what the processor is doing. Its pulse stands at GP14, for captures, which begin to count there, and for a scope.
#![allow(unsafe_code)] // Registers of the slice, and an interrupt.

use crate::dma::ASKED_BY_WRAP0;
use core::sync::atomic::{AtomicU32, Ordering};
use rp2040_hal::gpio::bank0::Gpio14;
use rp2040_hal::gpio::{FunctionNull, FunctionPwm, Pin, PullDown, PullNone};
use rp2040_hal::pac::{Interrupt, NVIC, PWM, interrupt, pwm};
use stiffstep::hil::{Divided, Pace};

/// The slice, and its flag.
const SLICE: usize = 7;
const FLAG: u32 = 1 << SLICE;

/// What the slice asks the DMA by.
pub const ASKED_BY_PERIOD: u8 = ASKED_BY_WRAP0 + SLICE as u8;

/// The pin that shows the beginning of periods.
pub const PIN: u8 = 14;

/// What a slice counts, and what its clock can be divided by.
const MOST: u32 = 1 << 16;
const DIVIDERS: u32 = 255;

/// Times that the slice wrapped around. The core has no atomic increment, but only the interrupt writes.
static WRAPS: AtomicU32 = AtomicU32::new(0);

fn registers() -> &'static pwm::RegisterBlock {
    // SAFETY: nobody else uses this slice, and its flag is its own.
    unsafe { &*PWM::ptr() }
}

#[interrupt]
fn PWM_IRQ_WRAP() {
    // SAFETY: a flag is cleared by a one.
    registers().intr().write(|w| unsafe { w.bits(FLAG) });
    let wraps = WRAPS.load(Ordering::Relaxed);
    WRAPS.store(wraps.wrapping_add(1), Ordering::Relaxed);
}

/// The pin that shows the beginning of periods, as it comes out of reset.
pub type FreshPin = Pin<Gpio14, FunctionNull, PullDown>;

/// The slice's counts for periods of `h` seconds. `None` for periods that no timer counts.
pub fn divided(h: f32, frequency: u32) -> Option<Divided> {
    Divided::of(h, frequency, MOST, DIVIDERS)
}

/// The time base in service. Its ticks are cycles of the processor.
pub struct Tempo {
    frequency: u32,
    divided: Divided,
    _pin: Pin<Gpio14, FunctionPwm, PullNone>,
}

impl Tempo {
    /// Has periods of so many counts. The first one begins before this returns, and whatever waits for its pulse with it. The PWM is in service.
    pub fn start(divided: Divided, frequency: u32, pin: FreshPin) -> Self {
        /// Before its first period the slice stands so many ticks before its end: the pulse must be low first.
        const LEAD: u32 = 16;
        let (slice, last) = (registers().ch(SLICE), divided.length - 1);
        // SAFETY: values within their fields.
        unsafe {
            slice.csr().write(|w| w.bits(0));
            slice.div().write(|w| w.bits(divided.divider << 4));
            slice.top().write(|w| w.bits(last));
            slice.cc().write(|w| w.bits(divided.length / 2));
            let before = last.saturating_sub(LEAD.max(2));
            slice
                .ctr()
                .write(|w| w.bits(before.max(divided.length / 2)));
        }
        let pin = pin.reconfigure();
        // SAFETY: as above; the interrupt finds everything in place.
        unsafe {
            registers().intr().write(|w| w.bits(FLAG));
            slice.csr().write(|w| w.en().set_bit());
            while registers().intr().read().bits() & FLAG == 0 {}
            registers().intr().write(|w| w.bits(FLAG));
            registers().inte().modify(|r, w| w.bits(r.bits() | FLAG));
            NVIC::unmask(Interrupt::PWM_IRQ_WRAP);
        }
        Tempo {
            frequency,
            divided,
            _pin: pin,
        }
    }
}

impl Pace for Tempo {
    fn now(&self) -> u32 {
        loop {
            let wraps = WRAPS.load(Ordering::Relaxed);
            let into = registers().ch(SLICE).ctr().read().bits();
            // A turn that began without its interrupt having been served yet would make time go backwards.
            let pending = registers().intr().read().bits() & FLAG != 0;
            if !pending && WRAPS.load(Ordering::Relaxed) == wraps {
                let ticks = wraps.wrapping_mul(self.divided.length).wrapping_add(into);
                return ticks.wrapping_mul(self.divided.divider);
            }
        }
    }

    fn frequency(&self) -> u32 {
        self.frequency
    }

    fn period(&self) -> u32 {
        self.divided.period()
    }

    fn idle(&self) {
        // An interrupt between the last look at the clock and this is an event that ends it at once.
        cortex_m::asm::wfe();
    }
}
