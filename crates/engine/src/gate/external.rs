//! Does the hidden value stand in the external text, and nowhere else?

use super::Fault;
use super::parameters::{Wording, check_parameters, check_wording, letters, said, told_words};
use crate::locale::Language;
use crate::record::{Argument, ArgumentNotes, Query, Value};

/// Checks a query with external information (HammerBench E.6): the hidden argument is said by the external text and not
/// by the query; every other argument is said by the query and not by the external text. With a reference time, as where a
/// model writes, the words in the query's notes say the values.
pub fn check_external(
    query: &Query,
    external: &str,
    hidden: &str,
    (reference_time, language): (Option<&str>, &Language),
) -> Result<ArgumentNotes, Fault> {
    let mut visible = query.call.clone();
    visible.arguments.shift_remove(hidden);
    let preset: Vec<String> = query.preset.iter().filter(|name| *name != hidden).cloned().collect();
    let words = |name: &str| query.notes.get(name).and_then(|note| note.surface.clone());
    let mut notes = match reference_time {
        None => check_parameters(&query.tool, &preset, &visible, &query.text, language)?,
        Some(reference_time) => {
            let told = |name: &String| {
                let words = told_words(query.call.arguments.get(name)?, &words(name)?);
                Some((name.clone(), words))
            };
            let told = preset.iter().filter_map(told).collect();
            let known = |name: &str, _: &Value| words(name).into_iter().collect();
            let wording = Wording { said: &told, known: &known, reference_time };
            check_wording(&query.tool, &preset, &visible, (&query.text, wording), language)?
        }
    };
    let stands = |name: &str, text: &str| {
        let parameter = query.tool.parameters.properties.get(name)?;
        let value = query.call.arguments.get(name)?;
        if reference_time.is_none() {
            return said(&query.tool, name, parameter, value, text, language);
        }
        let found = super::stands((&query.tool, name, parameter), value, text, (&[], reference_time), language);
        found.or_else(|| {
            let surface = words(name).filter(|words| letters(text).contains(&letters(words)))?;
            Some(Argument {
                surface: Some(surface),
                origin: query.notes.get(name)?.origin.clone(),
                ..Argument::default()
            })
        })
    };
    let Some(note) = stands(hidden, external) else {
        return Err(Fault::new(
            "value_not_in_external_text",
            format!("the message does not say the value of {hidden}"),
        )
        .naming([hidden]));
    };
    if stands(hidden, &query.text).is_some() {
        return Err(
            Fault::new("value_in_query", format!("the request still says the value of {hidden}")).naming([hidden])
        );
    }
    // A flag's words (with, only) may stand anywhere; they give nothing away.
    let told = visible.arguments.iter().filter(|(_, value)| value.as_bool().is_none()).map(|(name, _)| name);
    // Nor do the words of the hidden value itself (the boxing hall, for the sport).
    let rest = note.surface.as_ref().map_or_else(|| external.to_owned(), |words| external.replace(words.as_str(), " "));
    if let Some(name) = told.into_iter().find(|name| stands(name, &rest).is_some()) {
        return Err(Fault::new("value_in_external_text", format!("the message says the value of {name} as well"))
            .naming([name]));
    }
    let order = |name: &String| query.call.arguments.get_index_of(name);
    notes.insert(hidden.to_owned(), note);
    notes.sort_by(|one, _, other, _| order(one).cmp(&order(other)));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DataType, FunctionCall, Tool};
    use std::sync::Arc;

    fn reason(text: &str, external: &str) -> Option<&'static str> {
        let language = Language::load(crate::fixtures::assets(), "en").unwrap();
        check_external(&sample_query(text), external, "time", (None, &language)).err().map(|fault| fault.reason)
    }

    fn sample_query(text: &str) -> Query {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "a.b.c", "parameters": {"properties": {"time": {"type": "string"}, "who": {"type": "string"}}}}"#,
        )
        .unwrap();
        let arguments = serde_json::from_str(r#"{"time": "half past six", "who": "Anna"}"#).unwrap();
        Query {
            data_type: DataType("ST_External".to_owned()),
            call: FunctionCall { name: tool.name.clone(), arguments },
            tool: Arc::new(tool),
            text: text.to_owned(),
            external: None,
            hidden: None,
            preset: vec!["time".to_owned(), "who".to_owned()],
            notes: ArgumentNotes::new(),
            base: None,
        }
    }

    #[test]
    fn the_value_stands_in_the_message_alone() {
        assert_eq!(reason("call Anna at the time in the note", "It starts at half past six."), None);
        assert_eq!(reason("call Anna at half past six", "It starts at half past six."), Some("value_in_query"));
        assert_eq!(reason("call Anna at the time in the note", "It starts soon."), Some("value_not_in_external_text"));
        assert_eq!(reason("call Anna then", "Anna says half past six."), Some("value_in_external_text"));
        assert_eq!(reason("call at the time in the note", "Half past six."), Some("value_not_in_query"));
    }

    #[test]
    fn what_lies_within_the_hidden_value_is_no_other_value() {
        let mut query = sample_query("call Anna at the time in the note");
        query.call.arguments.insert("time".to_owned(), "Anna's bedtime".into());
        let language = crate::fixtures::language("en");
        let reason =
            |external: &str| check_external(&query, external, "time", (None, &language)).err().map(|it| it.reason);
        assert_eq!(reason("Make it Anna's bedtime."), None);
        assert_eq!(reason("Anna, make it Anna's bedtime."), Some("value_in_external_text"));
    }

    #[test]
    fn the_notes_come_in_the_labels_order_with_the_hidden_one_among_them() {
        let query = sample_query("call Anna at the time in the note");
        let notes = check_external(
            &query,
            "Half past six it is.",
            "time",
            (None, &Language::load(crate::fixtures::assets(), "en").unwrap()),
        )
        .unwrap();
        assert_eq!(notes.keys().collect::<Vec<_>>(), ["time", "who"]);
        assert_eq!(notes["time"].surface.as_deref(), Some("Half past six"));
    }

    #[test]
    fn where_a_model_writes_the_words_of_the_notes_say_a_value() {
        let mut query = sample_query("call Anna at the time in the note");
        let parameter = query.tool.parameters.properties["time"].clone();
        let timed = crate::record::Parameter {
            more: [("format".to_owned(), "time".into())].into_iter().collect(),
            ..parameter
        };
        Arc::make_mut(&mut query.tool).parameters.properties.insert("time".to_owned(), timed);
        query.call.arguments.insert("time".to_owned(), "18:30:00".into());
        let note = |words: &str| Argument { surface: Some(words.to_owned()), ..Argument::default() };
        query.notes =
            [("time".to_owned(), note("when the bells ring")), ("who".to_owned(), note("Anna"))].into_iter().collect();
        let language = Language::load(crate::fixtures::assets(), "en").unwrap();
        let check = |external: &str| {
            check_external(&query, external, "time", (Some("2026-03-02T09:30:00Z"), &language))
                .map_err(|fault| fault.reason)
        };
        assert_eq!(
            check("It starts when the bells ring.").unwrap()["time"].surface.as_deref(),
            Some("when the bells ring")
        );
        assert!(check("It starts at half past six in the evening.").is_ok());
        assert_eq!(check("It starts soon.").unwrap_err(), "value_not_in_external_text");
    }

    #[test]
    fn what_is_wrong_with_the_request_itself_comes_first() {
        assert_eq!(reason("", "Half past six."), Some("empty_query"));
        assert_eq!(reason("call Anna, no wait, Ben at the time in the note", "Half past six."), Some("stale_value"));
    }
}
