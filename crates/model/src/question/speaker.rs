//! Says one call after the other, and remembers what was mentioned.

use crate::llm::{AskedArgument, AskedCall};
use crate::locale::{Fill, Pack, Part, Pattern, Side, Style};
use crate::record::{ApiPhrases, Chance, ReferPhrases, Saying};

/// How often what an earlier call finds is said by a noun phrase, and not by asking for that call first.
const NESTED: f64 = 0.65;
/// How often a thing that was mentioned is said by another word than its identifier.
const AGAIN: f64 = 0.7;

/// One question in the making.
pub(super) struct Speaker<'q> {
    pack: &'q Pack,
    calls: &'q [AskedCall],
    intents: Vec<Vec<Pattern>>,
    phrases: Vec<Vec<Pattern>>,
    /// The manner in which the person asks.
    style: &'q Style,
    /// For each call, whether it is asked for by itself.
    explicit: Vec<bool>,
    /// The calls in the order in which they were mentioned.
    mentions: Vec<usize>,
    /// The things that were mentioned: how people refer to their sort, and which one it was.
    things: Vec<(ReferPhrases, String)>,
    /// Whether a thing was said with more words than its plain name, such as `number`: once is enough for a question.
    labelled: bool,
}

impl<'q> Speaker<'q> {
    /// Decides which calls are asked for by themselves.
    pub(super) fn new(
        pack: &'q Pack,
        calls: &'q [AskedCall],
        phrases: &[ApiPhrases],
        style: &'q Style,
        chance: &mut Chance,
    ) -> Self {
        let parse = |texts: &[String]| texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect::<Vec<_>>();
        let mut speaker = Self {
            pack,
            calls,
            intents: phrases.iter().map(|it| parse(&it.intents)).collect(),
            phrases: phrases.iter().map(|it| parse(&it.phrases)).collect(),
            style,
            explicit: Vec::new(),
            mentions: Vec::new(),
            things: Vec::new(),
            labelled: false,
        };
        speaker.explicit = (0..calls.len()).map(|call| speaker.decide(call, chance)).collect();
        speaker
    }

    /// A call whose answer nobody takes is asked for; so is one that makes something, or that has no noun phrase.
    fn decide(&self, call: usize, chance: &mut Chance) -> bool {
        let taken = self.calls.iter().flat_map(|it| it.arguments.values()).filter(|it| feeder(it) == Some(call));
        let identifies = taken.clone().all(|it| it.refers.is_some());
        let is_taken = taken.count() > 0;
        let nests = !self.calls[call].makes && !self.phrases[call].is_empty();
        // A value that is no thing has no word for saying it again.
        !is_taken || !nests || (identifies && !chance.happens(NESTED))
    }

    /// The calls that are asked for by themselves, in their order.
    pub(super) fn explicit(&self) -> Vec<usize> {
        (0..self.calls.len()).filter(|call| self.explicit[*call]).collect()
    }

    /// Whether one of `later` takes what one of `earlier` answers, and so must be said after it.
    pub(super) fn leans(&self, later: &[usize], earlier: &[usize]) -> bool {
        later.iter().any(|call| self.sources(*call).iter().any(|source| earlier.contains(source)))
    }

    /// The explicit calls that a call takes from, through nested ones too.
    fn sources(&self, call: usize) -> Vec<usize> {
        let direct: Vec<usize> =
            self.calls[call].arguments.values().filter_map(feeder).filter(|it| *it < call).collect();
        let through = direct.iter().flat_map(|it| if self.explicit[*it] { vec![*it] } else { self.sources(*it) });
        through.collect()
    }

    /// Whether each call but the first names a thing that an earlier one names, or takes what one answers.
    pub(super) fn hangs_together(&self) -> bool {
        let things = |call: &AskedCall| -> Vec<String> {
            let named = call.arguments.values().filter(|it| it.refers.is_some() && !it.words.is_empty());
            named.map(|it| it.words.clone()).collect()
        };
        (1..self.calls.len()).all(|place| {
            let (earlier, call) = self.calls.split_at(place);
            let Some(call) = call.first() else { return true };
            let known: Vec<String> = earlier.iter().flat_map(things).collect();
            call.arguments.values().any(|it| feeder(it).is_some()) || things(call).iter().any(|it| known.contains(it))
        })
    }

