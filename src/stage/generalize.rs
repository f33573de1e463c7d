//! Makes one complex query into several: the same path with other values (`ComplexFuncBench`, section 3.4).

use super::annotate::AnnotateConfig;
use super::context::Context;
use super::facts::StageConfig;
use super::generalize_model::{Variation, variants_by_model};
use super::outcome::{Fault, Outcome, Stop};
use super::plans::{Said, Walked, draw_values, meant, protected, walk, without};
use super::shortest_path::proved;
use super::trace::Manner;
use super::written::{Order, write};
use crate::config::{Count, count};
use crate::record::{Catalogue, Chance, ComplexQuery, Item, ItemId, Plan, Record, RecordKind};
use crate::world::{DeclaredWorld, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often other values are drawn for a variant before it is given up.
const DRAWS: u32 = 400;

/// Makes one complex query into several: the same path with other values.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneralizeConfig {
    /// How many come of each, itself included.
    #[serde(default = "count::<10>")]
    pub count: Count,
    /// The fewest and the most values that a variant changes.
    #[serde(default = "span")]
    pub changed: [usize; 2],
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// Most steps and calls of the proof that a variant's path is a shortest one, as in `shortest_path`.
    #[serde(default = "count::<5>")]
    pub steps: Count,
    /// Most calls that the proof makes in one step.
    #[serde(default = "count::<20_000>")]
    pub calls: Count,
    /// The most turns with calls, where a model serves a variant of a request that has no plan.
    #[serde(default = "count::<12>")]
    pub max_turns: Count,
    /// How functions are handed to that model: natively, or in the prompt's text.
    #[serde(default)]
    pub manner: Manner,
}

fn span() -> [usize; 2] {
    [6, 10]
}

impl StageConfig for GeneralizeConfig {
    fn kind(&self) -> &'static str {
        "generalize"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::ComplexQuery]
    }

    fn computes(&self) -> bool {
        true
    }

    fn output(&self) -> RecordKind {
        RecordKind::ComplexQuery
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let [least, most] = self.changed;
        let message = format!("`changed = [{least}, {most}]` has its ends the wrong way round");
        if least <= most { Vec::new() } else { vec![("changed", message)] }
    }
}

impl GeneralizeConfig {
    /// How variants of requests without a plan are made.
    fn variation(&self) -> Variation {
        let (least_steps, asks) = (count::<1>(), count::<1>());
        let annotate = AnnotateConfig { least_steps, max_turns: self.max_turns, asks, manner: self.manner };
        Variation { annotate, pieces: self.changed.into(), asks: self.asks.as_draws() }
    }

    /// Passes a query on with its variants.
    pub(super) async fn each(&self, context: &Context, item: Item) -> Result<Outcome, Stop> {
        let Record::ComplexQuery(query) = &item.record else { return Ok(Outcome::keep(item)) };
        let (Some(plan), Some(world)) = (query.plan.clone(), context.shared.domains.declared().cloned()) else {
            return variants_by_model(context, item, self.count.get(), &self.variation()).await;
        };
        let mut outcome = Outcome::default();
        let mut known: Vec<Said> = vec![query.slots.clone()];
        for ordinal in 0..self.count.get() - 1 {
            let id = item.id.child(&context.stage, ordinal);
            let Some((walked, changed)) = self.values(context, &world, &plan, (&query.catalogue, &id, &known)) else {
                let detail = format!("{DRAWS} draws of other values gave no calls that could be made");
                let rejected =
                    Outcome::reject(&id, &context.stage, Fault::new("no_variant", detail), query.text.clone());
                outcome.rejected.extend(rejected.rejected);
                continue;
            };
            known.push(walked.said.clone());
            let made = self.variant(context, &world, (&item, query, &plan), (&id, walked, changed)).await?;
            outcome.kept.extend(made.kept);
            outcome.rejected.extend(made.rejected);
        }
        outcome.kept.insert(0, item);
        Ok(outcome)
    }

