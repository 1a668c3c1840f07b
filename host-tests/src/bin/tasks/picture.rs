//! `cargo xtask picture`: draws the picture on the front page anew.

use anyhow::{Context, Result};
use std::fs;
use stiffstep_host_tests::emulator::firmware::workspace;
use stiffstep_host_tests::picture::{FILES, files};

pub fn picture() -> Result<()> {
    for (file, text) in FILES.iter().zip(files()?) {
        let path = workspace().join(file);
        fs::write(&path, text)
            .with_context(|| format!("{} could not be written", path.display()))?;
        println!("{file}");
    }
    Ok(())
}
