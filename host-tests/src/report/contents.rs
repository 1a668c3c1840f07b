//! What of the five papers is reproduced, and where: one row for every theorem, lemma, section, table and figure.

use super::{Body, Chapter, Exhibit};
use crate::figures::{Comparison, Source, number};

/// A theorem, a table or a figure, the exhibit that has its values, and words by which to find the value to show: the first
/// one whose name has them.
type Item = (&'static str, &'static str, &'static str);

/// Chapters with the names of the papers and what they have.
pub const PAPERS: [(&str, &str, &[Item]); 5] = [
    (
        "lubich",
        "Lubich",
        &[
            ("Theorem 2.2", "lubich-smooth", "less the rigid"),
            ("Theorem 3.1", "lubich-eps", "of v, h"),
            ("Theorem 3.1, orders", "lubich-orders", "3, order of v"),
            (
                "Theorem 3.2",
                "lubich-damping",
                "3, radial velocity after step 2",
            ),
            (
                "Theorem 3.2, (3.8)",
                "lubich-floor",
                "3, 1e-3, distance after 10",
            ),
            ("Theorem 4.1", "lubich-rigid", "3, order of q"),
            ("Theorem 4.2", "lubich-index", "4, index 5, order of y'"),
            ("Theorem 6.1, (6.2)", "lubich-remainder", "4, order"),
            (
                "Section 8, (8.1)-(8.4)",
                "lubich-newton",
                "1e-5, h = 0.01, λ form",
            ),
            (
                "Section 8, (8.5)-(8.8)",
                "lubich-potential",
                "contraction over h, eps = 1e-6, h = 0.01",
            ),
        ],
    ),
    (
        "schropp",
        "Schropp",
        &[
            (
                "Theorem 2.1",
                "schropp-radau-ia",
                "pendulum, t = 5, order of v",
            ),
            (
                "Theorem 2.1, remark",
                "schropp-remark",
                "Radau IIA 3, u of a run",
            ),
            (
                "Lemma 3.3, (3.21)",
                "schropp-local",
                "IA 3 (p = 5, q = 2), order of v",
            ),
            (
                "Table 1",
                "schropp-table-1",
                "evaluations, with projection, tolerance 1e-8",
            ),
            (
                "Table 2",
                "schropp-table-2",
                "evaluations, with projection, tolerance 1e-8",
            ),
            (
                "Fig. 1",
                "schropp-levels",
                "q(20), projected, tolerance 1e-8",
            ),
            ("Fig. 2", "schropp-levels", "G v, projected, tolerance 1e-8"),
            ("Fig. 3", "schropp-fig-3-level", ""),
            (
                "Fig. 4",
                "schropp-table-2-levels",
                "q(0.05), tolerance 1e-8",
            ),
            (
                "Fig. 5",
                "schropp-table-2-levels",
                "G v, projected, tolerance 1e-8",
            ),
        ],
    ),
    (
        "jay-petzold",
        "Jay & Petzold",
        &[
            ("Theorem 2.3", "jay-petzold-stability", "Gauss 4, ||R"),
            (
                "Theorem 2.4, (11), (15)",
                "jay-petzold-stability",
                "(15), Verlet, entry 21",
            ),
            ("Theorem 2.6", "jay-petzold-lobatto", "4: |tr M|"),
            ("Theorem 3.1", "jay-petzold-orders", "Gauss 4, order of v"),
            (
                "Theorem 3.2",
                "jay-petzold-orders",
                "Lobatto IIIA 5, order of v",
            ),
            ("Theorem 3.3", "jay-petzold-stiff-orders", "Gauss 4, v"),
            (
                "Section 4, starting values",
                "jay-petzold-section-4",
                "Gauss 5, simplified",
            ),
            (
                "Section 4, measures",
                "jay-petzold-oscillation",
                "perturbed, Gauss 5: |v",
            ),
            (
                "Section 4, conjecture",
                "jay-petzold-conjecture",
                "Gauss 4, order of q",
            ),
            ("Fig. 1", "jay-petzold-smooth", "Gauss 5, |H|"),
            ("Fig. 2", "jay-petzold-perturbed", "Gauss 5, highest energy"),
            ("Fig. 3", "jay-petzold-perturbed", "Gauss 4, highest energy"),
            (
                "Fig. 4",
                "jay-petzold-perturbed",
                "Radau IIA 3, energy after step 1",
            ),
        ],
    ),
    (
        "ariel",
        "Ariel, Sanz-Serna & Tsai",
        &[
            ("Lemma 3.1", "ariel-filters", "cubic, order in the window"),
            (
                "Lemma 3.2",
                "ariel-filters",
                "cubic, order in its reciprocal",
            ),
            (
                "Section 4.1, (18)",
                "ariel-models",
                "(18), ω = 1e4, tolerance 1e-8",
            ),
            (
                "Section 4.1, (19)",
                "ariel-models",
                "(19), ω = 1e4, tolerance 1e-8",
            ),
            ("Section 4.2", "ariel-models", "glide of x, order"),
            (
                "Section 4.3",
                "ariel-gliding",
                "at rest: order in κ of the positions",
            ),
            ("Table 1, ω = 1000", "ariel-table-1a", "iteration 3, g1"),
            ("Table 1, ω = 10000", "ariel-table-1b", "iteration 3, g1"),
            ("Fig. 2", "ariel-orders", "RATTLE, order"),
            (
                "Fig. 3",
                "ariel-levels",
                "Fig. 3, q, omega 1e3, tolerance 1e-8",
            ),
            (
                "Fig. 4",
                "ariel-levels",
                "Fig. 4 over Fig. 3, q, omega 1e3, tolerance 1e-8",
            ),
            (
                "Fig. 5",
                "ariel-levels",
                "Fig. 5, q, omega 1e3, tolerance 1e-8",
            ),
            ("Fig. 6", "ariel-fig-6-errors", "error of q, H = 1/16"),
        ],
    ),
    (
        "wunderlich",
        "Wunderlich",
        &[
            (
                "Example 1.2, (2)-(5)",
                "wunderlich-example-1-2",
                "power of its frequency, v2",
            ),
            (
                "Example 1.3, first steps",
                "wunderlich-first-steps",
                "order 2, steps",
            ),
            (
                "Example 2.4",
                "wunderlich-coefficients",
                "Radau IIA 2, A~, entry 1",
            ),
            (
                "Theorem 2.9",
                "wunderlich-coefficients",
                "Theorem 2.9, (48) for p = 2",
            ),
            (
                "Example 2.11",
                "wunderlich-coefficients",
                "Example 2.11, A~, row 1, entry 1",
            ),
            (
                "Table 1, Example 1.3",
                "wunderlich-table-1",
                "BDF 1, step 3",
            ),
            (
                "Table 2, Example 1.3",
                "wunderlich-table-2",
                "h = 0.005, step 2",
            ),
            (
                "Fig. 2",
                "wunderlich-fig-2-values",
                "modified formulas, largest error of λ",
            ),
            (
                "Fig. 3",
                "wunderlich-fig-3-values",
                "modified formulas, largest error of λ",
            ),
            ("Fig. 4", "wunderlich-fig-4-values", "λ at"),
            ("Fig. 5", "wunderlich-fig-5-values", "largest error of λ"),
            ("Fig. 6", "wunderlich-fig-6-values", "λ at"),
            ("Fig. 7", "wunderlich-fig-7-values", "largest error of λ"),
            (
                "Fig. 8",
                "wunderlich-fig-8-errors",
                "Example 2.11, error of v_C",
            ),
        ],
    ),
];

/// The names of the columns.
const HEADER: [&str; 8] = [
    "paper",
    "there",
    "value",
    "printed",
    "ours",
    "tolerance",
    "command",
    "source",
];

/// The value to show for an item, with the file that computes it.
pub fn value<'a>(
    chapter: &'a Chapter,
    (_, id, words): &Item,
) -> Option<(&'a Comparison, &'static str)> {
    let exhibit = chapter.exhibits.iter().find(|exhibit| exhibit.id == *id)?;
    let all = exhibit.comparisons();
    let found = all.into_iter().find(|value| value.what.contains(words))?;
    Some((found, exhibit.source))
}

