//! Makes samples of a query, one for each of several lists of tools, which all queries of its tool share.
//!
//! Who decides whether another tool could serve as well is the model of the role `checker` (FunctionChat-Bench 1.1).

use crate::failure::{ItemError, RunStopped};
use crate::functionchat::stage::lists::{Distractors, Lists, Shown, least_tools, requests};
use crate::functionchat::stage::tool_list::ToolList;
use crate::record::{DataType, Item, Query, Record, RecordKind, Sample, SuiteId, SuiteName, Tool};
use crate::stage::candidates::sample;
use crate::stage::context::Context;
use crate::stage::facts::{Scope, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Makes one sample of a query for each of several tool lists, which all queries of a tool share.
///
/// Apart from the expected tool, no tool of a list can serve any of the tool's queries. Close lists hold the tools that
/// are nearest by name, description and parameters (a smaller list holds the nearest of the larger one); random lists
/// are drawn from tools that are farther away than all of these. Over a run, the expected tool is equally often in each
/// position.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolListsConfig {
    /// Tool lists: `exact` has the expected tool only, `4_random` adds three random tools, `8_close` adds the seven
    /// nearest.
    #[serde(default = "ToolList::all_five")]
    lists: Vec<ToolList>,
    /// Suite of the samples. With `functionchat`, the data type is the name of the list, otherwise that of the query.
    #[serde(default = "functionchat")]
    #[schemars(with = "String")]
    suite: SuiteName,
}

fn functionchat() -> SuiteName {
    SuiteId::FunctionChat.into()
}

impl Stage for ToolListsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("tool_lists", &[RecordKind::Query], RecordKind::Sample).scope(Scope::Tool).asks("checker")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        if self.suite == SuiteId::FunctionChat {
            self.lists.iter().map(ToString::to_string).collect()
        } else {
            incoming
        }
    }

    fn least_tools(&self, _input: RecordKind) -> usize {
        least_tools(&self.lists)
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Listing { config: self.clone(), known: Known::default() }))
    }
}

/// The lists of each tool of a root, by its name: what was decided for the queries that came first holds for all.
type Known = Arc<Mutex<BTreeMap<String, Shown>>>;

/// A root's lists.
struct Listing {
    config: ToolListsConfig,
    known: Known,
}

impl Scan for Listing {
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        let (config, context, known) = (self.config.clone(), context.clone(), self.known.clone());
        Box::pin(async move { config.of_tools(&context, &known, items).await })
    }
}

