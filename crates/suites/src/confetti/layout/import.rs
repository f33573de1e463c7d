//! CONFETTI's lines as fcgen's samples: one for each call, and one for each turn of the agent.

use super::files::{Answered, ConfettiFiles, Question};
use crate::bfcl::layout::{Entry, EntryError};
use crate::record::{BorrowedObject, BorrowedValue, Expected, ItemId, Object, Sample, Snapshot, SuiteId, Value};
use indexmap::IndexMap;

/// The data type of calls.
pub const CALLS: &str = "conversationsclean";
/// The data type of turns with their dialog acts.
pub const ACTS: &str = "dialogacts";

/// A call as a sample. Where nobody has the questions, the function is described by what its calls show.
pub(super) fn call_sample(
    files: &ConfettiFiles,
    call: &Answered,
    question: Option<&Question>,
    functions: &IndexMap<String, Value>,
    turn: Option<usize>,
) -> Sample {
    let name = call.truth.as_list().and_then(|list| list.first()?.as_object()?.keys().next());
    let own = name.and_then(|name| functions.get(name)).map(|function| Value::List(vec![function.clone()]));
    let offered = question.and_then(|question| question.entry.functions.clone()).or(own);
    let entry = entry(call, question, offered, Some(call.truth.clone()));
    told(sample(files, call, entry, CALLS, turn), question)
}

/// A turn as a sample, with the accepted calls of the turn.
pub(super) fn act_sample(
    files: &ConfettiFiles,
    turn: &Answered,
    question: Option<&Question>,
    calls: &[&Answered],
) -> Sample {
    let offered = question.and_then(|question| question.entry.functions.clone());
    let mut sample = sample(files, turn, entry(turn, question, offered, None), ACTS, Some(turn.index));
    let labels = turn.truth.as_list().unwrap_or_default();
    sample.expected = Expected::Acts(labels.iter().filter_map(|label| label.as_str().map(str::to_owned)).collect());
    let facts = &mut sample.provenance.facts;
    if let Some(text) = turn.content.last() {
        facts.insert(TURN_TEXT_FACT.to_owned(), text.clone());
        let calls = calls.iter().filter_map(|call| first_call(&call.truth)).collect();
        facts.insert(TURN_CALLS_FACT.to_owned(), Value::List(calls).to_string());
    }
    told(sample, question)
}

fn told(mut sample: Sample, question: Option<&Question>) -> Sample {
    if let Some(question) = question {
        question.told.put(&mut sample);
    }
    sample
}

/// A call with the first of the values that are accepted for each argument.
fn first_call(truth: &Value) -> Option<Value> {
    let (name, accepted) = truth.as_list()?.first()?.as_object()?.first()?;
    let first = |(name, values): (&String, &Value)| Some((name.clone(), values.as_list()?.first()?.clone()));
    let arguments: Object = accepted.as_object()?.iter().filter_map(first).collect();
    let entries = [("name", name.as_str().into()), ("arguments", Value::Object(arguments))];
    Some(Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into()))
}

fn entry(answered: &Answered, question: Option<&Question>, functions: Option<Value>, answers: Option<Value>) -> Entry {
    let messages = question.map(|question| question.entry.messages.clone()).unwrap_or_default();
    Entry { id: answered.id.clone(), messages, turns: 1, functions, answers }
}

fn sample(files: &ConfettiFiles, answered: &Answered, entry: Entry, data_type: &str, turn: Option<usize>) -> Sample {
    let mut sample = entry.into_sample(data_type, &files.locale);
    sample.suite = SuiteId::Confetti.into();
    sample.group.clone_from(&answered.conversation);
    sample.snapshot = turn.and_then(|turn| u32::try_from(turn).ok()).map(|turn| Snapshot {
        conversation: ItemId::root(answered.conversation.clone()),
        turn: turn + 1,
        turns: turn + 1,
        marked: None,
        shared: None,
        tool: String::new(),
    });
    "CC-BY-4.0".clone_into(&mut sample.licence);
    "CONFETTI (amazon-science/confetti)".clone_into(&mut sample.source);
    sample
}

// What a question's line tells of its place in the conversation, besides what BFCL's lines have.

