//! A controller on this side of the link, a plant on the other, and the reference beside it.

use super::client::Client;
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
#[cfg(feature = "kit")]
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
    verifier.keep_up(client)?;
    client.telemetry(plan.divider)?;
    let first = client.change(Change::Reset)?;
    // To the first sample, and from then on from answer to answer.
    pause(client, Some(first + u32::from(plan.divider)))?;
    let mut sent: HashMap<u32, u32> = HashMap::new();
    let (mut samples, mut sampled, mut late) = (0, Instant::now(), false);
    let last = loop {
        // Other events do not count: a board that misses every period has a lot to tell, and never a sample.
        if late && sampled.elapsed() > LATE {
            let why = too_slow(&client.status()?);
            let late = "the board misses its periods and sends no samples";
            bail!(why.unwrap_or(late.to_owned()));
        }
        if sampled.elapsed() > plan.limit {
            bail!("the board sends no samples any more");
        }
        verifier.keep_up(client)?;
        let Some(heard) = client.next(Duration::from_millis(500))? else {
            continue;
        };
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
                (sampled, late) = (Instant::now(), false);
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
            Event::Overrun { .. } => late = true,
            _ => {}
        }
    };
    let target = controller.target(f64::from(last.step - first) * h);
    let outputs = controller.controlled().iter();
    let error = outputs
        .zip(target)
        .map(|(&k, target)| f64::from(last.outputs.get(k).copied().unwrap_or(f32::NAN)) - target)
        .collect();
    client.telemetry(0)?;
    pause(client, None)?;
    // What was sent until then still counts.
    while let Some(heard) = client.next(Duration::from_millis(50))? {
        if matches!(heard.event, Event::Status(_)) {
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

/// How long a board may miss periods without a sample.
const LATE: Duration = Duration::from_secs(3);

/// Says so if a step takes longer than its period: then nothing else that the board tells is of use.
pub fn too_slow(status: &Status) -> Option<String> {
    let timing = &status.timing;
    let microseconds = |ticks: f64| ticks / f64::from(timing.frequency.max(1)) * 1e6;
    let step = timing.stepped.sum as f64 / f64::from(timing.stepped.count.max(1));
    let period = f64::from(timing.period);
    (step > period).then(|| {
        format!(
            "a step takes {:.0} us, the period is {:.0} us: choose a longer one, a cheaper method, or a faster board",
            microseconds(step),
            microseconds(period)
        )
    })
}

/// What counters say of steps, in words; an error if it makes the rest worthless.
///
/// After a jump of the inputs a step may say in all honesty that it has not converged. Here they jump every few steps: a tenth is
/// more than that explains.
pub fn verdict(status: &Status) -> Result<String> {
    let counters = &status.counters;
    if counters.missed > 0 {
        let missed = format!("{} periods went by without a step", counters.missed);
        bail!(too_slow(status).map_or(missed.clone(), |why| format!("{missed}: {why}")));
    }
    if counters.failed > 0 {
        bail!(
            "{} steps failed, on the board as on this machine: the inputs' ranges may be more than the plant takes",
            counters.failed
        );
    }
    let said = format!(
        "{} of {} steps did not converge: each says by how much it may be off (`Report::defect`); a shorter period or `Fixed(3)` helps",
        counters.unconverged, status.step
    );
    if u64::from(counters.unconverged) * 10 > u64::from(status.step) {
        bail!(said);
    }
    Ok(match counters.unconverged {
        0 => "every step converged".to_owned(),
        _ => said,
    })
}

#[cfg(test)]
mod tests {
    use super::{too_slow, verdict};
    use stiffstep::hil::protocol::Status;
    use stiffstep::hil::{Counters, Span, Timing};

    fn status(counters: Counters, step: u32) -> Status {
        let span = |ticks| Span {
            least: ticks,
            most: ticks,
            sum: ticks.into(),
            count: 1,
        };
        Status {
            step: 1000,
            armed: true,
            safe: false,
            cause: None,
            stack: None,
            counters,
            timing: Timing {
                frequency: 25_000_000,
                period: 1_250,
                latched: false,
                began: span(0),
                drove: span(0),
                stepped: span(step),
                worked: span(step),
            },
        }
    }

    #[test]
    fn a_step_longer_than_the_period_is_named() {
        let counters = Counters {
            missed: 5,
            ..Counters::default()
        };
        let said = too_slow(&status(counters, 7_675)).unwrap_or_default();
        assert!(
            said.starts_with("a step takes 307 us, the period is 50 us"),
            "{said}"
        );
        assert_eq!(too_slow(&status(counters, 1_000)), None);
        let said = verdict(&status(counters, 7_675)).map_err(|error| error.to_string());
        assert!(said.is_err_and(|said| said.contains("5 periods") && said.contains("307 us")));
    }

    #[test]
    fn steps_that_do_not_converge_are_a_verdict() {
        let counters = |unconverged| Counters {
            unconverged,
            ..Counters::default()
        };
        let said = |unconverged| {
            verdict(&status(counters(unconverged), 1_000)).map_err(|error| error.to_string())
        };
        assert_eq!(said(0), Ok("every step converged".to_owned()));
        assert!(said(20).is_ok_and(|said| said.starts_with("20 of 1000 steps did not converge")));
        assert!(
            said(692).is_err_and(|said| said.starts_with("692 of 1000 steps did not converge"))
        );
    }
}
