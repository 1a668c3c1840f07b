//! The five papers: every value of their chapters in the report is within its tolerance, and nothing of them is left out.

use std::path::Path;
use std::process::Command;
use stiffstep::manifold::Ending;
use stiffstep_host_tests::experiments::ariel;
use stiffstep_host_tests::report::contents::{command, papers, rows};
use stiffstep_host_tests::report::{
    Body, CHAPTERS, Compute, Wish, jay_petzold, lubich, precision, schropp, wunderlich,
};
use stiffstep_plants::double_spring::OFF;

type Held = Result<(), Box<dyn std::error::Error>>;

/// Every value holds, no table is empty, and every item of the contents has a value, and a file that computes it.
fn holds(compute: Compute) -> Held {
    let chapter = compute(&Wish::new(&|_| ()))?;
    for exhibit in &chapter.exhibits {
        let drawn = matches!(exhibit.body, Body::Chart(_));
        let empty = exhibit.comparisons().is_empty() && !drawn;
        assert!(!empty, "{} is empty", exhibit.id);
        for comparison in exhibit.comparisons() {
            comparison.assert();
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let paper = papers()?.into_iter().find(|paper| paper.id == chapter.id);
    let rows = rows(&[chapter])?;
    assert_eq!(rows.len(), paper.map_or(0, |paper| paper.items.len()));
    for row in rows {
        assert_eq!(row.len(), 8, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        assert!(root.join(&row[7]).is_file(), "{row:?}");
    }
    Ok(())
}

#[test]
fn lubich() -> Held {
    holds(lubich::chapter)
}

#[test]
fn schropp() -> Held {
    holds(schropp::chapter)
}

#[test]
fn jay_petzold() -> Held {
    holds(jay_petzold::chapter)
}

#[test]
fn ariel() -> Held {
    for omega in [1e3, 1e4] {
        assert_eq!(ariel::project(omega, 10, OFF)?.ending, Ending::Settled);
    }
    holds(stiffstep_host_tests::report::ariel::chapter)
}

#[test]
fn wunderlich() -> Held {
    holds(wunderlich::chapter)
}

#[test]
fn single_precision() -> Held {
    holds(precision::chapter)
}

/// What a reader and the contents ask for: theorems, lemmas, sections, tables and figures by their names.
const ASKED: [(&str, &str); 5] = [
    (
        "lubich",
        "Theorem 2.2, Theorem 3.1, Theorem 3.2, Theorem 4.1, Theorem 4.2, Theorem 6.1, Section 8",
    ),
    (
        "schropp",
        "Theorem 2.1, Lemma 3.3, Table 1, Table 2, Fig. 1, Fig. 2, Fig. 3, Fig. 4, Fig. 5",
    ),
    (
        "jay-petzold",
        "Theorem 2.3, Theorem 2.4, Theorem 2.6, Theorem 3.1, Theorem 3.2, Theorem 3.3, Section 4, \
         Fig. 1, Fig. 2, Fig. 3, Fig. 4",
    ),
    (
        "ariel",
        "Lemma 3.1, Lemma 3.2, Section 4.1, Section 4.2, Section 4.3, Table 1, \
         Fig. 2, Fig. 3, Fig. 4, Fig. 5, Fig. 6",
    ),
    (
        "wunderlich",
        "Example 1.2, Example 1.3, Example 2.4, Example 2.11, Theorem 2.9, Table 1, Table 2, \
         Fig. 2, Fig. 3, Fig. 4, Fig. 5, Fig. 6, Fig. 7, Fig. 8",
    ),
];

#[test]
fn nothing_is_left_out() -> Held {
    for ((chapter, names), paper) in ASKED.into_iter().zip(papers()?) {
        assert_eq!(chapter, paper.id);
        for name in names.split(", ") {
            let mut items = paper.items.iter();
            let there = items.any(|item| item[0].starts_with(name));
            assert!(there, "{chapter}: {name}");
        }
    }
    Ok(())
}

/// The commands that the contents name are there: `xtask` knows `report`, and that its chapters.
#[test]
fn the_commands_exist() -> Held {
    let done = Command::new(env!("CARGO_BIN_EXE_tasks"))
        .args(["report", "--only", "nothing"])
        .output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success(), "{said}");
    assert!(said.contains("there is no chapter `nothing`"), "{said}");
    for id in papers()?.into_iter().map(|paper| paper.id) {
        assert!(CHAPTERS.iter().any(|(known, _)| *known == id), "{id}");
        assert_eq!(command(&id), format!("cargo xtask report --only {id}"));
        assert!(said.contains(&id), "{said}");
    }
    Ok(())
}