/// The agent's turn, from 1, and how many it has in the conversation; the time that dates refer to; complexities. Nothing of
/// it where others wrote the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub turn: Option<u32>,
    turns: Option<u32>,
    reference_time: Option<String>,
    complexity: Option<String>,
    observed: Option<String>,
}

impl Told {
    /// Reads it from a line.
    pub(super) fn read(line: &str) -> Result<Self, EntryError> {
        let wanted = ["turn", "turns", "reference_time", COMPLEXITY_FACT, OBSERVED_FACT];
        let fields = BorrowedObject::read_fields(line, &wanted)?;
        let text = |name: &str| fields.get(name).and_then(BorrowedValue::as_str).map(str::to_owned);
        let number = |name: &str| match fields.get(name) {
            Some(BorrowedValue::Number(text)) => text.parse().ok(),
            _ => None,
        };
        let reference_time = text("reference_time");
        let (complexity, observed) = (text(COMPLEXITY_FACT), text(OBSERVED_FACT));
        Ok(Self { turn: number("turn"), turns: number("turns"), reference_time, complexity, observed })
    }

    /// What is known of a sample.
    pub(super) fn of(sample: &Sample) -> Self {
        let fact = |name: &str| sample.provenance.facts.get(name).cloned();
        Self {
            turn: sample.snapshot.as_ref().map(|snapshot| snapshot.turn),
            turns: sample.snapshot.as_ref().map(|snapshot| snapshot.turns),
            reference_time: sample.reference_time.clone(),
            complexity: fact(COMPLEXITY_FACT),
            observed: fact(OBSERVED_FACT),
        }
    }

    /// The fields of a line.
    pub(super) fn fields(self) -> Object {
        let number = |number: Option<u32>| number.map(|number| Value::from(i64::from(number)));
        let text = |text: Option<String>| text.map(Value::from);
        let fields = [
            ("turn", number(self.turn)),
            ("turns", number(self.turns)),
            ("reference_time", text(self.reference_time)),
            (COMPLEXITY_FACT, text(self.complexity)),
            (OBSERVED_FACT, text(self.observed)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Puts what is told into a sample.
    pub(super) fn put(&self, sample: &mut Sample) {
        sample.reference_time.clone_from(&self.reference_time);
        let facts = [(COMPLEXITY_FACT, &self.complexity), (OBSERVED_FACT, &self.observed)];
        let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact.clone()?)));
        sample.provenance.facts.extend(facts);
        if let (Some(Snapshot { turns, .. }), Some(told)) = (&mut sample.snapshot, self.turns) {
            *turns = told;
        }
    }
}

// Descriptions of functions, inferred from the answers alone: the file that has the real ones is not always at hand.

/// What is known of a function from its calls.
#[derive(Default)]
struct Known {
    calls: usize,
    parameters: IndexMap<String, (usize, &'static str)>,
}

/// Describes every function that is called: a parameter has the type of its first value, and is required if no call is
/// without it. Each answer is an object of one function with the accepted values of its arguments.
pub fn derived<'v>(answers: impl Iterator<Item = &'v Value>) -> IndexMap<String, Value> {
    let mut functions: IndexMap<String, Known> = IndexMap::new();
    for (name, arguments) in answers.filter_map(|answer| answer.as_object()?.first()) {
        let known = functions.entry(name.clone()).or_default();
        known.calls += 1;
        for (parameter, accepted) in arguments.as_object().into_iter().flatten() {
            let kind = accepted.as_list().and_then(<[_]>::first).map_or("any", kind);
            known.parameters.entry(parameter.clone()).or_insert((0, kind)).0 += 1;
        }
    }
    functions.into_iter().map(|(name, known)| (name.clone(), description(&name, &known))).collect()
}

fn description(name: &str, known: &Known) -> Value {
    let parameter =
        |(name, (_, kind)): (&String, &(usize, &str))| (name.clone(), object([("type", Value::from(*kind))]));
    let properties: Object = known.parameters.iter().map(parameter).collect();
    let required = known.parameters.iter().filter(|(_, (calls, _))| *calls == known.calls);
    let required = Value::List(required.map(|(name, _)| name.as_str().into()).collect());
    let entries = [("type", Value::from("dict")), ("properties", Value::Object(properties)), ("required", required)];
    object([("name", name.into()), ("description", "".into()), ("parameters", object(entries))])
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "any",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_integer_text() => "integer",
        Value::Number(_) => "float",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Object(_) => "dict",
    }
}

