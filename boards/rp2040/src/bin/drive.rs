//! The DC motor as a drive has it: its voltage is the mean of the bridge's pulses, and an encoder with 3400 lines is on its shaft.
#![no_std]
#![no_main]

use stiffstep::hil::Turning;
use stiffstep_plants::rigs::{BUILD, dc_motor};
use stiffstep_rp2040::{Sink, Source, Wires};

const WIRES: Wires = Wires {
    inputs: &[
        ("voltage", Source::Pulses(16)),
        ("load torque", Source::Voltage(26)),
    ],
    outputs: &[
        ("motor speed", Sink::Encoder(Turning::Speed, 13_600)),
        ("motor speed", Sink::Pwm(2)),
        ("load speed", Sink::Pwm(3)),
        ("current", Sink::Pwm(4)),
        ("shaft torque", Sink::Pwm(5)),
    ],
};

#[stiffstep_rp2040::entry]
fn main() -> ! {
    stiffstep_rp2040::run_wired(dc_motor(1e-3), BUILD, &WIRES)
}
