//! Which dialogs there are before anything is said: their shapes, their functions, how many tools they show.

use crate::functionchat::layout::TypeOfOutput;
use crate::functionchat::stage::dialogs::DialogsConfig;
use crate::locale::Topic;
use crate::record::{Chance, Tool};
use crate::stage::context::Context;
use crate::stage::nearness::words;
use crate::stage::targets::ranked;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One dialog.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// Its number, from 0.
    pub number: usize,
    /// What the assistant does, turn by turn.
    pub steps: Vec<Step>,
    /// The function of each request, in order.
    pub functions: Vec<Arc<Tool>>,
    /// How many tools are shown.
    pub shown: usize,
}

/// What the assistant does in one turn, after what the person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It asks for what is missing of a request; `later` questions of that request follow.
    Ask {
        /// The request, from 0.
        request: usize,
        /// How many more questions follow before the call.
        later: usize,
        /// Whether it is the first question.
        first: bool,
    },
    /// It calls; `asked` says whether questions went before.
    Call {
        /// The request, from 0.
        request: usize,
        /// Whether it was asked for what was missing.
        asked: bool,
    },
    /// It tells what the tool answered.
    Tell,
    /// It tells it once more.
    TellAgain,
    /// It declines what no shown tool serves.
    Decline,
    /// It answers what wants no tool.
    Chat(Topic),
}

impl Plan {
    /// The plans of all dialogs: the same in every process and every locale.
    pub(crate) fn all(context: &Context, config: &DialogsConfig) -> Vec<Self> {
        let mut chance = context.chance_of("plans", "", 0);
        let mut shapes: Vec<&[TypeOfOutput]> = Vec::new();
        for shape in &config.shapes {
            shapes.extend(std::iter::repeat_n(shape.turns.as_slice(), shape.count.get()));
        }
        chance.shuffle(&mut shapes);
        let mut shown: Vec<usize> = Vec::new();
        for (place, amount) in config.tools.iter().enumerate() {
            shown.extend(std::iter::repeat_n(place + 1, amount.get()));
        }
        chance.shuffle(&mut shown);
        let places = places(context);
        let placed = |tool: Arc<Tool>| (places.get(tool.name.as_str()).copied().unwrap_or_default(), tool);
        let tools = ranked(context).into_iter().map(placed).collect();
        let mut queue = Queue { context, tools, taken: BTreeSet::new() };
        let mut plans: Vec<Self> = Vec::new();
        for (number, turns) in shapes.iter().enumerate() {
            let (steps, needs) = steps(turns);
            let shown = shown.get(number).copied().unwrap_or(1);
            let functions = queue.functions(&needs, shown);
            plans.push(Self { number, steps, functions, shown });
        }
        chat(&mut plans, config, &mut chance);
        plans
    }

    /// The functions, each once.
    pub(crate) fn distinct(&self) -> Vec<Arc<Tool>> {
        let mut seen = BTreeSet::new();
        self.functions.iter().filter(|tool| seen.insert(tool.name.clone())).cloned().collect()
    }
}

/// The steps of a shape, and how many questions each of its requests needs.
fn steps(turns: &[TypeOfOutput]) -> (Vec<Step>, Vec<usize>) {
    let mut steps = Vec::new();
    let mut needs: Vec<usize> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let after = |kind: TypeOfOutput| at > 0 && turns[at - 1] == kind;
        match turn {
            TypeOfOutput::Slot => {
                let first = !after(TypeOfOutput::Slot);
                if first {
                    needs.push(0);
                }
                let later = turns[at + 1..].iter().take_while(|it| **it == TypeOfOutput::Slot).count();
                if let Some(need) = needs.last_mut() {
                    *need += 1;
                }
                steps.push(Step::Ask { request: needs.len().saturating_sub(1), later, first });
            }
            TypeOfOutput::Call => {
                let asked = after(TypeOfOutput::Slot);
                if !asked {
                    needs.push(0);
                }
                steps.push(Step::Call { request: needs.len().saturating_sub(1), asked });
            }
            TypeOfOutput::Completion if after(TypeOfOutput::Call) => steps.push(Step::Tell),
            TypeOfOutput::Completion => steps.push(Step::TellAgain),
            TypeOfOutput::Relevance => steps.push(Step::Decline),
        }
    }
    (steps, needs)
}

