//! The authors' lines as fcgen's samples.

use super::acceptable::Acceptable;
use super::folder::Layout;
use super::row::{DecisionLine, DialogLine, DialogTurn, Numbered, RowError, SinglecallLine, WireFunction, WireMessage};
use crate::record::{
    DataType, Expected, GOLD_TEXT_FACT, ItemId, Message, Role, Sample, Snapshot, SuiteId, Tool, Value,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The fact of a single call that says how its values follow from the words.
pub const EXTRACTION_FACT: &str = "extraction_type";

/// The sets of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// A request with each of several lists of tools.
    Singlecall,
    /// Turns of dialogs.
    Dialog,
    /// Whether to call, to ask, or to decline.
    CallDecision,
}

/// Expected type of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TypeOfOutput {
    /// A call.
    Call,
    /// The answer of a tool, in words.
    Completion,
    /// A question for missing values.
    Slot,
    /// Text without a tool: the request is beyond the tools, or does not concern tools at all.
    Relevance,
}

impl Set {
    /// All of them, in the authors' order.
    pub const ALL: [Self; 3] = [Self::Singlecall, Self::Dialog, Self::CallDecision];

    /// The set that a data type belongs to: lists of tools, types of output, or categories.
    pub fn of(data_type: &DataType) -> Self {
        let name = data_type.0.as_str();
        let is_list = name
            .split_once('_')
            .is_some_and(|(count, kind)| count.parse::<u32>().is_ok() && ["random", "close", "exact"].contains(&kind));
        match TypeOfOutput::named(name) {
            _ if is_list || name == "exact" => Self::Singlecall,
            Some(_) => Self::Dialog,
            None => Self::CallDecision,
        }
    }

    /// Its name, as ids begin.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Singlecall => "singlecall",
            Self::Dialog => "dialog",
            Self::CallDecision => "calldecision",
        }
    }
}

impl TypeOfOutput {
    /// All of them, in the authors' order.
    pub const ALL: [Self; 4] = [Self::Call, Self::Completion, Self::Slot, Self::Relevance];

    /// The authors' name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Completion => "completion",
            Self::Slot => "slot",
            Self::Relevance => "relevance",
        }
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// What a sample wants; nothing where no sample of this benchmark wants it.
    pub fn of(sample: &Sample) -> Option<Self> {
        match sample.expected {
            Expected::Call(_) => Some(Self::Call),
            Expected::Answer(_) => Some(Self::Completion),
            Expected::Question(_) => Some(Self::Slot),
            Expected::Refusal => Some(Self::Relevance),
            Expected::Steps(_) | Expected::Acts(_) => None,
        }
    }
}

/// The samples of a line.
pub(super) fn samples_of(line: &str, layout: Layout, set: &str, locale: &str) -> Result<Vec<Sample>, RowError> {
    match layout {
        Layout::Singlecall => singlecall(read(line)?, locale),
        Layout::Dialog => dialog(read(line)?, locale),
        Layout::Common => decision(read(line)?, set, locale).map(|sample| vec![sample]),
    }
}

fn read<T: DeserializeOwned>(line: &str) -> Result<T, RowError> {
    serde_json::from_str(line).map_err(|error| RowError::Shape(error.to_string()))
}

/// A sample for each query and list of tools.
fn singlecall(line: SinglecallLine, locale: &str) -> Result<Vec<Sample>, RowError> {
    let wanted = line.query.len();
    for (key, list) in [("ground_truth", &line.ground_truth), ("acceptable_arguments", &line.acceptable_arguments)] {
        if list.len() != wanted {
            return Err(RowError::Uneven { key, found: list.len(), wanted });
        }
    }
    let tools: Vec<(String, Vec<Arc<Tool>>)> = line
        .tools
        .into_iter()
        .map(|list| (list.kind, list.content.into_iter().map(super::WireTool::into_tool).collect()))
        .collect();
    let mut samples = Vec::new();
    let rows = line.query.iter().zip(&line.ground_truth).zip(&line.acceptable_arguments);
    for ((query, gold), acceptable) in rows {
        let expected = Expected::Call(gold_call(gold)?);
        let text = query.content.as_str().unwrap_or_default();
        for (kind, tools) in &tools {
            let id = format!("singlecall/{}/{kind}", query.serial_num);
            let mut sample = sample(id, kind, locale, vec![Message::user(text)], tools.clone(), expected.clone());
            sample.group = format!("singlecall/{}", line.function_num);
            if let Some(extraction) = &line.function_info.extraction_type {
                sample.provenance.facts.insert(EXTRACTION_FACT.to_owned(), extraction.clone());
            }
            Acceptable::read(&acceptable.content).put(&mut sample);
            samples.push(sample);
        }
    }
    Ok(samples)
}

