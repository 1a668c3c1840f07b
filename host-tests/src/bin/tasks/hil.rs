//! `cargo xtask demo --hil`: an emulated board is the plant, this machine controls it over the link, and the reference build
//! runs beside it.

use crate::stage::Stages;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use stiffstep_host_tests::emulator::firmware::target_folder;
use stiffstep_host_tests::emulator::image::size;
use stiffstep_host_tests::hil::closed_loop::{Outcome, Plan, run};
use stiffstep_host_tests::hil::control::{
    ArmLoop, Controller, FieldLoop, Mains, SpeedLoop, VoltageLoop,
};
use stiffstep_host_tests::hil::emulated::{Emulated, Kit, build_pair};
use stiffstep_host_tests::hil::names::Names;
use stiffstep_host_tests::hil::pair;
use stiffstep_host_tests::hil::plot::plot;
use stiffstep_host_tests::hil::recording::{Recorder, Recording};
use stiffstep_host_tests::hil::statistics::table;
use stiffstep_host_tests::outside::check::tools;

/// The demonstration on a board, with the DC motor or with the arm.
pub fn demo(board: &str, plant: &str) -> Result<()> {
    if board == "two-picos" {
        return two_picos();
    }
    let kit = Kit::by_name(board)?;
    let usual = Plan {
        seconds: 10.0,
        divider: 1,
        every: 5,
        limit: Duration::from_secs(30),
    };
    // Controllers of power electronics answer every step or two, for which nobody has to wait ten seconds.
    let quick = |seconds: f64, every: u32| Plan {
        seconds,
        every,
        ..usual
    };
    type Loop = Box<dyn Controller>;
    let (mut controller, plan, shift): (Loop, Plan, u8) = match plant {
        "dc-motor" => (Box::new(SpeedLoop::default()), usual, 5),
        "arm" => (Box::new(ArmLoop), usual, 5),
        "drive" => {
            let plan = quick(0.25, FieldLoop::EVERY);
            (Box::new(FieldLoop::default()), plan, 2)
        }
        "buck" => (Box::new(VoltageLoop::default()), quick(0.04, 1), 1),
        "six-pulse" => (Box::new(Mains), quick(0.1, 1), 1),
        _ => bail!(
            "there is a controller for `dc-motor`, `arm`, `drive`, `buck` and `six-pulse`, but none for `{plant}`"
        ),
    };
    let mut stages = Stages::new(3);
    stages.make("tools", |bar| tools(kit, bar))?;
    let mut image = PathBuf::new();
    stages.run("firmware", |_| {
        let images = kit.build(&[plant])?;
        image = images.into_iter().next().context("no image was built")?;
        let size = size(&image)?;
        let (flash, ram) = (size.flash, size.ram);
        Ok(format!("{flash} bytes of flash, {ram} of RAM"))
    })?;
    let folder = target_folder().join("hil");
    fs::create_dir_all(&folder)?;
    let file = |end: &str| folder.join(format!("{plant}-{board}.{end}"));
    let (recording, picture) = (file("csv"), file("svg"));
    let title = format!("{} simulated seconds in a closed loop", plan.seconds);
    let (hello, outcome) = stages.make(&title, |bar| {
        let (_emulated, mut client) = Emulated::start_at(kit, &image, shift)?;
        let hello = client.hello()?;
        let names = Names::ask(&mut client, hello.counts)?;
        let mut recorder = Recorder::create(&recording, &hello, &names)?;
        let outcome = run(
            &mut client,
            &hello,
            &mut *controller,
            plan,
            Some(&mut recorder),
            |done| bar.fraction(done),
        )?;
        recorder.finish()?;
        Ok((hello, outcome))
    })?;
    plot(&Recording::read(&recording)?, &picture)?;
    let shown = table(&hello, &outcome.status, Some(outcome.turnaround));
    println!("{shown}");
    for remark in &outcome.verifier.remarks {
        println!("verify: {remark}");
    }
    println!("verify: {}", outcome.verifier.summary());
    println!("recording: {}", recording.display());
    println!("plot: {}", picture.display());
    judge(&outcome)
}

/// The demonstration with the controller on a second board.
fn two_picos() -> Result<()> {
    let mut stages = Stages::new(3);
    stages.make("tools", |bar| tools(Kit::Rp2040, bar))?;
    let images = stages.make("firmware of both", |_| build_pair())?;
    let outcome = stages.make("2 simulated seconds, pin to pin", |bar| {
        pair::run(&images, 2.0, |done| bar.fraction(done))
    })?;
    println!("{}", outcome.table());
    println!("verify: {}", outcome.verifier.summary());
    let failures = outcome.failures();
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    Ok(())
}

/// Fails unless all of it is as it should be.
fn judge(outcome: &Outcome) -> Result<()> {
    if !outcome.verifier.passed() {
        bail!("the board does not compute what this machine computes");
    }
    let missed = outcome.status.counters.missed;
    if missed > 0 {
        bail!("{missed} periods went by without a step");
    }
    println!("control error at the end: {:.3?}", outcome.error);
    Ok(())
}