    /// Asks for a call, in the form that frames wrap.
    pub(super) fn request(&mut self, call: usize, chance: &mut Chance) -> String {
        let saying = Given { arguments: &self.calls[call].arguments };
        let mut fitting: Vec<Pattern> = self.intents[call].iter().filter(|it| it.fits(&saying)).cloned().collect();
        if fitting.iter().any(|intent| !intent.mentions(&self.style.avoid)) {
            fitting.retain(|intent| !intent.mentions(&self.style.avoid));
        }
        // Of an argument that is given, something must be said.
        let complete = |pattern: &&Pattern| saying.given().all(|name| pattern.slots().contains(&name));
        let whole: Vec<Pattern> = fitting.iter().filter(complete).cloned().collect();
        let mut choices = if whole.is_empty() { fitting } else { whole };
        // A tail such as `[, {city}]` is there to be left out.
        let smooth = |pattern: &&Pattern| saying.given().all(|name| !trails(pattern, name));
        let smooth: Vec<Pattern> = choices.iter().filter(smooth).cloned().collect();
        if !smooth.is_empty() {
            choices = smooth;
        }
        let Some(pattern) = chance.pick(&choices) else { return String::new() };
        self.render(call, pattern, chance)
    }

    /// In English the verb comes first, in Korean and Chinese what it is done to.
    fn render(&mut self, call: usize, pattern: &Pattern, chance: &mut Chance) -> String {
        let first = self.pack.clauses == Side::After;
        if first {
            self.mentions.push(call);
        }
        let text = pattern.render(&mut Slots { speaker: self, call, pattern }, chance);
        if !first {
            self.mentions.push(call);
        }
        text
    }

    /// The calls in the order in which they were mentioned.
    pub(super) fn into_mentions(self) -> Vec<usize> {
        self.mentions
    }

    fn say(&mut self, (call, pattern): (usize, &Pattern), slot: &str, chance: &mut Chance) -> String {
        let calls = self.calls;
        let Some(argument) = calls[call].arguments.get(slot) else { return String::new() };
        match (&argument.saying, &argument.refers) {
            (Saying::Answer { call: from, .. }, refers) => {
                self.answered(*from, refers.as_deref(), (pattern, slot), chance)
            }
            (Saying::Corrected { old }, _) => self.corrected(old, argument, chance),
            (Saying::Plain, Some(refers)) => self.thing(refers, &argument.words, (pattern, slot), chance),
            _ => argument.words.clone(),
        }
    }

    /// What another call finds: by its noun phrase, or by a word for it once that call was said.
    fn answered(
        &mut self,
        from: usize,
        refers: Option<&ReferPhrases>,
        place: (&Pattern, &str),
        chance: &mut Chance,
    ) -> String {
        let none = ReferPhrases::default();
        let refers = refers.unwrap_or(&none);
        if self.mentions.contains(&from) || self.explicit[from] {
            let words = if self.calls[from].makes { &refers.fresh } else { &refers.again };
            return self.plain(&apart(words, place), "", chance);
        }
        let phrases = self.phrases[from].clone();
        let answer = self.phrase(from, &phrases, chance);
        self.things.push((refers.clone(), format!("call {from}")));
        answer
    }

    fn phrase(&mut self, call: usize, phrases: &[Pattern], chance: &mut Chance) -> String {
        let saying = Given { arguments: &self.calls[call].arguments };
        let fitting: Vec<&Pattern> = phrases.iter().filter(|it| it.fits(&saying)).collect();
        let pattern = chance.pick(&fitting).map(|it| (*it).clone()).unwrap_or_default();
        self.render(call, &pattern, chance)
    }

