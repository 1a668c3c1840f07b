//! `cargo xtask soak`: faults by the million, and what an interpreter has to say about a few steps of everything.

use crate::install;
use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::process::Command;
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};

/// How long, and what.
#[derive(Args)]
pub struct Soak {
    /// Runs for so many minutes, shared by all campaigns, instead of to the full number of cases
    #[arg(long)]
    minutes: Option<f64>,
    /// The seed of the first chunk; a failure names the one that repeats it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this campaign
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Prints the table of a campaign that has one, whether its bars are kept or not
    #[arg(long)]
    report: bool,
    /// Lists the campaigns
    #[arg(long)]
    list: bool,
    /// A few steps of everything under Miri instead, which sees undefined behaviour; needs the nightly toolchain
    #[arg(long, conflicts_with_all = ["minutes", "only", "report", "list"])]
    miri: bool,
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
    run.args(["--seed", &soak.seed.to_string()]);
    if let Some(minutes) = soak.minutes {
        run.args(["--minutes", &minutes.to_string()]);
    }
    if let Some(name) = &soak.only {
        run.args(["--only", name]);
    }
    if soak.report {
        run.arg("--report");
    }
    if soak.list {
        run.arg("--list");
    }
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
    miri.args([
        "+nightly",
        "miri",
        "test",
        "--package",
        "stiffstep-interpreted",
    ])
    .args(["--test", "miri", "--features", "interpreted"])
    // What cargo has set for us would win over the toolchain that is asked for.
    .env_remove("RUSTUP_TOOLCHAIN")
    .env_remove("CARGO")
    .env_remove("RUSTC")
    .current_dir(workspace());
    miri
}
