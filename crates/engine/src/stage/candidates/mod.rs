//! Makes a sample of a query or a question: puts the right tools among others that a model must not take for it.

use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::nearness::{is_flat, nearest_third, plain};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
pub mod complex_queries;
mod questions;
#[cfg(any(test, feature = "fixtures"))]
pub mod testing;

use crate::record::{
    Chance, Expected, Item, ItemId, Message, Object, Query, Record, RecordKind, Row, Sample, SuiteId, Tool,
};
use crate::settings::{Amount, Breadth, amount, breadth};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Turns a query or a question into a sample: lists the expected tools among distractor tools.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CandidatesConfig {
    /// Tools listed per sample, including the expected ones; `"all"` lists all tools of the domain (for questions and
    /// complex queries). Default: 5; for complex queries, all tools of their domains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Breadth>,
    /// Distractor tools from the same category or domain.
    #[serde(default = "amount::<2>")]
    pub near: Amount,
    /// Distractor tools from elsewhere that share many words with the request, so that lexical overlap alone does not
    /// reveal the expected tool (for queries). Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<Amount>,
    /// Order in which the functions of a complex query are listed.
    #[serde(default)]
    pub order: Order,
}

/// Order in which functions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Random order for each sample.
    #[default]
    Drawn,
    /// The order of the toolset.
    Declared,
}

impl Stage for CandidatesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of(
            "candidates",
            &[RecordKind::Query, RecordKind::Question, RecordKind::ComplexQuery],
            RecordKind::Sample,
        )
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    fn least_tools(&self, input: RecordKind) -> usize {
        // A complex query's list is as long as its domains are.
        if input == RecordKind::ComplexQuery { 0 } else { self.breadth().get().unwrap_or(0) }
    }

    /// Makes a sample of a query or a question: the right tools among others, at any place of the list.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        match std::mem::replace(&mut item.record, Record::Row(Row { fields: Object::new() })) {
            Record::Query(query) => self.of_query(context, item, *query),
            Record::Question(question) => questions::sample_of(self, context, item, *question),
            Record::ComplexQuery(query) => complex_queries::sample_of(self, context, item, *query),
            record => Outcome::keep(Item { record, ..item }),
        }
    }
}

impl CandidatesConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let (Some(count), near) = (self.breadth().get(), self.near.get()) else { return Vec::new() };
        let message = format!("`near = {near}` is too large: `count = {count}` includes the expected tool");
        if near < count { Vec::new() } else { vec![("near", message)] }
    }

    /// How many tools a query's or a question's sample shows.
    pub fn breadth(&self) -> Breadth {
        self.count.unwrap_or_else(breadth::<5>)
    }

    fn of_query(&self, context: &Context, item: Item, query: Query) -> Outcome {
        let count = self.breadth().get().unwrap_or(context.toolset().tools.len());
        let mut chance = context.chance(item.id.as_str(), 0);
        let mut pool = Pool::around(context, &query.tool, &mut chance);
        if let Some(alike) = self.alike {
            pool.prefer_alike(alike.get(), context, &query.said());
        }
        let others = pool.draw(self.near.get(), count.saturating_sub(1));
        if others.len() + 1 < count {
            let detail = format!("{count} tools were wanted, the toolset has {}", others.len() + 1);
            return context.reject(&item.id, Fault::new("too_few_tools", detail), query.said());
        }
        let mut candidates = others;
        candidates.insert(chance.below(candidates.len() + 1), query.tool.clone());
        let sample = sample(context, &item.id, &item.root, query, candidates, item.provenance);
        Outcome::keep(Item {
            id: item.id,
            root: item.root,
            provenance: sample.provenance.clone(),
            record: Record::Sample(Box::new(sample)),
        })
    }
}

/// How many tools are searched for one that shares words with a request.
const LOOKED_AT: usize = 150;

/// Shorter words say nothing about the tool: most requests have them.
const SHORTEST: usize = 3;

/// The other tools of the run, those nearest to one tool first, each part in random order.
pub struct Pool {
    near: Vec<Arc<Tool>>,
    far: Vec<Arc<Tool>>,
}

