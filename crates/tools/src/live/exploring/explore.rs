//! Exploration: read-only calls collect what really exists, so that questions can ask for it.
//!
//! Tools that need nothing come first; what their answers hold is tried with the others, the best guess first. Calls are
//! bounded, in all and for each tool.

use super::super::LiveError;
use super::super::Rules;
use super::super::server::Reply;
use super::super::world::may_call;
use super::guess::{Guess, all_guesses, guesses};
use super::leaves::Leaves;
use crate::toolset::import::Origins;
use crate::toolset::{Recorded, RecordedCall};
use fcgen_core::record::{Object, Tool, Value};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use std::sync::Arc;

/// How often the tools are gone through: what one round finds, the next one tries.
const ROUNDS: usize = 4;

/// How an exploration goes.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Most calls in all.
    pub calls: usize,
    /// Most calls of one tool.
    pub per_tool: usize,
}

/// What an exploration found.
#[derive(Debug, Clone, Default)]
pub struct Explored {
    /// Every call with its answer.
    pub recorded: Recorded,
    /// What was called, in order.
    pub called: Vec<Called>,
    /// What was not called, and why.
    pub skipped: IndexMap<String, String>,
    pub(crate) leaves: IndexMap<String, Leaves>,
    /// What was given and answered with something, by tool and parameter.
    pub(crate) worked: IndexMap<(String, String), Vec<Guess>>,
    /// What answers hold for parameters of tools that were not called.
    pub(crate) known: IndexMap<(String, String), Vec<Guess>>,
}

/// One call of an exploration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Called {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Object,
    /// `answered`, `empty`, `refused`, or why it failed.
    pub outcome: String,
}

/// Beginnings of the names of tools that seem to read.
const READING: [&str; 5] = ["list", "get", "search", "find", "read"];

/// Whether a tool's name says that it reads: its first word is `list`, `get`, `search`, `find` or `read`.
pub fn seems_to_read(tool: &str) -> bool {
    let bare = tool.rsplit('.').next().unwrap_or(tool);
    fcgen_core::locale::words(bare).first().is_some_and(|word| READING.contains(&word.to_lowercase().as_str()))
}

/// Explores the tools that only read, or that `allow` names. `ask` makes a call.
pub fn explore(
    tools: &[Arc<Tool>],
    (origins, allow): (&Origins, &[String]),
    (rules, bounds): (&Rules, Bounds),
    mut ask: impl FnMut(&str, &Object) -> Result<Reply, LiveError>,
) -> Result<Explored, LiveError> {
    let mut found = Explored::default();
    let (readable, others): (Vec<&Arc<Tool>>, Vec<_>) =
        tools.iter().partition(|tool| may_call(origins, allow, &tool.name));
    found
        .skipped
        .extend(others.iter().map(|it| (it.name.clone(), format!("may have side effects; use `--allow {}`", it.name))));
    let mut tried: IndexSet<String> = IndexSet::new();
    for round in 0..ROUNDS {
        for tool in &readable {
            let key = |trial: &Trial| crate::toolset::call_key(&tool.name, &arguments_of(trial), "");
            let fresh = found.trials(tool, round).into_iter().filter(|trial| !tried.contains(&key(trial)));
            // Something is left for what the next round finds.
            for trial in fresh.take(bounds.per_tool.div_ceil(2)).collect::<Vec<_>>() {
                let own = found.called.iter().filter(|it| it.tool == tool.name).count();
                if found.called.len() >= bounds.calls || own >= bounds.per_tool {
                    break;
                }
                let arguments = arguments_of(&trial);
                if !tried.insert(crate::toolset::call_key(&tool.name, &arguments, "")) {
                    continue;
                }
                match ask(&tool.name, &arguments) {
                    Ok(reply) => found.add(tool, (&trial, arguments), &reply, rules),
                    // Whatever is asked next would fail alike.
                    Err(error) if found.called.is_empty() => return Err(error),
                    Err(error) => found.note(tool, arguments, error.to_string()),
                }
            }
        }
    }
    for tool in others {
        for (name, parameter) in &tool.parameters.properties {
            let held = guesses(&tool.name, (name, parameter), &found.leaves).into_iter().filter(|it| it.from.is_some());
            found.known.insert((tool.name.clone(), name.clone()), held.collect());
        }
    }
    found.link(&readable);
    for tool in &readable {
        if !found.called.iter().any(|it| it.tool == tool.name) {
            let why =
                if found.called.len() >= bounds.calls { "call limit reached" } else { "no candidate arguments found" };
            found.skipped.insert(tool.name.clone(), why.to_owned());
        }
    }
    Ok(found)
}

