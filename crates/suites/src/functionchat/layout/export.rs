//! fcgen's samples as the authors' lines.

use super::acceptable::Acceptable;
use super::folder::FILES;
use super::import::{EXTRACTION_FACT, Set, TypeOfOutput};
use super::row::{
    DecisionLine, DialogLine, DialogTurn, FunctionInfo, Numbered, SinglecallLine, ToolList, WireFunction, WireMessage,
    WireTool,
};
use crate::record::{Expected, Message, Role, Sample, Tool, Value};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Gathers samples, since a line of theirs is several of ours.
#[derive(Debug, Default)]
pub struct Export {
    /// The system's message of decisions that bring none along.
    system: Option<String>,
    queries: IndexMap<(String, String), Query>,
    dialogs: IndexMap<String, DialogLine>,
    turns: u64,
    decisions: Vec<DecisionLine>,
}

/// A query with its lists of tools.
#[derive(Debug)]
struct Query {
    group: String,
    text: String,
    gold: WireFunction,
    acceptable: Value,
    extraction: Option<String>,
    tools: Vec<(String, Vec<Arc<Tool>>)>,
}

impl Export {
    /// Nothing yet; `system` is the system's message of decisions that bring none along.
    pub fn new(system: Option<String>) -> Self {
        Self { system, ..Self::default() }
    }

    /// Takes a sample in; says whether it is one that these files can hold.
    pub fn add(&mut self, sample: &Sample) -> bool {
        let Some(kind) = TypeOfOutput::of(sample) else { return false };
        match (Set::of(&sample.data_type), &sample.expected) {
            (Set::Singlecall, Expected::Call(call)) => self.add_query(sample, WireFunction::of(call)),
            (Set::Singlecall, _) => return false,
            (Set::Dialog, _) => self.add_turn(sample, kind),
            (Set::CallDecision, _) => self.add_decision(sample, kind),
        }
        true
    }

    /// The files by name with their lines. A file without any is not there.
    pub fn files(self) -> serde_json::Result<Vec<(&'static str, Vec<String>)>> {
        let [singlecall, dialog, decision] = FILES;
        let queries: Vec<Query> = self.queries.into_values().collect();
        let dialogs: Vec<DialogLine> = self.dialogs.into_values().collect();
        let all = [
            (singlecall, lines(&functions(&queries))?),
            (dialog, lines(&dialogs)?),
            (decision, lines(&self.decisions)?),
        ];
        Ok(all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect())
    }

    fn add_query(&mut self, sample: &Sample, gold: WireFunction) {
        let text = sample.query();
        let query = self.queries.entry((sample.group.clone(), text.clone())).or_insert_with(|| Query {
            group: sample.group.clone(),
            text,
            gold,
            acceptable: Acceptable::of(sample).wire(),
            extraction: sample.provenance.facts.get(EXTRACTION_FACT).cloned(),
            tools: Vec::new(),
        });
        query.tools.push((sample.data_type.0.clone(), sample.candidates.clone()));
    }

    fn add_turn(&mut self, sample: &Sample, kind: TypeOfOutput) {
        let conversation =
            sample.snapshot.as_ref().map_or_else(|| sample.id.to_string(), |it| it.conversation.to_string());
        self.turns += 1;
        let dialog_num = self.dialogs.len() as u64 + 1;
        let dialog = self.dialogs.entry(conversation).or_insert_with(|| DialogLine {
            dialog_num,
            tools_count: sample.candidates.len(),
            tools: sample.candidates.iter().map(|tool| WireTool::of(tool)).collect(),
            turns: Vec::new(),
        });
        let said: Vec<Message> = sample.messages.iter().filter(|it| it.role != Role::System).cloned().collect();
        dialog.turns.push(DialogTurn {
            turn_num: u32::try_from(dialog.turns.len() + 1).unwrap_or(u32::MAX),
            serial_num: self.turns,
            query: WireMessage::all(&said),
            ground_truth: WireMessage::gold(sample),
            type_of_output: kind.as_str().to_owned(),
            acceptable_arguments: Acceptable::of(sample).wire(),
        });
    }

    fn add_decision(&mut self, sample: &Sample, kind: TypeOfOutput) {
        let has_system = sample.messages.iter().any(|message| message.role == Role::System);
        let system = self.system.iter().filter(|_| !has_system).map(|text| WireMessage::text(Role::System, text));
        let input_messages = system.chain(WireMessage::all(&sample.messages)).collect();
        self.decisions.push(DecisionLine {
            serial_num: self.decisions.len() as u64 + 1,
            category: sample.data_type.0.clone(),
            input_messages,
            input_tools: sample.candidates.iter().map(|tool| WireTool::of(tool)).collect(),
            type_of_output: kind.as_str().to_owned(),
            ground_truth: WireMessage::gold(sample),
            acceptable_arguments: Acceptable::of(sample).wire(),
        });
    }
}

fn lines(rows: &[impl Serialize]) -> serde_json::Result<Vec<String>> {
    rows.iter().map(serde_json::to_string).collect()
}

