//! Our f32 sine and cosine against double precision, all 2^32 arguments of them.

use super::{Chapter, Wish};
use crate::figures::Figures;
use crate::sine::check;
use anyhow::Result;
use std::thread::available_parallelism;

/// The chapter.
pub fn chapter(wish: &Wish) -> Result<Chapter> {
    wish.say("sine and cosine of every f32");
    let threads = available_parallelism().map_or(1, |threads| threads.get() as u32);
    let worst = check(0, u32::MAX, 1, threads);
    let mut holds = Vec::new();
    holds.limit("the sine's largest error in ulps", worst.sine.ulps, 1.0);
    holds.limit("the cosine's largest error in ulps", worst.cosine.ulps, 1.0);
    let differs = worst.pair_differs as f64;
    holds.limit("sin_cos differs from sin or cos", differs, 0.0);
    holds.limit("symmetry is broken", worst.asymmetric as f64, 0.0);
    let mut chapter = Chapter::of("sine", [("sine-holds", holds.into())])?;
    chapter.exhibits[0].text = worst.to_string();
    Ok(chapter)
}
