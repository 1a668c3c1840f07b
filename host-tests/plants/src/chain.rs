//! A chain of elastic links: unit masses in a plane, each on a stiff spring of unit length that hangs from the one before, the first from
//! a fixed point. Any number of links, to see what size costs.

use core::array::from_fn;
use stiffstep::prelude::*;

/// The chain of `L` links; its coordinates are `Q = 2 L`, x and y of one mass after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain<R> {
    /// The links' stiffness.
    pub stiffness: R,
}

impl<R: Real> Chain<R> {
    /// A chain of stiff links.
    pub fn stiff() -> Self {
        Chain {
            stiffness: R::from_f64(1e6),
        }
    }

    /// Stretched out level, at rest.
    pub fn level<const Q: usize>() -> (Vector<R, Q>, Vector<R, Q>) {
        let mut q = [R::ZERO; Q];
        for i in 0..Q / 2 {
            q[2 * i] = R::from_count(i as u64 + 1);
        }
        (q.into(), [R::ZERO; Q].into())
    }
}

impl<R: Real, const Q: usize, const L: usize> Mechanical<R, Q, L, 0> for Chain<R> {
    type Joints = Elastic<R, L>;
    type Mass<T: Scalar<R>> = Unit;
    const TOUCHED: [[usize; 2]; L] = links();
    const LOCAL: bool = true;

    #[inline(always)]
    fn joints(&self) -> Elastic<R, L> {
        Elastic {
            stiffness: [self.stiffness; L],
        }
    }

    #[inline(always)]
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, Q>,
        _v: &Vector<T, Q>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, Q> {
        let fall = |n: usize| if n % 2 == 1 { -R::ONE } else { R::ZERO };
        Vector::from(from_fn::<T, Q, _>(|n| T::constant(fall(n))))
    }

    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        const { assert!(Q == 2 * L, "two coordinates a link") };
        let mut stretch = Vector::from([T::constant(R::ZERO); L]);
        for i in 0..L {
            let first = 2 * i.max(1) - 2;
            let near = |n: usize| q.data.0[0].get(first + n);
            let zero = T::constant(R::ZERO);
            stretch.data.0[0][i] = stretch_of(i, |n| *near(n).unwrap_or(&zero));
        }
        stretch
    }

    #[inline(always)]
    fn local_constraint<T: Scalar<R>>(&self, _t: T, index: usize, near: impl Fn(usize) -> T) -> T {
        stretch_of(index, near)
    }
}

/// By how much a link is stretched: from the mass before it, if there is one, to its own.
#[inline(always)]
fn stretch_of<R: Real, T: Scalar<R>>(index: usize, near: impl Fn(usize) -> T) -> T {
    let stretch = |x: T, y: T| (x * x + y * y).sqrt() - R::ONE;
    if index == 0 {
        return stretch(near(0), near(1));
    }
    stretch(near(2) - near(0), near(3) - near(1))
}

/// A link touches the mass that it carries, and the one before it.
const fn links<const L: usize>() -> [[usize; 2]; L] {
    let (mut touched, mut i) = ([[0, 2]; L], 1);
    while i < L {
        touched[i] = [2 * i - 2, 2 * i + 2];
        i += 1;
    }
    touched
}
