//! Inputs by chance.

use crate::Draw;

/// An input that stays, swings, jumps now and then, or jumps in every step.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    form: usize,
    swing: f64,
    speed: f64,
    phase: f64,
    now: f64,
    since: u8,
}

impl Input {
    /// One by chance.
    pub fn new(draw: &mut Draw, swing: f64) -> Self {
        Input {
            form: draw.below(4),
            swing,
            speed: draw.log(-3.0, -0.5),
            phase: 6.3 * draw.part(),
            now: swing * draw.signed(),
            since: 0,
        }
    }

    /// The input of step k, and how near its last jump is: 2 in this step, 1 in one of the two before.
    pub fn at(&mut self, k: usize, draw: &mut Draw) -> (f64, u8) {
        let jumps = match self.form {
            2 => draw.part() < 0.3,
            3 => true,
            _ => false,
        };
        if jumps {
            self.now = self.swing * draw.signed();
        } else if self.form == 1 {
            self.now = self.swing * (self.speed * k as f64 + self.phase).sin();
        }
        self.since = if jumps || k == 0 {
            0
        } else {
            (self.since + 1).min(9)
        };
        let near = match self.since {
            0 => 2,
            1 | 2 => 1,
            _ => 0,
        };
        (f64::from(self.now as f32), near)
    }
}
