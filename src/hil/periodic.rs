//! The loop on a board: a step whenever a period begins, the link in between.

use super::pins::Pins;
use super::rig::Rig;
use super::session::{Session, Work};
use embedded_io::{Read, ReadReady, Write, WriteReady};

/// A timer that sets the pace.
pub trait Pace {
    /// Its ticks, wrapping around. They begin with zero, and so does the first period. A loop that is away for longer than 2^32
    /// of them counts too few missed periods, and goes on.
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
    /// Whether a period was served and the link not since.
    fresh: bool,
    /// Ticks before the next period after which no byte is moved, and nothing is answered: a part of the period, or more if it
    /// was seen to take longer.
    move_guard: u32,
    talk_guard: u32,
}

impl Serving {
    /// From the next period on.
    pub fn new(pace: &impl Pace) -> Self {
        let (now, period) = (pace.now(), pace.period().max(1));
        Serving {
            next: (now - now % period).wrapping_add(period),
            part: u32::MAX,
            fresh: false,
            move_guard: period / 8,
            talk_guard: period / 4,
        }
    }

    /// Ticks until the next period begins; none if it has begun.
    fn left(&self, pace: &impl Pace) -> Option<u32> {
        let until = self.next.wrapping_sub(pace.now());
        // Twice, in case a clock is not quite steady. Beyond that lies the past.
        let near = pace.period().saturating_mul(2);
        (until != 0 && until <= near).then_some(until)
    }

    /// Serves the period that has begun, if one has, and gives the number of those that were over already: they were missed.
    pub fn turn<R: Rig>(
        &mut self,
        session: &mut Session<R>,
        pace: &impl Pace,
        pins: &mut impl Pins,
    ) -> Option<u32> {
        if self.left(pace).is_some() {
            self.between(session, pace, pins);
            return None;
        }
        let late = pace.now().wrapping_sub(self.next);
        let missed = late / pace.period().max(1);
        let beginning = self.next.wrapping_add(missed.wrapping_mul(pace.period()));
        if missed > 0 {
            session.missed(missed);
        }
        self.next = beginning.wrapping_add(pace.period());
        session.period(pace, pins, beginning);
        (self.part, self.fresh) = (0, true);
        Some(missed)
    }

