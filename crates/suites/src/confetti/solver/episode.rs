//! A model that runs on by itself from the first call of a chain: what it calls, and what it is answered.

use super::scene::{Called, Read, Scene};
use crate::llm::Reply;
use crate::record::{FunctionCall, Message, Object, Role, Value};
use crate::text::without_thought;
use crate::world::{CallFault, WorldSession};

/// What was said and answered since the first call of a chain.
pub(super) struct Episode<'e> {
    exchanges: Vec<Exchange<'e>>,
    /// How many calls were made before it in the conversation.
    earlier: usize,
}

struct Exchange<'e> {
    reply: &'e Reply,
    calls: Vec<Called>,
    answers: Vec<String>,
}

/// Where the call stands that an item is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Made<'e> {
    /// The model is to be asked on.
    NotYet,
    /// It spoke before it came to it; where several items are left without a call, the reply is the first one's.
    Spoke(&'e Reply, bool),
    /// It is the only call of a reply.
    Alone(&'e Reply),
    /// It is one of several calls of a reply, and this is its place among them.
    Among(&'e Reply, usize, (String, String)),
}

impl<'e> Episode<'e> {
    /// Answers what a model has called. What is recorded is answered so, then what a world knows, and the rest by an error.
    pub(super) fn play(scene: &Scene<'_>, said: &'e [Reply], native: bool) -> Self {
        let worlds = scene.place.worlds(scene.first);
        let mut desk = Desk { scene, session: worlds.as_deref().map(|worlds| worlds.session()), made: Vec::new() };
        desk.remember();
        let exchange = |reply: &'e Reply| {
            let calls = Called::all(reply, native);
            let answers = calls.iter().map(|called| desk.answer(called)).collect();
            Exchange { reply, calls, answers }
        };
        let exchanges = said.iter().map(exchange).collect();
        let earlier = scene.first.messages.iter().map(|message| message.tool_calls.len()).sum();
        Self { exchanges, earlier }
    }

    /// What has become of the call that comes after so many others.
    pub(super) fn made(&self, before: usize) -> Made<'e> {
        let mut left = before;
        for exchange in &self.exchanges {
            match exchange.calls.as_slice() {
                [] => return Made::Spoke(exchange.reply, left == 0),
                [_] if left == 0 => return Made::Alone(exchange.reply),
                calls => match calls.get(left) {
                    Some(called) => return Made::Among(exchange.reply, left, called.text.clone()),
                    None => left -= calls.len(),
                },
            }
        }
        Made::NotYet
    }

    /// The dialogue since then. Native calls are answered one by one, and written ones by somebody's words.
    pub(super) fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut ordinal = self.earlier;
        for Exchange { reply, calls, answers } in &self.exchanges {
            messages.push(calling(reply, calls));
            if reply.tool_calls.is_empty() {
                messages.push(Message::user(answers.join("\n")));
                continue;
            }
            for answer in answers {
                messages.push(Message { answers: Some(ordinal), ..Message::new(Role::Tool, answer) });
                ordinal += 1;
            }
        }
        messages
    }
}

/// What a model said, its native calls with their arguments in the order in which it wrote them.
fn calling(reply: &Reply, calls: &[Called]) -> Message {
    if reply.tool_calls.is_empty() {
        return Message::new(Role::Assistant, without_thought(&reply.text).trim());
    }
    let call = |called: &Called| {
        let unread = || FunctionCall { name: called.text.0.clone(), arguments: Object::new() };
        called.read.as_ref().map_or_else(unread, |read| read.call.clone())
    };
    Message {
        content: (!reply.text.is_empty()).then(|| reply.text.clone()),
        tool_calls: calls.iter().map(call).collect(),
        ..Message::new(Role::Assistant, "")
    }
}

/// Answers calls.
struct Desk<'d> {
    scene: &'d Scene<'d>,
    session: Option<WorldSession<'d>>,
    /// The recorded calls that were made already.
    made: Vec<usize>,
}

