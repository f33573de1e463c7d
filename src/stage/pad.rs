//! Lengthens the answers of some complex queries with unrelated items, for models with long contexts.

use super::context::Context;
use super::facts::StageMeta;
use super::outcome::Outcome;
use super::plans::{Meant, at, beaten, items, meant};
use super::work::Stage;
use crate::config::{Count, Share, count, share};
use crate::llm::estimate_tokens;
use crate::record::{Chance, ComplexQuery, FunctionCall, Item, Record, RecordKind, Value};
use crate::toolset::{Function, Pick};
use crate::world::{DeclaredWorld, Sampler};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many other answers are looked at for each call.
const ANSWERS: u32 = 160;

/// Lengthens the answers of some complex queries with items that other calls found and that nobody could take for the
/// one that is meant.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PadConfig {
    /// Tokens of context that are aimed at, by the estimate of four characters each.
    #[serde(default = "count::<100_000>")]
    target_tokens: Count,
    /// Share of the queries that are lengthened.
    #[serde(default = "share::<3>")]
    share: Share,
}

impl Stage for PadConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("pad", &[RecordKind::ComplexQuery], RecordKind::ComplexQuery).computes()
    }

    /// Lengthens a query's answers if it is its turn.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        let mut chance = context.chance(item.id.as_str(), 0);
        let chosen = chance.happens(self.share.get());
        if let (Record::ComplexQuery(query), Some(world), true) =
            (&mut item.record, context.domains().declared(), chosen)
        {
            let added = lengthen(world, query, self.target_tokens.get() as u64, &mut chance);
            if added > 0 {
                item.provenance.facts.insert("added_items".to_owned(), added.to_string());
                query.tags.push("padded".to_owned());
            }
        }
        Outcome::keep(item)
    }
}

/// Adds unrelated items until the context is as long as wanted, or nothing more is found; how many were added.
fn lengthen(world: &DeclaredWorld, query: &mut ComplexQuery, target: u64, chance: &mut Chance) -> usize {
    let Some(plan) = query.plan.clone() else { return 0 };
    let mut tokens = context_tokens(query);
    let mut added = 0;
    let mut sampler = Sampler::new(world);
    for (call, name, said) in meant(&plan, &query.slots) {
        let Some((step, place)) = query.place(call) else { continue };
        let made = query.steps[step].calls[place].clone();
        let Some(function) = world.declaration().functions.get(&made.name).filter(|it| !it.free) else { continue };
        let Some(pick) = function.picks.get(&name) else { continue };
        let others = together(&meant(&plan, &query.slots), function, (call, pick, said.as_ref()));
        let first = u32::try_from(chance.below(1 << 16)).unwrap_or(0);
        for draw in 0..ANSWERS {
            if tokens >= target {
                return added;
            }
            let Some(sample) = sampler.sample(&made.name, false, first + draw) else { break };
            let Ok(other) = sample.answer else { continue };
            let answer = &mut query.steps[step].answers[place];
            let new = losers(answer, &other, &pick.item, (&others, &made));
            let grown = new.iter().map(|item| estimate_tokens(&item.to_string())).sum::<u64>();
            if let Some(count) = append(answer, &pick.item, new) {
                (tokens, added) = (tokens + grown, added + count);
            }
        }
    }
    added
}

/// A pick, and the text by which it names its item.
type Naming = (Pick, Option<Value>);

/// All that is meant in the list of a pick: each of them must stay the one.
fn together(meant: &Meant, function: &Function, (call, pick, said): (usize, &Pick, Option<&Value>)) -> Vec<Naming> {
    meant
        .iter()
        .filter(|(other, _, _)| *other == call)
        .filter_map(|(_, name, said)| Some((function.picks.get(name)?.clone(), said.clone())))
        .filter(|(other, _)| other.item == pick.item)
        .chain(std::iter::once((pick.clone(), said.cloned())))
        .collect()
}

/// The items of another answer that lose against everything that is meant in this one.
fn losers(answer: &Value, other: &Value, list: &str, (meant, made): (&[Naming], &FunctionCall)) -> Vec<Value> {
    let loses = |item: &Value| meant.iter().all(|(pick, said)| beaten(answer, pick, made, (item, said.as_ref())));
    items(other, list).into_iter().map(|(_, item)| item.clone()).filter(loses).collect()
}

/// The tokens of a query's whole conversation, as estimated.
fn context_tokens(query: &ComplexQuery) -> u64 {
    let answers = query.steps.iter().flat_map(|step| &step.answers).map(|answer| estimate_tokens(&answer.to_string()));
    answers.sum::<u64>() + estimate_tokens(&query.text)
}

/// Puts items at the end of a list that is not nested, and counts them where the answer counts.
fn append(answer: &mut Value, item: &str, new: Vec<Value>) -> Option<usize> {
    let list = item.strip_suffix("/0")?;
    let count = new.len();
    let around = list.rsplit_once('/').map_or("", |(around, _)| around).to_owned();
    let known: Vec<String> = at(answer, list)?.as_list()?.iter().map(Value::to_string).collect();
    let fresh: Vec<Value> = new.into_iter().filter(|item| !known.contains(&item.to_string())).collect();
    let length = known.len() + fresh.len();
    let grown = fresh.len();
    super::plans::list_at(answer, list)?.extend(fresh);
    for place in
        [format!("{around}/count"), format!("{around}/meta/count"), format!("{around}/aggregation/total_count")]
    {
        if let Some(number) = super::plans::place(answer, &place).filter(|it| it.as_number().is_some()) {
            *number = Value::from(i64::try_from(length).unwrap_or(i64::MAX));
        }
    }
    (count > 0).then_some(grown)
}

