//! Cuts conversations into what is scored: one sample for each call, and one for each thing the agent says (CONFETTI, 3.4).

use crate::confetti::layout::{ACTS, CALLS, TURN_CALLS_FACT, TURN_TEXT_FACT};
use crate::confetti::metric::Act;
use crate::gate::other_forms;
use crate::locale::{Stamp, resolve};
use crate::record::{
    AgentTurn, Argument, ArgumentNotes, Conversation, Expected, Item, ItemId, MadeCall, Message, Object, Origin,
    Record, RecordKind, Sample, Snapshot, SuiteId, Tool, Value,
};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Makes samples of conversations: one for each call, with all messages before it, and one for each agent turn, or for
/// its text and its calls separately.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnItemsConfig {
    /// Whether the calls and the text of a turn form one sample, as in the released files, or two, as in the paper's
    /// count.
    #[serde(default)]
    responses: Responses,
}

/// How turns become response samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Responses {
    /// Calls and text of a turn separately (the paper's Table 3).
    #[default]
    Separate,
    /// Calls and text of a turn together (the released file).
    Merged,
    /// No response samples.
    None,
}

/// The data type of the samples of turns that call, where words stand apart.
pub(crate) const CALL_TURNS: &str = "dialogacts_calls";

impl Stage for TurnItemsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("turn_items", &[RecordKind::Conversation], RecordKind::Sample)
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        let (calls, words, calling) = (CALLS.to_owned(), ACTS.to_owned(), CALL_TURNS.to_owned());
        match self.responses {
            Responses::None => vec![calls],
            Responses::Merged => vec![calls, words],
            Responses::Separate => vec![calls, words, calling],
        }
    }

    /// The samples of one conversation.
    fn apply(&self, context: &Context, item: Item) -> Outcome {
        let Record::Conversation(conversation) = &item.record else { return Outcome::keep(item) };
        let cut = Cut { context, item: &item, conversation };
        let mut outcome = cut.calls();
        let scored = cut.scored_texts();
        for at in 0..conversation.turns.len() {
            outcome.kept.extend(cut.responses(at, self.responses, scored.contains(&at)));
        }
        outcome
    }
}

struct Cut<'a> {
    context: &'a Context,
    item: &'a Item,
    conversation: &'a Conversation,
}

