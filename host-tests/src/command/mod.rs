//! What commands share: work in stages, tools that are installed on the way, tables, drawings.

pub mod install;
pub mod plot;
pub mod stage;
pub mod table;
