//! The calls that a value holds, if it has the form that was asked for.

use super::read::API;
use super::verdict::{ErrorClass, Gold};
use crate::record::{Object, Value};

const PARAMETERS: &str = "parameters";

/// Calls in order, names and arguments apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    /// The names.
    pub names: Vec<String>,
    /// The arguments of each.
    pub parameters: Vec<Object>,
    /// Keys beside the two that were asked for.
    pub extra: Vec<String>,
}

impl Shape {
    /// Reads a value; the error says what is wrong with its form. An object may stand for a list of one, and an empty list for
    /// calls without parameters.
    pub(super) fn of(value: Value) -> Result<Self, String> {
        let Value::Object(mut object) = value else { return Err("it is a list and not an object".to_owned()) };
        let names = names(object.shift_remove(API))?;
        let given = object.shift_remove(PARAMETERS).ok_or_else(|| format!("there is no `{PARAMETERS}`"))?;
        let parameters = parameters(given, names.len())?;
        Ok(Self { names, parameters, extra: object.into_keys().collect() })
    }
}

fn names(value: Option<Value>) -> Result<Vec<String>, String> {
    let wrong = || format!("`{API}` is no list of names");
    let list = match value {
        None => return Err(format!("there is no `{API}`")),
        Some(Value::List(list)) => list,
        Some(_) => return Err(wrong()),
    };
    let name = |value: Value| match value {
        Value::String(name) => Ok(name),
        _ => Err(wrong()),
    };
    list.into_iter().map(name).collect()
}

fn parameters(value: Value, calls: usize) -> Result<Vec<Object>, String> {
    let list = match value {
        Value::Object(object) if calls == 1 => return Ok(vec![object]),
        Value::List(list) if list.is_empty() => return Ok(vec![Object::new(); calls]),
        Value::List(list) => list,
        other => return Err(format!("`{PARAMETERS}` is {} and no list of objects", other.type_name())),
    };
    let object = |value: Value| match value {
        Value::Object(object) => Ok(object),
        other => Err(format!("an element of `{PARAMETERS}` is {} and no object", other.type_name())),
    };
    let objects: Vec<Object> = list.into_iter().map(object).collect::<Result<_, _>>()?;
    if objects.len() == calls {
        return Ok(objects);
    }
    Err(format!("it names {calls} calls and has {} objects of parameters", objects.len()))
}

// Undoing what YAML made of letters without quotes: where a text is wanted, the letters are it.

/// Puts letters in the place of what was read from them, wherever a text is wanted.
pub(super) fn retype(said: &mut Object, letters: &Object, wanted: &Object) {
    for (name, wanted) in wanted {
        if let (Some(said), Some(letters)) = (said.get_mut(name), letters.get(name)) {
            retype_value(said, letters, wanted);
        }
    }
}

fn retype_value(said: &mut Value, letters: &Value, wanted: &Value) {
    match (said, letters, wanted) {
        (Value::Object(said), Value::Object(letters), Value::Object(wanted)) => retype(said, letters, wanted),
        (Value::List(said), Value::List(letters), Value::List(wanted)) => {
            for ((said, letters), wanted) in said.iter_mut().zip(letters).zip(wanted) {
                retype_value(said, letters, wanted);
            }
        }
        (said, Value::String(letters), Value::String(_)) => *said = Value::String(letters.clone()),
        _ => {}
    }
}

// Whether the right calls are made, in the right order.