impl Cut<'_> {
    /// A sample for each call: everything before it, and it alone as the right answer.
    fn calls(&self) -> Outcome {
        let (mut outcome, mut count) = (Outcome::default(), 0);
        for (at, turn) in self.conversation.turns.iter().enumerate() {
            for (place, made) in turn.calls.iter().enumerate() {
                let id = self.item.id.child("call", count);
                count += 1;
                let messages = self.conversation.before(at, place);
                let expected = Expected::Call(made.call.clone());
                let mut sample = self.sample(&id, at, (CALLS, messages, expected, made.notes.clone()));
                self.note_listed(&mut sample);
                match self.acceptable(made) {
                    Ok(forms) => {
                        sample.acceptable = forms;
                        outcome.kept.push(self.finished(sample, &[]));
                    }
                    Err(fault) => {
                        let rejected = self.context.reject(&id, fault, sample.query());
                        outcome.rejected.extend(rejected.rejected);
                    }
                }
            }
        }
        outcome
    }

    /// Notes listed values as such, in whatever form they were said: nothing but their spelling may differ.
    fn note_listed(&self, sample: &mut Sample) {
        let Expected::Call(call) = &sample.expected else { return };
        let Some(tool) = self.conversation.tools.iter().find(|tool| tool.name == call.name) else { return };
        let listed = |name: &str| tool.parameters.properties.get(name).is_some_and(|it| it.values.is_some());
        let normalised = sample.arguments.iter_mut().filter(|(_, note)| note.origin == Origin::Normalised);
        normalised.filter(|(name, _)| listed(name)).for_each(|(_, note)| note.origin = Origin::Enum);
    }

    /// The other forms of values that were said in a form of their own: the words as they were said, the same number with
    /// or without a point, and other spellings of listed values.
    fn acceptable(&self, made: &MadeCall) -> Result<IndexMap<String, Vec<Value>>, Fault> {
        let tool = self.conversation.tools.iter().find(|tool| tool.name == made.call.name);
        let is_formed = |note: &Argument| matches!(note.origin, Origin::Normalised | Origin::Enum | Origin::Inferred);
        let normalised = made.notes.iter().filter(|(_, note)| is_formed(note));
        let forms = normalised.filter_map(|(name, note)| {
            let (parameter, value) = (tool?.parameters.properties.get(name)?, made.call.arguments.get(name)?);
            let forms = match (&parameter.values, value) {
                (Some(_), Value::String(text)) => spellings(text),
                (None, Value::String(text)) if note.surface.is_none() => spellings(text),
                _ => other_forms(parameter, value, note.surface.as_deref())?,
            };
            let detail = || format!("{name} = {value} is said in another form, and no form is acceptable besides");
            Some(if forms.is_empty() {
                Err(Fault::new("no_acceptable_form", detail()))
            } else {
                Ok((name.clone(), forms))
            })
        });
        let mut forms: IndexMap<String, Vec<Value>> = forms.collect::<Result<_, Fault>>()?;
        for (name, value) in &made.call.arguments {
            if let Some(day) = self.iso_day(tool, name, value) {
                let known = forms.entry(name.clone()).or_default();
                known.extend((!known.contains(&day)).then_some(day));
            }
        }
        Ok(forms)
    }

    /// A day that the value says in words, in ISO 8601, as the system message writes days.
    fn iso_day(&self, tool: Option<&Arc<Tool>>, name: &str, value: &Value) -> Option<Value> {
        let text = value.as_str().filter(|_| tool.is_some_and(|tool| is_open(tool, name)))?;
        let reference = Stamp::read(&self.conversation.scenario.reference_time);
        let moments = resolve(text, reference, self.context.language());
        let [moment] = moments.as_slice() else { return None };
        let day = moment.date.as_ref().filter(|_| moment.time.is_none() && moment.range() == (0..text.len()))?;
        Some(Value::from(day.value.to_string())).filter(|day| !day.equals(value))
    }

    /// The samples of one turn's response.
    fn responses(&self, at: usize, responses: Responses, is_scored_text: bool) -> Vec<Item> {
        let Some(turn) = self.conversation.turns.get(at) else { return Vec::new() };
        let calls = Value::List(turn.calls.iter().map(|made| call(&made.call)).collect()).to_string();
        let facts = [(TURN_CALLS_FACT, calls), (TURN_TEXT_FACT, turn.reply.clone())];
        let of = |place: usize, data_type, before: usize, acts: Vec<String>, facts: &[(&str, String)]| {
            let id = self.item.id.child("response", 2 * at + place);
            let content = (data_type, self.conversation.before(at, before), Expected::Acts(acts), ArgumentNotes::new());
            self.finished(self.sample(&id, at, content), facts)
        };
        match responses {
            Responses::None => Vec::new(),
            Responses::Merged => vec![of(0, ACTS, 0, turn.acts.clone(), &facts)],
            Responses::Separate => {
                let calling = Act::FunctionCalling.as_str().to_owned();
                let words: Vec<String> = turn.acts.iter().filter(|act| **act != calling).cloned().collect();
                let calls = self.is_scored(at).then(|| of(0, CALL_TURNS, 0, vec![calling], &facts[..1]));
                let text = is_scored_text.then(|| of(1, ACTS, turn.calls.len(), words, &facts[1..]));
                calls.into_iter().chain(text).collect()
            }
        }
    }

    /// The turns whose replies are scored: as many as the scenario has it, the last one among them.
    fn scored_texts(&self) -> BTreeSet<usize> {
        let turns = self.conversation.turns.len();
        // Where the person has only said what is going on, friendly words and a question are equally right.
        let is_settled =
            |at: &usize| *at > 0 || self.conversation.turns.first().is_some_and(|it| it.acts != [Act::Other.as_str()]);
        let mut order: Vec<usize> = (0..turns.saturating_sub(1)).filter(is_settled).collect();
        self.context.chance_of("text responses", self.item.id.as_str(), 0).shuffle(&mut order);
        let count = self.conversation.scenario.text_responses.unwrap_or(turns).max(1);
        order.into_iter().take(count - 1).chain(turns.checked_sub(1)).collect()
    }

    /// Whether a turn calls, and its calling is scored by itself.
    fn is_scored(&self, at: usize) -> bool {
        let calling = |turn: &&AgentTurn| !turn.calls.is_empty();
        let place = self.conversation.turns.iter().take(at).filter(calling).count();
        let chosen = self.conversation.scenario.call_responses.as_ref();
        self.conversation.turns.get(at).as_ref().is_some_and(calling)
            && chosen.is_none_or(|turns| turns.contains(&place))
    }

    fn sample(
        &self,
        id: &ItemId,
        at: usize,
        (data_type, messages, expected, arguments): (&str, Vec<Message>, Expected, ArgumentNotes),
    ) -> Sample {
        let toolset = self.context.toolset();
        let ordinal = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let tool = match &expected {
            Expected::Call(call) => call.name.clone(),
            _ => String::new(),
        };
        Sample {
            locale: self.context.pack().code.clone(),
            reference_time: Some(self.conversation.scenario.reference_time.clone()),
            messages,
            candidates: self.conversation.tools.clone(),
            arguments,
            tags: vec![self.conversation.scenario.complexity.as_str().to_lowercase()],
            group: self.item.id.to_string(),
            snapshot: Some(Snapshot {
                conversation: self.item.id.clone(),
                turn: ordinal(at + 1),
                turns: ordinal(self.conversation.turns.len()),
                marked: None,
                shared: None,
                tool,
            }),
            licence: toolset.licence.clone(),
            source: toolset.name.clone(),
            provenance: self.item.provenance.clone(),
            ..Sample::new(id.clone(), SuiteId::Confetti, data_type, expected)
        }
    }

    fn finished(&self, mut sample: Sample, facts: &[(&str, String)]) -> Item {
        sample.provenance.parents = vec![self.item.id.to_string()];
        sample.provenance.facts.extend(facts.iter().map(|(name, text)| ((*name).to_owned(), text.clone())));
        Item {
            id: sample.id.clone(),
            root: self.item.root.clone(),
            provenance: sample.provenance.clone(),
            record: Record::Sample(Box::new(sample)),
        }
    }
}

