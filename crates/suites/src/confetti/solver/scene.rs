//! What a benchmark knows of its conversations: the chains of calls, and what each call was answered.

use super::place::Place;
use crate::bfcl::metric::{Call, decode_text_strictly};
use crate::confetti::Wanted;
use crate::failure::RunStopped;
use crate::llm::Reply;
use crate::python::{PythonValue, get};
use crate::record::{BorrowedValue, Expected, FunctionCall, ItemId, Number, Object, Role, Sample, SuiteId, Value};
use indexmap::IndexMap;
use std::borrow::Cow;

/// The chains of a benchmark, by the ids of their calls.
#[derive(Default)]
pub struct Scenes {
    chains: IndexMap<(ItemId, u32), Chain>,
    /// The chain of an item, by its ordinal.
    homes: IndexMap<ItemId, usize>,
    /// What was answered in each conversation, by the ordinal of the call.
    answers: IndexMap<ItemId, IndexMap<usize, String>>,
    place: Place,
}

/// The calls that one turn of an agent wants.
struct Chain {
    conversation: ItemId,
    /// The first of them: what was said before it is where a model begins.
    first: Sample,
    links: Vec<Link>,
}

struct Link {
    id: ItemId,
    /// How many calls were made before it in its conversation.
    ordinal: usize,
    wanted: Option<Wanted>,
}

/// A chain as it is played: nothing in it is for the model's eyes but the first sample's messages and tools.
pub(super) struct Scene<'s> {
    /// The first call's sample.
    pub first: &'s Sample,
    /// How many calls of the chain come before the one that is asked about.
    pub before: usize,
    /// Where functions are answered that nothing is recorded of.
    pub place: &'s Place,
    chain: &'s Chain,
    answers: Option<&'s IndexMap<usize, String>>,
}

impl Scenes {
    /// Takes all samples in; those that belong to no conversation of CONFETTI's are none of its business.
    pub fn of(samples: impl IntoIterator<Item = Result<Sample, RunStopped>>, place: Place) -> Result<Self, RunStopped> {
        let mut scenes = Self { place, ..Self::default() };
        for sample in samples {
            scenes.add(sample?);
        }
        scenes.close();
        Ok(scenes)
    }

    fn add(&mut self, sample: Sample) {
        let Some(snapshot) = sample.snapshot.as_ref().filter(|_| sample.suite == SuiteId::Confetti) else { return };
        let conversation = snapshot.conversation.clone();
        let answers = self.answers.entry(conversation.clone()).or_default();
        for message in sample.messages.iter().filter(|message| message.role == Role::Tool) {
            if let (Some(ordinal), Some(content)) = (message.answers, &message.content) {
                answers.entry(ordinal).or_insert_with(|| content.clone());
            }
        }
        if !matches!(sample.expected, Expected::Call(_)) {
            return;
        }
        let ordinal = sample.messages.iter().map(|message| message.tool_calls.len()).sum();
        let link = Link { id: sample.id.clone(), ordinal, wanted: Wanted::of(&sample) };
        match self.chains.entry((conversation.clone(), snapshot.turn)) {
            indexmap::map::Entry::Occupied(chain) => chain.into_mut().take(link, sample),
            indexmap::map::Entry::Vacant(chain) => {
                chain.insert(Chain { conversation, first: sample, links: vec![link] });
            }
        }
    }

    /// Calls stand in the order in which they are made, wherever their samples stand.
    fn close(&mut self) {
        for (at, chain) in self.chains.values_mut().enumerate() {
            chain.links.sort_by_key(|link| link.ordinal);
            self.homes.extend(chain.links.iter().map(|link| (link.id.clone(), at)));
        }
    }

    /// The scene of a call, by its id.
    pub(super) fn scene(&self, id: &ItemId) -> Option<Scene<'_>> {
        let (_, chain) = self.chains.get_index(*self.homes.get(id)?)?;
        let at = chain.links.iter().position(|link| link.id == *id)?;
        let answers = self.answers.get(&chain.conversation);
        Some(Scene { first: &chain.first, before: chain.before(at), place: &self.place, chain, answers })
    }
}

impl Chain {
    /// Takes a call in, with its sample where it is an earlier one.
    fn take(&mut self, link: Link, sample: Sample) {
        if self.links.iter().all(|other| link.ordinal < other.ordinal) {
            self.first = sample;
        }
        self.links.push(link);
    }

