//! Values in what a person says to a question, or to change something.

use super::fit::tokens;
use super::learn::Learned;
use super::question::{sentences, shared_words};
use super::reader::Reader;
use super::slot::Slot;
use super::text::{Span, Text, labelled};
use crate::read::values::candidates::{Candidate, Form, Means, Shape, codes, names, quoted};
use crate::read::values::phrase::phrases;
use crate::read::values::strip::{is_idle, stripped};
use crate::record::{Object, Value};

/// A conversation as it stands before a turn.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) slots: &'a [Slot],
    pub(super) known: &'a Object,
    /// The slots that the assistant has just asked for.
    pub(super) asked: &'a [usize],
    /// Whether they are nothing but a guess: the question did not say.
    pub(super) guessed: bool,
}

/// What a stretch of a turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// It answers what was asked.
    Answer,
    /// It takes back something that this turn said, or an earlier one.
    Correct {
        /// What this turn has said so far.
        of: Vec<usize>,
        /// Whether its words speak of an earlier turn.
        earlier: bool,
    },
    /// It wants the same again, with something changed.
    Again,
}

/// The values of a stretch of a turn, each with its slot.
pub(super) fn read_answer(view: &View<'_>, said: &str, mode: &Mode) -> Vec<(usize, Value)> {
    if let Some((slot, value)) = labelled_value(view, said, mode) {
        return vec![(slot, value)];
    }
    match mode {
        Mode::Answer => view.renamed(said).map_or_else(|| view.answered(said), |change| vec![change]),
        Mode::Correct { .. } | Mode::Again => view.changed(said, mode).into_iter().collect(),
    }
}

/// The value that the authors' template gives a slot, whose description it says in full.
fn labelled_value(view: &View<'_>, said: &str, mode: &Mode) -> Option<(usize, Value)> {
    let (slot, rest) = labelled(view.slots, said)?;
    if *mode == Mode::Answer && view.asked != [slot] && !view.known.contains_key(&view.slots[slot].name) {
        return None;
    }
    Some((slot, value_of(view, slot, rest)?))
}

