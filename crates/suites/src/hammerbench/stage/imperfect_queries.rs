//! Lets a model write queries that leave required parameters out.
//!
//! Given selections, it writes what was selected; given tools, it draws the parameters itself.

use crate::failure::{ItemError, RunStopped};
use crate::hammerbench::stage::select_parameters::{choose, mention};
use crate::record::RecordKind;
use crate::record::{Draw, Item, ItemId, Record, Selection, Tool};
use crate::settings::{Count, Factor, Located, Measure, count, measure};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::Outcome;
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::batch::{Batch, Wanted};
use crate::stage::writing::write::{Order, draw_query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates queries that leave out required parameters.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImperfectQueriesConfig {
    /// Required queries per tool.
    #[serde(default = "count::<6>")]
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
    /// Maximum parameters mentioned in one query.
    #[serde(default = "count::<3>")]
    most: Count,
}

impl Stage for ImperfectQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("imperfect_queries", &[RecordKind::Tool, RecordKind::Selection], RecordKind::Query)
            .asks("generator")
            .speaks()
    }

    fn settings(&self) -> Settings<'_> {
        let it = Settings { per_root: Some(self.per_tool), total: self.want, ..Settings::default() };
        it.file("seeds", &self.seeds, Content::Table)
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["ST_Imperfect".to_owned()]
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }

    fn quota(&self, input: &Record) -> Option<Quota> {
        matches!(input, Record::Tool(_)).then(|| Quota::new(self.per_tool.get(), self.spare))
    }

    /// Draws the `ordinal`-th query of a tool, its parameters chosen first.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let bank = match context.bank(tool).await {
                Ok(bank) => bank,
                Err(failure) => return context.failed(&id, failure),
            };
            let Some(bank) = bank else {
                let chosen = choose(context, tool, &id, self.most.get(), self.asks.as_draws()).await;
                return match chosen {
                    Ok((preset, draws)) => self.write(context, &id, (&parent.root, tool), (preset, draws), None).await,
                    Err(failure) => context.failed(&id, failure),
                };
            };
            let preset =
                |ordinal| mention(context, &bank, tool, &parent.id.child(context.stage(), ordinal), self.most.get());
            let wanted = |ordinal| Wanted { preset: preset(ordinal), ..Wanted::default() };
            let batch = Batch::of(context.stage(), ordinal, (self.per_tool.get(), self.per_request.get()), wanted);
            self.write(context, &id, (&parent.root, tool), (preset(ordinal), Vec::new()), Some(batch)).await
        })
    }

    /// Writes the query of a choice that was made before.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Selection(selection) = item.record else { return Ok(Outcome::keep(item)) };
            let id = item.id.child(context.stage(), 0);
            let batch = match self.siblings(context, &item.id, &item.root, &selection).await {
                Ok(batch) => batch,
                Err(failure) => return context.failed(&id, failure),
            };
            let draws = item.provenance.draws;
            self.write(context, &id, (&item.root, &selection.tool), (selection.parameters, draws), batch).await
        })
    }
}

impl ImperfectQueriesConfig {
    /// The other choices of the tool that a bank made, with which a query is written in one answer.
    async fn siblings(
        &self,
        context: &Context,
        id: &ItemId,
        root: &ItemId,
        selection: &Selection,
    ) -> Result<Option<Batch>, ItemError> {
        let mut parts = id.as_str().rsplit('/');
        let ordinal: Option<usize> = parts.next().and_then(|ordinal| ordinal.parse().ok());
        let (Some(ordinal), Some(stage), Some((owed, most))) = (ordinal, parts.next(), selection.dealt) else {
            return Ok(None);
        };
        let Some(bank) = context.bank(&selection.tool).await? else { return Ok(None) };
        let chooser = context.at(stage, None);
        let wanted = |ordinal| {
            let preset = mention(&chooser, &bank, &selection.tool, &root.child(stage, ordinal), most);
            Wanted { preset, ..Wanted::default() }
        };
        Ok(Some(Batch::of(stage, ordinal, (owed, self.per_request.get()), wanted)))
    }

