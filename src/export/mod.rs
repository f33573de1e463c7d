//! Training files: samples become lessons, and lessons the rows that trainers read.

pub(crate) mod back;
pub(crate) mod card;
pub(crate) mod choice;
mod columns;
pub(crate) mod drive;
pub(crate) mod file;
pub(crate) mod lessons;
pub(crate) mod look;
pub(crate) mod loss;
pub(crate) mod options;
pub(crate) mod pairing;
pub(crate) mod read;
pub(crate) mod rename;
pub(crate) mod row;
pub(crate) mod schema;
pub(crate) mod split;
pub(crate) mod stats;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn};
pub use crate::export::pairing::metric::RewardMetric;
pub use crate::export::pairing::reward::{Judge, Reward, Right, Rights};
pub use back::read_row;
pub use choice::{By, Mix, Mixed, Weight};
pub use drive::export;
pub use loss::{Loss, Rule};
pub use options::{Dialect, ExportError, Objective, Options};
pub use read::{Read, Shape, read_any, read_as};
pub use row::Reasoning;
pub use schema::row_schema;
pub use stats::{Counts, Stats};
