//! A sample as the page has it: a short row to list and filter by, and a card to open.

use crate::record::{
    ArgumentNotes, DataType, Difficulty, Expected, FunctionCall, ItemId, Message, Parameters, Provenance, Review, Role,
    Sample, Snapshot, Step, Tool, Value,
};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Letters of a title, of the text that is searched, and of a message or an answer that is shown.
const TITLE: usize = 180;
const SEARCHED: usize = 1500;
const SHOWN: usize = 12_000;

/// What is listed and filtered: id, data type, locale, what is right, tools that are called, title, text that is searched.
#[derive(Serialize)]
pub(super) struct Row<'s>(&'s str, &'s str, &'s str, &'static str, Vec<&'s str>, String, String);

/// What is shown of an opened sample. Tools stand in a store of their own, and what is very long is cut.
#[derive(Serialize)]
pub(super) struct Card<'s> {
    id: &'s ItemId,
    suite: &'s str,
    data_type: &'s DataType,
    locale: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_time: Option<&'s str>,
    messages: Vec<Cow<'s, Message>>,
    tools: Vec<usize>,
    expected: Right<'s>,
    /// Whether the request, and whether the right answer, is there only in part: neither can be edited then.
    #[serde(skip_serializing_if = "Cut::is_none")]
    cut: Cut,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    arguments: &'s ArgumentNotes,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    acceptable: &'s IndexMap<String, Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<Difficulty>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'s [String],
    group: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'s ItemId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<&'s Snapshot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'s FunctionCall>,
    review: Review,
    licence: &'s str,
    source: &'s str,
    provenance: &'s Provenance,
}

/// What was cut of what people edit.
#[derive(Serialize, Clone, Copy)]
struct Cut {
    query: bool,
    expected: bool,
}

/// The right answer; answers of tools may be cut.
#[derive(Serialize)]
#[serde(untagged)]
enum Right<'s> {
    Steps { steps: Vec<StepCard<'s>> },
    Other(&'s Expected),
}

#[derive(Serialize)]
struct StepCard<'s> {
    calls: &'s [FunctionCall],
    answers: Vec<Answer<'s>>,
    #[serde(skip_serializing_if = "<[ArgumentNotes]>::is_empty")]
    notes: &'s [ArgumentNotes],
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'s> {
    Whole(&'s Value),
    Cut { cut: String, letters: usize },
}

impl<'s> Row<'s> {
    pub(super) fn new(sample: &'s Sample) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for call in calls(sample) {
            if !names.contains(&call.name.as_str()) {
                names.push(&call.name);
            }
        }
        let title = squeezed(&sample.query(), TITLE);
        let (id, data_type) = (sample.id.as_str(), sample.data_type.0.as_str());
        Self(id, data_type, &sample.locale, kind(&sample.expected), names, title, searched(sample))
    }
}

impl<'s> Card<'s> {
    pub(super) fn new(sample: &'s Sample, tools: Vec<usize>) -> Self {
        Self {
            id: &sample.id,
            suite: sample.suite.as_str(),
            data_type: &sample.data_type,
            locale: &sample.locale,
            reference_time: sample.reference_time.as_deref(),
            messages: sample.messages.iter().map(message).collect(),
            tools,
            expected: Right::new(&sample.expected),
            cut: Cut::of(sample),
            arguments: &sample.arguments,
            acceptable: &sample.acceptable,
            difficulty: sample.difficulty,
            tags: &sample.tags,
            group: &sample.group,
            base: sample.base.as_ref(),
            snapshot: sample.snapshot.as_ref(),
            label: sample.label.as_ref(),
            review: sample.review,
            licence: &sample.licence,
            source: &sample.source,
            provenance: &sample.provenance,
        }
    }
}

impl Cut {
    fn of(sample: &Sample) -> Self {
        let steps = if let Expected::Steps(steps) = &sample.expected { steps.as_slice() } else { &[] };
        let mut answers = steps.iter().flat_map(|step| &step.answers);
        Self {
            query: matches!(clip(&sample.query(), SHOWN), Cow::Owned(_)),
            expected: answers.any(|answer| matches!(Answer::new(answer), Answer::Cut { .. })),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks in this way")]
    fn is_none(&self) -> bool {
        !self.query && !self.expected
    }
}

impl<'s> Right<'s> {
    fn new(expected: &'s Expected) -> Self {
        match expected {
            Expected::Steps(steps) => Self::Steps { steps: steps.iter().map(StepCard::new).collect() },
            other => Self::Other(other),
        }
    }
}

impl<'s> StepCard<'s> {
    fn new(step: &'s Step) -> Self {
        Self { calls: &step.calls, answers: step.answers.iter().map(Answer::new).collect(), notes: &step.notes }
    }
}

impl<'s> Answer<'s> {
    fn new(value: &'s Value) -> Self {
        let text = value.to_string();
        if text.len() <= SHOWN {
            return Self::Whole(value);
        }
        Self::Cut { letters: text.chars().count(), cut: clip(&text, SHOWN).into_owned() }
    }
}

/// The word for what is right.
pub(super) fn kind(expected: &Expected) -> &'static str {
    match expected {
        Expected::Call(_) => "call",
        Expected::Steps(_) => "calls",
        Expected::Refusal => "refusal",
        Expected::Question(_) => "question",
        Expected::Answer(_) => "answer",
        Expected::Acts(_) => "acts",
    }
}

/// The right calls, in order.
pub(super) fn calls(sample: &Sample) -> Vec<&FunctionCall> {
    match &sample.expected {
        Expected::Call(call) => vec![call],
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
        _ => Vec::new(),
    }
}

/// The first letters of a text, with a mark where it goes on.
pub(super) fn clip(text: &str, letters: usize) -> Cow<'_, str> {
    let cut = text.char_indices().nth(letters).and_then(|(at, _)| text.get(..at));
    cut.map_or(Cow::Borrowed(text), |cut| Cow::Owned(format!("{cut}\u{2026}")))
}

