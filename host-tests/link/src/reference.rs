//! The reference build: the plants of the boards, on this machine.

use crate::verify::Verifier;
use anyhow::{Result, bail};
use stiffstep::hil::Rig;
use stiffstep::hil::protocol::Hello;
use stiffstep_plants::rigs;

/// An error if one of these is no plant of the kit.
pub fn known(plants: &[&str]) -> Result<()> {
    if let Some(unknown) = plants.iter().find(|plant| !rigs::NAMES.contains(plant)) {
        bail!(
            "there is no plant `{unknown}`; the known ones are {}",
            rigs::NAMES.join(", ")
        );
    }
    Ok(())
}

/// A plant by its name on the command line.
pub fn by_name(name: &str, h: f32) -> Result<Box<dyn Rig>> {
    Ok(match name {
        "rlc" => Box::new(rigs::rlc(h)?),
        "half-bridge" => Box::new(rigs::half_bridge(h)?),
        "dc-motor" => Box::new(rigs::dc_motor(h)?),
        "arm" => Box::new(rigs::arm(h)?),
        "slider-crank" => Box::new(rigs::slider_crank(h)?),
        "pendulum" => Box::new(rigs::pendulum(h)?),
        _ => bail!(
            "there is no plant `{name}`; the known ones are {}",
            rigs::NAMES.join(", ")
        ),
    })
}

/// A plant by the name that its board gives.
pub fn by_plant(plant: &str, h: f32) -> Result<Box<dyn Rig>> {
    for name in rigs::NAMES {
        let rig = by_name(name, h)?;
        if rig.about().plant == plant {
            return Ok(rig);
        }
    }
    bail!("this build has no plant called `{plant}`")
}

impl Verifier {
    /// For a board with one of the kit's plants. A board that was built from other sources is an error: it might compute something else.
    pub fn new(hello: &Hello<String>) -> Result<Self> {
        let build = rigs::BUILD;
        if hello.build != build {
            bail!(
                "the board was built from other sources ({:08x}) than this program ({build:08x}); flash it anew",
                hello.build
            );
        }
        Ok(Self::beside(by_plant(&hello.plant, hello.h)?))
    }
}
