//! Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
//!
//! It asks no model: `consistency` does that.

use crate::gate::{Wording, check_external, check_parameters, check_question, check_wording, stands, told_words};
use crate::record::RecordKind;
use crate::record::{Argument, ArgumentNotes, Item, Mended, Query, Record, Tool, Value};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a query if its call has exactly the intended parameters, with values that occur in the text. Keeps a question
/// if its calls belong to the domain and their arguments are declared and given by the text or an earlier answer.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParametersConfig {}

impl Stage for ParametersConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("parameters", &[RecordKind::Query, RecordKind::Question])
    }

    /// Keeps a query whose arguments are the wanted ones, each said by its text.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        let checked = match &mut item.record {
            Record::Query(query) => {
                let is_template = item.provenance.template;
                check(context, query, is_template).map(|notes| query.notes = notes)
            }
            Record::Question(question) => check_question(question, context.language()),
            _ => Ok(()),
        };
        match checked {
            Ok(()) => Outcome::keep(item),
            Err(fault) => {
                let mut outcome = context.reject(&item.id, fault, item.record.said().unwrap_or_default());
                if let (Record::Query(query), Some(reject)) = (&item.record, outcome.rejected.first_mut()) {
                    reject.mended = mended(context, query).map(Box::new);
                }
                outcome
            }
        }
    }
}

/// What the query's own words ask for, where nothing but invented arguments stands in the way: its call without those
/// that the tool does not have, or that were not wanted and are not said, if that passes.
pub fn mended(context: &Context, query: &Query) -> Option<Mended> {
    let (tool, language, text): (&Tool, _, _) = (&query.tool, context.language(), query.said());
    let is_invented = |name: &String, value: &Value| {
        let Some(parameter) = tool.parameters.properties.get(name) else { return true };
        !query.preset.contains(name) && stands((tool, name, parameter), value, &text, (&[], None), language).is_none()
    };
    let mut right = query.clone();
    right.call.arguments.retain(|name, value| !is_invented(name, value));
    let is_changed = right.call != query.call && right.call.name == tool.name;
    (is_changed && check(context, &right, true).is_ok()).then(|| Mended {
        data_type: query.data_type.clone(),
        said: query.call.clone(),
        right: right.call,
    })
}

