//! The converters on an emulated Cortex-M4F.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the firmware reports of a converter or a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// How many steps it took.
    pub steps: usize,
    /// A hash of all states.
    pub hash: u64,
    /// The fewest instructions of a step, the most of one without edges and commutations, the mean, the most.
    pub instructions: [u32; 4],
    /// Bytes of a mode, and of the state.
    pub bytes: [u32; 2],
}

/// One line of the report.
fn record(line: &str) -> Option<Record> {
    let words: Vec<&str> = line.trim().split('|').collect();
    let [
        kind,
        name,
        steps,
        hash,
        least,
        plain,
        mean,
        most,
        mode,
        state,
    ] = words.as_slice()
    else {
        return None;
    };
    let number = |text: &&str| text.parse().ok();
    matches!(*kind, "converter" | "drive").then_some(())?;
    Some(Record {
        name: (*name).to_owned(),
        steps: steps.parse().ok()?,
        hash: u64::from_str_radix(hash, 16).ok()?,
        instructions: [number(least)?, number(plain)?, number(mean)?, number(most)?],
        bytes: [number(mode)?, number(state)?],
    })
}

/// Builds an image of the firmware in this workspace, with a variable of the environment, runs it and returns what it prints.
fn image(workspace: &Path, name: &str, variable: Option<(&str, &Path)>) -> io::Result<String> {
    let target = "thumbv7em-none-eabihf";
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "stiffstep-switched",
    ]);
    cargo
        .args(["--bin", name, "--target", target])
        .current_dir(workspace);
    cargo.envs(variable);
    if !cargo.status()?.success() {
        return Err(io::Error::other(format!("the image {name} does not build")));
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR");
    let folder = folder.map_or_else(|| workspace.join("target"), Into::into);
    let output = Command::new("qemu-system-arm")
        .args([
            "-M",
            "mps2-an386",
            "-nographic",
            "-monitor",
            "none",
            "-serial",
            "none",
        ])
        .args(["-icount", "shift=8"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(folder.join(target).join("release").join(name))
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().find(|line| line.starts_with("error|")) {
        Some(error) => Err(io::Error::other(error.to_owned())),
        None => Ok(text),
    }
}

/// Runs all converters and drives.
pub fn run(workspace: &Path) -> io::Result<Vec<Record>> {
    let text = image(workspace, "converters", None)?;
    Ok(text.lines().filter_map(record).collect())
}

/// The states after every step of the converter of a netlist.
pub fn run_netlist(workspace: &Path, netlist: &Path) -> io::Result<Vec<Vec<f32>>> {
    let text = image(workspace, "netlist", Some(("STIFFSTEP_NETLIST", netlist)))?;
    let number = |word: &str| u32::from_str_radix(word, 16).map_or(f32::NAN, f32::from_bits);
    let state = |line: &str| {
        Some(
            line.strip_prefix("state|")?
                .trim()
                .split('|')
                .map(number)
                .collect(),
        )
    };
    Ok(text.lines().filter_map(state).collect())
}
