//! Coordinates that turn: a completed turn is taken off, so that they stay as exact as they were in the first.

use crate::model::{Mechanical, Motion};
use crate::number::Real;
use crate::step::Error;

/// Takes a completed turn off the coordinates. They lie between one and two turns then, so the difference is exact.
#[inline(always)]
pub(crate) fn take_turn<R: Real, const Q: usize, const L: usize>(
    now: &mut Motion<R, Q, L>,
    turn: &[R; Q],
) {
    let (mut forth, mut back, mut any) = (true, true, false);
    for n in 0..Q {
        if turn[n] != R::ZERO {
            any = true;
            // In units of the turn's own direction.
            let q = if turn[n] > R::ZERO {
                now.q.data.0[0][n]
            } else {
                -now.q.data.0[0][n]
            };
            forth &= q >= turn[n].abs();
            back &= q <= -turn[n].abs();
        }
    }
    if any && (forth || back) {
        for n in 0..Q {
            now.q.data.0[0][n] -= if forth { turn[n] } else { -turn[n] };
        }
        now.turns = now.turns.wrapping_add(if forth { 1 } else { -1 });
    }
}

/// A model's turn must leave its constraints alone: to rounding, seen from the start.
pub(crate) fn checked_turn<R, M, const Q: usize, const L: usize, const U: usize>(
    model: &M,
    at: &Motion<R, Q, L>,
) -> Result<(), Error>
where
    M: Mechanical<R, Q, L, U>,
{
    let (turn, nominal) = (model.turn(), model.nominal());
    let mut turned = at.q;
    let mut scale = R::ZERO;
    for n in 0..Q {
        turned.data.0[0][n] += turn[n];
        scale += turn[n].abs() + at.q.data.0[0][n].abs() + nominal.q[n];
    }
    let before = model.constraint(R::ZERO, &at.q);
    let after = model.constraint(R::ZERO, &turned);
    let rounding = scale * R::EPSILON * R::from_f64(16.0);
    // False for NaN, too.
    let alone = (0..L).all(|j| (after.data.0[0][j] - before.data.0[0][j]).abs() <= rounding);
    if alone { Ok(()) } else { Err(Error::Turn) }
}

/// Takes off an earlier motion what was taken off `now`, so that the two can be compared.
pub(crate) fn turn_along<R: Real, const Q: usize, const L: usize>(
    earlier: &mut Motion<R, Q, L>,
    now: &Motion<R, Q, L>,
    turn: &[R; Q],
) {
    let turns = now.turns.wrapping_sub(earlier.turns);
    if turns != 0 {
        for n in 0..Q {
            earlier.q.data.0[0][n] -= turn[n] * R::from_f64(f64::from(turns));
        }
        earlier.turns = now.turns;
    }
}

#[cfg(test)]
mod tests {
    use super::{take_turn, turn_along};
    use crate::model::Motion;

    fn at(q: [f64; 3]) -> Motion<f64, 3, 0> {
        (q.into(), [0.0; 3].into()).into()
    }

    /// The first two turn, the second the other way round, the third not at all.
    const TURN: [f64; 3] = [6.0, -2.0, 0.0];

    fn taken(q: [f64; 3]) -> ([f64; 3], i32) {
        let mut now = at(q);
        take_turn(&mut now, &TURN);
        (now.q.data.0[0], now.turns)
    }

    /// A turn is over when all that turn have passed it, in their own direction; then it is off all of them.
    #[test]
    fn a_turn_is_taken_off_when_all_have_passed_it() {
        assert_eq!(taken([6.0, -2.0, 9.0]), ([0.0, 0.0, 9.0], 1));
        assert_eq!(taken([7.0, -3.0, 9.0]), ([1.0, -1.0, 9.0], 1));
        assert_eq!(taken([-6.0, 2.0, 9.0]), ([0.0, 0.0, 9.0], -1));
        assert_eq!(taken([-7.0, 3.0, -9.0]), ([-1.0, 1.0, -9.0], -1));
        for still in [
            [5.9, -3.0, 0.0],
            [7.0, -1.9, 0.0],
            [7.0, 3.0, 0.0],
            [-7.0, 1.9, 0.0],
        ] {
            assert_eq!(taken(still), (still, 0));
        }
        let mut now = at([7.0; 3]);
        take_turn(&mut now, &[0.0; 3]);
        assert_eq!((now.q.data.0[0], now.turns), ([7.0; 3], 0));
    }

    /// An earlier motion is shifted by the turns since.
    #[test]
    fn earlier_motions_are_shifted_along() {
        let (mut earlier, mut now) = (at([10.0, 1.0, 5.0]), at([0.0; 3]));
        (earlier.turns, now.turns) = (3, 5);
        turn_along(&mut earlier, &now, &TURN);
        assert_eq!((earlier.q.data.0[0], earlier.turns), ([-2.0, 5.0, 5.0], 5));
        turn_along(&mut earlier, &now, &TURN);
        assert_eq!(earlier.q.data.0[0], [-2.0, 5.0, 5.0]);
    }
}
