//! A mechanical plant that is a simulation of its own as a part of a drive.

use super::coupled::{MOST_TURN, Mechanics, NODES, Torque};
use crate::drive::Simulation;
use crate::memory::{Memory, visits};
use crate::number::{Angle, Field, Real, Scalar};
use crate::step::{Dense, Stepper};

/// Where a machine sits on a mechanical plant.
pub trait Axle<P: Stepper> {
    /// The rotor's electrical angle.
    fn angle(&self, state: &P::State) -> P::Real;
    /// Writes the torque of the machine and the one against the load where the plant takes them.
    fn drive(&self, input: &mut P::Input, torque: P::Real, load: P::Real);
}

/// A simulation as the mechanical part of a drive: gears, a crank, anything that a machine turns. It sees the mean of the torque, which
/// makes the exchange one of second order, and tries each step twice before it takes it, to say where the rotor is at the nodes.
///
/// ```
/// use stiffstep::electric::{Axle, Coupled, Mechanism, PermanentMagnet, Synchronous, Voltage};
/// use stiffstep::prelude::*;
/// use stiffstep::step::Stepper;
///
/// /// A fan without a shaft: its angle and its speed.
/// #[derive(Clone)]
/// struct Fan;
/// impl FirstOrder<f64, 2, 2> for Fan {
///     type Mass = Unit;
///     fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f64, 2>) -> Vector<T, 2> {
///         let fan = x[1] * x[1].abs() * 1e-4;
///         [x[1], (-fan + (u[0] - u[1])) / 5e-3].into()
///     }
/// }
/// /// Four pairs of poles.
/// struct OnTheFan;
/// impl<P: Stepper<Real = f64, State = Vector<f64, 2>, Input = Vector<f64, 2>>> Axle<P> for OnTheFan {
///     fn angle(&self, state: &Vector<f64, 2>) -> f64 {
///         4.0 * state[0]
///     }
///     fn drive(&self, input: &mut Vector<f64, 2>, torque: f64, load: f64) {
///         *input = [torque, load].into();
///     }
/// }
///
/// let h = 50e-6;
/// let machine = Synchronous { resistance: 0.35, inductance: [2.0e-3, 3.2e-3], magnet: 0.12, pairs: 4.0 };
/// let fan = Simulation::new(Fan, RadauIIA::<3>, h, [0.0, 0.0].into())?;
/// let mut drive = Coupled::of(PermanentMagnet::new(machine, h)?, Mechanism::new(fan, OnTheFan), [0.12, 0.0], h)?;
/// for _ in 0..1000 {
///     drive.step(&Voltage::held([0.0, 5.0]), 0.0)?;
/// }
/// assert!(drive.mechanical().plant().state()[0] > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mechanism<P: Stepper, A> {
    plant: Simulation<P>,
    axle: A,
    /// Of the last step, by which the next one is tried.
    load: P::Real,
}

impl<P: Stepper + Clone, A: Axle<P>> Mechanism<P, A> {
    /// A plant whose step is the drive's.
    pub fn new(plant: Simulation<P>, axle: A) -> Self {
        let load = P::Real::ZERO;
        Mechanism { plant, axle, load }
    }

    /// The plant.
    pub fn plant(&self) -> &Simulation<P> {
        &self.plant
    }

    /// The plant a step later under a torque, if there is such a step.
    fn later(&self, [mean, ..]: Torque<P::Real>, load: P::Real) -> Option<Simulation<P>> {
        let mut plant = self.plant.clone();
        self.axle.drive(&mut plant.input, mean, load);
        plant.step().ok()?;
        Some(plant)
    }

    /// How far the rotor has turned at a state. A plant may have taken a whole turn off.
    fn turned(&self, then: &P::State) -> P::Real {
        let turned = self.axle.angle(then) - self.axle.angle(self.plant.state());
        Angle::new(turned).radians()
    }
}

impl<P: Dense + Clone, A: Axle<P>> Mechanics<P::Real> for Mechanism<P, A> {
    fn turns(&self, torque: Torque<P::Real>) -> [P::Real; 2] {
        let (later, h) = (self.later(torque, self.load), self.plant.h());
        NODES.map(|node| match &later {
            Some(later) => {
                let left = P::Real::from_f64(1.0 - node) * h;
                self.turned(&later.before(left))
            }
            // What is no number is no step, either.
            None => P::Real::from_f64(f64::NAN),
        })
    }

