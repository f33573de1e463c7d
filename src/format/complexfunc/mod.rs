//! ComplexFuncBench's layout.

mod import;
mod row;
mod trajectory;

pub use import::{FILE, FINAL_ANSWER_FACT, PATH_FACT, RowFile, RowFileError};
pub use row::{Row, RowError, RowTurn, domain_of};
pub use trajectory::Trajectory;
