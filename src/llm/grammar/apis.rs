//! Invents APIs for the things of a scenario, from the operations that the locale's data list (CallNavi section 4).

use super::Grammar;
use crate::llm::ApisVariables;
use crate::locale::ApiOperation;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

impl Grammar {
    /// The reply: a fenced JSON list of APIs that are not there yet.
    pub(super) fn write_apis(&self, variables: &ApisVariables) -> String {
        let text = &self.pack.apis;
        let named: Vec<String> =
            variables.things.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect();
        let things = if named.is_empty() { &text.things } else { &named };
        let known = |name: &str| variables.known.iter().any(|known| known.eq_ignore_ascii_case(name));
        let all = text.operations.iter().flat_map(|operation| things.iter().map(|thing| api(operation, thing)));
        let new = all.filter(|api| api["tool"].as_str().is_some_and(|name| !known(name)));
        let apis: Vec<Json> = new.take(variables.count).collect();
        format!("```json\n{}\n```", serde_json::to_string(&apis).unwrap_or_default())
    }
}

fn api(operation: &ApiOperation, thing: &str) -> Json {
    let filled =
        |text: &str| text.replace("{Thing}", &camel(thing)).replace("{thing}", &thing.to_lowercase().replace(' ', "_"));
    let said = |text: &str| text.replace("{thing}", thing);
    let fields = |fields: &IndexMap<String, String>| -> Vec<Json> {
        let field = |(name, description): (&String, &String)| json!({"name": filled(name), "type": "string", "description": said(description), "required": true});
        fields.iter().map(field).collect()
    };
    json!({
        "tool": filled(&operation.name), "name": said(&operation.description), "description": said(&operation.description),
        "parameters": fields(&operation.takes), "returns": fields(&operation.gives),
    })
}

/// Words as a part of a name: `gift card` is `GiftCard`.
fn camel(words: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
    };
    words.split_whitespace().map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Common;
    use crate::llm::tasks::read_toolkit;

    fn written(locale: &str, things: &str, known: &[&str], count: usize) -> Vec<String> {
        let grammar = Grammar::new(crate::fixtures::pack(locale), 7);
        let variables = ApisVariables {
            common: Common::default(),
            title: "Library".to_owned(),
            scenario: "A public library.".to_owned(),
            things: things.to_owned(),
            count,
            known: known.iter().map(|name| (*name).to_owned()).collect(),
        };
        let kit = read_toolkit(&grammar.write_apis(&variables)).unwrap().0;
        assert!(kit.faults.is_empty(), "{:?}", kit.faults);
        kit.tools.into_iter().map(|tool| tool.name).collect()
    }

    #[test]
    fn every_thing_gets_operations_that_hang_together() {
        let names = written("en", "book, reading room", &[], 20);
        assert_eq!(names.len(), 20);
        assert!(
            names.contains(&"findBookByName".to_owned()) && names.contains(&"cancelReadingRoom".to_owned()),
            "{names:?}"
        );
    }

    #[test]
    fn what_is_there_is_not_written_again() {
        let names = written("en", "book", &["findBookByName"], 3);
        assert!(!names.contains(&"findBookByName".to_owned()) && names.len() == 3, "{names:?}");
    }

    #[test]
    fn a_scenario_without_things_gets_common_ones_in_any_locale() {
        assert_eq!(written("ko", "", &[], 12).len(), 12);
        assert_eq!(written("zh", "", &[], 5).len(), 5);
    }
}
