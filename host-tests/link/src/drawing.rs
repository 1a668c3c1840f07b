//! Charts as SVG that reads well on light pages and on dark ones.
//!
//! The drawing library knows fixed colours only. So ink, grid and series are drawn in colours that stand for a variable of
//! the style sheet each, and are replaced by it afterwards.

use super::chart::{Look, Panel, Scale, Series};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Coordinates are whole numbers: this many of them make a pixel.
const FINE: u32 = 4;

/// Pixels of letters, from the top of the highest to the bottom of the lowest.
const LETTERS: u32 = 18;

/// Pixels left of an axis of numbers.
const MARGIN: u32 = 68;

const INK: RGBColor = RGBColor(1, 0, 0);
const GRID: RGBColor = RGBColor(2, 0, 0);

/// Colours of series, on light and on dark: told apart by the colour-blind, too.
const SERIES: [(&str, &str); 7] = [
    ("#0068b0", "#5cb8ff"),
    ("#d04a00", "#ff9a57"),
    ("#00805a", "#3fd6a5"),
    ("#b0308a", "#f29ad8"),
    ("#8a6d00", "#e6c74c"),
    ("#5b4bc4", "#b0a6ff"),
    ("#555555", "#b5b5b5"),
];

/// Ink and grid, on light and on dark.
const LINES: [(&str, &str, &str); 2] = [
    ("ink", "#30343b", "#d7dae0"),
    ("grid", "#dfe3e8", "#363c46"),
];

/// What they are drawn on, light and dark.
const PAPER: (&str, &str) = ("#ffffff", "#15181d");

type Axes<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The errors of the library borrow from the drawing and cannot be passed on as they are.
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Panel {
    /// Pixels: names want a line each.
    fn size(&self) -> (u32, u32) {
        match self.y.scale {
            Scale::Names => (self.size.0, 60 + 26 * self.y.names.len() as u32),
            _ => self.size,
        }
    }

    /// The panel for a page that has the colours, and shows the title itself.
    pub fn inline(&self) -> Result<String> {
        let label = escaped(&self.title);
        self.opened(&format!("role=\"img\" aria-label=\"{label}\""), false)
    }

    /// The panel with these attributes of its outermost element.
    fn opened(&self, attributes: &str, titled: bool) -> Result<String> {
        let (width, height) = self.size();
        let size = format!("width=\"{}\" height=\"{}\"", width * FINE, height * FINE);
        Ok(self.drawn(titled)?.replacen(&size, attributes, 1))
    }

    fn drawn(&self, titled: bool) -> Result<String> {
        let mut text = String::new();
        self.draw(&mut text, titled)
            .map_err(|error| anyhow!("{error}"))?;
        for (k, (name, _, _)) in LINES.iter().enumerate() {
            let stand_in = format!("\"#{:02X}0000\"", k + 1);
            text = text.replace(&stand_in, &format!("\"var(--{name})\""));
        }
        for k in 0..SERIES.len() {
            let stand_in = format!("\"#0300{k:02X}\"");
            text = text.replace(&stand_in, &format!("\"var(--series-{k})\""));
        }
        Ok(text)
    }

    fn draw(&self, text: &mut String, titled: bool) -> Drawn {
        let (width, height) = self.size();
        let root = SVGBackend::with_string(text, (width * FINE, height * FINE));
        let root = root.into_drawing_area();
        let title = if titled { self.title.as_str() } else { "" };
        let keys = self.keys(u32::from(!title.is_empty()));
        let rows = keys.iter().map(|key| key.1 + 1).max();
        let rows = rows.unwrap_or(u32::from(!title.is_empty()));
        let head = (rows * (LETTERS + 6) + if rows > 0 { 6 } else { 0 }) * FINE;
        let (above, below) = root.split_vertically(head);
        let at = ((MARGIN * FINE) as i32, (14 * FINE) as i32);
        let style = letters().pos(Pos::new(HPos::Left, VPos::Center));
        above.draw(&Text::new(title.to_owned(), at, style))?;
        for &(x, row, series) in &keys {
            let y = ((LETTERS + 6) * row + 14) * FINE;
            let (x, y, fine) = (x as i32, y as i32, FINE as i32);
            let style = stroke(series.colour);
            if series.look == Look::Bars {
                let corners = [(x, y - 6 * fine), (x + 18 * fine, y + 6 * fine)];
                above.draw(&Rectangle::new(corners, style.filled()))?;
            }
            if series.look.joined() {
                let line = [(x, y), (x + 18 * fine, y)];
                above.draw(&PathElement::new(line, style))?;
            }
            if series.look.dotted() {
                mark(&above, series.colour, (x + 9 * fine, y))?;
            }
            let style = letters().pos(Pos::new(HPos::Left, VPos::Center));
            above.draw(&Text::new(series.name.clone(), (x + 24 * fine, y), style))?;
        }
        let all = || self.series.iter().flat_map(|series| &series.points);
        let x = self.x.ends(all().map(|point| point.0));
        let y = self.y.ends(all().map(|point| point.1));
        let mut axes: Axes = ChartBuilder::on(&below)
            .margin(6 * FINE)
            .margin_right(14 * FINE)
            .x_label_area_size(44 * FINE)
            .y_label_area_size(self.left() * FINE)
            .build_cartesian_2d(x[0]..x[1], y[0]..y[1])?;
        axes.configure_mesh()
            .x_desc(self.x.name.clone())
            .y_desc(self.y.name.clone())
            .x_labels(self.x.labels(x))
            .y_labels(self.y.labels(y))
            .x_label_formatter(&self.x.tick(x))
            .y_label_formatter(&self.y.tick(y))
            .axis_style(INK.stroke_width(FINE))
            .bold_line_style(GRID.stroke_width(FINE))
            .light_line_style(TRANSPARENT)
            .label_style(letters())
            .axis_desc_style(letters())
            .set_all_tick_mark_size(3 * FINE)
            .draw()?;
        for series in &self.series {
            let place = |point: &(f64, f64)| Some((self.x.place(point.0)?, self.y.place(point.1)?));
            let places: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
            if series.look.dotted() {
                for &(x, y) in &places {
                    let at = axes.backend_coord(&(x, y));
                    mark(&root, series.colour, at)?;
                }
            }
            if series.look == Look::Bars {
                let bars = places.iter().map(|&(end, y)| {
                    let corners = [(x[0], y - 0.36), (end, y + 0.36)];
                    Rectangle::new(corners, stand_in(series.colour).filled())
                });
                axes.draw_series(bars)?;
            }
            if series.look.joined() {
                axes.draw_series(LineSeries::new(places, stroke(series.colour)))?;
            }
        }
        for (k, name) in self.y.names.iter().enumerate() {
            let (x, y) = axes.backend_coord(&(x[0], -(k as f64)));
            let style = letters().pos(Pos::new(HPos::Right, VPos::Center));
            root.draw(&Text::new(name.clone(), (x - 6 * FINE as i32, y), style))?;
        }
        root.present()?;
        Ok(())
    }

    /// Pixels left of the axes.
    fn left(&self) -> u32 {
        let longest = self.y.names.iter().map(|name| name.chars().count()).max();
        longest.map_or(MARGIN, |longest| {
            (longest as u32 * LETTERS * 9 / 20 + 12).min(self.size.0 / 2)
        })
    }

    /// Where in the legend each curve stands: from the left, and in which row, beginning with this one. What has no name needs none.
    fn keys(&self, first: u32) -> Vec<(u32, u32, &Series)> {
        let (mut x, mut row) = (MARGIN * FINE, first);
        let mut keys = Vec::new();
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            // About how wide letters are.
            let width = (24 + 14 + series.name.chars().count() as u32 * LETTERS * 9 / 20) * FINE;
            if x + width > self.size.0 * FINE && x > MARGIN * FINE {
                (x, row) = (MARGIN * FINE, row + 1);
            }
            keys.push((x, row, series));
            x += width;
        }
        keys
    }
}

