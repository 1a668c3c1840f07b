//! Converters and drives beside an independent solution.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_switched_tests;

#[path = "../../switched/src/cases.rs"]
pub mod cases;
#[path = "../../switched/src/compare.rs"]
pub mod compare;
#[path = "../../switched/src/ideal.rs"]
mod ideal;
#[path = "../../switched/src/library.rs"]
pub mod library;
#[path = "../../switched/src/net.rs"]
pub mod net;
#[path = "../../switched/src/reference.rs"]
pub mod reference;
#[path = "../../switched/src/scenario.rs"]
pub mod scenario;
#[path = "../../switched/src/servo.rs"]
pub mod servo;
#[path = "../../switched/src/settling.rs"]
pub mod settling;
#[path = "../../switched/tests/accuracy.rs"]
mod test_accuracy;
#[path = "../../switched/tests/circuits.rs"]
mod test_circuits;
#[path = "../../switched/tests/servo.rs"]
mod test_servo;
#[path = "../../switched/tests/step.rs"]
mod test_step;

use cases::cases;
use compare::compare;

/// What `test_accuracy` asserts of a course ten times as long, which takes a minute without optimisation.
#[test]
fn a_short_course_is_that_of_the_independent_solution() -> Result<(), Box<dyn std::error::Error>> {
    let mut eventful = 0;
    for case in cases() {
        for row in [compare::<f32>(&case, 200)?, compare::<f64>(&case, 200)?] {
            assert!(row.error <= row.limit, "{row:?}");
            eventful += usize::from(row.events > 0);
        }
    }
    // In one of the cases nothing commutates so soon.
    assert!(eventful + 2 >= 2 * cases().len(), "{eventful}");
    Ok(())
}
