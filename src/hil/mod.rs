//! Hardware in the loop: a board that is the plant.
//!
//! The board reads a controller's outputs, steps the plant every period, drives the sensor signals and streams telemetry;
//! a host changes parameters, injects faults and checks every sample. The layers, from the plant outwards:
//!
//! | module | what |
//! |---|---|
//! | [`rig`](Rig) | what loop and host see of whatever is on the rig; [`range`](Range): what a pin's full swing means |
//! | [`plant_rig`](PlantRig) | a plant with its faults: whatever it does follows from its inputs and changes, to the bit |
//! | [`allowance`](Allowance) | how long a step may go on |
//! | [`given`](GivenRig) | a plant without parameters as a rig |
//! | [`converter`](Converter) | a converter on such a rig, with the edges of its gates or the duties of its legs as inputs |
//! | [`servo`](ServoRig) | a drive on such a rig, with the edges of its inverter as inputs |
//! | [`fault`](Faults) | stuck, shifted and lost sensors, parameters that jump |
//! | [`hold`](Hold) | how inputs go on between two samples |
//! | [`protocol`] | what host and board say to each other |
//! | [`frame`] | how it looks on the wire |
//! | [`supervision`](Supervision) | overruns, deadlines, a host that went away, the safe state; counters for all of it |
//! | [`session`](Session) | bytes and periods in, bytes and outputs out |
//! | [`periodic`](run) | the loop on a board |
//! | [`pins`] | converters behind embedded-hal traits |
//! | [`wires`](Wires) | which signal is at which pin, by name |
//! | [`edges`](Pulses) | a controller's pulses, reduced to their mean over the period |
//! | [`encoder`](Encoder) | the counts of an encoder on a shaft, and when its edges come |
//!
//! Everything up to the session is free of input and output, and runs on the desk as it does on the board: that is how a
//! host verifies a board.

mod allowance;
mod converter;
mod edges;
mod encoder;
mod fault;
pub mod frame;
mod given;
mod hold;
mod manner;
mod outbox;
mod periodic;
pub mod pins;
mod plant_rig;
mod pointer;
pub mod protocol;
mod range;
mod rig;
mod servo;
mod session;
mod setup;
mod slices;
mod snapshot;
mod states;
mod supervision;
mod wires;

pub use allowance::Allowance;
pub use converter::{Converter, ConverterRig, Gating, Tabled, Window};
pub use edges::{Edge, Pulses};
pub use encoder::{Encoder, Spread, Toggles, Turning};
pub use fault::{Fault, Faults, MOST_PARAMETERS};
pub use given::{Given, GivenRig, SignalNames};
pub use hold::Hold;
pub use manner::{Eventful, Manner, Plain};
pub use periodic::{Pace, Serving, run, serve};
pub use plant_rig::{PlantRig, Steps};
pub use range::Range;
pub use rig::{About, Rig};
pub use servo::ServoRig;
pub use session::{Session, Work};
pub use setup::{PinNames, Setup, Wiring, baud};
pub use slices::{Divided, Slices};
pub use snapshot::{MOST_WORDS, Snapshot};
pub use states::States;
pub use supervision::{Cause, Counters, Policy, Silence, Span, Stack, Supervision, Timing};
pub use wires::{Connected, Terminal, Wires};

/// The most inputs, and the most outputs, that a plant on a board may have.
pub const MOST_SIGNALS: usize = 8;

/// As many values as a plant has inputs or outputs.
pub type Signals = heapless::Vec<f32, MOST_SIGNALS>;
