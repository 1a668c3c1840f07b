//! `cargo xtask sine`: our f32 sine and cosine against double precision, all 2^32 arguments of them.

use crate::stage::Stages;
use anyhow::{Result, bail};
use std::thread::available_parallelism;
use stiffstep_host_tests::sine::check_sine_cosine_threaded;

/// Checks every argument; the error says how far off the worst one is.
pub fn sine() -> Result<()> {
    let threads = available_parallelism().map_or(1, |threads| threads.get() as u32);
    let mut stages = Stages::new(1);
    stages.run("sine and cosine of every f32", |bar| {
        let worst = check_sine_cosine_threaded(0, u32::MAX, 1, threads, &mut |done| {
            bar.fraction(done);
        });
        if !worst.acceptable() {
            bail!("{worst}");
        }
        Ok(worst.to_string())
    })
}
