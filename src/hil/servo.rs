//! A drive on its test rig: the edges of three phases, supply and load in, what a controller sees out.

use super::given::{Given, GivenRig};
use crate::electric::{Pulses, Servo, ServoError, Voltage};
use crate::step::Error;

/// A drive as a rig. Inputs are on and off of the three phases' upper devices, as shares of the step, the supply in volts and the
/// torque against the load; outputs are the currents along the magnet and across it, the electrical angle, the speeds of motor and load, and
/// what the shaft carries.
pub type ServoRig = GivenRig<Servo<f32>, 8, 6>;

impl From<ServoError> for Error {
    fn from(error: ServoError) -> Self {
        match error {
            ServoError::Machine | ServoError::Shaft | ServoError::Input => Error::Input,
            ServoError::StepSize => Error::StepSize,
            ServoError::NonFinite => Error::NonFinite,
        }
    }
}

/// The pulses of a phase. One that turns off before it turns on is on at both ends of the step. None if a share of the step is none.
fn pulses([on, off]: [f32; 2]) -> Option<[[f32; 2]; 2]> {
    let share = |x: f32| (0.0..=1.0).contains(&x);
    if !(share(on) && share(off)) {
        return None;
    }
    Some(if off < on {
        [[0.0, off], [on, 1.0]]
    } else {
        [[on, off], [off, off]]
    })
}

impl Given<8, 6> for Servo<f32> {
    type Moment = ();

    fn moment(&self) {}

    fn step(&mut self, inputs: &[f32; 8]) -> Result<(), Error> {
        let [a, b, c, d, e, f, supply, load] = *inputs;
        let phases = [[a, b], [c, d], [e, f]].map(pulses);
        let [Some(a), Some(b), Some(c)] = phases else {
            return Err(Error::Input);
        };
        let pulses: Pulses<f32> = [a, b, c];
        Ok(Servo::step(
            self,
            &Voltage::of_pulses(supply, &pulses),
            load,
        )?)
    }

    fn outputs(&self) -> [f32; 6] {
        let shown = Servo::outputs(self);
        let [d, q] = shown.currents;
        let speeds = [shown.motor_speed, shown.load_speed];
        [d, q, shown.angle, speeds[0], speeds[1], shown.shaft_torque]
    }

    /// A drive is known at the ends of its steps.
    fn within(&self, _began: &(), _part: f32, _inputs: &[f32; 8]) -> Option<[f32; 6]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::pulses;

    /// Both ends are shares of the step, and where they are equal there is no pulse.
    #[test]
    fn pulses_are_shares_of_the_step() {
        assert_eq!(pulses([0.25, 0.5]), Some([[0.25, 0.5], [0.5, 0.5]]));
        assert_eq!(pulses([0.5, 0.25]), Some([[0.0, 0.25], [0.5, 1.0]]));
        assert_eq!(pulses([0.5, 0.5]), Some([[0.5, 0.5], [0.5, 0.5]]));
        for wrong in [
            [-0.1, 0.5],
            [0.5, -0.1],
            [1.1, 0.5],
            [0.5, 1.1],
            [f32::NAN, 0.5],
        ] {
            assert_eq!(pulses(wrong), None, "{wrong:?}");
        }
    }
}
