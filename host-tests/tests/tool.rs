//! `cargo stiffstep` on a plant of one's own: every trap that a stranger met once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process};
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};

/// A new plant in a folder that is gone when the test is over. What is built goes to a place of all of them.
struct Plant(PathBuf);

impl Plant {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("stiffstep-tool-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let plant = Plant(folder.join(name));
        let done = tool(&folder).args(["new", name]).output().unwrap();
        assert!(done.status.success(), "{}", said(&done));
        plant
    }

    /// Replaces a piece of a file, which must be there.
    fn change(&self, file: &str, old: &str, new: &str) {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "`{old}` in {}", path.display());
        fs::write(&path, text.replace(old, new)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        tool(&self.0).args(arguments).output().unwrap()
    }
}

impl Drop for Plant {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The tool in a folder, as if it were installed: what it builds for plants goes to a place that is kept.
fn tool(folder: &Path) -> Command {
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "cargo-stiffstep"]);
    let program = said(&build.output().unwrap());
    assert_eq!(program, "", "the tool does not build");
    let mut tool = Command::new(workspace().join("target/debug/cargo-stiffstep"));
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plants");
    tool.current_dir(folder).env("CARGO_TARGET_DIR", place);
    tool.stdin(Stdio::null());
    tool
}

fn said(output: &Output) -> String {
    (String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)).into_owned()
}

/// A text has these words.
#[track_caller]
fn told(text: &str, words: &str) {
    assert!(text.contains(words), "no `{words}` in\n{text}");
}

/// Trap 3: with `std` anywhere below a plant, a plain `x.sin()` in it is the platform's on the desk and another one on the board.
#[test]
fn nothing_beside_a_plant_switches_std_on() {
    let tree = cargo()
        .args([
            "tree",
            "--package",
            "stiffstep-link",
            "--features",
            "command",
        ])
        .args(["--edges", "normal,no-proc-macro"])
        .args(["--prefix", "none", "--format", "{p}|{f}"])
        .output();
    let tree = said(&tree.unwrap());
    let below = "nalgebra simba num-traits num-complex num-integer num-rational approx serde serde_core \
                 heapless postcard cobs crc embedded-io libm thiserror";
    let mut seen = 0;
    for line in tree.lines() {
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let name = package.split(' ').next().unwrap();
        if below.split(' ').any(|known| known == name) {
            let mut features_on = features.trim_end_matches(" (*)").split(',');
            let std = features_on.any(|f| f == "std");
            assert!(!std, "{package} with {features}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{tree}");
}

/// Trap 2: the check of a plant whose step takes longer than its period ends, and says so; and no emulator stays behind.
#[test]
#[ignore = "builds firmware: cargo xtask test --full"]
fn a_step_longer_than_the_period_ends_the_check() {
    let plant = Plant::new("hasty-drive");
    plant.change("src/lib.rs", "STEP: f32 = 2e-3;", "STEP: f32 = 2e-5;");
    plant.run(&["check", "--seconds", "0.01"]);
    let began = Instant::now();
    let output = plant.run(&["check"]);
    let text = said(&output);
    assert!(!output.status.success(), "{text}");
    told(&text, "a step takes ");
    told(&text, "the period is 20 us");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

/// Trap 3, on a board: functions of the platform in `outputs` are no false alarm.
#[test]
#[ignore = "builds firmware: cargo xtask test --full"]
fn plain_sines_are_the_same_on_the_board() {
    let plant = Plant::new("sine-drive");
    plant.change(
        "src/lib.rs",
        "vector([state.v[0], state.v[1], state.lambda[0]])",
        "let (sine, cosine) = (state.q[0] * 1.1).sin_cos();\n        vector([sine * 100.0, cosine * 100.0, state.lambda[0]])",
    );
    let output = plant.run(&["check", "--seconds", "2"]);
    assert!(output.status.success(), "{}", said(&output));
}

/// Trap 4 and 6: one session across commands, on a plant of one's own.
#[test]
#[ignore = "builds firmware: cargo xtask test --full"]
fn a_session_keeps_its_board() {
    let plant = Plant::new("kept-drive");
    let mut shell = tool(&plant.0)
        .args(["hil", "--board", "qemu", "shell"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = "set torque=0.1\nrecord run.csv --seconds 1\nplot run.csv run.svg\nset \"friction=0.002\"\n\
                  fault offset \"load speed\" 5\nfault heal\nverify --seconds 1\nmonitor --seconds 0.2\ninfo\nquit\n";
    let mut input = shell.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    drop(input);
    let output = shell.wait_with_output().unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    told(&text, "every one bit-equal");
    let recording = fs::read_to_string(plant.0.join("run.csv")).unwrap();
    let last = recording.lines().rfind(|line| !line.starts_with('#'));
    let last = last.unwrap();
    let values: Vec<f64> = last.split(',').map(|x| x.parse().unwrap()).collect();
    // Step, time, torque, speeds, torque of the shaft.
    assert!((values[2] - 0.1).abs() < 1e-6 && values[4] > 10.0, "{last}");
    let drawn = fs::read_to_string(plant.0.join("run.svg")).unwrap();
    assert!(drawn.contains("<svg"), "{drawn}");
}

/// Item 9: the template's tests on the desk and, unchanged, on emulated cores; a planted failure is reported with its line.
#[test]
#[ignore = "builds firmware: cargo xtask test --full"]
fn tests_run_on_an_emulated_core() {
    let plant = Plant::new("tested-drive");
    for board in ["m0", "m4f"] {
        let output = plant.run(&["test", "--board", board]);
        let text = said(&output);
        assert!(output.status.success(), "{text}");
        told(&text, "test motion::the_load_gathers_speed ... ok");
        told(&text, "test result: ok. 1 passed; 0 failed");
    }
    plant.change("tests/motion.rs", "< 2e-3 * expected", "< 2e-13 * expected");
    let source = fs::read_to_string(plant.0.join("tests/motion.rs")).unwrap();
    let line = source.lines().position(|line| line.contains("assert!("));
    let line = 1 + line.unwrap();
    let output = plant.run(&["test", "--board", "m4f"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(101), "{text}");
    told(&text, "test motion::the_load_gathers_speed ... FAILED");
    told(&text, &format!("tests/motion.rs:{line}:"));
    told(&text, "test result: FAILED. 0 passed; 1 failed");
}

/// Item 9: `cargo run` for a board's target boots the image.
#[test]
#[ignore = "builds firmware: cargo xtask test --full"]
fn cargo_run_boots_an_image() {
    let output = cargo()
        .args(["run", "--release", "--package", "stiffstep-qemu"])
        .args(["--bin", "demo", "--no-default-features"])
        .args(["--features", "plain,softfloat"])
        .args(["--target", "thumbv7em-none-eabihf"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    told(&text, "record|RLC (67)|f32|");
}
