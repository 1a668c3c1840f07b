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

/// Asserts that an error is that of a published figure or smaller, with the same allowance.
pub fn assert_error(what: &str, measured: f64, published: f64) {
    let allowance = if published > 1e-9 { 1.2 } else { 5.0 };
    assert_at_most(what, measured, allowance * published);
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

/// Asserts that an order of convergence is at least so high, from the errors of a step and of its half.
pub fn assert_order_at_least(what: &str, coarse: f64, fine: f64, order: f64) {
    let observed = (coarse / fine).log2();
    println!("{what}: {coarse:.3e}, then {fine:.3e}: order {observed:.2}");
    // False for NaN, too.
    assert!(
        observed >= order,
        "{what}: order {observed} is less than {order}"
    );
}
