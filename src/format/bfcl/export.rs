//! fcgen's samples as BFCL's lines.

use super::message::written;
use super::truth::{functions_of, truth_of};
use crate::record::{Expected, FunctionCall, Object, Origin, Sample, Value};

/// Which of BFCL's shapes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// A question is a list of messages.
    V2,
    /// A question is a list of turns, each a list of messages.
    #[default]
    V4,
}

impl Version {
    /// What a category's files are called.
    pub fn file_name(self, category: &str) -> String {
        match self {
            Self::V2 => format!("BFCL_v2_{category}.json"),
            Self::V4 => format!("BFCL_v4_{category}.json"),
        }
    }
}

/// Why a sample has no place among BFCL's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unfit {
    /// Its calls depend on each other.
    #[error("a chain of calls")]
    Chain,
    /// It wants words.
    #[error("an answer in words")]
    Words,
    /// A value is not written down: any will do, or nobody can know it.
    #[error("a value that stands nowhere")]
    Placeholder,
    /// A call lacks what its function requires, or calls what is not offered.
    #[error("a call that its function does not take")]
    Incomplete,
}

/// A sample's category, by how many functions it offers and how many calls it wants.
pub fn category_of(sample: &Sample, version: Version) -> Result<&'static str, Unfit> {
    let calls = match &sample.expected {
        Expected::Refusal => return Ok("irrelevance"),
        Expected::Call(call) => std::slice::from_ref(call),
        Expected::Steps(steps) => match steps.as_slice() {
            [only] if !only.calls.is_empty() => only.calls.as_slice(),
            _ => return Err(Unfit::Chain),
        },
        _ => return Err(Unfit::Words),
    };
    if is_open(sample) {
        return Err(Unfit::Placeholder);
    }
    if !calls.iter().all(|call| is_taken(sample, call)) {
        return Err(Unfit::Incomplete);
    }
    Ok(match (sample.candidates.len() > 1, calls.len() > 1, version) {
        (false, false, Version::V2) => "simple",
        (false, false, Version::V4) => "simple_python",
        (true, false, _) => "multiple",
        (false, true, _) => "parallel",
        (true, true, _) => "parallel_multiple",
    })
}

/// Whether the gold value of some argument is a placeholder.
fn is_open(sample: &Sample) -> bool {
    let of_steps = match &sample.expected {
        Expected::Steps(steps) => steps.as_slice(),
        _ => &[],
    };
    let notes = std::iter::once(&sample.arguments).chain(of_steps.iter().flat_map(|step| &step.notes));
    let mut origins = notes.flat_map(|notes| notes.values()).map(|note| &note.origin);
    origins.any(|origin| matches!(origin, Origin::Open | Origin::Missing))
}

fn is_taken(sample: &Sample, call: &FunctionCall) -> bool {
    let tool = sample.candidates.iter().find(|tool| tool.name == call.name);
    tool.is_some_and(|tool| {
        tool.parameters.required.iter().all(|name| call.arguments.contains_key(name))
            && call.arguments.keys().all(|name| tool.parameters.properties.contains_key(name))
    })
}

