//! Wunderlich's tables and figures.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Exhibit};
use crate::experiments::wunderlich::{
    Circuit67, Pair, Path, coefficients, example_1_2, fig_2, fig_3, fig_4, fig_5, fig_6, fig_7,
    fig_8, first_steps, rising, table_1, table_2,
};
use anyhow::Result;

const SOURCE: &str = "host-tests/src/experiments/wunderlich/mod.rs";
const FIGURES: &str = "host-tests/src/experiments/wunderlich/figures.rs";
const FIRST_ORDER_FORM: &str = "host-tests/src/experiments/wunderlich/first_order_form.rs";
const RISING: &str = "host-tests/src/experiments/wunderlich/rising.rs";

/// The chapter.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("Wunderlich: tables");
    let (table_1, table_2) = (table_1()?, table_2()?);
    say("Wunderlich: Figs. 2 to 7");
    let circles = [
        (
            "2",
            "Fig. 2: backward differentiation formulas, order rising from 1 to 4",
            fig_2()?,
        ),
        (
            "3",
            "Fig. 3: backward differentiation formulas, order 2, variable steps",
            fig_3()?,
        ),
        ("4", "Fig. 4: Radau IIA 2, constant step", fig_4()?),
        ("5", "Fig. 5: Radau IIA 2, variable steps", fig_5()?),
        (
            "6",
            "Fig. 6: general linear methods, constant step",
            fig_6()?,
        ),
        (
            "7",
            "Fig. 7: general linear methods, variable steps",
            fig_7()?,
        ),
    ];
    say("Wunderlich: Fig. 8");
    let circuit = fig_8()?;
    let mut exhibits = vec![
        Exhibit::new(
            "wunderlich-example-1-2",
            "Example 1.2: the detour by way of first order costs a derivative",
            "(2) as it is and in first-order form (4): orders at t = 1, and how a disturbance of f2 grows with its frequency. x2 needs two \
             derivatives of f2, (3); v2, which (2) does not have, needs a third, (5), and with two stages does not converge at all.",
            FIRST_ORDER_FORM,
            Body::Grid(example_1_2()?),
        )
        .differs(
            "the paper calls the indices 2 and 3. By its own Definition 1.1, which counts the defect itself as one, they are 3 and 4; the \
             difference is what matters.",
        ),
        Exhibit::new(
            "wunderlich-coefficients",
            "Examples 2.4 and 2.11 and Theorem 2.9: coefficients",
            "The library's second-order coefficients A² and bᵀA beside the printed ones, and the order conditions (48) of the general linear \
             method.",
            SOURCE,
            Body::List(coefficients()),
        ),
        Exhibit::new(
            "wunderlich-table-1",
            "Table 1: error of λ in Example 1.3, order 1 in variable steps",
            "The ordinary formula's multiplier is wrong by 1 to 8 after every change of the step, as printed; the modified one does not \
             notice.",
            SOURCE,
            Body::Grid(table_1),
        ),
        Exhibit::new(
            "wunderlich-table-2",
            "Table 2: error of λ in Example 1.3, order 1 then 2 at a constant step",
            "Start and change of order disturb the ordinary formulas for three steps.",
            SOURCE,
            Body::Grid(table_2),
        )
        .differs("the paper prints four digits of which we assert three decimals; the fourth is the rounding of the print."),
    ];
    exhibits.extend([
        Exhibit::new(
            "wunderlich-first-steps",
            "The first steps, in which the order rises",
            "Error of λ in Example 1.3 by the modified formulas. No step is off by more than its own order, the first excepted, which is of \
             order 1.",
            RISING,
            Body::Grid(first_steps()?),
        ),
        Exhibit::new(
            "wunderlich-rising",
            "Orders of rising formulas",
            "(62) at t = 1. In steps of one size the first leaves h² in the momentum; in steps that grow from h^((k+1)/2) the order is the \
             formula's.",
            RISING,
            Body::Grid(rising()?),
        ),
    ]);
    for (number, title, pair) in circles {
        exhibits.extend(circle(number, title, pair));
    }
    exhibits.extend([
        Exhibit::new(
            "wunderlich-fig-8",
            "Fig. 8: the RLC circuit (67), h = 0.01",
            "Voltages, and the errors of v_C by four methods. The leading matrix of this second-order system is singular.",
            FIGURES,
            Body::Chart(voltages(&circuit)),
        )
        .differs("a fourth method, Radau IIA 3, is ours: its errors are rounding."),
        Exhibit::new(
            "wunderlich-fig-8-errors",
            "Fig. 8 in numbers: errors at t = 7",
            "The general linear method is best and BDF 2 worst of the paper's three, as printed.",
            FIGURES,
            Body::Grid(circuit.table),
        ),
    ]);
    Ok(Chapter {
        id: "wunderlich",
        title: "Wunderlich: second-order systems as they are",
        text: vec![
            "Second-order differential-algebraic systems without a detour by way of first order: BDF whose multipliers no change of step or \
             order disturbs, Runge–Kutta and general linear methods. Figures 2 to 7 are about a body on a circle, (62)."
                .into(),
            "As printed, (62) does not have the solution (sin t, cos t) that the paper names. With 2 y1 y1'² in place of 2 y1 y2'² it \
             has, with λ = sin t cos t, and this is what we solve."
                .into(),
            "The coefficients of the modified formulas solve (17). After some steps of random ratios that system is singular, or its weights \
             exceed 2.5 times those of the velocity; there the library takes the second derivative of the polynomial through k + 2 positions \
             instead, a direct formula that is as exact. Fig. 3 says how often."
                .into(),
        ],
        exhibits,
    })
}

