//! The rules for questions that want several calls in order, in CallNavi's manner.

use crate::callnavi::layout::{Gold, Prefixes, domain, word};
use crate::gate::check_type;
use crate::lint::entry::{Called, Entry};
use crate::lint::finding::Findings;
use crate::lint::hash::hash;
use crate::lint::samples::is_there;
use crate::lint::{Context, Only, Rule};
use crate::record::{
    Argument, ArgumentNotes, Difficulty, FunctionCall, Object, Origin, PLACEHOLDER, SuiteId, Tool, Value,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// All of them; samples of other suites are none of their business.
pub fn rules(is_authors: bool) -> Only {
    let mut rules: Vec<Box<dyn Rule>> = vec![
        Box::new(apis),
        Box::new(counts),
        Box::new(names),
        Box::new(types),
        Box::new(difficulties),
        Box::new(answers),
        Box::new(values),
        Box::new(Coverage::default()),
    ];
    if is_authors {
        rules.push(Box::new(Ids::default()));
    }
    Only { applies: |entry| entry.sample.suite == SuiteId::CallNavi, rules }
}

/// Every call names an API that the question shows.
fn apis(_: &Context, entry: &Entry, findings: &mut Findings) {
    let calls = entry.calls();
    let mut missing: Vec<&str> = calls.iter().map(|called| called.call.name.as_str()).collect();
    missing.retain(|name| entry.candidate(name).is_none());
    missing.dedup();
    findings.tally("questions name only APIs of their list", missing.is_empty());
    if calls.is_empty() {
        findings.error("api", entry, "no expected call; at least one is required");
    } else if !missing.is_empty() {
        let told: Vec<String> = missing.iter().map(|name| unknown_api(entry, name)).collect();
        findings.error("api", entry, told.join("; "));
    }
}

fn unknown_api(entry: &Entry, name: &str) -> String {
    let like = |tool: &&Tool| tool.function().eq_ignore_ascii_case(name);
    let alike = entry.sample.candidates.iter().map(|tool| &**tool).find(like);
    let hint = alike.map(|tool| format!(" (did you mean `{}`?)", tool.name)).unwrap_or_default();
    format!("`{name}` is not one of the {} listed APIs{hint}", entry.sample.candidates.len())
}

/// There are as many objects of parameters as there are calls.
fn counts(_: &Context, entry: &Entry, findings: &mut Findings) {
    let Some(gold) = Gold::of(&entry.sample).filter(|gold| !gold.is_even()) else { return };
    let (apis, objects) = (gold.api.len(), gold.parameters.len());
    if apis == 1 && objects == 0 {
        let message = "`parameters` is an empty list for one call; expected `[{}]`, which is what models return";
        findings.error("empty_parameters", entry, message);
    } else {
        let message = format!("{apis} calls have {objects} parameter objects; expected one per call");
        findings.error("counts", entry, message);
    }
}

/// Calls give the parameters that their APIs declare: none besides them, and none too few.
fn names(_: &Context, entry: &Entry, findings: &mut Findings) {
    let Some(gold) = Gold::of(&entry.sample) else { return };
    // A call whose parameters are not there at all is reported by another rule.
    let calls = gold.api.iter().zip(&gold.parameters);
    let of: Vec<Disagreement> =
        calls.filter_map(|(name, given)| Some(disagreement(entry.candidate(name)?, given))).collect();
    let (unknown, missing) = (of.iter().any(|it| !it.unknown.is_empty()), of.iter().any(|it| !it.missing.is_empty()));
    findings.tally("questions give only declared parameters", !unknown);
    findings.tally("questions give every required parameter", !missing);
    if unknown || missing {
        let told: Vec<String> = of.iter().filter_map(Disagreement::told).collect();
        findings.error("parameter_names", entry, told.join("; "));
    }
}

/// How a call differs from what its API declares.
struct Disagreement<'e> {
    tool: &'e Tool,
    unknown: Vec<&'e str>,
    missing: Vec<&'e str>,
}

