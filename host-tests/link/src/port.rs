//! A wire to a board: a serial port, or the socket of an emulator.

use super::noise::Noise;
use super::socket::{Address, Stream};
use anyhow::{Context, Result, bail};
#[cfg(feature = "serial")]
use serialport::{SerialPort, SerialPortType};
use std::io::{self, Read, Write};
use std::time::Duration;

/// What the boards' UARTs are set to.
pub const BAUD: u32 = 921_600;

/// How long a read waits for a byte.
const WAIT: Duration = Duration::from_millis(2);

/// An open wire.
pub enum Port {
    /// A serial port.
    #[cfg(feature = "serial")]
    Serial(Box<dyn SerialPort>),
    /// An emulator's socket.
    Socket(Stream),
    /// A wire that damages this part of all bytes, in percent, both ways.
    Noisy(Box<Port>, Noise, u64),
}

impl Port {
    /// Opens a serial port by its name, or the only one that looks like a board, at this rate.
    #[cfg(not(feature = "serial"))]
    pub fn serial(name: Option<&str>, baud: u32) -> Result<Self> {
        bail!("this program was built without serial ports: {name:?} at {baud}")
    }

    /// Opens a serial port by its name, or the only one that looks like a board, at this rate.
    #[cfg(feature = "serial")]
    pub fn serial(name: Option<&str>, baud: u32) -> Result<Self> {
        let name = name.map_or_else(find, |name| Ok(name.to_owned()))?;
        let port = serialport::new(&name, baud).timeout(WAIT).open();
        Ok(Port::Serial(port.with_context(|| {
            format!("{name} could not be opened; is it there, and may you use it?")
        })?))
    }

    /// Connects to an emulator's socket.
    pub fn socket(address: &Address) -> Result<Self> {
        let socket = address
            .connect(WAIT)
            .context("the emulator's socket could not be connected to")?;
        Ok(Port::Socket(socket))
    }

    /// The bytes that have come, at once or within a moment; none is no error.
    pub fn receive(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = match self {
            #[cfg(feature = "serial")]
            Port::Serial(port) => port.read(buffer),
            Port::Socket(socket) => match socket.read(buffer) {
                Ok(0) => bail!("the board is gone: its end of the link was closed"),
                read => read,
            },
            Port::Noisy(port, noise, percent) => {
                let count = port.receive(buffer)?;
                noise.damage(buffer.get_mut(..count).unwrap_or_default(), *percent);
                return Ok(count);
            }
        };
        match read {
            Ok(count) => Ok(count),
            Err(error) if is_silence(&error) => Ok(0),
            Err(error) => Err(error).context("the link to the board broke"),
        }
    }

    /// Sends bytes.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            #[cfg(feature = "serial")]
            Port::Serial(port) => port.write_all(bytes),
            Port::Socket(socket) => socket.write_all(bytes),
            Port::Noisy(port, noise, percent) => {
                let mut bytes = bytes.to_vec();
                noise.damage(&mut bytes, *percent);
                return port.send(&bytes);
            }
        }
        .context("the link to the board broke")
    }
}

fn is_silence(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

/// The names of all serial ports, those on USB first.
#[cfg(not(feature = "serial"))]
pub fn list() -> Vec<String> {
    Vec::new()
}

/// The names of all serial ports, those on USB first.
#[cfg(feature = "serial")]
pub fn list() -> Vec<String> {
    let mut ports = serialport::available_ports().unwrap_or_default();
    ports.sort_by_key(|port| !matches!(port.port_type, SerialPortType::UsbPort(_)));
    ports.into_iter().map(|port| port.port_name).collect()
}

#[cfg(feature = "serial")]
fn find() -> Result<String> {
    let ports = list();
    match ports.as_slice() {
        [] => bail!(
            "no serial port was found; plug the board in, name a port with --port, or start an emulated board with --board"
        ),
        [port] => {
            eprintln!("the board is at {port}");
            Ok(port.clone())
        }
        several => bail!(
            "there are several serial ports ({}); name one with --port",
            several.join(", ")
        ),
    }
}
