//! The independent solution: f64, devices that are off conduct nothing, matrix exponentials, events by bisection, the next mode by
//! Murty's least index. It shares no code with the library.

use crate::ideal::{Mode, build};
use crate::net::{Kind, Net};
use nalgebra::DVector;
use std::collections::HashMap;

/// A current without a path counts from here, in amperes; rounding leaves less.
const PATHLESS: f64 = 1e-8;
/// Voltages that are impulses count this much more than those that are not.
const IMPULSE: f64 = 1e9;

/// A switch or a diode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    pub(crate) from: usize,
    pub(crate) to: usize,
    gate: Option<u8>,
    pub(crate) diode: bool,
    pub(crate) resistance: f64,
    pub(crate) forward: f64,
}

/// A circuit that is solved.
#[derive(Clone)]
pub struct Reference {
    pub(crate) nodes: Vec<String>,
    pub(crate) net: Net,
    pub(crate) devices: Vec<Device>,
    pub(crate) coils: Vec<(usize, usize, f64)>,
    pub(crate) capacitors: Vec<(usize, usize, f64)>,
    pub(crate) inputs: usize,
    modes: HashMap<Vec<u8>, Mode>,
    /// All currents of coils, then all voltages of capacitors.
    pub x: DVector<f64>,
    diodes: Vec<bool>,
    gates: u32,
    /// Commutations.
    pub events: usize,
    /// Conditions are looked at this often, in seconds.
    look: f64,
}

impl Reference {
    /// At rest with all gates off.
    pub fn new(net: &Net, look: f64) -> Self {
        let mut reference = Reference {
            nodes: vec!["0".to_owned()],
            net: net.clone(),
            devices: Vec::new(),
            coils: Vec::new(),
            capacitors: Vec::new(),
            inputs: 0,
            modes: HashMap::new(),
            x: DVector::zeros(0),
            diodes: Vec::new(),
            gates: 0,
            events: 0,
            look,
        };
        let mut middles = net.middles.iter();
        for part in &net.parts {
            let (from, to) = (reference.node(&part.from), reference.node(&part.to));
            let mut device = |from, to, gate, diode, resistance, forward| {
                let device = Device {
                    from,
                    to,
                    gate,
                    diode,
                    resistance,
                    forward,
                };
                reference.devices.push(device);
            };
            match part.kind {
                Kind::Coil(value) => reference.coils.push((from, to, value)),
                Kind::Capacitor(value) => reference.capacitors.push((from, to, value)),
                Kind::Source | Kind::CurrentSource => reference.inputs += 1,
                Kind::Resistor(_) => {}
                Kind::Switch(gate, ohms) => device(from, to, Some(gate), false, ohms, 0.0),
                Kind::Diode(on) => device(from, to, None, true, on.resistance, on.forward),
                Kind::Transistor(gate, on) => {
                    device(to, from, Some(gate), true, on.resistance, on.forward);
                }
                Kind::Leg(gates, on) => {
                    let middle = middles.next().map_or(0, |name| reference.node(name));
                    for (from, to, gate) in [
                        (middle, from, gates.map(|gates| gates.0)),
                        (to, middle, gates.map(|gates| gates.1)),
                    ] {
                        let (resistance, forward) = (on.resistance, on.forward);
                        let diode = true;
                        reference.devices.push(Device {
                            from,
                            to,
                            gate,
                            diode,
                            resistance,
                            forward,
                        });
                    }
                }
            }
        }
        reference.diodes = vec![false; reference.devices.len()];
        reference.x = DVector::zeros(reference.coils.len() + reference.capacitors.len());
        reference
    }

    fn node(&mut self, name: &str) -> usize {
        if let Some(found) = self.nodes.iter().position(|node| node == name) {
            return found;
        }
        self.nodes.push(name.to_owned());
        self.nodes.len() - 1
    }

    fn digits(&self) -> Vec<u8> {
        let digit = |(device, diode): (&Device, &bool)| match device.gate {
            Some(gate) if self.gates >> gate & 1 == 1 => 2,
            _ => u8::from(*diode && device.diode),
        };
        self.devices.iter().zip(&self.diodes).map(digit).collect()
    }

    fn mode(&mut self) -> Mode {
        let digits = self.digits();
        if !self.modes.contains_key(&digits) {
            let mode = build(self, &digits);
            self.modes.insert(digits.clone(), mode);
        }
        self.modes[&digits].clone()
    }

    /// The mode that agrees; `trusted` has just changed. Currents without a path in it end, the flux of every loop stays.
    fn settle(&mut self, u: &DVector<f64>, du: &DVector<f64>, mut trusted: Option<usize>) {
        for (device, diode) in self.devices.iter().zip(&mut self.diodes) {
            let on = device.gate.is_some_and(|gate| self.gates >> gate & 1 == 1);
            *diode &= device.diode && !on;
        }
        let nx = self.x.len();
        for _ in 0..400 {
            let mode = self.mode();
            let mut z = joined(&[&self.x, u, du]);
            let pathless = &mode.pathless * &z;
            let jump = &mode.jump * &pathless;
            let after = z.rows(0, nx) + jump;
            z.rows_mut(0, nx).copy_from(&after);
            let counts = pathless.map(|i| if i.abs() < PATHLESS { 0.0 } else { i });
            let y = &mode.conditions * &z + &mode.impulse * counts * IMPULSE;
            let bad = (0..y.len()).find(|&k| y[k] < -1e-7 && Some(k) != trusted);
            let Some(k) = bad else {
                self.x = after;
                return;
            };
            self.diodes[k] ^= true;
            trusted = None;
        }
        self.events = usize::MAX / 2;
    }

