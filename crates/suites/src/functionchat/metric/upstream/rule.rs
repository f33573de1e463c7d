//! The rule stage: it can let a call pass, and sends everything else to the judge.

use super::reply::Words;
use crate::functionchat::metric::{Arguments, Heard};
use crate::python::equals;
use crate::record::{BorrowedValue, FunctionCall, Object, Value};

/// What the rule says of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The call is right.
    Pass,
    /// It is not right letter by letter, and the judge decides.
    Fail,
    /// No call is wanted.
    NotApplicable,
    /// The authors' program breaks off here, and with it the whole run.
    Crash(Crash),
}

/// The errors that end the authors' program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// Arguments that are JSON and no object.
    Attribute,
    /// A note that is none of three sentences.
    Decode,
    /// Arguments that are no text.
    Type,
}

impl Crash {
    /// Python's name for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attribute => "AttributeError",
            Self::Decode => "JSONDecodeError",
            Self::Type => "TypeError",
        }
    }
}

impl Rule {
    /// The word in a verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail | Self::Crash(_) => "fail",
            Self::NotApplicable => "not_applicable",
        }
    }
}

/// Compares the first call with the right one.
pub fn judge(gold: &FunctionCall, acceptable: &Value, heard: &Heard, words: &Words) -> Rule {
    let table = match table(acceptable, words) {
        Ok(table) => table,
        Err(crash) => return Rule::Crash(crash),
    };
    let Some(call) = heard.calls.first() else { return Rule::Fail };
    if call.name != gold.name {
        return Rule::Fail;
    }
    let Arguments::Text(text) = &call.arguments else { return Rule::Crash(Crash::Type) };
    let Ok(predicted) = BorrowedValue::read_lenient(text) else { return Rule::Fail };
    let Some(predicted) = predicted.as_object() else { return Rule::Crash(Crash::Attribute) };
    let has_others = predicted.iter().any(|(name, _)| !gold.arguments.contains_key(name));
    let is_right = |(name, value): (&String, &Value)| {
        let said = predicted.get(name).unwrap_or(&BorrowedValue::Null);
        same(said, value) || table.get(name).is_some_and(|other| accepts(other, said))
    };
    if !has_others && gold.arguments.iter().all(is_right) { Rule::Pass } else { Rule::Fail }
}

fn table(acceptable: &Value, words: &Words) -> Result<Object, Crash> {
    match acceptable {
        Value::Null => Ok(Object::new()),
        Value::Object(table) => Ok(table.clone()),
        Value::String(text) if words.notes.contains(text) => Ok(Object::new()),
        Value::String(text) => match Value::read_lenient(text) {
            Ok((Value::Object(table), _)) => Ok(table),
            Ok(_) => Err(Crash::Attribute),
            Err(_) => Err(Crash::Decode),
        },
        _ => Err(Crash::Type),
    }
}

/// Whether an entry of the table has a value. One that is neither a list nor a text has every value, and none as well.
fn accepts(entry: &Value, said: &BorrowedValue<'_>) -> bool {
    match entry {
        Value::List(list) => list.iter().any(|value| same(said, value)),
        Value::String(_) => same(said, entry),
        _ => true,
    }
}

/// Two texts but for spaces and capitals; everything else as Python compares it.
fn same(said: &BorrowedValue<'_>, value: &Value) -> bool {
    match (said, value) {
        (BorrowedValue::String(said), Value::String(value)) => said == value || plain(said) == plain(value),
        _ => equals(said, &BorrowedValue::from(value)),
    }
}

