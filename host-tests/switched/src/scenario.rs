//! Inputs and random edges, step by step.

use fastrand::Rng;
use std::f64::consts::TAU;

/// Ticks a step: edges are at whole ticks, which single precision holds exactly.
const TICKS: i64 = 65536;

/// The most edges of a step.
pub const MOST_EDGES: usize = 4;

/// What a step is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Inputs at the beginning.
    pub start: Vec<f32>,
    /// Their change over the step.
    pub change: Vec<f32>,
    /// When, as a share of the step, and the gates from then on.
    pub edges: Vec<(f32, u32)>,
}

/// How gates change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gates {
    /// There are none.
    None,
    /// One gate, on and off for a random time between these, in microseconds.
    One {
        /// The shortest and the longest time on.
        on: (f64, f64),
        /// The shortest and the longest time off.
        off: (f64, f64),
    },
    /// Legs modulated around a half by a sine of 50 Hz with this amplitude, random periods around 100 us, dead times between these.
    Legs {
        /// How many.
        legs: u8,
        /// Of the duty.
        amplitude: f64,
        /// In microseconds.
        dead: (f64, f64),
    },
}

/// Edges, one after the other.
struct Modulator {
    gates: Gates,
    step: f64,
    random: Rng,
    state: u32,
    next: i64,
    queue: Vec<(i64, u32)>,
}

impl Modulator {
    fn uniform(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * self.random.f64()
    }

    fn ticks(&self, microseconds: f64) -> i64 {
        (microseconds * 1e-6 / self.step * TICKS as f64) as i64
    }

    /// Fills the queue until this tick.
    fn fill(&mut self, end: i64) {
        while self.next < end {
            match self.gates {
                Gates::None => return,
                Gates::One { on, off } => {
                    self.state ^= 1;
                    self.queue.push((self.next, self.state));
                    let range = if self.state == 1 { on } else { off };
                    let time = self.uniform(range);
                    self.next += self.ticks(time);
                }
                Gates::Legs {
                    legs,
                    amplitude,
                    dead,
                } => self.period(legs, amplitude, dead),
            }
        }
        self.queue.sort_by_key(|edge| edge.0);
    }

    /// A period of all legs. Of 2,000 steps the last 300 have all gates off.
    fn period(&mut self, legs: u8, amplitude: f64, dead: (f64, f64)) {
        let off = (self.next / TICKS) % 2000 >= 1700;
        let time = self.next as f64 / TICKS as f64 * self.step;
        let period = self.uniform((80.0, 120.0));
        let mut events = Vec::new();
        for leg in 0..legs {
            let phase = TAU * (50.0 * time - f64::from(leg) / f64::from(legs));
            let duty = 0.5 + amplitude * phase.sin() + self.uniform((-0.05, 0.05));
            let on = (1.0 - duty) / 2.0 * period + self.random.f64();
            let (down, dead) = (period - on, self.uniform(dead));
            let (upper, lower) = (leg, legs + leg);
            events.extend([
                (on, lower, false),
                (on + dead, upper, true),
                (down, upper, false),
                (down + dead, lower, true),
            ]);
        }
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        if off {
            if self.state != 0 {
                self.state = 0;
                self.queue.push((self.next, 0));
            }
        } else {
            for (time, bit, set) in events {
                if time >= period {
                    continue;
                }
                let other = (bit + legs) % (2 * legs);
                let mut new = self.state & !(1 << bit);
                if set && self.state >> other & 1 == 0 {
                    new |= 1 << bit;
                }
                if new != self.state {
                    self.state = new;
                    let at = self.next + self.ticks(time);
                    self.queue.push((at, new));
                }
            }
        }
        self.next += self.ticks(period);
    }

    /// The edges of a step. What does not fit comes at the beginning of the next one.
    fn edges(&mut self, step: i64) -> Vec<(f32, u32)> {
        let (now, end) = (step * TICKS, (step + 1) * TICKS);
        self.fill(end);
        let count = self.queue.partition_point(|edge| edge.0 < end);
        let mut mine: Vec<_> = self.queue.drain(..count).collect();
        // Of several at the same time the last one counts.
        mine.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = later.1;
            }
            same
        });
        if mine.len() > MOST_EDGES {
            let last = mine.last().map_or(0, |edge| edge.1);
            mine.truncate(MOST_EDGES);
            self.queue.insert(0, (end, last));
        }
        let share = |&(tick, gates): &(i64, u32)| ((tick - now) as f32 / TICKS as f32, gates);
        mine.iter().map(share).collect()
    }
}

/// What all steps are given: edges from a seed, inputs held or ramped between the values of a function of time.
pub fn scenario(
    steps: usize,
    step: f64,
    gates: Gates,
    ramped: bool,
    inputs: impl Fn(f64) -> Vec<f64>,
) -> Vec<Given> {
    let mut modulator = Modulator {
        gates,
        step,
        random: Rng::with_seed(7),
        state: 0,
        next: 0,
        queue: Vec::new(),
    };
    let given = |n: usize| {
        let start: Vec<f32> = inputs(n as f64 * step).iter().map(|u| *u as f32).collect();
        let next = inputs((n + 1) as f64 * step);
        let by = |(a, b): (&f32, &f64)| {
            if ramped {
                (b - f64::from(*a)) as f32
            } else {
                0.0
            }
        };
        let change = start.iter().zip(&next).map(by).collect();
        let edges = modulator.edges(n as i64);
        Given {
            start,
            change,
            edges,
        }
    };
    (0..steps).map(given).collect()
}
