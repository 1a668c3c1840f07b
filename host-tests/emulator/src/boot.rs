//! Booting an image under QEMU and decoding its log.

use super::Board;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The program that emulates all boards.
pub const QEMU: &str = "qemu-system-arm";

/// How an image is run.
#[derive(Clone, Copy, Debug)]
pub struct Boot<'a> {
    /// What the image gets as its argument; empty for none.
    pub argument: &'a str,
    /// Whether virtual time follows instructions, so that the image can count them. Several times slower.
    pub counted: bool,
    /// A file to log every executed instruction to, and the addresses to do that for.
    pub trace: Option<(&'a Path, &'a str)>,
    /// How long it may take.
    pub limit: Duration,
}

impl Default for Boot<'_> {
    fn default() -> Self {
        Boot {
            argument: "",
            counted: false,
            trace: None,
            limit: Duration::from_secs(240),
        }
    }
}

impl Boot<'_> {
    /// Without an argument, instructions counted.
    pub fn counted() -> Self {
        Boot {
            counted: true,
            ..Self::default()
        }
    }
}

/// Runs an image to its end and gives the lines of its log.
#[cfg(feature = "log")]
pub fn boot(board: Board, image: &Path, how: Boot<'_>) -> Result<Vec<String>> {
    let table = log::table(image)?;
    run(board, image, how, |log| log::decode(&table, log))
}

/// The same for an image that prints text.
pub fn boot_plain(board: Board, image: &Path, how: Boot<'_>) -> Result<Vec<String>> {
    run(board, image, how, |log| {
        let text = String::from_utf8_lossy(log);
        Ok(text.lines().map(str::to_owned).collect())
    })
}

/// The same, with the exit status, which may be any.
pub fn boot_with_status(
    board: Board,
    image: &Path,
    how: Boot<'_>,
) -> Result<(Vec<String>, Option<i32>)> {
    let (log, _, status) = ended(board, image, how)?;
    let text = String::from_utf8_lossy(&log);
    Ok((text.lines().map(str::to_owned).collect(), status))
}

/// Output, error output and exit status.
fn ended(board: Board, image: &Path, how: Boot<'_>) -> Result<(Vec<u8>, String, Option<i32>)> {
    let mut emulator = start(board, image, how)?;
    wait(&mut emulator, how.limit).with_context(|| format!("on {} ({})", board.name, board.machine))
}

fn run(
    board: Board,
    image: &Path,
    how: Boot<'_>,
    decode: impl FnOnce(&[u8]) -> Result<Vec<String>>,
) -> Result<Vec<String>> {
    let (log, complaints, status) = ended(board, image, how)?;
    let lines = decode(&log)?;
    if status != Some(0) {
        let status = status.map_or("a signal".into(), |code| format!("status {code}"));
        bail!(
            "{} on {} ended with {status} (101 is a panic, 102 a fault); its log:\n{}\n{complaints}",
            image.display(),
            board.name,
            lines.join("\n")
        );
    }
    Ok(lines)
}

fn start(board: Board, image: &Path, how: Boot<'_>) -> Result<Child> {
    let mut qemu = Command::new(QEMU);
    qemu.args(["-M", board.machine]).args(board.options);
    qemu.args(["-nographic", "-monitor", "none", "-serial", "none"]);
    if how.counted {
        // 256 ns an instruction: several ticks of every board's clock, so that a count can be exact.
        qemu.args(["-icount", "shift=8"]);
    }
    if let Some((file, addresses)) = how.trace {
        qemu.args(["-singlestep", "-d", "exec,nochain", "-dfilter", addresses]);
        qemu.arg("-D").arg(file);
    }
    // Without a name of its own an image is told its path, of which a word after a space would be an argument.
    let mut semihosting = String::from("enable=on,target=native,arg=image");
    if !how.argument.is_empty() {
        semihosting += &format!(",arg={}", how.argument);
    }
    qemu.args(["-semihosting-config", &semihosting]);
    qemu.arg("-kernel").arg(image);
    qemu.stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("{QEMU} could not be started; `apt-get install {QEMU}` or the like installs it")
        })
}

/// Output, error output and exit status of a process that ends within the limit.
fn wait(process: &mut Child, limit: Duration) -> Result<(Vec<u8>, String, Option<i32>)> {
    let log = drain(process.stdout.take());
    let complaints = drain(process.stderr.take());
    let began = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait()? {
            break status;
        }
        if began.elapsed() > limit {
            process.kill()?;
            process.wait()?;
            bail!(
                "the emulation did not end within {} s and was stopped; is the machine overloaded, or does the image hang?",
                limit.as_secs()
            );
        }
        thread::sleep(Duration::from_millis(5));
    };
    let complaints = complaints.join().unwrap_or_default();
    Ok((
        log.join().unwrap_or_default(),
        String::from_utf8_lossy(&complaints).trim().to_owned(),
        status.code(),
    ))
}

/// Reads a stream to its end beside everything else.
fn drain(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What was read until an error is all there is to report.
            let _ = stream.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Logs through defmt.
#[cfg(feature = "log")]
mod log {
    use anyhow::{Context, Result, anyhow, bail};
    use defmt_decoder::{DecodeError, Table};
    use std::fs;
    use std::path::Path;

    /// What an image's log means.
    pub fn table(image: &Path) -> Result<Table> {
        let elf = fs::read(image).with_context(|| format!("{} cannot be read", image.display()))?;
        Table::parse(&elf)
            .map_err(|error| anyhow!("{} has no readable log format: {error}", image.display()))?
            .with_context(|| format!("{} does not log through defmt", image.display()))
    }

    /// Its lines.
    pub fn decode(table: &Table, log: &[u8]) -> Result<Vec<String>> {
        let mut decoder = table.new_stream_decoder();
        decoder.received(log);
        let mut lines = Vec::new();
        loop {
            match decoder.decode() {
                Ok(frame) => lines.push(frame.display_message().to_string()),
                Err(DecodeError::UnexpectedEof) => return Ok(lines),
                Err(DecodeError::Malformed) => bail!(
                    "the board's log is damaged after {} lines; do image and log belong together?",
                    lines.len()
                ),
            }
        }
    }
}
