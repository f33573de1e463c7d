//! Arguments as upstream makes them out of expressions, its own ideas included.

use super::Call;
use super::arithmetic::{evaluate, negated};
use super::text::settled;
use crate::python::PythonValue;
use crate::python::syntax::{Argument, CallExpression, Expression, SyntaxFault, unparse, unparse_index};
use crate::record::{BorrowedObject, BorrowedValue, ValueError};
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
        Expression::Constant(value, _) => Ok(value),
        Expression::Name(name) => Ok(PythonValue::Text(name)),
        Expression::Ellipsis => Ok(PythonValue::Text(Cow::Borrowed("..."))),
        Expression::List(list) => Ok(PythonValue::List(values(list)?)),
        Expression::Tuple(list) => Ok(PythonValue::Tuple(values(list)?)),
        Expression::Dict(entries) => dict(entries),
        // Every sign is taken for a minus.
        Expression::Unary(_, operand, _) => match *operand {
            Expression::Constant(number, _) => negated(number).ok_or(DecodeFault::NoValue { what: "a sign" }),
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

// Calls with arguments in JSON, as a model with native tools gives them.

/// Finds calls as upstream does: a list of objects, each of which has a name with its arguments as a text of JSON.
pub fn decode_calls<'t>(given: &'t BorrowedValue<'_>) -> Result<Vec<Call<'t>>, DecodeFault> {
    let list = match given {
        BorrowedValue::List(list) => list,
        // A text is gone through letter by letter, and none of its letters is a call.
        BorrowedValue::String(text) if text.is_empty() => return Ok(Vec::new()),
        BorrowedValue::Object(object) if object.is_empty() => return Ok(Vec::new()),
        BorrowedValue::String(_) | BorrowedValue::Object(_) => return Err(DecodeFault::NoName),
        _ => return Err(DecodeFault::NoList),
    };
    list.iter().map(upstream).collect()
}

fn upstream<'t>(given: &'t BorrowedValue<'_>) -> Result<Call<'t>, DecodeFault> {
    let (name, arguments) = given.as_object().and_then(|object| object.iter().next()).ok_or(DecodeFault::NoName)?;
    let text = arguments.as_str().ok_or_else(|| DecodeFault::NoText { name: name.to_owned() })?;
    let read = BorrowedValue::read_lenient(text);
    let arguments = read.map_err(|source| DecodeFault::Arguments { name: name.to_owned(), source })?;
    Ok(Call { name: Cow::Borrowed(name), arguments: arguments.into() })
}

/// Finds calls soundly: arguments may be an object as well, and must be JSON without repeated names.
pub fn decode_calls_strictly<'t>(given: &'t BorrowedValue<'_>) -> Result<Vec<Call<'t>>, DecodeFault> {
    let BorrowedValue::List(list) = given else { return Err(DecodeFault::NoList) };
    list.iter().map(strict).collect()
}

fn strict<'t>(given: &'t BorrowedValue<'_>) -> Result<Call<'t>, DecodeFault> {
    let object = given.as_object().filter(|object| object.len() == 1).ok_or(DecodeFault::NoName)?;
    let (name, arguments) = object.iter().next().ok_or(DecodeFault::NoName)?;
    let arguments = match arguments {
        BorrowedValue::String(text) => arguments_of(name, text)?,
        BorrowedValue::Object(object) => lent_dict(object),
        _ => return Err(DecodeFault::NoText { name: name.to_owned() }),
    };
    if !matches!(arguments, PythonValue::Dict(_)) {
        return Err(DecodeFault::NoText { name: name.to_owned() });
    }
    Ok(Call { name: Cow::Borrowed(name), arguments })
}

fn arguments_of<'t>(name: &str, text: &'t str) -> Result<PythonValue<'t>, DecodeFault> {
    let is_borrowed = BorrowedValue::read_strict(text);
    is_borrowed.map(PythonValue::from).map_err(|source| DecodeFault::Arguments { name: name.to_owned(), source })
}

fn lent_dict<'t>(object: &'t BorrowedObject<'_>) -> PythonValue<'t> {
    let lent = |value: &'t BorrowedValue<'_>| PythonValue::from(lend(value));
    PythonValue::Dict(
        object.iter().map(|(name, value)| (PythonValue::Text(Cow::Borrowed(name)), lent(value))).collect(),
    )
}

/// The same value, which borrows from its owner.
fn lend<'t>(value: &'t BorrowedValue<'_>) -> BorrowedValue<'t> {
    match value {
        BorrowedValue::Null => BorrowedValue::Null,
        BorrowedValue::Bool(bool) => BorrowedValue::Bool(*bool),
        BorrowedValue::Number(text) => BorrowedValue::Number(text),
        BorrowedValue::String(text) => BorrowedValue::String(Cow::Borrowed(text)),
        BorrowedValue::List(list) => BorrowedValue::List(list.iter().map(lend).collect()),
        BorrowedValue::Object(object) => {
            BorrowedValue::Object(object.iter().map(|(name, value)| (Cow::Borrowed(name), lend(value))).collect())
        }
    }
}

// Why no calls were found.

