//! Values that are phrases which no list knows: behind their cues, beside their parameter's own words, as the sort of
//! thing that is wanted, or as the one thing that nothing else explains.

use crate::locale::{Meaning, Reading, Stand, value_stands};
use crate::read::fit::{Run, is_noun, parted, runs};
use crate::read::slot::Slot;
use crate::read::text::{Span, Text, ends_with};
use crate::record::Value;

/// What the words of one parameter say of its place in a sentence.
pub(crate) struct Hints<'a> {
    /// Words that announce the value.
    pub(crate) cues: Vec<&'a str>,
    /// Stems of the parameter's own words.
    pub(crate) units: &'a [String],
    /// Stems of the words in the function's name.
    pub(crate) about: &'a [String],
    /// Stems of all words of the tool.
    pub(crate) known: &'a [String],
    /// What the whole tool is about.
    pub(crate) topics: &'a [Meaning],
    /// The sorts of things that the parameter wants.
    pub(crate) sorts: &'a [String],
    /// Whether the value is a message, which goes on to the end of its clause.
    pub(crate) long: bool,
    /// Whether anything may be its value.
    pub(crate) open: bool,
    /// Whether only something counted may be, since its values are names more often than not.
    pub(crate) counted: bool,
}

/// A stretch that may be a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    pub(crate) span: Span,
    /// How likely it is a value, beside what the words around it say.
    pub(crate) base: f64,
    /// How much it says for the whole tool that the request has this value.
    pub(crate) told: f64,
}

/// Most words of a phrase; a message goes on to the end of its clause.
pub(crate) const PHRASE: usize = 4;

/// A search for one parameter's phrases in one text.
pub(crate) struct Search<'a> {
    pub(crate) text: &'a Text,
    pub(crate) hints: &'a Hints<'a>,
    pub(crate) reading: &'a Reading,
    pub(crate) runs: Vec<Run>,
}

/// Phrases that may be a value.
pub(crate) fn phrases(text: &Text, hints: &Hints<'_>, reading: &Reading) -> Vec<Guess> {
    let search = Search { text, hints, reading, runs: runs(text, reading) };
    let mut guesses = search.sorted();
    guesses.extend(search.beside_units());
    guesses.extend(search.behind_cues());
    // What holds nothing but the tool's own words is no value.
    guesses.retain(|guess| search.has_news(guess.span));
    if guesses.is_empty() && hints.open && !hints.long && text.last_line() == 0 {
        guesses = search.leftovers();
    }
    guesses
}

impl Search<'_> {
    /// The stretch from one word to another.
    pub(crate) fn span(&self, first: usize, last: usize) -> Span {
        let words = self.text.words();
        Span { start: words[first].span.start, end: words[last].span.end }
    }

    /// Whether a word is one of the tool's own.
    pub(crate) fn is_known(&self, index: usize) -> bool {
        let stem = self.reading.stem(&self.text.words()[index].lower);
        self.hints.known.iter().any(|known| known == stem)
    }

    /// A stretch without the words at its end that the whole tool is about.
    pub(crate) fn trimmed(&self, first: usize, mut last: usize) -> Span {
        let about = |at: usize| {
            let stem = self.reading.stem(&self.text.words()[at].lower);
            self.hints.about.iter().any(|about| about == stem)
        };
        while last > first && about(last) {
            last -= 1;
        }
        self.span(first, last)
    }

    /// Whether a stretch holds a word that the tool does not.
    pub(crate) fn has_news(&self, span: Span) -> bool {
        let words = self.text.words().iter().enumerate();
        words.filter(|(_, word)| span.overlaps(word.span)).any(|(index, word)| {
            let sorted = self.reading.sort(&word.lower).is_some();
            let foreign = self.reading.meanings(&word.lower).iter().all(|meaning| self.is_foreign(*meaning));
            word.lower.chars().any(char::is_alphabetic) && (sorted || foreign) && !self.is_known(index)
        })
    }

    /// Whether a meaning is a thing that the tool has nothing to do with.
    pub(crate) fn is_foreign(&self, meaning: Meaning) -> bool {
        matches!(meaning, Meaning::Topic(_))
            && !self.reading.is_particular(meaning)
            && !self.hints.topics.contains(&meaning)
    }
}

// Phrases that their place tells: of the wanted sort, beside the parameter's own words, behind its cues.

