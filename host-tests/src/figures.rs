//! Published figures, and what it takes to meet them.

/// Asserts that a figure is met: within 20 % where it is above rounding, and up to five times where it is rounding.
pub fn assert_figure(what: &str, measured: f64, published: f64) {
    println!("{what}: {measured:.3e}, published {published:.3e}");
    let ratio = measured / published;
    if published.abs() > 1e-9 {
        assert!(
            (ratio - 1.0).abs() <= 0.2,
            "{what}: {measured:e} is not the published {published:e}"
        );
    } else {
        assert!(
            ratio.abs() <= 5.0,
            "{what}: {measured:e} is more than five times {published:e}"
        );
    }
}

/// Asserts that an error is at most so large.
pub fn assert_at_most(what: &str, measured: f64, most: f64) {
    println!("{what}: {measured:.3e}, at most {most:.3e}");
    // False for NaN, too.
    assert!(measured <= most, "{what}: {measured:e} exceeds {most:e}");
}

/// Asserts an order of convergence, from the errors of a step and of its half.
pub fn assert_order(what: &str, coarse: f64, fine: f64, order: f64, within: f64) {
    let observed = (coarse / fine).log2();
    println!("{what}: {coarse:.3e}, then {fine:.3e}: order {observed:.2}");
    assert!(
        (observed - order).abs() <= within,
        "{what}: order {observed} is not {order}"
    );
}
