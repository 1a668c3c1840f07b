//! The DC motor as a drive has it: its voltage is the mean of the bridge's pulses, and an encoder with 1600 lines is on its shaft.
#![no_std]
#![no_main]

use stiffstep::hil::Turning;
use stiffstep_plants::rigs::{BUILD, dc_motor};
use stiffstep_stm32f4::{Sink, Source, Wires};

const WIRES: Wires = Wires {
    inputs: &[
        ("voltage", Source::PulsesA1),
        ("load torque", Source::VoltageA0),
    ],
    outputs: &[
        ("motor speed", Sink::Encoder(Turning::Speed, 6_400)),
        ("motor speed", Sink::Pwm(0)),
        ("load speed", Sink::Pwm(1)),
        ("current", Sink::Pwm(2)),
        ("shaft torque", Sink::Pwm(3)),
    ],
};

#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_stm32f4::run_wired(dc_motor(1e-3), BUILD, &WIRES)
}
