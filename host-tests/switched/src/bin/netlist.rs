//! `cargo stiffstep check --netlist FILE`: from a netlist to an emulated board, beside the independent solution.

use std::process::exit;
use std::{env, fs};
use stiffstep_emulator::board as emulated;
use stiffstep_switched_tests::{board, netlist, reference::Reference};

/// The largest difference from the independent solution, relative to a state's largest magnitude.
const LIMIT: f64 = 1e-4;

fn check(file: &str) -> Result<f64, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let netlist = netlist::read(&text).map_err(|error| format!("{file}, {error}"))?;
    let circuit = netlist.net.circuit();
    let sizes = circuit
        .sizes(netlist.scale, 6)
        .map_err(|error| format!("{file}: {error}"))?;
    println!(
        "{} states, {} inputs, {} modes, {} maps",
        sizes.states, sizes.inputs, sizes.modes, sizes.maps
    );
    let absolute = fs::canonicalize(file).map_err(|error| format!("{file}: {error}"))?;
    let states = emulated("m4f").and_then(|board| board::run_netlist(board, &absolute));
    let states = states.map_err(|error| error.to_string())?;
    let given = netlist.given(netlist.steps)?;
    let mut reference = Reference::new(&netlist.net, netlist.scale.step / 60.0);
    let mut exact = Vec::new();
    for given in &given {
        reference.step(
            netlist.scale.step,
            &given.start,
            &given.change,
            &given.edges,
        );
        exact.push(reference.x.clone());
    }
    if sizes.states != netlist.states.len() {
        println!(
            "{} of {} currents and voltages are independent: not compared",
            sizes.states,
            netlist.states.len()
        );
        return Ok(0.0);
    }
    let mut worst = 0.0_f64;
    for (k, name) in netlist.states.iter().enumerate() {
        let largest = exact.iter().fold(0.0_f64, |a, x| a.max(x[k].abs()));
        let error = states
            .iter()
            .zip(&exact)
            .map(|(a, b)| (f64::from(a[k]) - b[k]).abs());
        let error = error.fold(0.0, f64::max) / largest;
        println!(
            "{name:10} largest {largest:10.4}, the board differs from the independent solution by {error:.1e}"
        );
        worst = worst.max(error);
    }
    println!("{} steps on the emulated board", states.len());
    Ok(worst)
}

fn main() {
    let Some(file) = env::args().nth(1) else {
        eprintln!("which netlist?");
        exit(2);
    };
    match check(&file) {
        Ok(worst) if worst <= LIMIT => {}
        Ok(_) => exit(1),
        Err(error) => {
            eprintln!("{error}");
            exit(2);
        }
    }
}
