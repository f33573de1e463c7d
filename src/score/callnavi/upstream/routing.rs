//! Whether a list of API names is the right one: by its letters alone, as the authors compare it.

use crate::python::text_of;
use crate::record::BorrowedValue;
use std::borrow::Cow;

/// The right list, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    cleaned: String,
}

impl Route {
    /// A list of names; the authors write it as Python does.
    pub fn of(names: &BorrowedValue<'_>) -> Self {
        Self { cleaned: cleaned(&text_of(names)) }
    }

    /// Whether a reply is this list. Quotes, square brackets, spaces, line feeds, backticks, backslashes and capitals are of
    /// no account; everything else is, the order and the commas included.
    pub fn matches(&self, reply: &str) -> bool {
        if !reply.is_ascii() {
            return cleaned(reply) == self.cleaned;
        }
        let letters = reply.bytes().filter(|byte| !is_dropped(*byte)).map(|byte| byte.to_ascii_lowercase());
        letters.eq(self.cleaned.bytes())
    }
}

/// A text without what is of no account, in lower case.
pub fn cleaned(text: &str) -> String {
    let kept = |letter: &char| !u8::try_from(*letter).is_ok_and(is_dropped);
    let text: String = text.chars().filter(kept).collect();
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

fn is_dropped(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'[' | b']' | b'\n' | b' ' | b'`' | b'\\')
}

impl From<&[&str]> for Route {
    fn from(names: &[&str]) -> Self {
        let names = names.iter().map(|name| BorrowedValue::String(Cow::Borrowed(*name)));
        Self::of(&BorrowedValue::List(names.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(reply: &str, names: &[&str]) -> bool {
        Route::from(names).matches(reply)
    }

    #[test]
    fn marks_and_capitals_are_of_no_account() {
        for reply in [
            "['getX', 'getK']",
            "[\"GETX\",\"getK\"]",
            "getX,getK",
            "[['get X'],\n['getK']]",
            "```\ngetX, getK\n```",
            "getX,get\u{212a}",
        ] {
            assert!(matches(reply, &["getX", "getK"]), "{reply}");
        }
    }

    #[test]
    fn everything_else_counts() {
        for reply in [
            "",
            "[]",
            "['getK', 'getX']",
            "['getX' 'getK']",
            "['getX', 'getK',]",
            "```json\n['getX', 'getK']\n```",
            "API: ['getX', 'getK']",
            "['getX',\t'getK']",
            "(getX, getK)",
            "\\n['getX', 'getK']",
            "\u{2018}getX\u{2019}, getK",
            "getX,\u{a0}getK",
        ] {
            assert!(!matches(reply, &["getX", "getK"]), "{reply}");
        }
    }

    proptest! {
        #[test]
        fn a_reply_matches_exactly_if_both_are_the_same_when_cleaned(reply in "[gG'\"\\[\\] ,`\\\\\n\tkK\u{212a}İ]{0,12}", name in "[gk, ]{0,6}") {
            let route = Route::from([name.as_str()].as_slice());
            prop_assert_eq!(route.matches(&reply), cleaned(&reply) == cleaned(&name));
        }
    }
}
