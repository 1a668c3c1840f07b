//! The long run of all campaigns: `cargo xtask soak`.

use anyhow::{Result, bail};
use clap::Parser;
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};
use stiffstep_soak::{CAMPAIGNS, Campaign, Tally, campaign};

/// Injects faults by the million and checks that nothing breaks; a failure names the seed that repeats it.
#[derive(Parser)]
#[command(name = "cargo xtask soak", bin_name = "cargo xtask soak")]
struct Arguments {
    /// Runs for so many minutes, shared by all campaigns, instead of to the full number of cases
    #[arg(long)]
    minutes: Option<f64>,
    /// The seed of the first chunk; the next chunks have the numbers that follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this campaign
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Prints the table of a campaign that has one, whether its bars are kept or not
    #[arg(long)]
    report: bool,
    /// Lists the campaigns
    #[arg(long)]
    list: bool,
}

/// What became of a campaign.
struct Ended {
    campaign: &'static Campaign,
    tally: Tally,
    took: Duration,
    /// The lowest seed that failed, and how.
    failure: Option<(u64, String)>,
}

/// When to stop: after so many cases, or at a time.
#[derive(Clone, Copy)]
enum Until {
    Cases(u64),
    Time(Duration),
}

/// Runs a campaign on all cores.
fn run(campaign: &'static Campaign, seed: u64, until: Until) -> Ended {
    let bar = ProgressBar::new(match until {
        Until::Cases(cases) => cases,
        Until::Time(time) => time.as_millis() as u64,
    });
    let style = "{spinner} {prefix} {elapsed} [{bar:30}] {percent} % {msg}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(campaign.name);
    if !stderr().is_terminal() {
        eprintln!("{} ...", campaign.name);
    }
    let began = Instant::now();
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let found = Mutex::new((Tally::default(), None::<(u64, String)>));
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let cases = match until {
                Until::Cases(all) => campaign
                    .chunk
                    .min(all.saturating_sub(number * campaign.chunk)),
                Until::Time(time) if began.elapsed() < time => campaign.chunk,
                Until::Time(_) => 0,
            };
            if cases == 0 {
                return;
            }
            let seed = seed.wrapping_add(number);
            let result = campaign.chunk(seed, cases);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(tally) => found.0.merge(&tally),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    if found.1.as_ref().is_none_or(|(first, _)| seed < *first) {
                        found.1 = Some((seed, error));
                    }
                }
            }
            bar.set_position(match until {
                Until::Cases(_) => found.0.cases,
                Until::Time(_) => began.elapsed().as_millis() as u64,
            });
            bar.set_message(format!("{} cases", found.0.cases));
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    let found = found.into_inner();
    let (tally, failure) = found.unwrap_or_else(PoisonError::into_inner);
    Ended {
        campaign,
        tally,
        took: began.elapsed(),
        failure,
    }
}

fn table(ended: &[Ended]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["campaign", "cases", "s", "broken", "found"]);
    for row in ended {
        let found = row.tally.found.iter();
        let largest = row.tally.largest.iter();
        let found: Vec<String> = found
            .map(|(what, times)| format!("{what} {times}"))
            .chain(largest.map(|(what, value)| format!("at most {value:.2e} {what}")))
            .collect();
        table.add_row([
            row.campaign.name.to_owned(),
            row.tally.cases.to_string(),
            format!("{:.1}", row.took.as_secs_f64()),
            u8::from(row.failure.is_some()).to_string(),
            found.join(", "),
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn soak(arguments: &Arguments) -> Result<()> {
    if arguments.list {
        for Campaign {
            name, full, about, ..
        } in CAMPAIGNS
        {
            println!("{name:9} {full:>11}  {about}");
        }
        return Ok(());
    }
    let campaigns: Vec<&Campaign> = match &arguments.only {
        None => CAMPAIGNS.iter().collect(),
        Some(name) => match campaign(name) {
            Some(campaign) => vec![campaign],
            None => {
                let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
                let names = names.join(", ");
                bail!("there is no campaign `{name}`; there are {names}")
            }
        },
    };
    // Panics are counted, not printed: the summary has their message.
    std::panic::set_hook(Box::new(|_| {}));
    let mut ended = Vec::new();
    for campaign in &campaigns {
        let until = match arguments.minutes {
            None => Until::Cases(campaign.full),
            Some(minutes) => Until::Time(Duration::from_secs_f64(
                minutes * 60.0 / campaigns.len() as f64,
            )),
        };
        let mut end = run(campaign, arguments.seed, until);
        if let (Some(settle), None) = (campaign.settle, &end.failure) {
            let (table, broken) = settle(&end.tally, 0.0);
            println!("{table}");
            for bar in &broken {
                println!("{}: {bar}", campaign.name);
            }
            if !broken.is_empty() && !arguments.report {
                let text = format!("{} bars are not kept", broken.len());
                end.failure = Some((arguments.seed, text));
            }
        }
        let failed = end.failure.is_some();
        let how = if failed { "BROKEN" } else { "ok" };
        let (cases, seconds) = (end.tally.cases, end.took.as_secs_f64());
        eprintln!("{}: {how}, {cases} cases, {seconds:.1} s", campaign.name);
        ended.push(end);
    }
    println!("{}", table(&ended));
    let mut broken = 0;
    for row in &ended {
        if let Some((seed, error)) = &row.failure {
            broken += 1;
            let name = row.campaign.name;
            println!("{name}: {error}\n  again: cargo xtask soak --only {name} --seed {seed}");
        }
    }
    if broken > 0 {
        bail!("{broken} of {} campaigns are broken", ended.len());
    }
    Ok(())
}

fn main() -> ExitCode {
    match soak(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
