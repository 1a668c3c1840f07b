//! What can be planned: five plants on their courses, each by every method and budget that real time has a use for.
//!
//! A [`Choice`] follows its course at any step; beside it stands a workload that takes the same steps on a board, so that
//! their cost can be counted. They are two tables because a board has no use for the first.

use super::{Bits, Probe, Record, Workload, run};
use crate::course::{
    Course, LiftedArm, RodPendulum, Sample, SpringPendulum, StartedDrive, SwitchedOnRlc,
};
use stiffstep::drive::Controlled;
use stiffstep::prelude::*;
use stiffstep::step::Method;

/// A plant on its course, with everything that can be chosen for it.
#[derive(Clone, Copy)]
pub struct Planned {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// What its workloads' names begin with.
    pub group: &'static str,
    /// The time between two looks at it, in seconds; the longest step to be tried.
    pub period: f64,
    /// How long its course is unless told otherwise, in seconds.
    pub seconds: f64,
    /// The methods, each with its budgets, the smallest first.
    pub methods: &'static [&'static [Choice]],
    /// The exact course.
    pub reference: Reference,
}

/// A method and a budget of Newton iterations, in single precision.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The method's name.
    pub method: &'static str,
    /// Newton iterations a step.
    pub iterations: u8,
    /// Follows the course.
    pub follow: Follow,
    /// The plant's name among the workloads, see [`Workload::plant`].
    pub workload: &'static str,
}

/// Follows a course in steps of `h` and shows where the plant is after `every` so many of them, the start left out.
pub type Follow = fn(h: f64, every: u32, samples: u32, &mut dyn FnMut(Sample)) -> Result<(), Error>;

/// Follows a course in double precision by the adaptive driver, to the given tolerance, and shows where the plant is after
/// each period, the start left out.
pub type Reference = fn(tolerance: f64, samples: u32, &mut dyn FnMut(Sample)) -> Result<(), Error>;

/// A function of plant, method and names for each method that mechanisms are stepped by.
macro_rules! each_method {
    ($of:ident::<$course:ty>($names:expr)) => {
        [
            $of::<$course, Lean<RadauIIA<2>>, _>(RADAU_2, $names),
            $of::<$course, Lean<RadauIIA<3>>, _>(RADAU_3, $names),
            $of::<$course, Projected<Lean<RadauIIA<2>>>, _>(PROJECTED_2, $names),
            $of::<$course, Projected<Lean<RadauIIA<3>>>, _>(PROJECTED_3, $names),
        ]
    };
}

/// A mechanism with its reference's method.
macro_rules! mechanism {
    ($course:ty, $reference:ty, $names:expr) => {
        planned::<$course, $reference, _>($names.group, {
            const ALL: [[Choice; 3]; 4] = each_method!(choices::<$course>(&$names));
            &[&ALL[0], &ALL[1], &ALL[2], &ALL[3]]
        })
    };
}

/// Every plant that can be planned for.
pub const PLANNED: [Planned; 5] = [
    mechanism!(SpringPendulum, Lean<RadauIIA<5>>, SPRING),
    mechanism!(RodPendulum, Projected<Lean<RadauIIA<5>>>, ROD),
    mechanism!(LiftedArm, Lean<RadauIIA<5>>, ARM),
    mechanism!(StartedDrive, Lean<RadauIIA<5>>, DRIVE),
    // One iteration solves a linear circuit, and there is nothing to project it onto.
    planned::<SwitchedOnRlc, RadauIIA<5>, _>(
        RLC.group,
        &[
            &[choice::<SwitchedOnRlc, RadauIIA<2>, _, 1>(RADAU_2, &RLC)],
            &[choice::<SwitchedOnRlc, RadauIIA<3>, _, 1>(RADAU_3, &RLC)],
        ],
    ),
];

/// The workloads of mechanisms, by method and budget.
pub const MECHANISMS: [[[Workload; 3]; 4]; 4] = [
    each_method!(counts::<SpringPendulum>(&SPRING)),
    each_method!(counts::<RodPendulum>(&ROD)),
    each_method!(counts::<LiftedArm>(&ARM)),
    each_method!(counts::<StartedDrive>(&DRIVE)),
];

/// Those of the circuit.
pub const CIRCUITS: [Workload; 2] = [
    counted::<SwitchedOnRlc, RadauIIA<2>, _, 1>(RADAU_2, &RLC),
    counted::<SwitchedOnRlc, RadauIIA<3>, _, 1>(RADAU_3, &RLC),
];

const RADAU_2: &str = "Radau IIA 2";
const RADAU_3: &str = "Radau IIA 3";
const PROJECTED_2: &str = "projected Radau IIA 2";
const PROJECTED_3: &str = "projected Radau IIA 3";

