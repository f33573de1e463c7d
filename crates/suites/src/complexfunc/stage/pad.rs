//! Lengthens the answers of complex queries, for models with long contexts: with more results of the same searches, and with
//! unrelated items where a length is aimed at that these do not reach.

use crate::complexfunc::stage::plans::{Meant, at, beaten, items, list_at, meant};
use crate::complexfunc::stage::shortest_path::proved;
use crate::llm::estimate_tokens;
use crate::record::{Chance, ComplexQuery, FunctionCall, Item, Number, Origin, Record, RecordKind, Value};
use crate::settings::{Count, Share, count, share};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::Outcome;
use crate::stage::work::Stage;
use crate::toolset::{Criterion, Function, Pick};
use crate::world::{DeclaredWorld, Limits, Sampler};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many other answers are looked at for each call.
const ANSWERS: u32 = 160;

/// Length of the answers of a run's queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Length {
    /// As returned by the world; a share of the queries is lengthened to `target_tokens`, with unrelated items if
    /// needed.
    #[default]
    Short,
    /// All queries are lengthened, to lengths spread up to `target_tokens`, with more results of the same searches
    /// only.
    Long,
}

/// The shortest length that is aimed at where all queries are lengthened.
const LEAST: f64 = 20_000.0;

/// Lengthens the answers of complex queries with items that cannot be mistaken for the intended one: more results of
/// the same searches, among which the intended item must be found, and items that other calls found.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PadConfig {
    /// Length of the answers: `short` or `long`.
    #[serde(default)]
    context: Length,
    /// Target length of the context in tokens, estimated at four characters each; with `long`, the maximum.
    #[serde(default = "count::<100_000>")]
    target_tokens: Count,
    /// Share of queries that are lengthened; with `long`, all are.
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
        let chosen = chance.happens(self.share.get()) || self.context == Length::Long;
        if let (Record::ComplexQuery(query), Some(world), true) =
            (&mut item.record, context.domains().declared(), chosen)
        {
            let target = self.target(&mut chance);
            let short = query.clone();
            let added = more_results(context, query, target, &mut chance)
                + if self.context == Length::Long { 0 } else { lengthen(world, query, target, &mut chance) };
            if added > 0 && proved(context, &query.catalogue, (&query.steps, &query.answer), Limits::default()).is_err()
            {
                context.count("not lengthened: its path can no longer be proved");
                *query = short;
            } else if added > 0 {
                item.provenance.facts.insert("added_items".to_owned(), added.to_string());
                query.tags.push("padded".to_owned());
            }
        }
        Outcome::keep(item)
    }
}

impl PadConfig {
    /// The length that is aimed at; with `long` short ones are as common as long ones, by orders of magnitude.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "contexts are small"
    )]
    fn target(&self, chance: &mut Chance) -> u64 {
        let most = self.target_tokens.get() as f64;
        match self.context {
            Length::Short => most as u64,
            Length::Long => (LEAST * (most / LEAST).max(1.0).powf(chance.share())) as u64,
        }
    }
}

/// Adds what the same searches find in a world with more rows, until the context is as long as wanted; how many were added.
fn more_results(context: &Context, query: &mut ComplexQuery, target: u64, chance: &mut Chance) -> usize {
    let long = context.domains().long();
    let Some(world) = &*long else {
        context.count("not lengthened: the larger world cannot be drawn");
        return 0;
    };
    let Some(plan) = query.plan.clone() else { return 0 };
    let all = meant(&plan, &query.slots);
    let mut tokens = context_tokens(query);
    let mut added = 0;
    let mut seen: Vec<(usize, String)> = Vec::new();
    for (call, name, said) in &all {
        let Some((step, place)) = query.place(*call) else { continue };
        let made = query.steps[step].calls[place].clone();
        let Some(function) = world.declaration().functions.get(&made.name).filter(|it| !it.free) else { continue };
        let Some((pick, list)) = function.picks.get(name).and_then(|pick| Some((pick, pick.item.strip_suffix("/0")?)))
        else {
            continue;
        };
        let key = (*call, list.to_owned());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let Ok(other) = world.session().call(&made.name, &made.arguments) else { continue };
        let others = together(&all, function, (*call, pick, said.as_ref()));
        let answer = &query.steps[step].answers[place];
        let found = unlike(answer, &pick.item, losers(answer, &other, &pick.item, (&others, &made)));
        let new = up_to(found, &mut tokens, target);
        added += new.len();
        let is_first_meant = others.iter().any(|(it, _)| it.by == Criterion::First);
        merge(query, (*call, step, place), list, (new, is_first_meant), chance);
    }
    for (call, name) in &plan.tallied {
        added += more_counted(world, query, (*call, name), (&mut tokens, target), chance);
    }
    added
}

