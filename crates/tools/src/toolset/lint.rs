//! Looks a toolset over: what is missing, doubled or faulty, with its place and an example of the repair.

use super::finding::{Finding, Severity};
use super::nearest::nearest_name;
use super::{Toolset, alike, declared, mentions, resources};
use fcgen_core::assets::Assets;
use fcgen_core::locale::{BundleText, Pack, Pattern, words};
use fcgen_core::record::{Parameter, Phrases, SlotPhrases, Tool};
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::Arc;

/// What is found where nobody knows of which values one is drawn.
const NO_KIND: &str = "no value kind";

/// The kinds of the examples where no kind has a word of the parameter's name: of texts, and of numbers.
const USUAL_KINDS: [&str; 2] = ["keyword", "quantity"];

impl Finding {
    /// Whether it is repaired by a value kind, so that a list of them helps.
    pub fn wants_kind(&self) -> bool {
        self.message == NO_KIND
    }

    /// Whether a tool that a model has just made is not worth keeping: no run can use it, or what comes out will be poor.
    pub fn spoils_tool(&self) -> bool {
        self.severity != Severity::Note && !self.wants_kind()
    }
}

/// Everything that ought to be repaired in a toolset, in the order of its tools.
pub fn lint(assets: &Assets, toolset: &Toolset, pack: &Pack) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut descriptions: IndexMap<&str, &str> = IndexMap::new();
    for tool in &toolset.tools {
        if tool.description.trim().is_empty() {
            let fix = described(is_list(toolset, tool), "What it does, such as: find a book by its title");
            findings.push(Finding::warning(&tool.name, "the description is empty").fixed_by(fix));
        }
        let other = descriptions.insert(&tool.description, &tool.name);
        if let Some(other) = other.filter(|_| !tool.description.trim().is_empty()) {
            let fix = format!("state in both how they differ, such as when to use `{other}`");
            let message = format!("has the same description as `{other}`");
            findings.push(Finding::warning(&tool.name, message).fixed_by(fix));
        }
        let is_declared = toolset.world.as_ref().is_some_and(|world| world.functions.contains_key(&tool.name))
            && !toolset.phrases.contains_key(&tool.name);
        if is_declared || toolset.domains.contains_key(tool.category()) {
            continue;
        }
        for (name, parameter) in &tool.parameters.properties {
            if let Err(error) = parameter.validator() {
                let message = format!("the schema is not JSON Schema 2020-12: {error}");
                findings.push(Finding::error(at(tool, name), message).in_structure());
            }
            lint_values(toolset, tool, (name, parameter), pack, &mut findings);
        }
        if let Some(error) = tool.returns.as_ref().and_then(schema_fault) {
            let message = format!("the schema of the return value is not JSON Schema 2020-12: {error}");
            findings.push(Finding::error(&tool.name, message).in_structure());
        }
        if let Some(phrases) = toolset.phrases.get(&tool.name) {
            lint_phrases(tool, phrases, &pack.derived.phrases(tool), &mut findings);
        }
    }
    findings.extend(toolset.bundles.iter().flat_map(|bundle| lint_bundle(toolset, pack, bundle)));
    findings.extend(alike::lint(toolset));
    findings.extend(mentions::lint(&toolset.tools));
    findings.extend(resources::lint(assets, toolset, pack));
    findings.extend(declared::lint(toolset));
    findings
}

/// Names in a bundle that are neither a value kind nor a parameter with listed values: their values would never be drawn.
fn lint_bundle(toolset: &Toolset, pack: &Pack, bundle: &BundleText) -> Vec<Finding> {
    let lists = |name: &str| {
        let parameter = |tool: &Arc<Tool>| tool.parameters.properties.get(name).is_some_and(|it| it.values.is_some());
        toolset.tools.iter().any(parameter)
    };
    let unknown = bundle.names().filter(|name| !pack.kinds.contains_key(*name) && !lists(name));
    let kinds: Vec<&str> = pack.kinds.keys().map(String::as_str).collect();
    let finding = |name: &str| {
        let message = format!("`{name}` is neither a value kind nor a parameter with listed values");
        Finding::error("[[bundles]]", message).fixed_by(nearest_name(name, &kinds))
    };
    unknown.map(finding).collect()
}

