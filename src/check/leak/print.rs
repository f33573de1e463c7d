//! What is kept of an item that others are compared with: numbers alone, no text.

use super::tool::ToolPrint;
use super::words::Words;
use crate::record::{Expected, FunctionCall, Role, Sample, Tool, Value};
use std::sync::Arc;

/// The hashes of an item. Every list is sorted and has nothing twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Print {
    /// Runs of its words, as they stand.
    pub text: Vec<u32>,
    /// Its words and pairs of words, with the values taken out.
    pub frame: Vec<u32>,
    /// How many parts the frame has; more than are kept, where only the least hashes are.
    pub whole: usize,
    /// The values of its right calls that are not everybody's.
    pub values: Vec<u32>,
    /// The tools that it calls; where nothing is called, those that are offered.
    pub tools: Vec<Arc<ToolPrint>>,
    /// Whether the tools are called.
    pub calls: bool,
}

impl Print {
    /// The print of a sample: everything that the person says, and the right calls.
    pub fn of(sample: &Sample, words: &Words) -> Self {
        let said: Vec<&str> = user_texts(sample).collect();
        Self::of_text(&said.join("\n"), sample, words)
    }

    /// The prints of a training row: of all that is said in it, and of each turn that could be an item by itself.
    pub fn all(sample: &Sample, words: &Words) -> Vec<Self> {
        let turns: Vec<&str> = user_texts(sample).collect();
        let alone = if turns.len() > 1 { turns.as_slice() } else { &[] };
        let of_turns = alone.iter().map(|turn| Self::of_text(turn, sample, words));
        std::iter::once(Self::of(sample, words)).chain(of_turns).collect()
    }

    /// The print of a text that tells of no tools.
    pub fn plain(text: &str, words: &Words) -> Self {
        let (text, frame) = words.runs(text, &[]);
        Self { whole: frame.len(), text, frame, ..Self::default() }
    }

    /// How many of its tools another one has as well, under whatever names.
    pub(super) fn shared_tools(&self, other: &Self) -> usize {
        self.tools.iter().filter(|one| other.tools.iter().any(|two| one.is_like(two))).count()
    }

    fn of_text(said: &str, sample: &Sample, words: &Words) -> Self {
        let calls: Vec<&FunctionCall> = calls(sample).collect();
        let mut surfaces: Vec<String> = surfaces(sample);
        for call in &calls {
            call.arguments.values().for_each(|value| leaves(value, &mut |leaf| surfaces.extend(spelt(leaf))));
        }
        let (text, frame) = words.runs(said, &surfaces);
        let named = |name: &str| sample.candidates.iter().find(|tool| tool.name == name);
        let called: Vec<&Arc<Tool>> = calls.iter().filter_map(|call| named(&call.name)).collect();
        let shown: Vec<&Arc<Tool>> = if calls.is_empty() { sample.candidates.iter().collect() } else { called };
        let mut tools: Vec<Arc<ToolPrint>> =
            shown.into_iter().map(|tool| Arc::new(ToolPrint::of(tool, words))).collect();
        if tools.is_empty() {
            tools = calls.iter().map(|call| Arc::new(ToolPrint::named(&call.name))).collect();
        }
        tools.sort();
        tools.dedup();
        let mut values: Vec<u32> = calls.iter().flat_map(|call| telling(call, named(&call.name), words)).collect();
        sorted(&mut values);
        Self { whole: frame.len(), text, frame, values, tools, calls: !calls.is_empty() }
    }
}

/// Puts hashes in order, each once.
pub(super) fn sorted(hashes: &mut Vec<u32>) {
    hashes.sort_unstable();
    hashes.dedup();
}

fn user_texts(sample: &Sample) -> impl Iterator<Item = &str> {
    let said = sample.messages.iter().filter(|message| message.role == Role::User);
    said.filter_map(|message| message.content.as_deref()).filter(|text| !text.trim().is_empty())
}

