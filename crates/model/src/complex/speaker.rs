//! Says one part after the other, and remembers what was said.

use crate::llm::{BriefPart, BriefVariables, BriefWords};
use crate::locale::{Fill, Pack, Pattern};
use crate::record::Chance;

/// The most things that one sentence asks to be told.
const IN_A_ROW: usize = 2;
/// How often what is wanted of a search is said before the search.
const TURNED: f64 = 0.24;

/// A request, before a frame is put around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The request as frames wrap it.
    pub(super) intent: String,
    /// Whether it begins another matter.
    pub(super) begins: bool,
    /// Whether it asks for a search or an act.
    pub(super) asks: bool,
    /// Whether it asks the same of several things.
    pub(super) each: bool,
    /// The request for what must come before it, where that is said after it.
    pub(super) first: Option<String>,
    /// The request to take one of two items that it finds.
    pub(super) choice: Option<String>,
    /// Whether it asks for one of two things, whichever the case is.
    pub(super) forks: bool,
}

/// One query in the making.
pub(super) struct Speaker<'q> {
    pack: &'q Pack,
    parts: &'q [BriefPart],
    /// Slots that were said in their matter, with the words.
    said: Vec<(usize, String, Vec<BriefWords>)>,
    /// The item that was mentioned last.
    last: Option<Vec<BriefWords>>,
}

impl<'q> Speaker<'q> {
    pub(super) fn new(pack: &'q Pack, variables: &'q BriefVariables) -> Self {
        Self { pack, parts: &variables.parts, said: Vec::new(), last: None }
    }

