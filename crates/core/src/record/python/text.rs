//! Python's idea of white space, which holds four separators that Rust's does not.

/// Whether Python's `str.isspace` takes a character.
pub fn is_space(letter: char) -> bool {
    // Most letters are beyond all ASCII spaces and before all others; for these one comparison is enough.
    if ('!'..'\u{85}').contains(&letter) {
        return false;
    }
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

/// `str.strip()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.split()`: what stands between white space, without empty parts.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_space);
        let end = rest.find(is_space).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
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
