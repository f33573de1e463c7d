//! Python's idea of white space, which holds four separators that Rust's does not.

/// Whether Python's `str.isspace` takes a character.
pub fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

/// `str.strip()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.split()`: what stands between white space, without empty parts.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_of_records_are_space_in_python() {
        assert_eq!(trim("\u{1c} a\u{a0}b\u{3000}\n"), "a\u{a0}b");
        assert_eq!(words(" a\u{1f}b \u{2003}c\td ").collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert!(!is_space('\u{200b}') && !is_space('\u{feff}') && is_space('\u{85}'));
        assert_eq!(words(" \n").count(), 0);
    }
}