/// The right calls; the label where none is right; else what was called before.
fn calls(sample: &Sample) -> impl Iterator<Item = &FunctionCall> {
    let right: Vec<&FunctionCall> = match &sample.expected {
        Expected::Call(call) => vec![call],
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
        _ => sample.label.iter().collect(),
    };
    let earlier = if right.is_empty() { sample.messages.as_slice() } else { &[] };
    let earlier: Vec<&FunctionCall> = earlier.iter().flat_map(|message| &message.tool_calls).collect();
    right.into_iter().chain(earlier)
}

/// How the notes say that values stand in the words.
fn surfaces(sample: &Sample) -> Vec<String> {
    let steps = if let Expected::Steps(steps) = &sample.expected { steps.as_slice() } else { &[] };
    let notes = steps.iter().flat_map(|step| &step.notes).chain([&sample.arguments]);
    notes.flat_map(|notes| notes.values()).filter_map(|note| note.surface.clone()).collect()
}

fn leaves<'v>(value: &'v Value, take: &mut impl FnMut(&'v Value)) {
    match value {
        Value::List(list) => list.iter().for_each(|it| leaves(it, take)),
        Value::Object(object) => object.values().for_each(|it| leaves(it, take)),
        leaf => take(leaf),
    }
}

fn spelt(leaf: &Value) -> Option<String> {
    match leaf {
        Value::String(text) if text.chars().count() > 1 => Some(text.clone()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// The values of a call that two people seldom choose alike: no listed ones, no flags, no small numbers.
fn telling(call: &FunctionCall, tool: Option<&Arc<Tool>>, words: &Words) -> Vec<u32> {
    let listed = |name: &str| {
        tool.and_then(|tool| tool.parameters.properties.get(name)).is_some_and(|parameter| parameter.values.is_some())
    };
    let mut out = Vec::new();
    for (_, value) in call.arguments.iter().filter(|(name, _)| !listed(name)) {
        leaves(value, &mut |leaf| match leaf {
            Value::String(text) if text.chars().filter(|letter| letter.is_alphanumeric()).count() > 2 => {
                out.push(words.value(text));
            }
            Value::Number(number) if number.as_str().chars().filter(char::is_ascii_digit).count() > 2 => {
                out.push(words.value(number.as_str()));
            }
            _ => {}
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::Ground;
    use super::*;
    use crate::lint::testing::{questions, said, sample};

    fn words() -> Words {
        Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap())
    }

    #[test]
    fn other_values_leave_the_frame_as_it_is() {
        let one = Print::of(
            &said("a", "ST_Perfect", "book 2 seats to Porto, please", r#"{"to": "Porto", "seats": 2}"#),
            &words(),
        );
        let two = Print::of(
            &said("b", "ST_Perfect", "book 14 seats to New York, please", r#"{"to": "New York", "seats": 14}"#),
            &words(),
        );
        assert_eq!((&one.frame, &one.tools), (&two.frame, &two.tools));
        assert!(one.text != two.text && one.values != two.values && one.calls);
    }

    #[test]
    fn listed_values_and_small_numbers_tell_nothing() {
        let print = Print::of(
            &said("a", "ST_Perfect", "first class to Porto", r#"{"to": "Porto", "class": "first", "seats": 2}"#),
            &words(),
        );
        assert_eq!(print.values, [words().value("porto")]);
    }

    #[test]
    fn where_nothing_is_called_the_offered_tools_count() {
        let mut refusal = sample("a", "ir_ST_Perfect");
        refusal.expected = Expected::Refusal;
        let print = Print::of(&refusal, &words());
        assert!(!print.calls && print.tools.len() > 1 && print.values.is_empty());
        assert_eq!(Print::of(&questions("medium"), &words()).tools.len(), 2);
    }

    #[test]
    fn each_turn_of_a_row_may_be_an_item() {
        let mut talk = sample("a", "Based");
        talk.messages.push(crate::record::Message::user("and a window seat for the dog"));
        let prints = Print::all(&talk, &words());
        assert_eq!(prints.len(), 3);
        assert_eq!(prints[2].text, Print::plain("and a window seat for the dog", &words()).text);
    }
}