impl Pool {
    /// The tools around `gold`: near ones are of its category, then of its domain; in a flat list they are those that are
    /// most like it.
    pub fn around(context: &Context, gold: &Tool, chance: &mut Chance) -> Self {
        let tools = &context.toolset().tools;
        if is_flat(tools) {
            let nearest = nearest_third(gold, tools);
            let others = tools.iter().filter(|tool| tool.name != gold.name).cloned();
            let (mut near, mut far): (Vec<_>, Vec<_>) = others.partition(|tool| nearest.contains(tool.name.as_str()));
            chance.shuffle(&mut near);
            chance.shuffle(&mut far);
            return Self { near, far };
        }
        let domain = |tool: &Tool| tool.category().split('.').next().unwrap_or_default().to_owned();
        let own = domain(gold);
        let others = || context.toolset().tools.iter().filter(|tool| tool.name != gold.name);
        let of_category = |tool: &Arc<Tool>| tool.category() == gold.category();
        let mut near: Vec<Arc<Tool>> = others().filter(|tool| of_category(tool)).cloned().collect();
        let mut domain_mates: Vec<Arc<Tool>> =
            others().filter(|tool| !of_category(tool) && domain(tool) == own).cloned().collect();
        let mut far: Vec<Arc<Tool>> = others().filter(|tool| domain(tool) != own).cloned().collect();
        chance.shuffle(&mut near);
        chance.shuffle(&mut domain_mates);
        chance.shuffle(&mut far);
        near.extend(domain_mates);
        Self { near, far }
    }

    /// Puts first, of the far ones, so many that share most words with a request.
    fn prefer_alike(&mut self, count: usize, context: &Context, request: &str) {
        let tools = &context.toolset().tools;
        let request = plain(request);
        let said: BTreeSet<&str> = request.split(' ').filter(|word| word.chars().count() >= SHORTEST).collect();
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        for at in said.iter().flat_map(|word| context.tools_with(word)) {
            *shared.entry(&tools[*at].name).or_default() += 1;
        }
        for at in 0..count.min(self.far.len()) {
            let looked_at = self.far[at..].iter().take(LOOKED_AT).enumerate();
            let shared = |tool: &Tool| shared.get(tool.name.as_str()).copied().unwrap_or_default();
            let most = looked_at.max_by_key(|(place, tool)| (shared(tool), Reverse(*place)));
            let place = most.map_or(0, |(place, _)| place);
            self.far[at..=at + place].rotate_right(1);
        }
    }

    /// `count` tools, `near` of them near ones where there are so many.
    fn draw(&self, near: usize, count: usize) -> Vec<Arc<Tool>> {
        let near = near.min(count).min(self.near.len());
        self.near[..near].iter().chain(&self.far).chain(&self.near[near..]).take(count).cloned().collect()
    }

    /// The tools in the order in which they would be drawn next, far ones first.
    pub fn spare(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.far.iter().chain(&self.near)
    }
}