    /// From `t0` to `t1` within the step; inputs are `u0 + du t`, the last of them 1.
    fn go(&mut self, t0: f64, t1: f64, u0: &DVector<f64>, du: &DVector<f64>) {
        let (nx, mut t) = (self.x.len(), t0);
        while t1 - t > 1e-13 {
            let left = t1 - t;
            let parts = ((left / self.look) as usize + 1).max(6);
            let mode = self.mode();
            let whole = joined(&[&self.x, &(u0 + du * t), du]);
            let piece = (&mode.big * (left / parts as f64)).exp();
            let conditions = |z: &DVector<f64>| &mode.conditions * z;
            let (mut z, mut hit) = (whole, None);
            for part in 0..parts {
                let next = &piece * &z;
                let y = conditions(&next);
                let bad: Vec<usize> = (0..y.len()).filter(|&k| y[k] < -1e-9).collect();
                if bad.is_empty() {
                    z = next;
                    continue;
                }
                let begin = conditions(&z);
                let first = bad.iter().map(|&k| {
                    let root = if begin[k] <= 0.0 {
                        0.0
                    } else {
                        let at = |s: f64| conditions(&((&mode.big * s).exp() * &z))[k];
                        root(at, left / parts as f64, begin[k], y[k])
                    };
                    (root, k)
                });
                let (s, k) = first.fold((f64::MAX, 0), |a, b| if b.0 < a.0 { b } else { a });
                z = (&mode.big * s).exp() * &z;
                hit = Some((left * part as f64 / parts as f64 + s, k));
                break;
            }
            self.x = z.rows(0, nx).into_owned();
            let Some((s, k)) = hit else { return };
            t += s;
            self.events += 1;
            self.diodes[k] ^= true;
            self.settle(&(u0 + du * t), du, Some(k));
            // A sliver, so that nothing is left of what they end.
            let sliver = 1e-11_f64.min(t1 - t);
            if sliver > 0.0 {
                let z = (self.mode().big * sliver).exp() * joined(&[&self.x, &(u0 + du * t), du]);
                self.x = z.rows(0, nx).into_owned();
                t += sliver;
            }
        }
    }

    /// One step of `h` seconds: inputs begin at `u` and change by `change`, edges are in shares of the step.
    pub fn step(&mut self, h: f64, u: &[f32], change: &[f32], edges: &[(f32, u32)]) {
        let (u0, du) = inputs(u, change, h);
        self.settle(&u0, &du, None);
        let mut t = 0.0;
        for &(at, gates) in edges {
            let at = f64::from(at) * h;
            self.go(t, at, &u0, &du);
            self.gates = gates;
            self.settle(&(&u0 + &du * at), &du, None);
            t = at;
        }
        self.go(t, h, &u0, &du);
    }

    /// One step in the mode that agrees at its beginning: commutations wait for the end.
    pub fn step_without_events(&mut self, h: f64, u: &[f32], change: &[f32]) {
        let (u0, du) = inputs(u, change, h);
        self.settle(&u0, &du, None);
        let z = (self.mode().big * h).exp() * joined(&[&self.x, &u0, &du]);
        self.x = z.rows(0, self.x.len()).into_owned();
    }

    /// Sets gates without looking for a mode.
    pub fn set_gates(&mut self, gates: u32) {
        self.gates = gates;
    }
    /// The gates.
    pub fn gates(&self) -> u32 {
        self.gates
    }
}

/// Inputs with a 1 behind them, and their slopes in seconds.
fn inputs(u: &[f32], change: &[f32], h: f64) -> (DVector<f64>, DVector<f64>) {
    let with = |values: &[f32], by: f64, last: f64| {
        let values = values.iter().map(|x| f64::from(*x) * by).chain([last]);
        DVector::from_iterator(u.len() + 1, values)
    };
    (with(u, 1.0, 1.0), with(change, 1.0 / h, 0.0))
}

fn joined(parts: &[&DVector<f64>]) -> DVector<f64> {
    let size = parts.iter().map(|part| part.len()).sum();
    DVector::from_iterator(size, parts.iter().flat_map(|part| part.iter().copied()))
}

/// The zero of a function between 0 and `end`, positive at 0: false position with bisection.
fn root(f: impl Fn(f64) -> f64, end: f64, at_zero: f64, at_end: f64) -> f64 {
    let (mut low, mut high, mut y_low, mut y_high) = (0.0, end, at_zero, at_end);
    for k in 0..80 {
        if high - low < 1e-15 {
            break;
        }
        let middle = if k % 3 == 2 {
            0.5 * (low + high)
        } else {
            low + (high - low) * (y_low / (y_low - y_high))
        };
        let y = f(middle);
        if y.abs() < 1e-13 {
            return middle;
        }
        if y > 0.0 {
            (low, y_low) = (middle, y);
        } else {
            (high, y_high) = (middle, y);
        }
    }
    high
}
