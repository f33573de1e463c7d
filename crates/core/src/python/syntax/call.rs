//! Calls, indices, and functions without a name.

use super::cursor::{Cursor, Parsed, Words, is_keyword, plain};
use super::parser::{Argument, CallExpression, Expression};

impl<'t> Cursor<'t> {
    pub(super) fn call(&mut self, function: Expression<'t>) -> Parsed<Expression<'t>> {
        let start = self.at;
        self.opens()?;
        let mut arguments = Vec::new();
        while !self.closes(b')') {
            let argument = self.argument(arguments.last())?;
            arguments.push(argument);
            let is_generator = matches!(arguments.as_slice(), [Argument::Positional(_)]);
            if is_generator && self.comprehension()? {
                if !self.closes(b')') {
                    return self.fault("`)`");
                }
                arguments = vec![Argument::Positional(Expression::Other(self.from(start)))];
                break;
            }
            if !self.takes(b',') && !self.is_next(b')') {
                return self.fault("`,` or `)`");
            }
        }
        Ok(Expression::Call(Box::new(CallExpression { function, arguments })))
    }

    fn argument(&mut self, before: Option<&Argument<'t>>) -> Parsed<Argument<'t>> {
        let is_spread = matches!(before, Some(Argument::Spread(_)));
        let is_keyword = matches!(before, Some(Argument::Keyword(..)));
        self.skip();
        if let Some(name) = self.keyword() {
            return Ok(Argument::Keyword(name, self.expression()?));
        }
        if self.rest().starts_with("**") {
            self.at += 2;
            return Ok(Argument::Spread(self.expression()?));
        }
        if is_spread || (is_keyword && self.peek() != Some(b'*')) {
            return self.fault("a keyword argument");
        }
        if self.takes(b'*') {
            return Ok(Argument::Positional(Expression::Starred(Box::new(self.expression()?))));
        }
        Ok(Argument::Positional(self.named()?))
    }

    /// The name of a keyword argument, with its sign.
    fn keyword(&mut self) -> Option<std::borrow::Cow<'t, str>> {
        let start = self.at;
        let word = self.word();
        self.at += word.len();
        let is_name = !word.is_empty() && (self.words == Words::All || !is_keyword(word));
        if is_name && self.is_next(b'=') && self.text.as_bytes().get(self.at + 1) != Some(&b'=') {
            self.at += 1;
            return Some(plain(word));
        }
        self.at = start;
        None
    }

    pub(super) fn subscript(&mut self, value: Expression<'t>) -> Parsed<Expression<'t>> {
        self.opens()?;
        let mut list = vec![self.slice()?];
        let mut has_comma = false;
        while self.takes(b',') {
            has_comma = true;
            if self.is_next(b']') {
                break;
            }
            list.push(self.slice()?);
        }
        if !self.closes(b']') {
            return self.fault("`]`");
        }
        let only = if has_comma { None } else { list.pop() };
        let index = only.unwrap_or(Expression::Tuple(list));
        Ok(Expression::Subscript(Box::new((value, index))))
    }

    fn slice(&mut self) -> Parsed<Expression<'t>> {
        let from = if self.is_next(b':') { None } else { Some(self.star_or_named()?) };
        if !self.takes(b':') {
            return from.map_or_else(|| self.fault("an index"), Ok);
        }
        let to = self.bound()?;
        let by = if self.takes(b':') { self.bound()? } else { None };
        Ok(Expression::Slice(Box::new([from, to, by])))
    }

    fn bound(&mut self) -> Parsed<Option<Expression<'t>>> {
        self.skip();
        if matches!(self.peek(), Some(b':' | b']' | b',')) { Ok(None) } else { self.expression().map(Some) }
    }

    /// What follows `lambda`.
    pub(super) fn lambda(&mut self, start: usize) -> Parsed<Expression<'t>> {
        let depth = self.depth();
        self.deeper()?;
        while !self.takes(b':') {
            let is_star = self.takes(b'*');
            let is_spread = is_star && self.takes(b'*');
            if !(self.takes(b'/') || is_star && !is_spread && self.is_next(b',')) {
                self.name()?;
                if !is_star && self.takes(b'=') {
                    self.expression()?;
                }
            }
            if !self.takes(b',') && !self.is_next(b':') {
                return self.fault("`:`");
            }
        }
        self.expression()?;
        self.back_to(depth);
        Ok(Expression::Other(self.from(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, unparse};
    use super::*;

    fn read(text: &str) -> Option<String> {
        parse(text, Words::Pythons).ok().map(|expression| unparse(&expression))
    }

    #[test]
    fn arguments_of_all_kinds_are_read() {
        for (text, written) in [
            ("f( )", "f()"),
            ("f(1, *a, b = 2, *c, **d, e=3,)", "f(1, *a, b=2, *c, **d, e=3)"),
            ("f(a==1)", "f(a==1)"),
            ("a.b(x = g(y=1))", "a.b(x=g(y=1))"),
            ("f(a=lambda x, /, y=1, *, z: x)", "f(a=lambda x, /, y=1, *, z: x)"),
        ] {
            assert_eq!(read(text).as_deref(), Some(written));
        }
        assert!(read("f(y := 1)").is_some() && read("f(x for x in y)").is_some());
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in [
            "f(a=1, 2)",
            "f(**a, 2)",
            "f(**a, *b)",
            "f(class=1)",
            "f(a-b=1)",
            "f(a=*x)",
            "f(a=x := 1)",
            "f(a=1 b=2)",
            "f(",
            "f(a=)",
            "f(,)",
            "f(1, x for x in y)",
            "f(x for x in y, 1)",
            "f('a'=1)",
            "x[]",
            "x[1",
            "lambda a b: 1",
            "f(True=1)",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_keyword_of_python_may_name_a_parameter_where_that_is_wanted() {
        let expression = parse("f(class='a', from=1)", Words::All).unwrap();
        assert_eq!(unparse(&expression), "f(class='a', from=1)");
    }
}
