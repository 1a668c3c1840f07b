//! The report as one page of HTML that needs nothing else.

use super::drawing::colours;
use super::{Body, Chapter, Exhibit, svg_name};
use crate::figures::{Comparison, Grid, number};
use crate::unique;
use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn page(chapters: &[Chapter]) -> Result<String> {
    let all: Vec<&Comparison> = chapters
        .iter()
        .flat_map(|chapter| chapter.exhibits.iter().flat_map(Exhibit::comparisons))
        .collect();
    let off = all.iter().filter(|comparison| !comparison.holds()).count();
    let bodies: Vec<Markup> = chapters.iter().map(chapter).collect::<Result<_>>()?;
    let style = colours(":root") + STYLE;
    Ok(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "stiffstep: five papers reproduced" }
                // An icon of its own, or browsers ask for one that is not there.
                link rel="icon" href="data:,";
                style { (PreEscaped(style)) }
            }
            body {
                header {
                    h1 { "stiffstep: five papers reproduced" }
                    p {
                        "Tables and figures of five papers on stiff and constrained mechanical systems, computed by this "
                        "library, beside the values that were published; then what the papers do not have. "
                        "Everything on this page is made by " code { "cargo xtask report" } "."
                    }
                    p.verdict.bad[off > 0] {
                        b { (all.len()) } " values are compared, "
                        @if off == 0 { "all of them are within their tolerance." }
                        @else { b { (off) } " of them are out of their tolerance." }
                    }
                    p.note {
                        "In tables, ours stands first and the published value below it. "
                        span.source { "*" } " marks a value that is not in the paper: the paper's experiment was computed "
                        "independently of this library, with many digits. "
                        span.source { "t" } " marks what theory promises, "
                        span.source { "l" } " a limit that the tests set."
                    }
                    nav { ul { @for chapter in chapters {
                        li { a href={ "#" (chapter.id) } { (chapter.title) } }
                    } } }
                }
                main { @for body in bodies { (body) } }
            }
        }
    }
    .into_string())
}

fn chapter(chapter: &Chapter) -> Result<Markup> {
    let exhibits: Vec<Markup> = chapter
        .exhibits
        .iter()
        .map(|exhibit| self::exhibit(chapter, exhibit))
        .collect::<Result<_>>()?;
    Ok(html! {
        section id=(chapter.id) {
            h2 { (chapter.title) }
            @for text in &chapter.text { p { (text) } }
            @for exhibit in exhibits { (exhibit) }
        }
    })
}

fn exhibit(chapter: &Chapter, exhibit: &Exhibit) -> Result<Markup> {
    let body = match &exhibit.body {
        Body::Chart(panels) => {
            let mut drawn = Vec::new();
            for (k, panel) in panels.iter().enumerate() {
                let file = svg_name(exhibit, k, panels.len());
                drawn.push((panel.inline()?, file, &panel.title));
            }
            html! { div.panels { @for (svg, file, title) in drawn {
                div.panel {
                    @if !title.is_empty() { h4 { (title) } }
                    (PreEscaped(svg))
                    a.file href=(file) { (file) }
                }
            } } }
        }
        Body::List(all) => list(all),
        Body::Grid(all) => grid(all),
        Body::Plain { header, rows } => html! { div.table { table {
            thead { tr { @for name in header { th { (name) } } } }
            tbody { @for row in rows { tr { @for (k, cell) in row.iter().enumerate() {
                @if k == 0 { th { (cell) } } @else { td { (cell) } }
            } } } }
        } } },
    };
    Ok(html! {
        figure id=(exhibit.id) {
            figcaption {
                h3 { (exhibit.title) }
                @if !exhibit.text.is_empty() { p { (exhibit.text) } }
            }
            (body)
            @if let Some(why) = &exhibit.differs { p.differs { b { "Where we differ: " } (why) } }
            p.made { code { "cargo xtask report --only " (chapter.id) } " · " code { (exhibit.source) } }
        }
    })
}

fn verdict(comparison: &Comparison) -> Markup {
    if comparison.holds() {
        html! { span.good { "✓" } }
    } else {
        html! { span.bad { "✗ out of tolerance" } }
    }
}

fn published(comparison: &Comparison) -> Markup {
    html! { (number(comparison.published)) span.source { (comparison.source.sign()) } }
}

fn list(all: &[Comparison]) -> Markup {
    html! { div.table { table {
        thead { tr { th { "quantity" } th { "ours" } th { "published" } th { "tolerance" } th { "within" } } }
        tbody { @for comparison in all { tr {
            th { (comparison.what) }
            td { (number(comparison.measured)) }
            td { (published(comparison)) }
            td { (comparison.tolerance) }
            td { (verdict(comparison)) }
        } } }
    } } }
}

fn grid(grid: &Grid) -> Markup {
    let rules = unique(grid.comparisons().map(|of| of.tolerance.to_string()));
    html! {
        div.table { table.grid {
            thead { tr { th { (grid.corner) } @for name in &grid.columns { th { (name) } } } }
            tbody { @for (name, cells) in &grid.rows { tr {
                th { (name) }
                @for cell in cells { @match cell {
                    Some(cell) => { td title=(format!("{}: {}", cell.what, cell.tolerance)) {
                        (number(cell.measured)) " " (verdict(cell))
                        span.published { (published(cell)) }
                    } }
                    None => { td { "–" } }
                } }
            } } }
        } }
        p.note { "Tolerances: " (rules.join("; ")) "." }
    }
}
