//! A copy of the workspace in which the core may be wrong, built into a target folder of its own.

use crate::draw::Mutant;
use crate::switch::{self, Switch};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use stiffstep_emulator::firmware::{target_folder, workspace};

/// What a switch asks: the mutant that the environment names is on. With a file in `MUTANTS_REACHED` the numbers of all that were
/// asked for are written there, each once.
const SWITCHBOARD: &str = r#"
#[doc(hidden)]
#[allow(missing_docs, clippy::all)]
pub mod mutant {
    extern crate std;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::io::Write;

    const UNKNOWN: usize = usize::MAX;
    const RECORD: usize = usize::MAX - 1;
    static ON: AtomicUsize = AtomicUsize::new(UNKNOWN);
    static REACHED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

    #[inline]
    pub fn on(id: usize) -> bool {
        let on = ON.load(Relaxed);
        if on < RECORD { on == id } else { ask(id) }
    }

    #[cold]
    #[inline(never)]
    fn ask(id: usize) -> bool {
        if ON.load(Relaxed) == UNKNOWN {
            let on = std::env::var("MUTANT").ok().and_then(|on| on.parse().ok());
            let record = std::env::var_os("MUTANTS_REACHED").is_some();
            ON.store(on.unwrap_or(if record { RECORD } else { 0 }), Relaxed);
            return on_after(id);
        }
        if !REACHED[id].swap(true, Relaxed) {
            if let Some(path) = std::env::var_os("MUTANTS_REACHED") {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                _ = file.and_then(|mut file| file.write_all(std::format!("{id}\n").as_bytes()));
            }
        }
        false
    }

    fn on_after(id: usize) -> bool {
        on(id)
    }
}
"#;

/// The file that gets it.
const ROOT: &str = "src/lib.rs";

/// The copy.
pub struct Tree {
    folder: PathBuf,
    optimised: bool,
}

impl Tree {
    /// The workspace as it is, committed or not. What has not changed since the last copy is not written again, so that it need not
    /// be built again. What is built often is not optimised, which is built sooner.
    pub fn copy(name: &str, optimised: bool) -> Result<Self> {
        let tree = Tree {
            folder: target_folder().join("mutants").join(name),
            optimised,
        };
        let mut git = Command::new("git");
        git.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(workspace());
        let files = String::from_utf8(git.output().context("git could not be started")?.stdout)?;
        for file in files.split_terminator('\0') {
            if let Ok(content) = fs::read(workspace().join(file)) {
                tree.write(file, &content)?;
            }
        }
        Ok(tree)
    }

    /// The original text of a file.
    pub fn original(file: &str) -> Result<String> {
        fs::read_to_string(workspace().join(file)).with_context(|| format!("{file} cannot be read"))
    }

    fn write(&self, file: &str, content: &[u8]) -> Result<()> {
        let path = self.folder.join(file);
        if fs::read(&path).is_ok_and(|there| there == content) {
            return Ok(());
        }
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        fs::write(&path, content).with_context(|| format!("{} cannot be written", path.display()))
    }

    /// Puts every mutant that can have one behind a switch, and gives the numbers of those. Mutant i has the number i + 1.
    pub fn switch(&self, mutants: &[Mutant], say: impl Fn(&str)) -> Result<BTreeSet<usize>> {
        let mut files: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
        for (index, mutant) in mutants.iter().enumerate() {
            files
                .entry(&mutant.file)
                .or_default()
                .push((index + 1, mutant));
        }
        let mut switches: BTreeMap<&str, Vec<Switch>> = BTreeMap::new();
        for (file, mutants) in files {
            switches.insert(file, switch::switches(&Self::original(file)?, &mutants)?);
        }
        switches.entry(ROOT).or_default();
        loop {
            let mut places: BTreeMap<&str, Vec<(usize, Range<usize>)>> = BTreeMap::new();
            for (file, switches) in &switches {
                let (mut text, own) = switch::switched(&Self::original(file)?, switches);
                if *file == ROOT {
                    text += SWITCHBOARD;
                }
                self.write(file, text.as_bytes())?;
                places.insert(file, own);
            }
            let errors = self.errors()?;
            if errors.is_empty() {
                let all = switches.values().flatten();
                return Ok(all.map(|switch| switch.id).collect());
            }
            let refused = refused(&errors, &places)?;
            say(&format!("{} cannot have a switch", refused.len()));
            for switches in switches.values_mut() {
                switches.retain(|switch| !refused.contains(&switch.id));
            }
        }
    }

    /// Makes one wrong change; whether the core compiles with it.
    pub fn mutate(&self, mutant: &Mutant) -> Result<bool> {
        let text = switch::mutated(&Self::original(&mutant.file)?, mutant);
        self.write(&mutant.file, text.as_bytes())?;
        Ok(self.errors()?.is_empty())
    }

    /// Takes it back.
    pub fn mend(&self, mutant: &Mutant) -> Result<()> {
        self.write(&mutant.file, Self::original(&mutant.file)?.as_bytes())
    }

    /// Cargo, in this tree.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.folder);
        // A folder of its own: in that of the workspace cargo would take the copy for the original.
        cargo.env("CARGO_TARGET_DIR", target_folder().join("mutants/target"));
        if !self.optimised {
            cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        }
        cargo
    }

    /// What the compiler does not take in the core: where, and what it says.
    fn errors(&self) -> Result<Vec<CompilerError>> {
        let mut check = self.cargo();
        check.args([
            "check",
            "--quiet",
            "--package",
            "stiffstep",
            "--features",
            "hil",
        ]);
        let output = check.args(["--message-format", "json"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let errors: Vec<CompilerError> = messages.filter_map(CompilerError::read).collect();
        if errors.is_empty() && !output.status.success() {
            bail!("cargo check: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(errors)
    }
}

/// An error, and every place that the compiler shows for it.
struct CompilerError {
    rendered: String,
    places: Vec<(String, usize)>,
}

impl CompilerError {
    fn read(message: Value) -> Option<Self> {
        let message = &message["message"];
        let spans = message["spans"].as_array()?;
        if message["level"] != "error" || spans.is_empty() {
            return None;
        }
        let primary = spans.iter().filter(|span| span["is_primary"] == true);
        let places = primary.filter_map(|span| {
            let at = span["byte_start"].as_u64()?;
            Some((span["file_name"].as_str()?.to_owned(), at as usize))
        });
        Some(CompilerError {
            rendered: message["rendered"].as_str().unwrap_or_default().to_owned(),
            places: places.collect(),
        })
    }
}

/// The numbers of the innermost switches in which the errors are.
fn refused(
    errors: &[CompilerError],
    places: &BTreeMap<&str, Vec<(usize, Range<usize>)>>,
) -> Result<BTreeSet<usize>> {
    let mut refused = BTreeSet::new();
    for error in errors {
        let innermost = error.places.iter().filter_map(|(file, at)| {
            let own = places.get(&**file)?.iter();
            own.filter(|(_, range)| range.contains(at))
                .min_by_key(|(_, range)| range.len())
        });
        let before = refused.len();
        let ids: Vec<usize> = innermost.map(|(id, _)| *id).collect();
        let known = ids.iter().any(|id| refused.contains(id));
        refused.extend(ids);
        if refused.len() == before && !known {
            bail!(
                "the core does not compile without any mutant:\n{}",
                error.rendered
            );
        }
    }
    Ok(refused)
}
