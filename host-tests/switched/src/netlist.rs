//! Netlists: the part of SPICE's language that describes converters.
//!
//! `R L C K V I S D`, `.model` of switches (`SW`, with `Ron`) and diodes (`D`, with `Ron` and `Vfwd`), `.tran STEP END`, `.param
//! current=A voltage=V` for nominal magnitudes, comments and continued lines. The control node of a switch is its gate: `g0` to `g31`.
//! A voltage source at such a node is the gate's course, `PULSE(low high delay rise fall width period)`; rise and fall do not count.

use crate::net::{Kind, Net};
use crate::scenario::{Given, MOST_EDGES};
use std::collections::HashMap;
use stiffstep::switched::{Conduction, Scale};

/// A netlist as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Netlist {
    /// The parts.
    pub net: Net,
    /// The step of `.tran`, and nominal magnitudes: of `.param`, or the largest source and 1 A.
    pub scale: Scale,
    /// Values of the sources.
    pub inputs: Vec<f64>,
    /// The names of coils and capacitors: the states.
    pub states: Vec<String>,
    /// The gates' courses.
    pub pulses: Vec<Pulse>,
    /// How many steps `.tran` asks for.
    pub steps: usize,
}

/// A gate that is set periodically, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// The bit of the gate.
    pub gate: u8,
    /// When the first pulse begins.
    pub delay: f64,
    /// How long a pulse is.
    pub width: f64,
    /// From pulse to pulse.
    pub period: f64,
}

impl Netlist {
    /// What the first steps are given: sources held, gates by their pulses.
    pub fn given(&self, steps: usize) -> Result<Vec<Given>, String> {
        let h = self.scale.step;
        let mut edges: Vec<(f64, u8, bool)> = Vec::new();
        for pulse in &self.pulses {
            let count = (steps as f64 * h / pulse.period) as usize + 1;
            for k in 0..count {
                let begin = pulse.delay + k as f64 * pulse.period;
                edges.push((begin / h, pulse.gate, true));
                edges.push(((begin + pulse.width) / h, pulse.gate, false));
            }
        }
        // What is meant to be at the same time is so, in spite of rounding.
        let grid = |t: f64| (t * 65536.0).round() / 65536.0;
        edges.iter_mut().for_each(|edge| edge.0 = grid(edge.0));
        edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let start: Vec<f32> = self.inputs.iter().map(|u| *u as f32).collect();
        let mut given = vec![
            Given {
                change: vec![0.0; start.len()],
                start,
                edges: Vec::new()
            };
            steps
        ];
        let mut gates = 0_u32;
        for (at, gate, set) in edges {
            gates = if set {
                gates | 1 << gate
            } else {
                gates & !(1 << gate)
            };
            let Some(step) = given.get_mut(at as usize) else {
                continue;
            };
            let share = (at - at.floor()) as f32;
            match step.edges.last_mut() {
                Some(last) if last.0 == share => last.1 = gates,
                _ => step.edges.push((share, gates)),
            }
            if step.edges.len() > MOST_EDGES {
                return Err(format!(
                    "more than {MOST_EDGES} edges a step: .tran asks for a longer step than gates allow"
                ));
            }
        }
        Ok(given)
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetlistError {
    /// Which line, from 1 on.
    pub line: usize,
    /// The part or directive.
    pub part: String,
    /// Why.
    pub why: String,
}

impl std::fmt::Display for NetlistError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, {}: {}", self.line, self.part, self.why)
    }
}

impl std::error::Error for NetlistError {}

