//! Does an answer give the parameter that was asked for, and nothing that is known already?

use super::Fault;
use super::parameters::{Wording, check_parameters, check_wording};
use super::script::check_script;
use crate::locale::Language;
use crate::record::{ArgumentNotes, FunctionCall, Object, Tool, Value};

/// Checks an answer to a question for `parameter` (HammerBench E.7): it gives that parameter alone, says its value, and
/// repeats no value of `known`. Gives the surface form and origin of the argument.
pub fn check_answer(
    tool: &Tool,
    parameter: &str,
    known: &Object,
    (arguments, text): (&Object, &str),
    language: &Language,
) -> Result<ArgumentNotes, Fault> {
    let call = FunctionCall { name: tool.name.clone(), arguments: arguments.clone() };
    let notes = check_parameters(tool, &[parameter.to_owned()], &call, text, language)?;
    check_script(text, language, None)?;
    check_new(arguments.get(parameter), known)?;
    Ok(notes)
}

/// The same of an answer whose writer tells by which words it says the value.
pub fn check_reply(
    tool: &Tool,
    (parameter, value): (&str, &Value),
    known: &Object,
    (text, wording): (&str, Wording<'_>),
    language: &Language,
) -> Result<ArgumentNotes, Fault> {
    let arguments = Object::from_iter([(parameter.to_owned(), value.clone())]);
    let call = FunctionCall { name: tool.name.clone(), arguments };
    let notes = check_wording(tool, &[parameter.to_owned()], &call, (text, wording), language)?;
    check_script(text, language, None)?;
    check_new(Some(value), known)?;
    Ok(notes)
}

/// Checks that no other parameter has the value already.
fn check_new(value: Option<&Value>, known: &Object) -> Result<(), Fault> {
    let same = |other: &&String| {
        known.get(*other).is_some_and(|it| it.as_str().is_some() && value.is_some_and(|value| value.equals(it)))
    };
    match known.keys().find(same) {
        Some(other) => Err(Fault::new("repeated_value", format!("`{other}` has this value already"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(arguments: &str, text: &str) -> Option<&'static str> {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "A.B.book", "parameters": {"properties": {"from": {"type": "string"}, "to": {"type": "string"}}}}"#,
        )
        .unwrap();
        let known = serde_json::from_str(r#"{"from": "Lisbon"}"#).unwrap();
        let given = (&serde_json::from_str(arguments).unwrap(), text);
        check_answer(&tool, "to", &known, given, &Language::load(crate::fixtures::assets(), "en").unwrap())
            .err()
            .map(|fault| fault.reason)
    }

    #[test]
    fn an_answer_gives_what_was_asked_for_and_says_it() {
        assert_eq!(reason(r#"{"to": "Porto"}"#, "To Porto, please"), None);
        assert_eq!(reason(r#"{"to": "Porto"}"#, "I don't care"), Some("value_not_in_query"));
        assert_eq!(reason("{}", "To Porto"), Some("missing_parameter"));
        assert_eq!(reason(r#"{"to": "Porto", "from": "Faro"}"#, "From Faro to Porto"), Some("invented_parameter"));
    }

    #[test]
    fn a_value_that_another_parameter_has_is_no_answer() {
        assert_eq!(reason(r#"{"to": "Lisbon"}"#, "To Lisbon"), Some("repeated_value"));
    }

    #[test]
    fn an_answer_is_in_the_language() {
        assert_eq!(reason(r#"{"to": "부산"}"#, "부산까지 가 주세요"), Some("wrong_script"));
    }
}
