//! Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
//!
//! It asks no model: `consistency` does that.

use super::context::Context;
use super::facts::StageConfig;
use super::outcome::{Fault, Outcome};
use crate::gate::{check_external, check_parameters};
use crate::record::RecordKind;
use crate::record::{ArgumentNotes, Item, Query, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParametersConfig {}

impl StageConfig for ParametersConfig {
    fn kind(&self) -> &'static str {
        "parameters"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Query]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Query
    }

    fn is_gate(&self) -> bool {
        true
    }
}

impl ParametersConfig {
    /// Keeps a query whose arguments are the wanted ones, each said by its text.
    pub(super) fn each(context: &Context, mut item: Item) -> Outcome {
        let Record::Query(query) = &mut item.record else { return Outcome::keep(item) };
        match check(context, query) {
            Ok(notes) => {
                query.notes = notes;
                Outcome::keep(item)
            }
            Err(fault) => Outcome::reject(&item.id, &context.stage, fault, query.said()),
        }
    }
}

fn check(context: &Context, query: &Query) -> Result<ArgumentNotes, Fault> {
    let language = &context.shared.language;
    match (&query.external, &query.hidden) {
        (Some(external), Some(hidden)) => check_external(query, external, hidden, language),
        _ => check_parameters(&query.tool, &query.preset, &query.call, &query.text, language),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn it_is_a_gate_without_settings() {
        let config: ParametersConfig = read_text("").unwrap();
        assert!(config.is_gate() && config.role().is_none());
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Query));
    }

    #[test]
    fn a_setting_is_refused() {
        assert_eq!(read_text::<ParametersConfig>("strict = true").unwrap_err(), ["unknown key `strict` in the test"]);
    }
}
