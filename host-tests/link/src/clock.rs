//! The board's seconds beside this machine's.

use super::client::Client;
use anyhow::Result;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::Status;

/// How long a second of the board is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds {
    /// Seconds that went by on the board, by its own clock.
    pub board: f64,
    /// On this machine.
    pub here: f64,
    /// By how much either may be off, because the link takes its time.
    pub uncertain: f64,
}

impl Seconds {
    /// From two answers of the board, each with the time when it was asked for and when it came.
    pub fn between(
        (before, asked, told): (&Status, Instant, Instant),
        (after, asked_again, told_again): (&Status, Instant, Instant),
    ) -> Self {
        let periods = |status: &Status| {
            let timing = &status.timing;
            timing.began.count.wrapping_add(status.counters.missed)
        };
        let passed = periods(after).wrapping_sub(periods(before));
        let timing = &after.timing;
        let period = f64::from(timing.period) / f64::from(timing.frequency.max(1));
        let here = (asked_again - asked + (told_again - told)).as_secs_f64() / 2.0;
        let link = (told - asked + (told_again - asked_again)).as_secs_f64() / 2.0;
        Seconds {
            board: f64::from(passed) * period,
            here,
            uncertain: link + period,
        }
    }

    /// Watches the board for a while.
    pub fn watch(client: &mut Client, time: Duration) -> Result<Self> {
        let mut ask = || -> Result<(Status, Instant, Instant)> {
            let asked = Instant::now();
            Ok((client.status()?, asked, Instant::now()))
        };
        let (before, asked, told) = ask()?;
        thread::sleep(time);
        let (after, asked_again, told_again) = ask()?;
        Ok(Self::between(
            (&before, asked, told),
            (&after, asked_again, told_again),
        ))
    }

    /// The board's second in seconds of this machine.
    pub fn ratio(&self) -> f64 {
        self.here / self.board
    }

    /// Whether both clocks may be right.
    pub fn agree(&self) -> bool {
        (self.board - self.here).abs() <= self.uncertain
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.board <= 0.0 {
            return f.write_str("the board's clock stands still");
        }
        write!(
            f,
            "a second of the board is {:.5} s of this machine's, to {:.5}{}",
            self.ratio(),
            self.uncertain / self.here,
            if self.agree() {
                ""
            } else {
                ": they do not agree; is its crystal the one that the firmware was built for?"
            }
        )
    }
}
