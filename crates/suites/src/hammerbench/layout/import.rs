//! From the authors' items to samples: one for each snapshot.

use super::folder::DataFile;
use super::{HammerCall, HammerContent, HammerId, HammerItem, HammerParameter, HammerTool};
use crate::format::{FileError, LayoutFile, SampleSink};
use crate::record::{
    BorrowedObject, BorrowedValue, Expected, FunctionCall, ItemId, Message, Object, Parameter, Parameters,
    REFUSAL_FACT, Role, Sample, Snapshot, SuiteId, Tool, Value, ValueError,
};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// Of this data type all others are variants.
const BASE: &str = "Based";

impl LayoutFile for DataFile {
    const SUITE: SuiteId = SuiteId::HammerBench;

    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn locale(&self) -> &str {
        &self.locale
    }

    fn in_locale(&self, locale: &str) -> Option<Self> {
        (self.locale == locale).then(|| self.clone())
    }

    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        let marked = self.marked_turns()?.unwrap_or_default();
        let turns = last_turns(self)?;
        let mut at = 0;
        self.each_item(&mut |line, item| {
            let marks = marked.get(at).map(Vec::as_slice).unwrap_or_default();
            let samples = item.and_then(|item| {
                let part = Part::of(self, &item, at);
                let samples = part.samples(&item, marks, turns.get(&part.conversation()).copied());
                if samples.is_empty() { Err("no user turn has a label".to_owned()) } else { Ok(samples) }
            });
            let place = Self::place(&self.path, line);
            match samples {
                Ok(samples) => samples.into_iter().for_each(|sample| take(place.clone(), Ok(sample))),
                Err(problem) => take(place, Err(FileError::line(&self.path, line, problem))),
            }
            at += 1;
        })
    }
}

/// In the snapshot generation a conversation is spread over items: how many turns each has.
fn last_turns(file: &DataFile) -> Result<IndexMap<String, u32>, FileError> {
    let (mut turns, mut at) = (IndexMap::new(), 0);
    if file.data_type.is_some() {
        return Ok(turns);
    }
    file.each_item(&mut |_, item| {
        if let Ok(item) = item {
            let part = Part::of(file, &item, at);
            let last: &mut u32 = turns.entry(part.conversation()).or_default();
            *last = part.turn.unwrap_or(1).max(*last);
        }
        at += 1;
    })?;
    Ok(turns)
}

/// Where an item belongs.
struct Part {
    locale: String,
    data_type: String,
    number: u64,
    /// In the snapshot generation: the turn whose snapshot alone the item is.
    turn: Option<u32>,
}

impl Part {
    fn of(file: &DataFile, item: &HammerItem, at: usize) -> Self {
        let locale = file.locale.clone();
        let data_type = file.data_type.clone().unwrap_or_default();
        match (&item.id, item.id.as_ref().and_then(HammerId::parts)) {
            (_, Some((data_type, number, turn))) => Self { locale, data_type, number, turn: Some(turn) },
            (Some(HammerId::Conversation(number)), _) => Self { locale, data_type, number: *number, turn: None },
            _ => Self { locale, data_type, number: at as u64, turn: None },
        }
    }

    fn is_single(&self) -> bool {
        self.data_type.contains("ST_")
    }

    fn name(&self, data_type: &str) -> String {
        format!("{}/{}_{}", self.locale, data_type.replace('_', "-"), self.number)
    }

    fn conversation(&self) -> String {
        self.name(&self.data_type)
    }

    /// What the item is a variant of: the request with its right tool, or the plain conversation.
    fn base(&self) -> Option<ItemId> {
        match self.data_type.strip_prefix("ir_") {
            Some(twin) => Some(ItemId::root(format!("{}_1", self.name(twin)))),
            None if self.is_single() => None,
            None => Some(ItemId::root(self.name(BASE))),
        }
    }

