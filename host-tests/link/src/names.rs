//! What a plant's signals, states and parameters are called.

use super::client::Client;
use anyhow::{Context, Result, bail};
use stiffstep::hil::Rig;
use stiffstep::hil::protocol::{Description, Event, Kind, Request};

/// The pins that a board has a signal at, as one text.
pub fn pins(client: &mut Client, kind: Kind, index: u8) -> Result<String> {
    let names = client.question(&Request::Pins(kind, index), |event| match event {
        Event::Pins {
            kind: k,
            index: i,
            names,
        } if *k == kind && *i == index => Some(names.clone()),
        _ => None,
    })?;
    let connected: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
    Ok(connected.join("; "))
}

/// All names of a plant.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of its inputs.
    pub inputs: Vec<Description<String>>,
    /// Of its outputs.
    pub outputs: Vec<Description<String>>,
    /// Of its states.
    pub states: Vec<Description<String>>,
    /// Of its parameters.
    pub parameters: Vec<Description<String>>,
}

impl Names {
    /// Asks a board for all of them.
    pub fn ask(client: &mut Client, counts: [u8; 4]) -> Result<Self> {
        Self::collect(counts, |kind, index| {
            client.question(&Request::Describe(kind, index), |event| match event {
                Event::Description(d) if d.kind == kind && d.index == index => Some(d.clone()),
                _ => None,
            })
        })
    }

    /// Those of a plant on this machine.
    pub fn of(rig: &mut dyn Rig) -> Result<Self> {
        Self::collect(rig.about().counts, |kind, index| {
            let d = rig.describe(kind, index).context("a name is missing")?;
            Ok(Description {
                kind,
                index,
                name: d.name.to_owned(),
                unit: d.unit.to_owned(),
                range: d.range,
                value: d.value,
            })
        })
    }

    fn collect(
        [inputs, outputs, states, parameters]: [u8; 4],
        mut describe: impl FnMut(Kind, u8) -> Result<Description<String>>,
    ) -> Result<Self> {
        let mut all = |kind, count| {
            let each = (0..count).map(|index| describe(kind, index));
            each.collect::<Result<Vec<_>>>()
        };
        Ok(Names {
            inputs: all(Kind::Input, inputs)?,
            outputs: all(Kind::Output, outputs)?,
            states: all(Kind::State, states)?,
            parameters: all(Kind::Parameter, parameters)?,
        })
    }
}

/// The index of the one whose name is, or alone starts with, `name`; a number counts as an index.
pub fn index(of: &[Description<String>], name: &str) -> Result<u8> {
    if let Some(exact) = of.iter().find(|d| d.name == name) {
        return Ok(exact.index);
    }
    if let Ok(index) = name.parse() {
        return Ok(index);
    }
    let begin: Vec<_> = of.iter().filter(|d| d.name.starts_with(name)).collect();
    if let [one] = begin[..] {
        return Ok(one.index);
    }
    let known: Vec<&str> = of.iter().map(|d| &*d.name).collect();
    let known = known.join(", ");
    bail!("`{name}` is none of, or more than one of: {known}")
}

/// A name with its unit.
pub fn label(of: &Description<String>) -> String {
    if of.unit.is_empty() {
        of.name.clone()
    } else {
        format!("{} [{}]", of.name, of.unit)
    }
}
