//! What a stranger meets: the front page and its commands, the guide, a new plant, the package.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, process};
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};
use stiffstep_host_tests::hil::emulated::usable_qemu;
use stiffstep_host_tests::outside::template::{New, new};
use stiffstep_host_tests::picture;

/// A folder that is gone when the test is over.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("stiffstep-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Temporary(folder)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn readme() -> String {
    fs::read_to_string(workspace().join("README.md")).unwrap()
}

/// The front page and the pages of the guide, by name.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec![("README.md".to_owned(), readme())];
    for file in fs::read_dir(workspace().join("src/guide")).unwrap() {
        let path = file.unwrap().path();
        // A picture is not a page.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let picture = name == "motor.md" || name.ends_with("_picture.md");
        if path.extension().is_some_and(|end| end == "md") && !picture {
            pages.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    assert!(pages.len() > 10, "{} pages", pages.len());
    pages
}

/// All text under a folder of the repository that ends so.
fn sources(folder: &str, end: &str) -> String {
    let mut text = String::new();
    let mut folders = vec![workspace().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == end) {
                text += &fs::read_to_string(path).unwrap();
            }
        }
    }
    text
}

/// What a page has between backquotes, outside of its blocks.
fn quoted(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    prose
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

/// Tests, files and commands that a page names exist.
#[test]
fn what_pages_name_exists() {
    let tests = sources("host-tests/tests", "rs") + &sources("host-tests/switched/tests", "rs");
    // Their commands are variants of an enum, or rows of the table of who runs them.
    let programs = [
        ("cargo xtask ", "src/bin/tasks"),
        ("cargo xtask ", "xtask/src"),
        ("cargo stiffstep ", "tool/src"),
        ("stiffstep-hil ", "link/src/command"),
        ("cargo stiffstep hil ", "link/src/command"),
    ]
    .map(|(program, folder)| {
        let source = sources(&format!("host-tests/{folder}"), "rs");
        (program, source.to_lowercase())
    });
    let (mut named_tests, mut named_files, mut named_commands) = (0, 0, 0);
    for (page, text) in pages() {
        for word in quoted(&text) {
            let first = word.split(' ').next().unwrap();
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let is_page = workspace().join(format!("src/guide/{word}.md")).exists();
            if word.matches('_').count() >= 2 && word.chars().all(is_name) && !is_page {
                let test = format!("fn {word}()");
                assert!(tests.contains(&test), "{page}: test `{word}`");
                named_tests += 1;
            }
            let tops = ["src/", "host-tests/", "boards/"];
            if tops.iter().any(|top| first.starts_with(top)) && page != "README.md" {
                assert!(workspace().join(first).exists(), "{page}: file `{first}`");
                named_files += 1;
            }
            let mut known = None;
            for (program, source) in &programs {
                let rest = word.strip_prefix(program).unwrap_or("--no-command");
                let Some(task) = rest.split(' ').next().filter(|task| !task.starts_with('-'))
                else {
                    continue;
                };
                let rows = [
                    format!("&[\"{task}\"])"),
                    format!("\n            \"{task}\",\n"),
                ];
                let task = task.replace('-', "");
                let variant = |end| source.contains(&format!("\n    {task}{end}"));
                let listed = [",", "(", " {"].into_iter().any(variant)
                    || rows.iter().any(|row| source.contains(row));
                known = Some(known.unwrap_or(false) || listed);
            }
            assert_ne!(known, Some(false), "{page}: `{word}`");
            named_commands += usize::from(known.is_some());
        }
    }
    assert!(named_tests > 15, "{named_tests}");
    assert!(named_files > 15, "{named_files}");
    assert!(named_commands > 10, "{named_commands}");
}

/// The files of the front page's picture are what `cargo xtask picture` draws.
#[test]
fn the_picture_is_current() {
    for (file, drawn) in picture::FILES.iter().zip(picture::files().unwrap()) {
        let kept = fs::read_to_string(workspace().join(file)).unwrap();
        assert!(kept == drawn, "{file} is old: run `cargo xtask picture`");
    }
}

#[test]
fn a_new_plant_is_refused_where_it_cannot_be() {
    let folder = Temporary::new("refused");
    let refusal = |name: &str| {
        let made = new(&New {
            folder: folder.0.join(name),
            kit: None,
            registry: false,
        });
        made.unwrap_err().to_string()
    };
    for name in "1-motor,Motor,a motor,stiffstep,test,..,m\u{f6}tor".split(',') {
        let said = refusal(name);
        assert!(said.contains("name"), "{name}: {said}");
    }
    fs::create_dir(folder.0.join("there")).unwrap();
    assert!(refusal("there").contains("already"));
}

/// Nothing is left of the template's name or of its place; with the registry nothing of this checkout either.
#[test]
fn a_new_plant_is_on_its_own() {
    let (temporary, here) = (Temporary::new("own"), workspace());
    let here = here.to_string_lossy();
    for registry in [false, true] {
        let folder = temporary.0.join(format!("fan-{registry}"));
        new(&New {
            folder: folder.clone(),
            kit: None,
            registry,
        })
        .unwrap();
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let manifest = read("Cargo.toml");
        for file in ["Cargo.toml", "src/lib.rs", "tests/motion.rs", ".gitignore"] {
            let text = read(file);
            for trace in ["elastic-drive", "elastic_drive", "../.."] {
                assert!(!text.contains(trace), "{trace} in\n{text}");
            }
            assert!(!registry || !text.contains(&*here), "{text}");
        }
        let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\", features");
        assert_eq!(manifest.contains(version), registry, "{manifest}");
        for board in ["qemu", "rp2040", "stm32f4"] {
            let firmware = read(&format!("boards/{board}/Cargo.toml"));
            assert!(!firmware.contains("kit = "), "{firmware}");
            assert_eq!(firmware.contains(&*here), !registry, "{firmware}");
        }
    }
}

