//! What a step costs on the host in double precision, and whole adaptive runs against RADAU5's: instructions, counted by
//! valgrind's callgrind.

use stiffstep_host_tests::benchmark::budgets::Budgets;
use stiffstep_host_tests::benchmark::rows::{on_host, on_host_by};
use stiffstep_host_tests::callgrind;

#[test]
fn the_host_keeps_its_limits() {
    assert!(callgrind::available(), "{}", callgrind::MISSING);
    let rows = on_host(false).unwrap();
    assert_eq!(rows.len(), 7);
    for row in &rows {
        println!("{row:?}");
    }
    let budgets = Budgets::read().unwrap();
    let mut on_host = budgets.steps.iter().filter(|of| of.target == "host");
    assert!(on_host.all(|budget| budget.instructions.is_some()));
    let excess = Budgets::read().unwrap().excess(&rows).unwrap();
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}

/// Work that is of no use in every step: too slow here, too. A run of adaptive steps has none of it. The budgets are made from what this
/// machine and this compiler take without that work, because another processor's have 10 % of slack, in which 3 % would hide.
#[test]
#[ignore = "as on the board, in minutes: cargo xtask test --full"]
fn a_slow_down_of_three_percent_is_noticed() {
    assert!(callgrind::available(), "{}", callgrind::MISSING);
    let usual = on_host(false).unwrap();
    let budgets = Budgets::read().unwrap().updated(&usual, &[]).unwrap();
    assert_eq!(budgets.excess(&usual).unwrap(), [""; 0]);
    let slower = on_host_by(&callgrind::program("slower").unwrap(), false).unwrap();
    let said = budgets.excess(&slower).unwrap();
    println!("{}", said.join("\n"));
    for problem in ["P1 eps 1e-3", "P1 eps 1e-5", "P2"] {
        let told = |words: &&String| words.starts_with(problem) && words.contains("above");
        assert!(said.iter().any(|words| told(&words)), "{problem}: {said:?}");
    }
}
