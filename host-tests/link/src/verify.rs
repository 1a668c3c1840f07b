//! The reference build beside the board: the same plant gets the same inputs and changes, and every sample is compared to the
//! last bit, and with it, by its hash, everything that the plant keeps between steps.
//!
//! Samples that are lost are no difference, but after them nobody knows what the board did. The reference then starts again
//! from a snapshot of the board.

use super::client::{Client, Heard};
use anyhow::Result;
use stiffstep::hil::protocol::{Change, Event, Request, Sample};
use stiffstep::hil::{Allowance, Rig, Setup, Snapshot};

/// What to say of a board that computes something else, and why that may be.
pub const DIFFERENT: &str = "the board does not compute what this machine computes. The usual cause is a function of the platform: `x.sin()`, `x.exp()` or `x.powf(y)` of a plain f32 is the C library's here and another one there. `cargo clippy` names the places; write `Scalar::sin(x)` and the like, which are the same everywhere";

/// Where the reference is.
enum At {
    /// Nowhere: a snapshot has to be asked for.
    Lost,
    /// A snapshot was asked for by this request.
    Asked(u32),
    /// It was taken at that request; what came since waits until all of it is here.
    Loading(Vec<Event<String>>),
    /// Beside the board.
    Beside,
}

/// The reference beside a board.
pub struct Verifier {
    rig: Box<dyn Rig>,
    at: At,
    /// The snapshot that comes in.
    snapshot: Snapshot,
    /// What the board was told to keep, if we saw it.
    kept: Option<Snapshot>,
    inputs: Vec<f32>,
    /// Iterations of the next step, if not all.
    shortened: Option<u8>,
    /// Events that came while nobody waited for a snapshot any more.
    patience: u32,
    /// Samples compared.
    pub compared: u64,
    /// Those that were not equal.
    pub different: u64,
    /// Samples that came while the reference was not beside the board.
    pub skipped: u64,
    /// How often the reference started from a snapshot, the first time included.
    pub starts: u32,
    /// What happened: starts, and the first differences.
    pub remarks: Vec<String>,
}

impl Verifier {
    /// With this plant as the reference, whatever the board was built from.
    pub fn beside(rig: Box<dyn Rig>) -> Self {
        Verifier {
            rig,
            at: At::Lost,
            snapshot: Snapshot::default(),
            kept: None,
            inputs: Vec::new(),
            shortened: None,
            patience: 0,
            compared: 0,
            different: 0,
            skipped: 0,
            starts: 0,
            remarks: Vec::new(),
        }
    }

    /// A request that the board should be sent, with [`asked`](Self::asked) told its number.
    pub fn wants(&self) -> Option<Request> {
        matches!(self.at, At::Lost).then_some(Request::Snapshot)
    }

    /// The request that was wanted got this number.
    pub fn asked(&mut self, number: u32) {
        self.at = At::Asked(number);
        self.patience = 2_000;
    }

    /// Asks the board for what is wanted.
    pub fn keep_up(&mut self, client: &mut Client) -> Result<()> {
        if let Some(request) = self.wants() {
            let number = client.send(&request)?;
            self.asked(number);
        }
        Ok(())
    }

    /// Takes in what the board told.
    pub fn take(&mut self, heard: &Heard) {
        if heard.lost > 0 && !matches!(self.at, At::Lost) {
            if matches!(self.at, At::Beside) {
                self.remark(format!(
                    "{} events lost after step {}: waiting for a snapshot",
                    heard.lost,
                    self.rig.steps()
                ));
            }
            self.at = At::Lost;
            // It may have been told to keep something else since.
            self.kept = None;
        }
        let event = &heard.event;
        match &mut self.at {
            At::Lost => self.skip(event),
            At::Asked(number) => {
                match event {
                    Event::Reply { to, result, .. } if to == number => {
                        self.at = match result {
                            Ok(()) => At::Loading(Vec::new()),
                            Err(_) => At::Lost,
                        };
                        self.snapshot.words.clear();
                    }
                    _ => {
                        // The answer may be lost, too.
                        self.patience = self.patience.saturating_sub(1);
                        if self.patience == 0 {
                            self.at = At::Lost;
                        }
                    }
                }
                self.skip(event);
            }
            At::Loading(since) => {
                if let Event::Snapshot { .. } = event {
                    if self.assemble(event) {
                        self.start();
                    }
                } else {
                    since.push(event.clone());
                }
            }
            At::Beside => self.follow(event),
        }
    }

    fn skip(&mut self, event: &Event<String>) {
        self.skipped += u64::from(matches!(event, Event::Sample(_)));
    }

