//! Which conversations there are before anything is said: complexities, what is wanted, how many calls each turn has.

use super::aim::Aim;
use super::free::{free_scenarios, reference_time, shuffled_complexities, sizes};
use super::options::{is_brief, options, stacked};
use crate::confetti::stage::scenarios::ScenariosConfig;
use crate::record::{Chance, Complexity, Episode, Scenario};
use crate::stage::context::Context;
use crate::toolset::{Feed, Thread, Toolset};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// In which order complexities take their chains: those that can do with the fewest come first.
const HARDEST_FIRST: [Complexity; 13] = [
    Complexity::GoalStacking,
    Complexity::GoalSwitching,
    Complexity::Confirmation,
    Complexity::AmbiguousGoal,
    Complexity::ExceptionInExecution,
    Complexity::FailedConversation,
    Complexity::GoalCorrection,
    Complexity::ImplicitDescriptiveGoal,
    Complexity::FollowupQuestion,
    Complexity::Underfill,
    Complexity::Overfill,
    Complexity::NoTargetComplexity,
    Complexity::GoalNotSupported,
];

/// The scenarios of all conversations: the same in every process and every locale.
pub(crate) fn scenarios(context: &Context, config: &ScenariosConfig) -> Vec<Scenario> {
    let toolset = context.toolset();
    let aims = Aim::all(toolset);
    if aims.is_empty() {
        return free_scenarios(context, config);
    }
    let mut planner = Planner {
        toolset,
        config,
        groups: aims.iter().map(|aim| (aim.name().to_owned(), aim.goal.group.clone())).collect(),
        grounds: Ground::all(toolset, &aims),
        aims,
        pool: config.chains.iter().map(|amount| amount.get()).collect(),
        uses: BTreeMap::new(),
        chance: context.chance_of("plans", "", 0),
    };
    let mut drafts = planner.drafts();
    planner.fill(&mut drafts);
    planner.vary(&mut drafts);
    planner.finish(drafts)
}

/// A conversation on its way to a scenario.
struct Draft {
    complexity: Complexity,
    /// The place of its ground.
    ground: usize,
    episodes: Vec<Episode>,
    thanks: bool,
}

/// What can be wanted in one conversation: that of a thread, or of the whole toolset where it has none.
struct Ground {
    thread: Option<Arc<Thread>>,
    aims: Vec<Aim>,
    /// What each of the aims calls, with what it is known from.
    lookups: BTreeMap<String, BTreeSet<String>>,
    /// In how many conversations it is.
    uses: usize,
}

impl Ground {
    fn all(toolset: &Toolset, aims: &[Aim]) -> Vec<Self> {
        let of_thread = |thread: &Arc<Thread>| {
            let aims = thread.goals.iter().filter_map(|goal| aims.iter().find(|aim| aim.name() == goal.name)).cloned();
            Self::new(Some(thread.clone()), aims.collect())
        };
        let grounds: Vec<Self> = toolset.threads.iter().map(of_thread).filter(|it| !it.aims.is_empty()).collect();
        if grounds.is_empty() { vec![Self::new(None, aims.to_vec())] } else { grounds }
    }

    fn new(thread: Option<Arc<Thread>>, aims: Vec<Aim>) -> Self {
        let lookups = aims.iter().map(|aim| (aim.name().to_owned(), lookups(thread.as_deref(), aim))).collect();
        Self { thread, aims, lookups, uses: 0 }
    }

    /// Whether one of these calls what one of the others called with the same arguments: the answer is there already.
    fn repeats(&self, these: &[String], others: &[String]) -> bool {
        let calls = |name: &String| self.lookups.get(name).into_iter().flatten();
        let known: BTreeSet<&String> = others.iter().flat_map(calls).collect();
        these.iter().flat_map(calls).any(|call| known.contains(call))
    }