impl View<'_> {
    fn is_known(&self, slot: usize) -> bool {
        self.known.contains_key(&self.slots[slot].name)
    }

    /// How much a text names a slot.
    pub(super) fn named(&self, slot: usize, said: &str) -> f64 {
        let words = tokens(&said.to_lowercase(), &self.reader.pack.reading);
        shared_words(self.slots, &self.slots[slot], &words).min(1.5)
    }

    /// The slots that a turn may speak of without a value: those asked for, then those missing, the more named first.
    pub(super) fn meant(&self, said: &str) -> Vec<usize> {
        let missing = |slot: &usize| self.asked.contains(slot) || !self.is_known(*slot);
        let texts = |slot: &usize| self.slots[*slot].text_type;
        let mut slots: Vec<usize> = (0..self.slots.len()).filter(missing).filter(texts).collect();
        let weight = |slot: usize| self.named(slot, said) + if self.asked.contains(&slot) { 4.0 } else { 0.0 };
        slots.sort_by(|one, other| weight(*other).total_cmp(&weight(*one)));
        slots
    }

    fn candidates(&self, text: &Text) -> Vec<Candidate> {
        let learned = Learned::new();
        let means = Means { recogniser: self.reader.recogniser, reading: &self.reader.pack.reading, learned: &learned };
        let all = self.slots.iter().enumerate().flat_map(|(index, slot)| slot.candidates(index, text, means));
        all.map(|it| if self.is_denied(text, it.span) { Candidate { score: it.score - 6.0, ..it } } else { it })
            .collect()
    }

    /// Whether a word that denies stands right before a stretch: `not Osaka`.
    fn is_denied(&self, text: &Text, span: Span) -> bool {
        let before = text.words().iter().rev().find(|word| word.span.end <= span.start);
        before.is_some_and(|word| self.reader.pack.reading.denials.contains(&word.lower))
    }

    /// Whether a text is nothing but words around an answer; `tomorrow` is empty in a request and none of these.
    pub(super) fn is_idle(&self, said: &str) -> bool {
        let text = self.reader.text(said);
        is_idle(self.reader, said) && text.numbers().is_empty() && !self.candidates(&text).iter().any(|it| it.sure)
    }

    /// The stretches of a text that are values of the slots at hand: those asked for and those known.
    pub(super) fn spans(&self, text: &Text) -> Vec<Span> {
        let at_hand = |it: &Candidate| it.sure && (self.asked.contains(&it.slot) || self.is_known(it.slot));
        self.candidates(text).into_iter().filter(at_hand).map(|it| it.span).collect()
    }

    /// The best value of a slot that a list knows.
    pub(super) fn sure_value(&self, slot: usize, said: &str) -> Option<Value> {
        let text = self.reader.text(said);
        let sure = self.candidates(&text).into_iter().filter(|it| it.slot == slot && it.sure);
        sure.max_by(|one, other| one.score.total_cmp(&other.score).then(other.span.start.cmp(&one.span.start)))
            .map(|it| it.value)
    }

    /// The values of an answer.
    fn answered(&self, said: &str) -> Vec<(usize, Value)> {
        if let Some(found) = self.aligned(said) {
            return found;
        }
        let (message, rest) = self.message_first(said);
        let mut found = self.found(message, self.asked);
        for (slot, value) in self.found(rest, &[]) {
            if found.iter().all(|(other, _)| *other != slot) {
                found.push((slot, value));
            }
        }
        found
    }

    /// A message that was asked for, and the sentences behind it from the first one on that says another slot's value.
    fn message_first<'t>(&self, said: &'t str) -> (&'t str, &'t str) {
        let [slot] = self.asked else { return (said, "") };
        let mut end = 0;
        for (index, sentence) in sentences(said).into_iter().enumerate() {
            let start = said.get(end..).and_then(|rest| rest.find(sentence)).map_or(end, |at| end + at);
            let others = || self.found(sentence, &[]).iter().any(|(other, _)| other != slot && !self.is_known(*other));
            if index > 0 && self.slots[*slot].long && others() {
                return (said.get(..start).unwrap_or(said), said.get(start..).unwrap_or_default());
            }
            end = start + sentence.len();
        }
        (said, "")
    }

    /// The values of a text that answers questions for these slots.
    fn found(&self, said: &str, asked: &[usize]) -> Vec<(usize, Value)> {
        View { asked, ..*self }.read(said)
    }

    fn read(&self, said: &str) -> Vec<(usize, Value)> {
        let text = self.reader.text(said);
        let mut taken = self.flags(said);
        let mut spans: Vec<Span> = Vec::new();
        let long = self.asked.iter().any(|slot| self.slots[*slot].long);
        let mut candidates = self.candidates(&text);
        let contrasted = self.contrasted(&candidates);
        let mut places: Vec<Span> =
            candidates.iter().filter(|it| it.sure && self.asked.contains(&it.slot)).map(|it| it.span).collect();
        places.sort_unstable();
        places.dedup();
        for it in &mut candidates {
            it.score += self.prior(it, &text, &contrasted, places.len() > 1);
        }
        candidates.retain(|it| self.accepts(it, long));
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.span.start.cmp(&other.span.start)));
        for it in candidates {
            let free =
                taken.iter().all(|(slot, _)| *slot != it.slot) && spans.iter().all(|span| !span.overlaps(it.span));
            if free {
                spans.push(it.span);
                taken.push((it.slot, it.value));
            }
        }
        self.left(&text, &spans, &mut taken);
        taken
    }

    /// What an answer leaves for the slots that were asked for and whose value no list knows.
    fn left(&self, text: &Text, spans: &[Span], taken: &mut Vec<(usize, Value)>) {
        let mut gaps = gaps(text, spans);
        let clause = taken.iter().any(|(slot, _)| matches!(self.slots[*slot].form, Form::Flag));
        let single = sentences(&text.said(Span { start: 0, end: text.lower().len() })).len() < 2;
        for slot in self.asked {
            let it = &self.slots[*slot];
            // Of several answers, what is left is one only where anything may be; the words of a clause are none.
            let fits = self.asked.len() == 1 && (!self.guessed || taken.is_empty())
                || self.asked.len() > 1 && !(clause && single) && (taken.is_empty() || it.open || it.long);
            if taken.iter().any(|(other, _)| other == slot) || gaps.is_empty() || !fits {
                continue;
            }
            let own = |gap: &Span| self.belongs(text, *gap, taken);
            let Some(at) = gaps.iter().position(|gap| !own(gap) && !self.is_idle(&text.said(*gap))) else { continue };
            if let Some(value) = value_of(self, *slot, &text.said(gaps[at])) {
                gaps.remove(at);
                taken.push((*slot, value));
            }
        }
    }

    /// Whether a stretch is nothing but words of slots whose values stand beside it: `percent`.
    fn belongs(&self, text: &Text, gap: Span, taken: &[(usize, Value)]) -> bool {
        let reading = &self.reader.pack.reading;
        let own = |word: &str| {
            taken.iter().any(|(slot, _)| self.slots[*slot].units.iter().any(|unit| unit == reading.stem(word)))
        };
        let mut words =
            text.words().iter().filter(|word| word.span.overlaps(gap) && !reading.is_empty_word(&word.lower));
        words.all(|word| own(&word.lower))
    }

    /// One sentence for each question, where there are as many.
    fn aligned(&self, said: &str) -> Option<Vec<(usize, Value)>> {
        let sentences = sentences(said);
        if self.asked.len() < 2 || sentences.len() != self.asked.len() {
            return None;
        }
        let pairs: Vec<(&usize, &str)> = self.asked.iter().zip(sentences).collect();
        let strange = |slot: usize, sentence: &str| {
            let other = |it: &usize| *it != slot && self.sure_value(*it, sentence).is_some();
            !self.slots[slot].long && self.sure_value(slot, sentence).is_none() && self.asked.iter().any(other)
        };
        if pairs.iter().any(|(slot, sentence)| strange(**slot, sentence)) {
            return None;
        }
        pairs.into_iter().map(|(slot, sentence)| Some((*slot, value_of(self, *slot, sentence)?))).collect()
    }

    /// Yes and no to the flags that were asked for.
    fn flags(&self, said: &str) -> Vec<(usize, Value)> {
        let flags = self.asked.iter().filter(|slot| matches!(self.slots[**slot].form, Form::Flag));
        let several = self.asked.len() > 1;
        let read = flags.filter_map(|slot| {
            let value = if several { self.flag_said(*slot, said) } else { value_of(self, *slot, said) };
            Some((*slot, value?))
        });
        read.collect()
    }

    fn flag_said(&self, slot: usize, said: &str) -> Option<Value> {
        let text = self.reader.text(said);
        let clause = self.slots[slot].flag(&text, &self.reader.pack.reading).map(|(_, value)| value);
        clause.or_else(|| yes_or_no(self, said))
    }

    /// Slots of which a text says the known value beside another.
    fn contrasted(&self, candidates: &[Candidate]) -> Vec<usize> {
        let same = |it: &&Candidate| self.known.get(&self.slots[it.slot].name) == Some(&it.value);
        let other = |slot: usize| candidates.iter().any(|it| it.slot == slot && !same(&it));
        candidates.iter().filter(same).map(|it| it.slot).filter(|slot| other(*slot)).collect()
    }

    /// What speaks for a candidate beside the words around it, in an answer.
    fn prior(&self, it: &Candidate, text: &Text, contrasted: &[usize], several: bool) -> f64 {
        let named = 4.0 * self.named(it.slot, &text.said(Span { start: 0, end: text.lower().len() }));
        match self.asked.iter().position(|slot| *slot == it.slot) {
            Some(place) if several => 8.0 - self.misplaced(place, it.span, text),
            // A single answer is one to the first question.
            Some(place) => {
                if place == 0 {
                    8.0
                } else {
                    7.0
                }
            }
            None if !self.is_known(it.slot) => named,
            None if self.known.get(&self.slots[it.slot].name) == Some(&it.value) => -20.0,
            None if contrasted.contains(&it.slot) => 6.0,
            None => named - 8.0,
        }
    }

    /// Answers stand in the order of their questions: how far a stretch is from where its own should be.
    #[expect(clippy::cast_precision_loss, reason = "no text has 2^52 letters")]
    fn misplaced(&self, place: usize, span: Span, text: &Text) -> f64 {
        let wanted = place as f64 / self.asked.len() as f64;
        (wanted - span.start as f64 / text.lower().len().max(1) as f64).abs() * 4.0
    }

    /// Whether a candidate is good enough for an answer; a message may hold anything.
    fn accepts(&self, it: &Candidate, long: bool) -> bool {
        let slot = &self.slots[it.slot];
        if self.asked.contains(&it.slot) {
            return it.sure && !slot.long && !matches!(slot.form, Form::Flag);
        }
        let told = it.sure || matches!(slot.form, Form::Kind(_, Shape::Code));
        told && !long && it.score >= 3.0 || matches!(slot.form, Form::Flag) && !long && !self.is_known(it.slot)
    }

    /// The one change that a text makes to what is known.
    fn changed(&self, said: &str, mode: &Mode) -> Option<(usize, Value)> {
        let text = self.reader.text(said);
        let mut candidates = self.candidates(&text);
        candidates.retain(|it| self.known.get(&self.slots[it.slot].name) != Some(&it.value));
        for it in &mut candidates {
            it.score += self.weight(it.slot, mode) + 4.0 * self.named(it.slot, said);
        }
        let best = candidates.into_iter().filter(|it| it.sure || self.weight(it.slot, mode) >= 4.0);
        let best =
            best.max_by(|one, other| one.score.total_cmp(&other.score).then(other.span.start.cmp(&one.span.start)));
        // A value that no list knows is read anew, as an answer for its slot.
        match best.filter(|it| it.score >= 4.0) {
            Some(it) if it.sure => Some((it.slot, it.value)),
            Some(it) => Some((it.slot, value_of(self, it.slot, said)?)),
            None => self.relisted(said).or_else(|| self.flipped(said)).or_else(|| {
                let slot = self.spoken_of(said, mode)?;
                Some((slot, value_of(self, slot, said)?))
            }),
        }
    }

    /// A listed value that a text says in other words than its own, in the place of the known one.
    fn relisted(&self, said: &str) -> Option<(usize, Value)> {
        let known = (0..self.slots.len()).filter(|slot| self.is_known(*slot));
        let changes = known.filter_map(|slot| match &self.slots[slot].form {
            Form::Listed(values) => Some((slot, nearest(self, values, said)?)),
            _ => None,
        });
        changes.into_iter().find(|(slot, value)| self.known.get(&self.slots[*slot].name) != Some(value))
    }

    /// The one flag that is known, where a text says the contrary of it: `but no audio`.
    fn flipped(&self, said: &str) -> Option<(usize, Value)> {
        let known = |slot: &usize| matches!(self.slots[*slot].form, Form::Flag) && self.is_known(*slot);
        let mut flags = (0..self.slots.len()).filter(known);
        let slot = flags.next().filter(|_| flags.next().is_none())?;
        let text = self.reader.text(said);
        let denied = text.words().iter().any(|word| self.reader.pack.reading.denials.contains(&word.lower));
        let value = Value::Bool(!denied);
        (denied && self.known.get(&self.slots[slot].name) != Some(&value)).then_some((slot, value))
    }

    /// A change of something known that a text names, while it does not name what was asked for.
    fn renamed(&self, said: &str) -> Option<(usize, Value)> {
        let asked = self.asked.iter().map(|slot| self.named(*slot, said)).fold(0.0, f64::max);
        let known = (0..self.slots.len()).filter(|slot| self.is_known(*slot));
        let named = known.map(|slot| self.named(slot, said)).fold(0.0, f64::max);
        let change = if named >= asked + 0.5 {
            self.changed(said, &Mode::Correct { of: Vec::new(), earlier: false })
        } else {
            None
        };
        change.filter(|(slot, _)| !self.asked.contains(slot))
    }

    /// How likely a slot is the one that is changed.
    fn weight(&self, slot: usize, mode: &Mode) -> f64 {
        match mode {
            Mode::Correct { of, .. } if of.contains(&slot) => 8.0,
            Mode::Correct { of, earlier } if !self.is_known(slot) => {
                match (self.asked.contains(&slot), of.is_empty()) {
                    (true, true) if !earlier => 6.0,
                    (true, _) => 0.0,
                    (false, _) => -4.0,
                }
            }
            _ if self.is_known(slot) => 4.0,
            _ => 1.0,
        }
    }

    /// The slot that is changed where no value is recognised.
    fn spoken_of(&self, said: &str, mode: &Mode) -> Option<usize> {
        let weight = |slot: usize| self.weight(slot, mode) + 4.0 * self.named(slot, said);
        let texts = (0..self.slots.len()).filter(|slot| self.slots[*slot].text_type);
        let best = texts.reduce(|best, next| if weight(next) > weight(best) { next } else { best })?;
        (weight(best) >= 6.0).then_some(best)
    }
}

