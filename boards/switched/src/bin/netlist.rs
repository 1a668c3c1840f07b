//! The converter of a netlist, with tables that the board computes at start-up: its states after every step.
#![no_std]
#![no_main]

use cortex_m as _;
use semihosting::{print, println};
#[allow(unused_imports)] // Not every circuit has diodes.
use stiffstep::switched::Conduction;
use stiffstep::switched::{Circuit, Scale, Switched, Tables};
use stiffstep_switched::Reader;

include!(concat!(env!("OUT_DIR"), "/netlist.rs"));

#[inline(never)]
fn run() -> i32 {
    let circuit = circuit();
    let tables: Built = match circuit.build(SCALE) {
        Ok(tables) => tables,
        Err(error) => {
            println!("error|{error}");
            return 1;
        }
    };
    let mut reader = Reader(GIVEN);
    let first = { reader }.given::<INPUTS>();
    let start = first.map_or([0.0; INPUTS], |(input, _, _)| input.start);
    let mut switched = match Switched::new(tables.view(), [0.0; STATES], start) {
        Ok(switched) => switched,
        Err(error) => {
            println!("error|{error}");
            return 1;
        }
    };
    while let Some((input, edges, count)) = reader.given::<INPUTS>() {
        if let Err(error) = switched.step(&input, edges.get(..count).unwrap_or(&[])) {
            println!("error|{error}");
            return 1;
        }
        print!("state");
        for x in switched.state().x {
            print!("|{:08x}", x.to_bits());
        }
        println!();
    }
    0
}

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::process::exit(run())
}
