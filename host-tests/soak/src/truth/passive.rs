//! Passive plants: a damper, dry friction, a damped mass on a joint, a damper with a spring. None may gain energy, whatever
//! the budget and the Newton matrix, up to the strength of damping that Lean allows.

use comfy_table::{CellAlignment, Table, presets};
use stiffstep::prelude::*;
use stiffstep::step::{Manner, MechanicalStepper};

/// The step of all of them.
const H: f64 = 1e-2;

/// By how much the root of the energy may grow.
const GROWTH: f64 = 1.01;

/// One unit mass with a damper, dry friction and a spring.
#[derive(Clone, Copy)]
struct Mass {
    damper: f64,
    dry: f64,
    spring: f64,
}

impl<R: Real> Mechanical<R, 1, 0, 0> for Mass {
    type Joints = Rigid;
    type Mass<T: Scalar<R>> = Unit;
    fn joints(&self) -> Rigid {
        Rigid
    }
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, 1>) -> Unit {
        Unit
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        q: &Vector<T, 1>,
        v: &Vector<T, 1>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 1> {
        let s = v[0] * R::from_f64(10.0);
        let dry = s / (s * s + R::ONE).sqrt() * R::from_f64(self.dry);
        [v[0] * R::from_f64(-self.damper) - q[0] * R::from_f64(self.spring) - dry].into()
    }
    fn constraint<T: Scalar<R>>(&self, _t: T, _q: &Vector<T, 1>) -> Vector<T, 0> {
        [].into()
    }
}

/// The joint's stiffness.
const JOINT: f64 = 1e6;

/// Two unit masses on a joint, one with a damper.
#[derive(Clone, Copy)]
struct Pair {
    damper: f64,
}

impl<R: Real> Mechanical<R, 2, 1, 0> for Pair {
    type Joints = Elastic<R, 1>;
    type Mass<T: Scalar<R>> = Unit;
    fn joints(&self) -> Elastic<R, 1> {
        Elastic {
            stiffness: [R::from_f64(JOINT)],
        }
    }
    fn mass<T: Scalar<R>>(&self, _q: &Vector<T, 2>) -> Unit {
        Unit
    }
    fn force<T: Scalar<R>>(
        &self,
        _t: T,
        _q: &Vector<T, 2>,
        v: &Vector<T, 2>,
        _u: &Vector<R, 0>,
    ) -> Vector<T, 2> {
        [v[0] * R::from_f64(-self.damper), T::constant(R::ZERO)].into()
    }
    fn constraint<T: Scalar<R>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [q[0] - q[1]].into()
    }
}

/// The largest root of the energy relative to the first one, and how many steps were refused.
fn run<R, M, K, const Q: usize, const L: usize>(
    model: M,
    spring: f64,
    v: f64,
    n: u8,
    steps: usize,
) -> (f64, usize)
where
    R: Real,
    M: Mechanical<R, Q, L, 0>,
    K: Manner<3>,
{
    let zero = [R::ZERO; Q].into();
    let start = (zero, [R::from_f64(v); Q].into());
    let stepper = MechanicalStepper::<R, M, K, Q, L, 0, 3>::new(model, R::from_f64(H), start);
    let Ok(mut plant) = stepper else {
        return (f64::INFINITY, steps);
    };
    let energy = |m: &Motion<R, Q, L>| {
        let other = if Q > 1 { m.q[Q - 1].to_f64() } else { 0.0 };
        let stretch = m.q[0].to_f64() - other;
        let motion: f64 = m.v.iter().map(|v| v.to_f64().powi(2)).sum();
        motion + spring * stretch * stretch
    };
    let (first, none, mut budget) = (energy(plant.state()), Vector::from([]), Fixed(n));
    let (mut most, mut refused) = (0.0, 0);
    for _ in 0..steps {
        refused += usize::from(plant.advance(R::ZERO, &none, &mut budget).is_err());
        most = f64::max(most, energy(plant.state()));
    }
    ((most / first).sqrt(), refused)
}

/// What is tried.
#[derive(Clone, Copy)]
struct Case {
    plant: usize,
    /// Where it starts.
    v: f64,
    /// h c / m up to which it must be passive.
    limit: f64,
}

const NAMES: [&str; 4] = ["damper", "friction", "joint", "spring"];

fn one<R: Real, K: Manner<3>>(case: &Case, z: f64, n: u8, steps: usize) -> (f64, usize) {
    let c = z / H;
    let [damper, dry, spring] = match case.plant {
        0 => [c, 0.0, 0.0],
        // Its slope at rest is ten times its force.
        1 => [0.0, c / 10.0, 0.0],
        2 => return run::<R, _, K, 2, 1>(Pair { damper: c }, JOINT, case.v, n, steps),
        _ => [c, 0.0, 1.0 / (H * H)],
    };
    let mass = Mass {
        damper,
        dry,
        spring,
    };
    run::<R, _, K, 1, 0>(mass, mass.spring, case.v, n, steps)
}

/// Tries all of them: a table of those that gain energy or are refused, and those that gain.
pub fn passive(steps: usize) -> (Table, Vec<String>) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["passive", "v", "n", "h c/m", "limit", "growth", "refused"]);
    let mut broken = Vec::new();
    let cases = [0, 1, 2, 3].into_iter().flat_map(|plant| {
        let limit = if plant == 3 { 1.5 } else { 2.0 };
        [1e-8, 1e-3, 1.0].map(|v| Case { plant, v, limit })
    });
    for case in cases {
        for n in 1..=4 {
            for (kind, try_one) in [
                (
                    "full f32",
                    one::<f32, RadauIIA<3>> as fn(&Case, f64, u8, usize) -> _,
                ),
                ("full f64", one::<f64, RadauIIA<3>>),
                ("lean f32", one::<f32, Lean<RadauIIA<3>>>),
                ("lean f64", one::<f64, Lean<RadauIIA<3>>>),
            ] {
                let name = format!("{} {kind}", NAMES[case.plant]);
                let (mut reached, mut most, mut all) = (0.0, 0.0, 0);
                for z in [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.2, 1.5, 1.8, 1.9, 2.0] {
                    if z > case.limit {
                        break;
                    }
                    let (growth, refused) = try_one(&case, z, n, steps);
                    if growth <= GROWTH && most <= GROWTH {
                        reached = z;
                    }
                    most = f64::max(most, growth);
                    all += refused;
                }
                let v = case.v;
                if reached < case.limit {
                    broken.push(format!(
                        "passive {name}, v {v:e}, {n} iterations: up to h c/m = {reached} only, growth {most:.1e}"
                    ));
                }
                if reached < case.limit || all > 0 {
                    table.add_row([
                        name,
                        format!("{v:e}"),
                        n.to_string(),
                        reached.to_string(),
                        case.limit.to_string(),
                        format!("{most:.1e}"),
                        all.to_string(),
                    ]);
                }
            }
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    (table, broken)
}
