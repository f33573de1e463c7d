//! Turns that drop the request for another one: `never mind, play some music`.

use super::answer::View;
use super::learn::Learned;
use super::reader::ToolReader;
use super::request::RequestIdeas;

/// The other request, where a turn drops the one at hand.
pub(super) fn shifted(view: &View<'_>, tool: &ToolReader, said: &str) -> Option<String> {
    let rest = without_shift(view, said)?;
    if rest.is_empty() {
        return Some(rest);
    }
    let reader = view.reader;
    let text = reader.text(&rest);
    let (fit, _) = reader.read(&text, tool, &Learned::new());
    let reading = &reader.pack.reading;
    let free = view.asked.iter().any(|slot| view.slots[*slot].text_type);
    // Any words may be the answer to a question for a text, as long as they do not want something done.
    let idle = free && !RequestIdeas::new(text.lower(), &[], reading).is_firm();
    (!fit.serves() && !idle && covered(view, &rest) < 0.5).then_some(rest)
}

/// What stands behind the words that drop a request, if a turn begins with such words.
fn without_shift(view: &View<'_>, said: &str) -> Option<String> {
    let spaced = view.reader.spaced();
    let marks = |letter: char| letter.is_whitespace() || ".,;:!?…。，；：！？、".contains(letter);
    let (mut rest, mut dropped) = (said.trim_matches(marks).to_owned(), false);
    loop {
        let lower = rest.to_lowercase();
        let whole = |cue: &&String| {
            let next = lower.strip_prefix(cue.as_str()).and_then(|rest| rest.chars().next());
            lower.starts_with(cue.as_str()) && !(spaced && next.is_some_and(char::is_alphanumeric))
        };
        let cue = view.reader.pack.reading.shifts.iter().filter(whole).max_by_key(|cue| cue.len());
        let Some(after) = cue.and_then(|cue| rest.get(cue.len()..)) else { break };
        (rest, dropped) = (after.trim_start_matches(marks).to_owned(), true);
    }
    dropped.then_some(rest)
}

/// How much of a text says something to the request at hand: its values, or words of its parameters.
#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 words")]
fn covered(view: &View<'_>, said: &str) -> f64 {
    let reading = &view.reader.pack.reading;
    let text = view.reader.text(said);
    let spans = view.spans(&text);
    let words: Vec<bool> = text
        .words()
        .iter()
        .filter(|word| !reading.is_empty_word(&word.lower))
        .map(|word| {
            let own = view.slots.iter().any(|slot| slot.words.iter().any(|own| own == reading.stem(&word.lower)));
            own || spans.iter().any(|span| span.overlaps(word.span))
        })
        .collect();
    if words.is_empty() { 1.0 } else { words.iter().filter(|own| **own).count() as f64 / words.len() as f64 }
}
