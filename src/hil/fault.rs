//! Faults: sensors that stick, are off or lose samples, parameters that jump.

use super::{MOST_SIGNALS, protocol::Refusal};
use crate::memory::{Memory, Words, visits};
use serde::{Deserialize, Serialize};

/// The most parameters that a plant on a board may have.
pub const MOST_PARAMETERS: usize = 16;

/// A fault to inject.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Fault {
    /// A sensor shows what it showed last.
    Stuck {
        /// The output.
        output: u8,
    },
    /// A sensor is off by so much.
    Offset {
        /// The output.
        output: u8,
        /// By how much.
        by: f32,
    },
    /// A sensor loses the next samples and shows the one before.
    Lost {
        /// The output.
        output: u8,
        /// How many samples.
        samples: u16,
    },
    /// A parameter jumps.
    Jump {
        /// Which one.
        index: u8,
        /// To where.
        value: f32,
    },
    /// Every Newton iteration takes this much longer, as on a board that is too slow. The plant's numbers stay the same.
    Burden {
        /// In microseconds; 0 for none, [`Fault::MOST_BURDEN`] at most.
        microseconds: u32,
    },
}

impl Fault {
    /// The largest burden, in microseconds: far beyond any period, and far below what a 32-bit clock or a watchdog can wait for.
    pub const MOST_BURDEN: u32 = 100_000;
}

/// One sensor.
#[derive(Clone, Copy, Debug, Default)]
struct Sensor {
    stuck: bool,
    offset: f32,
    lost: u32,
    /// What it shows.
    shown: f32,
}

visits!([] Sensor: stuck, offset, lost, shown);

/// The faults of a plant with `Y` outputs.
#[derive(Clone, Copy, Debug)]
pub struct Faults<const Y: usize> {
    sensors: [Sensor; Y],
    /// What parameters were before they jumped.
    before: [Option<f32>; MOST_PARAMETERS],
}

impl<const Y: usize> Default for Faults<Y> {
    fn default() -> Self {
        const { assert!(Y <= MOST_SIGNALS, "too many outputs for the link") };
        Faults {
            sensors: [Sensor::default(); Y],
            before: [None; MOST_PARAMETERS],
        }
    }
}

impl<const Y: usize> Memory for Faults<Y> {
    fn visit<W: Words>(&mut self, words: &mut W) {
        self.sensors.visit(words);
        // Jumps are rare: one word says that there are none.
        let mut jumps = self.before.iter().any(Option::is_some);
        jumps.visit(words);
        if jumps {
            self.before.visit(words);
        } else {
            self.before = [None; MOST_PARAMETERS];
        }
    }
}

impl<const Y: usize> Faults<Y> {
    /// What the sensors show of these outputs.
    pub fn show(&mut self, outputs: &[f32; Y]) -> [f32; Y] {
        let mut shown = [0.0; Y];
        for i in 0..Y {
            let sensor = &mut self.sensors[i];
            if sensor.lost > 0 {
                sensor.lost -= 1;
            } else if !sensor.stuck {
                sensor.shown = outputs[i] + sensor.offset;
            }
            shown[i] = sensor.shown;
        }
        shown
    }

    /// Takes a sensor's fault. Those of parameters are the plant's business.
    pub fn inject(&mut self, fault: Fault) -> Result<(), Refusal> {
        let (Fault::Stuck { output } | Fault::Offset { output, .. } | Fault::Lost { output, .. }) =
            fault
        else {
            return Ok(());
        };
        let sensor = self.sensors.get_mut(usize::from(output));
        let sensor = sensor.ok_or(Refusal::Unknown)?;
        match fault {
            Fault::Stuck { .. } => sensor.stuck = true,
            Fault::Offset { by, .. } if by.is_finite() => sensor.offset = by,
            Fault::Offset { .. } => return Err(Refusal::OutOfRange),
            Fault::Lost { samples, .. } => sensor.lost = samples.into(),
            Fault::Jump { .. } | Fault::Burden { .. } => {}
        }
        Ok(())
    }

    /// Remembers what a parameter was before it jumped for the first time.
    pub fn jumped(&mut self, index: usize, before: f32) {
        if let Some(slot) = self.before.get_mut(index) {
            slot.get_or_insert(before);
        }
    }

    /// What parameter `index` was before it jumped, if it did.
    pub fn before(&self, index: usize) -> Option<f32> {
        self.before.get(index).copied().flatten()
    }

    /// Ends all faults; the parameters must be what they were before.
    pub fn heal(&mut self) {
        self.before = [None; MOST_PARAMETERS];
        for sensor in &mut self.sensors {
            *sensor = Sensor {
                shown: sensor.shown,
                ..Sensor::default()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, MOST_PARAMETERS, Refusal};

    /// A sensor that sticks shows what it showed, one with an offset more, one that loses samples the last for so long.
    #[test]
    fn sensors_stick_are_off_and_lose_samples() {
        let mut faults = Faults::<3>::default();
        assert_eq!(faults.show(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
        assert_eq!(faults.inject(Fault::Stuck { output: 0 }), Ok(()));
        assert_eq!(faults.inject(Fault::Offset { output: 1, by: 0.5 }), Ok(()));
        assert_eq!(
            faults.inject(Fault::Lost {
                output: 2,
                samples: 2
            }),
            Ok(())
        );
        assert_eq!(faults.show(&[4.0, 5.0, 6.0]), [1.0, 5.5, 3.0]);
        assert_eq!(faults.show(&[5.0, 6.0, 7.0]), [1.0, 6.5, 3.0]);
        assert_eq!(faults.show(&[6.0, 7.0, 8.0]), [1.0, 7.5, 8.0]);
        faults.heal();
        assert_eq!(faults.show(&[7.0, 8.0, 9.0]), [7.0, 8.0, 9.0]);
    }

    /// An output that there is not, and an offset that is no number.
    #[test]
    fn faults_of_nothing_are_refused() {
        let mut faults = Faults::<1>::default();
        let unknown = faults.inject(Fault::Stuck { output: 1 });
        assert_eq!(unknown, Err(Refusal::Unknown));
        let by = f32::NAN;
        let infinite = faults.inject(Fault::Offset { output: 0, by });
        assert_eq!(infinite, Err(Refusal::OutOfRange));
        assert_eq!(faults.show(&[1.0]), [1.0]);
    }

    /// The value before the first jump is the one to go back to.
    #[test]
    fn the_first_jump_counts() {
        let mut faults = Faults::<1>::default();
        faults.jumped(3, 1.0);
        faults.jumped(3, 2.0);
        faults.jumped(MOST_PARAMETERS, 5.0);
        assert_eq!([faults.before(3), faults.before(2)], [Some(1.0), None]);
        assert_eq!(faults.before(MOST_PARAMETERS), None);
        faults.heal();
        assert_eq!(faults.before(3), None);
    }
}
