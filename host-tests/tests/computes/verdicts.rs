//! What a step says of itself is true: small plants on which a step once claimed more, or less, than that.

use super::plants::{Line, Point};
use super::verdicts_rounding::Sprung;
use stiffstep::prelude::*;
use stiffstep::step::{Convergence, Outcome};
use stiffstep_host_tests::{Go, until};
use stiffstep_plants::arm::Arm;
use stiffstep_plants::slider_crank::SliderCrank;

/// So many iterations, and single precision's acceptance tolerance whatever the number type: rounding then plays no part.
struct Coarse(u8);

impl Budget<f64> for Coarse {
    fn another(&mut self, so_far: &Convergence<f64>) -> bool {
        so_far.iterations() < self.0
    }
    fn tolerance(&self) -> f64 {
        2e-5
    }
}

/// A joint that an input pulls, and beside it a body on a soft spring with friction.
#[derive(Clone, Copy)]
struct Rubbing {
    friction: f64,
    slow: f64,
}

mechanical! {
    impl [] Mechanical<f64, 2, 1, 1> for Rubbing;
    joints(self) -> Elastic<f64, 1> { Elastic { stiffness: [1e4] } }
    force(self, _t, q, v, u) {
        let s = v[1] * (1.0 / self.slow);
        let friction = s / (s * s + 1.0).sqrt() * self.friction;
        [T::constant(u[0]), q[1] * -10.0 - friction]
    }
    constraint(self, _t, q) { [q[0]] }
}

/// A jump in one variable hides how slowly another one contracts, if one ratio stands for both: 1.1e-5 was claimed, 1e-2 was true.
#[test]
fn a_jump_elsewhere_hides_nothing() -> Result<(), Error> {
    for h in [1e-3, 1e-2] {
        for (friction, slow) in [(1.0, 0.3), (3.0, 0.1), (3.0, 0.01), (10.0, 0.03)] {
            for jump in [0.0, 10.0, 1000.0] {
                for n in [2, 3] {
                    let model = Rubbing { friction, slow };
                    let start = ([0.0, 1.0].into(), [0.0; 2].into());
                    let mut plant =
                        Simulation::new(model, RadauIIA::<3>, h, start)?.with_budget(Coarse(n));
                    let mut worst: f64 = 0.0;
                    for k in 0..400 {
                        let at = *plant.state();
                        let input = [if k % 2 == 0 { jump } else { -jump }].into();
                        let mut judge = Simulation::new(model, RadauIIA::<3>, h, (at.q, at.v))?
                            .with_budget(until(1e-13, 100));
                        (plant.input, judge.input) = (input, input);
                        let Ok(report) = plant.step() else { break };
                        let judged = judge.step().map(|report| report.outcome);
                        if judged != Ok(Outcome::Converged) {
                            continue;
                        }
                        let off = (plant.state().v - judge.state().v).amax();
                        if report.outcome == Outcome::Converged {
                            worst = worst.max(off / report.defect().max(2e-5));
                        }
                    }
                    let case = format!("h {h} friction {friction}/{slow} jump {jump} n {n}");
                    assert!(worst <= 3.0, "{case}: {worst:.1}");
                }
            }
        }
    }
    Ok(())
}

/// A joint that an input pulls, and beside it a body with a damper, which a lean matrix does not know.
fn damped(damping: f64) -> Line<f64, Elastic<f64, 1>, 2, 1, 1> {
    Line {
        input: [[1.0], [1e-3]],
        damper: [[0.0, 0.0], [0.0, damping]],
        constraint: [[1.0, 0.0]],
        ..Line::of(Elastic { stiffness: [1e3] })
    }
}

/// The same with a lean matrix: at `h c/m = 1` 3.2e-11 was claimed, and 1.1e-5 was true.
#[test]
fn a_jump_elsewhere_hides_no_damper_from_a_lean_step() -> Result<(), Error> {
    let h = 1e-3;
    for z in [0.1, 0.3, 0.7, 1.0] {
        for n in [2, 3, 4] {
            let (model, start) = (damped(z / h), || ([0.0; 2].into(), [0.0; 2].into()));
            let mut plant =
                Simulation::new(model, Lean(RadauIIA::<3>), h, start())?.with_budget(Fixed(n));
            let mut chance = 7;
            for step in 0..400 {
                let at = *plant.state();
                let mut judge = Simulation::new(model, RadauIIA::<3>, h, (at.q, at.v))?
                    .with_budget(until(1e-14, 60));
                plant.input = [1e3 * signed(&mut chance)].into();
                judge.input = plant.input;
                let report = plant.step()?;
                judge.step()?;
                let off = (plant.state().v - judge.state().v).amax();
                if report.outcome == Outcome::Converged {
                    let claim = report.defect().max(4e-11);
                    let case = format!("h c/m {z}, {n} iterations, step {step}");
                    assert!(off <= 3.0 * claim, "{case}: {off:e} of {claim:e}");
                }
            }
        }
    }
    Ok(())
}

