//! Models that lie once: the step fails and nothing has happened, or its result is finite.

use crate::faulty::{Faulty, Lie};
use crate::numbers::{Picture, Shown};
use crate::{Draw, Tally, steps};
use stiffstep::prelude::*;
use stiffstep::step::Method;

/// A plant that was never lied to steps beside one that is.
pub fn beside<R, M, Kind, K>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    recipe: impl Fn() -> steps::Recipe<R, M, K, K::Start>,
) -> Result<(), String>
where
    R: Real,
    K: Method<Faulty<M>, Kind, Real = R>,
    K::Stepper: Stepper<Real = R, Model = Faulty<M>>,
    <K::Stepper as Stepper>::State: Shown,
{
    let fresh = || {
        let (model, method, h, start) = recipe();
        Simulation::new(Faulty::new(model), method, h, start)
            .map_err(|error| format!("the start fails: {error}"))
    };
    while tally.cases < cases {
        let (mut lied, mut honest) = (fresh()?, fresh()?);
        let warm = 1 + draw.below(4);
        for _ in 0..warm {
            lied.model().lie(Lie::None, 0, 0);
            let steps = [lied.step().is_ok(), honest.step().is_ok()];
            if steps != [true; 2] {
                return Err("an honest step fails".to_owned());
            }
        }
        let evaluations = lied.model().lie(Lie::None, 0, 0);
        for _ in 0..20 {
            let before = Picture::of(lied.state(), lied.time());
            let moment = draw.below(evaluations as usize + 1) as u32;
            lied.model().lie(Lie::draw(draw), moment, draw.below(8));
            let result = lied.step();
            lied.model().lie(Lie::None, 0, 0);
            tally.cases += 1;
            let after = Picture::of(lied.state(), lied.time());
            steps::judge(&result, &before, &after, tally)?;
            if result.is_ok() {
                // Where it is now the honest one has never been.
                break;
            }
            // Nothing has happened: the next step is the honest one's.
            let ends = [lied.step().is_ok(), honest.step().is_ok()];
            let picture = Picture::of(honest.state(), honest.time());
            if Picture::of(lied.state(), lied.time()) != picture || ends != [true; 2] {
                return Err(format!(
                    "the step after {result:?} is not what it was to be"
                ));
            }
        }
        let ended = lied.step();
        let after = Picture::of(lied.state(), lied.time());
        if ended.is_ok() && !after.finite() {
            return Err("the step after a lie is Ok, but not finite".to_owned());
        }
    }
    Ok(())
}
