//! Two Picos wired pin to pin: a speed controller that knows nothing of stiffstep, and the motor that it controls.

use stiffstep_host_tests::hil::emulated::build_pair;
use stiffstep_host_tests::hil::pair::{Outcome, run};

fn close_the_loop(seconds: f64) -> Outcome {
    let outcome = run(&build_pair().unwrap(), seconds, |_| {}).unwrap();
    println!("{}\n{}", outcome.table(), outcome.verifier.summary());
    let remarks = &outcome.verifier.remarks;
    assert_eq!(outcome.failures(), [""; 0], "{remarks:?}");
    outcome
}

/// Every sample is the desk's for the captured means, a mean is that of the edges to two cycles, inputs are sampled and outputs change in the
/// same cycle of every period.
#[test]
fn two_picos_close_their_loop() {
    let outcome = close_the_loop(0.1);
    assert!(outcome.means >= 95, "{}", outcome.means);
}

/// All of the controller's profile: nearly 500,000 counts in a second, backwards, and standing.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn two_picos_lose_no_count_in_two_seconds() {
    let outcome = close_the_loop(2.0);
    assert!(outcome.means >= 1_990, "{}", outcome.means);
    assert!(outcome.fastest > 470_000.0, "{}", outcome.fastest);
}
