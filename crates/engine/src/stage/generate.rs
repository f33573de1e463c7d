//! The general stage: a prompt of one's own, a JSON Schema for the answer, and rows in and out.
//!
//! It is for what nobody has built yet; nothing is known of its rows but the schema.

use super::context::Context;
use super::facts::{Content, Settings, StageMeta};
use super::outcome::{Fault, Outcome};
use super::source::{Rows, Source};
use super::work::{Stage, Work};
use crate::llm::{Reply, Task, Variables};
use crate::record::RecordKind;
use crate::record::{Item, Object, Record, Row, Value};
use crate::settings::{Count, Located, count};
use crate::text::read_object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates replies to a prompt for every row of a table, for the rows of the previous stage, or a fixed number of
/// times.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateConfig {
    /// Prompt template; it can use the columns of its row, `row`, `locale` and `ordinal`.
    pub prompt: Located,
    /// JSON Schema that a reply must match; without it, a reply is one field, `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Located>,
    /// Input rows (.csv, .jsonl, .toml); without `table` and `count`, the rows of the previous stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Located>,
    /// Replies per row of the table, or in total without a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    pub asks: Count,
}

impl GenerateConfig {
    /// Whether it makes its rows itself.
    pub fn is_source(&self) -> bool {
        self.table.is_some() || self.count.is_some()
    }

    /// What its prompt can use besides the columns of its rows.
    pub const VARIABLES: [&str; 3] = ["row", "locale", "ordinal"];
}

impl Stage for GenerateConfig {
    fn meta(&self) -> StageMeta {
        let input: &[RecordKind] = if self.is_source() { &[] } else { &[RecordKind::Row] };
        StageMeta::of("generate", input, RecordKind::Row).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        let it = Settings { rows: Some(self), ..Settings::default() }.file("prompt", &self.prompt, Content::Prompt);
        it.file("schema", &self.schema, Content::Schema).file("table", &self.table, Content::Table)
    }

    /// The rows to be answered: those of the table, `count` times each, or `count` empty ones.
    fn roots(&self, context: &Context) -> Source {
        let table = self.table.is_some().then(|| context.table().clone());
        Source::Rows(Rows { stage: Arc::from(context.stage()), table, times: self.count.map_or(1, Count::get) })
    }

    /// Lets a model answer the prompt for one row.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Row(row) = &item.record else { return Ok(Outcome::keep(item)) };
            let mut fields = row.fields.clone();
            let ordinal = item.id.as_str().rsplit('/').next().and_then(|it| it.parse::<i64>().ok()).unwrap_or_default();
            fields.insert("row".to_owned(), Value::Object(row.fields.clone()));
            fields.insert("locale".to_owned(), Value::from(context.pack().code.as_str()));
            fields.insert("ordinal".to_owned(), Value::from(ordinal));
            let question = context.question(Task::Generate, &item.id, self.asks.as_draws());
            let schema = context.schema().map(|(schema, _)| schema.clone());
            let read = |reply: &Reply| Self::read(context, reply);
            let made = context.obtain(&question, schema, |_| Variables::Generate(fields.clone()), read).await;
            let (answer, draw) = match made {
                Ok(made) => made,
                Err(failure) => return context.failed(&item.id, failure),
            };
            let mut whole = row.fields.clone();
            whole.extend(answer);
            item.provenance.template = context.is_template(context.role());
            item.provenance.draws.push(draw);
            item.record = Record::Row(Row { fields: whole });
            Ok(Outcome::keep(item))
        })
    }
}

