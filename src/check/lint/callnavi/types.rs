//! Values are of the types that their APIs declare.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::gate::check_type;
use crate::record::PLACEHOLDER;

/// Looks at each question by itself.
pub(super) struct Types;

impl Rule for Types {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let mut faults = Vec::new();
        for called in entry.calls() {
            let Some(tool) = entry.candidate(&called.call.name) else { continue };
            for (name, value) in &called.call.arguments {
                let Some(parameter) = tool.parameters.properties.get(name) else { continue };
                // What is left open is of any type, and so is what declares none.
                let is_free = parameter.kind.is_none() && parameter.values.is_none();
                if value.as_str() != Some(PLACEHOLDER) && !is_free {
                    faults.extend(check_type(name, parameter, value).err().map(|fault| fault.detail));
                }
            }
        }
        findings.tally("questions have values of the declared types", faults.is_empty());
        if !faults.is_empty() {
            findings.error("type", entry, faults.join("; "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{arguments, entry, questions};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Parameter, Value};
    use std::sync::Arc;

    fn of(parameter: &str, value: &str) -> Vec<String> {
        let mut sample = questions("easy");
        let parameter: Parameter = serde_json::from_str(parameter).unwrap();
        Arc::make_mut(&mut sample.candidates[0]).parameters.properties.insert("customerId".to_owned(), parameter);
        arguments(&mut sample, 0).insert("customerId".to_owned(), Value::read(value).unwrap());
        found(Types, &[entry(sample)])
    }

    #[test]
    fn a_value_of_another_type_is_told() {
        assert_eq!(of(r#"{"type": "string"}"#, "500"), ["type: customerId = 500 is no string"]);
        assert_eq!(of(r#"{"type": "number"}"#, "\"500\""), ["type: customerId = \"500\" is no number"]);
        assert_eq!(
            of(r#"{"type": "string", "enum": ["a", "b"]}"#, "\"c\""),
            ["type: customerId = \"c\" is not listed"]
        );
    }

    #[test]
    fn fields_are_looked_into() {
        let parcel = r#"{"type": "object", "properties": {"weight": {"type": "number"}, "size": {"type": "object", "properties": {"height": {"type": "number"}}}}}"#;
        assert_eq!(of(parcel, r#"{"weight": 2, "size": {"height": "$$$"}}"#), Vec::<String>::new());
        assert_eq!(
            of(parcel, r#"{"weight": "$$$", "size": {"height": "tall"}}"#),
            ["type: customerId: \"tall\" is not of type \"number\" at `/size/height`"]
        );
    }

    #[test]
    fn where_no_type_is_declared_any_will_do() {
        for value in ["500", "{}", "\"\"", "\"$$$\""] {
            assert_eq!(of("{}", value), Vec::<String>::new(), "{value}");
        }
        assert_eq!(of(r#"{"type": "number"}"#, "\"$$$\""), Vec::<String>::new());
    }
}
