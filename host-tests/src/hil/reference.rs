//! The reference build: the plants of the boards, on this machine.

use anyhow::{Result, bail};
use stiffstep::hil::Rig;
use stiffstep_plants::rigs;

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
