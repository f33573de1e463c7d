//! Looks a toolset over: what is missing, doubled or faulty, with its place.

use super::{Toolset, alike, declared, resources};
use crate::locale::{Pack, Pattern};
use crate::record::{Phrases, Tool};
use indexmap::IndexMap;

/// Something that ought to be mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The tool, and the parameter where one is concerned.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

/// Everything that ought to be mended in a toolset, in the order of its tools.
pub fn lint(toolset: &Toolset, pack: &Pack) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut descriptions: IndexMap<&str, &str> = IndexMap::new();
    for tool in &toolset.tools {
        let mut find = |place: &str, message: String| {
            let place = if place.is_empty() { tool.name.clone() } else { format!("{}, {place}", tool.name) };
            findings.push(Finding { place, message });
        };
        if tool.description.trim().is_empty() {
            find("", "the description is empty".to_owned());
        }
        let other = descriptions.insert(&tool.description, &tool.name);
        if let Some(other) = other.filter(|_| !tool.description.trim().is_empty()) {
            find("", format!("has the same description as `{other}`"));
        }
        let is_declared = toolset.world.as_ref().is_some_and(|world| world.functions.contains_key(&tool.name))
            && !toolset.phrases.contains_key(&tool.name);
        if is_declared || toolset.domains.contains_key(tool.category()) {
            continue;
        }
        for (name, parameter) in &tool.parameters.properties {
            if let Err(error) = parameter.validator() {
                find(name, format!("the schema is not JSON Schema 2020-12: {error}"));
            }
        }
        lint_kinds(tool, pack, &mut find);
        if let Some(phrases) = toolset.phrases.get(&tool.name) {
            lint_phrases(tool, phrases, &mut find);
        }
    }
    findings.extend(alike::lint(toolset));
    findings.extend(resources::lint(toolset, pack));
    findings.extend(declared::lint(toolset));
    findings
}

fn lint_kinds(tool: &Tool, pack: &Pack, find: &mut impl FnMut(&str, String)) {
    for (name, parameter) in &tool.parameters.properties {
        if parameter.description.as_deref().unwrap_or_default().trim().is_empty() {
            find(name, "the description is empty".to_owned());
        }
        match tool.kinds.get(name) {
            Some(kind) if !pack.kinds.contains_key(kind) => find(name, format!("no value kind `{kind}`")),
            None if parameter.values.is_none()
                && parameter.type_name() != "boolean"
                && !tool.from.contains_key(name) =>
            {
                find(name, "states no value kind".to_owned());
            }
            _ => {}
        }
        for value in parameter.values.iter().flatten().filter_map(|value| value.as_str()) {
            if tool.wordings.get(name).is_none_or(|wordings| wordings.get(value).is_none_or(Vec::is_empty)) {
                find(name, format!("the listed value `{value}` has no wordings"));
            }
        }
    }
}

fn lint_phrases(tool: &Tool, phrases: &Phrases, find: &mut impl FnMut(&str, String)) {
    let free = |texts: &[String]| {
        texts.iter().filter_map(|text| Pattern::parse(text).ok()).filter(|it| it.needed().is_empty()).count()
    };
    if free(&phrases.intents) < 3 && tool.from.is_empty() {
        find("", "has fewer than three intents that need no value".to_owned());
    }
    for text in phrases.intents.iter().chain(&phrases.asks).chain(&phrases.implies) {
        lint_pattern(tool, "", text, find);
    }
    // What an earlier answer holds is never said.
    for (name, slot) in phrases.parameters.iter().filter(|(name, _)| !tool.from.contains_key(*name)) {
        if slot.questions.len() < 2 {
            find(name, "has fewer than two questions".to_owned());
        }
        if slot.label.trim().is_empty() {
            find(name, "has no label".to_owned());
        }
        if slot.clauses.len() < 2 {
            find(name, "has fewer than two clauses".to_owned());
        }
        let boolean = tool.parameters.properties.get(name).is_some_and(|parameter| parameter.type_name() == "boolean");
        if boolean && slot.negations.len() < 2 {
            find(name, "has fewer than two negations".to_owned());
        }
        for text in slot.clauses.iter().chain(&slot.negations) {
            lint_pattern(tool, name, text, find);
            if !boolean && !text.contains(&format!("{{{name}")) {
                find(name, format!("the clause `{text}` does not say `{{{name}}}`"));
            }
        }
    }
}

