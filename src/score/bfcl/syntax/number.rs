//! Literals of numbers.

use super::super::value::PythonValue;
use super::cursor::{Cursor, Parsed};
use super::expression::Expression;

/// Python refuses whole numbers with more digits.
const MOST_DIGITS: usize = 4300;

impl<'t> Cursor<'t> {
    pub(super) fn number(&mut self) -> Parsed<Expression<'t>> {
        let bytes = self.rest().as_bytes();
        let radix = match bytes {
            [b'0', b'x' | b'X', ..] => Some(16),
            [b'0', b'o' | b'O', ..] => Some(8),
            [b'0', b'b' | b'B', ..] => Some(2),
            _ => None,
        };
        let value = match radix {
            Some(radix) => self.based(radix)?,
            None => self.decimal()?,
        };
        if self.rest().starts_with(|letter: char| letter == '_' || letter.is_alphanumeric()) {
            return self.fault("the end of a number");
        }
        Ok(Expression::Constant(value))
    }

    fn based(&mut self, radix: u32) -> Parsed<PythonValue<'static>> {
        self.at += 2;
        if self.peek() == Some(b'_') {
            self.at += 1;
        }
        let digits = self.digits(radix)?;
        if digits.is_empty() {
            return self.fault("a digit");
        }
        if let Ok(number) = i64::from_str_radix(&digits, radix) {
            return Ok(PythonValue::Int(number));
        }
        Ok(PythonValue::whole(&decimal_of(&digits, radix)))
    }

    fn decimal(&mut self) -> Parsed<PythonValue<'static>> {
        let start = self.at;
        let whole = self.digits(10)?;
        let mut is_float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_float = true;
            if self.digits(10)?.is_empty() && whole.is_empty() {
                return self.fault("a digit");
            }
        }
        is_float |= self.exponent()?;
        let text = self.from(start);
        if matches!(self.peek(), Some(b'j' | b'J')) {
            self.at += 1;
            return Ok(PythonValue::Complex(0.0, double(text)));
        }
        if is_float {
            return Ok(PythonValue::Float(double(text)));
        }
        let is_padded = whole.starts_with('0') && whole.bytes().any(|byte| byte != b'0');
        if is_padded || whole.len() > MOST_DIGITS {
            return self.fault("a whole number");
        }
        Ok(PythonValue::whole(if whole.starts_with('0') { "0" } else { &whole }))
    }

    fn exponent(&mut self) -> Parsed<bool> {
        let rest = self.rest().as_bytes();
        let sign = usize::from(matches!(rest.get(1), Some(b'+' | b'-')));
        let begins = matches!(rest.first(), Some(b'e' | b'E')) && rest.get(1 + sign).is_some_and(u8::is_ascii_digit);
        if begins {
            self.at += 1 + sign;
            self.digits(10)?;
        }
        Ok(begins)
    }

    /// Digits, without the single underscores that may stand between them.
    fn digits(&mut self, radix: u32) -> Parsed<String> {
        let mut digits = String::new();
        while let Some(byte) = self.peek() {
            let is_digit = char::from(byte).is_digit(radix);
            let next = self.text.as_bytes().get(self.at + 1).copied().unwrap_or(b' ');
            let is_between = byte == b'_' && !digits.is_empty() && char::from(next).is_digit(radix);
            if is_digit {
                digits.push(char::from(byte));
            } else if !is_between {
                return if byte == b'_' { self.fault("a digit") } else { Ok(digits) };
            }
            self.at += 1;
        }
        Ok(digits)
    }
}

fn double(text: &str) -> f64 {
    text.replace('_', "").parse().unwrap_or(f64::NAN)
}

/// The decimal digits of a number that 64 bits do not hold.
fn decimal_of(digits: &str, radix: u32) -> String {
    const BASE: u64 = 1_000_000_000;
    let mut parts: Vec<u64> = vec![0];
    for digit in digits.chars().take(MOST_DIGITS).filter_map(|digit| digit.to_digit(radix)) {
        let mut carry = u64::from(digit);
        for part in &mut parts {
            let sum = *part * u64::from(radix) + carry;
            (*part, carry) = (sum % BASE, sum / BASE);
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let first = parts.pop().unwrap_or_default();
    parts.iter().rev().fold(first.to_string(), |text, part| format!("{text}{part:09}"))
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Words;
    use super::super::parse;
    use super::*;

    fn read(text: &str) -> Option<PythonValue<'_>> {
        match parse(text, Words::Pythons).ok()? {
            Expression::Constant(value) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn numbers_of_all_kinds_are_read() {
        for (text, value) in [
            ("0", PythonValue::Int(0)),
            ("00_0", PythonValue::Int(0)),
            ("1_000", PythonValue::Int(1000)),
            ("0x1F", PythonValue::Int(31)),
            ("0x_fF", PythonValue::Int(255)),
            ("0b101", PythonValue::Int(5)),
            ("0o17", PythonValue::Int(15)),
            ("1e3", PythonValue::Float(1000.0)),
            ("1_0.5e1_0", PythonValue::Float(105e9)),
            (".5", PythonValue::Float(0.5)),
            ("5.", PythonValue::Float(5.0)),
            ("007.5", PythonValue::Float(7.5)),
            ("1e400", PythonValue::Float(f64::INFINITY)),
            ("1E-2", PythonValue::Float(0.01)),
            ("2j", PythonValue::Complex(0.0, 2.0)),
            ("010j", PythonValue::Complex(0.0, 10.0)),
            ("99999999999999999999", PythonValue::Big("99999999999999999999".to_owned())),
            ("0xFFFFFFFFFFFFFFFFFF", PythonValue::Big("4722366482869645213695".to_owned())),
            ("0x10000000000000000", PythonValue::Big("18446744073709551616".to_owned())),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["007", "1__0", "1_", "1_.0", "0x", "0b2", "0o8", "1x", "1e", "1.e", "0x_", "1.5.5", "1한"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"9".repeat(4301)), None);
        assert!(read(&"9".repeat(4300)).is_some());
    }
}