/// As many of the items as there is room for.
fn up_to(found: Vec<Value>, tokens: &mut u64, target: u64) -> Vec<Value> {
    let fits = |item: &Value| {
        let grown = *tokens + estimate_tokens(&item.to_string());
        let fits = grown <= target;
        if fits {
            *tokens = grown;
        }
        fits
    };
    found.into_iter().take_while(fits).collect()
}

/// Adds results to a list of which a figure is told, and states the new figure; how many were added.
fn more_counted(
    world: &DeclaredWorld,
    query: &mut ComplexQuery,
    (call, name): (usize, &str),
    (tokens, target): (&mut u64, u64),
    chance: &mut Chance,
) -> usize {
    let before = (query.clone(), *tokens);
    let grown = counted_anew(world, query, (call, name), (tokens, target), chance);
    grown.unwrap_or_else(|| {
        (*query, *tokens) = before;
        0
    })
}

/// How many results were added to a list whose figure could be stated anew; none where it could not.
fn counted_anew(
    world: &DeclaredWorld,
    query: &mut ComplexQuery,
    (call, name): (usize, &str),
    (tokens, target): (&mut u64, u64),
    chance: &mut Chance,
) -> Option<usize> {
    let (step, place) = query.place(call)?;
    let made = query.steps[step].calls[place].clone();
    let tally = world.declaration().functions.get(&made.name)?.tallies.get(name)?;
    let answer = &query.steps[step].answers[place];
    let old = tally.figure(answer)?;
    let other = world.session().call(&made.name, &made.arguments).ok()?;
    let found = items(&other, &tally.item).into_iter().map(|(_, item)| item.clone()).collect();
    let new = up_to(unlike(answer, &tally.item, found), tokens, target);
    let added = new.len();
    merge(query, (call, step, place), tally.item.strip_suffix("/0")?, (new, false), chance);
    let longer = query.steps[step].answers.get(place)?;
    let figure = tally.figure(longer).filter(|it| it.as_str() != items(longer, &tally.item).len().to_string())?;
    query.answer = restated(&query.answer, old.as_str(), figure.as_str())?;
    Some(added)
}

/// A text with another number in the place of one that it has once.
fn restated(text: &str, old: &str, new: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(old).collect();
    let last = parts.len() - 1;
    let is_digit = |letter: Option<char>| letter.is_some_and(|it| it.is_ascii_digit());
    let goes_on = |letter: Option<char>, next: Option<char>| {
        is_digit(letter) || (letter.is_some_and(|it| ".,:-".contains(it)) && is_digit(next))
    };
    let is_whole = |at: &usize| {
        let earlier = old.chars().rev().filter(|_| *at > 0);
        let later = old.chars().filter(|_| at + 1 < last);
        let (mut before, mut after) = (parts[*at].chars().rev().chain(earlier), parts[at + 1].chars().chain(later));
        !goes_on(before.next(), before.next()) && !goes_on(after.next(), after.next())
    };
    let mut places = (0..last).filter(is_whole);
    let at = places.next().filter(|_| places.next().is_none())?;
    let (before, after) = parts.split_at(at + 1);
    Some(format!("{}{new}{}", before.join(old), after.join(old)))
}

/// The items that share no text by which those of a list are told from each other: no second hotel of one name.
fn unlike(answer: &Value, list: &str, new: Vec<Value>) -> Vec<Value> {
    let old = items(answer, list);
    let texts = |item: &Value| {
        let mut found = Vec::new();
        texts_of("", item, &mut found);
        found
    };
    let own: Vec<Vec<(String, String)>> = old.iter().map(|(_, item)| texts(item)).collect();
    let others: Vec<Vec<(String, String)>> = new.iter().map(texts).collect();
    let is_own = |leaf: &(String, String)| {
        let holding = own.iter().filter(|it| it.contains(leaf)).count();
        // Where several have one word in a place, that tells none from the others.
        holding == 1
            && own.iter().all(|it| it.iter().filter(|(place, _)| *place == leaf.0).count() == 1)
            && (own.len() == 1 || distinct(&own, &leaf.0))
            && distinct(&others, &leaf.0)
    };
    let is_there = |item: &Value| old.iter().any(|(_, it)| *it == item);
    new.into_iter().filter(|item| !is_there(item) && !texts(item).iter().any(is_own)).collect()
}

