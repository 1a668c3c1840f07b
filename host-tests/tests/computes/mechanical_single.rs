//! Single precision, as a microcontroller computes: a shaft whose twist is not lost in its turns.

use stiffstep::prelude::*;
use stiffstep_host_tests::Go;
use stiffstep_host_tests::figures::assert_at_most;
use stiffstep_plants::drive::Drive;

/// Runs the servo drive up to 300 rad/s, where it stays, and answers the twist of its shaft after each of 600 seconds, from
/// the torque and from the angles.
fn twists<R: Real>() -> Result<Vec<[f64; 2]>, Error> {
    let rest = Vector::from([R::ZERO; 2]);
    let h = R::from_f64(1e-3);
    let mut drive = Simulation::new(Drive::<R>::servo(), Lean(RadauIIA::<2>), h, (rest, rest))?;
    // Friction takes 3 N m at 300 rad/s; the load besides takes half a newton metre.
    drive.input = [3.5, 0.5].map(R::from_f64).into();
    let mut twists = Vec::new();
    for _ in 0..600 {
        drive.go(1000)?;
        let at = drive.state();
        let angles = at.q.map(R::to_f64);
        twists.push([drive.model().twist(at).to_f64(), angles[0] - angles[1]]);
    }
    let speed = drive.state().v[0].to_f64();
    assert!((speed - 300.0).abs() < 0.1, "{speed} rad/s");
    Ok(twists)
}

#[test]
fn a_fast_shaft_keeps_its_twist() -> Result<(), Error> {
    let mut worst = [0.0_f64; 2];
    for (single, double) in twists::<f32>()?.iter().zip(twists::<f64>()?) {
        // In double precision both agree, at five milliradians.
        assert!((double[0] / double[1] - 1.0).abs() < 1e-6, "{double:?}");
        for k in 0..2 {
            worst[k] = worst[k].max((single[k] / double[k] - 1.0).abs());
        }
    }
    assert_at_most("relative error of the twist, by torque", worst[0], 0.01);
    assert_at_most("relative error of the twist, by angles", worst[1], 0.01);
    Ok(())
}