/// The value of one slot in a text that is about it alone.
pub(super) fn value_of(view: &View<'_>, slot: usize, said: &str) -> Option<Value> {
    let it = &view.slots[slot];
    let text = view.reader.text(said);
    match &it.form {
        Form::Flag => view.flag_alone(slot, said),
        Form::Number(_) => {
            let beside = |span: Span| it.beside(&text, span, &view.reader.pack.reading) > 0.0;
            let numbers = text.numbers();
            numbers.iter().find(|(span, _)| beside(*span)).or(numbers.first()).map(|(_, value)| value.clone())
        }
        Form::Listed(values) => view.sure_value(slot, said).or_else(|| nearest(view, values, said)),
        Form::Kind(_, shape) => Some(it.value(&words_of(view, slot, *shape, said)?)),
        Form::Pattern(_) | Form::Nested(_) => view.sure_value(slot, said),
        Form::Free => Some(it.value(&stripped(view.reader, it, said)?)),
    }
}

impl View<'_> {
    /// Yes or no, or the clause that says it.
    fn flag_alone(&self, slot: usize, said: &str) -> Option<Value> {
        let reading = &self.reader.pack.reading;
        let text = self.reader.text(said);
        let clause = || self.slots[slot].flag(&text, reading).map(|(_, value)| value);
        // Who says neither yes nor no agrees, unless a word denies it.
        let denied = text.words().iter().any(|word| reading.denials.contains(&word.lower));
        let other = self.candidates(&text).iter().any(|it| it.sure && !matches!(self.slots[it.slot].form, Form::Flag));
        let agreed = !denied && !other && !self.is_idle(said);
        let meant = || (denied || agreed).then_some(Value::Bool(agreed));
        yes_or_no(self, said).or_else(clause).or_else(meant)
    }
}

