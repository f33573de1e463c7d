//! Adds to samples what is as right as each gold argument, or that nothing else is.

use crate::functionchat::layout::{Acceptable, MODE_FACT, Mode};
use crate::functionchat::metric::strict::{Gold, Outcome as Verdict, Same, judge_call};
use crate::functionchat::metric::{Arguments, Called, Heard};
use crate::functionchat::stage::alike::{Argument, Openness};
use crate::locale::DaySaid;
use crate::record::{Expected, FunctionCall, Item, Record, RecordKind, Role, Sample, Tool, Value};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::Outcome;
use crate::stage::work::Stage;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to samples the values that are as correct as each gold argument, or a note that only the gold value is correct.
///
/// A value of type `number` may be written with or without a decimal point; a name in another script, with or without a
/// title; a currency by name or by code; a date or a time in another form with the same meaning and without a year that
/// nobody mentioned. Each alternative must have the type of its parameter, differ from the gold value and pass the
/// scorer; others are dropped and counted. Samples that already have acceptable values are left unchanged.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptableArgumentsConfig {
    /// Value kinds, and entities of kinds, whose values are identifiers or are copied verbatim: only the gold value is
    /// correct. Values in quotation marks and values that look like codes always belong to them.
    #[serde(default = "identifiers")]
    identifiers: Vec<String>,
}

fn identifiers() -> Vec<String> {
    let entities = ["phone number", "document number", "license plate"];
    let kinds = ["email", "url", "file", "account_number", "card_number", "password", "message_text", "note_text"];
    entities.into_iter().chain(kinds).map(str::to_owned).collect()
}

impl Stage for AcceptableArgumentsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("acceptable_arguments", &[RecordKind::Sample], RecordKind::Sample)
    }

    /// Adds to a sample that expects one call; others go on as they are.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        if let Record::Sample(sample) = &mut item.record {
            self.add(context, sample);
            // What a sample says of itself is written with the item's facts.
            let mode = sample.provenance.facts.get(MODE_FACT).cloned();
            item.provenance.facts.extend(mode.map(|mode| (MODE_FACT.to_owned(), mode)));
        }
        Outcome::keep(item)
    }
}

impl AcceptableArgumentsConfig {
    fn add(&self, context: &Context, sample: &mut Sample) {
        let Expected::Call(call) = &sample.expected else { return };
        let Some(tool) = sample.candidates.iter().find(|tool| tool.name == call.name) else { return };
        if Acceptable::of(sample) != Acceptable::default() {
            return;
        }
        let said = sample.messages.iter().filter(|message| message.role == Role::User);
        let text = said.filter_map(|message| message.content.as_deref()).collect::<Vec<_>>().join("\n");
        let argument = |(name, value)| self.argument(context, tool, &text, (name, value));
        let arguments: Vec<Argument<'_>> = call.arguments.iter().map(argument).collect();
        let values = arguments.iter().map(|it| (it.name.to_owned(), sound(context, call, tool, it)));
        let values = values.filter(|(_, values)| !values.is_empty()).collect();
        Acceptable { values, mode: mode(&arguments), ..Acceptable::default() }.put(sample);
    }

    fn argument<'a>(
        &'a self,
        context: &'a Context,
        tool: &'a Tool,
        text: &'a str,
        (name, value): (&'a String, &'a Value),
    ) -> Argument<'a> {
        let (pack, language) = (context.pack(), context.language());
        Argument { pack, language, identifiers: &self.identifiers, text, tool, name, value }
    }
}

/// How strictly the values of a call are taken: where nothing is open and something identifies, there is no other way.
fn mode(arguments: &[Argument<'_>]) -> Option<Mode> {
    let is = |wanted: Openness| arguments.iter().any(|argument| argument.openness() == wanted);
    if is(Openness::Identifier) && !is(Openness::Open) {
        return Some(Mode::OnlyGold);
    }
    let day = arguments.iter().filter_map(Argument::day).max()?;
    Some(match day {
        DaySaid::Relative => Mode::AsSaid,
        DaySaid::WithoutYear => Mode::NoYear,
    })
}

/// The values beside the gold one that the scorer takes for right, each once.
fn sound(context: &Context, call: &FunctionCall, tool: &Tool, argument: &Argument<'_>) -> Vec<Value> {
    let mut sound: Vec<Value> = Vec::new();
    for other in argument.others() {
        let is_known = std::iter::once(argument.value).chain(&sound).any(|known| is_same(known, &other));
        if is_known {
            continue;
        }
        if passes(call, tool, argument.name, &other) {
            sound.push(other);
        } else {
            context.count("dropped alternative");
        }
    }
    sound
}

/// Whether two values are the same to the scorer. Numbers are the same by quantity to it, and still differ here by how
/// they are written, since a program that reads them may not take the one for the other.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => one.to_string() == other.to_string(),
        _ => Same::default().values(one, other),
    }
}

