//! The drive beside an independent solution: rotor currents instead of stator fluxes, classical Runge-Kutta in small steps that
//! begin anew at every edge, f64.

use stiffstep::electric::{Pulses, Servo, ServoError, Shaft, Synchronous, Voltage};
use stiffstep::number::Real;

/// The step, in seconds.
const H: f64 = 50e-6;

/// Steps a second that a Raspberry Pi Pico has time for.
pub const PICO: f64 = 3000.0;
/// The largest error that is allowed there, on the soft shaft.
pub const PICO_LIMIT: f64 = 3e-4;

/// A drive with its course.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    /// Its name.
    pub name: &'static str,
    /// The step, in seconds.
    pub h: f64,
    /// The machine.
    pub machine: Synchronous<f64>,
    /// The shaft.
    pub shaft: Shaft<f64>,
    /// The inverter's supply, in volts.
    pub supply: f64,
    /// In seconds.
    pub dead_time: f64,
    /// Largest current, speed and shaft torque.
    pub nominal: [f64; 3],
    /// The speeds that are asked for.
    pub speeds: [f64; 2],
    /// The largest load, in N m.
    pub load: f64,
    /// Small steps a step.
    pub fineness: f64,
    /// The largest error that is allowed, relative to nominal.
    pub limit: f64,
}

/// A servo motor of 2 kW: 10 A, 300 rad/s, 7.2 N m, 320 V, on a shaft of this stiffness and damping.
fn servo(name: &'static str, stiffness: f64, damping: f64, fineness: f64, limit: f64) -> Plant {
    Plant {
        name,
        h: H,
        machine: Synchronous {
            resistance: 0.35,
            inductance: [2.0e-3, 3.2e-3],
            magnet: 0.12,
            pairs: 4.0,
        },
        shaft: Shaft {
            motor: 1.2e-3,
            load: 4.0e-3,
            stiffness,
            damping,
            friction: 1e-3,
            fan: 2.5e-5,
        },
        supply: 320.0,
        dead_time: 0.0,
        nominal: [10.0, 300.0, 7.2],
        speeds: [200.0, 300.0],
        load: 6.0,
        fineness,
        limit,
    }
}

/// A small motor of low inductance that nothing was tuned on: 20 A, 300 rad/s, 1.05 N m, 24 V, on a shaft whose frequency and
/// damping are those of the servo motor's.
fn small(name: &'static str, of: &Plant) -> Plant {
    let motor = 2e-5;
    let share = motor / of.shaft.motor;
    let nominal = [20.0, 300.0, 1.5 * 7.0 * 5e-3 * 20.0];
    let load = nominal[2] / of.nominal[2];
    Plant {
        name,
        machine: Synchronous {
            resistance: 0.1,
            inductance: [50e-6, 50e-6],
            magnet: 5e-3,
            pairs: 7.0,
        },
        shaft: Shaft {
            motor,
            load: of.shaft.load * share,
            stiffness: of.shaft.stiffness * share,
            damping: of.shaft.damping * share,
            friction: of.shaft.friction * load,
            fan: of.shaft.fan * load,
        },
        supply: 24.0,
        dead_time: 0.5e-6,
        nominal,
        load: of.load * load,
        ..*of
    }
}

/// The drives.
pub fn plants() -> [Plant; 4] {
    let soft = servo("drive, soft shaft", 800.0, 0.05, 24.0, 1e-5);
    let hard = servo("drive, hard shaft", 5e4, 0.5, 48.0, 2e-4);
    [
        soft,
        hard,
        small("small drive, soft shaft", &soft),
        small("small drive, hard shaft", &hard),
    ]
}

impl Plant {
    /// The same with another step, which is the controller's and the inverter's, too.
    pub fn stepped(mut self, h: f64) -> Self {
        self.fineness *= h / self.h;
        self.h = h;
        self
    }
}

/// Currents, speeds of motor and load, twist, electrical angle.
type State = [f64; 6];

fn rates(plant: &Plant, x: &State, v: [f64; 2], load: f64) -> State {
    let (m, s) = (&plant.machine, &plant.shaft);
    let [d, q] = m.inductance;
    let [id, iq, wm, wl, twist, angle] = *x;
    let (sin, cos) = angle.sin_cos();
    let we = wm * m.pairs;
    let vd = cos * v[0] + sin * v[1];
    let vq = cos * v[1] - sin * v[0];
    let torque = 1.5 * m.pairs * (m.magnet + (d - q) * id) * iq;
    let shaft = twist * s.stiffness + (wm - wl) * s.damping;
    [
        (vd - id * m.resistance + we * iq * q) / d,
        (vq - iq * m.resistance - we * (id * d + m.magnet)) / q,
        (torque - shaft - wm * s.friction) / s.motor,
        (shaft - wl * wl.abs() * s.fan - load) / s.load,
        wm - wl,
        we,
    ]
}

