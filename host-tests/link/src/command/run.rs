//! The commands.

use super::{Command, To, Workshop, monitor, shell};
use crate::client::{Client, Heard};
use crate::clock::Seconds;
use crate::closed_loop::too_slow;
use crate::emulated::{Emulated, Kit};
use crate::names::{Names, index, pins as pins_of};
use crate::port::{self, Port};
use crate::recording::Recorder;
use crate::statistics::table as statistics;
use crate::strain::strain;
use crate::teleplot::Teleplot;
use crate::verify::DIFFERENT;
use anyhow::{Context, Result, bail};
use comfy_table::{Table, presets};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Change, Description, Event, Hello, Kind};
use stiffstep::hil::{Fault, Policy, Silence};

/// A board that answers.
pub struct Connected {
    /// Who it is.
    pub hello: Hello<String>,
    /// The link.
    pub client: Client,
    /// What emulates it, which ends with this.
    _emulated: Option<Emulated>,
}

impl Connected {
    fn new(to: &To, workshop: &dyn Workshop) -> Result<Self> {
        let (emulated, mut client) = match &to.board {
            Some(board) => {
                let kit = Kit::by_name(board)?;
                let plant = to.plant.as_deref().unwrap_or("dc-motor");
                let image = workshop.image(kit, plant)?;
                let (emulated, client) = Emulated::start(kit, &image)?;
                (Some(emulated), client)
            }
            None => {
                let port = Port::serial(to.port.as_deref(), to.baud)?;
                (None, Client::new(port))
            }
        };
        Ok(Connected {
            hello: client.hello()?,
            client,
            _emulated: emulated,
        })
    }

    /// All names.
    pub fn names(&mut self) -> Result<Names> {
        Names::ask(&mut self.client, self.hello.counts)
    }

    /// Asks for samples, and hands what comes to `see` until so many simulated seconds have passed, or for ever.
    pub fn samples(
        &mut self,
        seconds: Option<f64>,
        divider: u16,
        mut see: impl FnMut(&mut Client, &Heard) -> Result<()>,
    ) -> Result<()> {
        let first = self.client.telemetry(divider)?;
        let h = f64::from(self.hello.h);
        let (mut done, mut sampled) = (false, Instant::now());
        while !done && !interrupted() {
            if sampled.elapsed() > Duration::from_secs(10) {
                let why = too_slow(&self.client.status()?);
                let silent = "the board sends no samples; `info` shows how it is";
                bail!(why.unwrap_or(silent.to_owned()));
            }
            let Some(heard) = self.client.next(Duration::from_millis(500))? else {
                continue;
            };
            if let Event::Sample(sample) = &heard.event {
                sampled = Instant::now();
                let since = f64::from(sample.step.wrapping_sub(first) + 1) * h;
                done = seconds.is_some_and(|seconds| since >= seconds - 0.5 * h);
            }
            see(&mut self.client, &heard)?;
        }
        self.client.telemetry(0)?;
        Ok(())
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether somebody has pressed Ctrl-C since the last command began.
fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs a command on the board that is meant, connected or started for it.
pub fn run(to: &To, command: Command, workshop: &dyn Workshop) -> Result<()> {
    match command {
        Command::Ports => {
            for port in port::list() {
                println!("{port}");
            }
            Ok(())
        }
        Command::Plot { recording, picture } => {
            plot(&recording, &picture)?;
            println!("{}", picture.display());
            Ok(())
        }
        command => {
            // The first Ctrl-C ends what is being watched, the second one this program.
            ctrlc::set_handler(|| {
                if INTERRUPTED.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            })?;
            let mut board = Connected::new(to, workshop)?;
            if matches!(command, Command::Shell) {
                return shell::shell(&mut board, workshop);
            }
            if to.board.is_some()
                && matches!(command, Command::Record { .. } | Command::Monitor { .. })
            {
                eprintln!(
                    "this board was started for this command: it is at rest, its inputs are zero. `shell` keeps a board for several commands"
                );
            }
            on(&mut board, command, workshop)
        }
    }
}

/// Draws a recording.
#[cfg(feature = "plot")]
fn plot(recording: &Path, picture: &Path) -> Result<()> {
    crate::plot::plot(&crate::recording::Recording::read(recording)?, picture)
}

/// Has a recording drawn by the tool: what draws would bring the standard library's sines into a plant that is linked here.
#[cfg(not(feature = "plot"))]
fn plot(recording: &Path, picture: &Path) -> Result<()> {
    let tool = std::env::var_os(super::TOOL).context("there is nothing that draws")?;
    let mut tool = std::process::Command::new(tool);
    let output = tool
        .args(["hil", "plot"])
        .arg(recording)
        .arg(picture)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}", said.trim_start_matches("error: ").trim_end());
    }
    Ok(())
}