/// A block of the front page.
enum Block {
    /// Commands.
    Commands(Vec<String>),
    /// What to change: file, old line, new line.
    Changes(Vec<[String; 3]>),
}

/// The commands and changes of a part of the front page.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for block in text.split("\n```").skip(1).step_by(2) {
        let (kind, lines) = block.split_once('\n').unwrap();
        match kind {
            "sh" => {
                let command = |line: &str| line.split(" #").next().unwrap().trim().to_owned();
                blocks.push(Block::Commands(lines.lines().map(command).collect()));
            }
            "diff" => {
                let (mut changes, mut file, mut old) = (Vec::new(), "", "");
                for line in lines.lines() {
                    match line.split_at(1) {
                        ("-", path) if line.starts_with("--- ") => {
                            file = path.trim_start_matches("-- ")
                        }
                        ("-", text) => old = text,
                        ("+", text) => changes.push([file, old, text].map(str::to_owned)),
                        _ => panic!("a change that makes no sense: {line}"),
                    }
                }
                blocks.push(Block::Changes(changes));
            }
            "rust" | "text" => {}
            _ => panic!("a block of unknown kind: {kind}"),
        }
    }
    blocks
}

/// What takes long has the machine to itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Whoever follows the page.
struct Stranger {
    at: PathBuf,
    /// Where new folders go, instead of beside the checkout.
    outside: PathBuf,
    target: Option<PathBuf>,
}

impl Stranger {
    fn follow(&mut self, text: &str) -> usize {
        let mut done = 0;
        for block in blocks(text) {
            match block {
                Block::Commands(commands) => {
                    for command in commands {
                        self.run(&command);
                        done += 1;
                    }
                }
                Block::Changes(changes) => {
                    for [file, old, new] in changes {
                        let path = self.at.join(file);
                        let text = fs::read_to_string(&path).unwrap();
                        let times = text.matches(&old).count();
                        assert_eq!(times, 1, "`{old}` in {}", path.display());
                        fs::write(&path, text.replace(&old, &new)).unwrap();
                    }
                }
            }
        }
        done
    }

