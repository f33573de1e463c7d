//! Yields the samples of a run in the locale of this one, each translated by a model and checked.
//!
//! Ids, tools' names, types, listed values, numbers and dates stay; texts and the values that people say are new.

use super::ask::Translator;
use super::words::items;
use crate::record::{Item, ItemId, Object, Provenance, Record, RecordKind, Row, Sample, Value};
use crate::settings::{Count, Located, count};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::source::Source;
use crate::stage::work::{Stage, Work};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Yields the samples of another run in this run's locale: a model translates texts and values, and checks validate the
/// result.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalizeConfig {
    /// `samples.jsonl` of the other run.
    samples: Located,
    /// Maximum attempts per translation, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

/// Where a row keeps the samples of one item.
const SAMPLES: &str = "samples";

impl Stage for LocalizeConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::source("localize", RecordKind::Sample).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("samples", &self.samples, Content::Table)
    }

    fn roots(&self, context: &Context) -> Source {
        Source::Items(Self::source(context))
    }

    /// Translates one of them.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let translator = Translator { context, asks: u32::try_from(self.asks.get()).unwrap_or(u32::MAX) };
            let translated = match samples(&item) {
                Ok(samples) => translator.samples(&item.id, samples).await,
                Err(fault) => Err(fault.into()),
            };
            match translated {
                Ok(samples) => Ok(Outcome { kept: items(&item.id, samples), rejected: Vec::new() }),
                Err(failure) => context.failed(&item.id, failure),
            }
        })
    }
}

impl LocalizeConfig {
    /// The samples as they are, each the root of its item; the turns of a conversation are one.
    pub fn source(context: &Context) -> Vec<Item> {
        let mut rows: IndexMap<String, Vec<Value>> = IndexMap::new();
        for (line, row) in context.table().iter().enumerate() {
            let id = place(row).unwrap_or_else(|| format!("line {}", line + 1));
            rows.entry(id).or_default().push(Value::Object(row.clone()));
        }
        let item = |(id, samples): (String, Vec<Value>)| {
            let fields = std::iter::once((SAMPLES.to_owned(), Value::List(samples))).collect();
            let (id, record) = (ItemId::root(id), Record::Row(Row { fields }));
            Item { root: id.clone(), id, record, provenance: Provenance::default() }
        };
        rows.into_iter().map(item).collect()
    }
}

/// The id of the conversation that a sample is of, or its own.
fn place(row: &Object) -> Option<String> {
    let conversation = || row.get("snapshot")?.as_object()?.get("conversation")?.as_str();
    conversation().or_else(|| row.get("id")?.as_str()).map(str::to_owned)
}

