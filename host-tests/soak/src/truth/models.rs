//! Plants by chance: chains of masses, a point on a rod, a slider-crank, a double pendulum, circuits and motors. Every
//! number of theirs is one of single precision, so that both precisions see the same plant.

use stiffstep::prelude::*;

/// The numbers of a plant; each model takes what it needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// Masses.
    pub m: [f64; 3],
    /// Viscous friction.
    pub c: [f64; 3],
    /// Dry friction.
    pub dry: [f64; 3],
    /// One over the speed at which it has most of its force.
    pub sharp: f64,
    /// Joints' stiffness.
    pub k: [f64; 2],
    /// Joints' damping.
    pub d: [f64; 2],
    /// Stiffness of a spring among the forces.
    pub spring: f64,
    /// Weights of the masses.
    pub weight: [f64; 3],
    /// A crank's radius.
    pub r: f64,
    /// Nominal velocities.
    pub v: f64,
    /// Nominal forces in the joints.
    pub lambda: [f64; 2],
    /// Which equations, of those of first order.
    pub form: u8,
}

impl Numbers {
    /// The same, rounded to single precision.
    pub fn rounded(mut self) -> Self {
        let lists = [&mut self.m, &mut self.c, &mut self.dry, &mut self.weight];
        let pairs = [&mut self.k, &mut self.d, &mut self.lambda];
        let single = [&mut self.sharp, &mut self.spring, &mut self.r, &mut self.v];
        let all = lists
            .into_iter()
            .flatten()
            .chain(pairs.into_iter().flatten());
        for x in all.chain(single) {
            *x = f64::from(*x as f32);
        }
        self
    }

    /// Friction against a velocity.
    fn friction<R: Real, T: Scalar<R>>(&self, i: usize, v: T) -> T {
        let mut force = v * R::from_f64(-self.c[i]);
        if self.dry[i] > 0.0 {
            let s = v * R::from_f64(self.sharp);
            force -= s / (s * s + R::ONE).sqrt() * R::from_f64(self.dry[i]);
        }
        force
    }

    fn springs<R: Real, const L: usize>(&self) -> Damped<R, L> {
        Damped {
            stiffness: core::array::from_fn(|j| R::from_f64(self.k[j])),
            damping: core::array::from_fn(|j| R::from_f64(self.d[j])),
        }
    }

    fn nominal<R: Real, const Q: usize>(&self) -> Nominal<R, Q> {
        Nominal {
            q: [R::ONE; Q],
            v: [R::from_f64(self.v); Q],
        }
    }

    fn forces<R: Real, const L: usize>(&self) -> Option<[R; L]> {
        Some(core::array::from_fn(|j| R::from_f64(self.lambda[j])))
    }

    fn masses<R: Real, T: Scalar<R>, const Q: usize>(&self) -> Diagonal<T, Q> {
        let mass: [T; Q] = core::array::from_fn(|n| T::constant(R::from_f64(self.m[n])));
        Diagonal(mass.into())
    }
}

/// Joints that are what the numbers say.
#[derive(Clone, Copy, Debug)]
pub struct AsDrawn;

/// How joints are written: with springs, whose stiffness may be infinite, or rigid by their type.
pub trait Held: Copy {
    /// The joints' type.
    type Joints<R: Real, const L: usize>: stiffstep::model::Joints<R, L>;
    /// The joints.
    fn joints<R: Real, const L: usize>(numbers: &Numbers) -> Self::Joints<R, L>;
}

impl Held for AsDrawn {
    type Joints<R: Real, const L: usize> = Damped<R, L>;
    fn joints<R: Real, const L: usize>(numbers: &Numbers) -> Damped<R, L> {
        numbers.springs()
    }
}

impl Held for Rigid {
    type Joints<R: Real, const L: usize> = Rigid;
    fn joints<R: Real, const L: usize>(_: &Numbers) -> Rigid {
        Rigid
    }
}

/// A mechanism of these numbers.
pub trait OfNumbers: Copy {
    /// Made of them.
    fn of(numbers: Numbers) -> Self;
}