/// The position of every tool in the toolset, by name. Tools of one area are declared side by side, in the same order in every
/// locale.
pub(crate) fn places(context: &Context) -> BTreeMap<&str, usize> {
    context.toolset().tools.iter().enumerate().map(|(at, tool)| (tool.name.as_str(), at)).collect()
}

/// A tool with its position in the toolset.
type Placed = (usize, Arc<Tool>);

/// Tools in ranked order, each taken once while there are others.
struct Queue<'c> {
    context: &'c Context,
    tools: Vec<Placed>,
    taken: BTreeSet<String>,
}

impl Queue<'_> {
    /// A function for each request: different ones as long as the dialog can show them.
    fn functions(&mut self, needs: &[usize], shown: usize) -> Vec<Arc<Tool>> {
        let most = needs.iter().copied().max().unwrap_or(0);
        let mut functions: Vec<Placed> = Vec::new();
        for (place, need) in needs.iter().enumerate() {
            let reused = functions.first().filter(|_| place >= shown).cloned();
            // A function that serves several requests must bear the most demanding of them.
            let need = if needs.len() > shown { most } else { *need };
            let before = functions.last().cloned();
            functions.extend(reused.or_else(|| self.take(need, before)));
        }
        functions.into_iter().map(|(_, tool)| tool).collect()
    }

    /// The next tool; after another request, the tool that is declared nearest to its tool, so that a dialog keeps to one subject.
    fn take(&mut self, need: usize, before: Option<Placed>) -> Option<Placed> {
        let fits = |(_, tool): &&Placed| tool.parameters.required.len() >= need;
        let mut free = self.tools.iter().filter(fits).filter(|(_, tool)| !self.taken.contains(&tool.name));
        let free = match before {
            Some((at, before)) => {
                let mut nearest: Vec<&Placed> = free.collect();
                nearest.sort_by_key(|(place, _)| place.abs_diff(at));
                // Two tools whose names share a noun could serve each other's requests.
                let nouns = self.nouns(&before);
                let other = nearest.iter().find(|(_, tool)| nouns.is_disjoint(&self.nouns(tool)));
                other.or(nearest.first()).copied().cloned()
            }
            None => free.next().cloned(),
        };
        let (place, tool) = free.or_else(|| {
            self.taken.clear();
            self.tools.iter().find(fits).cloned()
        })?;
        self.taken.insert(tool.name.clone());
        Some((place, tool))
    }

    /// The words of a function's name behind its verb.
    fn nouns(&self, tool: &Tool) -> BTreeSet<String> {
        let key = self.context.toolset().key(&tool.name);
        let function = key.rsplit('.').next().unwrap_or(key);
        words(function).into_iter().skip(1).map(|word| word.trim_end_matches('s').to_owned()).collect()
    }
}

