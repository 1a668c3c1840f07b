//! A plant at work: bytes and periods in, bytes and outputs out.

mod period;
mod requests;

pub use requests::Work;

use super::frame::{Broken, Decoder};
use super::outbox::Outbox;
use super::protocol::{Event, Numbered, Refusal, Request};
use super::rig::Rig;
use super::{MOST_SIGNALS, Setup, Signals, Snapshot, Supervision};

/// A rig with a host: whatever the host asks for happens between two steps.
pub struct Session<R> {
    rig: R,
    setup: Setup,
    supervision: Supervision,
    decoder: Decoder,
    outbox: Outbox,
    /// Whether the host may change things.
    armed: bool,
    /// Steps from sample to sample, and whether states go along.
    divider: u16,
    states: bool,
    /// Steps since the last sample.
    since: u16,
    /// Inputs that the host gave.
    given: [Option<f32>; MOST_SIGNALS],
    /// The samples of the inputs in the last period, if they may be continued, and what the step got for them.
    sampled: Option<[f32; MOST_SIGNALS]>,
    applied: Signals,
    /// A request that came and was not carried out yet.
    pending: Option<Numbered<Request>>,
    /// The last request and its answer, in case it comes again.
    answered: Option<(Numbered<Request>, Result<(), Refusal>)>,
    /// A question that is still to be answered.
    asked: Option<Request>,
    /// What the host asked to keep.
    kept: Snapshot,
    /// What is on its way to the host, and how many words of it are gone.
    snapshot: Snapshot,
    sent: usize,
    /// Whether the next step tells its inputs even if they are the same: whoever follows from here needs them.
    tell_inputs: bool,
    /// What every iteration takes longer, in microseconds.
    burden: u32,
    /// Whether the last step failed: there is nothing to show between two steps.
    failed: bool,
    /// The step before which an emulated plant stands still.
    pause: Option<u32>,
}

impl<R: Rig> Session<R> {
    /// A session that waits for its first period. The host counts as lost after a second of silence.
    pub fn new(rig: R, setup: Setup) -> Self {
        let about = rig.about();
        let a_second = (1.0 / about.h) as u32;
        let mut applied = Signals::new();
        let _fits = applied.resize(usize::from(about.counts[0]), 0.0);
        let mut supervision = Supervision::new(setup.policy, a_second);
        supervision.lonely = setup.silence;
        if let Some(cause) = setup.after {
            supervision.secure(cause);
        }
        Session {
            rig,
            setup,
            supervision,
            decoder: Decoder::new(),
            outbox: Outbox::default(),
            armed: false,
            divider: 0,
            states: false,
            since: 0,
            given: [None; MOST_SIGNALS],
            sampled: None,
            applied,
            pending: None,
            answered: None,
            asked: None,
            kept: Snapshot::default(),
            snapshot: Snapshot::default(),
            sent: 0,
            tell_inputs: false,
            burden: 0,
            failed: false,
            pause: None,
        }
    }

    /// The rig.
    pub fn rig(&self) -> &R {
        &self.rig
    }

    /// The rig, to be changed behind the host's back.
    pub fn rig_mut(&mut self) -> &mut R {
        &mut self.rig
    }

    /// What was counted and timed.
    pub fn supervision(&self) -> &Supervision {
        &self.supervision
    }

    /// How often a period the outputs are driven.
    pub fn drives(&self) -> u32 {
        u32::from(self.setup.drives).max(1)
    }

    /// Takes a byte from the host. A request that it completes is carried out by [`work`](Self::work).
    pub fn receive(&mut self, byte: u8) {
        match self.decoder.push(byte) {
            None => {}
            Some(Ok(request)) => {
                self.supervision.heard();
                // Whoever does not let us work gets it done here.
                if let Some(before) = self.pending.replace(request) {
                    self.carry_out(before);
                }
            }
            Some(Err(Broken::Content)) => {
                self.supervision.heard();
                self.supervision.counters.refused += 1;
                self.send(Event::Refused(Refusal::Malformed));
            }
            Some(Err(_)) => self.supervision.counters.broken += 1,
        }
    }

    /// The bytes that wait for the host.
    pub fn transmit(&self) -> &[u8] {
        self.outbox.next()
    }

    /// So many of them went out.
    pub fn transmitted(&mut self, count: usize) {
        self.outbox.sent(count);
    }

    fn send(&mut self, event: Event<&'static str>) {
        if !self.outbox.send(event) {
            self.supervision.counters.dropped += 1;
        }
    }
}
