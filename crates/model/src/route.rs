//! Routes: the built-in model as one that is asked for names or calls (CallNavi).

use super::Grammar;
use super::read::{RouteTool, read_calls};
use crate::llm::{CallsFormat, RouteCallsVariables, RouteVariables, write_yaml};
use crate::record::{FunctionCall, Object, Tool, Value};
use std::sync::Arc;

impl Grammar {
    /// Names alone.
    pub(super) fn route_text(&self, variables: &RouteVariables) -> String {
        let calls = read_calls(self.reader(), &self.route_tools(&variables.tools), &variables.query, "");
        Value::List(names(&calls)).to_string()
    }

    /// Calls, in the format that the prompt asks for: the last one alone where the rounds begin, all of them later.
    pub(super) fn calls_text(&self, variables: &RouteCallsVariables) -> String {
        let tools = self.route_tools(&variables.tools);
        let calls = read_calls(self.reader(), &tools, &variables.query, &variables.placeholder);
        let last = calls.len().saturating_sub(1);
        let (said, mark) = match variables.round {
            Some(0) => (calls.get(last..).unwrap_or_default(), None),
            Some(_) => (calls.as_slice(), Some(&variables.stop)),
            None => (calls.as_slice(), None),
        };
        let text = write(said, variables.answer);
        mark.map_or_else(|| text.clone(), |mark| format!("{text}\n{mark}"))
    }

    /// The tools, ready to be read. Tools of one name may differ from question to question.
    fn route_tools(&self, tools: &[Arc<Tool>]) -> Vec<Arc<RouteTool>> {
        let ready = |tool: &Arc<Tool>| {
            let mut hasher = blake3::Hasher::new();
            serde_json::to_writer(&mut hasher, tool).unwrap_or_default();
            let name = hasher.finalize().to_hex();
            self.routes.get(&name, || RouteTool::new(tool, &self.pack, &self.recogniser))
        };
        tools.iter().map(ready).collect()
    }
}

fn names(calls: &[FunctionCall]) -> Vec<Value> {
    calls.iter().map(|call| Value::from(call.name.as_str())).collect()
}

fn write(calls: &[FunctionCall], format: CallsFormat) -> String {
    let parameters = calls.iter().map(|call| Value::Object(call.arguments.clone())).collect();
    let both = [("API", Value::List(names(calls))), ("parameters", Value::List(parameters))];
    let answer = Value::Object(both.into_iter().map(|(key, list)| (key.to_owned(), list)).collect::<Object>());
    match format {
        CallsFormat::Json => answer.to_string(),
        CallsFormat::Yaml => write_yaml(&answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::tasks::read_route;
    use crate::llm::{Common, Task, Variables};

    fn tool(name: &str, about: &str, parameter: &str) -> Arc<Tool> {
        let json = serde_json::json!({"name": name, "description": about,
            "parameters": {"properties": {parameter: {"type": "string"}}, "required": [parameter]}});
        Arc::new(serde_json::from_value(json).unwrap())
    }

    fn reply(answer: Option<(CallsFormat, Option<u32>)>, tools: Vec<Arc<Tool>>) -> String {
        let (common, query) = (Common::default(), "cancel card CA2201 and get branch 00171".to_owned());
        let variables = match answer {
            None => Variables::Route(RouteVariables { common, query, tools, candidates: String::new() }),
            Some((answer, round)) => {
                let (placeholder, stop) = ("$$$".to_owned(), "<!stop>".to_owned());
                let candidates = String::new();
                Variables::RouteCalls(RouteCallsVariables {
                    common,
                    query,
                    tools,
                    candidates,
                    answer,
                    placeholder,
                    round,
                    stop,
                })
            }
        };
        let request = crate::llm::Request::new(Task::Route, "judge", "a", 0, variables);
        Grammar::new(crate::fixtures::pack("en"), 0).reply(&request).text
    }

    fn tools() -> Vec<Arc<Tool>> {
        vec![tool("cancelCard", "Cancels a card", "cardId"), tool("getBranch", "Returns a branch", "branchCode")]
    }

    #[test]
    fn names_are_written_as_their_reader_reads_them() {
        let text = reply(None, tools());
        assert_eq!(text, r#"["cancelCard","getBranch"]"#);
        assert_eq!(read_route(&text).unwrap().0.len(), 2);
        assert_eq!(reply(None, Vec::new()), "[]");
    }

    #[test]
    fn calls_are_written_in_the_wanted_format() {
        let json = r#"{"API":["cancelCard","getBranch"],"parameters":[{"cardId":"CA2201"},{"branchCode":"00171"}]}"#;
        assert_eq!(reply(Some((CallsFormat::Json, None)), tools()), json);
        insta::assert_snapshot!(reply(Some((CallsFormat::Yaml, None)), tools()), @r#"
        API:
          - cancelCard
          - getBranch
        parameters:
          - cardId: CA2201
          - branchCode: "00171"
        "#);
    }

    #[test]
    fn rounds_begin_with_the_last_call_and_end_with_the_mark() {
        let last = r#"{"API":["getBranch"],"parameters":[{"branchCode":"00171"}]}"#;
        assert_eq!(reply(Some((CallsFormat::Json, Some(0))), tools()), last);
        let whole = reply(Some((CallsFormat::Json, Some(1))), tools());
        assert!(whole.starts_with(r#"{"API":["cancelCard","#) && whole.ends_with("}\n<!stop>"), "{whole}");
        assert!(reply(Some((CallsFormat::Json, Some(0))), Vec::new()).contains(r#""API":[]"#));
    }

    #[test]
    fn tools_of_one_name_may_differ() {
        let grammar = Grammar::new(crate::fixtures::pack("en"), 0);
        let both = ["Cancels a card", "Opens a door"].map(|about| tool("doThing", about, "x"));
        let ready = grammar.route_tools(&both);
        assert!(!Arc::ptr_eq(&ready[0], &ready[1]) && Arc::ptr_eq(&ready[0], &grammar.route_tools(&both)[0]));
    }
}
