//! Building firmware with cargo.

use super::{Board, cost};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// The features that an image is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Features {
    /// Logging: everything but the proof. Floating point that the processor lacks is our own.
    Log,
    /// The same without optimisation across crates, which builds in a fraction of the time: where only bits count. Floating point is
    /// the compiler's, so that its bits are compared, too.
    QuickLog,
    /// The same with floating point of our own.
    QuickSoft,
    /// Text instead of a log, and no workloads but the benchmark's: quick to build, and read without a decoder.
    Plain,
    /// The proof that no panic path is left.
    Proof,
    /// The proof with a panic path put in, which must not link.
    DeliberatePanic,
}

/// Boards may share a target, and cargo puts both images in the same place: one build of a target at a time, copied away at
/// once.
fn building(target: &str) -> &'static Mutex<()> {
    static TARGETS: Mutex<BTreeMap<String, &'static Mutex<()>>> = Mutex::new(BTreeMap::new());
    let mut targets = TARGETS.lock().unwrap_or_else(PoisonError::into_inner);
    targets
        .entry(target.to_owned())
        .or_insert_with(|| Box::leak(Box::default()))
}

/// The top of the workspace.
pub fn workspace() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_path_buf()
}

/// The folder that everything built goes to.
pub fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// The cargo that runs us, or the one on the path, started at the top of the workspace.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace()).stdin(Stdio::null());
    cargo
}

/// The cargo command that builds binaries of the boards' package for a board.
pub fn build_command(board: Board, binaries: &[&str], features: Features) -> Command {
    let mut cargo = cargo();
    let profile = match features {
        Features::QuickLog | Features::QuickSoft => "quick",
        _ => "release",
    };
    cargo.args(["build", "--profile", profile, "--package", "stiffstep-qemu"]);
    for binary in binaries {
        cargo.args(["--bin", binary]);
    }
    if binaries.contains(&"plan") {
        cargo.args(["--features", "plan"]);
    }
    // What runs no workloads shares what it is made of with the images of one problem, and not with those of all.
    let small = binaries
        .iter()
        .all(|name| ["arithmetic", "sine"].contains(name));
    if small && features == Features::Log {
        cargo.args(["--no-default-features", "--features", "log,benchmark"]);
    }
    match features {
        Features::Log | Features::QuickSoft => _ = cargo.args(["--features", "softfloat"]),
        Features::QuickLog => {}
        Features::Plain => {
            cargo.args(["--no-default-features", "--features", "plain,softfloat"]);
        }
        Features::Proof => _ = cargo.args(["--no-default-features", "--features", "proof"]),
        Features::DeliberatePanic => {
            cargo.args(["--no-default-features", "--features", "deliberate-panic"]);
        }
    }
    add_flags(&mut cargo, board);
    cargo
}

/// Has the compiler use all of a board's processor.
pub fn add_flags(cargo: &mut Command, board: Board) {
    if let Some(processor) = board.processor {
        let flags = format!("rustflags=[\"-Ctarget-cpu={processor}\"]");
        let config = format!("target.\"{}\".{flags}", board.target);
        cargo.args(["--config", &config]);
    }
}

/// Builds binaries for a board and gives the paths of their images, in the same order. The error carries what cargo said.
pub fn build(board: Board, binaries: &[&str], features: Features) -> Result<Vec<PathBuf>> {
    let folder = match features {
        Features::QuickSoft => format!("{}-soft", board.name),
        _ => board.name.to_owned(),
    };
    let mut command = build_command(board, binaries, features);
    images(&mut command, board.target, binaries, &folder)
}

/// Runs a cargo command that builds these binaries for one of Rust's targets, and gives the paths of their images, copied to
/// a folder of that name.
pub fn images(
    command: &mut Command,
    target: &str,
    binaries: &[&str],
    folder: &str,
) -> Result<Vec<PathBuf>> {
    images_in(&target_folder(), command, target, binaries, folder)
}

/// The same with everything built below a place of one's own.
///
/// Every target has a folder of its own to be built in, because cargo locks the whole folder: so two of them are built at once.
pub fn images_in(
    place: &Path,
    command: &mut Command,
    target: &str,
    binaries: &[&str],
    folder: &str,
) -> Result<Vec<PathBuf>> {
    let one_at_a_time = building(target).lock();
    let _one_at_a_time = one_at_a_time.unwrap_or_else(PoisonError::into_inner);
    command
        .args(["--target", target, "--target-dir"])
        .arg(place.join("firmware").join(target))
        .args(["--message-format", "json-render-diagnostics"]);
    let output = cost::run(command)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim_end();
        bail!("the firmware for {folder} did not build; cargo said:\n{said}");
    }
    let built = executables(&output.stdout);
    binaries
        .iter()
        .map(|&binary| {
            let built = built
                .iter()
                .find(|path| path.file_stem().is_some_and(|stem| stem == binary))
                .with_context(|| format!("cargo built no image called `{binary}`"))?;
            set_aside(built, folder, binary)
        })
        .collect()
}

/// The executables in cargo's messages.
fn executables(messages: &[u8]) -> Vec<PathBuf> {
    String::from_utf8_lossy(messages)
        .lines()
        .filter_map(|line| Some(line.split_once("\"executable\":\"")?.1.split_once('"')?.0))
        // A string of JSON: of what it may hold only backslashes are in paths.
        .map(|path| PathBuf::from(path.replace("\\\\", "\\")))
        .collect()
}

/// Copies an image to a place that is the board's own.
fn set_aside(built: &Path, folder: &str, binary: &str) -> Result<PathBuf> {
    let place = built.parent().unwrap_or(Path::new(""));
    let folder = place.join("boards").join(folder);
    fs::create_dir_all(&folder)
        .with_context(|| format!("{} could not be created", folder.display()))?;
    let image = folder.join(binary);
    // Under another name first: a test in another process may be booting the old one.
    let fresh = folder.join(format!("{binary}.{}", std::process::id()));
    fs::copy(built, &fresh)
        .and_then(|_| fs::rename(&fresh, &image))
        .with_context(|| format!("{} could not be written", image.display()))?;
    Ok(image)
}

/// What the compiler calls itself.
pub fn compiler() -> Result<String> {
    static SAID: Mutex<Option<String>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(said) = &*said {
        return Ok(said.clone());
    }
    let output = Command::new("rustc").arg("--version").output();
    let output = output.context("rustc could not be started; is it on the path?")?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(said.insert(version).clone())
}
