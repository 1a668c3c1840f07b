//! What a step costs on the host in double precision, and whole adaptive runs against RADAU5's: instructions, counted by
//! valgrind's callgrind.
#![allow(clippy::unwrap_used)]

use stiffstep_host_tests::benchmark::budgets::Budgets;
use stiffstep_host_tests::benchmark::rows::on_host;
use stiffstep_host_tests::callgrind;

#[test]
fn the_host_keeps_its_limits() {
    if !callgrind::available() {
        println!("skipped: valgrind, which counts the instructions, is not installed");
        return;
    }
    let rows = on_host(false).unwrap();
    assert_eq!(rows.len(), 7);
    for row in &rows {
        println!("{row:?}");
    }
    let excess = Budgets::read().unwrap().excess(&rows).unwrap();
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}