/// Runs a command on this board.
pub fn on(board: &mut Connected, command: Command, workshop: &dyn Workshop) -> Result<()> {
    INTERRUPTED.store(false, Ordering::Relaxed);
    match command {
        Command::Ports | Command::Plot { .. } | Command::Shell => {
            bail!("this command needs no board")
        }
        Command::Info { seconds } => info(board, seconds),
        Command::Strain { periods } => strained(board, periods),
        Command::Monitor { seconds } => monitor::monitor(board, seconds),
        Command::Record {
            file,
            seconds,
            divider,
        } => {
            let names = board.names()?;
            let mut recorder = Recorder::create(&file, &board.hello, &names)?;
            board.samples(Some(seconds), divider, |_, heard| {
                recorder.take(&heard.event)
            })?;
            println!("{} samples in {}", recorder.finish()?, file.display());
            Ok(())
        }
        Command::Set { values } => set(board, &values),
        Command::Fault { words } => fault(board, &words),
        Command::State { what } => {
            let known = [Change::Keep, Change::Restore, Change::Reset];
            changed(board, chosen(&what, ["keep", "restore", "reset"], known)?)
        }
        Command::Policy { what } => {
            let known = [Policy::KeepBest, Policy::Hold, Policy::Safe];
            let policy = chosen(&what, ["keep-best", "hold", "safe"], known)?;
            changed(board, Change::Policy(policy))
        }
        Command::Silence { what } => {
            let known = [Silence::GoOn, Silence::Release, Silence::Safe];
            let silence = chosen(&what, ["go-on", "release", "safe"], known)?;
            changed(board, Change::Silence(silence))
        }
        Command::Teleplot {
            to: address,
            seconds,
            divider,
        } => {
            let names = board.names()?;
            let teleplot = Teleplot::new(&address, &names, board.hello.h)?;
            board.samples(seconds, divider, |_, heard| {
                if let Event::Sample(sample) = &heard.event {
                    teleplot.send(sample);
                }
                Ok(())
            })
        }
        Command::Verify { seconds, divider } => verify(board, workshop, seconds, divider),
    }
}

/// What has this name among three.
fn chosen<T>(what: &str, names: [&str; 3], known: [T; 3]) -> Result<T> {
    let found = names.iter().zip(known).find(|(name, _)| **name == what);
    let found = found.with_context(|| format!("`{what}` is none of {}", names.join(", ")))?;
    Ok(found.1)
}

/// Asks a lot, and fails unless all of it is answered and no period is late.
fn strained(board: &mut Connected, periods: u32) -> Result<()> {
    let strained = strain(&mut board.client, periods, 0)?;
    println!("{}", statistics(&board.hello, &strained.status, None));
    println!(
        "{} of {} requests answered at the first try, in {} periods",
        strained.answered, strained.asked, strained.periods
    );
    let timing = &strained.status.timing;
    let jitter = timing.began.most - timing.began.least;
    if strained.answered < strained.asked || strained.status.counters.missed > 0 {
        bail!("requests or periods were lost");
    }
    if u64::from(jitter) * 500_000 > u64::from(timing.frequency) {
        bail!("periods begin up to {jitter} ticks late, which is more than 2 us");
    }
    Ok(())
}

