//! Training files: samples become lessons, and lessons the rows that trainers read.

mod back;
mod card;
mod choice;
mod drive;
mod faults;
mod file;
mod lesson;
mod look;
mod loss;
mod options;
mod pairs;
mod parquet;
mod read;
mod rejected;
mod rename;
mod reward;
mod row;
mod schema;
mod sources;
mod split;
mod stats;
mod teach;
#[cfg(test)]
mod testing;
mod wording;

pub use back::read_row;
pub use choice::{By, Mix, Mixed, Weight};
pub use drive::export;
pub use lesson::{Aim, Learn, Lesson, Turn};
pub use loss::{Loss, Rule};
pub use options::{Dialect, ExportError, Objective, Options};
pub use read::{Read, Shape, read_any, read_as};
pub use reward::{Judge, Reward, Right, Rights};
pub use row::Reasoning;
pub use schema::row_schema;
pub use sources::{Before, Unsourced, unsourced};
pub use stats::{Counts, Stats};
