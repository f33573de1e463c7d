//! TOML with a bound on dotted keys: each part is one table within another, and a parser that recurses runs out of stack.
//!
//! Brackets need no bound here, as the parser has one of its own.

use serde::de::{DeserializeOwned, Error};
use std::ops::Range;

/// Most parts of one key.
pub const MOST_PARTS: usize = 64;

/// Reads a text as TOML.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, toml::de::Error> {
    match deep_key(text) {
        Some(_) => Err(Error::custom(too_deep())),
        None => toml::from_str(text),
    }
}

/// What is said of a key with too many parts.
pub fn too_deep() -> String {
    format!("a key of more than {MOST_PARTS} parts")
}

/// The first key that has too many parts.
pub fn deep_key(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(span) = deep_key_of_line(line) {
            return Some(span.start + start..span.end + start);
        }
        start += line.len();
    }
    None
}

/// Looks for a run of parts and dots; what is quoted is one part, whatever is in it.
fn deep_key_of_line(line: &str) -> Option<Range<usize>> {
    let (mut start, mut dots, mut quote, mut previous) = (0, 0, None, ' ');
    let mut letters = line.char_indices();
    while let Some((index, letter)) = letters.next() {
        match (quote, letter) {
            // What stands behind a backslash ends no string.
            (Some('"'), '\\') => {
                letters.next();
            }
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '#') => return None,
            (None, '"' | '\'') => quote = Some(letter),
            // Two dots in a row are an ellipsis or a ruler: no part stands between them.
            (None, '.') if previous != '.' => dots += 1,
            (None, '.' | '=' | '[' | ']' | '{' | '}' | ',') => (start, dots) = (index + 1, 0),
            (None, _) => {}
        }
        if dots >= MOST_PARTS {
            return Some(start..index + 1);
        }
        previous = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_that_would_fill_the_stack_is_refused() {
        let text = format!("a = 1\n{} = 1", vec!["a"; 30_000].join("."));
        let error = from_toml::<toml::Table>(&text).unwrap_err();
        assert_eq!(error.message(), "a key of more than 64 parts");
        for string in ["\"\\\"\"", "\"\\\\\"", "'\\'", "\"'\""] {
            let deep = vec!["a"; 70].join(".");
            assert!(deep_key(&format!("x = {{ y = {string}, {deep} = 1 }}")).is_some(), "{string}");
        }
        assert_eq!(from_toml::<toml::Table>("a.b = 1").unwrap().to_string(), "[a]\nb = 1\n");
        assert_eq!(deep_key(&text), Some(6..6 + 2 * MOST_PARTS));
    }

    proptest! {
        #[test]
        fn what_is_found_can_be_shown(text in "[a.\"'#=\\[\\]{}, \n가]{0,300}") {
            if let Some(span) = deep_key(&text) {
                prop_assert!(text.get(span).is_some());
            }
        }
    }
}
