//! The reference build: the plants of the boards, on this machine.

use crate::verify::Verifier;
use anyhow::{Result, anyhow, bail};
use stiffstep::hil::Rig;
use stiffstep::hil::protocol::Hello;
use stiffstep_plants::{power, rigs};

/// All plants of the kit.
pub fn all() -> impl Iterator<Item = &'static str> {
    rigs::NAMES.into_iter().chain(power::NAMES)
}

/// An error if one of these is no plant of the kit.
pub fn known(plants: &[&str]) -> Result<()> {
    let mut plants = plants.iter();
    let unknown = plants.find(|plant| !all().any(|name| name == **plant));
    unknown.map_or(Ok(()), |name| Err(no_plant(name)))
}

fn no_plant(name: &str) -> anyhow::Error {
    let known = all().collect::<Vec<_>>().join(", ");
    anyhow!("there is no plant `{name}`; the known ones are {known}")
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
        "drive" => Box::new(power::drive(h)?),
        "buck" => Box::new(power::buck(h)?),
        "boost" => Box::new(power::boost(h)?),
        "h-bridge" => Box::new(power::h_bridge(h)?),
        "six-pulse" => Box::new(power::six_pulse(h)?),
        "flyback" => Box::new(power::flyback(h)?),
        "lcl-inverter" => Box::new(power::lcl_inverter(h)?),
        _ => return Err(no_plant(name)),
    })
}

/// A plant by the name that its board gives.
pub fn by_plant(plant: &str, h: f32) -> Result<Box<dyn Rig>> {
    for name in all() {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{all, by_name};
    use stiffstep::hil::Allowance;
    use stiffstep::hil::protocol::Kind;

    /// Every plant of the kit starts, has a name for each of its signals, and takes steps with inputs in the middle of their ranges.
    #[test]
    fn every_plant_starts() {
        // The tables of an LCL inverter have 125 modes, and are moved a few times.
        let roomy = std::thread::Builder::new().stack_size(32 << 20);
        roomy.spawn(start_all).unwrap().join().unwrap();
    }

    fn start_all() {
        for name in all() {
            let mut rig = by_name(name, 2e-4).unwrap();
            let [inputs, outputs, ..] = rig.about().counts;
            let middle: Vec<f32> = (0..inputs)
                .map(|index| rig.describe(Kind::Input, index).unwrap())
                .map(|signal| 0.5 * (signal.range[0] + signal.range[1]))
                .collect();
            for index in 0..outputs {
                let signal = rig.describe(Kind::Output, index).unwrap();
                assert!(!signal.name.is_empty(), "{name}");
            }
            for _ in 0..100 {
                let mut never = || false;
                rig.step(&middle, &mut Allowance::new(2, &mut never))
                    .unwrap();
            }
            assert!(rig.outputs().iter().all(|x| x.is_finite()), "{name}");
        }
    }
}
