//! Affine models whose coefficients are far apart: right in single precision, and a defect that is measured.

use stiffstep::prelude::*;

/// A conductance that feeds a load of one, multiplied out as a matrix by its author.
#[derive(Clone, Copy)]
struct Net<R>(R);

impl<R: Real> FirstOrder<R, 2, 1> for Net<R> {
    type Mass = Diagonal<R, 2>;
    const AFFINE: bool = true;
    fn mass(&self) -> Self::Mass {
        Diagonal([R::ONE, R::from_f64(1.0 / 1024.0)].into())
    }
    fn rhs<T: Scalar<R>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<R, 1>) -> Vector<T, 2> {
        let g = self.0;
        [x[0] * -g + x[1] * g + u[0], x[0] * g - x[1] * (g + R::ONE)].into()
    }
}

/// The same as matrices, with a capacitance that is not a power of two.
fn circuit<R: Real>(g: f64) -> Circuit<R, 2, 1> {
    let (z, g1) = (R::ZERO, R::from_f64(g + 1.0));
    let g = R::from_f64(g);
    Circuit {
        e: [[R::ONE, z], [z, R::from_f64(f64::from(1e-3_f32))]].into(),
        a: [[-g, g], [g, -g1]].into(),
        b: [R::ONE, z].into(),
        nominal: [R::ONE; 2].into(),
    }
}

/// A resistor's law with the unknowns in units that are far apart, x = (v_C, i, v_R): `C v_C' = i`, `0 = u - v_C - v_R`,
/// `0 = R i - v_R`. The difference of a current and a voltage means nothing.
fn mixed<R: Real>(r: f64) -> Circuit<R, 3, 1> {
    let (z, one, c) = (R::ZERO, R::ONE, R::from_f64(1e-6));
    Circuit {
        e: [[c, z, z], [z; 3], [z; 3]].into(),
        // By columns.
        a: [[z, -one, z], [one, z, R::from_f64(r)], [z, -one, -one]].into(),
        b: [z, one, z].into(),
        nominal: [one, R::from_f64(1.0 / r), one].into(),
    }
}

/// The largest distance of steps in single precision from the same ones in double, in units of the nominal magnitudes, and the
/// largest defect.
fn apart<A, B, const N: usize>(single: A, double: B, steps: u32) -> Result<(f64, f64), Error>
where
    A: FirstOrder<f32, N, 1>,
    B: FirstOrder<f64, N, 1>,
{
    let h = 1e-3_f32;
    let nominal = double.nominal();
    let mut single = Simulation::new(single, RadauIIA::<3>, h, [0.0; N].into())?;
    let mut double = Simulation::new(double, RadauIIA::<3>, h.into(), [0.0; N].into())?;
    (single.input, double.input) = ([1.0].into(), [1.0].into());
    let (mut most, mut claimed) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let report = single.step()?;
        assert_eq!(report.iterations, 1);
        assert_eq!(report.outcome, Outcome::Converged, "{report:?}");
        claimed = claimed.max(f64::from(report.defect()));
        double.step()?;
        let off = single.state().map(f64::from) - double.state();
        most = most.max(off.component_div(&nominal).amax());
    }
    Ok((most, claimed))
}

#[test]
fn conductances_far_apart_are_right_in_single_precision() -> Result<(), Error> {
    let matrix = apart(Net(8_388_608.0_f32), Net(8_388_608.0_f64), 5_000)?;
    let given = apart(circuit::<f32>(1e6), circuit::<f64>(1e6), 5_000)?;
    println!("2^23 as a matrix {matrix:?}, 1e6 as a Circuit {given:?}");
    assert!(matrix.0 <= 1e-5 && given.0 <= 1e-5);
    Ok(())
}

#[test]
fn quantities_far_apart_are_right_in_single_precision() -> Result<(), Error> {
    for r in [1e-6, 1.0, 1e6] {
        let (most, claimed) = apart(mixed::<f32>(r), mixed::<f64>(r), 1_000)?;
        println!("{r:e} Ohm: {most:e}, claimed {claimed:e}");
        assert!(most <= 1e-5);
    }
    Ok(())
}

