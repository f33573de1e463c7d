//! One item as people read it: what was said, what is right, what else was at hand.

use crate::cli::console::talk::Colour;
use crate::cli::console::words::clip;
use fcgen::record::{Conversation, Dialogue, Expected, FunctionCall, Item, Record, Reject, Sample, Tool};
use std::sync::Arc;

/// Most candidates that are named.
const NAMED: usize = 12;

/// Most characters of a text that is shown.
const MOST: usize = 300;

/// What a run writes on a line of `samples.jsonl`.
pub(crate) enum Shown {
    /// A scored item.
    Sample(Box<Sample>),
    /// Whatever else the pipeline yields.
    Item(Box<Item>),
}

impl Shown {
    /// Reads a line; `None` where it is neither.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let sample = serde_json::from_str(line).map(|sample| Self::Sample(Box::new(sample)));
        sample.or_else(|_| serde_json::from_str(line).map(|item| Self::Item(Box::new(item)))).ok()
    }

    /// The sample, if it is one.
    pub(crate) fn sample(&self) -> Option<&Sample> {
        match self {
            Self::Sample(sample) => Some(sample),
            Self::Item(_) => None,
        }
    }

    /// The kind by which samples are counted.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Sample(sample) => sample.data_type.0.clone(),
            Self::Item(item) => item.record.kind().word().to_owned(),
        }
    }

    /// The item on a few lines.
    pub(crate) fn lines(&self, colour: Colour) -> Vec<String> {
        match self {
            Self::Sample(sample) => sample_lines(sample, colour),
            Self::Item(item) => item_lines(item, colour),
        }
    }
}

impl From<Item> for Shown {
    fn from(item: Item) -> Self {
        match item.record {
            Record::Sample(sample) => Self::Sample(sample),
            _ => Self::Item(Box::new(item)),
        }
    }
}

/// A sample: data type and id, words, right answer, candidates.
pub(crate) fn sample_lines(sample: &Sample, colour: Colour) -> Vec<String> {
    vec![
        format!("  {}  {}", colour.bold(&sample.data_type.0), colour.dim(sample.id.as_str())),
        format!("    request:    {}", clip(&sample.shown().replace('\n', " / "), MOST)),
        format!("    expected:   {}", expected_text(&sample.expected)),
        format!("    tools:      {}", names(&sample.candidates)),
    ]
}

/// A reject: reason and stage, what was found, the words.
pub(crate) fn reject_lines(reject: &Reject, colour: Colour) -> Vec<String> {
    let mut lines = vec![
        format!("  {} in {}  {}", colour.bold(&reject.reason), reject.stage, colour.dim(reject.id.as_str())),
        format!("    detail:     {}", clip(&reject.detail, MOST)),
    ];
    if !reject.text.is_empty() {
        lines.push(format!("    text:       {}", clip(&reject.text, MOST)));
    }
    lines
}

/// A call as a programmer would write it.
pub(crate) fn call_text(call: &FunctionCall) -> String {
    let arguments = call.arguments.iter().map(|(name, value)| {
        let value = serde_json::to_string(value).unwrap_or_default();
        format!("{name} = {value}")
    });
    format!("{}({})", call.name, arguments.collect::<Vec<_>>().join(", "))
}

/// The right answer in a line.
pub(crate) fn expected_text(expected: &Expected) -> String {
    match expected {
        Expected::Call(call) => call_text(call),
        Expected::Steps(steps) => {
            let calls = steps.iter().flat_map(|step| &step.calls).map(call_text);
            calls.collect::<Vec<_>>().join("; then ")
        }
        Expected::Refusal => "no call: none of the tools is suitable".to_owned(),
        Expected::Question(parameters) => format!("a question that asks for {}", parameters.join(", ")),
        Expected::Answer(text) => clip(text, MOST),
        Expected::Acts(acts) => acts.join(", "),
    }
}

