//! Characters by their names: `\N{BULLET}`.

use unicode_normalization::char::compose;

/// Signs that texts are likely to name. Letters and their marks are put together instead.
const NAMED: [(&str, char); 46] = [
    ("ACUTE ACCENT", '\u{b4}'),
    ("BLACK STAR", '\u{2605}'),
    ("BULLET", '\u{2022}'),
    ("CENT SIGN", '\u{a2}'),
    ("CHECK MARK", '\u{2713}'),
    ("COPYRIGHT SIGN", '\u{a9}'),
    ("DEGREE CELSIUS", '\u{2103}'),
    ("DEGREE FAHRENHEIT", '\u{2109}'),
    ("DEGREE SIGN", '\u{b0}'),
    ("DIVISION SIGN", '\u{f7}'),
    ("DOLLAR SIGN", '$'),
    ("EM DASH", '\u{2014}'),
    ("EN DASH", '\u{2013}'),
    ("EURO SIGN", '\u{20ac}'),
    ("GREATER-THAN OR EQUAL TO", '\u{2265}'),
    ("GREEK SMALL LETTER ALPHA", '\u{3b1}'),
    ("GREEK SMALL LETTER BETA", '\u{3b2}'),
    ("GREEK SMALL LETTER LAMDA", '\u{3bb}'),
    ("GREEK SMALL LETTER MU", '\u{3bc}'),
    ("GREEK SMALL LETTER PI", '\u{3c0}'),
    ("HORIZONTAL ELLIPSIS", '\u{2026}'),
    ("HYPHEN", '\u{2010}'),
    ("INFINITY", '\u{221e}'),
    ("INVERTED EXCLAMATION MARK", '\u{a1}'),
    ("INVERTED QUESTION MARK", '\u{bf}'),
    ("LATIN SMALL LETTER SHARP S", '\u{df}'),
    ("LEFT DOUBLE QUOTATION MARK", '\u{201c}'),
    ("LEFT SINGLE QUOTATION MARK", '\u{2018}'),
    ("LEFTWARDS ARROW", '\u{2190}'),
    ("LESS-THAN OR EQUAL TO", '\u{2264}'),
    ("MICRO SIGN", '\u{b5}'),
    ("MIDDLE DOT", '\u{b7}'),
    ("MULTIPLICATION SIGN", '\u{d7}'),
    ("NO-BREAK SPACE", '\u{a0}'),
    ("NOT EQUAL TO", '\u{2260}'),
    ("PLUS-MINUS SIGN", '\u{b1}'),
    ("POUND SIGN", '\u{a3}'),
    ("REGISTERED SIGN", '\u{ae}'),
    ("RIGHT DOUBLE QUOTATION MARK", '\u{201d}'),
    ("RIGHT SINGLE QUOTATION MARK", '\u{2019}'),
    ("RIGHTWARDS ARROW", '\u{2192}'),
    ("SPACE", ' '),
    ("SQUARE ROOT", '\u{221a}'),
    ("TRADE MARK SIGN", '\u{2122}'),
    ("WHITE STAR", '\u{2606}'),
    ("YEN SIGN", '\u{a5}'),
];

/// Marks above and below a letter.
const MARKS: [(&str, char); 8] = [
    ("ACUTE", '\u{301}'),
    ("CARON", '\u{30c}'),
    ("CEDILLA", '\u{327}'),
    ("CIRCUMFLEX", '\u{302}'),
    ("DIAERESIS", '\u{308}'),
    ("GRAVE", '\u{300}'),
    ("RING ABOVE", '\u{30a}'),
    ("TILDE", '\u{303}'),
];

/// The character that has a name; Python's whole list of names is far longer than what anybody writes in an argument.
pub(super) fn character(name: &str) -> Option<char> {
    let name = name.to_ascii_uppercase();
    let known = NAMED.binary_search_by_key(&name.as_str(), |(known, _)| known);
    match known {
        Ok(at) => NAMED.get(at).map(|(_, letter)| *letter),
        Err(_) => latin(&name).or_else(|| ideograph(&name)),
    }
}

fn latin(name: &str) -> Option<char> {
    let small = name.strip_prefix("LATIN SMALL LETTER ");
    let rest = small.or_else(|| name.strip_prefix("LATIN CAPITAL LETTER "))?;
    let (letter, mark) = rest.split_once(" WITH ").map_or((rest, None), |(letter, mark)| (letter, Some(mark)));
    let mut letters = letter.chars();
    let only = letters.next().filter(|letter| letters.next().is_none() && letter.is_ascii_uppercase())?;
    let letter = if small.is_some() { only.to_ascii_lowercase() } else { only };
    let Some(mark) = mark else { return Some(letter) };
    let (_, mark) = MARKS.iter().find(|(known, _)| *known == mark)?;
    compose(letter, *mark)
}

fn ideograph(name: &str) -> Option<char> {
    let code = u32::from_str_radix(name.strip_prefix("CJK UNIFIED IDEOGRAPH-")?, 16).ok()?;
    char::from_u32(code).filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_letters_and_ideographs_are_found_by_name() {
        assert!(NAMED.is_sorted());
        assert_eq!(character("BULLET"), Some('•'));
        assert_eq!(character("em dash"), Some('—'));
        assert_eq!(character("LATIN SMALL LETTER E WITH ACUTE"), Some('é'));
        assert_eq!(character("LATIN CAPITAL LETTER A WITH RING ABOVE"), Some('Å'));
        assert_eq!(character("LATIN SMALL LETTER Q"), Some('q'));
        assert_eq!(character("CJK UNIFIED IDEOGRAPH-4E2D"), Some('中'));
    }

    #[test]
    fn other_names_are_none() {
        for name in
            ["", "NO SUCH LETTER", "LATIN SMALL LETTER", "LATIN SMALL LETTER X WITH Y", "CJK UNIFIED IDEOGRAPH-41"]
        {
            assert_eq!(character(name), None, "{name}");
        }
    }
}
