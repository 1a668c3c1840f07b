//! A logic signal that a timer captures edge by edge, reduced to what a step can hold: the part of the period for which it was high.

/// A change of a logic signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Edge {
    /// When, in ticks of the timer that begins the periods, wrapping around.
    pub at: u32,
    /// To what.
    pub high: bool,
}

impl Edge {
    /// Whether it came before this tick; no edge is as old as 2^31 ticks.
    pub fn before(self, tick: u32) -> bool {
        (self.at.wrapping_sub(tick) as i32) < 0
    }
}

/// A signal between its edges: exact, as only ticks are counted.
///
/// ```
/// # use stiffstep::hil::{Edge, Pulses};
/// let mut pulses = Pulses::new(false, 0);
/// pulses.take(Edge { at: 10, high: true });
/// pulses.take(Edge { at: 40, high: false });
/// assert_eq!(pulses.end(100), 0.3);
/// assert_eq!(pulses.end(200), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pulses {
    high: bool,
    /// When the period began, and up to when ticks were counted.
    began: u32,
    counted: u32,
    /// Ticks for which it was high.
    on: u32,
}

impl Pulses {
    /// A signal at this level, whose period begins at this tick.
    pub const fn new(high: bool, began: u32) -> Self {
        Pulses {
            high,
            began,
            counted: began,
            on: 0,
        }
    }

    /// The level after the last edge.
    pub fn high(&self) -> bool {
        self.high
    }

    fn count(&mut self, until: u32) {
        let ticks = until.wrapping_sub(self.counted);
        // An edge that comes out of order changes the level, but not what was counted.
        if (ticks as i32) > 0 {
            self.on = self.on.wrapping_add(if self.high { ticks } else { 0 });
            self.counted = until;
        }
    }

    /// Takes an edge in. They come in the order of time.
    pub fn take(&mut self, edge: Edge) {
        self.count(edge.at);
        self.high = edge.high;
    }

    /// Ends the period at this tick, where the next one begins, and gives the part of it for which the signal was high, from 0 to 1. All
    /// edges before the tick have been taken, and none after it.
    pub fn end(&mut self, at: u32) -> f32 {
        self.count(at);
        let (on, ticks) = (self.on, at.wrapping_sub(self.began));
        *self = Pulses::new(self.high, at);
        // Not more than 1 by rounding, and a number where no time went by.
        if ticks == 0 {
            0.0
        } else {
            (on as f32 / ticks as f32).min(1.0)
        }
    }
}
