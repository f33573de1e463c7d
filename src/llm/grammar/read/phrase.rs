//! Values that are phrases which no list knows: behind their cues, beside their parameter's own words, as the sort of
//! thing that is wanted, or as the one thing that nothing else explains.

use super::noun::{Run, runs};
use super::text::{Span, Text};
use crate::locale::{Meaning, Reading};

/// What the words of one parameter say of its place in a sentence.
pub(super) struct Hints<'a> {
    /// Words that announce the value.
    pub(super) cues: Vec<&'a str>,
    /// Stems of the parameter's own words.
    pub(super) units: &'a [String],
    /// Stems of the words in the function's name.
    pub(super) about: &'a [String],
    /// Stems of all words of the tool.
    pub(super) known: &'a [String],
    /// What the whole tool is about.
    pub(super) topics: &'a [Meaning],
    /// The sorts of things that the parameter wants.
    pub(super) sorts: &'a [String],
    /// Whether the value is a message, which goes on to the end of its clause.
    pub(super) long: bool,
    /// Whether anything may be its value.
    pub(super) open: bool,
    /// Whether only something counted may be, since its values are names more often than not.
    pub(super) counted: bool,
}

/// A stretch that may be a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Guess {
    pub(super) span: Span,
    /// How likely it is a value, beside what the words around it say.
    pub(super) base: f64,
    /// How much it says for the whole tool that the request has this value.
    pub(super) told: f64,
}

/// Most words of a phrase; a message goes on to the end of its clause.
pub(super) const PHRASE: usize = 4;

/// A search for one parameter's phrases in one text.
pub(super) struct Search<'a> {
    pub(super) text: &'a Text,
    pub(super) hints: &'a Hints<'a>,
    pub(super) reading: &'a Reading,
    pub(super) runs: Vec<Run>,
}

/// Phrases that may be a value.
pub(super) fn phrases(text: &Text, hints: &Hints<'_>, reading: &Reading) -> Vec<Guess> {
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
    pub(super) fn span(&self, first: usize, last: usize) -> Span {
        let words = self.text.words();
        Span { start: words[first].span.start, end: words[last].span.end }
    }

    /// Whether a word is one of the tool's own.
    pub(super) fn is_known(&self, index: usize) -> bool {
        let stem = self.reading.stem(&self.text.words()[index].lower);
        self.hints.known.iter().any(|known| known == stem)
    }

    /// A stretch without the words at its end that the whole tool is about.
    pub(super) fn trimmed(&self, first: usize, mut last: usize) -> Span {
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
    pub(super) fn has_news(&self, span: Span) -> bool {
        let words = self.text.words().iter().enumerate();
        words.filter(|(_, word)| span.overlaps(word.span)).any(|(index, word)| {
            let sorted = self.reading.sort(&word.lower).is_some();
            let foreign = self.reading.meanings(&word.lower).iter().all(|meaning| self.is_foreign(*meaning));
            word.lower.chars().any(char::is_alphabetic) && (sorted || foreign) && !self.is_known(index)
        })
    }

    /// Whether a meaning is a thing that the tool has nothing to do with.
    pub(super) fn is_foreign(&self, meaning: Meaning) -> bool {
        matches!(meaning, Meaning::Topic(_))
            && !self.reading.is_particular(meaning)
            && !self.hints.topics.contains(&meaning)
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
