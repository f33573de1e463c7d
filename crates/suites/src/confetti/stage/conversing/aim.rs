//! What a person can want: a goal of several calls, or one tool's call.

use crate::locale::Pattern;
use crate::record::{Phrases, Tool};
use crate::toolset::{Feed, Goal, GoalCall, Toolset};
use std::sync::Arc;

/// What a person can want.
#[derive(Debug, Clone)]
pub(crate) struct Aim {
    /// Its calls, and what the person says of it.
    pub goal: Arc<Goal>,
    /// Whether it is one tool's call: what is told of it is told of that tool's answer.
    pub is_tool: bool,
}

impl Aim {
    /// Everything that people can want of a toolset: its goals, and its tools that need no earlier answer.
    pub(crate) fn all(toolset: &Toolset) -> Vec<Self> {
        let goals = toolset.goals.values().map(|goal| Self { goal: goal.clone(), is_tool: false });
        let free = toolset.tools.iter().filter(|tool| tool.from.is_empty());
        goals.chain(free.filter_map(|tool| Self::of_tool(toolset, tool))).collect()
    }

    /// The goal or tool of this name.
    pub(crate) fn find(toolset: &Toolset, name: &str) -> Option<Self> {
        let goal = toolset.goals.get(name).map(|goal| Self { goal: goal.clone(), is_tool: false });
        goal.or_else(|| Self::of_tool(toolset, toolset.tools.iter().find(|tool| tool.name == name)?))
    }

    fn of_tool(toolset: &Toolset, tool: &Arc<Tool>) -> Option<Self> {
        let with = tool.parameters.properties.keys().map(|name| (name.clone(), Feed::Said(name.clone())));
        let call = GoalCall { tool: tool.name.clone(), step: tool.name.clone(), with: with.collect() };
        let goal = Goal {
            group: tool.name.split(['_', '.']).next().unwrap_or_default().to_lowercase(),
            tool: tool.clone(),
            phrases: toolset.phrases.get(&tool.name)?.clone(),
            calls: vec![call],
        };
        Some(Self { goal: Arc::new(goal), is_tool: true })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.goal.tool.name
    }

    /// What people say of it.
    pub(crate) fn phrases(&self) -> &Phrases {
        &self.goal.phrases
    }

    /// What it is about: the required parameters without which none of its requests can be said.
    pub(crate) fn about(&self) -> Vec<String> {
        let patterns = self.phrases().intents.iter().filter_map(|text| Pattern::parse(text).ok());
        let needed: Vec<Vec<String>> =
            patterns.map(|it| it.needed().into_iter().map(str::to_owned).collect()).collect();
        let is_needed = |name: &&String| !needed.is_empty() && needed.iter().all(|it| it.contains(name));
        self.goal.tool.parameters.required.iter().filter(is_needed).cloned().collect()
    }

    /// Whether a request can leave out something that is required.
    pub(crate) fn can_be_bare(&self) -> bool {
        self.about().len() < self.goal.tool.parameters.required.len()
    }

    /// Whether one of its requests says a parameter.
    pub(crate) fn says(&self, name: &str) -> bool {
        let says = |text: &String| Pattern::parse(text).is_ok_and(|it| it.slots().contains(&name));
        self.phrases().intents.iter().any(says)
    }

    /// Whether a request can say a parameter without setting it apart behind a comma.
    pub(crate) fn leans(&self, name: &str) -> bool {
        let phrases = self.phrases();
        let is_apart = |text: &&String| text.starts_with([',', '，', '、']) || text.ends_with([',', '，', '、']);
        let clauses = phrases.parameters.get(name).map_or(&[][..], |slot| &slot.clauses);
        self.says(name) || clauses.iter().any(|text| !is_apart(&text))
    }

    /// How many calls it takes.
    pub(crate) fn length(&self) -> usize {
        self.goal.calls.len()
    }

    /// The tools that it calls, in order.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
        self.goal.calls.iter().map(|call| call.tool.as_str())
    }

    /// Whether one of its calls changes something.
    pub(crate) fn acts(&self, toolset: &Toolset) -> bool {
        self.tools().any(|name| acts(toolset, name))
    }

    /// Before which call an assistant can ask leave, with something found out by then.
    pub(crate) fn pause(&self, toolset: &Toolset) -> Option<usize> {
        let last = self.goal.calls.iter().rposition(|call| acts(toolset, &call.tool))?;
        (last > 0 && !self.phrases().confirms.is_empty()).then_some(last)
    }

    /// The calls that have to be made again when a parameter changes, in order.
    pub(crate) fn affected(&self, parameter: &str) -> Vec<usize> {
        let mut steps: Vec<&str> = Vec::new();
        let mut affected = Vec::new();
        for (at, call) in self.goal.calls.iter().enumerate() {
            let hangs = |feed: &Feed| match feed {
                Feed::Said(name) => name == parameter,
                Feed::Answer(path) => path.split('.').next().is_some_and(|step| steps.contains(&step)),
                Feed::Fixed(_) => false,
            };
            if call.with.values().any(hangs) {
                steps.push(&call.step);
                affected.push(at);
            }
        }
        affected
    }
}

fn acts(toolset: &Toolset, name: &str) -> bool {
    toolset.tools.iter().any(|tool| tool.name == name && tool.acts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assistant() -> Toolset {
        Toolset::load(crate::fixtures::assets(), "assistant", "en").unwrap()
    }

    #[test]
    fn goals_and_free_tools_can_be_wanted() {
        let toolset = assistant();
        let all = Aim::all(&toolset);
        assert!(all.len() > 100 && all.iter().all(|aim| aim.length() > 0));
        assert!(all.iter().all(|aim| aim.name() != "Flights_book_flight"), "a flight's id is never said");
        let aim = Aim::find(&toolset, "Flights_cancel_booking").unwrap();
        assert_eq!((aim.length(), aim.is_tool, aim.goal.group.as_str()), (1, true, "flights"));
        assert!(aim.acts(&toolset) && aim.pause(&toolset).is_none());
        assert!(Aim::find(&toolset, "sing").is_none());
    }

    #[test]
    fn a_request_always_says_what_it_is_about() {
        let aim = |name: &str| Aim::find(&assistant(), name).unwrap();
        assert_eq!(aim("Calendar_move_entry").about(), ["title"]);
        assert!(aim("Calendar_move_entry").can_be_bare() && !aim("Knowledge_search").can_be_bare());
        assert!(aim("Weather_get_forecast").about().is_empty());
    }

    #[test]
    fn an_assistant_pauses_before_the_last_call_that_changes_something() {
        let toolset = assistant();
        let aim = Aim::find(&toolset, "bookCheapestFlight").unwrap();
        assert_eq!((aim.length(), aim.pause(&toolset)), (4, Some(3)));
        assert_eq!(Aim::find(&toolset, "findFlights").unwrap().pause(&toolset), None);
    }

    #[test]
    fn a_changed_detail_wants_only_what_hangs_on_it_anew() {
        let aim = Aim::find(&assistant(), "findFlights").unwrap();
        assert_eq!((aim.affected("date"), aim.affected("origin")), (vec![2], vec![0, 2]));
        assert!(aim.affected("nothing").is_empty());
    }
}
