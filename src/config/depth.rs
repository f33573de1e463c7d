//! A bound on dotted keys: each part is one table within another, and a parser that recurses runs out of stack.
//!
//! Brackets need no bound here, as the parser has one of its own.

use super::problem::Problem;
use std::ops::Range;

/// Most parts of one key.
const MOST: usize = 64;

/// The first key that has too many parts, as a problem at its place.
pub(crate) fn find_deep_key(text: &str) -> Option<Problem> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(span) = deep_key(line) {
            return Some(deep_key_problem(span.start + start..span.end + start));
        }
        start += line.len();
    }
    None
}

/// The problem of a key with too many parts.
pub(crate) fn deep_key_problem(span: Range<usize>) -> Problem {
    Problem::new(span, format!("a key of more than {MOST} parts"))
}

/// Whether a key has too many parts.
pub(crate) fn is_too_deep(key: &str) -> bool {
    key.matches('.').count() >= MOST
}

/// Looks for a run of parts and dots; what is quoted is one part, whatever is in it.
fn deep_key(line: &str) -> Option<Range<usize>> {
    let (mut start, mut dots, mut quote, mut previous) = (0, 0, None, ' ');
    for (index, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '#') => return None,
            (None, '"' | '\'') => quote = Some(letter),
            // Two dots in a row are an ellipsis or a ruler: no part stands between them.
            (None, '.') if previous != '.' => dots += 1,
            (None, '.' | '=' | '[' | ']' | '{' | '}' | ',') => (start, dots) = (index + 1, 0),
            (None, _) => {}
        }
        if dots >= MOST {
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
    fn a_long_key_is_found_where_it_stands() {
        let deep = ".a".repeat(70);
        for (before, after) in [("b", " = 1"), ("[b", "]"), ("x = { \"=\"", " = 1 }")] {
            let problem = find_deep_key(&format!("ok = 1\n{before}{deep}{after}\n")).unwrap();
            assert_eq!(problem.message, "a key of more than 64 parts");
            assert!(problem.span.start >= 7, "{problem:?}");
        }
    }

    #[test]
    fn dots_in_strings_and_numbers_are_no_depth() {
        let dots = ".".repeat(100);
        assert_eq!(find_deep_key(&format!("a = \"{dots}\"\nb = '{dots}'")), None);
        assert_eq!(find_deep_key(&"a = [1.5, 2.5, 3.5]\n".repeat(100)), None);
        assert_eq!(find_deep_key(&format!("# it's {}\n{dots}", "a. ".repeat(100))), None);
        assert!(!is_too_deep("model.generator.price.input"));
    }

    proptest! {
        #[test]
        fn the_bound_is_the_same_in_a_file_and_on_the_command_line(parts in 60_usize..70) {
            let key = vec!["가"; parts].join(".");
            prop_assert_eq!(is_too_deep(&key), parts > MOST);
            prop_assert_eq!(find_deep_key(&format!("x = 1\n{key} = 1")).is_some(), parts > MOST);
        }

        #[test]
        fn what_is_found_can_be_shown(text in "[a.\"'#=\\[\\]{}, \n가]{0,300}") {
            if let Some(problem) = find_deep_key(&text) {
                prop_assert!(text.get(problem.span).is_some());
            }
        }
    }
}