/// Whether a call with this value in the place of the gold one is right to the scorer once it is acceptable.
fn passes(call: &FunctionCall, tool: &Tool, name: &str, value: &Value) -> bool {
    let mut arguments = call.arguments.clone();
    arguments.insert(name.to_owned(), value.clone());
    let called = Called { name: call.name.clone(), arguments: Arguments::Text(Value::Object(arguments).to_string()) };
    let acceptable = IndexMap::from([(name.to_owned(), vec![value.clone()])]);
    let (same, tool) = (Same::default(), Some(tool));
    let gold = Gold { call, acceptable: &acceptable, is_only: true, tool, same, takes_empty: false };
    judge_call(gold, &Heard { content: None, calls: vec![called] }).outcome == Verdict::Pass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functionchat::stage::alike::tests::tool;
    use crate::settings::section::read_text;
    use crate::stage::testing::{query_item, sample_item, samples, silent, with_shared};

    use proptest::prelude::*;
    use std::sync::Arc;

    fn korean() -> Context {
        with_shared(silent(), |shared| {
            shared.pack = crate::fixtures::pack("ko");
            shared.language = crate::fixtures::language("ko");
        })
    }

    /// The sample of a call of a tool with one parameter, once it has passed the stage.
    fn added(context: &Context, text: &str, tool: &Tool, value: &str) -> Sample {
        let mut item = sample_item(text, "{}");
        if let Record::Sample(sample) = &mut item.record {
            let arguments = [("x".to_owned(), Value::read(value).unwrap())].into();
            sample.candidates = vec![Arc::new(tool.clone())];
            sample.expected = Expected::Call(FunctionCall { name: tool.name.clone(), arguments });
        }
        let config: AcceptableArgumentsConfig = read_text("").unwrap();
        let kept = config.apply(context, item).kept;
        let sample = samples(&kept)[0].clone();
        assert_eq!(kept[0].provenance.facts.get(MODE_FACT), sample.provenance.facts.get(MODE_FACT));
        sample
    }

    fn values(sample: &Sample) -> Vec<String> {
        sample.acceptable.values().flatten().map(ToString::to_string).collect()
    }

    const TEXT: &str = r#"{"type": "string"}"#;
    const NUMBER: &str = r#"{"type": "number"}"#;

    #[test]
    fn a_phone_number_is_an_identifier() {
        let config: AcceptableArgumentsConfig = read_text("").unwrap();
        assert!(config.identifiers.contains(&"phone number".to_owned()));
        assert!(read_text::<AcceptableArgumentsConfig>("identifiers = \"phone\"").is_err());
    }

    #[test]
    fn what_is_as_right_is_added_and_the_mode_with_it() {
        let context = korean();
        for (schema, kind, text, value, others, mode) in [
            (NUMBER, "", "키는 170", "170", vec!["170.0"], None),
            (TEXT, "city", "부산 날씨", "\"부산\"", vec!["\"Busan\""], None),
            (TEXT, "phone", "010-1122-3344로", "\"010-1122-3344\"", vec![], Some("only_ground_truth")),
            (TEXT, "date", "내일 보자", "\"내일\"", vec![], Some("day_as_said")),
            (TEXT, "date", "6월 3일에", "\"6월 3일\"", vec![], Some("no_invented_year")),
            (r#"{"type": "integer"}"#, "", "셋", "3", vec![], None),
        ] {
            let sample = added(&context, text, &tool(schema, kind), value);
            assert_eq!(values(&sample), others, "{value}");
            assert_eq!(sample.provenance.facts.get(MODE_FACT).map(String::as_str), mode, "{value}");
        }
    }

    #[test]
    fn what_the_scorer_takes_for_the_gold_value_is_no_other() {
        let sample = added(&korean(), "내일 오후 두 시", &tool(TEXT, "datetime"), "\"내일 오후 두 시\"");
        let gold: Value = "내일 오후 두 시".into();
        let others: Vec<&Value> = sample.acceptable.values().flatten().collect();
        assert!(!others.is_empty() && others.iter().all(|other| !is_same(other, &gold)), "{others:?}");
    }

    #[test]
    fn what_does_not_pass_is_dropped_and_counted() {
        let (context, tool) = (korean(), tool(r#"{"type": "object"}"#, "city"));
        let sample = added(&context, "부산", &tool, "\"부산\"");
        assert!(sample.acceptable.is_empty());
        assert_eq!(context.counts()["stage"]["dropped alternative"], 1);
    }

    #[test]
    fn what_somebody_said_before_stays_and_what_expects_no_call_passes() {
        let config: AcceptableArgumentsConfig = read_text("").unwrap();
        let mut item = sample_item("부산", r#"{"to": "부산"}"#);
        let Record::Sample(sample) = &mut item.record else { panic!("no sample") };
        sample.acceptable.insert("to".to_owned(), vec!["Pusan".into()]);
        assert_eq!(config.apply(&korean(), item.clone()).kept, [item.clone()]);
        let Record::Sample(sample) = &mut item.record else { panic!("no sample") };
        sample.expected = Expected::Refusal;
        assert_eq!(config.apply(&korean(), item.clone()).kept, [item]);
        let query = query_item(crate::stage::testing::query("x", "{}"));
        assert_eq!(config.apply(&korean(), query.clone()).kept, [query]);
    }

    proptest! {
        // Each case loads a locale.
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_alternative_passes_as_a_prediction_and_differs_from_gold(
            kind in prop::sample::select(vec!["city", "person", "date", "time", "datetime", "currency", "phone", "product"]),
            seed in any::<u64>(),
        ) {
            let context = korean();
            let drawn = context.pack().draw(kind, &mut crate::record::Chance::of(&[&seed.to_le_bytes()])).unwrap();
            let sample = added(&context, &drawn.surface, &tool(TEXT, kind), &drawn.value.to_string());
            let Expected::Call(call) = &sample.expected else { unreachable!() };
            for other in sample.acceptable.values().flatten() {
                prop_assert!(passes(call, &sample.candidates[0], "x", other) && !is_same(other, &drawn.value), "{other}");
            }
        }
    }
}
