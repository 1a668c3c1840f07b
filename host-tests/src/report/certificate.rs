//! The certificate of a plant: what a step costs on a board, and how that is known.

use super::{Body, Chapter, Wish};
use crate::certificate::measure::{boards, certify};
use crate::certificate::report::{HEADER, Pace, basis, remarks, row};
use crate::certificate::shipped::subject;
use crate::figures::Figures;
use anyhow::Result;

/// The chapter: the two-link arm on a Cortex-M4F.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("certificate: the arm on this machine");
    let subject = subject("arm")?;
    let desk = subject.on_the_desk()?;
    let mut all = Vec::new();
    for (label, board) in boards("m4f")? {
        let say = |words: &str| wish.say(&format!("certificate: {words}"));
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
        let not = |what: bool| f64::from(u8::from(!what));
        let mut limit = |what: &str, ours, most| holds.limit(format!("{on}: {what}"), ours, most);
        limit("ways to panic", not(one.panic_free), 0.0);
        let bits = "runs with another bit than on this machine";
        limit(bits, not(one.same_bits), 0.0);
        let refused = one.long_run.refused.into();
        limit("steps refused in the long run", refused, 0.0);
        if let Some(estimate) = &one.estimate {
            let what = "the dearest step seen, beside the estimate from the code";
            let most = f64::from(one.long_run.most.max(one.random_states.most));
            limit(what, most, estimate.instructions as f64);
        }
    }
    let (basis, remarks) = (basis(pace), remarks(&all).join(" "));
    let text = format!("Stack painted / by frames; {basis}. {remarks}");
    let rows = all.iter().map(|one| row(one, pace)).collect();
    let exhibits = [
        ("certificate-table", Body::plain(HEADER, rows)),
        ("certificate-holds", holds.into()),
    ];
    let mut chapter = Chapter::of("certificate", exhibits)?;
    chapter.exhibits[0].text = text;
    Ok(chapter)
}
