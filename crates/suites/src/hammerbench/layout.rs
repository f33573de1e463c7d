//! HammerBench's files, shaped as their authors publish them (shared facts: two generations of ids, fifteen data types).
//!
//! The conversation generation has one JSON array for each data type; its single-turn items carry no id. The snapshot
//! generation has one array of all single-turn items, each with an id `<type>_<conversation>_<turn>`.

mod folder;
mod import;

pub use folder::DataFile;
pub use import::LogLine;

use crate::record::{Dialogue, Expected, FunctionCall, ItemId, Message, Parameter, Role, Sample, Tool, Turn, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The single-turn data types, in the authors' order.
pub const SINGLE_TURN: [&str; 6] =
    ["ST_Perfect", "ir_ST_Perfect", "ST_Imperfect", "ir_ST_Imperfect", "ST_External", "ir_ST_External"];

/// The data types whose files come with a file of the marked turns.
pub const MARKED: [&str; 3] = ["SO_case1", "SO_case2", "External"];

/// One item of a HammerBench file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HammerItem {
    /// The id; absent in single-turn files of the conversation generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<HammerId>,
    /// The turns; a `function call` is the label of the snapshot that the turn before it closes.
    pub messages: Vec<HammerMessage>,
    /// The candidate tools.
    pub multiple_tools: Vec<HammerTool>,
    /// The gold tool alone; absent in single-turn files of the conversation generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_tool: Option<Vec<HammerTool>>,
}

/// An item's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HammerId {
    /// Conversation generation: the index of the base conversation, from 0.
    Conversation(u64),
    /// Snapshot generation: `Based_1_2`.
    Snapshot(String),
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HammerMessage {
    /// `user`, `assistant` or `function call`.
    pub role: String,
    /// Text, or the call.
    pub content: HammerContent,
}

/// What a turn holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HammerContent {
    /// Words.
    Text(String),
    /// A call.
    Call(HammerCall),
}

/// A label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HammerCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments: everything known so far.
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// A tool as the authors publish it: every parameter required, each with type and description alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HammerTool {
    /// `Domain.Category.function`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its parameters.
    pub parameters: HammerParameters,
}

/// A tool's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HammerParameters {
    /// Always `object`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The parameters.
    pub properties: IndexMap<String, HammerParameter>,
    /// The names of all of them.
    pub required: Vec<String>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HammerParameter {
    /// `string`, `integer`, `boolean`, `float` (sic) or `array`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it means.
    pub description: String,
}

/// Gives the snapshot generation's conversation numbers: a twin has the number of its base.
#[derive(Debug, Default)]
pub struct Numbers {
    next: IndexMap<String, u64>,
    /// The group that is being numbered: a twin comes somewhere behind its base, but within its group.
    group: String,
    known: BTreeMap<ItemId, u64>,
}

impl Numbers {
    /// The number of a sample, from 0 within its data type. Samples of one group come together, a twin behind its base.
    pub fn number(&mut self, sample: &Sample) -> u64 {
        if self.group != sample.group {
            self.group.clone_from(&sample.group);
            self.known.clear();
        }
        let base = sample.base.as_ref().filter(|_| sample.expected == Expected::Refusal);
        if let Some(number) = base.and_then(|base| self.known.get(base)) {
            return *number;
        }
        // A twin whose base was dropped takes a number of its own among the bases, so that no other twin has it.
        let data_type = sample.data_type.0.strip_prefix("ir_").unwrap_or(&sample.data_type.0);
        let next = self.next.entry(data_type.to_owned()).or_default();
        let number = *next;
        *next += 1;
        self.known.insert(sample.id.clone(), number);
        number
    }
}

impl Numbers {
    /// The number of a conversation, from 0: a variant has that of its base, and none where its base is not there.
    pub fn conversation(&mut self, id: &ItemId, group: &str, dialogue: &Dialogue) -> Option<u64> {
        if self.group != group {
            group.clone_into(&mut self.group);
            self.known.clear();
        }
        if dialogue.data_type.0 != "Based" {
            return self.known.get(&dialogue.base).copied();
        }
        let next = self.next.entry(dialogue.data_type.0.clone()).or_default();
        let number = *next;
        *next += 1;
        self.known.insert(id.clone(), number);
        Some(number)
    }
}

