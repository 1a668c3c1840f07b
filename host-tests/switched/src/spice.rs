//! Converters by ngspice: another program with other models of diodes, for agreement within its tolerance.

use crate::cases::Case;
use crate::net::Kind;
use crate::scenario::Given;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

/// Edges of gates take this long, in seconds.
const RISE: f64 = 2e-9;

/// A source's course as a list of times and values, ramps from step to step.
fn course(case: &Case, given: &[Given], input: usize) -> String {
    let h = case.scale.step;
    let mut text = String::from("PWL(");
    for (n, step) in given.iter().enumerate() {
        let (start, change) = (step.start[input], step.change[input]);
        let _ = write!(
            text,
            "{:.12e} {start:e} ",
            n as f64 * h + if n > 0 { RISE } else { 0.0 }
        );
        let _ = write!(text, "{:.12e} {:e} ", (n + 1) as f64 * h, start + change);
    }
    text + ")"
}

/// A gate's course.
fn gate(case: &Case, given: &[Given], gate: u8) -> String {
    let h = case.scale.step;
    let (mut text, mut last) = (String::from("PWL(0 0 "), 0);
    for (n, step) in given.iter().enumerate() {
        for (at, gates) in &step.edges {
            let now = gates >> gate & 1;
            if now != last {
                let t = (n as f64 + f64::from(*at)) * h;
                let _ = write!(
                    text,
                    "{:.12e} {last} {:.12e} {now} ",
                    t.max(1e-12),
                    t + RISE
                );
                last = now;
            }
        }
    }
    text + ")"
}

/// The circuit and its course in SPICE's language.
fn netlist(case: &Case, given: &[Given], out: &Path) -> String {
    let mut text = String::from("a converter\n");
    let (mut input, mut coil, mut capacitor, mut device) = (0, 0, 0, 0);
    let mut gates = BTreeSet::new();
    let mut states = Vec::new();
    let mut middles = case.net.middles.iter();
    // What makes ngspice converge: snubbers and capacitances of diodes that grow with the voltage.
    let line = case.scale.voltage > 100.0;
    let snubber = if line { "2n" } else { "20p" };
    let mut diode = |text: &mut String, a: &str, b: &str, on: &stiffstep::switched::Conduction| {
        device += 1;
        let (r, v) = (on.resistance, on.forward);
        let _ = writeln!(
            text,
            "D{device} {a} x{device} dm\nVf{device} x{device} y{device} {v}\nRf{device} y{device} {b} {r}"
        );
        let _ = writeln!(
            text,
            "Rs{device} {a} z{device} 200\nCs{device} z{device} {b} {snubber}"
        );
    };
    let mut switch = |text: &mut String, a: &str, b: &str, gate: u8, ohms: f64| {
        let first = gates.insert((gate, ohms.to_bits()));
        // A conductance that follows the gate: at ngspice's own switch, which jumps, its steps become too small.
        let across = if b == "0" {
            format!("v({a})")
        } else {
            format!("v({a},{b})")
        };
        let on = 1.0 / ohms;
        let _ = writeln!(text, "B{gate} {a} {b} I={across}*(1e-7+v(g{gate})*{on})");
        if first {
            let _ = writeln!(text, "Vg{gate} g{gate} 0 {}", self::gate(case, given, gate));
        }
    };
    for part in &case.net.parts {
        let (a, b) = (&part.from, &part.to);
        let _ = match &part.kind {
            Kind::Resistor(ohms) => writeln!(text, "R{} {a} {b} {ohms}", text.len()),
            Kind::Coil(henries) => {
                coil += 1;
                states.push(format!("i(L{coil})"));
                writeln!(text, "L{coil} {a} {b} {henries:e} ic=0")
            }
            Kind::Capacitor(farads) => {
                capacitor += 1;
                writeln!(text, "C{capacitor} {a} {b} {farads:e} ic=0")
            }
            Kind::Source => {
                input += 1;
                writeln!(text, "V{input} {a} {b} {}", course(case, given, input - 1))
            }
            Kind::CurrentSource => {
                input += 1;
                writeln!(text, "I{input} {a} {b} {}", course(case, given, input - 1))
            }
            Kind::Switch(gate, ohms) => {
                switch(&mut text, a, b, *gate, *ohms);
                Ok(())
            }
            Kind::Diode(on) => {
                diode(&mut text, a, b, on);
                Ok(())
            }
            Kind::Transistor(gate, on) => {
                switch(&mut text, a, b, *gate, on.resistance);
                diode(&mut text, b, a, on);
                Ok(())
            }
            Kind::Leg(pair, on) => {
                let middle = middles.next().map_or("0", String::as_str);
                if let Some((upper, lower)) = pair {
                    switch(&mut text, a, middle, *upper, on.resistance);
                    switch(&mut text, middle, b, *lower, on.resistance);
                }
                diode(&mut text, middle, a, on);
                diode(&mut text, b, middle, on);
                Ok(())
            }
        };
    }
    for part in &case.net.parts {
        if let Kind::Capacitor(_) = part.kind {
            let plus = if part.from == "0" {
                "0".to_owned()
            } else {
                format!("v({})", part.from)
            };
            let minus = if part.to == "0" {
                "0".to_owned()
            } else {
                format!("v({})", part.to)
            };
            states.push(format!("{plus}-{minus}"));
        }
    }
    for (k, (i, j, factor)) in case.net.couplings.iter().enumerate() {
        let _ = writeln!(text, "K{k} L{} L{} {factor}", i + 1, j + 1);
    }
    let h = case.scale.step;
    let kept: Vec<String> = case.keep.iter().map(|k| states[*k].clone()).collect();
    let diode = if line {
        "n=0.1 cjo=0.2n"
    } else {
        "n=0.1 cjo=1p"
    };
    let tolerances = "reltol=1e-4 abstol=1e-6 vntol=1e-4";
    let _ = writeln!(text, "Rg n 0 1e7\n.model dm D(is=1e-6 {diode})");
    let _ = writeln!(text, ".options {tolerances} method=gear maxord=2");
    let _ = writeln!(
        text,
        ".tran {h:e} {:e} 0 {:e} uic",
        given.len() as f64 * h,
        h / 40.0
    );
    let _ = writeln!(text, ".control\nset wr_singlescale\nrun\nlinearize");
    let _ = writeln!(
        text,
        "wrdata {} {}\nquit\n.endc\n.end",
        out.display(),
        kept.join(" ")
    );
    text
}

/// The states after every step, by ngspice in this folder.
pub fn run(case: &Case, given: &[Given], folder: &Path) -> io::Result<Vec<Vec<f64>>> {
    fs::create_dir_all(folder)?;
    let (file, out) = (folder.join("circuit.cir"), folder.join("out.txt"));
    fs::write(&file, netlist(case, given, &out))?;
    let output = Command::new("ngspice")
        .arg("-b")
        .arg(&file)
        .stdin(Stdio::null())
        .output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    // What it did not reach would be zeros.
    if said.contains("aborted") {
        return Err(io::Error::other(format!("ngspice: {said}")));
    }
    let text = fs::read_to_string(&out);
    let text = text.map_err(|error| io::Error::other(format!("ngspice: {said}: {error}")))?;
    let row = |line: &str| {
        line.split_whitespace()
            .skip(1)
            .map(|x| x.parse().unwrap_or(f64::NAN))
            .collect()
    };
    // The first row is the beginning.
    Ok(text.lines().skip(1).map(row).collect())
}
