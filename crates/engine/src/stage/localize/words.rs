//! The texts and calls of samples, one after the other: to take the texts out, and to put others in their places.

use crate::gate::Fault;
use crate::record::{
    Dialogue, Expected, FunctionCall, GOLD_TEXT_FACT, Item, ItemId, MULTI_TURN, Object, REFUSAL_FACT, Record, Role,
    Sample, Tool, Turn, UserTurn, Value,
};
use crate::text::read_object;
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::sync::Arc;

/// Texts by the ids under which a model is shown them.
pub(super) type Texts = IndexMap<String, String>;

/// The texts of a sample, or of the snapshots of one conversation, in which each message stands once. `None` where the
/// snapshots do not continue one another.
pub(super) fn texts_of(samples: &[Sample]) -> Option<Texts> {
    let (mut texts, mut one) = (Texts::new(), true);
    each_text(&mut samples.to_vec(), &mut |id, text| {
        let known = texts.entry(id).or_insert_with(|| text.clone());
        one &= known == text;
    });
    one.then_some(texts)
}

/// Puts these texts in the places of those that have their ids.
pub(super) fn put(samples: &mut [Sample], texts: &Texts) {
    each_text(samples, &mut |id, text| {
        if let Some(new) = texts.get(&id) {
            text.clone_from(new);
        }
    });
}

/// Shows every text that is in a language, with its id. What tools answered is data, and no text.
fn each_text(samples: &mut [Sample], see: &mut impl FnMut(String, &mut String)) {
    for (ordinal, sample) in samples.iter_mut().enumerate() {
        for (place, message) in sample.messages.iter_mut().enumerate() {
            if let Some(content) = message.content.as_mut().filter(|_| message.role != Role::Tool) {
                each_part(content, &format!("message {place}"), see);
            }
            if let Some(thought) = &mut message.reasoning {
                show(thought, format!("thought {place}"), see);
            }
        }
        if let Expected::Answer(answer) = &mut sample.expected {
            show(answer, format!("answer {ordinal}"), see);
        }
        for fact in [REFUSAL_FACT, GOLD_TEXT_FACT] {
            if let Some(text) = sample.provenance.facts.get_mut(fact) {
                show(text, format!("{fact} {ordinal}"), see);
            }
        }
    }
}

/// The words of a turn and the text that they point at, each by itself; see [`crate::record::Turn::said`].
fn each_part(content: &mut String, id: &str, see: &mut impl FnMut(String, &mut String)) {
    let turn = UserTurn::read(content);
    let (mut words, mut external) = (turn.words.to_owned(), turn.external.map(str::to_owned));
    show(&mut words, id.to_owned(), see);
    if let Some(external) = &mut external {
        show(external, format!("{id} beside"), see);
    }
    let turn = UserTurn { words: &words, external: external.as_deref() };
    *content = if UserTurn::opens(content) { turn.opening() } else { turn.later() };
}

/// Digits and signs alone are the same in every language.
fn show(text: &mut String, id: String, see: &mut impl FnMut(String, &mut String)) {
    if text.chars().any(char::is_alphabetic) {
        see(id, text);
    }
}

/// Shows every call of the samples: gold ones, stored labels, and those of earlier turns.
pub(super) fn each_call(sample: &mut Sample, see: &mut impl FnMut(&mut FunctionCall)) {
    sample.messages.iter_mut().flat_map(|message| &mut message.tool_calls).for_each(&mut *see);
    match &mut sample.expected {
        Expected::Call(call) => see(call),
        Expected::Steps(steps) => steps.iter_mut().flat_map(|step| &mut step.calls).for_each(&mut *see),
        _ => (),
    }
    sample.label.iter_mut().for_each(see);
}

// Samples as items: the snapshots of a conversation are one dialogue again.

/// The items of these samples: one dialogue where they are the snapshots of one that the suite writes whole.
pub(super) fn items(root: &ItemId, samples: Vec<Sample>) -> Vec<Item> {
    let whole = |sample: &Sample| MULTI_TURN.iter().any(|(name, _)| *name == sample.data_type.0);
    if let Some(last) = samples.last().filter(|last| last.snapshot.is_some() && samples.iter().all(whole)) {
        let (id, provenance) = (root.clone(), without_refusal(last));
        let record = Record::Dialogue(Box::new(dialogue(&samples, last)));
        return vec![Item { root: root.clone(), id, record, provenance }];
    }
    let item = |sample: Sample| Item {
        id: sample.id.clone(),
        root: root.clone(),
        provenance: sample.provenance.clone(),
        record: Record::Sample(Box::new(sample)),
    };
    samples.into_iter().map(item).collect()
}

