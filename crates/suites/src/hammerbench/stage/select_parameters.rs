//! Lets a model choose the parameters that people would mention when they leave some out.

use crate::failure::ItemError;
use crate::llm::tasks::read_selected;
use crate::llm::{Reply, SelectVariables, Task, Variables};
use crate::record::RecordKind;
use crate::record::{Draw, Item, ItemId, Provenance, Record, Selection, Tool};
use crate::settings::{Count, Factor, Measure, count, measure};
use crate::stage::banks::{Bank, Mentioned};
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::schemas;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Selects, with a model, the parameters that users would mention when they leave some out.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectParametersConfig {
    /// Required selections per tool.
    #[serde(default = "count::<6>")]
    per_tool: Count,
    /// Extra candidates per tool when candidates are rejected, as a ratio of the required number: 1 allows up to twice
    /// as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// Maximum parameters per selection.
    #[serde(default = "count::<3>")]
    most: Count,
    /// Total number of accepted items required, split evenly over the tools; the share of a tool without parameters is
    /// dropped. Default: `per_tool` for each tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    want: Option<Count>,
}

impl Stage for SelectParametersConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("select_parameters", &[RecordKind::Tool], RecordKind::Selection).asks("generator").speaks()
    }

    fn settings(&self) -> Settings<'_> {
        Settings { per_root: Some(self.per_tool), total: self.want, ..Settings::default() }
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }

    fn quota(&self, _input: &Record) -> Option<Quota> {
        Some(Quota::new(self.per_tool.get(), self.spare))
    }

    /// Nothing can be left out of a request for a tool without parameters.
    fn suits(&self, _context: &Context, item: &Item) -> bool {
        matches!(&item.record, Record::Tool(tool) if !tool.parameters.properties.is_empty())
    }

    /// Draws the `ordinal`-th choice of a tool's parameters.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let most = self.most.get();
            let chosen = match context.bank(tool).await {
                Ok(Some(bank)) => {
                    let parameters = mention(context, &bank, tool, &id, most);
                    Ok((
                        Selection { tool: tool.clone(), parameters, dealt: Some((self.per_tool.get(), most)) },
                        Vec::new(),
                    ))
                }
                Ok(None) => {
                    let chosen = choose(context, tool, &id, most, self.asks.as_draws()).await;
                    chosen.map(|(parameters, draws)| (Selection { tool: tool.clone(), parameters, dealt: None }, draws))
                }
                Err(failure) => Err(failure),
            };
            let item = chosen.map(|(selection, draws)| Item {
                id: id.clone(),
                root: parent.root.clone(),
                record: Record::Selection(selection),
                provenance: Provenance {
                    template: context.is_template(context.role()),
                    draws,
                    parents: vec![parent.id.to_string()],
                    ..Provenance::default()
                },
            });
            context.settled(&id, item)
        })
    }
}

/// How often so many parameters are mentioned, from none on: people leave most things out.
const MENTIONED: [f64; 5] = [0.36, 0.44, 0.15, 0.04, 0.01];

/// The parameters that an imperfect query mentions, as often as the tool's bank says that people mention them: never all that
/// are required, and at most `most`.
pub(crate) fn mention(context: &Context, bank: &Bank, tool: &Tool, id: &ItemId, most: usize) -> Vec<String> {
    let mut chance = context.chance(id.as_str(), 0);
    let required = &tool.parameters.required;
    let leaves_out = |names: &[String]| required.is_empty() || required.iter().any(|name| !names.contains(name));
    let fits = |it: &&Mentioned| it.parameters.len() <= most && leaves_out(&it.parameters);
    let patterns: Vec<&Mentioned> = bank.mentioned.iter().filter(fits).collect();
    let mut names: Vec<String> =
        if let Some(pattern) = patterns.get(chance.weighted(patterns.iter().map(|it| it.weight))) {
            pattern.parameters.clone()
        } else {
            let mut names: Vec<String> = tool.parameters.properties.keys().cloned().collect();
            let most = most.min(names.len().saturating_sub(1)).min(MENTIONED.len() - 1);
            chance.shuffle(&mut names);
            names.truncate(chance.weighted(MENTIONED[..=most].iter().copied()));
            if leaves_out(&names) { names } else { Vec::new() }
        };
    names.sort_by_key(|name| tool.parameters.properties.get_index_of(name));
    names.dedup();
    names
}

/// Lets a model choose the parameters that an imperfect query mentions: fewer than there are, and at most `most`.
pub(crate) async fn choose(
    context: &Context,
    tool: &Arc<Tool>,
    id: &ItemId,
    most: usize,
    asks: u32,
) -> Result<(Vec<String>, Vec<Draw>), ItemError> {
    let declared = tool.parameters.properties.len();
    let most = most.min(declared.saturating_sub(1)).min(MENTIONED.len() - 1);
    let mut chance = context.chance(id.as_str(), 0);
    let count = chance.weighted(MENTIONED[..=most].iter().copied());
    if count == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let variables = |common| Variables::SelectParameters(SelectVariables { common, tool: tool.clone(), count });
    let question = context.question(Task::SelectParameters, id, asks);
    let read = |reply: &Reply| read_choice(context, tool, count, reply);
    let schema = Some(schemas::selected(tool, count));
    let (parameters, draw) = context.obtain(&question, schema, variables, read).await?;
    Ok((parameters, vec![draw]))
}