/// Takes out of the tools that a model has made those that are not fit to be kept, each with what is wrong with it. What is
/// left is looked over again, since a description may name a tool that goes.
pub fn take_spoilt(assets: &Assets, tools: &mut Vec<Arc<Tool>>, pack: &Pack) -> Vec<(Arc<Tool>, String)> {
    let mut spoilt = Vec::new();
    loop {
        let toolset = Toolset { tools: tools.clone(), ..Toolset::default() };
        let found = lint(assets, &toolset, pack).into_iter().filter(Finding::spoils_tool).collect::<Vec<_>>();
        let before = spoilt.len();
        for tool in std::mem::take(tools) {
            let told: Vec<String> = found.iter().filter_map(|finding| told_of(&tool, finding)).collect();
            if told.is_empty() { tools.push(tool) } else { spoilt.push((tool, told.join("; "))) }
        }
        if spoilt.len() == before {
            return spoilt;
        }
    }
}

/// What a finding says of a tool, if it is about that one.
fn told_of(tool: &Tool, finding: &Finding) -> Option<String> {
    let field = finding.place.strip_prefix(&tool.name)?;
    if field.is_empty() {
        return Some(finding.message.clone());
    }
    Some(format!("`{}`: {}", field.strip_prefix(", ")?, finding.message))
}

/// Why a schema is not JSON Schema 2020-12.
fn schema_fault(schema: &Json) -> Option<String> {
    serde_json::from_value::<Parameter>(schema.clone())
        .map_err(|error| error.to_string())
        .and_then(|it| it.validator())
        .err()
}

/// Whether a tool comes from a list in JSON, which has other keys than a folder.
fn is_list(toolset: &Toolset, tool: &Tool) -> bool {
    toolset.origins.get(&tool.name).is_some_and(|path| Path::new(path).extension().is_some_and(|it| it == "json"))
}

/// The example of a description.
fn described(is_list: bool, text: &str) -> String {
    if is_list { format!("\"description\": \"{text}\"") } else { format!("description = \"{text}\"") }
}

/// The place of a parameter.
fn at(tool: &Tool, parameter: &str) -> String {
    format!("{}, {parameter}", tool.name)
}

fn lint_values(
    toolset: &Toolset,
    tool: &Tool,
    (name, parameter): (&String, &Parameter),
    pack: &Pack,
    findings: &mut Vec<Finding>,
) {
    let is_list = is_list(toolset, tool);
    if parameter.description.as_deref().unwrap_or_default().trim().is_empty() {
        let fix = described(is_list, "What it means, such as: title of the book");
        findings.push(Finding::warning(at(tool, name), "the description is empty").fixed_by(fix));
    }
    let kind_fix = |kind: &str| {
        let of_list = || format!("\"kinds\": {{\"{name}\": \"{kind}\"}} beside \"parameters\"");
        if is_list { of_list() } else { format!("{name} = {{ kind = \"{kind}\", ... }}") }
    };
    match tool.kinds.get(name) {
        Some(kind) if !pack.kinds.contains_key(kind) => {
            let known: Vec<&str> = pack.kinds.keys().map(String::as_str).collect();
            let finding = Finding::error(at(tool, name), format!("unknown value kind `{kind}`"));
            findings.push(finding.in_structure().fixed_by(nearest_name(kind, &known)));
        }
        None if !tool.from.contains_key(name) && !has_values(pack, name, parameter) => {
            let fix = kind_fix(example_kind(pack, name, parameter));
            findings.push(Finding::warning(at(tool, name), NO_KIND).in_structure().fixed_by(fix));
        }
        _ => {}
    }
    for value in parameter.values.iter().flatten().filter_map(|value| value.as_str()) {
        if tool.wordings.get(name).is_none_or(|wordings| wordings.get(value).is_none_or(Vec::is_empty)) {
            let said = words(value).join(" ");
            let of_list =
                || format!("\"wordings\": {{\"{name}\": {{\"{value}\": [\"{said}\"]}}}} beside \"parameters\"");
            let fix = if is_list { of_list() } else { format!("wordings = {{ \"{value}\" = [\"{said}\"] }}") };
            let message = format!("no wordings for the listed value `{value}`");
            findings.push(Finding::note(at(tool, name), message).fixed_by(fix));
        }
    }
}

/// Whether a parameter's schema or its name says of which values one is drawn.
fn has_values(pack: &Pack, name: &str, parameter: &Parameter) -> bool {
    let item = parameter.more.get("items").and_then(|items| serde_json::from_value::<Parameter>(items.clone()).ok());
    match parameter.type_name() {
        "boolean" | "object" => true,
        "array" if item.is_some() => item.is_some_and(|item| has_values(pack, name, &item)),
        _ => {
            let own = words(name);
            let identifies = own.last().is_some_and(|word| ["id", "ids"].contains(&word.as_str()));
            let is_stated =
                parameter.values.is_some() || ["pattern", "const"].iter().any(|key| parameter.more.contains_key(*key));
            let names_kind = own.iter().any(|word| fits(pack, word, parameter));
            identifies || is_stated || names_kind || pack.derived.kind(&pack.kinds, name, parameter).is_some()
        }
    }
}