fn without_refusal(sample: &Sample) -> crate::record::Provenance {
    let mut provenance = sample.provenance.clone();
    provenance.facts.shift_remove(REFUSAL_FACT);
    provenance
}

fn dialogue(samples: &[Sample], last: &Sample) -> Dialogue {
    let name = last.snapshot.as_ref().map(|place| place.tool.clone()).unwrap_or_default();
    let known = last.candidates.iter().find(|tool| tool.name == name).cloned();
    let frame = Sample {
        messages: Vec::new(),
        expected: Expected::Refusal,
        arguments: crate::record::ArgumentNotes::new(),
        snapshot: None,
        base: None,
        ..last.clone()
    };
    Dialogue {
        data_type: last.data_type.clone(),
        tool: known.unwrap_or_else(|| Arc::new(Tool { name, ..Tool::default() })),
        frame: Box::new(frame),
        turns: samples.iter().map(turn).collect(),
        base: last.base.clone().unwrap_or_else(|| last.id.clone()),
        style: String::new(),
    }
}

/// The turn that a snapshot closes.
fn turn(sample: &Sample) -> Turn {
    let mut said = sample.messages.iter().rev();
    let text = said.next().and_then(|message| message.content.clone()).unwrap_or_default();
    let before = said.next().filter(|message| message.role == Role::Assistant);
    let UserTurn { words, external } = UserTurn::read(&text);
    let call = if let Expected::Call(call) = &sample.expected { Some(call.clone()) } else { None };
    Turn {
        question: before.and_then(|message| message.content.clone()),
        text: words.to_owned(),
        external: external.map(str::to_owned),
        slots: Vec::new(),
        call,
        refusal: sample.provenance.facts.get(REFUSAL_FACT).cloned(),
        notes: sample.arguments.clone(),
        marked: sample.snapshot.as_ref().is_some_and(|place| place.marked == Some(true)),
        plan: None,
    }
}

// The texts of a tool: what it does, what its parameters mean, how listed values are said. Names and values stay.

/// The texts of a tool, by id.
pub(super) fn tool_texts(tool: &Tool) -> Texts {
    let mut texts = Texts::new();
    each_tool_text(&mut tool.clone(), &mut |id, text| drop(texts.insert(id, text.clone())));
    texts
}

/// The tool with these texts in the places of those that have their ids.
pub(super) fn with_texts(tool: &Tool, texts: &Texts) -> Tool {
    let mut tool = tool.clone();
    each_tool_text(&mut tool, &mut |id, text| {
        if let Some(new) = texts.get(&id) {
            text.clone_from(new);
        }
    });
    tool
}

fn each_tool_text(tool: &mut Tool, see: &mut impl FnMut(String, &mut String)) {
    show(&mut tool.description, "tool".to_owned(), see);
    for (name, parameter) in &mut tool.parameters.properties {
        if let Some(description) = &mut parameter.description {
            show(description, format!("parameter {name}"), see);
        }
        for (key, more) in &mut parameter.more {
            each_description(more, &format!("parameter {name} {key}"), see);
        }
    }
    if let Some(returns) = &mut tool.returns {
        each_description(returns, "answer", see);
    }
    for (name, wordings) in &mut tool.wordings {
        for (value, texts) in wordings {
            for (ordinal, text) in texts.iter_mut().enumerate() {
                show(text, format!("words for {name} {value} {ordinal}"), see);
            }
        }
    }
}

/// The descriptions within a schema.
fn each_description(schema: &mut Json, id: &str, see: &mut impl FnMut(String, &mut String)) {
    match schema {
        Json::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Json::String(text) if key == "description" => show(text, id.to_owned(), see),
                    other => each_description(other, &format!("{id} {key}"), see),
                }
            }
        }
        Json::Array(values) => {
            for (ordinal, value) in values.iter_mut().enumerate() {
                each_description(value, &format!("{id} {ordinal}"), see);
            }
        }
        _ => (),
    }
}

// Reads what a translator answers: texts and values by their ids.

/// Texts and values in the new language, by the ids under which they were shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub texts: Texts,
    pub values: Texts,
}