/// What a figure shows, what its curves are called, and where it differs.
fn words(number: &str) -> (&'static str, [&'static str; 2], Option<&'static str>) {
    match number {
        "2" => (
            "h = 0.001. The error of y is alike; the ordinary formulas' λ fails while the order rises.",
            ["ordinary", "modified"],
            None,
        ),
        "3" => (
            "Steps between 1e-4 and 1e-3. The ordinary formulas' λ is off by up to 0.4 in the first steps, where step and order change.",
            ["ordinary", "modified"],
            Some(
                "the paper sees high errors of the ordinary formulas' λ after changes of the step, too. Ours show them in the first steps only; later \
                 both formulas are alike. The paper lets an error control choose the steps; ours are drawn at random and are the same for \
                 both, because under our control the ordinary formulas fail.",
            ),
        ),
        "4" => (
            "h = 0.001, (64) as a first-order system by a textbook's solver, (62) as it is by ours.",
            ["first order (64)", "second order (62)"],
            Some(
                "the paper sees a much higher accuracy with the second-order form. With the coefficients (28f) both forms are the same method; \
                 solved to rounding they agree to rounding, and the difference in print must come from where the Newton iteration \
                 stopped.",
            ),
        ),
        "5" => (
            "Steps chosen by the error, with the paper's tolerances, for the second-order form; the first-order form takes the same.",
            ["first order (64)", "second order (62)"],
            Some(
                "as the paper says, there is no difference. Our steps are at most 0.02, so that there are several on this short interval.",
            ),
        ),
        "6" => (
            "h = 0.001: (65) of Wright, for the first-order form, and Example 2.11, for the second-order form, from an exact start.",
            ["first order (65)", "second order (60)"],
            Some(
                "Example 2.11 is the more exact, as printed. But it is collocation at 1/4, 1/2 and 1, and not A-stable: an oscillation with h ω near \
                 3.04 grows by 8 % a step.",
            ),
        ),
        _ => (
            "The same in steps of their own choice, with the paper's tolerances.",
            ["first order (65)", "second order (60)"],
            Some(
                "the paper has better results with the second-order form. In ours that is so for y; λ is alike. Our steps are at most 0.02, so that \
                 there are several on this short interval.",
            ),
        ),
    }
}

fn circle(number: &'static str, title: &str, pair: Pair) -> [Exhibit; 2] {
    let (text, names, differs) = words(number);
    let (figure, values) = match number {
        "2" => ("wunderlich-fig-2", "wunderlich-fig-2-values"),
        "3" => ("wunderlich-fig-3", "wunderlich-fig-3-values"),
        "4" => ("wunderlich-fig-4", "wunderlich-fig-4-values"),
        "5" => ("wunderlich-fig-5", "wunderlich-fig-5-values"),
        "6" => ("wunderlich-fig-6", "wunderlich-fig-6-values"),
        _ => ("wunderlich-fig-7", "wunderlich-fig-7-values"),
    };
    let chart = Body::Chart(panels(&pair, names));
    let drawn = Exhibit {
        differs: differs.map(str::to_owned),
        ..Exhibit::new(figure, title, text, FIGURES, chart)
    };
    let title = format!("Fig. {number} in numbers");
    [
        drawn,
        Exhibit::new(values, title, "", FIGURES, Body::List(pair.table)),
    ]
}

fn panels(pair: &Pair, names: [&str; 2]) -> Vec<Panel> {
    let paths = [&pair.first, &pair.second];
    let value = |path: &Path, n: usize| -> Vec<(f64, f64)> {
        path.iter().map(|at| (at.t, at.x[n])).collect()
    };
    let error = |path: &Path, n: usize| -> Vec<(f64, f64)> {
        path.iter().map(|at| (at.t, at.error[n])).collect()
    };
    let look = if pair.second.len() < 30 {
        Look::Both
    } else {
        Look::Line
    };
    let t = || Axis::linear("t");
    let errors = || Axis::logarithmic("error").within(1e-17, 10.0);
    let positions = Panel::new("y, second order", t(), Axis::linear("y"))
        .with("y1", look, value(&pair.second, 0))
        .with("y2", look, value(&pair.second, 1));
    let mut panels = vec![
        positions,
        Panel::new("λ", t(), Axis::linear("λ")),
        Panel::new("error of y", t(), errors()),
        Panel::new("error of λ", t(), errors()),
    ];
    for k in 0..2 {
        let curves = [value(paths[k], 2), error(paths[k], 0), error(paths[k], 2)];
        for (panel, curve) in panels.iter_mut().skip(1).zip(curves) {
            *panel = panel.clone().with(names[k], look, curve);
        }
    }
    panels
}

fn voltages(circuit: &Circuit67) -> Vec<Panel> {
    let t = || Axis::linear("t");
    let solution = Panel::new("voltages, Radau IIA 2", t(), Axis::linear("V"));
    let names = ["v_L", "v_C", "v_R"];
    let solution = (0..3).fold(solution, |panel, n| {
        let run = circuit.runs.iter().find(|(name, _)| *name == "Radau IIA 2");
        let points = run
            .into_iter()
            .flat_map(|(_, run)| run.iter().map(|at| (at.0, at.1[n])));
        panel.with(names[n], Look::Line, points)
    });
    let errors = Axis::logarithmic("error").within(1e-18, 1e-5);
    let errors = Panel::new("error of v_C", t(), errors);
    let errors = circuit.runs.iter().fold(errors, |panel, (name, run)| {
        panel.with(*name, Look::Line, run.iter().map(|at| (at.0, at.2[1])))
    });
    vec![solution, errors]
}
