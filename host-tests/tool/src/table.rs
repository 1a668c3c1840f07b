//! Tables in the commands' style.

use comfy_table::{CellAlignment, Table, presets};

/// The names of columns, from a line with bars between them.
pub fn columns(header: &str) -> Vec<&str> {
    header
        .split('|')
        .map(|name| name.trim_matches(' '))
        .collect()
}

/// A table with these columns: the first `words` of them are text, the others are figures.
pub fn table_of(header: &str, words: usize, rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(columns(header));
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