/// Reads an answer that holds everything that was asked for; `values` are the ids of those.
pub(super) fn read_answer(text: &str, texts: &Texts, values: &Texts) -> Result<Answer, Fault> {
    let object = read_object(text).map_err(Fault::from)?.0;
    Ok(Answer { texts: part(&object, "texts", texts)?, values: part(&object, "values", values)? })
}

fn part(object: &Object, key: &str, asked: &Texts) -> Result<Texts, Fault> {
    let given = object.get(key).map(given).unwrap_or_default();
    let one = |id: &String| {
        let text = given.get(id).map(|text| text.trim()).filter(|text| !text.is_empty());
        text.map(|text| (id.clone(), text.to_owned()))
            .ok_or_else(|| Fault::new("text_missing", format!("{key} lacks `{id}`")))
    };
    asked.keys().map(one).collect()
}

/// A list of ids with texts, or the texts by their ids: models write either.
fn given(value: &Value) -> Texts {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Object(texts) => texts.iter().filter_map(|(id, it)| Some((id.clone(), text(it)?))).collect(),
        Value::List(rows) => {
            let field = |row: &Value, name: &str| text(row.as_object()?.get(name)?);
            rows.iter().filter_map(|row| Some((field(row, "id")?, field(row, "text")?))).collect()
        }
        _ => Texts::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Message, Turn};
    use crate::stage::testing::sample_of;

    fn sample(messages: Vec<Message>) -> Sample {
        let mut sample = sample_of("book a train", "{}");
        sample.messages = messages;
        sample
    }

    fn told(samples: &[Sample]) -> String {
        let texts = texts_of(samples).unwrap();
        texts.iter().map(|(id, text)| format!("{id}: {text}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn words_and_what_they_point_at_are_texts_of_their_own() {
        let first = Turn { text: "to that place".to_owned(), external: Some("Porto.".to_owned()), ..Turn::default() };
        let later = Turn { question: Some("When?".to_owned()), text: "then".to_owned(), ..first.clone() };
        let mut samples = [sample(vec![Message::user(first.said()), Message::user(later.said())])];
        insta::assert_snapshot!(told(&samples), @r"
        message 0: to that place
        message 0 beside: Porto.
        message 1: then
        message 1 beside: Porto.
        ");
        let before = samples.clone();
        let same = texts_of(&before).unwrap();
        put(&mut samples, &same);
        assert_eq!(samples, before, "what is put back is what was taken out");
    }

    #[test]
    fn answers_and_refusals_are_texts_and_what_tools_say_is_none() {
        let mut one =
            sample(vec![Message::user("hi"), Message::new(Role::Tool, "{\"a\": \"b\"}"), Message::user("12")]);
        one.expected = Expected::Answer("at noon".to_owned());
        one.provenance.facts.insert(REFUSAL_FACT.to_owned(), "I cannot.".to_owned());
        insta::assert_snapshot!(told(&[one]), @r"
        message 0: hi
        answer 0: at noon
        refusal 0: I cannot.
        ");
    }

    #[test]
    fn snapshots_share_their_messages_or_are_no_conversation() {
        let turn = |text: &str| Message::user(text);
        let snapshots = [sample(vec![turn("a train")]), sample(vec![turn("a train"), turn("to Faro")])];
        assert_eq!(texts_of(&snapshots).unwrap().len(), 2);
        assert_eq!(texts_of(&[snapshots[1].clone(), sample(vec![turn("a bus")])]), None);
        let mut both = snapshots.to_vec();
        put(&mut both, &Texts::from([("message 0".to_owned(), "기차".to_owned())]));
        assert!(both.iter().all(|sample| sample.messages[0].content.as_deref() == Some("기차")));
        assert_eq!(both[1].query(), "to Faro");
    }

    #[test]
    fn every_call_is_shown() {
        let mut sample = sample(vec![Message { tool_calls: vec![FunctionCall::default()], ..Message::user("x") }]);
        sample.label = Some(FunctionCall::default());
        let mut count = 0;
        each_call(&mut sample, &mut |_| count += 1);
        assert_eq!(count, 3, "of a message, the gold one, the label");
    }
}

#[cfg(test)]
mod conversation_tests {
    use super::*;
    use crate::stage::testing::{dialogue_item, sample_of};

    fn snapshots() -> (ItemId, Vec<Sample>) {
        let mut item = dialogue_item(&[("to", "Porto".into()), ("from", "Faro".into())]);
        let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
        dialogue.turns[0].external = Some("A note.".to_owned());
        dialogue.turns[1].external = Some("Another.".to_owned());
        dialogue.turns[2].call = None;
        dialogue.turns[2].refusal = Some("I cannot.".to_owned());
        let dialogue = dialogue.clone();
        (item.id.clone(), dialogue.samples(&item))
    }

    #[test]
    fn a_conversation_has_the_snapshots_that_it_is_made_of() {
        let (id, samples) = snapshots();
        let items = items(&id, samples.clone());
        let Record::Dialogue(dialogue) = &items[0].record else { panic!("no dialogue") };
        assert_eq!((items.len(), dialogue.turns.len()), (1, samples.len()));
        assert_eq!(dialogue.samples(&items[0]), samples);
    }

    #[test]
    fn other_samples_are_items_of_their_own() {
        let (id, mut samples) = snapshots();
        let alone = sample_of("a train", "{}");
        assert_eq!(items(&alone.id, vec![alone.clone()])[0].id, alone.id);
        for sample in &mut samples {
            sample.data_type.0 = "chat".to_owned();
        }
        let items = items(&id, samples.clone());
        assert_eq!(
            items.iter().map(|item| &item.id).collect::<Vec<_>>(),
            samples.iter().map(|it| &it.id).collect::<Vec<_>>()
        );
    }
}

#[cfg(test)]
mod tools_tests {
    use super::*;

    fn tool() -> Tool {
        serde_json::from_value(serde_json::json!({
            "name": "Travel.Trains.book", "description": "Books a train",
            "parameters": {"properties": {
                "class": {"type": "string", "description": "The class", "enum": ["first", "second"]},
                "seats": {"type": "array", "items": {"type": "string", "description": "A seat"}},
            }},
            "returns": {"type": "object", "properties": {"id": {"description": "The number of the ticket"}}},
            "wordings": {"class": {"first": ["in the first class"]}},
        }))
        .unwrap()
    }

    #[test]
    fn descriptions_and_wordings_are_texts() {
        let texts = tool_texts(&tool());
        let told: Vec<String> = texts.iter().map(|(id, text)| format!("{id}: {text}")).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        tool: Books a train
        parameter class: The class
        parameter seats items: A seat
        answer properties id: The number of the ticket
        words for class first 0: in the first class
        ");
    }

    #[test]
    fn names_types_and_listed_values_stay() {
        let texts = tool_texts(&tool()).into_iter().map(|(id, _)| (id, "새 글".to_owned())).collect();
        let new = with_texts(&tool(), &texts);
        assert!(tool_texts(&new).values().all(|text| text == "새 글"));
        let class = |tool: &Tool| tool.parameters.properties["class"].clone();
        assert_eq!((new.name, class(&tool()).values), (tool().name, class(&with_texts(&tool(), &texts)).values));
        assert_eq!(with_texts(&tool(), &Texts::new()), tool());
    }
}

#[cfg(test)]
mod answer_tests {
    use super::*;

    fn asked(ids: &[&str]) -> Texts {
        ids.iter().map(|id| ((*id).to_owned(), String::new())).collect()
    }

    fn read(text: &str) -> Result<Answer, Fault> {
        read_answer(text, &asked(&["message 0"]), &asked(&["value 0"]))
    }

    #[test]
    fn a_list_of_ids_or_texts_by_their_ids_are_read() {
        let list =
            r#"{"texts": [{"id": "message 0", "text": " 안녕 "}], "values": [{"id": "value 0", "text": "부산"}]}"#;
        let named = r#"Here: {"texts": {"message 0": "안녕"}, "values": {"value 0": "부산", "value 9": "x"}}"#;
        assert_eq!(read(list).unwrap(), read(named).unwrap());
        assert_eq!(read(list).unwrap().texts["message 0"], "안녕");
    }

    #[test]
    fn what_is_missing_is_named() {
        let reason = |text: &str| read(text).map_err(|fault| (fault.reason, fault.detail)).unwrap_err();
        assert_eq!(reason("no").0, "no_object");
        assert_eq!(reason("{}"), ("text_missing", "texts lacks `message 0`".to_owned()));
        let without = r#"{"texts": {"message 0": "안녕"}, "values": {"value 0": " "}}"#;
        assert_eq!(reason(without).1, "values lacks `value 0`");
    }
}
