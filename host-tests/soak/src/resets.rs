//! Resets at any moment: in a step, while a snapshot is written, with a snapshot damaged. A plant that keeps itself in two
//! slots goes on from the last whole one with the same bits.

use crate::{Draw, Tally};
use stiffstep::hil::{MOST_WORDS, Rig, Watch};
use stiffstep::memory::{Digest, Load, Memory, Save, TwoSlots};
use stiffstep_plants::rigs;

type Store = TwoSlots<MOST_WORDS>;

/// The words of a store, as a reset finds them.
fn words(store: &Store) -> Vec<u32> {
    let mut store = *store;
    let mut words = vec![0; Digest::of(&mut store).count];
    store.visit(&mut Save::new(&mut words));
    words
}

/// A store of these words.
fn store(words: &[u32]) -> Store {
    let mut store = Store::EMPTY;
    store.visit(&mut Load::new(words));
    store
}

/// One step with an input that the number of the step decides.
fn step(rig: &mut impl Rig, number: u64) {
    let mut draw = Draw::new(number);
    let inputs: Vec<f32> = (0..rig.about().counts[0])
        .map(|_| draw.part() as f32)
        .collect();
    let mut never = || false;
    // A step that fails changes nothing, on both plants alike.
    let _ = rig.step(&inputs, &mut Watch::new(rigs::ITERATIONS, &mut never));
}

/// Kept, broken, restored.
fn reset<P: Rig + Memory>(
    draw: &mut Draw,
    cases: u64,
    tally: &mut Tally,
    fresh: impl Fn() -> Result<P, stiffstep::Error>,
) -> Result<(), String> {
    let fresh = || fresh().map_err(|error| format!("no rig: {error}"));
    let mut plant = fresh()?;
    let mut slots = Store::EMPTY;
    let mut number = 0;
    if slots.restore(&mut plant) {
        return Err("an empty store was restored".to_owned());
    }
    if !slots.keep(&mut plant) {
        return Err("there is no room for the plant".to_owned());
    }
    while tally.cases < cases {
        tally.cases += 1;
        let old = (number, plant.digest());
        for _ in 0..1 + draw.below(3) {
            step(&mut plant, number);
            number += 1;
        }
        let before = words(&slots);
        slots.keep(&mut plant);
        let after = words(&slots);
        let new = (number, plant.digest());
        let mut found = after.clone();
        let (what, expected): (_, &[_]) = match draw.below(4) {
            0 => ("in a step", &[new]),
            1 => {
                // Word by word, and the last ones are missing.
                let done = draw.below(after.len());
                let written = (0..after.len())
                    .filter(|&k| after[k] != before[k])
                    .nth(done);
                let cut = written.unwrap_or(done);
                found[cut..].copy_from_slice(&before[cut..]);
                ("while a slot is written", &[old, new])
            }
            2 => {
                // In whatever order a compiler or a cache has written them.
                for k in 0..found.len() {
                    if draw.one_in(2) {
                        found[k] = before[k];
                    }
                }
                ("while a slot is written in any order", &[old, new])
            }
            _ => {
                found[draw.below(after.len())] ^= 1 << draw.below(32);
                ("with a flipped bit", &[old, new])
            }
        };
        let mut risen = fresh()?;
        if !store(&found).restore(&mut risen) {
            return Err(format!("nothing was restored after a reset {what}"));
        }
        let digest = risen.digest();
        let kept = expected.iter().find(|(_, kept)| *kept == digest);
        let Some(&(kept, _)) = kept else {
            return Err(format!("something else was restored after a reset {what}"));
        };
        let mut count = kept;
        tally.note(if digest == new.1 {
            "the last"
        } else {
            "the one before"
        });
        while count < number {
            step(&mut risen, count);
            count += 1;
        }
        if risen.digest() != plant.digest() {
            return Err(format!("other bits after a reset {what}"));
        }
    }
    // What a memory holds after power was off is no snapshot.
    let mut noise = words(&slots);
    noise.fill_with(|| draw.bits());
    let before = plant.digest();
    if store(&noise).restore(&mut plant) || plant.digest() != before {
        return Err("noise was restored".to_owned());
    }
    Ok(())
}

/// Resets of one of the plants.
pub fn resets(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    match draw.below(4) {
        0 => reset(draw, cases, tally, || rigs::dc_motor(1e-3)),
        1 => reset(draw, cases, tally, || rigs::arm(1e-3)),
        2 => reset(draw, cases, tally, || rigs::slider_crank(1e-3)),
        _ => reset(draw, cases, tally, || rigs::pendulum(1e-3)),
    }
}
