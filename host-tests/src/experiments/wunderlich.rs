//! Wunderlich's examples: multipliers of index-3 systems by methods that take second-order systems as they are, and by the same
//! methods on the first-order form.

use crate::figures::{Comparison, Grid, Tolerance};
use crate::order_conditions::theorem_2_9;
use crate::reference::{Descriptor, Tableau, descriptor};
use crate::second_order::{Chance, states};
use anyhow::Result;
use nalgebra::{DMatrix, DVector};
use stiffstep::drive::Paced;
use stiffstep::method::{Collocation, GeneralLinear, Wright, Wunderlich, bdf};
use stiffstep::prelude::*;
use stiffstep::step::{EachOfCourse, Method};
use stiffstep_plants::rlc::Rlc;
use stiffstep_plants::second_order::{Circle, Track, Voltages};

/// The errors of the multiplier of Example 1.3 from t = 1 on.
pub fn track(states: &[Course<f64, 3>], steps: &[f64]) -> Vec<f64> {
    let mut t = 1.0;
    let error = |(state, h): (&Course<f64, 3>, &f64)| {
        t += h;
        (state.x[2] + 4.0 * t * t).abs()
    };
    states.iter().zip(steps).map(error).collect()
}

/// One unit of the last decimal: whoever made the table may have cut off instead of rounding.
fn decimals(digits: i32) -> Tolerance {
    Tolerance::Within(10_f64.powi(-digits))
}

/// Table 1: order 1 in variable steps, by the ordinary formula, which is printed, and by the modified one (11).
pub fn table_1() -> Result<Grid, Error> {
    let steps = [
        1.0, 1.0, 0.2, 0.04, 0.008, 0.008, 0.016, 0.032, 0.064, 0.064,
    ]
    .map(|h| h * 1e-3);
    let printed = [
        2.0080, 0.0080, 8.0303, 8.0348, 8.0357, 0.0001, 1.0047, 1.0048, 1.0052, 0.0006,
    ];
    let expected = [
        0.0080, 0.0120, 0.0057, 0.0012, 0.0003, 0.00015, 0.0002, 0.0004, 0.0007, 0.0008,
    ];
    let ordinary = states(Track, OrdinaryBdf::<1>, Track::at(1.0), &steps)?;
    let modified = states(Track, Bdf::<1>, Track::at(1.0), &steps)?;
    let (ordinary, modified) = (track(&ordinary, &steps), track(&modified, &steps));
    let mut table = Grid::new("step, h", &["BDF 1", "modified (11)"]);
    for k in 0..steps.len() {
        let name = format!("{}, {:e}", k + 1, steps[k]);
        let ordinary = Comparison::printed(
            format!("BDF 1, step {name}"),
            ordinary[k],
            printed[k],
            decimals(4),
        );
        let modified = Comparison::independent(
            format!("modified, step {name}"),
            modified[k],
            expected[k],
            decimals(4),
        );
        table.push(name, [ordinary, modified]);
    }
    Ok(table)
}

/// Table 2: order 1, then 2, in steps of one size.
pub fn table_2() -> Result<Grid, Error> {
    // Printed are the steps that both sizes share, and the first ones.
    let rows: [(f64, &[f64], &[f64]); 2] = [
        (
            0.005,
            &[2.0402, 4.0188, 1.0119, 0.0012, 0.0013, 0.0013],
            &[0.040, 0.001, 0.001, 0.001, 0.001, 0.001],
        ),
        (
            0.01,
            &[2.0808, 4.0352, 1.0278, 0.0052, 0.0054],
            &[0.081, 0.004, 0.004, 0.004, 0.004],
        ),
    ];
    let names = [
        "BDF, h = 0.005",
        "modified, h = 0.005",
        "BDF, h = 0.01",
        "modified, h = 0.01",
    ];
    let mut columns = Vec::new();
    for (h, ordinary, modified) in rows {
        let steps = [h; 6];
        let run = states(Track, OrdinaryBdf::<2>, Track::at(1.0), &steps)?;
        let found = track(&run, &steps);
        let cells = found.iter().zip(ordinary).enumerate();
        columns.push(
            cells
                .map(|(k, (&found, &printed))| {
                    let what = format!("BDF 1 then 2, h = {h}, step {}", k + 1);
                    Comparison::printed(what, found, printed, decimals(3))
                })
                .collect::<Vec<_>>(),
        );
        let run = states(Track, Bdf::<2>, Track::at(1.0), &steps)?;
        let found = track(&run, &steps);
        let cells = found.iter().zip(modified).enumerate();
        columns.push(
            cells
                .map(|(k, (&found, &expected))| {
                    let what = format!("modified, h = {h}, step {}", k + 1);
                    Comparison::independent(what, found, expected, decimals(3))
                })
                .collect(),
        );
    }
    let mut table = Grid::new("step", &names);
    for k in 0..6 {
        let cells = columns
            .iter()
            .map(|column| column.get(k).cloned())
            .collect();
        table.rows.push(((k + 1).to_string(), cells));
    }
    Ok(table)
}

