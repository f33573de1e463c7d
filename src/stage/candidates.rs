//! Makes a sample of a query: puts the right tool among others that a model must not take for it.

use super::facts::StageConfig;
use crate::config::{Amount, Count, amount, count};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes a sample of a query: puts the right tool among others that a model must not take for it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CandidatesConfig {
    /// How many tools a sample shows, the right one included.
    #[serde(default = "count::<5>")]
    pub count: Count,
    /// How many of the others come from the same category or domain.
    #[serde(default = "amount::<2>")]
    pub near: Amount,
}

impl StageConfig for CandidatesConfig {
    fn kind(&self) -> &'static str {
        "candidates"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Query]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Sample
    }

    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let (count, near) = (self.count.get(), self.near.get());
        let message = format!("`near = {near}` is more than `count = {count}` leaves beside the right tool");
        if near < count { Vec::new() } else { vec![("near", message)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn five_tools_are_shown_and_two_of_them_are_near() {
        let config: CandidatesConfig = read_text("").unwrap();
        assert_eq!((config.count.get(), config.near.get()), (5, 2));
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Sample));
    }

    #[test]
    fn no_more_can_be_near_than_are_shown() {
        let conflicts = |text: &str| read_text::<CandidatesConfig>(text).unwrap().conflicts();
        assert_eq!(conflicts("count = 2\nnear = 2")[0].0, "near");
        assert!(conflicts("count = 3\nnear = 2").is_empty());
    }

    #[test]
    fn none_need_be_near() {
        assert_eq!(read_text::<CandidatesConfig>("near = 0").unwrap().near.get(), 0);
        assert!(read_text::<CandidatesConfig>("near = -1").is_err());
    }
}
