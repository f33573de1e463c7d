//! CONFETTI's lines as fcgen's samples: one for each call, and one for each turn of the agent.

use super::facts::{TURN_CALLS_FACT, TURN_TEXT_FACT};
use super::files::{Answered, ConfettiFiles, Question};
use crate::format::bfcl::Entry;
use crate::record::{Expected, ItemId, Object, Sample, Snapshot, SuiteId, Value};
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
        tool: String::new(),
    });
    "CC-BY-4.0".clone_into(&mut sample.licence);
    "CONFETTI (amazon-science/confetti)".clone_into(&mut sample.source);
    sample
}

#[cfg(test)]
mod tests {
    use super::super::files::tests::folder;
    use super::*;
    use crate::format::bfcl::FUNCTIONS_FACT;

    #[test]
    fn calls_and_turns_become_samples_of_their_conversation() {
        let folder = folder();
        let mut samples = Vec::new();
        ConfettiFiles::below(folder.path()).unwrap().each(&mut |sample| samples.push(sample)).unwrap();
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