/// What a tool could be given: guesses by parameter.
type Trial = IndexMap<String, Guess>;

fn arguments_of(trial: &Trial) -> Object {
    trial.iter().map(|(name, guess)| (name.clone(), guess.value.clone())).collect()
}

impl Explored {
    /// What a tool is tried with in a round: guesses for all that it needs, and then each optional parameter that is known.
    fn trials(&self, tool: &Tool, round: usize) -> Vec<Trial> {
        let parameters = &tool.parameters;
        let mut needed: IndexMap<String, Vec<Guess>> = IndexMap::new();
        for name in &parameters.required {
            let Some(parameter) = parameters.properties.get(name) else { continue };
            needed.insert(name.clone(), guesses(&tool.name, (name, parameter), &self.leaves));
        }
        let most = needed.values().map(Vec::len).max().unwrap_or(1);
        let nth = |at: usize| {
            let one =
                |(name, all): (&String, &Vec<Guess>)| Some((name.clone(), all.get(at % all.len().max(1))?.clone()));
            needed.iter().map(one).collect::<Option<Trial>>()
        };
        let mut trials: Vec<Trial> = Vec::new();
        if let Some(base) = self.working(tool, &needed).filter(|_| round > 0) {
            let optional = parameters.properties.iter().filter(|(name, _)| !parameters.required.contains(name));
            for (name, parameter) in optional {
                let known =
                    guesses(&tool.name, (name, parameter), &self.leaves).into_iter().filter(|it| it.from.is_some());
                trials.extend(known.take(2).map(|guess| {
                    let mut trial = base.clone();
                    trial.insert(name.clone(), guess);
                    trial
                }));
            }
        }
        trials.extend((0..most).filter_map(nth));
        trials
    }

    /// Adds to what worked every other answer that holds the same values under the parameter's name: what one tool finds
    /// the next one may take from any of them.
    fn link(&mut self, tools: &[&Arc<Tool>]) {
        for tool in tools {
            for (name, parameter) in &tool.parameters.properties {
                let Some(worked) = self.worked.get_mut(&(tool.name.clone(), name.clone())) else { continue };
                let held = all_guesses(&tool.name, (name, parameter), &self.leaves);
                let same = held.into_iter().filter(|guess| {
                    guess.from.as_ref().is_some_and(|(source, _)| *source != tool.name)
                        && worked.iter().any(|it| it.value == guess.value && it.from.is_some())
                });
                let new: Vec<Guess> = same.filter(|guess| !worked.contains(guess)).collect();
                worked.extend(new);
            }
        }
    }

    /// What worked before for all that a tool needs.
    fn working(&self, tool: &Tool, needed: &IndexMap<String, Vec<Guess>>) -> Option<Trial> {
        let worked = |name: &String| self.worked.get(&(tool.name.clone(), name.clone()))?.first().cloned();
        needed.keys().map(|name| Some((name.clone(), worked(name)?))).collect()
    }

    fn add(&mut self, tool: &Tool, (trial, arguments): (&Trial, Object), reply: &Reply, rules: &Rules) {
        let answer = rules.kept(&reply.value);
        let outcome = match (reply.failed, holds_something(&answer)) {
            (true, _) => "refused",
            (false, true) => "answered",
            (false, false) => "empty",
        };
        if !reply.failed {
            self.leaves.entry(tool.name.clone()).or_default().add(&answer);
        }
        if outcome == "answered" {
            for (name, guess) in trial {
                let known = self.worked.entry((tool.name.clone(), name.clone())).or_default();
                if !known.contains(guess) {
                    known.push(guess.clone());
                }
            }
        }
        let (name, before) = (tool.name.clone(), String::new());
        let recorded = RecordedCall { tool: name, arguments: arguments.clone(), before, answer, failed: reply.failed };
        self.recorded.add(recorded);
        self.note(tool, arguments, outcome.to_owned());
    }

    fn note(&mut self, tool: &Tool, arguments: Object, outcome: String) {
        self.called.push(Called { tool: tool.name.clone(), arguments, outcome });
    }
}

