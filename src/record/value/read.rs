//! Reads JSON as Python's `json.loads` does, and reports what strict JSON would have refused.

use super::number::number_length;
use super::{Leniency, LeniencyKind, Number, Object, Place, Problem, Value, ValueError};

/// How deep lists and objects may nest: about as deep as Python goes.
const DEEPEST: usize = 1_000;

impl Value {
    /// Reads strict JSON.
    pub fn read(text: &str) -> Result<Self, ValueError> {
        let (value, leniencies) = Self::read_lenient(text)?;
        match leniencies.first() {
            None => Ok(value),
            Some(leniency) => Err(ValueError { problem: Problem::Lenient(leniency.kind), place: leniency.place }),
        }
    }

    /// Reads what Python's `json.loads` reads, and says what strict JSON would have refused, in order.
    pub fn read_lenient(text: &str) -> Result<(Self, Vec<Leniency>), ValueError> {
        let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
        let value = reader.whole().map_err(|problem| ValueError { problem, place: Place::of(text, reader.at) })?;
        let places = reader.found.iter().map(|&(kind, byte)| Leniency { kind, place: Place::of(text, byte) });
        Ok((value, places.collect()))
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    found: Vec<(LeniencyKind, usize)>,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<Value, Problem> {
        let value = self.value()?;
        self.skip_space();
        if self.at == self.text.len() { Ok(value) } else { Err(Problem::Expected("the end")) }
    }

    fn value(&mut self) -> Result<Value, Problem> {
        self.skip_space();
        match self.peek().ok_or(Problem::Ended)? {
            b'"' => self.string().map(Value::String),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Problem>) -> Result<Value, Problem> {
        if self.depth == DEEPEST {
            return Err(Problem::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<Value, Problem> {
        let mut list = Vec::new();
        if self.takes(b']') {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.value()?);
            if self.takes(b']') {
                return Ok(Value::List(list));
            }
            self.wants(b',', "`,` or `]`")?;
        }
    }

    fn object(&mut self) -> Result<Value, Problem> {
        let mut object = Object::new();
        if self.takes(b'}') {
            return Ok(Value::Object(object));
        }
        loop {
            self.entry(&mut object)?;
            if self.takes(b'}') {
                return Ok(Value::Object(object));
            }
            self.wants(b',', "`,` or `}`")?;
        }
    }

    fn entry(&mut self, object: &mut Object) -> Result<(), Problem> {
        self.skip_space();
        let start = self.at;
        if self.peek().ok_or(Problem::Ended)? != b'"' {
            return Err(Problem::Expected("a key in double quotes"));
        }
        let key = self.string()?;
        self.wants(b':', "`:`")?;
        let value = self.value()?;
        if object.insert(key, value).is_some() {
            self.found.push((LeniencyKind::DuplicateKey, start));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with("-Infinity") {
            return Ok(self.constant("-Infinity"));
        }
        let length = number_length(rest.as_bytes()).ok_or(Problem::Expected("a number"))?;
        let number = Number::from_checked(rest.get(..length).unwrap_or(""));
        if number.as_f64().is_infinite() {
            self.found.push((LeniencyKind::OutOfRange, self.at));
        }
        self.at += length;
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let rest = self.text.get(self.at..).unwrap_or("");
        for constant in ["NaN", "Infinity"] {
            if rest.starts_with(constant) {
                return Ok(self.constant(constant));
            }
        }
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(Problem::Expected("a value"))
    }

    fn constant(&mut self, text: &str) -> Value {
        self.found.push((LeniencyKind::Constant, self.at));
        self.at += text.len();
        Value::Number(Number::from_checked(text))
    }

    fn string(&mut self) -> Result<String, Problem> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
            string.push_str(self.text.get(self.at..self.at + plain).unwrap_or(""));
            self.at += plain;
            match self.peek().ok_or(Problem::Ended)? {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => string.push(self.escape()?),
                _ => return Err(Problem::Control),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let letter = *self.text.as_bytes().get(self.at + 1).ok_or(Problem::Ended)?;
        let char = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            _ => return Err(Problem::Escape),
        };
        self.at += 2;
        Ok(char)
    }

    fn code_point(&mut self) -> Result<char, Problem> {
        let start = self.at;
        let first = self.hexadecimal(start).ok_or(Problem::Escape)?;
        self.at += 6;
        if let Some(char) = char::from_u32(first) {
            return Ok(char);
        }
        if let Some(second @ 0xdc00..=0xdfff) = self.hexadecimal(self.at).filter(|_| first < 0xdc00) {
            self.at += 6;
            let joined = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            return char::from_u32(joined).ok_or(Problem::Escape);
        }
        self.found.push((LeniencyKind::LoneSurrogate, start));
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// The four digits of a `\uXXXX` at a byte.
    fn hexadecimal(&self, start: usize) -> Option<u32> {
        let digits = self.text.get(start..start + 6)?.strip_prefix("\\u")?;
        // `from_str_radix` would take a sign.
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn wants(&mut self, byte: u8, name: &'static str) -> Result<(), Problem> {
        if self.takes(byte) {
            return Ok(());
        }
        Err(if self.at == self.text.len() { Problem::Ended } else { Problem::Expected(name) })
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::value::tests::any_value;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<LeniencyKind> {
        Value::read_lenient(text).unwrap().1.into_iter().map(|leniency| leniency.kind).collect()
    }

    fn fault(text: &str) -> String {
        Value::read_lenient(text).unwrap_err().to_string()
    }

    #[test]
    fn what_python_takes_is_taken_and_reported() {
        assert_eq!(kinds("[NaN, Infinity, -Infinity]"), [LeniencyKind::Constant; 3]);
        assert_eq!(kinds("[1e400, 1e308]"), [LeniencyKind::OutOfRange]);
        assert_eq!(kinds(r#"["\ud800", "\ud83d\ude00", "\udc00x", "\ud800A"]"#), [LeniencyKind::LoneSurrogate; 3]);
        assert_eq!(kinds(r#"{"a": 1, "b": 2, "a": 3}"#), [LeniencyKind::DuplicateKey]);
        assert_eq!(kinds(r#"{"a": 100000000000000000000000000000000}"#), []);
    }

    #[test]
    fn the_last_of_two_equal_keys_wins_in_the_place_of_the_first() {
        let (value, _) = Value::read_lenient(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn strict_reading_refuses_with_the_place() {
        let error = Value::read("{\"a\":\n  [1, NaN]}").unwrap_err();
        assert_eq!(error.place, Place { byte: 12, line: 2, column: 7 });
        assert_eq!(
            error.to_string(),
            "not JSON: `NaN` or `Infinity` is not a JSON number at line 2, column 7 (byte 12)"
        );
        assert!(Value::read(r#"{"a": 1, "a": 2}"#).is_err());
    }

    #[test]
    fn faults_say_what_was_expected_and_where() {
        assert_eq!(fault(""), "not JSON: the text ends too early at line 1, column 1 (byte 0)");
        assert_eq!(fault("[1 2]"), "not JSON: expected `,` or `]` at line 1, column 4 (byte 3)");
        assert_eq!(fault("{\"한\" 1}"), "not JSON: expected `:` at line 1, column 6 (byte 7)");
        assert_eq!(fault("{a: 1}"), "not JSON: expected a key in double quotes at line 1, column 2 (byte 1)");
        assert_eq!(fault("[1,]"), "not JSON: expected a value at line 1, column 4 (byte 3)");
        assert_eq!(fault("01"), "not JSON: expected a number at line 1, column 1 (byte 0)");
        assert_eq!(fault("1 x"), "not JSON: expected the end at line 1, column 3 (byte 2)");
        assert_eq!(fault("\"a\tb\""), "not JSON: a control character must be escaped at line 1, column 3 (byte 2)");
        assert_eq!(fault(r#""\x""#), "not JSON: no such escape at line 1, column 2 (byte 1)");
        assert_eq!(fault(r#""\u+123""#), "not JSON: no such escape at line 1, column 2 (byte 1)");
    }

    #[test]
    fn a_thousand_levels_are_read_and_more_are_refused() {
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Value::read(&nest(1_000)).is_ok());
        assert_eq!(Value::read(&nest(1_001)).unwrap_err().problem, Problem::TooDeep);
        assert_eq!(Value::read(&"[".repeat(1_000_000)).unwrap_err().problem, Problem::TooDeep);
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(value in any_value(true)) {
            prop_assert_eq!(Value::read_lenient(&value.to_string()).unwrap().0, value);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), json in "[\\[\\]{}\",:0-9eE.+\\-\\\\uNaInfy dDtrue한]{0,40}") {
            for text in [text, json] {
                prop_assert!(Value::read_lenient(&text).map_or_else(|error| error.place.byte <= text.len(), |_| true));
            }
        }

        #[test]
        fn it_agrees_with_serde_json_on_ordinary_json(value in any_value(false)) {
            let text = serde_json::to_string_pretty(&serde_json::Value::from(&value)).unwrap();
            let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(serde_json::Value::from(&Value::read(&text).unwrap()), theirs);
        }

        #[test]
        fn it_refuses_what_serde_json_refuses(text in "[\\[\\]{}\",:0-9eE.\\- ]{0,12}") {
            if serde_json::from_str::<serde_json::Value>(&text).is_err() {
                prop_assert!(Value::read(&text).is_err());
            }
        }
    }
}
