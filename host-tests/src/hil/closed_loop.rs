//! A controller on this side of the link, a plant on the other, and the reference beside it.

use super::client::{Client, Heard};
use super::control::Controller;
use super::recording::Recorder;
use super::statistics::Turnaround;
use super::verify::Verifier;
use anyhow::{Result, bail};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use stiffstep::hil::protocol::{Change, Event, Hello, Request, Sample, Status};

/// How a run goes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Simulated seconds.
    pub seconds: f64,
    /// Steps from sample to sample.
    pub divider: u16,
    /// Samples from one answer of the controller to the next.
    pub every: u32,
    /// Longest time without a sample.
    pub limit: Duration,
}

/// What a run showed.
pub struct Outcome {
    /// The reference.
    pub verifier: Verifier,
    /// From sample to answer.
    pub turnaround: Turnaround,
    /// The board at the end.
    pub status: Status,
    /// The last sample.
    pub last: Sample,
    /// How far the controlled outputs were from their targets at the end.
    pub error: Vec<f64>,
    /// How long it took on this machine.
    pub took: Duration,
}

/// Resets the plant and controls it, beside the reference of its name. `progress` is told the part that is done.
///
/// An emulated board waits for every answer of the controller: its clock is not this machine's, and a busy machine would turn any
/// loop into one with a long delay.
pub fn run(
    client: &mut Client,
    hello: &Hello<String>,
    controller: &mut dyn Controller,
    plan: Plan,
    recorder: Option<&mut Recorder>,
    progress: impl FnMut(f64),
) -> Result<Outcome> {
    let verifier = Verifier::new(hello)?;
    run_beside(
        verifier, client, hello, controller, plan, recorder, progress,
    )
}

/// The same beside this reference.
pub fn run_beside(
    mut verifier: Verifier,
    client: &mut Client,
    hello: &Hello<String>,
    controller: &mut dyn Controller,
    plan: Plan,
    mut recorder: Option<&mut Recorder>,
    mut progress: impl FnMut(f64),
) -> Result<Outcome> {
    let began = Instant::now();
    let mut turnaround = Turnaround::default();
    let h = f64::from(hello.h);
    let pause = |client: &mut Client, before: Option<u32>| -> Result<()> {
        if hello.emulated {
            client.send(&Request::Pause { before })?;
        }
        Ok(())
    };
    let now = client.status()?.step;
    pause(client, Some(now))?;
    // Before the first sample, so that none goes unchecked.
    let number = client.send(&Request::Snapshot)?;
    verifier.asked(number);
    client.insist(&Request::Telemetry {
        divider: plan.divider,
        states: false,
    })?;
    let first = client.change(Change::Reset)?;
    // To the first sample, and from then on from answer to answer.
    pause(client, Some(first + u32::from(plan.divider)))?;
    let mut sent: HashMap<u32, u32> = HashMap::new();
    let (mut samples, mut heard_last) = (0, Instant::now());
    let last = loop {
        if let Some(request) = verifier.wants() {
            let number = client.send(&request)?;
            verifier.asked(number);
        }
        let Some(heard) = client.next(Duration::from_millis(500))? else {
            if heard_last.elapsed() > plan.limit {
                bail!("the board sends no samples any more");
            }
            continue;
        };
        heard_last = Instant::now();
        verifier.take(&heard);
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.take(&heard.event)?;
        }
        match heard.event {
            Event::Sample(sample) if sample.step.wrapping_sub(first) < u32::MAX / 2 => {
                let since = sample.step - first;
                let t = f64::from(since + 1) * h;
                if samples % plan.every == 0 {
                    // The controller's time begins with the reset.
                    let relative = Sample {
                        step: since,
                        ..sample.clone()
                    };
                    let inputs = controller.answer(&relative, h);
                    let inputs = inputs.into_iter().map(Some).collect();
                    let number = client.send(&Request::Change(Change::Inputs(inputs)))?;
                    sent.insert(number, sample.step);
                    let steps = plan.every * u32::from(plan.divider);
                    pause(client, Some(sample.step + 1 + steps))?;
                    progress(t / plan.seconds);
                }
                samples += 1;
                if t >= plan.seconds - 0.5 * h {
                    break sample;
                }
            }
            Event::Reply { to, step, result } => {
                if let (Some(asked), true) = (sent.remove(&to), result.is_ok()) {
                    turnaround.take(step - asked);
                }
                // After a silence of a second the board wants to be armed again.
                if result == Err(stiffstep::hil::protocol::Refusal::NotArmed) {
                    client.send(&Request::Arm)?;
                }
            }
            _ => {}
        }
    };
    let target = controller.target(f64::from(last.step - first) * h);
    let outputs = controller.controlled().iter();
    let error = outputs
        .zip(target)
        .map(|(&k, target)| f64::from(last.outputs.get(k).copied().unwrap_or(f32::NAN)) - target)
        .collect();
    client.insist(&Request::Telemetry {
        divider: 0,
        states: false,
    })?;
    pause(client, None)?;
    // What was sent until then still counts.
    while let Some(heard) = client.next(Duration::from_millis(50))? {
        if is_status(&heard) {
            break;
        }
        verifier.take(&heard);
    }
    Ok(Outcome {
        verifier,
        turnaround,
        status: client.status()?,
        last,
        error,
        took: began.elapsed(),
    })
}

fn is_status(heard: &Heard) -> bool {
    matches!(heard.event, Event::Status(_))
}