fn lint_pattern(tool: &Tool, place: &str, text: &str, find: &mut impl FnMut(&str, String)) {
    match Pattern::parse(text) {
        Err(error) => find(place, format!("`{text}`: {error}")),
        Ok(pattern) => {
            for slot in pattern.slots() {
                match tool.parameters.properties.get(slot) {
                    None => find(place, format!("`{text}` names `{slot}`, which is no parameter")),
                    Some(parameter) if parameter.type_name() == "boolean" => {
                        find(place, format!("`{text}` says the boolean `{slot}` as a value"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Parameter, SlotPhrases};
    use std::sync::Arc;

    fn messages(tool: Tool, phrases: Option<Phrases>) -> Vec<String> {
        let phrases = phrases.map(|phrases| (tool.name.clone(), Arc::new(phrases))).into_iter().collect();
        let toolset = Toolset { tools: vec![Arc::new(tool)], phrases, ..Toolset::default() };
        lint(&toolset, &Pack::load("en").unwrap())
            .into_iter()
            .map(|it| format!("{}: {}", it.place, it.message))
            .collect()
    }

    #[test]
    fn a_bare_tool_wants_a_description_and_kinds() {
        let mut tool = Tool { name: "a".to_owned(), ..Tool::default() };
        tool.parameters.properties.insert("city".to_owned(), Parameter::default());
        assert_eq!(
            messages(tool, None),
            ["a: the description is empty", "a, city: the description is empty", "a, city: states no value kind"]
        );
    }

    #[test]
    fn faulty_patterns_and_foreign_slots_are_named() {
        let slot = SlotPhrases {
            label: "x".to_owned(),
            clauses: vec!["at".to_owned(), "(".to_owned()],
            ..SlotPhrases::default()
        };
        let phrases = Phrases {
            intents: vec!["go to {town}".to_owned()],
            parameters: IndexMap::from([("city".to_owned(), slot)]),
            ..Phrases::default()
        };
        let tool = Tool { name: "a".to_owned(), description: "b".to_owned(), ..Tool::default() };
        assert_eq!(
            messages(tool, Some(phrases)),
            [
                "a: has fewer than three intents that need no value",
                "a: `go to {town}` names `town`, which is no parameter",
                "a, city: has fewer than two questions",
                "a, city: the clause `at` does not say `{city}`",
                "a, city: `(`: `(` at character 1 is never closed",
                "a, city: the clause `(` does not say `{city}`",
            ]
        );
    }

    #[test]
    fn kinds_and_wordings_must_be_there() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "a", "description": "b", "kinds": {"city": "no_such"}, "wordings": {"mode": {"x": ["ex"], "y": []}},
                "parameters": {"properties": {"city": {"type": "string", "description": "City"},
                    "mode": {"type": "string", "enum": ["x", "y"], "description": "Mode"}, "loud": {"type": "boolean", "description": "Loud"}}}}"#,
        )
        .unwrap();
        assert_eq!(
            messages(tool, None),
            ["a, city: no value kind `no_such`", "a, mode: the listed value `y` has no wordings"]
        );
    }

    #[test]
    fn a_flag_is_denied_and_never_said_as_a_value() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "a", "description": "b", "parameters": {"properties": {"loud": {"type": "boolean", "description": "Loud"}}}}"#,
        )
        .unwrap();
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let slot = SlotPhrases {
            label: " ".to_owned(),
            clauses: texts(&["loud", "it is {loud}"]),
            questions: texts(&["q", "r"]),
            ..SlotPhrases::default()
        };
        let phrases = Phrases {
            intents: texts(&["a", "b", "c"]),
            parameters: IndexMap::from([("loud".to_owned(), slot)]),
            ..Phrases::default()
        };
        let found = messages(tool, Some(phrases));
        assert_eq!(
            found,
            [
                "a, loud: has no label",
                "a, loud: has fewer than two negations",
                "a, loud: `it is {loud}` says the boolean `loud` as a value"
            ]
        );
    }

    #[test]
    fn two_tools_must_not_be_described_alike() {
        let tool =
            |name: &str| Arc::new(Tool { name: name.to_owned(), description: "same".to_owned(), ..Tool::default() });
        let toolset = Toolset { tools: vec![tool("a"), tool("b")], ..Toolset::default() };
        let findings = lint(&toolset, &Pack::load("en").unwrap());
        assert_eq!(
            findings,
            [Finding { place: "b".to_owned(), message: "has the same description as `a`".to_owned() }]
        );
    }
}
