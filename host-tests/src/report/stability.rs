//! What every method does to oscillations, so that one of them can be chosen.

use super::chart::{Axis, Look, Panel};
use super::{Body, Chapter, Wish};
use crate::command::table::number;
use crate::stability::{Interval, Offered, Scheme, catalogue};
use anyhow::{Result, ensure};

/// Growth beyond this is not drawn.
const CEILING: f64 = 1.5;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    let (omega, step) = (wish.omega.unwrap_or(1e5), wish.step);
    let sound = |x: f64| x.is_finite() && x > 0.0;
    ensure!(sound(omega), "--omega must be greater than zero");
    ensure!(sound(step), "--step must be greater than zero");
    let methods = catalogue();
    let curves = vec![curves(&methods, omega * step)];
    let exhibits = [
        ("stability-table", table(&methods, omega, step)),
        ("stability-curves", curves.into()),
    ];
    let mut chapter = Chapter::of("stability", exhibits)?;
    chapter.exhibits[0].title = format!(
        "Oscillations of {omega} rad/s in steps of {step} s: h omega = {}, {:.3} steps a period",
        number(omega * step),
        std::f64::consts::TAU / (omega * step)
    );
    Ok(chapter)
}

fn table(methods: &[Offered], omega: f64, step: f64) -> Body {
    let header = "method | order | stable | R(inf) | kept a step | kept a second | seen as [rad/s] | damping order | periodic for";
    let row = |method: &Offered| {
        let kept = method.scheme.kept(omega * step);
        let turn = method.scheme.turn(omega * step);
        let none = || "none".to_owned();
        let (stable, infinity, damping) = match &method.scheme {
            Scheme::RungeKutta(function) => {
                let is = [
                    function.a_stable(),
                    function.l_stable(),
                    function.p_stable(),
                ];
                let letters = ["A", "L", "P"].into_iter().zip(is);
                let letters: Vec<&str> = letters.filter(|(_, is)| *is).map(|(l, _)| l).collect();
                // A limit that theory says is whole.
                let limit = match function.at_infinity().round() {
                    0.0 => "0".to_owned(),
                    limit => format!("{limit:+}"),
                };
                let damping = function.damping_order();
                (
                    letters.join(" "),
                    limit,
                    damping.map_or_else(none, |order| order.to_string()),
                )
            }
            Scheme::Partitioned(_) => ("-".to_owned(), "unbounded".to_owned(), none()),
        };
        vec![
            method.name.clone(),
            method.order.to_string(),
            stable,
            infinity,
            number(kept),
            number(kept.powf(step.recip())),
            turn.map_or_else(|| "-".to_owned(), |turn| number(turn / step)),
            damping,
            intervals(&method.scheme.periodicity()),
        ]
    };
    Body::plain(header, methods.iter().map(row).collect())
}

fn intervals(all: &[Interval]) -> String {
    let written = all.iter().map(|interval| match interval.to {
        f64::INFINITY if interval.from == 0.0 => "all".to_owned(),
        to => format!("{} .. {}", number(interval.from), number(to)),
    });
    let written: Vec<String> = written.collect();
    if written.is_empty() {
        "-".to_owned()
    } else {
        written.join(", ")
    }
}

/// What is kept over `h omega`, from a hundredth of a radian to ten thousand. Symmetric methods lie on top of each other and share a curve.
fn curves(methods: &[Offered], here: f64) -> Panel {
    let symmetric =
        |method: &&Offered| matches!(&method.scheme, Scheme::RungeKutta(f) if f.p_stable());
    let drawn = methods.iter().filter(|method| !symmetric(method));
    let drawn = drawn.map(|method| (method.name.as_str(), &method.scheme));
    let one = methods.iter().find(symmetric);
    let one = one.map(|method| ("every Gauss and Lobatto IIIA", &method.scheme));
    let axes = Panel::new(
        "what a step keeps of an oscillation",
        Axis::logarithmic("h omega").within(1e-2, 1e4),
        Axis::linear("|R(i h omega)|").within(0.0, CEILING),
    );
    let panel = drawn.chain(one).fold(axes, |panel, (name, scheme)| {
        let at = (0..=3000).map(|k| 10_f64.powf(-2.0 + f64::from(k) / 500.0));
        panel.with(name, Look::Line, at.map(|mu| (mu, scheme.kept(mu))))
    });
    panel.coloured(6, "this step", Look::Line, [(here, 0.0), (here, CEILING)])
}
