//! A call of a turn as the released file writes it: the group before a dot, and a list of values for each parameter.

use crate::record::{BorrowedValue, FunctionCall, Value};
use crate::score::bfcl::{PythonValue, repr};

/// A call as a text: `Group.function(parameter=[value])`.
pub fn call_text(call: &FunctionCall) -> String {
    let argument =
        |(name, value): (&String, &Value)| format!("{name}=[{}]", repr(&PythonValue::from(BorrowedValue::from(value))));
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    format!("{}({})", dotted(&call.name), arguments.join(", "))
}

/// The group and its function, as that file tells them apart.
fn dotted(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { name.replacen('_', ".", 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::bfcl::decode_text;

    fn text(json: &str) -> String {
        call_text(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn values_are_pythons_and_the_first_underscore_is_a_dot() {
        let call =
            r#"{"name": "Insurance_get_policy", "arguments": {"policy_id": "it's", "n": [1, 2.5], "d": {"k": true}}}"#;
        assert_eq!(text(call), r#"Insurance.get_policy(policy_id=["it's"], n=[[1, 2.5]], d=[{'k': True}])"#);
        assert_eq!(text(r#"{"name": "Insurance_get_user", "arguments": {}}"#), "Insurance.get_user()");
        assert_eq!(text(r#"{"name": "a.b_c", "arguments": {"x": null}}"#), "a.b_c(x=[None])");
        assert_eq!(decode_text(&text(call)).unwrap()[0].name, "Insurance.get_policy");
    }
}