impl HammerItem {
    /// A single-turn sample in the conversation generation.
    pub fn of(sample: &Sample) -> Self {
        let call = match &sample.expected {
            Expected::Call(call) => Some(call),
            _ => sample.label.as_ref(),
        };
        let turns = sample.messages.iter().filter_map(HammerMessage::of);
        let label = call.map(HammerMessage::call);
        let shown = |tool: &&std::sync::Arc<Tool>| {
            sample.authors_candidates.as_ref().is_none_or(|names| names.contains(&tool.name))
        };
        Self {
            id: None,
            messages: turns.chain(label).collect(),
            multiple_tools: sample.candidates.iter().filter(shown).map(|tool| HammerTool::of(tool)).collect(),
            single_tool: None,
        }
    }

    /// A dialogue in the conversation generation, up to and with turn `last`.
    pub fn dialogue(dialogue: &Dialogue, number: u64, last: usize) -> Self {
        let messages = dialogue.turns.iter().take(last + 1).flat_map(HammerMessage::turn).collect();
        Self {
            id: Some(HammerId::Conversation(number)),
            messages,
            multiple_tools: dialogue.frame.candidates.iter().map(|tool| HammerTool::of(tool)).collect(),
            single_tool: Some(vec![HammerTool::of(&dialogue.tool)]),
        }
    }

    /// The same as a snapshot: `turn` counts from 1.
    #[must_use]
    pub fn with_snapshot_id(mut self, data_type: &str, number: u64, turn: usize) -> Self {
        self.id = Some(HammerId::Snapshot(format!("{}_{number}_{turn}", data_type.replace('_', "-"))));
        self
    }

    /// The same in the snapshot generation; `gold` is the tool of the label.
    #[must_use]
    pub fn snapshot(mut self, data_type: &str, number: u64, gold: Option<&Tool>) -> Self {
        self.single_tool = Some(gold.map(HammerTool::of).into_iter().collect());
        self.with_snapshot_id(data_type, number, 1)
    }
}

impl HammerMessage {
    fn text(role: &str, text: impl Into<String>) -> Self {
        Self { role: role.to_owned(), content: HammerContent::Text(text.into()) }
    }

    fn call(call: &FunctionCall) -> Self {
        Self { role: "function call".to_owned(), content: HammerContent::Call(HammerCall::of(call)) }
    }

    /// A turn: the question, the words, and what is right then.
    fn turn(turn: &Turn) -> Vec<Self> {
        let question = turn.question.iter().map(|question| Self::text("assistant", question));
        let right = turn.call.as_ref().map(Self::call);
        let right = right.or_else(|| turn.refusal.as_ref().map(|refusal| Self::text("assistant", refusal)));
        question.chain([Self::text("user", turn.said())]).chain(right).collect()
    }

    fn of(message: &Message) -> Option<Self> {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System | Role::Tool => return None,
        };
        Some(Self::text(role, message.content.clone()?))
    }
}

impl HammerCall {
    fn of(call: &FunctionCall) -> Self {
        let json = |value: &Value| serde_json::Value::from(value);
        Self {
            name: call.name.clone(),
            arguments: call.arguments.iter().map(|(name, value)| (name.clone(), json(value))).collect(),
        }
    }
}

impl HammerTool {
    /// A tool in the authors' shape.
    pub fn of(tool: &Tool) -> Self {
        let properties: IndexMap<String, HammerParameter> = tool
            .parameters
            .properties
            .iter()
            .map(|(name, parameter)| (name.clone(), HammerParameter::of(parameter)))
            .collect();
        Self {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: HammerParameters {
                kind: "object".to_owned(),
                required: properties.keys().cloned().collect(),
                properties,
            },
        }
    }
}

impl HammerParameter {
    /// Listed values have no place of their own in the authors' schema; they stand in the description.
    fn of(parameter: &Parameter) -> Self {
        let mut description = parameter.description.clone().unwrap_or_default();
        if let Some(values) = &parameter.values {
            let listed: Vec<String> =
                values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
            description = format!("{description} ({})", listed.join(", "));
        }
        let kind = if parameter.type_name() == "number" { "float" } else { parameter.type_name() };
        Self { kind: kind.to_owned(), description }
    }
}

/// Writes a JSON array item by item, indented by two as the authors' files are.
pub struct ArrayWriter<W: Write> {
    writer: W,
    empty: bool,
}

impl<W: Write> ArrayWriter<W> {
    /// Begins an array.
    pub fn new(writer: W) -> Self {
        Self { writer, empty: true }
    }

