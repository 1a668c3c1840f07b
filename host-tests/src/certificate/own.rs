//! `cargo stiffstep certify`: the certificate of the plant in a folder.

use anyhow::{Result, bail};
use std::path::PathBuf;

/// What to certify, and where.
#[derive(clap::Args, Debug)]
pub struct Certify {
    /// The board: m0, m3, m4f, m7, m33, stm32f4, rp2040, or all
    #[arg(long, default_value = "m4f")]
    pub board: String,
    /// The plant's Cargo.toml [default: the one of this folder]
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
    /// The processor's clock in MHz, for the step rate
    #[arg(long, value_name = "MHZ", default_value_t = 100.0)]
    pub clock: f64,
    /// Writes the figures to a file, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Certifies.
pub fn certify(_wish: &Certify) -> Result<()> {
    bail!("not there yet")
}