/// Mechanisms of `Q` coordinates with a mass each and `L` joints, unless they say something else, which an input pushes.
macro_rules! mechanisms {
    ($(
        $(#[$about:meta])*
        $name:ident<$q:literal, $l:literal>;
        $(mass($a:ident, $place:ident) -> $mass:ty $masses:block)?
        force($b:ident, $x:ident, $v:ident, $u:ident) $force:block
        constraint($c:ident, $y:ident) $constraint:block
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<J>(Numbers, core::marker::PhantomData<J>);

        impl<J: Held> OfNumbers for $name<J> {
            fn of(numbers: Numbers) -> Self {
                $name(numbers, core::marker::PhantomData)
            }
        }

        impl<R: Real, J: Held> Mechanical<R, $q, $l, 1> for $name<J> {
            mechanisms!(@held $q, $l $(, mass($a, $place) -> $mass $masses)?);
            fn force<T: Scalar<R>>(
                &$b, _t: T, $x: &Vector<T, $q>, $v: &Vector<T, $q>, $u: &Vector<R, 1>,
            ) -> Vector<T, $q> {
                Into::into($force)
            }
            fn constraint<T: Scalar<R>>(&$c, _t: T, $y: &Vector<T, $q>) -> Vector<T, $l> {
                Into::into($constraint)
            }
            fn nominal(&self) -> Nominal<R, $q> {
                self.0.nominal()
            }
        }
    )*};
    (@held $q:literal, $l:literal) => {
        type Joints = J::Joints<R, $l>;
        type Mass<T: Scalar<R>> = Diagonal<T, $q>;
        fn joints(&self) -> Self::Joints {
            J::joints(&self.0)
        }
        fn mass<T: Scalar<R>>(&self, _q: &Vector<T, $q>) -> Diagonal<T, $q> {
            self.0.masses()
        }
        fn nominal_lambda(&self) -> Option<[R; $l]> {
            self.0.forces()
        }
    };
    (@held $q:literal, $l:literal, mass($a:ident, $place:ident) -> $mass:ty $masses:block) => {
        type Joints = Rigid;
        type Mass<T: Scalar<R>> = $mass;
        fn joints(&self) -> Rigid {
            Rigid
        }
        fn mass<T: Scalar<R>>(&$a, $place: &Vector<T, $q>) -> $mass $masses
    };
}

mechanisms! {
    /// Two masses on a joint, the second and a third on a spring; the input pushes the first.
    Chain<3, 1>;
    force(self, q, v, u) {
        let p = &self.0;
        let spring = (q[1] - q[2]) * R::from_f64(p.spring);
        [p.friction(0, v[0]) + u[0], p.friction(1, v[1]) - spring, p.friction(2, v[2]) + spring]
    }
    constraint(self, q) { [q[0] - q[1]] }

    /// A point on a rod.
    Rod<2, 1>;
    force(self, _q, v, u) {
        let p = &self.0;
        let weight = R::from_f64(p.weight[0]);
        [p.friction(0, v[0]) + u[0], p.friction(1, v[1]) - weight]
    }
    constraint(self, q) { [(q[0] * q[0] + q[1] * q[1]).sqrt() - R::ONE] }

    /// Angles of crank and rod, and the slider.
    Crank<3, 2>;
    force(self, _q, v, u) {
        let force: [T; 3] = core::array::from_fn(|n| self.0.friction(n, v[n]));
        [force[0] + u[0], force[1], force[2]]
    }
    constraint(self, q) {
        let r = R::from_f64(self.0.r);
        let ((s1, c1), (s2, c2)) = (q[0].sin_cos(), q[1].sin_cos());
        [c1 * r + c2 - q[2], s1 * r + s2]
    }

    /// A double pendulum in angles, without joints, whose mass depends on where it is, with a spring between the links.
    Double<2, 0>;
    mass(self, q) -> Matrix<T, 2, 2> {
        let [m1, m2, _] = self.0.m.map(R::from_f64);
        let across = (q[0] - q[1]).cos() * m2;
        let (all, outer) = (T::constant(m1) + m2, T::constant(m2));
        [[all, across], [across, outer]].into()
    }
    force(self, q, v, u) {
        let p = &self.0;
        let across = (q[0] - q[1]).sin() * R::from_f64(p.m[1]);
        let spring = (q[0] - q[1]) * R::from_f64(p.spring);
        let weight = |n: usize| q[n].sin() * R::from_f64(p.weight[n]);
        [
            p.friction(0, v[0]) + u[0] - across * v[1] * v[1] - weight(0) - spring,
            p.friction(1, v[1]) + across * v[0] * v[0] - weight(1) + spring,
        ]
    }
    constraint(self, _q) { [] }
}

/// Of first order: a rectifier, a motor that heats up, van der Pol's oscillator with a follower, a ladder of conductances.
#[derive(Clone, Copy, Debug)]
pub struct States(pub Numbers);

impl<R: Real> FirstOrder<R, 3, 1> for States {
    type Mass = Diagonal<R, 3>;
    fn mass(&self) -> Self::Mass {
        self.0.masses()
    }
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 3>, u: &Vector<R, 1>) -> Vector<T, 3> {
        let p = &self.0;
        let [c0, c1, c2] = p.c.map(R::from_f64);
        match p.form {
            0 => {
                let part = (x[0] - x[1]) * R::from_f64(p.sharp);
                let diode = (part.exp() - R::ONE) * R::from_f64(p.dry[0]);
                let source = (-x[0] + u[0]) * c0;
                [source - diode, diode - x[1] * c1, (x[1] - x[2]) * c2]
            }
            1 => {
                let k = R::from_f64(p.spring);
                let heat = x[0] * x[0] * c0 - x[2] * c2;
                let speed = x[0] * k + p.friction(1, x[1]);
                [-x[0] * c0 - x[1] * k + u[0], speed, heat]
            }
            2 => {
                let pull = ((-x[0] * x[0] + R::ONE) * x[1] - x[0]) * c1;
                [x[1], pull + u[0], (x[0] * x[0] - x[2]) * c2]
            }
            _ => {
                let (a, b) = ((x[0] - x[1]) * c1, (x[1] - x[2]) * c2);
                let load = x[2] * R::from_f64(p.dry[0]);
                [(-x[0] + u[0]) * c0 - a, a - b, b - load]
            }
        }
        .into()
    }
    fn nominal(&self) -> Vector<R, 3> {
        [R::from_f64(self.0.v); 3].into()
    }
}

/// The ladder as a matrix, rounded to single precision: conductances that are far apart lose the small ones here, and it is
/// this matrix that a step is judged by.
pub fn ladder<R: Real>(p: &Numbers) -> Circuit<R, 3, 1> {
    let f = |x: f64| R::from_f64(f64::from(x as f32));
    let ([g0, g1, g2], load) = (p.c, p.dry[0]);
    let z = R::ZERO;
    Circuit {
        e: [[f(p.m[0]), z, z], [z, f(p.m[1]), z], [z, z, f(p.m[2])]].into(),
        a: Matrix::<R, 3, 3>::new(
            f(-(g0 + g1)),
            f(g1),
            z,
            f(g1),
            f(-(g1 + g2)),
            f(g2),
            z,
            f(g2),
            f(-(g2 + load)),
        ),
        b: [f(g0), z, z].into(),
        nominal: [f(p.v); 3].into(),
    }
}
