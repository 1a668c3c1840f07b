//! The certificate of a plant: what a step costs on a board, and how that is known.

use super::{Body, Chapter, Exhibit};
use crate::certificate::measure::{boards, certify};
use crate::certificate::report::{HEADER, Pace, basis, remarks, row};
use crate::certificate::shipped::subject;
use crate::emulator::record::runs;
use crate::figures::Comparison;
use anyhow::Result;

const SOURCE: &str = "host-tests/src/certificate/measure.rs";

/// The chapter: the two-link arm on a Cortex-M4F.
pub fn chapter(say: &dyn Fn(&str)) -> Result<Chapter> {
    say("certificate: the arm on this machine");
    let subject = subject("arm")?;
    subject.write()?;
    let lines: Vec<String> = subject.on_the_desk()?.lines().map(str::to_owned).collect();
    let desk = runs(&lines)?;
    let mut all = Vec::new();
    for (label, board) in boards("m4f")? {
        let say = |words: &str| say(&format!("certificate: {words}"));
        all.push(certify(&subject, (&label, board), None, &desk, &say)?);
    }
    let pace = Pace {
        clock: 100.0,
        wait_states: None,
        cycles: None,
    };
    let mut holds = Vec::new();
    for one in &all {
        let on = format!("{} on {}", one.plant, one.board);
        let not = |what: bool| if what { 0.0 } else { 1.0 };
        let what = format!("{on}: ways to panic");
        holds.push(Comparison::limit(what, not(one.panic_free), 0.0));
        let what = format!("{on}: runs with another bit than on this machine");
        holds.push(Comparison::limit(what, not(one.same_bits), 0.0));
        let what = format!("{on}: steps refused in the long run");
        holds.push(Comparison::limit(what, one.long_run.refused.into(), 0.0));
        if let Some(estimate) = &one.estimate {
            let what = format!("{on}: the dearest step seen, beside the estimate from the code");
            let most = f64::from(one.long_run.most.max(one.random_states.most));
            holds.push(Comparison::limit(what, most, estimate.instructions as f64));
        }
    }
    let text = format!(
        "Stack painted / by frames; {}. {}",
        basis(pace),
        remarks(&all).join(" ")
    );
    Ok(Chapter {
        id: "certificate",
        title: "The certificate",
        text: vec![
            "What a step of a plant costs on a board: counted over a long run and from random states, estimated from the code with loop \
             counts that were seen, in cycles by the core's published table, with the stack and the proof that nothing can panic. `cargo xtask certify` does it for every plant that comes with the kit, `cargo \
             stiffstep certify` for one's own."
                .into(),
        ],
        exhibits: vec![
            Exhibit::new(
                "certificate-table",
                "The two-link arm on a Cortex-M4F",
                text,
                SOURCE,
                Body::Plain {
                    header: HEADER.map(str::to_owned).to_vec(),
                    rows: all.iter().map(|one| row(one, pace)).collect(),
                },
            ),
            Exhibit::new("certificate-holds", "What it says holds", "", SOURCE, Body::List(holds)),
        ],
    })
}
