//! Lets a model make a toolkit for each category, from the functions that are wanted in it.
//!
//! Names come as the model gives them: `normalise` puts them in order.

use crate::llm::tasks::read_toolkit;
use crate::llm::{Reply, Task, ToolkitVariables, Variables};
use crate::record::RecordKind;
use crate::record::{Item, ItemId, Object, Provenance, Record, Value};
use crate::settings::{Count, Located, count};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::source::Source;
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates a toolkit (a set of tools) for each category from its wanted functions.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolkitsConfig {
    /// A TOML file of categories: tables by name (`["Home.Lamps"]`), each with a `title` and the `wanted` functions.
    /// Default: the built-in categories of `mobile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    categories: Option<Located>,
    /// Minimum number of tools per category; a smaller toolkit is requested again.
    #[serde(default = "count::<5>")]
    per_category: Count,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for ToolkitsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::source("toolkits", RecordKind::Tool).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        // The shipped toolset's categories are what a toolkit is made for where no others are named.
        let categories = if self.categories.is_none() { Some("mobile") } else { None };
        let it = Settings { categories, ..Settings::default() };
        it.file("categories", &self.categories, Content::Categories)
    }

    fn roots(&self, context: &Context) -> Source {
        Source::Items(Self::source(context))
    }

    /// Lets a model make the tools of one category (HammerBench E.1).
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Row(row) = &item.record else { return Ok(Outcome::keep(item)) };
            let (category, wanted) = (text(&row.fields, "title"), text(&row.fields, "wanted"));
            let count = self.per_category.get();
            let variables = |common| {
                Variables::Toolkits(ToolkitVariables {
                    common,
                    category: category.clone(),
                    wanted: wanted.clone(),
                    count,
                })
            };
            let question = context.question(Task::Toolkits, &item.id, self.asks.as_draws());
            let mut asked = 0;
            let read = |reply: &Reply| {
                asked += 1;
                let toolkit = read_toolkit(&reply.text, &[])?.0;
                // The last time, what is sound is enough if there is enough of it.
                let is_last = asked >= self.asks.get() && toolkit.tools.len() >= count;
                if let Some(told) = toolkit.told().filter(|_| !is_last) {
                    return Err(Fault::new("faulty_tool", told));
                }
                if toolkit.tools.len() < count {
                    let detail = format!("{count} tools were wanted, {} came", toolkit.tools.len());
                    return Err(Fault::new("too_few_tools", detail));
                }
                Ok(toolkit)
            };
            let (toolkit, draw) = match context.obtain(&question, question.task.reply_schema(), variables, read).await {
                Ok(made) => made,
                Err(failure) => return context.failed(&item.id, failure),
            };
            let mut outcome = Outcome::default();
            for faulty in toolkit.faulty {
                let id = ItemId::root(format!("{}/{}", item.id, faulty.name));
                outcome.add(context.reject(&id, Fault::new("faulty_tool", faulty.told()), faulty.text));
            }
            let template = context.is_template(context.role());
            let kept = toolkit.tools.into_iter().enumerate().map(|(ordinal, mut tool)| {
                tool.name = format!("{}.{}", item.id, tool.name);
                Item {
                    id: item.id.child(context.stage(), ordinal),
                    root: item.root.clone(),
                    record: Record::Tool(Arc::new(tool)),
                    provenance: Provenance { template, draws: vec![draw.clone()], ..Provenance::default() },
                }
            });
            outcome.kept.extend(kept);
            Ok(outcome)
        })
    }
}

impl ToolkitsConfig {
    /// The categories, each the root of its tools: those of the file, else those of the run's toolset.
    pub fn source(context: &Context) -> Vec<Item> {
        let listed = context.table().iter().cloned().collect::<Vec<_>>();
        let shipped = context.toolset().categories.iter().map(|(name, category)| {
            let field = |key: &str, text: &str| (key.to_owned(), Value::from(text));
            Object::from_iter([field("name", name), field("title", &category.title), field("wanted", &category.wanted)])
        });
        let rows = if listed.is_empty() { shipped.collect() } else { listed };
        let row_item = |fields: Object| {
            let id = ItemId::root(text(&fields, "name"));
            let record = Record::Row(crate::record::Row { fields });
            Item { root: id.clone(), id, record, provenance: Provenance::default() }
        };
        rows.into_iter().map(row_item).collect()
    }
}