/// A mass with a damper that is a force.
fn damper(damping: f64) -> Line<f64, Rigid, 1, 0, 0> {
    Line {
        damper: [[damping]],
        ..Line::of(Rigid)
    }
}

/// A prediction from stages that are not good yet feeds a fixed number of iterations: 1e-8 grew to 5.9e-4 and stayed there.
#[test]
fn a_damper_gains_no_speed() -> Result<(), Error> {
    for n in 1..=4 {
        for z in [0.1, 0.3, 0.5, 0.7, 1.0, 1.2, 1.5, 1.8, 2.0] {
            for speed in [1e-8, 1e-3] {
                let model = damper(z * 100.0);
                let start = ([0.0].into(), [speed].into());
                let mut plant =
                    Simulation::new(model, Lean(RadauIIA::<3>), 1e-2, start)?.with_budget(Fixed(n));
                for k in 0..2000 {
                    plant.step()?;
                    let v = plant.state().v[0].abs();
                    let slower = v <= speed * 1.000_001;
                    assert!(slower, "h c/m {z}, {n} iterations: {v:e} after {k} steps");
                }
            }
        }
    }
    Ok(())
}

/// Beyond what mass and constraints alone can do the answer is an error, not Unconverged for ever.
#[test]
fn a_damper_beyond_lean_is_an_error() -> Result<(), Error> {
    for n in 2..=4 {
        let model = damper(1000.0);
        let start = ([0.0].into(), [1e-3].into());
        let mut plant =
            Simulation::new(model, Lean(RadauIIA::<3>), 1e-2, start)?.with_budget(Fixed(n));
        let ended = (0..100).try_for_each(|_| plant.step().map(|_| ()));
        assert_eq!(ended, Err(Error::Diverged), "{n} iterations");
    }
    Ok(())
}

/// A rod that spins on a rigid pivot, in Cartesian coordinates.
fn spinning<R: Real>(speed: R) -> Point<R, Rigid> {
    Point {
        weight: R::ZERO,
        nominal: [R::ONE, speed],
        ..Point::on(Rigid)
    }
}

/// At 31 steps a turn two iterations are not enough: 4,996 of 5,000 steps said Converged, and the rod was off by 1.27 times its
/// length from where the same steps, iterated to the end, take it. Five iterations are, and say so.
#[test]
fn a_spinning_rod_is_where_it_says() -> Result<(), Error> {
    let (converged, off) = spin(2)?;
    assert!(converged < 50, "{converged} converged, off by {off}");
    let (converged, off) = spin(5)?;
    assert!(converged > 4900, "{converged} converged, off by {off}");
    assert!(off < 0.05, "{converged} converged, off by {off}");
    Ok(())
}

/// How many of 5,000 steps of so many iterations say Converged, and how far the rod then is from where it should be.
fn spin(iterations: u8) -> Result<(u32, f64), Error> {
    let (h, speed) = (1e-3_f32, 200.0_f32);
    let start = ([1.0, 0.0].into(), [0.0, speed].into());
    let mut rod =
        Simulation::new(spinning(speed), RadauIIA::<3>, h, start)?.with_budget(Fixed(iterations));
    let (h, speed) = (f64::from(h), f64::from(speed));
    let start = ([1.0, 0.0].into(), [0.0, speed].into());
    let mut judge =
        Simulation::new(spinning(speed), RadauIIA::<3>, h, start)?.with_budget(until(1e-13, 60));
    let mut converged = 0;
    for _ in 0..5000 {
        converged += u32::from(rod.step()?.outcome == Outcome::Converged);
        judge.step()?;
    }
    let off = rod.state().q.map(f64::from) - judge.state().q;
    Ok((converged, off.norm()))
}

