//! `float(text)`.

use super::trim;

/// The nought of every script's decimal digits; the other nine follow it.
const NOUGHTS: [u32; 65] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x1_04a0, 0x1_0d30, 0x1_1066, 0x1_10f0, 0x1_1136, 0x1_11d0,
    0x1_12f0, 0x1_1450, 0x1_14d0, 0x1_1650, 0x1_16c0, 0x1_1730, 0x1_18e0, 0x1_1950, 0x1_1c50, 0x1_1d50, 0x1_1da0,
    0x1_6a60, 0x1_6ac0, 0x1_6b50, 0x1_d7ce, 0x1_d7d8, 0x1_d7e2, 0x1_d7ec, 0x1_d7f6, 0x1_e140, 0x1_e2f0, 0x1_e950,
    0x1_fbf0,
];

/// Reads a number as Python's `float` does: white space around it, a sign, digits of any script, single underscores
/// between digits, `inf` and `nan` in any case.
pub fn read_float(text: &str) -> Option<f64> {
    let text: String = trim(text).chars().map(ascii_digit).collect();
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '_' if is_digit(plain.chars().next_back()) && is_digit(letters.peek().copied()) => {}
            '_' => return None,
            _ => plain.push(letter),
        }
    }
    plain.parse().ok()
}

fn ascii_digit(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let code = u32::from(letter);
    let value = NOUGHTS.iter().find_map(|nought| code.checked_sub(*nought).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_python_reads_is_read() {
        for (text, number) in [
            ("0.85", 0.85),
            (" 1 \n", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("+1e-1", 0.1),
            ("-0.2", -0.2),
            ("1_0", 10.0),
            ("1_0.0_1e1_0", 10.01e10),
            ("Infinity", f64::INFINITY),
            ("-INF", f64::NEG_INFINITY),
            ("\u{661}.\u{665}", 1.5),
            ("\u{ff10}.\u{ff18}\u{3000}", 0.8),
            ("\u{1d7e0}", 8.0),
        ] {
            assert_eq!(read_float(text), Some(number), "{text}");
        }
        assert!(read_float("nAn").unwrap().is_nan());
    }

    #[test]
    fn what_python_refuses_is_none() {
        for text in
            ["", ".", "e5", "1e", "0,85", "0.85.", "1 2", "85%", "_1", "1_", "1__0", "1_.0", "1._0", "0x1", "one"]
        {
            assert_eq!(read_float(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_double_is_read_back(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
            prop_assert_eq!(read_float(&format!("{number:?}")), Some(number));
        }
    }
}