/// What is wrong with the names of the calls; nothing if they are right.
pub(super) fn differences<S: AsRef<str>>(gold: &Gold<'_>, said: &[S]) -> Vec<(ErrorClass, String)> {
    if gold.names().eq(said.iter().map(AsRef::as_ref)) {
        return Vec::new();
    }
    let mut missing: Vec<&str> = gold.names().collect();
    let mut extra = Vec::new();
    for name in said.iter().map(AsRef::as_ref) {
        match missing.iter().position(|wanted| *wanted == name) {
            Some(at) => drop(missing.remove(at)),
            None => extra.push(name),
        }
    }
    let (extra, invented): (Vec<&str>, Vec<&str>) =
        extra.into_iter().partition(|name| gold.tool(name).is_some() || gold.names().any(|wanted| wanted == *name));
    let told = |class, names: Vec<&str>, what: &'static str| {
        names.into_iter().map(move |name| (class, format!("`{name}` {what}"))).collect::<Vec<_>>()
    };
    let mut found = told(ErrorClass::InventedApi, invented, "is no API of the list");
    found.extend(told(ErrorClass::MissingStep, missing, "is not called"));
    found.extend(told(ErrorClass::ExtraStep, extra, "is called though nothing wants it"));
    if found.is_empty() {
        let order: Vec<&str> = gold.names().collect();
        found.push((ErrorClass::Order, format!("the order is {}", order.join(", "))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(json: &str) -> Result<(String, String), String> {
        let shape = Shape::of(Value::read(json).unwrap())?;
        let parameters = Value::List(shape.parameters.into_iter().map(Value::Object).collect());
        Ok((format!("{} {}", shape.names.join(","), shape.extra.join(",")), parameters.to_string()))
    }

    #[test]
    fn calls_are_names_and_objects() {
        for (json, names, parameters) in [
            (r#"{"API": ["f", "g"], "parameters": [{"a": 1}, {}]}"#, "f,g ", r#"[{"a":1},{}]"#),
            (r#"{"note": 1, "parameters": {"a": 1}, "API": ["f"]}"#, "f note", r#"[{"a":1}]"#),
            (r#"{"API": ["f", "g"], "parameters": []}"#, "f,g ", "[{},{}]"),
            (r#"{"API": [], "parameters": []}"#, " ", "[]"),
        ] {
            assert_eq!(shape(json), Ok((names.to_owned(), parameters.to_owned())), "{json}");
        }
    }

    #[test]
    fn another_form_is_told() {
        for (json, problem) in [
            ("[]", "it is a list and not an object"),
            ("{}", "there is no `API`"),
            (r#"{"API": "f", "parameters": []}"#, "`API` is no list of names"),
            (r#"{"API": [1], "parameters": []}"#, "`API` is no list of names"),
            (r#"{"API": ["f"]}"#, "there is no `parameters`"),
            (r#"{"API": ["f"], "parameters": null}"#, "`parameters` is null and no list of objects"),
            (r#"{"API": ["f", "g"], "parameters": {"a": 1}}"#, "`parameters` is object and no list of objects"),
            (r#"{"API": ["f"], "parameters": [null]}"#, "an element of `parameters` is null and no object"),
            (r#"{"API": ["f"], "parameters": [{}, {}]}"#, "it names 1 calls and has 2 objects of parameters"),
        ] {
            assert_eq!(shape(json), Err(problem.to_owned()), "{json}");
        }
    }
}

#[cfg(test)]
mod retype_tests {
    use super::*;

    fn retyped(said: &str, letters: &str, wanted: &str) -> String {
        let read = |text| Value::read(text).unwrap().as_object().unwrap().clone();
        let mut said = read(said);
        retype(&mut said, &read(letters), &read(wanted));
        Value::Object(said).to_string()
    }

    #[test]
    fn letters_count_where_a_text_is_wanted_alone() {
        let (said, letters) =
            (r#"{"a":83,"n":5,"o":{"l":[true,1]},"x":7}"#, r#"{"a":"0123","n":"5","o":{"l":["yes","1"]},"x":"7"}"#);
        let wanted = r#"{"a": "1", "n": 5, "o": {"l": ["no", 1]}, "y": ""}"#;
        assert_eq!(retyped(said, letters, wanted), r#"{"a":"0123","n":5,"o":{"l":["yes",1]},"x":7}"#);
    }

    #[test]
    fn forms_that_differ_stay() {
        assert_eq!(retyped(r#"{"a":[1]}"#, r#"{"a":["1"]}"#, r#"{"a": "1"}"#), r#"{"a":[1]}"#);
        assert_eq!(retyped(r#"{"a":1}"#, "{}", r#"{"a": "1"}"#), r#"{"a":1}"#);
    }
}

#[cfg(test)]
mod steps_tests {
    use super::super::verdict::tests::sample;
    use super::*;
    use proptest::prelude::*;

    fn classes(wanted: &[&str], said: &[&str]) -> Vec<(&'static str, String)> {
        let calls: Vec<(&str, &str)> = wanted.iter().map(|name| (*name, "{}")).collect();
        let sample = sample(&calls);
        let found = differences(&Gold::of(&sample).unwrap(), said);
        found.into_iter().map(|(class, reason)| (class.as_str(), reason)).collect()
    }

    #[test]
    fn each_difference_has_its_class() {
        let names = |wanted: &[&str], said: &[&str]| {
            classes(wanted, said).into_iter().map(|(class, _)| class).collect::<Vec<_>>()
        };
        assert!(names(&["getX", "getX"], &["getX", "getX"]).is_empty());
        assert_eq!(names(&["getX", "getY"], &["getY", "getX"]), ["order"]);
        assert_eq!(names(&["getX", "getY"], &["getX"]), ["missing_step"]);
        assert_eq!(names(&["getX"], &["getX", "getX"]), ["extra_step"]);
        assert_eq!(names(&["getX"], &["getY"]), ["missing_step", "extra_step"]);
        assert_eq!(names(&["getX"], &["getx", "getX"]), ["invented_api"]);
        assert_eq!(names(&["getQ"], &["getQ", "getQ"]), ["extra_step"], "the truth itself names it");
        assert_eq!(names(&["getX"], &[]), ["missing_step"]);
    }

    #[test]
    fn the_reason_names_the_call() {
        let said = classes(&["getX", "getY"], &["getY", "getX"]);
        assert_eq!(said, [("order", "the order is getX, getY".to_owned())]);
        assert_eq!(classes(&[], &["fly"]), [("invented_api", "`fly` is no API of the list".to_owned())]);
    }

    proptest! {
        #[test]
        fn nothing_is_wrong_exactly_if_the_names_are_equal(wanted in prop::collection::vec("get[XYZ]", 0..4), said in prop::collection::vec("get[WXYZ]", 0..4)) {
            let as_str = |names: &[String]| names.iter().map(String::clone).collect::<Vec<_>>();
            let (wanted, said) = (as_str(&wanted), as_str(&said));
            let borrowed = |names: &[String]| names.iter().map(|it| it.as_str().to_owned()).collect::<Vec<String>>();
            let (one, other) = (borrowed(&wanted), borrowed(&said));
            let one: Vec<&str> = one.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            prop_assert_eq!(classes(&one, &other).is_empty(), wanted == said);
        }
    }
}