/// Example 1.2, (2), with `f = (cos t, sin t + noise sin(pitch t))`.
#[derive(Clone, Copy)]
struct Chain {
    noise: f64,
    pitch: f64,
}

impl Chain {
    /// f.
    fn force<T: Scalar<f64>>(&self, t: T) -> [T; 2] {
        [t.cos(), t.sin() + (t * self.pitch).sin() * self.noise]
    }

    /// (5) at time zero: `v1, v2, x1, x2`.
    fn start(&self) -> [f64; 4] {
        let third = 1.0 + self.noise * self.pitch.powi(3);
        let first = 1.0 + self.noise * self.pitch;
        [first, third, 0.0, 1.0 - first]
    }
}

impl SecondOrder<f64, 2, 0> for Chain {
    const ALGEBRAIC: [bool; 2] = [false, true];
    fn residual<T: Scalar<f64>>(
        &self,
        t: T,
        x: &Vector<T, 2>,
        v: &Vector<T, 2>,
        a: &Vector<T, 2>,
        _u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        let [f1, f2] = self.force(t);
        [a[0] + v[0] + x[1] - f1, x[0] - f2].into()
    }
}

/// (4): the same as a first-order system in v1, v2, x1 and x2.
impl Descriptor for Chain {
    fn mass(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 0.0, 1.0, 1.0]))
    }
    fn rhs(&self, t: f64, y: &DVector<f64>) -> DVector<f64> {
        let [f1, f2] = self.force(t);
        DVector::from_row_slice(&[f1 - y[0] - y[3], f2 - y[2], y[0], y[1]])
    }
    /// v2 has the rounding of x1 over h^3.
    fn magnitude(&self) -> DVector<f64> {
        DVector::from_row_slice(&[1.0, 1e3, 1.0, 1.0])
    }
}

/// x2 and v2 at t = 1: x2 of the second-order form (2), and both of the first-order form (4).
fn chain(model: Chain, stages: usize, steps: usize) -> Result<[f64; 3]> {
    let h = 1.0 / steps as f64;
    let [v1, v2, x1, x2] = model.start();
    let start = ([x1, x2].into(), [v1, v2].into());
    let steps_of = vec![h; steps];
    let direct = match stages {
        2 => states(model, RadauIIA::<2>, start, &steps_of)?,
        _ => states(model, RadauIIA::<3>, start, &steps_of)?,
    };
    let method = Tableau::radau_iia(stages);
    let y = descriptor::integrate(
        &model,
        &method,
        &DVector::from_row_slice(&model.start()),
        h,
        steps,
    )?;
    Ok([direct.last().map_or(f64::NAN, |at| at.x[1]), y[3], y[1]])
}

