//! Faults by the million. A campaign is a row of [`CAMPAIGNS`]; to add one, append a row.
//!
//! A campaign runs in chunks, each from a seed of its own: the first from the seed that was asked for, the next from the next
//! number. A chunk that fails names its seed, and a run of that campaign from that seed fails at once in the same way.

pub mod chance;
mod clocks;
mod draw;
mod drift;
mod faulty;
mod flips;
mod frames;
mod hour;
mod models;
mod numbers;
mod pin_force;
mod rows;
mod sessions;
mod steps;
mod tally;
mod truth;

pub use draw::Draw;
pub use tally::Tally;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Looks at a run as a whole: a table, and what is broken.
pub type Settle = fn(&Tally, f64) -> (String, Vec<String>);

/// One kind of fault, injected again and again.
#[derive(Clone, Copy)]
pub struct Campaign {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is done, and what must hold.
    pub about: &'static str,
    /// How many cases a full run has.
    pub full: u64,
    /// How many of them make a chunk.
    pub chunk: u64,
    /// Runs a chunk, and says what broke.
    pub run: fn(&mut Draw, u64, &mut Tally) -> Result<(), String>,
    /// What must hold of the run as a whole: a table to print and what is broken, with so many standard deviations allowed
    /// to chance.
    pub settle: Option<Settle>,
}

/// Every campaign.
pub const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "steps",
        about: "fixed steps from arbitrary bits in start, inputs, parameters and step: finite, or an error and not a bit changed",
        full: 100_000_000,
        chunk: 20_000,
        run: rows::steps,
        settle: None,
    },
    Campaign {
        name: "adaptive",
        about: "the same with steps as large as arbitrary tolerances allow",
        full: 1_000_000,
        chunk: 2_000,
        run: rows::adaptive,
        settle: None,
    },
    Campaign {
        name: "events",
        about: "the same with events that make arbitrary states, in fixed and adaptive steps",
        full: 1_000_000,
        chunk: 2_000,
        run: rows::events,
        settle: None,
    },
    Campaign {
        name: "models",
        about: "NaN, infinity, flipped bits and lost derivatives from any model function at any evaluation",
        full: 5_000_000,
        chunk: 10_000,
        run: rows::models,
        settle: None,
    },
    Campaign {
        name: "flips",
        about: "a flipped bit in state, stages, factors or parameters: seen by the digest; the step fails or stays finite",
        full: 1_000_000,
        chunk: 5_000,
        run: flips::flips,
        settle: None,
    },
    Campaign {
        name: "frames",
        about: "corrupted frames: none is taken for a message, and the frame behind it is understood",
        full: 10_000_000,
        chunk: 50_000,
        run: frames::frames,
        settle: None,
    },
    Campaign {
        name: "sessions",
        about: "requests of any kind from a host that often does not listen, burdens of any size: no hang, no output out of its swing",
        full: 10_000_000,
        chunk: 20_000,
        run: sessions::sessions,
        settle: None,
    },
    Campaign {
        name: "overruns",
        about: "periods that are missed: every one is counted, and the plant goes on",
        full: 100_000,
        chunk: 2_000,
        run: clocks::overruns,
        settle: None,
    },
    Campaign {
        name: "clean",
        about: "periods on time, inputs over their whole ranges from end to end, no restart: not one alarm",
        full: 10_000_000,
        chunk: 100_000,
        run: clocks::clean,
        settle: None,
    },
    Campaign {
        name: "clocks",
        about: "clocks that jump, run backwards or stand still: the budget holds, outputs stay finite",
        full: 1_000_000,
        chunk: 5_000,
        run: clocks::clocks,
        settle: None,
    },
    Campaign {
        name: "drift",
        about: "a rigid pendulum, ten million fixed steps in single precision: |g| and |G v| below 50 ulp, energy to 1e-4",
        full: 10_000_000,
        chunk: 10_000_000,
        run: drift::drift,
        settle: None,
    },
    Campaign {
        name: "truth",
        about: "steps of random plants beside the solution of their equations: a claim holds as often as the guide says",
        full: 2_000_000,
        chunk: 2_000,
        run: truth::truth,
        settle: Some(truth::settle),
    },
    Campaign {
        name: "hour",
        about: "an hour of each shipped plant but converters and drives, inputs from end to end: no error, outputs in range, steps as in f64",
        full: 9 * 3_600,
        chunk: 9 * 3_600,
        run: hour::hour,
        settle: Some(hour::settle),
    },
];

/// A campaign by its name.
pub fn campaign(name: &str) -> Option<&'static Campaign> {
    CAMPAIGNS.iter().find(|campaign| campaign.name == name)
}

impl Campaign {
    /// Runs `cases` of it from a seed. What it found, or what broke: a panic breaks it, too.
    pub fn chunk(&self, seed: u64, cases: u64) -> Result<Tally, String> {
        let run = || {
            let mut tally = Tally::default();
            // Sums of seeds are seeds of other chunks: the name keeps campaigns apart.
            let mut draw = Draw::new(chance::mixed(self.name, seed));
            (self.run)(&mut draw, cases, &mut tally).map(|()| tally)
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => result,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied());
                Err(format!("panicked: {}", text.unwrap_or("no message")))
            }
        }
    }
}