/// A query as a sample that shows these tools.
pub fn sample(
    context: &Context,
    id: &ItemId,
    root: &ItemId,
    query: Query,
    candidates: Vec<Arc<Tool>>,
    provenance: crate::record::Provenance,
) -> Sample {
    let toolset = context.toolset();
    Sample {
        messages: vec![Message::user(query.said())],
        locale: context.pack().code.clone(),
        reference_time: context.writing_time(),
        candidates,
        arguments: query.notes,
        tags: query.hidden.map(|hidden| format!("hidden:{hidden}")).into_iter().collect(),
        group: root.to_string(),
        base: query.base,
        licence: toolset.licence.clone(),
        source: toolset.name.clone(),
        provenance,
        ..Sample::new(id.clone(), SuiteId::HammerBench, query.data_type.0, Expected::Call(query.call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::nearness::words;
    use crate::stage::testing::{TRAIN, query, query_item, samples, silent};

    #[test]
    fn five_tools_are_shown_and_two_of_them_are_near() {
        let config: CandidatesConfig = read_text("").unwrap();
        assert_eq!((config.breadth().get(), config.near.get()), (Some(5), 2));
    }

    #[test]
    fn no_more_can_be_near_than_are_shown() {
        let conflicts = |text: &str| read_text::<CandidatesConfig>(text).unwrap().conflicts();
        assert_eq!(conflicts("count = 2\nnear = 2")[0].0, "near");
        assert!(conflicts("count = 3\nnear = 2").is_empty());
    }

    #[test]
    fn none_need_be_near() {
        assert_eq!(read_text::<CandidatesConfig>("near = 0").unwrap().near.get(), 0);
        assert!(read_text::<CandidatesConfig>("near = -1").is_err());
    }

    fn item(ordinal: usize) -> Item {
        let item = query_item(query("to Porto", r#"{"to": "Porto"}"#));
        Item { id: item.root.child("write", ordinal), ..item }
    }

    fn made(settings: &str, ordinal: usize) -> Outcome {
        read_text::<CandidatesConfig>(settings).unwrap().apply(&silent(), item(ordinal))
    }

    #[test]
    fn the_right_tool_stands_once_at_any_place() {
        let mut places = std::collections::BTreeSet::new();
        for ordinal in 0..60 {
            let outcome = made("", ordinal);
            let sample = samples(&outcome.kept)[0];
            let names: std::collections::BTreeSet<&str> =
                sample.candidates.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!((names.len(), sample.candidates.len()), (5, 5));
            places.insert(sample.candidates.iter().position(|tool| tool.name == TRAIN).unwrap());
        }
        assert_eq!(places.len(), 5, "{places:?}");
    }

    #[test]
    fn near_tools_are_of_its_category_then_of_its_domain() {
        let count = |settings: &str, beginning: &str| {
            let outcome = made(settings, 0);
            samples(&outcome.kept)[0].candidates.iter().filter(|tool| tool.name.starts_with(beginning)).count()
        };
        assert_eq!((count("near = 2", "Travel.Trains."), count("near = 2", "Travel.")), (3, 3));
        assert_eq!((count("near = 4", "Travel.Trains."), count("near = 4", "Travel.")), (3, 5));
        assert_eq!(count("near = 0", "Travel."), 1);
        assert_eq!(count("count = 12\nnear = 0", "Travel."), 6, "where the far ones are used up");
    }

    #[test]
    fn a_far_tool_that_shares_words_with_the_request_comes_first() {
        let context = silent();
        let tools = &context.toolset().tools;
        let gold = tools.iter().find(|tool| tool.name == TRAIN).unwrap();
        let far = |tool: &&Arc<Tool>| !tool.name.starts_with("Travel.");
        let drawn = |other: &Tool, alike: usize, seed: u64| {
            let mut pool = Pool::around(&context, gold, &mut Chance::new(seed, "alike", "i", 0));
            pool.prefer_alike(alike, &context, &format!("to Porto, {}", words(&other.name).join(" ")));
            pool.draw(0, 1)[0].name == other.name
        };
        for other in tools.iter().filter(far) {
            assert!((0..6).all(|seed| drawn(other, 1, seed)), "{}", other.name);
            assert!(!(0..6).all(|seed| drawn(other, 0, seed)), "{}", other.name);
        }
    }

    #[test]
    fn a_toolset_can_be_too_small() {
        let outcome = made("count = 13", 0);
        assert_eq!(outcome.rejected[0].reason, "too_few_tools");
        assert_eq!(outcome.rejected[0].detail, "13 tools were wanted, the toolset has 12");
        assert_eq!(outcome.rejected[0].text, "to Porto");
    }

    #[test]
    fn a_sample_says_what_it_was_made_of() {
        let mut variant = query("to the place in the note", r#"{"to": "Porto"}"#);
        (variant.external, variant.hidden) = (Some("It is Porto.".to_owned()), Some("to".to_owned()));
        variant.base = Some(ItemId::root("base"));
        let outcome = read_text::<CandidatesConfig>("").unwrap().apply(&silent(), query_item(variant));
        let sample = samples(&outcome.kept)[0];
        assert_eq!(sample.query(), "EK:It is Porto.\nquery:to the place in the note");
        assert_eq!((sample.tags.clone(), sample.group.as_str()), (vec!["hidden:to".to_owned()], TRAIN));
        assert_eq!((sample.licence.as_str(), sample.source.as_str(), sample.locale.as_str()), ("CC0", "test", "en"));
        assert_eq!((sample.base.clone(), &sample.id), (Some(ItemId::root("base")), &outcome.kept[0].id));
        assert!(matches!(&sample.expected, Expected::Call(call) if call.name == TRAIN));
    }

    #[test]
    fn the_same_item_gets_the_same_tools() {
        let names = |ordinal| {
            let outcome = made("", ordinal);
            samples(&outcome.kept)[0].candidates.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(1), names(1));
        assert_ne!(names(1), names(2));
    }
}