/// The yes or no that a text begins with.
pub(super) fn yes_or_no(view: &View<'_>, said: &str) -> Option<Value> {
    let reading = &view.reader.pack.reading;
    let lower = said.trim().to_lowercase();
    let begins = |words: &[String]| {
        let found = words.iter().filter(|word| {
            let next = lower.strip_prefix(word.as_str()).and_then(|rest| rest.chars().next());
            lower.starts_with(word.as_str()) && !(view.reader.spaced() && next.is_some_and(char::is_alphanumeric))
        });
        found.map(String::len).max()
    };
    match (begins(&reading.yes), begins(&reading.no)) {
        (None, None) => None,
        (yes, no) => Some(Value::Bool(yes > no)),
    }
}

/// The listed value that shares most words with an answer.
fn nearest(view: &View<'_>, values: &[(Value, Vec<String>)], said: &str) -> Option<Value> {
    let reading = &view.reader.pack.reading;
    let words = tokens(&said.to_lowercase(), reading);
    let shared = |wordings: &[String]| {
        let own: Vec<String> = wordings.iter().flat_map(|wording| tokens(wording, reading)).collect();
        words.iter().filter(|word| own.contains(word)).count()
    };
    let scored = values.iter().map(|(value, wordings)| (shared(wordings), value));
    scored.filter(|(score, _)| *score > 0).max_by_key(|(score, _)| *score).map(|(_, value)| value.clone())
}

