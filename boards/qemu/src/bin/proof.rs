//! The proof that a step cannot panic: the panic handler of this image is a symbol that does not exist, so that it links
//! only if the compiler has removed every panic path. Everything that a step depends on comes through `black_box`, lest it
//! be computed away.
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m_rt::entry;
use stiffstep::method::{Modes, Stages};
use stiffstep::prelude::*;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::rlc::Rlc;
use stiffstep_qemu as _;

/// A few steps under a budget, a new input and a new step size among them.
fn exercise<P: Stepper, B: Budget<P::Real>>(
    simulation: Result<Simulation<P>, Error>,
    budget: B,
    input: P::Input,
    h: P::Real,
) where
    P::Model: Clone,
{
    if let Ok(plant) = simulation {
        let mut plant = plant.with_budget(budget);
        while black_box(true) {
            plant.input = black_box(input);
            let _ = black_box(plant.step());
            let _ = black_box(plant.set_h(black_box(h)));
            let _ = black_box(plant.change(|model| {
                black_box(model);
            }));
            black_box(plant.state());
            black_box(plant.time());
        }
    }
}

/// Every kind of plant and budget with one method in one precision.
fn all<R: Real, const S: usize>()
where
    Stages<S>: Modes,
{
    let h = black_box(R::from_f64(1e-2));
    let u = black_box([R::ONE]).into();
    let fixed = Fixed(black_box(2));
    let until = Until {
        tolerance: black_box(R::EPSILON),
        max: black_box(10),
    };
    let deadline = Deadline {
        max: black_box(3),
        expired: || black_box(false),
    };
    let rlc = black_box(Rlc::<R>::mild());
    let x = black_box([R::ZERO; 4]).into();
    exercise(Simulation::new(rlc.dae(), RadauIIA::<S>, h, x), fixed, u, h);
    let x = black_box([R::ZERO; 2]).into();
    exercise(Simulation::new(rlc, RadauIIA::<S>, h, x), until, u, h);
    let meter = black_box(Galvanometer::<R>::nominal_design());
    let x = black_box([R::ZERO; 3]).into();
    let simulation = || Simulation::new(meter, RadauIIA::<S>, h, x);
    exercise(simulation(), fixed, u, h);
    exercise(simulation(), until, u, h);
    exercise(simulation(), deadline, u, h);
}

#[entry]
fn main() -> ! {
    all::<f32, 1>();
    all::<f32, 2>();
    all::<f32, 3>();
    all::<f32, 5>();
    all::<f64, 1>();
    all::<f64, 2>();
    all::<f64, 3>();
    all::<f64, 5>();
    #[cfg(feature = "deliberate-panic")]
    black_box([1_u8, 2, 3][black_box(3_usize)]);
    semihosting::process::exit(0)
}