/// Why no calls can be read out of what a model gave.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeFault {
    /// The text is no expression of Python's.
    #[error("no expression at byte {}: {source}", source.at)]
    Syntax {
        /// Where, and what should stand there.
        #[from]
        source: SyntaxFault,
    },
    /// It is an expression, but no list of calls.
    #[error("no list of calls")]
    NoCalls,
    /// An argument without a name, whose parameter nobody can tell.
    #[error("an argument of `{name}` without a name")]
    Positional {
        /// The function.
        name: String,
    },
    /// An argument stands there twice.
    #[error("`{argument}` twice in `{name}`")]
    Repeated {
        /// The function.
        name: String,
        /// The argument.
        argument: String,
    },
    /// What is called has no plain name.
    #[error("a call of what has no name")]
    Nameless,
    /// A name that stands for no value.
    #[error("`{name}` is no value")]
    Bare {
        /// The name.
        name: String,
    },
    /// An expression that is no plain value.
    #[error("{what} in place of a value")]
    NoValue {
        /// What it is.
        what: &'static str,
    },
    /// A call without a function's name, or with several.
    #[error("a call that is not one name with its arguments")]
    NoName,
    /// Arguments that are no JSON.
    #[error("arguments of `{name}`: {source}")]
    Arguments {
        /// The function.
        name: String,
        /// What is wrong with them.
        source: ValueError,
    },
    /// Arguments that are neither a text of JSON nor an object.
    #[error("arguments of `{name}` are no text of JSON")]
    NoText {
        /// The function.
        name: String,
    },
    /// Something else than a list of calls.
    #[error("neither a list of calls nor a text")]
    NoList,
    /// More than one list of calls among words.
    #[error("several lists of calls")]
    Several,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::repr;
    use crate::python::syntax::{Words, parse};

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

#[cfg(test)]
mod calls_tests {
    use super::super::{as_value, is_well_formed};
    use super::*;
    use crate::python::repr;

    fn read(json: &str) -> Option<(String, bool)> {
        let given = BorrowedValue::read_lenient(json).unwrap();
        decode_calls(&given).ok().map(|calls| (repr(&as_value(&calls)), is_well_formed(&calls)))
    }

    fn strictly(json: &str) -> Result<String, String> {
        let given = BorrowedValue::read_lenient(json).unwrap();
        decode_calls_strictly(&given).map(|calls| repr(&as_value(&calls))).map_err(|fault| fault.to_string())
    }

    #[test]
    fn arguments_are_texts_of_what_python_takes_for_json() {
        for (json, calls) in [
            (r#"[{"f": "{\"a\": 1.0}"}]"#, "[{'f': {'a': 1.0}}]"),
            (r#"[{"f": " {\"a\": NaN, \"a\": 1e400}\n"}]"#, "[{'f': {'a': inf}}]"),
            (r#"[{"f": "{}", "g": "{}"}]"#, "[{'f': {}}]"),
            ("[]", "[]"),
            (r#""""#, "[]"),
            ("{}", "[]"),
        ] {
            assert_eq!(read(json), Some((calls.to_owned(), true)), "{json}");
        }
        for json in [r#"[{"f": "null"}]"#, r#"[{"f": "[]"}]"#, r#"[{"f": "\"a\""}]"#] {
            assert!(read(json).is_some_and(|(_, is_well_formed)| !is_well_formed), "{json}");
        }
    }

    #[test]
    fn everything_else_fails_upstream() {
        for json in [
            "[{}]",
            r#"[{"f": {}}]"#,
            r#"[{"f": "{"}]"#,
            r#"[{"f": "{} x"}]"#,
            r#""text""#,
            "null",
            "5",
            "[5]",
            r#"["f"]"#,
            r#"{"f": "{}"}"#,
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn soundly_arguments_may_be_objects_and_must_be_json() {
        assert_eq!(
            strictly(r#"[{"f": {"a": [1, "x", null, true, {"b": 2.0}]}}]"#).unwrap(),
            "[{'f': {'a': [1, 'x', None, True, {'b': 2.0}]}}]"
        );
        assert_eq!(strictly(r#"[{"f": "{\"a\": 1}"}]"#).unwrap(), "[{'f': {'a': 1}}]");
        for json in [
            r#"[{"f": "{\"a\": NaN}"}]"#,
            r#"[{"f": "{\"a\": 1, \"a\": 2}"}]"#,
            r#"[{"f": "[]"}]"#,
            r#"[{"f": 5}]"#,
            r#"[{"f": "{}", "g": "{}"}]"#,
            r#""""#,
            r#"[{"f": "{"}]"#,
        ] {
            assert!(strictly(json).is_err(), "{json}");
        }
    }
}

#[cfg(test)]
mod fault_tests {
    use super::*;

    #[test]
    fn a_fault_says_where_and_what() {
        let fault = DecodeFault::from(SyntaxFault { at: 3, expected: "`]`" });
        assert_eq!(fault.to_string(), "no expression at byte 3: `]` expected");
        let fault = DecodeFault::Repeated { name: "f".to_owned(), argument: "a".to_owned() };
        assert_eq!(fault.to_string(), "`a` twice in `f`");
    }
}
