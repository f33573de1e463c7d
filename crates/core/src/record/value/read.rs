//! Reads JSON as Python's `json.loads` does, and reports what strict JSON would have refused.

use super::BorrowedObject;
use super::BorrowedValue;
use super::Leniency;
use super::LeniencyKind;
use super::Place;
use super::Problem;
use super::Value;
use super::ValueError;
use super::number::{is_infinite, number_length};
use std::borrow::Cow;

/// How deep lists and objects may nest: about as deep as Python goes.
const DEEPEST: usize = 1_000;
/// The same where any bracket of a text may begin a value: each of them is tried.
const DEEPEST_AMONG_WORDS: usize = 100;

impl Value {
    /// Reads strict JSON.
    pub fn read(text: &str) -> Result<Self, ValueError> {
        let (value, leniencies) = Self::read_lenient(text)?;
        match leniencies.first() {
            None => Ok(value),
            Some(leniency) => Err(ValueError { problem: Problem::Lenient(leniency.kind), place: leniency.place }),
        }
    }

    /// Reads what Python's `json.loads` reads, and says what strict JSON would have refused, in order;
    /// a repeated key by the place of its object.
    pub fn read_lenient(text: &str) -> Result<(Self, Vec<Leniency>), ValueError> {
        let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
        let value = reader.whole().map_err(|problem| reader.error(problem))?;
        reader.found.sort_by_key(|(_, byte)| *byte);
        let places = reader.found.iter().map(|&(kind, byte)| Leniency { kind, place: Place::of(text, byte) });
        Ok((value.into(), places.collect()))
    }
}

impl Value {
    /// Reads the JSON value that a text begins with, whatever follows; the second part is how many bytes it takes up.
    pub fn read_beginning(text: &str) -> Option<(Self, usize)> {
        let mut reader = Reader { text, at: 0, depth: DEEPEST - DEEPEST_AMONG_WORDS, found: Vec::new() };
        let value = reader.value().ok()?;
        let is_json = !reader.found.iter().any(|(kind, _)| *kind == LeniencyKind::Constant);
        is_json.then(|| (value.into(), reader.at))
    }
}

impl<'t> BorrowedValue<'t> {
    /// Reads strict JSON.
    pub fn read_strict(text: &'t str) -> Result<Self, ValueError> {
        let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
        let value = reader.whole().map_err(|problem| reader.error(problem))?;
        match reader.found.iter().min_by_key(|(_, byte)| *byte) {
            None => Ok(value),
            Some((kind, byte)) => Err(ValueError { problem: Problem::Lenient(*kind), place: Place::of(text, *byte) }),
        }
    }

    /// Reads what Python's `json.loads` reads.
    pub fn read_lenient(text: &'t str) -> Result<Self, ValueError> {
        let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
        reader.whole().map_err(|problem| reader.error(problem))
    }
}

impl<'t> BorrowedObject<'t> {
    /// Reads an object's wanted fields; what stands in the others is passed over, and not even looked at for faults.
    pub fn read_fields(text: &'t str, wanted: &[&str]) -> Result<Self, ValueError> {
        let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
        reader.fields(wanted).map_err(|problem| reader.error(problem))
    }
}

