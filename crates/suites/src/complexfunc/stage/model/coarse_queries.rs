//! Lets a model write requests that want several calls in steps, many at once (`ComplexFuncBench`, coarse generation).
//!
//! Requests of one asking are items of their own, with ids of their own: each takes its place in the reply that all of
//! them share.

use crate::complexfunc::stage::model::existing::existing;
use crate::complexfunc::stage::model::sampled::sampled;
use crate::complexfunc::stage::model::trace::today;
use crate::failure::ItemError;
use crate::gate::check_coarse;
use crate::llm::tasks::read_queries;
use crate::llm::{CoarseQuery, CoarseVariables, Existing, Reply, Task, Variables};
use crate::record::{Catalogue, ComplexQuery, Draw, Item, ItemId, Object, Provenance, Record, RecordKind, Tool};
use crate::settings::{Amount, Count, Factor, Located, Measure, count, measure};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Quota, Stage, Work};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates requests that need several calls in steps, many per model call, from functions that are drawn for each
/// model call.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoarseQueriesConfig {
    /// Required requests for each domain that is not listed in `domains`.
    #[serde(default = "count::<200>")]
    per_domain: Count,
    /// Required requests for single domains, by name; requests of `cross` span several domains.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    domains: IndexMap<String, Amount>,
    /// Functions drawn per model call; functions that supply their inputs may be added.
    #[serde(default = "count::<10>")]
    functions: Count,
    /// Requests generated per model call.
    #[serde(default = "count::<10>")]
    queries: Count,
    /// Minimum number of consecutive dependent calls in a request.
    #[serde(default = "count::<3>")]
    least_steps: Count,
    /// Extra candidates per domain when candidates are rejected, as a ratio of the required number: 1 allows up to
    /// twice as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a reply that can be parsed, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); one row is added to each prompt and to the
    /// provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seeds: Option<Located>,
}

impl Stage for CoarseQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("coarse_queries", &[RecordKind::Catalogue], RecordKind::ComplexQuery).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("seeds", &self.seeds, Content::Table)
    }

    fn scale(&mut self, factor: Factor) {
        self.per_domain = self.per_domain.times(factor);
        self.domains.values_mut().for_each(|amount| *amount = amount.times(factor));
    }

    fn quota(&self, input: &Record) -> Option<Quota> {
        let Record::Catalogue(it) = input else { return None };
        Some(Quota::new(self.required(&it.domain), self.spare))
    }

    /// Draws the `ordinal`-th request of a domain: its place in one of the askings.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Catalogue(catalogue) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let at_once = self.queries.get();
            let order = self.order(context, parent, catalogue, ordinal / at_once, &id);
            let written = match self.ask(context, catalogue, &order).await {
                Ok(written) => written,
                failed => return Outcome::of(failed.map(|_| parent.clone()), &id, context.stage()),
            };
            let (mut queries, draw) = written;
            if queries.len() <= ordinal % at_once {
                let detail = format!("{at_once} requests were wanted, the reply holds {}", queries.len());
                return Ok(context.reject(&id, Fault::new("too_few_queries", detail), ""));
            }
            let query = queries.swap_remove(ordinal % at_once);
            let names: Vec<&str> = order.functions.iter().map(|tool| tool.name.as_str()).collect();
            match check_coarse(&query.query, &query.function_list, &names, context.language()) {
                Ok(()) => Ok(Outcome::keep(item(context, parent, catalogue, id, query, &order, draw))),
                Err(fault) => Ok(context.reject(&id, fault, query.query)),
            }
        })
    }
}

/// What one asking is about.
struct Order {
    id: ItemId,
    /// What exists, of which people speak.
    existing: Vec<Existing>,
    functions: Vec<Arc<Tool>>,
    seed: Option<Object>,
}

impl CoarseQueriesConfig {
    /// How many requests a domain owes.
    pub(crate) fn required(&self, domain: &str) -> usize {
        self.domains.get(domain).map_or(self.per_domain.get(), |it| it.get())
    }