/// What a model wrote was checked by the words that it told; they stand in the notes.
fn check(context: &Context, query: &Query, is_template: bool) -> Result<ArgumentNotes, Fault> {
    let language = context.language();
    match (&query.external, &query.hidden) {
        (Some(external), Some(hidden)) => {
            let time = Some(context.reference_time()).filter(|_| !is_template);
            check_external(query, external, hidden, (time, &**language))
        }
        _ if !is_template => {
            let words = |(name, note): (&String, &Argument)| {
                let words = told_words(query.call.arguments.get(name)?, note.surface.as_deref()?);
                Some((name.clone(), words))
            };
            let said = query.notes.iter().filter_map(words).collect();
            // That the words say the value was settled where it was written.
            let known =
                |name: &str, _: &Value| query.notes.get(name).and_then(|it| it.surface.clone()).into_iter().collect();
            let wording = Wording { said: &said, known: &known, reference_time: context.reference_time() };
            check_wording(&query.tool, &query.preset, &query.call, (&query.text, wording), language)
        }
        _ => check_parameters(&query.tool, &query.preset, &query.call, &query.text, language),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{queries, query, query_item, silent, tool_item, train};

    #[test]
    fn a_setting_is_refused() {
        assert_eq!(read_text::<ParametersConfig>("strict = true").unwrap_err(), ["unknown key `strict` in the test"]);
    }

    fn checked(query: Query) -> Outcome {
        ParametersConfig {}.apply(&silent(), query_item(query))
    }

    #[test]
    fn a_sound_query_learns_how_its_values_are_said() {
        let outcome = checked(query("three seats to Porto", r#"{"to": "Porto", "seats": 3}"#));
        let query = queries(&outcome.kept)[0];
        assert_eq!(query.notes["seats"].surface.as_deref(), Some("three"));
        assert_eq!(query.notes["to"].origin, crate::record::Origin::Verbatim);
    }

    #[test]
    fn what_a_model_wrote_is_checked_by_the_words_that_it_told() {
        let mut query = query("bookonewithpuzzlesandboardgames", r#"{"to": "Porto"}"#);
        let parameter = serde_json::from_str(r#"{"type": "array", "items": {"type": "string"}}"#).unwrap();
        std::sync::Arc::make_mut(&mut query.tool).parameters.properties.insert("freight".to_owned(), parameter);
        query.call.arguments = serde_json::from_str(r#"{"freight": ["jigsaws", "games"]}"#).unwrap();
        query.preset = vec!["freight".to_owned()];
        let surface = Some("puzzles, board games".to_owned());
        query.notes = [("freight".to_owned(), Argument { surface, ..Argument::default() })].into_iter().collect();
        let mut item = query_item(query.clone());
        item.provenance.template = false;
        assert_eq!(ParametersConfig {}.apply(&silent(), item.clone()).kept.len(), 1);
        item.provenance.template = true;
        assert_eq!(ParametersConfig {}.apply(&silent(), item).rejected[0].reason, "value_not_in_query");
    }

    #[test]
    fn a_faulty_query_is_rejected_with_its_text() {
        let outcome = checked(query("three seats to Porto", r#"{"to": "Faro", "seats": 3}"#));
        let reject = &outcome.rejected[0];
        assert_eq!((reject.reason.as_str(), reject.stage.as_str()), ("value_not_in_query", "stage"));
        assert_eq!(
            (reject.text.as_str(), reject.detail.as_str()),
            ("three seats to Porto", "the request does not say to = \"Faro\"")
        );
    }

    #[test]
    fn a_reject_tells_the_right_call_where_only_invented_arguments_are_wrong() {
        let mended = |arguments: &str| checked(query("to Porto", arguments)).rejected[0].mended.clone();
        let known = mended(r#"{"to": "Porto", "seats": 3}"#);
        // What is wanted of the draw stands in its preset list, which here is what it calls.
        assert_eq!(known, None);
        let mut invented = query("to Porto", r#"{"to": "Porto", "seats": 3}"#);
        invented.preset = vec!["to".to_owned()];
        let known = checked(invented.clone()).rejected[0].mended.clone().unwrap();
        assert_eq!(known.said, invented.call);
        assert_eq!(known.right.arguments.keys().collect::<Vec<_>>(), ["to"]);
        assert_eq!(mended(r#"{"to": "Faro"}"#), None, "nobody knows what was meant");
        // What is said after all is not invented, and the words ask for more than they were to.
        "three seats to Porto".clone_into(&mut invented.text);
        assert_eq!(checked(invented).rejected[0].mended, None);
    }

    #[test]
    fn a_variant_is_checked_against_its_message() {
        let variant = |external: &str| {
            let mut query = query("2 seats to the place in the note", r#"{"to": "Porto", "seats": 2}"#);
            (query.external, query.hidden) = (Some(external.to_owned()), Some("to".to_owned()));
            checked(query)
        };
        let kept = variant("Let us meet in Porto.");
        assert_eq!(queries(&kept.kept)[0].notes.keys().collect::<Vec<_>>(), ["to", "seats"], "in the label's order");
        assert_eq!(variant("Let us meet in Faro.").rejected[0].reason, "value_not_in_external_text");
        assert_eq!(variant("Porto, and 2 of us come.").rejected[0].reason, "value_in_external_text");
    }

    #[test]
    fn what_is_no_query_passes() {
        let item = tool_item(train());
        assert_eq!(ParametersConfig {}.apply(&silent(), item.clone()), Outcome::keep(item));
    }
}
