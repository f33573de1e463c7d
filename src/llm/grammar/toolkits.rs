//! Makes a toolkit from its wanted functions (HammerBench E.1): one tool per wanted function.

use crate::llm::ToolkitVariables;
use serde_json::{Value as Json, json};

/// The reply: a fenced JSON list of tools.
pub(super) fn write(variables: &ToolkitVariables) -> String {
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
            {"name": "limit", "type": "integer", "description": "Most results", "required": false},
        ],
        "returns": [{"name": "success", "type": "boolean", "description": "Whether it was done"}],
    })
}

fn camel_case(words: &str) -> String {
    words
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
        })
        .collect()
}

#[cfg(test)]
mod tests {
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
