//! Samples as lines over UDP, in the form that Teleplot and PlotJuggler show live: `name:milliseconds:value§unit`.

use super::names::Names;
use anyhow::{Context, Result};
use std::net::UdpSocket;
use stiffstep::hil::protocol::Sample;

/// Where Teleplot listens unless told otherwise.
pub const ADDRESS: &str = "127.0.0.1:47269";

/// Samples on their way to a viewer.
pub struct Teleplot {
    socket: UdpSocket,
    labels: Vec<(String, String)>,
    h: f64,
}

impl Teleplot {
    /// To a viewer at this address.
    pub fn new(address: &str, names: &Names, h: f32) -> Result<Self> {
        let socket = UdpSocket::bind("0.0.0.0:0").context("no UDP socket could be opened")?;
        socket
            .connect(address)
            .with_context(|| format!("{address} is no address to send to"))?;
        let all = names.inputs.iter().chain(&names.outputs);
        let labels = all.map(|d| (d.name.replace(' ', "_"), d.unit.clone()));
        Ok(Teleplot {
            socket,
            labels: labels.collect(),
            h: h.into(),
        })
    }

    /// The lines of a sample.
    pub fn lines(&self, sample: &Sample) -> String {
        let milliseconds = (f64::from(sample.step) + 1.0) * self.h * 1e3;
        let values = sample.inputs.iter().chain(&sample.outputs);
        let lines = self.labels.iter().zip(values);
        lines
            .map(|((name, unit), value)| format!("{name}:{milliseconds}:{value}§{unit}\n"))
            .collect()
    }

    /// Sends a sample. Nobody listening is no error.
    pub fn send(&self, sample: &Sample) {
        let _ = self.socket.send(self.lines(sample).as_bytes());
    }
}