/// The shipped slider-crank at the largest torque of its range and at both of its rates, beside a tenth of the step. Without the friction
/// that it has now, and at the 3 N m that its range was, it was off by 88 of 595 N at 1 ms, which 4,120 of 5,000 steps called Converged, and by
/// 321 N at 2 ms.
#[test]
fn a_slider_crank_s_pin_force_is_right() -> Result<(), Error> {
    for h in [1e-3_f32, 2e-3] {
        let start = || ([1.0, 0.28, 0.17].into(), [0.0; 3].into());
        let (model, method) = (SliderCrank::COMPRESSOR, Lean(RadauIIA::<3>));
        let mut crank = Simulation::new(model, method, h, start())?;
        let mut judge =
            Simulation::new(model, method, h / 10.0, start())?.with_budget(until(1e-7, 20));
        (crank.input, judge.input) = ([2.5, 0.0].into(), [2.5, 0.0].into());
        let force = |at: &Motion<f32, 3, 2>| at.lambda.norm();
        let (mut off, mut most) = (0.0_f32, 0.0_f32);
        for _ in 0..(5.0 / h).round() as u32 {
            crank.step()?;
            judge.go(10)?;
            off = off.max((force(crank.state()) - force(judge.state())).abs());
            most = most.max(force(judge.state()));
        }
        println!("{h} s: {off} of {most} N");
        assert!(off < 0.01 * most, "{h} s: {off} of {most} N");
    }
    Ok(())
}

/// A heavy mass that hangs on two rods, with a light one between them.
#[derive(Clone, Copy)]
struct Taut;

