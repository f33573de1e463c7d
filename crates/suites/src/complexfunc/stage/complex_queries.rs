//! Lets a model write requests for calls that were planned in a declared world (`ComplexFuncBench`).

use crate::complexfunc::layout::PATH_FACT;
use crate::complexfunc::stage::needed::check_gold;
use crate::complexfunc::stage::plans::{
    CaseBook, Given, Said, Shape, Walked, Wish, agrees, any_shape, can_be_told, changeable, count_up, day_order,
    describe, draw_values, missing_links, plan, shapes, walk, wanted_items,
};
use crate::complexfunc::stage::written::{Order, Written, write};
use crate::locale::DayOrder;
use crate::record::{Catalogue, Chance, ComplexQuery, Item, ItemId, Plan, Provenance, Record, RecordKind};
use crate::settings::{Amount, Count, Factor, Located, Measure, count, measure};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Quota, Stage, Work};
use crate::toolset::{Declaration, Function};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often a plan is tried with other values, and how many plans are tried, before a draw is given up.
const WALKS: usize = 12;
const PLANS: usize = 24;
/// How often no plan of the shape is found, each time after thousands of tries, before one is taken not to exist.
const FRUITLESS: usize = 2;

/// Generates requests for calls that were planned in the toolset's simulated world (`ComplexFuncBench`).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComplexQueriesConfig {
    /// Required requests for each domain that is not listed in `domains`.
    #[serde(default = "count::<45>")]
    per_domain: Count,
    /// Required requests for single domains, by name; requests of `cross` span several domains.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    domains: IndexMap<String, Amount>,
    /// Extra candidates per domain when candidates are rejected, as a ratio of the required number: 1 allows up to
    /// twice as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); one row is added to each prompt and to the
    /// provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seeds: Option<Located>,
    /// Steps and calls of the requests, by domain, used in rotation; `other` applies to domains without their own.
    /// Default: the shapes of the call chains that the functions allow.
    #[serde(default)]
    shapes: IndexMap<String, Vec<Shape>>,
}

impl Stage for ComplexQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("complex_queries", &[RecordKind::Catalogue], RecordKind::ComplexQuery)
            .asks("generator")
            .speaks()
            .computes()
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

    /// Draws the `ordinal`-th request of a domain: plans and makes its calls, and lets a model write the words.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Catalogue(catalogue) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), ordinal);
            let reject = |fault| Ok(context.reject(&id, fault, String::new()));
            let Some(world) = context.domains().declared().cloned() else {
                return reject(Fault::new("no_world", "the toolset declares no world in which calls could be planned"));
            };
            let Some(shape) = self.shape(context, &world, catalogue, ordinal) else {
                return reject(Fault::new("no_plan", missing_links(&functions(world.declaration(), catalogue))));
            };
            let days = day_order(&world, context.seed(), &id);
            let (plan, walked) = match planned(context, &world, catalogue, (&id, ordinal, shape, &days)) {
                Ok(found) => found,
                Err(why) => {
                    let detail = format!("no plan of {} steps and {} calls was found: {why}", shape.steps, shape.calls);
                    return reject(Fault::new("no_plan", detail));
                }
            };
            let asks = self.asks.as_draws();
            let tools = &catalogue.tools;
            let order = Order { id: &id, world: &world, tools, plan: &plan, walked: &walked, days: &days, asks };
            let written = write(context, &catalogue.title, &order).await;
            let item = written.map(|written| {
                let provenance = provenance(context, parent, (&written, &plan));
                let record = Record::ComplexQuery(Box::new(query(catalogue, written, (plan, walked))));
                Item { id: id.clone(), root: parent.root.clone(), record, provenance }
            });
            context.settled(&id, item)
        })
    }
}

impl ComplexQueriesConfig {
    /// How many requests a domain owes; none where it is not wanted.
    pub(crate) fn required(&self, domain: &str) -> usize {
        self.domains.get(domain).map_or(self.per_domain.get(), |it| it.get())
    }

    /// The shape of a request: as the file says for its domain, else one of those that there are.
    fn shape(&self, context: &Context, world: &DeclaredWorld, catalogue: &Catalogue, ordinal: usize) -> Option<Shape> {
        let said = self.shapes.get(&catalogue.domain).or_else(|| self.shapes.get("other")).filter(|it| !it.is_empty());
        let found = || {
            let declaration = world.declaration();
            let wish =
                any_shape(functions(declaration, catalogue), catalogue.domain == crate::stage::tools::toolset::CROSS);
            let mut chance = context.chance(&catalogue.domain, 0);
            shapes(declaration, &wish, &mut chance)
        };
        let shapes = said.cloned().unwrap_or_else(found);
        shapes.get(ordinal % shapes.len().max(1)).copied()
    }
}