fn text(fields: &Object, key: &str) -> String {
    fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, context, silent, with_shared};
    use crate::toolset::{Category, Toolset};
    use indexmap::IndexMap;

    #[test]
    fn toolkits_need_nothing_but_a_model() {
        let config: ToolkitsConfig = read_text("").unwrap();
        assert_eq!((config.per_category.get(), config.asks.get()), (5, 3));
        assert!(config.settings().files.is_empty());
    }

    #[test]
    fn own_categories_are_a_file() {
        let config: ToolkitsConfig = read_text("categories = \"mine.toml\"").unwrap();
        assert_eq!(config.settings().files[0].path.as_str(), "mine.toml");
    }

    fn row(json: &str) -> Object {
        serde_json::from_str(json).unwrap()
    }

    fn toolkit(names: &[&str]) -> String {
        let tool = |name: &&str| {
            format!(
                r#"{{"tool": "{name}", "description": "Does {name}", "parameters": [{{"name": "room", "type": "string", "description": "Room"}}]}}"#
            )
        };
        format!("[{}]", names.iter().map(tool).collect::<Vec<_>>().join(", "))
    }

    /// Makes the toolkit of one category from `replies`, one after the other.
    async fn made(settings: &str, replies: &[String]) -> (Outcome, Asked) {
        let replies = replies.to_vec();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let fields = row(r#"{"name": "Home.Lamps", "title": "Lamps", "wanted": "dim, switch"}"#);
        let context = context.with_table(vec![fields]);
        let item = ToolkitsConfig::source(&context).remove(0);
        let config: ToolkitsConfig = read_text(settings).unwrap();
        (config.each(&context, item).await.unwrap(), asked)
    }

    fn names(outcome: &Outcome) -> Vec<&str> {
        let name = |item| match item {
            &Item { record: Record::Tool(ref tool), .. } => tool.name.as_str(),
            other => panic!("{other:?}"),
        };
        outcome.kept.iter().map(name).collect()
    }

    #[tokio::test]
    async fn a_category_becomes_tools_of_its_name() {
        let (outcome, asked) = made("per_category = 2", &[toolkit(&["DimLamp", "SwitchLamp"])]).await;
        assert_eq!(names(&outcome), ["Home.Lamps.dimLamp", "Home.Lamps.switchLamp"]);
        assert_eq!(outcome.kept[1].id.as_str(), "Home.Lamps/stage/1");
        assert_eq!(outcome.kept[1].root.as_str(), "Home.Lamps");
        assert!(outcome.kept.iter().all(|item| item.provenance.template && item.provenance.draws.len() == 1));
        let Variables::Toolkits(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!(
            (variables.category.as_str(), variables.wanted.as_str(), variables.count),
            ("Lamps", "dim, switch", 2)
        );
    }

    #[tokio::test]
    async fn a_faulty_tool_is_told_and_asked_for_again() {
        let good = toolkit(&["DimLamp", "SwitchLamp"]);
        for (first, told) in [
            (toolkit(&["dim lamp", "SwitchLamp"]), "`dim lamp` is not a name in CamelCase"),
            (toolkit(&["DimLamp", "DimLamp"]), "DimLamp"),
            (good.replace("\"string\"", "\"text\""), "text"),
            (r#"[{"tool": "DimLamp", "description": "x"}]"#.to_owned(), "tool 1: `parameters` is missing"),
            (toolkit(&["DimLamp"]), "2 tools were wanted, 1 came"),
            ("I would suggest a lamp".to_owned(), "there is no valid JSON list of tools"),
        ] {
            let (outcome, asked) = made("per_category = 2", &[first, good.clone()]).await;
            assert_eq!((outcome.kept.len(), asked.draws()), (2, vec![0, 1]));
            assert!(asked.faults()[1].contains(told), "{told}: {}", asked.faults()[1]);
        }
    }

    #[tokio::test]
    async fn the_last_time_what_is_sound_is_kept_and_the_rest_is_counted() {
        let reply = toolkit(&["dim lamp", "SwitchLamp", "FindLamps"]);
        let (outcome, asked) = made("per_category = 2\nasks = 2", &[reply]).await;
        assert_eq!((names(&outcome).len(), asked.count()), (2, 2));
        let lost = &outcome.rejected[0];
        assert_eq!((lost.id.as_str(), lost.reason.as_str()), ("Home.Lamps/dim lamp", "faulty_tool"));
        assert_eq!(lost.detail, "`dim lamp` is not a name in CamelCase");
    }

    #[tokio::test]
    async fn a_category_without_a_toolkit_is_rejected() {
        let (outcome, asked) = made("asks = 2", &[toolkit(&["dim lamp"])]).await;
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("faulty_tool", 2));
        assert_eq!(outcome.rejected[0].id.as_str(), "Home.Lamps");
    }

    #[test]
    fn without_a_file_the_shipped_categories_are_taken() {
        let category = Category { title: "Lamps".to_owned(), wanted: "dim".to_owned() };
        let categories = IndexMap::from([("Home.Lamps".to_owned(), category)]);
        let context =
            with_shared(silent(), |shared| shared.toolset = Arc::new(Toolset { categories, ..Toolset::default() }));
        let items = ToolkitsConfig::source(&context);
        let Record::Row(row) = &items[0].record else { panic!("no row") };
        assert_eq!((items.len(), items[0].id.as_str(), text(&row.fields, "wanted").as_str()), (1, "Home.Lamps", "dim"));
        let own = context.with_table(vec![self::row(r#"{"name": "Garden"}"#)]);
        assert_eq!(ToolkitsConfig::source(&own)[0].id.as_str(), "Garden");
    }
}
