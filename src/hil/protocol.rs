//! What host and board say to each other.
//!
//! The host sends [`Request`]s, each with a number of its own, and gets a [`Reply`](Event::Reply) with that number. A
//! request that is repeated, because its reply was lost, is answered again but not carried out again. The board sends
//! [`Event`]s, numbered without gaps: a missing number is a missing event.
//!
//! There is no request that reads or writes memory. Until the host has sent [`Arm`](Request::Arm), nothing that it sends
//! changes the plant.

use super::{Cause, Counters, Fault, Policy, Signals, Silence, Stack, Timing};
use crate::step::Error;
use heapless::Vec;
use serde::{Deserialize, Serialize};

/// The version of this protocol; host and board must agree on it.
pub const VERSION: u16 = 3;

/// The most words of a snapshot in one event.
pub const WORDS: usize = 16;

/// The most states in one event.
pub const STATES: usize = 32;

/// A message with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numbered<T> {
    /// Its number.
    pub sequence: u32,
    /// What it says.
    pub message: T,
}

/// What a host may ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Who are you? Answered by [`Event::Hello`].
    Hello,
    /// What is this signal, state or parameter? Answered by [`Event::Description`].
    Describe(Kind, u8),
    /// Which pins is this input or output connected to? Answered by [`Event::Pins`].
    Pins(Kind, u8),
    /// Counters and timing, answered by [`Event::Status`]. Also a sign of life.
    Status,
    /// Telemetry after every so many steps, 0 for none, with the states if wanted.
    Telemetry {
        /// Steps from sample to sample.
        divider: u16,
        /// Whether to send the states, too.
        states: bool,
    },
    /// Send the plant's memory as it is now: [`Event::Snapshot`].
    Snapshot,
    /// Allow changes from now on.
    Arm,
    /// Allow them no more.
    Disarm,
    /// Change something. Refused unless armed.
    Change(Change),
    /// Stand still before this step, until told otherwise: for controllers that are slower than an emulator's clock. None
    /// lets the plant run. Refused by a real board.
    Pause {
        /// The first step that is not to be taken yet.
        before: Option<u32>,
    },
}

/// What a host may change. The board carries it out between two steps and logs it: [`Event::Changed`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Sets a parameter.
    Parameter {
        /// Which one.
        index: u8,
        /// To what.
        value: f32,
    },
    /// Sets the inputs, one each; none leaves an input to the board's pins.
    Inputs(Vec<Option<f32>, { super::MOST_SIGNALS }>),
    /// Injects a fault.
    Fault(Fault),
    /// Ends all faults; parameters jump back.
    Heal,
    /// Keeps the plant's memory as it is now, on the board.
    Keep,
    /// Goes back to what was kept.
    Restore,
    /// Goes back to the start.
    Reset,
    /// What to do about overruns.
    Policy(Policy),
    /// What to do when the host is silent.
    Silence(Silence),
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// An input.
    Input,
    /// An output.
    Output,
    /// A state.
    State,
    /// A parameter.
    Parameter,
}

/// Why a request was refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refusal {
    /// The frame was whole, but what it says is no request of this version.
    Malformed,
    /// Changes need arming first.
    NotArmed,
    /// There is no signal, state or parameter of that index, or not so many.
    Unknown,
    /// The value is outside its range, or not a number.
    OutOfRange,
    /// Nothing was kept that one could go back to.
    NothingKept,
    /// The last snapshot is still on its way.
    Busy,
    /// The plant cannot be what the change asks for.
    Model(Error),
    /// Only an emulated board can stop the time.
    Real,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Refusal::Malformed => "this is no request of the board's protocol version",
            Refusal::NotArmed => "the board is not armed: it takes no changes",
            Refusal::Unknown => "the plant has nothing of that index, or not so many of it",
            Refusal::OutOfRange => "the value is outside the range that the plant allows",
            Refusal::NothingKept => "nothing was kept that one could go back to",
            Refusal::Busy => "the last snapshot is still being sent",
            Refusal::Real => "time on a real board cannot be stopped",
            Refusal::Model(error) => return write!(f, "the plant does not fit: {error}"),
        })
    }
}

