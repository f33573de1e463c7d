//! Scenarios on tools of which nobody wrote what people say: what is drawn of them, before a model tells the rest.

use super::aim::Aim;
use crate::confetti::stage::scenarios::ScenariosConfig;
use crate::record::{Chance, Complexity, Scenario, Tool};
use crate::stage::context::Context;
use crate::toolset::Toolset;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most tools that a conversation must call.
const REQUIRED: usize = 4;
/// Most tools that it may call besides.
const OPTIONAL: usize = 2;
/// The fewest and the most turns that are asked for; two are enough for every complexity.
const TURNS: (usize, usize) = (2, 6);

/// Whether a toolset has nothing that can be wanted by plan, so that models have to think of it.
pub(crate) fn is_free(toolset: &Toolset) -> bool {
    Aim::all(toolset).is_empty()
}

/// The scenarios of all conversations, without a word of what is wanted: the same in every process.
pub(crate) fn free_scenarios(context: &Context, config: &ScenariosConfig) -> Vec<Scenario> {
    let tools = &context.toolset().tools;
    let mut chance = context.chance_of("free", "", 0);
    let mut sizes = sizes(config, &mut chance);
    chance.shuffle(&mut sizes);
    let complexities = shuffled_complexities(config, &mut chance);
    let mut drawing = Drawing { tools, uses: BTreeMap::new(), chance };
    let mut scenarios = Vec::new();
    for (number, complexity) in complexities.into_iter().enumerate() {
        let (required, optional) = drawing.tools(fewest(complexity));
        let size = sizes.get(number).or(sizes.last()).copied().unwrap_or_default();
        scenarios.push(Scenario {
            number,
            complexity,
            offered: size.max(required.len() + optional.len()).min(tools.len()),
            required,
            optional,
            reference_time: reference_time(config, &mut drawing.chance),
            minimum_turns: TURNS.0 + drawing.chance.below(TURNS.1 - TURNS.0 + 1),
            goals: String::new(),
            episodes: Vec::new(),
            call_responses: None,
            text_responses: None,
            thanks: false,
            thread: None,
        });
    }
    scenarios
}

/// Every complexity as often as it is wanted, in a random order.
pub(crate) fn shuffled_complexities(config: &ScenariosConfig, chance: &mut Chance) -> Vec<Complexity> {
    let mut complexities: Vec<Complexity> =
        config.quotas().flat_map(|(complexity, count)| std::iter::repeat_n(complexity, count)).collect();
    chance.shuffle(&mut complexities);
    complexities
}

/// How many tools the conversations offer, range by range.
pub(crate) fn sizes(config: &ScenariosConfig, chance: &mut Chance) -> Vec<usize> {
    let mut sizes = Vec::new();
    for range in &config.offered {
        let (from, to) = (range.from.get(), range.to.get());
        sizes.extend((0..range.count.get()).map(|_| from + chance.below(to.saturating_sub(from) + 1)));
    }
    sizes
}

/// A time early on one of the days, so that the hours that people name are still to come.
pub(crate) fn reference_time(config: &ScenariosConfig, chance: &mut Chance) -> String {
    let day = chance.pick(&config.reference_days).cloned().unwrap_or_default();
    let (hour, minute) = (7 + chance.below(2), 5 * chance.below(12));
    format!("{day}T{hour:02}:{minute:02}:00")
}

/// The fewest tools without which a conversation cannot have a complexity.
fn fewest(complexity: Complexity) -> usize {
    if matches!(complexity, Complexity::GoalStacking | Complexity::GoalSwitching) { 2 } else { 1 }
}

struct Drawing<'a> {
    tools: &'a [Arc<Tool>],
    /// How often each tool was drawn.
    uses: BTreeMap<&'a str, usize>,
    chance: Chance,
}

