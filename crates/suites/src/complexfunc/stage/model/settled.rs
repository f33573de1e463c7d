//! Whether the arguments of a planned request are where its notes say that they are.

use crate::complexfunc::stage::model::trace::{Made, Tracer, check_form, earlier, made_of};
use crate::gate::pointed;
use crate::record::{Argument, ArgumentNotes, ComplexQuery, Origin, Value};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;

/// Checks that every call is well-formed, and that every argument stands where its note says, or where one can be found.
pub(crate) fn check_settled(context: &Context, query: &ComplexQuery) -> Result<(), Fault> {
    let made = made_of(query);
    let tracer = Tracer::new(context, &query.text, &[]);
    let notes: Vec<&ArgumentNotes> = query.steps.iter().flat_map(|step| &step.notes).collect();
    for (ordinal, it) in made.iter().enumerate() {
        if let Err(fault) = check_form(&it.tool, &it.call) {
            return Err(Fault::new("malformed_call", format!("`{}`: {fault}", it.call.name)));
        }
        let before = earlier(&made, it.turn);
        for (name, value) in &it.call.arguments {
            let note = notes.get(ordinal).and_then(|notes| notes.get(name));
            let is_noted = note.is_some_and(|note| holds(query, &made, it.turn, note, value));
            let found = || tracer.argument(&it.tool, name, &it.call.arguments, &before).argument.origin;
            if !is_noted && found() == Origin::Missing {
                let detail =
                    format!("neither the request nor an earlier answer says {name} = {value} of `{}`", it.call.name);
                return Err(Fault::new("untraceable", detail));
            }
        }
    }
    Ok(())
}

/// Whether a note can be followed to its value.
fn holds(query: &ComplexQuery, made: &[Made], turn: usize, note: &Argument, value: &Value) -> bool {
    let source = |call: usize, field: &str| {
        let it = made.get(call).filter(|it| it.turn < turn)?;
        pointed(&it.answer, field)
    };
    match &note.origin {
        Origin::Answer { call, field } => source(*call, field).is_some_and(|found| is_part(found, value)),
        Origin::Derived { call, field } => source(*call, field).is_some(),
        Origin::Missing | Origin::Default | Origin::Open => false,
        _ => note.surface.as_deref().is_some_and(|words| is_said(&query.text, words)),
    }
}

/// Whether the words stand in a text; those of several values are parted by commas.
fn is_said(text: &str, words: &str) -> bool {
    !words.is_empty() && (text.contains(words) || words.split(", ").all(|part| text.contains(part)))
}

/// Whether a value is that of an answer, or has it as one of several.
fn is_part(found: &Value, value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| is_part(found, item)),
        Value::Object(fields) => fields.values().any(|field| is_part(found, field)),
        Value::String(text) => {
            found.equals(value) || found.as_str().is_some_and(|one| text.split(',').any(|it| it.trim() == one))
        }
        _ => found.equals(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::correct::CorrectConfig;
    use crate::complexfunc::stage::model::trace::arrange;
    use crate::complexfunc::stage::model::trace::testing::{coarse, complex_item, greyford, inn, made};
    use crate::record::Plan;
    use crate::settings::section::read_text;
    use crate::stage::Stage;
    use crate::stage::testing::silent;

    const TEXT: &str = "An inn in Greyford from November 1, 2024, leaving after the weekend";

    fn planned(context: &Context) -> ComplexQuery {
        let calls = [(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", greyford(context).1)];
        let mut steps = arrange(&Tracer::new(context, TEXT, &[]), &made(context, &calls));
        let departure =
            Argument { surface: Some("after the weekend".to_owned()), origin: Origin::Inferred, constraint: None };
        steps[1].notes[0].insert("departure".to_owned(), departure);
        ComplexQuery { steps, plan: Some(Box::new(Plan::default())), ..coarse(context, TEXT, &[]) }
    }

    fn reason(change: impl FnOnce(&mut ComplexQuery)) -> Option<&'static str> {
        let context = inn(silent());
        let mut query = planned(&context);
        change(&mut query);
        check_settled(&context, &query).err().map(|fault| fault.reason)
    }

    #[tokio::test]
    async fn a_planned_request_is_checked_and_nobody_is_asked() {
        let context = inn(silent());
        let item = complex_item(planned(&context));
        let config: CorrectConfig = read_text("").unwrap();
        assert_eq!(config.each(&context, item.clone()).await.unwrap().kept, [item]);
        let mut broken = planned(&context);
        broken.text = "An inn in Greyford".to_owned();
        let outcome = config.each(&context, complex_item(broken)).await.unwrap();
        assert_eq!(outcome.rejected[0].reason, "untraceable");
    }

    #[test]
    fn notes_are_followed_to_the_words_and_the_answers() {
        let origin = |query: &mut ComplexQuery, call: usize, field: &str| {
            query.steps[1].notes[0]["town_id"].origin = Origin::Answer { call, field: field.to_owned() };
        };
        assert_eq!(reason(|_| ()), None);
        assert_eq!(
            reason(|it| it.steps[1].notes[0]["departure"].surface = Some("before it".to_owned())),
            Some("untraceable")
        );
        assert_eq!(
            reason(|it| drop(it.steps[1].calls[0].arguments.insert("town_id".to_owned(), "T9".into()))),
            Some("untraceable")
        );
        assert_eq!(reason(|it| origin(it, 7, "/x")), None, "the answer has it all the same");
        assert_eq!(reason(|it| drop(it.steps[1].calls[0].arguments.shift_remove("town_id"))), Some("malformed_call"));
        assert_eq!(reason(|it| it.steps[1].notes.clear()), Some("untraceable"), "no rule reads the words");
    }

    #[test]
    fn one_of_several_values_is_enough_for_a_note() {
        let value = |json: &str| Value::read(json).unwrap();
        assert!(is_part(&"a".into(), &"b, a".into()) && !is_part(&"a".into(), &"ab".into()));
        assert!(is_part(&"T2".into(), &value(r#"[{"town_id": "T2"}]"#)) && is_part(&5.into(), &value("5.0")));
        assert!(is_said("from May to June", "May, June") && !is_said("from May", "May, June") && !is_said("x", ""));
    }
}
