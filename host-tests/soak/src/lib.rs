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

/// Campaigns as rows: name, cases of a full run and of a chunk, what runs a chunk, what settles a run, and what it is about.
macro_rules! campaigns {
    ($($name:literal $full:expr, $chunk:expr, $run:expr, $settle:expr; $about:literal)*) => {
        &[$(Campaign {
            name: $name,
            about: $about,
            full: $full,
            chunk: $chunk,
            run: $run,
            settle: $settle,
        }),*]
    };
}

/// Every campaign.
pub const CAMPAIGNS: &[Campaign] = campaigns! {
    "steps" 100_000_000, 20_000, rows::steps, None;
    "fixed steps from arbitrary bits in start, inputs, parameters and step: finite, or an error and not a bit changed"
    "adaptive" 1_000_000, 2_000, rows::adaptive, None;
    "the same with steps as large as arbitrary tolerances allow"
    "events" 1_000_000, 2_000, rows::events, None;
    "the same with events that make arbitrary states, in fixed and adaptive steps"
    "models" 5_000_000, 10_000, rows::models, None;
    "NaN, infinity, flipped bits and lost derivatives from any model function at any evaluation"
    "flips" 1_000_000, 5_000, flips::flips, None;
    "a flipped bit in state, stages, factors or parameters: seen by the digest; the step fails or stays finite"
    "frames" 10_000_000, 50_000, frames::frames, None;
    "corrupted frames: none is taken for a message, and the frame behind it is understood"
    "sessions" 10_000_000, 20_000, sessions::sessions, None;
    "requests of any kind from a host that often does not listen, burdens of any size: no hang, no output out of its swing"
    "overruns" 100_000, 2_000, clocks::overruns, None;
    "periods that are missed: every one is counted, and the plant goes on"
    "clean" 10_000_000, 100_000, clocks::clean, None;
    "periods on time, inputs over their whole ranges from end to end, no restart: not one alarm"
    "clocks" 1_000_000, 5_000, clocks::clocks, None;
    "clocks that jump, run backwards or stand still: the budget holds, outputs stay finite"
    "drift" 10_000_000, 10_000_000, drift::drift, None;
    "a rigid pendulum, ten million fixed steps in single precision: |g| and |G v| below 50 ulp, energy to 1e-4"
    "truth" 2_000_000, 2_000, truth::truth, Some(truth::settle);
    "steps of random plants beside the solution of their equations: a claim holds as often as the guide says"
    "hour" 9 * 3_600, 9 * 3_600, hour::hour, Some(hour::settle);
    "an hour of each shipped plant but converters and drives, inputs from end to end: no error, outputs in range, steps as in f64"
};

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