    fn step(&mut self, torque: Torque<P::Real>, load: P::Real) -> Option<P::Real> {
        let later = self.later(torque, load)?;
        let by = self.turned(later.state());
        let followed = by.abs() <= P::Real::from_f64(MOST_TURN);
        if followed {
            (self.plant, self.load) = (later, load);
        }
        followed.then_some(by)
    }
}

visits!([P, A] Mechanism<P, A> where [P: Stepper + Memory, P::Input: Memory]: plant, load);

#[cfg(test)]
mod tests {
    use super::{Angle, Axle, Mechanics, Mechanism, NODES, Simulation};
    use crate::memory::{Digest, Load, Memory, Save, Words};
    use crate::method::RadauIIA;
    use crate::model::{FirstOrder, Unit, Vector};
    use crate::number::Scalar;
    use crate::step::{Error, Stepper};

    /// A mass that turns: its angle and its speed, two kg m^2.
    #[derive(Clone)]
    struct Wheel;
    impl FirstOrder<f64, 2, 2> for Wheel {
        type Mass = Unit;
        fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f64, 2>) -> Vector<T, 2> {
            [x[1], T::constant((u[0] - u[1]) / 2.0)].into()
        }
    }

    impl Memory for Wheel {
        fn visit<W: Words>(&mut self, _words: &mut W) {}
    }

    /// Three pairs of poles.
    struct Shafted;
    impl<P: Stepper<Real = f64, State = Vector<f64, 2>, Input = Vector<f64, 2>>> Axle<P> for Shafted {
        fn angle(&self, state: &Vector<f64, 2>) -> f64 {
            Angle::new(3.0 * state[0]).radians()
        }
        fn drive(&self, input: &mut Vector<f64, 2>, torque: f64, load: f64) {
            *input = [torque, load].into();
        }
    }

    /// Half the acceleration times the square of the time, electrically: at the nodes under the last load, at the end under the new one.
    #[test]
    fn a_wheel_turns_by_its_acceleration() -> Result<(), Error> {
        let h = 0.25;
        // Just below half a turn, which it passes.
        let start = Vector::from([core::f64::consts::PI / 3.0 - 0.01, 0.0]);
        let wheel = Simulation::new(Wheel, RadauIIA::<2>, h, start)?;
        let mut wheel = Mechanism::new(wheel, Shafted);
        let torque = [2.0, 9.0, 9.0];
        let turned = |from: f64, torque: f64, t: f64| 3.0 * (from * t + torque / 4.0 * t * t);
        for (by, node) in wheel.turns(torque).into_iter().zip(NODES) {
            assert!((by - turned(0.0, 2.0, node * h)).abs() < 1e-12, "{by}");
        }
        let by = wheel.step(torque, 0.5).unwrap_or(f64::NAN);
        assert!((by - turned(0.0, 1.5, h)).abs() < 1e-12, "{by}");
        let speed = 1.5 / 2.0 * h;
        for (by, node) in wheel.turns(torque).into_iter().zip(NODES) {
            assert!((by - turned(speed, 1.5, node * h)).abs() < 1e-12, "{by}");
        }
        assert!((wheel.plant().state()[1] - speed).abs() < 1e-14);
        // Farther than axes are followed: nothing changes.
        let before = Digest::of(&mut wheel);
        assert_eq!(wheel.step([12.0, 0.0, 0.0], 0.0), None);
        assert_eq!(Digest::of(&mut wheel), before);
        assert!(wheel.turns([f64::NAN; 3])[0].is_nan());
        Ok(())
    }

    /// Plant and load are kept.
    #[test]
    fn a_wheel_goes_back() -> Result<(), Error> {
        let wheel = Simulation::new(Wheel, RadauIIA::<2>, 0.25, Vector::from([0.0, 0.0]))?;
        let (mut wheel, mut words) = (Mechanism::new(wheel, Shafted), [0; 64]);
        wheel.step([1.0; 3], 0.25);
        let then = Digest::of(&mut wheel);
        wheel.visit(&mut Save::new(&mut words));
        wheel.step([2.0; 3], 0.5);
        assert_ne!(Digest::of(&mut wheel), then);
        wheel.visit(&mut Load::new(words.get(..then.count).unwrap_or(&[])));
        assert_eq!(Digest::of(&mut wheel), then);
        Ok(())
    }
}
