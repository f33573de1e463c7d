//! A key with too many parts as a problem at its place, in a pipeline file and on the command line.

use super::problem::Problem;
use crate::toml_text::{MOST_PARTS, deep_key, too_deep};
use std::ops::Range;

/// The first key that has too many parts, as a problem at its place.
pub(crate) fn find_deep_key(text: &str) -> Option<Problem> {
    deep_key(text).map(deep_key_problem)
}

/// The problem of a key with too many parts.
pub(crate) fn deep_key_problem(span: Range<usize>) -> Problem {
    Problem::new(span, too_deep())
}

/// Whether a key has too many parts.
pub(crate) fn is_too_deep(key: &str) -> bool {
    key.matches('.').count() >= MOST_PARTS
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
            prop_assert_eq!(is_too_deep(&key), parts > MOST_PARTS);
            prop_assert_eq!(find_deep_key(&format!("x = 1\n{key} = 1")).is_some(), parts > MOST_PARTS);
        }

        #[test]
        fn what_is_found_can_be_shown(text in "[a.\"'#=\\[\\]{}, \n가]{0,300}") {
            if let Some(problem) = find_deep_key(&text) {
                prop_assert!(text.get(problem.span).is_some());
            }
        }
    }
}