impl core::error::Error for Refusal {}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Model(error)
    }
}

/// What a board tells. Names are whatever `S` is: a board has them in its flash, a host gets them as strings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event<S> {
    /// Who it is.
    Hello(Hello<S>),
    /// What a name stands for.
    Description(Description<S>),
    /// The pins of a signal.
    Pins {
        /// What it is.
        kind: Kind,
        /// Its index there.
        index: u8,
        /// Up to two, empty where there is none.
        names: [S; 2],
    },
    /// The answer to a request.
    Reply {
        /// The request's number.
        to: u32,
        /// Steps done when it was answered.
        step: u32,
        /// Whether it was granted.
        result: Result<(), Refusal>,
    },
    /// A frame came that was whole but no request.
    Refused(Refusal),
    /// A change was carried out before this step.
    Changed {
        /// The number of the first step that it affects.
        step: u32,
        /// What was changed.
        change: Change,
    },
    /// A step, as asked for by [`Request::Telemetry`].
    Sample(Sample),
    /// The states after a step.
    States {
        /// The step's number.
        step: u32,
        /// The states.
        values: Vec<f32, STATES>,
    },
    /// Inputs that changed in a step without a sample.
    Input {
        /// The step's number.
        step: u32,
        /// The inputs from there on.
        values: Signals,
    },
    /// A step without a sample that did not do all of its iterations.
    Shortened {
        /// The step's number.
        step: u32,
        /// How many it did.
        iterations: u8,
    },
    /// A step that failed; the plant is as it was before it.
    Failed {
        /// The step's number.
        step: u32,
        /// Why.
        error: Error,
    },
    /// Periods went by without a step.
    Overrun {
        /// The number of the next step.
        step: u32,
        /// How many periods.
        missed: u32,
        /// What is done about it.
        policy: Policy,
    },
    /// A part of a snapshot.
    Snapshot {
        /// The number of the next step when it was taken.
        step: u32,
        /// How many words there are in all.
        total: u16,
        /// The number of the first of these words.
        first: u16,
        /// The words.
        words: Vec<u32, WORDS>,
    },
    /// How it goes.
    Status(Status),
}

/// Who a board is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello<S> {
    /// Its [`VERSION`] of the protocol.
    pub protocol: u16,
    /// The board.
    pub board: S,
    /// Whether it is emulated: its time is virtual then.
    pub emulated: bool,
    /// The plant.
    pub plant: S,
    /// A hash of the sources that it was built from.
    pub build: u32,
    /// The step, in s.
    pub h: f32,
    /// How many inputs, outputs, states and parameters the plant has.
    pub counts: [u8; 4],
    /// The words of its memory.
    pub words: u16,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description<S> {
    /// What it belongs to.
    pub kind: Kind,
    /// Its index there.
    pub index: u8,
    /// The name.
    pub name: S,
    /// The unit.
    pub unit: S,
    /// The range: what parameters may be set to, and what the pins of inputs and outputs can show.
    pub range: [f32; 2],
    /// The value of a parameter.
    pub value: f32,
}

/// A step: what went in, what came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The step's number.
    pub step: u32,
    /// Newton iterations done; 0 if the step failed.
    pub iterations: u8,
    /// The inputs, held over the step.
    pub inputs: Signals,
    /// The outputs after it, as faulty sensors show them.
    pub outputs: Signals,
    /// A hash of everything that the plant keeps between steps.
    pub digest: u32,
}

/// How it goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Steps done.
    pub step: u32,
    /// Whether changes are allowed.
    pub armed: bool,
    /// Whether the outputs are in their safe state and the plant stands still.
    pub safe: bool,
    /// Why they last were.
    pub cause: Option<Cause>,
    /// The stack, if the board looks after it.
    pub stack: Option<Stack>,
    /// What was counted.
    pub counters: Counters,
    /// When things happened within their periods.
    pub timing: Timing,
}
