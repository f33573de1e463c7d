//! Values that are told by their letters: names by their capitals, codes by their digits, words between quotation marks.

use super::text::{Span, Text, Word};
use crate::locale::Reading;

/// What stands between quotation marks.
pub(super) fn quoted(text: &Text) -> Vec<Span> {
    let marks = [('"', '"'), ('“', '”'), ('‘', '’'), ('「', '」'), ('\'', '\'')];
    let lower = text.lower();
    let mut spans = Vec::new();
    for (open, close) in marks {
        let mut from = 0;
        while let Some(start) = lower.iter().skip(from).position(|letter| *letter == open).map(|at| from + at + 1) {
            // An apostrophe within a word quotes nothing.
            let opens = start < 2 || !lower[start - 2].is_alphanumeric();
            let end = lower.iter().skip(start).position(|letter| *letter == close).map(|at| start + at);
            match end {
                Some(end) if opens && end > start => {
                    spans.push(Span { start, end });
                    from = end + 1;
                }
                _ => from = start,
            }
        }
    }
    spans
}

/// Tokens of four letters and more that hold digits, with the capitals beside them: `EH-55120`, `KTX 4821`.
pub(super) fn codes(text: &Text) -> Vec<Span> {
    let lower = text.lower();
    let mut spans: Vec<Span> = Vec::new();
    for word in text.words() {
        match spans.last_mut() {
            Some(last) if word.span.start == last.end + 1 && joins(text, *last, word.span) => last.end = word.span.end,
            _ => spans.push(word.span),
        }
    }
    let digits = |span: &Span| lower[span.start..span.end].iter().filter(|letter| letter.is_ascii_digit()).count();
    spans.retain(|span| span.len() >= 4 && digits(span) >= 2);
    spans
}

/// Whether two neighbouring tokens are one code: a hyphen joins them, or both are in capitals and digits and one is a
/// number of three digits and more.
fn joins(text: &Text, one: Span, two: Span) -> bool {
    if text.lower()[one.end] == '-' {
        return true;
    }
    let letters = |span: Span| &text.letters()[span.start..span.end];
    let plain = |span: Span| {
        span.len() >= 2 && letters(span).iter().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
    };
    let number = |span: Span| span.len() >= 3 && letters(span).iter().all(char::is_ascii_digit);
    text.lower()[one.end] == ' ' && plain(one) && plain(two) && number(one) != number(two)
}

/// Runs of words with capitals, small words between them included; the first word of a sentence has its capital anyway.
pub(super) fn names(text: &Text, reading: &Reading) -> Vec<Span> {
    let words = text.words();
    let mut spans: Vec<Span> = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| is_capital(text, word, reading)) {
        // "The Museum of Glass" is one name although "of" has no capital.
        let bridged = spans.last().is_some_and(|last| {
            let between: Vec<&Word> = words[..index].iter().filter(|it| it.span.start >= last.end).collect();
            between.len() <= 2
                && between.iter().all(|it| it.span.len() <= 3 && !reading.announces(&it.lower))
                && text.lower()[last.end..word.span.start]
                    .iter()
                    .all(|letter| letter.is_alphanumeric() || *letter == ' ')
        });
        match spans.last_mut() {
            Some(last) if bridged => last.end = word.span.end,
            _ => spans.push(word.span),
        }
    }
    spans.into_iter().map(|span| without_possessive(text, span)).collect()
}

fn is_capital(text: &Text, word: &Word, reading: &Reading) -> bool {
    let contracted = word.lower.contains('\'') && reading.is_empty_word(&word.lower);
    text.letters()[word.span.start].is_uppercase() && word.span.len() > 1 && !contracted && !is_initial(text, word.span)
}

/// Whether a word begins a sentence or a line.
fn is_initial(text: &Text, word: Span) -> bool {
    let before = text.lower()[..word.start].iter().rev().find(|letter| **letter != ' ');
    before.is_none_or(|letter| ".!?:\n".contains(*letter))
}

/// `Anna's` as `Anna`.
fn without_possessive(text: &Text, span: Span) -> Span {
    let ends = text.lower()[..span.end].ends_with(&['\'', 's']) && span.len() > 2;
    Span { end: if ends { span.end - 2 } else { span.end }, ..span }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(query: &str, find: impl Fn(&Text) -> Vec<Span>) -> Vec<String> {
        let text = Text::new(query, true);
        find(&text).into_iter().map(|span| text.said(span)).collect()
    }

    #[test]
    fn names_have_capitals_and_may_hold_small_words() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let found = |query: &str| said(query, |text| names(text, &reading));
        assert_eq!(found("see the bill from Norwind"), ["Norwind"]);
        assert_eq!(found("get me to the Museum of Glass by noon"), ["Museum of Glass"]);
        assert_eq!(found("Order soup at Little Crane"), ["Little Crane"]);
        assert_eq!(found("ask Anna's sister, I'm away"), ["Anna"]);
    }

    #[test]
    fn codes_have_digits_and_capitals_may_stand_beside_them() {
        assert_eq!(said("cancel order EH-55120 now", codes), ["EH-55120"]);
        assert_eq!(said("bring the car KTX 4821 in on Tuesday", codes), ["KTX 4821"]);
        assert!(said("at 7 am in LA", codes).is_empty());
    }

    #[test]
    fn quotation_marks_hold_values_and_apostrophes_do_not() {
        assert_eq!(said("a note titled 'errands'", quoted), ["errands"]);
        assert!(said("I'm at Anna's place", quoted).is_empty());
    }
}