/// A sample's question under an id of its own. What was said before stands in its only turn: the calls of later turns are
/// nobody's but the model's.
pub fn question_line(id: &str, sample: &Sample, version: Version) -> Object {
    let messages = Value::List(written(&sample.messages));
    let question = match version {
        Version::V2 => messages,
        Version::V4 => Value::List(vec![messages]),
    };
    let entries = [("id", id.into()), ("question", question), ("function", functions_of(sample))];
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A sample's accepted answers under the same id; nothing where no call is right.
pub fn answer_line(id: &str, sample: &Sample) -> Option<Object> {
    let entries = [("id", id.into()), ("ground_truth", truth_of(sample)?)];
    Some(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::super::{Entry, TRUTH_FACT};
    use super::*;
    use serde_json::{Value as Json, json};

    fn parameters() -> Json {
        json!({"properties": {"n": {"type": "number"}, "s": {"type": "string"}}, "required": ["n"]})
    }

    fn call(arguments: &Json) -> Json {
        json!({"name": "a.f", "arguments": arguments})
    }

    fn one(arguments: &Json) -> Sample {
        sample("t/0", json!({"call": call(arguments)}), parameters())
    }

    fn several(calls: &[Json]) -> Sample {
        sample("t/0", json!({"steps": [{"calls": calls, "answers": []}]}), parameters())
    }

    fn with_another(mut sample: Sample) -> Sample {
        let mut other = (*sample.candidates[0]).clone();
        other.name = "a.g".to_owned();
        sample.candidates.push(other.into());
        sample
    }

    #[test]
    fn structure_decides_on_the_category() {
        let (single, double) = (one(&json!({"n": 1})), several(&[call(&json!({"n": 1})), call(&json!({"n": 2}))]));
        let category = |sample: &Sample| category_of(sample, Version::V4).unwrap();
        assert_eq!((category(&single), category(&with_another(single.clone()))), ("simple_python", "multiple"));
        assert_eq!((category(&double), category(&with_another(double.clone()))), ("parallel", "parallel_multiple"));
        assert_eq!(category(&several(&[call(&json!({"n": 1}))])), "simple_python");
        assert_eq!(category(&sample("t/0", json!("refusal"), json!({}))), "irrelevance");
        assert_eq!(category_of(&single, Version::V2).unwrap(), "simple");
        assert_eq!(Version::V2.file_name("simple"), "BFCL_v2_simple.json");
    }

    #[test]
    fn what_has_no_place_is_told() {
        let unfit = |sample: &Sample| category_of(sample, Version::V4).unwrap_err();
        let step = json!({"calls": [], "answers": []});
        assert_eq!(unfit(&sample("t/0", json!({"steps": [step, step]}), json!({}))), Unfit::Chain);
        assert_eq!(unfit(&sample("t/0", json!({"answer": "hi"}), json!({}))), Unfit::Words);
        assert_eq!(unfit(&one(&json!({"s": "x"}))), Unfit::Incomplete);
        assert_eq!(unfit(&one(&json!({"n": 1, "other": 1}))), Unfit::Incomplete);
        let mut open = one(&json!({"n": 1}));
        open.arguments = serde_json::from_value(json!({"n": {"origin": "open"}})).unwrap();
        assert_eq!(unfit(&open).to_string(), "a value that stands nowhere");
    }

    #[test]
    fn what_is_written_is_read_back_with_its_meaning() {
        let (single, double) = (one(&json!({"n": 1})), several(&[call(&json!({"n": 1})), call(&json!({"n": 2.5}))]));
        for (sample, version) in [(&single, Version::V2), (&single, Version::V4), (&double, Version::V4)] {
            let category = category_of(sample, version).unwrap();
            let mut entry = Entry::read(&Value::Object(question_line("x_0", sample, version)).to_string()).unwrap();
            entry.answers = answer_line("x_0", sample).unwrap().shift_remove("ground_truth");
            let again = entry.into_sample(category, "en");
            assert_eq!((&again.messages, &again.candidates), (&sample.messages, &sample.candidates));
            assert_eq!(again.id.as_str(), "x_0");
            assert_eq!(again.provenance.facts[TRUTH_FACT], truth_of(sample).unwrap().to_string());
            assert_eq!(truth_of(&again), truth_of(sample));
            let calls = |sample: &Sample| Value::read(&serde_json::to_string(&sample.expected).unwrap()).unwrap();
            let arguments = |value: Value| value.at_path("call.arguments.n").cloned();
            assert_eq!(arguments(calls(&again)).map(|it| it.equals(&1.into())), arguments(calls(sample)).map(|_| true));
        }
        assert_eq!(answer_line("x_0", &sample("t/0", json!("refusal"), json!({}))), None);
    }
}
