//! The line of one trajectory, as `fcgen score --items` writes it.

use crate::complexfunc::metric::{
    Assessment, Assignment, Counts, Errors, Fault, Golden, Message, Observation, Outcome, Status, Trace, TraceEnd,
};
use crate::record::{Mark, Object, Value, Verdict};

/// Digits of a similarity behind the point.
const DIGITS: f64 = 1e9;

/// The verdict on a trajectory of a sample, with its line. One that came to no result is no success.
pub(super) fn verdict(sample: &str, outcome: &Outcome, line: Object) -> Verdict {
    let right = outcome.is_success();
    let (error, reason) = match (outcome.status, &outcome.message) {
        (Status::Crash(crash), _) => (status(outcome.status), crash.as_str()),
        (Status::NotRecorded, _) => (status(outcome.status), ""),
        (Status::Recorded, Message::Fault(fault)) => (fault.error_type.as_str(), fault.content.as_str()),
        (Status::Recorded, Message::Faults(faults)) => {
            faults.first().map_or(("", ""), |fault| (fault.error_type.as_str(), fault.content.as_str()))
        }
        (Status::Recorded, Message::Text(text)) => ("no_api_answer", text.as_str()),
        (Status::Recorded, Message::Success) => ("", ""),
    };
    let verdict = Verdict::new(sample, Some(right), line).because(Some(error), reason);
    verdict.marked(Mark::Success, right)
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Recorded => "recorded",
        Status::NotRecorded => "not_recorded",
        Status::Crash(_) => "crash",
    }
}

/// What comes of a trajectory, without its id: the status, and all that stands behind it.
pub(super) fn fields(golden: &Golden, outcome: &Outcome) -> Object {
    let mut line = Object::new();
    line.insert("status".to_owned(), status(outcome.status).into());
    if let Status::Crash(crash) = outcome.status {
        line.insert("detail".to_owned(), crash.as_str().into());
    }
    if outcome.status == Status::Recorded {
        let observations = outcome.observations.iter().map(|turn| list(turn.iter().map(observation)));
        line.extend(object([
            ("success", outcome.is_success().into()),
            ("message", message(&outcome.message)),
            ("counts", counts(outcome.counts)),
            ("response_eval", outcome.assessment.map_or(Value::Null, assessment)),
            ("observations", list(observations)),
        ]));
    }
    if golden.rules().is_strict() {
        let tally = &outcome.tally;
        line.extend(object([
            ("redundant_calls", count(tally.redundant_calls)),
            ("extra_calls", count(tally.extra_calls)),
        ]));
    }
    line
}

/// What happened in each turn with calls.
pub(super) fn steps(golden: &Golden, outcome: &Outcome) -> Value {
    list(outcome.steps.iter().map(|step| step_line(golden, step)))
}

fn step_line(golden: &Golden, step: &Trace) -> Value {
    let mut line = Object::new();
    let before = step.golden_before.iter().map(|ordinal| place(golden, *ordinal));
    line.insert("golden_before".to_owned(), list(before));
    line.insert("how".to_owned(), list(step.how.iter().map(|how| how.as_str().into())));
    if let Some(assigned) = &step.assignment {
        line.insert("assignment".to_owned(), assignment(assigned));
    }
    if let Some(mapping) = &step.mapping {
        let pair = |(predicted, ordinal): &(usize, usize)| {
            Value::from(object([("pred", count(*predicted)), ("golden", place(golden, *ordinal))]))
        };
        line.insert("mapping".to_owned(), list(mapping.iter().map(pair)));
    }
    if let Some(end) = &step.end {
        line.extend(step_end(end));
    }
    line.into()
}

fn step_end(end: &TraceEnd) -> Object {
    let format_errors = end.format_errors.iter().map(|(at, text)| (at.to_string(), text.as_str().into()));
    object([
        ("success", list(end.success.iter().map(|at| count(*at)))),
        ("format_errors", Value::Object(format_errors.collect())),
        ("value_errors", errors(&end.value_errors)),
        ("golden_sizes", count(end.golden_size)),
    ])
}

fn assignment(it: &Assignment) -> Value {
    let rounded = |number: &f64| Value::from((number * DIGITS).round() / DIGITS);
    object([
        ("similarity", list(it.similarity.iter().map(|row| list(row.iter().map(rounded))))),
        ("rows", list(it.rows.iter().map(|at| count(*at)))),
        ("cols", list(it.columns.iter().map(|at| count(*at)))),
    ])
    .into()
}

fn place(golden: &Golden, ordinal: usize) -> Value {
    let (step, call) = golden.place(ordinal);
    list([count(step), count(call)])
}

fn message(message: &Message) -> Value {
    match message {
        Message::Success => "Success.".into(),
        Message::Fault(it) => fault(it),
        Message::Faults(faults) => list(faults.iter().map(fault)),
        Message::Text(text) => text.as_str().into(),
    }
}

fn errors(errors: &Errors) -> Value {
    match errors {
        Errors::List(faults) => list(faults.iter().map(fault)),
        Errors::Text(text) => text.as_str().into(),
    }
}

fn fault(fault: &Fault) -> Value {
    let fields = [("error_type", fault.error_type.as_str().into()), ("content", fault.content.as_str().into())];
    object(fields).into()
}

