//! Asks for each call and each reply of a conversation, with the right conversation before it, or lets the model run on.

use super::episode::{Episode, Made};
use super::scene::Scenes;
use crate::failure::RunStopped;
use crate::llm::{Prompts, Reply, Request};
use crate::predict::asking::{Asking, check_suite, trajectory, turn};
use crate::predict::direct::Direct;
use crate::predict::locales::Locales;
use crate::predict::snapshots::Mode;
use crate::record::{Expected, Prediction, PredictionTurn, Role, Sample, SuiteId};

/// The prompts for a call and for a reply.
const CALL: &str = "predict_confetti_call";
const RESPONSE: &str = "predict_confetti_response";

/// What a model is shown of a turn that has begun.
pub enum Policy {
    /// The right calls and their answers, whatever the model called: each of its calls is asked for by itself.
    Off,
    /// Its own calls and what they are answered, from the first call of a chain on. Replies are asked for as in the other one.
    On(Box<Scenes>),
}

/// Asks about conversations.
pub struct Dialogs {
    native: bool,
    mode: Mode,
    policy: Policy,
    variant: &'static str,
    locales: Locales,
}

impl Dialogs {
    /// A way to ask.
    pub fn new(mode: Mode, policy: Policy, prompts: Prompts) -> Self {
        let native = mode == Mode::Tools;
        let variant = match policy {
            Policy::Off => plain(native),
            Policy::On(_) if native => "tools-on_policy",
            Policy::On(_) => "prompt-on_policy",
        };
        Self { native, mode, policy, variant, locales: Locales::new(prompts) }
    }

    /// The request of an item by itself, or what comes next where the model runs on.
    fn request(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        let ground = self.locales.get(&sample.locale)?;
        let prompt = if is_call(sample) { CALL } else { RESPONSE };
        let direct = Direct { ground: &ground, prompt: Some(prompt), native: self.native, run };
        let Some(scene) = self.scenes(sample).and_then(|scenes| scenes.scene(&sample.id)) else {
            return if said.is_empty() { direct.request(sample, Vec::new()).map(Some) } else { Ok(None) };
        };
        let episode = Episode::play(&scene, said, self.native);
        match episode.made(scene.before) {
            Made::NotYet => direct.request(scene.first, episode.messages()).map(Some),
            _ => Ok(None),
        }
    }

    /// The chains, where this item is played.
    fn scenes(&self, sample: &Sample) -> Option<&Scenes> {
        match &self.policy {
            Policy::On(scenes) if is_call(sample) => Some(scenes),
            _ => None,
        }
    }
}

