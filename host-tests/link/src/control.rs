//! The controllers of the demonstration: small, on the host's side of the link, slow enough for its delay.

use super::names::Names;
use super::noise::Noise;
use stiffstep::hil::protocol::Sample;

/// Computes inputs from samples.
pub trait Controller {
    /// The inputs that answer a sample of the plant with this step.
    fn answer(&mut self, sample: &Sample, h: f64) -> Vec<f32>;
    /// What it is to reach, at a time.
    fn target(&self, t: f64) -> Vec<f64>;
    /// The outputs that are to reach it.
    fn controlled(&self) -> &'static [usize];
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
        let speed = sample.outputs.get(1).copied().unwrap_or(0.0);
        let error = self.target(t)[0] - f64::from(speed);
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
        vec![if t < 0.5 {
            0.0
        } else if t < 4.0 {
            100.0
        } else {
            150.0
        }]
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
        let y = |k: usize| f64::from(sample.outputs.get(k).copied().unwrap_or(0.0));
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

    fn target(&self, _t: f64) -> Vec<f64> {
        Vec::new()
    }

    fn controlled(&self) -> &'static [usize] {
        &[]
    }
}
