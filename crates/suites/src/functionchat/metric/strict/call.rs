//! A turn that should call.

use super::outcome::{Reason, Ruled};
use crate::functionchat::metric::{Arguments, Called, Heard};
use crate::record::{FunctionCall, Object, Parameter, Tool, Value};
use indexmap::IndexMap;
use unicode_normalization::UnicodeNormalization;

/// The right call, and what is as right.
#[derive(Debug, Clone, Copy)]
pub struct Gold<'g> {
    /// The call.
    pub call: &'g FunctionCall,
    /// Other values, by parameter; a parameter that the call does not have may be given with them.
    pub acceptable: &'g IndexMap<String, Vec<Value>>,
    /// Whether no other wording is right.
    pub is_only: bool,
    /// The tool, for its types.
    pub tool: Option<&'g Tool>,
    /// How values are compared.
    pub same: Same,
    /// Whether no text at all stands for no arguments.
    pub takes_empty: bool,
}

/// Judges what was said in the place of a call.
pub fn judge_call(gold: Gold<'_>, heard: &Heard) -> Ruled {
    let call = match heard.calls.as_slice() {
        [] => return Ruled::fail(Reason::NoCall, ""),
        [call] => call,
        several => {
            let names: Vec<&str> = several.iter().map(|call| call.name.as_str()).collect();
            return Ruled::fail(Reason::ExtraCall, format!("it calls {}", names.join(", ")));
        }
    };
    if call.name != gold.call.name {
        return Ruled::fail(Reason::WrongFunction, format!("it calls `{}` and not `{}`", call.name, gold.call.name));
    }
    match gold.arguments(call) {
        Some(arguments) => gold.compare(&arguments),
        None => Ruled::fail(Reason::BadArguments, "the arguments are no JSON object"),
    }
}

impl Gold<'_> {
    fn arguments(&self, call: &Called) -> Option<Object> {
        let is_empty = matches!(&call.arguments, Arguments::Text(text) if text.trim().is_empty());
        if is_empty && self.takes_empty { Some(Object::new()) } else { call.object() }
    }

    fn compare(&self, said: &Object) -> Ruled {
        let gold = &self.call.arguments;
        let invented = said.keys().find(|name| !gold.contains_key(*name) && !self.acceptable.contains_key(*name));
        let missing = || gold.iter().find(|(name, value)| !value.is_null() && !said.contains_key(*name));
        if let Some(name) = invented {
            return Ruled::fail(Reason::Key, format!("`{name}` is invented"));
        }
        if let Some((name, _)) = missing() {
            return Ruled::fail(Reason::Key, format!("`{name}` is missing"));
        }
        if let Some((name, value)) = said.iter().find(|(name, value)| !self.is_of_type(name, value)) {
            return Ruled::fail(Reason::Type, format!("`{name}` is {value}, which is of another type"));
        }
        let unequal: Vec<(&String, &Value)> = said.iter().filter(|(name, value)| !self.accepts(name, value)).collect();
        if unequal.is_empty() {
            return Ruled::pass();
        }
        let is_plain = |value: &Value| matches!(value, Value::Number(_) | Value::Bool(_) | Value::Null);
        if let Some((name, value)) = unequal.iter().find(|(_, value)| is_plain(value)) {
            return Ruled::fail(Reason::Value, format!("`{name}` is {value}"));
        }
        match unequal.iter().find(|(name, value)| self.is_only && !self.is_respaced(name, value)) {
            Some((name, value)) => Ruled::fail(Reason::OnlyGroundTruth, format!("`{name}` is {value}")),
            None => Ruled::undecided(),
        }
    }

    /// A `null` in the place of a `null` is of every type.
    fn is_of_type(&self, name: &str, value: &Value) -> bool {
        let is_gold_null = value.is_null() && self.call.arguments.get(name).is_some_and(Value::is_null);
        let parameter = self.tool.and_then(|tool| tool.parameters.properties.get(name));
        is_gold_null || parameter.is_none_or(|parameter| is_of_type(value, parameter))
    }

    fn accepts(&self, name: &str, value: &Value) -> bool {
        let others = self.acceptable.get(name).into_iter().flatten();
        self.call.arguments.get(name).into_iter().chain(others).any(|right| self.same.values(value, right))
    }

    /// Whether a text differs from the right one by white space alone.
    fn is_respaced(&self, name: &str, value: &Value) -> bool {
        let right = self.call.arguments.get(name).and_then(Value::as_str);
        value.as_str().zip(right).is_some_and(|(said, right)| self.same.but_for_space(said, right))
    }
}

// When two values are the same: typed, and forgiving of spaces and capitals alone.

/// How values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Same {
    /// Whether wide letters and digits are the narrow ones.
    pub folds_width: bool,
}

impl Same {
    /// Whether two values are the same: truths are no numbers, numbers go by quantity, texts by letters.
    pub fn values(self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::String(one), Value::String(other)) => one == other || self.plain(one) == self.plain(other),
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.values(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| self.values(one, other)))
            }
            _ => one.equals(other),
        }
    }

    /// Whether two texts differ by white space at most, of whatever kind.
    pub fn but_for_space(self, one: &str, other: &str) -> bool {
        let bare = |text: &str| self.plain(text).chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        bare(one) == bare(other)
    }

    fn plain(self, text: &str) -> String {
        let folded: String = if self.folds_width { text.nfkc().collect() } else { text.nfc().collect() };
        folded.replace(' ', "").to_lowercase()
    }
}

