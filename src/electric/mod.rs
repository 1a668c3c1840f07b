//! Electric drives: machines, what feeds them, and what they turn.
//!
//! A machine and its shaft are two parts that drive each other: the machine's torque turns the shaft, the shaft's angle turns the
//! machine's axes. Each is advanced by what suits it, and they exchange polynomials of time over the step: the voltage of an
//! inverter enters as its first three [moments](Voltage), the torque as mean and slope. [`Servo`] is a permanent-magnet
//! synchronous machine on an elastic shaft; its documentation states where the exchange is stable. [`Drive`] is the same plant as one
//! model, for any method of first order.

mod direct;
mod drive;
mod induction;
mod pulses;
mod sensors;
mod servo;
mod shaft;
mod synchronous;

pub use crate::number::Angle;
pub use direct::{DirectCurrent, DirectDrive};
pub use drive::{Drive, PulsedDrive};
pub use induction::{Induction, InductionDrive};
pub use pulses::{Pulses, Voltage};
pub use sensors::{Counts, CurrentSensor, Resolver, hall};
pub use servo::{Outputs, Servo, ServoError};
pub use shaft::Shaft;
pub use synchronous::Synchronous;