fn counts(it: Counts) -> Value {
    let fields = [
        ("success_turn_num", it.success_turn_num),
        ("total_turn_num", it.total_turn_num),
        ("correct_call_num", it.correct_call_num),
        ("total_call_num", it.total_call_num),
        ("real_turn_num", it.real_turn_num),
    ];
    object(fields.map(|(name, number)| (name, count(number)))).into()
}

fn assessment(it: Assessment) -> Value {
    object([("complete", i64::from(it.complete).into()), ("correct", i64::from(it.correct).into())]).into()
}

fn observation(it: &Observation) -> Value {
    match it {
        Observation::Golden(_) => "golden".into(),
        Observation::GenericError => "generic_error".into(),
        Observation::FormatError(text) => object([("format_error", text.as_str().into())]).into(),
    }
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

fn count(number: usize) -> Value {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::complexfunc::metric::{Crash, ErrorType, How, Rules};
    use crate::record::Expected;
    use std::sync::Arc;

    fn golden(rules: Rules) -> Golden {
        let sample = sample("Boats-0");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        Golden::new(steps, &sample.candidates, Arc::default(), rules)
    }

    fn upstream() -> Golden {
        golden(Rules::Upstream(crate::complexfunc::metric::Dialect::Gpt))
    }

    #[test]
    fn what_has_no_result_has_its_status_alone() {
        let of = |status| Value::from(fields(&upstream(), &Outcome { status, ..Outcome::default() })).to_string();
        assert_eq!(of(Status::NotRecorded), r#"{"status":"not_recorded"}"#);
        assert_eq!(of(Status::Crash(Crash::Attribute)), r#"{"status":"crash","detail":"AttributeError"}"#);
    }

    #[test]
    fn a_trajectory_without_a_result_is_no_success() {
        let of = |status, message| {
            let it = verdict("s", &Outcome { status, message, ..Outcome::default() }, Object::new());
            (it.outcome.is_right(), it.marks.get(Mark::Success), it.error, it.reason)
        };
        let wrong = |error, reason: &str| (Some(false), Some(false), Some(error), reason.to_owned());
        let stopped = Message::Text("Stop early.".to_owned());
        assert_eq!(of(Status::NotRecorded, Message::Success), wrong("not_recorded", ""));
        assert_eq!(of(Status::Crash(Crash::Attribute), stopped.clone()), wrong("crash", "AttributeError"));
        assert_eq!(of(Status::Recorded, stopped), wrong("no_api_answer", "Stop early."));
        let fault = Fault::new(ErrorType::FuncError, "x");
        assert_eq!(of(Status::Recorded, Message::Fault(fault.clone())), wrong("func_error", "x"));
        assert_eq!(of(Status::Recorded, Message::Faults(vec![fault])), wrong("func_error", "x"));
        assert_eq!(of(Status::Recorded, Message::Success), (Some(true), Some(true), None, String::new()));
    }

    #[test]
    fn messages_are_a_word_a_fault_several_or_a_text() {
        let fault = Fault::new(ErrorType::FuncError, "x");
        let of = |message| super::message(&message).to_string();
        assert_eq!(of(Message::Success), "\"Success.\"");
        assert_eq!(of(Message::Fault(fault.clone())), r#"{"error_type":"func_error","content":"x"}"#);
        assert_eq!(of(Message::Faults(vec![fault])), r#"[{"error_type":"func_error","content":"x"}]"#);
        assert_eq!(
            (of(Message::Text("t".to_owned())), errors(&Errors::Text("e".to_owned())).to_string()),
            ("\"t\"".to_owned(), "\"e\"".to_owned())
        );
    }

    #[test]
    fn observations_and_assessments_are_written_as_the_vectors_have_them() {
        let mut outcome = Outcome { assessment: Some(Assessment { complete: -2, correct: 2 }), ..Outcome::default() };
        outcome.observations =
            vec![vec![Observation::Golden(1), Observation::GenericError, Observation::FormatError("f".to_owned())]];
        let line = Value::from(fields(&golden(Rules::default()), &outcome)).to_string();
        assert!(line.contains(r#""observations":[["golden","generic_error",{"format_error":"f"}]]"#), "{line}");
        assert!(
            line.contains(r#""response_eval":{"complete":-2,"correct":2}"#)
                && line.ends_with(r#""redundant_calls":0,"extra_calls":0}"#)
        );
    }

    #[test]
    fn a_step_is_told_with_places_and_rounded_figures() {
        let end = TraceEnd {
            golden_size: 2,
            success: vec![0],
            format_errors: [(1, "f".to_owned())].into(),
            value_errors: Errors::List(Vec::new()),
        };
        let assigned = Assignment { similarity: vec![vec![0.123_456_789_49]], rows: vec![0], columns: vec![0] };
        let step = Trace {
            golden_before: vec![0, 1],
            assignment: Some(assigned),
            mapping: Some(vec![(0, 1)]),
            how: vec![How::Judge],
            end: Some(end),
        };
        let broken = Trace { golden_before: vec![1], ..Trace::default() };
        let outcome = Outcome { steps: vec![step, broken], ..Outcome::default() };
        insta::assert_snapshot!(steps(&upstream(), &outcome), @r#"[{"golden_before":[[0,0],[1,0]],"how":["llm"],"assignment":{"similarity":[[0.123456789]],"rows":[0],"cols":[0]},"mapping":[{"pred":0,"golden":[1,0]}],"success":[0],"format_errors":{"1":"f"},"value_errors":[],"golden_sizes":2},{"golden_before":[[1,0]],"how":[]}]"#);
    }
}
