//! What other solvers need for the benchmark, recorded in `host-tests/peers/recorded.toml`, which says how.

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// One figure of a peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Peer {
    /// The problem, as ours are called; the variants of a problem share a prefix.
    pub problem: String,
    /// Where it ran.
    pub target: String,
    /// The number type.
    pub scalar: String,
    /// The solver.
    pub solver: String,
    /// Instructions a step, or of the whole run if it is adaptive; `None` if it fails.
    pub instructions: Option<u32>,
    /// Whether it is a whole run.
    #[serde(default)]
    pub whole_run: bool,
    /// Its error, where it is known.
    pub error: Option<f64>,
}

/// All figures.
pub fn peers() -> Result<Vec<Peer>> {
    #[derive(Deserialize)]
    struct Recorded {
        figures: Vec<Peer>,
    }
    let text = include_str!("../../peers/recorded.toml");
    Ok(toml::from_str::<Recorded>(text)?.figures)
}