/// Example 1.2: in the second-order form x2 needs two derivatives of f, (3); the first-order form has v2, too, which needs a third,
/// (5). A method loses an order with each, and a disturbance is magnified by its frequency once more.
pub fn example_1_2() -> Result<Grid> {
    let names = ["x2, (2)", "x2, (4)", "v2, (4)"];
    let mut table = Grid::new("", &names);
    let quiet = Chain {
        noise: 0.0,
        pitch: 0.0,
    };
    let exact = [1_f64.sin(), 1_f64.sin(), 1_f64.cos()];
    let mut row = |name: String, ours: [f64; 3], theory: [f64; 3], within: f64| {
        let cell = |k: usize| {
            let what = format!("{name}, {}", names[k]);
            Comparison::theory(what, ours[k], theory[k], Tolerance::Within(within))
        };
        table.push(name.clone(), [0, 1, 2].map(cell));
    };
    for (stages, steps) in [(2, 100), (3, 50)] {
        let (coarse, fine) = (
            chain(quiet, stages, steps)?,
            chain(quiet, stages, 2 * steps)?,
        );
        let order = |k: usize| ((coarse[k] - exact[k]) / (fine[k] - exact[k])).abs().log2();
        let s = stages as f64;
        row(
            format!("Radau IIA {stages}, order"),
            [0, 1, 2].map(order),
            [s - 1.0, s - 1.0, s - 2.0],
            0.2,
        );
    }
    let still = chain(quiet, 3, 400)?;
    let louder = |pitch: f64| -> Result<[f64; 3]> {
        let noisy = chain(Chain { noise: 1e-3, pitch }, 3, 400)?;
        Ok([0, 1, 2].map(|k: usize| (noisy[k] - still[k]).abs()))
    };
    // Where the disturbances' phases at t = 1 are alike.
    let (pi, low) = (std::f64::consts::PI, 4.0);
    let (coarse, fine) = (louder(low * pi + 0.5)?, louder(2.0 * low * pi + 0.5)?);
    let ratio = ((2.0 * low * pi + 0.5) / (low * pi + 0.5)).ln();
    let power = |k: usize| (fine[k] / coarse[k]).ln() / ratio;
    row(
        "a disturbance of f2, power of its frequency".into(),
        [0, 1, 2].map(power),
        [2.0, 2.0, 3.0],
        0.2,
    );
    Ok(table)
}

/// Example 2.4: second-order coefficients as printed. Example 2.11 with Theorem 2.9: the first row of its matrices as printed, and what
/// is left of (48).
pub fn coefficients() -> Vec<Comparison> {
    let root = 3_f64.sqrt();
    let (gauss, radau) = (
        Gauss::<2>::coefficients::<f64>(),
        RadauIIA::<2>::coefficients::<f64>(),
    );
    let glm = <Wunderlich as GeneralLinear<3, 3>>::matrices::<f64>();
    let mut all = Vec::new();
    let mut push = |name: &str, ours: &[f64], printed: &[f64]| {
        for (k, (&ours, &printed)) in ours.iter().zip(printed).enumerate() {
            let what = format!("{name}, entry {}", k + 1);
            all.push(Comparison::printed(
                what,
                ours,
                printed,
                Tolerance::Within(1e-15),
            ));
        }
    };
    let sum = [3.0 - 2.0 * root, 3.0 + 2.0 * root].map(|x| x / 24.0);
    push(
        "Example 2.4, Gauss 2, A~",
        gauss.a2.as_flattened(),
        &[1.0 / 24.0, sum[0], sum[1], 1.0 / 24.0],
    );
    push(
        "Example 2.4, Gauss 2, b~",
        &gauss.ba,
        &[(3.0 + root) / 12.0, (3.0 - root) / 12.0],
    );
    push(
        "Example 2.4, Radau IIA 2, A~",
        radau.a2.as_flattened(),
        &[1.0 / 9.0, -1.0 / 18.0, 0.5, 0.0],
    );
    push("Example 2.4, Radau IIA 2, b~", &radau.ba, &[0.5, 0.0]);
    push(
        "Example 2.11, A~, row 1",
        &glm.a2[0],
        &[37.0 / 432.0, -41.0 / 576.0, 29.0 / 1728.0],
    );
    push(
        "Example 2.11, A, row 1",
        &glm.a[0],
        &[4.0 / 9.0, -11.0 / 48.0, 5.0 / 144.0],
    );
    push(
        "Example 2.11, B~, row 1",
        &glm.b2[0],
        &[13.0 / 27.0, -1.0 / 18.0, 2.0 / 27.0],
    );
    let left = |p| theorem_2_9(&glm, p);
    all.push(Comparison::theory(
        "Theorem 2.9, (48) for p = 2: what Example 2.11 leaves",
        left(2),
        1e-15,
        Tolerance::AtMost(0.0),
    ));
    all.push(Comparison::theory(
        "Theorem 2.9, (48) for p = 3",
        left(3),
        0.1,
        Tolerance::AtLeast(0.0),
    ));
    all
}

/// The errors of a run with given steps.
type ErrorsOf<'a> = dyn Fn(&[f64]) -> Result<Vec<f64>, Error> + 'a;

