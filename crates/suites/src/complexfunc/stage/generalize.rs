//! Makes one complex query into several: the same path with other values (`ComplexFuncBench`, section 3.4).

use crate::complexfunc::stage::model::annotate::AnnotateConfig;
use crate::complexfunc::stage::model::generalize_model::{Variation, variants_by_model};
use crate::complexfunc::stage::model::trace::Manner;
use crate::complexfunc::stage::needed::check_gold;
use crate::complexfunc::stage::plans::{
    CaseBook, Given, Said, Walked, agrees, can_be_told, day_order, draw_values, meant, protected, walk, without,
};
use crate::complexfunc::stage::shortest_path::proved;
use crate::complexfunc::stage::written::{Order, write};
use crate::failure::RunStopped;
use crate::locale::DayOrder;
use crate::record::{Catalogue, Chance, ComplexQuery, Item, ItemId, Plan, Record, RecordKind};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use crate::world::{DeclaredWorld, Limits};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often other values are drawn for a variant before it is given up.
const DRAWS: u32 = 400;
/// How many of these are put into words for a variant.
const TRIES: usize = 8;

/// Makes several variants of a complex query: the same path with other values.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeneralizeConfig {
    /// Variants per query, including the original.
    #[serde(default = "count::<10>")]
    count: Count,
    /// Minimum and maximum number of values that a variant changes. A model that varies a request without a plan may
    /// change all.
    #[serde(default = "span")]
    changed: [usize; 2],
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// Maximum steps in the proof that a variant's path is a shortest one, as in `shortest_path`.
    #[serde(default = "count::<5>")]
    steps: Count,
    /// Maximum calls per step in that proof.
    #[serde(default = "count::<20_000>")]
    calls: Count,
    /// Maximum turns with calls when a model executes a variant of a request without a plan.
    #[serde(default = "count::<12>")]
    max_turns: Count,
    /// How functions are passed to that model: as native tools or in the prompt text.
    #[serde(default)]
    manner: Manner,
}

fn span() -> [usize; 2] {
    [6, 10]
}

impl Stage for GeneralizeConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("generalize", &[RecordKind::ComplexQuery], RecordKind::ComplexQuery).asks("generator").computes()
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    /// Passes a query on with its variants.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::ComplexQuery(query) = &item.record else { return Ok(Outcome::keep(item)) };
            let (Some(plan), Some(world)) = (query.plan.clone(), context.domains().declared().cloned()) else {
                return variants_by_model(context, item, self.count.get(), &self.variation()).await;
            };
            let mut outcome = Outcome::default();
            let days = day_order(&world, context.seed(), &item.id);
            let mut known: Vec<Said> = vec![query.slots.clone()];
            for ordinal in 0..self.count.get() - 1 {
                let id = item.id.child(context.stage(), ordinal);
                let mut made = Outcome::default();
                // Values that cannot be worded, or that make a call needless, are replaced.
                for _ in 0..TRIES {
                    let drawn = self.values(context, &world, &plan, (&query.catalogue, &id, &known, &days));
                    let Some((walked, changed)) = drawn else { break };
                    known.push(walked.said.clone());
                    let (seed, variant) = ((&item, &**query, &*plan, &days), (&id, walked, changed));
                    made = self.variant(context, &world, seed, variant).await?;
                    if !made.kept.is_empty() {
                        break;
                    }
                }
                if made.kept.is_empty() && made.rejected.is_empty() {
                    let detail = format!("{DRAWS} draws of other values gave no calls that could be made");
                    made = context.reject(&id, Fault::new("no_variant", detail), query.text.clone());
                }
                outcome.add(made);
            }
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

