//! The tableaux that the core computes at compile time: what theory says of them, and the reference's route to them.

use nalgebra::{Complex, DMatrix, DVector};
use stiffstep::method::{Coefficients, Collocation, Modes, RadauIIA, Stages};
use stiffstep_host_tests::reference::Tableau;
use stiffstep_host_tests::stability::modes;

type Radau<const S: usize> = Coefficients<f64, S>;

fn double<const S: usize>() -> &'static Radau<S>
where
    Stages<S>: Modes,
{
    RadauIIA::<S>::coefficients::<f64>()
}

/// Runs a check for every number of stages that the core offers.
macro_rules! for_all_stages {
    ($($name:ident: $check:ident;)*) => {$(
        #[test]
        fn $name() {
            $check(double::<1>());
            $check(double::<2>());
            $check(double::<3>());
            $check(double::<5>());
        }
    )*};
}

for_all_stages! {
    nodes_and_weights_agree_with_the_reference: agrees_with_the_reference;
    quadrature_is_exact_to_degree_2s_minus_2_and_no_further: quadrature;
    the_stage_order_is_s: stage_order;
    the_last_stage_is_the_end_of_the_step: stiff_accuracy;
    the_stability_function_stays_in_the_unit_disc: a_stability;
    infinitely_fast_modes_die_in_one_step: l_stability;
    modes_are_a_dual_pair_of_bases_that_gives_back_a: spectrum;
    single_precision_is_double_precision_rounded: rounded;
    extrapolation_continues_polynomials: extrapolation;
}

fn agrees_with_the_reference<const S: usize>(own: &Radau<S>) {
    let reference = Tableau::radau_iia(S);
    let c = DVector::from_row_slice(&own.c);
    let b = DVector::from_row_slice(&own.b);
    let a = DMatrix::from_fn(S, S, |i, j| own.a[i][j]);
    for (what, difference) in [
        ("c", (c - &reference.c).amax()),
        ("b", (b - &reference.b).amax()),
        ("A", (a - &reference.a).amax()),
    ] {
        let said = format!("s = {S}: {what} differs by {difference:e}");
        println!("{said}");
        assert!(difference <= 1e-15, "{said}");
    }
}

/// B(2s - 1): `sum b_i c_i^(k-1) = 1/k`; B(2s) fails, so that 2s - 1 is the order and not a lower bound.
/// D(s - 1): `sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k`, the other half of the proof of the order.
fn quadrature<const S: usize>(t: &Radau<S>) {
    let moment = |k: usize| -> f64 {
        let sum: f64 = (0..S).map(|i| t.b[i] * t.c[i].powi(k as i32 - 1)).sum();
        sum - 1.0 / k as f64
    };
    for k in 1..2 * S {
        let off = moment(k);
        assert!(off.abs() < 1e-15 * S as f64, "s = {S}, B({k}): {off:e}");
    }
    assert!(moment(2 * S).abs() > 1e-6, "s = {S}: B({}) holds", 2 * S);
    for k in 1..S {
        for j in 0..S {
            let part = |i: usize| t.b[i] * t.c[i].powi(k as i32 - 1) * t.a[i][j];
            let right = t.b[j] * (1.0 - t.c[j].powi(k as i32)) / k as f64;
            let off = (0..S).map(part).sum::<f64>() - right;
            assert!(off.abs() < 1e-15, "s = {S}, D({k}) in column {j}");
        }
    }
}

/// C(s): `sum a_ij c_j^(k-1) = c_i^k / k` for k = 1..s, and not for k = s + 1.
fn stage_order<const S: usize>(t: &Radau<S>) {
    let defect = |k: usize, i: usize| -> f64 {
        let sum: f64 = (0..S).map(|j| t.a[i][j] * t.c[j].powi(k as i32 - 1)).sum();
        sum - t.c[i].powi(k as i32) / k as f64
    };
    for i in 0..S {
        for k in 1..=S {
            let off = defect(k, i);
            assert!(off.abs() < 1e-15, "s = {S}, C({k}) at stage {i}: {off:e}");
        }
    }
    assert!((0..S).any(|i| defect(S + 1, i).abs() > 1e-6));
}

fn stiff_accuracy<const S: usize>(t: &Radau<S>) {
    assert_eq!(t.c[S - 1], 1.0);
    assert_eq!(t.a[S - 1], t.b);
    assert!(t.c.is_sorted() && t.c[0] > 0.0);
}

/// `R(z) = 1 + z b^T (I - z A)^-1 1`, at most 1 on the imaginary axis, and without poles on its left: with the maximum
/// principle that is A-stability.
fn a_stability<const S: usize>(t: &Radau<S>)
where
    Stages<S>: Modes,
{
    let a = DMatrix::from_fn(S, S, |i, j| Complex::new(t.a[i][j], 0.0));
    let ones = DVector::repeat(S, Complex::new(1.0, 0.0));
    let amplification = |z: Complex<f64>| {
        let stages = (DMatrix::identity(S, S) - &a * z).lu().solve(&ones);
        let stages = stages.unwrap();
        let sum: Complex<f64> = (0..S).map(|i| stages[i] * t.b[i]).sum();
        (z * sum + 1.0).norm()
    };
    for k in 0..=8000 {
        let y = 10f64.powf(-2.0 + k as f64 / 1000.0);
        let r = amplification(Complex::new(0.0, y));
        assert!(r <= 1.0 + 1e-13, "s = {S}: |R({y} i)| = 1 + {:e}", r - 1.0);
    }
    for (eigenvalue, _, _) in modes::<RadauIIA<S>, S>() {
        // The poles of R are one over the eigenvalues of A.
        let pole = eigenvalue.inv();
        assert!(pole.re > 0.0, "s = {S}: a pole at {pole}");
    }
    // The function is right, not only small: exp(z) up to the error constant near zero.
    let z = Complex::new(-0.1, 0.0);
    assert!((amplification(z) - (-0.1f64).exp()).abs() < 0.1f64.powi(2 * S as i32) * 0.6);
}

