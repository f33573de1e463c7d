//! A text in Python's syntax, read soundly: what upstream drops or bends is a fault with a name.

use super::arithmetic::negated;
use super::plain::plain_calls;
use super::text::{among_words, bracketed, calls, owned, settled, trimmed, unwrapped};
use super::{Call, DecodeFault, Wrapper};
use crate::python::PythonValue;
use crate::python::syntax::{Argument, CallExpression, Expression, Sign, Words, parse};
use std::borrow::Cow;

/// The calls of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct StrictText<'t> {
    /// The calls.
    pub calls: Vec<Call<'t>>,
    /// What was taken away to find them.
    pub wrappers: Vec<Wrapper>,
}

/// Finds the calls of a text soundly. Thoughts, fences and words around one list of calls are taken away, and told.
pub fn decode_text_strictly(text: &str) -> Result<StrictText<'_>, DecodeFault> {
    let (rest, mut wrappers) = unwrapped(text);
    let rest = trimmed(rest);
    if let Some(calls) = plain_calls(rest) {
        return Ok(StrictText { calls, wrappers });
    }
    let plain = match bracketed(rest) {
        Cow::Borrowed(text) => parse(text, Words::All).map_err(DecodeFault::from).and_then(|list| calls(list, call)),
        Cow::Owned(text) => parse(&text, Words::All)
            .map_err(DecodeFault::from)
            .and_then(|list| calls(list, call).map(|calls| calls.into_iter().map(owned).collect())),
    };
    let fault = match plain {
        Ok(calls) => return Ok(StrictText { calls, wrappers }),
        Err(fault @ (DecodeFault::Syntax { .. } | DecodeFault::NoCalls)) => fault,
        Err(fault) => return Err(fault),
    };
    let list = among_words(rest)?.ok_or(fault)?;
    wrappers.push(Wrapper::Prose);
    Ok(StrictText { calls: calls(list, call)?, wrappers })
}