    /// The asking of that number. Who is asked for anew asks alone, so that the others keep what they have.
    fn order(&self, context: &Context, parent: &Item, catalogue: &Catalogue, asking: usize, id: &ItemId) -> Order {
        let shared = parent.id.child(&format!("{}-asking", context.stage()), asking);
        let mut chance = context.chance(shared.as_str(), 0);
        let functions = sampled(context, catalogue, self.functions.get(), &mut chance);
        let seed = chance.pick(context.table()).cloned();
        let existing = existing(context, &mut chance);
        let is_rerun = context.is_rerun(id);
        Order { id: if is_rerun { id.clone() } else { shared }, existing, functions, seed }
    }

    async fn ask(
        &self,
        context: &Context,
        catalogue: &Catalogue,
        order: &Order,
    ) -> Result<(Vec<CoarseQuery>, Draw), ItemError> {
        let variables = |common| {
            Variables::CoarseQueries(CoarseVariables {
                common,
                title: catalogue.title.clone(),
                functions: order.functions.clone(),
                existing: order.existing.clone(),
                count: self.queries.get(),
                least_steps: self.least_steps.get(),
                today: today(context),
                seed: order.seed.clone(),
            })
        };
        let read = |reply: &Reply| Ok(read_queries(&reply.text)?.0);
        let asks = self.asks.as_draws();
        let asked = Asked { task: Task::CoarseQueries, role: context.role(), item: &order.id, asks };
        context.obtain(&asked, asked.task.reply_schema(), variables, read).await
    }
}