impl Search<'_> {
    /// Things of the sort that the parameter wants: `a pumpkin curry` for a dish.
    pub(crate) fn sorted(&self) -> Vec<Guess> {
        let runs = self.runs.iter().filter_map(|run| {
            let last = (run.first..run.end).rev().find(|at| self.is_wanted(run.first, *at))?;
            let first = (run.first.max((last + 1).saturating_sub(PHRASE))..last).rev();
            let first = first.take_while(|at| !self.is_known(*at)).last().unwrap_or(last);
            Some(Guess { span: self.trimmed(first, last), base: 2.0, told: 1.0 })
        });
        runs.collect()
    }

    /// Whether a word of a run, or it with the one before, is a thing of the wanted sort.
    fn is_wanted(&self, first: usize, at: usize) -> bool {
        let words = self.text.words();
        let pair = (at > first).then(|| format!("{} {}", words[at - 1].lower, words[at].lower));
        let sort = pair.and_then(|pair| self.reading.sort(&pair)).or_else(|| self.reading.sort(&words[at].lower));
        sort.is_some_and(|sort| self.hints.sorts.iter().any(|wanted| wanted == sort))
    }

    /// The words before one of the parameter's own: `the living room`; without it where the whole tool is about it.
    pub(crate) fn beside_units(&self) -> Vec<Guess> {
        let runs = self.runs.iter().filter(|run| run.is_thing()).filter_map(|run| {
            let unit = (run.first + 1..run.end).rev().find(|at| self.is_unit(*at))?;
            let first = run.first.max((unit + 1).saturating_sub(PHRASE));
            Some(Guess { span: self.trimmed(first, unit), base: 2.0, told: 0.75 })
        });
        runs.collect()
    }

    fn is_unit(&self, index: usize) -> bool {
        let stem = self.reading.stem(&self.text.words()[index].lower);
        self.hints.units.iter().any(|unit| unit == stem)
    }

    /// What follows a cue, up to the next one or the end of the clause.
    pub(crate) fn behind_cues(&self) -> Vec<Guess> {
        let indices = 0..self.text.words().len();
        indices.filter_map(|index| if self.hints.long { self.message(index) } else { self.thing(index) }).collect()
    }

    /// A message that begins with this word: it goes on to the end of its clause.
    fn message(&self, index: usize) -> Option<Guess> {
        if !self.is_announced(self.text.words()[index].span.start) && !self.is_told(index) {
            return None;
        }
        let rest = index + 1..self.text.words().len();
        let last = rest.take_while(|next| !parted(self.text, *next)).last().unwrap_or(index);
        Some(Guess { span: self.span(index, last), base: 2.0, told: 0.25 })
    }

    /// A thing that begins with this word, a determiner before it left out.
    fn thing(&self, index: usize) -> Option<Guess> {
        let words = self.text.words();
        let before = index.checked_sub(1).map(|before| &words[before]);
        let determiner = before.filter(|word| self.reading.determiners.contains(&word.lower));
        let mut places = determiner.into_iter().chain([&words[index]]);
        let announced = places.any(|word| self.is_announced(word.span.start));
        if !announced || !is_noun(self.text, index, index > 0, self.reading) {
            return None;
        }
        let goes_on = |next: &usize| {
            let named = determiner.is_some();
            next - index < PHRASE && !parted(self.text, *next) && is_noun(self.text, *next, named, self.reading)
        };
        let last = (index + 1..words.len()).take_while(goes_on).last().unwrap_or(index);
        Some(Guess { span: self.trimmed(index, last), base: 2.0, told: 0.25 })
    }

    /// Whether a cue stands right before a place, and takes nothing back.
    fn is_announced(&self, start: usize) -> bool {
        let before = self.text.before(start);
        let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || letter == ':');
        let taken_back = self.text.takes_back(before.chars().count().saturating_sub(1));
        !taken_back && self.hints.cues.iter().any(|cue| ends_with(before, cue))
    }

    /// Whether somebody is told what follows, of whom the parameter speaks: `tell the driver`.
    fn is_told(&self, index: usize) -> bool {
        let words = self.text.words();
        let Some(listener) = index.checked_sub(1).filter(|_| !parted(self.text, index)) else { return false };
        let mut before = words[listener.saturating_sub(2)..listener].iter();
        self.is_unit(listener) && before.any(|word| self.reading.telling.contains(&word.lower))
    }
}

// Flags: what a request says of yes and no.

impl Slot {
    /// What the language says of the flag, by words that nothing else in the tool shares; without a language, by the
    /// words alone, with a denial near them for false.
    pub(crate) fn flag(&self, text: &Text, reading: &Reading) -> Option<(Span, Value)> {
        let Some(language) = text.language() else { return self.flag_by_words(text, reading) };
        let names: Vec<&str> = self.flag_words.0.iter().map(String::as_str).collect();
        let others: Vec<&str> = self.flag_words.1.iter().map(String::as_str).collect();
        let stand = Stand { type_name: "boolean", names: &names, others: &others, ..Stand::default() };
        let whole: String = text.letters().iter().collect();
        let said = [false, true].into_iter().find_map(|flag| {
            let found = value_stands(&whole, &Value::Bool(flag), &stand, language)?;
            let start = whole.find(&found.surface).and_then(|at| whole.get(..at)).map_or(0, |it| it.chars().count());
            Some((Span { start, end: start + found.surface.chars().count() }, Value::Bool(flag)))
        });
        said.or_else(|| self.flag_by_words(text, reading))
    }

