//! Verdicts as lines of a file.

use super::board::Found;
use crate::callnavi::metric::strict::{self, ErrorClass, Gold, RouteVerdict};
use crate::record::{BorrowedValue, Difficulty, Mark, Object, Sample, Value, Verdict};

/// What was found of an answer with parameters, by whatever profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Judged {
    pub found: Found,
    /// The value that was judged; an empty object where there is none.
    pub washed: Value,
    /// Whether that is a repair.
    pub repaired: bool,
    /// What the authors' script breaks off with.
    pub abort: Option<&'static str>,
    /// What a judge gave.
    pub score: Option<f64>,
    /// By which way it was found; our own profile alone says so, and why it is wrong.
    pub way: Option<String>,
    pub errors: Vec<ErrorClass>,
    pub reason: String,
}

/// The same of a list of names.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Routed {
    pub right: bool,
    pub names: Option<Vec<String>>,
    pub way: Option<String>,
    pub errors: Vec<ErrorClass>,
    pub reason: String,
}

impl From<strict::Verdict> for Judged {
    fn from(verdict: strict::Verdict) -> Self {
        let strict::Verdict { syntax, repaired, order, structure, ast, errors, reason, .. } = verdict;
        Self {
            found: Found { syntax, mended: syntax || repaired, order, structure, ast },
            washed: verdict.washed.unwrap_or_else(|| Value::Object(Object::new())),
            repaired,
            way: verdict.way.map(|way| way.to_string()),
            errors,
            reason,
            ..Self::default()
        }
    }
}

impl From<RouteVerdict> for Routed {
    fn from(verdict: RouteVerdict) -> Self {
        let RouteVerdict { way, names, right, errors, reason } = verdict;
        let names = way.is_some().then_some(names);
        Self { right, names, way: way.map(|way| way.to_string()), errors, reason }
    }
}

/// The verdict on a sample in a run: on the calls, where they were asked for, else on the names. Its line has the fields of
/// the authors' items first, with nothing in those of a task that was not asked.
pub(super) fn verdict(
    sample: &Sample,
    run: Option<u32>,
    domain: &str,
    judged: Option<&Judged>,
    routed: Option<&Routed>,
) -> Verdict {
    let mut line = Object::new();
    let mut put = |name: &str, value: Value| drop(line.insert(name.to_owned(), value));
    let of = |of: fn(&Found) -> bool| judged.map_or(Value::Null, |it| of(&it.found).into());
    put("id", sample.id.as_str().into());
    if let Some(run) = run {
        put("run", i64::from(run).into());
    }
    put("domain", domain.into());
    put("difficulty", sample.data_type.0.as_str().into());
    put("syntax", of(|it| it.syntax));
    put("washed", judged.map_or(Value::Null, |it| it.washed.clone().portable()));
    put("order", of(|it| it.order));
    put("structure", of(|it| it.structure));
    put("ast", of(|it| it.ast));
    put("routing", routed.map_or(Value::Null, |it| it.right.into()));
    put("gpt", judged.and_then(|it| it.score).map_or(Value::Null, |it| Value::from(it).portable()));
    put("error", judged.and_then(|it| it.abort).map_or(Value::Null, Value::from));
    if let Some(it) = judged {
        put_reasons(&mut put, "", it.repaired, it.way.as_deref(), &it.errors, &it.reason);
    }
    if let Some(it) = routed {
        if let Some(names) = &it.names {
            put("route", names.iter().map(|name| name.as_str().into()).collect::<Vec<_>>().into());
        }
        put_reasons(&mut put, "route_", false, it.way.as_deref(), &it.errors, &it.reason);
    }
    let right = judged.map(|it| it.found.ast).or(routed.map(|it| it.right));
    let errors = judged.iter().flat_map(|it| &it.errors).chain(routed.iter().flat_map(|it| &it.errors));
    let error = judged.and_then(|it| it.abort).or_else(|| errors.map(|error| error.as_str()).next());
    let reasons = [judged.map(|it| it.reason.as_str()), routed.map(|it| it.reason.as_str())];
    let reason = reasons.into_iter().flatten().find(|reason| !reason.is_empty()).unwrap_or_default();
    let mut verdict = Verdict { run, ..Verdict::new(sample.id.as_str(), right, line).because(error, reason) };
    if let Some(Found { syntax, order, structure, ast, .. }) = judged.map(|it| it.found) {
        let marks = [(Mark::Syntax, syntax), (Mark::Calls, order), (Mark::Structure, structure), (Mark::Ast, ast)];
        verdict = marks.into_iter().fold(verdict, |verdict, (mark, right)| verdict.marked(mark, right));
    }
    match routed {
        Some(routed) => verdict.marked(Mark::Routing, routed.right),
        None => verdict,
    }
}

fn put_reasons(
    put: &mut impl FnMut(&str, Value),
    before: &str,
    repaired: bool,
    way: Option<&str>,
    errors: &[ErrorClass],
    reason: &str,
) {
    if repaired {
        put("repaired", true.into());
    }
    if let Some(way) = way {
        put(&format!("{before}way"), way.into());
    }
    if !errors.is_empty() {
        let errors: Vec<Value> = errors.iter().map(|error| error.as_str().into()).collect();
        put(&format!("{before}errors"), errors.into());
    }
    if !reason.is_empty() {
        put(&format!("{before}reason"), reason.into());
    }
}

// What is right to a sample, in the authors' form.

/// Before the domain among a sample's tags.
const DOMAIN_TAG: &str = "domain:";
/// Before the arguments among a sample's facts where there are not as many as there are calls: a JSON list.
const PARAMETERS_FACT: &str = "parameters";