impl Asking for Dialogs {
    fn variant(&self) -> &str {
        self.variant
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        check_suite(sample, SuiteId::Confetti)?;
        if !matches!(sample.expected, Expected::Call(_) | Expected::Acts(_)) {
            return Err("neither a call nor a reply is expected".to_owned());
        }
        if !sample.messages.iter().any(|message| message.role == Role::User) {
            return Err("no user message".to_owned());
        }
        if self.mode == Mode::BuiltIn {
            return Err("the built-in reader does not support conversations; choose a model with `--model`".to_owned());
        }
        if self.scenes(sample).is_some_and(|scenes| scenes.scene(&sample.id).is_none()) {
            return Err("not part of a conversation, which `--policy on_policy` needs".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        let prompts = [CALL, RESPONSE].map(|prompt| ground.named(prompt));
        prompts.into_iter().try_for_each(|prompt| prompt.map(drop)).map_err(|fault| fault.to_string())
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        self.request(sample, run, said)
    }

    fn prediction(&self, sample: &Sample, run: u32, said: &[Reply], error: Option<String>) -> Prediction {
        let Some(scene) = self.scenes(sample).and_then(|scenes| scenes.scene(&sample.id)) else {
            let row = trajectory(self, sample, run, said, error);
            return Prediction { variant: Some(plain(self.native).to_owned()), ..row };
        };
        let episode = Episode::play(&scene, said, self.native);
        // The tokens of a reply are told once, where several items have it.
        let (reply, counted, own) = match episode.made(scene.before) {
            Made::NotYet => (None, true, None),
            Made::Spoke(reply, counted) => (Some(reply), counted, None),
            Made::Alone(reply) => (Some(reply), true, None),
            Made::Among(reply, at, call) => (Some(reply), at == 0, Some(call)),
        };
        let row = trajectory(self, sample, run, reply.map_or(&[], std::slice::from_ref), error);
        let turns = match (own, reply) {
            (Some(call), Some(reply)) => {
                let reasoning = turn(reply).reasoning;
                vec![PredictionTurn { tool_calls: vec![call], reasoning, ..PredictionTurn::default() }]
            }
            _ => row.turns,
        };
        Prediction { turns, usage: row.usage.filter(|_| counted), ..row }
    }
}

fn plain(native: bool) -> &'static str {
    if native { "tools" } else { "prompt" }
}

fn is_call(sample: &Sample) -> bool {
    matches!(sample.expected, Expected::Call(_))
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;
    use crate::llm::{ToolCallText, Usage};
    use crate::predict::testing::{act_item, call_item};

    fn on(mode: Mode) -> Dialogs {
        let samples = [call_item(0), call_item(1), act_item()];
        Dialogs::new(
            mode,
            Policy::On(Box::new(Scenes::of(samples.map(Ok), Place::default()).unwrap())),
            crate::fixtures::prompts(),
        )
    }

    fn off(mode: Mode) -> Dialogs {
        Dialogs::new(mode, Policy::Off, crate::fixtures::prompts())
    }

    fn calling(name: &str, arguments: &str) -> Reply {
        let call = ToolCallText { name: name.to_owned(), arguments: arguments.to_owned() };
        Reply { tool_calls: vec![call], usage: Usage { prompt: 5, completion: 2 }, ..Reply::default() }
    }

    fn find() -> Reply {
        calling("Find_Port", r#"{"query": "Hill"}"#)
    }

    fn words(text: &str) -> Reply {
        Reply { text: text.to_owned(), usage: Usage { prompt: 5, completion: 2 }, ..Reply::default() }
    }

    fn next(dialogs: &Dialogs, sample: &Sample, said: &[Reply]) -> Option<Request> {
        assert_eq!(dialogs.check(sample), Ok(()));
        dialogs.next(sample, 1, said).unwrap()
    }

    fn row(dialogs: &Dialogs, sample: &Sample, said: &[Reply]) -> String {
        serde_json::to_string(&dialogs.prediction(sample, 0, said, None)).unwrap()
    }

    #[test]
    fn each_item_is_asked_once_with_the_right_conversation_before_it() {
        for mode in [Mode::Tools, Mode::Prompt] {
            for (sample, messages) in [(call_item(0), 1), (call_item(1), 3), (act_item(), 5)] {
                let request = next(&off(mode), &sample, &[]).unwrap();
                assert_eq!((request.history.len(), request.draw), (messages, 1));
                assert!(next(&off(mode), &sample, &[Reply::default()]).is_none());
                let system = request.system.unwrap();
                assert!(system.starts_with("It is noon.\n"), "{system}");
                assert_eq!(system.contains("either make one function call"), messages == 5);
                assert_eq!(system.contains("[function_name("), mode == Mode::Prompt);
            }
        }
    }

    #[test]
    fn nothing_of_the_right_answer_is_shown() {
        for mode in [Mode::Tools, Mode::Prompt] {
            for dialogs in [off(mode), on(mode)] {
                for sample in [call_item(0), call_item(1), act_item()] {
                    let shown = format!("{:?}", next(&dialogs, &sample, &[]).unwrap());
                    assert!(!shown.to_lowercase().contains("secret"), "{shown}");
                }
                let first = format!("{:?}", next(&dialogs, &call_item(0), &[]).unwrap());
                assert!(!first.contains("H1"), "{first}");
            }
            let running = format!("{:?}", next(&on(mode), &call_item(1), &[]).unwrap());
            assert!(!running.contains("H1"), "who runs on is not told what should have been called: {running}");
        }
    }

    #[test]
    fn who_runs_on_is_asked_the_same_for_every_item_of_a_chain() {
        let dialogs = on(Mode::Tools);
        let [first, second] = [call_item(0), call_item(1)].map(|sample| next(&dialogs, &sample, &[]).unwrap());
        assert_eq!((format!("{first:?}"), first.item.as_ref()), (format!("{second:?}"), "b_0"));
        assert!(next(&dialogs, &call_item(0), &[find()]).is_none());
        let request = next(&dialogs, &call_item(1), &[find()]).unwrap();
        assert_eq!(request.history.last().unwrap().content.as_deref(), Some("{\"id\":\"H1\"}"));
        assert!(next(&dialogs, &call_item(1), &[words("At noon.")]).is_none());
        assert_eq!(next(&dialogs, &act_item(), &[]).unwrap().history.len(), 5, "replies are asked for as ever");
    }

    #[test]
    fn each_call_of_who_runs_on_is_an_item_s_prediction() {
        let dialogs = on(Mode::Tools);
        let said = [find(), calling("Get_Boat", r#"{"port": "H2"}"#)];
        insta::assert_snapshot!(row(&dialogs, &call_item(1), &said), @r#"{"id":"b_1","run":0,"variant":"tools-on_policy","turns":[{"tool_calls":[["Get_Boat","{\"port\": \"H2\"}"]]}],"finish_reason":"stop","usage":[5,2]}"#);
        let said = [words("[Find_Port(query='Hill'), Get_Boat(port='H1')]")];
        insta::assert_snapshot!(row(&on(Mode::Prompt), &call_item(1), &said), @r#"{"id":"b_1","run":0,"variant":"prompt-on_policy","turns":[{"tool_calls":[["Get_Boat","{\"port\":\"H1\"}"]]}],"finish_reason":"stop"}"#);
        insta::assert_snapshot!(row(&dialogs, &call_item(1), &[words("At noon.")]), @r#"{"id":"b_1","run":0,"variant":"tools-on_policy","turns":[{"content":"At noon."}],"finish_reason":"stop"}"#);
        insta::assert_snapshot!(row(&dialogs, &call_item(0), &[words("At noon.")]), @r#"{"id":"b_0","run":0,"variant":"tools-on_policy","turns":[{"content":"At noon."}],"finish_reason":"stop","usage":[5,2]}"#);
        insta::assert_snapshot!(row(&dialogs, &act_item(), &[words("Noon.")]), @r#"{"id":"r_0","run":0,"variant":"tools","turns":[{"content":"Noon."}],"finish_reason":"stop","usage":[5,2]}"#);
        let lost = dialogs.prediction(&call_item(1), 0, &[find()], Some("HTTP 503".to_owned()));
        assert_eq!((lost.turns.len(), lost.usage, lost.error.as_deref()), (0, None, Some("HTTP 503")));
    }

    #[test]
    fn what_cannot_be_asked_is_told_before() {
        let told = |dialogs: &Dialogs, change: &dyn Fn(&mut Sample)| {
            let mut sample = call_item(0);
            change(&mut sample);
            dialogs.check(&sample).unwrap_err()
        };
        assert!(told(&off(Mode::BuiltIn), &|_| {}).contains("choose a model with `--model`"));
        let dialogs = off(Mode::Tools);
        assert!(told(&dialogs, &|it| it.suite = "bfcl".into()).contains("`bfcl`"));
        assert_eq!(told(&dialogs, &|it| it.messages.truncate(1)), "no user message");
        assert_eq!(told(&dialogs, &|it| it.expected = Expected::Refusal), "neither a call nor a reply is expected");
        let other = |it: &mut Sample| it.id = act_item().id;
        assert!(told(&on(Mode::Tools), &other).starts_with("not part of a conversation"));
        let variants = [off(Mode::Tools), off(Mode::Prompt), on(Mode::Tools), on(Mode::Prompt)].map(|it| it.variant);
        assert_eq!(variants, ["tools", "prompt", "tools-on_policy", "prompt-on_policy"]);
    }
}
