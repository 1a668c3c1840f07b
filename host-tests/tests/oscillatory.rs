//! The experiments of Jay & Petzold's section 5: the stiff pendulum with steps a thousand times the period of its spring over
//! 2 pi. P-stable methods of sufficient order follow the smooth motion and keep a perturbation's energy; others fail.

use stiffstep::prelude::*;
use stiffstep_host_tests::figures::{assert_at_most, assert_error, assert_figure};
use stiffstep_host_tests::pendulum::{STIFF_20, StiffRun, errors};

/// As exact as can be, and as long as it takes.
const PATIENT: Until<f64> = Until {
    tolerance: 1e-14,
    max: 60,
};

/// What stretches the spring in the experiment with a perturbed start, with an energy of 0.5.
const PERTURBATION: f64 = 1e-5;

#[test]
fn a_smooth_start_is_followed_as_published() -> Result<(), Error> {
    for (name, run, published) in [
        (
            "Gauss 3",
            StiffRun::new(Gauss::<3>, 0.0, PATIENT)?,
            [1.1e-10, 8.5e-11, 2.4e-6, 6.6, 11.0],
        ),
        (
            "Gauss 4",
            StiffRun::new(Gauss::<4>, 0.0, PATIENT)?,
            [9.0e-12, 3.0e-12, 3.3e-6, 7.2, 11.0],
        ),
        (
            "Gauss 5",
            StiffRun::new(Gauss::<5>, 0.0, PATIENT)?,
            [7.5e-13, 1.3e-12, 1.2e-9, 7.3, 11.0],
        ),
        (
            "Lobatto IIIA 3",
            StiffRun::new(LobattoIIIA::<3>, 0.0, PATIENT)?,
            [7.1e-4, 6.8e-4, 1.8e-3, 6.3, 9.0],
        ),
        (
            "Lobatto IIIA 4",
            StiffRun::new(LobattoIIIA::<4>, 0.0, PATIENT)?,
            [3.4e-13, 1.1e-12, 1.9e-10, 7.0, 11.0],
        ),
    ] {
        assert_eq!(run.steps, StiffRun::STEPS, "{name}");
        let [q, v, _] = errors(&run.end, &STIFF_20);
        assert_error(&format!("{name}, energy"), run.deviation(), published[0]);
        assert_error(&format!("{name}, q"), q, published[1]);
        assert_error(&format!("{name}, v"), v, published[2]);
        // Fewer than published: ours start from the last step's polynomial and have the Jacobian half a step ahead.
        assert_at_most(&format!("{name}, mean"), run.mean, published[3] + 1.5);
        assert_at_most(&format!("{name}, most"), run.most.into(), published[4]);
    }
    Ok(())
}

/// Asserts that the run went to its end with its energies in a band, as far as its three digits say.
fn assert_band(name: &str, run: &StiffRun, [low, high]: [f64; 2]) {
    let energy = run.energy;
    println!("{name}: {energy:?} in {} iterations", run.mean);
    assert_eq!(run.steps, StiffRun::STEPS, "{name} stopped");
    assert!(
        (energy[0] - low).abs() < 1e-3 && (energy[1] - high).abs() < 1e-3,
        "{name}: energies of {energy:?} are not [{low}, {high}]"
    );
}

/// The energy of a perturbation stays, neither damped nor growing. With R(infinity) = -1 the radial velocity changes its sign
/// with every step, but for the few where it passes through zero; with R(infinity) = 1 in those few only.
#[test]
fn a_perturbed_start_goes_on_swinging_as_published() -> Result<(), Error> {
    let five = StiffRun::new(Gauss::<5>, PERTURBATION, PATIENT)?;
    assert_band("Gauss 5", &five, [0.476, 0.525]);
    assert!(five.alternations > 1900, "{}", five.alternations);
    let four = StiffRun::new(Gauss::<4>, PERTURBATION, PATIENT)?;
    assert_band("Gauss 4", &four, [0.452, 0.553]);
    assert!(four.alternations < 100, "{}", four.alternations);
    // 21 iterations in the mean, published for a matrix that does not know of the spring's force.
    let lobatto = StiffRun::new(LobattoIIIA::<4>, PERTURBATION, PATIENT)?;
    assert_band("Lobatto IIIA 4", &lobatto, [0.214, 0.785]);
    assert!(lobatto.alternations > 1900, "{}", lobatto.alternations);
    assert_at_most("Lobatto IIIA 4, mean", lobatto.mean, 21.0 + 1.5);
    Ok(())
}

/// P-stable as they are, methods of low order do not converge on the rigid pendulum that is the limit of the stiff one, and
/// fail even with its smooth motion.
#[test]
fn methods_of_low_order_fail() -> Result<(), Error> {
    let midpoint = StiffRun::new(Gauss::<1>, 0.0, PATIENT)?;
    assert_figure("midpoint rule, energy", midpoint.deviation(), 4e4);
    // At that energy its iteration diverges sooner or later, a few hundred steps before the end.
    let gauss = StiffRun::new(Gauss::<2>, 0.0, PATIENT)?;
    println!("Gauss 2: {:e}, {} steps", gauss.deviation(), gauss.steps);
    assert_figure("Gauss 2, energy", gauss.deviation(), 7e3);
    assert!(gauss.steps > 1500, "{}", gauss.steps);
    let trapezoidal = StiffRun::new(LobattoIIIA::<2>, 0.0, PATIENT)?;
    assert_eq!(trapezoidal.steps, StiffRun::STEPS);
    let [_, v, _] = errors(&trapezoidal.end, &STIFF_20);
    assert_figure("trapezoidal rule, v", v, 6e-3);
    Ok(())
}