/// A number with SPICE's letters: `10k`, `100u`, `2meg`; units after them do not count.
pub fn number(text: &str) -> Option<f64> {
    let text = text.to_ascii_lowercase();
    let end = |(at, c): (usize, char)| {
        let exponent = c == 'e'
            && text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        (!(c.is_ascii_digit() || c == '.' || c == '-' || c == '+' || exponent)).then_some(at)
    };
    let split = text.char_indices().find_map(end).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor = match unit {
        u if u.starts_with("meg") => 1e6,
        u => match u.chars().next() {
            Some('f') => 1e-15,
            Some('p') => 1e-12,
            Some('n') => 1e-9,
            Some('u') => 1e-6,
            Some('m') => 1e-3,
            Some('k') => 1e3,
            Some('g') => 1e9,
            Some('t') => 1e12,
            _ => 1.0,
        },
    };
    digits.parse::<f64>().ok().map(|value| value * factor)
}

/// `key=value` pairs of a directive.
fn pairs(words: &[&str]) -> HashMap<String, f64> {
    let pair = |word: &&str| {
        let (key, value) = word.split_once('=')?;
        Some((key.to_ascii_lowercase(), number(value)?))
    };
    words.iter().filter_map(pair).collect()
}

/// A line, its parts apart: brackets and spaces around `=` do not count.
fn words(line: &str) -> Vec<String> {
    let spaced = line.replace(['(', ')', ','], " ");
    let mut joined = spaced;
    while joined.contains(" =") || joined.contains("= ") {
        joined = joined.replace(" =", "=").replace("= ", "=");
    }
    joined.split_whitespace().map(str::to_owned).collect()
}

/// Lines with those joined that begin with `+`, without comments; each with its number. The first line is a title.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let line = line.split(';').next().unwrap_or("").trim();
        if line.is_empty() || line.starts_with('*') {
            continue;
        }
        match (line.strip_prefix('+'), found.last_mut()) {
            (Some(more), Some(last)) => last.1 += &format!(" {more}"),
            _ => found.push((index + 1, line.to_owned())),
        }
    }
    found
}

/// Reads a netlist, whose first line is its title.
pub fn read(text: &str) -> Result<Netlist, NetlistError> {
    let lines = lines(text);
    let mut models = HashMap::new();
    let (mut step, mut end, mut given) = (None, None, HashMap::new());
    for (_, line) in &lines {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [word, name, _, rest @ ..] if word.eq_ignore_ascii_case(".model") => {
                models.insert(name.to_ascii_lowercase(), pairs(rest));
            }
            [word, length, time, ..] if word.eq_ignore_ascii_case(".tran") => {
                (step, end) = (number(length), number(time));
            }
            [word, rest @ ..] if word.eq_ignore_ascii_case(".param") => given.extend(pairs(rest)),
            _ => {}
        }
    }
    let mut reader = Reader {
        net: Net::default(),
        inputs: Vec::new(),
        coils: Vec::new(),
        capacitors: Vec::new(),
        pulses: Vec::new(),
        models,
    };
    for (line, text) in &lines {
        let words = words(text);
        let part = words.first().cloned().unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        reader.part(&words).map_err(|why| NetlistError {
            line: *line,
            part,
            why,
        })?;
    }
    let largest = reader.inputs.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
    let step = step.ok_or(NetlistError {
        line: text.lines().count(),
        part: ".tran".to_owned(),
        why: "step and end are missing: `.tran 20u 10m`".to_owned(),
    })?;
    let steps = (end.unwrap_or(0.0) / step).round() as usize;
    let scale = Scale {
        step,
        current: given.get("current").copied().unwrap_or(1.0),
        voltage: given.get("voltage").copied().unwrap_or(largest),
    };
    let states = reader.coils.iter().chain(&reader.capacitors).cloned();
    Ok(Netlist {
        net: reader.net,
        scale,
        inputs: reader.inputs,
        states: states.collect(),
        pulses: reader.pulses,
        steps,
    })
}

struct Reader {
    net: Net,
    inputs: Vec<f64>,
    coils: Vec<String>,
    capacitors: Vec<String>,
    pulses: Vec<Pulse>,
    models: HashMap<String, HashMap<String, f64>>,
}