/// Two algebraic equations that are almost the same: `0 = u - x - y` and `0 = (1 + d) x + y - u`. Rounding, divided by d, is what
/// a step is off by, and it says so.
#[test]
fn what_an_ill_conditioned_circuit_is_off_by_is_claimed() -> Result<(), Error> {
    fn twice<R: Real>(d: f64) -> Circuit<R, 2, 1> {
        let (z, one) = (R::ZERO, R::ONE);
        let more = R::from_f64(f64::from(1.0_f32 + d as f32));
        Circuit {
            e: [[z; 2]; 2].into(),
            a: [[-one, more], [-one, one]].into(),
            b: [one, -one].into(),
            nominal: [one; 2].into(),
        }
    }
    for k in 4..20 {
        let d = 0.7 * f64::from(-k).exp2();
        let Ok(mut single) = Simulation::new(twice::<f32>(d), RadauIIA::<3>, 1e-3, [0.3; 2].into())
        else {
            continue;
        };
        let mut double = Simulation::new(twice::<f64>(d), RadauIIA::<3>, 1e-3, [0.3; 2].into())?;
        let mut worst = (0.0_f64, 0.0_f64);
        for step in 0..200_u16 {
            let u = 1.0 + f32::from(step).sin();
            (single.input, double.input) = ([u].into(), [f64::from(u)].into());
            let report = single.step()?;
            double.step()?;
            let off = (single.state().map(f64::from) - double.state()).amax();
            let defect = f64::from(report.defect());
            if off > worst.0 {
                worst = (off, defect);
            }
            assert!(off <= f64::max(2e-6, 3.0 * defect), "{off:e}, {report:?}");
            assert!(defect > 0.0);
            let converged = report.outcome == Outcome::Converged;
            assert_eq!(converged, report.defect() <= 2e-5);
        }
        println!("d {d:.1e}: off by, claimed {worst:?}");
    }
    Ok(())
}

/// A ladder whose diagonal lost a small conductance in rounding feeds charge back, and its matrix is nearly singular at this step.
/// All of an element of it cancels there, and has to come from the sum of its row. Off by more than itself when the largest
/// element was taken from the sum instead.
#[test]
fn an_element_that_cancels_comes_from_the_sum_of_its_row() -> Result<(), Error> {
    fn ladder<R: Real>() -> Circuit<R, 3, 1> {
        let f = |x: f64| R::from_f64(f64::from(x as f32));
        let (z, g) = (R::ZERO, f(5_437_016.0));
        let (small, load) = (f(0.055_957_69), f(0.475_581_17));
        let [c1, c2, c3] = [1.156_344_8e-6, 2.639_379_5e-6, 5.091_105_3e-6].map(f);
        Circuit {
            e: [[c1, z, z], [z, c2, z], [z, z, c3]].into(),
            a: Matrix::<R, 3, 3>::new(-g, g, z, g, -g, small, z, small, -load),
            b: [f(0.101_582_66), z, z].into(),
            nominal: [R::ONE; 3].into(),
        }
    }
    let h = 0.001_985_317_8_f32;
    let mut single = Simulation::new(ladder(), RadauIIA::<3>, h, [0.0_f32; 3].into())?;
    let mut double = Simulation::new(ladder(), RadauIIA::<3>, h.into(), [0.0; 3].into())?;
    single.input = [0.002_550_398_5].into();
    double.input = [f64::from(single.input[0])].into();
    let claim = f64::from(single.step()?.defect());
    double.step()?;
    let (x, exact) = (f64::from(single.state()[0]), double.state()[0]);
    let apart = (x - exact).abs();
    println!("{x} and {exact}: claimed {claim:.1e}");
    assert!(exact > 2.7);
    assert!(apart < 5e-5, "{apart} {claim}");
    assert!(claim > apart && claim < 1e-2, "{apart} {claim}");
    Ok(())
}
