//! Tables in the commands' style.

use comfy_table::{CellAlignment, Table, presets};

/// A table: the first `words` columns are text, the others are figures.
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
