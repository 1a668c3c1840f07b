//! `cargo xtask report`: the tables and figures of five papers from our own runs beside the printed ones, and what the papers do
//! not have. One page of HTML, and the figures as SVG files.
//!
//! | file | what |
//! |---|---|
//! | [`chart`] | axes and curves |
//! | [`drawing`] | both as SVG |
//! | [`page`] | the page |
//! | [`browser`] | looks at it |
//! | [`contents`] | what of the papers is reproduced, and where |
//! | the others | a chapter each: what is shown of an experiment of [`experiments`](crate::experiments), and why ours differs |

pub mod ariel;
pub mod boards;
pub mod browser;
pub mod certificate;
pub mod chart;
pub mod contents;
pub mod drawing;
pub mod jay_petzold;
pub mod lubich;
pub mod page;
pub mod peers;
pub mod precision;
pub mod schropp;
pub mod wunderlich;

use crate::figures::{Comparison, Grid};
use anyhow::{Context, Result};
use chart::Panel;
use drawing::sheet;
use std::fs;
use std::path::{Path, PathBuf};

/// A part of the page.
pub struct Chapter {
    /// Its name on the command line and in addresses.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is about, paragraph by paragraph.
    pub text: Vec<String>,
    /// Its tables and figures.
    pub exhibits: Vec<Exhibit>,
}

/// A table or a figure.
pub struct Exhibit {
    /// Its name in addresses.
    pub id: &'static str,
    /// Its title.
    pub title: String,
    /// What is to be seen.
    pub text: String,
    /// Where and why it is not what is printed.
    pub differs: Option<String>,
    /// The file that computes it.
    pub source: &'static str,
    /// What is shown.
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
    /// A text as a program prints it.
    Verbatim(String),
}

impl Exhibit {
    /// An exhibit with everything but a difference.
    pub fn new(
        id: &'static str,
        title: impl Into<String>,
        text: impl Into<String>,
        source: &'static str,
        body: Body,
    ) -> Self {
        Exhibit {
            id,
            title: title.into(),
            text: text.into(),
            differs: None,
            source,
            body,
        }
    }

    /// The same, with what is not as printed.
    pub fn differs(mut self, why: impl Into<String>) -> Self {
        self.differs = Some(why.into());
        self
    }

    /// The figures that are compared.
    pub fn comparisons(&self) -> Vec<&Comparison> {
        match &self.body {
            Body::List(all) => all.iter().collect(),
            Body::Grid(grid) => grid.comparisons().collect(),
            Body::Chart(_) | Body::Plain { .. } | Body::Verbatim(_) => Vec::new(),
        }
    }
}

/// How a chapter is computed. It may say how far it is.
pub type Compute = fn(&dyn Fn(&str)) -> Result<Chapter>;

/// The chapters, in the order of the page: those of boards compile firmware.
pub const CHAPTERS: [(&str, Compute); 9] = [
    ("lubich", lubich::chapter),
    ("schropp", schropp::chapter),
    ("jay-petzold", jay_petzold::chapter),
    ("ariel", ariel::chapter),
    ("wunderlich", wunderlich::chapter),
    ("precision", precision::chapter),
    ("boards", boards::chapter),
    ("peers", peers::chapter),
    ("certificate", certificate::chapter),
];

/// What does not hold, in words.
pub fn failures(chapters: &[Chapter]) -> Vec<String> {
    let exhibits = chapters.iter().flat_map(|chapter| {
        chapter
            .exhibits
            .iter()
            .map(move |exhibit| (chapter, exhibit))
    });
    exhibits
        .flat_map(|(chapter, exhibit)| {
            let all = exhibit.comparisons().into_iter();
            all.filter(|comparison| !comparison.holds())
                .map(move |comparison| format!("{}, {}: {comparison}", chapter.id, exhibit.title))
        })
        .collect()
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
