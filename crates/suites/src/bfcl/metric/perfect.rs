//! The calls that an item's own answers amount to, if they amount to any.

use super::answer::{Accepted, Answer, Argument};
use super::decode::Call;
use super::function::Function;
use super::item::Item;
use crate::python::repr;
use crate::python::{Dict, PythonValue};
use crate::record::{Number, Value};
use indexmap::IndexMap;
use std::borrow::Cow;

/// Why no call can be what an item wants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The function that is wanted is not offered.
    #[error("`{0}` is expected but not listed")]
    NotOffered(String),
    /// A parameter is required, and no value of it is accepted.
    #[error("`{0}` is required but has no accepted value")]
    Unanswered(String),
    /// A value is wanted of a parameter that the function does not have.
    #[error("`{0}` is expected, but the function has no such parameter")]
    Undeclared(String),
    /// No accepted value passes, and the argument cannot be left out.
    #[error("no accepted value of `{0}` passes the checker")]
    NoValue(String),
}

/// Whether a call is right, by some checker.
pub type Checks<'c> = &'c dyn Fn(&Function, &Call<'_>, &Answer) -> bool;

/// Makes the calls that an item wants of its own answers: for each argument the first value that passes.
pub fn perfect_calls(item: &Item, checks: Checks<'_>) -> Result<Vec<Call<'static>>, Impossible> {
    let call = |answer: &Answer| {
        let function = item.function(&answer.name).ok_or_else(|| Impossible::NotOffered(answer.name.clone()))?;
        perfect_call(function, answer, checks)
    };
    item.answers.iter().map(call).collect()
}

fn perfect_call(function: &Function, answer: &Answer, checks: Checks<'_>) -> Result<Call<'static>, Impossible> {
    let unanswered = function.required.iter().flatten().find(|name| !answer.arguments.contains_key(*name));
    if let Some(name) = unanswered {
        return Err(Impossible::Unanswered(name.clone()));
    }
    let mut entries = Vec::new();
    for (name, argument) in &answer.arguments {
        if function.parameter(name).is_none() && !argument.is_optional() {
            return Err(Impossible::Undeclared(name.clone()));
        }
        let value = value(function, answer, name, argument, checks).ok_or_else(|| Impossible::NoValue(name.clone()))?;
        entries.extend(value);
    }
    Ok(Call { name: Cow::Owned(function.name.clone()), arguments: PythonValue::Dict(entries) })
}

/// An argument with its value, or no entry where it is to be left out; nothing where neither passes.
fn value(
    function: &Function,
    answer: &Answer,
    name: &str,
    argument: &Argument,
    checks: Checks<'_>,
) -> Option<Dict<'static>> {
    let only = |names: &IndexMap<String, super::Declared>| {
        names.get(name).map(|declared| (name.to_owned(), declared.clone())).into_iter().collect()
    };
    let part = Function {
        name: function.name.clone(),
        parameters: function.parameters.as_ref().map(only),
        required: Some(function.requires(name).then(|| name.to_owned()).into_iter().collect()),
    };
    let wanted = Answer { name: answer.name.clone(), arguments: [(name.to_owned(), argument.clone())].into() };
    let entry = |value| vec![(PythonValue::Text(Cow::Owned(name.to_owned())), value)];
    let literal = argument.values().map(|accepted| entry(accepted.value.clone()));
    let chosen = argument.values().map(|accepted| entry(chosen(accepted)));
    // What the gold itself leaves out has the marker first.
    let first = argument.accepted.first().filter(|accepted| accepted.is_marker()).map(|_| Vec::new());
    first.into_iter().chain(literal).chain(chosen).chain([Vec::new()]).find(|entries| {
        let arguments = PythonValue::Dict(entries.clone());
        checks(&part, &Call { name: Cow::Borrowed(&function.name), arguments }, &wanted)
    })
}

/// A value with the first accepted one at each key of its dictionaries.
fn chosen(accepted: &Accepted) -> PythonValue<'static> {
    match &accepted.value {
        PythonValue::Dict(entries) => PythonValue::Dict(leaves(entries)),
        PythonValue::List(list) => {
            PythonValue::List(list.iter().map(|it| chosen(&Accepted::new(it.clone()))).collect())
        }
        value => value.clone(),
    }
}

fn leaves(entries: &Dict<'static>) -> Dict<'static> {
    let first = |(key, leaf): &(PythonValue<'static>, PythonValue<'static>)| {
        let value = leaf.as_list().map_or(Some(leaf), |list| list.iter().find(|it| it.as_text() != Some("")))?;
        Some((key.clone(), value.clone()))
    };
    entries.iter().filter_map(first).collect()
}

/// Calls as a model with native tools gives them: a list of names with arguments as a text of JSON.
pub fn native(calls: &[Call<'_>]) -> Value {
    let call = |call: &Call<'_>| {
        Value::Object([(call.name.to_string(), Value::from(json(&call.arguments).to_string()))].into())
    };
    Value::List(calls.iter().map(call).collect())
}

/// What JSON has of a value; what it has nothing of is nothing.
fn json(value: &PythonValue<'_>) -> Value {
    match value {
        PythonValue::Bool(bool) => Value::Bool(*bool),
        PythonValue::Int(number) => Value::from(*number),
        PythonValue::Big(digits) => Number::parse(digits).map_or(Value::Null, Value::Number),
        PythonValue::Float(number) => Value::from(*number),
        PythonValue::Text(text) => Value::from(&**text),
        PythonValue::List(list) | PythonValue::Tuple(list) => Value::List(list.iter().map(json).collect()),
        PythonValue::Dict(entries) => {
            let entry =
                |(key, value): &(PythonValue<'_>, PythonValue<'_>)| Some((key.as_text()?.to_owned(), json(value)));
            Value::Object(entries.iter().filter_map(entry).collect())
        }
        PythonValue::None | PythonValue::Complex(..) | PythonValue::Bytes(_) => Value::Null,
    }
}

/// Calls as a model writes them.
pub fn spoken(calls: &[Call<'_>]) -> String {
    let argument = |(key, value): &(PythonValue<'_>, PythonValue<'_>)| {
        format!("{}={}", key.as_text().unwrap_or_default(), repr(value))
    };
    let call = |call: &Call<'_>| {
        let arguments: Vec<String> = call.arguments.as_dict().into_iter().flatten().map(argument).collect();
        format!("{}({})", call.name, arguments.join(", "))
    };
    format!("[{}]", calls.iter().map(call).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::answer;
    use super::super::function::tests::function;
    use super::super::{Category, strict, upstream};
    use super::*;

    fn upstream_checks(function: &Function, call: &Call<'_>, answer: &Answer) -> bool {
        upstream::check_call(function, call, answer, false).is_ok()
    }

    fn strict_checks(function: &Function, call: &Call<'_>, answer: &Answer) -> bool {
        strict::check_call(function, call, answer, false).is_ok()
    }

    fn made(parameters: &str, arguments: &str) -> [Result<String, String>; 2] {
        let item = Item {
            category: Category::SimplePython,
            functions: vec![function(parameters)],
            answers: vec![answer(arguments)],
        };
        [upstream_checks as fn(&Function, &Call<'_>, &Answer) -> bool, strict_checks]
            .map(|checks| perfect_calls(&item, &checks).map(|calls| spoken(&calls)).map_err(|fault| fault.to_string()))
    }

    const PARAMETERS: &str = r#""properties": {"s": {"type": "string"}, "d": {"type": "dict"}, "l": {"type": "array", "items": {"type": "string"}}}, "required": ["s"]"#;

    #[test]
    fn the_first_value_that_passes_is_taken_at_every_depth() {
        let wanted = "[a.f(s='x', d={'k': 1})]";
        for made in made(PARAMETERS, r#"{"s": ["x", "y"], "d": [{"k": [1, 2], "o": [""]}], "l": [""]}"#) {
            assert_eq!(made.as_deref(), Ok(wanted));
        }
    }

    #[test]
    fn what_no_call_can_be_is_told() {
        let required_list = PARAMETERS.replace(r#"["s"]"#, r#"["l"]"#);
        for (parameters, arguments, fault) in [
            (PARAMETERS, "{}", "`s` is required but has no accepted value"),
            (PARAMETERS, r#"{"s": ["x"], "q": [1]}"#, "`q` is expected, but the function has no such parameter"),
            (PARAMETERS, r#"{"s": [""]}"#, "no accepted value of `s` passes the checker"),
            (&required_list, r#"{"l": [""]}"#, "no accepted value of `l` passes the checker"),
        ] {
            assert!(
                made(parameters, arguments).iter().all(|made| made.as_ref().is_err_and(|it| it == fault)),
                "{arguments}"
            );
        }
        let item = Item { category: Category::SimplePython, functions: Vec::new(), answers: vec![answer("{}")] };
        assert_eq!(perfect_calls(&item, &strict_checks).unwrap_err().to_string(), "`a.f` is expected but not listed");
    }

    #[test]
    fn what_may_be_left_out_first_is_left_out() {
        for made in made(PARAMETERS, r#"{"s": ["x"], "d": ["", {"k": [1]}], "l": [["a"], ""]}"#) {
            assert_eq!(made.as_deref(), Ok("[a.f(s='x', l=['a'])]"));
        }
    }

    #[test]
    fn native_calls_have_their_arguments_as_json() {
        let arguments = r#"{"s": ["it's"], "d": [{"k": [1.0], "n": [null]}], "l": [["a", "b"]]}"#;
        let item = Item {
            category: Category::SimplePython,
            functions: vec![function(PARAMETERS)],
            answers: vec![answer(arguments)],
        };
        let calls = perfect_calls(&item, &strict_checks).unwrap();
        let wanted = r#"{"s":"it's","d":{"k":1.0,"n":null},"l":["a","b"]}"#;
        assert_eq!(native(&calls), Value::List(vec![Value::Object([("a.f".to_owned(), wanted.into())].into())]));
    }

    #[test]
    fn where_upstream_breaks_off_nothing_passes() {
        let [upstream, strict] = made(PARAMETERS, r#"{"s": ["x"], "d": [{"k": 1}]}"#);
        assert_eq!(upstream.unwrap_err(), "no accepted value of `d` passes the checker");
        assert_eq!(strict.unwrap(), "[a.f(s='x', d={'k': 1})]");
    }
}
