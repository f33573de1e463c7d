//! ComplexFuncBench's layout.

mod import;
mod row;

pub use import::{FILE, PATH_FACT, RowFile};
pub use row::{Row, RowError, RowTurn, Trajectory, domain_of};
