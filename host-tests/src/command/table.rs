//! Tables and the numbers in them.

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

/// Four digits, and no exponent where it can be helped. What differs from 1 by rounding is 1.
pub fn number(x: f64) -> String {
    if (x - 1.0).abs() < 1e-9 {
        return "1".to_owned();
    }
    if x != 0.0 && !(1e-4..1e5).contains(&x) {
        return format!("{x:.1e}");
    }
    let digits = if x == 0.0 {
        0.0
    } else {
        3.0 - x.log10().floor()
    };
    let text = format!("{x:.*}", digits.max(0.0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
