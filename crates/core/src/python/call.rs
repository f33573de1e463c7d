//! Calls in Python's syntax as models write them: `Clock.setAlarm(time="8", days=["Monday"])`, one or several. Read more
//! loosely than Python does: names stand for their own text, and parameters may be called by keywords.

use super::is_space;
use super::syntax::{Argument, CallExpression, Expression, Sign, parse_loosely};
use super::value::PythonValue;
use crate::record::{BorrowedObject, BorrowedValue, Number};
use std::borrow::Cow;

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
    let calls = match parse_loosely(text).ok()? {
        Expression::Tuple(list) => list,
        only => vec![only],
    };
    let calls: Vec<CallText<'_>> = calls.into_iter().map(call_of).collect::<Option<_>>()?;
    (!calls.is_empty()).then_some(calls)
}

/// Reads one value in Python's syntax, and nothing else.
pub fn read_literal(text: &str) -> Option<BorrowedValue<'_>> {
    let value = parse_loosely(text).ok()?;
    // Python takes `a, b` for a tuple as well; here these are two values.
    let is_one = text.trim_start_matches(is_space).starts_with('(') || !matches!(value, Expression::Tuple(_));
    value_of(value).filter(|_| is_one)
}

fn call_of(expression: Expression<'_>) -> Option<CallText<'_>> {
    let Expression::Call(call) = expression else { return None };
    let CallExpression { function, arguments } = *call;
    let (name, mut named, mut positional) = (dotted(function)?, Vec::new(), false);
    for argument in arguments {
        match argument {
            Argument::Keyword(name, _) if named.iter().any(|(known, _)| *known == name) => return None,
            Argument::Keyword(name, value) => named.push((name, value_of(value)?)),
            Argument::Positional(value) => {
                value_of(value)?;
                positional = true;
            }
            Argument::Spread(_) => return None,
        }
    }
    Some(CallText { name, arguments: named.into_iter().collect(), positional })
}

/// A name with dots in it.
fn dotted(expression: Expression<'_>) -> Option<Cow<'_, str>> {
    match expression {
        Expression::Name(name) => Some(name),
        Expression::Attribute(of, name) => Some(Cow::Owned(format!("{}.{name}", dotted(*of)?))),
        _ => None,
    }
}

fn value_of(expression: Expression<'_>) -> Option<BorrowedValue<'_>> {
    Some(match expression {
        Expression::Constant(PythonValue::None, _) => BorrowedValue::Null,
        Expression::Constant(PythonValue::Bool(truth), _) => BorrowedValue::Bool(truth),
        Expression::Constant(PythonValue::Text(text), _) => BorrowedValue::String(text),
        // A number that JSON could hold too.
        Expression::Constant(_, text) | Expression::Unary(Sign::Minus, _, text) => {
            Number::parse(text).map(|_| BorrowedValue::Number(text))?
        }
        Expression::Ellipsis => BorrowedValue::String(Cow::Borrowed("...")),
        Expression::List(items) | Expression::Tuple(items) => {
            BorrowedValue::List(items.into_iter().map(value_of).collect::<Option<_>>()?)
        }
        Expression::Dict(entries) => {
            let entries = entries.into_iter().map(|(key, value)| match value_of(key?)? {
                BorrowedValue::String(key) => Some((key, value_of(value)?)),
                _ => None,
            });
            BorrowedValue::Object(entries.collect::<Option<Vec<_>>>()?.into_iter().collect())
        }
        call @ Expression::Call(_) => {
            let call = call_of(call).filter(|call| !call.positional)?;
            BorrowedValue::Object([(call.name, BorrowedValue::Object(call.arguments))].into_iter().collect())
        }
        name => match dotted(name)? {
            name if name == "true" => BorrowedValue::Bool(true),
            name if name == "false" => BorrowedValue::Bool(false),
            name if name == "null" => BorrowedValue::Null,
            name => BorrowedValue::String(name),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::syntax::is_keyword;
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
        let lines = read("\nf(a=1),\u{a0}\n  g(\n),\n").unwrap();
        assert_eq!((lines.len(), lines[1].0.as_str()), (2, "g"));
        assert_eq!(one("Shop.return.from(in=1)"), ("Shop.return.from".to_owned(), r#"{"in":1}"#.to_owned()));
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
        for text in ["{'a'}", "[1] 2", "a, b", "a # b", ""] {
            assert_eq!(read_literal(text), None, "{text}");
        }
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
            prop_assume!(!name.split('.').next().is_some_and(is_keyword));
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