/// What the workloads of a course are called: in one word that they begin with, and by the iterations of a step.
struct Names {
    group: &'static str,
    each: [&'static str; 3],
}

macro_rules! names {
    ($group:literal) => {
        Names {
            group: $group,
            each: [
                concat!($group, ", 1 iteration"),
                concat!($group, ", 2 iterations"),
                concat!($group, ", 3 iterations"),
            ],
        }
    };
}

const SPRING: Names = names!("plan/spring-pendulum");
const ROD: Names = names!("plan/rigid-pendulum");
const ARM: Names = names!("plan/arm");
const DRIVE: Names = names!("plan/drive");
const RLC: Names = names!("plan/rlc");

const fn planned<C: Course, K, Kind>(
    group: &'static str,
    methods: &'static [&'static [Choice]],
) -> Planned
where
    K: Method<C::Model<f64>, Kind, Real = f64, Start = C::Start<f64>> + Default,
    K::Stepper:
        Controlled<Real = f64, Model = C::Model<f64>, Input = C::Input<f64>, State = C::State<f64>>,
{
    Planned {
        name: C::NAME,
        what: C::WHAT,
        group,
        period: C::PERIOD,
        seconds: C::SECONDS,
        methods,
        reference: reference::<C, K, Kind>,
    }
}

/// The budgets that real time has a use for.
const fn choices<C: Course, K, Kind>(method: &'static str, names: &Names) -> [Choice; 3]
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper:
        Stepper<Real = f32, Model = C::Model<f32>, Input = C::Input<f32>, State = C::State<f32>>,
{
    [
        choice::<C, K, Kind, 1>(method, names),
        choice::<C, K, Kind, 2>(method, names),
        choice::<C, K, Kind, 3>(method, names),
    ]
}

const fn choice<C: Course, K, Kind, const I: usize>(method: &'static str, names: &Names) -> Choice
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper:
        Stepper<Real = f32, Model = C::Model<f32>, Input = C::Input<f32>, State = C::State<f32>>,
{
    Choice {
        method,
        iterations: I as u8,
        follow: follow::<C, K, Kind, I>,
        workload: names.each[I - 1],
    }
}

/// The same as workloads.
const fn counts<C: Course, K, Kind>(method: &'static str, names: &Names) -> [Workload; 3]
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper: Stepper<Real = f32, Input = C::Input<f32>, State: Bits>,
{
    [
        counted::<C, K, Kind, 1>(method, names),
        counted::<C, K, Kind, 2>(method, names),
        counted::<C, K, Kind, 3>(method, names),
    ]
}

const fn counted<C: Course, K, Kind, const I: usize>(
    method: &'static str,
    names: &Names,
) -> Workload
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper: Stepper<Real = f32, Input = C::Input<f32>, State: Bits>,
{
    Workload {
        plant: names.each[I - 1],
        scalar: "f32",
        method,
        // Enough to see what a step costs.
        steps: 50,
        run: count::<C, K, Kind, I>,
    }
}

/// The course `C` by the method `K`, at its start.
fn at_start<C: Course, K, Kind>(h: f64, iterations: usize) -> Result<Simulation<K::Stepper>, Error>
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper: Stepper<Real = f32>,
{
    let simulation = Simulation::new(C::model(), K::default(), h as f32, C::start())?;
    Ok(simulation.with_budget(Fixed(iterations as u8)))
}

fn follow<C: Course, K, Kind, const I: usize>(
    h: f64,
    every: u32,
    samples: u32,
    show: &mut dyn FnMut(Sample),
) -> Result<(), Error>
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper:
        Stepper<Real = f32, Model = C::Model<f32>, Input = C::Input<f32>, State = C::State<f32>>,
{
    let mut plant = at_start::<C, K, Kind>(h, I)?;
    plant.input = C::input();
    for _ in 0..samples {
        for _ in 0..every {
            plant.step()?;
        }
        show(C::sample(plant.model(), plant.state()));
    }
    Ok(())
}

/// At a step without trouble: a fixed budget costs the same at any other.
fn count<C: Course, K, Kind, const I: usize>(steps: u32, probe: &mut dyn Probe) -> Record
where
    K: Method<C::Model<f32>, Kind, Real = f32, Start = C::Start<f32>> + Default,
    K::Stepper: Stepper<Real = f32, Input = C::Input<f32>, State: Bits>,
{
    let plant = at_start::<C, K, Kind>(C::STEP, I);
    run(plant, steps, |_| C::input(), probe)
}

fn reference<C: Course, K, Kind>(
    tolerance: f64,
    samples: u32,
    show: &mut dyn FnMut(Sample),
) -> Result<(), Error>
where
    K: Method<C::Model<f64>, Kind, Real = f64, Start = C::Start<f64>> + Default,
    K::Stepper:
        Controlled<Real = f64, Model = C::Model<f64>, Input = C::Input<f64>, State = C::State<f64>>,
{
    let mut plant = Adaptive::new(C::model(), K::default(), tolerance, 1e-6, C::start())?;
    plant.input = C::input();
    for n in 1..=samples {
        plant.run_to(C::PERIOD * f64::from(n))?;
        show(C::sample(plant.model(), plant.state()));
    }
    Ok(())
}
