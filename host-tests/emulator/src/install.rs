//! What the commands need besides cargo, installed where that is allowed, asked for in a sentence where it is not.

use crate::Board;
use crate::boot::QEMU;
use crate::firmware::workspace;
use crate::stage::Bar;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The standard library for every board's target.
pub fn targets(boards: &[Board], bar: &Bar) -> Result<()> {
    let libraries = sysroot()?.join("lib").join("rustlib");
    let mut missing: Vec<&str> = boards
        .iter()
        .map(|board| board.target)
        .filter(|target| !libraries.join(target).is_dir())
        .collect();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    bar.command(Command::new("rustup").args(["target", "add"]).args(&missing))
        .with_context(|| {
            format!(
                "the Rust targets {} are missing and rustup could not add them: run `rustup target add {}`",
                missing.join(", "),
                missing.join(" ")
            )
        })?;
    Ok(())
}

/// The standard library for one target.
pub fn target(target: &str, bar: &Bar) -> Result<()> {
    if !sysroot()?.join("lib").join("rustlib").join(target).is_dir() {
        bar.command(Command::new("rustup").args(["target", "add", target]))
            .with_context(|| format!("the Rust target {target} is missing and rustup could not add it: run `rustup target add {target}`"))?;
    }
    Ok(())
}

/// The emulator of the RP2040, in the version that its front end names.
pub fn rp2040js(bar: &Bar) -> Result<()> {
    let folder = workspace().join("boards/rp2040/emulator");
    if folder.join("node_modules/rp2040js").is_dir() && answers("node") {
        return Ok(());
    }
    bar.command(
        Command::new("npm")
            .args(["install", "--no-audit", "--no-fund"])
            .current_dir(&folder),
    )
    .context("rp2040js could not be installed: this board is emulated by Node.js, install it (18 or later) with npm, then run this again")?;
    Ok(())
}

/// A subcommand of cargo's from the registry.
pub fn subcommand(name: &str, bar: &Bar) -> Result<()> {
    let installed = Command::new("cargo").args([name, "--version"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        let package = format!("cargo-{name}");
        bar.command(Command::new("cargo").args(["install", "--locked", &package]))
            .with_context(|| {
                format!("{package} is missing: run `cargo install --locked {package}`")
            })?;
    }
    Ok(())
}

/// The formatter and the linter.
pub fn components(bar: &Bar) -> Result<()> {
    for (program, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        if !answers(program) {
            bar.command(Command::new("rustup").args(["component", "add", component]))
                .with_context(|| format!("{component} is missing and rustup could not add it: run `rustup component add {component}`"))?;
        }
    }
    Ok(())
}

/// The emulator.
pub fn emulator(bar: &Bar) -> Result<()> {
    let advice = format!(
        "{QEMU} is missing: install it with `sudo apt-get install {QEMU}` (Debian, Ubuntu), `sudo dnf install qemu-system-arm-core` (Fedora) or `brew install qemu` (macOS), then run this again"
    );
    package(bar, QEMU, || answers(QEMU), &advice)
}

/// What counts instructions on this machine.
pub fn valgrind(bar: &Bar) -> Result<()> {
    let advice = "valgrind, which counts instructions, is missing: install it with `sudo apt-get install valgrind` (Debian, Ubuntu) or `sudo dnf install valgrind` (Fedora), then run this again";
    package(bar, "valgrind", || answers("valgrind"), advice)
}

/// A circuit simulator, beside which a converter is run.
pub fn ngspice(bar: &Bar) -> Result<()> {
    let advice = "ngspice, beside which a converter is run, is missing: install it with `sudo apt-get install ngspice` (Debian, Ubuntu), `sudo dnf install ngspice` (Fedora) or `brew install ngspice` (macOS), then run this again";
    package(bar, "ngspice", || answers("ngspice"), advice)
}

/// Miri, in a nightly toolchain.
pub fn miri(bar: &Bar) -> Result<()> {
    let installed = Command::new("cargo")
        .args(["+nightly", "miri", "--version"])
        .output();
    if !installed.is_ok_and(|output| output.status.success()) {
        let mut rustup = Command::new("rustup");
        rustup.args(["toolchain", "install", "nightly", "--profile", "minimal"]);
        bar.command(rustup.args(["--component", "miri,rust-src"])).context(
            "Miri is missing: run `rustup toolchain install nightly --component miri,rust-src`, then this again",
        )?;
    }
    Ok(())
}

/// The names under which browsers that can do without a window are installed.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser that is installed, if there is one.
pub fn installed_browser() -> Option<&'static str> {
    BROWSERS.into_iter().find(|browser| answers(browser))
}

/// A browser that can be used without a window.
pub fn browser(bar: &Bar) -> Result<()> {
    let advice = "a browser is missing: install it with `sudo apt-get install chromium` (Debian), `sudo dnf install chromium` (Fedora) or `brew install chromium` (macOS), then run this again";
    package(bar, "chromium", || installed_browser().is_some(), advice)
}

/// A package of Debian's, unless what it brings is there.
fn package(bar: &Bar, name: &str, is_there: impl Fn() -> bool, advice: &str) -> Result<()> {
    if is_there() {
        return Ok(());
    }
    if !(is_root() && answers("apt-get")) {
        bail!(advice.to_owned());
    }
    let apt = |arguments: &[&str]| {
        bar.command(
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
        .with_context(|| advice.to_owned())
    };
    apt(&["update"])?;
    apt(&["install", "--yes", "--no-install-recommends", name])?;
    if !is_there() {
        bail!(advice.to_owned());
    }
    Ok(())
}

/// Where the compiler that cargo uses keeps its libraries.
fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .context("rustc could not be started; is it on the path?")?;
    Ok(Path::new(String::from_utf8_lossy(&output.stdout).trim()).to_path_buf())
}

/// Whether a program is there and says which version it is.
fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
