//! Lets a model write the single requests of FunctionChat-Bench: four for each of 25 functions.

use crate::functionchat::layout::EXTRACTION_FACT;
use crate::functionchat::stage::talk::Registers;
use crate::record::{Item, Record, RecordKind, Tool};
use crate::settings::{Amount, Count, Located, Measure, amount, count, measure};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::Outcome;
use crate::stage::targets::{Extraction, chosen};
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::batch::{Batch, Wanted};
use crate::stage::writing::write::{Order, write_query};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates requests that give every required parameter, for a number of functions of each extraction type
/// (FunctionChat-Bench, section 3.1).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SingleCallsConfig {
    /// Functions of each extraction type.
    #[serde(default = "quotas")]
    extraction: IndexMap<Extraction, Amount>,
    /// Required requests per function.
    #[serde(default = "count::<4>")]
    queries: Count,
    /// Extra candidates per function when candidates are rejected, as a ratio of the required number.
    #[serde(default = "measure::<400>")]
    spare: Measure,
    /// Speakers per cycle in each register, by locale: `{ ko = { banmal = 1, haeyo = 2 } }`.
    #[serde(default)]
    registers: Registers,
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
}

/// The fact of a request that tells which function of the benchmark it is about, from 0: lists of tools place their
/// target by it.
pub(crate) const RANK_FACT: &str = "target_rank";

/// As in the authors' data (spec: 2 none, 11 simple, 8 transformed, 4 date and time).
fn quotas() -> IndexMap<Extraction, Amount> {
    let quota = [
        (Extraction::None, amount::<2>()),
        (Extraction::Simple, amount::<11>()),
        (Extraction::Transformed, amount::<8>()),
        (Extraction::DateTime, amount::<4>()),
    ];
    quota.into()
}

impl Stage for SingleCallsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("single_calls", &[RecordKind::Tool], RecordKind::Query).asks("generator").speaks()
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("seeds", &self.seeds, Content::Table)
    }

    fn quota(&self, _input: &Record) -> Option<Quota> {
        Some(Quota::new(self.queries.get(), self.spare))
    }

    /// Whether a tool is one of the functions that requests are written for.
    fn suits(&self, context: &Context, item: &Item) -> bool {
        let Record::Tool(tool) = &item.record else { return false };
        self.rank(context, tool).is_some()
    }

    /// Draws the `ordinal`-th request of a function. Every second one says what is optional as well.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &parent.record else { return Ok(Outcome::default()) };
            let Some(rank) = self.rank(context, tool) else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let style = |ordinal: usize| self.registers.of(context, rank * self.queries.get() + ordinal);
            style(ordinal)?;
            let wanted = |ordinal: usize| {
                let says = |name: &&String| ordinal % 2 == 1 || tool.parameters.required.contains(name);
                let style = style(ordinal).ok().flatten().map(str::to_owned);
                let preset = tool.parameters.properties.keys().filter(says).cloned().collect();
                Wanted { preset, style, ..Wanted::default() }
            };
            // A template writes alone.
            let size = (self.queries.get(), self.per_request.get());
            let is_template = context.is_template(context.role());
            let batch = (!is_template).then(|| Batch::of(context.stage(), ordinal, size, wanted));
            let order = Order {
                id: id.clone(),
                root: &parent.root,
                tool,
                wanted: wanted(ordinal),
                data_type: "single_call",
                asks: self.asks.as_draws(),
                batch,
                draws: Vec::new(),
            };
            let mut written = write_query(context, order).await;
            if let Ok(item) = &mut written {
                let extraction = Extraction::of(tool, context.pack()).as_str().to_owned();
                item.provenance.facts.insert(EXTRACTION_FACT.to_owned(), extraction);
                item.provenance.facts.insert(RANK_FACT.to_owned(), rank.to_string());
            }
            context.settled(&id, written)
        })
    }
}

impl SingleCallsConfig {
    fn rank(&self, context: &Context, tool: &Arc<Tool>) -> Option<usize> {
        let quota: Vec<(Extraction, usize)> =
            self.extraction.iter().map(|(kind, amount)| (*kind, amount.get())).collect();
        let kind = |tool: &Tool| Some(Extraction::of(tool, context.pack()));
        chosen(context, &quota, kind).iter().position(|it| it.name == tool.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Variables;
    use crate::settings::section::read_text;
    use crate::stage::testing::{context, queries, silent, tool_item, written};

    #[test]
    fn the_authors_quotas_are_the_default() {
        let config: SingleCallsConfig = read_text("").unwrap();
        assert_eq!(config.extraction.values().map(|it| it.get()).sum::<usize>(), 25);
        assert_eq!(config.queries.get(), 4);
        let config: SingleCallsConfig = read_text("extraction = { simple = 3 }").unwrap();
        assert_eq!(config.extraction.len(), 1);
        assert!(read_text::<SingleCallsConfig>("extraction = { hard = 3 }").is_err());
    }

    #[test]
    fn so_many_functions_of_each_type_are_targets() {
        let context = silent();
        let config: SingleCallsConfig =
            read_text("extraction = { date_time = 1, transformed = 1, simple = 1 }").unwrap();
        let items: Vec<Item> = context.toolset().tools.iter().map(|tool| tool_item((**tool).clone())).collect();
        let targets: Vec<&Item> = items.iter().filter(|item| config.suits(&context, item)).collect();
        let types: Vec<Extraction> = targets
            .iter()
            .filter_map(|item| match &item.record {
                Record::Tool(tool) => Some(Extraction::of(tool, context.pack())),
                _ => None,
            })
            .collect();
        assert!(!types.is_empty() && !types.contains(&Extraction::None), "{types:?}");
        let distinct: std::collections::BTreeSet<Extraction> = types.iter().copied().collect();
        assert_eq!(distinct.len(), types.len(), "one of each");
    }

    #[tokio::test]
    async fn a_request_knows_its_type_and_its_rank() {
        let (context, _) = context(|request| match &*request.variables {
            Variables::WriteQuery(it) => {
                let value = |name: &String| format!("{name:?}: \"{name} town\"");
                let label = it.must_include.iter().map(value).collect::<Vec<_>>().join(", ");
                let words = it.must_include.iter().map(|name| format!("{name} town")).collect::<Vec<_>>().join(" and ");
                written(&format!("{{{label}}}"), &format!("please, {words}"))
            }
            other => panic!("{other:?}"),
        });
        let words = |tool: &&Arc<Tool>| Extraction::of(tool, context.pack()) == Extraction::Simple;
        let Some(tool) = context.toolset().tools.iter().find(words).cloned() else { return };
        let config: SingleCallsConfig = read_text("extraction = { simple = 99 }").unwrap();
        let outcome = config.draw(&context, &tool_item((*tool).clone()), 0).await.unwrap();
        assert_eq!(outcome.rejected, []);
        let facts = &outcome.kept[0].provenance.facts;
        assert_eq!(facts[EXTRACTION_FACT], "simple");
        assert!(facts[RANK_FACT].parse::<usize>().is_ok());
        assert_eq!(queries(&outcome.kept)[0].data_type.0, "single_call");
    }
}