/// The command that makes a chapter.
pub fn command(chapter: &str) -> String {
    format!("cargo xtask report --only {chapter}")
}

/// A row for every item of the papers among these chapters; a value that is not there is left empty.
pub fn rows(chapters: &[Chapter]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (id, paper, items) in PAPERS {
        let Some(chapter) = chapters.iter().find(|chapter| chapter.id == id) else {
            continue;
        };
        for item in items {
            let mut row = vec![paper.to_owned(), item.0.to_owned()];
            row.extend(match value(chapter, item) {
                Some((value, source)) => [
                    value.what.clone(),
                    format!("{}{}", number(value.published), whose(value.source)),
                    number(value.measured),
                    value.tolerance.to_string(),
                    command(id),
                    source.to_owned(),
                ],
                None => Default::default(),
            });
            rows.push(row);
        }
    }
    rows
}

fn whose(source: Source) -> &'static str {
    match source {
        Source::Paper => "",
        Source::Independent => " *",
        Source::Theory => " t",
        Source::Limit => " l",
    }
}

/// The chapter that says where everything is; none without any of the papers.
pub fn chapter(chapters: &[Chapter]) -> Option<Chapter> {
    let rows = rows(chapters);
    let header = HEADER.map(str::to_owned).to_vec();
    let exhibit = Exhibit::new(
        "contents-papers",
        "Theorems, tables and figures",
        "One value of each; the exhibits have the others. Where the paper has a theorem and no number, what it promises stands in place \
         of the printed value.",
        "host-tests/src/report/contents.rs",
        Body::Plain {
            header,
            rows: rows.clone(),
        },
    );
    (!rows.is_empty()).then(|| Chapter {
        id: "contents",
        title: "What is reproduced, and where",
        text: Vec::new(),
        exhibits: vec![exhibit],
    })
}
