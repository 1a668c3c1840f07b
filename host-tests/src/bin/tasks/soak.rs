//! `cargo xtask soak`: faults by the million, and what an interpreter has to say about a few steps of everything.

use crate::install;
use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::process::Command;
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};

/// What is asked.
#[derive(Args)]
pub struct Soak {
    /// A few steps of everything under Miri instead, which sees undefined behaviour; needs the nightly toolchain
    #[arg(long)]
    miri: bool,
    /// What the campaigns are told: --minutes M, --seed N, --only NAME, --report, --list
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    campaigns: Vec<String>,
}

/// Builds the campaigns optimised, and runs them.
pub fn soak(soak: &Soak) -> Result<()> {
    let mut stages = Stages::new(1);
    if soak.miri {
        return stages.run("Miri", |bar| {
            install::miri(bar)?;
            println!("{}", bar.command(&mut miri())?);
            Ok(String::new())
        });
    }
    const CAMPAIGNS: [&str; 4] = ["--profile", "soak", "--package", "stiffstep-soak"];
    stages.run("build", |bar| {
        bar.command(cargo().arg("build").args(CAMPAIGNS))?;
        Ok(String::new())
    })?;
    let mut run = cargo();
    run.args(["run", "--quiet"]).args(CAMPAIGNS).arg("--");
    run.args(&soak.campaigns);
    // It shows its own progress.
    let status = run.status().context("the campaigns could not be started")?;
    if !status.success() {
        bail!("something broke; what it was and how to repeat it is above");
    }
    Ok(())
}

/// The steps under Miri. By way of rustup, whatever toolchain runs us.
fn miri() -> Command {
    let mut miri = Command::new("cargo");
    miri.args(["+nightly", "miri", "test", "--test", "miri"])
        .args(["--package", "stiffstep-interpreted"])
        .args(["--features", "interpreted"])
        // What cargo has set for us would win over the toolchain that is asked for.
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .current_dir(workspace());
    miri
}
