//! The report: what is out of tolerance is said, and the page is whole in a real browser.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use stiffstep_host_tests::figures::Tolerance::{
    AtLeast, AtMost, Excess, Factor, Figure, Relative, Within,
};
use stiffstep_host_tests::figures::{Comparison, Grid, Tolerance};
use stiffstep_host_tests::report::browser::{View, look};
use stiffstep_host_tests::report::chart::{Axis, Look, Panel};
use stiffstep_host_tests::report::drawing::sheet;
use stiffstep_host_tests::report::{Body, CHAPTERS, Chapter, Exhibit, failures, page::page};

fn chapter(body: Body) -> Chapter {
    Chapter {
        id: "one",
        title: "One".into(),
        text: vec!["a < b & c".into()],
        exhibits: vec![Exhibit {
            id: "one-fig-1".into(),
            title: "Fig. 1".into(),
            text: String::new(),
            differs: None,
            source: "here.rs".into(),
            body,
        }],
    }
}

#[test]
fn what_is_out_of_tolerance_is_said() {
    let good = Comparison::printed("good", 1.1, 1.0, Figure);
    let bad = Comparison::printed("bad", 1.3, 1.0, Figure);
    let lost = Comparison::printed("lost", f64::NAN, 1.0, Tolerance::Error);
    let mut grid = Grid::new("", &["a", "b"]);
    grid.push("row", [good.clone(), lost]);
    let chapters = [
        chapter(Body::List(vec![good, bad])),
        chapter(Body::Grid(grid)),
    ];
    let said = failures(&chapters);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("bad"), "{said:?}");
    assert!(said[1].contains("lost"), "{said:?}");
    let page = page(&chapters).unwrap();
    assert_eq!(page.matches("out of tolerance").count(), 2);
    assert!(page.contains("<b>2</b> of them are out of their tolerance"));
    assert!(page.contains("a &lt; b &amp; c"));
    assert!(failures(&chapters[..0]).is_empty());
}

/// Every rule on both sides of its edge.
#[test]
fn tolerances_are_what_they_say() {
    for (tolerance, published, good, bad) in [
        (Figure, 1.0, 0.81, 0.79),
        (Figure, 1e-12, 4.9e-12, 5.1e-12),
        (Tolerance::Error, 1.0, 1.19, 1.21),
        (Tolerance::Error, 1e-12, 4.9e-12, 5.1e-12),
        (AtMost(0.5), 1.0, 1.5, 1.51),
        (AtLeast(0.5), 1.0, 0.5, 0.49),
        (Within(0.1), -1.0, -0.91, -0.89),
        (Relative(0.1), -1.0, -1.09, -1.11),
        (Excess(0.1), 100.0, 109.0, 111.0),
        (Factor(2.0), 1.0, 0.51, 2.1),
    ] {
        assert!(tolerance.allows(good, published), "{tolerance}");
        assert!(!tolerance.allows(bad, published), "{tolerance}");
        assert!(!tolerance.allows(f64::NAN, published), "{tolerance}");
    }
}

/// No colour of its own: all come from the style sheet, which knows dark pages.
#[test]
fn charts_take_their_colours_from_the_page() {
    let axes = || (Axis::linear("t"), Axis::logarithmic("error"));
    let (x, y) = axes();
    let panel = (0..8).fold(Panel::new("a \"b\" <c>", x, y), |panel, k| {
        let points = (0..5).map(move |t| (f64::from(t), 10_f64.powi(k - t)));
        panel.with(format!("curve {k}"), Look::Both, points)
    });
    let inline = panel.inline().unwrap();
    assert!(!inline.contains("\"#"), "a fixed colour");
    assert!(inline.contains("aria-label=\"a &quot;b&quot; &lt;c>\""));
    for colour in ["ink", "grid", "series-0", "series-6"] {
        assert!(inline.contains(&format!("\"var(--{colour})\"")), "{colour}");
    }
    let file = sheet(&[panel], 1).unwrap();
    // A file has plain ones, which every viewer knows, and others for browsers with dark pages.
    assert!(!file.contains("var(--") && file.contains("stroke=\"#555555\""));
    assert!(file.contains("prefers-color-scheme:dark") && file.contains("{stroke:#b5b5b5}"));
    // What is not a number, or not positive, is left out and nothing else.
    let (x, y) = axes();
    let points = (0..).map(f64::from).zip([1.0, 0.0, f64::NAN, -1.0, 1e-3]);
    let holes = Panel::new("", x, y).with("", Look::Dots, points);
    let holes = holes.inline().unwrap();
    assert_eq!(holes.matches("<circle").count(), 2);
}

/// What the papers have, and what they do not.
const EXPECTED: &str = "\
    contents-papers lubich-orders lubich-newton schropp-table-1 schropp-table-2 schropp-fig-1 \
    schropp-fig-2 schropp-fig-3 schropp-fig-4 schropp-fig-5 jay-petzold-fig-1 jay-petzold-fig-2 \
    jay-petzold-fig-3 jay-petzold-fig-4 ariel-table-1a ariel-table-1b ariel-fig-2 ariel-fig-3 \
    ariel-fig-4 ariel-fig-5 ariel-fig-6 wunderlich-table-1 wunderlich-table-2 wunderlich-fig-2 \
    wunderlich-fig-3 wunderlich-fig-4 wunderlich-fig-5 wunderlich-fig-6 wunderlich-fig-7 \
    wunderlich-fig-8 precision-multipliers precision-curves boards-single boards-double \
    peers-chart peers-table stability-table stability-curves slow-start-curves tolerances-curves";

