//! One plant by one method, from arbitrary bits: every step ends finite, or in an error that has not changed a bit.

use crate::numbers::{Numbers, Picture, Shown};
use crate::{Draw, Tally};
use stiffstep::drive::{After, Controlled, Crossing, Events, Watch};
use stiffstep::prelude::*;
use stiffstep::step::{Convergence, Dense, Method, Restart};

/// What a plant is made of before it is spoiled: model, method, step, start.
pub type Recipe<R, M, K, S> = (M, K, R, S);

/// Any kind of budget, asked and counted.
struct Lot<R> {
    most: u8,
    tolerance: R,
    /// After so many questions the time has come.
    patience: usize,
    asked: usize,
    /// Iterations that were allowed.
    granted: u8,
}

impl<R: Real> Lot<R> {
    fn draw(draw: &mut Draw) -> Self {
        let mut tolerance = R::EPSILON.sqrt();
        draw.spoil(&mut tolerance);
        Lot {
            most: draw.below(5) as u8,
            tolerance,
            patience: [0, 1, 2, 99][draw.below(4)] + 1,
            asked: 0,
            granted: 0,
        }
    }
}

impl<R: Real> Budget<R> for Lot<R> {
    fn another(&mut self, so_far: &Convergence<R>) -> bool {
        self.asked += 1;
        let another = so_far.iterations() < self.most && self.asked <= self.patience;
        self.granted += u8::from(another);
        another
    }
    fn tolerance(&self) -> R {
        self.tolerance
    }
}

/// What a step must be: `before` after an error, finite otherwise.
pub fn judge<T>(
    result: &Result<T, Error>,
    before: &Picture,
    after: &Picture,
    tally: &mut Tally,
) -> Result<(), String> {
    match result {
        Ok(_) if !after.finite() => Err("Ok, but not finite".to_owned()),
        Err(error) if before != after => Err(format!("changed the state and failed: {error}")),
        Ok(_) => {
            tally.note("done");
            Ok(())
        }
        Err(error) => {
            tally.note(name(error));
            Ok(())
        }
    }
}

/// An error's name, whatever it says besides.
pub fn name(error: &Error) -> &'static str {
    match error {
        Error::StepSize => "step size",
        Error::Input => "input",
        Error::NonFinite => "not finite",
        Error::Singular { .. } => "singular",
        Error::Mass { .. } => "mass",
        Error::Constraint { .. } => "constraint",
        Error::Diverged => "diverged",
        Error::Inconsistent => "inconsistent",
        Error::StepTooSmall => "step too small",
        Error::Budget => "budget",
        Error::Zeno { .. } => "zeno",
        _ => "other errors",
    }
}

/// A spoiled plant, if its start is accepted; then it must be finite.
fn spoiled<R, M, K, S>(draw: &mut Draw, recipe: Recipe<R, M, K, S>) -> Recipe<R, M, K, S>
where
    R: Real,
    M: Numbers<R>,
    S: Numbers<R>,
{
    let (mut model, method, mut h, mut start) = recipe;
    draw.temper();
    model.each(&mut |x| draw.spoil(x));
    draw.temper();
    start.each(&mut |x| draw.spoil(x));
    draw.temper();
    draw.spoil(&mut h);
    draw.temper();
    (model, method, h, start)
}

/// Fixed steps.
pub fn fixed<R, M, Kind, K>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    recipe: impl Fn() -> Recipe<R, M, K, K::Start>,
) -> Result<(), String>
where
    R: Real,
    M: Clone + Numbers<R>,
    K: Method<M, Kind, Real = R>,
    K::Start: Numbers<R>,
    K::Stepper: Stepper<Real = R, Model = M>,
    <K::Stepper as Stepper>::State: Shown,
    <K::Stepper as Stepper>::Input: Numbers<R>,
{
    while tally.cases < cases {
        let (model, method, h, start) = spoiled(draw, recipe());
        let Ok(mut plant) = Simulation::new(model, method, h, start) else {
            tally.note("starts refused");
            continue;
        };
        if !Picture::of(plant.state(), plant.time()).finite() {
            return Err("a start that is not finite was accepted".to_owned());
        }
        for _ in 0..1 + draw.below(12) {
            let before = Picture::of(plant.state(), plant.time());
            let edited = match draw.below(12) {
                0 => {
                    let mut h = plant.h();
                    draw.spoil(&mut h);
                    plant.set_h(h)
                }
                1 => plant.change(|model| model.each(&mut |x| draw.spoil(x))),
                _ => Ok(()),
            };
            let edit = Picture::of(plant.state(), plant.time());
            if edited.is_err() && edit != before || !edit.finite() {
                return Err(format!("a change, {edited:?}, left a state that is none"));
            }
            plant.input.each(&mut |x| draw.spoil(x));
            let mut budget = Lot::draw(draw);
            let result = plant.step_within(&mut budget);
            tally.cases += 1;
            let after = Picture::of(plant.state(), plant.time());
            judge(&result, &edit, &after, tally)?;
            if let Ok(report) = result {
                let numbers = [report.increment(), report.defect(), report.contraction()];
                // Explicit steps ask no budget, and some steps iterate more than once.
                let within = budget.asked == 0 || report.iterations <= budget.granted;
                let sound = numbers.iter().all(|x| *x >= R::ZERO);
                if !(within && sound) {
                    return Err(format!("{report:?} within {}", budget.granted));
                }
                if report.outcome == Outcome::Unconverged {
                    tally.note("unconverged");
                }
            } else {
                // What was arbitrary may have been the input: the next step gets another.
                plant.input = K::Stepper::no_input();
            }
        }
    }
    Ok(())
}

