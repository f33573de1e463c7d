//! Verdicts as lines of a file.

use crate::hammerbench::metric::strict::{self, Status};
use crate::hammerbench::metric::upstream::{self, Call, Facts};
use crate::record::{Expected, Mark, Object, Sample, Value, Verdict};

/// A verdict of the strict profile.
pub(super) fn strict_verdict(
    sample: &Sample,
    wants_question: bool,
    verdict: &strict::Verdict,
    facts: &Facts,
) -> Verdict {
    let call = verdict.parsed.as_ref().map(|call| {
        Value::Object(
            [
                ("name".to_owned(), call.name.as_str().into()),
                ("arguments".to_owned(), Value::Object(call.arguments.clone())),
            ]
            .into(),
        )
    });
    let mut line = begin(sample, call.map(Value::portable));
    if wants_question {
        line.insert("wants_question".to_owned(), true.into());
    } else {
        put_facts(&mut line, facts);
    }
    let mut put = |name: &str, value: Value| drop(line.insert(name.to_owned(), value));
    // What only a judge could tell is neither right nor wrong.
    let right = (!verdict.undecided).then_some(verdict.right);
    put("right", right.map_or(Value::Null, Value::from));
    put("status", verdict.status.as_str().into());
    if let Some(way) = verdict.way {
        put("way", way.to_string().into());
    }
    if let Status::Refusal(rule) = verdict.status {
        put("refusal_rule", rule.as_str().into());
    }
    if let Some(error) = verdict.errors.first() {
        put("error", error.as_str().into());
        put("errors", Value::List(verdict.errors.iter().map(|error| error.as_str().into()).collect()));
    }
    if !verdict.reason.is_empty() {
        put("reason", verdict.reason.as_str().into());
    }
    let error = verdict.errors.first().map_or(verdict.status.as_str(), |error| error.as_str());
    let found = Verdict::new(sample.id.as_str(), right, line).because(Some(error), &verdict.reason);
    marked(found, (!wants_question).then_some(facts))
}

/// A verdict of the authors' profiles.
pub(super) fn upstream_verdict(sample: &Sample, verdict: &upstream::Verdict<'_>) -> Verdict {
    let mut line = begin(sample, verdict.parsed.clone().map(parsed));
    put_facts(&mut line, &verdict.facts);
    let right = is_right(sample, &verdict.facts);
    line.insert("right".to_owned(), right.into());
    marked(Verdict::new(sample.id.as_str(), Some(right), line), Some(&verdict.facts))
}

/// The marks of an answer; where a refusal or a question is right, there is no function to be named.
fn marked(verdict: Verdict, facts: Option<&Facts>) -> Verdict {
    let verdict = match verdict.outcome.is_right() {
        Some(right) => verdict.marked(Mark::Right, right),
        None => verdict,
    };
    match facts.filter(|facts| !facts.terminal) {
        Some(facts) => verdict.marked(Mark::Function, facts.func_ok).marked(Mark::Arguments, facts.args_ok),
        None => verdict,
    }
}

/// Whether an answer counts as right, where the authors' figures have nothing of the whole: the call, or, where a refusal
/// is right, what their rates of refusals count.
fn is_right(sample: &Sample, facts: &Facts) -> bool {
    match (&sample.expected, facts.terminal) {
        (Expected::Refusal, true) => !facts.parsed && facts.refusal_word,
        (Expected::Refusal, false) => !facts.func_ok && facts.refusal_word,
        _ => facts.func_ok && facts.args_ok,
    }
}

/// The fields that the authors' evaluator has, by the names of the vectors.
pub(super) fn put_facts(line: &mut Object, facts: &Facts) {
    let mut put = |name: &str, value: Value| drop(line.insert(name.to_owned(), value));
    put("refusal_word", facts.refusal_word.into());
    if facts.terminal {
        put("terminal_label", true.into());
        return;
    }
    put("func_ok", facts.func_ok.into());
    put("args_ok", facts.args_ok.into());
    put("hallucinated", i64::from(facts.hallucinated).into());
    put("missing", i64::from(facts.missing).into());
}

/// A call as it was parsed.
pub(super) fn parsed(call: Call<'_>) -> Value {
    let (name, arguments) = (Value::from(call.name), Value::from(call.arguments));
    Value::Object([("name".to_owned(), name), ("arguments".to_owned(), arguments)].into()).portable()
}

fn begin(sample: &Sample, parsed: Option<Value>) -> Object {
    let entries = [
        ("id", Value::from(sample.id.as_str())),
        ("data_type", sample.data_type.0.as_str().into()),
        ("locale", sample.locale.as_str().into()),
        ("parsed", parsed.unwrap_or_default()),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hammerbench::metric::upstream::Parser;

    #[test]
    fn what_json_cannot_hold_becomes_text() {
        let call = Parser::Default.read(
            r#"{"name": "f", "arguments": {"a": [NaN, -Infinity, 1e400], "b": 10000000000000000000000, "c": 1.50}}"#,
        );
        assert_eq!(
            parsed(call.unwrap()).to_string(),
            r#"{"name":"f","arguments":{"a":["__NaN__","__-Infinity__","__Infinity__"],"b":10000000000000000000000,"c":1.50}}"#
        );
    }

    #[test]
    fn a_label_in_words_has_fewer_fields() {
        let mut line = Object::new();
        put_facts(&mut line, &Facts { terminal: true, ..Facts::default() });
        assert_eq!(line.keys().collect::<Vec<_>>(), ["refusal_word", "terminal_label"]);
        put_facts(&mut line, &Facts::default());
        assert_eq!(line.len(), 6);
    }
}