impl Desk<'_> {
    /// Makes in the world what was made in the conversation before.
    fn remember(&mut self) {
        let calls: Vec<&FunctionCall> =
            self.scene.first.messages.iter().flat_map(|message| &message.tool_calls).collect();
        for (ordinal, call) in calls.into_iter().enumerate() {
            if let Some(answer) = self.scene.recorded(ordinal) {
                self.keep_in_step(call, answer);
            }
        }
    }

    fn answer(&mut self, called: &Called) -> String {
        let Some(Read { python, call }) = &called.read else {
            return CallFault::Several { faults: Vec::new() }.answer().to_string();
        };
        let ordinal = self.scene.recognise(|wanted| wanted.is(python), &self.made);
        self.made.extend(ordinal);
        if let Some(answer) = ordinal.and_then(|ordinal| self.scene.recorded(ordinal)) {
            self.keep_in_step(call, answer);
            return answer.to_owned();
        }
        self.invented(call).to_string()
    }

    /// What nothing is recorded of.
    fn invented(&mut self, call: &FunctionCall) -> Value {
        let is_offered = self.scene.first.candidates.iter().any(|tool| tool.name == call.name);
        match &mut self.session {
            Some(session) if is_offered => session.answer(call),
            _ if is_offered => CallFault::NoMatch.answer(),
            _ => CallFault::UnknownTool { tool: call.name.clone() }.answer(),
        }
    }

    /// Makes a call in the world, too, where it answers as it is recorded; an error that was only played changed nothing.
    fn keep_in_step(&mut self, call: &FunctionCall, recorded: &str) {
        let Some(session) = &mut self.session else { return };
        let mut trial = session.clone();
        let answer = trial.answer(call);
        let is_recorded = Value::read_lenient(recorded).is_ok_and(|(value, _)| value.equals(&answer));
        if is_recorded {
            *session = trial;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Place, Scenes};
    use super::*;
    use crate::llm::ToolCallText;
    use crate::predict::testing::call_item;
    use crate::record::{Expected, Sample, Tool};
    use std::sync::Arc;

    fn calls(calls: &[(&str, &str)]) -> Reply {
        let call = |(name, arguments): &(&str, &str)| ToolCallText {
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        };
        Reply { tool_calls: calls.iter().map(call).collect(), ..Reply::default() }
    }

    fn words(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    /// What is answered, one line for each message since the chain began.
    fn told(samples: &[Sample], place: Place, said: &[Reply], native: bool) -> Vec<String> {
        let scenes = Scenes::of(samples.iter().cloned().map(Ok), place).unwrap();
        let scene = scenes.scene(&samples[0].id).unwrap();
        let line = |message: Message| format!("{:?} {}", message.role, message.content.unwrap_or_default());
        let all = Episode::play(&scene, said, native).messages().into_iter().map(line);
        all.filter(|line| !line.starts_with("Assistant")).collect()
    }

    fn boats() -> [Sample; 2] {
        [call_item(0), call_item(1)]
    }

    #[test]
    fn what_equals_a_wanted_call_is_answered_as_recorded() {
        let find = calls(&[("Find_Port", r#"{"query": "HILL"}"#)]);
        let said = [find.clone(), find, calls(&[("Get_Boat", r#"{"port": "H1"}"#)])];
        let answers = told(&boats(), Place::default(), &said, true);
        assert_eq!(answers[..2], [r#"Tool {"id":"H1"}"#, r#"Tool {"id":"H1"}"#]);
        assert_eq!(answers[2], r#"Tool {"error":{"code":"no_match"}}"#, "no sample shows the last answer");
        let written = told(&boats(), Place::default(), &[words("[Find_Port(query='Hill')]")], false);
        assert_eq!(written, [r#"User {"id":"H1"}"#]);
    }

    #[test]
    fn other_calls_are_answered_by_errors_where_there_is_no_world() {
        let said = [calls(&[("Find_Port", r#"{"query": "Dale"}"#), ("Fly", "{}"), ("Find_Port", "{")])];
        assert_eq!(
            told(&boats(), Place::of_run(crate::fixtures::assets(), Some(1)), &said, true),
            [
                r#"Tool {"error":{"code":"no_match"}}"#,
                r#"Tool {"error":{"code":"unknown_function","function":"Fly"}}"#,
                r#"Tool {"error":{"code":"invalid_parameters","errors":[]}}"#
            ]
        );
    }

    #[test]
    fn a_world_answers_what_nothing_is_recorded_of() {
        let mut sample = call_item(0);
        "tests/fixtures/toolsets/inn".clone_into(&mut sample.source);
        sample.candidates.push(Arc::new(Tool { name: "Find_Town".to_owned(), ..Tool::default() }));
        let said =
            [calls(&[("Find_Town", r#"{"query": "Greyford"}"#)]), calls(&[("Search_Inns", r#"{"town_id": "T1"}"#)])];
        let answers =
            told(std::slice::from_ref(&sample), Place::of_run(crate::fixtures::assets(), Some(3)), &said, true);
        assert!(answers[0].starts_with(r#"Tool {"status":true,"message":"Success","data":[{"id":"T2""#), "{answers:?}");
        assert_eq!(answers[1], r#"Tool {"error":{"code":"unknown_function","function":"Search_Inns"}}"#, "not offered");
        let Expected::Call(call) = &mut sample.expected else { panic!("a call") };
        "Find_Town".clone_into(&mut call.name);
        let recorded = told(&[sample], Place::of_run(crate::fixtures::assets(), None), &said, true);
        assert_eq!(recorded[0], r#"Tool {"error":{"code":"no_match"}}"#);
    }

    #[test]
    fn every_call_finds_its_place_in_what_was_said() {
        let [find, boat] = [("Find_Port", r#"{"query": "Hill"}"#), ("Get_Boat", r#"{"port": "H1"}"#)];
        let text = |(name, arguments): (&str, &str)| (name.to_owned(), arguments.to_owned());
        let scenes = Scenes::of(boats().map(Ok), Place::default()).unwrap();
        let scene = scenes.scene(&call_item(1).id).unwrap();
        let [both, one, end] = [calls(&[find, boat]), calls(&[find]), words("At noon.")];
        let said = [both.clone(), one.clone(), end.clone()];
        let episode = Episode::play(&scene, &said, true);
        assert_eq!(episode.made(0), Made::Among(&both, 0, text(find)));
        assert_eq!((episode.made(1), episode.made(2)), (Made::Among(&both, 1, text(boat)), Made::Alone(&one)));
        assert_eq!((episode.made(3), episode.made(4)), (Made::Spoke(&end, true), Made::Spoke(&end, false)));
        assert_eq!(Episode::play(&scene, &said[..2], true).made(3), Made::NotYet);
    }

    #[test]
    fn native_answers_go_on_counting_and_a_thought_is_not_sent_back() {
        let samples = [call_item(1)];
        let scenes = Scenes::of(samples.map(Ok), Place::default()).unwrap();
        let scene = scenes.scene(&call_item(1).id).unwrap();
        let said = [calls(&[("Get_Boat", "{"), ("Fly", r#"{"b": 1, "a": 2}"#)])];
        let messages = Episode::play(&scene, &said, true).messages();
        assert_eq!(messages.iter().map(|message| message.answers).collect::<Vec<_>>(), [None, Some(1), Some(2)]);
        assert_eq!(messages[0].tool_calls[1].arguments.keys().collect::<Vec<_>>(), ["b", "a"]);
        let said = [words("<think>hm</think> [Fly()]")];
        let messages = Episode::play(&scene, &said, false).messages();
        assert_eq!(messages[0].content.as_deref(), Some("[Fly()]"));
    }
}