impl Reader {
    fn conduction(&self, model: &str) -> Result<Conduction, String> {
        let found = self.models.get(&model.to_ascii_lowercase());
        let found = found.ok_or(format!("there is no .model {model}"))?;
        let resistance = found.get("ron").copied();
        Ok(Conduction {
            resistance: resistance.ok_or(format!(".model {model} has no Ron"))?,
            forward: found.get("vfwd").copied().unwrap_or(0.0),
        })
    }

    fn part(&mut self, words: &[&str]) -> Result<(), String> {
        let value = |text: &str| number(text).ok_or(format!("{text} is no number"));
        let Some(first) = words.first().and_then(|word| word.chars().next()) else {
            return Ok(());
        };
        match (first.to_ascii_uppercase(), words) {
            ('.', _) => {}
            ('R', [_, a, b, ohms, ..]) => self.net.add(a, b, Kind::Resistor(value(ohms)?)),
            ('L', [name, a, b, henries, ..]) => {
                self.coils.push(name.to_ascii_uppercase());
                self.net.add(a, b, Kind::Coil(value(henries)?));
            }
            ('C', [name, a, b, farads, ..]) => {
                self.capacitors.push(name.to_ascii_uppercase());
                self.net.add(a, b, Kind::Capacitor(value(farads)?));
            }
            ('V', [_, node, "0", pulse, _, _, times @ ..])
                if pulse.eq_ignore_ascii_case("pulse") && gate(node).is_some() =>
            {
                let times: Option<Vec<f64>> = times.iter().map(|time| number(time)).collect();
                let (Some(gate), Some([delay, _, _, width, period])) =
                    (gate(node), times.as_deref())
                else {
                    return Err("PULSE(low high delay rise fall width period)".to_owned());
                };
                let (delay, width, period) = (*delay, *width, *period);
                if !(period > 0.0 && width >= 0.0 && width <= period && delay >= 0.0) {
                    return Err("a pulse must fit into its period".to_owned());
                }
                self.pulses.push(Pulse {
                    gate,
                    delay,
                    width,
                    period,
                });
            }
            ('V', [_, a, b, rest @ ..]) => {
                self.inputs.push(source(rest)?);
                self.net.add(a, b, Kind::Source);
            }
            ('I', [_, a, b, rest @ ..]) => {
                self.inputs.push(source(rest)?);
                self.net.add(a, b, Kind::CurrentSource);
            }
            ('S', [_, a, b, control, _, model, ..]) => {
                let gate = gate(control)
                    .ok_or(format!("the control node {control} is no gate g0 to g31"))?;
                let ohms = self.conduction(model)?.resistance;
                self.net.add(a, b, Kind::Switch(gate, ohms));
            }
            ('D', [_, a, b, model, ..]) => {
                let conduction = self.conduction(model)?;
                self.net.add(a, b, Kind::Diode(conduction));
            }
            ('K', [_, first, second, factor, ..]) => {
                let find = |name: &str| {
                    let at = self
                        .coils
                        .iter()
                        .position(|coil| coil.eq_ignore_ascii_case(name));
                    at.ok_or(format!("there is no coil {name} before this line"))
                };
                let coupling = (find(first)?, find(second)?, value(factor)?);
                self.net.couplings.push(coupling);
            }
            ('R' | 'L' | 'C' | 'V' | 'I' | 'S' | 'D' | 'K', _) => {
                return Err("too few words".to_owned());
            }
            _ => return Err("only R, L, C, K, V, I, S and D are known".to_owned()),
        }
        Ok(())
    }
}

/// The gate of a control node.
fn gate(node: &str) -> Option<u8> {
    let number = node.strip_prefix(['g', 'G'])?.parse().ok()?;
    (number < 32).then_some(number)
}

/// The value of a source: `24`, `DC 24`.
fn source(words: &[&str]) -> Result<f64, String> {
    let words = words.iter().filter(|word| !word.eq_ignore_ascii_case("dc"));
    let value = words.clone().next().and_then(|word| number(word));
    value.ok_or("a source needs a value: `V1 in 0 24`".to_owned())
}
