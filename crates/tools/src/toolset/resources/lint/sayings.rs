//! What people say: every required value once, an identifier as a whole noun phrase, enough ways to say it.

use super::renderings::{Place, bracketed, count, places, times};
use super::{Look, feeds};
use crate::toolset::{Api, Content, Operation, Saying, Slot};
use fcgen_core::locale::{Pack, Part, Pattern};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Fewest texts of one API.
const TEXTS: usize = 6;

pub(super) fn lint(look: &mut Look<'_>) {
    let domain = look.domain;
    for api in domain.apis.values() {
        lint_intents(look, api);
        lint_phrases(look, api);
    }
    lint_twins(look);
}

fn lint_intents(look: &mut Look<'_>, api: &Api) {
    if !(2..=5).contains(&api.intents.len()) {
        look.find(&api.tool, format!("has {} intents, expected two to five", api.intents.len()));
    }
    let texts: usize = api.intents.iter().map(|intent| count(&intent.pattern)).sum();
    if texts < TEXTS {
        look.find(&api.tool, format!("its intents expand to {texts} texts, expected at least {TEXTS}"));
    }
    api.intents.iter().for_each(|intent| lint_saying(look, api, intent));
    if look.frames_go_on {
        for intent in api.intents.iter().filter(|intent| ends_in_value(intent.pattern.parts())) {
            look.find(&api.tool, format!("`{}` ends in a value, and the frames append letters to it", intent.text));
        }
    }
    lint_brackets(look, api);
}

/// Whether most frames attach letters to an intent, as endings of a verb are.
pub(super) fn frames_go_on(pack: &Pack) -> bool {
    let goes_on = |frame: &&Pattern| {
        let mut places = places(frame).into_iter();
        places.any(|place| place.behind.trim_start().starts_with(char::is_alphabetic))
    };
    let frames: Vec<&Pattern> = pack.styles.iter().flat_map(|style| &style.frames).collect();
    frames.iter().filter(|frame| goes_on(frame)).count() * 2 > frames.len()
}

/// Whether some text of the pattern ends in a value.
fn ends_in_value(parts: &[Part]) -> bool {
    match parts.split_last() {
        Some((Part::Slot { .. }, _)) => true,
        Some((Part::Optional(inner), rest)) => ends_in_value(inner.parts()) || ends_in_value(rest),
        Some((Part::Choice(choices), _)) => choices.iter().any(|choice| ends_in_value(choice.parts())),
        Some((Part::Text(_), _)) | None => false,
    }
}

/// Values besides identifiers must be such that a question can leave them out.
fn lint_brackets(look: &mut Look<'_>, api: &Api) {
    let free: Vec<&str> = api
        .slots
        .iter()
        .filter(|(_, slot)| slot.field.content.reference().is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let in_brackets: BTreeSet<&str> = api.intents.iter().flat_map(|intent| bracketed(&intent.pattern)).collect();
    if !free.is_empty() && !free.iter().any(|name| in_brackets.contains(name)) {
        look.find(&api.tool, format!("no intent has `{{{}}}` in brackets", free.join("}` or `{")));
    }
    for (name, _) in api.slots.iter().filter(|(_, slot)| !slot.required) {
        if !in_brackets.contains(name.as_str()) {
            look.find(&api.tool, format!("no intent contains the optional `{{{name}}}`"));
        }
    }
}

fn lint_phrases(look: &mut Look<'_>, api: &Api) {
    api.phrases.iter().for_each(|phrase| lint_saying(look, api, phrase));
    if feeds(look.domain, api) && api.phrases.len() < 2 {
        let message = format!("has {} phrases, but other APIs take its answer", api.phrases.len());
        look.find(&api.tool, message);
    }
}

fn lint_saying(look: &mut Look<'_>, api: &Api, saying: &Saying) {
    let in_brackets = bracketed(&saying.pattern);
    for (name, slot) in &api.slots {
        let (least, most) = times(&saying.pattern, name);
        if slot.required && (least, most) != (1, 1) {
            look.find(&api.tool, format!("`{}` does not contain `{{{name}}}` exactly once", saying.text));
        }
        if !slot.required && most > 1 {
            look.find(&api.tool, format!("`{}` contains `{{{name}}}` more than once", saying.text));
        }
        if !slot.required && most > 0 && !in_brackets.contains(name.as_str()) {
            look.find(&api.tool, format!("`{}` has the optional `{{{name}}}` outside of brackets", saying.text));
        }
        if slot.field.content.reference().is_some() && slot.required && in_brackets.contains(name.as_str()) {
            look.find(&api.tool, format!("`{}` has the identifier `{{{name}}}` in brackets", saying.text));
        }
    }
    lint_places(look, api, saying);
}

/// The slot of an identifier says a whole noun phrase, so that none of its words stands around it.
fn lint_places(look: &mut Look<'_>, api: &Api, saying: &Saying) {
    let mut found = BTreeSet::new();
    for place in places(&saying.pattern) {
        let of = api.slots.get(&place.slot).and_then(|slot| slot.field.content.reference());
        let Some(resource) = of.and_then(|of| look.domain.resources.get(of)) else { continue };
        found.extend(doubled_before(look, &resource.noun, &place).map(|word| format!("`{word}` precedes")));
        found.extend(doubled_behind(look, &resource.noun, &place).map(|word| format!("`{word}` follows")));
    }
    for what in found {
        look.find(&api.tool, format!("`{}`: {what} an identifier, which is a complete noun phrase", saying.text));
    }
}

fn doubled_before(look: &Look<'_>, noun: &str, place: &Place) -> Option<String> {
    let before = place.before.trim_end();
    let ends = |word: &&str| {
        let rest = before.strip_suffix(*word);
        // Where words are not parted by spaces, nothing tells whether a word stands alone.
        rest.is_some_and(|rest| !word.is_ascii() || !rest.ends_with(|letter: char| letter.is_alphanumeric()))
    };
    let words = look
        .phrases
        .before
        .iter()
        .map(String::as_str)
        .filter(|word| word.is_ascii() || before == *word || before.ends_with(&format!(" {word}")));
    words.chain([noun]).find(ends).map(str::to_owned)
}

fn doubled_behind(look: &Look<'_>, noun: &str, place: &Place) -> Option<String> {
    let marks = look.phrases.behind.iter().map(String::as_str).find(|mark| place.behind.starts_with(mark));
    let rest = place.behind.strip_prefix(' ').and_then(|rest| rest.strip_prefix(noun));
    let doubled = rest.filter(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric())).map(|_| noun);
    marks.or(doubled).map(|word| word.trim().to_owned())
}

