//! What the built-in model makes up: APIs, toolkits and rows.

use crate::Grammar;
use crate::llm::{ApisVariables, ToolkitVariables};
use crate::locale::ApiOperation;
use crate::record::{Chance, Object, Parameter, Tool};
use crate::values::arguments::{draw_argument, guess_kind};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

// Invents APIs for the things of a scenario, from the operations that the locale's data list (CallNavi section 4).

impl Grammar {
    /// The reply: a fenced JSON list of APIs that are not there yet.
    pub(crate) fn write_apis(&self, variables: &ApisVariables) -> String {
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
    words.split_whitespace().map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

// Makes a toolkit from its wanted functions (HammerBench E.1): one tool per wanted function.

/// The reply: a fenced JSON list of tools.
pub(crate) fn write(variables: &ToolkitVariables) -> String {
    let wanted = variables.wanted.split([',', '，', '、']).map(str::trim).filter(|words| !words.is_empty());
    let mut tools: Vec<Json> = Vec::new();
    for words in wanted {
        let name = camel_case(words);
        if !name.is_empty() && tools.iter().all(|tool| tool["tool"] != name) {
            tools.push(tool(&name, words, &variables.category));
        }
    }
    format!("```json\n{}\n```", serde_json::to_string_pretty(&tools).unwrap_or_default())
}

fn tool(name: &str, words: &str, category: &str) -> Json {
    json!({
        "tool": name,
        "name": words,
        "description": format!("{category}: {words}"),
        "parameters": [
            {"name": "keyword", "type": "string", "description": "Words that name what is meant", "required": true},
            {"name": "limit", "type": "integer", "description": "Most results", "required": false, "minimum": 1, "default": 10},
        ],
        "returns": [{"name": "success", "type": "boolean", "description": "Whether it was done"}],
    })
}

fn camel_case(words: &str) -> String {
    words.split(|letter: char| !letter.is_alphanumeric()).map(capitalised).collect()
}

// Fills a row for the general stage: values by the schema's fields, since the built-in model cannot read a prompt.

impl Grammar {
    /// A JSON object with a value for every property of `schema`; without a schema, the row comes back as it is.
    pub(crate) fn row_text(&self, fields: &Object, schema: Option<&Json>, chance: &mut Chance) -> String {
        let Some(properties) = schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object) else {
            return serde_json::to_string(fields).unwrap_or_default();
        };
        let mut row = Map::new();
        for (name, schema) in properties {
            row.insert(name.clone(), self.field(name, schema, chance));
        }
        Json::Object(row).to_string()
    }

    pub(crate) fn field(&self, name: &str, schema: &Json, chance: &mut Chance) -> Json {
        let parameter: Parameter = serde_json::from_value(schema.clone()).unwrap_or_default();
        match parameter.type_name() {
            "array" => {
                let item = schema.get("items").cloned().unwrap_or_default();
                Json::Array(vec![self.field(name, &item, chance)])
            }
            "object" => {
                let inner = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
                Json::Object(inner.map(|(name, schema)| (name.clone(), self.field(name, schema, chance))).collect())
            }
            _ => {
                let mut tool = Tool::default();
                tool.kinds.insert(name.to_owned(), guess_kind(&self.pack, name, &parameter));
                Json::from(&draw_argument(&self.pack, &tool, name, &parameter, chance).value)
            }
        }
    }
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
        let kit = read_toolkit(&grammar.write_apis(&variables), &[]).unwrap().0;
        assert_eq!(kit.told(), None);
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

#[cfg(test)]
mod toolkits_tests {
    use super::*;
    use crate::llm::Common;

    #[test]
    fn every_wanted_function_becomes_one_tool() {
        let variables = ToolkitVariables {
            common: Common::default(),
            category: "Alarm clock".to_owned(),
            wanted: "add an alarm, delete an alarm, add an alarm".to_owned(),
            count: 2,
        };
        let reply = write(&variables);
        let json = reply.trim_start_matches("```json").trim_end_matches("```");
        let tools: Vec<Json> = serde_json::from_str(json).unwrap();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["tool"].as_str()).collect();
        assert_eq!(names, ["AddAnAlarm", "DeleteAnAlarm"]);
    }
}

#[cfg(test)]
mod rows_tests {
    use super::*;

    #[test]
    fn every_property_gets_a_value_of_its_type() {
        let schema: Json = serde_json::from_str(
            r#"{"properties": {"city": {"type": "string"}, "guests": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}"#,
        )
        .unwrap();
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let text = grammar.row_text(&Object::new(), Some(&schema), &mut Chance::of(&[b"row"]));
        let row: Json = serde_json::from_str(&text).unwrap();
        assert!(row["city"].is_string() && row["guests"].is_i64() && row["tags"][0].is_string(), "{text}");
    }
}