    /// Everything that can happen in an episode of a complexity.
    fn options(&self, toolset: &Toolset, way: Complexity) -> Vec<Episode> {
        let suits = self.thread.as_ref().is_none_or(|thread| !thread.unlikely_with.contains(&way));
        let mut options = if suits { options(toolset, &self.aims, way) } else { Vec::new() };
        match way {
            // What is taken back is what the person could have said otherwise, no fixed value or words of the thread's own.
            Complexity::GoalCorrection => options.retain(|it| self.is_open(it)),
            Complexity::GoalStacking => options.retain(|it| !self.excludes(&it.aims, &it.aims)),
            _ => {}
        }
        options
    }

    fn is_open(&self, episode: &Episode) -> bool {
        let Some(thread) = &self.thread else { return true };
        let goal = episode.aims.first().and_then(|name| thread.goal(name));
        let source = goal.zip(episode.corrected.as_ref()).and_then(|(goal, name)| goal.from.get(name));
        source.is_none_or(|source| {
            thread.facts.get(source).is_some_and(|it| it.kind.is_some() || it.days.is_some() || it.range.is_some())
        })
    }

    /// Whether one of these is not wanted beside one of the others.
    fn excludes(&self, these: &[String], others: &[String]) -> bool {
        let Some(thread) = &self.thread else { return false };
        these.iter().any(|one| others.iter().any(|other| thread.excludes(one, other)))
    }

    /// Whether an episode needs something that those before it do not speak of.
    fn asks_anew(&self, episode: &Episode, others: &[Episode]) -> bool {
        let Some(thread) = &self.thread else { return true };
        let goals = |episode: &Episode| episode.aims.iter().filter_map(|name| thread.goal(name)).collect::<Vec<_>>();
        let before = others.iter().filter(|other| self.place(other) < self.place(episode));
        let heard: BTreeSet<&String> = before.flat_map(goals).flat_map(|goal| goal.from.values()).collect();
        let Some((aim, goal)) = self
            .aims
            .iter()
            .find(|aim| Some(&aim.name().to_owned()) == episode.aims.first())
            .zip(goals(episode).first().copied())
        else {
            return true;
        };
        let about = aim.about();
        let is_new = |name: &String| {
            let is_known = |source: &String| !source.starts_with('=') && heard.contains(source);
            !about.contains(name) && !goal.from.get(name).is_some_and(is_known)
        };
        aim.goal.tool.parameters.required.iter().any(is_new)
    }

    /// The place of an episode in the order in which things come up.
    fn place(&self, episode: &Episode) -> usize {
        let first = episode.aims.first();
        let place = first.and_then(|name| self.aims.iter().position(|aim| aim.name() == name));
        place.unwrap_or(self.aims.len())
    }
}

/// The calls of an aim, each with what its arguments are known from: two that are alike get the same answer.
fn lookups(thread: Option<&Thread>, aim: &Aim) -> BTreeSet<String> {
    let from = thread.and_then(|thread| thread.goal(aim.name())).map(|goal| &goal.from);
    let tool = &aim.goal.tool;
    let source = |name: &String| {
        let known = from.and_then(|from| from.get(name)).cloned();
        // Without a thread the same is meant wherever the same is asked for; in one, what it does not say is its own.
        let own = || match thread {
            None => format!("{name} {}", tool.kinds.get(name).map_or("", String::as_str)),
            Some(_) => format!("{}.{name}", aim.name()),
        };
        known.unwrap_or_else(own)
    };
    let is_said =
        |name: &String| tool.parameters.required.contains(name) || from.is_some_and(|it| it.contains_key(name));
    let mut steps: BTreeMap<&str, String> = BTreeMap::new();
    for call in &aim.goal.calls {
        let told = |path: &String| {
            let (step, field) = path.split_once('.').unwrap_or((path, ""));
            format!("{}.{field}", steps.get(step).map_or("", String::as_str))
        };
        let parts = call.with.iter().filter_map(|(parameter, feed)| {
            let value = match feed {
                Feed::Said(name) if is_said(name) => source(name),
                Feed::Said(_) => return None,
                Feed::Answer(path) => told(path),
                Feed::Fixed(value) => value.to_string(),
            };
            Some(format!("{parameter}={value}"))
        });
        let parts: Vec<String> = parts.collect();
        steps.insert(&call.step, format!("{}({})", call.tool, parts.join(",")));
    }
    steps.into_values().collect()
}

