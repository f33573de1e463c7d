//! A conversation as it goes on: what was asked, what is known by now, what is dropped.

use super::answer::{Mode, View, read_answer};
use super::dialogue::{DialogueTurn, Speaker};
use super::learn::Learned;
use super::point::pointed;
use super::question::{Asked, asked};
use super::reader::{Reader, ToolReader};
use super::segment::{Cue, Segment, segments};
use super::shift::shifted;
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
