//! A chain of elastic links: unit masses in a plane, each on a stiff spring of unit length that hangs from the one before, the first from
//! a fixed point. Any number of links, to see what size costs.

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

    #[inline(always)]
    fn joints(&self) -> Elastic<R, L> {
        Elastic {
            stiffness: [self.stiffness; L],
        }
    }

    #[inline(always)]
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, Q>) -> Unit {
        Unit
    }

    #[inline(always)]
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, Q>,
        _v: &Vector<T, Q>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, Q> {
        let mut force = Vector::from([T::constant(R::ZERO); Q]);
        for i in 0..Q / 2 {
            force.data.0[0][2 * i + 1] = T::constant(-R::ONE);
        }
        force
    }

    #[inline(always)]
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        const { assert!(Q == 2 * L, "two coordinates a link") };
        let q = &q.data.0[0];
        let mut stretch = Vector::from([T::constant(R::ZERO); L]);
        for i in 0..L {
            let (mut x, mut y) = (q[2 * i], q[2 * i + 1]);
            if i > 0 {
                x -= q[2 * i - 2];
                y -= q[2 * i - 1];
            }
            stretch.data.0[0][i] = (x * x + y * y).sqrt() - R::ONE;
        }
        stretch
    }
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
