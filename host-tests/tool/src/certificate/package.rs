//! The package that is written for a certificate: one program for boards and desk, and nothing in it but the plant.

use crate::emulator::Board;
use crate::emulator::cost::run;
use crate::emulator::firmware::{add_flags, images_in};
use crate::emulator::record::{Run, runs};
use crate::package::{SCRIPTS, Sources, cargo, lock, write};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A plant to certify.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What its folder is called.
    pub name: String,
    /// How its crate is depended on, as a line of a manifest; empty for plants of our own, whose crate is there anyway.
    pub dependency: String,
    /// An expression that makes its rig.
    pub rig: String,
    /// Where everything is built.
    pub folder: PathBuf,
    /// Where the crates of the kit are.
    pub kit: Sources,
}

/// What a build is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Exercising the plant.
    Exercise,
    /// Proving that its step cannot panic.
    Proof,
}

/// The program's name.
const PROGRAM: &str = "certificate";

impl Subject {
    fn home(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Writes the package.
    pub fn write(&self) -> Result<()> {
        let home = self.home();
        fs::create_dir_all(home.join("src"))
            .with_context(|| format!("{} could not be created", home.display()))?;
        let manifest = MANIFEST.replace("DEPENDENCY", &self.dependency);
        write(&home.join("Cargo.toml"), &self.kit.fit(&manifest)?)?;
        write(&home.join("build.rs"), SCRIPTS)?;
        let program = PROGRAM_TEXT.replace("RIG", &self.rig);
        write(&home.join("src/main.rs"), &program)?;
        // The versions that this kit was tested with, or those of the plant.
        lock(&home, self.folder.ancestors().nth(2))
    }

    /// Where cargo builds: where it builds the plant's tests and the firmware that is checked, so that nothing is built twice.
    fn target(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// The sizes of frames come only by a flag that is not stable. It changes nothing in the code, and this package alone is compiled
    /// with it: all code is generated there, and the crates below it stay those of other builds. Without a Unix shell they stay unknown.
    fn tell_frames(&self, cargo: &mut Command) -> Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let script = self.home().join("rustc-and-frames");
            let text = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec \"$@\" -Zemit-stack-sizes\n";
            write(&script, text)?;
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
            cargo.env("RUSTC_WORKSPACE_WRAPPER", script);
        }
        Ok(())
    }

    /// Builds it for a board.
    pub fn image(&self, board: Board, purpose: Purpose) -> Result<PathBuf> {
        let mut cargo = cargo(&self.home().join("Cargo.toml"));
        let feature = match purpose {
            Purpose::Exercise => "log",
            Purpose::Proof => "proof",
        };
        cargo.args(["build", "--release", "--features", feature]);
        self.tell_frames(&mut cargo)?;
        add_flags(&mut cargo, board);
        let folder = format!("{}-{}-{feature}", self.name, board.name);
        let images = images_in(self.target(), &mut cargo, board.target, &[PROGRAM], &folder)?;
        images.into_iter().next().context("cargo built nothing")
    }

    /// Writes it, builds it for this machine, as its tests are built, and gives what it leaves behind.
    pub fn on_the_desk(&self) -> Result<Vec<Run>> {
        self.write()?;
        let mut cargo = cargo(&self.home().join("Cargo.toml"));
        cargo.args(["build", "--target-dir"]).arg(self.target());
        let built = run(&mut cargo)?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            let said = said.trim_end();
            bail!("the plant did not build for this machine; cargo said:\n{said}");
        }
        let program = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
        let program = self.target().join("debug").join(program);
        let output = Command::new(&program)
            .output()
            .with_context(|| format!("{} could not be started", program.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("the plant does not start: {}", said.trim());
        }
        let lines = String::from_utf8(output.stdout)?;
        runs(&lines.lines().map(str::to_owned).collect::<Vec<_>>())
    }
}

const MANIFEST: &str = include_str!("../../written/certificate.toml.in");

const PROGRAM_TEXT: &str = r#"//! A plant, exercised on a board and on the desk.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(all(target_os = "none", feature = "proof"))]
#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::certify::prove(RIG)
}

#[cfg(all(target_os = "none", feature = "log"))]
#[cortex_m_rt::entry]
fn main() -> ! {
    stiffstep_qemu::certify::run(|| RIG)
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), String> {
    let lines = stiffstep_plants::exercise::lines(|| RIG);
    for line in lines.map_err(|error| error.to_string())? {
        println!("{line}");
    }
    Ok(())
}
"#;
