//! How a model is asked: for what, by which way, in which form.

use crate::llm::tasks::read_route;
use crate::llm::{CallsFormat, Reply};
use crate::predict::render::CandidateForm;
use crate::predict::snapshots::Mode;
use crate::record::{PLACEHOLDER, Routing, Tool};
use crate::text::without_thought;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The names of the APIs, in order.
    Routing,
    /// The calls with their parameters.
    #[default]
    Parameters,
}

/// By which way the calls are come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approach {
    /// All candidates are shown, and all is asked for at once.
    #[default]
    Direct,
    /// First a router chooses among the candidates; the model is shown what it chose.
    Router,
    /// The last call is asked for first; then, in at most so many rounds, what is missing.
    Backward {
        /// Most rounds after the first question.
        rounds: u32,
    },
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What is asked for.
    pub goal: Goal,
    /// How the tools are handed to the model.
    pub mode: Mode,
    /// How the candidates are written into a prompt.
    pub candidates: CandidateForm,
    /// In which format calls with parameters come back as text.
    pub answer: CallsFormat,
    /// By which way.
    pub approach: Approach,
    /// Whether the server is asked to hold to a JSON Schema, which is made of the candidates.
    pub structured: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            mode: Mode::Prompt,
            candidates: CandidateForm::default(),
            answer: CallsFormat::default(),
            approach: Approach::default(),
            structured: false,
        }
    }
}

impl Goal {
    /// The suite's task.
    pub fn word(self) -> &'static str {
        match self {
            Self::Routing => "routing",
            Self::Parameters => "parameters",
        }
    }
}

impl Plan {
    /// The whole plan in a word: `parameters-json-signature-router`.
    pub fn variant(&self) -> String {
        let answer = match (self.goal, self.mode, self.answer) {
            (Goal::Routing, ..) => None,
            (_, Mode::Tools, _) => Some("tools"),
            (_, _, CallsFormat::Json) => Some("json"),
            (_, _, CallsFormat::Yaml) => Some("yaml"),
        };
        let shown = match (self.mode, self.approach) {
            (Mode::BuiltIn, _) => Some("built_in"),
            // Native tools have a form of their own; a router is asked by a prompt all the same.
            (Mode::Tools, Approach::Direct | Approach::Backward { .. }) => None,
            _ => Some(self.candidates.word()),
        };
        let approach = match self.approach {
            Approach::Direct => None,
            Approach::Router => Some("router"),
            Approach::Backward { .. } => Some("backward"),
        };
        let structured = self.structured.then_some("structured");
        let parts = [Some(self.goal.word()), answer, shown, approach, structured];
        parts.into_iter().flatten().collect::<Vec<_>>().join("-")
    }
}

// What a router's reply comes to: the tools that the model is shown.

/// The candidates that a reply names, each once, in its order; all of them where it names none. Names that differ in
/// capitals alone are the same.
pub(super) fn routed(reply: &str, candidates: &[Arc<Tool>]) -> (Vec<Arc<Tool>>, Routing) {
    let (mut tools, mut routing) = (Vec::<Arc<Tool>>::new(), Routing::default());
    for name in read_route(reply).map(|(names, _)| names).unwrap_or_default() {
        match find(&name, candidates) {
            Some(tool) if tools.iter().any(|known| known.name == tool.name) => {}
            Some(tool) => tools.push(tool.clone()),
            None => routing.invented.push(name),
        }
    }
    routing.passed = tools.iter().map(|tool| tool.name.clone()).collect();
    (if tools.is_empty() { candidates.to_vec() } else { tools }, routing)
}

fn find<'a>(name: &str, candidates: &'a [Arc<Tool>]) -> Option<&'a Arc<Tool>> {
    let exact = candidates.iter().find(|tool| tool.name == name);
    exact.or_else(|| candidates.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)))
}

// Backward inference: when it is over, and what comes of it.

/// What a model writes behind an answer from which nothing is missing.
pub(super) const STOP: &str = "<!stop>";

/// Whether nothing more is to be asked after these replies. The first question wants a single call and knows no mark.
pub(super) fn is_over(said: &[Reply], rounds: u32) -> bool {
    let asked = said.len().saturating_sub(1);
    asked >= rounds as usize || asked > 0 && said.last().is_some_and(|reply| is_complete(&reply.text))
}

/// The last answer, without the mark; a reply of nothing but the mark leaves the one before it as it is.
pub(super) fn conclusion(said: &[Reply]) -> Option<String> {
    said.iter().rev().map(|reply| without_mark(&reply.text)).find(|text| has_answer(text))
}

fn is_complete(text: &str) -> bool {
    mark(without_thought(text)).is_some()
}

/// A text of brackets alone, as of an empty fence, answers nothing.
fn has_answer(text: &str) -> bool {
    without_thought(text).chars().any(char::is_alphanumeric)
}

