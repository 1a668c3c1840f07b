//! A board under strain: telemetry of every step, and requests of every size, one after the other.

use super::client::Client;
use anyhow::Result;
use std::time::{Duration, Instant};
use stiffstep::hil::Fault;
use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::protocol::{Change, Event, Kind, Numbered, Request, Status};

/// Requests of every size that there is, from the shortest to the longest.
pub fn requests() -> Vec<Request> {
    let inputs = |count: u8| {
        let values = (0..count).map(|k| Some(0.25 + f32::from(k)));
        Request::Change(Change::Inputs(values.collect()))
    };
    let mut all = vec![
        Request::Status,
        Request::Hello,
        Request::Arm,
        Request::Describe(Kind::Parameter, 0),
        Request::Pins(Kind::Output, 0),
        Request::Telemetry {
            divider: 1,
            states: false,
        },
        Request::Change(Change::Fault(Fault::Offset { output: 0, by: 0.0 })),
        Request::Change(Change::Heal),
    ];
    // Of those with inputs only the right number is granted, but all are answered.
    all.extend((0..=8).map(inputs));
    all
}

/// The bytes of a request on the wire.
pub fn length(request: &Request) -> usize {
    let numbered = Numbered {
        sequence: u32::MAX,
        message: request.clone(),
    };
    encode(&numbered, &mut [0; MOST]).map_or(0, |frame| frame.len())
}

/// What a strained board did.
#[derive(Clone, Copy, Debug)]
pub struct Strain {
    /// Requests, each sent once.
    pub asked: u32,
    /// Those that were answered.
    pub answered: u32,
    /// Periods that went by.
    pub periods: u32,
    /// The board at the end; its timing is that of all periods since it started.
    pub status: Status,
}

/// Strains a board until so many periods have gone by and so many requests were sent.
pub fn strain(client: &mut Client, periods: u32, least: u32) -> Result<Strain> {
    client.insist(&Request::Arm)?;
    client.telemetry(1)?;
    let (first, requests) = (client.status()?.step, requests());
    let (mut asked, mut answered, mut step) = (0_u32, 0, first);
    while step.wrapping_sub(first) < periods || asked < least {
        let Some(request) = requests.get(asked as usize % requests.len()) else {
            break;
        };
        asked += 1;
        let number = client.send(request)?;
        answered += u32::from(is_answered(client, number, &mut step)?);
    }
    let status = client.status()?;
    Ok(Strain {
        asked,
        answered,
        periods: status.step.wrapping_sub(first),
        status,
    })
}

/// Periods of the board that a request may take; and how long nothing at all may come from it. An emulated board may be much slower than a real
/// one, so that the time is the board's.
const PATIENCE: u32 = 100;
const SILENCE: Duration = Duration::from_secs(10);

/// Waits for the answer to a request, and keeps up with the board's steps.
fn is_answered(client: &mut Client, number: u32, step: &mut u32) -> Result<bool> {
    let (sent, mut heard_last) = (*step, Instant::now());
    while step.wrapping_sub(sent) <= PATIENCE && heard_last.elapsed() < SILENCE {
        let Some(heard) = client.next(Duration::from_millis(50))? else {
            continue;
        };
        heard_last = Instant::now();
        match heard.event {
            // Some may still be of steps that were taken before somebody looked.
            Event::Sample(sample) if sample.step.wrapping_sub(*step) < u32::MAX / 2 => {
                *step = sample.step;
            }
            Event::Reply { to, .. } if to == number => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}
