//! Identifiers: what stands in a question, and what a parameter's description says that they look like.

use super::super::text::{Span, Text};

/// What an identifier looks like: `#` stands for a digit, `@` for a capital letter, all else for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape(Vec<char>);

/// Letters and digits that a person did not make up: `AC-2201`, `b17@x.org`, `90210`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Shape {
    /// The shapes that a description names, as such (`AC####`) or by an example (`AC1234`).
    pub(super) fn all_in(description: &str) -> Vec<Self> {
        let tokens = description.split(|letter: char| letter.is_whitespace() || ",;()\"'`。，、（）".contains(letter));
        tokens.map(|token| token.trim_end_matches(['.', ':'])).filter(|token| is_shape(token)).map(Self::of).collect()
    }

    fn of(token: &str) -> Self {
        Self(token.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect())
    }

    /// Whether an identifier looks so.
    pub(super) fn takes(&self, code: &Code) -> bool {
        let letters: Vec<char> = code.text.chars().collect();
        letters.len() == self.0.len()
            && self.0.iter().zip(&letters).all(|(shape, letter)| match shape {
                '#' => letter.is_ascii_digit(),
                '@' => letter.is_ascii_uppercase(),
                own => own == letter,
            })
    }
}

/// Capitals, digits and marks, with two places at least for any digit or letter.
fn is_shape(token: &str) -> bool {
    let free = token.chars().filter(|letter| letter.is_ascii_digit() || matches!(letter, '#' | '@')).count();
    let fits = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || "#@-_".contains(letter);
    free >= 2
        && token.chars().all(fits)
        && token.contains(|letter: char| letter.is_ascii_uppercase() || "#@".contains(letter))
}

/// The codes of a text: what holds a digit and is no plain word, and addresses with an `@`. In a language without
/// spaces they end where its own letters begin.
pub(super) fn codes(text: &Text) -> Vec<Code> {
    let letters = text.letters();
    let belongs = |letter: char| letter.is_ascii_alphanumeric() || "-_@.#/".contains(letter);
    let mut codes = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let length = letters[at..].iter().take_while(|letter| belongs(**letter)).count();
        let (mut start, mut end) = (at, at + length);
        while end > start && !letters[end - 1].is_ascii_alphanumeric() {
            end -= 1;
        }
        while start < end && !letters[start].is_ascii_alphanumeric() {
            start += 1;
        }
        let span = Span { start, end };
        let said = text.said(span);
        if is_code(&said) {
            codes.push(Code { span, text: said });
        }
        at += length.max(1);
    }
    codes
}

fn is_code(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let address = text.contains('@') && text.contains('.');
    address
        || digits >= 3 && digits + letters >= 4 && !text.contains('.')
        || digits >= 1 && letters >= 1 && digits + letters >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        codes(&Text::new(text, true)).into_iter().map(|code| code.text).collect()
    }

    #[test]
    fn codes_hold_digits_or_are_addresses() {
        assert_eq!(found("Block card CA-2201 of (P12345), pay 1000."), ["CA-2201", "P12345", "1000"]);
        assert_eq!(found("mail b17@x.org at 7 am for 4.50, room 12"), ["b17@x.org"]);
        assert_eq!(found("계좌 AC220133을 정지해 줘"), ["AC220133"]);
        assert!(found("nothing of it here").is_empty());
    }

    #[test]
    fn a_description_says_what_an_identifier_looks_like() {
        let shapes = Shape::all_in("The account's identifier, such as AC#### (or \"ZX-@@12\").");
        let takes = |text: &str| {
            let code = Code { span: Span { start: 0, end: 0 }, text: text.to_owned() };
            shapes.iter().map(|shape| shape.takes(&code)).collect::<Vec<_>>()
        };
        assert_eq!((takes("AC2201"), takes("ZX-QQ77")), (vec![true, false], vec![false, true]));
        assert_eq!((takes("AC220"), takes("ac2201")), (vec![false, false], vec![false, false]));
        assert_eq!(Shape::all_in("e.g. EMP007"), [Shape("EMP###".chars().collect())]);
        assert!(Shape::all_in("The customer's ID, up to 20 letters, at 2024-01-01, in USD").is_empty());
    }
}