    /// Serves the link as far as the time until the next period goes, so that no request delays one. What has to do with the plant is
    /// carried out right after a step, where there is most time. True if it should be called again at once.
    pub fn link<R, L>(&mut self, session: &mut Session<R>, link: &mut L, pace: &impl Pace) -> bool
    where
        R: Rig,
        L: Read + ReadReady + Write + WriteReady,
    {
        let fresh = core::mem::take(&mut self.fresh);
        let left = self.left(pace).unwrap_or(0);
        let mut moved = false;
        if let Some(work) = session.waiting() {
            if fresh || work == Work::Talk && left > self.talk_guard {
                let begun = pace.now();
                moved = session.work();
                if work == Work::Talk {
                    widen(&mut self.talk_guard, begun, pace);
                }
            }
        } else if fresh || left > self.move_guard {
            let begun = pace.now();
            moved = hear(session, link);
            widen(&mut self.move_guard, begun, pace);
        }
        let left = self.left(pace).unwrap_or(0);
        let time = left > self.move_guard;
        if fresh || time {
            moved |= tell(session, link);
        }
        (moved || !session.transmit().is_empty()) && time
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
    let moved = session.work() || hear(session, link);
    tell(session, link) || moved || !session.transmit().is_empty()
}

/// Widens a guard to what was done since then, and a quarter more.
fn widen(guard: &mut u32, begun: u32, pace: &impl Pace) {
    let took = pace.now().wrapping_sub(begun);
    *guard = (*guard).max(took.saturating_add(took / 4));
}

/// Takes some bytes from the link, if there are any.
fn hear<R: Rig, L: Read + ReadReady>(session: &mut Session<R>, link: &mut L) -> bool {
    if !matches!(link.read_ready(), Ok(true)) {
        return false;
    }
    // Shorter than two frames, so that there is never more than one to be carried out. An error of the line is a damaged
    // frame, which the checksum finds.
    let mut bytes = [0; 8];
    if let Ok(count) = link.read(&mut bytes) {
        let taken = bytes.iter().take(count);
        taken.for_each(|&byte| session.receive(byte));
    }
    true
}

/// Gives some bytes to the link, if there are any and it takes them.
fn tell<R: Rig, L: Write + WriteReady>(session: &mut Session<R>, link: &mut L) -> bool {
    let waiting = session.transmit();
    if waiting.is_empty() || !matches!(link.write_ready(), Ok(true)) {
        return false;
    }
    let part = waiting.get(..16).unwrap_or(waiting);
    if let Ok(count) = link.write(part) {
        session.transmitted(count);
    }
    true
}

/// The loop.
pub fn run<R, L>(mut session: Session<R>, mut link: L, pace: impl Pace, mut pins: impl Pins) -> !
where
    R: Rig,
    L: Read + ReadReady + Write + WriteReady,
{
    session.secure(&mut pins);
    let mut serving = Serving::new(&pace);
    loop {
        let missed = serving.turn(&mut session, &pace, &mut pins);
        // If steps use the whole period the link starves: serve it after each missed period.
        for _ in 0..if missed > Some(0) { BREATH } else { 0 } {
            serve(&mut session, &mut link);
        }
        // The timer wakes us for periods, not for their parts.
        let more = serving.link(&mut session, &mut link, &pace);
        if !more && missed.is_none() && session.drives() == 1 {
            pace.idle();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::given::tests::sum;
    use super::{Pace, Pins, Serving, Session, widen};
    use crate::hil::{Setup, rig::Rig};
    use crate::step::Error;
    use core::cell::Cell;

    /// A clock that is set by hand, with a thousand ticks a period.
    struct Hand(Cell<u32>);
    impl Pace for Hand {
        fn now(&self) -> u32 {
            self.0.get()
        }
        fn frequency(&self) -> u32 {
            4000
        }
        fn period(&self) -> u32 {
            1000
        }
    }

    /// What was read and written: an input at half of its swing, and the outputs.
    #[derive(Default)]
    struct Written {
        parts: [f32; 4],
        count: usize,
        began: u32,
    }
    impl Pins for Written {
        fn begin(&mut self, beginning: u32) {
            self.began = beginning;
        }
        fn read(&mut self, input: usize) -> Option<f32> {
            (input == 0).then_some(0.5)
        }
        fn write(&mut self, _output: usize, part: f32) {
            if let Some(slot) = self.parts.get_mut(self.count) {
                *slot = part;
            }
            self.count += 1;
        }
    }

    /// Periods begin at multiples of their length; what is late is counted, and the clock may begin anew.
    #[test]
    fn a_period_begins_when_its_time_has_come() -> Result<(), Error> {
        for base in [0, 1_000_000, u32::MAX - 1295] {
            let (pace, mut pins) = (Hand(Cell::new(base + 400)), Written::default());
            let mut session = Session::new(sum()?, Setup::new("desk", true, 1));
            let mut serving = Serving::new(&pace);
            let first =
                base + (1000 - base % 1000) + if base % 1000 + 400 >= 1000 { 1000 } else { 0 };
            let at = |ticks: u32| first.wrapping_add(ticks);
            pace.0.set(at(0).wrapping_sub(1));
            assert_eq!(serving.turn(&mut session, &pace, &mut pins), None);
            assert_eq!(serving.left(&pace), Some(1));
            pace.0.set(at(0));
            assert_eq!(serving.left(&pace), None);
            assert_eq!(serving.turn(&mut session, &pace, &mut pins), Some(0));
            assert_eq!((pins.began, session.rig().steps()), (at(0), 1));
            assert_eq!(serving.left(&pace), Some(1000));
            // Two are over, and the third has begun.
            pace.0.set(at(3300));
            assert_eq!(serving.turn(&mut session, &pace, &mut pins), Some(2));
            assert_eq!((pins.began, session.rig().steps()), (at(3000), 2));
            assert_eq!(session.supervision().counters.missed, 2);
            assert_eq!(serving.left(&pace), Some(700));
        }
        Ok(())
    }

    /// Outputs are driven for the parts of a period, once each, and none is made up for.
    #[test]
    fn outputs_are_driven_in_parts() -> Result<(), Error> {
        let (pace, mut pins) = (Hand(Cell::new(0)), Written::default());
        let mut setup = Setup::new("desk", true, 1);
        setup.drives = 4;
        let mut session = Session::new(sum()?, setup);
        let mut serving = Serving::new(&pace);
        for now in [1000, 1100, 1249, 1250, 1499, 1800, 1999] {
            pace.0.set(now);
            serving.turn(&mut session, &pace, &mut pins);
        }
        // From one to three over the step: its quarters but the third, of sixteen.
        assert_eq!(pins.count, 3);
        assert_eq!(pins.parts, [1.5 / 16.0, 2.0 / 16.0, 3.0 / 16.0, 0.0]);
        Ok(())
    }

    /// Five fourths of what the longest took.
    #[test]
    fn guards_widen_with_what_took_long() {
        let (pace, mut guard) = (Hand(Cell::new(500)), 100);
        widen(&mut guard, 450, &pace);
        assert_eq!(guard, 100);
        widen(&mut guard, 300, &pace);
        assert_eq!(guard, 250);
        widen(&mut guard, u32::MAX - 99, &pace);
        assert_eq!(guard, 750);
    }
}
