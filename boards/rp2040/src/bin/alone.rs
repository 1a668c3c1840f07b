//! The DC motor without a host, for emulators that cannot feed the UART: the board asks itself for telemetry, and for its
//! timing after a thousand steps.
#![no_std]
#![no_main]

use embedded_io::Write;
use stiffstep::hil::frame::{MOST, encode};
use stiffstep::hil::protocol::{Change, Numbered, Request};
use stiffstep::hil::{Rig, Serving, Session, serve};
use stiffstep_plants::rigs::{dc_motor, setup};
use stiffstep_rp2040::{Board, NAME, halt};
use stiffstep_systick::SysTickPace;

/// Steps until the board tells its timing.
const STEPS: u32 = 1_000;

#[stiffstep_rp2040::entry]
fn main() -> ! {
    if let (Ok(rig), Some(board)) = (dc_motor(1e-3), Board::new())
        && let Some(pace) = SysTickPace::new(board.timer, board.clock, rig.about().h)
    {
        let (mut session, mut link) = (Session::new(rig, setup(NAME, true)), board.link);
        let voltage = [Some(12.0), Some(0.1)].into_iter().collect();
        for (number, request) in [
            Request::Hello,
            Request::Snapshot,
            Request::Telemetry {
                divider: 1,
                states: false,
            },
            Request::Arm,
            Request::Change(Change::Inputs(voltage)),
        ]
        .into_iter()
        .enumerate()
        {
            ask(&mut session, number as u32 + 1, request);
        }
        let mut serving = Serving::new(&pace);
        while session.rig().steps() < STEPS {
            serving.turn(&mut session, &pace, &mut ());
            serve(&mut session, &mut link);
        }
        ask(&mut session, 99, Request::Status);
        while serve(&mut session, &mut link) {}
        let Ok(()) = link.flush();
    }
    halt()
}

/// Says to the session what a host would say, and lets it answer.
fn ask<R: Rig>(session: &mut Session<R>, sequence: u32, request: Request) {
    let numbered = Numbered {
        sequence,
        message: request,
    };
    let mut buffer = [0; MOST];
    if let Some(frame) = encode(&numbered, &mut buffer) {
        frame.iter().for_each(|&byte| session.receive(byte));
    }
    while session.work() {}
}
