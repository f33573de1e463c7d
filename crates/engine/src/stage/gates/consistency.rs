//! Keeps a query if a model that reads it with and without an example finds the same call.

use crate::failure::ItemError;
use crate::record::{Item, Query, Record, RecordKind, Tier};
use crate::settings::Share;
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::gates::readings::{Accept, Reader, Reading, Readings};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The word in the file.
pub const KIND: &str = "consistency";

/// Round-trip check: keeps a query if a model that reads it with and without an example recovers the same call.
///
/// The stage's `model` reads the queries; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyConfig {
    /// Minimum Rouge-L F1 between two values of one argument. Default: set by the locale pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<Share>,
    /// When two values count as equal.
    #[serde(default)]
    pub accept: Accept,
    /// Readings that must agree with the label: `all` (without an example and with one, as in the paper) or `any`.
    /// Default: `all` for a language model, `any` for the built-in verifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Readings>,
    /// Whether to read a second time, with an example; without it, `all` means the first reading only.
    #[serde(default = "yes")]
    pub one_shot: bool,
}

fn yes() -> bool {
    true
}

impl Stage for ConsistencyConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate(KIND, &[RecordKind::Query]).asks("checker")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), readings: self.readings, ..Settings::default() }
    }

    fn resolve_readings(&mut self, is_builtin: bool) {
        self.readings.get_or_insert(Readings::for_reader(is_builtin));
    }

    /// Keeps a query that a reader understands as its label says (HammerBench 4.1.1).
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Query(query) = &item.record else { return Ok(Outcome::keep(item)) };
            let readings = self.readings.unwrap_or(Readings::All);
            let reader = Reader { context, item: &item, rouge_l: self.rouge_l, accept: self.accept, readings };
            let said = query.said();
            let reading = Reading { text: &said, tool: &query.tool, call: &query.call };
            match reader.tier(reading, self.one_shot).await {
                Ok(Ok(tier)) => {
                    item.provenance.tier = Some(tier);
                    Ok(Outcome::keep(item))
                }
                Ok(Err(why)) => match self.extended(&reader, reading, query).await {
                    Ok(Some(query)) => {
                        let added = query.preset.iter().filter(|name| !reading.call.arguments.contains_key(*name));
                        let added = added.map(String::as_str).collect::<Vec<_>>().join(", ");
                        let mut item = Item { record: Record::Query(Box::new(query)), ..item.clone() };
                        item.provenance.tier = Some(Tier::Both);
                        item.provenance.facts.insert("extended".to_owned(), added);
                        context.count("extended");
                        Ok(Outcome::keep(item))
                    }
                    Ok(None) => Ok(context.reject(&item.id, Fault::new("inconsistent", why), said)),
                    Err(failure) => context.failed(&item.id, failure),
                },
                Err(failure) => context.failed(&item.id, failure),
            }
        })
    }
}

