//! What is left of a string when spelling does not count.

/// Deletes the space and `,./-_*^`, writes small letters, and turns `'` into `"`.
pub fn normal(text: &str) -> String {
    let kept: String = text.chars().filter(|letter| !is_ignored(*letter)).collect();
    kept.to_lowercase().replace('\'', "\"")
}

/// Whether what is left of a text is `other`, which is such a rest already.
pub fn is_normal(text: &str, other: &str) -> bool {
    if !text.is_ascii() {
        return normal(text) == other;
    }
    let left = text.bytes().filter(|byte| !is_ignored(char::from(*byte))).map(|byte| match byte {
        b'\'' => b'"',
        byte => byte.to_ascii_lowercase(),
    });
    left.eq(other.bytes())
}

fn is_ignored(letter: char) -> bool {
    matches!(letter, ' ' | ',' | '.' | '/' | '-' | '_' | '*' | '^')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn some_punctuation_and_the_size_of_letters_do_not_count() {
        assert_eq!(normal("San Francisco, CA"), "sanfranciscoca");
        assert_eq!(normal("it's 2024-04/01 *^_"), "it\"s20240401");
        assert_eq!(normal("a\tb\n(c):d"), "a\tb\n(c):d");
        assert_eq!(normal(" -.,"), "");
    }

    #[test]
    fn letters_of_all_scripts_become_small_as_python_makes_them() {
        assert_eq!(normal("\u{130}"), "i\u{307}");
        assert_eq!(normal("\u{3a3}\u{391}\u{3a3}"), "\u{3c3}\u{3b1}\u{3c2}");
    }

    proptest! {
        #[test]
        fn comparing_is_the_same_as_writing(one in any::<String>(), other in "[a-cA-C ,'\"é]{0,4}", same in "[a-cA-C ,'\"é]{0,4}") {
            prop_assert!(is_normal(&one, &normal(&one)) && is_normal(&other, &normal(&other)));
            prop_assert_eq!(is_normal(&other, &normal(&same)), normal(&other) == normal(&same));
        }
    }
}
