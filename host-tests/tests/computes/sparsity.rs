//! Constraints that say what they touch: the same bits for less work, and a model that says so wrongly is told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use stiffstep::prelude::*;
use stiffstep::step::{Method, OfMechanical};

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

impl<R: Real, const SAYS: u8, const Q: usize, const L: usize> Mechanical<R, Q, L, 0>
    for Links<SAYS>
{
    type Joints = Elastic<R, L>;
    type Mass<T: Scalar<R>> = Diagonal<T, Q>;
    const TOUCHED: [[usize; 2]; L] = touched::<Q, L>(SAYS);
    const LOCAL: bool = SAYS >= ONE_BY_ONE;

    fn joints(&self) -> Elastic<R, L> {
        Elastic {
            stiffness: [R::from_f64(1e6); L],
        }
    }
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, Q>) -> Diagonal<T, Q> {
        let mut mass = [T::constant(R::ONE); Q];
        for n in 0..Q {
            mass[n] = T::constant(R::from_count(1 + n as u64 / 2));
        }
        Diagonal(mass.into())
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, Q> {
        let mut force = [T::constant(R::ZERO); Q];
        for n in 0..Q {
            force[n] = v[n] * R::from_f64(-0.05);
            if n % 2 == 1 {
                force[n] -= T::constant(R::ONE);
            }
        }
        force.into()
    }
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        let mut stretch = [T::constant(R::ZERO); L];
        for i in 0..L {
            stretch[i] = stretch_of(i, 2 * i, |n| q[n]);
        }
        stretch.into()
    }
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

/// The method, on a chain of that many links.
type Leanly = Lean<RadauIIA<3>>;
type Of<R, const Q: usize, const L: usize> = OfMechanical<R, Q, L, 0, 3>;
type Places<R, const Q: usize> = (Vector<R, Q>, Vector<R, Q>);

/// The bits of all states after steps of a chain that falls from level.
fn bits<R: Real, const SAYS: u8, const Q: usize, const L: usize>(
    steps: u32,
) -> Result<Vec<u64>, Error>
where
    Leanly: Method<Links<SAYS>, Of<R, Q, L>, Real = R, Start = Places<R, Q>>,
    <Leanly as Method<Links<SAYS>, Of<R, Q, L>>>::Stepper:
        Stepper<Real = R, Input = Vector<R, 0>, State = Motion<R, Q, L>>,
{
    let mut q = [R::ZERO; Q];
    for i in 0..L {
        q[2 * i] = R::from_count(i as u64 + 1);
    }
    let (h, start) = (R::from_f64(1e-3), (q.into(), [R::ZERO; Q].into()));
    let method: Leanly = Lean(RadauIIA);
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
    assert_eq!(
        bits::<f64, TOO_LITTLE, 8, 4>(1).err(),
        Some(Error::Touched { index: 1 })
    );
    const WRONGLY: u8 = TRUTH + ONE_WRONGLY;
    assert_eq!(
        bits::<f32, WRONGLY, 8, 4>(1).err(),
        Some(Error::Touched { index: 2 })
    );
}