    fn flag_by_words(&self, text: &Text, reading: &Reading) -> Option<(Span, Value)> {
        let words = text.words();
        let said = words.iter().position(|it| !reading.is_empty_word(&it.lower) && self.means(&it.lower, reading))?;
        let near = &words[said.saturating_sub(4)..(said + 4).min(words.len())];
        let denied = near.iter().any(|word| reading.denials.contains(&word.lower));
        Some((words[said].span, Value::Bool(!denied)))
    }

    fn means(&self, word: &str, reading: &Reading) -> bool {
        let stem = reading.stem(word);
        let said = reading.meanings(word);
        if said.iter().any(|meaning| self.topics.contains(meaning)) {
            return false;
        }
        let mut own = self.name.split('_').flat_map(|part| reading.meanings(part));
        self.units.iter().any(|unit| unit == stem) || own.any(|it| matches!(it, Meaning::Topic(_)) && said.contains(it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, cues: &[&str], units: &[&str], about: &[&str], sorts: &[&str]) -> Vec<String> {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let stems = |words: &[&str]| words.iter().map(|word| reading.stem(word).to_owned()).collect::<Vec<_>>();
        let (units, about) = (stems(units), stems(about));
        let sorts: Vec<String> = sorts.iter().map(|sort| (*sort).to_owned()).collect();
        let (cues, known) = (cues.to_vec(), &about);
        let hints = Hints {
            cues,
            units: &units,
            about: &about,
            known,
            topics: &[],
            sorts: &sorts,
            long: false,
            open: true,
            counted: false,
        };
        phrases(&text, &hints, &reading).into_iter().map(|guess| text.said(guess.span)).collect()
    }

    #[test]
    fn cues_and_own_words_stand_beside_a_value() {
        assert_eq!(found("a recipe for granola, please", &["for"], &[], &[], &[]), ["granola"]);
        assert_eq!(found("heat the blue room", &[], &["room"], &[], &[]), ["blue room"]);
        assert_eq!(found("workbench lamp at 60%", &[], &["lamp"], &["lamp"], &[]), ["workbench"]);
    }

    #[test]
    fn a_thing_of_the_wanted_sort_is_found_in_any_place() {
        let dish = &["dish meal food flavor recipe"];
        assert_eq!(found("have a lentil soup brought to us", &[], &[], &[], dish), ["lentil soup"]);
        assert!(found("the fridge is empty", &[], &[], &["fridge", "empty"], dish).is_empty());
    }

    #[test]
    fn what_nothing_explains_is_a_value_where_anything_may_be() {
        assert_eq!(found("order six gizmos from them", &[], &[], &["order"], &[]), ["gizmos"]);
        assert!(found("order gizmo ideas", &[], &[], &["gizmo"], &[]).is_empty());
    }
}

#[cfg(test)]
mod placed_tests {
    use crate::locale::Reading;
    use crate::read::text::Text;
    use crate::read::values::phrase::{Hints, phrases};

    fn messages(query: &str, cues: &[&str], units: &[&str]) -> Vec<String> {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let units: Vec<String> = units.iter().map(|word| reading.stem(word).to_owned()).collect();
        let hints = Hints {
            cues: cues.to_vec(),
            units: &units,
            about: &[],
            known: &[],
            topics: &[],
            sorts: &[],
            long: true,
            open: false,
            counted: false,
        };
        phrases(&text, &hints, &reading).into_iter().map(|guess| text.said(guess.span)).collect()
    }

    #[test]
    fn a_message_goes_on_to_the_end_of_its_clause() {
        assert_eq!(messages("a note that says the gate is open, please", &["says"], &[]), ["the gate is open"]);
        assert_eq!(messages("and tell the driver the bell is broken", &[], &["driver"]), ["the bell is broken"]);
    }

    #[test]
    fn a_cue_within_a_correction_announces_nothing() {
        assert!(messages("two, no, make that three", &["that"], &[]).is_empty());
    }
}

#[cfg(test)]
mod flag_tests {
    use super::*;
    use crate::read::values::recognise::Recogniser;

    fn read(query: &str, spoken: bool) -> Option<Value> {
        let tool = r#"{"name": "A.Oven.heat", "description": "Heat the oven", "parameters": {"properties": {
            "fan_on": {"type": "boolean", "description": "Whether the fan is on"}}}}"#;
        let pack = crate::fixtures::pack("en");
        let slots = Slot::all(&serde_json::from_str(tool).unwrap(), &pack, &Recogniser::new(&pack));
        let language = crate::fixtures::language("en");
        let text = if spoken { Text::of(query, true, &language) } else { Text::new(query, true) };
        slots[0].flag(&text, &pack.reading).map(|(_, value)| value)
    }

    #[test]
    fn a_flag_is_said_by_its_words_and_denied_beside_them() {
        for spoken in [true, false] {
            assert_eq!(read("heat the oven with the fan", spoken), Some(Value::Bool(true)), "{spoken}");
            assert_eq!(read("heat the oven without the fan", spoken), Some(Value::Bool(false)), "{spoken}");
            assert_eq!(read("heat the oven", spoken), None, "{spoken}");
        }
    }
}