    /// Other values with which the calls can be made, of which nothing is ambiguous; and how many they are.
    fn values(
        &self,
        context: &Context,
        world: &Arc<DeclaredWorld>,
        plan: &Plan,
        (catalogue, id, known): (&Catalogue, &ItemId, &[Said]),
    ) -> Option<(Walked, usize)> {
        let base = known.first()?;
        let [least, most] = self.changed;
        (0..DRAWS).find_map(|draw| {
            let mut chance = Chance::new(context.shared.seed, &context.stage, id.as_str(), draw);
            let kept = self.kept(plan, base, &mut chance);
            let said = draw_values(world, plan, (&kept, Some(base)), &mut chance)?;
            let said: Said = said.into_iter().chain(named(&kept, plan)).collect();
            let mut walked = walk(world, plan, &said, &mut chance)?;
            let changed =
                plan.slots.iter().filter(|(key, slot)| slot.with.is_none() && differs(base, &walked.said, key)).count();
            let fresh = known.iter().all(|it| !same(it, &walked.said));
            let sound = (least..=most).contains(&changed) && fresh && protected(plan, base, &walked.said);
            let (steps, _) =
                without(world.declaration(), &walked.steps, &meant(plan, &walked.said)).filter(|_| sound)?;
            walked.steps = steps;
            let limits = Limits { steps: self.steps.get(), calls: self.calls.get() };
            proved(context, catalogue, (&walked.steps, ""), limits).ok()?;
            Some((walked, changed))
        })
    }

    /// What a variant keeps: the protected values, and as many of the others as are not to change.
    fn kept(&self, plan: &Plan, base: &Said, chance: &mut Chance) -> Said {
        let free: Vec<&String> =
            plan.slots.iter().filter(|(_, slot)| !slot.protected && slot.with.is_none()).map(|(key, _)| key).collect();
        let [least, most] = self.changed;
        let most = most.min(free.len());
        let changed = least.min(most) + chance.below(most.saturating_sub(least) + 1);
        let mut order = free.clone();
        chance.shuffle(&mut order);
        let changing: Vec<&String> = order.into_iter().take(changed).collect();
        let keeps =
            |key: &&String| !changing.contains(key) && plan.slots.get(*key).is_some_and(|slot| slot.with.is_none());
        base.keys().filter(keeps).filter_map(|key| Some((key.clone(), base.get(key)?.clone()))).collect()
    }

    async fn variant(
        &self,
        context: &Context,
        world: &Arc<DeclaredWorld>,
        (seed, query, plan): (&Item, &ComplexQuery, &Plan),
        (id, walked, changed): (&ItemId, Walked, usize),
    ) -> Result<Outcome, Stop> {
        let order = Order { id, world, plan, walked: &walked, asks: self.asks.as_draws() };
        let written = write(context, &query.catalogue.title, &order).await;
        let item = written.map(|written| {
            let mut provenance = seed.provenance.clone();
            provenance.template = context.is_template(context.role());
            provenance.draws = vec![written.draw];
            provenance.parents = vec![seed.id.to_string()];
            provenance.facts.extend(written.facts);
            provenance.facts.insert("changed_values".to_owned(), changed.to_string());
            let query = ComplexQuery {
                text: written.text,
                answer: written.answer,
                steps: walked.steps.clone(),
                slots: walked.said.clone(),
                base: Some(seed.id.clone()),
                ..query.clone()
            };
            let record = Record::ComplexQuery(Box::new(query));
            Item { id: id.clone(), root: seed.root.clone(), record, provenance }
        });
        Outcome::of(item, id, &context.stage)
    }
}

/// The kept texts by which items are named.
fn named(kept: &Said, plan: &Plan) -> Said {
    let is_named = |key: &String| {
        plan.slots.get(key).is_some_and(|slot| key.contains(&format!(".{}.{}", slot.function, slot.parameter)))
    };
    kept.iter().filter(|(key, _)| is_named(key)).map(|(key, said)| (key.clone(), said.clone())).collect()
}

fn differs(one: &Said, other: &Said, key: &str) -> bool {
    let value = |said: &Said| said.get(key).map(|it| it.value.clone());
    value(one) != value(other)
}

fn same(one: &Said, other: &Said) -> bool {
    one.keys().chain(other.keys()).all(|key| !differs(one, other, key))
}
