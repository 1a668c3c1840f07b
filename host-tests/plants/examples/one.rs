//! Runs one workload and nothing else, for tools that count what it does.
//!
//! `cargo run -p stiffstep-plants --example one --release -- <plant> <number type> <method>`

use stiffstep_plants::workload::workloads;

fn main() -> Result<(), &'static str> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let workload = workloads()
        .find(|workload| arguments == [workload.plant, workload.scalar, workload.method])
        .ok_or("there is no workload of this plant, number type and method")?;
    let record = workload.run(&mut ());
    println!("{}|{:016x}", record.steps, record.hash);
    Ok(())
}