/// Makes some of the turns that decline into thanks, which end a dialog behind an answer, and into small talk.
fn chat(plans: &mut [Plan], config: &DialogsConfig, chance: &mut Chance) {
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut others: Vec<(usize, usize)> = Vec::new();
    for (dialog, plan) in plans.iter().enumerate() {
        for (turn, _) in plan.steps.iter().enumerate().filter(|(_, step)| **step == Step::Decline) {
            let ends_it = turn + 1 == plan.steps.len();
            let list = if ends_it && turn > 0 && plan.steps[turn - 1] == Step::Tell { &mut ends } else { &mut others };
            list.push((dialog, turn));
        }
    }
    chance.shuffle(&mut ends);
    let thanks = config.thanks.get().min(ends.len());
    others.extend(ends.split_off(thanks));
    chance.shuffle(&mut others);
    others.truncate(config.talk.get());
    let talk = others.into_iter().zip([Topic::Knowledge, Topic::Talk].into_iter().cycle());
    for ((dialog, turn), topic) in ends.into_iter().map(|at| (at, Topic::Thanks)).chain(talk) {
        plans[dialog].steps[turn] = Step::Chat(topic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, with_shared};

    fn plans(text: &str) -> Vec<Plan> {
        Plan::all(&silent(), &read_text(text).unwrap())
    }

    #[test]
    fn the_default_has_the_papers_dialogs() {
        let plans = plans("");
        let steps: Vec<Step> = plans.iter().flat_map(|plan| plan.steps.clone()).collect();
        let count = |is: fn(&Step) -> bool| steps.iter().filter(|step| is(step)).count();
        assert_eq!((plans.len(), steps.len()), (45, 200));
        assert_eq!(count(|step| matches!(step, Step::Call { .. })), 70);
        assert_eq!(count(|step| matches!(step, Step::Tell)), 70);
        assert_eq!(count(|step| matches!(step, Step::TellAgain)), 1);
        assert_eq!(count(|step| matches!(step, Step::Ask { .. })), 36);
        assert_eq!(count(|step| matches!(step, Step::Decline)), 16);
        assert_eq!(count(|step| matches!(step, Step::Chat(Topic::Thanks))), 4);
        assert_eq!(count(|step| matches!(step, Step::Chat(_))), 7);
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for plan in &plans {
            *lengths.entry(plan.steps.len()).or_default() += 1;
        }
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [(3, 13), (4, 14), (5, 8), (6, 6), (7, 3), (8, 1)]);
        let mut shown: BTreeMap<usize, usize> = BTreeMap::new();
        for plan in &plans {
            *shown.entry(plan.shown).or_default() += 1;
        }
        let wanted = [(1, 4), (2, 4), (3, 5), (4, 8), (5, 8), (6, 5), (7, 5), (8, 4), (9, 2)];
        assert_eq!(shown.into_iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn every_request_has_a_function_that_leaves_enough_to_ask_for() {
        for plan in plans("") {
            let mut asked = vec![0; plan.functions.len()];
            for step in &plan.steps {
                match step {
                    Step::Ask { request, .. } => asked[*request] += 1,
                    Step::Call { request, .. } => assert!(*request < plan.functions.len()),
                    _ => {}
                }
            }
            for (asked, tool) in asked.iter().zip(&plan.functions) {
                assert!(tool.parameters.required.len() >= *asked, "{plan:?}");
            }
            assert!(plan.distinct().len() <= plan.shown, "{plan:?}");
        }
    }

    #[test]
    fn the_functions_of_a_dialog_are_neighbours_without_a_common_noun() {
        let toolset = crate::fixtures::toolset("daily", "ko");
        let context = with_shared(silent(), |shared| shared.toolset = toolset);
        let plans = Plan::all(&context, &read_text("").unwrap());
        let place = places(&context);
        let pairs = plans.iter().flat_map(|plan| plan.functions.windows(2)).filter(|pair| pair[0].name != pair[1].name);
        let apart: Vec<usize> = pairs
            .map(|pair| {
                let nouns = |tool: &Tool| words(&tool.name).into_iter().skip(1).collect::<BTreeSet<_>>();
                assert!(nouns(&pair[0]).is_disjoint(&nouns(&pair[1])), "{} {}", pair[0].name, pair[1].name);
                place[pair[0].name.as_str()].abs_diff(place[pair[1].name.as_str()])
            })
            .collect();
        let near = apart.iter().filter(|apart| **apart <= 6).count();
        assert!(apart.len() >= 20 && near * 10 >= apart.len() * 9, "{apart:?}");
    }

    #[test]
    fn a_plan_is_the_same_whoever_makes_it() {
        assert_eq!(plans(""), plans(""));
    }

    #[test]
    fn questions_know_how_many_follow() {
        use TypeOfOutput::{Call, Completion, Relevance, Slot};
        let (steps, needs) = steps(&[Relevance, Slot, Slot, Call, Completion, Completion, Call, Completion]);
        assert_eq!(needs, [2, 0]);
        let asks = [Step::Ask { request: 0, later: 1, first: true }, Step::Ask { request: 0, later: 0, first: false }];
        assert_eq!(steps[1..3], asks);
        assert_eq!(steps[3..6], [Step::Call { request: 0, asked: true }, Step::Tell, Step::TellAgain]);
        assert_eq!(steps[6], Step::Call { request: 1, asked: false });
    }
}
