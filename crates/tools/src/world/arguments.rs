//! Whether the arguments of a call are what the declaration says.

use super::{CallFault, Session};
use crate::toolset::{Api, Content, Field};
use fcgen_core::locale::Stamp;
use fcgen_core::record::{Object, Value};

impl Session<'_> {
    /// The arguments of a call without those that say nothing.
    pub(super) fn checked(&self, api: &Api, arguments: &Object) -> Result<Object, CallFault> {
        let given: Object = arguments
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if let Some(name) = given.keys().find(|name| !api.slots.contains_key(*name)) {
            return Err(CallFault::UnknownParameter { parameter: name.clone() });
        }
        for (name, slot) in &api.slots {
            match given.get(name) {
                Some(value) => self.check(name, &slot.field, value)?,
                None if slot.required => return Err(CallFault::Missing { parameter: name.clone() }),
                None => {}
            }
        }
        Ok(given)
    }

    fn check(&self, parameter: &str, field: &Field, value: &Value) -> Result<(), CallFault> {
        if let Some(expected) = mismatch(field, value) {
            return Err(CallFault::Invalid { parameter: parameter.to_owned(), expected, value: value.clone() });
        }
        let Content::Reference(of) = &field.content else { return Ok(()) };
        let id = value.as_str().unwrap_or_default();
        if self.row(of, id).is_some() {
            return Ok(());
        }
        Err(CallFault::NotFound { parameter: parameter.to_owned(), id: id.to_owned() })
    }
}

/// What a value should be and is not.
fn mismatch(field: &Field, value: &Value) -> Option<String> {
    let is_typed = match (field.type_name.as_str(), value) {
        ("integer", Value::Number(number)) => number.is_finite() && number.as_f64().fract() == 0.0,
        ("number", Value::Number(number)) => number.is_finite(),
        ("boolean", Value::Bool(_)) | ("string", Value::String(_)) => true,
        _ => false,
    };
    if !is_typed {
        return Some(field.type_name.clone());
    }
    let text = value.as_str().unwrap_or_default();
    match &field.content {
        Content::Listed(values) if !values.iter().any(|listed| listed == text) => Some(values.join("|")),
        _ if field.day && !is_day(text) => Some("YYYY-MM-DD".to_owned()),
        _ => None,
    }
}

/// Whether a text is a day that the calendar holds, written as ISO 8601 has it.
fn is_day(text: &str) -> bool {
    let date = Stamp::read(text).filter(|stamp| stamp.time.is_none()).and_then(|stamp| stamp.date);
    date.is_some_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use crate::world::testing::{arguments, bank};

    fn answer(tool: &str, json: &str) -> String {
        let world = bank("en", 5);
        let (account, other) = (world.rows("account").next().unwrap().id(), world.rows("account").nth(1).unwrap().id());
        let json = json.replace("ONE", account).replace("TWO", other);
        let mut session = world.session();
        session.call(tool, &arguments(&json)).unwrap_or_else(|fault| fault.answer()).to_string()
    }

    #[test]
    fn what_is_missing_unknown_or_of_another_type_is_an_error_object() {
        for (json, expected) in [
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "TWO"}"#,
                r#"{"error":{"code":"missing_parameter","parameter":"amount"}}"#,
            ),
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "TWO", "amount": null}"#,
                r#"{"error":{"code":"missing_parameter","parameter":"amount"}}"#,
            ),
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "TWO", "amount": 5, "note": "x"}"#,
                r#"{"error":{"code":"unknown_parameter","parameter":"note"}}"#,
            ),
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "TWO", "amount": "5"}"#,
                r#"{"error":{"code":"invalid_parameter","parameter":"amount","expected":"number","value":"5"}}"#,
            ),
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "X", "amount": 5}"#,
                r#"{"error":{"code":"not_found","parameter":"toAccountId","value":"X"}}"#,
            ),
            (
                r#"{"fromAccountId": "ONE", "toAccountId": "TWO", "amount": 5, "day": "2026-2-3"}"#,
                r#"{"error":{"code":"invalid_parameter","parameter":"day","expected":"YYYY-MM-DD","value":"2026-2-3"}}"#,
            ),
        ] {
            assert_eq!(answer("transferMoney", json), expected);
        }
    }

    #[test]
    fn whole_numbers_listed_values_and_free_text_are_told_apart() {
        assert!(answer("quoteInterest", r#"{"amount": 5.0, "months": 6}"#).starts_with(r#"{"rate":"#));
        let fault = answer("quoteInterest", r#"{"amount": 5, "months": 6.5}"#);
        assert!(fault.contains(r#""parameter":"months","expected":"integer""#), "{fault}");
        let fault = answer("quoteInterest", r#"{"amount": 5, "months": 6, "currency": "GBP"}"#);
        assert!(fault.contains(r#""expected":"EUR|USD""#), "{fault}");
        assert!(answer("freezeAccount", r#"{"accountId": "ONE", "reason": "$$$"}"#).contains("frozen"));
        let fault = answer("setPaperless", r#"{"accountId": "ONE", "paperless": "true"}"#);
        assert!(fault.contains(r#""expected":"boolean""#), "{fault}");
    }

    #[test]
    fn a_tool_that_is_not_there_is_an_error_object_too() {
        assert_eq!(answer("fly", "{}"), r#"{"error":{"code":"unknown_function","function":"fly"}}"#);
    }
}