    /// All requests, in order.
    pub(super) fn sentences(&mut self, chance: &mut Chance) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        let mut row: Vec<usize> = Vec::new();
        let mut matter = None;
        for (at, part) in self.parts.iter().enumerate() {
            let begins = matter.is_some_and(|matter| matter != part.matter);
            let apart = row.first().is_some_and(|first| {
                let first = &self.parts[*first];
                first.matter != part.matter || first.each != part.each || row.len() == IN_A_ROW
            });
            if apart || !part.asks.is_empty() || part.fork.is_some() {
                sentences.extend(self.told(&mut row, chance));
            }
            if let Some(intent) = self.fork(part, chance) {
                sentences.push(Sentence {
                    intent,
                    begins,
                    asks: true,
                    each: false,
                    first: None,
                    choice: None,
                    forks: true,
                });
            } else if part.asks.is_empty() {
                if part.wanted {
                    row.push(at);
                }
            } else {
                let intent = self.asked(at, chance);
                let choice = self.choice(at, chance);
                sentences.push(Sentence { intent, begins, asks: true, each: false, first: None, choice, forks: false });
                sentences.extend(self.items(part, chance));
            }
            matter = Some(part.matter);
        }
        sentences.extend(self.told(&mut row, chance));
        turned(sentences, chance)
    }

    /// The request for a search or an act.
    fn asked(&mut self, at: usize, chance: &mut Chance) -> String {
        let part = &self.parts[at];
        let text = self.pattern(part, &part.asks, chance);
        if part.each { self.pack.filled(chance.pick(&self.pack.requests.each), "intent", &text, chance) } else { text }
    }

    /// The request to take one of two items, after which the one that is taken is what was mentioned last.
    fn choice(&mut self, at: usize, chance: &mut Chance) -> Option<String> {
        let part = &self.parts[at];
        let choice = part.choice.as_ref()?;
        let mut phrase = |texts: &[String]| {
            let pattern = Pattern::parse(chance.pick(texts)?).ok()?;
            pattern.variants(1).into_iter().next()
        };
        let (one, other) = (phrase(&choice.one)?, phrase(&choice.other)?);
        let pattern = chance.pick(&self.pack.requests.choose)?;
        let text = self.pack.rendered(pattern, &[("one", &one), ("if", &choice.when), ("other", &other)], chance);
        let is_taken = |words: &[BriefWords]| {
            words.iter().any(|it| matches!(it, BriefWords::Item { part, name: None, .. } if *part == at))
        };
        self.last = self.parts.iter().filter_map(about).find(|words| is_taken(words));
        let several = part.each || part.slots.values().any(|words| words.len() > 1);
        let each = |text: &str, chance: &mut Chance| {
            self.pack.filled(chance.pick(&self.pack.requests.each), "intent", text, chance)
        };
        Some(if several { each(&text, chance) } else { text })
    }

    /// The request for one of two things, whichever is the case; none where a part hangs on nothing.
    fn fork(&mut self, part: &'q BriefPart, chance: &mut Chance) -> Option<String> {
        let fork = part.fork.as_deref()?;
        let pattern = chance.pick(&self.pack.requests.fork)?;
        let one = self.words(&fork.one, chance);
        // Both are about the item that was just named.
        self.last = about(part);
        let own = self.wanted(part, chance);
        self.last = about(&fork.other);
        let other = self.wanted(&fork.other, chance);
        let (then, otherwise) = if fork.met { (own, other) } else { (other, own) };
        let words = [("one", one.as_str()), ("if", &fork.when), ("then", &then), ("else", &otherwise)];
        Some(self.pack.rendered(pattern, &words, chance))
    }

    /// The request for a part by itself.
    fn wanted(&mut self, part: &'q BriefPart, chance: &mut Chance) -> String {
        if part.asks.is_empty() {
            let thing = self.thing(part, chance);
            self.tell(&thing, false, chance)
        } else {
            self.pattern(part, &part.asks, chance)
        }
    }

    /// The request to be told which items a search found.
    fn items(&mut self, part: &BriefPart, chance: &mut Chance) -> Option<Sentence> {
        if part.told.is_empty() {
            return None;
        }
        let phrases: Vec<String> = part.told.iter().map(|words| self.words(words, chance)).collect();
        let things = self.pack.requests.joined(&phrases);
        let several = part.slots.values().any(|words| words.len() > 1);
        let intent = self.tell(&things, several, chance);
        Some(Sentence { intent, begins: false, asks: false, each: several, first: None, choice: None, forks: false })
    }

    /// The request to be told the things in a row.
    fn told(&mut self, row: &mut Vec<usize>, chance: &mut Chance) -> Vec<Sentence> {
        let parts = std::mem::take(row);
        let each = parts.first().and_then(|at| self.parts.get(*at)).is_some_and(|part| part.each);
        let things: Vec<String> = parts.into_iter().map(|at| self.thing(&self.parts[at], chance)).collect();
        // What is of two things itself could not be told from its neighbors in a row.
        let is_double = things.iter().any(|thing| thing.contains(&self.pack.requests.joints.1));
        let rows = if is_double { things.into_iter().map(|thing| vec![thing]).collect() } else { vec![things] };
        let rows = rows.into_iter().filter(|things: &Vec<String>| !things.is_empty());
        let said = rows.map(|things| {
            let intent = self.tell(&self.pack.requests.joined(&things), each, chance);
            Sentence { intent, begins: false, asks: false, each, first: None, choice: None, forks: false }
        });
        said.collect()
    }

    fn tell(&self, things: &str, each: bool, chance: &mut Chance) -> String {
        let intent = self.pack.filled(chance.pick(&self.pack.requests.tell), "things", things, chance);
        if each { self.pack.filled(chance.pick(&self.pack.requests.each), "intent", &intent, chance) } else { intent }
    }

    /// What a part tells: with the thing that it is about, unless that was mentioned just before.
    fn thing(&mut self, part: &'q BriefPart, chance: &mut Chance) -> String {
        let about = about(part);
        // Two things are named again: a word for one of them would leave the other out.
        let known = about.as_ref().is_some_and(|words| words.len() == 1) && self.last == about;
        let item = part.slots.iter().find(|(_, words)| is_item(words)).map(|(slot, _)| slot);
        let names = |text: &&String| item.is_some_and(|slot| mentions(text, slot));
        let (named, bare): (Vec<&String>, Vec<&String>) = part.things.iter().partition(|text| names(text));
        let fitting: Vec<String> =
            if (known && !bare.is_empty()) || named.is_empty() { bare } else { named }.into_iter().cloned().collect();
        let text = self.pattern(part, &fitting, chance);
        self.last = about;
        text
    }

    /// One of the patterns that says all that is new.
    fn pattern(&mut self, part: &'q BriefPart, texts: &[String], chance: &mut Chance) -> String {
        let patterns: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        let given = Given { part };
        let fitting: Vec<&Pattern> = patterns.iter().filter(|it| it.fits(&given)).collect();
        let fresh: Vec<&str> =
            part.slots.keys().filter(|name| !self.was_said(part, name)).map(String::as_str).collect();
        let whole = |pattern: &&&Pattern| {
            let slots = pattern.slots();
            fresh.iter().all(|name| slots.contains(name) || is_item(&part.slots[*name]))
        };
        let complete: Vec<&Pattern> = fitting.iter().filter(whole).copied().collect();
        let choices = if complete.is_empty() { &fitting } else { &complete };
        let Some(pattern) = chance.pick(choices).map(|it| (*it).clone()) else { return String::new() };
        let text = pattern.render(&mut Slots { speaker: self, part, used: Vec::new() }, chance);
        self.remember(part, &pattern);
        text
    }

    /// Notes what a pattern said of a part.
    fn remember(&mut self, part: &BriefPart, pattern: &Pattern) {
        for slot in pattern.slots() {
            if let Some(words) = part.slots.get(slot) {
                self.said.push((part.matter, slot.to_owned(), words.clone()));
            }
        }
    }

    /// Whether a slot was said in the same matter, with the same words.
    fn was_said(&self, part: &BriefPart, name: &str) -> bool {
        let words = part.slots.get(name);
        let is_shared = part.shared.iter().any(|it| it == name);
        self.said
            .iter()
            .any(|(matter, slot, said)| Some(said) == words && (is_shared || (*matter == part.matter && slot == name)))
    }

    fn words(&mut self, words: &BriefWords, chance: &mut Chance) -> String {
        match words {
            BriefWords::Said(text) => text.clone(),
            BriefWords::Item { part, phrases, name, .. } => {
                let source = &self.parts[*part];
                let patterns: Vec<Pattern> = phrases.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
                let about = about(source);
                let (owned, bare): (Vec<Pattern>, Vec<Pattern>) =
                    patterns.into_iter().partition(|it| it.slots().iter().any(|slot| *slot != "name"));
                // What only these phrases would say has to be said, whatever was mentioned before.
                let fresh = |slot: &&str| {
                    source.slots.get(*slot).is_some_and(|words| !is_item(words)) && !self.was_said(source, slot)
                };
                let telling: Vec<Pattern> = owned.iter().filter(|it| it.slots().iter().any(fresh)).cloned().collect();
                let known = about.is_some() && self.last == about && telling.is_empty();
                let owned = if telling.is_empty() { owned } else { telling };
                let choices = if (known && !bare.is_empty()) || owned.is_empty() { bare } else { owned };
                let Some(pattern) = chance.pick(&choices).cloned() else { return name.clone().unwrap_or_default() };
                let name = name.clone().unwrap_or_default();
                let text = pattern.render(&mut Named { speaker: self, part: source, name }, chance);
                self.remember(source, &pattern);
                text
            }
        }
    }

    fn joined(&mut self, words: &[BriefWords], chance: &mut Chance) -> String {
        let texts: Vec<String> = words.iter().map(|it| self.words(it, chance)).collect();
        self.pack.requests.joined(&texts)
    }
}