/// The elements of a list as they stand in its text, one by one; a fault ends them.
pub fn elements(text: &str) -> impl Iterator<Item = Result<&str, ValueError>> {
    let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
    let mut state = Some(true);
    std::iter::from_fn(move || {
        let is_first = state?;
        let element = reader.element(is_first).map_err(|problem| reader.error(problem)).transpose();
        state = matches!(element, Some(Ok(_))).then_some(false);
        element
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    found: Vec<(LeniencyKind, usize)>,
}

impl<'t> Reader<'t> {
    fn error(&self, problem: Problem) -> ValueError {
        ValueError { problem, place: Place::of(self.text, self.at) }
    }

    fn whole(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        let value = self.value()?;
        self.ends()?;
        Ok(value)
    }

    fn ends(&mut self) -> Result<(), Problem> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(Problem::Expected("the end")) }
    }

    fn fields(&mut self, wanted: &[&str]) -> Result<BorrowedObject<'t>, Problem> {
        let mut entries = Vec::with_capacity(wanted.len());
        self.wants(b'{', "an object")?;
        let mut more = !self.takes(b'}');
        while more {
            let key = self.key()?;
            if wanted.contains(&&*key) {
                entries.push((key, self.value()?));
            } else {
                self.pass()?;
            }
            more = !self.takes(b'}');
            if more {
                self.wants(b',', "`,` or `}`")?;
            }
        }
        self.ends()?;
        Ok(BorrowedObject::of(entries).0)
    }

    /// The next element of the list, or its end.
    fn element(&mut self, is_first: bool) -> Result<Option<&'t str>, Problem> {
        if is_first {
            self.wants(b'[', "a list")?;
        }
        if self.takes(b']') {
            self.ends()?;
            return Ok(None);
        }
        if !is_first {
            self.wants(b',', "`,` or `]`")?;
        }
        self.skip_space();
        let start = self.at;
        self.pass()?;
        Ok(self.text.get(start..self.at))
    }

    /// Passes over a value by its brackets and quotes alone.
    fn pass(&mut self) -> Result<(), Problem> {
        self.skip_space();
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(Problem::Ended)? {
                b'"' => self.pass_string()?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 && matches!(self.peek(), Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') | None) {
                return Ok(());
            }
        }
    }

    /// Passes over a string up to its closing quote.
    fn pass_string(&mut self) -> Result<(), Problem> {
        loop {
            self.at += 1;
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            self.at += position(rest, |byte| matches!(byte, b'"' | b'\\')).ok_or(Problem::Ended)?;
            if self.peek() == Some(b'"') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        self.skip_space();
        match self.peek().ok_or(Problem::Ended)? {
            b'"' => self.string().map(BorrowedValue::String),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<BorrowedValue<'t>, Problem>,
    ) -> Result<BorrowedValue<'t>, Problem> {
        if self.depth == DEEPEST {
            return Err(Problem::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        let mut list = Vec::new();
        if self.takes(b']') {
            return Ok(BorrowedValue::List(list));
        }
        loop {
            list.push(self.value()?);
            if self.takes(b']') {
                return Ok(BorrowedValue::List(list));
            }
            self.wants(b',', "`,` or `]`")?;
        }
    }

    fn object(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        let start = self.at;
        let mut entries = Vec::new();
        if self.takes(b'}') {
            return Ok(BorrowedValue::Object(BorrowedObject::default()));
        }
        loop {
            entries.push(self.entry()?);
            if self.takes(b'}') {
                break;
            }
            self.wants(b',', "`,` or `}`")?;
        }
        let (object, repeated) = BorrowedObject::of(entries);
        if repeated {
            self.found.push((LeniencyKind::DuplicateKey, start));
        }
        Ok(BorrowedValue::Object(object))
    }

    fn entry(&mut self) -> Result<(Cow<'t, str>, BorrowedValue<'t>), Problem> {
        Ok((self.key()?, self.value()?))
    }

    fn key(&mut self) -> Result<Cow<'t, str>, Problem> {
        self.skip_space();
        if self.peek().ok_or(Problem::Ended)? != b'"' {
            return Err(Problem::Expected("a key in double quotes"));
        }
        let key = self.string()?;
        self.wants(b':', "`:`")?;
        Ok(key)
    }

    fn number(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with("-Infinity") {
            return Ok(self.constant("-Infinity"));
        }
        let length = number_length(rest.as_bytes()).ok_or(Problem::Expected("a number"))?;
        let number = rest.get(..length).unwrap_or("");
        if is_infinite(number) {
            self.found.push((LeniencyKind::OutOfRange, self.at));
        }
        self.at += length;
        Ok(BorrowedValue::Number(number))
    }

    fn word(&mut self) -> Result<BorrowedValue<'t>, Problem> {
        let rest = self.text.get(self.at..).unwrap_or("");
        for constant in ["NaN", "Infinity"] {
            if rest.starts_with(constant) {
                return Ok(self.constant(constant));
            }
        }
        let words =
            [("null", BorrowedValue::Null), ("true", BorrowedValue::Bool(true)), ("false", BorrowedValue::Bool(false))];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(Problem::Expected("a value"))
    }

    fn constant(&mut self, text: &'static str) -> BorrowedValue<'t> {
        self.found.push((LeniencyKind::Constant, self.at));
        self.at += text.len();
        BorrowedValue::Number(text)
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Problem> {
        self.at += 1;
        let plain = self.plain();
        if self.peek().ok_or(Problem::Ended)? == b'"' {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        let mut string = String::with_capacity(2 * plain.len() + 16);
        string.push_str(plain);
        loop {
            match self.peek().ok_or(Problem::Ended)? {
                b'"' => {
                    self.at += 1;
                    return Ok(Cow::Owned(string));
                }
                b'\\' => string.push(self.escape()?),
                _ => return Err(Problem::Control),
            }
            string.push_str(self.plain());
        }
    }

    /// The letters up to the next that means something else than itself.
    fn plain(&mut self) -> &'t str {
        let text = self.text;
        let rest = text.as_bytes().get(self.at..).unwrap_or_default();
        let length = position(rest, |byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
        let plain = text.get(self.at..self.at + length).unwrap_or("");
        self.at += length;
        plain
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

/// Where the first wanted byte stands. Sixteen bytes are looked at together, which compilers turn into few instructions; the
/// first few one by one, since most strings are short.
fn position(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const FEW: usize = 16;
    let (head, tail) = bytes.split_at(bytes.len().min(FEW));
    if let Some(at) = head.iter().position(|byte| wanted(*byte)) {
        return Some(at);
    }
    let (chunks, rest) = tail.as_chunks::<FEW>();
    let clean =
        chunks.iter().take_while(|chunk| !chunk.iter().fold(false, |found, byte| found | wanted(*byte))).count();
    let from = clean * FEW;
    let after = tail.get(from..).unwrap_or(rest);
    after.iter().position(|byte| wanted(*byte)).map(|at| head.len() + from + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
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
    fn wanted_fields_are_read_and_others_passed_over() {
        let text = r#" {"a": 1, "skip": {"x": ["}", "\\\"]", {}], "y": oops}, "b": "x\n", "n": -1.5, "last": "\\\\"} "#;
        let object = BorrowedObject::read_fields(text, &["b", "a", "z"]).unwrap();
        assert_eq!(Value::Object(object.into()).to_string(), r#"{"a":1,"b":"x\n"}"#);
        assert!(BorrowedObject::read_fields("{}", &["a"]).unwrap().is_empty());
        for text in [
            "",
            "[]",
            "{",
            r#"{"x": "open"#,
            r#"{"x": [1, 2}"#,
            r#"{"x": 1"#,
            r#"{"x": 1} 2"#,
            r#"{"a": oops}"#,
            r#"{"x" 1}"#,
        ] {
            assert!(BorrowedObject::read_fields(text, &["a"]).is_err(), "{text}");
        }
    }

    #[test]
    fn elements_are_given_as_they_stand() {
        let all = |text| elements(text).collect::<Result<Vec<_>, _>>().map_err(|error| error.place.byte);
        assert_eq!(all(r#" [{"a": [1]}, "]", 2 ,[] ] "#), Ok(vec![r#"{"a": [1]}"#, "\"]\"", "2", "[]"]));
        assert_eq!(all("[]"), Ok(Vec::new()));
        assert_eq!((all("{}"), all("[1 2]"), all("[1,"), all("[1] 2")), (Err(0), Err(3), Err(3), Err(4)));
    }

    #[test]
    fn a_beginning_ends_where_its_value_ends() {
        let (value, length) = Value::read_beginning(r#"{"a": [1, "}"]} and so on"#).unwrap();
        assert_eq!((value.to_string(), length), (r#"{"a":[1,"}"]}"#.to_owned(), 15));
        assert_eq!(
            (Value::read_beginning("{a}"), Value::read_beginning("[NaN]"), Value::read_beginning("[1")),
            (None, None, None)
        );
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
        fn passing_over_ends_where_reading_does(value in any_value(true)) {
            let text = format!("{{\"x\":{value},\"y\":{value}}}");
            let object = BorrowedObject::read_fields(&text, &["y"]).unwrap();
            prop_assert_eq!(object.get("y").cloned().map(Value::from), Some(value));
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

    proptest! {
        #[test]
        fn elements_are_the_values_of_the_list(list in prop::collection::vec(any_value(true), 0..5)) {
            let text = Value::List(list.clone()).to_string();
            let read = |element: Result<&str, ValueError>| Value::read_lenient(element.unwrap()).unwrap().0;
            prop_assert_eq!(elements(&text).map(read).collect::<Vec<_>>(), list);
        }

        #[test]
        fn a_list_or_an_object_ends_where_it_ends_whatever_follows(
            value in any_value(false).prop_filter("brackets", |value| value.as_list().is_some() || value.as_object().is_some()),
            after in any::<String>(),
        ) {
            let text = value.to_string();
            let whole = format!("{text}{after}");
            prop_assert_eq!(Value::read_beginning(&whole), Some((value, text.len())));
        }

        #[test]
        fn a_text_that_was_cut_short_is_never_read(value in any_value(false), cut in any::<prop::sample::Index>()) {
            let text = Value::List(vec![value]).to_string();
            let beginning: String = text.chars().take(cut.index(text.chars().count())).collect();
            let error = Value::read_lenient(&beginning).unwrap_err();
            prop_assert!(error.place.byte <= beginning.len());
        }
    }
}
