//! `cargo xtask report`: the tables and figures of five papers from our own runs beside the printed ones, and what the papers do
//! not have. One page of HTML, and the figures as SVG files.
//!
//! | file | what |
//! |---|---|
//! | [`page`] | the page |
//! | [`browser`] | looks at it |
//! | [`contents`] | what of the papers is reproduced, and where |
//! | `words.toml` | what is said of all of it |
//! | the others | a chapter each: what is shown of an experiment of [`experiments`](crate::experiments), and why ours differs |

pub mod ariel;
pub mod boards;
pub mod browser;
pub mod certificate;
pub mod chains;
pub mod contents;
pub mod jay_petzold;
pub mod lubich;
pub mod page;
pub mod peers;
pub mod precision;
pub mod schropp;
pub mod sine;
pub mod slow_start;
pub mod stability;
pub mod tolerances;
pub mod wunderlich;

pub use stiffstep_link::{chart, drawing};

use crate::command::table::columns;
use crate::figures::{Comparison, Grid};
use anyhow::{Context, Result};
use chart::Panel;
use drawing::sheet;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A part of the page.
#[derive(Deserialize)]
pub struct Chapter {
    /// Its name on the command line and in addresses.
    #[serde(skip)]
    pub id: &'static str,
    /// Its title.
    pub title: String,
    /// What it is about, paragraph by paragraph.
    #[serde(default)]
    pub text: Vec<String>,
    /// Its tables and figures.
    #[serde(skip)]
    pub exhibits: Vec<Exhibit>,
}

/// A table or a figure.
#[derive(Deserialize)]
pub struct Exhibit {
    /// Its name in addresses.
    #[serde(skip)]
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is to be seen.
    #[serde(default)]
    pub text: String,
    /// Where and why it is not what is printed.
    pub differs: Option<String>,
    /// The file that computes it.
    pub source: String,
    /// What is shown.
    #[serde(skip, default = "nothing")]
    pub body: Body,
}

/// What is shown.
pub enum Body {
    /// Curves.
    Chart(Vec<Panel>),
    /// Figures one below the other.
    List(Vec<Comparison>),
    /// Figures as a paper prints them.
    Grid(Grid),
    /// Words and numbers that nothing is compared with.
    Plain {
        /// The names of the columns.
        header: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
}

fn nothing() -> Body {
    Body::List(Vec::new())
}

macro_rules! shown {
    ($($from:ty: $kind:ident,)*) => { $(
        impl From<$from> for Body {
            fn from(shown: $from) -> Self {
                Body::$kind(shown)
            }
        }
    )* };
}
shown! { Vec<Panel>: Chart, Vec<Comparison>: List, Grid: Grid, }

impl Body {
    /// A table that nothing is compared with.
    pub fn plain(header: &str, rows: Vec<Vec<String>>) -> Self {
        let header = columns(header).into_iter().map(str::to_owned).collect();
        Body::Plain { header, rows }
    }
}

impl Exhibit {
    /// The figures that are compared.
    pub fn comparisons(&self) -> Vec<&Comparison> {
        match &self.body {
            Body::List(all) => all.iter().collect(),
            Body::Grid(grid) => grid.comparisons().collect(),
            Body::Chart(_) | Body::Plain { .. } => Vec::new(),
        }
    }
}

/// `words.toml`: what the page says.
#[derive(Deserialize)]
struct Words {
    chapters: BTreeMap<String, Chapter>,
    exhibits: BTreeMap<String, Exhibit>,
}

impl Chapter {
    /// The chapter of that name with these exhibits, in the words of `words.toml`.
    pub fn of<S>(id: &'static str, exhibits: impl IntoIterator<Item = (S, Body)>) -> Result<Self>
    where
        S: Into<String>,
    {
        let mut words: Words = toml::from_str(include_str!("words.toml"))?;
        let chapter = words.chapters.remove(id);
        let mut chapter = chapter.with_context(|| format!("no words for the chapter {id}"))?;
        chapter.id = id;
        for (id, body) in exhibits {
            let id = id.into();
            let exhibit = words.exhibits.remove(&id);
            let exhibit = exhibit.with_context(|| format!("no words for {id}"))?;
            chapter.exhibits.push(Exhibit {
                id,
                body,
                ..exhibit
            });
        }
        Ok(chapter)
    }
}

/// What is asked of a chapter.
pub struct Wish<'a> {
    /// Told how far it is.
    pub progress: &'a dyn Fn(&str),
    /// The frequency that `stability` and `slow-start` are about, in radians a second.
    pub omega: Option<f64>,
    /// The step size that `stability` is about, in seconds.
    pub step: f64,
    /// The board that `chains` is about.
    pub board: &'a str,
}

impl<'a> Wish<'a> {
    /// What is usual.
    pub fn new(progress: &'a dyn Fn(&str)) -> Self {
        Wish {
            progress,
            omega: None,
            step: 0.01,
            board: "m4f",
        }
    }

    fn say(&self, what: &str) {
        (self.progress)(what);
    }
}

/// How a chapter is computed.
pub type Compute = fn(&Wish) -> Result<Chapter>;

/// The chapters, in the order of the page: those of boards compile firmware.
pub const CHAPTERS: [(&str, Compute); 12] = [
    ("lubich", lubich::chapter),
    ("schropp", schropp::chapter),
    ("jay-petzold", jay_petzold::chapter),
    ("ariel", ariel::chapter),
    ("wunderlich", wunderlich::chapter),
    ("precision", precision::chapter),
    ("stability", stability::chapter),
    ("slow-start", slow_start::chapter),
    ("tolerances", tolerances::chapter),
    ("boards", boards::chapter),
    ("peers", peers::chapter),
    ("certificate", certificate::chapter),
];

/// Chapters that are computed only if they are asked for, because they take minutes.
pub const APART: [(&str, Compute); 2] = [("chains", chains::chapter), ("sine", sine::chapter)];

/// What does not hold, in words.
pub fn failures(chapters: &[Chapter]) -> Vec<String> {
    let mut failures = Vec::new();
    for chapter in chapters {
        for exhibit in &chapter.exhibits {
            let all = exhibit.comparisons().into_iter();
            let failed = all.filter(|comparison| !comparison.holds());
            let named = |of| format!("{}, {}: {of}", chapter.id, exhibit.title);
            failures.extend(failed.map(named));
        }
    }
    failures
}

/// Writes the page and the figures into a folder, and says where the page is.
pub fn write(chapters: &[Chapter], folder: &Path) -> Result<PathBuf> {
    let put = |path: &Path, text: &str| {
        fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    for chapter in chapters {
        for exhibit in &chapter.exhibits {
            if let Body::Chart(panels) = &exhibit.body {
                for (k, panel) in panels.iter().enumerate() {
                    let file = svg_name(exhibit, k, panels.len());
                    put(&folder.join(file), &sheet(std::slice::from_ref(panel), 1)?)?;
                }
            }
        }
    }
    let path = folder.join("index.html");
    put(&path, &page::page(chapters)?)?;
    Ok(path)
}

/// The file of a figure's panel.
pub fn svg_name(exhibit: &Exhibit, panel: usize, of: usize) -> String {
    if of == 1 {
        format!("{}.svg", exhibit.id)
    } else {
        format!("{}-{}.svg", exhibit.id, panel + 1)
    }
}