    /// A thing by its identifier, or by another word if it was mentioned and nothing else of its sort was.
    fn thing(&mut self, refers: &ReferPhrases, id: &str, place: (&Pattern, &str), chance: &mut Chance) -> String {
        let of_sort: Vec<&String> = self.things.iter().filter(|(sort, _)| sort == refers).map(|(_, id)| id).collect();
        let alone = !of_sort.is_empty() && of_sort.iter().all(|it| it.as_str() == id);
        if alone && chance.happens(AGAIN) {
            return self.plain(&apart(&refers.again, place), "", chance);
        }
        self.things.push((refers.clone(), id.to_owned()));
        let words = |called: &String| -> Vec<String> {
            let words = called.split_whitespace().filter(|word| !word.contains('{'));
            words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()).collect()
        };
        let plain = refers.called.first().map(words).unwrap_or_default();
        let beside = |called: &String| words(called).into_iter().filter(|it| !plain.contains(it)).collect::<Vec<_>>();
        let is_new = |called: &&String| {
            let beside = beside(called);
            beside.is_empty() || (!self.labelled && !place.0.mentions(&beside))
        };
        let called: Vec<String> = apart(&refers.called, place).iter().filter(is_new).cloned().collect();
        let Some(called) = chance.pick(&called).cloned() else { return self.plain(&refers.called, id, chance) };
        self.labelled |= !beside(&called).is_empty();
        self.plain(&[called], id, chance)
    }

    fn corrected(&self, old: &str, argument: &AskedArgument, chance: &mut Chance) -> String {
        let words = [("old", old), ("new", argument.words.as_str())];
        let pattern = chance.pick(&self.pack.questions.corrected);
        pattern.map_or_else(|| argument.words.clone(), |pattern| self.pack.rendered(pattern, &words, chance))
    }

    fn plain(&self, patterns: &[String], id: &str, chance: &mut Chance) -> String {
        let pattern = chance.pick(patterns).and_then(|text| Pattern::parse(text).ok()).unwrap_or_default();
        self.pack.rendered(&pattern, &[("id", id)], chance)
    }
}

/// The words for a thing that do not begin with the word before its slot (`note that that customer`); all where all do.
fn apart(words: &[String], (pattern, slot): (&Pattern, &str)) -> Vec<String> {
    let Some(before) = before(pattern, slot) else { return words.to_vec() };
    let begins = |it: &&String| it.split_whitespace().next() != Some(before);
    let apart: Vec<String> = words.iter().filter(begins).cloned().collect();
    if apart.is_empty() { words.to_vec() } else { apart }
}

/// The word before a slot.
fn before<'p>(pattern: &'p Pattern, slot: &str) -> Option<&'p str> {
    let parts = pattern.parts();
    let place = parts.iter().position(|part| matches!(part, Part::Slot { name, .. } if name == slot))?;
    match parts.get(place.checked_sub(1)?)? {
        Part::Text(letters) => letters.split_whitespace().next_back(),
        _ => None,
    }
}

/// Whether a pattern says a value behind a comma only.
fn trails(pattern: &Pattern, slot: &str) -> bool {
    pattern.parts().iter().any(|part| match part {
        Part::Optional(inner) => {
            let [Part::Text(first), ..] = inner.parts() else { return false };
            first.starts_with(',') && inner.slots().contains(&slot)
        }
        _ => false,
    })
}

/// The call whose answer an argument is.
fn feeder(argument: &AskedArgument) -> Option<usize> {
    if let Saying::Answer { call, .. } = argument.saying { Some(call) } else { None }
}

/// Which slots are given, before anything is said.
struct Given<'a> {
    arguments: &'a indexmap::IndexMap<String, AskedArgument>,
}

impl Given<'_> {
    fn given(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter(|(_, it)| it.saying != Saying::Unsaid).map(|(name, _)| name.as_str())
    }
}

impl Fill for Given<'_> {
    fn has(&self, slot: &str) -> bool {
        self.arguments.get(slot).is_some_and(|argument| argument.saying != Saying::Unsaid)
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        String::new()
    }
}

/// The slots of one call's pattern.
struct Slots<'s, 'q> {
    speaker: &'s mut Speaker<'q>,
    call: usize,
    /// What is being said of it.
    pattern: &'s Pattern,
}

impl Fill for Slots<'_, '_> {
    fn has(&self, slot: &str) -> bool {
        Given { arguments: &self.speaker.calls[self.call].arguments }.has(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let words = self.speaker.say((self.call, self.pattern), slot, chance);
        self.speaker.pack.agreed(&words, particle)
    }
}
