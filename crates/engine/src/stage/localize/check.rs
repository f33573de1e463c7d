//! What holds for every translation: everything is there, in the right script, with the same numbers and its values.

use super::numerals::lost_number;
use super::words::{Answer, Texts};
use crate::gate::Fault;
use crate::locale::{Language, Stand, right_script, value_stands};
use crate::record::Value;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// So many words are more than a name, which may be the same in two languages.
const SENTENCE: usize = 3;

/// What was given to a translator.
pub(super) struct Given<'a> {
    /// The texts, by id.
    pub texts: &'a Texts,
    /// The values to be given anew, by id.
    pub values: &'a Texts,
    /// What stays letter by letter.
    pub fixed: &'a BTreeSet<String>,
    /// The language of the texts.
    pub from: &'a Language,
    /// The language wanted.
    pub to: &'a Language,
    /// Whether each text is looked at by itself; short ones, such as the words for a parameter, are looked at together.
    pub each: bool,
}

impl Given<'_> {
    /// Checks an answer that holds everything; the values come back by what they were.
    pub(super) fn check(&self, answer: &Answer) -> Result<IndexMap<String, String>, Fault> {
        let renewed: IndexMap<String, String> =
            self.values.iter().filter_map(|(id, old)| Some((old.clone(), answer.values.get(id)?.clone()))).collect();
        for (old, new) in &renewed {
            self.check_numbers(old, new)?;
        }
        for (id, old) in self.texts {
            let new = answer.texts.get(id).map(String::as_str).unwrap_or_default();
            self.check_values(id, old, new, &renewed)?;
            let without = |text: &str, values: &mut dyn Iterator<Item = &String>| {
                values.fold(text.to_owned(), |text, value| text.replace(value.as_str(), " "))
            };
            let (old_words, new_words) =
                (without(old, &mut longest(renewed.keys())), without(new, &mut longest(renewed.values())));
            self.check_numbers(&old_words, &new_words)?;
            if self.each {
                self.check_script(old, new, &renewed)?;
            }
        }
        if !self.each {
            let all = |texts: &Texts| texts.values().cloned().collect::<Vec<_>>().join("\n");
            self.check_script(&all(self.texts), &all(&answer.texts), &renewed)?;
        }
        Ok(renewed)
    }

    /// What stood in the old text stands in the new one: the new value in the place of the old one, and what is fixed.
    fn check_values(&self, id: &str, old: &str, new: &str, renewed: &IndexMap<String, String>) -> Result<(), Fault> {
        let fixed = self.fixed.iter().map(|value| (value, value));
        let stands = |text: &str, value: &str, language: &Language| {
            value_stands(text, &Value::from(value), &Stand::default(), language).is_some()
        };
        let lost =
            renewed.iter().chain(fixed).find(|(was, is)| stands(old, was, self.from) && !stands(new, is, self.to));
        match lost {
            Some((_, value)) => Err(Fault::new("value_lost", format!("`{value}` does not stand in `{id}`"))),
            None => Ok(()),
        }
    }

    fn check_numbers(&self, old: &str, new: &str) -> Result<(), Fault> {
        let fault =
            |number: String| Fault::new("number_changed", format!("{number} is not in both `{old}` and `{new}`"));
        lost_number((old, self.from), (new, self.to)).map_or(Ok(()), |number| Err(fault(number)))
    }

    fn check_script(&self, old: &str, new: &str, renewed: &IndexMap<String, String>) -> Result<(), Fault> {
        if old == new && old.split_whitespace().count() >= SENTENCE {
            return Err(Fault::new("untranslated", format!("`{new}` is as it was")));
        }
        let ranges: Vec<Range<usize>> = longest(renewed.values().chain(self.fixed))
            .flat_map(|value| new.match_indices(value.as_str()).map(|(at, found)| at..at + found.len()))
            .collect();
        if right_script(new, self.to, &ranges) {
            return Ok(());
        }
        Err(Fault::new("wrong_script", format!("`{new}` is not written in {}", self.to.name)))
    }
}

/// The longest first, so that a value within another one is not cut out of it.
fn longest<'v>(values: impl Iterator<Item = &'v String>) -> impl Iterator<Item = &'v String> {
    let mut values: Vec<&String> = values.filter(|value| !value.is_empty()).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Texts {
        Texts::from([("message 0".to_owned(), text.to_owned())])
    }

    /// Checks a translation of `old`, in which `value` (old, new) is given anew and `Cafe 7` is fixed.
    fn fault(old: &str, new: &str, value: Option<(&str, &str)>) -> Option<(&'static str, String)> {
        let (from, to) = (
            Language::load(crate::fixtures::assets(), "en").unwrap(),
            Language::load(crate::fixtures::assets(), "ko").unwrap(),
        );
        let one = |text: Option<&str>| text.map(|text| ("value 0".to_owned(), text.to_owned())).into_iter().collect();
        let values: Texts = one(value.map(|it| it.0));
        let fixed = BTreeSet::from(["Cafe 7".to_owned()]);
        let given = Given { texts: &texts(old), values: &values, fixed: &fixed, from: &from, to: &to, each: true };
        let answer = Answer { texts: texts(new), values: one(value.map(|it| it.1)) };
        given.check(&answer).err().map(|fault| (fault.reason, fault.detail))
    }

    #[test]
    fn a_good_translation_passes() {
        assert_eq!(fault("a train to Porto at 8", "8시 포르투 가는 기차", Some(("Porto", "포르투"))), None);
        assert_eq!(fault("meet at Cafe 7", "Cafe 7에서 만나", None), None);
        assert_eq!(fault("wake me at seven", "7시에 깨워 줘", None), None);
    }

    #[test]
    fn a_value_that_is_said_otherwise_is_told() {
        let (reason, detail) = fault("a train to Porto", "부산 가는 기차", Some(("Porto", "포르투"))).unwrap();
        assert_eq!((reason, detail.as_str()), ("value_lost", "`포르투` does not stand in `message 0`"));
        assert_eq!(fault("meet at Cafe 7", "카페 7에서 만나", None).unwrap().0, "value_lost");
    }

    #[test]
    fn numbers_are_conserved_in_texts_and_in_values() {
        assert_eq!(fault("a train at 8", "9시 기차", None).unwrap().0, "number_changed");
        let value = Some(("room for 2", "세 명 방"));
        assert_eq!(fault("a room for 2 please", "세 명 방 주세요", value).unwrap().0, "number_changed");
    }

    #[test]
    fn another_language_and_the_old_one_are_seen() {
        assert_eq!(fault("a train, please", "ein Zug bitte", None).unwrap().0, "wrong_script");
        assert_eq!(fault("a train, please", "a train, please", None).unwrap().0, "untranslated");
    }
}
