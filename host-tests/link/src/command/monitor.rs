//! A live view in the terminal.

use super::run::Connected;
use crate::names::{Names, label};
use crate::statistics::table;
use anyhow::Result;
use comfy_table::{Table, presets};
use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Event, Sample, Status};

/// Between two pictures.
const PICTURE: Duration = Duration::from_millis(200);

/// Shows the signals until so many simulated seconds have passed.
pub fn monitor(board: &mut Connected, seconds: Option<f64>) -> Result<()> {
    let names = board.names()?;
    let hello = board.hello.clone();
    let mut status: Option<Status> = None;
    let mut drawn = Instant::now();
    let mut last = None;
    board.samples(seconds, 10, |_, heard| {
        match &heard.event {
            Event::Sample(sample) => {
                last = Some(sample.clone());
                if drawn.elapsed() > PICTURE && stdout().is_terminal() {
                    drawn = Instant::now();
                    // To the top left, and clear what is below.
                    print!("\x1b[H\x1b[J{}", picture(&names, sample));
                    if let Some(status) = &status {
                        print!("\n{}", table(&hello, status, None));
                    }
                    stdout().flush()?;
                }
            }
            Event::Status(new) => status = Some(*new),
            _ => {}
        }
        Ok(())
    })?;
    if let Some(sample) = last {
        println!("{}", picture(&names, &sample));
    }
    println!("{}", table(&hello, &board.client.status()?, None));
    Ok(())
}

fn picture(names: &Names, sample: &Sample) -> String {
    let mut picture = Table::new();
    picture.load_style(presets::UTF8_HORIZONTAL_ONLY);
    picture.set_header([format!("step {}", sample.step), String::new()]);
    let signals = names.inputs.iter().chain(&names.outputs);
    for (d, value) in signals.zip(sample.inputs.iter().chain(&sample.outputs)) {
        picture.add_row([label(d), format!("{value:.6}")]);
    }
    picture.to_string()
}
