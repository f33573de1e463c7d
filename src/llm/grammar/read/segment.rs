//! Where a turn takes back what was said: the stretches between the words that do so.

use super::answer::View;
use super::slot::Slot;
use super::words::find_words;

/// A stretch of a turn, with the words before it that take something back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) cue: Option<Cue>,
    pub(super) text: String,
}

/// What is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// What was just said, or something before.
    Any,
    /// Something of an earlier turn.
    Earlier,
}

/// The stretches of a turn.
pub(super) fn segments(view: &View<'_>, said: &str) -> Vec<Segment> {
    let text = view.reader.text(said);
    let lower = |word: &str| word.to_lowercase();
    let reading = &view.reader.pack.reading;
    let mut cues: Vec<(usize, usize, Cue)> =
        text.corrections().iter().map(|span| (span.start, span.end, Cue::Any)).collect();
    for (list, cue) in [(&reading.corrections, Cue::Any), (&reading.earlier, Cue::Earlier)] {
        let spans = list.iter().flat_map(|words| find_words(&text, &lower(words)));
        cues.extend(spans.map(|span| (span.start, span.end, cue)));
    }
    // Who hums thinks, and takes nothing back.
    let said_of = |start: usize, end: usize| text.said(super::text::Span { start, end }).to_lowercase();
    cues.retain(|(start, end, _)| !reading.leads.iter().any(|lead| *lead == said_of(*start, *end)));
    cues.sort_by_key(|(start, end, _)| (*start, *end));
    // "No, thanks" answers a question that wants a yes or a no.
    let flag = view.asked.iter().any(|slot| view.slots[*slot].kinds.iter().any(|kind| kind == "flag"));
    let no = |start: usize, end: usize| {
        let words = text.said(super::text::Span { start, end }).to_lowercase();
        reading.no.iter().any(|no| words.trim_end_matches([',', ' ']) == no)
    };
    cues.retain(|(start, end, _)| !(flag && *start == 0 && no(*start, *end)));
    let mut segments = Vec::new();
    let (mut from, mut cue) = (0, None);
    for (start, end, next) in cues {
        if start >= from {
            push(view, &mut segments, cue, &text.said(super::text::Span { start: from, end: start }));
            cue = Some(if cue == Some(Cue::Earlier) && segments.is_empty() { Cue::Earlier } else { next });
        } else if next == Cue::Earlier {
            cue = Some(next);
        }
        from = from.max(end);
    }
    push(view, &mut segments, cue, &text.said(super::text::Span { start: from, end: text.lower().len() }));
    segments
}

fn push(view: &View<'_>, segments: &mut Vec<Segment>, cue: Option<Cue>, text: &str) {
    let flag = view.asked.iter().any(|slot| view.slots[*slot].kinds.iter().any(|kind| kind == "flag"));
    if text.chars().any(char::is_alphanumeric) && (flag || !view.is_idle(text)) {
        segments.push(Segment { cue, text: text.trim().to_owned() });
    }
}

/// Whether a slot's description stands in a text, as the authors' template says it; gives what stands behind it, or
/// before it where nothing does.
pub(super) fn labelled<'t>(slots: &[Slot], said: &'t str) -> Option<(usize, &'t str)> {
    let lower = said.to_lowercase();
    // Lower case may be longer than what it stands for; then nothing is cut.
    if lower.len() != said.len() {
        return None;
    }
    let found = slots.iter().enumerate().filter_map(|(index, slot)| {
        let label = slot.description.trim();
        let at = lower.find(label).filter(|_| label.chars().count() >= 4)?;
        Some((label.len(), index, at))
    });
    let (length, index, at) = found.max_by_key(|(length, ..)| *length)?;
    let (before, after) = (said.get(..at)?, said.get(at + length..)?);
    let told = |text: &str| text.chars().any(char::is_alphanumeric);
    if told(after) { Some((index, after)) } else { told(before).then_some((index, before)) }
}
