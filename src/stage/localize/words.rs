//! The texts and calls of samples, one after the other: to take the texts out, and to put others in their places.

use crate::format::functionchat::GOLD_TEXT_FACT;
use crate::record::{Expected, FunctionCall, REFUSAL_FACT, Role, Sample, UserTurn};
use indexmap::IndexMap;

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
