//! A plant's package, and where the crates of the kit are that it is built with.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use stiffstep_emulator::firmware::workspace;

/// A package outside the kit.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its Cargo.toml.
    pub manifest: PathBuf,
    /// Its name.
    pub name: String,
    /// Where cargo puts what it builds.
    pub target: PathBuf,
    /// Where its library is from, and with it everything else of the kit.
    pub kit: Sources,
}

impl Package {
    /// The one of this Cargo.toml, or of the folder that we are in.
    pub fn find(manifest: Option<&Path>) -> Result<Self> {
        let here = env::current_dir().context("there is no current folder")?;
        let manifest = here.join(manifest.unwrap_or(Path::new("Cargo.toml")));
        let shown = manifest.display();
        if !manifest.is_file() {
            bail!(
                "{shown} is not there: go to the folder of a plant, or make one with `cargo stiffstep new`"
            );
        }
        let output = cargo(&manifest)
            .args(["metadata", "--format-version", "1", "--manifest-path"])
            .arg(&manifest)
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("cargo cannot read {shown}:\n{}", said.trim_end());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        Self::of(&metadata, &manifest).with_context(|| {
            format!("{shown} is not the manifest of a package that depends on stiffstep")
        })
    }

    fn of(metadata: &Value, manifest: &Path) -> Option<Self> {
        let same = |path: &Value| {
            let path = path.as_str().map(Path::new).map(Path::canonicalize);
            matches!((path, manifest.canonicalize()), (Some(Ok(a)), Ok(b)) if a == b)
        };
        let packages = metadata["packages"].as_array()?;
        let mut all = packages.iter();
        let package = all.find(|package| same(&package["manifest_path"]))?;
        let mut all = packages.iter();
        let library = all.find(|package| package["name"] == "stiffstep")?;
        let kit = match library["source"].as_str() {
            None => {
                let manifest = Path::new(library["manifest_path"].as_str()?);
                Sources::Folder(manifest.parent()?.into())
            }
            Some(_) => Sources::Registry(library["version"].as_str()?.to_owned()),
        };
        Some(Package {
            manifest: manifest.to_path_buf(),
            name: package["name"].as_str()?.to_owned(),
            target: metadata["target_directory"].as_str()?.into(),
            kit,
        })
    }

    /// The folder of its manifest.
    pub fn folder(&self) -> &Path {
        self.manifest.parent().unwrap_or(Path::new("."))
    }

    /// Writes a package of one's own beside what cargo builds, with the versions of everything that were tested or are in use already.
    pub fn write(&self, name: &str, files: &[(&str, String)]) -> Result<PathBuf> {
        let home = self.target.join("stiffstep").join(name);
        for (path, text) in files {
            let file = home.join(path);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)
                    .with_context(|| format!("{} could not be created", folder.display()))?;
            }
            write(&file, text)?;
        }
        lock(&home, Some(self.folder()))?;
        Ok(home)
    }
}

/// Gives a package that is written by us the versions of a checkout, or else of the plant.
pub fn lock(home: &Path, plant: Option<&Path>) -> Result<()> {
    let lock = home.join("Cargo.lock");
    let known = [Some(workspace()), plant.map(Path::to_path_buf)].into_iter();
    let mut known = known.flatten().map(|folder| folder.join("Cargo.lock"));
    if let (false, Some(known)) = (lock.exists(), known.find(|file| file.exists())) {
        fs::copy(known, &lock).context("Cargo.lock could not be copied")?;
    }
    Ok(())
}

/// Where crates of the kit come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sources {
    /// A checkout, or a folder of packages beside each other.
    Folder(PathBuf),
    /// A registry, in this version.
    Registry(String),
}

/// The kit's crates, and where a checkout has them.
const CRATES: [(&str, &str); 8] = [
    ("stiffstep", "."),
    ("stiffstep-link", "host-tests/link"),
    ("stiffstep-plants", "host-tests/plants"),
    ("stiffstep-qemu", "boards/qemu"),
    ("stiffstep-rp2040", "boards/rp2040"),
    ("stiffstep-stm32f4", "boards/stm32f4"),
    ("stiffstep-softfloat", "boards/softfloat"),
    ("stiffstep-linker", "boards/linker"),
];

impl Sources {
    /// Those that this tool was built from, if they are still there; or a registry, in the tool's version.
    pub fn own() -> Self {
        let checkout = workspace();
        if checkout.join("boards/qemu/Cargo.toml").exists() {
            Sources::Folder(checkout)
        } else {
            Sources::registry()
        }
    }

    /// A registry, in the tool's version.
    pub fn registry() -> Self {
        Sources::Registry(env!("CARGO_PKG_VERSION").to_owned())
    }

    /// How a manifest says where a crate is: `path = "…"` or `version = "…"`.
    pub fn key(&self, name: &str) -> Result<String> {
        match self {
            Sources::Registry(version) => Ok(format!("version = {}", quoted(version))),
            Sources::Folder(folder) => {
                let path = find(folder, name)
                    .with_context(|| format!("{} has no crate `{name}`", folder.display()))?;
                // As a path of a string in a manifest.
                let path = path.to_string_lossy().replace('\\', "/");
                Ok(format!("path = {}", quoted(&path)))
            }
        }
    }

    /// A text with every `kit = "NAME"` replaced.
    pub fn fit(&self, text: &str) -> Result<String> {
        let mut text = text.to_owned();
        for (name, _) in CRATES {
            let mark = format!("kit = \"{name}\"");
            if text.contains(&mark) {
                text = text.replace(&mark, &self.key(name)?);
            }
        }
        Ok(text)
    }
}

/// A crate in a checkout; or beside the library, by its name, with or without a version behind it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_there = |folder: &PathBuf| folder.join("Cargo.toml").exists();
    let (_, place) = CRATES.iter().find(|(known, _)| *known == name)?;
    let inside = if *place == "." {
        folder.to_path_buf()
    } else {
        folder.join(place)
    };
    let beside = folder.parent()?;
    let version = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
    [inside, beside.join(version), beside.join(name)]
        .into_iter()
        .find(is_there)
}

/// The build script of every program that is written for a board.
pub const SCRIPTS: &str = "//! Gives the linker its scripts.

fn main() {
    stiffstep_linker::scripts();
}
";

/// A string of TOML.
pub fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A cargo command in the folder of a package outside, which has nothing to do with the cargo that may have started us.
pub fn cargo(manifest: &Path) -> Command {
    let mut cargo = stiffstep_emulator::firmware::cargo();
    if let Some(folder) = manifest.parent() {
        cargo.current_dir(folder);
    }
    cargo
}

/// Writes a file, unless it is there: a newer file would be built anew.
pub fn write(file: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(file).is_ok_and(|before| before == text) {
        return Ok(());
    }
    fs::write(file, text).with_context(|| format!("{} could not be written", file.display()))
}