/// Classical Runge-Kutta in so many small steps, for equations of one's own.
pub fn small_steps<const N: usize>(
    x: &mut [f64; N],
    time: f64,
    parts: u32,
    rates: impl Fn(&[f64; N]) -> [f64; N],
) {
    let h = time / f64::from(parts);
    let to = |x: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|n| x[n] + h * k[n]);
    for _ in 0..parts {
        let k1 = rates(x);
        let k2 = rates(&to(x, &k1, h / 2.0));
        let k3 = rates(&to(x, &k2, h / 2.0));
        let k4 = rates(&to(x, &k3, h));
        for n in 0..N {
            x[n] += h / 6.0 * (k1[n] + 2.0 * k2[n] + 2.0 * k3[n] + k4[n]);
        }
    }
}

/// Stretches of constant voltage: how long, as a share of the step, and the voltage along the stator's axes.
fn stretches(supply: f64, pulses: &Pulses<f64>) -> Vec<(f64, [f64; 2])> {
    let mut times: Vec<f64> = pulses.iter().flatten().flatten().copied().collect();
    times.extend([0.0, 1.0]);
    times.sort_by(f64::total_cmp);
    let on = |phase: &[[f64; 2]; 2], t: f64| {
        f64::from(u8::from(phase.iter().any(|[a, b]| *a <= t && t < *b)))
    };
    let stretch = |pair: &[f64]| {
        let (a, b) = (pair[0], pair[1]);
        let [u, v, w] = [0, 1, 2].map(|k| supply * on(&pulses[k], 0.5 * (a + b)));
        (b - a, [(2.0 * u - v - w) / 3.0, (v - w) / 3.0_f64.sqrt()])
    };
    times
        .windows(2)
        .map(stretch)
        .filter(|s| s.0 > 0.0)
        .collect()
}

/// What a step is given: pulses and the load.
pub type Given = (Pulses<f64>, f64);

/// Pulses in the middle of each period; the step begins `shift` of a period after the controller's.
fn pulses(duties: &[[f64; 3]], n: usize, shift: f64) -> Pulses<f64> {
    let mut pulses = [[[0.0; 2]; 2]; 3];
    for phase in 0..3 {
        for back in 0..2_usize.min(n + 1) {
            let duty = duties[n - back][phase];
            let middle = 0.5 + shift - back as f64;
            // Single precision holds the edges.
            let edge = |t: f64| f64::from(t.clamp(0.0, 1.0) as f32);
            pulses[phase][back] = [edge(middle - duty / 2.0), edge(middle + duty / 2.0)];
        }
    }
    pulses
}

/// The currents of the phases.
fn phases(x: &State) -> [f64; 3] {
    let (sin, cos) = x[5].sin_cos();
    let (a, b) = (cos * x[0] - sin * x[1], sin * x[0] + cos * x[1]);
    let third = 0.75_f64.sqrt() * b;
    [a, third - a / 2.0, -third - a / 2.0]
}

/// Field-oriented control of the switched drive: what steps are given, and outputs after each, in units of the largest.
pub fn course(plant: &Plant, steps: usize, shift: f64) -> (Vec<Given>, Vec<[f64; 5]>) {
    let m = &plant.machine;
    let [ld, lq] = m.inductance;
    let (mut x, mut duties) = ([0.0; 6], Vec::new());
    let (mut speed_sum, mut d_sum, mut q_sum) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut given, mut outputs) = (Vec::new(), Vec::new());
    let [current, speed, torque] = plant.nominal;
    let gain = current / speed;
    for n in 0..steps {
        let t = n as f64 / steps as f64;
        let target = if t < 0.03 {
            0.0
        } else {
            plant.speeds[usize::from(t > 0.4)]
        };
        let load = plant.load
            * [0.0, 0.5, 1.0, 0.17][[0.2, 0.67, 0.83].iter().filter(|x| t > **x).count()];
        let error = target - x[2];
        let wanted = 7.5 * gain * error + speed_sum;
        let q = wanted.clamp(-1.5 * current, 1.5 * current);
        if wanted == q {
            speed_sum += 120.0 * gain * error * plant.h;
        }
        let d = if t < 0.53 { 0.0 } else { -0.3 * current };
        let we = m.pairs * x[2];
        let (ed, eq) = (d - x[0], q - x[1]);
        d_sum += 3000.0 * m.resistance * ed * plant.h;
        q_sum += 3000.0 * m.resistance * eq * plant.h;
        let vd = 3000.0 * ld * ed + d_sum - we * lq * x[1];
        let vq = 3000.0 * lq * eq + q_sum + we * (ld * x[0] + m.magnet);
        let (sin, cos) = (x[5] + 0.5 * plant.h * we).sin_cos();
        let (a, b) = (cos * vd - sin * vq, sin * vd + cos * vq);
        let third = 0.75_f64.sqrt() * b;
        let phase = [a, third - a / 2.0, -third - a / 2.0];
        let high = phase.iter().fold(f64::MIN, |a, b| a.max(*b));
        let low = phase.iter().fold(f64::MAX, |a, b| a.min(*b));
        let duty = |v: f64| {
            let duty = (v - 0.5 * (high + low)) / plant.supply + 0.5;
            (duty.clamp(0.01, 0.99) * 4096.0).round() / 4096.0
        };
        duties.push(phase.map(duty));
        let dead = plant.dead_time / plant.h;
        let pulses = Voltage::with_dead_time(pulses(&duties, n, shift), dead, phases(&x));
        for (share, v) in stretches(plant.supply, &pulses) {
            let parts = (share * plant.fineness).ceil() as u32;
            small_steps(&mut x, share * plant.h, parts, |x| rates(plant, x, v, load));
        }
        let shaft = x[4] * plant.shaft.stiffness + (x[2] - x[3]) * plant.shaft.damping;
        outputs.push([
            x[0] / current,
            x[1] / current,
            x[2] / speed,
            x[3] / speed,
            shaft / torque,
        ]);
        given.push((pulses, load));
    }
    (given, outputs)
}