/// A call within a string, whose arguments are within a string again.
fn gold_call(gold: &Numbered) -> Result<crate::record::FunctionCall, RowError> {
    let text = gold.content.as_str().ok_or_else(|| RowError::Gold("not a string".to_owned()))?;
    let function: WireFunction = serde_json::from_str(text).map_err(|error| RowError::Gold(error.to_string()))?;
    function.read().map_err(RowError::Gold)
}

/// A sample for each turn.
fn dialog(line: DialogLine, locale: &str) -> Result<Vec<Sample>, RowError> {
    let tools: Vec<Arc<Tool>> = line.tools.into_iter().map(super::WireTool::into_tool).collect();
    let turns = u32::try_from(line.turns.len()).unwrap_or(u32::MAX);
    let conversation = ItemId::root(format!("dialogs/{}", line.dialog_num));
    let turn = |turn: DialogTurn| {
        let DialogTurn { turn_num, serial_num, query, ground_truth, type_of_output, acceptable_arguments } = turn;
        let kind = output(&type_of_output)?;
        let (expected, text) = expected(kind, &ground_truth)?;
        let (id, messages) = (format!("dialog/{serial_num}"), WireMessage::read_all(query)?);
        let mut sample = sample(id, &type_of_output, locale, messages, tools.clone(), expected);
        finish(&mut sample, text, &acceptable_arguments);
        sample.group = conversation.to_string();
        let tool = if let Expected::Call(call) = &sample.expected { call.name.clone() } else { String::new() };
        let conversation = conversation.clone();
        sample.snapshot = Some(Snapshot { conversation, turn: turn_num, turns, marked: None, shared: None, tool });
        Ok(sample)
    };
    line.turns.into_iter().map(turn).collect()
}

fn decision(line: DecisionLine, set: &str, locale: &str) -> Result<Sample, RowError> {
    let (expected, text) = expected(output(&line.type_of_output)?, &line.ground_truth)?;
    let tools = line.input_tools.into_iter().map(super::WireTool::into_tool).collect();
    let (id, messages) = (format!("{set}/{}", line.serial_num), WireMessage::read_all(line.input_messages)?);
    let mut sample = sample(id, &line.category, locale, messages, tools, expected);
    finish(&mut sample, text, &line.acceptable_arguments);
    Ok(sample)
}

fn output(name: &str) -> Result<TypeOfOutput, RowError> {
    TypeOfOutput::named(name).ok_or_else(|| RowError::Type(name.to_owned()))
}

/// What is right, and the words for it where it is no plain answer.
fn expected(kind: TypeOfOutput, gold: &WireMessage) -> Result<(Expected, Option<String>), RowError> {
    let text = gold.content.clone().unwrap_or_default();
    Ok(match kind {
        TypeOfOutput::Call => {
            let call = gold.only_call().ok_or_else(|| RowError::Gold("expected exactly one call".to_owned()))?;
            (Expected::Call(call.read().map_err(RowError::Gold)?), None)
        }
        TypeOfOutput::Completion => (Expected::Answer(text), None),
        // Which parameters are missing is not said.
        TypeOfOutput::Slot => (Expected::Question(Vec::new()), Some(text)),
        TypeOfOutput::Relevance => (Expected::Refusal, Some(text)),
    })
}

fn finish(sample: &mut Sample, text: Option<String>, acceptable: &Value) {
    if let Some(text) = text {
        sample.provenance.facts.insert(GOLD_TEXT_FACT.to_owned(), text);
    }
    Acceptable::read(acceptable).put(sample);
}

