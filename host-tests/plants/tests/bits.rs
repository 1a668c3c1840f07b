//! The bits of every workload are those of this version.

#[path = "../../src/bits.rs"]
#[allow(dead_code)]
mod bits;

use bits::changed;

#[test]
fn bits_do_not_change_unnoticed() {
    assert_eq!(bits::lines().len(), bits::LEDGER.lines().count());
    let changed = changed();
    assert!(
        changed.is_empty(),
        "{} workloads have other bits than host-tests/bits.txt says:\n{}\nIf that is wanted, run `cargo xtask bits --update` and say so in the changelog.",
        changed.len(),
        changed.join("\n")
    );
}
