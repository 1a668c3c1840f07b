//! LU and LDL^T: right to rounding, and right about what is singular.

use super::verdicts::signed;
use nalgebra::Complex as Wide;
use stiffstep::linear::{Band, Ldlt, Lu, Singular};
use stiffstep::number::{Complex, Field, Real};

/// Numbers in (-1, 1), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        signed(&mut self.0)
    }
}

/// The four fields, seen from double precision, where residuals are computed.
trait Element: Field<Real: Real> {
    fn narrow(z: Wide<f64>) -> Self;
    fn wide(self) -> Wide<f64>;
    fn draw(random: &mut Random) -> Self {
        Self::narrow(Wide::new(random.next(), random.next()))
    }
    fn epsilon() -> f64 {
        Self::Real::EPSILON.to_f64()
    }
}

impl Element for f32 {
    fn narrow(z: Wide<f64>) -> Self {
        z.re as f32
    }
    fn wide(self) -> Wide<f64> {
        Wide::new(self.into(), 0.0)
    }
}

impl Element for f64 {
    fn narrow(z: Wide<f64>) -> Self {
        z.re
    }
    fn wide(self) -> Wide<f64> {
        Wide::new(self, 0.0)
    }
}

impl<R: Real> Element for Complex<R> {
    fn narrow(z: Wide<f64>) -> Self {
        Complex {
            re: R::from_f64(z.re),
            im: R::from_f64(z.im),
        }
    }
    fn wide(self) -> Wide<f64> {
        Wide::new(self.re.to_f64(), self.im.to_f64())
    }
}

/// The decomposition that the step for first-order systems uses.
type Pivoted<F, const N: usize> = Lu<F, N>;

fn matrix<F: Element, const N: usize>(random: &mut Random) -> [[F; N]; N] {
    core::array::from_fn(|_| vector(random))
}

/// `|A x - b|` over what rounding may leave of it, `n eps sum |a_ij| |x_j|` in the worst row: a backward error in units of
/// rounding. It does not depend on the condition of A, nor on the units of its rows.
fn backward_error<F: Element, const N: usize>(a: &[[F; N]; N], x: &[F; N], b: &[F; N]) -> f64 {
    let worst = (0..N).map(|i| {
        let (mut sum, mut sizes) = (-b[i].wide(), b[i].wide().norm());
        for j in 0..N {
            sum += a[i][j].wide() * x[j].wide();
            sizes += a[i][j].wide().norm() * x[j].wide().norm();
        }
        sum.norm() / (N as f64 * F::epsilon() * sizes)
    });
    // NaN must not pass for small.
    worst.fold(
        0.0,
        |largest, error| if error <= largest { largest } else { error },
    )
}

/// What is solved is right to rounding.
fn right<F: Element, const N: usize>(
    what: &str,
    (a, b): ([[F; N]; N], [F; N]),
    solve: impl Fn(&mut [F; N]) -> Result<(), Singular>,
) {
    let mut x = b;
    let solved = solve(&mut x);
    assert!(solved.is_ok(), "n = {N}, {what}: {solved:?}");
    let error = backward_error(&a, &x, &b);
    assert!(error < 20.0, "n = {N}, {what}: {error}");
}

fn by_lu<F: Element, const N: usize>(what: &str, a: [[F; N]; N], b: [F; N]) {
    right(what, (a, b), |x| Pivoted::factor(a).map(|lu| lu.solve(x)));
}

fn vector<F: Element, const N: usize>(random: &mut Random) -> [F; N] {
    core::array::from_fn(|_| F::draw(random))
}

fn solves<F: Element, const N: usize>() {
    let mut random = Random(1);
    for case in 0..2000 {
        let a = matrix::<F, N>(&mut random);
        by_lu(&format!("case {case}"), a, vector(&mut random));
    }
}

/// Calls a function for every field and several sizes.
macro_rules! for_all_fields {
    ($($name:ident: $check:ident;)*) => {$(
        #[test]
        fn $name() {
            for_all_fields!(@ $check, f32, f64, Complex<f32>, Complex<f64>);
        }
    )*};
    (@ $check:ident, $($field:ty),*) => {$(
        $check::<$field, 1>();
        $check::<$field, 2>();
        $check::<$field, 3>();
        $check::<$field, 5>();
        $check::<$field, 8>();
    )*};
}