mechanical! {
    impl [] Mechanical<f64, 4, 2, 0> for Taut;
    joints(self) -> Rigid { Rigid }
    mass(self, _q) -> Diagonal<T, 4> { Diagonal([1e-3, 1e-3, 10.0, 10.0].map(T::constant).into()) }
    force(self, _t, _q, v, _u) {
        [v[0] * -0.1, v[1] * -0.1, v[2] * 0.0, T::constant(-98.1)]
    }
    constraint(self, _t, q) {
        let (x, y) = (q[2] - q[0], q[3] - q[1]);
        [(q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0, (x * x + y * y).sqrt() - 1.0]
    }
}

/// Geometric stiffness belongs to the full Newton matrix: a light mass on a taut rod moves with 70 Hz across it, which a step of
/// 10 ms does not resolve, and without that stiffness the iteration diverges.
#[test]
fn a_light_mass_on_a_taut_rod_converges() -> Result<(), Error> {
    let (x, y) = (0.1_f64.sin(), -0.1_f64.cos());
    let start = ([x, y, 2.0 * x, 2.0 * y].into(), [0.0; 4].into());
    let mut taut =
        Simulation::new(Taut, Projected(RadauIIA::<3>), 1e-2, start)?.with_budget(until(1e-9, 60));
    for _ in 0..200 {
        let report = taut.step()?;
        assert_eq!(report.outcome, Outcome::Converged, "{report:?}");
    }
    Ok(())
}

/// One iteration tells nothing of its contraction: the shipped arm refused 4,963 of 5,000 steps that were right to 4e-6.
#[test]
fn one_iteration_is_not_refused() -> Result<(), Error> {
    let down = -core::f32::consts::FRAC_PI_2;
    let at = [down, 0.0, down, 0.0];
    let start = (at.into(), [0.0; 4].into());
    let mut arm = Simulation::new(Arm::<f32>::new(1e5), Lean(RadauIIA::<3>), 1e-3, start)?
        .with_budget(Fixed(1));
    let mut chance = 88_172_645_463_325_252_u64;
    let mut torque = |range: f32| range * signed(&mut chance) as f32;
    for _ in 0..200 {
        arm.input = [torque(20.0), torque(10.0)].into();
        let report = arm.step()?;
        assert_eq!(report.iterations, 1);
        assert!(report.defect() >= report.increment());
    }
    Ok(())
}

/// A clock that leaves time for one iteration is no other: a linear plant, which that one solves, was refused after a jump.
#[test]
fn one_iteration_within_a_deadline_is_not_refused() -> Result<(), Error> {
    let (model, h) = (Sprung::<f64>::new(1e4, [1.0, 0.3], 2.0), 1e-3);
    let start = || ([0.0; 2].into(), [0.0; 2].into());
    let mut plant = Simulation::new(model, RadauIIA::<3>, h, start())?.with_budget(Deadline {
        max: 1,
        expired: || false,
    });
    let mut judge = Simulation::new(model, RadauIIA::<3>, h, start())?.with_budget(Fixed(5));
    let mut chance = 5;
    for _ in 0..1_000 {
        plant.input = [1e3 * signed(&mut chance)].into();
        judge.input = plant.input;
        let report = plant.step()?;
        judge.step()?;
        assert_eq!(report.iterations, 1);
        let off = (plant.state().v - judge.state().v).amax();
        assert!(off < 1e-9, "{off:e}");
    }
    Ok(())
}

/// A motor and its load on a shaft that is hardly damped.
#[derive(Clone, Copy)]
struct Shaft<R>(R);

mechanical! {
    impl [R: Real] Mechanical<R, 2, 1, 2> for Shaft<R>;
    joints(self) -> Damped<R, 1> {
        Damped { stiffness: [self.0], damping: [R::from_f64(0.02)] }
    }
    mass(self, _q) -> Diagonal<T, 2> {
        Diagonal([1.2e-3, 4e-3].map(|m| T::constant(R::from_f64(m))).into())
    }
    force(self, _t, _q, v, u) {
        let fan = v[1] * v[1].abs() * R::from_f64(2.5e-5);
        [v[0] * R::from_f64(-1e-3) + u[0], -fan - u[1]]
    }
    constraint(self, _t, q) { [q[0] - q[1]] }
    fn turn(&self) -> [R; 2] {
        [R::from_f64(core::f64::consts::TAU); 2]
    }
    fn nominal(&self) -> Nominal<R, 2> {
        Nominal { q: [R::ONE; 2], v: [R::from_f64(300.0); 2] }
    }
}

/// The torque of the shaft over 4,000 steps of 50 us, with torques of motor and load that jump every 2 ms.
fn torque_of_shaft<R: Real>(frequency: f64, iterations: u8) -> Result<Vec<f64>, Error> {
    let speed = core::f64::consts::TAU * frequency;
    let stiffness = speed * speed / (1.0 / 1.2e-3 + 1.0 / 4e-3);
    let zero = Vector::from([R::ZERO; 2]);
    let model = Shaft(R::from_f64(stiffness));
    let mut shaft = Simulation::new(model, Lean(Gauss::<4>), R::from_f64(5e-5), (zero, zero))?
        .with_budget(Fixed(iterations));
    let mut chance = 1_u64;
    let mut torque = || R::from_f64(7.0 * signed(&mut chance));
    let mut torques = Vec::new();
    for step in 0..4_000 {
        if step % 40 == 0 {
            shaft.input = [torque(), torque()].into();
        }
        shaft.step()?;
        torques.push(shaft.state().lambda[0].to_f64());
    }
    Ok(torques)
}

/// A method that damps nothing keeps what rounding does to a strain. In single precision a shaft of 12 kHz was off by nine times
/// the torque that it transmits, whatever the number of iterations; what is left is 1 % of it there and 2e-4 at 1.2 kHz.
#[test]
fn a_stiff_shaft_without_damping_is_right_in_single_precision() -> Result<(), Error> {
    for (frequency, allowed) in [(1_200.0, 5e-4), (12_000.0, 2e-2)] {
        for iterations in [1, 2, 4] {
            let single = torque_of_shaft::<f32>(frequency, iterations)?;
            let double = torque_of_shaft::<f64>(frequency, iterations)?;
            let apart = single.iter().zip(&double).map(|(a, b)| (a - b).abs());
            let off = apart.fold(0.0, f64::max);
            assert!(off < allowed * 7.0, "{frequency} Hz: {off:e} N m");
        }
    }
    Ok(())
}

/// After a jump one iteration of a stiff method lacks digits, 2e-3 where two would give 2e-5: it says so.
#[test]
fn what_one_iteration_lacks_after_a_jump_is_claimed() -> Result<(), Error> {
    let zero = Vector::from([0.0; 2]);
    let mut chance = 1;
    for frequency in [120.0, 1_200.0, 12_000.0] {
        let speed = core::f64::consts::TAU * frequency;
        let model = Shaft(speed * speed / (1.0 / 1.2e-3 + 1.0 / 4e-3));
        let mut shaft =
            Simulation::new(model, Lean(RadauIIA::<3>), 5e-5, (zero, zero))?.with_budget(Fixed(1));
        let mut lacked: f64 = 0.0;
        for step in 0..4_000 {
            if step % 40 == 0 {
                shaft.input = [7.0 * signed(&mut chance), 7.0 * signed(&mut chance)].into();
            }
            let at = *shaft.state();
            let mut judge = Simulation::new(model, RadauIIA::<3>, 5e-5, (at.q, at.v))?
                .with_budget(until(1e-14, 60));
            judge.input = shaft.input;
            let report = shaft.step()?;
            judge.step()?;
            let off = (shaft.state().v - judge.state().v).amax() / 300.0;
            lacked = lacked.max(off);
            let case = format!("{frequency} Hz, step {step}");
            let claimed = 3.0 * report.defect() + 1e-11;
            assert!(claimed >= off, "{case}: {off:e}, {report:?}");
        }
        println!("{frequency} Hz: at most {lacked:.1e} of nominal");
    }
    Ok(())
}

/// A synchronous machine by its currents, of the rotor and across it, and its speed.
#[derive(Clone, Copy)]
struct Machine;

impl FirstOrder<f64, 3, 3> for Machine {
    type Mass = Diagonal<f64, 3>;

    fn mass(&self) -> Diagonal<f64, 3> {
        Diagonal([2e-4, 3e-4, 1.2e-3].into())
    }
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 3>, u: &Vector<f64, 3>) -> Vector<T, 3> {
        let speed = x[2] * 4.0;
        [
            x[0] * -0.1 + speed * x[1] * 3e-4 + u[0],
            x[1] * -0.1 - speed * x[0] * 2e-4 - speed * 0.05 + u[1],
            x[1] * 0.3 - x[0] * x[1] * 6e-4 + u[2],
        ]
        .into()
    }
    fn nominal(&self) -> Vector<f64, 3> {
        [20.0, 20.0, 300.0].into()
    }
}

