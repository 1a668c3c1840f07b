//! One step beside the truth, and counts of many of a kind.

/// What a step said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Converged.
    Converged,
    /// Unconverged, with its claim.
    Unconverged,
    /// An error.
    Diverged,
}

/// A step beside the truth, in units of the nominal magnitudes.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Iterations, from one.
    pub n: u8,
    /// Whether the input jumped in this very step, or in one of the two before: 2, 1, 0.
    pub jump: u8,
    /// Full, Lean, first order.
    pub kind: u8,
    /// Whether in single precision.
    pub single: bool,
    /// The tolerance, what was said, and what was claimed.
    pub tolerance: f64,
    /// The verdict.
    pub said: Said,
    /// The claimed distance.
    pub claim: f64,
    /// The last increment, and its ratio to the one before.
    pub increment: (f64, f64),
    /// The true distance.
    pub truth: f64,
    /// How near the same arithmetic gets, however often it iterates; measured where it matters.
    pub floor: f64,
    /// True distance and claim of the multipliers, in units of theirs.
    pub lambda: Option<(f64, f64)>,
    /// The largest increment, where it is asked for: digits below its rounding are lost.
    pub largest: f64,
}

impl Judged {
    /// How many times the truth is beyond what a step claims, the floor of a converged one taken into account.
    pub fn too_little(&self) -> f64 {
        match self.said {
            Said::Converged => self.truth / self.tolerance.max(self.claim).max(self.floor),
            Said::Unconverged => self.truth / self.claim,
            Said::Diverged => 0.0,
        }
    }

    /// Whether the claim is above the last increment of an iteration that contracts by two or more, above the floors. A step that
    /// says Converged claims more than its tolerance only where its increments are down to the floor that it states.
    pub fn above_increment(&self) -> bool {
        let (last, theta) = self.increment;
        let epsilon = f64::from(if self.single { f32::EPSILON } else { 0.0 });
        let epsilon = epsilon.max(f64::EPSILON);
        let floors = (100.0 * self.tolerance).max(2.0 * epsilon * self.largest);
        self.n > 1
            && self.said != Said::Converged
            && theta <= 0.5
            && last > 100.0 * self.tolerance
            && self.claim > 1.001 * last.max(floors)
    }

    /// Whether it depends on the rounding floor how this step is judged.
    pub fn needs_floor(&self) -> bool {
        match self.said {
            Said::Converged => self.truth > 3.0 * self.tolerance.max(self.claim),
            Said::Unconverged => self.n > 1 && self.claim > 100.0 * self.truth,
            Said::Diverged => false,
        }
    }
}

/// Counts of a kind of step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    pub(super) steps: u64,
    pub(super) converged: u64,
    pub(super) unconverged: u64,
    pub(super) diverged: u64,
    /// Converged, but off by more than three times the larger of tolerance and claim; and with the floor.
    pub(super) false_plain: u64,
    pub(super) false_claims: u64,
    pub(super) worst_plain: f64,
    pub(super) worst: f64,
    /// Unconverged, and the claim at least a third of the truth.
    pub(super) enough: u64,
    /// Right to the tolerance, and refused all the same.
    pub(super) right: u64,
    pub(super) refused: u64,
    /// Right to a tenth of the tolerance, and says so.
    pub(super) tenth: u64,
    pub(super) tenth_says: u64,
    /// Unconverged after more than one iteration, and the claim at most a hundred times the truth.
    pub(super) unconverged_again: u64,
    pub(super) tight: u64,
    /// A claim above the last increment of an iteration that contracts by two or more.
    pub(super) above: u64,
    /// Converged with multipliers, and these are off by more than 1e-2, or 1e-4, and by more than three times
    /// their own claim.
    pub(super) with_lambda: u64,
    pub(super) lambda_2: u64,
    pub(super) lambda_4: u64,
}

impl Cell {
    /// One more.
    pub fn add(&mut self, j: &Judged) {
        self.steps += 1;
        let limit = j.tolerance.max(j.claim);
        match j.said {
            Said::Converged => {
                self.converged += 1;
                self.false_plain += u64::from(j.truth > 3.0 * limit);
                self.worst_plain = self.worst_plain.max(j.truth / limit);
                let limit = limit.max(j.floor);
                self.false_claims += u64::from(j.truth > 3.0 * limit);
                self.worst = self.worst.max(j.truth / limit);
                if let (Some((truth, claim)), 2..) = (j.lambda, j.n) {
                    self.with_lambda += 1;
                    self.lambda_2 += u64::from(truth > (3.0 * claim).max(1e-2));
                    self.lambda_4 += u64::from(truth > (3.0 * claim).max(1e-4));
                }
            }
            Said::Unconverged => {
                self.unconverged += 1;
                self.enough += u64::from(3.0 * j.claim >= j.truth);
                if j.n > 1 {
                    self.unconverged_again += 1;
                    self.tight += u64::from(j.claim <= 100.0 * j.truth.max(j.floor));
                }
            }
            Said::Diverged => self.diverged += 1,
        }
        if j.truth <= j.tolerance {
            self.right += 1;
            self.refused += u64::from(j.said == Said::Diverged);
        }
        if j.truth <= 0.1 * j.tolerance && j.n > 1 {
            self.tenth += 1;
            self.tenth_says += u64::from(j.said == Said::Converged);
        }
        self.above += u64::from(j.above_increment());
    }

    /// Both together.
    pub(super) fn merge(&mut self, o: &Cell) {
        self.steps += o.steps;
        self.converged += o.converged;
        self.unconverged += o.unconverged;
        self.diverged += o.diverged;
        self.false_plain += o.false_plain;
        self.false_claims += o.false_claims;
        self.worst_plain = self.worst_plain.max(o.worst_plain);
        self.worst = self.worst.max(o.worst);
        self.enough += o.enough;
        self.right += o.right;
        self.refused += o.refused;
        self.tenth += o.tenth;
        self.tenth_says += o.tenth_says;
        self.unconverged_again += o.unconverged_again;
        self.tight += o.tight;
        self.above += o.above;
        self.with_lambda += o.with_lambda;
        self.lambda_2 += o.lambda_2;
        self.lambda_4 += o.lambda_4;
    }

    /// A row of the table.
    pub(super) fn row(&self, name: &str) -> Vec<String> {
        let percent = |part: u64, all: u64| match all {
            0 => "-".to_owned(),
            _ => format!("{:.2}", 100.0 * part as f64 / all as f64),
        };
        let rate = |part: u64, all: u64| match all {
            0 => "-".to_owned(),
            _ => format!("{:.1e}", part as f64 / all as f64),
        };
        vec![
            name.to_owned(),
            self.steps.to_string(),
            percent(self.converged, self.steps),
            percent(self.unconverged, self.steps),
            percent(self.diverged, self.steps),
            rate(self.false_plain, self.converged),
            format!("{:.0e}", self.worst_plain),
            rate(self.false_claims, self.converged),
            format!("{:.0e}", self.worst),
            percent(self.enough, self.unconverged),
            rate(self.refused, self.right),
            percent(self.tenth_says, self.tenth),
            percent(self.tight, self.unconverged_again),
            self.above.to_string(),
            rate(self.lambda_2, self.with_lambda),
            rate(self.lambda_4, self.with_lambda),
        ]
    }
}
