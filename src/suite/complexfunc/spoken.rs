//! What a recorded turn says: native calls, or calls and words that are read from its text.

use crate::format::complexfunc::Trajectory;
use crate::record::PredictionTurn;
use crate::score::complexfunc::{ErrorType, Fault, SaidArguments, SaidCall, Turn};
use crate::score::extract::{Reading, read_text};

/// The variant of predictions whose calls stand in the text.
const PROMPT: &str = "prompt";

/// A turn, and by which way its calls were found; nothing where it has none.
pub type Spoken = (Turn, Option<String>);

/// What a turn says. Calls are looked for in its text if that is wanted and there are no native ones.
pub fn turn_of(turn: &PredictionTurn, reads_text: bool) -> Spoken {
    if !turn.tool_calls.is_empty() {
        let call = |(name, arguments): &(String, String)| SaidCall {
            name: name.clone(),
            arguments: SaidArguments::Text(arguments.clone()),
        };
        let calls = turn.tool_calls.iter().map(call).collect();
        let text = turn.content.clone();
        return (Turn { text, calls: Some(calls), lost: None }, Some("native".to_owned()));
    }
    let Some(text) = turn.content.as_deref() else { return (Turn::default(), None) };
    match read_text(text) {
        Reading::Calls(calls, way) if reads_text && !calls.is_empty() => (Turn::calls(calls), Some(way.to_string())),
        _ => (Turn::words(text), None),
    }
}

/// The turns of a trajectory. What its runner ended it by stands for the turn that it did not keep.
pub fn turns_of(trajectory: &Trajectory, is_strict: bool) -> Vec<Spoken> {
    let Trajectory::Said { turns, variant, end } = trajectory else { return Vec::new() };
    let reads_text = is_strict || variant.as_deref().is_some_and(|variant| variant.starts_with(PROMPT));
    let lost = end.as_ref().and_then(|(name, content)| {
        let kept = [ErrorType::DecodeError, ErrorType::NameError, ErrorType::FuncHallucination];
        let error_type = kept.into_iter().find(|it| it.as_str() == name)?;
        Some((Turn { lost: Some(Fault::new(error_type, content)), ..Turn::default() }, None))
    });
    turns.iter().map(|turn| turn_of(turn, reads_text)).chain(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{"name": "f", "arguments": {"a": 1}}"#;

    fn turn(content: Option<&str>, calls: &[(&str, &str)]) -> PredictionTurn {
        let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), (*arguments).to_owned()));
        PredictionTurn { content: content.map(str::to_owned), tool_calls: calls.collect(), ..PredictionTurn::default() }
    }

    fn shown((turn, way): Spoken) -> String {
        let calls = turn.calls.map(|calls| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>());
        format!("{:?} {:?} {:?}", turn.text, calls.map(|calls| calls.join(",")), way)
    }

    #[test]
    fn native_calls_go_before_the_text_beside_them() {
        assert_eq!(shown(turn_of(&turn(Some("So"), &[("g", "{")]), true)), r#"Some("So") Some("g") Some("native")"#);
    }

    #[test]
    fn calls_in_a_text_are_found_where_they_are_looked_for() {
        let text = turn(Some(CALL), &[]);
        assert_eq!(shown(turn_of(&text, true)), r#"None Some("f") Some("whole_object")"#);
        assert!(shown(turn_of(&text, false)).starts_with("Some(\"{"));
        for words in ["At noon.", "[]", "{oops", ""] {
            assert_eq!(shown(turn_of(&turn(Some(words), &[]), true)), format!("Some({words:?}) None None"));
        }
        assert_eq!(shown(turn_of(&turn(None, &[]), true)), "None None None");
    }

    #[test]
    fn the_variant_tells_whether_the_authors_rules_look_for_calls() {
        let said = |variant: Option<&str>| Trajectory::Said {
            turns: vec![turn(Some(CALL), &[])],
            variant: variant.map(str::to_owned),
            end: None,
        };
        let is_call = |trajectory, is_strict| turns_of(&trajectory, is_strict)[0].0.calls.is_some();
        assert!(
            is_call(said(None), true) && is_call(said(Some("prompt")), false) && !is_call(said(Some("tools")), false)
        );
        assert!(turns_of(&Trajectory::Failed(String::new()), true).is_empty());
    }

    #[test]
    fn a_turn_that_was_not_kept_is_known_by_its_end() {
        let ended = |name: &str| Trajectory::Said {
            turns: Vec::new(),
            variant: None,
            end: Some((name.to_owned(), "x".to_owned())),
        };
        let turns = turns_of(&ended("func_hallucination"), false);
        assert_eq!(turns[0].0.lost, Some(Fault::new(ErrorType::FuncHallucination, "x")));
        assert!(turns_of(&ended("stop_early"), false).is_empty());
    }
}