/// The truth as the authors write it: names and arguments apart.
pub(super) fn truth(sample: &Sample, gold: &Gold<'_>) -> Value {
    let names = gold.names().map(Value::from).collect();
    let stated = sample.provenance.facts.get(PARAMETERS_FACT).and_then(|text| Value::read(text).ok());
    let arguments = || gold.calls.iter().map(|gold| Value::Object(gold.call.arguments.clone())).collect();
    let parameters = stated.unwrap_or_else(|| Value::List(arguments()));
    Value::Object([("API".to_owned(), Value::List(names)), ("parameters".to_owned(), parameters)].into())
}

/// Calls that a server gave, in the same form; the authors know nothing but texts.
pub(super) fn written(calls: &[(String, String)]) -> String {
    let arguments = |text: &str| BorrowedValue::read_lenient(text).map_or(Value::Null, Value::from);
    let names = calls.iter().map(|(name, _)| Value::from(name.as_str())).collect();
    let parameters = calls.iter().map(|(_, text)| arguments(text)).collect();
    Value::Object([("API".to_owned(), Value::List(names)), ("parameters".to_owned(), Value::List(parameters))].into())
        .to_string()
}

/// A sample's domain: what its tag says, else its group.
pub(super) fn domain(sample: &Sample) -> &str {
    sample.tags.iter().find_map(|tag| tag.strip_prefix(DOMAIN_TAG)).unwrap_or(&sample.group)
}

/// Which difficulty a sample has: 0 is easy, 2 hard.
pub(super) fn difficulty(sample: &Sample) -> Option<usize> {
    match (sample.difficulty, sample.data_type.0.as_str()) {
        (Some(Difficulty::Easy), _) | (None, "easy") => Some(0),
        (Some(Difficulty::Medium), _) | (None, "medium") => Some(1),
        (Some(Difficulty::Hard), _) | (None, "hard") => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::record::Outcome;
    use insta::assert_snapshot;

    #[test]
    fn the_authors_fields_come_first_and_a_task_that_was_not_asked_has_none() {
        let sample = sample("q", &[("getX", "{}")]);
        let shown = |judged: Option<&Judged>, routed: Option<&Routed>| {
            Value::Object(verdict(&sample, Some(1), "bank", judged, routed).line).to_string()
        };
        let judged = Judged {
            washed: Value::read_lenient("[NaN, 1.50]").unwrap().0,
            repaired: true,
            score: Some(0.5),
            way: Some("whole_json".to_owned()),
            errors: vec![ErrorClass::Format],
            reason: "it is a list".to_owned(),
            ..Judged::default()
        };
        assert_snapshot!(shown(Some(&judged), None), @r#"{"id":"q","run":1,"domain":"bank","difficulty":"easy","syntax":false,"washed":["__NaN__",1.50],"order":false,"structure":false,"ast":false,"routing":null,"gpt":0.5,"error":null,"repaired":true,"way":"whole_json","errors":["format"],"reason":"it is a list"}"#);
        let routed = Routed { right: true, names: Some(vec!["getX".to_owned()]), ..Routed::default() };
        assert_snapshot!(shown(None, Some(&routed)), @r#"{"id":"q","run":1,"domain":"bank","difficulty":"easy","syntax":null,"washed":null,"order":null,"structure":null,"ast":null,"routing":true,"gpt":null,"error":null,"route":["getX"]}"#);
        let both = verdict(&sample, None, "bank", Some(&judged), Some(&routed));
        assert_eq!((both.outcome, both.error, both.reason.as_str()), (Outcome::Wrong, Some("format"), "it is a list"));
        assert_eq!((both.marks.get(Mark::Ast), both.marks.get(Mark::Routing)), (Some(false), Some(true)));
        let names = verdict(&sample, None, "bank", None, Some(&routed));
        assert_eq!((names.outcome, names.marks.get(Mark::Ast)), (Outcome::Right, None), "nothing else was asked for");
        let aborted = Judged { abort: Some("TypeError"), ..Judged::default() };
        assert!(shown(Some(&aborted), None).contains(r#""error":"TypeError""#));
    }
}

#[cfg(test)]
mod truth_tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::record::DataType;

    #[test]
    fn names_and_arguments_stand_apart() {
        let mut sample = sample("q", &[("getX", r#"{"a": 1}"#), ("getY", "{}")]);
        let shown = |sample: &Sample| truth(sample, &Gold::of(sample).unwrap()).to_string();
        assert_eq!(shown(&sample), r#"{"API":["getX","getY"],"parameters":[{"a":1},{}]}"#);
        sample.provenance.facts.insert(PARAMETERS_FACT.to_owned(), "[]".to_owned());
        assert_eq!(shown(&sample), r#"{"API":["getX","getY"],"parameters":[]}"#);
    }

    #[test]
    fn native_calls_are_written_out() {
        let calls = [("f", "{\"a\": 1}"), ("g", "oops")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(written(&calls), r#"{"API":["f","g"],"parameters":[{"a":1},null]}"#);
    }

    #[test]
    fn domains_and_difficulties_are_told_in_two_ways() {
        let mut sample = sample("q", &[]);
        assert_eq!((domain(&sample), difficulty(&sample)), ("bank", Some(0)));
        sample.tags = vec!["x".to_owned(), "domain:hotel".to_owned()];
        (sample.difficulty, sample.data_type) = (None, DataType("hard".to_owned()));
        assert_eq!((domain(&sample), difficulty(&sample)), ("hotel", Some(2)));
        sample.data_type = DataType("odd".to_owned());
        assert_eq!(difficulty(&sample), None);
    }
}