fn squeezed(text: &str, letters: usize) -> String {
    clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), letters).into_owned()
}

/// What is said, and the values of right arguments.
fn searched(sample: &Sample) -> String {
    let spoken = sample.messages.iter().filter(|it| matches!(it.role, Role::User | Role::Assistant));
    let words = spoken.filter_map(|it| it.content.clone());
    let values = calls(sample).into_iter().flat_map(|call| call.arguments.values().map(Value::to_string));
    squeezed(&words.chain(values).collect::<Vec<_>>().join(" "), SEARCHED)
}

fn message(message: &Message) -> Cow<'_, Message> {
    let cut = message.content.as_deref().filter(|text| text.len() > SHOWN).map(|text| clip(text, SHOWN).into_owned());
    cut.map_or(Cow::Borrowed(message), |cut| Cow::Owned(Message { content: Some(cut), ..message.clone() }))
}

// Tools by number: a page shows thousands of samples with the same candidates.

/// Every tool that was seen, by its number.
#[derive(Default)]
pub(super) struct Tools {
    /// Of one name there are several where toolsets or locales differ.
    by_name: IndexMap<String, Vec<(Arc<Tool>, usize)>>,
    count: usize,
}

/// What people are shown of a tool.
#[derive(Serialize)]
pub(super) struct ToolCard<'t> {
    name: &'t str,
    description: &'t str,
    parameters: &'t Parameters,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<&'t serde_json::Value>,
}

impl Tools {
    /// The number of a tool, and whether it is seen for the first time.
    pub(super) fn number(&mut self, tool: &Arc<Tool>) -> (usize, bool) {
        let known = self.by_name.entry(tool.name.clone()).or_default();
        if let Some((_, number)) = known.iter().find(|(other, _)| other == tool) {
            return (*number, false);
        }
        let number = self.count;
        known.push((tool.clone(), number));
        self.count += 1;
        (number, true)
    }
}

impl<'t> From<&'t Tool> for ToolCard<'t> {
    fn from(tool: &'t Tool) -> Self {
        let Tool { name, description, parameters, returns, .. } = tool;
        Self { name, description, parameters, returns: returns.as_ref() }
    }
}

// Rejects by stage and reason, with some of each to look at.

/// Rejects that are kept of each reason.
const KEPT: usize = 5;
/// Letters that are kept of a text.
const LETTERS: usize = 600;

/// All rejects, counted.
#[derive(Debug, Clone, Default)]
pub struct Rejects {
    groups: IndexMap<(String, String), RejectGroup>,
}

/// The rejects of one reason in one stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RejectGroup {
    /// The stage.
    pub stage: String,
    /// The reason.
    pub reason: String,
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub first: Vec<RejectCard>,
}

/// One reject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectCard {
    /// Its id.
    pub id: String,
    #[serde(skip_serializing)]
    stage: String,
    #[serde(skip_serializing)]
    reason: String,
    /// What was found.
    pub detail: String,
    /// The words that were rejected.
    pub text: String,
}

impl Rejects {
    /// Looks at a line of `rejects.jsonl`; one that is none is left out.
    pub fn see(&mut self, line: &str) {
        let Ok(mut reject) = serde_json::from_str::<RejectCard>(line) else { return };
        let (stage, reason) = (std::mem::take(&mut reject.stage), std::mem::take(&mut reject.reason));
        let group = self.groups.entry((stage, reason)).or_insert_with_key(|(stage, reason)| RejectGroup {
            stage: stage.clone(),
            reason: reason.clone(),
            ..RejectGroup::default()
        });
        group.count += 1;
        if group.first.len() < KEPT {
            let short = |text: &str| clip(text, LETTERS).into_owned();
            group.first.push(RejectCard { detail: short(&reject.detail), text: short(&reject.text), ..reject });
        }
    }