    async fn write(
        &self,
        context: &Context,
        id: &ItemId,
        (root, tool): (&ItemId, &Arc<Tool>),
        (preset, draws): (Vec<String>, Vec<Draw>),
        batch: Option<Batch>,
    ) -> Result<Outcome, RunStopped> {
        let asks = self.asks.as_draws();
        let wanted = Wanted { preset, ..Wanted::default() };
        let order = Order { id: id.clone(), root, tool, wanted, data_type: "ST_Imperfect", asks, batch, draws };
        draw_query(context, order).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Task, Variables};
    use crate::record::Provenance;
    use crate::settings::section::read_text;
    use crate::stage::testing::{context, queries, tool_item, train, written};

    #[test]
    fn tools_and_selections_both_fit() {
        let config: ImperfectQueriesConfig = read_text("per_tool = 2").unwrap();
        assert_eq!(config.input(), [RecordKind::Tool, RecordKind::Selection]);
        assert_eq!((config.per_tool.get(), config.most.get()), (2, 3));
    }

    #[test]
    fn every_wrong_number_is_named() {
        let messages = read_text::<ImperfectQueriesConfig>("per_tool = \"three\"\nspare = -1\nasks = 0").unwrap_err();
        assert_eq!(messages.len(), 3);
    }

    #[tokio::test]
    async fn a_selection_is_written_as_it_is() {
        let (context, asked) = context(|_| written(r#"{"to": "Porto"}"#, "get me to Porto"));
        let selection = Selection { tool: Arc::new(train()), parameters: vec!["to".to_owned()], dealt: None };
        let root = ItemId::root("Travel.Trains.book");
        let draws = vec![Draw { stage: "select".to_owned(), model: String::new(), prompt: String::new(), draw: 1 }];
        let provenance = Provenance { draws, ..Provenance::default() };
        let item = Item { id: root.child("select", 3), root, record: Record::Selection(selection), provenance };
        let config: ImperfectQueriesConfig = read_text("").unwrap();
        let outcome = config.each(&context, item).await.unwrap();
        assert_eq!(outcome.kept[0].id.as_str(), "Travel.Trains.book/select/3/stage/0");
        assert_eq!(queries(&outcome.kept)[0].preset, ["to"]);
        let stages: Vec<&str> = outcome.kept[0].provenance.draws.iter().map(|draw| draw.stage.as_str()).collect();
        assert_eq!((stages, asked.tasks()), (vec!["select", "stage"], vec![Task::WriteQuery]));
    }

    #[tokio::test]
    async fn of_a_tool_the_parameters_are_chosen_first() {
        let (context, asked) = context(|request| match &*request.variables {
            Variables::SelectParameters(variables) => {
                format!("```{}```", ["to", "at", "seats"][..variables.count].join(", "))
            }
            Variables::WriteQuery(variables) => {
                let values = [("to", "\"Porto\""), ("at", "\"noon\""), ("seats", "3")];
                let said = values.iter().filter(|(name, _)| variables.must_include.iter().any(|it| it == name));
                let label: Vec<String> = said.clone().map(|(name, value)| format!("\"{name}\": {value}")).collect();
                let words: Vec<String> = said.map(|(_, value)| value.replace('"', "")).collect();
                written(&format!("{{{}}}", label.join(", ")), &format!("get me a ride: {}", words.join(" and ")))
            }
            other => panic!("{other:?}"),
        });
        let config: ImperfectQueriesConfig = read_text("most = 2").unwrap();
        let mut counts = Vec::new();
        for ordinal in 0..20 {
            let outcome = config.draw(&context, &tool_item(train()), ordinal).await.unwrap();
            let query = queries(&outcome.kept)[0];
            assert_eq!(query.data_type.0, "ST_Imperfect");
            assert_eq!(query.call.arguments.keys().collect::<Vec<_>>(), query.preset.iter().collect::<Vec<_>>());
            counts.push(query.preset.len());
        }
        assert!(counts.contains(&0) && counts.contains(&1) && counts.iter().all(|count| *count <= 2), "{counts:?}");
        assert!(asked.tasks().contains(&Task::SelectParameters));
    }

    #[tokio::test]
    async fn a_choice_that_fails_rejects_the_query() {
        let (context, _) = context(|_| "```bags```".to_owned());
        let config: ImperfectQueriesConfig = read_text("asks = 1").unwrap();
        let mut reasons = Vec::new();
        for ordinal in 0..20 {
            reasons.extend(config.draw(&context, &tool_item(train()), ordinal).await.unwrap().rejected);
        }
        assert!(reasons.iter().any(|reject| reject.reason == "undeclared_parameter"), "{reasons:?}");
    }
}
