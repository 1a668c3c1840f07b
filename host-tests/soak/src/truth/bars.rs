//! The bars that the rates must keep.

use super::cell::Cell;
use super::rates::Which;

/// A share and its bound.
pub(super) struct Bar {
    what: &'static str,
    part: u64,
    all: u64,
    most: f64,
}

impl Bar {
    /// At most this share.
    pub fn most(what: &'static str, part: u64, all: u64, most: f64) -> Self {
        Bar {
            what,
            part,
            all,
            most,
        }
    }

    /// At least this share, as at most the rest.
    pub fn least(what: &'static str, part: u64, all: u64, least: f64) -> Self {
        Bar::most(what, all - part, all, 1.0 - least)
    }

    /// What is wrong, if it is beyond the bound and so many standard deviations.
    pub fn broken(&self, chance: f64) -> Option<String> {
        let expected = self.most * self.all as f64;
        let allowed = expected + chance * expected.sqrt().max(f64::from(u8::from(chance > 0.0)));
        (self.part as f64 > allowed).then(|| {
            let share = self.part as f64 / self.all as f64;
            format!(
                "{}: {} of {} are {share:.1e}, at most {:.1e}",
                self.what, self.part, self.all, self.most
            )
        })
    }
}

/// The bars of a split.
pub(super) fn bars(which: &Which, c: &Cell) -> Vec<Bar> {
    let whole = which.kind.is_none() && which.single.is_none() && !which.mechanisms;
    let mut bars = vec![
        Bar::most(
            "a: a hundred times too much",
            u64::from(c.worst > 100.0),
            1,
            0.0,
        ),
        Bar::least(
            "b: claims a third",
            c.enough,
            c.unconverged,
            if whole { 0.99 } else { 0.985 },
        ),
        Bar::most("c: right but refused", c.refused, c.right, 1e-4),
        Bar::most("a claim above the increment", c.above, c.steps, 0.0),
        Bar::most("lambda off by 1e-2", c.lambda_2, c.with_lambda, 1e-3),
    ];
    let (from, to) = which.n;
    if from == 2 && to == 2 {
        bars.push(Bar::most("a: false", c.false_claims, c.converged, 5e-4));
    } else if from >= 3 {
        let most = if whole { 2e-4 } else { 3e-4 };
        bars.push(Bar::most("a: false", c.false_claims, c.converged, most));
    }
    if from >= 3 {
        bars.push(Bar::least("d: says so", c.tenth_says, c.tenth, 0.97));
    } else if let (2, 2, Some(single), Some(jump)) = (from, to, which.single, which.jump) {
        let least = match (single, jump) {
            (true, false) => 0.97,
            (true, true) => 0.94,
            (false, false) => 0.88,
            (false, true) => 0.70,
        };
        bars.push(Bar::least("d: says so", c.tenth_says, c.tenth, least));
    }
    if which.mechanisms || which.kind == Some(2) {
        let least = match (which.mechanisms, from) {
            (false, 2) => 0.45,
            (false, 3) => 0.83,
            (false, _) => 0.97,
            (true, 2) => 0.82,
            (true, _) => 0.92,
        };
        bars.push(Bar::least(
            "e: claims too much",
            c.tight,
            c.unconverged_again,
            least,
        ));
    }
    bars
}