    fn samples(&self, item: &HammerItem, marks: &[u32], turns: Option<u32>) -> Vec<Sample> {
        let closed = snapshots(item);
        let turns = turns.unwrap_or_else(|| u32::try_from(closed.len()).unwrap_or(u32::MAX));
        let tool =
            closed.iter().find_map(|(_, label)| label.as_ref()).map(|call| call.name.clone()).unwrap_or_default();
        let numbered = (1_u32..).zip(closed).filter(|(turn, _)| self.turn.is_none_or(|only| only == *turn));
        let sample = |(turn, (messages, label)): (u32, (Vec<Message>, Option<FunctionCall>))| {
            let snapshot = (!self.is_single()).then(|| Snapshot {
                conversation: ItemId::root(self.conversation()),
                turn,
                turns,
                marked: Some(marks.contains(&(turn - 1))),
                shared: None,
                tool: tool.clone(),
            });
            self.sample(item, turn, messages, label, snapshot)
        };
        let mut samples: Vec<Sample> = numbered.map(sample).collect();
        if let (Some(last), Some(HammerContent::Text(words))) =
            (samples.last_mut(), item.messages.last().map(|message| &message.content))
        {
            if last.expected == Expected::Refusal {
                last.provenance.facts.insert(REFUSAL_FACT.to_owned(), words.clone());
            }
        }
        samples
    }

    fn sample(
        &self,
        item: &HammerItem,
        turn: u32,
        messages: Vec<Message>,
        label: Option<FunctionCall>,
        snapshot: Option<Snapshot>,
    ) -> Sample {
        let refuses = self.data_type.starts_with("ir_");
        let (expected, label) = match label {
            Some(call) if !refuses => (Expected::Call(call), None),
            label => (Expected::Refusal, label),
        };
        let group = if self.is_single() { self.data_type.trim_start_matches("ir_") } else { BASE };
        Sample {
            locale: self.locale.clone(),
            messages,
            candidates: item.multiple_tools.iter().map(|tool| Arc::new(tool.tool())).collect(),
            group: self.name(group),
            base: self.base(),
            snapshot,
            label,
            licence: "unknown".to_owned(),
            source: "HammerBench's layout".to_owned(),
            ..Sample::new(
                ItemId::root(format!("{}_{turn}", self.conversation())),
                SuiteId::HammerBench,
                self.data_type.clone(),
                expected,
            )
        }
    }
}

/// What was said up to each snapshot, and its call; the sentence that refuses has none.
fn snapshots(item: &HammerItem) -> Vec<(Vec<Message>, Option<FunctionCall>)> {
    let (mut said, mut closed, mut is_open) = (Vec::new(), Vec::new(), false);
    for (at, message) in item.messages.iter().enumerate() {
        let is_last = at + 1 == item.messages.len();
        match (&message.content, message.role.as_str()) {
            (HammerContent::Call(call), _) => {
                closed.push((said.clone(), Some(call.call())));
                is_open = false;
            }
            (HammerContent::Text(_), "assistant") if is_open && is_last => {
                closed.push((said.clone(), None));
                is_open = false;
            }
            (HammerContent::Text(text), "assistant") => said.push(Message::new(Role::Assistant, text)),
            (HammerContent::Text(text), _) => {
                said.push(Message::user(text));
                is_open = true;
            }
        }
    }
    closed
}

impl HammerCall {
    /// The call as a record.
    pub fn call(&self) -> FunctionCall {
        let arguments: Object =
            self.arguments.iter().map(|(name, value)| (name.clone(), Value::from(value.clone()))).collect();
        FunctionCall { name: self.name.clone(), arguments }
    }
}

impl HammerTool {
    /// The tool as a record.
    pub fn tool(&self) -> Tool {
        let properties = self.parameters.properties.iter().map(|(name, it)| (name.clone(), it.parameter())).collect();
        let (kind, required) = (self.parameters.kind.clone(), self.parameters.required.clone());
        let parameters = Parameters { kind, properties, required };
        Tool { name: self.name.clone(), description: self.description.clone(), parameters, ..Tool::default() }
    }
}

