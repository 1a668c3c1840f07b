//! The commands.

use crate::{Command, To, monitor};
use anyhow::{Context, Result, bail};
use comfy_table::{Table, presets};
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Change, Description, Event, Hello, Kind, Request};
use stiffstep::hil::{Fault, Policy, Silence};
use stiffstep_host_tests::hil::client::{Client, Heard};
use stiffstep_host_tests::hil::clock::Seconds;
use stiffstep_host_tests::hil::emulated::{Emulated, Kit};
use stiffstep_host_tests::hil::names::{Names, index, pins as pins_of};
use stiffstep_host_tests::hil::plot::plot;
use stiffstep_host_tests::hil::port::{self, Port};
use stiffstep_host_tests::hil::recording::{Recorder, Recording};
use stiffstep_host_tests::hil::statistics::table as statistics;
use stiffstep_host_tests::hil::strain::strain;
use stiffstep_host_tests::hil::teleplot::Teleplot;
use stiffstep_host_tests::hil::verify::Verifier;

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
    fn new(to: &To) -> Result<Self> {
        let (emulated, mut client) = match &to.board {
            Some(board) => {
                let kit = Kit::by_name(board)?;
                let images = kit.build(&[&to.plant])?;
                let image = images.first().context("no image was built")?;
                let (emulated, client) = Emulated::start(kit, image)?;
                (Some(emulated), client)
            }
            None => (
                None,
                Client::new(Port::serial(to.port.as_deref(), to.baud)?),
            ),
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
        let states = false;
        let first = self
            .client
            .insist(&Request::Telemetry { divider, states })?;
        let h = f64::from(self.hello.h);
        let (mut done, mut heard_last) = (false, Instant::now());
        while !done {
            let Some(heard) = self.client.next(Duration::from_millis(500))? else {
                if heard_last.elapsed() > Duration::from_secs(10) {
                    bail!("the board sends no samples; `monitor` shows how it is");
                }
                continue;
            };
            heard_last = Instant::now();
            if let (Event::Sample(sample), Some(seconds)) = (&heard.event, seconds) {
                done = f64::from(sample.step.wrapping_sub(first) + 1) * h >= seconds - 0.5 * h;
            }
            see(&mut self.client, &heard)?;
        }
        let divider = 0;
        self.client
            .insist(&Request::Telemetry { divider, states })?;
        Ok(())
    }
}

pub fn run(to: &To, command: Command) -> Result<()> {
    match command {
        Command::Ports => {
            for port in port::list() {
                println!("{port}");
            }
            Ok(())
        }
        Command::Plot { recording, picture } => {
            plot(&Recording::read(&recording)?, &picture)?;
            println!("{}", picture.display());
            Ok(())
        }
        Command::Info { seconds } => info(&mut Connected::new(to)?, seconds),
        Command::Strain { periods } => strained(&mut Connected::new(to)?, periods),
        Command::Monitor { seconds } => monitor::monitor(&mut Connected::new(to)?, seconds),
        Command::Record {
            file,
            seconds,
            divider,
        } => {
            let mut board = Connected::new(to)?;
            let names = board.names()?;
            let mut recorder = Recorder::create(&file, &board.hello, &names)?;
            board.samples(Some(seconds), divider, |_, heard| {
                recorder.take(&heard.event)
            })?;
            println!("{} samples in {}", recorder.finish()?, file.display());
            Ok(())
        }
        Command::Set { values } => set(&mut Connected::new(to)?, &values),
        Command::Fault { words } => fault(&mut Connected::new(to)?, &words),
        Command::State { what } => {
            let change = match &*what {
                "keep" => Change::Keep,
                "restore" => Change::Restore,
                "reset" => Change::Reset,
                _ => bail!("`{what}` is none of keep, restore, reset"),
            };
            changed(&mut Connected::new(to)?, change)
        }
        Command::Policy { what } => {
            let policy = match &*what {
                "keep-best" => Policy::KeepBest,
                "hold" => Policy::Hold,
                "safe" => Policy::Safe,
                _ => bail!("`{what}` is none of keep-best, hold, safe"),
            };
            changed(&mut Connected::new(to)?, Change::Policy(policy))
        }
        Command::Silence { what } => {
            let silence = match &*what {
                "go-on" => Silence::GoOn,
                "release" => Silence::Release,
                "safe" => Silence::Safe,
                _ => bail!("`{what}` is none of go-on, release, safe"),
            };
            changed(&mut Connected::new(to)?, Change::Silence(silence))
        }
        Command::Teleplot {
            to: address,
            seconds,
            divider,
        } => {
            let mut board = Connected::new(to)?;
            let names = board.names()?;
            let teleplot = Teleplot::new(&address, &names, board.hello.h)?;
            board.samples(seconds, divider, |_, heard| {
                if let Event::Sample(sample) = &heard.event {
                    teleplot.send(sample);
                }
                Ok(())
            })
        }
        Command::Verify { seconds, divider } => verify(&mut Connected::new(to)?, seconds, divider),
    }
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
        _ => bail!("this is no fault; `stiffstep-hil fault --help` lists them"),
    };
    changed(board, Change::Fault(fault))
}

fn verify(board: &mut Connected, seconds: f64, divider: u16) -> Result<()> {
    let mut verifier = Verifier::new(&board.hello)?;
    // Before the first sample, so that none goes unchecked.
    let number = board.client.send(&Request::Snapshot)?;
    verifier.asked(number);
    board.samples(Some(seconds), divider, |client, heard| {
        verifier.take(heard);
        if let Some(request) = verifier.wants() {
            let number = client.send(&request)?;
            verifier.asked(number);
        }
        Ok(())
    })?;
    for remark in &verifier.remarks {
        println!("{remark}");
    }
    println!(
        "{}",
        statistics(&board.hello, &board.client.status()?, None)
    );
    println!("{}", verifier.summary());
    if !verifier.passed() {
        bail!("the board does not compute what this machine computes");
    }
    Ok(())
}