/// A line for queries of one function with the same lists of tools, since a line has its lists once.
fn functions(queries: &[Query]) -> Vec<SinglecallLine> {
    let mut by_lists: Vec<(&Query, Vec<&Query>)> = Vec::new();
    for query in queries {
        let place = by_lists.iter_mut().find(|(first, _)| first.group == query.group && first.tools == query.tools);
        match place {
            Some((_, others)) => others.push(query),
            None => by_lists.push((query, vec![query])),
        }
    }
    let mut serial = 0;
    let line = |(number, (first, queries)): (u64, (&Query, Vec<&Query>))| {
        let begin = serial + 1;
        serial += queries.len() as u64;
        function(number, begin, first, &queries)
    };
    (1..).zip(by_lists).map(line).collect()
}

fn function(function_num: u64, begin: u64, first: &Query, queries: &[&Query]) -> SinglecallLine {
    let numbered = |content: &dyn Fn(&Query) -> Value| -> Vec<Numbered> {
        (begin..).zip(queries).map(|(serial_num, query)| Numbered { serial_num, content: content(query) }).collect()
    };
    let target = first.tools.iter().flat_map(|(_, tools)| tools).find(|tool| tool.name == first.gold.name);
    let list = |(kind, tools): &(String, Vec<Arc<Tool>>)| ToolList {
        kind: kind.clone(),
        content: tools.iter().map(|tool| WireTool::of(tool)).collect(),
    };
    SinglecallLine {
        function_num,
        function_name: first.gold.name.clone(),
        function_info: target.map(|tool| info(tool, first.extraction.clone())).unwrap_or_default(),
        query: numbered(&|query| query.text.as_str().into()),
        ground_truth: numbered(&|query| serde_json::to_string(&query.gold).unwrap_or_default().into()),
        acceptable_arguments: numbered(&|query| query.acceptable.clone()),
        tools: first.tools.iter().map(list).collect(),
    }
}

/// What a function takes.
fn info(tool: &Tool, extraction_type: Option<String>) -> FunctionInfo {
    let mut seen = BTreeSet::new();
    let kinds = tool.parameters.properties.values().map(|it| it.type_name().to_owned());
    let mut parameter_type: Vec<Option<String>> = kinds.filter(|kind| seen.insert(kind.clone())).map(Some).collect();
    if parameter_type.is_empty() {
        parameter_type.push(None);
    }
    let required_parameters_count = tool.parameters.required.len();
    let optional_parameters_count = tool.parameters.properties.len().saturating_sub(required_parameters_count);
    FunctionInfo { required_parameters_count, optional_parameters_count, parameter_type, extraction_type }
}

#[cfg(test)]
mod tests {
    use super::super::folder::Layout;
    use super::super::import::samples_of;
    use super::super::row::tests::{DECISION, DIALOG, SINGLECALL};
    use super::*;

    fn again(lines: &[&str], change: impl Fn(&mut Sample)) -> Vec<(&'static str, Vec<String>)> {
        let mut export = Export::new(Some("Be kind.".to_owned()));
        for line in lines {
            for mut sample in samples_of(line, Layout::of_line(line).unwrap(), "calldecision", "ko").unwrap() {
                change(&mut sample);
                assert!(export.add(&sample));
            }
        }
        export.files().unwrap()
    }

    #[test]
    fn what_was_read_is_written_back() {
        let files = again(&[SINGLECALL, DIALOG, DECISION], |_| {});
        let wanted = [SINGLECALL, DIALOG, DECISION].map(|line| vec![line.to_owned()]);
        let wanted: Vec<_> = FILES.into_iter().zip(wanted).collect();
        assert_eq!(files, wanted);
    }

    #[test]
    fn queries_with_other_lists_of_tools_stand_on_a_line_of_their_own() {
        let files = again(&[SINGLECALL], |sample| {
            if sample.id.as_str() == "singlecall/2/4_close" {
                sample.candidates.reverse();
            }
        });
        let lines: Vec<SinglecallLine> = files[0].1.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let shape: Vec<_> = lines.iter().map(|it| (it.function_num, it.query[0].serial_num, it.tools.len())).collect();
        assert_eq!(shape, [(1, 1, 2), (2, 2, 2)]);
    }

    #[test]
    fn a_decision_without_the_systems_message_gets_one() {
        let files = again(&[DECISION], |sample| drop(sample.messages.remove(0)));
        assert_eq!(files, [(FILES[2], vec![DECISION.replace("친절하게 답하세요.", "Be kind.")])]);
    }

    #[test]
    fn what_these_files_cannot_hold_is_left_out() {
        let line = |json: &str| samples_of(json, Layout::of_line(json).unwrap(), "x", "ko").unwrap().remove(0);
        let mut export = Export::new(None);
        assert!(!export.add(&Sample { expected: Expected::Steps(Vec::new()), ..line(DECISION) }));
        assert!(!export.add(&Sample { expected: Expected::Refusal, ..line(SINGLECALL) }));
        assert!(export.files().unwrap().is_empty());
    }
}
