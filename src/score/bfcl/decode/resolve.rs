//! Arguments as upstream makes them out of expressions, its own ideas included.

use super::super::syntax::{Argument, CallExpression, Expression, unparse, unparse_index};
use super::super::value::PythonValue;
use super::arithmetic::{evaluate, negated};
use super::keys::settled;
use super::{Call, DecodeFault};
use std::borrow::Cow;

/// Makes a call. Arguments without names are dropped, of equal names the last wins, and what is spread has no name.
pub(super) fn call(expression: CallExpression<'_>) -> Result<Call<'_>, DecodeFault> {
    let name = dotted(expression.function);
    let mut entries = Vec::with_capacity(expression.arguments.len());
    for argument in expression.arguments {
        match argument {
            Argument::Keyword(name, given) => entries.push((PythonValue::Text(name), value(given)?)),
            Argument::Spread(given) => entries.push((PythonValue::None, value(given)?)),
            Argument::Positional(_) => {}
        }
    }
    let entries = settled(entries).ok_or(DecodeFault::NoCalls)?;
    Ok(Call { name, arguments: PythonValue::Dict(entries) })
}

/// The name of what is called; where it hangs on something without a name, what hangs on it.
fn dotted(function: Expression<'_>) -> Cow<'_, str> {
    match function {
        Expression::Name(name) => name,
        Expression::Attribute(of, name) => {
            let before = dotted(*of);
            if before.is_empty() { name } else { Cow::Owned(format!("{before}.{name}")) }
        }
        _ => Cow::Borrowed(""),
    }
}

pub(super) fn value(expression: Expression<'_>) -> Result<PythonValue<'_>, DecodeFault> {
    match expression {
        Expression::Constant(value) => Ok(value),
        Expression::Name(name) => Ok(PythonValue::Text(name)),
        Expression::Ellipsis => Ok(PythonValue::Text(Cow::Borrowed("..."))),
        Expression::List(list) => Ok(PythonValue::List(values(list)?)),
        Expression::Tuple(list) => Ok(PythonValue::Tuple(values(list)?)),
        Expression::Dict(entries) => dict(entries),
        // Every sign is taken for a minus.
        Expression::Unary(_, operand) => match *operand {
            Expression::Constant(number) => negated(number).ok_or(DecodeFault::NoValue { what: "a sign" }),
            _ => Err(DecodeFault::NoValue { what: "a sign" }),
        },
        Expression::Binary(..) => evaluate(expression).ok_or(DecodeFault::NoValue { what: "arithmetic" }),
        Expression::Call(nested) => called(*nested),
        Expression::Subscript(parts) => Ok(PythonValue::Text(Cow::Owned(unparse_index(&parts.0, &parts.1)))),
        Expression::Attribute(..) => Err(DecodeFault::NoValue { what: "an attribute" }),
        Expression::Set(_) | Expression::Slice(_) | Expression::Starred(_) | Expression::Other(_) => {
            Err(DecodeFault::NoValue { what: "an expression" })
        }
    }
}

fn values(list: Vec<Expression<'_>>) -> Result<Vec<PythonValue<'_>>, DecodeFault> {
    list.into_iter().map(value).collect()
}

fn dict<'t>(entries: Vec<(Option<Expression<'t>>, Expression<'t>)>) -> Result<PythonValue<'t>, DecodeFault> {
    let mut made = Vec::with_capacity(entries.len());
    for (key, given) in entries {
        let key = key.ok_or(DecodeFault::NoValue { what: "a spread" })?;
        made.push((value(key)?, value(given)?));
    }
    settled(made).map(PythonValue::Dict).ok_or(DecodeFault::NoValue { what: "a key" })
}

/// A call as a value: its arguments by their names, or its text where none has a name.
fn called(nested: CallExpression<'_>) -> Result<PythonValue<'_>, DecodeFault> {
    let has_names = nested.arguments.iter().any(|it| !matches!(it, Argument::Positional(_)));
    if !has_names {
        return Ok(PythonValue::Text(Cow::Owned(unparse(&Expression::Call(Box::new(nested))))));
    }
    let Call { name, arguments } = call(nested)?;
    Ok(PythonValue::Dict(vec![(PythonValue::Text(name), arguments)]))
}

#[cfg(test)]
mod tests {
    use super::super::super::repr::repr;
    use super::super::super::syntax::{Words, parse};
    use super::*;

    fn read(text: &str) -> Option<String> {
        value(parse(text, Words::Pythons).ok()?).ok().as_ref().map(repr)
    }

    #[test]
    fn values_are_what_upstream_makes_of_them() {
        for (text, made) in [
            ("x", "'x'"),
            ("...", "'...'"),
            ("[1, (2,), {'a': x}]", "[1, (2,), {'a': 'x'}]"),
            ("+3", "-3"),
            ("not True", "-1"),
            ("1/2", "0.5"),
            ("g.h(1, 2)", "'g.h(1, 2)'"),
            ("g.h(1, a=2)", "{'g.h': {'a': 2}}"),
            ("g(**x)", "{'g': {None: 'x'}}"),
            ("x['k']", "\"x['k']\""),
            ("f[0].g(a=1)", "{'g': {'a': 1}}"),
            ("{1: 2, True: 3}", "{1: 3}"),
        ] {
            assert_eq!(read(text).as_deref(), Some(made), "{text}");
        }
    }

    #[test]
    fn what_upstream_refuses_is_refused() {
        for text in [
            "x.y",
            "{1}",
            "--3",
            "-x",
            "1 < 2",
            "[*x]",
            "{**x}",
            "{[1]: 2}",
            "-'a'",
            "-None",
            "lambda: 1",
            "1/0",
            "x+1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
