//! Published figures, and what it takes to meet them: for tests, which fail, and for the report, which shows.

use std::fmt;

/// How far a measured figure may be from a published one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Within 20 % where the published one is above rounding, and up to five times where it is rounding.
    Figure,
    /// That of the published figure or smaller, with the same allowance.
    Error,
    /// At most so much more.
    AtMost(f64),
    /// At least that, but for so much.
    AtLeast(f64),
    /// At most so much more or less.
    Within(f64),
    /// More or less by at most this fraction.
    Relative(f64),
    /// More by at most this fraction.
    Excess(f64),
    /// At most so many times more or less.
    Factor(f64),
}

/// Figures below this are rounding.
const ROUNDING: f64 = 1e-9;

impl Tolerance {
    /// Whether the measured figure meets the published one. NaN never does.
    pub fn allows(self, measured: f64, published: f64) -> bool {
        let ratio = measured / published;
        let rounding = published.abs() <= ROUNDING;
        match self {
            Tolerance::Figure if rounding => ratio.abs() <= 5.0,
            Tolerance::Figure => (ratio - 1.0).abs() <= 0.2,
            Tolerance::Error if rounding => measured <= 5.0 * published,
            Tolerance::Error => measured <= 1.2 * published,
            Tolerance::AtMost(more) => measured <= published + more,
            Tolerance::AtLeast(less) => measured >= published - less,
            Tolerance::Within(distance) => (measured - published).abs() <= distance,
            Tolerance::Relative(fraction) => (ratio - 1.0).abs() <= fraction,
            Tolerance::Excess(fraction) => measured <= (1.0 + fraction) * published,
            Tolerance::Factor(factor) => ratio <= factor && ratio >= 1.0 / factor,
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |fraction: f64| number(100.0 * fraction);
        match *self {
            Tolerance::Figure => write!(f, "within 20 %; rounding: up to 5 times"),
            Tolerance::Error => write!(f, "at most 20 % more; rounding: up to 5 times"),
            Tolerance::AtMost(0.0) => write!(f, "at most"),
            Tolerance::AtMost(more) => write!(f, "at most {} more", number(more)),
            Tolerance::AtLeast(0.0) => write!(f, "at least"),
            Tolerance::AtLeast(less) => write!(f, "at least, less {}", number(less)),
            Tolerance::Within(distance) => write!(f, "± {}", number(distance)),
            Tolerance::Relative(fraction) => write!(f, "± {} %", percent(fraction)),
            Tolerance::Excess(fraction) => write!(f, "at most {} % more", percent(fraction)),
            Tolerance::Factor(factor) => write!(f, "within a factor of {}", number(factor)),
        }
    }
}

/// Where a published figure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the paper.
    Paper,
    /// Nowhere in print: the paper's experiment, computed independently of this project with many digits.
    Independent,
    /// Nowhere: what theory says.
    Theory,
    /// Nowhere: a limit that we set ourselves.
    Limit,
}

impl Source {
    /// What marks a figure that does not stand in the paper.
    pub fn sign(self) -> &'static str {
        match self {
            Source::Paper => "",
            Source::Independent => "*",
            Source::Theory => "t",
            Source::Limit => "l",
        }
    }
}

/// A figure of ours beside a published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What it is a figure of.
    pub what: String,
    /// The published one.
    pub published: f64,
    /// Where that stands.
    pub source: Source,
    /// Ours.
    pub measured: f64,
    /// How far ours may be off.
    pub tolerance: Tolerance,
}