/// Every figure with its drawings and tables, as large as they are shown; what sticks out of the window; colours.
const PROBE: &str = "{
    width: innerWidth,
    content: document.documentElement.scrollWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    card: getComputedStyle(document.querySelector('figure')).backgroundColor,
    chapters: [...document.querySelectorAll('section')].map(s => s.id),
    figures: [...document.querySelectorAll('figure')].map(f => ({
        id: f.id,
        made: f.querySelector('.made').textContent,
        rows: f.querySelectorAll('tbody tr').length,
        drawings: [...f.querySelectorAll('svg')].map(s => ({
            width: s.getBoundingClientRect().width,
            height: s.getBoundingClientRect().height,
            marks: [...s.querySelectorAll('polyline, circle, polygon, rect')]
                .filter(m => /series/.test(m.getAttribute('stroke') + m.getAttribute('fill'))).length,
            strokes: [...new Set([...s.querySelectorAll('polyline')].map(m => getComputedStyle(m).stroke))],
        })),
    })),
}";

/// Red, green and blue of `rgb(1, 2, 3)`.
fn rgb(colour: &Value) -> [f64; 3] {
    let text = colour.as_str().unwrap();
    let numbers = text.trim_start_matches("rgb(").trim_end_matches(')');
    let numbers: Vec<f64> = numbers.split(", ").map(|n| n.parse().unwrap()).collect();
    let colour = numbers.try_into();
    colour.unwrap_or_else(|_| panic!("{text} is not a colour"))
}

fn luminance(colour: [f64; 3]) -> f64 {
    let [r, g, b] = colour.map(|part| {
        let part = part / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The contrast of two colours, 1 to 21, as the accessibility guidelines have it.
fn contrast(a: &Value, b: &Value) -> f64 {
    let (a, b) = (luminance(rgb(a)), luminance(rgb(b)));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn report() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_tasks"));
    let done = Command::new(program).arg("report").output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    program
        .ancestors()
        .nth(2)
        .unwrap()
        .join("report/index.html")
}

/// As `cargo xtask report` makes it, on a laptop and on a phone, in light and in dark.
#[test]
#[ignore = "compiles firmware for all boards, and needs a browser"]
fn the_page_is_whole_in_a_browser() {
    let page = report();
    for (width, height) in [(1280, 800), (390, 844)] {
        for dark in [false, true] {
            let view = View {
                width,
                height,
                dark,
            };
            let seen = look(&page, view, PROBE).unwrap();
            assert!(seen.console.is_empty(), "{view:?}: {:?}", seen.console);
            whole(&seen.found, view);
        }
    }
    for file in "schropp-fig-2-1.svg ariel-fig-6-2.svg lubich-newton-curves.svg".split(' ') {
        assert!(page.with_file_name(file).is_file(), "{file} is missing");
    }
}

fn whole(found: &Value, view: View) {
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(found["width"], view.width, "{view:?}");
    let wide = number(&found["content"]) > f64::from(view.width);
    assert!(!wide, "{view:?}: wider than the window");
    let dark = luminance(rgb(&found["paper"])) < 0.2;
    assert_eq!(dark, view.dark);
    let text = contrast(&found["ink"], &found["card"]);
    assert!(text > 7.0, "{view:?}: text");
    let chapters = found["chapters"].as_array().unwrap();
    for (id, _) in CHAPTERS {
        let there = chapters.iter().any(|chapter| chapter == id);
        assert!(there, "{id} is missing");
    }
    let figures = found["figures"].as_array().unwrap();
    for id in EXPECTED.split_whitespace() {
        let figure = figures.iter().find(|figure| figure["id"] == id);
        assert!(figure.is_some(), "{id} is missing");
    }
    for figure in figures {
        let id = &figure["id"];
        let made = figure["made"].as_str().unwrap();
        assert!(made.contains("cargo xtask report --only"), "{id}: {made}");
        let source = made.rsplit(' ').next().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(root.join(source).is_file(), "{id}: there is no {source}");
        let drawings = figure["drawings"].as_array().unwrap();
        let empty = number(&figure["rows"]) == 0.0 && drawings.is_empty();
        assert!(!empty, "{id} is empty");
        for drawing in drawings {
            assert!(number(&drawing["width"]) > 300.0, "{id}: {drawing}");
            assert!(number(&drawing["height"]) > 100.0, "{id}: {drawing}");
            assert!(number(&drawing["marks"]) > 0.0, "{id}: nothing is drawn");
            for stroke in drawing["strokes"].as_array().unwrap() {
                let contrast = contrast(stroke, &found["card"]);
                // The grid is to be faint.
                assert!(contrast > 1.15, "{id}: {stroke} cannot be seen");
            }
        }
    }
}

/// The check itself: a complaint in the console, and a page that is too wide, are noticed.
#[test]
#[ignore = "needs a browser"]
fn a_broken_page_is_noticed() {
    let folder = env::temp_dir().join(format!("stiffstep-broken-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let page = folder.join("index.html");
    let text = "<!DOCTYPE html><html><body><div style='width:2000px'>x</div><script>missing()</script></body></html>";
    fs::write(&page, text).unwrap();
    let view = View {
        width: 390,
        height: 844,
        dark: true,
    };
    let seen = look(&page, view, "document.documentElement.scrollWidth");
    fs::remove_dir_all(&folder).unwrap();
    let seen = seen.unwrap();
    let mut complaints = seen.console.iter();
    let noticed = complaints.any(|line| line.contains("missing"));
    assert!(noticed, "{:?}", seen.console);
    assert!(seen.found.as_f64().unwrap() >= 2000.0);
}
