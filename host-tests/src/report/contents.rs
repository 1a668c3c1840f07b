//! What of the five papers is reproduced, and where: one row for every theorem, lemma, section, table and figure.

use super::{Body, Chapter};
use crate::figures::{Comparison, number};
use anyhow::Result;
use serde::Deserialize;

/// A theorem, a table or a figure, the exhibit that has its values, and words by which to find the value to show: the first
/// one whose name has them.
pub type Item = [String; 3];

/// A paper.
#[derive(Deserialize)]
pub struct Paper {
    /// Its chapter.
    pub id: String,
    /// Who wrote it.
    pub name: String,
    /// What it has.
    pub items: Vec<Item>,
}

/// What the papers have, by `words.toml`.
pub fn papers() -> Result<Vec<Paper>> {
    #[derive(Deserialize)]
    struct Papers {
        papers: Vec<Paper>,
    }
    Ok(toml::from_str::<Papers>(include_str!("words.toml"))?.papers)
}

/// The names of the columns.
const HEADER: &str = "paper | there | value | printed | ours | tolerance | command | source";

/// The value to show for an item, with the file that computes it.
fn value<'a>(chapter: &'a Chapter, [_, id, words]: &Item) -> Option<(&'a Comparison, &'a str)> {
    let exhibit = chapter.exhibits.iter().find(|exhibit| exhibit.id == *id)?;
    let all = exhibit.comparisons();
    let found = all.into_iter().find(|value| value.what.contains(words))?;
    Some((found, &exhibit.source))
}

/// The command that makes a chapter.
pub fn command(chapter: &str) -> String {
    format!("cargo xtask report --only {chapter}")
}

/// A row for every item of the papers among these chapters; a value that is not there is left empty.
pub fn rows(chapters: &[Chapter]) -> Result<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    for Paper { id, name, items } in papers()? {
        let Some(chapter) = chapters.iter().find(|chapter| chapter.id == id) else {
            continue;
        };
        for item in &items {
            let mut row = vec![name.clone(), item[0].clone()];
            row.extend(match value(chapter, item) {
                Some((value, source)) => [
                    value.what.clone(),
                    format!("{} {}", number(value.published), value.source.sign())
                        .trim_end()
                        .to_owned(),
                    number(value.measured),
                    value.tolerance.to_string(),
                    command(&id),
                    source.to_owned(),
                ],
                None => Default::default(),
            });
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The chapter that says where everything is; none without any of the papers.
pub fn chapter(chapters: &[Chapter]) -> Result<Option<Chapter>> {
    let rows = rows(chapters)?;
    let any = !rows.is_empty();
    let exhibit = ("contents-papers", Body::plain(HEADER, rows));
    let chapter = any.then(|| Chapter::of("contents", [exhibit]));
    chapter.transpose()
}