/// Machine and shaft in another number type.
pub(crate) fn parts<R: Real>(plant: &Plant) -> (Synchronous<R>, Shaft<R>) {
    let c = R::from_f64;
    let (m, s) = (&plant.machine, &plant.shaft);
    let machine = Synchronous {
        resistance: c(m.resistance),
        inductance: m.inductance.map(c),
        magnet: c(m.magnet),
        pairs: c(m.pairs),
    };
    let shaft = Shaft {
        motor: c(s.motor),
        load: c(s.load),
        stiffness: c(s.stiffness),
        damping: c(s.damping),
        friction: c(s.friction),
        fan: c(s.fan),
    };
    (machine, shaft)
}

/// Machine and shaft in single precision.
pub fn single(plant: &Plant) -> (Synchronous<f32>, Shaft<f32>) {
    parts(plant)
}

/// The drive in another number type.
pub fn drive<R: Real>(plant: &Plant) -> Result<Servo<R>, ServoError> {
    let (machine, shaft) = parts(plant);
    Servo::new(machine, shaft, R::from_f64(plant.h))
}

/// What a drive is told of the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Every edge.
    Edges,
    /// How long each phase is on.
    Duties,
    /// What is on when a step begins.
    Samples,
}

/// The largest error of an output, relative to nominal, and the largest output.
pub fn error<R: Real>(
    plant: &Plant,
    steps: usize,
    shift: f64,
    told: Told,
) -> Result<(f64, f64), ServoError> {
    let c = R::from_f64;
    let mut servo = drive::<R>(plant)?;
    along(plant, steps, shift, told, |voltage, load| {
        servo.step(voltage, c(load))?;
        let out = servo.outputs();
        let [d, q] = out.currents;
        Ok([d, q, out.motor_speed, out.load_speed, out.shaft_torque])
    })
}

/// The current along the magnet after each step, in amperes: ours and the exact one.
pub fn currents(
    plant: &Plant,
    steps: usize,
    shift: f64,
    told: Told,
) -> Result<(Vec<f64>, Vec<f64>), ServoError> {
    let (given, truth) = course(plant, steps, shift);
    let mut servo = drive::<f32>(plant)?;
    let mut ours = Vec::new();
    for (pulses, load) in &given {
        servo.step(&voltage(plant, pulses, told), *load as f32)?;
        ours.push(f64::from(servo.outputs().currents[0]));
    }
    let exact = truth.iter().map(|y| y[0] * plant.nominal[0]).collect();
    Ok((ours, exact))
}

/// Runs a course with a step of one's own, which gives currents, speeds and torque.
pub(crate) fn along<R: Real, E>(
    plant: &Plant,
    steps: usize,
    shift: f64,
    told: Told,
    mut step: impl FnMut(&Voltage<R>, f64) -> Result<[R; 5], E>,
) -> Result<(f64, f64), E> {
    let (given, truth) = course(plant, steps, shift);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    let [current, speed, torque] = plant.nominal;
    let units = [current, current, speed, speed, torque];
    for ((pulses, load), truth) in given.iter().zip(&truth) {
        let out = step(&voltage(plant, pulses, told), *load)?;
        for ((out, unit), truth) in out.iter().zip(units).zip(truth) {
            worst = worst.max((out.to_f64() / unit - truth).abs());
            largest = largest.max(truth.abs());
        }
    }
    Ok((worst, largest))
}

/// What a drive is told of pulses.
fn voltage<R: Real>(plant: &Plant, pulses: &Pulses<f64>, told: Told) -> Voltage<R> {
    let c = R::from_f64;
    let pulses = pulses.map(|phase| phase.map(|pulse| pulse.map(c)));
    let voltage = Voltage::of_pulses(c(plant.supply), &pulses);
    match told {
        Told::Edges => voltage,
        Told::Duties => Voltage::held(voltage.axes.map(|axis| axis[0])),
        Told::Samples => {
            let on = |[begin, end]: [R; 2]| begin <= R::ZERO && end > R::ZERO;
            let held = |on: bool| [[R::ZERO, if on { R::ONE } else { R::ZERO }], [R::ZERO; 2]];
            let pulses = pulses.map(|phase| held(phase.into_iter().any(on)));
            Voltage::of_pulses(c(plant.supply), &pulses)
        }
    }
}
