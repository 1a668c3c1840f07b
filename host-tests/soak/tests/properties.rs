//! What must hold for any numbers: the kernel's properties, each tried on hundreds of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use stiffstep::manifold::consistent;
use stiffstep::memory::{Digest, Load, Memory, Save};
use stiffstep::method::Collocation;
use stiffstep::number::{Dual, Increment};
use stiffstep::prelude::*;
use stiffstep_plants::arm::Arm;
use stiffstep_plants::dc_motor::DcMotor;
use stiffstep_plants::nonlinear::Galvanometer;
use stiffstep_plants::pendulum::{RigidPendulum, StiffPendulum};
use stiffstep_plants::slider_crank::SliderCrank;

/// A number between -1 and 1 with all its digits.
fn unit() -> impl Strategy<Value = f64> + Clone {
    -1.0..1.0_f64
}

/// Any float at all.
fn any_bits() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits)
}

/// A function that only grows in both arguments, so that its differences are well-conditioned, made of every operation that
/// does so.
fn growing<R: Real, T: Scalar<R>>(x: T, y: T, k: R) -> T {
    let product = x * y + x.square() * k;
    let root = (product + y * y * x + R::ONE).sqrt();
    let quotient = -(T::constant(R::ONE) / (root + R::ONE));
    root + quotient
        + (x + y + R::ONE).ln()
        + (x * k).exp()
        + x.tanh()
        + y.atan2(T::constant(R::ONE))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// A step by decoupled modes is the step of the one large system that textbooks write down.
    #[test]
    fn decoupled_modes_are_the_coupled_system(
        a in prop::array::uniform3(prop::array::uniform3(unit())),
        x in prop::array::uniform3(unit()),
        stiff in 1.0..1e3_f64,
    ) {
        let h = 0.1;
        // Stable: what is not on the diagonal is less than what is.
        let matrix = DMatrix::from_fn(3, 3, |i, j| if i == j { -stiff - 3.0 } else { a[i][j] });
        let coefficients = <RadauIIA<3> as Collocation<3>>::coefficients::<f64>();
        let coupled = DMatrix::from_fn(9, 9, |i, j| {
            let one = if i == j { 1.0 } else { 0.0 };
            one - h * coefficients.a[i / 3][j / 3] * matrix[(i % 3, j % 3)]
        });
        let start = DVector::from_row_slice(&x);
        let right = DVector::from_fn(9, |i, _| (&matrix * &start)[i % 3]);
        let slopes = coupled.lu().solve(&right).expect("regular");
        let circuit = Circuit::<f64, 3, 0> {
            e: Matrix::identity(),
            a: Matrix::from_fn(|i, j| matrix[(i, j)]),
            b: Matrix::zeros(),
            nominal: [1.0; 3].into(),
        };
        let mut plant = Simulation::new(circuit, RadauIIA::<3>, h, x.into()).unwrap();
        plant.step().unwrap();
        for n in 0..3 {
            let sum: f64 = (0..3).map(|i| coefficients.b[i] * slopes[3 * i + n]).sum();
            prop_assert!((plant.state()[n] - (x[n] + h * sum)).abs() < 1e-11 * stiff);
        }
    }

    /// Increments of single precision are the differences that double precision sees, and slopes are their limits.
    #[test]
    fn increments_and_slopes_are_differences(
        x in 0.1..2.0_f32, y in 0.1..2.0_f32, k in 0.1..0.5_f32,
        (p, r) in (1e-6..1e-2_f32, 0.0..1e-4_f32),
    ) {
        let at = |x: f64, y: f64| growing::<f64, f64>(x, y, k.into());
        let moved = growing::<f32, Increment<f32>>(
            Increment { x, p, r },
            Increment { x: y, p, r },
            k,
        );
        let by = f64::from(p) + f64::from(r);
        let exact = at(f64::from(x) + by, f64::from(y) + by) - at(x.into(), y.into());
        prop_assert!((f64::from(moved.d()) / exact - 1.0).abs() < 3e-6, "{moved:?}, {exact}");
        let dual = growing::<f64, Dual<f64, 2>>(
            Dual::variable(x.into(), 0),
            Dual::variable(y.into(), 1),
            k.into(),
        );
        let d = 1e-5;
        let (x, y) = (f64::from(x), f64::from(y));
        let slope = (at(x + d, y) - at(x - d, y)) / (2.0 * d);
        prop_assert!((dual.slope()[0] / slope - 1.0).abs() < 1e-7);
        let slope = (at(x, y + d) - at(x, y - d)) / (2.0 * d);
        prop_assert!((dual.slope()[1] / slope - 1.0).abs() < 1e-7);
        // The linear part is the slope, exactly linear.
        let linear = f64::from(p) * (dual.slope()[0] + dual.slope()[1]);
        prop_assert!((f64::from(moved.p) / linear - 1.0).abs() < 3e-6);
    }

    /// Whoever is on the manifold stays where he is.
    #[test]
    fn projections_are_idempotent(angle in 0.0..6.3_f64, off in -0.3..0.3_f64, v in prop::array::uniform2(unit())) {
        let q = [(1.0 + off) * angle.cos(), (1.0 + off) * angle.sin()];
        let none = Vector::from([0.0; 0]);
        let once = consistent(&RigidPendulum, 0.0, &q.into(), &v.into(), &none).unwrap();
        let twice = consistent(&RigidPendulum, 0.0, &once.q, &once.v, &none).unwrap();
        prop_assert!((once.q.norm() - 1.0).abs() < 1e-15 && once.q.dot(&once.v).abs() < 1e-15);
        prop_assert!((once.q - twice.q).amax() < 1e-15);
        prop_assert!((once.v - twice.v).amax() < 1e-15);
        prop_assert!((once.lambda - twice.lambda).amax() < 1e-14);
    }

    /// No budget is exceeded, whatever the data, and the clock is not asked more often than there are iterations.
    #[test]
    fn budgets_are_kept(
        most in 0..6_u8, patience in 0..6_u32, tolerance in any_bits(),
        x in prop::array::uniform3(-10.0..10.0_f32), u in -100.0..100.0_f32,
    ) {
        let meter = Galvanometer::nominal_design();
        let mut plant = Simulation::new(meter, RadauIIA::<3>, 0.05, x.into()).unwrap();
        plant.input = [u].into();
        let mut asked = 0;
        let expired = || { asked += 1; asked > patience };
        let ended = plant.step_within(&mut Deadline { max: most, expired });
        prop_assert!(asked <= u32::from(most));
        if let Ok(report) = ended {
            prop_assert!(report.iterations <= most && u32::from(report.iterations) <= patience);
        }
        let ended = plant.step_within(&mut Until { tolerance, max: most });
        prop_assert!(ended.is_err() || ended.unwrap().iterations <= most);
        let ended = plant.step_within(&mut Fixed(most));
        prop_assert!(ended.is_err() || ended.unwrap().iterations == most);
        // Something else may be wrong before the budget is.
        prop_assert!(most > 0 || ended.is_err());
        prop_assert!(most == 0 || ended.err() != Some(Error::Budget));
    }

    /// After an error every bit of the memory that a snapshot has, but for the inputs, is what it was, and a step from there is
    /// the one that would have been.
    #[test]
    fn an_error_leaves_the_bits(
        u in prop::array::uniform2(any_bits()), speed in -1e6..1e6_f32, warm in 0..5_usize,
    ) {
        let start = || ([1.0, 0.28, 0.17].into(), [0.0; 3].into());
        let crank = || Simulation::new(SliderCrank::COMPRESSOR, Lean(RadauIIA::<3>), 1e-3, start()).unwrap();
        let (mut plant, mut twin) = (crank(), crank());
        for _ in 0..warm {
            plant.step().unwrap();
            twin.step().unwrap();
        }
        plant.input = u.into();
        let before = *plant.state();
        if plant.step().is_err() {
            prop_assert_eq!(before, *plant.state());
            plant.input = [0.0; 2].into();
            prop_assert_eq!(Digest::of(&mut plant), Digest::of(&mut twin));
            prop_assert_eq!(plant.step(), twin.step());
            prop_assert_eq!(Digest::of(&mut plant), Digest::of(&mut twin));
        } else {
            prop_assert!(plant.state().q.iter().chain(&plant.state().v).all(|x| x.is_finite()));
        }
        // A start that is far off.
        let (q, _) = start();
        let _ = Simulation::new(SliderCrank::COMPRESSOR, Lean(RadauIIA::<3>), 1e-3, (q, [speed; 3].into()));
    }

    /// Between two steps there is no jump: the end of one is the start of the next, and what lies between moves on little by
    /// little.
    #[test]
    fn dense_output_is_continuous(angle in 0.1..3.0_f64, part in 0.0..1.0_f64) {
        let h = 0.01;
        let start = ([angle.cos(), -angle.sin()].into(), [0.0; 2].into());
        let mut plant = Simulation::new(StiffPendulum::new(1e-3), Lean(RadauIIA::<3>), h, start)
            .unwrap()
            .with_budget(Until { tolerance: 1e-13, max: 10 });
        for _ in 0..3 {
            let before = *plant.state();
            plant.step().unwrap();
            prop_assert_eq!(plant.before(0.0).q, plant.state().q);
            let again = plant.before(h);
            prop_assert!((again.q - before.q).amax() < 1e-12);
            prop_assert!((again.v - before.v).amax() < 1e-9);
            let (now, then) = (plant.before(part * h), plant.before(part * h + 1e-9));
            prop_assert!((now.q - then.q).amax() < 1e-8 && (now.v - then.v).amax() < 1e-8);
        }
    }

    /// A memory that was saved and loaded goes on with the same bits.
    #[test]
    fn snapshots_are_exact(
        inputs in prop::collection::vec(prop::array::uniform2(-2.0..2.0_f32), 1..20), away in 1..20_usize,
    ) {
        fn exact<P>(mut plant: Simulation<P>, inputs: &[[f32; 2]], away: usize) -> Result<(), TestCaseError>
        where
            P: Stepper<Real = f32, Input = Vector<f32, 2>> + Memory,
        {
            for u in inputs {
                plant.input = (*u).into();
                plant.step().unwrap();
            }
            let mut words = vec![0; Digest::of(&mut plant).count];
            plant.visit(&mut Save::new(&mut words));
            let on = |plant: &mut Simulation<P>| -> Vec<Digest> {
                (0..away).map(|_| { plant.step().unwrap(); Digest::of(plant) }).collect()
            };
            let first = on(&mut plant);
            let mut load = Load::new(&words);
            plant.visit(&mut load);
            prop_assert!(load.complete());
            prop_assert_eq!(&first, &on(&mut plant));
            Ok(())
        }
        let rest = ([0.0; 4].into(), [0.0; 4].into());
        exact(Simulation::new(DcMotor::SERVO, RadauIIA::<2>, 1e-3, [0.0; 4].into()).unwrap(), &inputs, away)?;
        exact(Simulation::new(Arm::<f32>::new(1e5), Lean(RadauIIA::<3>), 1e-3, rest).unwrap(), &inputs, away)?;
    }
}
