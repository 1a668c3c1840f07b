//! The library beside the independent solution.

use crate::cases::Case;
use crate::library::stepped;
use crate::reference::Reference;
use crate::scenario::{Gates, Given};
use stiffstep::number::Real;

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case.
    pub name: &'static str,
    /// The largest error of a state, relative to its largest magnitude.
    pub error: f64,
    /// The allowed one.
    pub limit: f64,
    /// The same of gates that are sampled where steps begin; without gates of commutations at the ends of steps.
    pub sampled: f64,
    /// The most segments and searched modes of a step.
    pub most: (u8, u8),
    /// Commutations of the independent solution.
    pub events: usize,
    /// Bytes a mode, and of the state.
    pub bytes: (usize, usize),
    /// Steps in which a current was exactly zero.
    pub zeros: usize,
}

/// States of the independent solution after every step.
pub fn exact(case: &Case, given: &[Given]) -> (Vec<Vec<f64>>, usize) {
    let mut reference = Reference::new(&case.net, case.look);
    let mut states = Vec::new();
    for given in given {
        reference.step(case.scale.step, &given.start, &given.change, &given.edges);
        states.push(case.keep.iter().map(|k| reference.x[*k]).collect());
    }
    (states, reference.events)
}

/// The same with gates as they are when steps begin, or with commutations at their ends.
pub fn sampled(case: &Case, given: &[Given]) -> Vec<Vec<f64>> {
    let mut reference = Reference::new(&case.net, case.look);
    let h = case.scale.step;
    let mut states = Vec::new();
    for given in given {
        if case.gates == Gates::None {
            reference.step_without_events(h, &given.start, &given.change);
        } else {
            let now: Vec<_> = given.edges.iter().filter(|e| e.0 == 0.0).copied().collect();
            reference.step(h, &given.start, &given.change, &now);
            if let Some(last) = given.edges.last() {
                reference.set_gates(last.1);
            }
        }
        states.push(case.keep.iter().map(|k| reference.x[*k]).collect());
    }
    states
}

/// The same with gates that are on for the right share of every step, the wrong time: uppers of legs in the middle, their lowers
/// before and after.
pub fn averaged(case: &Case, given: &[Given]) -> Vec<Vec<f64>> {
    let mut reference = Reference::new(&case.net, case.look);
    let (mut states, mut gates) = (Vec::new(), 0);
    for given in given {
        let (edges, last) = centred(case.gates, &given.edges, gates);
        gates = last;
        reference.step(case.scale.step, &given.start, &given.change, &edges);
        states.push(case.keep.iter().map(|k| reference.x[*k]).collect());
    }
    states
}

/// Edges of gates that are on as long as with these edges, and the gates at the end.
fn centred(kind: Gates, edges: &[(f32, u32)], before: u32) -> (Vec<(f32, u32)>, u32) {
    let (uppers, lowers) = match kind {
        Gates::Legs { legs, .. } => (legs, legs),
        _ => (1, 0),
    };
    let ends = edges.iter().map(|edge| edge.0).skip(1).chain([1.0]);
    let mut spans = vec![(before, edges.first().map_or(1.0, |edge| edge.0))];
    spans.extend(
        edges
            .iter()
            .zip(ends)
            .map(|(edge, end)| (edge.1, end - edge.0)),
    );
    // When a gate changes away from what it is at both ends of the step, and back.
    let mut changes = Vec::new();
    let mut outer = 0;
    for gate in 0..uppers + lowers {
        let on = |(gates, span): &(u32, f32)| if gates >> gate & 1 == 1 { *span } else { 0.0 };
        let on: f32 = spans.iter().map(on).sum();
        let inner = if gate < uppers { on } else { 1.0 - on };
        outer |= u32::from(gate >= uppers) << gate;
        if inner > 0.0 {
            changes.push((0.5 - 0.5 * inner, 1 << gate));
            changes.push((0.5 + 0.5 * inner, 1 << gate));
        }
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut now = outer;
    let mut centred = vec![(0.0, now)];
    for (at, bit) in changes {
        now ^= bit;
        match centred.last_mut() {
            Some(last) if last.0 == at => last.1 = now,
            _ => centred.push((at.min(1.0), now)),
        }
    }
    (centred, spans.last().map_or(before, |span| span.0))
}

/// The largest magnitude of each state.
pub fn nominal(states: &[Vec<f64>]) -> Vec<f64> {
    let mut largest = vec![0.0_f64; states.first().map_or(0, Vec::len)];
    for state in states {
        for (largest, x) in largest.iter_mut().zip(state) {
            *largest = largest.max(x.abs());
        }
    }
    largest
}

/// The largest difference of one step's states.
fn difference(a: &[f64], b: &[f64], nominal: &[f64]) -> f64 {
    let each = a.iter().zip(b).zip(nominal);
    each.map(|((a, b), n)| (a - b).abs() / n)
        .fold(0.0, f64::max)
}

/// The largest difference of all steps' states.
fn largest(a: &[Vec<f64>], b: &[Vec<f64>], nominal: &[f64]) -> f64 {
    let each = a.iter().zip(b);
    each.map(|(a, b)| difference(a, b, nominal))
        .fold(0.0, f64::max)
}

/// The error of gates that are on as long as they should be, but in the middle of the step; none without gates.
pub fn averaged_error(case: &Case, steps: usize) -> Option<f64> {
    let given = case.given(steps);
    let (states, _) = exact(case, &given);
    let error = || largest(&states, &averaged(case, &given), &nominal(&states));
    (case.gates != Gates::None).then(error)
}

/// Runs a case in the library's number type `R` and beside it.
pub fn compare<R: Real>(case: &Case, steps: usize) -> Result<Row, String> {
    let given = case.given(steps);
    let (states, events) = exact(case, &given);
    let nominal = nominal(&states);
    let mut library = stepped::<R>(case)?;
    let (mut error, mut most, mut zeros) = (0.0_f64, (0, 0), 0);
    for (step, (given, exact)) in given.iter().zip(&states).enumerate() {
        let report = library
            .step(given)
            .map_err(|error| format!("{} step {step}: {error}", case.name))?;
        let x = library.x();
        error = error.max(difference(&x, exact, &nominal));
        most = (report.segments.max(most.0), report.iterations.max(most.1));
        zeros += usize::from(x[0] == 0.0);
    }
    let sampled = largest(&states, &sampled(case, &given), &nominal);
    Ok(Row {
        name: case.name,
        error,
        limit: case.limit,
        sampled,
        most,
        events,
        bytes: library.bytes(),
        zeros,
    })
}
