//! Steps looked at one instruction at a time: how many there are, and how often loops go round.

use super::code::Code;
use super::graph::Loop;
use super::thumb::Flow;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// What traced steps showed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The most instructions of a step.
    pub most: u64,
    /// Steps.
    pub steps: u32,
    /// By its header, the fewest and the most passes of a loop from entering to leaving it.
    pub trips: BTreeMap<u32, (u64, u64)>,
}

/// A function that is under way.
struct Frame {
    /// Where it returns to.
    back: Option<u32>,
    /// The loops it is in, the innermost last, with the passes so far.
    inside: Vec<(u32, u64)>,
}

/// Follows the steps in an emulator's log of executed instructions. Loops are those of all functions that a step can reach.
pub fn follow(log: &str, code: &Code, entry: u32, loops: &BTreeMap<u32, Loop>) -> Result<Seen> {
    let mut seen = Seen::default();
    let mut frames: Vec<Frame> = Vec::new();
    let mut count = 0;
    let mut addresses = log.lines().filter_map(address).peekable();
    while let Some(now) = addresses.next() {
        if frames.is_empty() {
            // Other users of the same functions are of no interest.
            if now != entry {
                continue;
            }
            count = 0;
            frames.push(Frame {
                back: None,
                inside: Vec::new(),
            });
        }
        let Some(frame) = frames.last_mut() else {
            continue;
        };
        let instruction = code.at(now);
        let instruction = instruction.with_context(|| format!("no code at {now:#x}"))?;
        let (next, following) = (addresses.peek().copied(), now + instruction.size);
        if instruction.put_off(now, next) {
            continue;
        }
        count += 1;
        frame.pass(now, loops, &mut seen);
        match instruction.flow {
            Flow::Call(_) | Flow::CallThrough if next != Some(following) => frames.push(Frame {
                back: Some(following),
                inside: Vec::new(),
            }),
            // In an IT block a return may be left out.
            Flow::Return if next != Some(following) || frame.back == Some(following) => {
                frame.leave(&mut seen);
                let back = frame.back;
                frames.pop();
                if frames.is_empty() {
                    seen.most = seen.most.max(count);
                    seen.steps += 1;
                } else {
                    ensure!(next == back, "a return at {now:#x} goes astray");
                }
            }
            _ => {}
        }
    }
    ensure!(seen.steps > 0, "the emulator's log shows no step");
    Ok(seen)
}

impl Frame {
    fn pass(&mut self, now: u32, loops: &BTreeMap<u32, Loop>, seen: &mut Seen) {
        while let Some(&(header, passes)) = self.inside.last() {
            if loops.get(&header).is_some_and(|l| l.members.contains(&now)) {
                break;
            }
            seen.left(header, passes);
            self.inside.pop();
        }
        let door_of = |header: &u32| loops.get(header).is_some_and(|l| l.doors.contains(&now));
        match self.inside.last_mut() {
            Some((header, passes)) if door_of(header) => *passes += 1,
            _ => {
                let entered = loops.values().find(|l| l.doors.contains(&now));
                self.inside
                    .extend(entered.map(|entered| (entered.header(), 1)));
            }
        }
    }

    fn leave(&mut self, seen: &mut Seen) {
        for (header, passes) in self.inside.drain(..) {
            seen.left(header, passes);
        }
    }
}

impl Seen {
    fn left(&mut self, header: u32, passes: u64) {
        let (least, most) = self.trips.entry(header).or_insert((passes, passes));
        (*least, *most) = ((*least).min(passes), (*most).max(passes));
    }
}

/// The address in a line such as `Trace 0: 0x7fc51403df40 [00800400/00001770/00000010/ff020201] name`.
pub fn address(line: &str) -> Option<u32> {
    let inside = line.strip_prefix("Trace ")?.split_once('[')?.1;
    u32::from_str_radix(inside.split('/').nth(1)?, 16).ok()
}