/// The same requests, some of them before the search that they hang on.
fn turned(sentences: Vec<Sentence>, chance: &mut Chance) -> Vec<Sentence> {
    let mut turned: Vec<Sentence> = Vec::new();
    for sentence in sentences {
        match turned.last_mut() {
            Some(last)
                if last.asks
                    && last.first.is_none()
                    && last.choice.is_none()
                    && !last.forks
                    && !sentence.asks
                    && !sentence.begins
                    && !sentence.each
                    && chance.happens(TURNED) =>
            {
                let first = std::mem::replace(&mut last.intent, sentence.intent);
                (last.first, last.asks) = (Some(first), false);
            }
            _ => turned.push(sentence),
        }
    }
    turned
}

/// The item that a part is about, if it is about one.
fn about(part: &BriefPart) -> Option<Vec<BriefWords>> {
    part.slots.values().find(|words| is_item(words)).cloned()
}

fn is_item(words: &[BriefWords]) -> bool {
    words.iter().any(|it| matches!(it, BriefWords::Item { name: None, .. }))
}

fn mentions(text: &str, slot: &str) -> bool {
    text.contains(&format!("{{{slot}}}")) || text.contains(&format!("{{{slot}|"))
}

/// Everything that a part can say.
struct Given<'p> {
    part: &'p BriefPart,
}

impl Fill for Given<'_> {
    fn has(&self, slot: &str) -> bool {
        self.part.slots.contains_key(slot)
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        String::new()
    }
}

/// What a part has not said yet. A slot that a pattern has used is not used again, so that both ends of a range can be
/// tried together before each by itself.
struct Slots<'s, 'q> {
    speaker: &'s mut Speaker<'q>,
    part: &'q BriefPart,
    used: Vec<String>,
}

impl Fill for Slots<'_, '_> {
    fn has(&self, slot: &str) -> bool {
        let is_used = self.used.iter().any(|it| it == slot);
        self.part.slots.contains_key(slot) && !is_used && !self.speaker.was_said(self.part, slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        self.used.push(slot.to_owned());
        let words = self.part.slots.get(slot).cloned().unwrap_or_default();
        let text = self.speaker.joined(&words, chance);
        // What is told of a thing may go on about it once it is named.
        if self.part.asks.is_empty() && about(self.part).as_ref() == Some(&words) {
            self.speaker.last = Some(words);
        }
        self.speaker.pack.agreed(&text, particle)
    }
}

/// The slots of the part whose item is named.
struct Named<'s, 'q> {
    speaker: &'s mut Speaker<'q>,
    part: &'q BriefPart,
    name: String,
}

impl Fill for Named<'_, '_> {
    fn has(&self, slot: &str) -> bool {
        slot == "name" || self.part.slots.contains_key(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let text = if slot == "name" {
            self.name.clone()
        } else {
            let words = self.part.slots.get(slot).cloned().unwrap_or_default();
            self.speaker.joined(&words, chance)
        };
        self.speaker.pack.agreed(&text, particle)
    }
}