for_all_fields! {
    lu_solves_to_rounding: solves;
    zero_columns_are_named: names_zero_columns;
    repeated_columns_are_named: names_repeated_columns;
    dependent_columns_are_named: names_dependent_columns;
    units_do_not_make_a_matrix_singular: bears_any_units;
    small_and_large_matrices_are_as_regular_as_others: bears_any_size;
    not_a_number_is_not_factored: refuses_nan;
    the_unit_decomposition_changes_nothing: unit;
}

/// In this column, with finite elements.
fn singular(column: usize) -> Option<Singular> {
    let finite = true;
    Some(Singular { column, finite })
}

fn column_of<F: Element, const N: usize>(a: [[F; N]; N]) -> Option<usize> {
    Pivoted::factor(a)
        .err()
        .map(|Singular { column, .. }| column)
}

fn names_zero_columns<F: Element, const N: usize>() {
    let mut random = Random(2);
    for column in 0..N {
        let mut a = matrix::<F, N>(&mut random);
        for row in &mut a {
            row[column] = F::ZERO;
        }
        assert_eq!(column_of(a), Some(column), "n = {N}");
    }
}

/// A column that is another one, exactly, in other units.
fn names_repeated_columns<F: Element, const N: usize>() {
    let mut random = Random(3);
    for column in 1..N {
        for _ in 0..100 {
            let mut a = matrix::<F, N>(&mut random);
            for row in &mut a {
                row[column] = row[column - 1] + row[column - 1];
            }
            assert_eq!(column_of(a), Some(column), "n = {N}");
        }
    }
}

/// A column that is a combination of those before it, up to the rounding of its elements.
fn names_dependent_columns<F: Element, const N: usize>() {
    let mut random = Random(4);
    for column in 1..N {
        let mut missed = 0;
        for _ in 0..1000 {
            let mut a = matrix::<F, N>(&mut random);
            let factors: [F; N] = vector(&mut random);
            for row in &mut a {
                let mut sum = Wide::new(0.0, 0.0);
                for j in 0..column {
                    sum += row[j].wide() * factors[j].wide();
                }
                row[column] = F::narrow(sum);
            }
            if column_of(a) != Some(column) {
                missed += 1;
            }
        }
        let found = format!("n = {N}, column {column}: {missed} of 1000 missed");
        println!("{found}");
        assert!(missed <= 20, "{found}");
    }
}

/// Rows in picofarads and columns in megavolts: scaling rows and columns does not make a regular matrix singular.
fn bears_any_units<F: Element, const N: usize>() {
    let mut random = Random(5);
    for case in 0..1000 {
        let mut a = matrix::<F, N>(&mut random);
        let scale = |random: &mut Random| 10f64.powf(8.0 * random.next());
        let rows: [f64; N] = core::array::from_fn(|_| scale(&mut random));
        let columns: [f64; N] = core::array::from_fn(|_| scale(&mut random));
        for i in 0..N {
            for j in 0..N {
                a[i][j] = F::narrow(a[i][j].wide() * rows[i] * columns[j]);
            }
        }
        let scales = format!("{rows:?} {columns:?}");
        assert_eq!(column_of(a), None, "n = {N}, case {case}: {scales}");
    }
}

/// All elements near the ends of the number type's range.
fn bears_any_size<F: Element, const N: usize>() {
    let largest = F::Real::LARGEST.to_f64().log10();
    for exponent in [-0.6, -0.45, 0.45, 0.6] {
        let size = 10f64.powf(exponent * largest);
        let mut random = Random(6);
        for case in 0..100 {
            let mut a = matrix::<F, N>(&mut random);
            for element in a.as_flattened_mut() {
                *element = F::narrow(element.wide() * size);
            }
            let b = vector(&mut random).map(|x: F| F::narrow(x.wide() * size));
            by_lu(&format!("size {size:e}, case {case}"), a, b);
        }
    }
}

fn refuses_nan<F: Element, const N: usize>() {
    let mut random = Random(7);
    for bad in [f64::NAN, f64::INFINITY] {
        for i in 0..N {
            for j in 0..N {
                let mut a = matrix::<F, N>(&mut random);
                a[i][j] = F::narrow(Wide::new(bad, 0.0));
                assert!(Pivoted::factor(a).is_err(), "n = {N}: {bad} at {i}, {j}");
            }
        }
    }
}

fn unit<F: Element, const N: usize>() {
    let b: [F; N] = core::array::from_fn(|i| F::narrow(Wide::new(1.0 + i as f64, 2.0)));
    let mut x = b;
    Pivoted::unit().solve(&mut x);
    assert!(b.iter().zip(&x).all(|(b, x)| b.wide() == x.wide()));
}