    /// Adds an item.
    pub fn add(&mut self, item: &impl Serialize) -> io::Result<()> {
        self.writer.write_all(if self.empty { b"[\n" } else { b",\n" })?;
        self.empty = false;
        for (index, line) in serde_json::to_string_pretty(item)?.lines().enumerate() {
            if index > 0 {
                self.writer.write_all(b"\n")?;
            }
            self.writer.write_all(b"  ")?;
            self.writer.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// Ends the array and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.write_all(if self.empty { b"[]\n" } else { b"\n]\n" })?;
        Ok(self.writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_array_is_what_a_json_writer_with_indent_two_gives() {
        let mut writer = ArrayWriter::new(Vec::new());
        let items = [serde_json::json!({"a": 1, "b": []}), serde_json::json!({"c": {"d": "x"}})];
        for item in &items {
            writer.add(item).unwrap();
        }
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        assert_eq!(text.trim_end(), serde_json::to_string_pretty(&items).unwrap());
        assert_eq!(ArrayWriter::new(Vec::new()).finish().unwrap(), b"[]\n");
    }

    #[test]
    fn the_authors_types_and_listed_values_are_kept() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "A.B.c", "description": "d", "parameters": {"type": "object", "required": [], "properties":
                {"price": {"type": "number", "description": "Price"}, "mode": {"type": "string", "enum": ["x", "y"], "description": "Mode"}}}}"#,
        )
        .unwrap();
        let json = serde_json::to_value(HammerTool::of(&tool)).unwrap();
        assert_eq!(json["parameters"]["properties"]["price"]["type"], "float");
        assert_eq!(json["parameters"]["properties"]["mode"]["description"], "Mode (x, y)");
        assert_eq!(json["parameters"]["required"], serde_json::json!(["price", "mode"]));
    }