    fn run(&mut self, command: &str) {
        let command = command.replace("../", &format!("{}/", self.outside.display()));
        if let Some(folder) = command.strip_prefix("cd ") {
            self.at = self.at.join(folder);
            return;
        }
        // This test is part of it.
        if command == "cargo xtask test" {
            return;
        }
        // There is no board to flash.
        let command = if command.contains(" --package my-drive-") {
            command.replace("cargo run", "cargo build")
        } else {
            command
        };
        let began = Instant::now();
        let mut shell = Command::new("bash");
        shell.args(["-c", &command]).current_dir(&self.at);
        if let Some(target) = &self.target {
            shell.env("CARGO_TARGET_DIR", target);
        }
        let output = shell.output().unwrap();
        println!("{:6.1} s  {command}", began.elapsed().as_secs_f64());
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}` failed:\n{text}");
    }
}

/// The front page in three: its first plant, that plant on real boards, and everything else.
fn parts(readme: &str) -> [String; 3] {
    let (start, rest) = readme
        .split_once("## A first plant in ten minutes")
        .unwrap();
    let (first, rest) = rest.split_once("## On a real board").unwrap();
    let (boards, end) = rest.split_once("## The physics").unwrap();
    [first.to_owned(), boards.to_owned(), start.to_owned() + end]
}

/// From nothing to a plant of one's own, by the front page alone, with everything built anew; and from there to images for real boards.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_stranger_has_a_plant_in_ten_minutes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let outside = Temporary::new("stranger");
    let mut stranger = Stranger {
        at: workspace(),
        outside: outside.0.clone(),
        target: Some(outside.0.join("target")),
    };
    let [first, boards, _] = parts(&readme());
    let began = Instant::now();
    assert_eq!(stranger.follow(&first), 8);
    let took = began.elapsed();
    println!("{:6.1} s  altogether", took.as_secs_f64());
    assert!(stranger.at.starts_with(&outside.0));
    assert!(took < Duration::from_secs(600), "{took:?}");
    assert_eq!(stranger.follow(&boards), 3);
    // The other board, where there is an emulator for it.
    let check = "cargo stiffstep check --board stm32f4";
    match usable_qemu() {
        Ok(()) => stranger.run(check),
        Err(why) => println!("skipped: `{check}`: {why}"),
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn every_other_command_of_the_front_page_runs() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let outside = Temporary::new("commands");
    // Recordings go there.
    fs::create_dir_all(workspace().join("target")).unwrap();
    let mut stranger = Stranger {
        at: workspace(),
        outside: outside.0.clone(),
        target: None,
    };
    let commands = stranger.follow(&parts(&readme())[2]);
    assert!(commands >= 10, "{commands}");
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{text}");
    text.into_owned()
}

/// The package holds what it should and nothing else, and builds from what it holds.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_package_is_complete() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let list = said(cargo().args(["package", "--list", "--allow-dirty"]));
    let files = "README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE src/lib.rs src/guide/inside.md \
                 src/guide/motor.svg";
    for file in files.split(' ') {
        let there = list.lines().any(|line| line == file);
        assert!(there, "{file} is missing in\n{list}");
    }
    let ours = "src/ README.md CHANGELOG.md LICENSE- Cargo. .cargo_vcs_info.json";
    for line in list.lines() {
        let known = ours.split(' ').any(|ours| line.starts_with(ours));
        assert!(known, "{line} does not belong there");
    }
    let text = said(cargo().args(["package", "--all-features", "--allow-dirty"]));
    assert!(!text.contains("warning"), "{text}");
}

/// The tool and what it needs are packages, too, and build from what these hold; so do the boards' support crates.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_tools_packages_are_complete() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let packages = "stiffstep stiffstep-plants stiffstep-emulator stiffstep-link cargo-stiffstep \
                    stiffstep-linker stiffstep-softfloat stiffstep-systick";
    let packages = packages.split(' ').flat_map(|name| ["--package", name]);
    said(cargo().args(["package", "--allow-dirty"]).args(packages));
}

/// The oldest compiler that the manifest allows compiles the library, in all features and for a board.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn the_oldest_compiler_will_do() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    // The library's own; the tools may ask for more.
    let (_, package) = manifest.split_once("[package]").unwrap();
    let (_, oldest) = package.split_once("\nrust-version = \"").unwrap();
    let (oldest, _) = oldest.split_once('"').unwrap();
    let version = said(Command::new("rustc").arg("--version"));
    let ours = version.split(' ').nth(1).unwrap();
    // Where the compiler at hand is the oldest one, everything else is tested with it, too.
    let mut check = if ours.starts_with(&format!("{oldest}.")) {
        cargo()
    } else {
        let install =
            "toolchain install --profile minimal --no-self-update --target thumbv6m-none-eabi";
        said(Command::new("rustup").args(install.split(' ')).arg(oldest));
        let mut rustup = Command::new("rustup");
        rustup.current_dir(workspace());
        rustup.args(["run", oldest, "cargo"]);
        rustup
    };
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oldest");
    check.args(["check", "--package", "stiffstep", "--all-features"]);
    check.args(["--target", "thumbv6m-none-eabi", "--target-dir"]);
    said(check.arg(target));
    println!("{oldest}, as {}", version.trim());
}
