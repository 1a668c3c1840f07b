//! How a message looks on the wire: postcard, then its CRC-32, all of it in COBS, then a zero.
//!
//! COBS takes every zero out of a frame, so a zero ends one and nothing else does: a reader that joins late, or that lost
//! bytes, is back in step after the next zero.

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use serde::{Deserialize, Serialize};

/// The most bytes of a frame, its zero included.
pub const MOST: usize = 256;

/// What a frame has besides its message: the checksum, COBS, the zero.
const OVERHEAD: usize = 4 + 2 + 1;

static CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// Why there is no message in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Broken {
    /// It is longer than any frame, or no COBS.
    Shape,
    /// The checksum does not fit.
    Checksum,
    /// The checksum fits, but what it protects is no such message.
    Content,
}

/// A message as a frame, in `buffer`. `None` if it does not fit.
pub fn encode<'a, T: Serialize>(message: &T, buffer: &'a mut [u8; MOST]) -> Option<&'a [u8]> {
    let mut plain = [0; MOST - OVERHEAD + 4];
    let room = plain.get_mut(..MOST - OVERHEAD)?;
    let length = postcard::to_slice(message, room).ok()?.len();
    let checksum = CRC.checksum(plain.get(..length)?).to_le_bytes();
    plain
        .get_mut(length..length + 4)?
        .copy_from_slice(&checksum);
    let length = cobs::try_encode(plain.get(..length + 4)?, buffer).ok()?;
    *buffer.get_mut(length)? = 0;
    buffer.get(..=length)
}

/// Takes frames out of a stream of bytes.
#[derive(Debug)]
pub struct Decoder {
    buffer: [u8; MOST],
    length: usize,
    /// More bytes came than a frame has: nothing counts until the next zero.
    overflown: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// Before the first byte.
    pub const fn new() -> Self {
        Decoder {
            buffer: [0; MOST],
            length: 0,
            overflown: false,
        }
    }

    /// Takes the next byte. At the end of a frame its message, or what is wrong with it.
    pub fn push<'a, T: Deserialize<'a>>(&'a mut self, byte: u8) -> Option<Result<T, Broken>> {
        if byte != 0 {
            if let Some(slot) = self.buffer.get_mut(self.length) {
                *slot = byte;
                self.length += 1;
            } else {
                self.overflown = true;
            }
            return None;
        }
        let (length, overflown) = (self.length, self.overflown);
        (self.length, self.overflown) = (0, false);
        if overflown {
            return Some(Err(Broken::Shape));
        }
        // Zeros in a row are an idle line, or a host that makes sure of a fresh start.
        let frame = self.buffer.get_mut(..length).filter(|f| !f.is_empty())?;
        Some(decode(frame))
    }
}

/// The message in a frame without its zero.
fn decode<'a, T: Deserialize<'a>>(frame: &'a mut [u8]) -> Result<T, Broken> {
    let length = cobs::decode_in_place(frame).map_err(|_| Broken::Shape)?;
    let frame = frame.get(..length).ok_or(Broken::Shape)?;
    let (content, checksum) = frame.split_last_chunk::<4>().ok_or(Broken::Shape)?;
    if CRC.checksum(content) != u32::from_le_bytes(*checksum) {
        return Err(Broken::Checksum);
    }
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok(message),
        _ => Err(Broken::Content),
    }
}
