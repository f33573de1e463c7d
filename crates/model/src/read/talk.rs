//! A conversation as it goes on: what was asked, what is known by now, what is dropped.

use super::answer::{Mode, View, read_answer, yes_or_no};
use super::learn::Learned;
use super::question::{Asked, asked};
use super::reader::{Reader, ToolReader};
use super::request::RequestIdeas;
use super::text::{Cue, Segment, segments};
use crate::read::values::candidates::{Form, Shape, names};
use crate::read::values::point::pointed;
use crate::record::{FunctionCall, Object, UserTurn, Value};
use std::sync::Arc;

/// A conversation about one tool.
pub(super) struct Talk<'a> {
    reader: Reader<'a>,
    tool: &'a ToolReader,
    known: Object,
    /// What the assistant has just asked for.
    asked: Asked,
}

impl<'a> Talk<'a> {
    /// Begins with a first request; what the assistant asks for later tells as well which tool it is about.
    pub(super) fn begin(
        reader: Reader<'a>,
        tools: &'a [Arc<ToolReader>],
        request: &str,
        rest: &[DialogueTurn],
        learned: &Learned,
    ) -> Option<Self> {
        let text = reader.text(request);
        let read = tools.iter().filter_map(|tool| {
            let (fit, known) = reader.read_telling(&text, tool, learned);
            let questions = questions(reader, tool, rest);
            (fit.may_serve() || questions > 0).then_some((fit.score() + f64::from(questions) * 2.0, tool, known))
        });
        let (_, tool, known) = read.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some(Self { reader, tool, known, asked: Asked::default() })
    }

    /// Begins anew with a request that took the place of another, if a tool surely serves it.
    pub(super) fn anew(
        reader: Reader<'a>,
        tools: &'a [Arc<ToolReader>],
        request: &str,
        learned: &Learned,
    ) -> Option<Self> {
        let text = reader.text(request);
        let read = tools.iter().map(|tool| (reader.read_telling(&text, tool, learned), tool));
        let sure = read.filter(|((fit, _), _)| fit.serves());
        let ((_, known), tool) =
            sure.reduce(|best, next| if next.0.0.score() > best.0.0.score() { next } else { best })?;
        Some(Self { reader, tool, known, asked: Asked::default() })
    }

    /// The call with everything that is known, in declared order.
    pub(super) fn call(mut self) -> FunctionCall {
        let order = |name: &String| self.tool.slots.iter().position(|slot| slot.name == *name);
        self.known.sort_by(|one, _, other, _| order(one).cmp(&order(other)));
        FunctionCall { name: self.tool.name.clone(), arguments: self.known }
    }

    /// Takes in what the assistant says.
    pub(super) fn hear(&mut self, said: &str) {
        self.asked = asked(self.reader, &self.tool.slots, &self.known, said);
    }

    /// Takes in what the person says; gives the other request where they drop this one.
    pub(super) fn answer(&mut self, said: &str) -> Option<String> {
        if let UserTurn { words: pointer, external: Some(message) } = UserTurn::read(said) {
            let found = pointed(&self.view(), pointer, message);
            self.fill(found);
            return None;
        }
        if let Some(request) = shifted(&self.view(), self.tool, said) {
            return Some(request);
        }
        let mut filled: Vec<usize> = Vec::new();
        for segment in segments(&self.view(), said) {
            let mode = self.mode(&segment, &filled);
            let found = read_answer(&self.view(), &segment.text, &mode);
            filled.extend(found.iter().map(|(slot, _)| *slot));
            self.fill(found);
        }
        None
    }

    /// What a stretch of a turn does: it answers what was asked, takes something back, or wants the same again.
    fn mode(&self, segment: &Segment, filled: &[usize]) -> Mode {
        match (&segment.cue, filled) {
            (None, _) if self.asked.slots.is_empty() => Mode::Again,
            (None, _) => Mode::Answer,
            (Some(Cue::Earlier), _) => Mode::Correct { of: Vec::new(), earlier: true },
            (Some(Cue::Any), filled) => Mode::Correct { of: filled.to_vec(), earlier: false },
        }
    }

    fn fill(&mut self, found: Vec<(usize, Value)>) {
        for (slot, value) in found {
            self.known.insert(self.tool.slots[slot].name.clone(), value);
        }
    }

    fn view(&self) -> View<'_> {
        View {
            reader: self.reader,
            slots: &self.tool.slots,
            known: &self.known,
            asked: &self.asked.slots,
            guessed: self.asked.guessed,
        }
    }
}

/// How many questions of a conversation ask for something that a tool wants.
fn questions(reader: Reader<'_>, tool: &ToolReader, turns: &[DialogueTurn]) -> u32 {
    let said = turns.iter().filter(|turn| turn.speaker == Speaker::Assistant);
    let asked = said.map(|turn| asked(reader, &tool.slots, &Object::new(), &turn.text)).filter(|asked| !asked.guessed);
    u32::try_from(asked.map(|asked| asked.slots.len()).sum::<usize>()).unwrap_or(u32::MAX)
}

// Reads conversations: the call with everything that a person has said by the last turn.

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
}

/// What somebody says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialogueTurn {
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
}

/// How a line begins that somebody says, in HammerBench's form.
const SPEAKERS: [(&str, Speaker); 2] = [("user:", Speaker::User), ("assistant:", Speaker::Assistant)];

/// The turns of a conversation written as text, a line each; a line without a speaker goes on with the one above.
/// `None` where the text is no conversation.
pub(crate) fn turns_of(text: &str) -> Option<Vec<DialogueTurn>> {
    let mut turns: Vec<DialogueTurn> = Vec::new();
    for line in text.lines() {
        let spoken = SPEAKERS.iter().find_map(|(name, speaker)| Some((*speaker, line.strip_prefix(name)?)));
        match (spoken, turns.last_mut()) {
            (Some((speaker, text)), _) => turns.push(DialogueTurn { speaker, text: text.trim().to_owned() }),
            (None, Some(last)) => last.text = format!("{}\n{line}", last.text),
            (None, None) => return None,
        }
    }
    turns.iter().any(|turn| turn.speaker == Speaker::User).then_some(turns)
}

/// The call that a conversation has come to; `None` where no tool serves what the person wants in the end.
pub(crate) fn read_dialogue(
    reader: Reader<'_>,
    tools: &[Arc<ToolReader>],
    turns: &[DialogueTurn],
    learned: &Learned,
) -> Option<FunctionCall> {
    let mut talk: Option<Talk<'_>> = None;
    for (at, turn) in turns.iter().enumerate() {
        match (turn.speaker, &mut talk) {
            (Speaker::Assistant, Some(talk)) => talk.hear(&turn.text),
            (Speaker::Assistant, None) => {}
            (Speaker::User, Some(running)) => {
                if let Some(request) = running.answer(&turn.text) {
                    talk = Talk::anew(reader, tools, &request, learned);
                }
            }
            (Speaker::User, None) => {
                let rest = turns.get(at + 1..).unwrap_or_default();
                talk = Talk::begin(reader, tools, &turn.text, rest, learned);
            }
        }
    }
    talk.map(Talk::call)
}

// Turns that drop the request for another one: `never mind, play some music`.

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