/// The modified formulas' first 2 K steps, in which the order rises, with Example 1.3: the first step is off by `8 h`, because
/// (11) takes the slope of a straight line for the velocity; all others by `h^2` or less.
pub fn first_steps() -> Result<Grid, Error> {
    let names = ["step 1, over h", "steps 2 to 2 K, order"];
    let mut table = Grid::new("order", &names);
    let mut row = |k: usize, run: &ErrorsOf<'_>| -> Result<(), Error> {
        let errors = |h: f64| run(&vec![h; 2 * k]);
        let (coarse, fine) = (errors(0.005)?, errors(0.0025)?);
        let most = |errors: &[f64]| errors.iter().skip(1).copied().fold(0.0, f64::max);
        let order = (most(&coarse) / most(&fine)).log2();
        let what = format!("modified formulas up to order {k}, ");
        table.push(
            k.to_string(),
            [
                Comparison::theory(
                    what.clone() + names[0],
                    fine[0] / 0.0025,
                    8.0,
                    Tolerance::Relative(0.02),
                ),
                Comparison::theory(
                    what + names[1],
                    order,
                    k.min(2) as f64,
                    Tolerance::Within(0.1),
                ),
            ],
        );
        Ok(())
    };
    row(1, &|steps| {
        Ok(track(
            &states(Track, Bdf::<1>, Track::at(1.0), steps)?,
            steps,
        ))
    })?;
    row(2, &|steps| {
        Ok(track(
            &states(Track, Bdf::<2>, Track::at(1.0), steps)?,
            steps,
        ))
    })?;
    row(3, &|steps| {
        Ok(track(
            &states(Track, Bdf::<3>, Track::at(1.0), steps)?,
            steps,
        ))
    })?;
    row(4, &|steps| {
        Ok(track(
            &states(Track, Bdf::<4>, Track::at(1.0), steps)?,
            steps,
        ))
    })?;
    Ok(table)
}

/// Steps of `h` up to t = 1 that begin with `h^((k + 1) / 2) / 2` and double.
fn growing(h: f64, k: usize) -> Vec<f64> {
    let (mut step, mut t, mut steps) = (0.5 * h.powf(0.5 * (k + 1) as f64), 0.0, Vec::new());
    while t < 1.0 {
        steps.push(step);
        t += step;
        step = h.min(2.0 * step);
    }
    steps
}

/// Rising formulas at t = 1 on the circle (62). In steps of one size the first, of order 1, leaves `h^2` in the momentum for good; in
/// steps that begin as small as `h^((k + 1) / 2)` it leaves less than the others, and the order is the formula's.
pub fn rising() -> Result<Grid, Error> {
    let names = ["y, one size", "λ, one size", "y', growing", "λ, growing"];
    let mut table = Grid::new("order", &names);
    let mut row = |k: usize,
                   h: f64,
                   run: &dyn Fn(&[f64]) -> Result<Path, Error>|
     -> Result<(), Error> {
        let end =
            |steps: &[f64]| Ok::<_, Error>(run(steps)?.last().map_or([f64::NAN; 3], |at| at.error));
        let even = |h: f64| end(&vec![h; (1.0 / h).round() as usize]);
        let (coarse, fine) = (even(0.01)?, even(0.005)?);
        let (coarse_too, fine_too) = (end(&growing(h, k))?, end(&growing(0.5 * h, k))?);
        let order = |a: [f64; 3], b: [f64; 3], n: usize| (a[n] / b[n]).log2();
        let what = |n: usize| format!("rising to {k}, {}", names[n]);
        let least = Tolerance::AtLeast(0.3);
        table.push(
            k.to_string(),
            [
                Comparison::theory(what(0), order(coarse, fine, 0), 2.0, Tolerance::Within(0.1)),
                Comparison::theory(what(1), order(coarse, fine, 2), 2.0, Tolerance::Within(0.1)),
                Comparison::theory(what(2), order(coarse_too, fine_too, 1), k as f64, least),
                Comparison::theory(what(3), order(coarse_too, fine_too, 2), k as f64, least),
            ],
        );
        Ok(())
    };
    row(3, 0.02, &|steps| circle(Bdf::<3>, steps))?;
    row(4, 0.02, &|steps| circle(Bdf::<4>, steps))?;
    Ok(table)
}

