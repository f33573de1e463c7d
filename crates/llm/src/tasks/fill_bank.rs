//! Fill the bank of a tool: values, wordings and situations that requests are made of.

use super::{Common, TaskInfo};
use crate::record::{Object, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("fill_bank", "FillBank");

/// A bank is to be filled.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BankVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The time from which days and hours are counted, in ISO 8601.
    pub reference_time: String,
    /// How many values are wanted of each free parameter.
    pub values: usize,
    /// How many situations are wanted.
    pub situations: usize,
}

/// Reads a bank as a model wrote it: an object with `parameters`.
pub fn read_bank(text: &str) -> Result<(Object, Way), Unparsable> {
    let bank = |value: &Value| value.as_object().filter(|it| it.contains_key("parameters")).cloned();
    find(without_thought(text), bank)
        .ok_or_else(|| Unparsable::new("no_bank", "there is no JSON object with `parameters`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_is_found_in_what_stands_around_it() {
        let read = |text: &str| read_bank(text).map(|(bank, _)| bank.len()).map_err(|error| error.reason);
        assert_eq!(read("Here it is:\n```json\n{\"parameters\": {}, \"situations\": []}\n```"), Ok(2));
        assert_eq!(read("{\"situations\": []}"), Err("no_bank"));
    }
}