/// The machine at 50 us with voltages that jump in every step: one iteration was refused in 1,443 of 4,000 steps, which then were
/// missing. It is taken, and what it lacks is claimed.
#[test]
fn a_machine_s_jumps_are_taken_with_one_iteration() -> Result<(), Error> {
    let start = || [0.0, 0.0, 100.0].into();
    let h = 5e-5;
    let mut machine = Simulation::new(Machine, RadauIIA::<3>, h, start())?.with_budget(Fixed(1));
    let (mut chance, mut lacked) = (1, 0.0_f64);
    for step in 0..4_000 {
        let volts = [(); 2].map(|()| 60.0 * signed(&mut chance));
        machine.input = [volts[0], 40.0 + volts[1], -3.0 + 3.0 * signed(&mut chance)].into();
        let mut judge = Simulation::new(Machine, RadauIIA::<3>, h, *machine.state())?
            .with_budget(until(1e-14, 60));
        judge.input = machine.input;
        let report = machine.step()?;
        judge.step()?;
        let off = (machine.state() - judge.state())
            .component_div(&Machine.nominal())
            .amax();
        lacked = lacked.max(off);
        let claimed = 3.0 * report.defect() + 1e-11;
        assert!(claimed >= off, "step {step}: {off:e}, {report:?}");
    }
    println!("at most {lacked:.1e} of nominal");
    assert!(lacked < 1e-2, "{lacked:e}");
    Ok(())
}

/// A number from -1 to 1.
pub fn signed(chance: &mut u64) -> f64 {
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    (*chance >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A lean matrix knows nothing of friction along the rod, and with `h c/m` near one the rod's force contracts by little. The point
/// itself, which was off for another reason, seems to contract by a thousand after two iterations, and then follows the force: it was off
/// by up to 17 times the claim.
#[test]
fn a_force_that_contracts_slowly_is_not_hidden() -> Result<(), Error> {
    for friction in [1.0, 2.0, 2.3] {
        for h in [2e-4, 4e-4, 8.07e-4] {
            let (mass, speed) = (1.92e-3, 2.4);
            // A light point on a stiff rod.
            let model = Point {
                mass,
                weight: 9.81 * mass,
                friction: [friction, 0.037],
                nominal: [1.0, speed],
                ..Point::on(Damped {
                    stiffness: [1.02e7],
                    damping: [936.0],
                })
            };
            let (mut converged, mut worst) = (0, 0.0_f64);
            for start in 0..600 {
                let (sin, cos) = (0.002 * f64::from(start) - 0.6).sin_cos();
                let start = ([cos, sin].into(), [-sin * speed, cos * speed].into());
                let mut plant = Simulation::new(model, Lean(RadauIIA::<3>), h, start)?;
                for _ in 0..6 {
                    let at = *plant.state();
                    let mut judge = Simulation::new(model, RadauIIA::<3>, h, (at.q, at.v))?
                        .with_budget(until(1e-14, 60));
                    let report = plant.step()?;
                    judge.step()?;
                    if report.outcome == Outcome::Converged {
                        let off = (plant.state().v - judge.state().v).amax() / speed;
                        converged += 1;
                        worst = worst.max(off / report.defect().max(4e-11));
                    }
                }
            }
            let case = format!("friction {friction}, h {h:e}");
            println!("{case}: {converged} converged, at most {worst:.1} times");
            assert!(worst < 3.0, "{case}: {worst}");
        }
    }
    Ok(())
}
