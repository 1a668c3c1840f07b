//! The controllers of the demonstration: small, on the host's side of the link, slow enough for its delay.

use super::names::Names;
use super::noise::Noise;
use stiffstep::hil::protocol::Sample;

/// Computes inputs from samples.
pub trait Controller {
    /// The inputs that answer a sample of the plant with this step.
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32>;
    /// What it is to reach, at a time. Nothing, unless it says so.
    fn target(&self, _t: f64) -> Vec<f64> {
        Vec::new()
    }
    /// The outputs that are to reach it.
    fn controlled(&self) -> &'static [usize] {
        &[]
    }
}

/// An output of a sample, zero if it is not there.
fn output(sample: &Sample, k: usize) -> f64 {
    f64::from(sample.outputs.get(k).copied().unwrap_or(0.0))
}

/// The value of the first stretch of time that is not over yet.
fn until(t: f64, stretches: &[(f64, f64)]) -> Vec<f64> {
    let now = stretches.iter().find(|(end, _)| t < *end);
    now.map(|(_, value)| vec![*value]).unwrap_or_default()
}

/// A speed loop for the DC motor: proportional and integral, from the load's speed to the voltage, with a load torque that
/// comes and goes.
#[derive(Clone, Debug, Default)]
pub struct SpeedLoop {
    integral: f64,
    last: Option<u32>,
}

impl Controller for SpeedLoop {
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32> {
        let t = f64::from(sample.step) * h;
        let error = self.target(t)[0] - output(sample, 1);
        let since = self.last.map_or(0, |last| sample.step.wrapping_sub(last));
        self.last = Some(sample.step);
        let voltage = (0.02 * error + self.integral).clamp(-24.0, 24.0);
        // The integral stops where the voltage does.
        if voltage.abs() < 24.0 {
            self.integral += 0.5 * error * f64::from(since) * h;
        }
        let load = if (6.0..8.0).contains(&t) { 0.3 } else { 0.0 };
        vec![voltage as f32, load]
    }

    fn target(&self, t: f64) -> Vec<f64> {
        until(t, &[(0.5, 0.0), (4.0, 100.0), (f64::INFINITY, 150.0)])
    }

    fn controlled(&self) -> &'static [usize] {
        &[1]
    }
}

/// A position loop for the two-link arm: proportional and derivative on the motors' angles, with the links' weight added.
#[derive(Clone, Debug, Default)]
pub struct ArmLoop;

impl Controller for ArmLoop {
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32> {
        let y = |k: usize| output(sample, k);
        let target = self.target(f64::from(sample.step) * h);
        let forearm = 2.4525 * (y(0) + y(1)).cos();
        let weight = [7.3575 * y(0).cos() + forearm, forearm];
        (0..2)
            .map(|k| {
                let (stiffness, damping) = [(8.0, 3.0), (2.0, 0.6)][k];
                let torque = weight[k] + stiffness * (target[k] - y(2 + k)) - damping * y(4 + k);
                torque.clamp(-40.0, 40.0) as f32
            })
            .collect()
    }

    fn target(&self, t: f64) -> Vec<f64> {
        // From hanging to reaching out, over five seconds, without a jerk at either end.
        let x = (t / 5.0).clamp(0.0, 1.0);
        let smooth = x * x * (3.0 - 2.0 * x);
        vec![std::f64::consts::FRAC_PI_2 * (smooth - 1.0), 0.8 * smooth]
    }

    fn controlled(&self) -> &'static [usize] {
        &[0, 1]
    }
}

/// Field-oriented control of the drive: a speed loop over two current loops, which decide on the edges of three phases for two
/// steps each.
#[derive(Clone, Debug, Default)]
pub struct FieldLoop {
    speed: f64,
    currents: [f64; 2],
}

impl FieldLoop {
    const SUPPLY: f64 = 320.0;
    /// Steps from one answer to the next.
    pub const EVERY: u32 = 2;

    /// Voltages along the axes of the stator for the time h.
    fn voltage(&mut self, y: &[f64; 6], target: f64, h: f64) -> [f64; 2] {
        let [d, q, angle, motor, ..] = *y;
        let (resistance, inductance, magnet) = (0.35, [2.0e-3, 3.2e-3], 0.12);
        let electrical = 4.0 * motor;
        let error = target - motor;
        let wanted = 0.25 * error + self.speed;
        let limited = wanted.clamp(-15.0, 15.0);
        // The integral stops where the current does.
        if wanted == limited {
            self.speed += 4.0 * error * h;
        }
        // As fast as the samples allow.
        let bandwidth = (0.3 / h).min(3000.0);
        let errors = [-d, limited - q];
        let mut voltage = [
            -electrical * inductance[1] * q,
            electrical * (inductance[0] * d + magnet),
        ];
        for k in 0..2 {
            self.currents[k] += bandwidth * resistance * errors[k] * h;
            voltage[k] += bandwidth * inductance[k] * errors[k] + self.currents[k];
        }
        // The angle in the middle of that time.
        let (sin, cos) = (angle + 0.5 * h * electrical).sin_cos();
        let [d, q] = voltage;
        [cos * d - sin * q, sin * d + cos * q]
    }
}

