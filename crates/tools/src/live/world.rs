//! A live world: calls are answered by what is recorded, and where nothing is, by the server, whose answer is recorded.

use super::Key;
use super::LiveError;
use super::Rules;
use super::WorldConfig;
use super::caller::Caller;
use super::recording::Recording;
use crate::toolset::import::{Origin, Origins};
use crate::toolset::{Answers, RecordedCall, Unanswered, call_key};
use fcgen_core::record::{FunctionCall, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A toolset's live world.
#[derive(Debug)]
pub struct LiveWorld {
    recording: Recording,
    /// A recording that stands in the server's place.
    replay: Option<Recording>,
    /// What exploration left in the toolset's folder.
    explored: Option<Arc<dyn Answers>>,
    caller: Option<Caller>,
    rules: Rules,
    origins: Origins,
    allow: Vec<String>,
    key: Option<Key>,
    /// One call at a time: two equal ones at once would both go to the server.
    turn: Mutex<()>,
}

impl LiveWorld {
    /// Makes ready; no server is started before a call wants it. `recording` is where answers are kept.
    pub fn open(
        config: &WorldConfig,
        (origins, rules): (&Origins, Rules),
        explored: Option<Arc<dyn Answers>>,
        recording: &Path,
    ) -> Result<Self, LiveError> {
        let replay = config.replay.as_deref().map(Recording::replayed).transpose()?;
        let target = config.target()?.filter(|_| replay.is_none());
        let key = if target.is_some() { config.key()? } else { None };
        Ok(Self {
            recording: Recording::open(recording)?,
            replay,
            explored,
            caller: target.map(|target| Caller::new(target, config, origins)).transpose()?,
            rules,
            origins: origins.clone(),
            allow: config.allow.clone(),
            key,
            turn: Mutex::new(()),
        })
    }

    /// A call by its key: recorded, replayed, explored, or made.
    fn recorded(&self, call: &FunctionCall, before: &str) -> Result<RecordedCall, LiveError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let key = call_key(&call.name, &call.arguments, before);
        if let Some(known) = self.recording.get(&key)? {
            return Ok(known);
        }
        let replayed = self.replay.as_ref().map(|replay| replay.get(&key)).transpose()?.flatten();
        let known = replayed.or_else(|| self.explored_answer(call, before));
        let answered = match known {
            Some(known) => known,
            None => self.made(call, before)?,
        };
        self.recording.put(&key, answered)
    }

    fn explored_answer(&self, call: &FunctionCall, before: &str) -> Option<RecordedCall> {
        match self.explored.as_ref()?.answer(call, before) {
            Ok(answer) => Some(recorded_call(call, before, answer, false)),
            Err(Unanswered::Refused(answer)) => Some(recorded_call(call, before, answer, true)),
            Err(Unanswered::Silent(_)) => None,
        }
    }

    fn made(&self, call: &FunctionCall, before: &str) -> Result<RecordedCall, LiveError> {
        // With a server and without one the same is refused, so that a replay says what the run said.
        if !may_call(&self.origins, &self.allow, &call.name) {
            return Err(LiveError::Writes { tool: call.name.clone() });
        }
        let Some(caller) = &self.caller else { return Err(LiveError::Unrecorded { tool: call.name.clone() }) };
        let reply = caller.call(&call.name, &call.arguments)?;
        let answer =
            Rules::without(&self.rules.kept(&reply.value), self.key.as_ref().map_or("", |key| key.value.as_str()));
        Ok(recorded_call(call, before, answer, reply.failed))
    }
}

/// Whether a tool only reads, or may be called by its name.
pub(super) fn may_call(origins: &Origins, allow: &[String], tool: &str) -> bool {
    let reads = match origins.tools.get(tool) {
        Some(Origin::Mcp { reads, .. }) => *reads,
        Some(Origin::Openapi(operation)) => operation.reads,
        Some(Origin::List { .. }) | None => false,
    };
    reads || allow.iter().any(|name| name == tool)
}

fn recorded_call(call: &FunctionCall, before: &str, answer: Value, failed: bool) -> RecordedCall {
    let (tool, arguments) = (call.name.clone(), call.arguments.clone());
    RecordedCall { tool, arguments, before: before.to_owned(), answer, failed }
}

impl Answers for LiveWorld {
    fn answer(&self, call: &FunctionCall, before: &str) -> Result<Value, Unanswered> {
        self.recorded(call, before).map_err(|error| Unanswered::Silent(error.to_string()))?.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::RECORDING;
    use crate::toolset::Recorded;
    use indexmap::IndexMap;

    const EXPLORED: &str = "{\"tool\":\"show\",\"arguments\":{\"id\":\"a\"},\"answer\":{\"name\":\"{{ x }}\"}}\n";

    fn call(tool: &str, arguments: &str) -> FunctionCall {
        FunctionCall { name: tool.to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    fn open(config: &WorldConfig, explored: bool, folder: &Path) -> LiveWorld {
        let mcp = |name: &str, reads| {
            (name.to_owned(), Origin::Mcp { name: name.to_owned(), reads, parameters: IndexMap::new() })
        };
        let origins = Origins { tools: [mcp("show", true), mcp("add", false)].into(), ..Origins::default() };
        let explored = explored.then(|| Arc::new(Recorded::read("r", EXPLORED).unwrap()) as Arc<dyn Answers>);
        LiveWorld::open(config, (&origins, Rules::default()), explored, &folder.join(RECORDING)).unwrap()
    }

    #[test]
    fn what_was_explored_is_recorded_and_replayed_without_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let shown = call("show", r#"{"id": "a"}"#);
        let answer = open(&WorldConfig::default(), true, folder.path()).answer(&shown, "").unwrap();
        assert_eq!(answer.to_string(), r#"{"name":"{{ x }}"}"#, "an answer is data");
        let other = tempfile::tempdir().unwrap();
        let replay = WorldConfig { replay: Some(folder.path().join(RECORDING)), ..WorldConfig::default() };
        let world = open(&replay, false, other.path());
        assert_eq!(world.answer(&shown, "").unwrap(), answer);
        let silent = world.answer(&call("show", r#"{"id": "b"}"#), "").unwrap_err().to_string();
        assert_eq!(silent, "no recorded answer for this call of `show`, and the server is not queried");
    }

    #[test]
    fn what_may_change_something_is_called_by_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let server = WorldConfig { server: Some("no-such-program-anywhere".to_owned()), ..WorldConfig::default() };
        let refused = open(&server, false, folder.path()).answer(&call("add", "{}"), "").unwrap_err().to_string();
        assert_eq!(refused, "`add` may have side effects and is not listed in `allow`");
        let allowed = WorldConfig { allow: vec!["add".to_owned()], ..server };
        let tried = open(&allowed, false, folder.path()).answer(&call("add", "{}"), "").unwrap_err().to_string();
        assert!(tried.contains("failed to start"), "{tried}");
    }
}
