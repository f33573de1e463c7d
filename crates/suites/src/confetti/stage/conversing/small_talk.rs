//! What is said between and around the requests of a conversation: openings, pauses, words that lead over, and endings.

use super::play::{Around, Heard, Play};
use crate::confetti::metric::Act;
use crate::locale::Pattern;
use crate::record::{Argument, Origin};
use crate::stage::writing::speaker::Given;

/// How often a person says what is coming up, says something before the next request, and leads over to it.
const OPENED: f64 = 0.95;
const PAUSED: f64 = 0.75;
const BRIDGED: f64 = 0.45;
/// How often a person who was refused says so before going on.
const ONWARD: f64 = 0.7;
/// The place of no episode: what was said there is said again.
const NOWHERE: usize = usize::MAX;
/// How often words are drawn that do not fit.
const TRIES: usize = 16;

impl Play<'_> {
    /// What the person says who does not get what was wanted, and what is said to that.
    pub(crate) fn resigned(&self) -> Option<(String, String)> {
        let (mut chance, fits) = (self.chance("resigned"), self.in_style());
        let chat = &self.context.pack().chat;
        (0..TRIES)
            .filter(|_| self.is_template())
            .find_map(|_| chat.resigned(self.speaker.style(), &mut chance).filter(|(said, _)| fits(said)))
    }

    /// One of some patterns around a text, this often; the text as it is where there are none.
    pub(crate) fn framed(&self, patterns: &[Pattern], (slot, text): (&str, String), share: f64) -> String {
        let mut chance = self.chance(slot);
        let pattern = chance.pick(patterns).filter(|_| self.is_template() && chance.happens(share));
        pattern.map_or(text.clone(), |it| it.render(&mut Around(slot, &text), &mut chance))
    }

    /// Words in which the person speaks of themselves as the style does; what values are made of stays as it is.
    pub(crate) fn humble(&self, text: String, surfaces: &[&str]) -> String {
        let manner = self.context.pack().dialogue.manner(self.speaker.style()).filter(|_| self.is_template());
        let Some(own) = manner.map(|manner| &manner.own) else { return text };
        let mut quoted = false;
        let word = |word: &str| {
            let is_quoted = quoted;
            quoted ^= word.matches('\'').count() % 2 == 1;
            own.get(word).filter(|_| !is_quoted).cloned().unwrap_or_else(|| word.to_owned())
        };
        let said = text.split(' ').map(word).collect::<Vec<_>>().join(" ");
        if surfaces.iter().all(|surface| said.contains(surface)) { said } else { text }
    }

    /// Words behind which another sentence can stand.
    pub(crate) fn ended(&self, text: &str) -> String {
        let ended = self.context.pack().dialogue.ended(text);
        let open = ended.ends_with(char::is_alphanumeric);
        if open { format!("{ended}{}", self.context.pack().chat.stop) } else { ended }
    }

    /// A request with an end, and that of a question where it asks one.
    pub(crate) fn closed(&self, given: &Given) -> String {
        let surfaces: Vec<&str> = given.notes.values().filter_map(|note| note.surface.as_deref()).collect();
        let text = self.humble(given.text.clone(), &surfaces);
        let chat = &self.context.pack().chat;
        if !self.is_template() || chat.asking.is_empty() {
            return text;
        }
        let ended = self.context.pack().dialogue.ended(&text);
        if ended != text && chat.is_question(&text) { format!("{text}?") } else { ended }
    }

    /// The person says what is coming up.
    pub(crate) fn opening(&mut self) {
        let mut chance = self.chance("opening");
        let opens = self.facts.thread.as_ref().map(|thread| thread.opens.clone()).unwrap_or_default();
        if !self.is_template() || !chance.happens(OPENED) {
            return;
        }
        let fits = self.in_style();
        let said = self.facts.sentence(&opens, fits, &mut chance);
        if !self.context.is_draft() {
            let facts = said.as_ref().map(|said| self.facts.said_in(&opens, said)).unwrap_or_default();
            let entities: Vec<Option<String>> = facts.iter().map(|(fact, ..)| self.entity(fact)).collect();
            for ((fact, words, value), entity) in facts.into_iter().zip(&entities) {
                let note = Argument { origin: Origin::Verbatim, surface: Some(words), ..Argument::default() };
                // Of two places nobody knows which one is meant.
                let alike = entities.iter().filter(|other| entity.is_some() && *other == entity).count();
                let place = (alike > 1).then_some(NOWHERE);
                self.heard.insert(fact, Heard { place, value, note });
            }
        }
        let welcomes = &self.context.pack().chat.welcomes;
        let reply = chance.pick(welcomes).map(|it| it.render(&mut Around("", ""), &mut chance));
        if let Some((said, reply)) = said.zip(reply) {
            self.person(self.humble(self.ended(&said), &[]));
            self.agent(reply, &[Act::Other]);
        }
    }

    /// Which of the external entities a fact of the thread is.
    fn entity(&self, fact: &str) -> Option<String> {
        let kind = self.facts.thread.as_ref()?.facts.get(fact)?.kind.as_ref()?;
        self.context.pack().kinds.get(kind)?.entity.clone()
    }

    /// The person takes in what was told before going on.
    pub(crate) fn pause(&mut self) {
        let mut chance = self.chance("pause");
        if self.was_refused() || !self.is_template() || !chance.happens(PAUSED) {
            return;
        }
        let fits = self.in_style();
        let chat = &self.context.pack().chat;
        let exchanged = (0..TRIES).find_map(|_| {
            chat.pause(self.speaker.style(), &mut chance)
                .filter(|(said, _)| fits(said) && self.messages.iter().all(|it| it.content.as_ref() != Some(said)))
        });
        if let Some((said, reply)) = exchanged {
            self.person(said);
            self.agent(reply, &[Act::Other]);
        }
    }

    /// A request, with words before it that lead over from what was told.
    pub(crate) fn bridged(&self, text: String) -> String {
        if self.was_refused() {
            return self.framed(&self.context.pack().chat.onward, ("query", text), ONWARD);
        }
        let share = if self.has_just(Act::Inform) { BRIDGED } else { 0.0 };
        self.framed(&self.context.pack().chat.bridges, ("query", text), share)
    }
}