impl Controller for FieldLoop {
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32> {
        let y = |k: usize| output(sample, k);
        let t = f64::from(sample.step) * h;
        let target = self.target(t)[0];
        let time = f64::from(Self::EVERY) * h;
        let [a, b] = self.voltage(&std::array::from_fn(y), target, time);
        let third = 0.75_f64.sqrt() * b;
        let phases = [a, third - 0.5 * a, -third - 0.5 * a];
        let high = phases.iter().copied().fold(f64::MIN, f64::max);
        let low = phases.iter().copied().fold(f64::MAX, f64::min);
        let mut inputs = Vec::new();
        for phase in phases {
            let duty = ((phase - 0.5 * (high + low)) / Self::SUPPLY + 0.5).clamp(0.01, 0.99);
            inputs.extend([0.5 - 0.5 * duty, 0.5 + 0.5 * duty]);
        }
        inputs.extend([Self::SUPPLY, if t < 0.18 { 0.0 } else { 3.0 }]);
        inputs.into_iter().map(|x| x as f32).collect()
    }

    fn target(&self, t: f64) -> Vec<f64> {
        until(t, &[(0.01, 0.0), (0.1, 150.0), (f64::INFINITY, 250.0)])
    }

    fn controlled(&self) -> &'static [usize] {
        &[3]
    }
}

/// A voltage loop for the buck: proportional and integral, from the voltage to the duty.
#[derive(Clone, Debug, Default)]
pub struct VoltageLoop {
    integral: f64,
}

impl Controller for VoltageLoop {
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32> {
        let error = self.target(f64::from(sample.step) * h)[0] - output(sample, 1);
        let wanted = 0.01 * error + self.integral;
        let duty = wanted.clamp(0.0, 0.95);
        if wanted == duty {
            self.integral += 20.0 * error * h;
        }
        vec![24.0, 0.0, duty as f32]
    }

    fn target(&self, t: f64) -> Vec<f64> {
        vec![if t < 0.02 { 8.0 } else { 12.0 }]
    }

    fn controlled(&self) -> &'static [usize] {
        &[1]
    }
}

/// No controller, but the mains for a rectifier: three phases of 325 V, a period in 400 steps, which are 50 us at 50 Hz.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mains;

impl Controller for Mains {
    fn answer(&mut self, sample: &Sample, _h: f64) -> Vec<f32> {
        let turn = f64::from(sample.step % 400) / 400.0;
        let phase = |k: f64| 325.0 * (std::f64::consts::TAU * (turn - k / 3.0)).sin();
        [0.0, 1.0, 2.0].map(|k| phase(k) as f32).into()
    }
}

/// No controller, but inputs that jump anywhere within their ranges.
#[derive(Clone, Debug)]
pub struct Wander {
    ranges: Vec<[f32; 2]>,
    noise: Noise,
}

impl Wander {
    /// Within the ranges of these inputs, from a seed.
    pub fn new(names: &Names, seed: u64) -> Self {
        Wander {
            ranges: names.inputs.iter().map(|input| input.range).collect(),
            noise: Noise::new(seed),
        }
    }
}

impl Controller for Wander {
    fn answer(&mut self, _sample: &Sample, _h: f64) -> Vec<f32> {
        let noise = &mut self.noise;
        let within = |[least, most]: [f32; 2]| {
            let part = noise.below(1 << 20) as f32 / (1 << 20) as f32;
            least + (most - least) * part
        };
        self.ranges.iter().copied().map(within).collect()
    }
}

#[cfg(all(test, feature = "kit"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Controller, FieldLoop, VoltageLoop};
    use stiffstep::hil::protocol::Sample;
    use stiffstep::hil::{Allowance, Rig};
    use stiffstep_plants::power;

    /// How far the controlled output is from its target at the end.
    fn left(rig: &mut dyn Rig, controller: &mut dyn Controller, every: u32, seconds: f64) -> f64 {
        let h = f64::from(rig.about().h);
        let (steps, mut inputs) = ((seconds / h) as u32, Vec::new());
        for step in 0..steps {
            if step % every == 0 {
                let sample = Sample {
                    step,
                    iterations: 1,
                    inputs: rig.inputs().iter().copied().collect(),
                    outputs: rig.outputs().iter().copied().collect(),
                    digest: 0,
                };
                inputs = controller.answer(&sample, h);
            }
            let mut never = || false;
            rig.step(&inputs, &mut Allowance::new(2, &mut never))
                .unwrap();
        }
        let output = rig.outputs()[controller.controlled()[0]];
        f64::from(output) - controller.target(seconds)[0]
    }

    #[test]
    fn the_drive_reaches_its_speed() {
        let (mut rig, mut field) = (power::drive(50e-6).unwrap(), FieldLoop::default());
        let error = left(&mut rig, &mut field, FieldLoop::EVERY, 0.25);
        assert!(error.abs() < 10.0, "{error}");
        // The current that makes no torque is none.
        assert!(rig.outputs()[0].abs() < 1.0, "{:?}", rig.outputs());
    }

    #[test]
    fn the_buck_reaches_its_voltage() {
        let (mut rig, mut voltage) = (power::buck(20e-6).unwrap(), VoltageLoop::default());
        let error = left(&mut rig, &mut voltage, 1, 0.05);
        assert!(error.abs() < 0.2, "{error}");
    }
}