fn names(tools: &[Arc<Tool>]) -> String {
    let names: Vec<&str> =
        tools.iter().take(NAMED).map(|tool| tool.name.rsplit('.').next().unwrap_or(&tool.name)).collect();
    let more = tools.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

fn item_lines(item: &Item, colour: Colour) -> Vec<String> {
    let text = match &item.record {
        Record::Tool(tool) => tool_text(tool),
        Record::Row(row) => serde_json::to_string(&row.fields).unwrap_or_default(),
        Record::Query(query) => format!("{} -> {}", query.said(), call_text(&query.call)),
        Record::Selection(selection) => format!("{}: {}", selection.tool.name, selection.parameters.join(", ")),
        Record::Catalogue(catalogue) => format!("{}: {} APIs", catalogue.title, catalogue.tools.len()),
        Record::Question(question) => {
            let calls: Vec<String> = question.calls.iter().map(|planned| call_text(&planned.call)).collect();
            format!("{} -> {}", question.text, calls.join("; "))
        }
        Record::ComplexQuery(query) => {
            let calls: Vec<String> = query.steps.iter().flat_map(|step| &step.calls).map(call_text).collect();
            format!("{} -> {}", query.text, calls.join("; "))
        }
        Record::Scenario(scenario) => format!("{}: {}", scenario.complexity.as_str(), scenario.goals),
        Record::Conversation(conversation) => return conversation_lines(item, conversation, colour),
        Record::Sample(sample) => return sample_lines(sample, colour),
        Record::Dialogue(dialogue) => return dialogue_lines(item, dialogue, colour),
    };
    vec![format!("  {}", colour.dim(item.id.as_str())), format!("    {}", clip(&text, MOST))]
}

/// A conversation: its complexity and id, and for each turn what is said, called and replied.
fn conversation_lines(item: &Item, conversation: &Conversation, colour: Colour) -> Vec<String> {
    let name = conversation.scenario.complexity.as_str();
    let mut lines = vec![format!("  {}  {}", colour.bold(name), colour.dim(item.id.as_str()))];
    for turn in &conversation.turns {
        lines.push(format!("    user: {}", clip(&turn.said, MOST)));
        lines.extend(turn.calls.iter().map(|made| format!("      -> {}", call_text(&made.call))));
        lines.push(format!("    assistant: {}", clip(&turn.reply, MOST)));
    }
    lines
}

/// A dialogue: data type and id, a line for each turn with the call that is right then.
fn dialogue_lines(item: &Item, dialogue: &Dialogue, colour: Colour) -> Vec<String> {
    let head = format!("  {}  {}", colour.bold(&dialogue.data_type.0), colour.dim(item.id.as_str()));
    let turns = dialogue.turns.iter().flat_map(|turn| {
        let asked = turn.question.iter().map(|question| format!("    question:   {}", clip(question, MOST)));
        let said = format!("    request:    {}", clip(&turn.said(), MOST));
        let right = turn.call.clone().map_or(Expected::Refusal, Expected::Call);
        asked.chain([said, format!("    expected:   {}", expected_text(&right))]).collect::<Vec<_>>()
    });
    std::iter::once(head).chain(turns).collect()
}

fn tool_text(tool: &Tool) -> String {
    let parameters: Vec<&str> = tool.parameters.properties.keys().map(String::as_str).collect();
    format!("{}({}): {}", tool.name, parameters.join(", "), tool.description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::record::ItemId;

    fn call(json: &str) -> FunctionCall {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_call_reads_like_code() {
        let call = call(r#"{"name": "a.b", "arguments": {"city": "서울", "n": 2}}"#);
        assert_eq!(call_text(&call), r#"a.b(city = "서울", n = 2)"#);
        assert_eq!(expected_text(&Expected::Call(call)), r#"a.b(city = "서울", n = 2)"#);
        assert!(expected_text(&Expected::Refusal).starts_with("no call"));
        assert_eq!(expected_text(&Expected::Question(vec!["a".into(), "b".into()])), "a question that asks for a, b");
    }

    #[test]
    fn a_reject_says_why_and_shows_the_words_where_there_are_any() {
        let (stage, reason) = ("script".to_owned(), "wrong_script".to_owned());
        let (detail, text) = ("too few".to_owned(), String::new());
        let mut reject = Reject { id: ItemId::root("a/1"), stage, reason, detail, text, mended: None };
        let colour = Colour::default();
        assert_eq!(reject_lines(&reject, colour), ["  wrong_script in script  a/1", "    detail:     too few"]);
        "hm".clone_into(&mut reject.text);
        assert_eq!(reject_lines(&reject, colour)[2], "    text:       hm");
    }

    #[test]
    fn a_line_is_a_sample_or_an_item_or_nothing() {
        let line =
            r#"{"id":"a/1","root":"a","record":{"Row":{"fields":{"x":1}}},"provenance":{"template":true,"draws":[]}}"#;
        let shown = Shown::read(line).unwrap();
        assert_eq!(shown.kind(), "row");
        assert_eq!(shown.lines(Colour::default()), ["  a/1", r#"    {"x":1}"#]);
        assert!(Shown::read("{}").is_none());
    }

    const PLACE: &str = r#""provenance":{"template":true,"draws":[]}"#;

    fn shown(json: &str) -> String {
        Shown::read(json).unwrap().lines(Colour::default()).join("\n")
    }

    #[test]
    fn a_sample_shows_what_was_said_what_is_right_and_what_else_was_at_hand() {
        let sample = format!(
            r#"{{"id":"t/0","suite":"s","data_type":"Based","locale":"en","group":"t","licence":"","source":"",{PLACE},
            "messages":[{{"role":"user","content":"a train"}},{{"role":"assistant","content":"Where to?"}},{{"role":"user","content":"Porto"}}],
            "candidates":[{{"name":"Travel.Trains.book"}},{{"name":"sing"}}],
            "expected":{{"call":{{"name":"Travel.Trains.book","arguments":{{"to":"Porto"}}}}}}}}"#
        );
        insta::assert_snapshot!(shown(&sample), @r#"
        Based  t/0
          request:    user:a train / assistant:Where to? / user:Porto
          expected:   Travel.Trains.book(to = "Porto")
          tools:      book, sing
        "#);
        assert_eq!(
            (Shown::read(&sample).unwrap().kind(), Shown::read(&sample).unwrap().sample().is_some()),
            ("Based".to_owned(), true)
        );
    }

    #[test]
    fn whatever_else_a_pipeline_yields_is_shown_in_a_line() {
        let item = |record: &str| format!(r#"{{"id":"a/1","root":"a","record":{record},{PLACE}}}"#);
        let tool = r#"{"name":"A.play","description":"Plays it.","parameters":{"properties":{"song":{},"loud":{}}}}"#;
        let call = r#"{"name":"A.play","arguments":{"song":"Blue"}}"#;
        let records = [
            format!(r#"{{"Tool":{tool}}}"#),
            format!(r#"{{"Selection":{{"tool":{tool},"parameters":["song","loud"]}}}}"#),
            format!(
                r#"{{"Query":{{"data_type":"d","tool":{tool},"text":"play it","external":"Song: Blue","call":{call},"preset":[],"notes":{{}}}}}}"#
            ),
        ];
        insta::assert_snapshot!(records.map(|record| shown(&item(&record))).join("\n"), @r#"
        a/1
          A.play(song, loud): Plays it.
        a/1
          A.play: song, loud
        a/1
          EK:Song: Blue query:play it -> A.play(song = "Blue")
        "#);
    }

    #[test]
    fn a_dialogue_shows_turn_by_turn_what_is_right() {
        let frame = format!(
            r#"{{"id":"t","suite":"s","data_type":"","locale":"en","messages":[],"candidates":[],"expected":"refusal","group":"t","licence":"","source":"",{PLACE}}}"#
        );
        let turns = r#"[{"text":"a train","call":{"name":"A.book","arguments":{}}},{"question":"Where to?","text":"oh, sing instead"}]"#;
        let dialogue = format!(
            r#"{{"id":"t/0/shift/0","root":"t","record":{{"Dialogue":{{"data_type":"IS","tool":{{"name":"A.book"}},"frame":{frame},"turns":{turns},"base":"t/0","style":""}}}},{PLACE}}}"#
        );
        insta::assert_snapshot!(shown(&dialogue), @"
        IS  t/0/shift/0
          request:    a train
          expected:   A.book()
          question:   Where to?
          request:    oh, sing instead
          expected:   no call: none of the tools is suitable
        ");
    }

    #[test]
    fn steps_follow_one_another_and_long_answers_are_cut() {
        let expected = |json: &str| expected_text(&serde_json::from_str(json).unwrap());
        let steps = r#"{"steps":[{"calls":[{"name":"f","arguments":{}},{"name":"g","arguments":{"n":1.50}}],"answers":[]},{"calls":[{"name":"h","arguments":{}}],"answers":[]}]}"#;
        assert_eq!(expected(steps), "f(); then g(n = 1.50); then h()");
        assert_eq!(expected(r#"{"acts":["greet","offer"]}"#), "greet, offer");
        let long = expected(&format!(r#"{{"answer":"{}"}}"#, "so ".repeat(200)));
        assert!(long.chars().count() <= MOST && long.ends_with("..."));
    }
}
