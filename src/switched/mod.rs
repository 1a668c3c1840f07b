//! Switched circuits: converters, rectifiers and inverters, with gate edges and commutations anywhere within a step.
//!
//! A [`Circuit`] is built from parts. Which devices conduct is its *mode*; in every mode the same states, currents of coils and
//! voltages of capacitors, obey `x' = A x + B u`. [`Circuit::build`] computes these equations once, in double precision: on the desk
//! for tables in flash, or at start-up.
//!
//! [`Switched`] steps them. Between two edges or commutations the state is a Taylor polynomial of time: no factorisation, and no grid
//! that edges would be rounded to. Conditions of diodes are scalar polynomials whose roots are the commutations. After each,
//! and after every gate edge, [`Switched`] looks for the mode in which all diodes agree with their currents and voltages. Modes that
//! are too fast for one polynomial advance by exact maps over quarters, sixteenths and so on of a step.
//!
//! A device that is off conducts nothing, so that currents are exactly zero in discontinuous conduction.
//!
//! Conditions are looked at where a segment ends: a diode that would conduct for a part of a segment only, without an edge or
//! another commutation, is not seen. Maps are short enough to follow oscillations; steps should resolve what else oscillates.

mod circuit;
pub(crate) mod dense;
mod network;
mod segment;
mod settle;
mod step;
mod tables;

pub use circuit::{Circuit, CircuitError, Conduction, Named, SIZE, Sizes};
pub use step::{Edge, Input, Report, State, Switched, SwitchedError};
pub use tables::{Keys, Limits, Map, Mode, Scale, Tables, View};