/// `R(infinity) = 1 - b^T A^-1 1`.
fn l_stability<const S: usize>(t: &Radau<S>) {
    let mut a = DMatrix::from_fn(S, S, |i, j| t.a[i][j]);
    let ones = DVector::repeat(S, 1.0);
    assert!(a.try_inverse_mut());
    let limit = 1.0 - DVector::from_row_slice(&t.b).dot(&(a * ones));
    assert!(limit.abs() < 1e-13, "s = {S}: R(infinity) = {limit:e}");
}

/// The modes that decouple the stages are those of A without an explicit stage.
pub fn modes_give_back_a<K: Collocation<S>, const S: usize>(rounding: f64)
where
    Stages<S>: Modes,
{
    let (t, modes) = (K::coefficients::<f64>(), modes::<K, S>());
    assert_eq!(modes.len(), S);
    for i in 0..S {
        for j in 0..S {
            let parts = modes
                .iter()
                .map(|(mu, left, right)| right[i] * mu * left[j]);
            let off = (parts.sum::<Complex<f64>>() - t.a[i][j]).norm();
            assert!(off < rounding, "{}: A[{i}][{j}] is off by {off:e}", K::NAME);
        }
    }
}

fn spectrum<const S: usize>(_t: &Radau<S>)
where
    Stages<S>: Modes,
{
    modes_give_back_a::<RadauIIA<S>, S>(1e-14);
    let modes = modes::<RadauIIA<S>, S>();
    for i in 0..S {
        for j in 0..S {
            let product: Complex<f64> = (0..S).map(|k| modes[i].1[k] * modes[j].2[k]).sum();
            let off = (product - if i == j { 1.0 } else { 0.0 }).norm();
            assert!(off < 1e-14, "s = {S}: modes {i}, {j}: {product}");
        }
    }
}

/// The literature's figures for A^-1 (Hairer & Wanner II, section IV.8, for s = 3).
#[test]
fn eigenvalues_are_the_published_ones() {
    let inverse = |z: stiffstep::number::Complex<f64>| Complex::new(z.re, z.im).inv();
    let two = inverse(double::<2>().pairs[0].eigenvalue);
    let exact = Complex::new(2.0, 2f64.sqrt());
    assert!((two - exact).norm() < 4e-15 || (two - exact.conj()).norm() < 4e-15);
    let three = double::<3>();
    assert!((three.real.eigenvalue.recip() - 3.637834252744496).abs() < 1e-14);
    let pair = inverse(three.pairs[0].eigenvalue);
    assert!((pair.re - 2.681082873627752).abs() < 1e-14);
    assert!((pair.im.abs() - 3.050430199247411).abs() < 1e-14);
}

fn rounded<const S: usize>(double: &Radau<S>)
where
    Stages<S>: Modes,
{
    let single = RadauIIA::<S>::coefficients::<f32>();
    let row = |double: &[f64; S]| double.map(|x| x as f32);
    let complex = |z: stiffstep::number::Complex<f64>| stiffstep::number::Complex {
        re: z.re as f32,
        im: z.im as f32,
    };
    assert_eq!(single.c, row(&double.c));
    assert_eq!(single.b, row(&double.b));
    assert_eq!(single.a, double.a.map(|r| row(&r)));
    assert_eq!(single.extrapolation, double.extrapolation.map(|r| row(&r)));
    assert_eq!(single.real.eigenvalue, double.real.eigenvalue as f32);
    assert_eq!(single.real.left, row(&double.real.left));
    assert_eq!(single.real.right, row(&double.real.right));
    for (single, double) in single.pairs.iter().zip(&double.pairs) {
        assert_eq!(single.eigenvalue, complex(double.eigenvalue));
        assert_eq!(single.left, double.left.map(complex));
        assert_eq!(single.right, double.right.map(complex));
    }
}

/// A polynomial of degree s - 1, given at the nodes of one step, is continued exactly to those of the next.
fn extrapolation<const S: usize>(t: &Radau<S>) {
    let polynomial = |x: f64| (1..S).fold(1.0, |sum, k| sum * x + k as f64 - 1.5);
    for i in 0..S {
        let part = |j: usize| t.extrapolation[i][j] * polynomial(t.c[j]);
        let (continued, expected) = ((0..S).map(part).sum::<f64>(), polynomial(1.0 + t.c[i]));
        let off = (continued - expected).abs() / expected.abs().max(1.0);
        assert!(off < 1e-12, "s = {S}, stage {i}");
    }
}