/// A singular matrix that is near to nothing but itself: elimination leaves an exact zero in column 2.
#[test]
fn the_textbooks_singular_matrix_is_singular() {
    let a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    assert_eq!(Pivoted::factor(a).err(), singular(2));
    let single = a.map(|row| row.map(|x| x as f32));
    assert_eq!(Pivoted::factor(single).err(), singular(2));
}

/// A tiny pivot that is not the rest of a cancellation: a small capacitor beside a large one.
#[test]
fn a_small_element_is_not_a_zero() {
    for tiny in [1e-9f32, 1e-18, 1e-30] {
        assert!(Pivoted::factor([[1.0, 0.0], [0.0, tiny]]).is_ok());
        assert!(Pivoted::factor([[1.0, 1.0], [0.0, tiny]]).is_ok());
    }
}

fn positive<R: Real, const N: usize>(random: &mut Random) -> [[R; N]; N] {
    let root: [[f64; N]; N] = core::array::from_fn(|_| core::array::from_fn(|_| random.next()));
    core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            let product: f64 = (0..N).map(|k| root[i][k] * root[j][k]).sum();
            R::from_f64(product + if i == j { 0.1 } else { 0.0 })
        })
    })
}

fn ldlt_solves<R: Real + Element, const N: usize>() {
    let mut random = Random(8);
    for case in 0..2000 {
        let a = positive::<R, N>(&mut random);
        let system = (a, vector(&mut random));
        let solve = |x: &mut [R; N]| Ldlt::factor(a).map(|ldlt| ldlt.solve(x));
        right(&format!("case {case}"), system, solve);
    }
    for column in 0..N {
        // Neither a zero nor a negative mass has a decomposition.
        for mass in [0.0, -1.0] {
            let mut a = positive::<R, N>(&mut random);
            for k in 0..N {
                a[k][column] = R::ZERO;
                a[column][k] = R::ZERO;
            }
            a[column][column] = R::from_f64(mass);
            assert_eq!(Ldlt::factor(a).err(), singular(column), "n = {N}");
        }
    }
}

#[test]
fn ldlt_solves_to_rounding_and_names_what_is_not_positive() {
    ldlt_solves::<f32, 1>();
    ldlt_solves::<f32, 2>();
    ldlt_solves::<f32, 6>();
    ldlt_solves::<f64, 1>();
    ldlt_solves::<f64, 2>();
    ldlt_solves::<f64, 6>();
}

/// A matrix of a band, whole and as a band.
fn banded<F: Element, const B: usize>(random: &mut Random) -> ([[F; 6]; 6], Band<F, 6, 8>) {
    let (mut whole, mut band) = ([[F::ZERO; 6]; 6], Band::ZERO);
    for i in 0..6_usize {
        for j in i.saturating_sub(B)..6.min(i + B + 1) {
            whole[i][j] = F::draw(random);
            band.rows()[i][j + B - i] = whole[i][j];
        }
    }
    (whole, band)
}

/// A band is decomposed and solved with as the whole matrix is without pivoting, and as singular.
fn a_band_is_as_the_whole<F: Element, const B: usize>() {
    let mut random = Random(7);
    for _ in 0..100 {
        let (whole, mut band) = banded::<F, B>(&mut random);
        let lu = Lu::<F, 6, false>::factor(whole).unwrap();
        band.decompose(B).unwrap();
        let mut x = [F::ONE; 6].map(|_| F::draw(&mut random));
        let mut y = x;
        lu.solve(&mut x);
        band.solve(&mut y, B);
        assert_eq!(x.map(Element::wide), y.map(Element::wide));
    }
    for (bad, finite) in [(0.0, true), (f64::NAN, false)] {
        let (_, mut band) = banded::<F, B>(&mut random);
        for i in 3 - B..=3 + B.min(2) {
            band.rows()[i][3 + B - i] = F::narrow(Wide::new(bad, 0.0));
        }
        let found = band.decompose(B).unwrap_err();
        assert_eq!(found, Singular { column: 3, finite });
    }
}

#[test]
fn bands_are_as_whole_matrices() {
    a_band_is_as_the_whole::<f32, 1>();
    a_band_is_as_the_whole::<f64, 2>();
    a_band_is_as_the_whole::<Complex<f32>, 3>();
}