fn disagreement<'e>(tool: &'e Tool, given: &'e Object) -> Disagreement<'e> {
    let declared = &tool.parameters;
    let unknown = given.keys().filter(|name| !declared.properties.contains_key(*name)).map(String::as_str).collect();
    let missing = declared.required.iter().filter(|name| !given.contains_key(*name)).map(String::as_str).collect();
    Disagreement { tool, unknown, missing }
}

impl Disagreement<'_> {
    fn told(&self) -> Option<String> {
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let unknown = (!self.unknown.is_empty()).then(|| format!("has no parameter {}", quoted(&self.unknown)));
        let missing = (!self.missing.is_empty()).then(|| format!("requires {}", quoted(&self.missing)));
        let parts: Vec<String> = unknown.into_iter().chain(missing).collect();
        (!parts.is_empty()).then(|| format!("`{}` {}", self.tool.name, parts.join(" and ")))
    }
}

/// Values are of the types that their APIs declare.
fn types(_: &Context, entry: &Entry, findings: &mut Findings) {
    let mut faults = Vec::new();
    for called in entry.calls() {
        let Some(tool) = entry.candidate(&called.call.name) else { continue };
        for (name, value) in &called.call.arguments {
            let Some(parameter) = tool.parameters.properties.get(name) else { continue };
            // What is left open is of any type, and so is what declares none.
            let is_free = parameter.kind.is_none() && parameter.values.is_none();
            if value.as_str() != Some(PLACEHOLDER) && !is_free {
                faults.extend(check_type(name, parameter, value).err().map(|fault| fault.detail));
            }
        }
    }
    let fault = (!faults.is_empty()).then(|| faults.join("; "));
    findings.check("questions have values of the declared types", "type", entry, fault);
}

/// The difficulty of a question is that of its calls.
fn difficulties(context: &Context, entry: &Entry, findings: &mut Findings) {
    let Some(difficulty) = entry.sample.difficulty else {
        let message = format!("unknown difficulty `{}`; expected `easy`, `medium` or `hard`", entry.sample.data_type.0);
        findings.error("difficulty", entry, message);
        return;
    };
    let named = word(difficulty);
    if entry.sample.data_type.0 != named {
        let message = format!("data type `{}` differs from difficulty `{named}`", entry.sample.data_type.0);
        findings.error("difficulty", entry, message);
    }
    if let Some(fault) = difficulty_fault(context, entry, difficulty) {
        findings.error("difficulty", entry, format!("difficulty `{named}`, but {fault}"));
    }
}

fn difficulty_fault(context: &Context, entry: &Entry, difficulty: Difficulty) -> Option<String> {
    let calls = entry.calls();
    let count = calls.len();
    let is_fed = has_origin(&calls, |origin| matches!(origin, Origin::Answer { .. }));
    let is_incomplete = has_origin(&calls, |origin| *origin == Origin::Missing);
    let has_reason = is_fed || entry.sample.tags.iter().any(|tag| REASONS.contains(&tag.as_str()));
    match difficulty {
        Difficulty::Easy if count != 1 => Some(format!("{count} expected calls instead of 1")),
        Difficulty::Medium if count < 2 => Some(format!("{count} expected call instead of 2 or more")),
        Difficulty::Easy | Difficulty::Medium if is_fed => Some("a call needs an earlier answer".to_owned()),
        Difficulty::Easy | Difficulty::Medium if is_incomplete => Some("a value is not given".to_owned()),
        Difficulty::Hard if !context.is_authors && !has_reason => {
            Some(format!("no call needs an earlier answer and no tag gives another reason ({})", REASONS.join(", ")))
        }
        _ => None,
    }
}

/// Tags that say what makes a question hard.
const REASONS: [&str; 5] = ["dependent", "ambiguous", "incomplete", "conflicting", "transformed"];