/// Whether a value is of its parameter's type. `null` is of none, and of a parameter without a type everything is.
pub(super) fn is_of_type(value: &Value, parameter: &Parameter) -> bool {
    if parameter.kind.is_none() {
        return true;
    }
    match (parameter.type_name(), value) {
        ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => true,
        ("number", Value::Number(number)) => number.is_finite(),
        ("integer", Value::Number(number)) => number.is_integer_text(),
        ("array", Value::List(_)) | ("object", Value::Object(_)) => true,
        ("string" | "boolean" | "number" | "integer" | "array" | "object", _) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn object(text: &str) -> Object {
        Value::read_lenient(text).unwrap().0.as_object().unwrap().clone()
    }

    /// The types of a tool as they follow from right arguments.
    fn tool(gold: &Object) -> Tool {
        let kind = |value: &Value| match value {
            Value::Number(number) if number.is_integer_text() => "integer",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            Value::List(_) => "array",
            Value::Object(_) => "object",
            _ => "string",
        };
        let properties: serde_json::Map<String, serde_json::Value> =
            gold.iter().map(|(name, value)| (name.clone(), serde_json::json!({"type": kind(value)}))).collect();
        serde_json::from_value(serde_json::json!({"name": "f", "parameters": {"properties": properties}})).unwrap()
    }

    fn ruled(gold: &str, said: &str, acceptable: &[(&str, &str)], is_only: bool) -> Ruled {
        let call = FunctionCall { name: "f".to_owned(), arguments: object(gold) };
        let list = |text: &str| Value::read_lenient(text).unwrap().0.as_list().unwrap().to_vec();
        let acceptable = acceptable.iter().map(|(name, values)| ((*name).to_owned(), list(values))).collect();
        let tool = tool(&call.arguments);
        let gold = Gold {
            call: &call,
            acceptable: &acceptable,
            is_only,
            tool: Some(&tool),
            same: Same::default(),
            takes_empty: false,
        };
        let called = Called { name: "f".to_owned(), arguments: Arguments::Text(said.to_owned()) };
        judge_call(gold, &Heard { content: None, calls: vec![called] })
    }

    fn reason(gold: &str, said: &str) -> &'static str {
        ruled(gold, said, &[], false).reason.as_str()
    }

    #[test]
    fn the_first_fault_in_order_is_the_reason() {
        for (gold, said, wanted) in [
            (r#"{"a":3}"#, r#"{"a":3}"#, "equal"),
            (r#"{"a":3}"#, r#"{"a":4}"#, "value"),
            (r#"{"a":"x","b":1}"#, r#"{"a":"x"}"#, "key"),
            (r#"{"a":"x"}"#, r#"{"a":"x","b":1}"#, "key"),
            (r#"{"a":"x","b":null}"#, r#"{"a":"x"}"#, "equal"),
            (r#"{"a":"x","b":null}"#, r#"{"a":"x","b":null}"#, "equal"),
            (r#"{"a":3}"#, r#"{"a":"3"}"#, "type"),
            (r#"{"a":"x"}"#, r#"{"a":"y"}"#, "judge"),
            (r#"{"a":["p","q"]}"#, r#"{"a":["q","p"]}"#, "judge"),
            (r#"{"a":"x"}"#, r#"{"a":"y","a":"x"}"#, "equal"),
            ("{}", "", "bad_arguments"),
            ("{}", "null", "bad_arguments"),
            ("{}", "[]", "bad_arguments"),
        ] {
            assert_eq!(reason(gold, said), wanted, "{gold} {said}");
        }
    }

    // What follows differs from the authors' rule on purpose; each test names one difference.

    #[test]
    fn differs_a_scalar_number_opens_no_key() {
        let of = |said: &str| ruled(r#"{"a":170}"#, said, &[("a", "[170.0]")], false).reason.as_str();
        assert_eq!([of(r#"{"a":999}"#), of(r#"{"a":"foo"}"#), of("{}")], ["value", "type", "key"]);
    }

    #[test]
    fn differs_a_truth_is_no_number_and_a_float_no_integer() {
        assert_eq!([reason(r#"{"a":true}"#, r#"{"a":1}"#), reason(r#"{"a":3}"#, r#"{"a":3.0}"#)], ["type", "type"]);
        assert_eq!(reason(r#"{"a":3.5}"#, r#"{"a":3.50}"#), "equal");
    }

    #[test]
    fn differs_every_call_counts() {
        let call = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        let acceptable = IndexMap::new();
        let gold = Gold {
            call: &call,
            acceptable: &acceptable,
            is_only: false,
            tool: None,
            same: Same::default(),
            takes_empty: false,
        };
        let called = |name: &str| Called { name: name.to_owned(), arguments: Arguments::Text("{}".to_owned()) };
        let of = |names: &[&str]| {
            judge_call(gold, &Heard { content: None, calls: names.iter().map(|it| called(it)).collect() })
        };
        assert_eq!([of(&["f", "g"]), of(&["g", "f"])].map(|it| it.reason), [Reason::ExtraCall; 2]);
        assert_eq!((of(&["F"]).detail.as_str(), of(&[]).reason), ("it calls `F` and not `f`", Reason::NoCall));
    }

    #[test]
    fn differs_what_is_wrong_for_sure_needs_no_judge() {
        assert_eq!(ruled(r#"{"a":"010-1122"}"#, r#"{"a":"0101122"}"#, &[], true).reason, Reason::OnlyGroundTruth);
        assert_eq!(ruled(r#"{"a":"Kim Min"}"#, r#"{"a":"KIMMIN"}"#, &[], true).reason, Reason::Equal);
        assert_eq!(ruled(r#"{"a":"Kim Min"}"#, r#"{"a":"Kim\tMin"}"#, &[], true).reason, Reason::Judge);
    }

    #[test]
    fn differs_an_optional_parameter_may_be_given_as_it_is_by_default() {
        let of = |said: &str| ruled(r#"{"a":"x"}"#, said, &[("b", "[false]")], false).reason;
        assert_eq!(
            [of(r#"{"a":"x","b":false}"#), of(r#"{"a":"x","b":true}"#), of(r#"{"a":"x"}"#)],
            [Reason::Equal, Reason::Value, Reason::Equal]
        );
    }

    #[test]
    fn differs_letters_are_the_same_however_they_are_put_together() {
        assert_eq!(reason(r#"{"a":"서울"}"#, "{\"a\":\"\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}\"}"), "equal");
    }

    #[test]
    fn differs_no_text_may_stand_for_no_arguments_where_somebody_says_so() {
        let call = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        let acceptable = IndexMap::new();
        let gold = Gold {
            call: &call,
            acceptable: &acceptable,
            is_only: false,
            tool: None,
            same: Same::default(),
            takes_empty: true,
        };
        let called = Called { name: "f".to_owned(), arguments: Arguments::Text(" ".to_owned()) };
        assert_eq!(judge_call(gold, &Heard { content: None, calls: vec![called] }), Ruled::pass());
    }

    proptest! {
        #[test]
        fn the_right_call_passes_and_no_other_key(value in crate::fixtures::any_value(false), name in "[a-z]{2,5}") {
            let object: Object = [("a".to_owned(), value)].into();
            let text = Value::Object(object.clone()).to_string();
            prop_assert_eq!(ruled(&text, &text, &[], true).reason, Reason::Equal);
            let more: Object = object.into_iter().chain([(name, Value::Null)]).collect();
            prop_assert_eq!(ruled(&text, &Value::Object(more).to_string(), &[], false).reason, Reason::Key);
        }
    }
}

#[cfg(test)]
mod same_tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let read = |text: &str| Value::read_lenient(text).unwrap().0;
        Same::default().values(&read(one), &read(other))
    }

    #[test]
    fn types_are_kept_and_spelling_is_not() {
        for (one, other) in [
            ("3", "3.0"),
            ("\"Kim Min\"", "\"kimmin \""),
            ("[\"a b\", 1]", "[\"AB\", 1.0]"),
            (r#"{"a": 1, "b": "x"}"#, r#"{"b": "X", "a": 1}"#),
            ("\"서울\"", "\"\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}\""),
            ("null", "null"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("true", "1"),
            ("3", "\"3\""),
            ("\"Kim Min\"", "\"Kim\\tMin\""),
            ("[1, 2]", "[2, 1]"),
            ("\"123\"", "\"１２３\""),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn wide_digits_are_narrow_where_somebody_says_so() {
        let wide = Same { folds_width: true };
        assert!(wide.values(&"123".into(), &"１２３".into()) && wide.but_for_space("a b", "Ａ\n\u{3000}b"));
        assert!(Same::default().but_for_space("Kim Min", "kim\tmin") && !Same::default().but_for_space("a", "b"));
    }

    #[test]
    fn a_float_is_no_integer_and_a_truth_no_number() {
        let of = |kind: &str, value: &str| {
            let parameter = Parameter { kind: Some(kind.into()), ..Parameter::default() };
            is_of_type(&Value::read_lenient(value).unwrap().0, &parameter)
        };
        for (kind, value) in [
            ("integer", "4"),
            ("number", "3"),
            ("number", "3.5"),
            ("string", "\"x\""),
            ("boolean", "true"),
            ("array", "[]"),
            ("object", "{}"),
            ("float", "\"x\""),
        ] {
            assert!(of(kind, value), "{kind} {value}");
        }
        for (kind, value) in [
            ("integer", "4.0"),
            ("integer", "true"),
            ("number", "true"),
            ("number", "NaN"),
            ("string", "5"),
            ("boolean", "1"),
            ("array", "{}"),
            ("string", "null"),
        ] {
            assert!(!of(kind, value), "{kind} {value}");
        }
        assert!(is_of_type(&Value::Null, &Parameter::default()));
    }
}
