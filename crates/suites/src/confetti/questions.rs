//! What judges are asked: about strings, about arguments, about what a text does.

use crate::functionchat::layout::{WireMessage, WireTool};
use crate::question::{Pending, Question};
use crate::record::{Sample, Value};
use serde::Serialize;
use std::collections::BTreeSet;

/// How much of the context does the claim say?
pub(super) fn string(sample: &Sample, context: &str, claim: &str) -> Pending {
    pending(Question::TextScore, sample, [("context", context.into()), ("claim", claim.into())])
}

/// Which arguments of these calls were made up? Each is an object with `name` and `arguments`.
pub(super) fn validity(sample: &Sample, calls: Vec<Value>) -> Pending {
    let name = |call: &Value| call.as_object()?.get("name")?.as_str().map(str::to_owned);
    let called: BTreeSet<String> = calls.iter().filter_map(name).collect();
    let functions = sample.candidates.iter().filter(|tool| called.contains(&tool.name));
    let functions: Vec<WireTool> = functions.map(|tool| WireTool::of(tool)).collect();
    let variables = [("functions", json(&functions)), ("dialog", dialog(sample)), ("calls", Value::List(calls))];
    pending(Question::Validity, sample, variables)
}

/// Which acts does a text perform?
pub(super) fn acts(sample: &Sample, text: &str) -> Pending {
    pending(Question::DialogActs, sample, [("dialog", dialog(sample)), ("text", text.into())])
}

fn dialog(sample: &Sample) -> Value {
    json(&WireMessage::all(&sample.messages))
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).map_or(Value::Null, Value::from)
}

fn pending<const N: usize>(question: Question, sample: &Sample, variables: [(&str, Value); N]) -> Pending {
    Pending::new(question, sample, variables.map(|(name, value)| (name.to_owned(), value)).into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::llm::Prompt;

    /// A search that was answered, and then a booking.
    pub(in crate::confetti) fn sample() -> Sample {
        serde_json::from_value(serde_json::json!({
            "id": "c/0", "suite": "confetti", "data_type": "conversationsclean", "locale": "en", "group": "c", "licence": "", "source": "",
            "messages": [
                {"role": "system", "content": "It is 2025-03-01."},
                {"role": "user", "content": "A hotel in Rome, please"},
                {"role": "assistant", "tool_calls": [{"name": "find", "arguments": {"city": "Rome"}}]},
                {"role": "tool", "answers": 0, "content": "{\"id\":\"H1\"}"}],
            "candidates": [
                {"name": "find", "description": "Finds hotels", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
                {"name": "book", "description": "Books", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}],
            "expected": {"call": {"name": "book", "arguments": {"id": "H1"}}},
            "provenance": {"template": false, "draws": []},
        }))
        .unwrap()
    }

    fn prompted(mut pending: Pending, fault: &str) -> String {
        let common = serde_json::json!({"locale": "en", "language": "English", "structured": false, "fault": fault});
        pending.variables.insert("common".to_owned(), Value::from(common));
        let rendered = Prompt::load(crate::fixtures::assets(), pending.question.folder(), "en")
            .unwrap()
            .render(&pending.variables)
            .unwrap();
        format!("{}\n=== user\n{}", rendered.system.unwrap(), rendered.user)
    }

    #[test]
    fn a_judge_of_arguments_sees_what_was_said_and_the_schemas_of_what_is_called() {
        let call = Value::read(r#"{"name": "book", "arguments": {"id": "H2"}}"#).unwrap();
        let shown = prompted(validity(&sample(), vec![call]), "");
        let (_, user) = shown.split_once("=== user").unwrap();
        insta::assert_snapshot!(user.trim());
        assert!(!user.contains("Finds hotels"), "what is not called is not shown");
    }

    #[test]
    fn a_classifier_sees_the_words_and_a_judge_of_strings_both_of_them() {
        let shown = prompted(acts(&sample(), "Which \"room\"?"), "none of the labels is in it");
        assert!(shown.contains(r#""Which \"room\"?""#) && shown.contains("A hotel in Rome"), "{shown}");
        assert!(shown.contains("could not be used: none of the labels is in it"));
        assert!(!shown.contains("Books"), "functions do not matter");
        let shown = prompted(string(&sample(), "red hotel", "a red inn"), "");
        assert!(shown.contains("context: \"red hotel\"\nclaim: \"a red inn\""), "{shown}");
    }

    #[test]
    fn equal_content_is_one_question() {
        assert_eq!(acts(&sample(), "Hi").hash(), acts(&sample(), "Hi").hash());
        assert_ne!(acts(&sample(), "Hi").hash(), acts(&sample(), "Ho").hash());
    }
}