fn read_choice(context: &Context, tool: &Tool, count: usize, reply: &Reply) -> Result<Vec<String>, Fault> {
    let (selected, way) = read_selected(&reply.text)?;
    context.count(&format!("read {}", way.as_str()));
    let mut names = selected.parameters;
    if let Some(name) = names.iter().find(|name| !tool.parameters.properties.contains_key(*name)) {
        return Err(Fault::new("undeclared_parameter", format!("the tool has no parameter `{name}`")));
    }
    let order = |name: &String| tool.parameters.properties.get_index_of(name);
    names.sort_by_key(order);
    names.dedup();
    if names.len() == count {
        Ok(names)
    } else {
        Err(Fault::new("wrong_number", format!("{count} parameters were wanted, {} were chosen", names.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, context, silent, tool_item, train};

    #[test]
    fn a_choice_has_at_most_three_parameters() {
        let config: SelectParametersConfig = read_text("").unwrap();
        assert_eq!((config.per_tool.get(), config.most.get()), (6, 3));
    }

    #[test]
    fn a_tool_without_parameters_has_nothing_to_leave_out() {
        let config: SelectParametersConfig = read_text("").unwrap();
        let bare = Tool { name: "Travel.Trains.lost".to_owned(), ..Tool::default() };
        assert!(config.suits(&silent(), &tool_item(train())) && !config.suits(&silent(), &tool_item(bare)));
    }

    #[test]
    fn nothing_is_no_choice() {
        assert!(read_text::<SelectParametersConfig>("most = 0").unwrap_err()[0].contains("from 1"));
    }

    /// A choice of the train's parameters at the first id that mentions `count`.
    async fn chosen(count: usize, replies: &[&str]) -> (Result<(Vec<String>, Vec<Draw>), ItemError>, Asked) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let (tool, root) = (Arc::new(train()), ItemId::root("t"));
        for ordinal in 0.. {
            let id = root.child("stage", ordinal);
            let choice = choose(&context, &tool, &id, 3, 3).await;
            let wanted = asked.requests().first().map(|request| match &*request.variables {
                Variables::SelectParameters(variables) => variables.count,
                other => panic!("{other:?}"),
            });
            match wanted {
                Some(wanted) if wanted == count => return (choice, asked),
                None if count == 0 => return (choice, asked),
                _ => asked.clear(),
            }
        }
        unreachable!("some id mentions so many")
    }

    #[tokio::test]
    async fn names_come_in_declared_order() {
        let (choice, asked) = chosen(2, &["People say where and when. ```at, to```"]).await;
        let (names, draws) = choice.unwrap();
        assert_eq!((names, draws.len(), asked.count()), (vec!["to".to_owned(), "at".to_owned()], 1, 1));
    }

    #[tokio::test]
    async fn a_wrong_choice_is_asked_for_again() {
        for (first, told) in [
            ("```to, bags```", "the tool has no parameter `bags`"),
            ("```to```", "2 parameters were wanted, 1 were chosen"),
            ("```to, to```", "2 parameters were wanted, 1 were chosen"),
            ("I would say the place and the hour", "the last line is not a list"),
        ] {
            let (choice, asked) = chosen(2, &[first, "```to, seats```"]).await;
            assert_eq!(choice.unwrap().0, ["to", "seats"]);
            assert!(asked.faults()[1].contains(told), "{:?}", asked.faults());
        }
    }

    #[tokio::test]
    async fn who_mentions_nothing_asks_nobody() {
        let (choice, asked) = chosen(0, &["never"]).await;
        assert_eq!(choice.unwrap(), (Vec::new(), Vec::new()));
        assert_eq!(asked.count(), 0);
    }

    #[tokio::test]
    async fn something_is_always_left_out() {
        let mut tool = train();
        tool.parameters.properties.truncate(1);
        let config: SelectParametersConfig = read_text("").unwrap();
        for ordinal in 0..20 {
            let outcome = config.draw(&silent(), &tool_item(tool.clone()), ordinal).await.unwrap();
            let Record::Selection(selection) = &outcome.kept[0].record else { panic!("no selection") };
            assert!(selection.parameters.is_empty(), "its only parameter is left out");
        }
    }

    #[tokio::test]
    async fn a_choice_that_never_fits_is_rejected() {
        let (context, _) = context(|_| "```bags```".to_owned());
        let config: SelectParametersConfig = read_text("").unwrap();
        let mut reasons = Vec::new();
        for ordinal in 0..10 {
            let outcome = config.draw(&context, &tool_item(train()), ordinal).await.unwrap();
            reasons.extend(outcome.rejected.into_iter().map(|reject| reject.reason));
        }
        assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason == "undeclared_parameter"), "{reasons:?}");
    }
}
