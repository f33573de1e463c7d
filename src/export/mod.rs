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
mod mistakes;
mod mix;
mod names;
mod options;
mod pairs;
mod parquet;
mod read;
mod rejected;
mod rename;
mod resolve;
mod reward;
mod rights;
mod row;
mod schema;
mod sieve;
mod sources;
mod split;
mod stats;
mod teach;
#[cfg(test)]
mod testing;
mod walk;
mod wording;

pub use back::read_row;
pub use choice::{Mix, Mixed};
pub use drive::export;
pub use lesson::{Aim, Learn, Lesson, Turn};
pub use loss::{Loss, Rule};
pub use mix::{By, Weight};
pub use options::{Dialect, ExportError, Objective, Options};
pub use read::{Read, Shape, read_any, read_as};
pub use reward::{Judge, Reward, Right};
pub use rights::Rights;
pub use row::Reasoning;
pub use schema::row_schema;
pub use sources::{Before, Unsourced, unsourced};
pub use stats::{Counts, Stats};
