//! What a step costs on the host in double precision, and whole adaptive runs against RADAU5's: instructions, counted by
//! valgrind's callgrind.
#![allow(clippy::unwrap_used)]

use stiffstep_host_tests::benchmark::rows::{Row, on_host};
use stiffstep_host_tests::callgrind;

#[test]
fn the_host_keeps_its_limits() {
    if !callgrind::available() {
        println!("skipped: valgrind, which counts the instructions, is not installed");
        return;
    }
    let rows = on_host().unwrap();
    assert_eq!(rows.len(), 7);
    for row in &rows {
        println!("{row:?}");
    }
    let excess: Vec<String> = rows.iter().filter_map(Row::excess).collect();
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}