impl GeneralizeConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let [least, most] = self.changed;
        let message = format!("`changed = [{least}, {most}]`: the minimum is greater than the maximum");
        if least <= most { Vec::new() } else { vec![("changed", message)] }
    }

    /// How variants of requests without a plan are made.
    fn variation(&self) -> Variation {
        let (least_steps, asks) = (count::<1>(), count::<1>());
        let annotate = AnnotateConfig { least_steps, max_turns: self.max_turns, asks, manner: self.manner };
        Variation { annotate, pieces: self.changed[0], asks: self.asks.as_draws() }
    }

    /// Other values with which the calls can be made, of which nothing is ambiguous; and how many they are.
    fn values(
        &self,
        context: &Context,
        world: &Arc<DeclaredWorld>,
        plan: &Plan,
        (catalogue, id, known, order): (&Catalogue, &ItemId, &[Said], &DayOrder),
    ) -> Option<(Walked, usize)> {
        let base = known.first()?;
        let [least, most] = self.changed;
        let cases = CaseBook::new(world);
        (0..DRAWS).find_map(|draw| {
            let mut chance = context.chance(id.as_str(), draw);
            let kept = self.kept(plan, base, &mut chance);
            let given = Given { kept: &kept, other: Some(base), order, cases: cases.as_ref() };
            let said = draw_values(world, plan, given, &mut chance)?;
            let said: Said = said.into_iter().chain(named(&kept, plan)).collect();
            let mut walked = walk(world, plan, &said, &mut chance)?;
            let changed =
                plan.slots.iter().filter(|(key, slot)| slot.with.is_none() && differs(base, &walked.said, key)).count();
            let fresh = known.iter().all(|it| !same(it, &walked.said));
            let sound = (least..=most).contains(&changed) && fresh && protected(plan, base, &walked.said);
            let sound = sound && agrees(world.declaration(), plan, &walked);
            let (steps, _) =
                without(world.declaration(), &walked.steps, &meant(plan, &walked.said)).filter(|_| sound)?;
            walked.steps = steps;
            let limits = Limits { steps: self.steps.get(), calls: self.calls.get() };
            proved(context, catalogue, (&walked.steps, ""), limits).ok()?;
            check_gold(context, &catalogue.tools, ("", &walked.steps, ""), true).ok()?;
            can_be_told(world, plan, &walked).then_some((walked, changed))
        })
    }

    /// What a variant keeps: the protected values, and as many of the others as are not to change.
    fn kept(&self, plan: &Plan, base: &Said, chance: &mut Chance) -> Said {
        // What follows from one value of the case changes together.
        let mut groups: IndexMap<&String, Vec<&String>> = IndexMap::new();
        for (key, slot) in plan.slots.iter().filter(|(_, slot)| !slot.protected && slot.with.is_none()) {
            groups.entry(slot.field.as_ref().unwrap_or(key)).or_default().push(key);
        }
        let free: usize = groups.values().map(Vec::len).sum();
        let [least, most] = self.changed;
        let most = most.min(free);
        let changed = least.min(most) + chance.below(most.saturating_sub(least) + 1);
        let mut order: Vec<Vec<&String>> = groups.into_values().collect();
        chance.shuffle(&mut order);
        let mut changing: Vec<&String> = Vec::new();
        for group in order {
            if changing.len() < changed {
                changing.extend(group);
            }
        }
        let keeps =
            |key: &&String| !changing.contains(key) && plan.slots.get(*key).is_some_and(|slot| slot.with.is_none());
        base.keys().filter(keeps).filter_map(|key| Some((key.clone(), base.get(key)?.clone()))).collect()
    }

    async fn variant(
        &self,
        context: &Context,
        world: &Arc<DeclaredWorld>,
        (seed, query, plan, days): (&Item, &ComplexQuery, &Plan, &DayOrder),
        (id, walked, changed): (&ItemId, Walked, usize),
    ) -> Result<Outcome, RunStopped> {
        let tools = &query.catalogue.tools;
        let order = Order { id, world, tools, plan, walked: &walked, days, asks: self.asks.as_draws() };
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
        context.settled(id, item)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::complex;
    use crate::complexfunc::stage::plans::at;
    use crate::complexfunc::stage::plans::testing::{lodging, planned_item, stay, two_towns, walked};
    use crate::record::SaidValue;
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, tool_item, train};

    fn config(changed: &str) -> GeneralizeConfig {
        read_text(&format!("count = 3\ncalls = 3000\nchanged = {changed}")).unwrap()
    }

    #[tokio::test]
    async fn variants_change_six_values_or_more_and_keep_path_and_protected_values() {
        let context = lodging(|text| text);
        let seed = planned_item(&context, &two_towns(), &walked(&two_towns(), 0));
        let outcome = config("[6, 10]").each(&context, seed.clone()).await.unwrap();
        assert_eq!(outcome.kept[0], seed);
        let queries = complex(&outcome.kept);
        assert_eq!(queries.len(), 3, "{:?}", outcome.rejected);
        for (item, query) in outcome.kept.iter().zip(&queries).skip(1) {
            let changed = two_towns().slots.keys().filter(|key| differs(&queries[0].slots, &query.slots, key)).count();
            assert!((6..=10).contains(&changed), "{changed}");
            assert_eq!(item.provenance.facts["changed_values"], changed.to_string());
            assert_eq!((query.path(), query.plan.as_deref()), (queries[0].path(), Some(&two_towns())));
            assert_eq!(query.slots["0.quiet"].value, queries[0].slots["0.quiet"].value);
            assert_eq!((query.base.as_ref(), item.root.as_str()), (Some(&seed.id), seed.root.as_str()));
            assert!(query.text != queries[0].text && query.answer != queries[0].answer);
        }
        assert!(!same(&queries[1].slots, &queries[2].slots), "no variant is another's double");
        let again = config("[6, 10]").each(&context, seed).await.unwrap();
        assert_eq!(again, outcome, "the same seed gives the same variants");
    }

    #[tokio::test]
    async fn the_answers_of_a_variant_are_its_own_and_unambiguous() {
        let context = lodging(|text| text);
        let seed = planned_item(&context, &stay(), &walked(&stay(), 0));
        let outcome = config("[3, 4]").each(&context, seed).await.unwrap();
        let queries = complex(&outcome.kept);
        assert!(queries.len() > 1, "{:?}", outcome.rejected);
        let world = context.domains().declared().unwrap();
        for query in queries.iter().skip(1) {
            let changed = stay().slots.keys().filter(|key| differs(&queries[0].slots, &query.slots, key)).count();
            assert!((3..=4).contains(&changed), "{changed}");
            let (_, removed) = without(world.declaration(), &query.steps, &meant(&stay(), &query.slots)).unwrap();
            assert_eq!(removed, 0);
            let (call, field) = query.steps[2].notes[0]["token"].origin.answer().unwrap();
            assert_eq!(call, 1);
            let token = &query.steps[2].calls[0].arguments["token"];
            assert_eq!(at(&query.steps[1].answers[0], field), Some(token));
        }
    }

    #[tokio::test]
    async fn what_cannot_change_enough_has_no_variants() {
        let context = lodging(|text| text);
        let mut plan = stay();
        for slot in plan.slots.values_mut() {
            slot.protected = true;
        }
        let seed = planned_item(&context, &plan, &walked(&plan, 0));
        let outcome = config("[1, 2]").each(&context, seed.clone()).await.unwrap();
        assert_eq!(outcome.kept, [seed]);
        assert!(outcome.rejected.len() == 2 && outcome.rejected.iter().all(|it| it.reason == "no_variant"));
    }

    #[test]
    fn a_variant_keeps_what_it_does_not_change() {
        let (plan, base) = (two_towns(), walked(&two_towns(), 0).said);
        for draw in 0..20 {
            let kept = config("[2, 4]").kept(&plan, &base, &mut Chance::new(1, "k", "p", draw));
            assert!((3..=5).contains(&kept.len()) && kept.contains_key("0.quiet"), "{:?}", kept.keys());
            assert!(kept.iter().all(|(key, said)| base[key] == *said));
        }
    }

    #[test]
    fn texts_that_name_items_are_kept_by_their_slots() {
        let mut plan = stay();
        let slot = crate::record::PlanSlot {
            function: "Search_Inns".to_owned(),
            parameter: "named".to_owned(),
            ..crate::record::PlanSlot::default()
        };
        plan.slots.insert("0.Search_Inns.named.1".to_owned(), slot);
        let said = |text: &str| SaidValue { words: text.to_owned(), value: text.into(), length: None };
        let kept = Said::from([("0.Search_Inns.named.1".to_owned(), said("Fox")), ("0.arrival".to_owned(), said("x"))]);
        assert_eq!(named(&kept, &plan).keys().collect::<Vec<_>>(), ["0.Search_Inns.named.1"]);
        assert!(same(&kept, &kept) && !same(&kept, &Said::new()) && !same(&Said::new(), &kept));
    }

    #[tokio::test]
    async fn it_looks_at_complex_queries_alone() {
        let outcome = config("[6, 10]").each(&silent(), tool_item(train())).await.unwrap();
        assert_eq!(outcome, Outcome::keep(tool_item(train())));
        let plain: GeneralizeConfig = read_text("").unwrap();
        assert_eq!((plain.count.get(), plain.changed, plain.conflicts().len()), (10, [6, 10], 0));
        assert!(config("[3, 2]").conflicts()[0].1.contains("greater than the maximum"));
    }
}
