//! Tables and the numbers in them.

use crate::figures;
pub use cargo_stiffstep::table::{columns, table_of};

/// Three or four digits, and no exponent where it can be helped. What differs from 1 by rounding is 1.
pub fn number(x: f64) -> String {
    if (x - 1.0).abs() < 1e-9 {
        "1".to_owned()
    } else {
        figures::number(x)
    }
}
