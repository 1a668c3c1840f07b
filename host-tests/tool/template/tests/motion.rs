//! The plant on the desk, compared with what can be computed by hand.

use elastic_drive::{Drive, STEP, simulation};
use stiffstep::prelude::Scalar;

/// Under a constant torque motor and load gather speed like one inertia, once the shaft has stopped ringing.
#[test]
fn the_load_gathers_speed() {
    let mut drive = simulation(STEP).expect("a plant with a start");
    let torque = 0.1_f32;
    drive.input = [torque].into();
    for _ in 0..1000 {
        drive.step().expect("a step that converges");
    }
    let Drive {
        inertia, friction, ..
    } = *drive.model();
    let (t, inertia) = (drive.time(), inertia[0] + inertia[1]);
    let expected = torque / friction * (1.0 - Scalar::exp(-t * friction / inertia));
    let speed = drive.state().v[1];
    assert!(
        (speed - expected).abs() < 2e-3 * expected,
        "{speed} rad/s instead of {expected}"
    );
}