/// Whether a word is the name of a kind whose values are of the parameter's type.
fn fits(pack: &Pack, kind: &str, parameter: &Parameter) -> bool {
    let is_number = matches!(parameter.type_name(), "integer" | "number");
    pack.kinds.get(kind).is_some_and(|kind| kind.numbers.is_some() == is_number)
}

/// A kind for the example: the one whose name shares most words with the parameter's.
fn example_kind<'p>(pack: &'p Pack, name: &str, parameter: &Parameter) -> &'p str {
    let own = words(name);
    let shared = |kind: &str| words(kind).iter().filter(|word| own.contains(word)).count();
    let fitting = pack.kinds.keys().map(String::as_str).filter(|kind| fits(pack, kind, parameter));
    let best =
        fitting.map(|kind| (shared(kind), kind)).filter(|(shared, _)| *shared > 0).max_by_key(|(shared, _)| *shared);
    let usual = || USUAL_KINDS.into_iter().find(|kind| fits(pack, kind, parameter));
    best.map(|(_, kind)| kind).or_else(usual).unwrap_or("KIND")
}

/// Looks over what is said of a tool; `example` is what would be derived of its names and descriptions.
fn lint_phrases(tool: &Tool, phrases: &Phrases, example: &Phrases, findings: &mut Vec<Finding>) {
    let free = |texts: &[String]| {
        texts.iter().filter_map(|text| Pattern::parse(text).ok()).filter(|it| it.needed().is_empty()).count()
    };
    if free(&phrases.intents) < 3 && tool.from.is_empty() {
        let finding = Finding::warning(&tool.name, "has fewer than three intents without a value");
        findings.push(finding.fixed_by(list("intents", &example.intents)));
    }
    for text in phrases.intents.iter().chain(&phrases.asks).chain(&phrases.implies) {
        lint_pattern(tool, &tool.name, text, findings);
    }
    // What an earlier answer holds is never said.
    for (name, slot) in phrases.parameters.iter().filter(|(name, _)| !tool.from.contains_key(*name)) {
        let example = example.parameters.get(name).cloned().unwrap_or_default();
        let boolean = tool.parameters.properties.get(name).is_some_and(|parameter| parameter.type_name() == "boolean");
        lint_slot(&at(tool, name), slot, &example, boolean, findings);
        for text in slot.clauses.iter().chain(&slot.negations) {
            lint_pattern(tool, &at(tool, name), text, findings);
            if !boolean && !text.contains(&format!("{{{name}")) {
                findings.push(Finding::warning(
                    at(tool, name),
                    format!("the clause `{text}` does not contain `{{{name}}}`"),
                ));
            }
        }
    }
}

fn lint_slot(place: &str, slot: &SlotPhrases, example: &SlotPhrases, boolean: bool, findings: &mut Vec<Finding>) {
    let mut few = |is_few: bool, message: &str, fix: String| {
        if is_few {
            findings.push(Finding::warning(place, message).fixed_by(fix));
        }
    };
    few(slot.questions.len() < 2, "has fewer than two questions", list("questions", &example.questions));
    few(slot.label.trim().is_empty(), "has no label", format!("label = \"{}\"", example.label));
    few(slot.clauses.len() < 2, "has fewer than two clauses", list("clauses", &example.clauses));
    let no_negation = boolean && slot.negations.len() < 2;
    few(no_negation, "has fewer than two negations", list("negations", &example.negations));
}

/// A list of texts as a file writes it.
fn list(key: &str, texts: &[String]) -> String {
    format!("{key} = {}", serde_json::to_string(texts).unwrap_or_default())
}

