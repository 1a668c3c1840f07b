//! Work in stages, with progress shown: a line that moves on a terminal, a line now and then elsewhere.

use crate::{Board, cost, install};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, IsTerminal, Read, stderr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long a silent log may stay silent.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// Columns of a terminal that are used.
const WIDTH: usize = 79;

/// The stages of a task, with what each took: time, and seconds of the processor where they are known.
pub struct Stages {
    count: usize,
    done: Vec<(String, Duration, Option<f64>)>,
}

impl Stages {
    /// So many stages to come.
    pub fn new(count: usize) -> Self {
        Stages {
            count,
            done: Vec::new(),
        }
    }

    /// Runs one: `work` gets a bar to show its progress on, and answers with a remark for the log, or nothing to say.
    pub fn run(&mut self, title: &str, work: impl FnOnce(&Bar) -> Result<String>) -> Result<()> {
        self.one(title, |bar| Ok(((), work(bar)?)))
    }

    /// Runs one that makes something, of which there is nothing to say.
    pub fn make<T>(&mut self, title: &str, work: impl FnOnce(&Bar) -> Result<T>) -> Result<T> {
        self.one(title, |bar| Ok((work(bar)?, String::new())))
    }

    /// Installs what it takes to build for these boards and to boot them.
    pub fn tools(&mut self, boards: &[Board]) -> Result<()> {
        self.make("tools", |bar| {
            install::targets(boards, bar)?;
            install::emulator(bar)
        })
    }

    fn one<T>(&mut self, title: &str, work: impl FnOnce(&Bar) -> Result<(T, String)>) -> Result<T> {
        let label = format!("[{}/{}] {title}", self.done.len() + 1, self.count);
        let bar = Bar::new(&label);
        let (began, before) = (Instant::now(), cost::so_far());
        let done = work(&bar);
        let took = began.elapsed();
        let worked = cost::so_far().zip(before).map(|(now, then)| now - then);
        bar.clear();
        let (made, mut remark) =
            done.with_context(|| format!("{title}: failed after {}", seconds(took)))?;
        if !remark.is_empty() {
            remark = format!(" ({remark})");
        }
        eprintln!("{label}: ok, {}{remark}", seconds(took));
        self.done.push((title.to_owned(), took, worked));
        Ok(made)
    }

    /// What was done and how long it took, with the seconds of the processor beside it.
    pub fn summary(&self) -> String {
        let widest = self.done.iter().map(|(title, ..)| title.len()).max();
        let width = widest.unwrap_or(0).max("total".len());
        let line = |title: &str, took: Duration, worked: Option<f64>| {
            let worked = worked.map_or(String::new(), |worked| format!("  {worked:>7.1} CPU-s"));
            format!("  {title:width$}  {:>8}{worked}", seconds(took))
        };
        let mut text = String::new();
        for (title, took, worked) in &self.done {
            text += &(line(title, *took, *worked) + "\n");
        }
        let took: Duration = self.done.iter().map(|(_, took, _)| *took).sum();
        let worked = self.done.iter().map(|(.., worked)| *worked).sum();
        text + &line("total", took, worked)
    }
}

/// How a program ends that did its work, or says why not.
pub fn ended(done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The progress of a stage.
pub struct Bar {
    label: String,
    began: Instant,
    message: Mutex<String>,
}

impl Bar {
    fn new(label: &str) -> Self {
        let bar = Bar {
            label: label.to_owned(),
            began: Instant::now(),
            message: Mutex::default(),
        };
        if stderr().is_terminal() {
            bar.say("");
        } else {
            eprintln!("{label} ...");
        }
        bar
    }

    /// Shows what is being done.
    pub fn say(&self, message: &str) {
        message.clone_into(&mut self.message.lock().unwrap_or_else(PoisonError::into_inner));
        if stderr().is_terminal() {
            let line = format!("{} {} {message}", self.label, seconds(self.began.elapsed()));
            // Longer lines would be broken, and could not be written over.
            let line: String = line.chars().take(WIDTH).collect();
            eprint!("\r\x1b[2K{line}");
        }
    }

    /// Takes the moving line away.
    fn clear(&self) {
        if stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
    }

    /// Shows how much of the work is done, from 0 to 1. Elsewhere than on a terminal every tenth is a line.
    pub fn fraction(&self, done: f64) {
        let before = self.message();
        let tenth = format!("{:.0} %", (done * 10.0).floor() * 10.0);
        if stderr().is_terminal() {
            self.say(&format!("{:.1} %", done * 100.0));
        } else if before != tenth {
            self.say(&tenth);
            eprintln!("{} ... {tenth}", self.label);
        }
    }

    /// Shows how much is done, from 0 to 1, and what comes next: a line each elsewhere than on a terminal.
    pub fn progress(&self, done: f64, next: &str) {
        let message = format!("{:.0} %, {next}", done * 100.0);
        if !stderr().is_terminal() {
            eprintln!("{} ... {message}", self.label);
        }
        self.say(&message);
    }

    /// Runs a command to its end and gives what it printed. Its last line is shown while it runs, and all of it if it
    /// fails.
    pub fn command(&self, command: &mut Command) -> Result<String> {
        let line = shown(command);
        self.say(&line);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{line}` could not be started"))?;
        let (sender, lines) = mpsc::channel();
        let out = child.stdout.take().map(|pipe| read(pipe, sender.clone()));
        let err = child.stderr.take().map(|pipe| read(pipe, sender));
        let text = self.follow(&lines);
        let status = child.wait()?;
        for reader in [out, err].into_iter().flatten() {
            let _ = reader.join();
        }
        if !status.success() {
            self.clear();
            eprintln!("{text}");
            bail!("`{line}` failed ({status}); what it printed is above");
        }
        Ok(text)
    }

    /// Collects lines until all who send them are gone.
    fn follow(&self, lines: &mpsc::Receiver<String>) -> String {
        let mut spoke = Instant::now();
        let mut text = String::new();
        loop {
            match lines.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    text += &line;
                    text.push('\n');
                    // What cargo tells programs is not for people.
                    if !line.trim().is_empty() && !line.starts_with('{') {
                        self.say(line.trim());
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return text,
            }
            if !stderr().is_terminal() && spoke.elapsed() > SIGN_OF_LIFE {
                spoke = Instant::now();
                eprintln!("{}", self.sign_of_life());
            }
        }
    }
}

impl Bar {
    /// A line for a log that would otherwise be silent: how long it has been, and what is being done.
    fn sign_of_life(&self) -> String {
        let so_far = seconds(self.began.elapsed());
        format!("{} ... {so_far}, {}", self.label, self.message())
    }

    fn message(&self) -> String {
        let message = self.message.lock();
        message.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Sends a pipe's lines on.
fn read(pipe: impl Read + Send + 'static, sender: mpsc::Sender<String>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        // By bytes, because what a tool prints need not be text.
        while pipe.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    })
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line += &argument.to_string_lossy();
    }
    line
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::Bar;

    /// A command that has said nothing yet is named itself.
    #[test]
    fn a_sign_of_life_says_what_is_done() {
        let bar = Bar::new("[1/1] work");
        bar.command(&mut std::process::Command::new("true"))
            .expect("a program of every Unix");
        let line = bar.sign_of_life();
        assert!(
            line.starts_with("[1/1] work ... ") && line.ends_with(" s, true"),
            "{line}"
        );
    }
}