/// A moment on the circle of (62): the numerical y1, y2 and lambda, and the errors of y, y' and lambda.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time.
    pub t: f64,
    /// y1, y2 and lambda.
    pub x: [f64; 3],
    /// The errors of y, y' and lambda.
    pub error: [f64; 3],
}

impl Moment {
    fn new(t: f64, x: [f64; 3], v: [f64; 2]) -> Self {
        let (exact, slope) = Circle::at(t);
        let difference = |a: f64, b: f64| (a - b).abs();
        Moment {
            t,
            x,
            error: [
                difference(x[0], exact[0]).max(difference(x[1], exact[1])),
                difference(v[0], slope[0]).max(difference(v[1], slope[1])),
                difference(x[2], exact[2]),
            ],
        }
    }

    fn of(t: f64, state: &Course<f64, 3>) -> Self {
        Moment::new(
            t,
            [state.x[0], state.x[1], state.x[2]],
            [state.v[0], state.v[1]],
        )
    }
}

/// A run of (62) or of (64).
pub type Path = Vec<Moment>;

/// The largest error of y, y' or lambda on a path.
pub fn worst(path: &[Moment], part: usize) -> f64 {
    path.iter()
        .map(|moment| moment.error[part])
        .fold(0.0, f64::max)
}

/// (62) by a method in these steps.
pub fn circle<K, Kind>(method: K, steps: &[f64]) -> Result<Path, Error>
where
    K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>)>,
    K::Stepper: Stepper<Real = f64, Model = Circle, State = Course<f64, 3>, Input = Vector<f64, 0>>,
{
    let run = states(Circle, method, Circle::at(0.0), steps)?;
    let mut t = 0.0;
    let moments = run.iter().zip(steps).map(|(state, h)| {
        t += h;
        Moment::of(t, state)
    });
    Ok(moments.collect())
}

/// (62) by a method that chooses its steps, with the paper's tolerances of 1e-4, and 1e-2 for lambda, to t = 0.1 or a little
/// beyond.
pub fn circle_controlled<K, Kind, P>(method: K) -> Result<Path, Error>
where
    K: Method<Circle, Kind, Real = f64, Start = (Vector<f64, 3>, Vector<f64, 3>), Stepper = P>,
    P: Paced<Absolute = EachOfCourse<f64, 3>> + Stepper<Real = f64, State = Course<f64, 3>>,
{
    let absolute = EachOfCourse {
        x: [1e-4, 1e-4, 1e-2],
        v: [1e-4; 3],
    };
    let mut plant =
        Adaptive::new(Circle, method, 1e-4, 1e-3, Circle::at(0.0))?.with_absolute(absolute)?;
    let mut path = Vec::new();
    while plant.time() < 0.1 {
        // Steps of which there are several.
        plant.longest = 0.02_f64.min(0.1 - plant.time()).max(1e-3);
        plant.step()?;
        path.push(Moment::of(plant.time(), plant.state()));
    }
    Ok(path)
}

/// (64): the same equations as a first-order system in y, v and lambda.
struct FirstOrderCircle;

impl Descriptor for FirstOrderCircle {
    fn mass(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 1.0, 1.0, 1.0, 0.0]))
    }

    fn rhs(&self, t: f64, x: &DVector<f64>) -> DVector<f64> {
        let unknowns = Vector::from([x[0], x[1], x[4]]);
        let (v, none) = (Vector::from([x[2], x[3], 0.0]), Vector::from([]));
        // F is linear in the accelerations, which appear with a factor of one.
        let f: Vector<f64, 3> = Circle.residual(t, &unknowns, &v, &Vector::from([0.0; 3]), &none);
        DVector::from_row_slice(&[x[2], x[3], -f[0], -f[1], f[2]])
    }
}

/// (64) by the ordinary Radau IIA method of two stages in these steps, as the textbook has it.
pub fn first_order_circle(steps: &[f64]) -> Result<Path> {
    let method = Tableau::radau_iia(2);
    let (x, v) = Circle::at(0.0);
    let mut state = DVector::from_row_slice(&[x[0], x[1], v[0], v[1], x[2]]);
    let (mut t, mut path) = (0.0, Vec::new());
    for &h in steps {
        state = descriptor::step(&FirstOrderCircle, &method, t, &state, h)?;
        t += h;
        path.push(Moment::new(
            t,
            [state[0], state[1], state[4]],
            [state[2], state[3]],
        ));
    }
    Ok(path)
}