fn call(expression: CallExpression<'_>) -> Result<Call<'_>, DecodeFault> {
    let name = dotted(expression.function)?;
    let mut entries: Vec<(PythonValue<'_>, PythonValue<'_>)> = Vec::with_capacity(expression.arguments.len());
    for argument in expression.arguments {
        let Argument::Keyword(argument, given) = argument else {
            return Err(DecodeFault::Positional { name: name.into_owned() });
        };
        if entries.len() > 1000 || entries.iter().any(|(known, _)| known.as_text() == Some(&*argument)) {
            return Err(DecodeFault::Repeated { name: name.into_owned(), argument: argument.into_owned() });
        }
        entries.push((PythonValue::Text(argument), value(given)?));
    }
    Ok(Call { name, arguments: PythonValue::Dict(entries) })
}

fn dotted(function: Expression<'_>) -> Result<Cow<'_, str>, DecodeFault> {
    match function {
        Expression::Name(name) => Ok(name),
        Expression::Attribute(of, name) => Ok(Cow::Owned(format!("{}.{name}", dotted(*of)?))),
        _ => Err(DecodeFault::Nameless),
    }
}

fn value(expression: Expression<'_>) -> Result<PythonValue<'_>, DecodeFault> {
    let no = |what| Err(DecodeFault::NoValue { what });
    match expression {
        Expression::Constant(value, _) => Ok(value),
        Expression::Name(name) => match &*name {
            "true" => Ok(PythonValue::Bool(true)),
            "false" => Ok(PythonValue::Bool(false)),
            "null" => Ok(PythonValue::None),
            _ => Err(DecodeFault::Bare { name: name.into_owned() }),
        },
        Expression::List(list) => list.into_iter().map(value).collect::<Result<_, _>>().map(PythonValue::List),
        Expression::Tuple(list) => list.into_iter().map(value).collect::<Result<_, _>>().map(PythonValue::Tuple),
        Expression::Dict(entries) => dict(entries),
        Expression::Unary(sign, operand, _) => signed(sign, value(*operand)?),
        Expression::Ellipsis => no("three dots"),
        Expression::Attribute(..) => no("an attribute"),
        Expression::Call(_) => no("a call"),
        Expression::Subscript(_) | Expression::Slice(_) => no("an index"),
        Expression::Set(_) => no("a set"),
        Expression::Starred(_) => no("a spread"),
        Expression::Binary(..) => no("arithmetic"),
        Expression::Other(_) => no("an expression"),
    }
}

fn signed(sign: Sign, value: PythonValue<'_>) -> Result<PythonValue<'_>, DecodeFault> {
    let is_number = matches!(value, PythonValue::Int(_) | PythonValue::Big(_) | PythonValue::Float(_));
    let signed = match sign {
        Sign::Plus if is_number => Some(value),
        Sign::Minus if is_number => negated(value),
        _ => None,
    };
    signed.ok_or(DecodeFault::NoValue { what: "a sign" })
}

fn dict<'t>(entries: Vec<(Option<Expression<'t>>, Expression<'t>)>) -> Result<PythonValue<'t>, DecodeFault> {
    let mut made = Vec::with_capacity(entries.len());
    for (key, given) in entries {
        let key = key.ok_or(DecodeFault::NoValue { what: "a spread" })?;
        made.push((value(key)?, value(given)?));
    }
    settled(made).map(PythonValue::Dict).ok_or(DecodeFault::NoValue { what: "a key" })
}

#[cfg(test)]
mod tests {
    use super::super::{as_value, decode_text};
    use super::*;
    use crate::python::repr;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<String, String> {
        decode_text_strictly(text).map(|found| repr(&as_value(&found.calls))).map_err(|fault| fault.to_string())
    }

    #[test]
    fn what_stands_around_calls_is_taken_away_and_told() {
        for (text, wrappers) in [
            ("f(a=1)", vec![]),
            ("```\n[f(a=1)]\n```", vec![]),
            ("```python\n[f(a=1)]\n```", vec![Wrapper::Fence]),
            ("<think>[g()]</think> [f(a=1)]", vec![Wrapper::Thought]),
            ("Sure: [f(a=1)].", vec![Wrapper::Prose]),
            ("<think>x</think>Here:\n```python\n[f(a=1)]\n```", vec![Wrapper::Thought, Wrapper::Prose]),
        ] {
            let found = decode_text_strictly(text).unwrap();
            assert_eq!(
                (repr(&as_value(&found.calls)).as_str(), found.wrappers),
                ("[{'f': {'a': 1}}]", wrappers),
                "{text}"
            );
        }
    }

    #[test]
    fn literals_of_both_worlds_are_read_and_keywords_may_name_parameters() {
        assert_eq!(
            read("[a.f(class='x', b=true, c=null, d=[False, +1, -2.5], e={'k': (1,)})]").unwrap(),
            "[{'a.f': {'class': 'x', 'b': True, 'c': None, 'd': [False, 1, -2.5], 'e': {'k': (1,)}}}]"
        );
    }

    #[test]
    fn what_upstream_drops_or_bends_is_a_fault_with_a_name() {
        for (text, fault) in [
            ("[f(1)]", "an argument of `f` without a name"),
            ("[f(*x)]", "an argument of `f` without a name"),
            ("[f(**x)]", "an argument of `f` without a name"),
            ("[f(a=1, a=2)]", "`a` twice in `f`"),
            ("[f(a=x)]", "`x` is no value"),
            ("[f(a=1+1)]", "arithmetic in place of a value"),
            ("[f(a=g(b=1))]", "a call in place of a value"),
            ("[f(a=x[0])]", "an index in place of a value"),
            ("[f(a=~5)]", "a sign in place of a value"),
            ("[f(a=not True)]", "a sign in place of a value"),
            ("[f[0](a=1)]", "a call of what has no name"),
            ("hello", "no list of calls"),
            ("[f(a=1)] or [g()]", "several lists of calls"),
        ] {
            assert_eq!(read(text).unwrap_err(), fault, "{text}");
        }
        assert!(read("f(a=").unwrap_err().starts_with("no expression at byte"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[a-f.(){}\\[\\]=,'\"\\\\ 0-9한\n#*`<>think/-]{0,60}") {
            for text in [&text, &form, &format!("[f(a={text}, b=[{form}])]")] {
                drop(decode_text_strictly(text));
            }
        }

        #[test]
        fn plain_calls_are_read_as_upstream_reads_them(value in fcgen_core::fixtures::any_python()) {
            let text = format!("[f(a={})]", repr(&value));
            prop_assume!(!text.contains("nan") && !text.contains("inf"));
            prop_assert_eq!(decode_text_strictly(&text).map(|it| it.calls), decode_text(&text));
        }
    }
}
