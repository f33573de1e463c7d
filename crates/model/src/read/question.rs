//! Which parameters an assistant asks for.

use super::fit::{tokens, topics};
use super::reader::Reader;
use super::slot::Slot;
use super::text::{Text, find_words};
use crate::record::Object;

/// What a question scores that is about nothing but the value's form.
const FORM: f64 = 1.2;

/// Least score of a question for a parameter.
const LEAST: f64 = 1.0;

/// What an assistant asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// The slots, in the order of its questions; none where it asks for nothing that the tool wants.
    pub(super) slots: Vec<usize>,
    /// Whether they are nothing but a guess: who asks without saying what for asks for what is missing.
    pub(super) guessed: bool,
}

/// What an assistant asks for.
pub(super) fn asked(reader: Reader<'_>, slots: &[Slot], known: &Object, said: &str) -> Asked {
    let sentences = sentences(said);
    let asks = |sentence: &&&str| sentence.trim_end().ends_with(['?', '？']);
    let mut questions: Vec<&str> = sentences.iter().filter(|it| asks(it)).copied().collect();
    if questions.is_empty() {
        questions = sentences;
    }
    let mut scores: Vec<(f64, usize, usize)> = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        for (slot, score) in about(reader, slots, question).into_iter().enumerate() {
            let missing = !known.contains_key(&slots[slot].name);
            scores.push((score + if missing && score > 0.0 { 0.6 } else { 0.0 }, place, slot));
        }
    }
    let mut taken: Vec<(usize, usize)> = Vec::new();
    scores.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (score, place, slot) in scores {
        if score >= LEAST && taken.iter().all(|(other, it)| *other != place && *it != slot) {
            taken.push((place, slot));
        }
    }
    taken.sort_unstable();
    if taken.is_empty() && questions.iter().any(|question| asks(&question)) {
        let missing = slots.iter().position(|slot| !known.contains_key(&slot.name));
        return Asked { slots: missing.into_iter().collect(), guessed: true };
    }
    Asked { slots: taken.into_iter().map(|(_, slot)| slot).collect(), guessed: false }
}

/// How much a text is about each slot: by the words that it shares with it and with few others, by words that mean the
/// same, by the form of what answers it.
fn about(reader: Reader<'_>, slots: &[Slot], said: &str) -> Vec<f64> {
    let reading = &reader.pack.reading;
    let lower = said.to_lowercase();
    let (words, themes) = (tokens(&lower, reading), topics(&lower, reading));
    let forms = forms(reader, &lower);
    let scores = slots.iter().map(|slot| {
        let shared = shared_words(slots, slot, &words).min(2.5);
        let theme = if slot.own_topics.iter().any(|topic| themes.contains(topic)) { 0.7 } else { 0.0 };
        let form = if slot.kinds.iter().any(|kind| forms.contains(&kind)) { FORM } else { 0.0 };
        // A yes or no is asked for by the words of the flag, and only then by the form of the question.
        let flag = slot.kinds.iter().any(|kind| kind == "flag");
        let place = if slot.roles.iter().any(|role| !places(reader, &lower, role).is_empty()) { 0.4 } else { 0.0 };
        if flag && shared + theme <= 0.0 { 0.0 } else { shared + theme + form + place }
    });
    scores.collect()
}

/// How many of these words a slot's name and description have, each the less the more slots have it.
pub(super) fn shared_words(slots: &[Slot], slot: &Slot, words: &[String]) -> f64 {
    let mut counted: Vec<&String> = words.iter().filter(|word| slot.words.contains(word)).collect();
    counted.sort();
    counted.dedup();
    counted.into_iter().map(|word| 1.0 / others(slots, word)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "no tool has 2^52 parameters")]
fn others(slots: &[Slot], word: &String) -> f64 {
    slots.iter().filter(|slot| slot.words.contains(word)).count().max(1) as f64
}

