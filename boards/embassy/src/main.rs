//! A plant inside an embassy application: a model of the motor is stepped every millisecond with the voltage at GP26, and the LED of the Pico
//! is on while the model says that the motor turns. Nothing but the library is needed: no session, no link.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_rp::adc::{Adc, Channel, Config, InterruptHandler};
use embassy_rp::bind_interrupts;
use embassy_rp::gpio::{Level, Output, Pull};
use embassy_time::{Duration, Ticker};
use panic_halt as _;
use stiffstep::Simulation;
use stiffstep::prelude::RadauIIA;
use stiffstep_plants::dc_motor::DcMotor;
use stiffstep_softfloat as _;

bind_interrupts!(struct Interrupts {
    ADC_IRQ_FIFO => InterruptHandler;
});

/// The period: what the model takes as its step, and the ticker as its time.
const STEP: f32 = 1e-3;
const PERIOD: Duration = Duration::from_millis(1);

/// The voltage that the full swing of the pin stands for, from minus to plus.
const SUPPLY: f32 = 24.0;

/// From here on, in rad/s, the motor turns.
const TURNS: f32 = 1.0;

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let board = embassy_rp::init(embassy_rp::config::Config::default());
    let mut converter = Adc::new(board.ADC, Interrupts, Config::default());
    let mut voltage = Channel::new_pin(board.PIN_26, Pull::None);
    let mut light = Output::new(board.PIN_25, Level::Low);
    let mut ticker = Ticker::every(PERIOD);
    let start = [0.0; 4].into();
    let Ok(mut motor) = Simulation::new(DcMotor::SERVO, RadauIIA::<2>, STEP, start) else {
        return;
    };
    loop {
        ticker.next().await;
        let code = converter.read(&mut voltage).await.unwrap_or(2_048);
        let part = f32::from(code) / 4_095.0;
        motor.input = [SUPPLY * (2.0 * part - 1.0), 0.0].into();
        // A step that fails leaves the model where it was.
        let _ = motor.step();
        let speed = motor.state()[1];
        light.set_level(if speed.abs() > TURNS {
            Level::High
        } else {
            Level::Low
        });
    }
}
