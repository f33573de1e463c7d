//! A label names declared parameters, with values of their types.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;
use crate::gate::check_type;

/// Looks at each sample by itself.
pub(super) struct Labels;

impl Rule for Labels {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
        for (name, value) in &call.arguments {
            match tool.parameters.properties.get(name).map(|parameter| check_type(name, parameter, value)) {
                Some(Ok(())) => {}
                Some(Err(fault)) => findings.error("type", entry, fault.detail),
                None => {
                    let known: Vec<&str> = tool.parameters.properties.keys().map(String::as_str).take(8).collect();
                    let message = format!("`{}` has no parameter `{name}`; it has {}", tool.name, known.join(", "));
                    findings.error("parameter", entry, message);
                }
            }
        }
        for name in entry.sample.arguments.keys().filter(|name| !call.arguments.contains_key(*name)) {
            findings.error("note", entry, format!("there is a note on `{name}`, which the label does not give"));
        }
        for (name, _) in entry.sample.acceptable.iter().filter(|(name, _)| !call.arguments.contains_key(*name)) {
            findings.error(
                "note",
                entry,
                format!("other values are accepted for `{name}`, which the label does not give"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, sample};
    use super::super::testing::found;
    use super::*;
    use crate::record::Argument;

    #[test]
    fn names_and_types_are_those_of_the_tool() {
        let cases = [
            (r#"{"when": "noon"}"#, "parameter: `A.B.book` has no parameter `when`; it has to, seats, class"),
            (r#"{"seats": "two"}"#, "type: seats = \"two\" is no integer"),
            (r#"{"class": "third"}"#, "type: class = \"third\" is not listed"),
            (r#"{"to": ""}"#, "type: to = \"\" is no string"),
        ];
        for (arguments, finding) in cases {
            assert_eq!(found(Labels, &[entry(said("a", "ST_Perfect", "x", arguments))]), [finding]);
        }
        assert_eq!(found(Labels, &[entry(sample("a", "ST_Perfect"))]), Vec::<String>::new());
    }

    #[test]
    fn notes_belong_to_given_arguments() {
        let mut noted = sample("a", "ST_Perfect");
        noted.arguments.insert("class".to_owned(), Argument::default());
        noted.acceptable.insert("when".to_owned(), Vec::new());
        assert_eq!(found(Labels, &[entry(noted)]).len(), 2);
    }
}
