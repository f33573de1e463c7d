//! Particles behind values agree with the last sound of the value, in what people say and in right words.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::super::particles::ParticleAgreement;
use super::Rule;
use crate::format::functionchat::gold_text;
use crate::record::{FunctionCall, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Looks behind every value that a note, a call or an answer knows.
pub(super) struct Particles(ParticleAgreement);

impl Particles {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ParticleAgreement::new(ground))
    }
}

impl Rule for Particles {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let words = gold_text(&entry.sample);
        // What was said in earlier turns was looked at in those.
        let texts = [entry.said().words, words];
        for value in values(entry) {
            for text in &texts {
                self.0.behind(&value, text, entry, findings);
            }
        }
    }
}

/// Every text that is a value: in notes, in calls, and in what tools answered.
fn values(entry: &Entry) -> BTreeSet<String> {
    let mut values: BTreeSet<String> = BTreeSet::new();
    let surfaces = entry.sample.arguments.values().filter_map(|note| note.surface.clone());
    values.extend(surfaces);
    let messages = &entry.sample.messages;
    let calls: Vec<&FunctionCall> =
        messages.iter().flat_map(|message| &message.tool_calls).chain(entry.call()).collect();
    calls.iter().flat_map(|call| call.arguments.values()).for_each(|value| texts_of(value, &mut values));
    let answers = messages.iter().filter(|message| message.role == crate::record::Role::Tool);
    let answers = answers.filter_map(|message| Value::read(message.content.as_deref()?).ok());
    answers.for_each(|answer| texts_of(&answer, &mut values));
    values.retain(|text| text.ends_with(char::is_alphanumeric));
    values
}

fn texts_of(value: &Value, values: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(values.insert(text.clone())),
        Value::List(list) => list.iter().for_each(|value| texts_of(value, values)),
        Value::Object(object) => object.values().for_each(|value| texts_of(value, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Expected, Sample};

    fn told(sample: Sample) -> Vec<String> {
        found(Particles::new(Ground::load(crate::fixtures::assets(), "ko").unwrap()), &entries(vec![sample]))
    }

    fn called(words: &str, pier: &str) -> Sample {
        let mut sample = single("a", "exact");
        sample.messages[0].content = Some(words.to_owned());
        let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
        call.arguments.insert("pier".to_owned(), pier.into());
        sample
    }

    #[test]
    fn what_people_say_agrees() {
        assert_eq!(told(called("부산으로 가는 배 찾아 줘", "부산")), Vec::<String>::new());
        let wrong = told(called("부산로 가는 배 찾아 줘", "부산"));
        assert_eq!(wrong, ["particle: `부산로` in `부산로 가는 배 찾아 줘`; expected `부산으로`"]);
    }

    #[test]
    fn what_is_told_agrees_with_the_answer() {
        let told = |text: &str| {
            let mut turn = dialog().remove(2);
            turn.messages[4].content = Some("{\"ship\": [{\"name\": \"바다\"}]}".to_owned());
            turn.expected = Expected::Answer(text.to_owned());
            told(turn)
        };
        assert_eq!(told("바다를 찾았어요."), Vec::<String>::new());
        assert_eq!(told("바다을 찾았어요."), ["particle: `바다을` in `바다을 찾았어요.`; expected `바다를`"]);
    }
}
