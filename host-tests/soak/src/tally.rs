//! What a campaign found.

use crate::hour::Hour;
use crate::truth::Rates;

/// Cases, and how they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Cases done.
    pub cases: u64,
    /// How often each thing happened.
    pub found: Vec<(&'static str, u64)>,
    /// The largest of what was measured.
    pub largest: Vec<(&'static str, f64)>,
    /// How often claims were true.
    pub rates: Rates,
    /// Hours of plants.
    pub hours: Vec<Hour>,
}

impl Tally {
    /// It happened once more.
    pub fn note(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    /// It happened so often.
    pub fn add(&mut self, what: &'static str, times: u64) {
        match self.found.iter_mut().find(|(known, _)| *known == what) {
            Some((_, count)) => *count += times,
            None => self.found.push((what, times)),
        }
    }

    /// It measured so much.
    pub fn measure(&mut self, what: &'static str, value: f64) {
        match self.largest.iter_mut().find(|(known, _)| *known == what) {
            Some((_, largest)) => *largest = largest.max(value),
            None => self.largest.push((what, value)),
        }
    }

    /// How often it happened.
    pub fn count(&self, what: &str) -> u64 {
        let found = self.found.iter().find(|(known, _)| *known == what);
        found.map_or(0, |(_, count)| *count)
    }

    /// Both together.
    pub fn merge(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.rates.merge(&other.rates);
        self.hours.extend_from_slice(&other.hours);
        for (what, times) in &other.found {
            self.add(what, *times);
        }
        for (what, value) in &other.largest {
            self.measure(what, *value);
        }
    }
}