impl HammerParameter {
    fn parameter(&self) -> Parameter {
        let kind = if self.kind == "float" { "number" } else { self.kind.as_str() };
        Parameter { kind: Some(kind.into()), description: Some(self.description.clone()), ..Parameter::default() }
    }
}

// A line of a log: what a model was shown, what it said, and what would have been right.

/// What scoring needs of a line. What the model was shown is not even read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogLine<'t> {
    /// The snapshot's id; our own vectors put the locale before it and call it `key`.
    pub id: Option<Cow<'t, str>>,
    /// The locale, where the line says it.
    pub locale: Option<Cow<'t, str>>,
    /// What the line is about, where it says so.
    pub kind: Option<Cow<'t, str>>,
    /// What the model said: its text, or something that was read from it.
    pub predict: Option<BorrowedValue<'t>>,
    /// What is right: a call, or the sentence that refuses.
    pub label: Option<BorrowedValue<'t>>,
}

impl<'t> LogLine<'t> {
    /// Reads a line, or one element of a log that is an array.
    pub fn read(text: &'t str) -> Result<Self, ValueError> {
        let mut fields = BorrowedObject::read_fields(text, &["key", "id", "lang", "kind", "predict", "label"])?;
        let (key, id) = (fields.take("key").and_then(text_of), fields.take("id").and_then(text_of));
        Ok(Self {
            id: key.or(id),
            locale: fields.take("lang").and_then(text_of),
            kind: fields.take("kind").and_then(text_of),
            predict: fields.take("predict"),
            label: fields.take("label"),
        })
    }
}