/// Whether a parameter is a text of any form: neither listed nor of a stated one.
fn is_open(tool: &Tool, name: &str) -> bool {
    tool.parameters.properties.get(name).is_some_and(|it| it.values.is_none() && !it.more.contains_key("format"))
}

/// The spellings of a listed value that scorers take for it: another case, and other marks between its words.
fn spellings(text: &str) -> Vec<Value> {
    let mut letters = text.chars();
    let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    let marks = text.contains('_').then(|| [text.replace('_', " "), text.replace('_', "-")]);
    let forms = capital.into_iter().chain(marks.into_iter().flatten()).filter(|form| form != text);
    forms.map(Value::from).collect()
}

fn call(call: &crate::record::FunctionCall) -> Value {
    let fields = [("name", call.name.as_str().into()), ("arguments", Value::Object(call.arguments.clone()))];
    let object: Object = fields.map(|(name, value)| (name.to_owned(), value)).into();
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{MadeCall, Provenance, Scenario};
    use crate::settings::section::read_text;
    use crate::stage::testing::silent;
    use proptest::prelude::*;

    /// A conversation whose turns have so many calls each.
    fn item(chains: &[usize]) -> Item {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": "underfill", "required": [], "optional": [], "minimum_turns": 1, "offered": 3,
            "reference_time": "2026-01-02T09:00:00",
        }))
        .unwrap();
        let made = |turn: usize, place: usize| MadeCall {
            call: crate::record::FunctionCall { name: format!("f{turn}_{place}"), ..Default::default() },
            notes: ArgumentNotes::new(),
            answer: Value::from(format!("answer {turn} {place}")),
            failed: false,
        };
        let turn = |(at, calls): (usize, &usize)| AgentTurn {
            said: format!("said {at}"),
            calls: (0..*calls).map(|place| made(at, place)).collect(),
            reply: format!("reply {at}"),
            acts: [Act::FunctionCalling, Act::Inform][usize::from(*calls == 0)..]
                .iter()
                .map(|it| it.as_str().to_owned())
                .collect(),
        };
        let turns = chains.iter().enumerate().map(turn).collect();
        let conversation = Conversation { scenario, system: "Be kind.".to_owned(), tools: Vec::new(), turns };
        let id = ItemId::root("tea").child("conversations", 0);
        let record = Record::Conversation(Box::new(conversation));
        Item { root: ItemId::root("tea"), id, record, provenance: Provenance::default() }
    }

    fn cut(chains: &[usize], settings: &str) -> Vec<Sample> {
        let config: TurnItemsConfig = read_text(settings).unwrap();
        let sample = |item: Item| match item.record {
            Record::Sample(sample) => *sample,
            other => panic!("{other:?}"),
        };
        config.apply(&silent(), item(chains)).kept.into_iter().map(sample).collect()
    }

    fn counts(chains: &[usize], settings: &str) -> (usize, usize, usize) {
        let samples = cut(chains, settings);
        let count = |data_type: &str| samples.iter().filter(|sample| sample.data_type.0 == data_type).count();
        (count(CALLS), count(ACTS), count(CALL_TURNS))
    }

    #[test]
    fn calls_and_words_are_one_sample_or_two_or_none() {
        assert_eq!(counts(&[2, 0, 1], ""), (3, 3, 2));
        assert_eq!(counts(&[2, 0, 1], "responses = \"merged\""), (3, 3, 0));
        assert_eq!(counts(&[2, 0, 1], "responses = \"none\""), (3, 0, 0));
        let merged = cut(&[1], "responses = \"merged\"").pop().unwrap();
        assert_eq!(merged.expected, Expected::Acts(vec!["agent_function_calling".into(), "agent_inform_user".into()]));
        assert_eq!(merged.provenance.facts[TURN_CALLS_FACT], r#"[{"name":"f0_0","arguments":{}}]"#);
        let words = cut(&[1], "").pop().unwrap();
        assert_eq!(words.expected, Expected::Acts(vec!["agent_inform_user".into()]));
        assert_eq!((words.messages.len(), words.provenance.facts[TURN_TEXT_FACT].as_str()), (4, "reply 0"));
    }

    #[test]
    fn a_value_said_in_another_form_has_an_acceptable_one_or_is_rejected() {
        let cut = |words: &str| {
            let mut item = item(&[1]);
            let Record::Conversation(conversation) = &mut item.record else { unreachable!() };
            let tool = r#"{"name": "f0_0", "parameters": {"properties": {"to": {"type": "string"}, "seats": {"type": "integer"}, "class": {"type": "string", "enum": ["sleeper"]}}}}"#;
            conversation.tools = vec![std::sync::Arc::new(serde_json::from_str(tool).unwrap())];
            let made = &mut conversation.turns[0].calls[0];
            made.call.arguments = serde_json::from_str(r#"{"to": "Porto", "seats": 2, "class": "sleeper"}"#).unwrap();
            let notes = format!(
                r#"{{"to": {{"origin": "normalised", "surface": "{words}"}}, "seats": {{"origin": "normalised", "surface": "two"}},
                    "class": {{"origin": "normalised", "surface": "sleepers"}}}}"#
            );
            made.notes = serde_json::from_str(&notes).unwrap();
            read_text::<TurnItemsConfig>("responses = \"none\"").unwrap().apply(&silent(), item)
        };
        let outcome = cut("PORTO");
        let Record::Sample(sample) = &outcome.kept[0].record else { panic!("no sample") };
        assert_eq!(
            serde_json::to_string(&sample.acceptable).unwrap(),
            r#"{"to":["PORTO"],"seats":[2.0],"class":["Sleeper"]}"#
        );
        assert_eq!(sample.arguments["class"].origin, Origin::Enum, "it is one of a list");
        let outcome = cut("Porto");
        assert_eq!((outcome.kept.len(), outcome.rejected[0].reason.as_str()), (0, "no_acceptable_form"));
    }

    proptest! {
        #[test]
        fn items_are_calls_and_each_with_its_context_begins_the_conversation(
            chains in prop::collection::vec(0..4_usize, 1..6)
        ) {
            let samples = cut(&chains, "responses = \"merged\"");
            let Record::Conversation(conversation) = item(&chains).record else { unreachable!() };
            let mut whole = conversation.before(chains.len() - 1, *chains.last().unwrap());
            let calls: Vec<&Sample> = samples.iter().filter(|sample| sample.data_type.0 == CALLS).collect();
            prop_assert_eq!(calls.len(), chains.iter().sum::<usize>());
            for sample in &calls {
                let Expected::Call(call) = &sample.expected else { unreachable!() };
                prop_assert_eq!(&whole[..sample.messages.len()], &sample.messages[..]);
                prop_assert_eq!(&whole[sample.messages.len()].tool_calls[..], std::slice::from_ref(call));
                prop_assert!(!format!("{:?}", sample.messages).contains(&call.name), "nothing later leaks");
            }
            whole.truncate(2);
            prop_assert_eq!(&samples.iter().find(|sample| sample.data_type.0 == ACTS).unwrap().messages, &whole);
        }
    }
}