/// Whether an answer tells of anything: one with lists does if one of them has elements.
fn holds_something(answer: &Value) -> bool {
    match answer {
        Value::Null => false,
        Value::List(list) => list.iter().any(holds_something),
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(object) => {
            let mut lists = object.values().filter(|it| it.as_list().is_some()).peekable();
            if lists.peek().is_some() { lists.any(holds_something) } else { object.values().any(holds_something) }
        }
        Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::import::Origin;
    use serde_json::json;

    fn tools() -> Vec<Arc<Tool>> {
        let tool = |name: &str, properties: serde_json::Value, required: &[&str]| {
            let parameters = json!({"type": "object", "properties": properties, "required": required});
            Arc::new(
                serde_json::from_value(json!({"name": name, "description": "d", "parameters": parameters})).unwrap(),
            )
        };
        let id = json!({"item_id": {"type": "string", "description": "its id"}});
        vec![
            tool("show_item", id.clone(), &["item_id"]),
            tool("list_items", json!({}), &[]),
            tool("delete_item", id, &["item_id"]),
            tool("find", json!({"query": {"type": "string", "description": "words"}}), &["query"]),
        ]
    }

    fn origins() -> Origins {
        let mcp = |name: &str| {
            (
                name.to_owned(),
                Origin::Mcp { name: name.to_owned(), reads: !name.starts_with("delete"), parameters: IndexMap::new() },
            )
        };
        Origins { tools: ["show_item", "list_items", "delete_item", "find"].map(mcp).into(), ..Origins::default() }
    }

    #[expect(clippy::unnecessary_wraps, reason = "exploration is given what may fail")]
    fn ask(tool: &str, arguments: &Object) -> Result<Reply, LiveError> {
        let given = arguments.values().next().and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = match tool {
            "list_items" => json!({"items": [{"id": "i-1", "name": "Blue jug"}, {"id": "i-2", "name": "Old drum"}]}),
            "show_item" if given.starts_with("i-") => json!({"id": given, "weight": 3}),
            "show_item" => return Ok(Reply { value: "no such item".into(), failed: true }),
            "find" if given == "Blue jug" => json!({"found": [given]}),
            "find" => json!({"found": [], "total": 0}),
            other => panic!("{other} must not be called"),
        };
        Ok(Reply { value: Value::from(answer), failed: false })
    }

    fn explored(calls: usize) -> Explored {
        let bounds = Bounds { calls, per_tool: 5 };
        explore(&tools(), (&origins(), &[]), (&Rules::default(), bounds), ask).unwrap()
    }

    #[test]
    fn what_one_answer_holds_is_tried_with_others_and_nothing_is_changed() {
        let found = explored(40);
        let worked = |tool: &str, name: &str| {
            let known = found.worked.get(&(tool.to_owned(), name.to_owned())).cloned().unwrap_or_default();
            known.iter().map(|it| it.value.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(worked("show_item", "item_id"), ["i-1", "i-2"]);
        assert_eq!(worked("find", "query"), ["Blue jug"]);
        assert_eq!(found.skipped.keys().collect::<Vec<_>>(), ["delete_item"]);
        let held = &found.known[&("delete_item".to_owned(), "item_id".to_owned())];
        let held: IndexSet<&str> = held.iter().filter_map(|it| it.value.as_str()).collect();
        assert_eq!(held.len(), 2, "what is not called is known to take what exists");
        assert!(found.called.iter().any(|it| it.tool == "find" && it.outcome == "empty"));
        assert_eq!(found.recorded.calls().count(), found.called.len());
    }

    #[test]
    fn calls_are_bounded_and_what_got_none_is_told() {
        let found = explored(1);
        assert_eq!(found.called.len(), 1);
        assert!(found.skipped.values().any(|why| why == "call limit reached"), "{:?}", found.skipped);
    }

    #[test]
    fn a_server_that_never_answers_ends_it() {
        let silent = |_: &str, _: &Object| Err(LiveError::Unrecorded { tool: "x".to_owned() });
        let bounds = Bounds { calls: 9, per_tool: 9 };
        assert!(explore(&tools(), (&origins(), &[]), (&Rules::default(), bounds), silent).is_err());
    }

    #[test]
    fn an_answer_without_elements_tells_of_nothing() {
        let holds = |json: &str| holds_something(&serde_json::from_str(json).unwrap());
        assert!(holds(r#"{"a":[1],"n":0}"#) && holds("3") && holds(r#"{"n":0}"#) && holds("\"x\""));
        assert!(!holds(r#"{"a":[],"n":2}"#) && !holds("[]") && !holds("null") && !holds("\" \"") && !holds("{}"));
    }
}
