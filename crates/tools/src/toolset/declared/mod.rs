//! APIs that people declare: tables, and functions as steps over them.

mod cases;
mod file;
mod folder;
mod functions;
mod helpers;
mod lint;
mod names;
mod rows;
mod steps;
mod structure;
mod table;
mod tables;
#[cfg(any(test, feature = "fixtures"))]
#[expect(clippy::unwrap_used, reason = "only tests read it")]
pub mod testing;
mod touch;

pub use cases::{Case, CaseField, Cases};
pub(super) use folder::read;
pub(super) use functions::answered::{Answered, AnsweredTool};
pub use functions::function::{Declaration, Follows, Format, Function, Param};
pub use functions::quality::{Choice, Fold, Forking, Quality, Tally, Wanted};
pub(super) use lint::lint;
pub(crate) use steps::cell::{Cell, from_cell, text_of, to_cell};
pub(crate) use steps::expression::Expression;
pub use steps::pick::{Criterion, Pick};
pub(crate) use steps::step::{Step, Values};
pub(crate) use steps::template::Node;
pub(crate) use table::{Column, TableSpec};
pub(super) use tables::json;