/// A text without the marks in it.
fn without_mark(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = mark(rest) {
        kept.push_str(before);
        rest = after;
    }
    kept.push_str(rest);
    if kept.len() == text.len() { kept } else { kept.trim_end().to_owned() }
}

/// What stands before the first mark, and what behind it; capitals make no difference.
fn mark(text: &str) -> Option<(&str, &str)> {
    // ASCII letters have one byte, whatever their case, so that places are the same in both texts.
    let at = text.to_ascii_lowercase().find(STOP)?;
    let (before, rest) = text.split_at_checked(at)?;
    Some((before, rest.split_at_checked(STOP.len())?.1))
}

// The JSON Schema of an answer, made of the candidates: which names there are, and which parameters each takes.
//
// A schema cannot say that the first object belongs to the first name; that is left to the model.

/// Types that a server's grammar knows; whatever else a toolset calls a type is left open.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// The schema of calls to these tools. Every value may be the placeholder.
pub(super) fn answer_schema(tools: &[Arc<Tool>]) -> Json {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut shapes: Vec<Json> = Vec::new();
    for shape in tools.iter().map(|tool| fields(&json!(tool.parameters))) {
        // Tools that take the same have one schema for it.
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    object(&json!({
        "API": { "type": "array", "items": { "type": "string", "enum": names } },
        "parameters": { "type": "array", "items": { "anyOf": shapes } },
    }))
}

/// An object that has all of these fields and no others.
fn object(fields: &Json) -> Json {
    let required: Vec<String> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
}

/// An object's own fields.
fn fields(schema: &Json) -> Json {
    let properties = schema.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
    let properties: Map<String, Json> =
        properties.iter().map(|(name, it)| (name.clone(), or_placeholder(it))).collect();
    let mut object = object(&properties.into());
    if let Some(required) = schema.get("required").filter(|it| it.is_array()) {
        object["required"] = required.clone();
    }
    object
}

/// A value, or what stands for it.
fn or_placeholder(schema: &Json) -> Json {
    let value = value(schema);
    if value == json!({ "type": "string" }) {
        return value;
    }
    json!({ "anyOf": [value, { "type": "string", "enum": [PLACEHOLDER] }] })
}

fn value(schema: &Json) -> Json {
    if let Some(values) = schema.get("enum").filter(|values| values.as_array().is_some_and(|it| !it.is_empty())) {
        return json!({ "enum": values });
    }
    if schema.get("properties").and_then(Json::as_object).is_some_and(|it| !it.is_empty()) {
        return fields(schema);
    }
    match schema.get("type").and_then(Json::as_str).filter(|name| TYPES.contains(name)) {
        Some("array") => json!({ "type": "array", "items": schema.get("items").map_or_else(|| json!({}), value) }),
        Some(name) => json!({ "type": name }),
        None => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_the_whole_plan() {
        let (plan, yaml) = (Plan::default(), CallsFormat::Yaml);
        let (signature, router) = (CandidateForm::Signature, Approach::Router);
        for (plan, word) in [
            (plan, "parameters-json-json"),
            (Plan { goal: Goal::Routing, ..plan }, "routing-json"),
            (Plan { candidates: signature, ..plan }, "parameters-json-signature"),
            (Plan { candidates: CandidateForm::Yaml, answer: yaml, ..plan }, "parameters-yaml-yaml"),
            (
                Plan { candidates: CandidateForm::JsonSchema, structured: true, ..plan },
                "parameters-json-json_schema-structured",
            ),
            (Plan { approach: Approach::Backward { rounds: 2 }, ..plan }, "parameters-json-json-backward"),
            (Plan { mode: Mode::Tools, ..plan }, "parameters-tools"),
            (
                Plan { mode: Mode::Tools, approach: router, candidates: signature, ..plan },
                "parameters-tools-signature-router",
            ),
            (Plan { mode: Mode::BuiltIn, approach: router, ..plan }, "parameters-json-built_in-router"),
            (Plan { mode: Mode::BuiltIn, goal: Goal::Routing, ..plan }, "routing-built_in"),
        ] {
            assert_eq!(plan.variant(), word);
        }
    }
}

#[cfg(test)]
mod router_tests {
    use super::*;

    fn route(reply: &str) -> (String, Routing) {
        let candidates =
            ["getA", "getB", "getb"].map(|name| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }));
        let (tools, routing) = routed(reply, &candidates);
        (tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" "), routing)
    }

    #[test]
    fn named_tools_are_passed_on_once_in_the_order_of_the_reply() {
        let (tools, routing) = route("['getB', 'geta', 'getB']");
        assert_eq!((tools.as_str(), routing.passed.len(), routing.invented.len()), ("getB getA", 2, 0));
        assert_eq!(route("[getb]").0, "getb");
    }

    #[test]
    fn invented_names_are_dropped_and_kept_in_mind() {
        let (tools, routing) = route("[\"getC\", \"getA\"]");
        assert_eq!((tools.as_str(), routing.invented), ("getA", vec!["getC".to_owned()]));
    }

    #[test]
    fn a_routing_to_nothing_shows_all() {
        for reply in ["", "[]", "I do not know.", "[getC]"] {
            let (tools, routing) = route(reply);
            assert_eq!((tools.as_str(), routing.passed.len()), ("getA getB getb", 0), "{reply}");
            assert_eq!(routing.invented.len(), usize::from(reply == "[getC]"));
        }
    }
}

