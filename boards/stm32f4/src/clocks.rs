//! The clocks of a real board, and what each of them may be at most.

use stm32f4xx_hal::adc::config::Clock;
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;

/// Of the processor, in MHz.
const PROCESSOR: u32 = if cfg!(feature = "f411") { 100 } else { 168 };

/// Of both buses, in MHz. Their timers run at twice the first one's.
const BUSES: [u32; 2] = if cfg!(feature = "f411") {
    [50, 100]
} else {
    [42, 84]
};

/// The converter gets this part of its bus's clock.
pub const CONVERTER: Clock = Clock::Pclk2_div_4;
pub const DIVIDER: u32 = 4;

/// Of the crystal, in MHz.
const CRYSTAL: u32 = if cfg!(feature = "crystal-25") {
    25
} else if cfg!(feature = "crystal-16") {
    16
} else if cfg!(feature = "crystal-12") {
    12
} else {
    8
};

/// What the data sheets allow: 36 MHz for the converter, and for the buses of the F405 and the F446 less than what the latter's take.
const _: () = {
    let [first, second] = BUSES;
    assert!(second / DIVIDER <= 36, "the converter is too fast");
    assert!(matches!(CONVERTER, Clock::Pclk2_div_4) && DIVIDER == 4);
    if cfg!(feature = "f411") {
        assert!(PROCESSOR <= 100 && first <= 50 && second <= 100);
    } else {
        assert!(PROCESSOR <= 168 && first <= 42 && second <= 84);
    }
};

/// From the crystal, unless a feature says otherwise. A board whose crystal does not start is silent.
pub fn config() -> Config {
    let crystal = cfg!(any(
        feature = "f405",
        feature = "crystal-8",
        feature = "crystal-12",
        feature = "crystal-16",
        feature = "crystal-25"
    ));
    let config = if cfg!(feature = "rc") {
        Config::hsi()
    } else if crystal {
        Config::hse(CRYSTAL.MHz())
    } else {
        Config::hse(CRYSTAL.MHz()).bypass_hse_oscillator()
    };
    let [first, second] = BUSES;
    config
        .sysclk(PROCESSOR.MHz())
        .pclk1(first.MHz())
        .pclk2(second.MHz())
}

/// The F411 leaves its reset with the core's voltage for 84 MHz. The next scale has to be set before the PLL starts.
#[cfg(feature = "f411")]
pub fn full_voltage(chip: &stm32f4xx_hal::pac::Peripherals) {
    chip.RCC.apb1enr().modify(|_, w| w.pwren().set_bit());
    // The clock of the register needs a moment.
    let _ = chip.RCC.apb1enr().read();
    #[allow(unsafe_code)]
    // SAFETY: 0b11 is scale 1.
    chip.PWR.cr().modify(|_, w| unsafe { w.vos().bits(0b11) });
}