    /// The groups, the largest first.
    pub fn groups(&self) -> Vec<RejectGroup> {
        let mut groups: Vec<RejectGroup> = self.groups.values().cloned().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A sample that wants a call.
    pub(crate) fn sample(id: &str, words: &str) -> Sample {
        serde_json::from_value(serde_json::json!({
            "id": id, "suite": "s", "data_type": "d", "locale": "en", "group": "g", "licence": "MIT", "source": "t",
            "messages": [{"role": "system", "content": "Rules."}, {"role": "user", "content": words}],
            "candidates": [{"name": "book", "description": "Books.", "parameters": {"properties": {"to": {"type": "string"}, "n": {}}}}],
            "expected": {"call": {"name": "book", "arguments": {"to": "Porto", "n": 2}}},
            "arguments": {"to": {"surface": "Porto", "origin": "verbatim"}},
            "provenance": {"template": true, "draws": []},
        }))
        .unwrap()
    }

    #[test]
    fn a_row_says_what_one_filters_by() {
        let sample = sample("a/0", "two tickets\n to  Porto");
        insta::assert_snapshot!(
            serde_json::to_string(&Row::new(&sample)).unwrap(),
            @r#"["a/0","d","en","call",["book"],"two tickets to Porto","two tickets to Porto \"Porto\" 2"]"#
        );
    }

    #[test]
    fn a_card_holds_numbers_of_tools_in_place_of_tools() {
        let card = serde_json::to_value(Card::new(&sample("a/0", "hi"), vec![3])).unwrap();
        assert_eq!((card["tools"][0].as_u64(), card.get("candidates")), (Some(3), None));
        assert_eq!(card["expected"]["call"]["arguments"]["to"], "Porto");
        assert_eq!((&card["review"], card.get("cut")), (&"unreviewed".into(), None));
    }

    #[test]
    fn a_long_answer_is_cut_and_says_how_long_it_was() {
        let mut sample = sample("a", "hi");
        let answer = Value::from("x".repeat(SHOWN));
        let call = FunctionCall { name: "f".to_owned(), ..FunctionCall::default() };
        sample.expected = Expected::Steps(vec![Step {
            calls: vec![call],
            answers: vec![answer, Value::from("short")],
            notes: vec![],
        }]);
        sample.messages.push(Message::user("y".repeat(SHOWN + 9)));
        let card = serde_json::to_value(Card::new(&sample, vec![])).unwrap();
        let answers = &card["expected"]["steps"][0]["answers"];
        assert_eq!((answers[0]["letters"].as_u64(), &answers[1]), (Some(SHOWN as u64 + 2), &"short".into()));
        assert_eq!(card["messages"][2]["content"].as_str().unwrap().chars().count(), SHOWN + 1);
        assert_eq!(card["cut"], serde_json::json!({"query": true, "expected": true}));
        sample.messages.pop();
        let card = serde_json::to_value(Card::new(&sample, vec![])).unwrap();
        assert_eq!(card["cut"], serde_json::json!({"query": false, "expected": true}));
    }

    #[test]
    fn texts_are_cut_between_letters() {
        assert_eq!((clip("가나다", 2), clip("가나다", 3)), ("가나\u{2026}".into(), "가나다".into()));
        let long = sample("a", &"word ".repeat(2000));
        assert!(serde_json::to_string(&Row::new(&long)).unwrap().len() < 2000);
    }
}

#[cfg(test)]
mod tools_tests {
    use super::*;

    fn tool(json: &str) -> Arc<Tool> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_tool_has_one_number_however_often_it_is_read() {
        let mut tools = Tools::default();
        let one = || tool(r#"{"name": "a", "description": "x"}"#);
        let other = tool(r#"{"name": "a", "description": "y"}"#);
        assert_eq!(
            [tools.number(&one()), tools.number(&other), tools.number(&one())],
            [(0, true), (1, true), (0, false)]
        );
    }

    #[test]
    fn what_only_the_built_in_model_reads_is_not_shown() {
        let tool = tool(r#"{"name": "a", "description": "x", "kinds": {"p": "city"}, "acts": true}"#);
        let text = serde_json::to_string(&ToolCard::from(&*tool)).unwrap();
        assert_eq!(
            text,
            r#"{"name":"a","description":"x","parameters":{"type":"object","properties":{},"required":[]}}"#
        );
    }
}

#[cfg(test)]
mod rejects_tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_the_first_are_kept() {
        let mut rejects = Rejects::default();
        rejects.see("no reject");
        rejects.see(r#"{"id":"a","stage":"script","reason":"wrong_script","detail":"too few","text":"hm"}"#);
        for at in 0..9 {
            rejects.see(&format!(r#"{{"id":"b{at}","stage":"parameters","reason":"missing","detail":"no `x`"}}"#));
        }
        let groups = rejects.groups();
        assert_eq!((groups.len(), groups[0].count, groups[0].first.len()), (2, 9, KEPT));
        assert_eq!(
            serde_json::to_string(&groups[1]).unwrap(),
            r#"{"stage":"script","reason":"wrong_script","count":1,"first":[{"id":"a","detail":"too few","text":"hm"}]}"#
        );
    }

    #[test]
    fn a_long_text_is_cut() {
        let mut rejects = Rejects::default();
        rejects.see(&format!(r#"{{"id":"a","stage":"s","reason":"r","detail":"","text":"{}"}}"#, "x".repeat(2000)));
        assert!(rejects.groups()[0].first[0].text.chars().count() <= LETTERS + 1);
    }
}