    /// How many calls come before a link: a sample of a call between may be missing, but its call was made.
    fn before(&self, at: usize) -> usize {
        let first = self.links.first().map_or(0, |link| link.ordinal);
        self.links.get(at).map_or(at, |link| at.max(link.ordinal - first))
    }
}

impl Scene<'_> {
    /// Which of the chain's calls this is, by the ordinal in the conversation: one that was not made yet, where there are
    /// several.
    pub(super) fn recognise(&self, is: impl Fn(&Wanted) -> bool, made: &[usize]) -> Option<usize> {
        let links = self.chain.links.iter().filter(|link| link.wanted.as_ref().is_some_and(&is));
        let ordinals: Vec<usize> = links.map(|link| link.ordinal).collect();
        ordinals.iter().find(|ordinal| !made.contains(ordinal)).or(ordinals.first()).copied()
    }

    /// What was answered to a call, by its ordinal in the conversation.
    pub(super) fn recorded(&self, ordinal: usize) -> Option<&str> {
        self.answers?.get(&ordinal).map(String::as_str)
    }
}

// The calls of a reply, as the scorer reads them.

/// A call that a model made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Called {
    /// The function's name, and its arguments as a text of JSON: what a row keeps.
    pub text: (String, String),
    /// The call; none where its arguments cannot be read.
    pub read: Option<Read>,
}

/// A call that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    /// As a checker takes it.
    pub python: Call<'static>,
    /// As an API takes it.
    pub call: FunctionCall,
}

impl Called {
    /// The calls of a reply: those that it made natively, or else, where it was to write them, those of its text.
    pub(super) fn all(reply: &Reply, native: bool) -> Vec<Self> {
        if !reply.tool_calls.is_empty() {
            return reply.tool_calls.iter().map(|call| Self::native(&call.name, &call.arguments)).collect();
        }
        if native {
            return Vec::new();
        }
        let found = decode_text_strictly(&reply.text).map(|found| found.calls).unwrap_or_default();
        found.into_iter().filter_map(Self::written).collect()
    }

    fn native(name: &str, arguments: &str) -> Self {
        let value = BorrowedValue::read_strict(arguments).ok().filter(|value| value.as_object().is_some());
        let read = value.map(|value| {
            let call = FunctionCall { name: name.to_owned(), arguments: object(Value::from(value.clone())) };
            let python = Call { name: Cow::Owned(name.to_owned()), arguments: PythonValue::from(value).into_owned() };
            Read { python, call }
        });
        Self { text: (name.to_owned(), arguments.to_owned()), read }
    }

    fn written(call: Call<'_>) -> Option<Self> {
        let (name, arguments) = (call.name.into_owned(), call.arguments.into_owned());
        let call = FunctionCall { name: name.clone(), arguments: object(value(&arguments)) };
        let text = (name.clone(), serde_json::to_string(&call.arguments).ok()?);
        Some(Self { text, read: Some(Read { python: Call { name: Cow::Owned(name), arguments }, call }) })
    }
}

fn object(value: Value) -> Object {
    if let Value::Object(object) = value { object } else { Object::new() }
}

