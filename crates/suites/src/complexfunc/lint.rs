//! The rules for complex queries, whose calls come in steps with their answers.

use crate::complexfunc::layout::{PATH_FACT, domain_of};
use crate::complexfunc::metric::{Golden, Rules};
use crate::gate::{Gold, check_type, pointed};
use crate::lint::entry::{Called, Entry};
use crate::lint::finding::Findings;
use crate::lint::samples::is_there;
use crate::lint::{Context, Only, Rule};
use crate::locale::{Stand, value_stands};
use crate::record::{Argument, Constraint, Expected, FINAL_ANSWER_FACT, Origin, Step, Tool, Value};
use indexmap::IndexMap;

/// All of them; samples of other suites are none of their business. The authors' layout says nothing of where arguments
/// come from.
pub fn rules(is_authors: bool) -> Only {
    let mut rules: Vec<Box<dyn Rule>> = vec![Box::new(functions), Box::new(Ids::default())];
    if !is_authors {
        rules.push(Box::new(notes));
        rules.push(Box::new(origins));
        rules.push(Box::new(words));
        rules.push(Box::new(gold));
    }
    Only { applies: Entry::is_complex, rules }
}

/// Golden calls are of functions that are offered, in the form that these ask for; every call has its answer, and no two functions that are offered overlap.
fn functions(context: &Context, entry: &Entry, findings: &mut Findings) {
    let Expected::Steps(steps) = &entry.sample.expected else { return };
    if steps.is_empty() || steps.iter().any(|step| step.calls.is_empty()) {
        findings.error("steps", entry, "no step, or a step without a call");
    }
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.answers.len() != step.calls.len()) {
        let message = format!("step {at} has {} answers to {} calls", step.answers.len(), step.calls.len());
        findings.error("answers", entry, message);
    }
    for tool in &entry.sample.candidates {
        if let Some(fault) = schema_fault(tool) {
            findings.error("schema", entry, format!("`{}` {fault}", tool.name));
        }
    }
    forms(context, entry, steps, findings);
    overlaps(context, entry, findings);
}

/// The evaluator's own look at the form of a call; a listed value must be one of those that are listed besides.
fn forms(context: &Context, entry: &Entry, steps: &[Step], findings: &mut Findings) {
    let golden = Golden::new(steps, &entry.sample.candidates, context.ground.settings.clone(), Rules::default());
    for (at, called) in entry.calls().iter().enumerate() {
        let fault = golden.own_format_fault(at);
        findings.tally("golden calls have the form that their functions ask for", fault.is_none());
        if let Some(fault) = fault {
            findings.error("form", entry, format!("call {at}: {fault}"));
            continue;
        }
        let Some(tool) = entry.candidate(&called.call.name) else { continue };
        for (name, value) in &called.call.arguments {
            let checked = tool.parameters.properties.get(name).map(|parameter| check_type(name, parameter, value));
            if let Some(Err(fault)) = checked {
                findings.error("type", entry, format!("call {at}: {}", fault.detail));
            }
        }
    }
}

fn overlaps(context: &Context, entry: &Entry, findings: &mut Findings) {
    let tools = &entry.sample.candidates;
    for (at, one) in tools.iter().enumerate() {
        for other in tools.iter().skip(at + 1) {
            if let Some(group) = context.ground.functions.shared_group(&one.name, &other.name) {
                let message = format!("listed tools `{}` and `{}` overlap in `{group}`", one.name, other.name);
                findings.error("overlap", entry, message);
            }
        }
    }
}

/// What the authors' evaluator could not read of a function.
fn schema_fault(tool: &Tool) -> Option<String> {
    let properties = &tool.parameters.properties;
    let untyped = properties.iter().find(|(_, parameter)| parameter.kind.is_none());
    let undeclared = tool.parameters.required.iter().find(|name| !properties.contains_key(*name));
    untyped
        .map(|(name, _)| format!("does not declare a type for `{name}`"))
        .or_else(|| undeclared.map(|name| format!("requires `{name}`, which it does not declare")))
}

/// How many of each domain there were. In our own samples ids say where they grew, and nothing of the kind.
#[derive(Default)]
struct Ids(IndexMap<String, usize>);