impl GenerateConfig {
    fn read(context: &Context, reply: &Reply) -> Result<Object, Fault> {
        let Some((_, validator)) = context.schema() else {
            let text = reply.text.trim();
            if text.is_empty() {
                return Err(Fault::new("empty", "the reply is empty"));
            }
            return Ok(Object::from_iter([("text".to_owned(), Value::from(text))]));
        };
        let (object, way) = read_object(&reply.text)?;
        context.count(&format!("read {}", way.as_str()));
        let json = serde_json::Value::from(&Value::Object(object.clone()));
        match validator.iter_errors(&json).next() {
            Some(error) => {
                let detail = format!("{} at `{}`", error, error.instance_path());
                Err(Fault::new("schema", detail))
            }
            None => Ok(object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context, query, query_item, silent};
    use super::*;
    use crate::settings::section::read_text;

    #[test]
    fn rows_come_from_a_table_a_count_or_the_stage_before() {
        let read = |more: &str| read_text::<GenerateConfig>(&format!("prompt = \"p.md\"\n{more}")).unwrap();
        assert!(read("table = \"t.csv\"").input().is_empty());
        assert!(read("count = 3").is_source());
        assert_eq!(read("").input(), [RecordKind::Row]);
        assert_eq!(read("").output(), RecordKind::Row);
    }

    #[test]
    fn every_file_is_named_with_its_key() {
        let config: GenerateConfig = read_text("prompt = \"p\"\nschema = \"s\"\ntable = \"t.csv\"").unwrap();
        let keys: Vec<&str> = config.settings().files.iter().map(|file| file.key).collect();
        assert_eq!(keys, ["prompt", "schema", "table"]);
        assert_eq!((config.role(), config.asks.get()), (Some("generator"), 3));
    }

    #[test]
    fn a_prompt_is_needed() {
        assert_eq!(read_text::<GenerateConfig>("count = 1").unwrap_err(), ["missing key `prompt` in the test"]);
    }

    fn rows(json: &[&str]) -> Vec<Object> {
        json.iter().map(|row| serde_json::from_str(row).unwrap()).collect()
    }

    /// Answers one row, whose answer must keep to `schema`, with `replies`, one after the other.
    async fn answered(schema: Option<&str>, replies: &[&str]) -> (Outcome, Asked) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let mut context = context.with_table(rows(&[r#"{"who": "Anna"}"#]));
        if let Some(schema) = schema {
            context = context.with_schema(serde_json::from_str(schema).unwrap()).unwrap();
        }
        let config: GenerateConfig = read_text("prompt = \"p\"\ntable = \"t.csv\"").unwrap();
        let item = config.roots(&context).root(0);
        (config.each(&context, item).await.unwrap(), asked)
    }

    fn fields(outcome: &Outcome) -> String {
        let Record::Row(row) = &outcome.kept[0].record else { panic!("no row") };
        serde_json::to_string(&row.fields).unwrap()
    }

    const SCHEMA: &str =
        r#"{"type": "object", "required": ["age"], "properties": {"age": {"type": "integer", "minimum": 0}}}"#;

    #[test]
    fn a_table_is_answered_row_by_row_and_as_often_as_is_wanted() {
        let source = |settings: &str| {
            let context = silent().with_table(rows(&[r#"{"a": 1}"#, r#"{"a": 2}"#]));
            let config: GenerateConfig = read_text(&format!("prompt = \"p\"\n{settings}")).unwrap();
            let source = config.roots(&context);
            (0..source.count()).map(|at| source.root(at).id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(source("table = \"t.csv\""), ["row/stage/0", "row/stage/1"]);
        assert_eq!(source("table = \"t.csv\"\ncount = 3").len(), 6);
        assert_eq!(source("count = 3").len(), 3, "without a table the rows are empty");
    }

    #[tokio::test]
    async fn an_answer_joins_its_row() {
        let (outcome, asked) = answered(Some(SCHEMA), &[r#"{"age": 7}"#]).await;
        assert_eq!(fields(&outcome), r#"{"who":"Anna","age":7}"#);
        assert!(outcome.kept[0].provenance.template);
        let Variables::Generate(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        let given = serde_json::to_string(variables).unwrap();
        assert_eq!(given, r#"{"who":"Anna","row":{"who":"Anna"},"locale":"en","ordinal":0}"#);
        assert!(asked.requests()[0].schema.is_some());
    }

    #[tokio::test]
    async fn an_answer_must_keep_to_the_schema() {
        let (outcome, asked) = answered(Some(SCHEMA), &["{}", r#"{"age": -1}"#, r#"{"age": 7}"#]).await;
        assert_eq!((fields(&outcome).as_str(), asked.draws()), (r#"{"who":"Anna","age":7}"#, vec![0, 1, 2]));
        let (outcome, _) = answered(Some(SCHEMA), &[r#"{"age": "x"}"#]).await;
        assert_eq!(outcome.rejected[0].reason, "schema");
        assert!(outcome.rejected[0].detail.ends_with("at `/age`"), "{}", outcome.rejected[0].detail);
        let (outcome, _) = answered(Some(SCHEMA), &["seven"]).await;
        assert!(outcome.kept.is_empty());
    }

    #[tokio::test]
    async fn without_a_schema_an_answer_is_a_text() {
        let (outcome, asked) = answered(None, &["  ", " seven \n"]).await;
        assert_eq!((fields(&outcome).as_str(), asked.count()), (r#"{"who":"Anna","text":"seven"}"#, 2));
        let (outcome, _) = answered(None, &[""]).await;
        assert_eq!(outcome.rejected[0].reason, "empty");
    }

    #[tokio::test]
    async fn what_is_no_row_passes() {
        let item = query_item(query("x", "{}"));
        let config: GenerateConfig = read_text("prompt = \"p\"").unwrap();
        assert_eq!(config.each(&silent(), item.clone()).await.unwrap(), Outcome::keep(item));
    }
}