/// The kinds and forms of values that a question's own words ask for, those of its longest ones alone.
fn forms<'a>(reader: Reader<'a>, lower: &str) -> Vec<&'a String> {
    // What stands before a colon leads up to the question.
    let question = lower.rsplit(':').find(|part| part.chars().any(char::is_alphanumeric)).unwrap_or(lower);
    let begins = question.chars().take_while(|letter| !letter.is_alphanumeric()).count();
    let said = reader.pack.reading.question_words.iter().filter(|(words, kinds)| {
        let flag = kinds.iter().any(|kind| kind == "flag");
        places(reader, question, words).into_iter().any(|start| !flag || start == begins)
    });
    let said: Vec<(&String, &Vec<String>)> = said.collect();
    let longer = |words: &str| said.iter().any(|(other, _)| other.len() > words.len() && other.contains(words));
    said.iter().filter(|(words, _)| !longer(words)).flat_map(|(_, kinds)| kinds.iter()).collect()
}

/// Where words stand in a text in lower case, in letters; within others where words are not set apart.
fn places(reader: Reader<'_>, lower: &str, words: &str) -> Vec<usize> {
    if reader.spaced() {
        return find_words(&Text::new(lower, true), words).into_iter().map(|span| span.start).collect();
    }
    let found = lower.match_indices(words);
    found.map(|(at, _)| lower.get(..at).map_or(0, |before| before.chars().count())).collect()
}

/// The sentences of a text, each with the mark that ends it.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let next = letters.peek().map(|(_, next)| *next);
        let wide = matches!(letter, '。' | '？' | '！');
        let ends = matches!(letter, '.' | '?' | '!') && next.is_none_or(char::is_whitespace);
        let before = text.get(start..at).unwrap_or_default();
        if wide || letter == '\n' || ends && !(letter == '.' && is_abbreviation(before)) {
            sentences.extend(text.get(start..end));
            start = end;
        }
    }
    sentences.extend(text.get(start..));
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences.into_iter().map(str::trim).collect()
}

/// Whether a point belongs to the word before it: `Dr.`, `a.m.`.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    let dotted = word.contains('.');
    let title =
        word.chars().next().is_some_and(char::is_uppercase) && letters == 2 && word.is_ascii() && letters == word.len();
    dotted && letters <= 3 || title
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::Desk;
    use super::*;

    fn asked_for(tool: &str, known: &str, said: &str) -> Vec<String> {
        let desk = Desk::new("mobile", "en");
        let tool = desk.tool(tool);
        let known: Object = serde_json::from_str(known).unwrap();
        asked(desk.reader(), &tool.slots, &known, said)
            .slots
            .into_iter()
            .map(|slot| tool.slots[slot].name.clone())
            .collect()
    }

    const CHARGE: &str = "Navigation.MapNavigation.findChargingStations";

    #[test]
    fn a_question_is_about_a_parameter_by_words_or_by_form() {
        assert_eq!(asked_for(CHARGE, "{}", "Around which place should I look?"), ["location"]);
        assert_eq!(asked_for(CHARGE, "{}", "Sure. How far is okay?"), ["radius"]);
        assert_eq!(asked_for(CHARGE, "{}", "Should it be fast?"), ["fast"]);
    }

    #[test]
    fn several_questions_keep_their_order() {
        let both = "How many kilometers may it be? And where?";
        assert_eq!(asked_for(CHARGE, "{}", both), ["radius", "location"]);
    }

    #[test]
    fn who_is_done_asks_for_nothing() {
        assert!(asked_for(CHARGE, "{}", "All done.").is_empty());
        assert_eq!(asked_for(CHARGE, r#"{"location": "x"}"#, "And then?"), ["radius"], "what is missing");
    }

    #[test]
    fn a_point_ends_a_sentence_and_no_abbreviation() {
        assert_eq!(
            sentences("Dr. Kessler. At 8 a.m. please! 好。二"),
            ["Dr. Kessler.", "At 8 a.m. please!", "好。", "二"]
        );
    }
}
