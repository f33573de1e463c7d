//! What can happen in an episode: for each complexity, what can be wanted and how many calls each turn then has.

use super::aim::Aim;
use crate::record::{Complexity, Episode, Parameters};
use crate::toolset::Toolset;

/// Everything that can happen in an episode of this complexity.
pub(crate) fn options(toolset: &Toolset, aims: &[Aim], way: Complexity) -> Vec<Episode> {
    let each = |options: &dyn Fn(&Aim) -> Vec<Episode>| aims.iter().flat_map(options).collect();
    let whole = |aim: &Aim| episode(way, &[aim.name()], &[aim.length()]);
    let if_so = |holds: bool, aim: &Aim| if holds { vec![whole(aim)] } else { Vec::new() };
    match way {
        Complexity::NoTargetComplexity => each(&|aim| vec![whole(aim)]),
        Complexity::Overfill => each(&|aim| if_so(is_brief(aim), aim)),
        Complexity::Underfill => each(&|aim| if_so(aim.can_be_bare(), aim)),
        Complexity::FollowupQuestion => {
            let asked_on = |aim: &Aim| Episode { followup: true, ..whole(aim) };
            each(&|aim| {
                if aim.phrases().followups.is_empty() || !is_brief(aim) { Vec::new() } else { vec![asked_on(aim)] }
            })
        }
        Complexity::ImplicitDescriptiveGoal => each(&|aim| if_so(!aim.phrases().implies.is_empty(), aim)),
        Complexity::Confirmation => each(&|aim| {
            let split = |at| episode(way, &[aim.name()], &[at, aim.length() - at]);
            aim.pause(toolset).map(split).into_iter().collect()
        }),
        Complexity::GoalSwitching => each(&|aim| {
            let Some(at) = aim.pause(toolset) else { return Vec::new() };
            // What is wanted in its place is not the same looked up once more.
            let differs = |other: &&Aim| other.tools().all(|name| aim.tools().all(|own| own != name));
            let others = aims.iter().filter(differs);
            others.map(|other| episode(way, &[aim.name(), other.name()], &[at, other.length()])).collect()
        }),
        Complexity::GoalStacking => stacked(aims, way),
        Complexity::GoalCorrection => each(&|aim| corrected(toolset, aim)),
        Complexity::ExceptionInExecution => each(&|aim| {
            let failing = |at: usize| episode(way, &[aim.name()], &[at, aim.length() - at + 1]);
            (1..=aim.length()).map(failing).collect()
        }),
        Complexity::FailedConversation => {
            each(&|aim| (1..=aim.length()).map(|at| episode(way, &[aim.name()], &[at, 1])).collect())
        }
        Complexity::AmbiguousGoal => vague(toolset, aims),
        Complexity::GoalNotSupported => {
            each(&|aim| if aim.is_tool { vec![episode(way, &[aim.name()], &[])] } else { Vec::new() })
        }
    }
}

/// Whether everything that is required can be said in one request.
pub(crate) fn is_brief(aim: &Aim) -> bool {
    aim.goal.tool.parameters.required.len() <= 2
}

/// Two things at once, whose calls make one chain.
pub(crate) fn stacked(aims: &[Aim], way: Complexity) -> Vec<Episode> {
    let mut pairs = Vec::new();
    for (at, first) in aims.iter().enumerate() {
        for second in aims.iter().skip(at + 1) {
            // Two that call the same tool would hardly be told apart.
            if first.tools().all(|name| second.tools().all(|other| other != name)) {
                pairs.push(episode(way, &[first.name(), second.name()], &[first.length() + second.length()]));
            }
        }
    }
    pairs
}

/// A detail is taken back of what changes nothing, and what hangs on it is called once more.
fn corrected(toolset: &Toolset, aim: &Aim) -> Vec<Episode> {
    if aim.acts(toolset) {
        return Vec::new();
    }
    let way = Complexity::GoalCorrection;
    let Parameters { properties, required, .. } = &aim.goal.tool.parameters;
    let can_change = |name: &&String| properties.get(*name).is_some_and(|it| it.type_name() != "boolean");
    let change = |name: &String| Episode {
        corrected: Some(name.clone()),
        ..episode(way, &[aim.name()], &[aim.length(), aim.affected(name).len()])
    };
    required.iter().filter(can_change).map(change).filter(|it| it.chains.iter().all(|calls| *calls > 0)).collect()
}

/// Words that could be for either of two: the first is what is wanted, and one of the aims.
fn vague(toolset: &Toolset, aims: &[Aim]) -> Vec<Episode> {
    let mut episodes = Vec::new();
    for vague in &toolset.vague {
        let [one, other] = [&vague.between[0], &vague.between[1]].map(|name| Aim::find(toolset, name));
        let (Some(one), Some(other)) = (one, other) else { continue };
        for (wanted, unwanted) in [(&one, &other), (&other, &one)] {
            if aims.iter().all(|aim| aim.name() != wanted.name()) {
                continue;
            }
            let names = [wanted.name(), unwanted.name()];
            episodes.push(episode(Complexity::AmbiguousGoal, &names, &[wanted.length()]));
        }
    }
    episodes
}

fn episode(way: Complexity, aims: &[&str], chains: &[usize]) -> Episode {
    let aims = aims.iter().map(|name| (*name).to_owned()).collect();
    Episode { way, aims, chains: chains.to_vec(), corrected: None, followup: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_toolset_has_something_for_every_complexity() {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let aims = Aim::all(&toolset);
        for way in Complexity::ALL {
            let options = options(&toolset, &aims, way);
            assert!(options.len() >= 20, "{way:?}: {}", options.len());
            assert!(options.iter().all(|it| it.chains.iter().all(|calls| *calls > 0)), "{way:?}");
        }
    }

    #[test]
    fn a_failing_call_is_made_again_and_what_a_change_leaves_alone_is_not() {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let aims = [Aim::find(&toolset, "findFlights").unwrap()];
        let chains = |way| options(&toolset, &aims, way).into_iter().map(|it| it.chains).collect::<Vec<_>>();
        assert_eq!(chains(Complexity::ExceptionInExecution), [[1, 3], [2, 2], [3, 1]]);
        assert_eq!(chains(Complexity::FailedConversation), [[1, 1], [2, 1], [3, 1]]);
        assert_eq!(chains(Complexity::GoalCorrection), [[3, 2], [3, 2], [3, 1]]);
        assert!(chains(Complexity::Confirmation).is_empty(), "nothing is changed");
    }
}
