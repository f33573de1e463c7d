//! Values of a lesson's calls that stand nowhere before them.

use crate::export::lessons::lesson::Lesson;
use crate::gate::{Before, Unsourced};
use crate::record::{ArgumentNotes, Expected, Sample};

/// The first such value of a lesson, among the calls that may be learned.
pub(crate) fn of_lesson(lesson: &Lesson) -> Option<Unsourced> {
    let mut before = Before::new(&lesson.tools);
    let mut notes = notes(&lesson.sample).into_iter();
    for (at, turn) in lesson.turns.iter().enumerate() {
        for call in &turn.calls {
            let notes = if at < lesson.target { None } else { notes.next().flatten() };
            let found = before.unsourced(call, notes).filter(|_| turn.is_learned());
            if found.is_some() {
                return found;
            }
        }
        turn.calls.iter().for_each(|call| before.called(call));
        turn.text.iter().for_each(|text| before.add(text));
    }
    None
}

/// What is known of the arguments of a sample's right calls, call by call.
fn notes(sample: &Sample) -> Vec<Option<&ArgumentNotes>> {
    match &sample.expected {
        Expected::Call(_) => vec![Some(&sample.arguments)],
        Expected::Steps(steps) => {
            steps.iter().flat_map(|step| (0..step.calls.len()).map(|at| step.notes.get(at))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{call, lesson, parallel, sample};
    use crate::export::{Learn, Turn};
    use crate::gate::unsourced;
    use crate::record::{Argument, Message, Origin};
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::Arc;

    fn faults(said: &str, arguments: &str) -> Option<String> {
        let sample = sample(json!("refusal"));
        let mut before = Before::new(&sample.candidates);
        before.hear(&Message::user(said));
        before.unsourced(&call("Rail.book", arguments), None).map(|it| it.to_string())
    }

    #[test]
    fn an_identifier_stands_in_the_words_in_whatever_form() {
        assert_eq!(faults("book AC-1234", r#"{"to":"AC-1234"}"#), None);
        assert_eq!(faults("book ac 1234, please", r#"{"to":"AC-1234"}"#), None);
        assert_eq!(faults("book AC-12345", r#"{"to":"AC-123"}"#), None, "its letters stand there, as said in pieces");
        assert_eq!(faults("book it", r#"{"to":"AC-1234"}"#).as_deref(), Some("Rail.book.to = AC-1234"));
        assert_eq!(faults("A1b2 and C3d4", r#"{"to":"A1b2,C3d4"}"#), None);
        assert_eq!(faults("A1b2", r#"{"to":["A1b2","C3d4"]}"#).as_deref(), Some("Rail.book.to = C3d4"));
        assert_eq!(faults("to Porto", r#"{"to":"Faro","seats":7}"#), None, "other values are held to their notes");
    }

    #[test]
    fn what_the_tools_say_of_themselves_is_a_source() {
        let mut sample = sample(json!({"call": {"name": "Rail.book", "arguments": {"to": "S7-east"}}}));
        assert_eq!(unsourced(&sample).len(), 1);
        let tool = Arc::make_mut(&mut sample.candidates[0]);
        tool.parameters.properties["to"].values = Some(vec![json!("S7-east")]);
        assert_eq!(unsourced(&sample), []);
    }

    #[test]
    fn a_value_of_kind_id_and_one_that_an_answer_gave_are_checked_whatever_their_form() {
        let mut sample = sample(json!({"call": {"name": "Rail.book", "arguments": {"to": 17}}}));
        assert_eq!(unsourced(&sample), []);
        Arc::make_mut(&mut sample.candidates[0]).kinds.insert("to".to_owned(), "id".to_owned());
        assert_eq!(unsourced(&sample).len(), 1);
        sample.messages.push(Message::user("line 17"));
        assert_eq!(unsourced(&sample), []);
        sample.messages.pop();
        let said = Argument { surface: Some("a train".to_owned()), origin: Origin::Normalised, constraint: None };
        sample.arguments.insert("to".to_owned(), said);
        assert_eq!(unsourced(&sample), [], "its words stand there");
        let answer = Origin::Answer { call: 0, field: "/id".to_owned() };
        sample.arguments.insert("to".to_owned(), Argument { origin: answer, ..Argument::default() });
        Arc::make_mut(&mut sample.candidates[0]).kinds.clear();
        assert_eq!(unsourced(&sample).len(), 1, "no answer stands there");
    }

    #[test]
    fn calls_of_a_step_know_the_answers_of_earlier_steps_and_not_of_their_own() {
        let of =
            |steps| unsourced(&sample(json!({ "steps": steps }))).into_iter().map(|it| it.value).collect::<Vec<_>>();
        let (find, book) = (
            json!({"name": "Rail.cancel", "arguments": {}}),
            json!({"name": "Rail.book", "arguments": {"to": "T10x"}}),
        );
        let answer = json!({"id": "T10x"});
        assert_eq!(
            of(json!([{"calls": [find], "answers": [answer]}, {"calls": [book], "answers": ["ok"]}])),
            Vec::<String>::new()
        );
        assert_eq!(of(json!([{"calls": [find, book], "answers": [answer, "ok"]}])), ["T10x"]);
    }

    #[test]
    fn a_lesson_is_held_to_what_may_be_learned() {
        assert_eq!((of_lesson(&lesson("call")), of_lesson(&parallel())), (None, None));
        let mut lesson = lesson("call");
        let made = Turn::called(vec![call("Rail.book", r#"{"to":"Z99-1"}"#)]);
        lesson.turns.splice(1..1, [Turn { learn: Learn::Wrong, ..made.clone() }, Turn::answered(0, "{}")]);
        lesson.target = 3;
        assert_eq!(of_lesson(&lesson), None);
        lesson.turns[1] = made;
        assert_eq!(of_lesson(&lesson).unwrap().value, "Z99-1");
    }

    proptest! {
        #[test]
        fn an_identifier_between_words_has_a_source_and_another_has_none(
            id in "[A-Z]{2,4}-?[0-9]{3,6}", front in "[a-z ]{0,20}", back in "[ .,!][a-z ]{0,20}"
        ) {
            let arguments = json!({"to": id}).to_string();
            prop_assert_eq!(faults(&format!("{front} {id}{back}"), &arguments), None);
            let silent = format!("{front} {back}");
            prop_assert!(faults(&silent, &arguments).is_some());
        }

        #[test]
        fn nothing_makes_it_panic(text in any::<String>(), value in any::<String>()) {
            let _ = faults(&text, &json!({ "to": value }).to_string());
        }
    }
}
