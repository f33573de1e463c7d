//! The plainest texts, read without a tree of expressions: calls whose arguments have names and literals for values.
//!
//! Most of what models write is of this form. Whatever might mean anything else (an escape, an operator, a comment, a repeated
//! name) is left to the parser, so that both always agree.

use super::Call;
use crate::python::PythonValue;
use crate::python::syntax::is_keyword;
use std::borrow::Cow;

/// How deep lists and dictionaries nest here at most.
const DEEPEST: usize = 16;
/// So many names are compared each with each at most.
const MOST_NAMES: usize = 16;
/// So many digits fit into 64 bits, whatever they are.
const MOST_DIGITS: usize = 18;

/// The calls of a text, if it is plain.
pub(super) fn plain_calls(text: &str) -> Option<Vec<Call<'_>>> {
    let inside = match (text.starts_with('['), text.ends_with(']')) {
        (true, true) => text.get(1..text.len().checked_sub(1)?)?,
        (false, false) => text,
        _ => return None,
    };
    let mut reader = Reader { text: inside, at: 0 };
    let mut calls = Vec::new();
    if reader.next().is_none() {
        return Some(calls);
    }
    loop {
        calls.push(reader.call()?);
        match reader.next() {
            None => return Some(calls),
            Some(b',') => reader.at += 1,
            Some(_) => return None,
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// What stands behind the space.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.peek()
    }

    fn takes(&mut self, byte: u8) -> Option<()> {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    /// Passes over bytes of a kind.
    fn pass(&mut self, wanted: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn name(&mut self) -> Option<&'t str> {
        self.next();
        let name = self.pass(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_name = !name.is_empty() && !name.starts_with(|letter: char| letter.is_ascii_digit());
        (is_name && !is_keyword(name)).then_some(name)
    }

    /// A dotted path with its arguments.
    fn call(&mut self) -> Option<Call<'t>> {
        self.next();
        let start = self.at;
        self.name()?;
        while self.peek() == Some(b'.') {
            self.at += 1;
            if self.peek().is_none_or(|byte| byte.is_ascii_whitespace()) {
                return None;
            }
            self.name()?;
        }
        let name = Cow::Borrowed(self.text.get(start..self.at)?);
        self.takes(b'(')?;
        Some(Call { name, arguments: PythonValue::Dict(self.entries(b')', Self::argument)?) })
    }

    fn argument(&mut self) -> Option<(&'t str, PythonValue<'t>)> {
        let name = self.name()?;
        self.takes(b'=')?;
        Some((name, self.value(0)?))
    }

    /// Entries with names, none of them twice, up to a closing bracket.
    fn entries(
        &mut self,
        close: u8,
        entry: impl Fn(&mut Self) -> Option<(&'t str, PythonValue<'t>)>,
    ) -> Option<Vec<(PythonValue<'t>, PythonValue<'t>)>> {
        let mut entries: Vec<(PythonValue<'t>, PythonValue<'t>)> = Vec::new();
        if self.takes(close).is_some() {
            return Some(entries);
        }
        entries.reserve(8);
        loop {
            let (name, value) = entry(self)?;
            if entries.len() == MOST_NAMES || entries.iter().any(|(known, _)| known.as_text() == Some(name)) {
                return None;
            }
            entries.push((PythonValue::Text(Cow::Borrowed(name)), value));
            if self.takes(close).is_some() {
                return Some(entries);
            }
            self.takes(b',')?;
        }
    }

    /// A literal with what may stand behind one.
    fn value(&mut self, depth: usize) -> Option<PythonValue<'t>> {
        let value = match self.next()? {
            b'\'' | b'"' => PythonValue::Text(Cow::Borrowed(self.string()?)),
            b'0'..=b'9' | b'-' => self.number()?,
            b'[' if depth < DEEPEST => self.list(depth + 1)?,
            b'{' if depth < DEEPEST => {
                self.at += 1;
                PythonValue::Dict(self.entries(b'}', |reader| reader.entry(depth + 1))?)
            }
            _ => match self.pass(|byte| byte.is_ascii_alphabetic()) {
                "True" => PythonValue::Bool(true),
                "False" => PythonValue::Bool(false),
                "None" => PythonValue::None,
                _ => return None,
            },
        };
        matches!(self.next(), Some(b',' | b')' | b']' | b'}')).then_some(value)
    }

    fn list(&mut self, depth: usize) -> Option<PythonValue<'t>> {
        self.at += 1;
        let mut list = Vec::new();
        if self.takes(b']').is_some() {
            return Some(PythonValue::List(list));
        }
        loop {
            list.push(self.value(depth)?);
            if self.takes(b']').is_some() {
                return Some(PythonValue::List(list));
            }
            self.takes(b',')?;
        }
    }

    fn entry(&mut self, depth: usize) -> Option<(&'t str, PythonValue<'t>)> {
        self.next();
        let key = self.string()?;
        self.takes(b':')?;
        Some((key, self.value(depth)?))
    }

    /// A string without escapes on one line.
    fn string(&mut self) -> Option<&'t str> {
        let quote = self.peek().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        self.at += 1;
        let inside = self.pass(|byte| byte != quote && !matches!(byte, b'\\' | b'\n' | b'\r' | 0));
        if self.peek() != Some(quote) {
            return None;
        }
        self.at += 1;
        // Two quotes and a third begin a string of several lines.
        (!inside.is_empty() || self.peek() != Some(quote)).then_some(inside)
    }

    fn number(&mut self) -> Option<PythonValue<'t>> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let whole = self.pass(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > MOST_DIGITS || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        if self.peek() != Some(b'.') {
            return self.text.get(start..self.at)?.parse().ok().map(PythonValue::Int);
        }
        self.at += 1;
        if self.pass(|byte| byte.is_ascii_digit()).is_empty() {
            return None;
        }
        self.text.get(start..self.at)?.parse().ok().map(PythonValue::Float)
    }
}