fn info(board: &mut Connected, seconds: f64) -> Result<()> {
    let names = board.names()?;
    let mut pins = Vec::new();
    for (kind, all) in [(Kind::Input, &names.inputs), (Kind::Output, &names.outputs)] {
        for d in all {
            pins.push(pins_of(&mut board.client, kind, d.index)?);
        }
    }
    let mut pins = pins.into_iter();
    let hello = &board.hello;
    println!(
        "{} on {}{}, h = {} s, build {:08x}, {} words of memory",
        hello.plant,
        hello.board,
        if hello.emulated { " (emulated)" } else { "" },
        hello.h,
        hello.build,
        hello.words
    );
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["", "name", "unit", "from", "to", "value", "pins"]);
    let mut rows = |kind: &str, all: &[Description<String>], ranges: bool, values: bool| {
        for d in all {
            let number = |x: f32, shown: bool| if shown { x.to_string() } else { String::new() };
            table.add_row([
                format!("{kind} {}", d.index),
                d.name.clone(),
                d.unit.clone(),
                number(d.range[0], ranges),
                number(d.range[1], ranges),
                number(d.value, values),
                pins.next().unwrap_or_default(),
            ]);
        }
    };
    rows("input", &names.inputs, true, false);
    rows("output", &names.outputs, true, false);
    rows("state", &names.states, false, false);
    rows("parameter", &names.parameters, true, true);
    println!("{table}");
    let status = board.client.status()?;
    println!("{}", statistics(&board.hello, &status, None));
    if board.hello.emulated {
        println!("clock: an emulated board's time is its own");
    } else {
        let time = Duration::from_secs_f64(seconds.clamp(0.1, 3_600.0));
        println!("clock: {}", Seconds::watch(&mut board.client, time)?);
    }
    Ok(())
}

fn changed(board: &mut Connected, change: Change) -> Result<()> {
    let said = format!("{change:?}");
    let step = board.client.change(change)?;
    println!("before step {step}: {said}");
    Ok(())
}

fn set(board: &mut Connected, values: &[String]) -> Result<()> {
    let names = board.names()?;
    let mut inputs = vec![None; names.inputs.len()];
    let mut any = false;
    for value in values {
        let (name, value) = value
            .split_once('=')
            .with_context(|| format!("`{value}` is not of the form name=value"))?;
        let value: f32 = value
            .parse()
            .with_context(|| format!("`{value}` is not a number"))?;
        match index(&names.parameters, name) {
            Ok(index) => changed(board, Change::Parameter { index, value })?,
            Err(unknown) => {
                let input = index(&names.inputs, name).map_err(|_| unknown)?;
                if let Some(slot) = inputs.get_mut(usize::from(input)) {
                    (*slot, any) = (Some(value), true);
                }
            }
        }
    }
    if any {
        changed(board, Change::Inputs(inputs.into_iter().collect()))?;
    }
    Ok(())
}

fn fault(board: &mut Connected, words: &[String]) -> Result<()> {
    let names = board.names()?;
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let number = |text: &str| -> Result<f32> {
        text.parse()
            .with_context(|| format!("`{text}` is not a number"))
    };
    let output = |name: &str| index(&names.outputs, name);
    let fault = match words.as_slice() {
        ["heal"] => return changed(board, Change::Heal),
        ["stuck", name] => Fault::Stuck {
            output: output(name)?,
        },
        ["offset", name, by] => Fault::Offset {
            output: output(name)?,
            by: number(by)?,
        },
        ["lost", name, samples] => Fault::Lost {
            output: output(name)?,
            samples: number(samples)? as u16,
        },
        ["jump", name, value] => Fault::Jump {
            index: index(&names.parameters, name)?,
            value: number(value)?,
        },
        ["burden", microseconds] => Fault::Burden {
            microseconds: number(microseconds)? as u32,
        },
        _ => bail!("this is no fault; `cargo stiffstep hil fault --help` lists them"),
    };
    changed(board, Change::Fault(fault))
}

fn verify(
    board: &mut Connected,
    workshop: &dyn Workshop,
    seconds: f64,
    divider: u16,
) -> Result<()> {
    let mut verifier = workshop.reference(&board.hello)?;
    // Before the first sample, so that none goes unchecked.
    verifier.keep_up(&mut board.client)?;
    board.samples(Some(seconds), divider, |client, heard| {
        verifier.take(heard);
        verifier.keep_up(client)
    })?;
    for remark in &verifier.remarks {
        println!("{remark}");
    }
    let status = board.client.status()?;
    println!("{}", statistics(&board.hello, &status, None));
    println!("{}", verifier.summary());
    if !verifier.passed() {
        bail!(DIFFERENT);
    }
    Ok(())
}