// What samples of conversations keep in their provenance.

/// The complexity that the conversation was to have.
pub const COMPLEXITY_FACT: &str = "complexity";
/// All complexities that it was found to have, parted by commas.
pub const OBSERVED_FACT: &str = "observed";
/// The calls of the agent's turn, in order: a list of objects with `name` and `arguments`.
pub const TURN_CALLS_FACT: &str = "turn_calls";
/// What the agent says in its turn.
pub const TURN_TEXT_FACT: &str = "turn_text";

#[cfg(test)]
mod tests {
    use super::super::files::tests::folder;
    use super::*;
    use crate::bfcl::layout::FUNCTIONS_FACT;

    #[test]
    fn calls_and_turns_become_samples_of_their_conversation() {
        let folder = folder();
        let samples = crate::format::samples_of(vec![ConfettiFiles::below(folder.path()).unwrap()]).unwrap();
        let ids: Vec<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
        assert_eq!(ids, ["conversationsclean_0", "conversationsclean_1", "dialogacts_0", "dialogacts_1"]);
        assert_eq!(samples[1].snapshot.as_ref().map(|it| (it.conversation.as_str(), it.turn)), Some(("u-1", 2)));
        assert!(matches!(&samples[0].expected, Expected::Call(call) if call.name == "A_find"));
        assert!(matches!(&samples[3].expected, Expected::Acts(acts) if acts.len() == 2));
        assert!(samples[0].provenance.facts[FUNCTIONS_FACT].contains("\"required\":[\"name\"]"));
        let fact = |at: usize, name: &str| samples[at].provenance.facts.get(name).map_or("", String::as_str);
        assert_eq!(
            (fact(2, TURN_TEXT_FACT), fact(2, TURN_CALLS_FACT), fact(3, TURN_TEXT_FACT)),
            ("Which?", "[]", "Done.")
        );
        assert_eq!(
            fact(3, TURN_CALLS_FACT),
            r#"[{"name":"A_find","arguments":{"name":"x"}},{"name":"A_get","arguments":{"stars":4}}]"#
        );
        assert_eq!((samples[0].suite.as_str(), samples[0].group.as_str()), ("confetti", "u-1"));
    }
}

#[cfg(test)]
mod told_tests {
    use super::super::testing::call_item;
    use super::*;

    #[test]
    fn what_is_known_of_a_sample_is_told_and_read_back() {
        let sample = call_item("t/0", 1);
        let told = Told::of(&sample);
        let line = Value::Object(told.clone().fields()).to_string();
        assert_eq!(
            line,
            r#"{"turn":2,"turns":3,"reference_time":"2026-05-04T09:00","complexity":"OVERFILL","observed":"OVERFILL,CONFIRMATION"}"#
        );
        assert_eq!(Told::read(&line).unwrap(), told);
        let mut bare = call_item("t/0", 1);
        bare.provenance.facts.clear();
        bare.reference_time = None;
        told.put(&mut bare);
        assert_eq!(Told::of(&bare), told);
    }

    #[test]
    fn others_lines_tell_nothing() {
        assert_eq!(Told::read(r#"{"id": "x", "turn": "two"}"#).unwrap(), Told::default());
        assert!(Told::default().fields().is_empty() && Told::read("[").is_err());
    }
}

#[cfg(test)]
mod derive_tests {
    use super::*;

    #[test]
    fn types_are_those_of_values_and_what_is_always_there_is_required() {
        let answers =
            [r#"{"f": {"a": ["x"], "b": [1.5]}}"#, r#"{"f": {"a": ["y"], "c": [2], "d": [{}]}}"#, r#"{"g": {}}"#];
        let answers = answers.map(|text| Value::read(text).unwrap());
        let functions = derived(answers.iter());
        assert_eq!(
            functions["f"].to_string(),
            r#"{"name":"f","description":"","parameters":{"type":"dict","properties":{"a":{"type":"string"},"b":{"type":"float"},"c":{"type":"integer"},"d":{"type":"dict"}},"required":["a"]}}"#
        );
        assert_eq!(functions.len(), 2);
    }
}
