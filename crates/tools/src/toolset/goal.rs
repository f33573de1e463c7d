//! Goals: what a person wants that takes several calls, declared beside the tools.

use super::Toolset;
use fcgen_core::record::{Object, Phrases, Tool, Value};
use indexmap::IndexMap;
use serde::Deserialize;
use std::sync::Arc;

/// What a person wants that takes several calls, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// The group that it belongs to: its file's name.
    pub group: String,
    /// What the person says of it, as a tool of its own: its parameters are what is said.
    pub tool: Arc<Tool>,
    /// How it is asked for and told.
    pub phrases: Arc<Phrases>,
    /// The calls.
    pub calls: Vec<GoalCall>,
}

/// One call of a goal.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalCall {
    /// The tool's name.
    pub tool: String,
    /// The name by which its answer is spoken of.
    pub step: String,
    /// Where each argument comes from.
    pub with: IndexMap<String, Feed>,
}

/// Where an argument comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Feed {
    /// The person says it: the goal's parameter.
    Said(String),
    /// An earlier answer holds it: a path that begins with the step's name.
    Answer(String),
    /// It is always the same.
    Fixed(Value),
}

/// A request that could be for either of two tools or goals.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vague {
    /// The two.
    pub between: [String; 2],
    /// What the person says.
    pub says: Vec<String>,
    /// What the assistant asks then.
    pub questions: Vec<String>,
}

/// One call as a file writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalCallText {
    call: String,
    #[serde(rename = "as", default)]
    name: Option<String>,
    #[serde(default)]
    with: IndexMap<String, String>,
}

impl Goal {
    /// Checks a goal's calls against the tools; what is wrong is told in words.
    pub(super) fn new(
        toolset: &Toolset,
        group: &str,
        (tool, phrases): (Tool, Phrases),
        calls: Vec<GoalCallText>,
    ) -> Result<Self, String> {
        let name = tool.name.clone();
        let fault = |message: String| format!("goal `{name}`: {message}");
        let mut goal =
            Self { group: group.to_owned(), tool: Arc::new(tool), phrases: Arc::new(phrases), calls: Vec::new() };
        for call in calls {
            let call = goal.call(toolset, call).map_err(fault)?;
            goal.calls.push(call);
        }
        if goal.calls.len() < 2 {
            return Err(fault("expected at least two calls".to_owned()));
        }
        let used = |name: &String| {
            let feeds = goal.calls.iter().flat_map(|call| call.with.values());
            feeds.into_iter().any(|feed| *feed == Feed::Said(name.clone()))
        };
        match goal.tool.parameters.properties.keys().find(|name| !used(name)) {
            Some(idle) => Err(fault(format!("`{idle}` is not used by any call"))),
            None => Ok(goal),
        }
    }

    fn call(&self, toolset: &Toolset, text: GoalCallText) -> Result<GoalCall, String> {
        let key = |tool: &&Arc<Tool>| toolset.key(&tool.name) == text.call || tool.name == text.call;
        let Some(tool) = toolset.tools.iter().find(key) else { return Err(format!("unknown tool `{}`", text.call)) };
        let mut with = IndexMap::new();
        for (parameter, source) in text.with {
            if !tool.parameters.properties.contains_key(&parameter) {
                return Err(format!("unknown parameter `{parameter}` of `{}`", tool.name));
            }
            with.insert(parameter, self.feed(&source)?);
        }
        match tool.parameters.required.iter().find(|name| !with.contains_key(*name)) {
            Some(missing) => Err(format!("missing argument `{missing}` in the call of `{}`", tool.name)),
            None => Ok(GoalCall { tool: tool.name.clone(), step: text.name.unwrap_or(text.call), with }),
        }
    }

    fn feed(&self, source: &str) -> Result<Feed, String> {
        if let Some(fixed) = source.strip_prefix('=') {
            return Ok(Feed::Fixed(Value::read(fixed).unwrap_or_else(|_| Value::from(fixed))));
        }
        let step = source.split('.').next().unwrap_or_default();
        if source.contains('.') && self.calls.iter().any(|call| call.step == step) {
            return Ok(Feed::Answer(source.to_owned()));
        }
        if self.tool.parameters.properties.contains_key(source) {
            return Ok(Feed::Said(source.to_owned()));
        }
        Err(format!("`{source}` is neither a parameter of the goal nor a field of an earlier answer"))
    }