/// Panels with their titles as one file, so many beside each other. Its colours are plain, because viewers of pictures other than browsers
/// know no variables; a browser takes others where pages are dark.
pub fn sheet(panels: &[Panel], columns: usize) -> Result<String> {
    let (mut x, mut y, mut right, mut row) = (0, 0, 0, 0);
    let mut inner = String::new();
    for (k, panel) in panels.iter().enumerate() {
        if k > 0 && k.is_multiple_of(columns.max(1)) {
            (x, y, row) = (0, y + row, 0);
        }
        let (width, height) = panel.size();
        let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        inner += &panel.opened(&place, true)?;
        (x, row) = (x + width, row.max(height));
        right = right.max(x);
    }
    let mut dark_page = format!("svg{{background:{}}}", PAPER.1);
    for (name, light, dark) in named() {
        inner = inner.replace(&format!("var(--{name})"), light);
        for what in ["fill", "stroke"] {
            dark_page += &format!("[{what}=\"{light}\"]{{{what}:{dark}}}");
        }
    }
    let bottom = y + row;
    Ok(format!(
        "<svg width=\"{right}\" height=\"{bottom}\" viewBox=\"0 0 {right} {bottom}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <style>svg{{background:{}}}@media(prefers-color-scheme:dark){{{dark_page}}}</style>\n{inner}</svg>\n",
        PAPER.0
    ))
}

/// Lines and series by the names of their variables, on light and on dark.
fn named() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    let series = SERIES.iter().enumerate();
    let series = series.map(|(k, &(light, dark))| (format!("series-{k}"), light, dark));
    let lines = LINES.map(|(name, light, dark)| (name.to_owned(), light, dark));
    lines.into_iter().chain(series)
}

fn letters() -> TextStyle<'static> {
    ("sans-serif", LETTERS * FINE)
        .into_text_style(&(1, 1))
        .color(&INK)
}

fn stroke(colour: usize) -> ShapeStyle {
    stand_in(colour).stroke_width(2 * FINE - FINE / 2)
}

fn stand_in(colour: usize) -> RGBColor {
    RGBColor(3, 0, (colour % SERIES.len()) as u8)
}

/// A mark whose shape tells colours apart, too.
fn mark(area: &DrawingArea<SVGBackend, Shift>, colour: usize, at: (i32, i32)) -> Drawn {
    let fill = stand_in(colour).filled();
    let size = 4 * FINE;
    match colour % 3 {
        0 => area.draw(&Circle::new(at, size, fill))?,
        1 => area.draw(&TriangleMarker::new(at, size + FINE, fill))?,
        _ => area.draw(&Cross::new(at, size, stroke(colour)))?,
    }
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}

/// The colours as variables of a style sheet, for this selector.
pub fn colours(selector: &str) -> String {
    let all = |dark: bool| {
        let paper = ("paper".to_owned(), PAPER.0, PAPER.1);
        let named = [paper].into_iter().chain(named());
        named
            .map(|(name, on_light, on_dark)| {
                format!("--{name}:{};", if dark { on_dark } else { on_light })
            })
            .collect::<String>()
    };
    format!(
        "{selector}{{{}}}@media(prefers-color-scheme:dark){{{selector}{{{}}}}}",
        all(false),
        all(true)
    )
}
