//! What can be spoiled and what must stay finite: every number of starts, inputs, models and states.

use stiffstep::model::Constrained;
use stiffstep::prelude::*;
use stiffstep_plants::andrews::Andrews;
use stiffstep_plants::arm::Arm;
use stiffstep_plants::car_axis::CarAxis;
use stiffstep_plants::dc_motor::DcMotor;
use stiffstep_plants::double_spring::DoubleSpring;
use stiffstep_plants::drive::Drive;
use stiffstep_plants::driven_pendulum::DrivenPendulum;
use stiffstep_plants::exponentials::Exponentials;
use stiffstep_plants::half_bridge::HalfBridge;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::rectifier::Rectifier;
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Bob, Voltages};
use stiffstep_plants::slider_crank::SliderCrank;
use stiffstep_plants::transistor_amplifier::TransistorAmplifier;
use stiffstep_plants::valley::Valley;
use stiffstep_plants::van_der_pol::VanDerPol;

/// Numbers that can be changed: inputs, starting values, states, parameters.
pub trait Numbers<R> {
    /// Shows each, to be changed.
    fn each(&mut self, see: &mut dyn FnMut(&mut R));
}

/// A state, of which every bit counts.
pub trait Shown {
    /// Shows each number's bits, and whether it is finite.
    fn show(&self, see: &mut dyn FnMut(u64, bool));
}

impl<R, const N: usize> Numbers<R> for Vector<R, N> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.data.0.as_flattened_mut().iter_mut().for_each(see);
    }
}

impl<R, A: Numbers<R>, B: Numbers<R>> Numbers<R> for (A, B) {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.0.each(see);
        self.1.each(see);
    }
}

/// Coordinates and velocities: the rest follows from them.
impl<R, const Q: usize, const L: usize> Numbers<R> for Motion<R, Q, L> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.q.each(see);
        self.v.each(see);
    }
}

impl<R: Real, const N: usize> Shown for Vector<R, N> {
    fn show(&self, see: &mut dyn FnMut(u64, bool)) {
        for x in self.data.0.as_flattened() {
            see(x.bits(), x.finite());
        }
    }
}

/// States of several vectors.
macro_rules! shown {
    ($($state:ident<$($n:ident),*>: $($part:ident)*;)*) => {$(
        impl<R: Real, $(const $n: usize),*> Shown for $state<R, $($n),*> {
            fn show(&self, see: &mut dyn FnMut(u64, bool)) {
                $(self.$part.show(see);)*
            }
        }
    )*};
}

shown! {
    Motion<Q, L>: q v a lambda turns;
    Course<N>: x v a;
    Constrained<N, V, L>: u v lambda;
}

impl Shown for i32 {
    fn show(&self, see: &mut dyn FnMut(u64, bool)) {
        see(u64::from(self.cast_unsigned()), true);
    }
}

/// A model's parameters.
macro_rules! parameters {
    ($($model:ty: $($field:ident)*,)*) => {
        $(impl<R: Real> Numbers<R> for $model {
            fn each(&mut self, _see: &mut dyn FnMut(&mut R)) {
                $(_see(&mut self.$field);)*
            }
        })*
    };
}

parameters! {
    Andrews<R>: ,
    CarAxis<R>: ,
    RigidPendulum: ,
    Exponentials: ,
    Bob: ,
    TransistorAmplifier: ,
    StiffPendulum<R>: stiffness,
    Arm<R>: stiffness damping,
    Valley<R, 1>: stiffness,
    VanDerPol<R>: mu,
    Rlc<R>: capacitance inductance resistance,
    Rectifier<R>: amplitude omega inductance capacitance resistance,
    Galvanometer<R>: pull drag gain frequency,
}

impl<R: Real> Numbers<R> for Voltages<R> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.0.each(see);
    }
}

impl<R: Real> Numbers<R> for DoubleSpring<R> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.stiffness.iter_mut().for_each(see);
    }
}

impl<R: Real> Numbers<R> for Drive<R> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.inertia.iter_mut().for_each(&mut *see);
        see(&mut self.stiffness);
        see(&mut self.damping);
        see(&mut self.friction);
    }
}

impl<R: Real, const N: usize, const U: usize> Numbers<R> for Circuit<R, N, U> {
    fn each(&mut self, see: &mut dyn FnMut(&mut R)) {
        self.e.iter_mut().for_each(&mut *see);
        self.a.iter_mut().for_each(&mut *see);
        self.b.iter_mut().for_each(&mut *see);
        self.nominal.each(see);
    }
}

/// Plants that know their parameters by number.
macro_rules! plants {
    ($($model:ty),*) => {
        $(impl Numbers<f32> for $model {
            fn each(&mut self, see: &mut dyn FnMut(&mut f32)) {
                for index in 0.. {
                    match self.parameter_mut(index) {
                        Some(parameter) => see(parameter),
                        None => return,
                    }
                }
            }
        })*
    };
}

plants!(DcMotor, HalfBridge, SliderCrank, DrivenPendulum);

/// The bits of a state, to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    bits: [u64; 40],
    count: usize,
    finite: bool,
}

impl Picture {
    /// Of a state and the time that it belongs to.
    pub fn of<R: Real>(state: &impl Shown, time: R) -> Self {
        let mut picture = Picture {
            bits: [0; 40],
            count: 0,
            finite: true,
        };
        // Time is a count of steps times their size, and may end where numbers end; no state depends on it.
        picture.take(time.bits(), true);
        state.show(&mut |bits, finite| picture.take(bits, finite));
        picture
    }

    fn take(&mut self, bits: u64, finite: bool) {
        self.bits[self.count] = bits;
        self.count += 1;
        self.finite &= finite;
    }

    /// Whether every number is finite.
    pub fn finite(&self) -> bool {
        self.finite
    }
}
