//! A slice of every campaign: seconds of what `cargo xtask soak` does for as long as one likes.
#![allow(clippy::panic)]

use stiffstep_soak::{CAMPAIGNS, Tally, campaign};

/// The part of a full run that is done here, one in so many.
const PART: u64 = 1_000;

fn slice(name: &str) -> Tally {
    let Some(campaign) = campaign(name) else {
        panic!("there is no campaign {name}");
    };
    let mut all = Tally::default();
    let cases = (campaign.full / PART).max(campaign.chunk.min(1_000));
    // Many small chunks, so that every row of a campaign has its turn.
    let chunks = 100;
    for seed in 0..chunks {
        match campaign.chunk(seed, (cases / chunks).max(1)) {
            Ok(tally) => all.merge(&tally),
            Err(error) => panic!("{name}, seed {seed}: {error}"),
        }
    }
    println!("{name}: {all:?}");
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
fn overruns_are_counted_and_clean_periods_are_not() {
    assert!(slice("overruns").count("periods missed") >= 100);
    slice("clean");
    assert!(slice("clocks").count("periods served") > 0);
}

#[test]
fn a_reset_at_any_moment_loses_one_snapshot_at_most() {
    let tally = slice("resets");
    assert!(tally.count("the last") > 0 && tally.count("the one before") > 0);
}

#[test]
fn a_pendulum_keeps_to_its_rod() {
    slice("drift");
}

/// A seed means the same draws every time, and other draws in every campaign.
#[test]
fn a_seed_repeats_its_chunk() {
    for campaign in CAMPAIGNS {
        let (first, again) = (campaign.chunk(7, 300), campaign.chunk(7, 300));
        assert_eq!(first, again, "{}", campaign.name);
    }
}
