//! The program beside a board, which the tool writes for a plant of one's own: boots the image, or finds the board at its port, lets the
//! inputs jump about, and compares every sample with the plant on this machine. With the feature `command` it has all commands of the
//! link, too.

use crate::client::Client;
use crate::closed_loop::{Plan, run_beside, verdict};
use crate::control::Wander;
use crate::emulated::{Emulated, Kit};
use crate::names::Names;
use crate::port::Port;
use crate::statistics::table;
use crate::verify::{DIFFERENT, Verifier};
use anyhow::{Context, Result, bail};
use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use stiffstep::Error;
use stiffstep::hil::Rig;
use stiffstep::hil::protocol::Hello;
use stiffstep_emulator::stage::ended;

/// Runs with the arguments board, simulated seconds, image; or `port`, seconds, name of the port, rate; or `hil` and a command.
pub fn main<R: Rig + 'static>(make: impl Fn(f32) -> Result<R, Error>) -> ExitCode {
    #[cfg(feature = "command")]
    if env::args().nth(1).is_some_and(|word| word == "hil") {
        return crate::command::main(env::args_os().skip(1), &crate::command::Own(make));
    }
    ended(compare(make))
}

fn compare<R: Rig + 'static>(make: impl Fn(f32) -> Result<R, Error>) -> Result<()> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().context("board, seconds, image");
    let (board, seconds, place) = (next()?, next()?.parse()?, next()?);
    let (_emulated, client) = if board == "port" {
        let baud = next()?.parse()?;
        (None, Client::new(Port::serial(Some(&place), baud)?))
    } else {
        let (emulated, client) = Emulated::start(Kit::by_name(&board)?, Path::new(&place))?;
        (Some(emulated), client)
    };
    compare_with(client, make, seconds)
}

/// The plant on this machine, if it is the board's.
pub fn plant_of<R: Rig>(
    hello: &Hello<String>,
    make: impl Fn(f32) -> Result<R, Error>,
) -> Result<R> {
    let rig = make(hello.h).context("the plant has no start")?;
    if rig.about().plant != hello.plant {
        bail!("the board is `{}`, which is another plant", hello.plant);
    }
    Ok(rig)
}

/// Compares the board at the other end with the plant for so many of its seconds.
pub fn compare_with<R: Rig + 'static>(
    mut client: Client,
    make: impl Fn(f32) -> Result<R, Error>,
    seconds: f64,
) -> Result<()> {
    let hello = client.hello()?;
    let mut rig = plant_of(&hello, make)?;
    let names = Names::of(&mut rig)?;
    let plan = Plan {
        seconds,
        divider: 1,
        every: 25,
        limit: Duration::from_secs(30),
    };
    let outcome = run_beside(
        Verifier::beside(Box::new(rig)),
        &mut client,
        &hello,
        &mut Wander::new(&names, 1),
        plan,
        None,
        |_| {},
    )?;
    let shown = table(&hello, &outcome.status, Some(outcome.turnaround));
    println!("{shown}");
    for remark in &outcome.verifier.remarks {
        println!("{remark}");
    }
    println!("{}", outcome.verifier.summary());
    if !outcome.verifier.passed() {
        bail!(DIFFERENT);
    }
    println!("{}", verdict(&outcome.status)?);
    Ok(())
}
