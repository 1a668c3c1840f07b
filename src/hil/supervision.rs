//! Supervision: steps that come too late, a host that went away, and why a plant is in its safe state. Everything is counted, nothing
//! stops the plant unless its policy says so.

use serde::{Deserialize, Serialize};

/// What to do when there is not enough time for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Policy {
    /// The step ends in time, with the iterations that it could do. The default.
    #[default]
    KeepBest,
    /// The step takes the time it needs. In the periods that go by, outputs and plant stay as they are.
    Hold,
    /// After the first period without a step, outputs go to their safe values, and the plant stands still until it is reset.
    Safe,
}

/// What to do when the host was silent for too long. It has to arm again in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Silence {
    /// The plant goes on with the inputs that it has: for controllers at the pins, and hosts that only watch. The default.
    #[default]
    GoOn,
    /// The inputs that the host gave go back to the pins.
    Release,
    /// Outputs go to their safe values, and the plant stands still until it is reset: for controllers on the host.
    Safe,
}

/// Why outputs went to their safe values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Cause {
    /// A period without a step, under [`Policy::Safe`].
    Overrun,
    /// A silent host, under [`Silence::Safe`].
    Silence,
    /// The enable input. The plant starts from its beginning when it is on again.
    Disabled,
    /// The watchdog found the loop stopped, and reset the board.
    Watchdog,
    /// A panic, after which the watchdog reset the board.
    Panic,
    /// A fault of the processor, such as one of memory, after which the watchdog reset the board.
    Fault,
}

/// The stack of a board that looks after it, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stack {
    /// The most that was used.
    pub used: u32,
    /// What there is.
    pub room: u32,
}

/// What was counted since the board started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counters {
    /// Periods that went by without a step.
    pub missed: u32,
    /// Steps that ended before all their iterations were done.
    pub shortened: u32,
    /// Steps that ended above the acceptance tolerance.
    pub unconverged: u32,
    /// Steps that failed and left the plant as it was.
    pub failed: u32,
    /// Requests granted.
    pub granted: u32,
    /// Requests refused.
    pub refused: u32,
    /// Frames that were broken.
    pub broken: u32,
    /// Events that found no room on their way to the host.
    pub dropped: u32,
    /// Times that the host was silent for too long.
    pub lost_hosts: u32,
}

/// The least, the most and the sum of a time, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Span {
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
    /// The sum.
    pub sum: u64,
    /// Of how many.
    pub count: u32,
}

impl Span {
    /// Takes another one in.
    pub fn take(&mut self, ticks: u32) {
        self.least = if self.count == 0 {
            ticks
        } else {
            self.least.min(ticks)
        };
        self.most = self.most.max(ticks);
        self.sum += u64::from(ticks);
        self.count = self.count.wrapping_add(1);
    }
}

/// When things happened, in ticks since the beginning of their period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Timing {
    /// Ticks a second.
    pub frequency: u32,
    /// Ticks a period.
    pub period: u32,
    /// Whether outputs are shown when the next period begins, and not as soon as they are driven.
    pub latched: bool,
    /// When the step began: what the link and the rest of the loop cost, at most.
    pub began: Span,
    /// When the outputs were driven: from the sample of the inputs to the sensors.
    pub drove: Span,
    /// How long the step itself took.
    pub stepped: Span,
    /// How long all of a period's work took, with inputs, outputs and telemetry.
    pub worked: Span,
}

/// Watches over periods and host.
#[derive(Clone, Copy, Debug)]
pub struct Supervision {
    /// What to do about overruns.
    pub policy: Policy,
    /// The part of a period, in percent, after which no iteration begins.
    pub deadline: u8,
    /// Periods without a sign of life after which the host counts as lost.
    pub patience: u32,
    /// What was counted.
    pub counters: Counters,
    /// When things happened.
    pub timing: Timing,
    /// Whether the plant stands still with safe outputs.
    pub safe: bool,
    /// Why it last did.
    pub cause: Option<Cause>,
    /// What to do when the host is silent.
    pub lonely: Silence,
    /// The stack, if the board looks after it.
    pub stack: Option<Stack>,
    /// Periods since the host was last heard; none if it is not there.
    silence: Option<u32>,
}

impl Supervision {
    /// With a policy, a deadline at 80 % of the period, and a patience of so many periods.
    pub fn new(policy: Policy, patience: u32) -> Self {
        Supervision {
            policy,
            deadline: 80,
            patience,
            counters: Counters::default(),
            timing: Timing::default(),
            safe: false,
            cause: None,
            lonely: Silence::default(),
            stack: None,
            silence: None,
        }
    }

    /// Outputs go to their safe values from now on.
    pub fn secure(&mut self, cause: Cause) {
        if !self.safe {
            self.cause = Some(cause);
        }
        self.safe = true;
    }

    /// Ticks of a period after which no iteration begins; none if the policy lets steps take their time.
    pub fn limit(&self) -> Option<u32> {
        let part = u64::from(self.timing.period) * u64::from(self.deadline) / 100;
        (self.policy == Policy::KeepBest).then_some(part as u32)
    }

    /// Periods went by.
    pub fn missed(&mut self, periods: u32) {
        self.counters.missed = self.counters.missed.wrapping_add(periods);
        if self.policy == Policy::Safe {
            self.secure(Cause::Overrun);
        }
    }

    /// The host was heard.
    pub fn heard(&mut self) {
        self.silence = Some(0);
    }

    /// Another period. True if the host counts as lost from now on.
    pub fn listen(&mut self) -> bool {
        let Some(periods) = &mut self.silence else {
            return false;
        };
        *periods += 1;
        let lost = *periods > self.patience;
        if lost {
            self.silence = None;
            self.counters.lost_hosts = self.counters.lost_hosts.wrapping_add(1);
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, Policy, Span, Supervision};

    /// Least, most, sum and count.
    #[test]
    fn a_span_is_of_all_it_took() {
        let mut span = Span::default();
        for ticks in [7, 3, 9, 5] {
            span.take(ticks);
        }
        assert_eq!((span.least, span.most, span.sum, span.count), (3, 9, 24, 4));
    }

    /// The first cause stays.
    #[test]
    fn the_first_cause_of_safety_stays() {
        let mut supervision = Supervision::new(Policy::Safe, 3);
        supervision.missed(2);
        supervision.secure(Cause::Silence);
        assert_eq!(
            (supervision.safe, supervision.cause),
            (true, Some(Cause::Overrun))
        );
        supervision.missed(5);
        assert_eq!(supervision.counters.missed, 7);
        let mut keeps = Supervision::new(Policy::KeepBest, 3);
        keeps.missed(1);
        assert_eq!((keeps.safe, keeps.counters.missed), (false, 1));
    }

    /// Four fifths of a period, unless a step may take what it needs.
    #[test]
    fn a_step_has_four_fifths_of_a_period() {
        let mut supervision = Supervision::new(Policy::KeepBest, 3);
        supervision.timing.period = 1000;
        assert_eq!(supervision.limit(), Some(800));
        supervision.policy = Policy::Safe;
        assert_eq!(supervision.limit(), None);
    }

    /// A host that was heard is lost after its patience, once.
    #[test]
    fn a_silent_host_is_lost_once() {
        let mut supervision = Supervision::new(Policy::KeepBest, 2);
        assert!(!supervision.listen());
        supervision.heard();
        let lost = [0; 5].map(|_| supervision.listen());
        assert_eq!(lost, [false, false, true, false, false]);
        supervision.heard();
        assert!(!supervision.listen());
        assert_eq!(supervision.counters.lost_hosts, 1);
    }
}
