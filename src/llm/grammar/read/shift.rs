//! Turns that drop the request for another one: `never mind, play some music`.

use super::answer::{View, yes_or_no};
use super::form::{Form, Shape};
use super::learn::Learned;
use super::names::names;
use super::reader::ToolReader;
use super::request::RequestIdeas;

/// How much of what a turn says must be about the request at hand.
const ABOUT: f64 = 0.5;

/// The other request, where a turn drops the one at hand.
pub(super) fn shifted(view: &View<'_>, tool: &ToolReader, said: &str) -> Option<String> {
    let (rest, sure) = without_shift(view, said)?;
    let flag = view.asked.iter().any(|slot| matches!(view.slots[*slot].form, Form::Flag));
    if flag && !sure && yes_or_no(view, said).is_some() {
        return None;
    }
    if rest.is_empty() {
        return sure.then_some(rest);
    }
    let text = view.reader.text(&rest);
    let (fit, _) = view.reader.read(&text, tool, &Learned::new());
    let mut known = (0..view.slots.len()).filter(|slot| view.known.contains_key(&view.slots[*slot].name));
    let changes = known.any(|slot| view.named(slot, &rest) >= 0.75);
    let stays = changes || covered(view, &rest) >= ABOUT || fit.serves();
    (!stays && (sure || is_request(view, &rest))).then_some(rest)
}

/// Whether words want something done, and are no answer to a question for a text.
fn is_request(view: &View<'_>, said: &str) -> bool {
    let reading = &view.reader.pack.reading;
    let text = view.reader.text(said);
    let ideas = RequestIdeas::new(text.lower(), &[], reading);
    let telling = text.words().iter().filter(|word| !reading.is_empty_word(&word.lower)).count();
    let free = |slot: &usize| match &view.slots[*slot].form {
        Form::Free | Form::Kind(_, Shape::Phrase) => true,
        Form::Kind(_, Shape::Name) => telling < 3 || !names(&text, reading).is_empty(),
        _ => view.slots[*slot].long,
    };
    !view.asked.iter().any(free) || ideas.is_firm() || ideas.begins_with_verb() && telling >= 3
}

/// What stands behind the words that drop a request, if a turn begins with such words, and whether they do nothing else.
fn without_shift(view: &View<'_>, said: &str) -> Option<(String, bool)> {
    let reading = &view.reader.pack.reading;
    let marks = |letter: char| letter.is_whitespace() || ".,;:!?…。，；：！？、".contains(letter);
    let mut rest = said.trim_matches(marks);
    let (mut dropped, mut sure) = (false, false);
    loop {
        // "Leave it" drops a request, "leave it unlocked" does not.
        let apart = |length: &usize| rest.get(*length..).is_none_or(|rest| rest.is_empty() || rest.starts_with(marks));
        let spoken = |length: &usize| rest.get(*length..).is_none_or(|rest| rest.trim_start() == rest);
        let strong =
            prefix(view, &reading.shifts, rest).filter(apart).filter(|length| !view.reader.spaced() || spoken(length));
        let weak = prefix(view, &reading.turns, rest);
        // "Hm, drop that": words before the first comma may be nothing but a pause.
        let pause = rest.split_once([',', '，']).map(|(pause, _)| pause).filter(|pause| view.is_idle(pause));
        let Some(length) = strong.max(weak).or(pause.map(str::len)) else { break };
        dropped |= strong.max(weak).is_some();
        sure |= strong.is_some() && strong >= weak;
        rest = rest.get(length..).unwrap_or_default().trim_start_matches(marks);
    }
    dropped.then(|| (rest.to_owned(), sure))
}

/// The length of the longest of these phrases that a text begins with.
fn prefix(view: &View<'_>, phrases: &[String], text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let begins = |phrase: &&String| {
        let next = lower.strip_prefix(phrase.as_str()).and_then(|rest| rest.chars().next());
        let goes_on = next.is_some_and(|next| next.is_alphanumeric() || next == '\'');
        lower.starts_with(phrase.as_str()) && !(view.reader.spaced() && goes_on)
    };
    phrases.iter().filter(begins).map(String::len).max()
}

/// How much of a text says something to the request at hand: its values, or words of its parameters.
#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 words")]
fn covered(view: &View<'_>, said: &str) -> f64 {
    let reading = &view.reader.pack.reading;
    let text = view.reader.text(said);
    let spans = view.spans(&text);
    let telling = text.words().iter().filter(|word| !reading.is_empty_word(&word.lower));
    let words: Vec<bool> = telling
        .map(|word| {
            let own = view.slots.iter().any(|slot| slot.words.iter().any(|own| own == reading.stem(&word.lower)));
            own || spans.iter().any(|span| span.overlaps(word.span))
        })
        .collect();
    if words.is_empty() { 1.0 } else { words.iter().filter(|own| **own).count() as f64 / words.len() as f64 }
}