fn plain(text: &str) -> String {
    text.replace(' ', "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::reply::tests::words;
    use super::*;
    use crate::functionchat::metric::Called;
    use proptest::prelude::*;

    fn rule(gold: &str, said: &str, acceptable: &str) -> Rule {
        let arguments = Value::read_lenient(gold).unwrap().0.as_object().unwrap().clone();
        let gold = FunctionCall { name: "f".to_owned(), arguments };
        let call = Called { name: "f".to_owned(), arguments: Arguments::Text(said.to_owned()) };
        let heard = Heard { content: None, calls: vec![call] };
        judge(&gold, &Value::read_lenient(acceptable).unwrap().0, &heard, &words())
    }

    #[test]
    fn values_are_pythons() {
        for (gold, said, wanted) in [
            (r#"{"a":3}"#, r#"{"a":3.0}"#, Rule::Pass),
            (r#"{"a":true}"#, r#"{"a":1}"#, Rule::Pass),
            (r#"{"a":3}"#, r#"{"a":"3"}"#, Rule::Fail),
            (r#"{"a":"Kim Min"}"#, r#"{"a":"kimmin "}"#, Rule::Pass),
            (r#"{"a":"Kim Min"}"#, r#"{"a":"Kim\tMin"}"#, Rule::Fail),
            (r#"{"a":["p q"]}"#, r#"{"a":["pq"]}"#, Rule::Fail),
            (r#"{"a":"x","b":null}"#, r#"{"a":"x"}"#, Rule::Pass),
            (r#"{"a":"x"}"#, r#"{"a":"y","a":"x"}"#, Rule::Pass),
            (r#"{"a":"x"}"#, r#"{"a":"x","b":1}"#, Rule::Fail),
            ("{}", "", Rule::Fail),
            ("{}", "null", Rule::Crash(Crash::Attribute)),
            ("{}", "[]", Rule::Crash(Crash::Attribute)),
        ] {
            assert_eq!(rule(gold, said, "null"), wanted, "{gold} {said}");
        }
    }

    #[test]
    fn a_scalar_that_is_no_text_opens_its_key() {
        for said in [r#"{"a":999}"#, r#"{"a":"foo"}"#, "{}"] {
            assert_eq!(rule(r#"{"a":170}"#, said, r#""{\"a\":170.0}""#), Rule::Pass, "{said}");
            assert_eq!(rule(r#"{"a":170}"#, said, r#""{\"a\":[170.0]}""#), Rule::Fail, "{said}");
        }
        assert_eq!(rule(r#"{"a":"x"}"#, r#"{"a":"x","b":false}"#, r#"{"b":false}"#), Rule::Fail);
    }

    #[test]
    fn other_wordings_are_as_right() {
        for acceptable in [r#"{"a":["y","z"]}"#, r#""{\"a\":\"Y\"}""#] {
            assert_eq!(rule(r#"{"a":"x"}"#, r#"{"a":"y"}"#, acceptable), Rule::Pass, "{acceptable}");
            assert_eq!(rule(r#"{"a":"x"}"#, r#"{"a":"yy"}"#, acceptable), Rule::Fail, "{acceptable}");
        }
    }

    #[test]
    fn only_three_notes_are_known() {
        let right = |note: &str| rule(r#"{"a":"x"}"#, r#"{"a":"x"}"#, note);
        assert_eq!(right("\"Only ground truth is allowed.\""), Rule::Pass);
        assert_eq!(right("\"Please be lenient.\""), Rule::Crash(Crash::Decode));
        assert_eq!(
            (right("\"\""), right("\"[]\""), right("7")),
            (Rule::Crash(Crash::Decode), Rule::Crash(Crash::Attribute), Rule::Crash(Crash::Type))
        );
    }

    #[test]
    fn the_first_call_alone_counts() {
        let gold = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        let called = |name: &str| Called { name: name.to_owned(), arguments: Arguments::Text("{}".to_owned()) };
        let of = |names: &[&str]| {
            let heard = Heard { content: None, calls: names.iter().map(|name| called(name)).collect() };
            judge(&gold, &Value::Null, &heard, &words())
        };
        assert_eq!(
            (of(&["f", "g"]), of(&["g", "f"]), of(&["F"]), of(&[])),
            (Rule::Pass, Rule::Fail, Rule::Fail, Rule::Fail)
        );
        let odd = Called { arguments: Arguments::Other(Value::Object(Object::new())), ..called("f") };
        let rule = judge(&gold, &Value::Null, &Heard { content: None, calls: vec![odd] }, &words());
        assert_eq!((rule, rule.as_str()), (Rule::Crash(Crash::Type), "fail"));
    }

    proptest! {
        #[test]
        fn the_right_arguments_pass_whatever_else_is_right(value in crate::fixtures::any_value(false)) {
            let gold = Value::Object([("a".to_owned(), value)].into()).to_string();
            prop_assert_eq!(rule(&gold, &gold, "null"), Rule::Pass);
        }
    }
}