/// The words of a value in an answer to a question for it: those that a list knows, a name, a code, or all that is left
/// without what people say around it.
fn words_of(view: &View<'_>, slot: usize, shape: Shape, said: &str) -> Option<String> {
    let it = &view.slots[slot];
    let text = view.reader.text(said);
    let left = stripped(view.reader, it, said);
    let known = view.sure_value(slot, said).and_then(|value| value.as_str().map(str::to_owned));
    let length = |text: &str| text.chars().count();
    let whole = |known: &String| !it.long || left.as_ref().is_none_or(|left| length(known) * 5 >= length(left) * 3);
    if let Some(known) = known.filter(whole) {
        return Some(known);
    }
    let left = left?;
    let quoted = quoted(&text);
    if quoted.is_empty() && (it.long || is_plain(view, &left)) {
        return Some(left);
    }
    let spans = match shape {
        _ if !quoted.is_empty() => quoted,
        Shape::Code => codes(&text),
        Shape::Name => names(&text, &view.reader.pack.reading),
        Shape::Phrase | Shape::Time => Vec::new(),
    };
    if let Some(span) = spans.into_iter().max_by_key(|span| span.len()) {
        return Some(text.said(with_determiner(&text, span, view)));
    }
    let guesses = phrases(&text, &it.hints(), &view.reader.pack.reading);
    let best = guesses.into_iter().max_by(|one, other| one.told.total_cmp(&other.told));
    Some(best.map_or(left, |guess| text.said(guess.span)))
}