struct Planner<'a> {
    toolset: &'a Toolset,
    config: &'a ScenariosConfig,
    aims: Vec<Aim>,
    /// How many chains of 1, 2, 3 ... calls are still to be had.
    pool: Vec<usize>,
    /// The group of each aim.
    groups: BTreeMap<String, String>,
    grounds: Vec<Ground>,
    /// How often each aim was used.
    uses: BTreeMap<String, usize>,
    chance: Chance,
}

impl Planner<'_> {
    /// The conversations, each with the episode that makes its complexity.
    fn drafts(&mut self) -> Vec<Draft> {
        let complexities = shuffled_complexities(self.config, &mut self.chance);
        let draft = |complexity| Draft { complexity, ground: 0, episodes: Vec::new(), thanks: false };
        let mut drafts: Vec<Draft> = complexities.into_iter().map(draft).collect();
        for complexity in HARDEST_FIRST {
            let grounds = self.grounds.iter().enumerate();
            let of_ground = |(at, ground): (usize, &Ground)| {
                let brief = |it: &Episode| complexity != Complexity::NoTargetComplexity || self.are_brief(it);
                let options = ground.options(self.toolset, complexity).into_iter().filter(brief);
                options.map(move |episode| (at, episode)).collect::<Vec<_>>()
            };
            let options: Vec<(usize, Episode)> = grounds.flat_map(of_ground).collect();
            for draft in drafts.iter_mut().filter(|draft| draft.complexity == complexity) {
                // What has no chains of its own needs none of the pool's.
                let chosen = self.choose(&options, &[], complexity == Complexity::GoalStacking);
                if let Some((ground, episode)) = chosen {
                    draft.ground = ground;
                    draft.episodes.push(episode);
                    self.grounds[ground].uses += 1;
                }
            }
        }
        drafts
    }

    /// Gives the chains that are left to the conversations, the longest first.
    fn fill(&mut self, drafts: &mut [Draft]) {
        let plain: Vec<Vec<Episode>> =
            self.grounds.iter().map(|it| options(self.toolset, &it.aims, Complexity::NoTargetComplexity)).collect();
        let pairs: Vec<Vec<Episode>> =
            self.grounds.iter().map(|it| stacked(&it.aims, Complexity::GoalStacking)).collect();
        let noise: Vec<usize> = drafts.iter().map(|_| self.chance.below(5)).collect();
        for length in (1..=self.pool.len()).rev() {
            while self.pool[length - 1] > 0 {
                let weight = |at: &usize| 2 * drafts[*at].chains() + noise[*at];
                let mut order: Vec<usize> = (0..drafts.len()).collect();
                order.sort_by_key(weight);
                let mut placed = None;
                for all in [&plain, &pairs] {
                    placed = placed.or_else(|| {
                        order.iter().find_map(|at| {
                            let draft = &drafts[*at];
                            // Where asking and being asked is what it is about, nothing else is asked for.
                            let brief = !matches!(
                                draft.complexity,
                                Complexity::NoTargetComplexity | Complexity::FollowupQuestion
                            );
                            let fits = |it: &&Episode| it.chains == [length] && (brief || self.are_brief(it));
                            let fitting = all[draft.ground].iter().filter(fits).cloned();
                            let fitting: Vec<(usize, Episode)> = fitting.map(|it| (draft.ground, it)).collect();
                            Some((*at, self.choose(&fitting, &draft.episodes, false)?.1))
                        })
                    });
                }
                // A toolset with too little to want leaves the rest of its chains out, and the stage says so.
                let Some((at, episode)) = placed else { break };
                drafts[at].episodes.push(episode);
            }
        }
    }

    /// An option whose chains the pool still has, of what was used least and is close to what is there.
    fn choose(&mut self, options: &[(usize, Episode)], there: &[Episode], longest: bool) -> Option<(usize, Episode)> {
        let names: Vec<String> = there.iter().flat_map(|episode| episode.aims.clone()).collect();
        let tools: BTreeSet<String> = there.iter().flat_map(|episode| self.tools(episode)).collect();
        let taken: BTreeSet<&String> = names.iter().collect();
        let groups: BTreeSet<&String> = taken.iter().filter_map(|name| self.groups.get(*name)).collect();
        let mut best: Option<(usize, &(usize, Episode))> = None;
        for choice in options {
            let (ground, option) = choice;
            let ground = &self.grounds[*ground];
            let is_taken = option.aims.iter().any(|name| taken.contains(name));
            let is_out = ground.excludes(&option.aims, &names) || ground.repeats(&option.aims, &names);
            if !self.has(&option.chains) || is_taken || is_out {
                continue;
            }
            let used: usize = option.aims.iter().map(|name| self.uses.get(name).copied().unwrap_or(0)).sum();
            let strange =
                option.aims.first().and_then(|name| self.groups.get(name)).is_some_and(|it| !groups.contains(it));
            let short = if longest { 20_usize.saturating_sub(option.chains.iter().sum()) * 100 } else { 0 };
            // What was looked up once need not be looked up again.
            let again = self.tools(option).iter().filter(|name| tools.contains(*name)).count();
            let strange = strange && !groups.is_empty() && ground.thread.is_none();
            let known = if there.is_empty() { ground.uses * 14 } else { 0 };
            let cost = short + known + used * 8 + again * 90 + usize::from(strange) * 6 + self.chance.below(12);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, choice));
            }
        }
        let chosen = best?.1.clone();
        for length in &chosen.1.chains {
            self.pool[length - 1] -= 1;
        }
        for name in &chosen.1.aims {
            *self.uses.entry(name.clone()).or_default() += 1;
        }
        Some(chosen)
    }

    /// Whether each of an episode's aims can be said in one request.
    fn are_brief(&self, episode: &Episode) -> bool {
        let aims = episode.aims.iter().filter_map(|name| self.aims.iter().find(|aim| aim.name() == name));
        aims.into_iter().all(is_brief)
    }

    /// Whether the pool has chains of these lengths.
    fn has(&self, chains: &[usize]) -> bool {
        chains.iter().all(|length| {
            let wanted = chains.iter().filter(|other| *other == length).count();
            self.pool.get(length - 1).is_some_and(|left| *left >= wanted)
        })
    }

    /// Lets more happen in plain episodes: what is left out and asked for, questions afterwards, what no tool does, thanks.
    fn vary(&mut self, drafts: &mut [Draft]) {
        let mut plain: Vec<(usize, usize)> = Vec::new();
        let varied = |complexity: Complexity, other: Complexity| {
            complexity != Complexity::NoTargetComplexity && complexity != other
        };
        for (at, draft) in drafts.iter().enumerate().filter(|(_, it)| it.complexity != Complexity::NoTargetComplexity) {
            let is_plain = |(_, episode): &(usize, &Episode)| episode.way == Complexity::NoTargetComplexity;
            plain.extend(draft.episodes.iter().enumerate().filter(is_plain).map(|(place, _)| (at, place)));
        }
        self.chance.shuffle(&mut plain);
        // A conversation about what is left out leaves more out, and one about questions afterwards has more of them.
        plain.sort_by_key(|(at, _)| drafts[*at].complexity != Complexity::Underfill);
        let mut left = self.config.underfilled.get();
        plain.retain(|(at, place)| {
            let episode = &drafts[*at].episodes[*place];
            let aim = self.aims.iter().find(|aim| Some(aim.name()) == episode.aims.first().map(String::as_str));
            let asks = varied(drafts[*at].complexity, Complexity::FollowupQuestion)
                && self.grounds[drafts[*at].ground].asks_anew(episode, &drafts[*at].episodes);
            let episode = &mut drafts[*at].episodes[*place];
            let can = left > 0 && asks && aim.is_some_and(Aim::can_be_bare);
            if can {
                episode.way = Complexity::Underfill;
                left -= 1;
            }
            !can
        });
        let mut left = self.config.followups.get();
        plain.sort_by_key(|(at, _)| drafts[*at].complexity != Complexity::FollowupQuestion);
        for (at, place) in plain {
            let asks = varied(drafts[at].complexity, Complexity::Underfill);
            let episode = &mut drafts[at].episodes[place];
            let aim = self.aims.iter().find(|aim| Some(aim.name()) == episode.aims.first().map(String::as_str));
            if left > 0 && asks && aim.is_some_and(|aim| !aim.phrases().followups.is_empty()) {
                episode.followup = true;
                left -= 1;
            }
        }
        self.close(drafts);
    }

    fn close(&mut self, drafts: &mut [Draft]) {
        let mut order: Vec<usize> = (0..drafts.len()).collect();
        self.chance.shuffle(&mut order);
        // Nobody is thanked for what could not be done, as long as there are others.
        order.sort_by_key(|at| drafts[*at].complexity == Complexity::FailedConversation);
        for at in order.iter().take(self.config.thanks.get()) {
            drafts[*at].thanks = true;
        }
        let bare = |at: &&usize| {
            !matches!(drafts[**at].complexity, Complexity::GoalNotSupported | Complexity::NoTargetComplexity)
        };
        let chosen: Vec<usize> = order.iter().filter(bare).take(self.config.unsupported.get()).copied().collect();
        for at in chosen {
            let (there, ground) = (drafts[at].episodes.clone(), drafts[at].ground);
            let options = self.grounds[ground].options(self.toolset, Complexity::GoalNotSupported);
            let options: Vec<(usize, Episode)> = options.into_iter().map(|it| (ground, it)).collect();
            drafts[at].episodes.extend(self.choose(&options, &there, false).map(|(_, episode)| episode));
        }
    }

    /// The order of episodes, how many tools are offered, and when it takes place.
    fn finish(&mut self, mut drafts: Vec<Draft>) -> Vec<Scenario> {
        for draft in &mut drafts {
            self.chance.shuffle(&mut draft.episodes);
            let ground = &self.grounds[draft.ground];
            draft.episodes.sort_by_key(|episode| ground.place(episode));
            // What is not achieved comes last: nobody goes on as if nothing had happened.
            draft.episodes.sort_by_key(|episode| episode.way == Complexity::FailedConversation);
        }
        let offered = self.offered(&drafts);
        let mut responses = self.call_responses(&drafts);
        let texts = self.text_responses(&drafts);
        let mut scenarios = Vec::new();
        for (number, ((draft, offered), texts)) in drafts.into_iter().zip(offered).zip(texts).enumerate() {
            let reference_time = reference_time(self.config, &mut self.chance);
            let (required, optional) = self.called(&draft);
            scenarios.push(Scenario {
                number,
                complexity: draft.complexity,
                required,
                optional,
                reference_time,
                minimum_turns: draft.turns(),
                offered,
                goals: String::new(),
                episodes: draft.episodes,
                call_responses: Some(responses.remove(&number).unwrap_or_default()),
                text_responses: Some(texts),
                thanks: draft.thanks,
                thread: self.grounds[draft.ground].thread.as_ref().map(|thread| thread.name.clone()),
            });
        }
        scenarios
    }

    /// The tools that the complexity's own episode calls, and those of the others.
    fn called(&self, draft: &Draft) -> (Vec<String>, Vec<String>) {
        let (mut required, mut optional): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for episode in &draft.episodes {
            let own = episode.way == draft.complexity;
            for name in self.tools(episode) {
                let list = if own { &mut required } else { &mut optional };
                if !list.contains(&name) {
                    list.push(name);
                }
            }
        }
        optional.retain(|name| !required.contains(name));
        (required, optional)
    }

    /// The tools of an episode: all that it calls, and what its words could be taken for.
    fn tools(&self, episode: &Episode) -> Vec<String> {
        if episode.way == Complexity::GoalNotSupported {
            return Vec::new();
        }
        let aims = episode.aims.iter().filter_map(|name| self.aims.iter().find(|aim| aim.name() == name));
        aims.flat_map(|aim| aim.tools().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// The turns that call which are scored as responses by themselves, by conversation.
    fn call_responses(&mut self, drafts: &[Draft]) -> BTreeMap<usize, Vec<usize>> {
        let turns = |(number, draft): (usize, &Draft)| (0..draft.chains()).map(move |turn| (number, turn));
        let mut turns: Vec<(usize, usize)> = drafts.iter().enumerate().flat_map(turns).collect();
        self.chance.shuffle(&mut turns);
        turns.truncate(self.config.call_responses.get());
        turns.sort_unstable();
        let mut chosen: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, turn) in turns {
            chosen.entry(number).or_default().push(turn);
        }
        chosen
    }

    /// How many replies of each conversation are scored as responses, by its length.
    fn text_responses(&self, drafts: &[Draft]) -> Vec<usize> {
        let all = drafts.iter().map(Draft::turns).sum::<usize>().max(1);
        let share = |turns: usize| turns * self.config.text_responses.get() / all;
        let mut before = 0;
        let shares = drafts.iter().map(|draft| {
            let after = before + draft.turns();
            share(after) - share(std::mem::replace(&mut before, after))
        });
        shares.collect()
    }

    /// How many tools each conversation offers: those that need many of their own have the most.
    fn offered(&mut self, drafts: &[Draft]) -> Vec<usize> {
        let mut sizes = sizes(self.config, &mut self.chance);
        sizes.sort_unstable();
        let needs: Vec<usize> = drafts.iter().map(|draft| self.called(draft)).map(|(a, b)| a.len() + b.len()).collect();
        let noise: Vec<usize> = drafts.iter().map(|_| self.chance.below(4)).collect();
        let mut order: Vec<usize> = (0..drafts.len()).collect();
        order.sort_by_key(|at| needs[*at] + noise[*at]);
        let mut offered = vec![0; drafts.len()];
        for (place, at) in order.into_iter().enumerate() {
            let size = sizes.get(place).or(sizes.last()).copied().unwrap_or_default();
            offered[at] = size.max(needs[at]).max(3);
        }
        offered
    }
}