/// Whether no two items have one text in a place.
fn distinct(items: &[Vec<(String, String)>], place: &str) -> bool {
    let mut found: Vec<&str> = items.iter().flatten().filter(|it| it.0 == place).map(|it| it.1.as_str()).collect();
    let count = found.len();
    found.sort_unstable();
    found.dedup();
    found.len() == count
}

fn texts_of(place: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| texts_of(&format!("{place}/{name}"), field, found));
        }
        Value::String(text) => found.push((place.to_owned(), text.clone())),
        _ => {}
    }
}

/// Puts items among those of a list: where it is sorted by a number in its place, else anywhere; what points into the list is
/// moved along.
fn merge(
    query: &mut ComplexQuery,
    (call, step, place): (usize, usize, usize),
    list: &str,
    (new, is_first_meant): (Vec<Value>, bool),
    chance: &mut Chance,
) {
    let Some(answer) = query.steps.get_mut(step).and_then(|it| it.answers.get_mut(place)) else { return };
    let Some(items) = list_at(answer, list).filter(|_| !new.is_empty()) else { return };
    let sorted = sorted_by(items, &new);
    let old = std::mem::take(items);
    let first = usize::from(is_first_meant && !old.is_empty());
    let (mut places, mut new) = (Vec::with_capacity(old.len()), new.into_iter().peekable());
    let mut left = old.len();
    for (at, item) in old.into_iter().enumerate() {
        loop {
            let ahead = new.len();
            let goes = |next: &Value| goes_before(next, &item, sorted.as_ref(), (ahead, left), chance);
            if at < first || !new.peek().is_some_and(goes) {
                break;
            }
            items.extend(new.next());
        }
        places.push(items.len());
        items.push(item);
        left -= 1;
    }
    items.extend(new);
    let count = items.len();
    count_anew(answer, list, count);
    let notes = query.steps.iter_mut().flat_map(|it| it.notes.iter_mut()).flat_map(indexmap::IndexMap::values_mut);
    for note in notes {
        if let Origin::Answer { call: from, field } | Origin::Derived { call: from, field } = &mut note.origin {
            if *from == call {
                *field = moved(field, list, &places);
            }
        }
    }
}

/// Whether a new item comes before one that was there.
fn goes_before(
    new: &Value,
    old: &Value,
    sorted: Option<&(String, bool)>,
    (ahead, left): (usize, usize),
    chance: &mut Chance,
) -> bool {
    let number = |item: &Value, place: &str| at(item, place).and_then(Value::as_number).map(Number::as_f64);
    match sorted {
        Some((place, true)) => number(new, place) < number(old, place),
        Some((place, false)) => number(new, place) > number(old, place),
        None => chance.below(ahead + left) < ahead,
    }
}

/// The number by which both lists are sorted, and whether upwards.
fn sorted_by(old: &[Value], new: &[Value]) -> Option<(String, bool)> {
    let mut places = Vec::new();
    numbers_of("", old.first()?, &mut places);
    let column = |items: &[Value], place: &str| -> Option<Vec<f64>> {
        items.iter().map(|item| at(item, place).and_then(Value::as_number).map(Number::as_f64)).collect()
    };
    places.into_iter().find_map(|place| {
        let (one, other) = (column(old, &place)?, column(new, &place)?);
        let (up, down) =
            (one.is_sorted() && other.is_sorted(), one.iter().rev().is_sorted() && other.iter().rev().is_sorted());
        let varies = other.first() != other.last() || one.first() != one.last();
        (varies && (up || down)).then_some((place, up))
    })
}

fn numbers_of(place: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| numbers_of(&format!("{place}/{name}"), field, found));
        }
        Value::Number(_) => found.push(place.to_owned()),
        _ => {}
    }
}