    /// Adds a part of a snapshot. Whether it is complete.
    fn assemble(&mut self, event: &Event<String>) -> bool {
        let Event::Snapshot {
            step,
            total,
            first,
            words,
        } = event
        else {
            return false;
        };
        if *first == 0 {
            self.snapshot.words.clear();
        }
        self.snapshot.step = *step;
        usize::from(*first) == self.snapshot.words.len()
            && self.snapshot.words.extend_from_slice(words).is_ok()
            && self.snapshot.words.len() == usize::from(*total)
    }

    /// Starts from the snapshot and catches up.
    fn start(&mut self) {
        let At::Loading(since) = std::mem::replace(&mut self.at, At::Lost) else {
            return;
        };
        let snapshot = self.snapshot.clone();
        if !self.rig.load(&snapshot) {
            self.remark("the board's snapshot does not fit the plant".to_owned());
            return;
        }
        self.rig.join(snapshot.step);
        self.inputs = self.rig.inputs().to_vec();
        self.shortened = None;
        self.at = At::Beside;
        self.starts += 1;
        let step = snapshot.step;
        self.remark(format!("started from a snapshot before step {step}"));
        for event in since {
            if matches!(self.at, At::Beside) {
                self.follow(&event);
            }
        }
    }

    /// Does what the board did.
    fn follow(&mut self, event: &Event<String>) {
        match event {
            Event::Changed { step, change } => {
                self.advance(*step);
                let done = match change {
                    Change::Keep => {
                        self.rig.save(self.kept.get_or_insert_default());
                        true
                    }
                    // The board went back to something that we may never have seen.
                    Change::Restore => {
                        let kept = self.kept.clone();
                        kept.is_some_and(|kept| self.rig.load(&kept))
                    }
                    _ => self.rig.apply(change).is_ok(),
                };
                if !done {
                    self.remark(format!("{change:?} before step {step} cannot be followed"));
                    self.at = At::Lost;
                }
            }
            Event::Input { step, values } => {
                self.advance(*step);
                self.inputs = values.to_vec();
            }
            Event::Shortened { step, iterations } => {
                self.advance(*step);
                self.shortened = Some(*iterations);
            }
            Event::Sample(sample) => self.compare(sample),
            _ => {}
        }
    }

    /// Steps until the next step is `step`.
    fn advance(&mut self, step: u32) {
        // A board that is a long way ahead has told us why, or is not the one we know.
        let ahead = step.wrapping_sub(self.rig.steps());
        if ahead > 1 << 20 {
            self.at = At::Lost;
            return;
        }
        for _ in 0..ahead {
            let iterations = self.shortened.take().unwrap_or(Setup::ITERATIONS);
            self.step(iterations);
        }
    }

    fn step(&mut self, iterations: u8) {
        let mut never = || false;
        let mut allowance = Allowance::new(iterations, &mut never);
        // A step that failed on the board fails here, too, and leaves the same state.
        let _ = self.rig.step(&self.inputs, &mut allowance);
    }

    fn compare(&mut self, sample: &Sample) {
        self.advance(sample.step);
        if !matches!(self.at, At::Beside) {
            return;
        }
        self.inputs = sample.inputs.to_vec();
        self.shortened = None;
        self.step(match sample.iterations {
            0 => Setup::ITERATIONS,
            some => some,
        });
        self.compared += 1;
        let outputs = self.rig.outputs().iter().map(|y| y.to_bits());
        let same = outputs.eq(sample.outputs.iter().map(|y| y.to_bits()))
            && self.rig.digest() == sample.digest;
        if !same {
            self.different += 1;
            if self.different <= 5 {
                let (board, desk) = (sample.outputs.to_vec(), self.rig.outputs().to_vec());
                self.remark(format!(
                    "step {}: the board has {board:?}, the desk {desk:?}, inputs {:?}",
                    sample.step, self.inputs
                ));
            }
        }
    }

    fn remark(&mut self, remark: String) {
        if self.remarks.len() < 1_000 {
            self.remarks.push(remark);
        }
    }

    /// Whether every sample that was compared was equal, and there were some.
    pub fn passed(&self) -> bool {
        self.compared > 0 && self.different == 0
    }

    /// One line about it.
    pub fn summary(&self) -> String {
        let verdict = if self.passed() {
            "every one bit-equal".to_owned()
        } else {
            format!("{} DIFFERENT", self.different)
        };
        let mut text = format!("{} samples compared, {verdict}", self.compared);
        if self.starts > 1 {
            text += &format!(", {} restarts from a snapshot", self.starts - 1);
        }
        if self.skipped > 0 {
            let skipped = self.skipped;
            text += &format!(", {skipped} not compared while a snapshot was under way");
        }
        text
    }
}