#[cfg(test)]
mod tests {
    use super::super::plans::testing::{Journey, lodging, made, planned_item, stays};
    use super::super::plans::{list_at, picked};
    use super::super::testing::{silent, tool_item, train};
    use super::super::trace::testing::complex;
    use super::*;
    use crate::config::section::read_text;

    fn config(target: usize, share: u8) -> PadConfig {
        read_text(&format!("target_tokens = {target}\nshare = {share}.0")).unwrap()
    }

    fn padded(context: &Context, journey: &Journey, target: usize) -> Item {
        let item = planned_item(context, &journey.plan, &journey.walked);
        config(target, 1).apply(context, item).kept.remove(0)
    }

    #[test]
    fn every_pick_means_what_it_meant_and_has_no_rivals_that_it_had_not() {
        let context = lodging(|text| text);
        for journey in stays().iter().take(4) {
            let item = padded(&context, journey, 6000);
            let query = complex(std::slice::from_ref(&item))[0];
            let before = made(&journey.walked);
            let after = query.steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers));
            let after: Vec<(&FunctionCall, &Value)> = after.collect();
            for (call, name, said) in meant(&journey.plan, &query.slots) {
                let world = context.domains().declared().unwrap();
                let pick = &world.declaration().functions[&before[call].0.name].picks[&name];
                let of = |(made, answer): (&FunctionCall, &Value)| picked(answer, pick, made, said.as_ref());
                assert_eq!(of(after[call]), of(before[call]), "{name}");
            }
            for ((_, long), (_, short)) in after.iter().zip(&before) {
                for (pointer, value) in items(short, "/data/inns/0") {
                    assert_eq!(at(long, &pointer), Some(value), "what was there stays where it was");
                }
            }
        }
    }

    #[test]
    fn answers_grow_up_to_the_target_and_count_what_they_hold() {
        let context = lodging(|text| text);
        let journey = &stays()[0];
        let short = planned_item(&context, &journey.plan, &journey.walked);
        let long = padded(&context, journey, 6000);
        let [short, long] = [&short, &long].map(|item| complex(std::slice::from_ref(item))[0].clone());
        assert!(context_tokens(&short) < context_tokens(&long), "{}", context_tokens(&long));
        assert_eq!((long.tags.as_slice(), long.text.as_str()), (&["padded".to_owned()][..], short.text.as_str()));
        for answer in long.steps.iter().flat_map(|step| &step.answers) {
            let Some(inns) = at(answer, "/data/inns").and_then(Value::as_list) else { continue };
            assert_eq!(at(answer, "/data/count").unwrap().to_string(), inns.len().to_string());
            let texts: std::collections::BTreeSet<String> = inns.iter().map(Value::to_string).collect();
            assert_eq!(texts.len(), inns.len(), "nothing is there twice");
        }
        assert_eq!(padded(&context, journey, 6000), padded(&context, journey, 6000));
        let enough = padded(&context, journey, 1);
        assert!(!enough.provenance.facts.contains_key("added_items"), "it is long enough");
    }

    #[test]
    fn a_share_is_lengthened_and_what_has_no_plan_is_left_alone() {
        let context = lodging(|text| text);
        let item = planned_item(&context, &stays()[0].plan, &stays()[0].walked);
        assert_eq!(config(6000, 0).apply(&context, item.clone()), Outcome::keep(item.clone()));
        assert_eq!(config(6000, 1).apply(&silent(), item.clone()), Outcome::keep(item.clone()));
        let mut bare = item;
        let Record::ComplexQuery(query) = &mut bare.record else { panic!("another record") };
        query.plan = None;
        assert_eq!(config(6000, 1).apply(&context, bare.clone()), Outcome::keep(bare));
        assert_eq!(config(6000, 1).apply(&context, tool_item(train())), Outcome::keep(tool_item(train())));
        let plain: PadConfig = read_text("").unwrap();
        assert_eq!(plain.target_tokens.get(), 100_000);
    }

    #[test]
    fn items_are_appended_once_and_counted_where_an_answer_counts() {
        let read = |json: &str| Value::read(json).unwrap();
        let mut answer = read(r#"{"data": {"meta": {"count": 1}, "inns": [{"a": 1}]}}"#);
        let new = || vec![read(r#"{"a": 1}"#), read(r#"{"a": 2}"#)];
        assert_eq!(append(&mut answer, "/data/inns/0", new()), Some(1));
        assert_eq!(answer, read(r#"{"data": {"meta": {"count": 2}, "inns": [{"a": 1}, {"a": 2}]}}"#));
        assert_eq!(append(&mut answer, "/data/inns/0", Vec::new()), None);
        assert_eq!(append(&mut answer, "/data/inns", new()), None, "no list");
        assert_eq!(append(&mut answer, "/data/beds/0", new()), None);
        assert_eq!(list_at(&mut answer, "/data/inns").map(|list| list.len()), Some(2));
    }
}
