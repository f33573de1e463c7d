//! Finds values of a kind in a text: the kind's patterns, run backwards.

use crate::locale::{Days, Kind, Numbers, Pack, Part, Pattern};
use crate::read::text::{Span, Text};
use indexmap::IndexMap;

/// The kinds of a locale, ready to be found.
pub(crate) struct Recogniser {
    kinds: IndexMap<String, Form>,
}

enum Form {
    Patterns(Vec<Vec<Piece>>),
    Numbers(Numbers),
}

/// A pattern's part in lower case.
enum Piece {
    Letters(Vec<char>),
    Choice(Vec<Vec<Piece>>),
    Optional(Vec<Piece>),
    Kind(String),
    Digits,
}

impl Recogniser {
    pub(crate) fn new(pack: &Pack) -> Self {
        let kinds = pack.kinds.iter().map(|(name, kind)| (name.clone(), form(kind)));
        Self { kinds: kinds.collect() }
    }

    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.kinds.contains_key(kind)
    }

    /// The longest value of `kind` at every word of the text, those within another left out.
    pub(crate) fn find(&self, kind: &str, text: &Text) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let lower = text.lower();
        // A unit follows its number without a blank: `39센티미터`.
        let follows_digit =
            |at: usize| at > 0 && lower[at - 1].is_ascii_digit() && lower[at].is_alphabetic() && !lower[at].is_ascii();
        let begins = |at: &usize| lower[*at].is_alphanumeric() && (text.starts_word(*at) || follows_digit(*at));
        for start in (0..lower.len()).filter(begins) {
            let mut ends = Vec::new();
            self.ends_of_kind(kind, text, start, 0, &mut ends);
            let end = ends.into_iter().filter(|end| *end > start && text.ends_word(*end)).max();
            if let Some(end) = end.filter(|end| spans.last().is_none_or(|last| *end > last.end)) {
                spans.push(Span { start, end });
            }
        }
        spans
    }

    fn ends_of_kind(&self, kind: &str, text: &Text, start: usize, depth: usize, ends: &mut Vec<usize>) {
        match self.kinds.get(kind).filter(|_| depth < 8) {
            Some(Form::Numbers(numbers)) => number_ends(text, start, numbers.decimals, ends),
            Some(Form::Patterns(patterns)) => {
                for pattern in patterns {
                    self.ends(pattern, text, start, depth, ends);
                }
            }
            None => {}
        }
    }

    /// Adds every place where `pieces`, begun at `start`, may end.
    fn ends(&self, pieces: &[Piece], text: &Text, start: usize, depth: usize, ends: &mut Vec<usize>) {
        let mut places = vec![start];
        for piece in pieces {
            let mut next = Vec::new();
            for place in places {
                self.step(piece, text, place, depth, &mut next);
            }
            next.sort_unstable();
            next.dedup();
            places = next;
            if places.is_empty() {
                return;
            }
        }
        ends.extend(places);
    }

    fn step(&self, piece: &Piece, text: &Text, place: usize, depth: usize, next: &mut Vec<usize>) {
        match piece {
            Piece::Letters(letters) => {
                if text.lower().get(place..).is_some_and(|rest| rest.starts_with(letters)) {
                    next.push(place + letters.len());
                }
            }
            Piece::Choice(choices) => choices.iter().for_each(|choice| self.ends(choice, text, place, depth, next)),
            Piece::Optional(inner) => {
                next.push(place);
                self.ends(inner, text, place, depth, next);
            }
            Piece::Kind(kind) => self.ends_of_kind(kind, text, place, depth + 1, next),
            Piece::Digits => number_ends(text, place, 0, next),
        }
    }
}

