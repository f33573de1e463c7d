//! Calls in Python's syntax: `Clock.setAlarm(time="8", days=["Monday"])`, one or several.

use super::is_space;
use super::literal::read_string;
use crate::record::{BorrowedObject, BorrowedValue};
use std::borrow::Cow;

/// How deep values may nest: a text of brackets alone must not fill the stack.
const DEEPEST: usize = 100;

/// A call as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct CallText<'t> {
    /// The function's name, with its dots.
    pub name: Cow<'t, str>,
    /// The keyword arguments.
    pub arguments: BorrowedObject<'t>,
    /// Whether there are arguments without a keyword; nobody can tell which parameters they are for.
    pub positional: bool,
}

/// Reads calls separated by commas, and nothing else. Names as values stand for their own text.
pub fn read_calls(text: &str) -> Option<Vec<CallText<'_>>> {
    let mut reader = Reader { rest: text, depth: 0 };
    let mut calls = Vec::new();
    loop {
        calls.push(reader.call()?);
        let more = reader.takes(',');
        reader.skip_space();
        match reader.rest.is_empty() {
            true => return Some(calls),
            false if more => {}
            false => return None,
        }
    }
}

/// Reads one value in Python's syntax, and nothing else.
pub fn read_literal(text: &str) -> Option<BorrowedValue<'_>> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.value()?;
    reader.skip_space();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn call(&mut self) -> Option<CallText<'t>> {
        let name = self.dotted()?;
        if !self.takes('(') {
            return None;
        }
        self.arguments(name)
    }

    /// What follows the opening bracket of a call.
    fn arguments(&mut self, name: &'t str) -> Option<CallText<'t>> {
        let mut entries: Vec<(Cow<'t, str>, BorrowedValue<'t>)> = Vec::new();
        let mut positional = false;
        while !self.takes(')') {
            match self.keyword() {
                Some(keyword) if entries.iter().any(|(known, _)| known == keyword) => return None,
                Some(keyword) => entries.push((Cow::Borrowed(keyword), self.value()?)),
                None => {
                    self.value()?;
                    positional = true;
                }
            }
            if !self.takes(',') && !self.is_next(')') {
                return None;
            }
        }
        Some(CallText { name: Cow::Borrowed(name), arguments: entries.into_iter().collect(), positional })
    }

    fn keyword(&mut self) -> Option<&'t str> {
        let before = self.rest;
        let found = self.name().filter(|_| self.is_next('=') && !self.rest.starts_with("==") && self.takes('='));
        if found.is_none() {
            self.rest = before;
        }
        found
    }

    fn value(&mut self) -> Option<BorrowedValue<'t>> {
        self.depth += 1;
        self.skip_space();
        let value = if self.depth > DEEPEST { None } else { self.any_value() };
        self.depth -= 1;
        value
    }

    fn any_value(&mut self) -> Option<BorrowedValue<'t>> {
        let first = self.rest.chars().next()?;
        match first {
            '[' => self.items('[', ']').map(BorrowedValue::List),
            '(' => self.round(),
            '{' => self.dictionary(),
            '\'' | '"' => self.string(),
            '-' | '0'..='9' => self.number(),
            '.' => self.after("...").map(|()| BorrowedValue::String(Cow::Borrowed("..."))),
            _ => self.string().or_else(|| self.named()),
        }
    }

    fn items(&mut self, open: char, close: char) -> Option<Vec<BorrowedValue<'t>>> {
        let mut items = Vec::new();
        self.takes(open);
        while !self.takes(close) {
            items.push(self.value()?);
            if !self.takes(',') && !self.is_next(close) {
                return None;
            }
        }
        Some(items)
    }

    /// A value in round brackets is itself; several, or one with a comma behind it, are a list.
    fn round(&mut self) -> Option<BorrowedValue<'t>> {
        let before = self.rest;
        let mut items = self.items('(', ')')?;
        let inside = before.strip_suffix(self.rest).unwrap_or(before).trim_end_matches(')').trim_end();
        if items.len() == 1 && !inside.ends_with(',') {
            return items.pop();
        }
        Some(BorrowedValue::List(items))
    }

    fn dictionary(&mut self) -> Option<BorrowedValue<'t>> {
        let mut entries = Vec::new();
        self.takes('{');
        while !self.takes('}') {
            let BorrowedValue::String(key) = self.value()? else { return None };
            self.takes(':').then_some(())?;
            entries.push((key, self.value()?));
            if !self.takes(',') && !self.is_next('}') {
                return None;
            }
        }
        Some(BorrowedValue::Object(entries.into_iter().collect()))
    }

    /// String literals that stand side by side are one string.
    fn string(&mut self) -> Option<BorrowedValue<'t>> {
        let mut whole: Option<Cow<'t, str>> = None;
        while let Some((text, rest)) = read_string(self.rest) {
            self.rest = rest;
            self.skip_space();
            whole = Some(match whole {
                None => text,
                Some(before) => Cow::Owned(format!("{before}{text}")),
            });
        }
        whole.map(BorrowedValue::String)
    }

    /// A number that JSON could hold too.
    fn number(&mut self) -> Option<BorrowedValue<'t>> {
        let length = self.rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter));
        let (text, rest) = self.rest.split_at_checked(length.unwrap_or(self.rest.len()))?;
        crate::record::Number::parse(text)?;
        self.rest = rest;
        Some(BorrowedValue::Number(text))
    }

    fn named(&mut self) -> Option<BorrowedValue<'t>> {
        let name = self.dotted()?;
        if self.takes('(') {
            let call = self.arguments(name).filter(|call| !call.positional)?;
            let inner = BorrowedValue::Object(call.arguments);
            return Some(BorrowedValue::Object([(call.name, inner)].into_iter().collect()));
        }
        Some(match name {
            "True" | "true" => BorrowedValue::Bool(true),
            "False" | "false" => BorrowedValue::Bool(false),
            "None" | "null" => BorrowedValue::Null,
            _ => BorrowedValue::String(Cow::Borrowed(name)),
        })
    }

    /// A name with dots in it.
    fn dotted(&mut self) -> Option<&'t str> {
        self.skip_space();
        let whole = self.rest;
        self.name()?;
        while self.rest.starts_with('.') {
            self.after(".")?;
            self.name()?;
        }
        whole.strip_suffix(self.rest)
    }

    fn name(&mut self) -> Option<&'t str> {
        self.skip_space();
        let length = self.rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (name, rest) = self.rest.split_at_checked(length.unwrap_or(self.rest.len()))?;
        if name.is_empty() || name.starts_with(|letter: char| letter.is_numeric()) {
            return None;
        }
        self.rest = rest;
        Some(name)
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.is_next(wanted) && self.after(wanted.encode_utf8(&mut [0; 4])).is_some()
    }

    fn is_next(&mut self, wanted: char) -> bool {
        self.skip_space();
        self.rest.starts_with(wanted)
    }

    fn after(&mut self, prefix: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(prefix)?;
        Some(())
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Object, Value};
    use proptest::prelude::*;

    fn read(text: &str) -> Option<Vec<(String, String)>> {
        let calls = read_calls(text)?;
        let json = |arguments: BorrowedObject<'_>| Value::Object(Object::from(arguments)).to_string();
        Some(calls.into_iter().map(|call| (call.name.into_owned(), json(call.arguments))).collect())
    }

    fn one(text: &str) -> (String, String) {
        read(text).unwrap().remove(0)
    }

    #[test]
    fn keywords_become_arguments() {
        assert_eq!(one("f()"), ("f".to_owned(), "{}".to_owned()));
        assert_eq!(
            one("A.B.set(time='8', n = -2, ok=True, none=None, list=[1, 'x',], d={'k': 1.5})"),
            (
                "A.B.set".to_owned(),
                r#"{"time":"8","n":-2,"ok":true,"none":null,"list":[1,"x"],"d":{"k":1.5}}"#.to_owned()
            )
        );
        assert_eq!(one("f(\n  a = \"it's\",\n)").1, r#"{"a":"it's"}"#);
    }

    #[test]
    fn several_calls_are_separated_by_commas() {
        let names: Vec<String> = read("f(a=1), g(), h(b=2),").unwrap().into_iter().map(|call| call.0).collect();
        assert_eq!(names, ["f", "g", "h"]);
        assert_eq!(read("f() g()"), None);
    }

    #[test]
    fn other_values_are_what_python_makes_of_them() {
        assert_eq!(
            one("f(a='x' 'y', b=(1), c=(1,), d=(1, 2), e=..., g=word, h=g.h(x=1))").1,
            r#"{"a":"xy","b":1,"c":[1],"d":[1,2],"e":"...","g":"word","h":{"g.h":{"x":1}}}"#
        );
    }

    #[test]
    fn a_value_by_itself_may_be_read_too() {
        let value = Value::from(read_literal(" {'a': [True, None,], \"b\": 1.5,} ").unwrap());
        assert_eq!(value.to_string(), r#"{"a":[true,null],"b":1.5}"#);
        assert_eq!((read_literal("{'a'}"), read_literal("[1] 2"), read_literal("")), (None, None, None));
    }

    #[test]
    fn what_has_no_keyword_is_told() {
        let calls = read_calls("f('x', a=1)").unwrap();
        assert!(calls[0].positional && calls[0].arguments.len() == 1);
    }

    #[test]
    fn what_is_no_call_is_none() {
        for text in [
            "",
            "f",
            "f(",
            "f(a=1",
            "f(a=1))",
            "f(a=1, a=2)",
            "5",
            "f(a=1+2)",
            "f(a==1)",
            "'f'()",
            "f(a=1)\nok",
            "f(*x)",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("f(a={})", "[".repeat(100_000))), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[a-f.(){}\\[\\]=,'\"\\\\ 0-9한-]{0,40}") {
            for text in [text, form] {
                prop_assert!(read_calls(&text).is_none_or(|calls| !calls.is_empty()));
            }
        }
    }

    /// What Python can write and read without loss: whole numbers, texts, truths, nothing, in lists and dictionaries.
    fn any_python() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_python_writes_is_read_back(value in any_python()) {
            let list = Value::List(vec![value]);
            let lent = BorrowedValue::from(&list);
            let written = crate::python::text_of(&lent);
            let back = read_literal(&written).map(Value::from);
            prop_assert!(back.as_ref().is_some_and(|back| back.equals(&list)), "{written}: {back:?}");
        }

        #[test]
        fn a_call_has_its_arguments_in_their_order(name in "[a-z]{1,4}(\\.[a-z]{1,4}){0,2}", values in prop::collection::vec(any_python(), 0..4)) {
            let written = |(at, value): (usize, &Value)| {
                let list = Value::List(vec![value.clone()]);
                let text = crate::python::text_of(&BorrowedValue::from(&list)).into_owned();
                format!("a{at}={}", text.trim_start_matches('[').strip_suffix(']').unwrap_or_default())
            };
            prop_assume!(values.iter().all(|value| value.as_list().is_none()));
            let arguments: Vec<String> = values.iter().enumerate().map(written).collect();
            let text = format!("{name}({})", arguments.join(", "));
            let calls = read_calls(&text).unwrap();
            prop_assert_eq!((calls.len(), &calls[0].name, calls[0].positional), (1, &Cow::Borrowed(name.as_str()), false));
            prop_assert_eq!(calls[0].arguments.len(), values.len());
            for (at, value) in values.iter().enumerate() {
                let read = calls[0].arguments.get(&format!("a{at}")).cloned().map(Value::from);
                prop_assert!(read.is_some_and(|read| read.equals(value)));
            }
        }
    }
}
