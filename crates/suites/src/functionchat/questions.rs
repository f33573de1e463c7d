//! What a judge is asked about a turn.

use super::profile::Profile;
use crate::functionchat::layout::{Acceptable, Mode, TypeOfOutput, WireMessage, WireTool};
use crate::functionchat::metric::Heard;
use crate::question::{Pending, Question};
use crate::record::{Object, Sample, Value};
use serde::Serialize;

/// All that judges are asked.
pub const QUESTIONS: [Question; 4] =
    [Question::ChatCall, Question::ChatCompletion, Question::ChatSlot, Question::ChatRelevance];

/// How freely votes are given where there are several.
const FREELY: f64 = 0.7;

/// What is asked of a type of output.
pub fn question(kind: TypeOfOutput) -> Question {
    match kind {
        TypeOfOutput::Call => Question::ChatCall,
        TypeOfOutput::Completion => Question::ChatCompletion,
        TypeOfOutput::Slot => Question::ChatSlot,
        TypeOfOutput::Relevance => Question::ChatRelevance,
    }
}

/// A question about a turn: the `draw`-th of `votes`.
pub(super) fn about(
    sample: &Sample,
    kind: TypeOfOutput,
    heard: &Heard,
    profile: Profile,
    draw: u32,
    votes: u32,
) -> Pending {
    let tools: Vec<WireTool> = sample.candidates.iter().map(|tool| WireTool::of(tool)).collect();
    let mut variables: Object = [
        ("tools", json(&tools)),
        ("dialog", json(&WireMessage::all(&sample.messages))),
        ("gold", json(&WireMessage::gold(sample))),
        ("response", heard.shown()),
        // The authors' program reads the last two lines.
        ("lines", (profile == Profile::Upstream).into()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    if kind == TypeOfOutput::Call {
        variables.extend(besides(sample));
    }
    let authors = Acceptable::of(sample).wire();
    let besides = [("id".to_owned(), sample.id.as_str().into()), ("acceptable_arguments".to_owned(), authors)].into();
    let temperature = if votes > 1 { FREELY } else { 0.0 };
    Pending { besides, draw, temperature, ..Pending::new(question(kind), sample, variables) }
}

/// What is right besides the gold call, in three fields of which most are empty.
fn besides(sample: &Sample) -> Object {
    let Acceptable { values, mode, note, .. } = Acceptable::of(sample);
    let values: Object = values.into_iter().map(|(name, values)| (name, Value::List(values))).collect();
    let fields = [
        ("acceptable", Value::Object(values)),
        ("mode", mode.map_or("", Mode::as_str).into()),
        ("note", note.unwrap_or_default().into()),
    ];
    fields.map(|(name, value)| (name.to_owned(), value)).into()
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).map_or(Value::Null, Value::from)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::llm::Prompt;

    /// A sample of a type with a tool, the words that are right, and facts.
    pub(crate) fn sample(id: &str, data_type: &str, expected: &serde_json::Value, facts: &serde_json::Value) -> Sample {
        serde_json::from_value(serde_json::json!({
            "id": id, "suite": "functionchat", "data_type": data_type, "locale": "en", "group": "g", "licence": "CC0", "source": "test",
            "messages": [{"role": "user", "content": "A boat from Hill"}], "expected": expected,
            "candidates": [
                {"name": "list_boats", "description": "Lists boats"},
                {"name": "find_boat", "description": "Finds a boat", "parameters": {"type": "object", "required": ["pier"], "properties": {"pier": {"type": "string", "description": "Where"}, "seats": {"type": "integer"}}}}],
            "provenance": {"template": false, "draws": [], "facts": facts},
        }))
        .unwrap()
    }

    /// The right call.
    pub(crate) fn call() -> serde_json::Value {
        serde_json::json!({"call": {"name": "find_boat", "arguments": {"pier": "Hill", "seats": 2}}})
    }

    fn prompted(sample: &Sample, kind: TypeOfOutput, profile: Profile, locale: &str) -> String {
        let heard = Heard { content: Some("Where from?".to_owned()), calls: Vec::new() };
        let mut pending = about(sample, kind, &heard, profile, 0, 1);
        let common = serde_json::json!({"locale": locale, "language": "Klingon", "structured": false, "fault": ""});
        pending.variables.insert("common".to_owned(), Value::from(common));
        let rendered = Prompt::load(crate::fixtures::assets(), question(kind).folder(), locale)
            .unwrap()
            .render(&pending.variables)
            .unwrap();
        format!("{}\n=== user\n{}", rendered.system.unwrap(), rendered.user)
    }

    #[test]
    fn a_judge_of_a_call_is_shown_what_else_is_right() {
        let mut it = sample(
            "a",
            "exact",
            &call(),
            &serde_json::json!({"acceptable_mode": "no_invented_year", "acceptable_note": "Be kind."}),
        );
        it.acceptable.insert("pier".to_owned(), vec!["Hill Pier".into()]);
        insta::assert_snapshot!(prompted(&it, TypeOfOutput::Call, Profile::Strict, "en"));
    }

    #[test]
    fn every_kind_of_turn_has_a_rubric_in_every_language() {
        let it = sample(
            "a",
            "slot",
            &serde_json::json!({"question": ["pier"]}),
            &serde_json::json!({"gold_text": "Which pier?"}),
        );
        for locale in ["en", "ko", "zh", "ja"] {
            for kind in TypeOfOutput::ALL {
                let text = prompted(&it, kind, Profile::Strict, locale);
                assert!(
                    text.contains(r#"{"verdict": "pass"}"#)
                        && text.contains("Where from?")
                        && !text.contains("\n\n\n\n"),
                    "{text}"
                );
                let lines = prompted(&it, kind, Profile::Upstream, locale);
                assert!(!lines.contains("\"verdict\"") && lines.contains("fail"), "{lines}");
            }
        }
        assert!(prompted(&it, TypeOfOutput::Slot, Profile::Strict, "xx").contains("Klingon"));
    }

    #[test]
    fn votes_are_free_where_there_are_several_and_the_content_is_one() {
        let it = sample("a", "exact", &call(), &serde_json::json!({}));
        let of = |draw, votes| about(&it, TypeOfOutput::Call, &Heard::default(), Profile::Strict, draw, votes);
        assert_eq!((of(0, 1).temperature, of(2, 3).temperature, of(2, 3).draw), (0.0, FREELY, 2));
        assert_eq!(of(0, 3).hash(), of(2, 3).hash());
        assert_ne!(of(0, 1).hash(), about(&it, TypeOfOutput::Call, &Heard::default(), Profile::Upstream, 0, 1).hash());
    }
}
