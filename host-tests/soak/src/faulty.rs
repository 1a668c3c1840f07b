//! A model around a model, which lies once: at one evaluation of any of its functions.

use crate::Draw;
use core::cell::Cell;
use stiffstep::prelude::*;

/// What it says instead of the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lie {
    /// Nothing: the truth.
    None,
    /// This number.
    Number(f64),
    /// The number with one bit flipped, counted from the lowest of its precision.
    Flip(u32),
    /// The right values without their derivatives: matrices get singular.
    Flat,
}

impl Lie {
    /// Any one.
    pub fn draw(draw: &mut Draw) -> Self {
        match draw.below(6) {
            0 => Lie::Number(f64::NAN),
            1 => Lie::Number(f64::INFINITY),
            2 => Lie::Number(f64::NEG_INFINITY),
            3 => Lie::Flat,
            _ => Lie::Flip(draw.bits() % 64),
        }
    }
}

/// The model.
#[derive(Clone)]
pub struct Faulty<M> {
    model: M,
    lie: Cell<Lie>,
    /// The evaluation that lies, and the number that it lies about.
    moment: Cell<u32>,
    place: Cell<usize>,
    evaluations: Cell<u32>,
}

impl<M> Faulty<M> {
    /// One that tells the truth.
    pub fn new(model: M) -> Self {
        Faulty {
            model,
            lie: Cell::new(Lie::None),
            moment: Cell::new(0),
            place: Cell::new(0),
            evaluations: Cell::new(0),
        }
    }

    /// Lies from now on at evaluation `moment`; gives how many there were since the last call.
    pub fn lie(&self, lie: Lie, moment: u32, place: usize) -> u32 {
        self.lie.set(lie);
        self.moment.set(moment);
        self.place.set(place);
        self.evaluations.replace(0)
    }

    /// What is said about some numbers.
    fn say<R: Real, T: Scalar<R>, const N: usize>(&self, mut truth: Vector<T, N>) -> Vector<T, N> {
        let now = self.evaluations.get();
        self.evaluations.set(now.wrapping_add(1));
        if now != self.moment.get() || N == 0 {
            return truth;
        }
        let x = &mut truth[self.place.get() % N];
        match self.lie.get() {
            Lie::None => {}
            Lie::Number(number) => *x = T::constant(R::from_f64(number)),
            Lie::Flip(bit) => {
                let value = (*x).value();
                let wrong = if size_of::<R>() == 4 {
                    let bits = (value.to_f64() as f32).to_bits() ^ 1 << (bit % 32);
                    f64::from(f32::from_bits(bits))
                } else {
                    f64::from_bits(value.to_f64().to_bits() ^ 1 << bit)
                };
                *x = *x + (R::from_f64(wrong) - value);
            }
            Lie::Flat => truth.apply(|x| *x = T::constant((*x).value())),
        }
        truth
    }
}

impl<R: Real, M: FirstOrder<R, N, U>, const N: usize, const U: usize> FirstOrder<R, N, U>
    for Faulty<M>
{
    type Mass = M::Mass;
    const AFFINE: bool = M::AFFINE;
    fn mass(&self) -> M::Mass {
        self.model.mass()
    }
    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, N>, u: &Vector<R, U>) -> Vector<T, N> {
        self.say(self.model.rhs(t, x, u))
    }
    fn nominal(&self) -> Vector<R, N> {
        self.model.nominal()
    }
}

impl<R: Real, M, const Q: usize, const L: usize, const U: usize> Mechanical<R, Q, L, U>
    for Faulty<M>
where
    M: Mechanical<R, Q, L, U>,
{
    type Joints = M::Joints;
    type Mass<T: Scalar<R>> = M::Mass<T>;
    fn joints(&self) -> M::Joints {
        self.model.joints()
    }
    fn mass<T: Scalar<R>>(&self, q: &Vector<T, Q>) -> M::Mass<T> {
        // A mass cannot be looked into: it is the mass of another place.
        self.model.mass(&self.say(*q))
    }
    fn force<T: Scalar<R>>(
        &self,
        t: T,
        q: &Vector<T, Q>,
        v: &Vector<T, Q>,
        u: &Vector<R, U>,
    ) -> Vector<T, Q> {
        self.say(self.model.force(t, q, v, u))
    }
    fn constraint<T: Scalar<R>>(&self, t: T, q: &Vector<T, Q>) -> Vector<T, L> {
        self.say(self.model.constraint(t, q))
    }
    fn turn(&self) -> [R; Q] {
        self.model.turn()
    }
    fn nominal(&self) -> Nominal<R, Q> {
        self.model.nominal()
    }
    fn nominal_lambda(&self) -> Option<[R; L]> {
        self.model.nominal_lambda()
    }
}

impl<R: Real, M, const N: usize, const V: usize, const L: usize, const U: usize>
    Hessenberg<R, N, V, L, U> for Faulty<M>
where
    M: Hessenberg<R, N, V, L, U>,
{
    fn f<T: Scalar<R>>(&self, u: &Vector<T, N>, v: &Vector<T, V>) -> Vector<T, N> {
        self.say(self.model.f(u, v))
    }
    fn k<T: Scalar<R>>(
        &self,
        u: &Vector<T, N>,
        v: &Vector<T, V>,
        lambda: &Vector<T, L>,
        input: &Vector<R, U>,
    ) -> Vector<T, V> {
        self.say(self.model.k(u, v, lambda, input))
    }
    fn g<T: Scalar<R>>(&self, u: &Vector<T, N>) -> Vector<T, L> {
        self.say(self.model.g(u))
    }
    fn nominal(&self) -> ([R; N], [R; V]) {
        self.model.nominal()
    }
}

impl<R: Real, M, const Q: usize, const L: usize, const U: usize> Potential<R, Q, L, U> for Faulty<M>
where
    M: Potential<R, Q, L, U>,
{
    const CORRECTED: bool = M::CORRECTED;
    type Mass<T: Scalar<R>> = M::Mass<T>;
    fn mass(&self) -> M::Mass<R> {
        self.model.mass()
    }
    fn force(&self, t: R, q: &Vector<R, Q>, v: &Vector<R, Q>, u: &Vector<R, U>) -> Vector<R, Q> {
        self.say(self.model.force(t, q, v, u))
    }
    fn potential<T: Scalar<R>>(&self, q: &Vector<T, Q>) -> T {
        self.say(Vector::from([self.model.potential(q)]))[0]
    }
    fn stiffness(&self) -> R {
        self.say(Vector::from([self.model.stiffness()]))[0]
    }
    fn directions(&self, q: &Vector<R, Q>) -> [[R; Q]; L] {
        self.model
            .directions(q)
            .map(|direction| self.say(Vector::from(direction)).data.0[0])
    }
    fn nominal(&self) -> [R; Q] {
        self.model.nominal()
    }
}

impl<R: Real, M: SecondOrder<R, N, U>, const N: usize, const U: usize> SecondOrder<R, N, U>
    for Faulty<M>
{
    const ALGEBRAIC: [bool; N] = M::ALGEBRAIC;
    const AFFINE: bool = M::AFFINE;
    fn residual<T: Scalar<R>>(
        &self,
        t: T,
        x: &Vector<T, N>,
        v: &Vector<T, N>,
        a: &Vector<T, N>,
        u: &Vector<R, U>,
    ) -> Vector<T, N> {
        self.say(self.model.residual(t, x, v, a, u))
    }
    fn nominal(&self) -> [R; N] {
        self.model.nominal()
    }
}