fn text_of(value: BorrowedValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        BorrowedValue::String(text) => Some(text),
        BorrowedValue::Number(text) => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: &str = r#"{"name": "A.B.book", "description": "Book", "parameters": {"type": "object",
        "properties": {"price": {"type": "float", "description": "Price"}}, "required": ["price"]}}"#;

    fn import(data_type: Option<&str>, items: &str, marks: &str) -> Vec<Sample> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");
        std::fs::write(&path, items.replace("TOOL", TOOL)).unwrap();
        if let Some(data_type) = data_type.filter(|_| !marks.is_empty()) {
            std::fs::create_dir(folder.path().join("snapshot_id")).unwrap();
            std::fs::write(folder.path().join(format!("snapshot_id/snap_shot_id_{data_type}.json")), marks).unwrap();
        }
        let file = DataFile { path, locale: "en".to_owned(), data_type: data_type.map(str::to_owned) };
        let mut samples = Vec::new();
        file.read(&mut |_, sample| samples.push(sample.unwrap())).unwrap();
        samples
    }

    const TURNS: &str = r#"{"role": "user", "content": "a boat"}, {"role": "function call", "content": {"name": "A.B.book", "arguments": {}}},
        {"role": "assistant", "content": "Price?"}, {"role": "user", "content": "1.50"}"#;
    const LABEL: &str = r#"{"role": "function call", "content": {"name": "A.B.book", "arguments": {"price": 1.5}}}"#;

    #[test]
    fn a_conversation_is_a_sample_for_each_turn() {
        let items = format!(
            r#"[{{"id": 7, "messages": [{TURNS}, {LABEL}], "multiple_tools": [TOOL], "single_tool": [TOOL]}}]"#
        );
        let samples = import(Some("SO_case1"), &items, "[[1]]");
        let ids: Vec<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
        assert_eq!(ids, ["en/SO-case1_7_1", "en/SO-case1_7_2"]);
        let places: Vec<(u32, u32, bool)> = samples
            .iter()
            .filter_map(|it| it.snapshot.as_ref())
            .map(|it| (it.turn, it.turns, it.marked == Some(true)))
            .collect();
        assert_eq!(places, [(1, 2, false), (2, 2, true)]);
        assert_eq!(samples[1].base.as_ref().unwrap().as_str(), "en/Based_7");
        assert_eq!(crate::record::history(&samples[1].messages), "user:a boat\nassistant:Price?\nuser:1.50");
        let Expected::Call(call) = &samples[1].expected else { panic!("a call") };
        assert_eq!(serde_json::to_string(call).unwrap(), r#"{"name":"A.B.book","arguments":{"price":1.5}}"#);
        assert_eq!(samples[0].candidates[0].parameters.properties["price"].type_name(), "number");
    }

    #[test]
    fn a_shift_ends_with_a_refusal_and_a_later_question_does_not() {
        let end = r#"{"role": "assistant", "content": "Sorry, no tool is suitable for your request."}"#;
        let items = format!(r#"[{{"id": 0, "messages": [{TURNS}, {end}], "multiple_tools": [], "single_tool": []}}]"#);
        let samples = import(Some("IS"), &items, "");
        assert_eq!((samples.len(), &samples[1].expected, samples[1].messages.len()), (2, &Expected::Refusal, 3));
        assert!(
            samples[1].provenance.facts[REFUSAL_FACT].starts_with("Sorry") && samples[0].provenance.facts.is_empty()
        );
    }

    #[test]
    fn a_twin_wants_a_refusal_and_keeps_the_label() {
        let items = format!(r#"[{{"messages": [{TURNS}, {LABEL}], "multiple_tools": []}}]"#);
        let sample = import(Some("ir_ST_Perfect"), &items, "").remove(1);
        assert_eq!(
            (&sample.expected, sample.snapshot, sample.label.unwrap().name),
            (&Expected::Refusal, None, "A.B.book".to_owned())
        );
        assert_eq!(sample.base.unwrap().as_str(), "en/ST-Perfect_0_1");
    }

    #[test]
    fn snapshots_of_their_own_know_how_many_they_are() {
        let item = |turn: u32, messages: &str| {
            format!(
                r#"{{"id": "Based_4_{turn}", "messages": [{messages}], "multiple_tools": [], "single_tool": [TOOL]}}"#
            )
        };
        let first = TURNS.split(", {\"role\": \"assistant\"").next().unwrap().split(",\n").next().unwrap();
        let items = format!("[{}, {}]", item(1, first), item(2, &format!("{TURNS}, {LABEL}")));
        let samples = import(None, &items, "");
        let places: Vec<(&str, u32, u32)> = samples
            .iter()
            .map(|it| (it.id.as_str(), it.snapshot.as_ref().unwrap().turn, it.snapshot.as_ref().unwrap().turns))
            .collect();
        assert_eq!(places, [("en/Based_4_1", 1, 2), ("en/Based_4_2", 2, 2)]);
    }
}

#[cfg(test)]
mod log_tests {
    use super::*;

    #[test]
    fn the_authors_lines_and_our_own_are_read() {
        let line =
            r#"{"id": "Based_1_2", "input": "user:hi", "predict": "x\ny", "label": {"name": "A", "arguments": {}}}"#;
        let line = LogLine::read(line).unwrap();
        assert_eq!((line.id.as_deref(), line.locale), (Some("Based_1_2"), None));
        assert_eq!(line.predict.unwrap().as_str(), Some("x\ny"));
        assert_eq!(line.label.unwrap().as_object().unwrap().get("name").unwrap().as_str(), Some("A"));
        let own = LogLine::read(r#"{"key": "ko/IS_0_2", "id": "IS_0_2", "lang": "ko", "predict": null, "label": "s"}"#);
        let own = own.unwrap();
        assert_eq!((own.id.as_deref(), own.locale.as_deref()), (Some("ko/IS_0_2"), Some("ko")));
        assert_eq!((own.predict, own.label.unwrap().as_str()), (Some(BorrowedValue::Null), Some("s")));
    }

    #[test]
    fn a_line_may_lack_anything_but_must_be_an_object() {
        assert_eq!(LogLine::read("{}").unwrap(), LogLine::default());
        assert_eq!(LogLine::read(r#"{"id": 7, "predict": {"name": "A"}}"#).unwrap().id.as_deref(), Some("7"));
        for text in ["", "[]", "5", "{\"id\""] {
            assert!(LogLine::read(text).is_err(), "{text}");
        }
    }
}