fn item(
    context: &Context,
    parent: &Item,
    catalogue: &Arc<Catalogue>,
    id: ItemId,
    written: CoarseQuery,
    order: &Order,
    draw: Draw,
) -> Item {
    let query = ComplexQuery {
        catalogue: catalogue.clone(),
        text: written.query,
        thought: written.thought,
        functions: written.function_list,
        steps: Vec::new(),
        answer: String::new(),
        slots: IndexMap::new(),
        plan: None,
        tags: Vec::new(),
        base: None,
    };
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: vec![draw],
        parents: vec![parent.root.to_string()],
        ..Provenance::default()
    };
    if let Some(seed) = &order.seed {
        provenance.facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    Item { id, root: parent.root.clone(), record: Record::ComplexQuery(Box::new(query)), provenance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{catalogue, complex, inn};
    use crate::llm::Request;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked as Heard, context, question_item, with_shared};

    const CONFIG: &str = "queries = 3\nfunctions = 8\nasks = 2";

    fn config() -> CoarseQueriesConfig {
        read_text(CONFIG).unwrap()
    }

    fn parent(context: &Context) -> Item {
        let root = ItemId::root("inns");
        let record = Record::Catalogue(catalogue(context));
        Item { id: root.clone(), root, record, provenance: Provenance::default() }
    }

    fn one(query: &str, functions: &str) -> String {
        format!(r#"{{"query": "{query}", "function_list": {functions}, "thought": "search, then look"}}"#)
    }

    /// The outcomes of the first draws, with a model that always says the same.
    async fn drawn(reply: impl Fn(&Request) -> String + Send + Sync + 'static, count: usize) -> (Vec<Outcome>, Heard) {
        let (context, asked) = context(reply);
        let context = inn(context);
        let (config, parent) = (config(), parent(&context));
        let mut outcomes = Vec::new();
        for ordinal in 0..count {
            outcomes.push(config.draw(&context, &parent, ordinal).await.unwrap());
        }
        (outcomes, asked)
    }

    fn reasons(outcomes: &[Outcome]) -> Vec<&str> {
        outcomes.iter().map(|it| it.rejected.first().map_or("", |reject| reject.reason.as_str())).collect()
    }

    #[tokio::test]
    async fn requests_of_one_asking_share_its_reply_and_keep_their_thoughts() {
        let reply = |_: &Request| {
            let one = |text: &str| one(text, r#"["Search_Inns", "Get_Inn"]"#);
            format!("[{}, {}, {}]", one("a room in Millbrook"), one("a bed in Greyford"), one("an inn by the sea"))
        };
        let (outcomes, asked) = drawn(reply, 4).await;
        let queries: Vec<&ComplexQuery> = outcomes.iter().flat_map(|it| complex(&it.kept)).collect();
        assert_eq!((queries[0].text.as_str(), queries[2].text.as_str()), ("a room in Millbrook", "an inn by the sea"));
        assert_eq!((queries[0].thought.as_str(), queries[0].functions.len()), ("search, then look", 2));
        assert!(queries.iter().all(|query| query.steps.is_empty() && query.plan.is_none()));
        assert_eq!(outcomes[3].kept[0].id.as_str(), "inns/stage/3");
        let items: Vec<String> = asked.items();
        assert_eq!((items[0] == items[1], items[2] == items[3]), (true, false), "{items:?}");
    }

    #[tokio::test]
    async fn each_fault_rejects_the_request_that_has_it() {
        let functions = r#"["Search_Inns"]"#;
        for (query, functions, reason) in [
            ("a room, by Search_Inns", functions, "function_named"),
            ("book IN4821 for me", functions, "id_in_query"),
            ("a room in Millbrook", r#"["Fly"]"#, "unknown_function"),
            ("a room in Millbrook", "[]", "no_functions"),
            ("...", functions, "empty_query"),
            ("밀브룩에 방을 잡아 줘", functions, "wrong_script"),
        ] {
            let reply = format!("[{}, {}]", one("a bed in Greyford", r#"["Search_Inns"]"#), one(query, functions));
            let (outcomes, _) = drawn(move |_| reply.clone(), 3).await;
            assert_eq!(reasons(&outcomes), ["", reason, "too_few_queries"], "{query}");
        }
    }

    #[tokio::test]
    async fn a_reply_that_cannot_be_read_is_asked_for_again() {
        let good = one("a bed in Greyford", r#"["Search_Inns"]"#);
        let (outcomes, asked) = drawn(move |it| if it.draw == 0 { "no".to_owned() } else { good.clone() }, 1).await;
        assert_eq!((reasons(&outcomes), asked.draws()), (vec![""], vec![0, 1]));
        let (outcomes, asked) = drawn(|_| "I cannot".to_owned(), 1).await;
        assert_eq!((reasons(&outcomes), asked.count()), (vec!["no_queries"], 2));
        let Variables::CoarseQueries(told) = &*asked.requests()[1].variables else { panic!("another task") };
        assert!(told.common.fault.contains("no JSON list") && told.today == "2024-10-13" && told.count == 3);
    }

    #[tokio::test]
    async fn who_is_asked_for_anew_asks_alone() {
        let good = one("a bed in Greyford", r#"["Search_Inns"]"#);
        let (context, asked) = context(move |_| format!("[{good}, {good}]"));
        let context = inn(context);
        let parent = parent(&context);
        let again = ("stage".to_owned(), "inns/stage/1".to_owned());
        let context = with_shared(context, |shared| shared.reruns = [(again, 1)].into_iter().collect());
        for ordinal in 0..2 {
            config().draw(&context, &parent, ordinal).await.unwrap();
        }
        assert_eq!(asked.items(), ["inns/stage-asking/0", "inns/stage/1"]);
        assert_eq!(asked.draws(), [0, 2], "behind the draws before");
    }

    #[tokio::test]
    async fn what_is_no_catalogue_gives_nothing_and_each_domain_owes_its_own() {
        let mut config: CoarseQueriesConfig =
            read_text("seeds = \"people.csv\"\n[domains]\ntaxi = 0\ncars = 5").unwrap();
        let (context, _) = context(|_| String::new());
        assert_eq!(config.draw(&context, &question_item(), 0).await.unwrap(), Outcome::default());
        assert_eq!([config.required("taxi"), config.required("cars"), config.required("hotels")], [0, 5, 200]);
        config.scale(serde_json::from_str("2").unwrap());
        assert_eq!([config.required("taxi"), config.required("cars"), config.required("hotels")], [0, 10, 400]);
        assert_eq!(config.settings().files[0].content, Content::Table);
    }
}
