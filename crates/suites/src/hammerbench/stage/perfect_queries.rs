//! Lets a model write queries that name every required parameter of a tool.

use crate::record::RecordKind;
use crate::record::{Item, Record};
use crate::settings::{Count, Factor, Located, Measure, count, measure};
use crate::stage::banks::Bank;
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::gates::readings::write_example;
use crate::stage::outcome::Outcome;
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::batch::{Batch, Wanted};
use crate::stage::writing::write::{Order, draw_query};
use futures::future::join;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates queries that give every required parameter of a tool.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PerfectQueriesConfig {
    /// Required queries per tool.
    #[serde(default = "count::<4>")]
    per_tool: Count,
    /// Extra candidates per tool when candidates are rejected, as a ratio of the required number: 1 allows up to twice
    /// as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// Requests written per model call, each for a different person; the built-in model writes one.
    #[serde(default = "count::<6>")]
    per_request: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); one row is added to each prompt and to the
    /// provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seeds: Option<Located>,
    /// Total number of accepted items required, split evenly over the tools. Default: `per_tool` for each tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    want: Option<Count>,
}

impl Stage for PerfectQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("perfect_queries", &[RecordKind::Tool], RecordKind::Query).asks("generator").speaks()
    }

    fn settings(&self) -> Settings<'_> {
        let it = Settings { per_root: Some(self.per_tool), total: self.want, ..Settings::default() };
        it.file("seeds", &self.seeds, Content::Table)
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["ST_Perfect".to_owned()]
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }

    fn quota(&self, _input: &Record) -> Option<Quota> {
        Some(Quota::new(self.per_tool.get(), self.spare))
    }

    /// Draws the `ordinal`-th query of a tool.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let bank = match context.bank(tool).await {
                Ok(bank) => bank,
                Err(failure) => return context.failed(&id, failure),
            };
            let wanted = |ordinal| {
                let also =
                    bank.as_deref().map(|bank| also_mentioned(context, bank, parent, ordinal)).unwrap_or_default();
                let is_said = |name: &&String| tool.parameters.required.contains(name) || also.contains(name);
                let preset = tool.parameters.properties.keys().filter(is_said).cloned().collect();
                Wanted { preset, ..Wanted::default() }
            };
            // A template writes alone, and what it draws may be far more.
            let size = (self.per_tool.get(), self.per_request.get());
            let is_template = context.is_template(context.role());
            let batch = (!is_template).then(|| Batch::of(context.stage(), ordinal, size, wanted));
            let order = Order {
                id,
                root: &parent.root,
                tool,
                wanted: wanted(ordinal),
                data_type: "ST_Perfect",
                asks: self.asks.as_draws(),
                batch,
                draws: Vec::new(),
            };
            if ordinal == 0 && context.reads_with_examples() {
                return join(draw_query(context, order), write_example(context, &parent.root, tool, 0)).await.0;
            }
            draw_query(context, order).await
        })
    }
}

/// What people mention of their own accord, as often as the bank says.
fn also_mentioned(context: &Context, bank: &Bank, parent: &Item, ordinal: usize) -> Vec<String> {
    let mut chance = context.chance_of("mentioned", parent.id.child(context.stage(), ordinal).as_str(), 0);
    let place = chance.weighted(bank.mentioned.iter().map(|it| it.weight));
    bank.mentioned.get(place).map(|it| it.parameters.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{context, queries, tool_item, train, written};

    #[test]
    fn four_queries_are_owed_for_each_tool() {
        let config: PerfectQueriesConfig = read_text("").unwrap();
        assert_eq!((config.per_tool.get(), config.asks.get(), config.want), (4, 3, None));
    }

    #[test]
    fn the_pipelines_factor_multiplies_what_is_owed() {
        let mut config: PerfectQueriesConfig = read_text("per_tool = 3").unwrap();
        config.scale(serde_json::from_str("1.5").unwrap());
        assert_eq!(config.per_tool.get(), 5);
    }

    #[test]
    fn seeds_are_a_table() {
        let config: PerfectQueriesConfig = read_text("seeds = \"people.csv\"\nspare = 0").unwrap();
        assert_eq!(config.settings().files[0].content, Content::Table);
        assert!(config.spare.get() <= 0.0);
    }

    #[tokio::test]
    async fn a_query_names_every_required_parameter() {
        let (context, asked) =
            context(|_| written(r#"{"to": "Porto", "at": "noon", "seats": 3}"#, "3 seats to Porto at noon"));
        let config: PerfectQueriesConfig = read_text("").unwrap();
        let outcome = config.draw(&context, &tool_item(train()), 2).await.unwrap();
        assert_eq!(outcome.kept[0].id.as_str(), "Travel.Trains.book/stage/2");
        let query = queries(&outcome.kept)[0];
        assert_eq!(query.preset, ["to", "at", "seats"], "and none of the others");
        assert_eq!((query.data_type.0.as_str(), asked.count()), ("ST_Perfect", 1));
    }

    #[tokio::test]
    async fn who_says_less_is_rejected() {
        let (context, asked) = context(|_| written(r#"{"to": "Porto"}"#, "to Porto"));
        let config: PerfectQueriesConfig = read_text("asks = 2").unwrap();
        let outcome = config.draw(&context, &tool_item(train()), 0).await.unwrap();
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("missing_parameter", 2));
        assert_eq!(outcome.rejected[0].id.as_str(), "Travel.Trains.book/stage/0");
        assert!(outcome.kept.is_empty());
    }

    #[tokio::test]
    async fn what_is_no_tool_gives_nothing() {
        let row = Record::Row(crate::record::Row { fields: crate::record::Object::new() });
        let item = Item { record: row, ..tool_item(train()) };
        let config: PerfectQueriesConfig = read_text("").unwrap();
        assert_eq!(config.draw(&crate::stage::testing::silent(), &item, 0).await.unwrap(), Outcome::default());
    }
}
