//! Wunderlich's examples: multipliers of index-3 systems by methods that take second-order systems as they are, and by the same
//! methods on the first-order form.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | Tables 1 and 2, coefficients |
//! | `first_order_form.rs` | Example 1.2 |
//! | `rising.rs` | the first steps, and orders of rising formulas |
//! | `circle.rs` | the body on a circle, (62) and (64) |
//! | `figures.rs` | Figs. 2 to 8 |

mod circle;
mod figures;
mod first_order_form;
mod rising;

pub use circle::{Moment, Path, circle, circle_controlled, first_order_circle, steps_of, worst};
pub use figures::{Circuit67, Pair, Voltage, fig_2, fig_3, fig_4, fig_5, fig_6, fig_7, fig_8};
pub use first_order_form::example_1_2;
pub use rising::{first_steps, rising};

use crate::figures::Tolerance::{AtLeast, AtMost, Within};
use crate::figures::{Comparison, Figures, Grid, Tolerance};
use crate::order_conditions::theorem_2_9;
use crate::second_order::states;
use anyhow::Result;
use stiffstep::method::{Collocation, GeneralLinear};
use stiffstep::prelude::*;
use stiffstep_plants::papers::{OrdinaryBdf, Wunderlich};
use stiffstep_plants::second_order::Track;

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
    Within(10_f64.powi(-digits))
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
        let what = format!("BDF 1, step {name}");
        let ordinary = Comparison::printed(what, ordinary[k], printed[k], decimals(4));
        let what = format!("modified, step {name}");
        let modified = Comparison::independent(what, modified[k], expected[k], decimals(4));
        table.push(name, [ordinary, modified]);
    }
    Ok(table)
}

type Compare = fn(String, f64, f64, Tolerance) -> Comparison;

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
    let column = |found: &[f64], known: &[f64], what: String, compare: Compare| {
        let cells = found.iter().zip(known).enumerate();
        let cell = |(k, (&found, &known))| {
            compare(format!("{what}, step {}", k + 1), found, known, decimals(3))
        };
        cells.map(cell).collect::<Vec<_>>()
    };
    let mut columns = Vec::new();
    for (h, ordinary, modified) in rows {
        let steps = [h; 6];
        let run = states(Track, OrdinaryBdf::<2>, Track::at(1.0), &steps)?;
        let (found, what) = (track(&run, &steps), format!("BDF 1 then 2, h = {h}"));
        columns.push(column(&found, ordinary, what, Comparison::printed));
        let run = states(Track, Bdf::<2>, Track::at(1.0), &steps)?;
        let (found, what) = (track(&run, &steps), format!("modified, h = {h}"));
        columns.push(column(&found, modified, what, Comparison::independent));
    }
    let mut table = Grid::new("step", &[]);
    for h in ["0.005", "0.01"] {
        let names = ["BDF", "modified"].map(|name| format!("{name}, h = {h}"));
        table.columns.extend(names);
    }
    for k in 0..6 {
        let cells = columns.iter().map(|column| column.get(k).cloned());
        table.rows.push(((k + 1).to_string(), cells.collect()));
    }
    Ok(table)
}

/// Example 2.4: second-order coefficients as printed. Example 2.11 with Theorem 2.9: the first row of its matrices as printed, and what
/// is left of (48).
pub fn coefficients() -> Vec<Comparison> {
    let root = 3_f64.sqrt();
    let gauss = Gauss::<2>::coefficients::<f64>();
    let radau = RadauIIA::<2>::coefficients::<f64>();
    let glm = <Wunderlich as GeneralLinear<3, 3>>::matrices::<f64>();
    let mut all = Vec::new();
    let mut push = |name: &str, ours: &[f64], printed: &[f64]| {
        for (k, (&ours, &printed)) in ours.iter().zip(printed).enumerate() {
            let what = format!("{name}, entry {}", k + 1);
            all.printed(what, ours, printed, Within(1e-15));
        }
    };
    let sum = [3.0 - 2.0 * root, 3.0 + 2.0 * root].map(|x| x / 24.0);
    let (a2, twentyfourth) = (gauss.a2.as_flattened(), 1.0 / 24.0);
    let printed = [twentyfourth, sum[0], sum[1], twentyfourth];
    push("Example 2.4, Gauss 2, A~", a2, &printed);
    let printed = [(3.0 + root) / 12.0, (3.0 - root) / 12.0];
    push("Example 2.4, Gauss 2, b~", &gauss.ba, &printed);
    let (a2, printed) = (radau.a2.as_flattened(), [1.0 / 9.0, -1.0 / 18.0, 0.5, 0.0]);
    push("Example 2.4, Radau IIA 2, A~", a2, &printed);
    push("Example 2.4, Radau IIA 2, b~", &radau.ba, &[0.5, 0.0]);
    let printed = [37.0 / 432.0, -41.0 / 576.0, 29.0 / 1728.0];
    push("Example 2.11, A~, row 1", &glm.a2[0], &printed);
    let printed = [4.0 / 9.0, -11.0 / 48.0, 5.0 / 144.0];
    push("Example 2.11, A, row 1", &glm.a[0], &printed);
    let printed = [13.0 / 27.0, -1.0 / 18.0, 2.0 / 27.0];
    push("Example 2.11, B~, row 1", &glm.b2[0], &printed);
    let left = |p| theorem_2_9(&glm, p);
    let what = "Theorem 2.9, (48) for p = 2: what Example 2.11 leaves";
    all.theory(what, left(2), 1e-15, AtMost(0.0));
    all.theory("Theorem 2.9, (48) for p = 3", left(3), 0.1, AtLeast(0.0));
    all
}
