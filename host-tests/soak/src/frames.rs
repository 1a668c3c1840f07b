//! Frames that a wire has damaged: no decoder takes one for a message, and each understands the next whole one.

use crate::{Draw, Tally};
use stiffstep::hil::Fault;
use stiffstep::hil::frame::{Decoder, MOST, encode};
use stiffstep::hil::protocol::{Change, Kind, Numbered, Request};

/// Any request.
fn request(draw: &mut Draw) -> Request {
    let value = f32::from_bits(draw.bits());
    let index = draw.bits() as u8;
    match draw.below(8) {
        0 => Request::Hello,
        1 => Request::Describe(Kind::Parameter, index),
        2 => Request::Telemetry {
            divider: draw.bits() as u16,
            states: true,
        },
        3 => Request::Arm,
        4 => Request::Change(Change::Parameter { index, value }),
        5 => Request::Change(Change::Fault(Fault::Offset {
            output: index,
            by: value,
        })),
        6 => {
            let values = (0..draw.below(9)).map(|_| Some(f32::from_bits(draw.bits())));
            Request::Change(Change::Inputs(values.collect()))
        }
        _ => Request::Change(Change::Reset),
    }
}

/// Damages the bytes of a frame before its zero, so that they are others than before.
fn damage(draw: &mut Draw, frame: &mut Vec<u8>) {
    let whole = frame.clone();
    let body = frame.len() - 1;
    while *frame == whole {
        let at = draw.below(body);
        match draw.below(6) {
            // Single bits, up to three of them.
            0 => {
                for _ in 0..1 + draw.below(3) {
                    frame[draw.below(body)] ^= 1 << draw.below(8);
                }
            }
            // A burst.
            1 => {
                for byte in frame[at..body].iter_mut().take(1 + draw.below(6)) {
                    *byte = draw.bits() as u8;
                }
            }
            // Lost bytes.
            2 => {
                let end = (at + 1 + draw.below(4)).min(body);
                frame.drain(at..end);
            }
            // Bytes from nowhere.
            3 => frame.insert(at, draw.bits() as u8 | 1),
            // Two bytes in the wrong order.
            4 => frame.swap(at, draw.below(body)),
            // Nothing but noise.
            _ => frame[..body].fill_with(|| draw.bits() as u8),
        }
        if frame.len() < 2 {
            frame.clone_from(&whole);
        }
    }
}

/// Damaged frames.
pub fn frames(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let mut decoder = Decoder::new();
    let mut buffer = [0; MOST];
    while tally.cases < cases {
        let sequence = draw.bits();
        let message = request(draw);
        let numbered = Numbered { sequence, message };
        let whole = encode(&numbered, &mut buffer).ok_or("a request does not fit a frame")?;
        let mut frame = whole.to_vec();
        damage(draw, &mut frame);
        tally.cases += 1;
        for &byte in &frame {
            if let Some(Ok(taken)) = decoder.push::<Numbered<Request>>(byte) {
                return Err(format!("{frame:?} was taken for {taken:?}"));
            }
        }
        if draw.one_in(4) {
            let mut last = None;
            for &byte in whole {
                last = decoder.push::<Numbered<Request>>(byte);
            }
            // Numbers that are none are not equal to themselves: what was sent is compared as it would be sent again.
            let back = last.and_then(Result::ok);
            let mut again = [0; MOST];
            if back.and_then(|back| encode(&back, &mut again)) != Some(whole) {
                return Err(format!("{whole:?} is not understood behind {frame:?}"));
            }
            tally.note("whole ones understood");
        }
    }
    Ok(())
}
