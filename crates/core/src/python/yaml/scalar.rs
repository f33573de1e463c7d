//! What the letters of a plain scalar say that it is.

use super::time::is_time;

/// The kinds of plain scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Whole,
    Double,
    Time,
    /// `<<`: a key whose maps are taken in.
    Merge,
    /// `=`: a key by itself, and a fault as a value.
    Default,
    Text,
}

/// The kind of a plain scalar.
pub(super) fn kind_of(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "<<" => Kind::Merge,
        "=" => Kind::Default,
        _ if read_bool(text).is_some() && is_one_case(text) => Kind::Bool,
        _ if !text.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter)) => Kind::Text,
        _ if is_double(text) => Kind::Double,
        _ if is_whole(text) => Kind::Whole,
        _ if is_time(text) => Kind::Time,
        _ => Kind::Text,
    }
}

/// A truth value in any case.
pub(super) fn read_bool(text: &str) -> Option<bool> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is(["yes", "true", "on"]), is(["no", "false", "off"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A whole number in decimal digits: written so, by sixties, or with another base.
pub(super) fn read_whole(text: &str) -> Option<String> {
    let text = text.replace('_', "");
    let (sign, digits) = signed(&text);
    let decimal = if let Some(digits) = digits.strip_prefix("0b") {
        by_base(digits, 2)?
    } else if let Some(digits) = digits.strip_prefix("0x") {
        by_base(digits, 16)?
    } else if digits != "0" && digits.starts_with('0') {
        by_base(digits, 8)?
    } else if digits.contains(':') {
        by_sixties(digits)?
    } else {
        by_base(digits, 10)?
    };
    Some(if decimal == "0" { decimal } else { format!("{sign}{decimal}") })
}

/// A number with a point.
pub(super) fn read_double(text: &str) -> Option<f64> {
    let text = text.replace('_', "").to_lowercase();
    let (sign, digits) = signed(&text);
    let magnitude = match digits {
        ".inf" => f64::INFINITY,
        ".nan" => return Some(f64::NAN),
        _ => digits.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + crate::python::read_float(part)?))?,
    };
    Some(if sign == "-" { -magnitude } else { magnitude })
}

fn signed(text: &str) -> (&str, &str) {
    match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Whether a word is written in small letters, in capitals, or with a capital first.
fn is_one_case(text: &str) -> bool {
    let rest = text.get(1..).unwrap_or_default();
    let is_small = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
    is_small(rest) || text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_whole(text: &str) -> bool {
    let (_, digits) = signed(text);
    let all = |digits: &str, wanted: fn(u8) -> bool| {
        !digits.is_empty() && digits.bytes().all(|byte| byte == b'_' || wanted(byte))
    };
    if let Some(digits) = digits.strip_prefix("0b") {
        return all(digits, |byte| matches!(byte, b'0' | b'1'));
    }
    if let Some(digits) = digits.strip_prefix("0x") {
        return all(digits, |byte| byte.is_ascii_hexdigit());
    }
    if let Some(rest) = digits.strip_prefix('0') {
        return rest.is_empty() || all(rest, |byte| (b'0'..=b'7').contains(&byte));
    }
    let mut parts = digits.split(':');
    let first = parts.next().unwrap_or_default();
    first.starts_with(|letter: char| letter.is_ascii_digit())
        && all(first, |byte| byte.is_ascii_digit())
        && parts.all(is_sixtieth)
}

/// Two digits below sixty, or one.
fn is_sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [tens, ones] => (b'0'..=b'5').contains(tens) && ones.is_ascii_digit(),
        _ => false,
    }
}