impl ToolListsConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let twice =
            self.lists.iter().enumerate().find(|(place, list)| self.lists.iter().take(*place).any(|it| it == *list));
        let twice = twice.map(|(_, list)| ("lists", format!("`{list}` is listed twice in `lists`")));
        let none = self.lists.is_empty().then(|| ("lists", "`lists` is empty".to_owned()));
        twice.into_iter().chain(none).collect()
    }

    /// Makes the samples of the queries of one root, which come in the order of their ids.
    async fn of_tools(&self, context: &Context, known: &Known, items: Vec<Item>) -> Result<Outcome, RunStopped> {
        let mut outcome = Outcome::default();
        let mut tools: Vec<(Arc<Tool>, Vec<Item>)> = Vec::new();
        for item in items {
            let Record::Query(query) = &item.record else {
                outcome.kept.push(item);
                continue;
            };
            match tools.iter_mut().find(|(tool, _)| tool.name == query.tool.name) {
                Some((_, items)) => items.push(item),
                None => tools.push((query.tool.clone(), vec![item])),
            }
        }
        for (tool, items) in tools {
            let next = self.of_tool(context, known, &tool, items).await?;
            outcome.kept.extend(next.kept);
            outcome.rejected.extend(next.rejected);
        }
        Ok(outcome)
    }

    async fn of_tool(
        &self,
        context: &Context,
        known: &Known,
        tool: &Arc<Tool>,
        items: Vec<Item>,
    ) -> Result<Outcome, RunStopped> {
        let before = known.lock().unwrap_or_else(PoisonError::into_inner).get(&tool.name).cloned();
        let Some(shown) = before else { return self.first_of_tool(context, known, tool, items).await };
        let mut outcome = Outcome::default();
        for item in items {
            let checked = still_fit(context, tool, &shown, &item).await;
            let next = self.settle(context, vec![item], checked.map(|()| shown.clone()))?;
            outcome.kept.extend(next.kept);
            outcome.rejected.extend(next.rejected);
        }
        Ok(outcome)
    }

    async fn first_of_tool(
        &self,
        context: &Context,
        known: &Known,
        tool: &Arc<Tool>,
        items: Vec<Item>,
    ) -> Result<Outcome, RunStopped> {
        let shown = Lists { context, wanted: &self.lists, tool, items: &items }.make().await;
        if let Ok(shown) = &shown {
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(tool.name.clone(), shown.clone());
        }
        self.settle(context, items, shown)
    }

    /// The samples of queries, or their rejects.
    fn settle(
        &self,
        context: &Context,
        items: Vec<Item>,
        shown: Result<Shown, ItemError>,
    ) -> Result<Outcome, RunStopped> {
        let mut outcome = Outcome::default();
        match shown {
            Ok(shown) => {
                outcome.kept = items.into_iter().flat_map(|item| self.samples(context, item, &shown)).collect();
            }
            Err(ItemError::Stopped(stop)) => return Err(stop),
            Err(ItemError::Item { fault, .. }) => {
                for item in items {
                    let text = item.record.said().unwrap_or_default();
                    outcome.rejected.extend(context.reject(&item.id, fault.clone(), text).rejected);
                }
            }
        }
        Ok(outcome)
    }

    fn samples(&self, context: &Context, item: Item, shown: &Shown) -> Vec<Item> {
        let Record::Query(query) = item.record else { return Vec::new() };
        let mut provenance = item.provenance;
        provenance.parents = vec![item.id.to_string()];
        let made = |(ordinal, (list, tools)): (usize, (&ToolList, &Vec<Arc<Tool>>))| {
            let id = item.id.child(context.stage(), ordinal);
            let query = Query { data_type: self.data_type(&query, *list), ..(*query).clone() };
            let sample = sample(context, &id, &item.root, query, tools.clone(), provenance.clone());
            let record = Record::Sample(Box::new(Sample { suite: self.suite.clone(), ..sample }));
            Item { id, root: item.root.clone(), record, provenance: provenance.clone() }
        };
        self.lists.iter().zip(shown).enumerate().map(made).collect()
    }

    fn data_type(&self, query: &Query, list: ToolList) -> DataType {
        if self.suite == SuiteId::FunctionChat { DataType(list.to_string()) } else { query.data_type.clone() }
    }
}