impl Draft {
    /// How many turns the agent has, at least.
    fn turns(&self) -> usize {
        self.episodes.iter().map(Episode::turns).sum::<usize>() + usize::from(self.thanks)
    }

    fn chains(&self) -> usize {
        self.episodes.iter().map(|episode| episode.chains.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, with_shared};

    fn assistant(locale: &str, seed: u64) -> Context {
        let toolset = crate::fixtures::toolset("assistant", locale);
        with_shared(silent(), |shared| (shared.toolset, shared.seed) = (toolset, seed))
    }

    /// Scenarios of the shipped toolset.
    fn planned(settings: &str) -> Vec<Scenario> {
        scenarios(&assistant("en", 7), &read_text(settings).unwrap())
    }

    /// How many of the agent's turns have 1, 2, 3 ... calls.
    fn chains(scenarios: &[Scenario]) -> Vec<usize> {
        let mut lengths = vec![0; 10];
        let episodes = scenarios.iter().flat_map(|it| &it.episodes);
        episodes.flat_map(|it| &it.chains).for_each(|length| lengths[length - 1] += 1);
        lengths
    }

    fn of(scenarios: &[Scenario], complexity: Complexity) -> usize {
        scenarios.iter().filter(|it| it.complexity == complexity).count()
    }

    #[test]
    fn complexities_and_chains_are_exactly_as_many_as_are_wanted() {
        let scenarios = planned("");
        let wanted = [5, 5, 6, 6, 7, 7, 7, 9, 10, 10, 11, 11, 15];
        assert_eq!(Complexity::ALL.map(|it| of(&scenarios, it)), wanted);
        assert_eq!(chains(&scenarios), [220, 46, 25, 9, 4, 3, 5, 0, 0, 1]);
        for it in &scenarios {
            let own = it.episodes.iter().filter(|episode| episode.way == it.complexity).count();
            assert!(own >= 1, "{it:?}");
            assert!(!it.required.is_empty() || it.complexity == Complexity::GoalNotSupported, "{it:?}");
        }
        assert_eq!(scenarios.iter().filter(|it| it.thanks).count(), 24);
        let ways = |way| scenarios.iter().flat_map(|it| &it.episodes).filter(|it| it.way == way).count();
        assert_eq!((ways(Complexity::Underfill), ways(Complexity::GoalNotSupported)), (11 + 59, 15 + 5));
        assert_eq!(scenarios.iter().flat_map(|it| &it.episodes).filter(|it| it.followup).count(), 10 + 17);
    }

    #[test]
    fn nothing_is_called_whose_answer_is_there_already() {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let calls = |scenario: &Scenario, episode: &Episode| -> BTreeSet<String> {
            let thread = scenario.thread.as_ref().and_then(|name| toolset.thread(name));
            let aims = episode.aims.iter().filter_map(|name| Aim::find(&toolset, name));
            aims.flat_map(|aim| lookups(thread.map(Arc::as_ref), &aim)).collect()
        };
        for scenario in planned("") {
            let mut known = BTreeSet::new();
            for episode in &scenario.episodes {
                let own = calls(&scenario, episode);
                assert!(known.is_disjoint(&own), "{own:?} after {known:?}");
                known.extend(own);
            }
        }
    }

    #[test]
    fn as_many_tools_are_offered_as_the_ranges_say_and_never_fewer_than_are_called() {
        let scenarios = planned("");
        let between = |from: usize, to: usize| scenarios.iter().filter(|it| (from..=to).contains(&it.offered)).count();
        assert_eq!((between(3, 9), between(10, 19), between(20, 25)), (50, 54, 5));
        assert!(scenarios.iter().all(|it| it.required.len() + it.optional.len() <= it.offered));
        assert!(scenarios.iter().all(|it| it.required.iter().all(|name| !it.optional.contains(name))));
    }

    #[test]
    fn smaller_quotas_are_as_exact() {
        let scenarios = planned(
            "complexities = { underfill = 2, goal_stacking = 1 }\nchains = [3, 1]\noffered = [{ from = 4, to = 4, count = 3 }]\n\
             underfilled = 0\nfollowups = 0\nunsupported = 0\nthanks = 1\nreference_days = [\"2026-02-01\"]",
        );
        assert_eq!((of(&scenarios, Complexity::Underfill), of(&scenarios, Complexity::GoalStacking)), (2, 1));
        assert_eq!(chains(&scenarios)[..3], [3, 1, 0]);
        assert!(scenarios.iter().all(|it| it.reference_time.starts_with("2026-02-01T")));
        assert!(scenarios.iter().all(|it| it.offered >= 4 && it.minimum_turns >= it.episodes.len()));
    }

    #[test]
    fn every_locale_and_every_process_plan_the_same() {
        let config = read_text("").unwrap();
        let english = scenarios(&assistant("en", 7), &config);
        assert_eq!(english, scenarios(&assistant("ko", 7), &config));
        assert_ne!(english, scenarios(&assistant("en", 8), &config), "another seed plans something else");
    }

    #[test]
    fn what_is_not_achieved_comes_last_and_nothing_is_wanted_twice() {
        for it in planned("") {
            let failed = it.episodes.iter().position(|episode| episode.way == Complexity::FailedConversation);
            assert!(failed.is_none_or(|at| at + 1 == it.episodes.len()), "{it:?}");
            let aims: Vec<&String> = it.episodes.iter().flat_map(|episode| &episode.aims).collect();
            assert_eq!(aims.iter().collect::<BTreeSet<_>>().len(), aims.len(), "{it:?}");
        }
    }
}
