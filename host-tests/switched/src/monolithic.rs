//! The drive as one model, by several methods, beside the same independent solution.

use crate::servo::{Plant, Told, along, parts};
use std::error::Error;
use stiffstep::electric::{Drive, PulsedDrive, ServoError, Voltage};
use stiffstep::memory::{Digest, Memory};
use stiffstep::mild::RungeKutta4;
use stiffstep::number::Real;
use stiffstep::prelude::*;
use stiffstep::step::FirstOrderStepper;

/// A method for the drive as one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The classical Runge-Kutta method, with a shaft that is fitted to it.
    RungeKutta,
    /// Radau IIA of three stages, with a Jacobian of which nothing is known.
    Dense,
    /// Radau IIA of three stages, with the zeros of the Jacobian.
    Radau,
}

/// All methods.
pub const ALL: [How; 3] = [How::RungeKutta, How::Dense, How::Radau];

impl How {
    /// The largest error that is allowed, relative to nominal: what is promised of Runge-Kutta on soft shafts, and what is seen
    /// elsewhere.
    pub fn limit(self, plant: &Plant) -> f64 {
        let soft = plant.name.contains("soft");
        match self {
            How::RungeKutta if soft => 1e-4,
            How::RungeKutta => 6e-4,
            How::Dense | How::Radau if soft => 5e-5,
            How::Dense | How::Radau => 2e-4,
        }
    }

    /// What is appended to a drive's name.
    pub fn suffix(self) -> &'static str {
        match self {
            How::RungeKutta => ", RK4",
            How::Dense => ", Radau 3 dense",
            How::Radau => ", Radau 3",
        }
    }
}

/// A drive without a word on zeros of its Jacobian.
#[derive(Clone, Copy, Debug)]
pub struct Unknown<R>(PulsedDrive<R>);

impl<R: Real> FirstOrder<R, 6, 7> for Unknown<R> {
    type Mass = Unit;
    const TURNS: Option<usize> = Some(Drive::<R>::ANGLE);

    fn rhs<T: Scalar<R>>(&self, t: T, x: &Vector<T, 6>, u: &Vector<R, 7>) -> Vector<T, 6> {
        self.0.rhs(t, x, u)
    }

    fn period(&self) -> Option<R> {
        self.0.period()
    }

    fn nominal(&self) -> Vector<R, 6> {
        self.0.nominal()
    }
}

type Radau<R, M> = Simulation<FirstOrderStepper<R, M, RadauIIA<3>, 6, 7, 3>>;

/// A drive as one model by one of the methods.
pub enum Stepped<R: Real> {
    /// By the classical Runge-Kutta method.
    RungeKutta(RungeKutta4<Drive<R>, R, 6, 3>),
    /// By Radau IIA without zeros.
    Dense(Box<Radau<R, Unknown<R>>>),
    /// By Radau IIA with zeros.
    Radau(Box<Radau<R, PulsedDrive<R>>>),
}

impl<R: Real + Memory> Stepped<R> {
    /// At rest.
    pub fn new(plant: &Plant, how: How) -> Result<Self, Box<dyn Error>> {
        let model = model::<R>(plant, how)?;
        let (h, start) = (R::from_f64(plant.h), model.at_rest());
        Ok(match how {
            How::RungeKutta => {
                let stepper = RungeKutta4::new(model, h, start)?;
                Stepped::RungeKutta(stepper.turning(Drive::<R>::ANGLE))
            }
            How::Dense => {
                let model = Unknown(PulsedDrive::new(model, h));
                let stepper = Simulation::new(model, RadauIIA::<3>, h, start.into())?;
                Stepped::Dense(Box::new(stepper))
            }
            How::Radau => {
                let model = PulsedDrive::new(model, h);
                let stepper = Simulation::new(model, RadauIIA::<3>, h, start.into())?;
                Stepped::Radau(Box::new(stepper))
            }
        })
    }

    /// One step.
    pub fn step(&mut self, voltage: &Voltage<R>, load: R) -> Result<(), Box<dyn Error>> {
        match self {
            Stepped::RungeKutta(stepper) => stepper.step(&voltage.course(load))?,
            Stepped::Dense(stepper) => {
                stepper.input = stepper.model().0.inputs(voltage, load);
                stepper.step()?;
            }
            Stepped::Radau(stepper) => {
                stepper.input = stepper.model().inputs(voltage, load);
                stepper.step()?;
            }
        }
        Ok(())
    }

    /// The state.
    pub fn state(&self) -> [R; 6] {
        match self {
            Stepped::RungeKutta(stepper) => *stepper.state(),
            Stepped::Dense(stepper) => stepper.state().data.0[0],
            Stepped::Radau(stepper) => stepper.state().data.0[0],
        }
    }

    /// Adds all that survives a step.
    pub fn digest(&mut self, digest: &mut Digest) {
        match self {
            Stepped::RungeKutta(stepper) => stepper.visit(digest),
            Stepped::Dense(stepper) => stepper.remember(digest, |_, _| ()),
            Stepped::Radau(stepper) => stepper.remember(digest, |_, _| ()),
        }
    }
}

/// Magnitudes of flux, speed and twist.
pub fn nominal(plant: &Plant) -> [f64; 3] {
    let [_, speed, torque] = plant.nominal;
    [plant.machine.magnet, speed, torque / plant.shaft.stiffness]
}

/// The drive as one model for a method.
pub fn model<R: Real>(plant: &Plant, how: How) -> Result<Drive<R>, ServoError> {
    let (machine, mut shaft) = parts::<R>(plant);
    if how == How::RungeKutta {
        shaft = shaft.fitted(R::from_f64(plant.h));
    }
    let [flux, speed, twist] = nominal(plant).map(R::from_f64);
    Ok(Drive::new(machine, shaft)?.with_nominal(flux, speed, twist))
}

/// The largest error of an output, relative to nominal, and the largest output.
pub fn error<R: Real + Memory>(
    plant: &Plant,
    how: How,
    steps: usize,
    shift: f64,
) -> Result<(f64, f64), Box<dyn Error>> {
    let model = model::<R>(plant, how)?;
    let mut stepped = Stepped::<R>::new(plant, how)?;
    along(plant, steps, shift, Told::Edges, |voltage, load| {
        stepped.step(voltage, R::from_f64(load))?;
        let x = stepped.state();
        let [d, q] = model.currents(&x);
        Ok([d, q, x[2], x[2] - x[3], model.shaft_torque(&x)])
    })
}
