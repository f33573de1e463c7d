//! Joins the requests of one question: in one sentence or in several, in the order of the calls or against it.

use super::speaker::Speaker;
use crate::compose::frame;
use crate::locale::{Joins, Pack, Pattern, Style};
use crate::record::Chance;

/// How often two requests stand in one sentence.
const INSIDE: f64 = 0.55;
/// How often what is done first is said last, where that can be.
const BACKWARD: f64 = 0.12;
/// How often people say what it is about before they ask.
const TOLD: f64 = 0.7;
/// How often they end the sentence there, where their manner has a way to.
const SENTENCE: f64 = 0.65;

/// Joins what a speaker says.
pub(super) struct Joiner<'q> {
    pack: &'q Pack,
    style: &'q Style,
    speaker: Speaker<'q>,
    /// The words between two requests that were said already: nobody says `after that` twice.
    between: Vec<&'q Pattern>,
}

/// A part of a question.
enum Part {
    /// In the form that frames wrap.
    Bare(String),
    /// Whole sentences.
    Whole(String),
}

impl<'q> Joiner<'q> {
    pub(super) fn new(pack: &'q Pack, style: &'q Style, speaker: Speaker<'q>) -> Self {
        Self { pack, style, speaker, between: Vec::new() }
    }

    /// The question, and its calls in the order in which it mentions them. What it is about stands before it.
    pub(super) fn question(mut self, situation: Option<&str>, chance: &mut Chance) -> (String, Vec<usize>) {
        let calls = self.speaker.explicit();
        let part = self.part(&calls, true, chance);
        // What nothing else holds together is held together by its reason.
        let alone = !self.speaker.hangs_together();
        let told = situation.filter(|_| alone || chance.happens(TOLD)).map(|told| self.told(told, chance));
        let asked = self.pack.tidy(&self.whole(part, chance));
        let question = told.map_or_else(|| asked.clone(), |told| format!("{told} {asked}"));
        (question, self.speaker.into_mentions())
    }

    /// What it is about, as a sentence of this manner or as a clause that the request follows.
    fn told(&self, situation: &str, chance: &mut Chance) -> String {
        let sentence = self.style.ended(situation, chance).filter(|_| chance.happens(SENTENCE));
        sentence.unwrap_or_else(|| situation.to_owned())
    }

    fn part(&mut self, calls: &[usize], outer: bool, chance: &mut Chance) -> Part {
        let [first, rest @ ..] = calls else { return Part::Bare(String::new()) };
        if rest.is_empty() {
            return Part::Bare(self.speaker.request(*first, chance));
        }
        // The last sentence has at most two requests.
        let least = calls.len().saturating_sub(2).max(1);
        let (earlier, later) = calls.split_at(least + chance.below(calls.len() - least));
        // Of three requests the order is plain only where they come one after the other.
        let backward = outer && calls.len() == 2 && !self.speaker.leans(later, earlier) && chance.happens(BACKWARD);
        let has_order = !backward || !self.inside_joins().backward.is_empty();
        // Three requests in one sentence are one too many.
        if !outer || (calls.len() == 2 && has_order && chance.happens(INSIDE)) {
            let plain = !outer;
            return Part::Bare(self.inside((earlier, later), backward, plain, chance));
        }
        Part::Whole(self.between(earlier, later, backward, chance))
    }

    /// Two requests in one sentence, which is a `plain` one where others follow or went before.
    fn inside(
        &mut self,
        (earlier, later): (&[usize], &[usize]),
        backward: bool,
        plain: bool,
        chance: &mut Chance,
    ) -> String {
        let (first, second) = if backward { (later, earlier) } else { (earlier, later) };
        let said = [self.bare(first, chance), self.bare(second, chance)];
        let joins = self.inside_joins();
        let patterns = if backward { &joins.backward } else { &joins.forward };
        let patterns = if plain { patterns.get(..1).unwrap_or_default() } else { patterns };
        self.joined(patterns, backward, &said, chance)
    }

    fn inside_joins(&self) -> &'q Joins {
        self.pack.questions.inside.of(&self.style.name)
    }

    fn between(&mut self, earlier: &[usize], later: &[usize], backward: bool, chance: &mut Chance) -> String {
        let (first, second) = if backward { (later, earlier) } else { (earlier, later) };
        let part = self.part(first, first.len() > 2, chance);
        let opening = self.whole(part, chance);
        let rest = self.bare(second, chance);
        // Nobody is polite twice in one question, unless the frame carries the level of speech.
        let plain = chance.pick(&self.pack.requests.next).or_else(|| self.style.frames.first());
        let rest = plain.map_or_else(|| rest.clone(), |frame| self.filled(frame, &[("intent", &rest)], chance));
        let rest = self.pack.stopped(&rest);
        let joins = self.pack.questions.between.of(&self.style.name);
        self.joined(if backward { &joins.backward } else { &joins.forward }, backward, &[opening, rest], chance)
    }

    fn bare(&mut self, calls: &[usize], chance: &mut Chance) -> String {
        match self.part(calls, false, chance) {
            Part::Bare(text) | Part::Whole(text) => text,
        }
    }

    /// Joins two texts in the order in which they are said.
    fn joined(&mut self, patterns: &'q [Pattern], backward: bool, said: &[String; 2], chance: &mut Chance) -> String {
        let names = if backward { ["2", "1"] } else { ["1", "2"] };
        let [first, second] = said;
        let pairs = [(names[0], first.as_str()), (names[1], second.as_str())];
        let fresh: Vec<&Pattern> = patterns.iter().filter(|it| !self.between.contains(it)).collect();
        let fresh = if fresh.is_empty() { patterns.iter().collect() } else { fresh };
        match chance.pick(&fresh).copied() {
            Some(pattern) => {
                self.between.push(pattern);
                self.filled(pattern, &pairs, chance)
            }
            None => format!("{first}{} {second}", self.pack.questions.stop),
        }
    }

    fn filled(&self, pattern: &Pattern, pairs: &[(&str, &str)], chance: &mut Chance) -> String {
        self.pack.rendered(pattern, pairs, chance)
    }

    /// Whole sentences.
    fn whole(&self, part: Part, chance: &mut Chance) -> String {
        match part {
            Part::Whole(text) => text,
            Part::Bare(text) => self.pack.stopped(&frame(&self.style.frames, &text, |_| true, chance)),
        }
    }
}