fn form(kind: &Kind) -> Form {
    match (&kind.days, &kind.numbers) {
        (Some(days), _) => {
            // People read days aloud, and write them in digits as well.
            let written = Pattern::parse("{iso}").ok();
            let forms = days.said.iter().chain(&written);
            Form::Patterns(forms.map(|pattern| pieces(pattern, &|slot| day(days, slot))).collect())
        }
        (None, Some(numbers)) => Form::Numbers(numbers.clone()),
        (None, None) => {
            let slot = |name: &str| Piece::Kind(name.to_owned());
            Form::Patterns(kind.values.iter().map(|pattern| pieces(pattern, &slot)).collect())
        }
    }
}

/// A part of a day: the name of a month, or digits.
fn day(days: &Days, slot: &str) -> Piece {
    match slot {
        "name" => Piece::Choice(days.months.iter().map(|name| vec![letters(name)]).collect()),
        "iso" => Piece::Choice(vec![vec![Piece::Digits, letters("-"), Piece::Digits, letters("-"), Piece::Digits]]),
        _ => Piece::Digits,
    }
}

fn pieces(pattern: &Pattern, slot: &dyn Fn(&str) -> Piece) -> Vec<Piece> {
    let piece = |part: &Part| match part {
        Part::Text(text) => letters(text),
        Part::Choice(choices) => Piece::Choice(choices.iter().map(|choice| pieces(choice, slot)).collect()),
        Part::Optional(inner) => Piece::Optional(pieces(inner, slot)),
        Part::Slot { name, .. } => slot(name),
    };
    pattern.parts().iter().map(piece).collect()
}

fn letters(text: &str) -> Piece {
    Piece::Letters(text.chars().flat_map(char::to_lowercase).collect())
}

/// Every place where a number may end: a number within a pattern may be followed by more digits.
fn number_ends(text: &Text, start: usize, decimals: usize, ends: &mut Vec<usize>) {
    let digits = |from: usize| text.lower().iter().skip(from).take_while(|letter| letter.is_ascii_digit()).count();
    let whole = digits(start);
    ends.extend((1..=whole).map(|length| start + length));
    let point = start + whole;
    if whole > 0 && decimals > 0 && text.lower().get(point) == Some(&'.') {
        ends.extend((1..=digits(point + 1)).map(|length| point + 1 + length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Chance;

    fn found(locale: &str, kind: &str, text: &str) -> Vec<String> {
        let pack = crate::fixtures::pack(locale);
        let text = Text::new(text, locale != "zh");
        Recogniser::new(&pack).find(kind, &text).into_iter().map(|span| text.said(span)).collect()
    }

    #[test]
    fn the_longest_value_is_found_and_none_within_a_word() {
        assert_eq!(found("en", "time", "wake me at 7:30 AM or half past six"), ["7:30 AM", "half past six"]);
        assert_eq!(found("en", "contact", "text My boss and Anna, not Annabel"), ["My boss", "Anna"]);
        assert_eq!(
            found("en", "place", "from the Harbor Mall to Lisbon Airport"),
            ["the Harbor Mall", "Lisbon Airport"]
        );
    }

    #[test]
    fn a_day_is_found_in_each_of_its_forms() {
        let text = "between 2026-03-05 and March 14, 2026";
        assert_eq!(found("en", "iso_date", text), ["2026-03-05", "March 14, 2026"]);
        assert_eq!(found("ko", "iso_date", "2026년 3월 5일 아침"), ["2026년 3월 5일"]);
    }

    #[test]
    fn every_value_that_a_kind_draws_is_found_again() {
        let pack = crate::fixtures::pack("en");
        let recogniser = Recogniser::new(&pack);
        for name in pack.kinds.keys() {
            for draw in 0..20_u32 {
                let drawn = pack.draw(name, &mut Chance::new(1, "find", name, draw)).unwrap();
                let text = Text::new(&format!("so {} then", drawn.surface), true);
                let spans = recogniser.find(name, &text);
                let words: Vec<String> = spans.into_iter().map(|span| text.said(span)).collect();
                assert!(
                    words.iter().any(|words| words.contains(&drawn.surface)),
                    "{name}: {} {words:?}",
                    drawn.surface
                );
            }
        }
    }
}
