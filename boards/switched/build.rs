//! Writes the tables and the courses of all converters, and gives the linker its scripts.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use stiffstep_switched_tests::{cases, flash, monolithic, netlist, servo};

fn main() -> io::Result<()> {
    stiffstep_linker::scripts();
    let secure = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m"));
    stiffstep_linker::memory(if env::var_os("CARGO_FEATURE_PICO").is_some() {
        "../qemu/memory/rp2040.x"
    } else if secure {
        "../qemu/memory/mps2-an505.x"
    } else {
        "../qemu/memory/mps2.x"
    })?;
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    let out = out.ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let (mut tables, mut list) = (String::new(), String::new());
    for (index, case) in cases::cases().iter().enumerate() {
        let (source, [n, u, y, m, l, k]) = flash::source(case).map_err(io::Error::other)?;
        let given = format!("given-{index}");
        fs::write(out.join(&given), flash::bytes(&case.given(flash::STEPS)))?;
        let sizes = format!("{n}, {u}, {y}, {m}, {l}, {k}");
        let text = format!(
            "static TABLES_{index}: Tables<f32, {sizes}> = {source};\nstatic GIVEN_{index}: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{given}\"));\n"
        );
        tables.push_str(&text);
        let name = case.name;
        let _ = writeln!(list, "$run!({name:?}, TABLES_{index}, GIVEN_{index});");
    }
    let mut drives = (String::new(), String::new());
    for (index, plant) in servo::plants().iter().enumerate() {
        let file = format!("pulses-{index}");
        let (given, _) = servo::course(plant, flash::DRIVE_STEPS, flash::SHIFT);
        fs::write(out.join(&file), flash::pulses(&given))?;
        let (machine, shaft) = servo::single(plant);
        let (name, supply) = (plant.name, plant.supply as f32);
        let nominal = monolithic::nominal(plant).map(|x| x as f32);
        let _ = writeln!(
            drives.0,
            "static PULSES_{index}: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\"));"
        );
        let _ = writeln!(
            drives.1,
            "$run!({name:?}, {machine:?}, {shaft:?}, {nominal:?}, {supply:?}, PULSES_{index});"
        );
    }
    let (pulses, drives) = drives;
    let converters =
        format!("{tables}\nmacro_rules! every_converter {{ ($run:ident) => {{ {list} }} }}\n");
    let drives =
        format!("{pulses}\nmacro_rules! every_drive {{ ($run:ident) => {{ {drives} }} }}\n");
    fs::write(out.join("converters.rs"), converters)?;
    fs::write(out.join("drives.rs"), drives)?;
    of_netlist(&out)
}

/// The degree of polynomials of a netlist's circuit.
const DEGREE: usize = 6;

/// The circuit of the netlist that the environment names, or of the guide's: its parts, its sizes, and what its steps are given.
fn of_netlist(out: &Path) -> io::Result<()> {
    println!("cargo:rerun-if-env-changed=STIFFSTEP_NETLIST");
    let guide = Path::new("../../host-tests/switched/netlists/synchronous_buck.cir");
    let file = env::var_os("STIFFSTEP_NETLIST").map_or_else(|| guide.to_owned(), PathBuf::from);
    println!("cargo:rerun-if-changed={}", file.display());
    let netlist = netlist::read(&fs::read_to_string(&file)?).map_err(io::Error::other)?;
    let sizes = netlist.net.circuit().sizes(netlist.scale, DEGREE);
    let sizes = sizes.map_err(|error| io::Error::other(error.to_string()))?;
    let given = netlist.given(netlist.steps).map_err(io::Error::other)?;
    fs::write(out.join("netlist-given"), flash::bytes(&given))?;
    let (circuit, scale) = (netlist.net.source(), netlist.scale);
    let [n, u, y] = [sizes.states, sizes.inputs, sizes.devices];
    let (m, l) = (sizes.modes, sizes.maps);
    let text = format!(
        "type Built = Tables<f32, {n}, {u}, {y}, {m}, {l}, {DEGREE}>;\nconst STATES: usize = {n};\nconst INPUTS: usize = {u};\nfn circuit() -> Circuit<'static, 48> {{ {circuit} }}\nconst SCALE: Scale = {scale:?};\nstatic GIVEN: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/netlist-given\"));\n"
    );
    fs::write(out.join("netlist.rs"), text)
}
