//! Electric drives: machines, what feeds them, and what they turn.
//!
//! A machine and its shaft are two parts that drive each other: the machine's torque turns the shaft, the shaft's angle turns the
//! machine's axes. Each is advanced by what suits it, and they exchange polynomials of time over the step: the voltage of an
//! inverter enters as its first three [moments](Voltage), the torque as mean, slope and bend. [`Coupled`] is that exchange, for any
//! [`Electrical`] and any [`Mechanics`]; its documentation states where it is stable. [`Servo`] is a permanent-magnet
//! synchronous machine on an elastic shaft, [`DirectServo`] and [`InductionServo`] are other machines on it, and a [`Mechanism`] is anything
//! else that a machine turns. [`Drive`], [`DirectDrive`] and [`InductionDrive`] are the same plants as one model, for any method of first
//! order.

#[cfg(test)]
mod by_hand;
mod coupled;
mod direct;
mod drive;
mod elastic;
mod error;
mod induction;
mod mechanism;
mod pulses;
mod sensors;
mod servo;
mod shaft;
mod synchronous;

pub use crate::number::Angle;
pub use coupled::{Coupled, Electrical, Mechanics, NODES, Torque, Turned};
pub use direct::{Armature, DirectCurrent, DirectDrive, DirectServo};
pub use drive::{Drive, PulsedDrive};
pub use elastic::ElasticShaft;
pub use error::ServoError;
pub use induction::{Cage, Induction, InductionDrive, InductionServo};
pub use mechanism::{Axle, Mechanism};
pub use pulses::{Pulses, Voltage};
pub use sensors::{Counts, CurrentSensor, Resolver, hall};
pub use servo::{Outputs, PermanentMagnet, Servo};
pub use shaft::Shaft;
pub use synchronous::Synchronous;
