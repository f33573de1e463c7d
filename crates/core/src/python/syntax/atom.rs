//! Operands: names, literals, whatever stands in brackets, and what may be hung on them.

use super::super::value::PythonValue;
use super::cursor::{Cursor, Parsed, is_keyword, plain};
use super::parser::{Expression, strength};

impl<'t> Cursor<'t> {
    /// An operand with its attributes, calls and indices.
    pub(super) fn primary(&mut self) -> Parsed<Expression<'t>> {
        let start = self.at;
        if self.peek() == Some(b'a') && self.takes_word("await") {
            self.skip();
            let depth = self.depth();
            self.deeper()?;
            self.primary()?;
            self.back_to(depth);
            return Ok(Expression::Other(self.from(start)));
        }
        let mut value = self.atom()?;
        let depth = self.depth();
        loop {
            let end = self.at;
            self.skip();
            value = match self.peek() {
                Some(b'.') => {
                    self.at += 1;
                    Expression::Attribute(Box::new(value), self.name()?)
                }
                Some(b'(') => self.call(value)?,
                Some(b'[') => self.subscript(value)?,
                _ => {
                    self.at = end;
                    break;
                }
            };
            self.deeper()?;
        }
        self.back_to(depth);
        Ok(value)
    }

    pub(super) fn atom(&mut self) -> Parsed<Expression<'t>> {
        self.skip();
        match self.peek() {
            Some(b'\'' | b'"') => self.strings(),
            Some(b'0'..=b'9') => self.number(),
            Some(b'[') => self.list(),
            Some(b'(') => self.round(),
            Some(b'{') => self.curly(),
            Some(b'.') if self.rest().starts_with("...") => {
                self.at += 3;
                Ok(Expression::Ellipsis)
            }
            Some(b'.') => self.number(),
            _ => self.word_or_string(),
        }
    }

    fn word_or_string(&mut self) -> Parsed<Expression<'t>> {
        let word = self.word();
        if word.len() <= 2 && matches!(self.text.as_bytes().get(self.at + word.len()), Some(b'\'' | b'"')) {
            return self.strings();
        }
        let value = match word {
            "True" => Expression::Constant(PythonValue::Bool(true), word),
            "False" => Expression::Constant(PythonValue::Bool(false), word),
            "None" => Expression::Constant(PythonValue::None, word),
            _ if word.is_empty() || is_keyword(word) => return self.fault("a value"),
            _ => Expression::Name(plain(word)),
        };
        self.at += word.len();
        Ok(value)
    }

    fn list(&mut self) -> Parsed<Expression<'t>> {
        let start = self.at;
        self.opens()?;
        let mut list = Vec::new();
        while !self.closes(b']') {
            list.push(self.star_or_named()?);
            if list.len() == 1 && self.comprehension()? {
                return self.closed(start, b']');
            }
            if !self.takes(b',') && !self.is_next(b']') {
                return self.fault("`,` or `]`");
            }
        }
        Ok(Expression::List(list))
    }

    pub(super) fn star_or_named(&mut self) -> Parsed<Expression<'t>> {
        if self.is_next(b'*') { self.star_or_expression() } else { self.named() }
    }

    /// The closing bracket of what is kept as its own text.
    fn closed(&mut self, start: usize, bracket: u8) -> Parsed<Expression<'t>> {
        if self.closes(bracket) { Ok(Expression::Other(self.from(start))) } else { self.fault("a closing bracket") }
    }

    /// A tuple, or what stands in brackets by itself.
    fn round(&mut self) -> Parsed<Expression<'t>> {
        let start = self.at;
        self.opens()?;
        if self.is_next(b'y') && self.takes_word("yield") {
            return self.yielded(start);
        }
        let mut list = Vec::new();
        let mut has_comma = false;
        while !self.closes(b')') {
            list.push(self.star_or_named()?);
            if list.len() == 1 && self.comprehension()? {
                return self.closed(start, b')');
            }
            has_comma = self.takes(b',');
            if !has_comma && !self.is_next(b')') {
                return self.fault("`,` or `)`");
            }
        }
        if list.len() != 1 || has_comma {
            return Ok(Expression::Tuple(list));
        }
        let only = list.pop().filter(|value| !matches!(value, Expression::Starred(_)));
        only.map_or_else(|| self.fault("`,`"), Ok)
    }

    fn yielded(&mut self, start: usize) -> Parsed<Expression<'t>> {
        if self.takes_word("from") {
            self.expression()?;
        } else {
            while !self.is_next(b')') {
                self.star_or_expression()?;
                if !self.takes(b',') {
                    break;
                }
            }
        }
        self.closed(start, b')')
    }

    /// A dictionary, or a set.
    fn curly(&mut self) -> Parsed<Expression<'t>> {
        let start = self.at;
        self.opens()?;
        let (mut entries, mut set) = (Vec::new(), Vec::new());
        while !self.closes(b'}') {
            self.skip();
            if self.rest().starts_with("**") {
                self.at += 2;
                entries.push((None, self.operation(strength::BIT_OR)?));
            } else {
                let key = self.star_or_named()?;
                if self.takes(b':') {
                    entries.push((Some(key), self.expression()?));
                } else {
                    set.push(key);
                }
            }
            if !entries.is_empty() && !set.is_empty() {
                return self.fault("`:`");
            }
            if entries.len() + set.len() == 1 && self.comprehension()? {
                return self.closed(start, b'}');
            }
            if !self.takes(b',') && !self.is_next(b'}') {
                return self.fault("`,` or `}`");
            }
        }
        if !set.is_empty() {
            return Ok(Expression::Set(set));
        }
        let is_sound = |(key, _): &(Option<Expression<'_>>, _)| !matches!(key, Some(Expression::Starred(_)));
        if entries.iter().all(is_sound) { Ok(Expression::Dict(entries)) } else { self.fault("a key") }
    }

    /// What follows the first element of a comprehension, if it is one.
    pub(super) fn comprehension(&mut self) -> Parsed<bool> {
        let mut found = false;
        loop {
            self.skip();
            if !matches!(self.peek(), Some(b'f' | b'a')) {
                return Ok(found);
            }
            self.takes_word("async");
            if !self.takes_word("for") {
                return if self.word() == "and" { Ok(found) } else { self.fault("a comma") };
            }
            found = true;
            self.targets()?;
            self.operation(strength::OR)?;
            while self.takes_word("if") {
                self.operation(strength::OR)?;
            }
        }
    }

    /// What the elements of a comprehension are called, up to `in`.
    fn targets(&mut self) -> Parsed<()> {
        loop {
            self.takes(b'*');
            self.operation(strength::BIT_OR)?;
            let more = self.takes(b',');
            if self.takes_word("in") {
                return Ok(());
            }
            if !more {
                return self.fault("`in`");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::Words;
    use super::super::{parse, unparse};

    fn read(text: &str) -> Option<String> {
        parse(text, Words::Pythons).ok().map(|expression| unparse(&expression))
    }

    #[test]
    fn brackets_of_all_kinds_are_read() {
        for (text, written) in [
            ("[ ]", "[]"),
            ("[1,'a',]", "[1, 'a']"),
            ("()", "()"),
            ("(1)", "1"),
            ("(1,)", "(1,)"),
            ("(1,2)", "(1, 2)"),
            ("{}", "{}"),
            ("{'a':1,**b}", "{'a': 1, **b}"),
            ("{1,2}", "{1, 2}"),
            ("[*a, b]", "[*a, b]"),
            ("x.y .z", "x.y.z"),
            ("x[1:2, ::3]", "x[1:2, ::3]"),
            ("x[ 'k' ]", "x['k']"),
            ("f()(1)[0].a", "f()(1)[0].a"),
            ("(1).real", "(1).real"),
            ("...", "..."),
        ] {
            assert_eq!(read(text).as_deref(), Some(written), "{text}");
        }
    }

    #[test]
    fn comprehensions_and_their_like_keep_their_text() {
        for text in [
            "[i for i in x]",
            "[i async for i in x if i if j]",
            "(i for i, j in x for k in i)",
            "{i: 1 for i in x}",
            "{i for i in x}",
            "(yield)",
            "(yield x, y)",
            "(yield from x)",
            "await f(x)",
            "f'{x}'",
            "'a' f'{x}'",
        ] {
            assert_eq!(read(text).as_deref(), Some(text), "{text}");
        }
        assert!(read("(y := 1)").is_some() && read("[y := 1, 2]").is_some());
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in [
            "[1, 2)",
            "[1 2]",
            "(*a)",
            "{1: 2, 3}",
            "{1, 2: 3}",
            "{*a: 1}",
            "[i for i]",
            "[i for i in x, 2]",
            "[,]",
            "(,)",
            "class",
            "[1",
            "]",
            "x.",
            "x.1",
            "..",
            "{'a': 1, 'b'}",
            "await",
            "yield",
            "f'{x}' b'x'",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
