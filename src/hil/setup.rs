//! How a board runs its plant.

use super::protocol::Kind;
use super::{Cause, Hold, MOST_SIGNALS, Policy, Silence};

/// The rate of a link: what the text says, 921,600 baud without one. For `option_env!("STIFFSTEP_BAUD")`, by which the boards here are built for
/// another rate. A text that is no number does not compile.
pub const fn baud(text: Option<&str>) -> u32 {
    let Some(text) = text else {
        return 921_600;
    };
    let (mut digits, mut rate) = (text.as_bytes(), 0);
    while let [digit, rest @ ..] = digits {
        assert!(digit.is_ascii_digit(), "a rate is a number");
        rate = rate * 10 + (*digit - b'0') as u32;
        digits = rest;
    }
    rate
}

/// The pins of a signal, as a host is told them; empty where there is none. A signal may have two.
pub type PinNames = [&'static str; 2];

/// Which pins the signals of a plant are connected to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wiring {
    /// Those of its inputs.
    pub inputs: [PinNames; MOST_SIGNALS],
    /// Those of its outputs.
    pub outputs: [PinNames; MOST_SIGNALS],
}

impl Wiring {
    /// No pins: everything goes over the link.
    pub const NONE: Self = Wiring {
        inputs: [[""; 2]; MOST_SIGNALS],
        outputs: [[""; 2]; MOST_SIGNALS],
    };

    /// The pins of a signal.
    pub fn of(&self, kind: Kind, index: u8) -> Option<PinNames> {
        let names = match kind {
            Kind::Input => &self.inputs,
            Kind::Output => &self.outputs,
            Kind::State | Kind::Parameter => return None,
        };
        names.get(usize::from(index)).copied()
    }
}

/// How a board runs its plant.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The board's name.
    pub board: &'static str,
    /// Whether it is emulated.
    pub emulated: bool,
    /// A hash of the sources.
    pub build: u32,
    /// How inputs go on between samples.
    pub hold: Hold,
    /// What to do about overruns.
    pub policy: Policy,
    /// What to do when the host is silent.
    pub silence: Silence,
    /// What the outputs show in the safe state, in their units: zero unless told otherwise, or the end of the range that is next to it.
    pub safe: [f32; MOST_SIGNALS],
    /// Why the board was reset, if the plant must not start before the host has seen that.
    pub after: Option<Cause>,
    /// Newton iterations a step.
    pub iterations: u8,
    /// How often a period the outputs are driven: once, at the end of the step, or in between by dense output, too.
    pub drives: u8,
    /// Whether what is driven in a period is shown when the next one begins, by hardware.
    pub latched: bool,
    /// Which pins the signals are connected to, for hosts that ask.
    pub wiring: Wiring,
}

impl Setup {
    /// Newton iterations a step, unless somebody wants others.
    pub const ITERATIONS: u8 = 2;

    /// How boards run plants, unless they have their own ideas. `build` tells hosts what the board was built from, zero if
    /// they need not know.
    pub const fn new(board: &'static str, emulated: bool, build: u32) -> Self {
        Setup {
            board,
            emulated,
            build,
            hold: Hold::Zero,
            policy: Policy::KeepBest,
            silence: Silence::GoOn,
            safe: [0.0; MOST_SIGNALS],
            after: None,
            iterations: Self::ITERATIONS,
            drives: 1,
            latched: false,
            wiring: Wiring::NONE,
        }
    }
}
