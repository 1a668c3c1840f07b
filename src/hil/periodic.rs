//! The loop on a board: a step whenever a period begins, the link in between.

use super::pins::Pins;
use super::rig::Rig;
use super::session::Session;
use embedded_io::{Read, ReadReady, Write, WriteReady};

/// A timer that sets the pace.
pub trait Pace {
    /// Its ticks, wrapping around. They begin with zero, and so does the first period.
    fn now(&self) -> u32;
    /// Ticks a second.
    fn frequency(&self) -> u32;
    /// Ticks a period.
    fn period(&self) -> u32;
    /// Sleeps until an interrupt, if there is one that ends it.
    fn idle(&self) {}
}

/// How often the link is served after a period that was missed: enough for what a step tells.
const BREATH: u32 = 32;

/// Where the loop is.
#[derive(Clone, Copy, Debug)]
pub struct Serving {
    /// When the next period begins.
    next: u32,
    /// The part of this one for which the outputs were driven.
    part: u32,
}

impl Serving {
    /// From the next period on.
    pub fn new(pace: &impl Pace) -> Self {
        let (now, period) = (pace.now(), pace.period().max(1));
        Serving {
            next: (now - now % period).wrapping_add(period),
            part: u32::MAX,
        }
    }

    /// Serves the period that has begun, if one has, and gives the number of those that were over already: they were missed.
    pub fn turn<R: Rig>(
        &mut self,
        session: &mut Session<R>,
        pace: &impl Pace,
        pins: &mut impl Pins,
    ) -> Option<u32> {
        let late = pace.now().wrapping_sub(self.next);
        if late > u32::MAX / 2 {
            self.between(session, pace, pins);
            return None;
        }
        let missed = late / pace.period().max(1);
        let beginning = self.next.wrapping_add(missed.wrapping_mul(pace.period()));
        if missed > 0 {
            session.missed(missed);
        }
        self.next = beginning.wrapping_add(pace.period());
        session.period(pace, pins, beginning);
        self.part = 0;
        Some(missed)
    }

    /// Drives the outputs where the next part of a period has begun, if periods have parts and one was served.
    fn between<R: Rig>(
        &mut self,
        session: &mut Session<R>,
        pace: &impl Pace,
        pins: &mut impl Pins,
    ) {
        let drives = session.drives();
        if drives == 1 || self.part >= drives {
            return;
        }
        let beginning = self.next.wrapping_sub(pace.period());
        let length = (pace.period() / drives).max(1);
        let part = (pace.now().wrapping_sub(beginning) / length).min(drives - 1);
        if part > self.part {
            self.part = part;
            session.drive_between(pins, part);
        }
    }
}

/// Moves what there is to move on the link without waiting for anything. Whether there was something.
pub fn serve<R, L>(session: &mut Session<R>, link: &mut L) -> bool
where
    R: Rig,
    L: Read + ReadReady + Write + WriteReady,
{
    let mut moved = false;
    if session.work() {
        moved = true;
    } else if matches!(link.read_ready(), Ok(true)) {
        // Shorter than two frames, so that there is never more than one to be carried out. An error of the line is a
        // damaged frame, which the checksum finds.
        let mut bytes = [0; 8];
        if let Ok(count) = link.read(&mut bytes) {
            bytes
                .iter()
                .take(count)
                .for_each(|&byte| session.receive(byte));
        }
        moved = true;
    }
    let waiting = session.transmit();
    if !waiting.is_empty() && matches!(link.write_ready(), Ok(true)) {
        let part = waiting.get(..16).unwrap_or(waiting);
        if let Ok(count) = link.write(part) {
            session.transmitted(count);
        }
        moved = true;
    }
    moved || !session.transmit().is_empty()
}

/// The loop.
pub fn run<R, L>(mut session: Session<R>, mut link: L, pace: impl Pace, mut pins: impl Pins) -> !
where
    R: Rig,
    L: Read + ReadReady + Write + WriteReady,
{
    let mut serving = Serving::new(&pace);
    loop {
        let missed = serving.turn(&mut session, &pace, &mut pins);
        // Where steps leave no time, the link would get none: it gets some where a period is lost anyway.
        for _ in 0..if missed > Some(0) { BREATH } else { 0 } {
            serve(&mut session, &mut link);
        }
        // The timer wakes us for periods, not for their parts.
        if !serve(&mut session, &mut link) && missed.is_none() && session.drives() == 1 {
            pace.idle();
        }
    }
}