/// A pointer after the items of a list moved to other places.
fn moved(pointer: &str, list: &str, places: &[usize]) -> String {
    let Some(rest) = pointer.strip_prefix(&format!("{list}/")) else { return pointer.to_owned() };
    let (index, tail) = rest.split_once('/').map_or((rest, None), |(index, tail)| (index, Some(tail)));
    match (index.parse::<usize>().ok().and_then(|at| places.get(at)), tail) {
        (Some(place), Some(tail)) => format!("{list}/{place}/{tail}"),
        (Some(place), None) => format!("{list}/{place}"),
        (None, _) => pointer.to_owned(),
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
    let known: Vec<String> = at(answer, list)?.as_list()?.iter().map(Value::to_string).collect();
    let fresh: Vec<Value> = new.into_iter().filter(|item| !known.contains(&item.to_string())).collect();
    let length = known.len() + fresh.len();
    let grown = fresh.len();
    list_at(answer, list)?.extend(fresh);
    count_anew(answer, list, length);
    (count > 0).then_some(grown)
}

/// Counts a list anew where the answer counts it.
fn count_anew(answer: &mut Value, list: &str, length: usize) {
    let around = list.rsplit_once('/').map_or("", |(around, _)| around);
    for place in
        [format!("{around}/count"), format!("{around}/meta/count"), format!("{around}/aggregation/total_count")]
    {
        if let Some(number) =
            crate::complexfunc::stage::plans::place(answer, &place).filter(|it| it.as_number().is_some())
        {
            *number = Value::from(i64::try_from(length).unwrap_or(i64::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::complex;
    use crate::complexfunc::stage::plans::testing::{Journey, lodging, made, planned_item, stays, travel, within};
    use crate::complexfunc::stage::plans::{list_at, picked};
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, tool_item, train};

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
    fn a_figure_is_stated_anew_where_it_stands_once() {
        let stated = |text: &str, old: &str| restated(text, old, "7.25");
        assert_eq!(stated("A night costs 98.5 USD.", "98.5").as_deref(), Some("A night costs 7.25 USD."));
        assert_eq!(stated("평균 98.5점입니다.", "98.5").as_deref(), Some("평균 7.25점입니다."));
        assert_eq!(stated("Hotels with a pool: 4.", "4").as_deref(), Some("Hotels with a pool: 7.25."));
        assert_eq!(stated("4 of 4 have one.", "4"), None, "which of them it is cannot be told");
        assert_eq!(stated("It costs 14.4, at 10:04 on 2024-11-4.", "4"), None, "it is a part of other numbers");
        assert_eq!(
            stated("4 hotels at 98.4 USD, 1,400 m away.", "4").as_deref(),
            Some("7.25 hotels at 98.4 USD, 1,400 m away.")
        );
    }

    #[test]
    fn a_list_that_is_counted_grows_with_its_figure() {
        let ground = travel("en");
        let found = (0..20).find_map(|draw| {
            let mut journey = ground.journey("hotels", (2, 2), draw)?;
            let call = *journey.plan.told.keys().next()?;
            let is_search = journey.plan.calls[call].function == "Search_Hotels";
            journey.plan.told.clear();
            journey.plan.tallied.insert(call, "mean_night".to_owned());
            is_search.then_some((journey, call))
        });
        let (journey, call) = found.unwrap();
        let tally = &ground.function("Search_Hotels").tallies["mean_night"];
        let context = within(lodging(|text| text), ground);
        let item = planned_item(&context, &journey.plan, &journey.walked);
        let mut query = complex(std::slice::from_ref(&item))[0].clone();
        let old = tally.figure(made(&journey.walked)[call].1).unwrap();
        query.answer = format!("On average, a room costs {old} USD a night.");
        let long = ground.world.lengthened().unwrap();
        let mut tokens = context_tokens(&query);
        let target = tokens + 9_000;
        let mut chance = Chance::of(&[b"long"]);
        let added = more_counted(&long, &mut query, (call, "mean_night"), (&mut tokens, target), &mut chance);
        let (step, place) = query.place(call).unwrap();
        let answer = &query.steps[step].answers[place];
        let new = tally.figure(answer).unwrap();
        assert!(added > 5 && new != old && tokens <= target, "{added} {tokens}");
        assert_eq!(query.answer, format!("On average, a room costs {new} USD a night."));
        assert_eq!(items(answer, &tally.item).len(), items(made(&journey.walked)[call].1, &tally.item).len() + added);
        let before = query.clone();
        query.answer = "It is cheap.".to_owned();
        let none = more_counted(&long, &mut query, (call, "mean_night"), (&mut tokens, target * 2), &mut chance);
        assert_eq!((none, &query.steps), (0, &before.steps), "a figure that is not stated cannot be stated anew");
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