/// A value of Python's in JSON; what JSON has no word for is its text.
fn value(given: &PythonValue<'_>) -> Value {
    match given {
        PythonValue::None => Value::Null,
        PythonValue::Bool(bool) => Value::Bool(*bool),
        PythonValue::Int(number) => Value::from(*number),
        PythonValue::Big(digits) => Number::parse(digits).map_or_else(|| digits.as_str().into(), Value::from),
        PythonValue::Float(number) if number.is_finite() => Value::from(*number),
        PythonValue::Text(text) => Value::from(&**text),
        PythonValue::List(list) | PythonValue::Tuple(list) => Value::List(list.iter().map(value).collect()),
        PythonValue::Dict(entries) => {
            let names = entries.iter().filter_map(|(key, _)| key.as_text());
            Value::Object(names.filter_map(|name| Some((name.to_owned(), value(get(entries, name)?)))).collect())
        }
        other => Value::from(crate::python::repr(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::testing::{act_item, call_item, sample};
    use crate::record::FunctionCall;

    fn scenes(samples: Vec<Sample>) -> Scenes {
        Scenes::of(samples.into_iter().map(Ok), Place::default()).unwrap()
    }

    fn recognised(scene: &Scene<'_>, name: &str, arguments: &str, made: &[usize]) -> Option<usize> {
        let arguments = serde_json::from_str(arguments).unwrap();
        let call = crate::predict::direct::as_python(&FunctionCall { name: name.to_owned(), arguments });
        scene.recognise(|wanted| wanted.is(&call), made)
    }

    #[test]
    fn a_chain_knows_its_first_call_and_the_answers_that_later_samples_show() {
        let scenes = scenes(vec![act_item(), call_item(1), sample("a"), call_item(0)]);
        let second = scenes.scene(&call_item(1).id).unwrap();
        assert_eq!((second.first.id.as_str(), second.before), ("b_0", 1));
        assert_eq!(scenes.scene(&call_item(0).id).unwrap().before, 0);
        assert_eq!((second.recorded(0), second.recorded(2)), (Some("{\"id\":\"H1\"}"), None));
        assert_eq!(second.recorded(1), Some("{\"leaves\":\"12:00\"}"));
        assert!(scenes.scene(&act_item().id).is_none() && scenes.scene(&sample("a").id).is_none());
    }

    #[test]
    fn a_call_is_recognised_as_the_scorer_would() {
        let scenes = scenes(vec![call_item(0), call_item(1)]);
        let scene = scenes.scene(&call_item(0).id).unwrap();
        assert_eq!(recognised(&scene, "Find_Port", r#"{"query": "hill"}"#, &[]), Some(0));
        assert_eq!(recognised(&scene, "Find_Port", r#"{"query": "a secret value"}"#, &[0]), Some(0), "once more");
        assert_eq!(recognised(&scene, "Get_Boat", r#"{"port": "H1"}"#, &[]), Some(1));
        assert_eq!(recognised(&scene, "Get_Boat", r#"{"port": "H2"}"#, &[]), None);
    }

    #[test]
    fn a_call_between_may_have_no_sample() {
        let mut later = call_item(1);
        later.messages.extend(call_item(1).messages.split_off(2));
        let scenes = scenes(vec![call_item(0), later]);
        assert_eq!(scenes.scene(&call_item(1).id).unwrap().before, 2);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let fault = Scenes::of([Err(RunStopped::Interrupted)], Place::default());
        assert_eq!(fault.err(), Some(RunStopped::Interrupted));
    }
}

#[cfg(test)]
mod called_tests {
    use super::*;
    use crate::llm::ToolCallText;

    fn texts(reply: &Reply, native: bool) -> Vec<(String, String)> {
        Called::all(reply, native).into_iter().map(|called| called.text).collect()
    }

    fn said(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    fn pair(name: &str, arguments: &str) -> (String, String) {
        (name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_of_a_text_become_json() {
        let text =
            "<think>hm</think>\n[a.b(n=-1.5, on=True, none=None, all=('x', [2]), d={'k': 99999999999999999999}), c()]";
        let json = r#"{"n":-1.5,"on":true,"none":null,"all":["x",[2]],"d":{"k":99999999999999999999}}"#;
        assert_eq!(texts(&said(text), false), [pair("a.b", json), pair("c", "{}")]);
        let odd = Called::all(&said("[f(c=2j, b=b'x', i=1e999)]"), false);
        assert_eq!(odd[0].text.1, r#"{"c":"2j","b":"b'x'","i":"inf"}"#);
    }

    #[test]
    fn words_are_no_calls() {
        for text in ["", "At noon.", "[]", "I would call f(a=1) if I could"] {
            assert!(texts(&said(text), false).is_empty(), "{text}");
        }
        assert!(texts(&said("[f(a=1)]"), true).is_empty(), "a model with tools that writes has said something");
    }

    #[test]
    fn native_calls_stay_as_they_came_and_some_cannot_be_read() {
        let call = |arguments: &str| ToolCallText { name: "f".to_owned(), arguments: arguments.to_owned() };
        let calls = vec![call(r#"{"a": 1.50}"#), call("{"), call("[]"), call(r#"{"a": 1, "a": 2}"#)];
        let reply = Reply { tool_calls: calls, text: "[g()]".to_owned(), ..Reply::default() };
        let called = Called::all(&reply, false);
        assert_eq!(called[0].text, pair("f", r#"{"a": 1.50}"#));
        let read: Vec<bool> = called.iter().map(|called| called.read.is_some()).collect();
        assert_eq!(read, [true, false, false, false]);
        assert_eq!(called[0].read.as_ref().unwrap().call.arguments["a"].to_string(), "1.50");
    }
}