impl Ids {
    fn number(&mut self, entry: &Entry, findings: &mut Findings) {
        let id = entry.sample.id.as_str();
        let domain = domain_of(id);
        let number =
            id.strip_prefix(domain).and_then(|rest| rest.strip_prefix('-')).and_then(|it| it.parse::<usize>().ok());
        let Some(number) = number.filter(|_| !domain.is_empty()) else {
            findings.error("row_id", entry, format!("invalid row id `{id}`; expected an id such as `Hotels-0`"));
            return;
        };
        let next = self.0.entry(domain.to_owned()).or_default();
        if number != *next {
            findings.warning("row_number", entry, format!("expected number {next} of `{domain}`"));
        }
        *next = number.max(*next) + 1;
    }
}

impl Rule for Ids {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        if context.is_authors {
            self.number(entry, findings);
        }
        if entry.sample.data_type.0.trim().is_empty() {
            findings.error("domain", entry, "missing domain");
        }
        let answer = entry.sample.provenance.facts.get(FINAL_ANSWER_FACT);
        if answer.is_none_or(|answer| answer.trim().is_empty()) {
            findings.error("final_answer", entry, "no closing answer");
        }
    }
}

/// Every argument of every golden call says where it comes from, and what it constrains where its function declares that.
fn notes(context: &Context, entry: &Entry, findings: &mut Findings) {
    for (at, called) in entry.calls().iter().enumerate() {
        let name = &called.call.name;
        let declared = context.ground.functions.constraints.get(name);
        for parameter in called.call.arguments.keys() {
            let note = called.notes.and_then(|notes| notes.get(parameter));
            findings.tally("arguments say where they come from", note.is_some());
            let Some(note) = note else {
                findings.error("note", entry, format!("call {at}: no provenance for {name}.{parameter}"));
                continue;
            };
            let wanted = declared.and_then(|it| it.get(parameter)).copied();
            if let Some(wanted) = wanted.filter(|wanted| note.constraint != Some(*wanted)) {
                let (wanted, noted) = (wanted.word(), note.constraint.map_or("nothing", Constraint::word));
                let message = format!(
                    "call {at}: {name}.{parameter} is declared to constrain `{wanted}`, but noted as `{noted}`"
                );
                findings.error("constraint", entry, message);
            }
        }
        let notes = called.notes.into_iter().flat_map(IndexMap::keys);
        for parameter in notes.filter(|note| !called.call.arguments.contains_key(argument(note))) {
            let message = format!("call {at}: note on {name}.{parameter}, which is not an argument of the call");
            findings.error("note", entry, message);
        }
    }
}

/// The argument that a note is about; notes on parts of one are named `legs/0/date`.
fn argument(note: &str) -> &str {
    note.split('/').next().unwrap_or(note)
}

/// An argument that comes from an earlier answer stands in it letter by letter, where its note points.
fn origins(_: &Context, entry: &Entry, findings: &mut Findings) {
    let (calls, steps) = (entry.calls(), entry.steps());
    for (at, called) in calls.iter().enumerate() {
        for (parameter, note) in called.notes.into_iter().flatten() {
            let Some(value) = called.call.arguments.get(parameter) else { continue };
            let fault = origin_fault(&calls, &steps, at, value, &note.origin);
            if note.origin.answer().is_some() {
                findings.tally("values from earlier answers are found in them", fault.is_none());
            }
            if let Some(fault) = fault {
                findings.error("answer", entry, format!("call {at}: {}.{parameter} {fault}", called.call.name));
            }
        }
    }
}