/// Whether the lists of a tool do for one more of its queries.
async fn still_fit(context: &Context, tool: &Tool, shown: &Shown, item: &Item) -> Result<(), ItemError> {
    let mut seen = BTreeSet::from([tool.name.as_str()]);
    let others: Vec<Arc<Tool>> = shown.iter().flatten().filter(|it| seen.insert(&it.name)).cloned().collect();
    let found = Distractors::new(context, requests(std::slice::from_ref(item))).first(&others, others.len()).await?;
    if found.len() == others.len() {
        return Ok(());
    }
    Err(Fault::new("second_right_tool", "a tool of the lists that others have begun can serve the request").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Variables;
    use crate::record::{Expected, ItemId};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, TRAIN, context, query, query_item, samples, tool_item, train, with_shared};
    use crate::toolset::Toolset;

    #[test]
    fn there_are_the_five_lists_of_the_paper() {
        let config: ToolListsConfig = read_text("").unwrap();
        assert_eq!((config.lists.len(), config.suite.as_str()), (5, "functionchat"));
    }

    #[test]
    fn a_list_stands_once_and_there_is_one() {
        let conflicts = |text: &str| read_text::<ToolListsConfig>(text).unwrap().conflicts();
        assert_eq!(
            conflicts("lists = [\"exact\", \"4_close\", \"exact\"]"),
            [("lists", "`exact` is listed twice in `lists`".to_owned())]
        );
        assert_eq!(conflicts("lists = []").len(), 1);
        assert!(conflicts("").is_empty() && read_text::<ToolListsConfig>("lists = [\"close\"]").is_err());
    }

    /// A context of the mobile tools and the train, with a checker that says that these can serve what holds the word.
    fn checker(word: &'static str, serving: fn(&str) -> bool) -> (Context, Asked) {
        let (context, asked) = context(move |request| match &*request.variables {
            Variables::CanServe(it) if it.query.contains(word) && serving(&it.tool.name) => "True".to_owned(),
            _ => "False".to_owned(),
        });
        let mut toolset = Toolset::load(crate::fixtures::assets(), "mobile", "en").unwrap();
        toolset.tools.push(Arc::new(train()));
        (with_shared(context, |shared| shared.toolset = Arc::new(toolset)), asked)
    }

    fn items(texts: &[&str]) -> Vec<Item> {
        let item = |(ordinal, text): (usize, &&str)| {
            let item = query_item(query(text, r#"{"to": "Porto"}"#));
            Item { id: item.root.child("write", ordinal), ..item }
        };
        texts.iter().enumerate().map(item).collect()
    }

    async fn scanned(settings: &str, context: &Context, known: &Known, items: Vec<Item>) -> Outcome {
        read_text::<ToolListsConfig>(settings).unwrap().of_tools(context, known, items).await.unwrap()
    }

    fn names(sample: &Sample) -> Vec<&str> {
        sample.candidates.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[tokio::test]
    async fn each_query_is_asked_with_each_list_and_all_share_them() {
        let (context, _) = checker("-", |_| true);
        let outcome = scanned("", &context, &Known::default(), items(&["to Porto", "to Faro"])).await;
        let made = samples(&outcome.kept);
        let types: Vec<&str> = made.iter().map(|it| it.data_type.0.as_str()).collect();
        assert_eq!(types, ["exact", "4_random", "4_close", "8_random", "8_close"].repeat(2));
        for (one, other) in made.iter().zip(&made[5..]) {
            assert_eq!((names(one), &one.group, one.suite.as_str()), (names(other), &other.group, "functionchat"));
            assert!(matches!(&one.expected, Expected::Call(call) if names(one).contains(&call.name.as_str())));
        }
        assert_eq!(outcome.kept[6].id, ItemId::root(TRAIN).child("write", 1).child("stage", 1));
        assert_eq!(outcome.kept[6].provenance.parents, [format!("{TRAIN}/write/1")]);
        assert_eq!((made[6].query().as_str(), &made[6].id), ("to Faro", &outcome.kept[6].id));
    }

    #[tokio::test]
    async fn another_suite_keeps_its_data_type() {
        let (context, _) = checker("-", |_| true);
        let settings = "suite = \"hammerbench\"\nlists = [\"4_close\"]";
        let outcome = scanned(settings, &context, &Known::default(), items(&["to Porto"])).await;
        let made = samples(&outcome.kept)[0];
        assert_eq!(
            (made.suite.as_str(), made.data_type.0.as_str(), made.candidates.len()),
            ("hammerbench", "ST_Imperfect", 4)
        );
    }

    #[tokio::test]
    async fn the_lists_of_the_first_queries_hold_for_those_that_come_later() {
        let (context, asked) = checker("greedy", |_| true);
        let known = Known::default();
        let first = scanned("", &context, &known, items(&["to Porto"])).await;
        asked.clear();
        let later = scanned("", &context, &known, items(&["to Faro", "a greedy one"]).split_off(0)).await;
        assert_eq!(names(samples(&later.kept)[4]), names(samples(&first.kept)[4]));
        assert_eq!((later.kept.len(), later.rejected[0].reason.as_str()), (5, "second_right_tool"));
        assert_eq!((later.rejected[0].text.as_str(), later.rejected.len()), ("a greedy one", 1));
    }

    #[tokio::test]
    async fn a_request_that_everything_can_serve_loses_all_of_its_tool() {
        let (context, _) = checker("greedy", |_| true);
        let outcome = scanned("", &context, &Known::default(), items(&["to Porto", "a greedy one"])).await;
        let reasons: Vec<&str> = outcome.rejected.iter().map(|it| it.reason.as_str()).collect();
        assert_eq!((reasons, outcome.kept.len()), (vec!["too_few_tools"; 2], 0));
    }

    #[tokio::test]
    async fn what_is_no_query_passes_and_each_tool_has_lists_of_its_own() {
        let (context, _) = checker("-", |_| true);
        let mut other = query("wake me", "{}");
        other.tool = context.toolset().tools[0].clone();
        other.call.name.clone_from(&other.tool.name);
        let items = vec![tool_item(train()), query_item(query("to Porto", "{}")), query_item(other)];
        let outcome = scanned("lists = [\"4_close\"]", &context, &Known::default(), items.clone()).await;
        assert_eq!(outcome.kept[0], items[0]);
        let made = samples(&outcome.kept);
        assert!(made.len() == 2 && names(made[0]) != names(made[1]));
    }
}
