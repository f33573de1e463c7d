//! The line of one trajectory, as `fcgen score --items` writes it.

use crate::record::{Object, Value};
use crate::score::complexfunc::{
    Assessment, Assignment, Counts, Errors, Fault, Golden, Message, Observation, Outcome, Status, Trace, TraceEnd,
};

/// Digits of a similarity behind the point.
const DIGITS: f64 = 1e9;

/// What comes of a trajectory, without its id: the status, and all that stands behind it.
pub(super) fn fields(golden: &Golden, outcome: &Outcome) -> Object {
    let mut line = Object::new();
    let status = match outcome.status {
        Status::Recorded => "recorded",
        Status::NotRecorded => "not_recorded",
        Status::Crash(_) => "crash",
    };
    line.insert("status".to_owned(), status.into());
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