fn has_origin(calls: &[Called<'_>], fits: fn(&Origin) -> bool) -> bool {
    calls.iter().filter_map(|called| called.notes).flat_map(|notes| notes.values()).any(|note| fits(&note.origin))
}

/// What is left open says why: an earlier call answers it, any wording is right, or nobody gives it.
fn answers(_: &Context, entry: &Entry, findings: &mut Findings) {
    let calls = entry.calls();
    for (at, called) in calls.iter().enumerate() {
        let Some(notes) = called.notes else { continue };
        for name in notes.keys().filter(|name| !called.call.arguments.contains_key(*name)) {
            let message = format!("note on `{name}`, which is not an argument of call {at}");
            findings.error("note", entry, message);
        }
        for (name, value) in &called.call.arguments {
            if let Some(fault) = placeholder(called.call, name, value, notes) {
                findings.error("placeholder", entry, fault);
            }
            fed(entry, &calls, (at, name), notes, findings);
        }
    }
}

/// Looks at a value that an earlier answer gives.
fn fed(entry: &Entry, calls: &[Called<'_>], (at, name): (usize, &str), notes: &ArgumentNotes, findings: &mut Findings) {
    let Some(Origin::Answer { call, field }) = notes.get(name).map(|note| &note.origin) else { return };
    let fault = source(entry, calls, at, *call, field).map(|it| format!("{}.{name} {it}", calls[at].call.name));
    findings.check("values from earlier answers are found in them", "answer", entry, fault);
}

/// Whether a value and its note agree on it being left open.
fn placeholder(call: &FunctionCall, name: &str, value: &Value, notes: &ArgumentNotes) -> Option<String> {
    let is_open = value.as_str() == Some(PLACEHOLDER);
    let place = format!("{}.{name}", call.name);
    match notes.get(name).map(|note| &note.origin) {
        None if is_open => Some(format!("{place} is `{PLACEHOLDER}` without a note")),
        Some(Origin::Answer { .. } | Origin::Open | Origin::Missing) if !is_open => {
            let shown = serde_json::to_string(value).unwrap_or_default();
            Some(format!(
                "{place} is {shown}, but its note marks it as left open by the question; expected `{PLACEHOLDER}`"
            ))
        }
        Some(Origin::Answer { .. } | Origin::Open | Origin::Missing) | None => None,
        Some(_) if is_open => {
            Some(format!("{place} is `{PLACEHOLDER}`, but its note marks it as given by the question"))
        }
        Some(_) => None,
    }
}

/// What is wrong with the answer that a value is said to come from.
fn source(entry: &Entry, calls: &[Called<'_>], at: usize, from: usize, field: &str) -> Option<String> {
    let Some(earlier) = calls.get(from).filter(|_| from < at) else {
        return Some(format!("is noted as from the answer of call {from}, which is not before call {at}"));
    };
    match earlier.answer {
        Some(answer) if !answer.is_null() => pointed(answer, field).is_none().then(|| {
            let shown = serde_json::to_string(answer).unwrap_or_default();
            format!("is noted as from `{field}` of the answer of call {from}, which is {shown}")
        }),
        // No world answered: the API's declaration must do.
        _ => declares(entry, &earlier.call.name, field).is_some_and(|is_there| !is_there).then(|| {
            format!(
                "is noted as from `{field}` of the answer of call {from}, but `{}` declares no such field",
                earlier.call.name
            )
        }),
    }
}

/// The value that a JSON pointer points at; `null` is none.
fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let parts = pointer.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~"));
    let step = |value: &'v Value, part: String| match value {
        Value::Object(fields) => fields.get(&part),
        Value::List(list) => list.get(part.parse::<usize>().ok()?),
        _ => None,
    };
    parts.into_iter().try_fold(value, step).filter(|found| !found.is_null())
}

/// Whether an API declares a field of its answer; none where it declares none at all.
fn declares(entry: &Entry, name: &str, pointer: &str) -> Option<bool> {
    let fields = entry.candidate(name)?.returns.as_ref()?.get("properties").and_then(Json::as_object)?;
    let first = pointer.strip_prefix('/').and_then(|rest| rest.split('/').next())?;
    (!fields.is_empty()).then(|| fields.contains_key(first))
}

/// A value that the question gives stands in it. Where no note says that a value stands in the words, it is counted and not
/// complained of.
fn values(context: &Context, entry: &Entry, findings: &mut Findings) {
    for called in entry.calls() {
        let Some(tool) = entry.candidate(&called.call.name) else { continue };
        for (name, value) in &called.call.arguments {
            let note = called.notes.and_then(|notes| notes.get(name));
            if value.as_str() != Some(PLACEHOLDER) && note.is_none_or(is_said) {
                value_stands(context, entry, tool, (name, value), note, findings);
            }
        }
    }
}

fn value_stands(
    context: &Context,
    entry: &Entry,
    tool: &Tool,
    (name, value): (&str, &Value),
    note: Option<&Argument>,
    findings: &mut Findings,
) {
    let words = entry.said().words;
    let stands = value.as_str().is_some_and(|text| words.contains(text))
        || context.ground.says(tool, name, value, words).is_some();
    findings.tally("values stand in their question", stands);
    let Some(note) = note else { return };
    let shown = serde_json::to_string(value).unwrap_or_default();
    if !stands {
        findings.error("value", entry, format!("the question does not say {name} = {shown}"));
    } else if let Some(surface) = note.surface.as_deref().filter(|surface| !is_there(words, surface)) {
        let message = format!("noted words `{surface}` for `{name}` do not occur in the question");
        findings.error("note", entry, message);
    }
}

/// Whether the note says that the words give the value.
fn is_said(note: &Argument) -> bool {
    matches!(note.origin, Origin::Verbatim | Origin::Normalised | Origin::Enum)
}

/// Every API by the hash of its domain and name, and whether some question asks for it; memory grows with the APIs.
#[derive(Default)]
struct Coverage(BTreeMap<u64, bool>);

impl Rule for Coverage {
    fn see(&mut self, _: &Context, entry: &Entry, _: &mut Findings) {
        let domain = domain(&entry.sample);
        for tool in &entry.sample.candidates {
            self.0.entry(hash(&[domain, &tool.name])).or_default();
        }
        for tool in entry.calls().iter().filter_map(|called| entry.candidate(&called.call.name)) {
            self.0.insert(hash(&[domain, &tool.name]), true);
        }
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        for is_used in self.0.values() {
            findings.tally("APIs are asked for by some question", *is_used);
        }
    }
}

/// The letters of each domain.
struct Ids(Prefixes);

impl Default for Ids {
    fn default() -> Self {
        Self(Prefixes::new())
    }
}

impl Rule for Ids {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let (id, domain) = (entry.sample.id.as_str(), domain(&entry.sample));
        let digits = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let regular = self.0.id(domain, digits.parse().unwrap_or_default());
        findings.tally("ids are regular", id == regular);
        if id != regular {
            findings.warning("irregular_id", entry, format!("irregular id `{id}`; expected an id such as `{regular}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{arguments, entry, questions, sample, step};
    use crate::lint::testing::{context, findings, found, found_in};

    #[test]
    fn sound_questions_break_no_rule() {
        let entries = ["easy", "medium", "hard"].map(|difficulty| entry(questions(difficulty)));
        assert_eq!(found(rules(false), &entries), Vec::<String>::new());
    }

    #[test]
    fn other_suites_are_left_alone() {
        let mut strange = sample("a", "no such difficulty");
        strange.candidates.clear();
        assert_eq!(found_in(&context("en", true), rules(true), &[entry(strange)]), Vec::<String>::new());
    }

    mod apis {
        use super::*;
        use crate::record::Expected;

        #[test]
        fn a_call_bears_the_name_that_is_shown() {
            let mut parted = questions("easy");
            std::sync::Arc::make_mut(&mut parted.candidates[0]).name = "bank.getCard".to_owned();
            assert_eq!(
                found(apis, &[entry(parted)]),
                ["api: `getCard` is not one of the 3 listed APIs (did you mean `bank.getCard`?)"]
            );
        }

        #[test]
        fn an_api_that_is_not_there_is_named_once_a_question() {
            let mut both = questions("medium");
            step(&mut both, 0).calls[0].name = "getcard".to_owned();
            step(&mut both, 1).calls[0].name = "stop".to_owned();
            let mut none = questions("easy");
            none.expected = Expected::Refusal;
            assert_eq!(
                found(apis, &[entry(both), entry(none), entry(questions("hard"))]),
                [
                    "api: `getcard` is not one of the 3 listed APIs (did you mean `getCard`?); `stop` is not one of the 3 listed APIs",
                    "api: no expected call; at least one is required",
                ]
            );
        }
    }

    mod counts {
        use super::*;
        use crate::callnavi::layout::PARAMETERS_FACT;

        fn of(difficulty: &str, parameters: &str) -> Vec<String> {
            let mut sample = questions(difficulty);
            sample.provenance.facts.insert(PARAMETERS_FACT.to_owned(), parameters.to_owned());
            found(counts, &[entry(sample)])
        }

        #[test]
        fn every_call_has_its_parameters() {
            assert!(of("easy", "[]")[0].starts_with("empty_parameters: `parameters` is an empty list"));
            assert_eq!(of("medium", "[{}]"), ["counts: 2 calls have 1 parameter objects; expected one per call"]);
            assert_eq!(of("medium", "[{}, {}]"), Vec::<String>::new());
            assert_eq!(found(counts, &[entry(questions("easy"))]), Vec::<String>::new());
        }
    }

    mod names {
        use super::*;

        #[test]
        fn one_finding_tells_all_of_a_question() {
            let mut renamed = questions("medium");
            let value = arguments(&mut renamed, 0).shift_remove("customerId").unwrap();
            arguments(&mut renamed, 0).insert("customer".to_owned(), value.clone());
            arguments(&mut renamed, 1).insert("why".to_owned(), value);
            assert_eq!(
                found(names, &[entry(renamed)]),
                [
                    "parameter_names: `getCard` has no parameter `customer` and requires `customerId`; `blockCard` has no parameter `why`"
                ]
            );
        }

        #[test]
        fn what_may_be_left_out_may_be_left_out() {
            let mut full = questions("easy");
            arguments(&mut full, 0).insert("limit".to_owned(), 3.into());
            assert_eq!(found(names, &[entry(full), entry(questions("hard"))]), Vec::<String>::new());
        }
    }

    mod types {
        use super::*;
        use crate::record::{Parameter, Value};
        use std::sync::Arc;

        fn of(parameter: &str, value: &str) -> Vec<String> {
            let mut sample = questions("easy");
            let parameter: Parameter = serde_json::from_str(parameter).unwrap();
            Arc::make_mut(&mut sample.candidates[0]).parameters.properties.insert("customerId".to_owned(), parameter);
            arguments(&mut sample, 0).insert("customerId".to_owned(), Value::read(value).unwrap());
            found(types, &[entry(sample)])
        }

        #[test]
        fn a_value_of_another_type_is_told() {
            assert_eq!(of(r#"{"type": "string"}"#, "500"), ["type: customerId = 500 is no string"]);
            assert_eq!(of(r#"{"type": "number"}"#, "\"500\""), ["type: customerId = \"500\" is no number"]);
            assert_eq!(
                of(r#"{"type": "string", "enum": ["a", "b"]}"#, "\"c\""),
                ["type: customerId = \"c\" is not listed"]
            );
        }

        #[test]
        fn fields_are_looked_into() {
            let parcel = r#"{"type": "object", "properties": {"weight": {"type": "number"}, "size": {"type": "object", "properties": {"height": {"type": "number"}}}}}"#;
            assert_eq!(of(parcel, r#"{"weight": 2, "size": {"height": "$$$"}}"#), Vec::<String>::new());
            assert_eq!(
                of(parcel, r#"{"weight": "$$$", "size": {"height": "tall"}}"#),
                ["type: customerId: \"tall\" is not of type \"number\" at `/size/height`"]
            );
        }

        #[test]
        fn where_no_type_is_declared_any_will_do() {
            for value in ["500", "{}", "\"\"", "\"$$$\""] {
                assert_eq!(of("{}", value), Vec::<String>::new(), "{value}");
            }
            assert_eq!(of(r#"{"type": "number"}"#, "\"$$$\""), Vec::<String>::new());
        }
    }

    mod difficulty {
        use super::*;
        use crate::record::{DataType, Sample};

        fn called(mut sample: Sample, difficulty: Difficulty) -> Sample {
            (sample.data_type, sample.difficulty) = (DataType(word(difficulty).to_owned()), Some(difficulty));
            sample
        }

        fn of(sample: Sample, is_authors: bool) -> Vec<String> {
            found_in(&context("en", is_authors), difficulties, &[entry(sample)])
        }

        #[test]
        fn calls_and_what_feeds_them_make_the_difficulty() {
            let cases = [
                ("medium", Difficulty::Easy, "difficulty `easy`, but 2 expected calls instead of 1"),
                ("easy", Difficulty::Medium, "difficulty `medium`, but 1 expected call instead of 2 or more"),
                ("hard", Difficulty::Medium, "difficulty `medium`, but a call needs an earlier answer"),
            ];
            for (question, difficulty, finding) in cases {
                assert_eq!(of(called(questions(question), difficulty), false), [format!("difficulty: {finding}")]);
            }
        }

        #[test]
        fn a_hard_question_has_a_reason() {
            let mut sample = called(questions("medium"), Difficulty::Hard);
            assert!(of(sample.clone(), false)[0].contains("no tag gives another reason"));
            assert_eq!(of(sample.clone(), true), Vec::<String>::new(), "the layout has no place for it");
            sample.tags.push("ambiguous".to_owned());
            assert_eq!(of(sample, false), Vec::<String>::new());
        }

        #[test]
        fn where_a_value_is_missing_it_is_not_easy() {
            let mut sample = questions("easy");
            step(&mut sample, 0).notes[0]["customerId"].origin = Origin::Missing;
            assert_eq!(of(sample, false), ["difficulty: difficulty `easy`, but a value is not given"]);
        }

        #[test]
        fn the_word_is_one_of_three_and_the_same_in_both_places() {
            let mut sample = questions("easy");
            sample.data_type = DataType("Easy".to_owned());
            assert_eq!(of(sample.clone(), false), ["difficulty: data type `Easy` differs from difficulty `easy`"]);
            sample.difficulty = None;
            assert!(of(sample, false)[0].contains("unknown difficulty `Easy`"));
        }
    }

    mod answers {
        use super::*;
        use crate::record::{Argument, Sample};

        /// A hard question whose second call takes its value from somewhere else.
        fn fed(call: usize, field: &str, answer: &str) -> Sample {
            let mut sample = questions("hard");
            step(&mut sample, 0).answers = vec![Value::read(answer).unwrap()];
            step(&mut sample, 1).notes[0]["cardId"].origin = Origin::Answer { call, field: field.to_owned() };
            sample
        }

        fn of(sample: Sample) -> Vec<String> {
            found(answers, &[entry(sample)])
        }

        #[test]
        fn an_earlier_answer_holds_the_field() {
            let nested = r#"{"cards": [{"id": "C1"}, {"id": null}], "a/b": 1}"#;
            for field in ["/cards/0/id", "/a~1b"] {
                assert_eq!(of(fed(0, field, nested)), Vec::<String>::new(), "{field}");
            }
            for field in ["/cards/1/id", "/cards/2", "/cards/x", "/card", "cards", "/a~1b/c"] {
                let found = of(fed(0, field, nested));
                assert!(
                    found.len() == 1 && found[0].starts_with("answer: blockCard.cardId is noted as from `"),
                    "{field}: {found:?}"
                );
            }
            assert_eq!(
                of(fed(1, "/cardId", "{}")),
                ["answer: blockCard.cardId is noted as from the answer of call 1, which is not before call 1"]
            );
        }

        #[test]
        fn without_a_world_the_declaration_must_do() {
            assert_eq!(of(fed(0, "/cardId", "null")), Vec::<String>::new());
            assert!(of(fed(0, "/status", "null"))[0].ends_with("but `getCard` declares no such field"));
            let mut undeclared = fed(0, "/status", "null");
            std::sync::Arc::make_mut(&mut undeclared.candidates[0]).returns = None;
            assert_eq!(of(undeclared), Vec::<String>::new());
        }

        #[test]
        fn a_placeholder_and_its_note_agree() {
            let mut open = questions("easy");
            arguments(&mut open, 0).insert("customerId".to_owned(), PLACEHOLDER.into());
            assert_eq!(
                of(open.clone()),
                ["placeholder: getCard.customerId is `$$$`, but its note marks it as given by the question"]
            );
            step(&mut open, 0).notes[0].clear();
            assert_eq!(of(open.clone()), ["placeholder: getCard.customerId is `$$$` without a note"]);
            step(&mut open, 0).notes[0].insert(
                "customerId".to_owned(),
                Argument { surface: None, origin: Origin::Open, ..Argument::default() },
            );
            assert_eq!(of(open.clone()), Vec::<String>::new());
            arguments(&mut open, 0).insert("customerId".to_owned(), "U7".into());
            assert!(of(open)[0].ends_with("expected `$$$`"));
        }

        #[test]
        fn notes_belong_to_given_arguments() {
            let mut noted = questions("easy");
            step(&mut noted, 0).notes[0].insert("why".to_owned(), Argument::default());
            assert_eq!(of(noted.clone()), ["note: note on `why`, which is not an argument of call 0"]);
            step(&mut noted, 0).notes.clear();
            assert_eq!(of(noted), Vec::<String>::new(), "nothing was written down");
        }
    }

    mod values {
        use super::*;
        use crate::record::Sample;

        fn of(sample: Sample) -> Vec<String> {
            found(values, &[entry(sample)])
        }

        /// An easy question with another number of the customer.
        fn asks(value: Value) -> Sample {
            let mut sample = questions("easy");
            arguments(&mut sample, 0).insert("customerId".to_owned(), value);
            sample
        }

        #[test]
        fn a_value_that_the_question_does_not_say_is_told() {
            assert_eq!(of(asks("U8".into())), [r#"value: the question does not say customerId = "U8""#]);
            assert_eq!(of(questions("hard")), Vec::<String>::new());
        }

        #[test]
        fn what_comes_from_elsewhere_need_not_be_said() {
            for origin in [Origin::Inferred, Origin::Default] {
                let mut sample = asks("U8".into());
                step(&mut sample, 0).notes[0]["customerId"].origin = origin;
                assert_eq!(of(sample), Vec::<String>::new());
            }
        }

        #[test]
        fn without_a_note_it_is_only_counted() {
            let mut sample = asks("U8".into());
            step(&mut sample, 0).notes.clear();
            let findings = findings(&context("en", false), values, &[entry(sample)]);
            assert_eq!(findings.rules().count(), 0);
            let (what, tally) = findings.tallies().next().unwrap();
            assert_eq!((what, tally.right, tally.of), ("values stand in their question", 0, 1));
        }

        #[test]
        fn a_surface_is_a_piece_of_the_question() {
            let mut sample = questions("easy");
            step(&mut sample, 0).notes[0]["customerId"].surface = Some("the man U7".to_owned());
            assert_eq!(of(sample), ["note: noted words `the man U7` for `customerId` do not occur in the question"]);
        }
    }

    mod coverage {
        use super::*;

        #[test]
        fn an_api_counts_once_in_each_domain() {
            let mut other = questions("easy");
            other.tags = vec!["domain:hr".to_owned()];
            let entries = [questions("easy"), questions("hard"), other].map(entry);
            let findings = findings(&context("en", false), Coverage::default(), &entries);
            let (_, tally) = findings.tallies().next().unwrap();
            assert_eq!((tally.right, tally.of), (3, 6));
        }
    }

    mod ids {
        use super::*;
        use crate::record::ItemId;

        fn of(id: &str) -> Vec<String> {
            let mut sample = questions("easy");
            sample.id = ItemId::root(id);
            found(Ids::default(), &[entry(sample)])
        }

        #[test]
        fn numbers_have_three_digits_and_no_more_zeros_than_they_need() {
            for id in ["ban001", "ban099", "ban115", "ban1000"] {
                assert_eq!(of(id), Vec::<String>::new(), "{id}");
            }
            for (id, regular) in [("ban01", "ban001"), ("ban0115", "ban115"), ("hr007", "ban007"), ("x", "ban000")] {
                assert_eq!(of(id), [format!("irregular_id: irregular id `{id}`; expected an id such as `{regular}`")]);
            }
        }
    }
}