/// A name with the determiner before it.
fn with_determiner(text: &Text, span: Span, view: &View<'_>) -> Span {
    let before = text.words().iter().rev().find(|word| word.span.end + 1 == span.start);
    let determiner = before.filter(|word| view.reader.pack.reading.definite.contains(&word.lower));
    Span { start: determiner.map_or(span.start, |word| word.span.start), ..span }
}

/// Whether an answer is nothing but a name: a few words, none of them empty but for one in the middle.
fn is_plain(view: &View<'_>, said: &str) -> bool {
    let text = Text::new(said, true);
    let reading = &view.reader.pack.reading;
    let idle = text.words().iter().filter(|word| reading.is_empty_word(&word.lower) || reading.announces(&word.lower));
    !view.reader.spaced() || text.words().len() <= 4 && idle.count() <= 1
}

/// The stretches of a text between others, those without a letter or digit left out.
fn gaps(text: &Text, spans: &[Span]) -> Vec<Span> {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut gaps = Vec::new();
    let mut from = 0;
    for span in spans.into_iter().chain([Span { start: text.lower().len(), end: text.lower().len() }]) {
        let gap = Span { start: from, end: span.start.max(from) };
        if text.lower()[gap.start..gap.end].iter().any(|letter| letter.is_alphanumeric()) {
            gaps.push(gap);
        }
        from = from.max(span.end);
    }
    gaps
}
