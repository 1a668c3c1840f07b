//! `cargo xtask bits`: the bits of this version, and other ones on purpose.

use anyhow::{Context, Result, bail};
use std::fs;
use stiffstep_host_tests::bits::{changed, lines};
use stiffstep_host_tests::emulator::firmware::workspace;

/// What becomes of the file.
#[derive(clap::Args)]
pub struct Change {
    /// Writes the file anew
    #[arg(long)]
    update: bool,
}

/// Says which workloads have other bits than the file, or writes it.
pub fn bits(change: &Change) -> Result<()> {
    if change.update {
        let path = workspace().join("host-tests/bits.txt");
        let lines = lines();
        fs::write(&path, lines.join("\n") + "\n")
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("{} workloads: {}", lines.len(), path.display());
        return Ok(());
    }
    let changed = changed();
    changed.iter().for_each(|line| println!("{line}"));
    if !changed.is_empty() {
        bail!(
            "{} workloads have other bits than host-tests/bits.txt says; if that is wanted, run `cargo xtask bits --update`",
            changed.len()
        );
    }
    println!("every workload has the bits of host-tests/bits.txt");
    Ok(())
}