impl<'a> Drawing<'a> {
    /// The tools that must be called, at least so many, and those that may be: of one group, if that has enough.
    fn tools(&mut self, least: usize) -> (Vec<String>, Vec<String>) {
        let wanted = least + self.chance.below(REQUIRED - least + 1);
        let more = self.chance.below(OPTIONAL + 1);
        let ordered = self.by_use();
        let Some(first) = ordered.first().copied() else { return (Vec::new(), Vec::new()) };
        let (near, far): (Vec<&Tool>, Vec<&Tool>) =
            ordered.into_iter().partition(|tool| tool.category() == first.category());
        let required = wanted.min(near.len().max(least));
        let chosen: Vec<&Tool> = near.iter().copied().take(required + more).collect();
        // What is far helps out only where a complexity needs another tool.
        let missing = least.saturating_sub(chosen.len());
        let mut names: Vec<&'a str> =
            chosen.iter().copied().chain(far.into_iter().take(missing)).map(|tool| tool.name.as_str()).collect();
        for name in &names {
            *self.uses.entry(name).or_default() += 1;
        }
        let optional = names.split_off(required.min(names.len()));
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        (owned(names), owned(optional))
    }

    /// All tools, those that were drawn least before the others.
    fn by_use(&mut self) -> Vec<&'a Tool> {
        let tools = self.tools;
        let mut tools: Vec<&'a Tool> = tools.iter().map(|tool| &**tool).collect();
        self.chance.shuffle(&mut tools);
        tools.sort_by_key(|tool| self.uses.get(tool.name.as_str()).copied().unwrap_or(0));
        tools
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, with_shared};

    /// The scenarios on tools of these names.
    fn free(names: &[&str], config: &str) -> Vec<Scenario> {
        let tool = |name: &&str| Arc::new(Tool { name: (*name).to_owned(), ..Tool::default() });
        let tools = names.iter().map(tool).collect();
        let context = with_shared(silent(), |shared| {
            shared.toolset = Arc::new(Toolset { tools, ..Toolset::default() });
        });
        assert!(is_free(context.toolset()));
        let config: ScenariosConfig = read_text(config).unwrap();
        super::super::scenarios(&context, &config)
    }

    const NAMES: [&str; 7] =
        ["Mail.send", "Mail.find", "Mail.delete", "Tea.brew", "Tea.pour", "Tea.list", "Weather.look"];

    #[test]
    fn every_complexity_comes_as_often_as_it_is_wanted() {
        let scenarios = free(&NAMES, "");
        assert_eq!(scenarios.len(), 109);
        for (complexity, count) in [(Complexity::ExceptionInExecution, 5), (Complexity::GoalNotSupported, 15)] {
            assert_eq!(scenarios.iter().filter(|it| it.complexity == complexity).count(), count, "{complexity:?}");
        }
        assert!(scenarios.iter().enumerate().all(|(number, it)| it.number == number && it.episodes.is_empty()));
        assert_eq!(scenarios, free(&NAMES, ""), "the same in every process");
    }

    #[test]
    fn tools_are_of_one_group_and_all_are_used_alike() {
        let scenarios = free(&NAMES, "");
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for it in &scenarios {
            let all: Vec<&String> = it.required.iter().chain(&it.optional).collect();
            for name in &all {
                *uses.entry((*name).clone()).or_default() += 1;
            }
            let groups = |names: &[&String]| {
                let mut groups: Vec<_> = names.iter().filter_map(|name| name.split('.').next()).collect();
                groups.sort_unstable();
                groups.dedup();
                groups.len()
            };
            let pair = fewest(it.complexity) == 2;
            assert!(groups(&all) == 1 || (pair && all.len() == 2), "{it:?}");
            assert!((fewest(it.complexity)..=REQUIRED).contains(&it.required.len()), "{it:?}");
            assert!(it.optional.len() <= OPTIONAL && it.required.iter().all(|name| !it.optional.contains(name)));
            assert!((2..=6).contains(&it.minimum_turns));
        }
        let (least, most) = (uses.values().min().unwrap(), uses.values().max().unwrap());
        assert!(uses.len() == NAMES.len() && least * 3 > *most, "{uses:?}");
    }

    #[test]
    fn no_more_tools_are_offered_than_there_are() {
        let scenarios = free(&NAMES, "");
        assert!(scenarios.iter().all(|it| (3..=7).contains(&it.offered)));
        assert!(scenarios.iter().all(|it| it.offered >= it.required.len() + it.optional.len()));
        let alone = free(&["ping"], "");
        assert!(alone.iter().all(|it| (it.offered, it.required.len(), it.optional.len()) == (1, 1, 0)));
    }
}
