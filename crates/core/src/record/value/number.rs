//! Numbers as they were written.

use std::fmt;

/// A number as it was written: `1`, `1.0` and `1e0` are three different texts of one quantity.
///
/// Python's `NaN`, `Infinity` and `-Infinity` are numbers too; no JSON number is written so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(String);

/// What a number amounts to: its digits without zeros at either end, and the power of ten of the last digit.
#[derive(PartialEq, Eq)]
struct Quantity {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Number {
    /// Takes a JSON number's text, or one of Python's three constants.
    pub fn parse(text: &str) -> Option<Self> {
        let taken = is_constant(text) || number_length(text.as_bytes()) == Some(text.len());
        taken.then(|| Self(text.to_owned()))
    }

    /// The number's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double; infinite where none is near (`1e400`).
    pub fn as_f64(&self) -> f64 {
        match self.as_str() {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            text => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// Whether Python would read an `int`: no fraction and no exponent is written.
    pub fn is_integer_text(&self) -> bool {
        self.0.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    }

    /// Whether it is a quantity at all: not one of Python's constants.
    pub fn is_finite(&self) -> bool {
        !is_constant(&self.0)
    }

    /// Whether both amount to the same. `NaN` equals nothing, and nothing finite equals an infinity.
    #[must_use]
    pub fn equals(&self, other: &Self) -> bool {
        match (self.quantity(), other.quantity()) {
            (Some(one), Some(two)) => one == two,
            // Exponents beyond any machine's reach: only the same text is surely the same number.
            _ => self.0 == other.0 && self.0 != "NaN",
        }
    }

    pub(super) fn from_checked(text: &str) -> Self {
        Self(text.to_owned())
    }

    fn quantity(&self) -> Option<Quantity> {
        if !self.is_finite() {
            return None;
        }
        let (negative, rest) = self.0.strip_prefix('-').map_or((false, self.0.as_str()), |rest| (true, rest));
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let kept = digits.trim_end_matches('0');
        let dropped = i64::try_from(digits.len() - kept.len()).ok()? - i64::try_from(fraction.len()).ok()?;
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Quantity { negative: false, digits, exponent: 0 });
        }
        let exponent = power.parse::<i64>().ok()?.checked_add(dropped)?;
        Some(Quantity { negative, digits, exponent })
    }
}

/// Length of the JSON number that `bytes` begins with.
pub(super) fn number_length(bytes: &[u8]) -> Option<usize> {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits_at(bytes, sign);
    if whole == 0 || (whole > 1 && bytes.get(sign) == Some(&b'0')) {
        return None;
    }
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') && digits_at(bytes, end + 1) > 0 {
        end += 1 + digits_at(bytes, end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = digits_at(bytes, end + 1 + signed);
        if power > 0 {
            end += 1 + signed + power;
        }
    }
    Some(end)
}

/// Whether no double is near a number's text. Only an exponent or many digits can make it so.
pub(super) fn is_infinite(text: &str) -> bool {
    (text.len() > 300 || text.contains(['e', 'E'])) && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

fn digits_at(bytes: &[u8], start: usize) -> usize {
    bytes.iter().skip(start).take_while(|byte| byte.is_ascii_digit()).count()
}

fn is_constant(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        match number {
            f64::INFINITY => Self("Infinity".to_owned()),
            f64::NEG_INFINITY => Self("-Infinity".to_owned()),
            // Rust's shortest form that reads back the same; a whole double keeps its `.0`.
            _ => Self(format!("{number:?}")),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn only_json_numbers_and_pythons_constants_are_numbers() {
        for text in ["0", "-0", "10.50", "1e5", "1E+5", "-1.5e-7", "NaN", "Infinity", "-Infinity"] {
            assert_eq!(Number::parse(text).map(|number| number.to_string()).as_deref(), Some(text));
        }
        for text in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x1", "1_000", "-NaN", "1 "] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn equality_is_by_exact_quantity() {
        for (one, two) in [("5", "5.0"), ("5", "5e0"), ("100", "1e2"), ("0", "-0"), ("0.50", "5e-1"), ("0e9", "0")] {
            assert!(number(one).equals(&number(two)), "{one} {two}");
        }
        // As doubles the first pair would be one number.
        for (one, two) in [("9007199254740993", "9007199254740992"), ("1", "-1"), ("1e400", "2e400"), ("NaN", "NaN")] {
            assert!(!number(one).equals(&number(two)), "{one} {two}");
        }
        assert!(number("1e99999999999999999999").equals(&number("1e99999999999999999999")));
        assert!(number("Infinity").equals(&number("Infinity")));
        assert!(!number("Infinity").equals(&number("1e400")));
    }

    #[test]
    fn the_nearest_machine_numbers() {
        assert!(number("1e400").as_f64().is_infinite());
        assert!(number("NaN").as_f64().is_nan());
        assert!(number("-0").is_integer_text() && !number("1.0").is_integer_text());
        assert_eq!(Number::from(5.0).as_str(), "5.0");
        assert_eq!(Number::from(f64::NEG_INFINITY).as_str(), "-Infinity");
    }

    proptest! {
        #[test]
        fn doubles_come_back_the_same(float in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
            let number = Number::from(float);
            prop_assert_eq!(number.as_f64().to_bits(), float.to_bits());
            prop_assert!(Number::parse(number.as_str()).is_some());
        }

        #[test]
        fn whole_numbers_come_back_the_same(whole in any::<i64>()) {
            let spelt_out = number(&format!("{whole}.000"));
            prop_assert!(Number::from(whole).equals(&spelt_out));
        }
    }

    #[test]
    fn a_number_ends_where_it_can_no_longer_go_on() {
        for (text, length) in [
            ("12abc", Some(2)),
            ("-3,", Some(2)),
            ("1.5.6", Some(3)),
            ("1.e5", Some(1)),
            ("2e+x", Some(1)),
            ("2e-7 ", Some(4)),
            ("0]", Some(1)),
            ("00", None),
            ("-", None),
            ("x", None),
        ] {
            assert_eq!(number_length(text.as_bytes()), length, "{text}");
        }
    }

    #[test]
    fn what_no_double_is_near_is_told_from_what_is_merely_long() {
        assert!(is_infinite("1e309") && is_infinite("-1E999") && is_infinite(&"9".repeat(310)));
        assert!(!is_infinite("1e308") && !is_infinite("1e-400") && !is_infinite(&format!("0.{}", "9".repeat(400))));
    }

    /// A decimal number as text: sign, digits before and behind the point.
    fn any_decimal() -> impl Strategy<Value = String> {
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?"
    }

    proptest! {
        #[test]
        fn a_point_may_move_if_the_exponent_makes_up_for_it(digits in "[1-9][0-9]{0,15}", power in 0_usize..40) {
            let zeros = "0".repeat(power);
            let (large, raised) = (format!("{digits}{zeros}"), format!("{digits}e{power}"));
            let (small, lowered) = (format!("0.{zeros}{digits}"), format!("{digits}E-{}", power + digits.len()));
            prop_assert!(number(&large).equals(&number(&raised)) && number(&small).equals(&number(&lowered)));
        }

        #[test]
        fn further_zeros_behind_the_point_change_nothing(text in any_decimal(), zeros in "0{1,5}") {
            let longer = if text.contains('.') { format!("{text}{zeros}") } else { format!("{text}.{zeros}") };
            prop_assert!(number(&text).equals(&number(&longer)) && number(&longer).equals(&number(&text)));
        }

        #[test]
        fn one_more_digit_is_another_number(text in any_decimal(), digit in 1..=9_u8) {
            let other = if text.contains('.') { format!("{text}{digit}") } else { format!("{text}.{digit}") };
            prop_assert!(!number(&text).equals(&number(&other)));
        }

        #[test]
        fn only_nothing_is_its_own_opposite(text in "(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?") {
            let (opposite, is_nothing) = (format!("-{text}"), text.bytes().all(|byte| matches!(byte, b'0' | b'.')));
            prop_assert_eq!(number(&text).equals(&number(&opposite)), is_nothing);
        }

        #[test]
        fn what_a_text_begins_with_is_a_number_by_itself(text in "[-0-9.eE+]{0,12}") {
            if let Some(length) = number_length(text.as_bytes()) {
                let (taken, rest) = text.split_at(length);
                prop_assert!(Number::parse(taken).is_some(), "{} of {}", taken, text);
                prop_assert!(rest.is_empty() || !rest.as_bytes()[0].is_ascii_digit());
            }
        }
    }
}
