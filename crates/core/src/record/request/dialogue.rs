//! Dialogues: conversations in which a model must know the call anew after every user turn.

use super::super::call::{ArgumentNotes, FunctionCall, SaidWords};
use super::super::item::{Item, ItemId};
use super::super::message::{Message, Role};
use super::super::sample::{DataType, Expected, Sample, Snapshot};
use super::super::tool::Tool;
use super::super::value::Object;
use super::user_turn::UserTurn;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The fact of a sample's provenance that keeps what the assistant says where it refuses: a target of training that is
/// no message of the sample.
pub const REFUSAL_FACT: &str = "refusal";

/// The fact that keeps the right words, where a sample's right answer is not simply a text.
pub const GOLD_TEXT_FACT: &str = "gold_text";

/// The fact that keeps the answer in words with which a request of several steps ends.
pub const FINAL_ANSWER_FACT: &str = "final_answer";

/// A conversation about one tool. Every user turn closes a snapshot, which is scored by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialogue {
    /// Which of a suite's data types it is: `Based`, `mQmA` ...
    pub data_type: DataType,
    /// The tool that serves the request it begins with.
    pub tool: Arc<Tool>,
    /// What its snapshots have in common as samples: suite, locale, candidate tools, group, licence. It says nothing.
    pub frame: Box<Sample>,
    /// The turns; at least one.
    pub turns: Vec<Turn>,
    /// Id of the dialogue that this one is a variant of; of the sample that it began with, where it is no variant.
    pub base: ItemId,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
}

/// What the assistant asked, what the person said to it, and what is right then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Turn {
    /// What the assistant said before; absent in the first turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What the person says.
    pub text: String,
    /// Text from elsewhere that the person points at (HammerBench's `EK:`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// Names of the parameters that the person gives or changes in this turn, in the order said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<String>,
    /// The call with everything known by now; absent where no tool serves what the person wants now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<FunctionCall>,
    /// What the assistant says where there is no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Surface form and origin of each argument of the call.
    #[serde(default, skip_serializing_if = "ArgumentNotes::is_empty")]
    pub notes: ArgumentNotes,
    /// Whether the transformation that makes the data type sits in this turn.
    #[serde(default)]
    pub marked: bool,
    /// What it is to say, as long as nobody has put it into words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<TurnPlan>,
}

/// The plan of a turn whose text a model still has to write. The new values are in the turn's call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TurnPlan {
    /// What the person does.
    pub act: TurnAct,
    /// The parameters that the assistant asks for together; none where its question stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    /// The values that the person gives; none where the words stand.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub says: Object,
    /// The values that are taken back.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub takes_back: Object,
    /// What people say for the values.
    #[serde(default, skip_serializing_if = "SaidWords::is_empty")]
    pub said: SaidWords,
    /// The tool that would serve what the person turns to, or the kind of message in which a value stands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether the template of HammerBench's authors says it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
}

/// What a person does in a turn of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnAct {
    /// Answers.
    #[default]
    Answer,
    /// Answers, and takes a value back in the same breath.
    Correct,
    /// Takes back what was said before, in place of an answer.
    Change,
    /// Wants the same once more with another value.
    Again,
    /// Turns to something else.
    Shift,
    /// Points at a message that holds the value.
    Point,
}

impl Turn {
    /// Everything that the person says, in `HammerBench`'s form.
    pub fn said(&self) -> String {
        let turn = UserTurn { words: &self.text, external: self.external.as_deref() };
        if self.question.is_some() { turn.later() } else { turn.opening() }
    }
}

impl Turn {
    /// Takes over the argument that another turn gave, with its note; arguments stay in declared order.
    pub fn take(&mut self, tool: &Tool, other: &Self) {
        let (Some(call), Some(given)) = (self.call.as_mut(), other.call.as_ref()) else { return };
        for slot in &other.slots {
            if let Some(value) = given.arguments.get(slot) {
                call.arguments.insert(slot.clone(), value.clone());
            }
            if let Some(note) = other.notes.get(slot) {
                self.notes.insert(slot.clone(), note.clone());
            }
        }
        let order = |name: &String| tool.parameters.properties.get_index_of(name);
        call.arguments.sort_by(|one, _, other, _| order(one).cmp(&order(other)));
        self.notes.sort_by(|one, _, other, _| order(one).cmp(&order(other)));
    }
}

