//! What a command took: seconds of the processor and compiled packages, those of every cargo that it started included.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, thread};

/// By this name `cargo xtask` tells a command how many packages were compiled before it could start.
pub const COMPILED: &str = "STIFFSTEP_COMPILED";

static PACKAGES: AtomicU32 = AtomicU32::new(0);

/// Runs cargo to its end, counts the packages that it compiles, and passes on at once that it waits for another one.
pub fn run(cargo: &mut Command) -> Result<Output> {
    let mut child = cargo
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cargo could not be started; is it on the path?")?;
    let stderr = child.stderr.take();
    let listener = thread::spawn(move || stderr.map(listen).unwrap_or_default());
    let mut stdout = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout)?;
    }
    Ok(Output {
        status: child.wait()?,
        stdout,
        stderr: listener.join().unwrap_or_default().into_bytes(),
    })
}

/// What cargo says besides its progress.
fn listen(stderr: impl Read) -> String {
    let mut said = String::new();
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        let word = line.split_whitespace().next().unwrap_or("");
        match word {
            "Compiling" => _ = PACKAGES.fetch_add(1, Ordering::Relaxed),
            // Another build has the folder: without this line nobody would know why nothing moves.
            "Blocking" => eprintln!("{}", line.trim()),
            "Finished" => {}
            _ => said += &(line + "\n"),
        }
    }
    said
}

/// One line for the end of a command.
pub fn summary() -> String {
    let before = env::var(COMPILED).ok().and_then(|n| n.parse().ok());
    let packages = before.unwrap_or(0) + PACKAGES.load(Ordering::Relaxed);
    match so_far() {
        Some(seconds) => format!(
            "cost: {seconds:.1} CPU-seconds (user and system, with every compiler), {packages} packages compiled"
        ),
        None => {
            format!("cost: {packages} packages compiled (CPU-seconds are counted on Linux only)")
        }
    }
}

/// Seconds of the processor that this process and all that it has waited for took so far. Known on Linux only.
pub fn so_far() -> Option<f64> {
    processor_seconds(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Seconds of this process and of all that it has waited for, from Linux's account of it: fields 14 to 17, in ticks of 10 ms.
fn processor_seconds(stat: &str) -> Option<f64> {
    // The second field is the program's name in parentheses, and may hold anything.
    let fields = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks: Option<Vec<f64>> = fields.skip(11).take(4).map(|n| n.parse().ok()).collect();
    ticks.map(|ticks| ticks.iter().sum::<f64>() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::{listen, processor_seconds};

    #[test]
    fn seconds_are_those_of_children_too() {
        let stat = "42 (a (strange) name) S 1 2 3 4 5 6 7 8 9 10 120 30 4000 850 20 0 1 0 0";
        assert_eq!(processor_seconds(stat), Some(50.0));
    }

    #[test]
    fn progress_is_no_message() {
        let said = "   Compiling one v1.0.0\nwarning: two\n    Finished `dev`\n";
        assert_eq!(listen(said.as_bytes()), "warning: two\n");
    }
}
