//! The guide: from a first mechanism to a board on the bench, and how it works inside.
//!
//! | page | |
//! |---|---|
//! | [`mechanisms`] | masses, forces, constraints: writing a mechanism down |
//! | [`elastic_or_rigid`] | what a joint is, and what it costs |
//! | [`circuits`] | circuits with their algebraic equations, and other systems of first order |
//! | [`converters`] | switches, diodes, gate edges and commutations within a step |
//! | [`drives`] | an inverter-fed machine on an elastic shaft |
//! | [`methods`] | which method for which plant, and what each costs |
//! | [`steppers`] | what every method on every kind of model can do |
//! | [`single_precision`] | why f32 is enough, and what to watch |
//! | [`real_time`] | budgets, deadlines, reports: a step that is always in time |
//! | [`events`] | contacts, diodes, stops |
//! | [`slow_starts`] | starting stiff springs without ringing |
//! | `hil` | a board as the plant (feature `hil`) |
//! | `boards` | a board of your own (feature `hil`) |
//! | [`host_tests`] | testing a plant before it sees a board |
//! | [`trust`] | what is promised, how it is tested, what is not promised |
//! | [`inside`] | how it works, with the equations |
//!
//! What a page shows as Rust is run as a test; where it gives a figure that is not computed on the page, it names the command or the
//! test that checks it.

#[cfg(feature = "hil")]
#[doc = include_str!("boards.md")]
pub mod boards {}
#[doc = include_str!("circuits.md")]
pub mod circuits {}
#[doc = include_str!("converters.md")]
#[doc = include_str!("converters_picture.md")]
pub mod converters {}
#[doc = include_str!("drives.md")]
#[doc = include_str!("drives_picture.md")]
pub mod drives {}
#[doc = include_str!("elastic_or_rigid.md")]
pub mod elastic_or_rigid {}
#[doc = include_str!("events.md")]
pub mod events {}
#[cfg(feature = "hil")]
#[doc = include_str!("hil.md")]
pub mod hil {}
#[doc = include_str!("host_tests.md")]
pub mod host_tests {}
#[doc = include_str!("inside.md")]
pub mod inside {}
#[doc = include_str!("mechanisms.md")]
pub mod mechanisms {}
#[doc = include_str!("methods.md")]
pub mod methods {}
#[doc = include_str!("real_time.md")]
pub mod real_time {}
#[doc = include_str!("single_precision.md")]
pub mod single_precision {}
#[doc = include_str!("slow_starts.md")]
pub mod slow_starts {}
#[doc = include_str!("steppers.md")]
pub mod steppers {}
#[doc = include_str!("trust.md")]
pub mod trust {}