#[cfg(test)]
mod backward_tests {
    use super::*;

    fn said(texts: &[&str]) -> Vec<Reply> {
        texts.iter().map(|text| Reply { text: (*text).to_owned(), ..Reply::default() }).collect()
    }

    #[test]
    fn the_mark_or_the_last_round_ends_it() {
        for (texts, rounds, over) in [
            (&[][..], 5, false),
            (&["a"], 5, false),
            (&["a <!stop>"], 5, false),
            (&["a", "b"], 5, false),
            (&["a", "b <!STOP>"], 5, true),
            (&["a", "<think>no <!stop> yet</think>b"], 5, false),
            (&["a", "b", "c"], 2, true),
        ] {
            assert_eq!(is_over(&said(texts), rounds), over, "{texts:?}");
        }
    }

    #[test]
    fn the_last_answer_is_kept_without_its_mark() {
        let conclude = |texts: &[&str]| conclusion(&said(texts));
        assert_eq!(conclude(&["a", "{\"b\": \"한\"}\n<!stop>\n"]).as_deref(), Some("{\"b\": \"한\"}"));
        assert_eq!(conclude(&["a", "```json\n{b}\n<!Stop>```"]).as_deref(), Some("```json\n{b}\n```"));
        assert_eq!(conclude(&["a", "b\n"]).as_deref(), Some("b\n"), "what has no mark stays as it is");
        assert_eq!(conclude(&["a", "b", "<!stop>"]).as_deref(), Some("b"));
        assert_eq!(conclude(&["a", "```\n```<!stop>"]).as_deref(), Some("a"));
        assert_eq!((conclude(&[]), conclude(&["", "<!stop>"])), (None, None));
    }
}

#[cfg(test)]
mod schema_tests {
    use super::*;

    fn tools() -> Vec<Arc<Tool>> {
        let text = r#"[
            {"name": "getA", "parameters": {"properties": {"id": {"type": "string", "description": "AC1"}}, "required": ["id"]}},
            {"name": "getB", "parameters": {"properties": {"id": {"type": "string"}}, "required": ["id"]}},
            {"name": "ship", "parameters": {"properties": {
                "size": {"type": "object", "properties": {"kg": {"type": "float"}, "tags": {"type": "array", "items": {"type": "string"}}}},
                "speed": {"type": "string", "enum": ["fast"]}, "count": {"type": "integer"}}, "required": ["count"]}}]"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn names_and_parameters_come_from_the_candidates() {
        insta::assert_snapshot!(answer_schema(&tools()), @r#"{"type":"object","properties":{"API":{"type":"array","items":{"type":"string","enum":["getA","getB","ship"]}},"parameters":{"type":"array","items":{"anyOf":[{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},{"type":"object","properties":{"size":{"anyOf":[{"type":"object","properties":{"kg":{"anyOf":[{},{"type":"string","enum":["$$$"]}]},"tags":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string","enum":["$$$"]}]}},"required":["kg","tags"],"additionalProperties":false},{"type":"string","enum":["$$$"]}]},"speed":{"anyOf":[{"enum":["fast"]},{"type":"string","enum":["$$$"]}]},"count":{"anyOf":[{"type":"integer"},{"type":"string","enum":["$$$"]}]}},"required":["count"],"additionalProperties":false}]}}},"required":["API","parameters"],"additionalProperties":false}"#);
    }

    #[test]
    fn right_answers_pass_and_others_do_not() {
        let schema = answer_schema(&tools());
        let passes = |answer: Json| jsonschema::is_valid(&schema, &answer);
        let size = json!({"kg": 1.5, "tags": ["x"]});
        assert!(passes(json!({"API": ["getA", "ship"], "parameters": [{"id": "1"}, {"count": 2, "size": size}]})));
        assert!(passes(json!({"API": ["ship"], "parameters": [{"count": "$$$", "size": "$$$", "speed": "$$$"}]})));
        assert!(!passes(json!({"API": ["getC"], "parameters": []})));
        assert!(!passes(json!({"API": ["getA"], "parameters": [{"name": "1"}]})));
        assert!(!passes(json!({"API": ["ship"], "parameters": [{"count": "2"}]})));
        assert!(!passes(json!({"API": ["ship"]})));
    }
}
