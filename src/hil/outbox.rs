//! Events on their way to the host: numbered, framed, in a queue of bytes.
//!
//! An event that finds no room is dropped as a whole, and its number with it: the host sees the gap, the plant never waits.

use super::frame::{self, MOST};
use super::protocol::{Event, Numbered};
use heapless::Deque;

/// The bytes that may wait.
const ROOM: usize = 4096;

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Deque<u8, ROOM>,
    sequence: u32,
}

impl Outbox {
    /// Queues an event. False if there was no room.
    pub fn send(&mut self, event: Event<&'static str>) -> bool {
        let numbered = Numbered {
            sequence: self.sequence,
            message: event,
        };
        self.sequence = self.sequence.wrapping_add(1);
        let mut buffer = [0; MOST];
        let Some(frame) = frame::encode(&numbered, &mut buffer) else {
            return false;
        };
        if !self.room_for(frame.len()) {
            return false;
        }
        frame.iter().all(|&byte| self.bytes.push_back(byte).is_ok())
    }

    /// Whether so many bytes would find room.
    pub fn room_for(&self, bytes: usize) -> bool {
        ROOM - self.bytes.len() >= bytes
    }

    /// The bytes that are next.
    pub fn next(&self) -> &[u8] {
        self.bytes.as_slices().0
    }

    /// So many of them are gone.
    pub fn sent(&mut self, count: usize) {
        for _ in 0..count {
            self.bytes.pop_front();
        }
    }
}