    /// The arguments of one call: what the person said, and what was answered so far, by step. `None` where an earlier
    /// answer does not hold what is wanted.
    pub fn arguments(&self, call: &GoalCall, said: &Object, answers: &Value) -> Option<Object> {
        let mut arguments = Object::new();
        for (name, feed) in &call.with {
            let value = match feed {
                // What is optional and was not said is left out.
                Feed::Said(parameter) if !said.contains_key(parameter) => continue,
                Feed::Said(parameter) => said.get(parameter)?.clone(),
                Feed::Answer(path) => answers.at_path(path)?.clone(),
                Feed::Fixed(value) => value.clone(),
            };
            arguments.insert(name.clone(), value);
        }
        Some(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolset() -> Toolset {
        let tool = |json: &str| Arc::new(serde_json::from_str::<Tool>(json).unwrap());
        let parameters =
            |name: &str| format!(r#"{{"properties": {{"{name}": {{}}, "note": {{}}}}, "required": ["{name}"]}}"#);
        let tools = [("find", "city"), ("book", "id")];
        let tools =
            tools.map(|(name, one)| tool(&format!(r#"{{"name": "{name}", "parameters": {}}}"#, parameters(one))));
        Toolset { tools: tools.to_vec(), ..Toolset::default() }
    }

    fn goal(calls: &str) -> Result<Goal, String> {
        #[derive(Deserialize)]
        struct Text {
            calls: Vec<GoalCallText>,
        }
        let tool = r#"{"name": "trip", "parameters": {"properties": {"town": {}, "wish": {}}, "required": ["town"]}}"#;
        let text: Text = toml::from_str(calls).unwrap();
        Goal::new(&toolset(), "trips", (serde_json::from_str(tool).unwrap(), Phrases::default()), text.calls)
    }

    const CALLS: &str = "calls = [\n  { call = \"find\", as = \"found\", with = { city = \"town\" } },\n  \
        { call = \"book\", with = { id = \"found.rooms.id\", note = \"wish\" } },\n]\n";

    #[test]
    fn calls_take_what_was_said_and_what_was_answered() {
        let goal = goal(CALLS).unwrap();
        assert_eq!((goal.calls[0].step.as_str(), goal.calls[1].step.as_str()), ("found", "book"));
        let said: Object = serde_json::from_str(r#"{"town": "Porto"}"#).unwrap();
        let answers = Value::read(r#"{"found": {"rooms": [{"id": 7}, {"id": 8}]}}"#).unwrap();
        let first = goal.arguments(&goal.calls[0], &said, &answers).unwrap();
        assert_eq!(serde_json::to_string(&first).unwrap(), r#"{"city":"Porto"}"#);
        let second = goal.arguments(&goal.calls[1], &said, &answers).unwrap();
        assert_eq!(serde_json::to_string(&second).unwrap(), r#"{"id":7}"#, "nobody said a wish");
        assert_eq!(goal.arguments(&goal.calls[1], &said, &Value::Null), None);
    }

    #[test]
    fn what_does_not_fit_the_tools_is_told() {
        let fault = |from: &str, to: &str| goal(&CALLS.replace(from, to)).unwrap_err();
        assert_eq!(fault("call = \"find\"", "call = \"fund\""), "goal `trip`: unknown tool `fund`");
        assert_eq!(fault("city =", "place ="), "goal `trip`: unknown parameter `place` of `find`");
        assert_eq!(fault("id = \"found.rooms.id\", ", ""), "goal `trip`: missing argument `id` in the call of `book`");
        assert!(fault("found.rooms.id", "lost.rooms.id").contains("`lost.rooms.id` is neither a parameter"));
        assert_eq!(fault(", note = \"wish\"", ""), "goal `trip`: `wish` is not used by any call");
        assert_eq!(fault("calls = [", "calls = []\nx = ["), "goal `trip`: expected at least two calls");
        assert_eq!(
            goal(&CALLS.replace("\"wish\"", "\"=3\"")).unwrap_err(),
            "goal `trip`: `wish` is not used by any call"
        );
    }
}