fn sample(
    id: String,
    data_type: &str,
    locale: &str,
    messages: Vec<Message>,
    candidates: Vec<Arc<Tool>>,
    expected: Expected,
) -> Sample {
    let first = messages.iter().find(|message| message.role == Role::User).and_then(|it| it.content.clone());
    Sample {
        locale: locale.to_owned(),
        messages,
        candidates,
        group: first.unwrap_or_default(),
        licence: "unknown".to_owned(),
        source: "FunctionChat-Bench's layout".to_owned(),
        ..Sample::new(ItemId::root(id), SuiteId::FunctionChat, data_type, expected)
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::{DECISION, DIALOG, SINGLECALL};
    use super::*;

    fn samples(line: &str) -> Result<Vec<Sample>, RowError> {
        samples_of(line, Layout::of_line(line).unwrap(), "calldecision", "ko")
    }

    fn ids(samples: &[Sample]) -> Vec<String> {
        samples.iter().map(|it| format!("{} {}", it.id, it.data_type.0)).collect()
    }

    #[test]
    fn a_query_is_a_sample_with_each_list_of_tools() {
        let samples = samples(SINGLECALL).unwrap();
        let wanted = ["1/exact exact", "1/4_close 4_close", "2/exact exact", "2/4_close 4_close"];
        assert_eq!(ids(&samples), wanted.map(|it| format!("singlecall/{it}")));
        assert_eq!((samples[1].candidates.len(), samples[1].query()), (2, "힐 항구 배 두 척".to_owned()));
        let Expected::Call(call) = &samples[0].expected else { panic!() };
        assert_eq!((call.arguments["boats"].to_string(), samples[0].acceptable["pier"].len()), ("2".to_owned(), 2));
        assert_eq!(Acceptable::of(&samples[2]).mode, Some(super::super::Mode::OnlyGold));
        assert_eq!(samples[0].provenance.facts[EXTRACTION_FACT], "plain");
    }

    #[test]
    fn a_turn_is_a_sample_with_all_that_was_said_before() {
        let samples = samples(DIALOG).unwrap();
        assert_eq!(ids(&samples), ["dialog/1 call", "dialog/2 completion"]);
        assert_eq!(samples[1].expected, Expected::Answer("없습니다.".to_owned()));
        let place = samples[1].snapshot.as_ref().unwrap();
        assert_eq!(
            (place.conversation.as_str(), place.turn, place.turns, samples[1].messages.len()),
            ("dialogs/1", 2, 2, 3)
        );
    }

    #[test]
    fn a_decision_keeps_the_systems_message_and_the_right_words() {
        let sample = samples(DECISION).unwrap().remove(0);
        assert_eq!((sample.messages[0].role, super::super::gold_text(&sample)), (Role::System, "어느 항구인가요?"));
        assert_eq!(TypeOfOutput::of(&sample), Some(TypeOfOutput::Slot));
    }

    #[test]
    fn data_types_tell_the_set() {
        for (name, set) in [
            ("exact", Set::Singlecall),
            ("1_exact", Set::Singlecall),
            ("8_close", Set::Singlecall),
            ("16_random", Set::Singlecall),
            ("slot", Set::Dialog),
            ("CALL", Set::CallDecision),
            ("SLOT-some", Set::CallDecision),
            ("very_close", Set::CallDecision),
        ] {
            assert_eq!(Set::of(&DataType(name.to_owned())), set, "{name}");
        }
        assert_eq!(Set::ALL.map(Set::as_str), ["singlecall", "dialog", "calldecision"]);
    }

    #[test]
    fn what_is_no_sample_is_told() {
        let told = |line: &str, old: &str, new: &str| samples(&line.replace(old, new)).unwrap_err().to_string();
        assert_eq!(
            told(DIALOG, "\"completion\"", "\"reply\""),
            "unknown type of output `reply`; expected `call`, `completion`, `slot` or `relevance`"
        );
        assert_eq!(told(DECISION, "\"slot\"", "\"call\""), "`ground_truth`: expected exactly one call");
        assert_eq!(
            told(SINGLECALL, ",{\"serial_num\":2,\"content\":\"밀 항구 배\"}", ""),
            "`ground_truth` has 2 entries for 1 queries"
        );
        assert!(told(SINGLECALL, "\\\"boats\\\\\\\":2}", "\\\"boats").starts_with("`ground_truth`: "));
    }
}