#[cfg(test)]
mod tests {
    use super::super::as_value;
    use super::super::text::parsed;
    use super::*;
    use crate::python::repr;
    use fcgen_core::fixtures::any_python;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        plain_calls(text).map(|calls| repr(&as_value(&calls)))
    }

    #[test]
    fn plain_calls_are_read() {
        for (text, wanted) in [
            ("[]", "[]"),
            ("", "[]"),
            ("f()", "[{'f': {}}]"),
            ("[ a.b_1.c ( x = 1 ,y='it' ) , g(z=[]) ]", "[{'a.b_1.c': {'x': 1, 'y': 'it'}}, {'g': {'z': []}}]"),
            (
                "f(a=-1.50,\n b=[1, [\"한\", ''], {}], c={'k': True, \"l\": None})",
                "[{'f': {'a': -1.5, 'b': [1, ['한', ''], {}], 'c': {'k': True, 'l': None}}}]",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn whatever_is_not_plain_is_left_to_the_parser() {
        for text in [
            "[f(a=1)",
            "f(a=1)]",
            "[f(a=1),]",
            "f(a=1,)",
            "f(1)",
            "f(a=1, a=2)",
            "f(**a)",
            "f(a=true)",
            "f(a='x\\n')",
            "f(a='''x''')",
            "f(a='x' 'y')",
            "f(a=1+1)",
            "f(a=01)",
            "f(a=1e5)",
            "f(a=.5)",
            "f(a=1.)",
            "f(a=1_0)",
            "f(a=(1,))",
            "f(a={1: 2})",
            "f(a={'k': 1, 'k': 2})",
            "f(class=1)",
            "f.if(a=1)",
            "f(a=1) # c",
            "f(a=1)(b=2)",
            "f(a=r'x')",
            "f(a=1234567890123456789)",
            "f(a=[1,])",
            "é(a=1)",
            "f . g()",
            "f.(a=1)",
            "f(a==1)",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn what_is_read_at_once_is_what_the_parser_reads(text in "[a-cT.(){}\\[\\]=,'\" 01한\n-]{0,24}", value in any_python()) {
            for text in [format!("[f(a={text})]"), format!("f(b={}, c={text})", repr(&value)), format!("[a.{text}]"), text] {
                if let Some(calls) = plain_calls(&text) {
                    prop_assert_eq!(Some(repr(&as_value(&calls))), parsed(&text).ok().map(|calls| repr(&as_value(&calls))), "{}", text);
                }
            }
        }
    }
}
