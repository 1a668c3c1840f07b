//! Tables and the numbers in them.

use crate::figures;
use comfy_table::{CellAlignment, Table, presets};

/// A table in the commands' style: the first `words` columns are text, the others are figures.
pub fn table_of(header: &[&str], words: usize, rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(header.to_vec());
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Three or four digits, and no exponent where it can be helped. What differs from 1 by rounding is 1.
pub fn number(x: f64) -> String {
    if (x - 1.0).abs() < 1e-9 {
        "1".to_owned()
    } else {
        figures::number(x)
    }
}