fn lint_pattern(tool: &Tool, place: &str, text: &str, findings: &mut Vec<Finding>) {
    let pattern = match Pattern::parse(text) {
        Ok(pattern) => pattern,
        Err(error) => return findings.push(Finding::error(place, format!("`{text}`: {error}"))),
    };
    let names: Vec<&str> = tool.parameters.properties.keys().map(String::as_str).collect();
    for slot in pattern.slots() {
        match tool.parameters.properties.get(slot) {
            None => {
                let finding = Finding::error(place, format!("`{text}` contains the unknown parameter `{slot}`"));
                findings.push(finding.fixed_by(nearest_name(slot, &names)));
            }
            Some(parameter) if parameter.type_name() == "boolean" => {
                findings.push(Finding::error(place, format!("`{text}` uses the boolean `{slot}` as a value")));
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(tool: Tool, phrases: Option<Phrases>) -> Vec<String> {
        let phrases = phrases.map(|phrases| (tool.name.clone(), Arc::new(phrases))).into_iter().collect();
        let toolset = Toolset { tools: vec![Arc::new(tool)], phrases, ..Toolset::default() };
        lint(crate::fixtures::assets(), &toolset, &Pack::load(crate::fixtures::assets(), "en").unwrap())
            .into_iter()
            .map(|it| format!("{}: {}", it.place, it.message))
            .collect()
    }

    #[test]
    fn a_bare_tool_wants_a_description_and_kinds() {
        let mut tool = Tool { name: "a".to_owned(), ..Tool::default() };
        tool.parameters.properties.insert("mood".to_owned(), Parameter::default());
        assert_eq!(
            messages(tool, None),
            ["a: the description is empty", "a, mood: the description is empty", "a, mood: no value kind"]
        );
    }

    #[test]
    fn a_bundle_is_of_kinds_and_of_parameters_that_list_their_values() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "a", "description": "b", "parameters": {"properties": {"mode": {"type": "string", "enum": ["x"]}}}}"#,
        )
        .unwrap();
        let bundle = |name: &str| serde_json::from_value(serde_json::json!({ name: ["x"] })).unwrap();
        let toolset = Toolset { tools: vec![Arc::new(tool)], ..Toolset::default() };
        let pack = crate::fixtures::pack("en");
        assert!(["mode", "city"].iter().all(|name| lint_bundle(&toolset, &pack, &bundle(name)).is_empty()));
        let findings = lint_bundle(&toolset, &pack, &bundle("citi"));
        assert_eq!(findings[0].message, "`citi` is neither a value kind nor a parameter with listed values");
        assert!(findings[0].fix.as_deref().is_some_and(|fix| fix.contains("city")), "{findings:?}");
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
                "a: has fewer than three intents without a value",
                "a: `go to {town}` contains the unknown parameter `town`",
                "a, city: has fewer than two questions",
                "a, city: the clause `at` does not contain `{city}`",
                "a, city: `(`: `(` at character 1 is not closed",
                "a, city: the clause `(` does not contain `{city}`",
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
            ["a, city: unknown value kind `no_such`", "a, mode: no wordings for the listed value `y`"]
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
                "a, loud: `it is {loud}` uses the boolean `loud` as a value"
            ]
        );
    }

    #[test]
    fn two_tools_must_not_be_described_alike() {
        let tool =
            |name: &str| Arc::new(Tool { name: name.to_owned(), description: "same".to_owned(), ..Tool::default() });
        let toolset = Toolset { tools: vec![tool("a"), tool("b")], ..Toolset::default() };
        let findings = lint(crate::fixtures::assets(), &toolset, &Pack::load(crate::fixtures::assets(), "en").unwrap());
        assert_eq!(
            findings,
            [Finding::warning("b", "has the same description as `a`")
                .fixed_by("state in both how they differ, such as when to use `a`")]
        );
    }

    #[test]
    fn what_spoils_a_new_toolset_is_taken_out_with_what_leans_on_it() {
        let mut tools: Vec<Arc<Tool>> = serde_json::from_value(serde_json::json!([
            {"name": "A.B.findBook", "description": "Finds a book."},
            {"name": "A.B.readBook", "description": "Reads a book, once `findBook` has its id.", "returns": {"type": "text"}},
            {"name": "A.B.openBook", "description": "Opens a book after readBook."},
            {"name": "A.B.lendBook", "description": "Lends a book.", "parameters": {"properties": {
                "days": {"type": "array", "items": {"type": "day"}, "description": "Days"}, "mood": {"description": "Mood"}}}},
            {"name": "A.B.seekBook", "description": "Finds a book."}
        ]))
        .unwrap();
        let pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        let spoilt = take_spoilt(crate::fixtures::assets(), &mut tools, &pack);
        assert_eq!(tools.iter().map(|tool| tool.function()).collect::<Vec<_>>(), ["findBook"]);
        let told: Vec<String> = spoilt.iter().map(|(tool, told)| format!("{}: {told}", tool.function())).collect();
        insta::assert_snapshot!(told.join("\n"), @r#"
        readBook: the schema of the return value is not JSON Schema 2020-12: "text" is not valid under any of the schemas listed in the 'anyOf' keyword
        lendBook: `days`: the schema is not JSON Schema 2020-12: "day" is not valid under any of the schemas listed in the 'anyOf' keyword
        seekBook: has the same description as `A.B.findBook`
        openBook: the description mentions `readBook`, which is not a tool of this toolset
        "#);
    }
}
