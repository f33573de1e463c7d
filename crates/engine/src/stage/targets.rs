//! Which functions a benchmark of chats is about: chosen from the toolset and the seed alone, so that every process and
//! every locale chooses the same ones without waiting for the others.

use super::context::Context;
use super::outcome::Fault;
use crate::failure::ItemError;
use crate::llm::{ServeVariables, Task, Variables};
use crate::locale::Pack;
use crate::record::{ItemId, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How argument values are derived from the request (FunctionChat-Bench, `extraction_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extraction {
    /// No values to extract.
    None,
    /// Values are copied from the request.
    Simple,
    /// Words are converted to numbers or booleans.
    Transformed,
    /// A date or a time is given.
    DateTime,
}

impl Extraction {
    /// What a tool's parameters want: a day or a time before all else, then numbers and flags.
    pub fn of(tool: &Tool, pack: &Pack) -> Self {
        let is_time = |kind: &String| pack.kinds.get(kind).is_some_and(|it| it.entity.as_deref() == Some("time"));
        let mut properties = tool.parameters.properties.values();
        if tool.parameters.properties.is_empty() {
            Self::None
        } else if tool.kinds.values().any(is_time) {
            Self::DateTime
        } else if properties.any(|it| it.type_name() != "string") {
            Self::Transformed
        } else {
            Self::Simple
        }
    }

    /// Its name in samples.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Simple => "simple",
            Self::Transformed => "transformed",
            Self::DateTime => "date_time",
        }
    }
}

/// The tools of the run in an order that the seed draws, and no locale changes.
pub fn ranked(context: &Context) -> Vec<Arc<Tool>> {
    let toolset = context.toolset();
    let mut tools: Vec<Arc<Tool>> = toolset.tools.clone();
    let draw = |tool: &Arc<Tool>| {
        let key = toolset.key(&tool.name);
        (context.chance(key, 0).bits(), key.to_owned())
    };
    tools.sort_by_cached_key(draw);
    tools
}

/// The first tools of each kind, so many as the quota says; in ranked order.
pub fn chosen<K: PartialEq + Copy>(
    context: &Context,
    quota: &[(K, usize)],
    kind: impl Fn(&Tool) -> Option<K>,
) -> Vec<Arc<Tool>> {
    let mut left = quota.to_vec();
    let mut chosen = ranked(context);
    chosen.retain(|tool| {
        let place = kind(tool).and_then(|kind| left.iter_mut().find(|(other, count)| *other == kind && *count > 0));
        place.map(|(_, count)| *count -= 1).is_some()
    });
    chosen
}

/// `count` tools besides those `taken` that cannot serve any of the requests, drawn by the id.
pub async fn strangers(
    context: &Context,
    id: &ItemId,
    requests: &[&str],
    taken: &[Arc<Tool>],
    count: usize,
) -> Result<Vec<Arc<Tool>>, ItemError> {
    let mut tools = ranked(context);
    context.chance_of("strangers", id.as_str(), 0).shuffle(&mut tools);
    let mut found = Vec::new();
    for tool in tools.iter().filter(|tool| taken.iter().all(|other| other.name != tool.name)) {
        if found.len() == count {
            break;
        }
        if !serves(context, id, requests, tool).await? {
            found.push(tool.clone());
        }
    }
    if found.len() == count {
        return Ok(found);
    }
    let detail = format!("{count} tools that cannot serve the request were wanted, there are {}", found.len());
    Err(Fault::new("too_few_tools", detail).into())
}

/// Whether a tool can serve any of the requests.
pub async fn serves(context: &Context, id: &ItemId, requests: &[&str], tool: &Arc<Tool>) -> Result<bool, ItemError> {
    let checker = context.at(context.stage(), Some("checker"));
    for request in requests {
        if can_serve(&checker, id, request, tool).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a tool can serve a query (HammerBench E.5).
pub async fn can_serve(context: &Context, id: &ItemId, query: &str, tool: &Arc<Tool>) -> Result<bool, ItemError> {
    let variables =
        |common| Variables::CanServe(ServeVariables { common, query: query.to_owned(), tool: tool.clone() });
    let question = context.question(Task::CanServe, id, 2);
    context.verdict(&question, variables).await
}

#[cfg(test)]
mod tests {
    use super::super::testing::{context, silent, train};
    use super::*;

    #[test]
    fn a_day_counts_more_than_a_number_and_a_number_more_than_words() {
        let pack = crate::fixtures::pack("en");
        let tool = |parameters: &str, kinds: &str| -> Tool {
            let text = format!(r#"{{"name": "f", "parameters": {{"properties": {parameters}}}, "kinds": {kinds}}}"#);
            serde_json::from_str(&text).unwrap()
        };
        let of = |parameters: &str, kinds: &str| Extraction::of(&tool(parameters, kinds), &pack);
        assert_eq!(of("{}", "{}"), Extraction::None);
        assert_eq!(of(r#"{"city": {"type": "string"}}"#, r#"{"city": "city"}"#), Extraction::Simple);
        assert_eq!(of(r#"{"city": {"type": "string"}, "n": {"type": "integer"}}"#, "{}"), Extraction::Transformed);
        assert_eq!(
            of(r#"{"n": {"type": "integer"}, "at": {"type": "string"}}"#, r#"{"at": "time"}"#),
            Extraction::DateTime
        );
    }

    #[test]
    fn a_quota_takes_the_first_of_each_kind() {
        let context = silent();
        let ranked = ranked(&context);
        assert_eq!(ranked.len(), context.toolset().tools.len());
        let kind = |tool: &Tool| Some(tool.parameters.required.len() % 2);
        let chosen = chosen(&context, &[(0, 1), (1, 2)], kind);
        let odd = chosen.iter().filter(|tool| kind(tool) == Some(1)).count();
        assert!(odd <= 2 && chosen.len() - odd <= 1, "{odd} of {}", chosen.len());
        let places: Vec<_> =
            chosen.iter().filter_map(|tool| ranked.iter().position(|it| it.name == tool.name)).collect();
        assert!(places.is_sorted() && !places.is_empty());
    }

    #[tokio::test]
    async fn strangers_serve_nothing_and_too_few_are_a_fault() {
        let (context, asked) = context(|request| match &*request.variables {
            Variables::CanServe(it) if it.query == "anything" => "True".to_owned(),
            Variables::CanServe(_) => "False".to_owned(),
            other => panic!("{other:?}"),
        });
        let (id, taken) = (ItemId::root("a"), [Arc::new(train())]);
        let found = strangers(&context, &id, &["to Porto", "a seat"], &taken, 2).await.unwrap();
        assert!(found.len() == 2 && found.iter().all(|tool| tool.name != taken[0].name));
        assert_eq!(asked.count(), 4, "each request is put to each tool");
        let failure = strangers(&context, &id, &["anything"], &taken, 1).await.unwrap_err();
        let ItemError::Item { fault, .. } = failure else { panic!("{failure:?}") };
        assert_eq!(fault.reason, "too_few_tools");
    }
}