/// What is wrong with where a value is said to come from.
fn origin_fault(calls: &[Called<'_>], steps: &[usize], at: usize, value: &Value, origin: &Origin) -> Option<String> {
    let (from, field) = origin.answer()?;
    // Calls of one step are made together: none knows what another is answered.
    let Some(earlier) = calls.get(from).filter(|_| steps[from] < steps[at]) else {
        return Some(format!("is noted as from the answer of call {from}, which is not in an earlier step"));
    };
    let Some(found) = earlier.answer.and_then(|answer| pointed(answer, field)) else {
        return Some(format!("is noted as from `{field}` of the answer of call {from}, which does not exist"));
    };
    let is_copied = matches!(origin, Origin::Derived { .. }) || holds(value, found);
    (!is_copied).then(|| format!("is {value}, but `{field}` of the answer of call {from} is {found}"))
}

/// Whether a value is what stands there, or is put together of it and of others: a set with commas between, a list.
fn holds(value: &Value, found: &Value) -> bool {
    match value {
        Value::List(list) => value == found || list.iter().any(|value| holds(value, found)),
        Value::Object(fields) => value == found || fields.values().any(|value| holds(value, found)),
        plain => {
            let (given, found) = (shown(plain), shown(found));
            given == found || given.split(',').any(|part| part.trim() == found)
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value that the request gives stands in it, in the words that its note names.
fn words(context: &Context, entry: &Entry, findings: &mut Findings) {
    for (at, called) in entry.calls().iter().enumerate() {
        let Some(tool) = entry.candidate(&called.call.name) else { continue };
        for (name, note) in called.notes.into_iter().flatten().filter(|(_, note)| is_said(note)) {
            let Some(value) = called.call.arguments.get(name) else { continue };
            let fault = words_fault(context, entry, tool, (name, value), note);
            let fault = fault.map(|fault| format!("call {at}: {}.{name} {fault}", called.call.name));
            findings.check("values stand in their request", "value", entry, fault);
        }
    }
}

fn words_fault(
    context: &Context,
    entry: &Entry,
    tool: &Tool,
    (name, value): (&str, &Value),
    note: &Argument,
) -> Option<String> {
    let words = entry.said().words;
    if let Some(surface) = note.surface.as_deref().filter(|surface| !is_there(words, surface)) {
        return Some(format!("is noted as `{surface}`, which does not occur in the request"));
    }
    // A listed value or a flag is said in words of the toolset's, which the bench does not hold.
    let must_stand = matches!(note.origin, Origin::Verbatim | Origin::Normalised);
    let is_open = matches!(note.origin, Origin::Enum) && note.surface.is_none();
    let stands = || stands(context, entry, tool, name, value);
    ((must_stand || is_open) && !stands()).then(|| format!("is {value}, which does not occur in the request"))
}

/// Whether the words say a value, as its kind and the locale have it. A list of numbers is said number by number.
fn stands(context: &Context, entry: &Entry, tool: &Tool, name: &str, value: &Value) -> bool {
    let words = entry.said().words;
    if value.as_str().is_some_and(|text| !text.is_empty() && words.contains(text)) {
        return true;
    }
    let Some(parameter) = tool.parameters.properties.get(name) else { return false };
    let names = [name, parameter.description.as_deref().unwrap_or_default()];
    let stand = Stand {
        kind: tool.kinds.get(name).map(String::as_str),
        type_name: parameter.type_name(),
        reference_time: entry.sample.reference_time.as_deref(),
        names: &names,
        ..Stand::default()
    };
    let says = |value: &Value| value_stands(words, value, &stand, &context.ground.language).is_some();
    let parts = || value.as_str().into_iter().flat_map(|text| text.split(',')).map(|part| Value::read(part.trim()));
    says(value) || parts().count() > 1 && parts().all(|part| part.is_ok_and(|part| says(&part)))
}

/// Whether the note says that the words give the value.
fn is_said(note: &Argument) -> bool {
    match note.origin {
        Origin::Verbatim | Origin::Normalised | Origin::Enum => true,
        Origin::Inferred => note.surface.is_some(),
        _ => false,
    }
}

/// The gold is right: no call is needless, no argument is a default that nobody says, and the closing answer answers each goal and claims nothing that is false.
fn gold(context: &Context, entry: &Entry, findings: &mut Findings) {
    let Expected::Steps(steps) = &entry.sample.expected else { return };
    let none = IndexMap::new();
    let is_planned = entry.sample.provenance.facts.contains_key(PATH_FACT);
    let gold = Gold {
        request: entry.said().words,
        steps,
        answer: entry.sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str),
        tools: &entry.sample.candidates,
        goal_fields: if is_planned { &context.ground.functions.goal_fields } else { &none },
        tallies: &context.ground.functions.tallies,
        changes: &context.ground.functions.changes,
        language: &context.ground.language,
    };
    let faults = gold.faults();
    findings.tally("calls are needed, and closing answers are complete and true", faults.is_empty());
    for fault in faults {
        findings.error(fault.reason, entry, fault.detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found_in;
    use crate::lint::testing::{complex, complex_ground, entry, questions, step};
    use crate::record::Sample;

    fn context(is_authors: bool) -> Context {
        Context { ground: complex_ground(), is_authors }
    }

    /// What a rule says of a sound query that is changed.
    fn told_by(rule: impl Rule, change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found_in(&context(false), rule, &[entry(sample)])
    }

    #[test]
    fn a_sound_bench_keeps_every_rule() {
        assert_eq!(found_in(&context(false), rules(false), &[entry(complex())]), Vec::<String>::new());
    }

    #[test]
    fn the_authors_rows_need_no_notes_and_other_suites_nothing() {
        let mut sample = complex();
        let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
        for step in steps {
            step.notes.clear();
        }
        sample.id = crate::record::ItemId::root("Inns-0");
        assert_eq!(
            found_in(&context(true), rules(true), &[entry(sample), entry(questions("hard"))]),
            Vec::<String>::new()
        );
    }

    mod functions {
        use super::*;
        use std::sync::Arc;

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            told_by(functions, change)
        }

        #[test]
        fn forms_are_looked_at_as_the_evaluator_does() {
            let missing = told(|sample| drop(step(sample, 1).calls[0].arguments.shift_remove("arrival")));
            assert!(missing[0].starts_with("form: call 1: Function Search_Inns requires parameters"), "{missing:?}");
            let unknown = told(|sample| "Fly".clone_into(&mut step(sample, 0).calls[0].name));
            assert_eq!(unknown, ["form: call 0: Function Fly is not defined in the function list."]);
            let unlisted =
                told(|sample| drop(step(sample, 1).calls[0].arguments.insert("sort".to_owned(), "colour".into())));
            assert_eq!(unlisted, ["type: call 1: sort = \"colour\" is not listed"]);
        }

        #[test]
        fn every_call_has_its_answer_and_every_step_a_call() {
            assert_eq!(told(|sample| step(sample, 0).answers.clear()), ["answers: step 0 has 0 answers to 1 calls"]);
            let empty = told(|sample| {
                let step = step(sample, 1);
                (step.calls, step.answers, step.notes) = (Vec::new(), Vec::new(), Vec::new());
            });
            assert_eq!(empty, ["steps: no step, or a step without a call"]);
        }

        #[test]
        fn functions_that_overlap_are_not_offered_together() {
            let tool = |name: &str| Arc::new(Tool { name: name.to_owned(), ..Tool::default() });
            let overlapping = told(|sample| sample.candidates.push(tool("Locate_Town")));
            assert_eq!(overlapping, ["overlap: listed tools `Find_Town` and `Locate_Town` overlap in `town`"]);
        }

        #[test]
        fn a_schema_that_the_authors_evaluator_cannot_read_is_told() {
            let broken = r#"{"name": "X", "parameters": {"properties": {"a": {"description": "A."}}, "required": []}}"#;
            let more = r#"{"name": "Y", "parameters": {"properties": {}, "required": ["b"]}}"#;
            let told = told(|sample| {
                sample
                    .candidates
                    .extend([broken, more].map(|json| Arc::new(serde_json::from_str::<Tool>(json).unwrap())));
            });
            assert_eq!(
                told,
                ["schema: `X` does not declare a type for `a`", "schema: `Y` requires `b`, which it does not declare"]
            );
        }
    }

    mod ids {
        use super::*;
        use crate::record::ItemId;

        fn told(is_authors: bool, ids: &[&str]) -> Vec<String> {
            let of = |id: &&str| {
                let mut sample = complex();
                sample.id = ItemId::root(*id);
                entry(sample)
            };
            found_in(&context(is_authors), Ids::default(), &ids.iter().map(of).collect::<Vec<_>>())
        }

        #[test]
        fn numbers_of_each_domain_follow_each_other() {
            assert_eq!(told(true, &["Inns-0", "Car-Rental-0", "Inns-1", "Car-Rental-1"]), Vec::<String>::new());
            assert_eq!(told(true, &["Inns-0", "Inns-2", "Inns-3"]), ["row_number: expected number 1 of `Inns`"]);
            assert_eq!(told(true, &["Inns"]).len(), 1);
            assert_eq!(told(false, &["inns/complex_queries/0"]), Vec::<String>::new());
        }

        #[test]
        fn a_domain_and_an_answer_in_words_are_there() {
            let mut sample = complex();
            sample.data_type.0.clear();
            sample.provenance.facts.clear();
            let told = found_in(&context(false), Ids::default(), &[entry(sample)]);
            assert_eq!(told, ["domain: missing domain", "final_answer: no closing answer"]);
        }
    }

    mod notes {
        use super::*;
        use crate::record::{Argument, Constraint};

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            told_by(notes, change)
        }

        #[test]
        fn an_argument_without_a_note_and_a_note_without_an_argument_are_told() {
            let none = told(|sample| drop(step(sample, 1).notes[0].shift_remove("arrival")));
            assert_eq!(none, ["note: call 1: no provenance for Search_Inns.arrival"]);
            let more = told(|sample| drop(step(sample, 0).notes[0].insert("page".to_owned(), Argument::default())));
            assert_eq!(more, ["note: call 0: note on Find_Town.page, which is not an argument of the call"]);
            assert_eq!(told(|sample| step(sample, 0).notes.clear()).len(), 1);
        }

        #[test]
        fn a_constraint_is_the_one_that_is_declared() {
            let told = told(|sample| step(sample, 1).notes[0]["arrival"].constraint = Some(Constraint::Time));
            assert_eq!(
                told,
                ["constraint: call 1: Search_Inns.arrival is declared to constrain `date`, but noted as `time`"]
            );
        }
    }

    mod origins {
        use super::*;

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            told_by(origins, change)
        }

        fn from(call: usize, field: &str) -> impl FnOnce(&mut Sample) {
            let origin = Origin::Answer { call, field: field.to_owned() };
            move |sample| step(sample, 1).notes[0]["town_id"].origin = origin
        }

        #[test]
        fn a_value_is_the_very_one_at_its_place() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            let other =
                told(|sample| drop(step(sample, 1).calls[0].arguments.insert("town_id".to_owned(), "T10".into())));
            assert_eq!(
                other,
                ["answer: call 1: Search_Inns.town_id is \"T10\", but `/data/0/id` of the answer of call 0 is \"T1\""]
            );
        }

        #[test]
        fn its_place_is_there_and_in_an_earlier_step() {
            let gone = "answer: call 1: Search_Inns.town_id is noted as from `/data/9/id` of the answer of call 0, which does not exist";
            assert_eq!(told(from(0, "/data/9/id")), [gone]);
            let own = "answer: call 1: Search_Inns.town_id is noted as from the answer of call 1, which is not in an earlier step";
            assert_eq!(told(from(1, "/data")), [own]);
            assert_eq!(told(from(7, "/data")).len(), 1);
        }

        #[test]
        fn sets_and_lists_are_put_together_and_what_is_derived_is_another_value() {
            let value = |json: &str| Value::read(json).unwrap();
            assert!(holds(&value("\"a::1,b::2\""), &"b::2".into()) && !holds(&value("\"a::1\""), &"a".into()));
            assert!(holds(&value(r#"[{"id": "X", "day": "d"}]"#), &"X".into()) && holds(&value("\"12\""), &12.into()));
            let derived = Origin::Derived { call: 0, field: "/data/0/id".to_owned() };
            assert_eq!(told(|sample| step(sample, 1).notes[0]["town_id"].origin = derived), Vec::<String>::new());
        }
    }

    mod words {
        use super::*;

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            told_by(words, change)
        }

        fn says(words: &str) -> impl FnOnce(&mut Sample) {
            let words = words.to_owned();
            move |sample| sample.messages[0].content = Some(words)
        }

        #[test]
        fn what_is_said_stands_there() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            let gone = told(says("Inns in Millbrook from November 5, 2024."));
            assert_eq!(
                gone,
                [
                    "value: call 1: Search_Inns.departure is noted as `November 8, 2024`, which does not occur in the request"
                ]
            );
        }

        #[test]
        fn a_date_must_be_the_one_that_the_words_mean() {
            let told = told(|sample| {
                drop(step(sample, 1).calls[0].arguments.insert("arrival".to_owned(), "2024-11-06".into()));
            });
            assert_eq!(
                told,
                ["value: call 1: Search_Inns.arrival is \"2024-11-06\", which does not occur in the request"]
            );
        }

        #[test]
        fn numbers_in_a_row_are_said_one_by_one_and_sorts_by_their_words() {
            let with = |name: &'static str, value: &'static str, surface: &'static str, origin: Origin| {
                move |sample: &mut Sample| {
                    let words = "Inns in Millbrook from November 5, 2024 to November 8, 2024 with children of 5 and 8, by stars";
                    sample.messages[0].content = Some(words.to_owned());
                    let step = step(sample, 1);
                    step.calls[0].arguments.insert(name.to_owned(), value.into());
                    let note = Argument { surface: Some(surface.to_owned()), origin, ..Argument::default() };
                    step.notes[0].insert(name.to_owned(), note);
                }
            };
            assert_eq!(told(with("ages", "5,8", "children of 5 and 8", Origin::Normalised)), Vec::<String>::new());
            assert_eq!(told(with("ages", "5,9", "children of 5 and 8", Origin::Normalised)).len(), 1);
            assert_eq!(told(with("sort", "stars", "by stars", Origin::Enum)), Vec::<String>::new());
            assert_eq!(told(with("sort", "price", "by price", Origin::Enum)).len(), 1);
        }
    }

    mod gold {
        use super::*;
        use crate::record::{Argument, ArgumentNotes, FunctionCall, Origin, Step, Value};

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            told_by(gold, change)
        }

        fn answers(sample: &mut Sample, text: &str) {
            sample.provenance.facts.insert(FINAL_ANSWER_FACT.to_owned(), text.to_owned());
        }

        #[test]
        fn sound_gold_has_no_fault() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
        }

        #[test]
        fn closing_answers_are_complete_and_true() {
            let missing = told(|sample| answers(sample, "I have looked."));
            assert_eq!(missing, ["unanswered_goal: the closing answer tells nothing that `Search_Inns` answered"]);
            let invented = told(|sample| answers(sample, "There is The Red Fox, for 871 dollars."));
            assert_eq!(
                invented,
                ["false_claim: the closing answer says `871`, which no answer, argument or request has"]
            );
        }

        #[test]
        fn a_default_that_nobody_says_is_found() {
            let unsaid = told(|sample| {
                let step = step(sample, 1);
                step.calls[0].arguments.insert("sort".to_owned(), "price".into());
                step.notes[0].insert("sort".to_owned(), Argument { origin: Origin::Default, ..Argument::default() });
            });
            assert_eq!(unsaid, ["unsaid_argument: nobody says sort = \"price\" of `Search_Inns`: it is a default"]);
        }

        #[test]
        fn a_call_for_what_is_known_already_is_found() {
            let needless = told(|sample| {
                let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
                let arguments = serde_json::from_str(r#"{"inn": "The Red Fox"}"#).unwrap();
                let origin = Origin::Answer { call: 1, field: "/data/inns/0/name".to_owned() };
                steps.push(Step {
                    calls: vec![FunctionCall { name: "Get_Inn".to_owned(), arguments }],
                    answers: vec![Value::read(r#"{"data": {"town": "T1", "count": 1}}"#).unwrap()],
                    notes: vec![ArgumentNotes::from([("inn".to_owned(), Argument { origin, ..Argument::default() })])],
                });
                steps[1].answers[0] =
                    Value::read(r#"{"data": {"inns": [{"name": "The Red Fox", "rooms": 240}]}}"#).unwrap();
                steps[2].answers[0] = Value::read(r#"{"data": {"rooms": 240}}"#).unwrap();
                answers(sample, "There is The Red Fox with 240 rooms.");
            });
            assert_eq!(
                needless,
                ["needless_call: `Get_Inn` is called for rooms, which the answer of `Search_Inns` has already"]
            );
        }
    }
}