impl Dialogue {
    /// Everything said up to and with turn `last`, as messages.
    pub fn messages(&self, last: usize) -> Vec<Message> {
        self.turns
            .iter()
            .take(last + 1)
            .flat_map(|turn| {
                let question = turn.question.iter().map(|question| Message::new(Role::Assistant, question));
                question.chain([Message::user(turn.said())]).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The same as text, one line a message: what a model is shown (HammerBench's `input`).
    pub fn history(&self, last: usize) -> String {
        history(&self.messages(last))
    }

    /// Its snapshots as samples: one for each user turn, with the ids of their places.
    pub fn samples(&self, item: &Item) -> Vec<Sample> {
        self.turns.iter().enumerate().map(|(at, turn)| self.sample(item, at, turn)).collect()
    }

    fn sample(&self, item: &Item, at: usize, turn: &Turn) -> Sample {
        let place = Snapshot {
            conversation: item.id.clone(),
            turn: ordinal(at + 1),
            turns: ordinal(self.turns.len()),
            marked: Some(turn.marked),
            shared: None,
            tool: self.tool.name.clone(),
        };
        let mut provenance = item.provenance.clone();
        provenance.facts.extend(turn.refusal.iter().map(|refusal| (REFUSAL_FACT.to_owned(), refusal.clone())));
        Sample {
            id: item.id.child("turn", at),
            data_type: self.data_type.clone(),
            messages: self.messages(at),
            expected: turn.call.clone().map_or(Expected::Refusal, Expected::Call),
            arguments: turn.notes.clone(),
            base: Some(self.base.clone()),
            snapshot: Some(place),
            provenance,
            ..(*self.frame).clone()
        }
    }
}

/// Messages as HammerBench shows them to a model: a line each, with the speaker's name; calls are not shown.
pub fn history(messages: &[Message]) -> String {
    let line = |message: &Message| {
        let speaker = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System | Role::Tool => return None,
        };
        message.content.as_ref().map(|content| format!("{speaker}:{content}"))
    };
    messages.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn ordinal(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Provenance, Record};

    fn turn(question: Option<&str>, text: &str, call: Option<&str>) -> Turn {
        let call = call.map(|arguments| FunctionCall {
            name: "Travel.Trains.book".to_owned(),
            arguments: serde_json::from_str(arguments).unwrap(),
        });
        Turn { question: question.map(str::to_owned), text: text.to_owned(), call, ..Turn::default() }
    }

    fn dialogue() -> (Item, Dialogue) {
        let frame: Sample = serde_json::from_value(serde_json::json!({
            "id": "t/0", "suite": "hammerbench", "data_type": "x", "locale": "en", "messages": [], "candidates": [],
            "expected": "refusal", "group": "t", "licence": "CC0", "source": "test", "provenance": Provenance::default(),
        }))
        .unwrap();
        let asked = Turn { marked: true, ..turn(Some("Where to?"), "To Porto", Some(r#"{"to": "Porto"}"#)) };
        let shifted =
            Turn { refusal: Some("I cannot sing.".to_owned()), ..turn(Some("When?"), "Forget it, sing", None) };
        let dialogue = Dialogue {
            data_type: DataType("Based".to_owned()),
            tool: Arc::new(Tool { name: "Travel.Trains.book".to_owned(), ..Tool::default() }),
            frame: Box::new(frame),
            turns: vec![turn(None, "A train", Some("{}")), asked, shifted],
            base: ItemId::root("t/0"),
            style: "plain".to_owned(),
        };
        let id = ItemId::root("t/0/slot_filling/0");
        let record = Record::Dialogue(Box::new(dialogue.clone()));
        (Item { id, root: ItemId::root("t"), record, provenance: Provenance::default() }, dialogue)
    }

    #[test]
    fn a_snapshot_is_a_sample_of_everything_said_so_far() {
        let (item, dialogue) = dialogue();
        let samples = dialogue.samples(&item);
        assert_eq!(
            samples.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(),
            ["t/0/slot_filling/0/turn/0", "t/0/slot_filling/0/turn/1", "t/0/slot_filling/0/turn/2"]
        );
        assert_eq!(history(&samples[1].messages), "user:A train\nassistant:Where to?\nuser:To Porto");
        let places: Vec<_> = samples.iter().filter_map(|sample| sample.snapshot.clone()).collect();
        assert_eq!(
            places.iter().map(|it| (it.turn, it.turns, it.marked == Some(true))).collect::<Vec<_>>(),
            [(1, 3, false), (2, 3, true), (3, 3, false)]
        );
        assert!(places.iter().all(|it| it.conversation == item.id && it.tool == dialogue.tool.name));
        assert!(samples.iter().all(|it| it.base == Some(ItemId::root("t/0"))));
        assert!(matches!(&samples[1].expected, Expected::Call(call) if call.arguments.len() == 1));
        assert_eq!(samples[2].expected, Expected::Refusal);
        assert_eq!(samples[2].provenance.facts[REFUSAL_FACT], "I cannot sing.");
        assert!(samples[1].provenance.facts.is_empty());
    }

    #[test]
    fn what_stands_elsewhere_is_said_in_the_authors_form() {
        let mut asked = turn(Some("When?"), "the time in my note", Some("{}"));
        asked.external = Some("Noon.".to_owned());
        assert_eq!(asked.said(), "the time in my note<EK>:Noon.");
        assert_eq!(Turn { question: None, ..asked }.said(), "EK:Noon.\nquery:the time in my note");
    }

    #[test]
    fn calls_and_instructions_are_not_shown() {
        let messages = [Message::new(Role::System, "be brief"), Message::user("hi"), Message::new(Role::Tool, "{}")];
        assert_eq!(history(&messages), "user:hi");
    }

    #[test]
    fn a_snapshot_continues_the_one_before_it() {
        let (_, dialogue) = dialogue();
        let all = dialogue.messages(dialogue.turns.len() - 1);
        for last in 0..dialogue.turns.len() {
            let messages = dialogue.messages(last);
            assert_eq!(messages, all[..messages.len()]);
            assert_eq!(messages.last().unwrap().role, Role::User, "a snapshot ends with the person's word");
            assert_eq!(dialogue.history(last).lines().count(), messages.len());
        }
        assert_eq!(dialogue.messages(99), all);
    }

    /// A tool with three parameters in this order: from, to, day.
    fn journey() -> Tool {
        serde_json::from_value(serde_json::json!({
            "name": "Travel.Trains.book", "parameters": {"properties": {"from": {}, "to": {}, "day": {}}},
        }))
        .unwrap()
    }

    fn noted(arguments: &str, slots: &[&str]) -> Turn {
        let slots: Vec<String> = slots.iter().map(|slot| (*slot).to_owned()).collect();
        let note = |slot: &String| (slot.clone(), crate::record::Argument::default());
        Turn { notes: slots.iter().map(note).collect(), slots, ..turn(None, "", Some(arguments)) }
    }

    fn names(turn: &Turn) -> (Vec<&str>, Vec<&str>) {
        let arguments = turn.call.iter().flat_map(|call| call.arguments.keys());
        (arguments.map(String::as_str).collect(), turn.notes.keys().map(String::as_str).collect())
    }

    #[test]
    fn what_another_turn_gave_is_taken_over_in_declared_order() {
        let mut turn = noted(r#"{"day": "Friday", "from": "Faro"}"#, &["day", "from"]);
        turn.take(&journey(), &noted(r#"{"to": "Porto", "day": "Sunday"}"#, &["to"]));
        assert_eq!(names(&turn), (vec!["from", "to", "day"], vec!["from", "to", "day"]));
        let call = turn.call.unwrap();
        assert_eq!(call.arguments["to"].as_str(), Some("Porto"));
        assert_eq!(call.arguments["day"].as_str(), Some("Friday"), "only what the other turn was about is taken");
    }

    #[test]
    fn a_change_of_mind_replaces_the_value() {
        let mut turn = noted(r#"{"to": "Porto"}"#, &["to"]);
        turn.take(&journey(), &noted(r#"{"to": "Faro"}"#, &["to"]));
        assert_eq!(turn.call.unwrap().arguments["to"].as_str(), Some("Faro"));
    }

    #[test]
    fn where_no_tool_serves_nothing_is_taken() {
        let refused = turn(None, "sing", None);
        let mut same = refused.clone();
        same.take(&journey(), &noted(r#"{"to": "Faro"}"#, &["to"]));
        assert_eq!(same, refused);
        let mut asked = noted("{}", &[]);
        asked.take(&journey(), &Turn { slots: vec!["to".to_owned()], ..refused });
        assert_eq!(names(&asked), (vec![], vec![]));
    }
}
