//! Wunderlich's tables and figures.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::experiments::wunderlich::{
    Circuit67, Pair, Path, coefficients, example_1_2, fig_2, fig_3, fig_4, fig_5, fig_6, fig_7,
    fig_8, first_steps, rising, table_1, table_2,
};
use anyhow::Result;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("Wunderlich: tables");
    let (table_1, table_2) = (table_1()?, table_2()?);
    wish.say("Wunderlich: Figs. 2 to 7");
    let orders = ["ordinary", "modified"];
    let forms = ["first order (64)", "second order (62)"];
    let general = ["first order (65)", "second order (60)"];
    let circles = [
        (2, fig_2()?, orders),
        (3, fig_3()?, orders),
        (4, fig_4()?, forms),
        (5, fig_5()?, forms),
        (6, fig_6()?, general),
        (7, fig_7()?, general),
    ];
    wish.say("Wunderlich: Fig. 8");
    let circuit = fig_8()?;
    let mut exhibits: Vec<(String, Body)> = vec![
        ("wunderlich-example-1-2".into(), example_1_2()?.into()),
        ("wunderlich-coefficients".into(), coefficients().into()),
        ("wunderlich-table-1".into(), table_1.into()),
        ("wunderlich-table-2".into(), table_2.into()),
        ("wunderlich-first-steps".into(), first_steps()?.into()),
        ("wunderlich-rising".into(), rising()?.into()),
    ];
    for (number, pair, names) in circles {
        let id = format!("wunderlich-fig-{number}");
        let curves = panels(&pair, names).into();
        exhibits.push((id.clone(), curves));
        exhibits.push((format!("{id}-values"), pair.table.into()));
    }
    exhibits.extend([
        ("wunderlich-fig-8".into(), voltages(&circuit).into()),
        ("wunderlich-fig-8-errors".into(), circuit.table.into()),
    ]);
    Chapter::of("wunderlich", exhibits)
}

fn panels(pair: &Pair, names: [&str; 2]) -> Vec<Panel> {
    let paths = [&pair.first, &pair.second];
    type Curve = Vec<(f64, f64)>;
    let value =
        |path: &Path, n: usize| -> Curve { path.iter().map(|at| (at.t, at.x[n])).collect() };
    let error =
        |path: &Path, n: usize| -> Curve { path.iter().map(|at| (at.t, at.error[n])).collect() };
    let few = pair.second.len() < 30;
    let look = if few { Look::Both } else { Look::Line };
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
