//! The certificate: what a step of a plant costs on a board, and how that is known.
//!
//! | module | what |
//! |---|---|
//! | [`package`] | the package that is written for a plant, and its builds |
//! | [`measure`] | building, exercising, comparing: one plant on one board |
//! | [`thumb`], [`code`], [`graph`] | an image's instructions, functions and ways through them |
//! | [`class`], [`cycles`] | what instructions do, and the cycles that a core's manual gives them |
//! | [`trace`], [`steps`] | steps looked at one instruction at a time: their loops, their cycles |
//! | [`estimate`] | the longest way through the code, with loops as long as they were seen |
//! | [`report`] | table, JSON, and a page for the plant's repository |
//! | [`own`] | the command for a plant in a folder of its own, `cargo stiffstep certify` |
//! | [`shipped`] | the command for the plants that come with the kit, `cargo xtask certify` |

pub mod class;
pub mod code;
pub mod cycles;
pub mod estimate;
pub mod graph;
pub mod measure;
pub mod own;
pub mod package;
pub mod pico;
pub mod report;
pub mod shipped;
pub mod steps;
pub mod thumb;
pub mod trace;