/// Figures by where they stand: as they are, and added to a list.
macro_rules! by_source {
    ($($(#[$doc:meta])* $name:ident: $source:ident;)*) => {
        impl Comparison { $(
            $(#[$doc])*
            pub fn $name(
                what: impl Into<String>,
                measured: f64,
                published: f64,
                tolerance: Tolerance,
            ) -> Self {
                let (what, source) = (what.into(), Source::$source);
                Comparison { what, published, source, measured, tolerance }
            }
        )* }

        /// A list that figures are added to, as [`Comparison`] makes them.
        pub trait Figures {
            /// One more.
            fn add(&mut self, figure: Comparison);
            $(
                $(#[$doc])*
                fn $name(&mut self, what: impl Into<String>, ours: f64, published: f64, rule: Tolerance) {
                    self.add(Comparison::$name(what, ours, published, rule));
                }
            )*
            /// A figure that may not exceed a limit of our own.
            fn limit(&mut self, what: impl Into<String>, ours: f64, most: f64) {
                self.add(Comparison::limit(what, ours, most));
            }
        }
    };
}

by_source! {
    /// A figure that the paper prints.
    printed: Paper;
    /// A figure that was computed independently of this project.
    independent: Independent;
    /// A figure that a theorem promises.
    theory: Theory;
    /// A figure of our own beside a bar that we set ourselves.
    ours: Limit;
}

impl Comparison {
    /// A figure that may not exceed a limit of our own.
    pub fn limit(what: impl Into<String>, measured: f64, most: f64) -> Self {
        Self::ours(what, measured, most, Tolerance::AtMost(0.0))
    }

    /// Whether ours is as it should be.
    pub fn holds(&self) -> bool {
        self.tolerance.allows(self.measured, self.published)
    }

    /// Fails a test unless it is.
    #[track_caller]
    pub fn assert(&self) {
        println!("{self}");
        assert!(self.holds(), "{self}");
    }
}

impl Figures for Vec<Comparison> {
    fn add(&mut self, figure: Comparison) {
        self.push(figure);
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ours, published) = (self.measured, self.published);
        let (what, rule) = (&self.what, self.tolerance);
        write!(f, "{what}: {ours:e}, published {published:e} ({rule})")
    }
}

/// Figures in rows and columns, as papers print them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// What stands above the names of the rows.
    pub corner: &'static str,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The names of the rows, and their figures, of which some may be missing.
    pub rows: Vec<(String, Vec<Option<Comparison>>)>,
}

impl Grid {
    /// A table with these columns, and no rows yet.
    pub fn new(corner: &'static str, columns: &[&str]) -> Self {
        Grid {
            corner,
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// One more row.
    pub fn push(&mut self, name: impl Into<String>, cells: impl IntoIterator<Item = Comparison>) {
        let cells = cells.into_iter().map(Some).collect();
        self.rows.push((name.into(), cells));
    }

    /// One more row with a figure in every column, which `cell` makes of the column and of what it is a figure of: these words and the
    /// column's name.
    pub fn fill(
        &mut self,
        name: impl Into<String>,
        words: &str,
        cell: impl Fn(usize, String) -> Comparison,
    ) {
        let columns = self.columns.iter().enumerate();
        let cells = columns.map(|(k, column)| Some(cell(k, format!("{words}{column}"))));
        self.rows.push((name.into(), cells.collect()));
    }

    /// Every figure in it.
    pub fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        self.rows.iter().flat_map(|(_, cells)| cells).flatten()
    }

    /// Fails a test unless all are as they should be.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.comparisons().next().is_some(), "an empty table");
        for comparison in self.comparisons() {
            comparison.assert();
        }
    }
}

/// A number with three or four digits, without an exponent where that reads better.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&x.abs()) {
        let text = format!("{x:.2e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if digits.contains('.') => {
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{digits}e{exponent}")
            }
            _ => text,
        };
    }
    let digits = (3.0 - x.abs().log10().floor()).max(0.0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Asserts that a figure is met: within 20 % where it is above rounding, and up to five times where it is rounding.
#[track_caller]
pub fn assert_figure(what: &str, measured: f64, published: f64) {
    Comparison::printed(what, measured, published, Tolerance::Figure).assert();
}

/// Asserts that an error is at most so large.
#[track_caller]
pub fn assert_at_most(what: &str, measured: f64, most: f64) {
    Comparison::printed(what, measured, most, Tolerance::AtMost(0.0)).assert();
}

/// Asserts an order of convergence, from the errors of a step and of its half.
#[track_caller]
pub fn assert_order(what: &str, coarse: f64, fine: f64, order: f64, within: f64) {
    observed_order(what, coarse, fine, order, Tolerance::Within(within));
}

/// Asserts that an order of convergence is at least so high, from the errors of a step and of its half.
#[track_caller]
pub fn assert_order_at_least(what: &str, coarse: f64, fine: f64, order: f64) {
    observed_order(what, coarse, fine, order, Tolerance::AtLeast(0.0));
}

#[track_caller]
fn observed_order(what: &str, coarse: f64, fine: f64, order: f64, rule: Tolerance) {
    let observed = (coarse / fine).log2();
    println!("{what}: {coarse:.3e}, then {fine:.3e}: order {observed:.2}");
    Comparison::printed(what, observed, order, rule).assert();
}
