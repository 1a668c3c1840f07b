//! The largest fixed step that keeps a wanted accuracy, for every method and budget of a plant on its course.
//!
//! Steps are whole fractions of the course's period, so that fixed steps and the adaptive reference in double precision meet
//! at the same times without interpolation. The fixed steps are those of the board: single precision, the same bits.

use anyhow::{Context, Result, ensure};
use stiffstep_plants::course::Sample;
use stiffstep_plants::workload::plan::{Choice, PLANNED, Planned};

/// The tolerance of the reference.
pub const REFERENCE: f64 = 1e-11;

/// The most steps a period that are tried.
const FINEST: u32 = 1000;

/// The steps a period that are tried for every choice: ten in a decade, as far as there are whole numbers for them.
const LADDER: [u32; 28] = [
    1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 63, 80, 100, 126, 160, 200, 250, 320, 400,
    500, 630, 800, FINEST,
];

/// What must be accurate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Coordinates of mechanisms, states of circuits.
    Positions,
    /// Velocities, too.
    Velocities,
}

/// A step that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Steps a period.
    pub per_period: u32,
    /// The step size, in seconds.
    pub h: f64,
    /// The largest error at any time relative to the nominal magnitudes; infinite if a step failed.
    pub error: f64,
    /// The largest of that and of the errors of the steps down to half its size. This is what must keep the accuracy: errors
    /// that happen to cancel at one step size are nothing to plan with.
    pub nearby: f64,
}

/// What was found for a method and a budget.
#[derive(Clone)]
pub struct Found {
    /// The method and the budget.
    pub choice: Choice,
    /// Every step that was tried, the largest first.
    pub tried: Vec<Tried>,
    /// The largest step that keeps the accuracy; `None` if none does.
    pub largest: Option<Tried>,
}

impl Found {
    /// The accuracy that can be had: infinite if every step failed.
    pub fn attainable(&self) -> f64 {
        let errors = self.tried.iter().map(|tried| tried.nearby);
        errors.fold(f64::INFINITY, f64::min)
    }

    /// The next larger step that was tried.
    pub fn larger_than(&self, step: &Tried) -> Option<Tried> {
        let mut larger = self.tried.iter().rev();
        larger
            .find(|tried| tried.per_period < step.per_period)
            .copied()
    }
}

/// The plant of that name; the error names those that there are.
pub fn planned(name: &str) -> Result<Planned> {
    let known = PLANNED.map(|planned| planned.name).join(", ");
    let mut plants = PLANNED.into_iter();
    let found = plants.find(|planned| planned.name == name);
    found.with_context(|| format!("there is no plant `{name}`; those with a course are {known}"))
}

/// A course of a certain length, with where the plant should be.
pub struct Course {
    planned: Planned,
    exact: Vec<Sample>,
}

impl Course {
    /// The course of this plant, at least so many seconds long.
    pub fn new(planned: Planned, seconds: f64) -> Result<Self> {
        let sound = seconds.is_finite() && seconds > 0.0;
        ensure!(sound, "the course must be longer than zero seconds");
        let samples = (seconds / planned.period - 1e-9).ceil().max(1.0);
        let most = 1e4 * planned.period;
        ensure!(
            samples <= 1e4,
            "the course must be shorter than {most} seconds"
        );
        let mut exact = Vec::new();
        (planned.reference)(REFERENCE, samples as u32, &mut |sample| exact.push(sample))
            .context("the reference failed")?;
        Ok(Course { planned, exact })
    }

    /// Its length.
    pub fn seconds(&self) -> f64 {
        self.exact.len() as f64 * self.planned.period
    }

    /// The largest error in so many steps a period.
    pub fn error(&self, choice: &Choice, per_period: u32, judged: Judged) -> f64 {
        let counts = match judged {
            Judged::Positions => 1,
            Judged::Velocities => 2,
        };
        let h = self.planned.period / f64::from(per_period);
        let mut error = 0.0;
        let mut exact = self.exact.iter();
        let done = (choice.follow)(h, per_period, self.exact.len() as u32, &mut |sample| {
            if let Some(exact) = exact.next() {
                let parts = sample.distance(exact).into_iter().take(counts);
                error = parts.fold(error, f64::max);
            }
        });
        if done.is_ok() { error } else { f64::INFINITY }
    }

    /// Looks for the largest step by which this choice keeps the accuracy: from the largest down, until one keeps it, and
    /// then between that one and the one before. A tighter accuracy never finds a larger step.
    pub fn search(&self, choice: &Choice, accuracy: f64, judged: Judged) -> Found {
        let error = |per_period| self.error(choice, per_period, judged);
        let rungs = LADDER.map(|per_period| (per_period, error(per_period)));
        let attempt = |per_period: u32, error: f64| {
            let half = rungs
                .iter()
                .filter(|&&(rung, _)| per_period < rung && rung <= per_period.saturating_mul(2));
            Tried {
                per_period,
                h: self.planned.period / f64::from(per_period),
                error,
                nearby: half.fold(error, |most, &(_, error)| most.max(error)),
            }
        };
        let mut tried: Vec<Tried> = rungs.iter().map(|&(n, error)| attempt(n, error)).collect();
        let good = tried.iter().position(|rung| rung.nearby <= accuracy);
        let mut largest = good.map(|good| tried[good]);
        let mut bad = match good {
            Some(good @ 1..) => tried[good - 1].per_period,
            _ => 0,
        };
        if let Some(good) = &mut largest {
            while good.per_period - bad > 1 {
                let middle = bad + (good.per_period - bad) / 2;
                let middle = attempt(middle, error(middle));
                tried.push(middle);
                if middle.nearby <= accuracy {
                    *good = middle;
                } else {
                    bad = middle.per_period;
                }
            }
        }
        tried.sort_by_key(|tried| tried.per_period);
        Found {
            choice: *choice,
            tried,
            largest,
        }
    }

    /// What was found for every method and budget of the plant. `done` is told how much of the work is behind us.
    pub fn plan(
        &self,
        accuracy: f64,
        judged: Judged,
        done: &mut dyn FnMut(f64),
    ) -> Result<Vec<Found>> {
        let sound = accuracy.is_finite() && accuracy > 0.0;
        ensure!(sound, "the accuracy must be greater than zero");
        let choices: Vec<&Choice> = self.planned.methods.iter().copied().flatten().collect();
        let mut all = Vec::new();
        for (n, choice) in choices.iter().enumerate() {
            all.push(self.search(choice, accuracy, judged));
            done((n + 1) as f64 / choices.len() as f64);
        }
        Ok(all)
    }
}