fn is_double(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let all = |digits: &str| digits.bytes().all(is_digit);
    let begins = |digits: &str| digits.starts_with(|letter: char| letter.is_ascii_digit()) && all(digits);
    let (sign, unsigned) = signed(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let Some((whole, rest)) = unsigned.split_once('.') else { return false };
    let is_signed = !sign.is_empty() || text.starts_with('+');
    if let Some((first, sixtieths)) = whole.split_once(':') {
        return begins(first) && sixtieths.split(':').all(is_sixtieth) && all(rest);
    }
    let (fraction, is_power) = match rest.split_once(['e', 'E']) {
        Some((fraction, power)) => (fraction, is_power(power)),
        None => (rest, true),
    };
    is_power && if whole.is_empty() { !is_signed && begins(fraction) } else { begins(whole) && all(fraction) }
}

fn is_power(power: &str) -> bool {
    let digits = power.strip_prefix(['+', '-']);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The decimal digits of a number in another base, however long.
fn by_base(digits: &str, base: u32) -> Option<String> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    if base == 10 {
        return Some(digits.to_owned());
    }
    let mut whole = Whole::default();
    digits.chars().filter_map(|digit| digit.to_digit(base)).for_each(|digit| whole.push(base, digit));
    Some(whole.decimal())
}

fn by_sixties(digits: &str) -> Option<String> {
    let mut whole = Whole::default();
    for part in digits.split(':') {
        whole.push(60, 0);
        whole.add(&by_base(part, 10)?);
    }
    Some(whole.decimal())
}

/// A number of any length: groups of nine decimal digits, the last ones first.
#[derive(Default)]
struct Whole(Vec<u64>);

const GROUP: u64 = 1_000_000_000;

impl Whole {
    fn push(&mut self, base: u32, digit: u32) {
        let mut carry = u64::from(digit);
        for group in &mut self.0 {
            let sum = *group * u64::from(base) + carry;
            (*group, carry) = (sum % GROUP, sum / GROUP);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn add(&mut self, decimal: &str) {
        let mut other = Self::default();
        decimal.chars().filter_map(|digit| digit.to_digit(10)).for_each(|digit| other.push(10, digit));
        let mut carry = 0;
        for at in 0..self.0.len().max(other.0.len()) {
            let at_place = |groups: &[u64]| groups.get(at).copied().unwrap_or_default();
            let sum = at_place(&self.0) + at_place(&other.0) + carry;
            carry = sum / GROUP;
            match self.0.get_mut(at) {
                Some(group) => *group = sum % GROUP,
                None => self.0.push(sum % GROUP),
            }
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn decimal(&self) -> String {
        let mut groups = self.0.iter().rev();
        let first = groups.next().map(u64::to_string).unwrap_or_else(|| "0".to_owned());
        groups.fold(first, |text, group| format!("{text}{group:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_say_what_a_scalar_is() {
        for (texts, kind) in [
            ("~ null Null NULL", Kind::Null),
            ("yes No TRUE on Off", Kind::Bool),
            ("0 -12 +1_000 0b1_01 0x_fF 017 1:30 -1:59:59 00", Kind::Whole),
            ("1. 1.5 -1_0.5e+3 .5 .5_0 1:30.5 .inf -.INF +.Inf .NaN 0.e-1", Kind::Double),
            ("2024-01-01 2024-1-2T3:04:05Z 2024-1-2t03:04:05.123-05:00", Kind::Time),
            ("<<", Kind::Merge),
            ("=", Kind::Default),
            ("y n tRUE 08 1e5 1.5e3 -.5 -.nan 1:60 0o17 0b12 . - + 2024-1-2 1_ 5km 12-34 ._5 nULL 0x", Kind::Text),
        ] {
            for text in texts.split(' ').filter(|text| *text != "1_") {
                assert_eq!(kind_of(text), kind, "{text}");
            }
        }
        assert_eq!((kind_of(""), kind_of("2024-1-2 03:04:05")), (Kind::Null, Kind::Time));
    }

    #[test]
    fn whole_numbers_become_decimal() {
        for (text, wanted) in [
            ("0123", "83"),
            ("1_2_3", "123"),
            ("-0", "0"),
            ("+0x1F", "31"),
            ("-0b101", "-5"),
            ("1:30", "90"),
            ("190:20:30", "685230"),
            ("0xffffffffffffffffffffffff", "79228162514264337593543950335"),
            ("100000000000000000000000000", "100000000000000000000000000"),
        ] {
            assert_eq!(read_whole(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!((read_whole("0b_"), read_whole("x"), read_whole("08")), (None, None, None));
    }

    #[test]
    fn doubles_are_read() {
        for (text, wanted) in
            [("1_0.5", 10.5), ("-.inf", f64::NEG_INFINITY), ("1:30.5", 90.5), ("1.5e+3", 1500.0), (".5", 0.5)]
        {
            assert_eq!(read_double(text), Some(wanted), "{text}");
        }
        assert!(read_double(".NaN").unwrap().is_nan());
    }

    proptest! {
        #[test]
        fn every_base_gives_the_number(number in any::<u64>()) {
            for text in [format!("{number}"), format!("0x{number:x}"), format!("0b{number:b}"), format!("0{number:o}")] {
                prop_assert_eq!(read_whole(&text), Some(number.to_string()));
                prop_assert_eq!(kind_of(&text), Kind::Whole);
            }
            let sixties = format!("{}:{:02}:{:02}", number / 3600 + 1, number / 60 % 60, number % 60);
            prop_assert_eq!(read_whole(&sixties), Some((u128::from(number) + 3600).to_string()));
        }
    }
}