/// Adaptive steps.
pub fn adaptive<R, M, Kind, K>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    recipe: impl Fn() -> Recipe<R, M, K, K::Start>,
) -> Result<(), String>
where
    R: Real,
    M: Clone + Numbers<R>,
    K: Method<M, Kind, Real = R>,
    K::Start: Numbers<R>,
    K::Stepper: Controlled<Real = R, Model = M> + Clone,
    <K::Stepper as Stepper>::State: Shown,
    <K::Stepper as Stepper>::Input: Numbers<R>,
{
    while tally.cases < cases {
        let (model, method, h, start) = spoiled(draw, recipe());
        let mut tolerance = R::from_f64(1e-3);
        draw.spoil(&mut tolerance);
        let Ok(mut plant) = Adaptive::new(model, method, tolerance, h, start) else {
            tally.note("starts refused");
            continue;
        };
        for _ in 0..1 + draw.below(6) {
            let mut before = Picture::of(plant.state(), plant.time());
            if draw.one_in(12) {
                let edited = plant.change(|model| model.each(&mut |x| draw.spoil(x)));
                let edit = Picture::of(plant.state(), plant.time());
                if edited.is_err() && edit != before || !edit.finite() {
                    return Err(format!("a change, {edited:?}, left a state that is none"));
                }
                before = edit;
            }
            plant.input.each(&mut |x| draw.spoil(x));
            let result = plant.step();
            tally.cases += 1;
            let after = Picture::of(plant.state(), plant.time());
            judge(&result, &before, &after, tally)?;
        }
    }
    Ok(())
}

/// Events that do whatever they like to the plant.
struct Vandal<R> {
    draw: Draw,
    /// The state's first number crosses this.
    level: R,
    happened: u64,
}

impl<R: Real, M: Numbers<R>, X: Numbers<R> + Clone, U> Events<R, M, X, U, 1> for Vandal<R> {
    const CROSSINGS: [Crossing; 1] = [Crossing::Either];

    fn values(&self, _t: R, _model: &M, state: &X, _u: &U) -> [R; 1] {
        let mut first = None;
        state.clone().each(&mut |x| {
            first.get_or_insert(*x);
        });
        [first.unwrap_or(R::ZERO) - self.level]
    }

    fn happen(&mut self, _index: usize, _t: R, model: &mut M, state: &mut X) -> After {
        self.happened += 1;
        let draw = &mut self.draw;
        draw.temper();
        if draw.one_in(3) {
            model.each(&mut |x| draw.spoil(x));
        }
        state.each(&mut |x| draw.spoil(x));
        if draw.one_in(3) {
            After::Stop
        } else {
            After::GoOn
        }
    }
}

/// Steps with events, fixed ones and adaptive ones in turn.
pub fn events<R, M, Kind, K>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    recipe: impl Fn() -> Recipe<R, M, K, K::Start>,
) -> Result<(), String>
where
    R: Real,
    M: Clone + Numbers<R>,
    K: Method<M, Kind, Real = R> + Clone,
    K::Start: Numbers<R> + Clone,
    K::Stepper: Controlled<Real = R, Model = M> + Dense + Restart + Clone,
    <K::Stepper as Stepper>::State: Shown + Numbers<R> + Clone,
    <K::Stepper as Stepper>::Input: Numbers<R>,
{
    while tally.cases < cases {
        let (model, method, h, start) = spoiled(draw, recipe());
        let fixed = Simulation::new(model.clone(), method.clone(), h, start.clone());
        let tolerance = R::from_f64(1e-3);
        let free = Adaptive::new(model, method, tolerance, h, start);
        let (Ok(mut fixed), Ok(mut free)) = (fixed, free) else {
            tally.note("starts refused");
            continue;
        };
        let mut level = None;
        fixed.state().clone().each(&mut |x| {
            level.get_or_insert(*x);
        });
        let mut watch = Watch::new(Vandal {
            draw: draw.clone(),
            level: level.unwrap_or(R::ZERO),
            happened: 0,
        });
        // The plant's draws go on from elsewhere than the vandal's.
        draw.bits();
        watch.looks = draw.below(6) as u8;
        for _ in 0..4 {
            let before = Picture::of(fixed.state(), fixed.time());
            fixed.input.each(&mut |x| draw.spoil(x));
            let result = fixed.step_with(&mut watch);
            tally.cases += 1;
            let after = Picture::of(fixed.state(), fixed.time());
            judge(&result, &before, &after, tally)?;
        }
        let mut end = free.time() + h * R::from_f64(4.0);
        draw.spoil(&mut end);
        free.most_steps = 20;
        let result = free.run_with(&mut watch, end);
        tally.cases += 1;
        // A run keeps the steps that it had done before one failed.
        let after = Picture::of(free.state(), free.time());
        judge(&result, &after, &after, tally)?;
        if !after.finite() {
            return Err("a run left a state that is not finite".to_owned());
        }
        tally.add("events", watch.events.happened);
    }
    Ok(())
}
