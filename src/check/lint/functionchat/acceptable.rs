//! Values that are as right as the gold one are of its type, are other values, and belong to parameters that there are.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::functionchat::Acceptable;
use crate::gate::check_type;
use crate::record::{Parameter, Value};

/// Looks at each right call by itself.
pub(super) struct Acceptables;

impl Rule for Acceptables {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
        for (name, values) in &entry.sample.acceptable {
            let Some(parameter) = tool.parameters.properties.get(name) else {
                findings.error("acceptable", entry, format!("`{}` has no parameter `{name}`", tool.name));
                continue;
            };
            for value in values {
                let fault = fault(name, parameter, value, call.arguments.get(name));
                findings.tally("acceptable values are of the right type, and others than the gold", fault.is_none());
                if let Some(fault) = fault {
                    findings.error("acceptable", entry, fault);
                }
            }
        }
        if let Some(note) = Acceptable::of(&entry.sample).note {
            findings.warning("acceptable_note", entry, format!("a note that no rule reads: `{note}`"));
        }
    }
}

fn fault(name: &str, parameter: &Parameter, value: &Value, gold: Option<&Value>) -> Option<String> {
    let is_broken = parameter.type_name() == "integer" && value.as_number().is_some_and(|it| !it.is_integer_text());
    if is_broken {
        return Some(format!("{name} = {value} is accepted, and `{name}` is an integer"));
    }
    if let Err(fault) = check_type(name, parameter, value) {
        return Some(fault.detail);
    }
    // A number in another form is another value: a scorer may tell 3 from 3.0.
    gold.filter(|gold| gold.to_string() == value.to_string())
        .map(|_| format!("{name} = {value} is accepted, which is the gold value"))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::format::functionchat::NOTE_FACT;
    use proptest::prelude::*;

    fn told(name: &str, value: &str) -> Vec<String> {
        let mut sample = single("a", "exact");
        sample.acceptable.insert(name.to_owned(), vec![Value::read(value).unwrap()]);
        found(Acceptables, &entries(vec![sample]))
    }

    #[test]
    fn other_values_are_of_the_same_type() {
        assert_eq!(told("pier", "\"Hill pier\""), Vec::<String>::new());
        assert_eq!(told("pier", "3"), ["acceptable: pier = 3 is no string"]);
        assert_eq!(told("boats", "2.0"), ["acceptable: boats = 2.0 is accepted, and `boats` is an integer"]);
        assert_eq!(told("pier", "\"Hill\""), ["acceptable: pier = \"Hill\" is accepted, which is the gold value"]);
        assert_eq!(told("sail", "1"), ["acceptable: `find_boat` has no parameter `sail`"]);
        assert_eq!(told("covered", "false"), Vec::<String>::new(), "an optional value may be given");
    }

    #[test]
    fn a_free_note_is_shown() {
        let mut sample = single("a", "exact");
        sample.provenance.facts.insert(NOTE_FACT.to_owned(), "be kind".to_owned());
        assert_eq!(
            found(Acceptables, &entries(vec![sample])),
            ["acceptable_note: a note that no rule reads: `be kind`"]
        );
    }

    proptest! {
        #[test]
        fn a_text_that_is_not_the_gold_one_is_no_fault(text in "[a-z]{1,8}") {
            let found = told("pier", &format!("\"{text}\""));
            prop_assert_eq!(found, Vec::<String>::new());
        }
    }
}
