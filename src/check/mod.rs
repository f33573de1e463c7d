//! Looks a bench over: what is wrong in it, and whether its figures are those of data worth having.

pub mod audit;
pub(crate) mod canary;
pub(crate) mod dialect;
pub(crate) mod leak;
pub(crate) mod lint;
pub(crate) mod parts;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod training;

pub use crate::lint::entry::{Called, Entry, Seen, each_entry};
pub use crate::lint::finding::{Finding, Findings, Severity, Tally, tally_label};
pub use crate::lint::ground::{Ground, GroundError};
pub use audit::picked;
pub use canary::{canaries_of, hold_canaries};
pub use dialect::{Loader, loads};
pub use leak::{
    Known, KnownError, Likeness, Other, Pool, Print, Side, SourceError, ToolPrint, Words, each_row, known_in, leaks,
    write_known,
};
pub use lint::{Lint, LintReport, lint};
pub use parts::shared;
pub use replay::Replay;
pub use report::{Report, Row, RuleReport, Value};
pub use rules::{RULES, RuleInfo};
pub use training::{First, training_files};
