//! Cuts a question into its requests, at the words and marks that stand between them.

use super::super::reader::Reader;
use super::super::request::RequestIdeas;
use super::super::text::{Span, Text};
use super::super::words::find_words;
use crate::locale::Meaning;
use std::collections::BTreeSet;

/// Marks that end a clause wherever they stand.
const MARKS: [char; 11] = [',', ';', '?', '!', '\n', '，', '。', '；', '！', '？', '、'];

/// A stretch of a question that wants something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) span: Span,
    /// The stem of the word that says what to do.
    pub(super) verb: Option<String>,
}

/// The clauses of a question, in order; what wants nothing belongs to its neighbour. `verbs` are those of the tools.
pub(super) fn clauses(reader: Reader<'_>, text: &Text, verbs: &BTreeSet<&str>) -> Vec<Clause> {
    let cutter = Cutter { reader, text, verbs };
    let mut clauses: Vec<Clause> = Vec::new();
    let mut pending: Option<Clause> = None;
    for piece in cutter.pieces() {
        let before = pending.take();
        let start = before.as_ref().map_or(piece.start, |before| before.span.start);
        let verb = before.and_then(|before| before.verb);
        let (wanting, own) = cutter.wants(piece);
        let clause = Clause { span: Span { start, ..piece }, verb: verb.or(own) };
        match (wanting, clauses.last_mut()) {
            (Wanting::Something, _) | (Wanting::Again, Some(_)) => clauses.push(clause),
            (Wanting::Nothing, Some(last)) => last.span.end = piece.end,
            (Wanting::Unsaid, _) | (Wanting::Again | Wanting::Nothing, None) => pending = Some(clause),
        }
    }
    match (pending, clauses.last_mut()) {
        (Some(rest), Some(last)) => last.span.end = rest.span.end,
        (Some(rest), None) => clauses.push(rest),
        (None, _) => {}
    }
    clauses
}

/// What a stretch wants.
enum Wanting {
    Something,
    /// It does something with what was said before, if anything was.
    Again,
    /// It does something, but with what is said further on.
    Unsaid,
    Nothing,
}

struct Cutter<'a> {
    reader: Reader<'a>,
    text: &'a Text,
    verbs: &'a BTreeSet<&'a str>,
}

impl Cutter<'_> {
    fn wants(&self, piece: Span) -> (Wanting, Option<String>) {
        let reading = &self.reader.pack.reading;
        let letters = self.text.lower().get(piece.start..piece.end).unwrap_or_default();
        let ideas = RequestIdeas::new(letters, &[], reading);
        let verb = self.verb(piece);
        // Where nouns have no words before them that would tell them from verbs, an action may stand anywhere.
        let acts = verb.is_some() || reading.determiners.is_empty() && ideas.is_firm();
        let words = self.text.words().iter().filter(|word| piece.overlaps(word.span)).count();
        let wanting = match (ideas.is_asking() || acts, ideas.has_things()) {
            (true, true) => Wanting::Something,
            // "Renew it" is a request; "renew" goes on behind the next "and".
            (true, false) if words > 1 => Wanting::Again,
            (true, false) => Wanting::Unsaid,
            (false, _) => Wanting::Nothing,
        };
        (wanting, verb)
    }

    /// The first word that means something, where it is one for doing: an action of the language's, or a tool's verb.
    fn verb(&self, piece: Span) -> Option<String> {
        let reading = &self.reader.pack.reading;
        let mut words = self.text.words().iter().filter(|word| piece.overlaps(word.span)).peekable();
        // "My phone number" begins with a word for an action and does nothing.
        if words.peek().is_some_and(|first| reading.determiners.contains(&first.lower)) {
            return None;
        }
        let does = |word: &str| {
            let actions = reading.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Action(_)));
            actions && !reading.only_announces(word) || self.verbs.contains(reading.stem(word))
        };
        let first = words.find(|word| does(&word.lower) || !reading.is_empty_word(&word.lower))?;
        does(&first.lower).then(|| reading.stem(&first.lower).to_owned())
    }

    /// The stretches between marks and connectives.
    fn pieces(&self) -> Vec<Span> {
        let text = self.text;
        let connectives = &self.reader.pack.reading.connectives;
        let mut cuts: Vec<Span> = connectives.iter().flat_map(|words| find_words(text, words)).collect();
        let marks = text.lower().iter().enumerate().filter(|(at, letter)| MARKS.contains(letter) || is_stop(text, *at));
        cuts.extend(marks.map(|(at, _)| Span { start: at, end: at + 1 }));
        cuts.sort();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([Span { start: text.lower().len(), end: text.lower().len() }]) {
            if cut.start > start {
                pieces.push(Span { start, end: cut.start });
            }
            start = start.max(cut.end);
        }
        pieces.retain(|piece| text.words().iter().any(|word| piece.overlaps(word.span)));
        pieces
    }
}

/// A full stop, and no point within a number or a name.
fn is_stop(text: &Text, at: usize) -> bool {
    text.lower()[at] == '.' && text.lower().get(at + 1).is_none_or(|next| next.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::super::super::reader::tests::Desk;
    use super::*;

    fn cut(locale: &str, question: &str) -> Vec<String> {
        let toolset = if locale == "en" { "mobile" } else { "tests/fixtures/toolsets/proof" };
        let desk = Desk::new(toolset, locale);
        let text = desk.reader().text(question);
        clauses(desk.reader(), &text, &BTreeSet::from(["confirm"]))
            .into_iter()
            .map(|it| text.said(it.span).trim().to_owned())
            .collect()
    }

    #[test]
    fn requests_are_cut_apart_and_what_wants_nothing_is_not() {
        let question = "I need to check flights from BOS to MIA on May 5, economy class, book one for Sam, and then cancel my hotel.";
        assert_eq!(
            cut("en", question),
            ["I need to check flights from BOS to MIA on May 5, economy class", "book one for Sam", "cancel my hotel"]
        );
        assert_eq!(
            cut("en", "My phone number is 555. Send the bill of 4.50 to Rosa and Anna"),
            ["My phone number is 555. Send the bill of 4.50 to Rosa and Anna"]
        );
        assert_eq!(cut("en", "Modify and confirm the address"), ["Modify and confirm the address"]);
        assert_eq!(cut("en", "hm"), ["hm"]);
        assert!(cut("en", " ,. ").is_empty());
    }

    #[test]
    fn other_languages_have_their_own_words_between_requests() {
        assert_eq!(cut("ko", "카드를 확인해 줘. 그리고 계좌를 삭제해 줘").len(), 2);
        assert_eq!(cut("zh", "查一下我的银行卡，然后取消预约").len(), 2);
    }
}