/// The words of a camelCase name, in lower case.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if !letter.is_uppercase() => word.push(letter),
            _ => words.push(letter.to_lowercase().collect()),
        }
    }
    words
}

/// No two APIs have an intent in common that says the same things.
fn lint_twins(look: &mut Look<'_>) {
    let mut seen: IndexMap<String, &str> = IndexMap::new();
    let domain = look.domain;
    for api in domain.apis.values() {
        for intent in &api.intents {
            match seen.insert(meaning(api, &intent.text), &api.tool) {
                Some(other) if other != api.tool => {
                    look.find(&api.tool, format!("`{}` is also an intent of `{other}`", intent.text));
                }
                _ => {}
            }
        }
    }
}

/// An intent with what its slots hold in place of their names.
fn meaning(api: &Api, text: &str) -> String {
    let holds = |slot: &Slot| match &slot.field.content {
        Content::Reference(name) | Content::Kind(name) => name.clone(),
        Content::Listed(values) => values.join(","),
        Content::Boolean => String::new(),
    };
    api.slots.iter().fold(text.to_owned(), |text, (name, slot)| {
        let known = format!("{{{}", holds(slot));
        text.replace(&format!("{{{name}}}"), &format!("{known}}}")).replace(&format!("{{{name}|"), &format!("{known}|"))
    })
}

impl Look<'_> {
    /// Whether an API makes rows of a resource.
    pub(super) fn makes(&self, resource: &str) -> bool {
        self.domain.apis_of(resource).any(|api| matches!(api.operation, Operation::Create(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_name_begin_with_capitals() {
        assert_eq!(name_words("getCardLimit"), ["get", "card", "limit"]);
    }

    #[test]
    fn a_text_may_end_in_a_value_that_is_left_out_or_not() {
        let ends = |text: &str| ends_in_value(Pattern::parse(text).unwrap().parts());
        assert!(ends("see {a}") && ends("see[ with {a}]") && ends("{a}[ and go]") && ends("(go|see {a})"));
        assert!(!ends("{a} go") && !ends("{a} go[, saying {b} too]") && !ends(""));
    }

    #[test]
    fn an_intent_means_what_its_slots_hold() {
        let domain = crate::toolset::resources::testing::bank("en");
        let meaning = |function: &str, text: &str| meaning(domain.api(function).unwrap(), text);
        assert_eq!(meaning("getAccountOwner", "see {accountId}"), "see {account}");
        assert_eq!(meaning("getTransferState", "see {transferId|x}"), "see {transfer|x}");
        assert_eq!(meaning("findCustomerByPhone", "see {phone} {other}"), "see {phone} {other}");
    }
}