/// What the tools of a catalogue do in the world.
fn functions<'d>(declaration: &'d Declaration, catalogue: &Catalogue) -> Vec<&'d Function> {
    catalogue.tools.iter().filter_map(|tool| declaration.functions.get(&tool.name)).collect()
}

fn provenance(context: &Context, parent: &Item, (written, plan): (&Written, &Plan)) -> Provenance {
    let mut facts = written.facts.clone();
    facts.insert(PATH_FACT.to_owned(), describe(plan));
    facts.insert("changeable".to_owned(), changeable(plan).to_string());
    Provenance {
        template: context.is_template(context.role()),
        draws: vec![written.draw.clone()],
        parents: vec![parent.root.to_string()],
        facts,
        ..Provenance::default()
    }
}

fn query(catalogue: &Arc<Catalogue>, written: Written, (plan, walked): (Plan, Walked)) -> ComplexQuery {
    ComplexQuery {
        catalogue: catalogue.clone(),
        text: written.text,
        thought: String::new(),
        functions: Vec::new(),
        steps: walked.steps,
        answer: written.answer,
        slots: walked.said,
        plan: Some(Box::new(plan)),
        tags: written.tags,
        base: None,
    }
}

/// A plan of the shape whose calls could be made; else what was wrong with the last one.
fn planned(
    context: &Context,
    world: &Arc<DeclaredWorld>,
    catalogue: &Catalogue,
    (id, ordinal, shape, order): (&ItemId, usize, Shape, &DayOrder),
) -> Result<(Plan, Walked), String> {
    let declaration = world.declaration().clone();
    let functions = functions(&declaration, catalogue);
    let crosses = catalogue.domain == crate::stage::tools::toolset::CROSS;
    let cases = CaseBook::new(world);
    let wish = Wish { functions, crosses, shape, cases: cases.as_ref(), turn: Some(ordinal) };
    let mut fruitless = 0;
    let mut why = "the functions allow none".to_owned();
    let found = (0..PLANS).find_map(|draw| {
        if fruitless == FRUITLESS {
            return None;
        }
        let draw = u32::try_from(draw).unwrap_or(u32::MAX);
        let mut chance = context.chance(id.as_str(), draw + 1);
        let sketched = plan(&declaration, &wish, Chance::of(&[b"sketch", &chance.bits().to_le_bytes()]));
        fruitless += usize::from(sketched.is_none());
        let mut plan = sketched?;
        plan.told = wanted_items(world, &plan, &mut chance);
        count_up(world, &mut plan, &mut chance);
        let free = Said::new();
        let given = Given { kept: &free, other: None, order, cases: cases.as_ref() };
        let walked = (0..WALKS).find_map(|_| {
            let said = draw_values(world, &plan, given, &mut chance)?;
            let walked = walk(world, &plan, &said, &mut chance)?;
            let fault = if !agrees(&declaration, &plan, &walked) {
                Some("what was found is on another day than the rest".to_owned())
            } else if !can_be_told(world, &plan, &walked) {
                Some("an answer holds nothing to tell".to_owned())
            } else {
                check_gold(context, &catalogue.tools, ("", &walked.steps, ""), true).err().map(|it| it.detail)
            };
            match fault {
                None => Some(walked),
                Some(fault) => {
                    why = fault;
                    None
                }
            }
        })?;
        Some((plan, walked))
    });
    found.ok_or(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{catalogue, complex};
    use crate::complexfunc::stage::plans::protected;
    use crate::complexfunc::stage::plans::testing::lodging;
    use crate::settings::section::read_text;
    use crate::stage::domains::Domains;
    use crate::stage::testing::{question_item, with_shared};

    fn config() -> ComplexQueriesConfig {
        let shapes = "other = [{ steps = 2, calls = 4 }, { steps = 3, calls = 6 }]";
        read_text(&format!("per_domain = 4\nasks = 2\n[shapes]\n{shapes}")).unwrap()
    }

    fn parent(catalogue: Arc<Catalogue>) -> Item {
        let id = ItemId::root("inns");
        Item { root: id.clone(), id, record: Record::Catalogue(catalogue), provenance: Provenance::default() }
    }

    #[tokio::test]
    async fn a_query_says_what_its_calls_need_and_has_the_shape_whose_turn_it_is() {
        let context = lodging(|text| text);
        let parent = parent(catalogue(&context));
        for ordinal in 0..4 {
            let outcome = config().draw(&context, &parent, ordinal).await.unwrap();
            let query = *complex(&outcome.kept).first().unwrap_or_else(|| panic!("{:?}", outcome.rejected));
            let wanted = [(2, 4), (3, 6)][ordinal % 2];
            assert_eq!((query.steps.len(), query.call_count()), wanted);
            let text = query.text.to_lowercase();
            let said = query.slots.values().filter(|it| it.length.is_none());
            assert!(said.into_iter().all(|it| text.contains(&it.words.to_lowercase())), "{text}");
            assert!(text.contains("2024") && !query.answer.is_empty() && query.base.is_none());
            let plan = query.plan.as_deref().unwrap();
            assert!(protected(plan, &query.slots, &query.slots));
            let facts = &outcome.kept[0].provenance.facts;
            assert_eq!(facts["path"], describe(plan));
            assert!(facts["changeable"].parse::<usize>().unwrap() >= 6 && facts.contains_key("style"));
            assert_eq!(outcome.kept[0].id.as_str(), format!("inns/stage/{ordinal}"));
            assert_eq!(
                config().draw(&context, &parent, ordinal).await.unwrap(),
                outcome,
                "the same seed, the same query"
            );
        }
    }

    #[tokio::test]
    async fn other_seeds_and_other_ordinals_give_other_queries() {
        let context = lodging(|text| text);
        let parent = parent(catalogue(&context));
        let text = |outcome: &Outcome| complex(&outcome.kept)[0].text.clone();
        let first = text(&config().draw(&context, &parent, 0).await.unwrap());
        assert_ne!(first, text(&config().draw(&context, &parent, 2).await.unwrap()));
        let domains = Domains::new(context.toolset(), context.pack(), 7).unwrap();
        let context = with_shared(context, |shared| (shared.seed, shared.domains) = (8, domains));
        assert_ne!(first, text(&config().draw(&context, &parent, 0).await.unwrap()));
    }

    #[tokio::test]
    async fn without_a_world_or_a_plan_there_is_no_query() {
        let context = lodging(|text| text);
        let bare = Arc::new(Catalogue { tools: Vec::new(), ..(*catalogue(&context)).clone() });
        let outcome = config().draw(&context, &parent(bare), 0).await.unwrap();
        assert_eq!(outcome.rejected[0].reason, "no_plan");
        assert_eq!(outcome.rejected[0].detail, "no plan of 2 steps and 4 calls was found: the functions allow none");
        let parent = parent(catalogue(&context));
        let context = with_shared(context, |_| {});
        let outcome = config().draw(&context, &parent, 0).await.unwrap();
        assert_eq!(outcome.rejected[0].reason, "no_world");
        assert_eq!(config().draw(&context, &question_item(), 0).await.unwrap(), Outcome::default());
    }

    #[test]
    fn each_domain_owes_its_own_and_has_its_own_shapes() {
        let text = "seeds = \"people.csv\"\n[domains]\ntaxi = 0\ncars = 5\n[shapes]\ncars = [{ steps = 2, calls = 2 }]\nempty = []";
        let mut config: ComplexQueriesConfig = read_text(text).unwrap();
        assert_eq!([config.required("taxi"), config.required("cars"), config.required("hotels")], [0, 5, 45]);
        config.scale(serde_json::from_str("2").unwrap());
        assert_eq!([config.required("taxi"), config.required("cars"), config.required("hotels")], [0, 10, 90]);
        let context = lodging(|text| text);
        let world = context.domains().declared().cloned().unwrap();
        let known = catalogue(&context);
        let shape = |domain: &str, ordinal| {
            let of = Catalogue { domain: domain.to_owned(), ..(*known).clone() };
            config.shape(&context, &world, &of, ordinal)
        };
        assert_eq!([shape("cars", 0), shape("cars", 7)], [Some(Shape { steps: 2, calls: 2 }); 2]);
        // Where the file says nothing, chains that exist are taken, the longest first.
        let found: Vec<Shape> = (0..8).filter_map(|ordinal| shape("hotels", ordinal)).collect();
        assert!(found.iter().all(|it| it.calls >= 2) && found[0].steps >= 3, "{found:?}");
        assert_eq!(shape("empty", 1), shape("hotels", 1));
        assert_eq!(config.settings().files[0].content, Content::Table);
        assert!(read_text::<ComplexQueriesConfig>("steps = 3").is_err());
    }
}
