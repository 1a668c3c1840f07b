//! Constraints that say what they touch: the same bits for less work, and a model that says so wrongly is told.

use super::plants::Moves;
use stiffstep::prelude::*;
use stiffstep::step::OfMechanical;

/// What a chain says of its links: nothing, the truth, too little, or more than the truth.
const NOTHING: u8 = 0;
const TRUTH: u8 = 1;
const TOO_LITTLE: u8 = 2;
const MORE: u8 = 3;
/// And whether it computes them one by one, all or all but one of them rightly.
const ONE_BY_ONE: u8 = 8;
const ONE_WRONGLY: u8 = 16;

/// A chain of elastic links with masses that differ, one link after the other.
#[derive(Clone, Copy)]
struct Links<const SAYS: u8>;

/// A link touches the mass that it carries, and the one before it.
const fn touched<const Q: usize, const L: usize>(says: u8) -> [[usize; 2]; L] {
    let (mut touched, mut i, says) = ([[0, Q]; L], 0, says % ONE_BY_ONE);
    while i < L && says != NOTHING {
        let before = if i == 0 || says == TOO_LITTLE { 0 } else { 2 };
        touched[i] = [2 * i - before, 2 * i + 2];
        if says == MORE {
            touched[i] = [
                if i < 2 { 0 } else { 2 * i - 4 },
                if i + 2 > L { Q } else { 2 * i + 4 },
            ];
        }
        i += 1;
    }
    touched
}

mechanical! {
    impl [R: Real, const SAYS: u8, const Q: usize, const L: usize] Mechanical<R, Q, L, 0> for Links<SAYS>;
    joints(self) -> Elastic<R, L> { Elastic { stiffness: [R::from_f64(1e6); L] } }
    mass(self, _q) -> Diagonal<T, Q> {
        let mass = |n: usize| T::constant(R::from_count(1 + n as u64 / 2));
        Diagonal(core::array::from_fn::<T, Q, _>(mass).into())
    }
    force(self, _t, _q, v, _u) {
        core::array::from_fn::<T, Q, _>(|n| {
            let drag = v[n] * R::from_f64(-0.05);
            if n % 2 == 1 { drag - R::ONE } else { drag }
        })
    }
    constraint(self, _t, q) {
        core::array::from_fn::<T, L, _>(|i| stretch_of(i, 2 * i, |n| q[n]))
    }
    const TOUCHED: [[usize; 2]; L] = touched::<Q, L>(SAYS);
    const LOCAL: bool = SAYS >= ONE_BY_ONE;

    fn local_constraint<T: Scalar<R>>(&self, _t: T, index: usize, near: impl Fn(usize) -> T) -> T {
        let own = 2 * index - touched::<Q, L>(SAYS)[index][0];
        let stretch = stretch_of(index, own, near);
        if SAYS >= ONE_WRONGLY && index == 2 {
            return stretch + R::EPSILON;
        }
        stretch
    }
}

/// By how much a link is stretched, whose mass is at `own`.
fn stretch_of<R: Real, T: Scalar<R>>(index: usize, own: usize, q: impl Fn(usize) -> T) -> T {
    let (mut x, mut y) = (q(own), q(own + 1));
    if index > 0 {
        x -= q(own - 2);
        y -= q(own - 1);
    }
    (x * x + y * y).sqrt() - R::ONE
}

/// The bits of all states after steps of a chain that falls from level.
fn bits<R: Real, const SAYS: u8, const Q: usize, const L: usize>(
    steps: u32,
) -> Result<Vec<u64>, Error>
where
    Lean<RadauIIA<3>>: Moves<Links<SAYS>, OfMechanical<R, Q, L, 0, 3>, R, Q, L, 0>,
{
    bits_by(Lean(RadauIIA::<3>), steps)
}

/// The same by any method.
fn bits_by<R: Real, K, Kind, const SAYS: u8, const Q: usize, const L: usize>(
    method: K,
    steps: u32,
) -> Result<Vec<u64>, Error>
where
    K: Moves<Links<SAYS>, Kind, R, Q, L, 0>,
{
    let mut q = [R::ZERO; Q];
    for i in 0..L {
        q[2 * i] = R::from_count(i as u64 + 1);
    }
    let (h, start) = (R::from_f64(1e-3), (q.into(), [R::ZERO; Q].into()));
    let mut chain = Simulation::new(Links::<SAYS>, method, h, start)?;
    let mut bits = Vec::new();
    for _ in 0..steps {
        chain.step()?;
        let now = chain.state();
        let numbers = now.q.iter().chain(&now.v).chain(&now.a).chain(&now.lambda);
        bits.extend(numbers.map(|x| x.to_f64().to_bits()));
    }
    Ok(bits)
}

/// A chain that says something has the bits of one that says nothing.
macro_rules! same_bits {
    ($real:ty, $says:expr, $q:literal, $l:literal) => {
        assert_eq!(
            bits::<$real, NOTHING, $q, $l>(300).unwrap(),
            bits::<$real, { $says }, $q, $l>(300).unwrap()
        )
    };
}

#[test]
fn what_constraints_touch_changes_no_bit() {
    same_bits!(f32, TRUTH, 8, 4);
    same_bits!(f64, TRUTH, 8, 4);
    same_bits!(f32, TRUTH, 12, 6);
    // Rows of eight elements, and three neighbours on either side.
    same_bits!(f32, MORE, 12, 6);
}

/// Nor with a method whose last stage is not the end, where what was there counts. With more than six constraints it was zero: accelerations of
/// 1e-11 for -1, all of it Converged.
#[test]
fn what_constraints_touch_changes_no_bit_with_gauss() {
    let silent = bits_by::<f64, _, _, NOTHING, 16, 8>(Lean(Gauss::<2>), 20).unwrap();
    let says = bits_by::<f64, _, _, TRUTH, 16, 8>(Lean(Gauss::<2>), 20).unwrap();
    assert_eq!(silent, says);
}

#[test]
fn constraints_one_by_one_change_no_bit() {
    same_bits!(f32, TRUTH + ONE_BY_ONE, 8, 4);
    same_bits!(f64, TRUTH + ONE_BY_ONE, 12, 6);
    same_bits!(f32, TRUTH + ONE_BY_ONE, 32, 16);
    // The last rows begin before what they touch.
    same_bits!(f32, MORE + ONE_BY_ONE, 12, 6);
}

#[test]
fn a_constraint_that_touches_more_than_it_says_is_told() {
    let touched = |index| Some(Error::Touched { index });
    assert_eq!(bits::<f64, TOO_LITTLE, 8, 4>(1).err(), touched(1));
    const WRONGLY: u8 = TRUTH + ONE_WRONGLY;
    assert_eq!(bits::<f32, WRONGLY, 8, 4>(1).err(), touched(2));
}
