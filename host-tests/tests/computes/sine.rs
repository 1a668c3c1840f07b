//! The single-precision sine and cosine against double precision. `cargo xtask report --only sine` leaves no argument out.

use stiffstep_host_tests::sine::check;

/// Every 1021st argument: a prime, so that no bit keeps still.
#[test]
fn a_dense_sample_is_within_one_ulp() {
    let worst = check(0, u32::MAX, 1021, 2);
    println!("{worst}");
    assert!(worst.acceptable(), "{worst}");
    assert!(worst.compared > 2_000_000);
}

/// Every argument of a stretch in which a plant's angles lie: 1 to 1.06, 50 to 53, and around 100.
#[test]
fn every_argument_of_some_stretches_is_within_one_ulp() {
    for first in [1.0_f32, 50.0, 99.0] {
        let first = first.to_bits();
        let worst = check(first, first + 500_000, 1, 1);
        assert!(worst.acceptable(), "{worst}");
    }
}

/// All of them, for `cargo xtask test --full`.
#[test]
#[ignore = "takes minutes"]
fn every_argument_is_within_one_ulp() {
    let worst = check(0, u32::MAX, 1, 2);
    println!("{worst}");
    assert!(worst.acceptable(), "{worst}");
    assert_eq!(worst.compared, 1 << 31);
}