impl ConsistencyConfig {
    /// The query whose label has what readers find in it as well; only where a model writes, since templates say no more than
    /// they are to.
    async fn extended(
        &self,
        reader: &Reader<'_>,
        reading: Reading<'_>,
        query: &Query,
    ) -> Result<Option<Query>, ItemError> {
        if reader.context.is_template("generator") || !self.one_shot || query.external.is_some() {
            return Ok(None);
        }
        let extension = reader.extension(reading).await?;
        Ok(extension.map(|(call, notes)| {
            let mut query = Query { preset: call.arguments.keys().cloned().collect(), call, ..query.clone() };
            query.notes.extend(notes);
            query
        }))
    }

    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let threshold = self.accept.conflict(self.rouge_l);
        threshold.into_iter().chain(Readings::conflict(self.readings, Some(self.one_shot))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Task, Variables};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, called, context, modelled, query, query_item, written};

    #[test]
    fn either_agreement_will_do_by_default() {
        let config: ConsistencyConfig = read_text("").unwrap();
        assert_eq!((config.accept, config.one_shot), (Accept::RougeOrJudge, true));
        assert!(config.rouge_l.is_none());
    }

    #[test]
    fn a_threshold_that_nobody_looks_at_is_a_slip() {
        let conflicts = |text: &str| read_text::<ConsistencyConfig>(text).unwrap().conflicts().len();
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"judge\""), 1);
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"both\""), 0);
    }

    #[test]
    fn a_choice_among_readings_wants_two_of_them() {
        let conflicts = |text: &str| read_text::<ConsistencyConfig>(text).unwrap().conflicts().len();
        assert_eq!(conflicts("readings = \"any\"\none_shot = false"), 1);
        assert_eq!(conflicts("readings = \"all\"\none_shot = false"), 0);
        assert_eq!(conflicts("one_shot = false"), 0);
    }

    #[test]
    fn the_words_for_agreement_are_four() {
        for word in ["rouge_or_judge", "rouge", "judge", "both"] {
            assert!(read_text::<ConsistencyConfig>(&format!("accept = \"{word}\"")).is_ok(), "{word}");
        }
        let messages = read_text::<ConsistencyConfig>("accept = \"jugde\"").unwrap_err();
        assert_eq!(messages, ["unknown value `jugde` of `accept` in the test"]);
    }

    const ANY: &str = "readings = \"any\"";
    const TEXT: &str = "a ride to Porto at noon";
    const LABEL: &str = r#"{"to": "Porto", "at": "noon"}"#;

    /// Reads the query with a model that answers so without an example, with one, and as a judge.
    async fn read(settings: &str, zero: &str, one: &str, verdict: &str) -> (Outcome, Asked) {
        let (zero, one, verdict) = (zero.to_owned(), one.to_owned(), verdict.to_owned());
        let (context, asked) = context(move |request| match &*request.variables {
            Variables::Call(variables) if variables.example.is_some() => one.clone(),
            Variables::Call(_) => zero.clone(),
            Variables::JudgeCall(_) => verdict.clone(),
            Variables::WriteQuery(_) => {
                written(r#"{"to": "Faro", "at": "six", "seats": 2}"#, "take two of us to Faro at six")
            }
            other => panic!("{other:?}"),
        });
        let config: ConsistencyConfig = read_text(settings).unwrap();
        (config.each(&context, query_item(query(TEXT, LABEL))).await.unwrap(), asked)
    }

    fn tier(outcome: &Outcome) -> Option<Tier> {
        outcome.kept[0].provenance.tier
    }

    #[tokio::test]
    async fn a_query_that_is_understood_at_once_needs_no_example_where_any_reading_will_do() {
        let (outcome, asked) = read(ANY, &called(LABEL), "", "").await;
        assert_eq!((tier(&outcome), asked.tasks()), (Some(Tier::ZeroShot), vec![Task::Call]));
        let Variables::Call(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.query.as_str(), variables.tools.len(), variables.example.is_none()), (TEXT, 1, true));
        assert!(!variables.refusal.is_empty());
    }

    #[tokio::test]
    async fn the_second_reading_sees_a_sibling_and_never_the_query_itself() {
        let (outcome, asked) = read(ANY, &called("{}"), &called(LABEL), "").await;
        assert_eq!(
            (tier(&outcome), asked.tasks()),
            (Some(Tier::OneShot), vec![Task::Call, Task::WriteQuery, Task::Call])
        );
        assert_eq!(asked.items()[1], "Travel.Trains.book/stage/0", "the same sibling for all queries of the tool");
        let Variables::Call(variables) = &*asked.requests()[2].variables else { panic!("another task") };
        let example = variables.example.as_ref().unwrap();
        assert_eq!((example.query.as_str(), example.call.arguments.len()), ("take two of us to Faro at six", 3));
    }

    #[tokio::test]
    async fn what_no_reading_finds_is_rejected_with_the_last_reason() {
        for (zero, one, detail) in [
            (called("{}"), called(r#"{"to": "Porto"}"#), "`at` was not found in the request"),
            (
                called("{}"),
                called(r#"{"to": "Porto", "at": "noon", "seats": 2}"#),
                "the request also seems to say seats = 2",
            ),
            (
                called("{}"),
                "Sorry, no tool is suitable for your request.".to_owned(),
                "a reader finds that the tool cannot serve the request",
            ),
        ] {
            let (outcome, _) = read(ANY, &zero, &one, "").await;
            let reject = &outcome.rejected[0];
            assert_eq!(
                (reject.reason.as_str(), reject.detail.as_str(), reject.text.as_str()),
                ("inconsistent", detail, TEXT)
            );
        }
        let (outcome, asked) = read("one_shot = false", &called("{}"), &called(LABEL), "").await;
        assert_eq!((outcome.rejected.len(), asked.count()), (1, 1));
    }

    #[tokio::test]
    async fn both_readings_have_to_agree_where_all_do() {
        let (right, other) = (called(LABEL), called(r#"{"to": "Porto", "at": "six"}"#));
        let (outcome, asked) = read("readings = \"all\"", &right, &right, "").await;
        assert_eq!((tier(&outcome), asked.tasks()), (Some(Tier::Both), vec![Task::Call, Task::WriteQuery, Task::Call]));
        let (outcome, asked) = read("readings = \"all\"", &right, &other, "False").await;
        let detail = &outcome.rejected[0].detail;
        assert!(detail.starts_with("with an example, a reader finds another value of `at`"), "{detail}");
        assert_eq!(asked.count(), 4, "the judge was asked about the second reading");
        let (outcome, _) = read("readings = \"all\"", &right, &other, "True").await;
        assert_eq!(tier(&outcome), Some(Tier::Both), "the judge decides where Rouge-L does not");
        let (outcome, asked) = read("readings = \"all\"", &called("{}"), &right, "").await;
        assert_eq!((outcome.rejected.len(), asked.count()), (1, 1), "nothing more is asked after a disagreement");
        let (outcome, _) = read("", &right, &called("{}"), "").await;
        assert_eq!(outcome.rejected.len(), 1, "as strict as the paper where nothing was resolved");
    }

    #[tokio::test]
    async fn what_two_readings_find_beyond_the_label_goes_into_it() {
        let text = "a ride to Porto at noon, no children near";
        let extended = |zero: &str, one: &str| {
            let (zero, one) = (called(zero), called(one));
            let (context, _) = modelled(move |request| match &*request.variables {
                Variables::Call(variables) if variables.query != text => {
                    called(r#"{"to": "Faro", "at": "six", "seats": 2}"#)
                }
                Variables::Call(variables) if variables.example.is_some() => one.clone(),
                Variables::Call(_) => zero.clone(),
                Variables::WriteQuery(_) => {
                    written(r#"{"to": "Faro", "at": "six", "seats": 2}"#, "take two of us to Faro at six")
                }
                other => panic!("{other:?}"),
            });
            async move {
                let config: ConsistencyConfig = read_text("accept = \"rouge\"").unwrap();
                config.each(&context, query_item(query(text, r#"{"to": "Porto"}"#))).await.unwrap()
            }
        };
        let outcome = extended(LABEL, LABEL).await;
        let Record::Query(query) = &outcome.kept[0].record else { panic!("no query") };
        assert_eq!((query.call.arguments["at"].as_str(), query.preset.len()), (Some("noon"), 2));
        assert_eq!(query.notes["at"].surface.as_deref(), Some("noon"));
        assert_eq!(outcome.kept[0].provenance.facts["extended"], "at");
        for (zero, one) in [
            (LABEL, r#"{"to": "Porto"}"#),
            (LABEL, r#"{"to": "Porto", "at": "six"}"#),
            (r#"{"to": "Porto", "at": "dawn"}"#, r#"{"to": "Porto", "at": "dawn"}"#),
            (r#"{"to": "Faro", "at": "noon"}"#, r#"{"to": "Faro", "at": "noon"}"#),
        ] {
            assert_eq!(extended(zero, one).await.rejected.len(), 1, "{zero} {one}");
        }
        let whole = r#"{"to": "Porto", "at": "noon", "seats": 2}"#;
        assert_eq!(extended(whole, whole).await.rejected.len(), 1, "what is to leave something out still does");
    }

    #[tokio::test]
    async fn one_reading_decides_where_there_is_no_other() {
        let (outcome, asked) = read("readings = \"all\"\none_shot = false", &called(LABEL), "", "").await;
        assert_eq!((tier(&outcome), asked.count()), (Some(Tier::ZeroShot), 1));
        let (context, _) = context(|request| match &*request.variables {
            Variables::Call(_) => called(LABEL),
            _ => "no example".to_owned(),
        });
        let config: ConsistencyConfig = read_text("readings = \"all\"").unwrap();
        let outcome = config.each(&context, query_item(query(TEXT, LABEL))).await.unwrap();
        assert_eq!(tier(&outcome), Some(Tier::ZeroShot));
    }

    #[tokio::test]
    async fn a_reading_that_cannot_be_parsed_finds_nothing() {
        let (outcome, asked) = read(ANY, "I wonder", &called(LABEL), "").await;
        assert_eq!((tier(&outcome), asked.count()), (Some(Tier::OneShot), 3));
    }

    #[tokio::test]
    async fn who_agrees_on_values_is_a_setting() {
        let (same, other) = (called(LABEL), called(r#"{"to": "the old harbor", "at": "noon"}"#));
        for (settings, reading, verdict, kept) in [
            ("", &other, "True", true),
            ("", &other, "False", false),
            ("", &other, "who knows", false),
            ("accept = \"rouge\"", &other, "True", false),
            ("accept = \"rouge\"", &same, "False", true),
            ("accept = \"judge\"", &same, "False", false),
            ("accept = \"judge\"", &same, "True", true),
            ("accept = \"both\"", &same, "True", true),
            ("accept = \"both\"", &same, "False", false),
            ("accept = \"both\"", &other, "True", false),
        ] {
            let (outcome, asked) = read(settings, reading, reading, verdict).await;
            assert_eq!(outcome.kept.len() == 1, kept, "{settings} {reading} {verdict}");
            let judged = asked.tasks().contains(&Task::JudgeCall);
            assert!(!judged || !settings.contains("\"rouge\""), "nobody asks a judge where Rouge-L decides");
        }
    }

    #[tokio::test]
    async fn the_judge_sees_both_sets_of_arguments() {
        let (_, asked) = read("", &called(r#"{"to": "the old harbor", "at": "noon"}"#), "", "True").await;
        let Variables::JudgeCall(variables) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!(variables.query, TEXT);
        assert_eq!(variables.label["to"].as_str(), Some("Porto"));
        assert_eq!(variables.output["to"].as_str(), Some("the old harbor"));
    }

    #[tokio::test]
    async fn how_alike_values_must_be_is_a_setting() {
        let near = called(r#"{"to": "Porto", "at": "noon sharp"}"#);
        let (outcome, _) = read("rouge_l = 0.6", &near, &near, "False").await;
        assert_eq!(outcome.kept.len(), 1);
        let (outcome, _) = read(&format!("{ANY}\nrouge_l = 0.7"), &near, &near, "False").await;
        assert!(outcome.rejected[0].detail.contains("another value of `at` (Rouge-L 0.67)"), "{outcome:?}");
    }
}
