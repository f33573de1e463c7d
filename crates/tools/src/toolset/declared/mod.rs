//! APIs that people declare: tables, and functions as steps over them.

mod answered;
mod cases;
mod cell;
mod envelope;
mod expression;
mod file;
mod folder;
mod function;
mod helpers;
mod join;
mod lint;
mod names;
mod order;
mod parameters;
mod pick;
mod quality;
mod reader;
mod rows;
mod sayings;
mod step;
mod steps;
mod structure;
mod table;
mod tables;
mod template;
#[cfg(any(test, feature = "fixtures"))]
#[expect(clippy::unwrap_used, reason = "only tests read it")]
pub mod testing;
mod text;
mod tools;
mod touch;

pub(super) use answered::{Answered, AnsweredTool};
pub use cases::{Case, CaseField, Cases};
pub(crate) use cell::{Cell, from_cell, text_of, to_cell};
pub(crate) use expression::Expression;
pub(super) use folder::read;
pub use function::{Declaration, Follows, Format, Function, Param};
pub(super) use lint::lint;
pub use pick::{Criterion, Pick};
pub use quality::{Choice, Fold, Forking, Quality, Tally, Wanted};
pub(crate) use step::{Step, Values};
pub(crate) use table::{Column, TableSpec};
pub(super) use tables::json;
pub(crate) use template::Node;