/// The steps of a path.
pub fn steps_of(path: &[Moment]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(path.iter().map(|moment| moment.t));
    path.iter()
        .zip(before)
        .map(|(moment, before)| moment.t - before)
        .collect()
}

/// Two runs of a figure: the first-order form, and the second-order form.
pub struct Pair {
    /// First order, or ordinary.
    pub first: Path,
    /// Second order, or modified.
    pub second: Path,
    /// What is compared.
    pub table: Vec<Comparison>,
}

/// Fig. 2: formulas whose order rises from 1 to 4 in the first steps, h = 1e-3.
pub fn fig_2() -> Result<Pair, Error> {
    let steps = [1e-3; 100];
    let first = circle(OrdinaryBdf::<4>, &steps)?;
    let second = circle(Bdf::<4>, &steps)?;
    let mut table = Vec::new();
    for (k, published) in [0.25, 0.50, 0.375, 0.333, 0.0625].into_iter().enumerate() {
        let what = format!("ordinary formulas, error of λ in step {}", k + 1);
        table.push(Comparison::independent(
            what,
            first[k].error[2],
            published,
            Tolerance::Figure,
        ));
    }
    let what = "ordinary formulas, error of λ in step 6";
    table.push(Comparison::independent(
        what,
        first[5].error[2],
        6e-8,
        Tolerance::Error,
    ));
    let what = "modified formulas, largest error of λ";
    table.push(Comparison::independent(
        what,
        worst(&second, 2),
        7.1e-7,
        Tolerance::Error,
    ));
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// Fig. 3: order 2 in variable steps, drawn at random between 1e-4 and 1e-3. The modified formulas' multiplier is as good as
/// their order; the ordinary ones' jumps.
pub fn fig_3() -> Result<Pair, Error> {
    let steps = Chance(5).steps(1e-3, 0.1);
    let first = circle(OrdinaryBdf::<2>, &steps)?;
    let second = circle(Bdf::<2>, &steps)?;
    let (mut grid, mut direct) = (bdf::Grid::default(), 0.0);
    for &h in &steps {
        let order = grid.next(2);
        direct += f64::from(u8::from(grid.formula(h, order, true).direct));
        grid.push(h, order);
    }
    let table = vec![
        Comparison::ours(
            "modified formulas, share of steps whose coefficients are a direct formula's",
            direct / steps.len() as f64,
            0.2,
            Tolerance::AtMost(0.0),
        ),
        Comparison::theory(
            "ordinary formulas, largest error of λ",
            worst(&first, 2),
            0.1,
            Tolerance::AtLeast(0.0),
        ),
        Comparison::theory(
            "modified formulas, largest error of λ",
            worst(&second, 2),
            1e-5,
            Tolerance::AtMost(0.0),
        ),
    ];
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// The errors at the end of a path beside expected ones.
fn end_errors(name: &str, path: &[Moment], expected: [f64; 3]) -> Vec<Comparison> {
    let error = path.last().map_or([f64::NAN; 3], |moment| moment.error);
    let compare = |k: usize| {
        let what = format!("{name}, {} at t = 0.1", ["y", "y'", "λ"][k]);
        Comparison::independent(what, error[k], expected[k], Tolerance::Error)
    };
    (0..3).map(compare).collect()
}

/// Fig. 4: Radau IIA 2 in steps of h = 1e-3.
pub fn fig_4() -> Result<Pair> {
    let steps = [1e-3; 100];
    let second = circle(RadauIIA::<2>, &steps)?;
    let first = first_order_circle(&steps)?;
    let mut table = end_errors("Radau IIA 2", &second, [1.4e-13, 2.7e-11, 1.2e-7]);
    // Rounding over h^2.
    table.push(same(&first, &second, 1e-8));
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// The forms are one method: their multipliers differ by so much at most.
fn same(first: &[Moment], second: &[Moment], most: f64) -> Comparison {
    let pairs = first.iter().zip(second);
    let apart = pairs
        .map(|(a, b)| (a.x[2] - b.x[2]).abs())
        .fold(0.0, f64::max);
    let what = "first-order form and second-order form, largest distance of λ";
    Comparison::theory(what, apart, most, Tolerance::AtMost(0.0))
}

/// Fig. 5: Radau IIA 2 in steps of its own choice, and the first-order form in the same ones.
pub fn fig_5() -> Result<Pair> {
    let second = circle_controlled(RadauIIA::<2>)?;
    let first = first_order_circle(&steps_of(&second))?;
    let mut table = tolerances_kept("Radau IIA 2", &second);
    // Its iteration stops at a thousandth of the tolerance.
    table.push(same(&first, &second, 1e-5));
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// A run keeps the paper's tolerances; errors of steps add up.
fn tolerances_kept(name: &str, path: &[Moment]) -> Vec<Comparison> {
    let bars = [1e-3, 1e-3, 1e-1];
    let compare = |k: usize| {
        let what = format!("{name}, largest error of {}", ["y", "y'", "λ"][k]);
        Comparison::theory(what, worst(path, k), bars[k], Tolerance::AtMost(0.0))
    };
    (0..3).map(compare).collect()
}

/// Fig. 6: the general linear methods (60) and (65) in steps of h = 1e-3.
pub fn fig_6() -> Result<Pair> {
    let steps = [1e-3; 100];
    let second = circle(Wunderlich, &steps)?;
    let first = circle(Wright, &steps)?;
    let table = end_errors("Example 2.11", &second, [3.5e-14, 1.6e-11, 3.9e-8]);
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// Fig. 7: the general linear methods in steps of their own choice.
pub fn fig_7() -> Result<Pair> {
    let second = circle_controlled(Wunderlich)?;
    let first = circle_controlled(Wright)?;
    let mut table = tolerances_kept("Example 2.11", &second);
    table.extend(tolerances_kept("(65)", &first));
    Ok(Pair {
        first,
        second,
        table,
    })
}

/// A run of the circuit (67): times, voltages `v_L, v_C, v_R` and their errors.
pub type Voltage = Vec<(f64, [f64; 3], [f64; 3])>;

/// Fig. 8: the circuit (67) to t = 7 by four methods, h = 0.01.
pub struct Circuit67 {
    /// The methods' runs by name.
    pub runs: Vec<(&'static str, Voltage)>,
    /// Errors at t = 7.
    pub table: Grid,
}

/// Fig. 8.
pub fn fig_8() -> Result<Circuit67, Error> {
    let (steps, start, model) = ([0.01; 700], Voltages::at(0.0), Voltages(Rlc::mild()));
    let path = |run: Vec<Course<f64, 3>>| -> Voltage {
        let at = |(k, state): (usize, &Course<f64, 3>)| {
            let t = (k + 1) as f64 * 0.01;
            let exact = Voltages::at(t).0;
            let x = state.x.data.0[0];
            (t, x, [0, 1, 2].map(|n: usize| (x[n] - exact[n]).abs()))
        };
        run.iter().enumerate().map(at).collect()
    };
    let runs = vec![
        ("BDF 2", path(states(model, Bdf::<2>, start, &steps)?)),
        (
            "Radau IIA 2",
            path(states(model, RadauIIA::<2>, start, &steps)?),
        ),
        (
            "Example 2.11",
            path(states(model, Wunderlich, start, &steps)?),
        ),
        (
            "Radau IIA 3",
            path(states(model, RadauIIA::<3>, start, &steps)?),
        ),
    ];
    let published = [
        ([5.2e-8, 5.5e-8, 3.2e-9], Tolerance::Figure),
        // Rounding is far below: these figures are the methods'.
        ([1.3e-10, 1.4e-10, 8.0e-12], Tolerance::Relative(0.1)),
        ([3.2e-11, 3.4e-11, 2.0e-12], Tolerance::Relative(0.1)),
        ([2e-16; 3], Tolerance::Error),
    ];
    let names = ["v_C", "v_R", "v_L"];
    let mut table = Grid::new("method", &names);
    for ((name, run), (published, rule)) in runs.iter().zip(published) {
        let error = run.last().map_or([f64::NAN; 3], |at| at.2);
        let cell = |k: usize| {
            let what = format!("{name}, error of {}", names[k]);
            // The model has v_L, v_C, v_R.
            let ours = error[[1, 2, 0][k]];
            Comparison::independent(what, ours, published[k], rule)
        };
        table.push(*name, [0, 1, 2].map(cell));
    }
    Ok(Circuit67 { runs, table })
}
