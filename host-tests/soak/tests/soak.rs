//! A slice of every campaign: seconds of what `cargo xtask soak` does for as long as one likes.
#![allow(clippy::panic)]

use std::ops::Range;
use stiffstep_soak::{CAMPAIGNS, Campaign, Tally, campaign};

/// The part of a full run that is done here, one in so many.
const PART: u64 = 1_000;

/// Chunks of a campaign from so many seeds.
fn chunks(name: &str, seeds: Range<u64>, cases: u64) -> Tally {
    let mut all = Tally::default();
    for seed in seeds {
        match named(name).chunk(seed, cases) {
            Ok(tally) => all.merge(&tally),
            Err(error) => panic!("{name}, seed {seed}: {error}"),
        }
    }
    all
}

fn named(name: &str) -> &'static Campaign {
    campaign(name).unwrap_or_else(|| panic!("there is no campaign {name}"))
}

fn slice(name: &str) -> Tally {
    let Campaign { full, chunk, .. } = named(name);
    let cases = (full / PART).max(*chunk.min(&1_000));
    // Many small chunks, so that every row of a campaign has its turn.
    let all = chunks(name, 0..100, (cases / 100).max(1));
    println!(
        "{name}: {} cases, {:?}, {:?}",
        all.cases, all.found, all.largest
    );
    assert!(all.cases >= cases / 2);
    all
}

#[test]
fn steps_from_arbitrary_bits_are_finite_or_have_not_happened() {
    let tally = slice("steps");
    // It would mean nothing if all of them failed.
    assert!(tally.count("done") > tally.cases / 10, "{tally:?}");
    assert!(tally.count("not finite") > 0 && tally.count("diverged") > 0);
}

#[test]
fn adaptive_steps_and_events_are_finite_or_have_not_happened() {
    assert!(slice("adaptive").count("done") > 0);
    assert!(slice("events").count("events") > 0);
}

#[test]
fn a_model_that_lies_once_does_no_harm() {
    let tally = slice("models");
    assert!(tally.count("not finite") > 0 && tally.count("done") > 0);
}

#[test]
fn flipped_bits_are_seen_by_the_digest_and_leave_finite_states() {
    let tally = slice("flips");
    assert!(tally.count("failed") > 0 && tally.count("unconverged") > 0);
}

#[test]
fn damaged_frames_are_refused() {
    assert!(slice("frames").count("whole ones understood") > 0);
}

#[test]
fn sessions_answer_whatever_they_are_asked() {
    let tally = slice("sessions");
    assert!(tally.count("answered") > tally.cases / 2, "{tally:?}");
    assert!(tally.count("events without room") > 0 && tally.count("periods missed") > 0);
}

#[test]
fn overruns_are_counted_and_clean_periods_are_not() {
    assert!(slice("overruns").count("periods missed") >= 100);
    slice("clean");
    assert!(slice("clocks").count("periods served") > 0);
}

#[test]
fn a_pendulum_keeps_to_its_rod() {
    slice("drift");
}

/// Chunks from so many seeds, with what must hold of the run as a whole: four standard deviations are allowed to chance.
fn settled(name: &str, seeds: Range<u64>, cases: u64) {
    let all = chunks(name, seeds, cases);
    let Some(settle) = named(name).settle else {
        panic!("{name} settles nothing");
    };
    let (table, broken) = settle(&all, 4.0);
    println!("{table}");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A few seconds of every shipped plant over the whole range of its inputs.
#[test]
fn shipped_plants_stay_in_range_and_right() {
    settled("hour", 1..2, 9 * 10);
}

/// Claims beside the truth: bars with an allowance for a small sample.
#[test]
fn claims_are_true_as_often_as_they_should_be() {
    settled("truth", 0..20, 2_000);
}

/// A seed means the same draws every time, and other draws in every campaign.
#[test]
fn a_seed_repeats_its_chunk() {
    for campaign in CAMPAIGNS {
        let cases = (campaign.full / 1_000).min(300);
        let (first, again) = (campaign.chunk(7, cases), campaign.chunk(7, cases));
        assert_eq!(first, again, "{}", campaign.name);
    }
}
