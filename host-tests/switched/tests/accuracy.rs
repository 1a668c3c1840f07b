//! Every converter beside the independent solution, and modes from random states. The whole campaigns are
//! `cargo run -p stiffstep-switched-tests -- --trials 1000000`; these are their beginnings.
#![allow(clippy::unwrap_used)]

use stiffstep_switched_tests::cases::{Case, cases};
use stiffstep_switched_tests::compare::compare;
use stiffstep_switched_tests::scenario::Gates;
use stiffstep_switched_tests::settling::settling;

/// Steps of the ordinary tests: the last of them have all gates off.
const STEPS: usize = 2000;
/// Searched modes of the ordinary tests.
const TRIALS: u64 = 20_000;

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap()
}

#[test]
fn states_are_those_of_the_independent_solution() {
    for case in cases() {
        let row = compare::<f32>(&case, STEPS).unwrap();
        assert!(row.error <= row.limit, "{row:?}");
        // A course without commutations would show nothing.
        assert!(row.events > 0, "{row:?}");
        if case.gates != Gates::None {
            assert!(row.sampled >= 100.0 * row.error, "{row:?}");
        }
    }
}

/// In double precision only the method's own error is left.
#[test]
fn double_precision_shows_the_method() {
    for case in cases() {
        let row = compare::<f64>(&case, STEPS).unwrap();
        assert!(row.error <= row.limit, "{row:?}");
    }
}

#[test]
fn currents_are_exactly_zero_in_discontinuous_conduction() {
    let row = compare::<f32>(&case("buck DCM"), STEPS).unwrap();
    assert!(row.zeros > STEPS / 20, "{row:?}");
}

#[test]
fn every_random_state_has_a_mode() {
    for case in cases() {
        let found = settling(&case, TRIALS, 1).unwrap();
        assert_eq!(
            (found.failed, found.wrong, found.any_wrong),
            (0, 0, 0),
            "{}: {found:?}",
            case.name
        );
        assert!(found.most() <= 8, "{}: {found:?}", case.name);
        assert!(found.consistent > TRIALS / 2, "{}: {found:?}", case.name);
    }
}

/// The guide shows what the code computes.
#[test]
fn the_guides_pictures_are_these() {
    use stiffstep_switched_tests::picture;
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, text) in picture::FILES.iter().zip(picture::files().unwrap()) {
        let kept = std::fs::read_to_string(top.join(file)).unwrap();
        assert!(
            kept == text,
            "{file}: run `cargo xtask switched --pictures`"
        );
    }
}