/// The samples that a row keeps.
fn samples(item: &Item) -> Result<Vec<Sample>, Fault> {
    let rows =
        if let Record::Row(row) = &item.record { row.fields.get(SAMPLES).and_then(Value::as_list) } else { None };
    let read = |row: &Value| {
        serde_json::from_str(&row.to_string()).map_err(|error| Fault::new("no_sample", error.to_string()))
    };
    rows.unwrap_or_default().iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;

    use crate::record::Expected;
    use crate::stage::testing::{Asked, context, dialogue_item, sample_of, with_shared};

    /// What a translator says to each question: texts and values by what they were.
    fn says(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&crate::llm::Request) -> String {
        move |request| {
            let fields = request.variables.fields();
            let part = |key: &str| {
                let texts = fields[key].as_object().cloned().unwrap_or_default();
                let new = |text: &str| pairs.iter().find(|(old, _)| *old == text).map_or("도구의 설명", |it| it.1);
                texts.iter().map(|(id, text)| (id.clone(), new(text.as_str().unwrap()).into())).collect()
            };
            let (texts, values): (serde_json::Map<_, _>, serde_json::Map<_, _>) = (part("texts"), part("values"));
            serde_json::json!({"texts": texts, "values": values}).to_string()
        }
    }

    fn korean(samples: &[Sample], pairs: &'static [(&'static str, &'static str)]) -> (Context, Asked) {
        let (context, asked) = context(says(pairs));
        let rows = samples.iter().map(|it| serde_json::from_str(&serde_json::to_string(it).unwrap()).unwrap());
        let context = with_shared(context.with_table(rows.collect()), |shared| {
            shared.pack = crate::fixtures::pack("ko");
            shared.language = crate::fixtures::language("ko");
        });
        (context, asked)
    }

    async fn run(samples: &[Sample], pairs: &'static [(&'static str, &'static str)]) -> (Outcome, Asked) {
        let (context, asked) = korean(samples, pairs);
        let config: LocalizeConfig = read_text("samples = \"x\"").unwrap();
        let mut outcome = Outcome::default();
        for item in LocalizeConfig::source(&context) {
            let next = config.each(&context, item).await.unwrap();
            outcome.kept.extend(next.kept);
            outcome.rejected.extend(next.rejected);
        }
        (outcome, asked)
    }

    #[test]
    fn a_file_of_samples_is_a_source() {
        let config: LocalizeConfig = read_text("samples = \"run/samples.jsonl\"").unwrap();
        assert_eq!((config.settings().files[0].content, config.asks.get()), (Content::Table, 3));
    }

    #[tokio::test]
    async fn a_sample_is_said_in_the_runs_language() {
        let sample = sample_of("a train to Porto at 8", r#"{"to": "Porto"}"#);
        let (outcome, _) = run(
            std::slice::from_ref(&sample),
            &[("a train to Porto at 8", "8시 포르투 가는 기차"), ("Porto", "포르투")],
        )
        .await;
        assert!(outcome.rejected.is_empty(), "{:?}", outcome.rejected);
        let Record::Sample(new) = &outcome.kept[0].record else { panic!("no sample") };
        assert_eq!((new.query().as_str(), new.locale.as_str(), &new.id), ("8시 포르투 가는 기차", "ko", &sample.id));
        assert!(matches!(&new.expected, Expected::Call(call) if call.arguments["to"].as_str() == Some("포르투")));
        assert_eq!(new.arguments["to"].surface.as_deref(), Some("포르투"));
        assert!(new.candidates.iter().all(|tool| tool.description.is_empty() || tool.description == "도구의 설명"));
        assert_eq!(new.provenance.draws.last().unwrap().model, "grammar");
    }

    #[tokio::test]
    async fn a_fault_is_told_and_rejects_in_the_end() {
        let sample = sample_of("a train to Porto", r#"{"to": "Porto"}"#);
        let (outcome, asked) = run(&[sample], &[("a train to Porto", "부산 가는 기차"), ("Porto", "포르투")]).await;
        assert_eq!(outcome.rejected[0].reason, "value_lost");
        let told = asked.faults().into_iter().filter(|fault| !fault.is_empty()).collect::<Vec<_>>();
        assert_eq!(told, ["`포르투` does not stand in `message 0`"; 2]);
    }

    #[tokio::test]
    async fn the_turns_of_a_conversation_are_translated_together() {
        let item = dialogue_item(&[("to", "Porto".into())]);
        let Record::Dialogue(dialogue) = &item.record else { panic!("no dialogue") };
        let (outcome, _) = run(&dialogue.samples(&item), &[("Porto", "포르투")]).await;
        // Every text of the stand-in says the same, and no value: the conversation falls as a whole.
        assert_eq!((outcome.kept.len(), outcome.rejected.len()), (0, 1));
        assert_eq!(outcome.rejected[0].id, item.id);
    }

    #[tokio::test]
    async fn what_is_no_sample_is_rejected() {
        let (context, _) = korean(&[], &[]);
        let row: Object = serde_json::from_str(r#"{"id": "a"}"#).unwrap();
        let context = context.with_table(vec![row]);
        let item = LocalizeConfig::source(&context).remove(0);
        let config: LocalizeConfig = read_text("samples = \"x\"").unwrap();
        let outcome = config.each(&context, item).await.unwrap();
        assert_eq!((outcome.rejected[0].reason.as_str(), outcome.rejected[0].id.as_str()), ("no_sample", "a"));
    }
}
