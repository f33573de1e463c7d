//! Turns of chats as models say them: right, right in another form, and wrong.

use crate::lint::entry::Entry;
use crate::record::{FunctionCall, Object, Value};
use crate::suite::functionchat::layout::gold_text;
use crate::suite::functionchat::metric::{Arguments, Called, Heard};
use unicode_normalization::UnicodeNormalization;

/// What a perfect model says.
pub(super) fn gold(entry: &Entry) -> Heard {
    entry.call().map_or_else(|| words(gold_text(&entry.sample)), called)
}

/// A call, as a server gives it.
pub(super) fn called(call: &FunctionCall) -> Heard {
    let arguments = Arguments::Text(Value::Object(call.arguments.clone()).to_string());
    Heard { content: None, calls: vec![Called { name: call.name.clone(), arguments }] }
}

fn words(text: &str) -> Heard {
    Heard { content: Some(text.to_owned()), calls: Vec::new() }
}

/// The right call in other forms.
pub(super) fn forms(entry: &Entry) -> Vec<(&'static str, Heard)> {
    let Some(call) = entry.call() else { return Vec::new() };
    let with = |arguments: Object| called(&FunctionCall { name: call.name.clone(), arguments });
    let mapped = |change: fn(&str) -> String| -> Option<Object> {
        let of = |value: &Value| value.as_str().map_or_else(|| value.clone(), |text| change(text).into());
        let changed: Object = call.arguments.iter().map(|(name, value)| (name.clone(), of(value))).collect();
        (changed != call.arguments).then_some(changed)
    };
    let reversed = (call.arguments.len() > 1)
        .then(|| call.arguments.iter().rev().map(|(name, value)| (name.clone(), value.clone())).collect());
    let forms = [
        ("spaces removed", mapped(|text| text.replace(' ', ""))),
        ("extra spaces", mapped(|text| text.replace(' ', "  "))),
        ("different capitalization", mapped(str::to_uppercase)),
        ("decomposed Unicode", mapped(|text| text.nfd().collect())),
        ("different order", reversed),
    ];
    let forms = forms.into_iter().filter_map(|(kind, arguments)| Some((kind, with(arguments?))));
    let accepted = entry.sample.acceptable.iter().flat_map(|(name, values)| values.iter().map(move |it| (name, it)));
    let accepted = accepted.map(|(name, value)| {
        let mut arguments = call.arguments.clone();
        arguments.insert(name.clone(), value.clone());
        ("accepted values", with(arguments))
    });
    forms.chain(accepted).collect()
}

/// Words where a call is due; a call, nothing, and foreign letters where words are.
pub(super) fn wrong_words(entry: &Entry, refusal: &str, is_own: &dyn Fn(char) -> bool) -> Vec<(&'static str, Heard)> {
    if entry.call().is_some() {
        return vec![("words instead of a call", words(refusal))];
    }
    let arguments = entry.label().map(|call| call.arguments.clone()).unwrap_or_default();
    let tool = entry.sample.candidates.first();
    let call = tool.map(|tool| called(&FunctionCall { name: tool.name.clone(), arguments }));
    let foreign = ['a', '\u{ac00}', '\u{4e2d}'].into_iter().find(|letter| !is_own(*letter));
    let changed = foreign.map(|foreign| {
        let letters = gold_text(&entry.sample).chars();
        words(&letters.map(|letter| if letter.is_alphabetic() { foreign } else { letter }).collect::<String>())
    });
    let all =
        [("call instead of words", call), ("empty words", Some(words(" "))), ("words in another script", changed)];
    all.into_iter().filter_map(|(kind, heard)| Some((kind, heard?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{decision, entry, single};
    use crate::record::Expected;

    fn shown(all: &[(&'static str, Heard)]) -> Vec<String> {
        let said = |heard: &Heard| match (&heard.content, heard.calls.first().map(|call| &call.arguments)) {
            (_, Some(Arguments::Text(text))) => text.clone(),
            (content, _) => content.clone().unwrap_or_default(),
        };
        all.iter().map(|(kind, heard)| format!("{kind}: {}", said(heard))).collect()
    }

    #[test]
    fn a_right_call_has_many_forms() {
        let mut sample = single("a", "exact");
        let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
        call.arguments.insert("pier".to_owned(), "Café Hill".into());
        sample.acceptable.insert("pier".to_owned(), vec!["Hill".into()]);
        assert_eq!(
            shown(&forms(&entry(sample))),
            [
                r#"spaces removed: {"pier":"CaféHill","boats":2}"#,
                r#"extra spaces: {"pier":"Café  Hill","boats":2}"#,
                r#"different capitalization: {"pier":"CAFÉ HILL","boats":2}"#,
                "decomposed Unicode: {\"pier\":\"Cafe\u{301} Hill\",\"boats\":2}",
                r#"different order: {"boats":2,"pier":"Café Hill"}"#,
                r#"accepted values: {"pier":"Hill","boats":2}"#,
            ]
        );
        assert!(forms(&entry(decision("REJECT"))).is_empty());
    }

    #[test]
    fn words_go_wrong_in_their_own_ways() {
        let is_own = |letter: char| letter.is_ascii_alphabetic();
        let wrong = |sample| shown(&wrong_words(&entry(sample), "No.", &is_own));
        assert_eq!(wrong(single("a", "exact")), ["words instead of a call: No."]);
        let slot = wrong(decision("SLOT-some"));
        assert_eq!(
            slot,
            ["call instead of words: {}", "empty words:  ", "words in another script: 가가가 가가가가 가가가가가?"]
        );
        assert_eq!(gold(&entry(decision("SLOT-some"))).content.as_deref(), Some("How many boats?"));
    }
}