    /// A sample of a data type and group; a twin refuses and names its base.
    fn sample(id: &str, data_type: &str, group: &str, base: Option<&str>) -> Sample {
        let tool = |name: &str| serde_json::json!({"name": name, "description": name, "parameters": {"type": "object", "properties": {}}});
        let call = serde_json::json!({"name": "A.B.gold", "arguments": {"n": 3, "to": "Porto"}});
        let is_twin = base.is_some();
        serde_json::from_value(serde_json::json!({
            "id": id, "suite": "hammerbench", "data_type": data_type, "locale": "en", "group": group, "base": base,
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "3 to Porto"}],
            "candidates": [tool("A.B.other"), tool(if is_twin { "A.B.stranger" } else { "A.B.gold" })],
            "expected": if is_twin { serde_json::json!("refusal") } else { serde_json::json!({"call": call}) },
            "label": is_twin.then_some(call),
            "authors_candidates": is_twin.then_some(["A.B.other"]),
            "licence": "CC0", "source": "test", "provenance": crate::record::Provenance::default(),
        }))
        .unwrap()
    }

    #[test]
    fn a_twin_has_the_number_of_its_base_wherever_it_comes() {
        let mut numbers = Numbers::default();
        let order = [
            ("t/0", "ST_Perfect", "t", None, 0),
            ("t/0/external/0", "ST_External", "t", None, 0),
            ("t/0/external/0/twin/0", "ir_ST_External", "t", Some("t/0/external/0"), 0),
            ("t/0/twin/0", "ir_ST_Perfect", "t", Some("t/0"), 0),
            ("t/1", "ST_Perfect", "t", None, 1),
            ("t/1/twin/0", "ir_ST_Perfect", "t", Some("t/1"), 1),
            ("u/0", "ST_Perfect", "u", None, 2),
            ("u/0/twin/0", "ir_ST_Perfect", "u", Some("u/0"), 2),
        ];
        for (id, data_type, group, base, number) in order {
            assert_eq!(numbers.number(&sample(id, data_type, group, base)), number, "{id}");
        }
    }

    #[test]
    fn a_twin_that_lost_its_base_shares_its_number_with_nobody() {
        let mut numbers = Numbers::default();
        let given: Vec<u64> = [
            ("t/0/twin/0", "ir_ST_Perfect", Some("t/0")),
            ("t/1", "ST_Perfect", None),
            ("t/1/twin/0", "ir_ST_Perfect", Some("t/1")),
        ]
        .map(|(id, data_type, base)| numbers.number(&sample(id, data_type, "t", base)))
        .into();
        assert_eq!(given, [0, 1, 1]);
    }

    #[test]
    fn a_sample_is_its_turns_with_the_label_at_the_end() {
        let item = HammerItem::of(&sample("t/0", "ST_Perfect", "t", None));
        let json = serde_json::to_value(&item).unwrap();
        assert_eq!(
            json["messages"],
            serde_json::json!([{"role": "user", "content": "3 to Porto"},
                {"role": "function call", "content": {"name": "A.B.gold", "arguments": {"n": 3, "to": "Porto"}}}])
        );
        assert_eq!((json.get("id"), json.get("single_tool"), item.multiple_tools.len()), (None, None, 2));
        assert_eq!(serde_json::from_value::<HammerItem>(json).unwrap(), item);
    }

    #[test]
    fn a_twin_shows_what_the_authors_show_and_keeps_the_label() {
        let item = HammerItem::of(&sample("t/0/twin/0", "ir_ST_Perfect", "t", Some("t/0")));
        let names: Vec<&str> = item.multiple_tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, item.messages.len()), (vec!["A.B.other"], 2));
    }

    #[test]
    fn a_snapshot_has_an_id_and_the_right_tool_alone() {
        let gold: Tool = serde_json::from_str(r#"{"name": "A.B.gold", "description": "d"}"#).unwrap();
        let item = HammerItem::of(&sample("t/0", "ST_Perfect", "t", None));
        let json = serde_json::to_value(item.clone().snapshot("ir_ST_Perfect", 4, Some(&gold))).unwrap();
        assert_eq!(json["id"], "ir-ST-Perfect_4_1");
        assert_eq!(
            (json["single_tool"][0]["name"].as_str(), json["single_tool"].as_array().unwrap().len()),
            (Some("A.B.gold"), 1)
        );
        let without = item.snapshot("ST_Perfect", 0, None);
        assert_eq!(without.single_tool, Some(Vec::new()));
        let back: HammerItem = serde_json::from_value(serde_json::to_value(&without).unwrap()).unwrap();
        assert_eq!(back.id, Some(HammerId::Snapshot("ST-Perfect_0_1".to_owned())));
    }

    #[test]
    fn both_generations_are_read_and_unknown_keys_are_not() {
        let read = |json: &str| serde_json::from_str::<HammerItem>(json);
        assert_eq!(
            read(r#"{"id": 3, "messages": [], "multiple_tools": []}"#).unwrap().id,
            Some(HammerId::Conversation(3))
        );
        assert_eq!(read(r#"{"messages": [], "multiple_tools": []}"#).unwrap().id, None);
        assert!(read(r#"{"messages": [], "multiple_tools": [], "tools": []}"#).is_err());
        assert!(read(r#"{"messages": []}"#).is_err());
    }

    /// What a file of these items gives back, as samples.
    fn read_back(items: &[HammerItem], data_type: Option<&str>) -> Vec<Sample> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.json");
        let mut writer = ArrayWriter::new(Vec::new());
        for item in items {
            writer.add(item).unwrap();
        }
        std::fs::write(&path, writer.finish().unwrap()).unwrap();
        let file = DataFile { path, locale: "en".to_owned(), data_type: data_type.map(str::to_owned) };
        crate::format::samples_of(vec![file]).unwrap()
    }

    #[test]
    fn a_request_that_was_written_is_read_back_in_both_generations() {
        for (data_type, base) in [("ST_Perfect", None), ("ir_ST_Perfect", Some("t/0"))] {
            let sample = sample("t/0/x", data_type, "t", base);
            let item = HammerItem::of(&sample);
            let snapshot = item.clone().snapshot(data_type, 0, None);
            for back in [read_back(&[item], Some(data_type)), read_back(&[snapshot], None)] {
                assert_eq!(back[0].id.as_str(), format!("en/{}_0_1", data_type.replace('_', "-")));
                assert_eq!((&back[0].expected, &back[0].label, back.len()), (&sample.expected, &sample.label, 1));
                assert_eq!((back[0].query(), &back[0].data_type), (sample.query(), &sample.data_type));
            }
        }
    }

    /// A conversation of three turns that ends in a shift, and the item that it is.
    fn shift() -> (crate::record::Item, Dialogue) {
        let call = |arguments| serde_json::json!({"name": "A.B.gold", "arguments": arguments});
        let turns = serde_json::json!([
            {"text": "a boat", "call": call(serde_json::json!({}))},
            {"question": "Where to?", "text": "there", "external": "To Porto", "call": call(serde_json::json!({"to": "Porto"})), "marked": true},
            {"question": "When?", "text": "sing instead", "refusal": "Sorry."},
        ]);
        let frame = Sample { messages: Vec::new(), expected: Expected::Refusal, ..sample("t/0", "IS", "t", None) };
        let dialogue: Dialogue = serde_json::from_value(serde_json::json!({
            "data_type": "IS", "tool": {"name": "A.B.gold", "description": "Gold"}, "frame": frame, "turns": turns,
            "base": "t/0", "style": "plain",
        }))
        .unwrap();
        let record = crate::record::Record::Dialogue(Box::new(dialogue.clone()));
        let provenance = crate::record::Provenance::default();
        (crate::record::Item { id: ItemId::root("t/0/is/0"), root: ItemId::root("t"), record, provenance }, dialogue)
    }

    #[test]
    fn a_conversation_that_was_written_gives_the_same_snapshots_back() {
        let (item, dialogue) = shift();
        let wanted = dialogue.samples(&item);
        let whole = read_back(&[HammerItem::dialogue(&dialogue, 4, 2)], Some("IS"));
        let each = (0..3).map(|last| HammerItem::dialogue(&dialogue, 4, last).with_snapshot_id("IS", 4, last + 1));
        let each = read_back(&each.collect::<Vec<_>>(), None);
        for back in [whole, each] {
            assert_eq!(back.len(), wanted.len());
            for (turn, (back, wanted)) in back.iter().zip(&wanted).enumerate() {
                assert_eq!((&back.messages, &back.expected), (&wanted.messages, &wanted.expected), "turn {turn}");
                let place = back.snapshot.as_ref().unwrap();
                assert_eq!(
                    (place.turn as usize, place.turns, back.id.as_str()),
                    (turn + 1, 3, format!("en/IS_4_{}", turn + 1).as_str())
                );
            }
        }
    }

    #[test]
    fn a_variant_has_the_number_of_its_base_and_none_without_it() {
        let (item, variant) = shift();
        let based = Dialogue { data_type: crate::record::DataType("Based".to_owned()), ..variant.clone() };
        let mut numbers = Numbers::default();
        let base = |id: &str| Dialogue { base: ItemId::root(id), ..variant.clone() };
        assert_eq!(numbers.conversation(&item.id, "t", &base("t/0/based/0")), None, "it came before its base");
        assert_eq!(numbers.conversation(&ItemId::root("t/0/based/0"), "t", &based), Some(0));
        assert_eq!(numbers.conversation(&ItemId::root("t/0/based/1"), "t", &based), Some(1));
        assert_eq!(numbers.conversation(&item.id, "t", &base("t/0/based/1")), Some(1));
        assert_eq!(numbers.conversation(&item.id, "u", &base("t/0/based/1")), None, "a base is in its own group");
        assert_eq!(numbers.conversation(&ItemId::root("u/0/based/0"), "u", &based), Some(2));
    }

    proptest! {
            #[test]
            fn an_id_says_type_conversation_and_turn(kind in 0..15_usize, number in any::<u64>(), turn in 1..1_000_000_u32) {
                let known: Vec<&str> = SINGLE_TURN.into_iter().chain(crate::record::MULTI_TURN.map(|(name, _)| name)).collect();
                let item = HammerItem { id: None, messages: Vec::new(), multiple_tools: Vec::new(), single_tool: None };
                let item = item.with_snapshot_id(known[kind], number, turn as usize);
                prop_assert_eq!(item.id.as_ref().unwrap().parts(), Some((known[kind].to_owned(), number, turn)));
                let json = serde_json::to_string(&item).unwrap();
                prop_assert_eq!(serde_json::from_str::<HammerItem>(&json).unwrap(), item);
            }

            #[test]
            fn what_is_written_item_by_item_is_one_array(items in prop::collection::vec(crate::fixtures::any_value(false), 0..4)) {
                let items: Vec<serde_json::Value> = items.iter().map(serde_json::Value::from).collect();
                let mut writer = ArrayWriter::new(Vec::new());
                for item in &items {
    writer.add(item).unwrap();
    }
                let text = String::from_utf8(writer.finish().unwrap()).unwrap();
                prop_assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap(), items);
            }
        }
}
