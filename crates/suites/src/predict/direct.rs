//! Requests to a model that calls natively, or writes its calls as Python does: `[find(town='Hill')]`.

use super::asking::{bare, call_request};
use super::locales::Ground;
use crate::bfcl::metric::{Call, spoken};
use crate::failure::RunStopped;
use crate::llm::{Rendered, Request, Variables};
use crate::python::PythonValue;
use crate::record::{BorrowedValue, FunctionCall, Message, Role, Sample, Value};
use std::borrow::Cow;

/// What a sample is asked with.
#[derive(Clone, Copy)]
pub(crate) struct Direct<'a> {
    /// Its locale.
    pub ground: &'a Ground,
    /// The folder of the prompt; a model with tools may go without one.
    pub prompt: Option<&'static str>,
    /// Whether tools go natively.
    pub native: bool,
    /// Which draw it is.
    pub run: u32,
}

impl Direct<'_> {
    /// The request: the sample's dialogue, and what came after it.
    pub(crate) fn request(&self, sample: &Sample, after: Vec<Message>) -> Result<Request, RunStopped> {
        let tools = bare(&sample.candidates);
        let request = call_request(sample, self.run, self.ground, sample.query(), &tools);
        let said = sample.messages.iter().filter(|message| message.role != Role::System).cloned();
        let history: Vec<Message> = said.chain(after).collect();
        let history = if self.native { history } else { in_words(&history) };
        let Rendered { system, user } = self.rendered(sample, &request.variables, &history)?;
        Ok(Request {
            system,
            // A prompt that says something for the user says the conversation as well.
            history: if user.is_empty() { history } else { Vec::new() },
            user,
            tools: if self.native { tools } else { Vec::new() },
            ..request
        })
    }

    /// What the system says: the sample's own words, and those of the prompt. What the user says is in the conversation,
    /// unless a prompt of other people has it in its text.
    fn rendered(&self, sample: &Sample, variables: &Variables, history: &[Message]) -> Result<Rendered, RunStopped> {
        let own = sample.messages.iter().filter(|message| message.role == Role::System);
        let own: Vec<&str> = own.filter_map(|message| message.content.as_deref()).collect();
        let own = own.join("\n\n");
        let Some(prompt) = self.prompt else {
            return Ok(Rendered { system: Some(own).filter(|own| !own.is_empty()), user: String::new() });
        };
        let prompt = self.ground.named(prompt)?;
        let mut fields = variables.fields();
        (fields["system"], fields["native"]) = (own.into(), self.native.into());
        if prompt.is_exact() {
            fields["conversation"] = conversation(history).into();
        }
        let takes_all = prompt.is_exact() && !self.native;
        let rendered = prompt.render(&fields).map_err(|error| RunStopped::Input(error.to_string()))?;
        Ok(Rendered { user: if takes_all { rendered.user } else { String::new() }, ..rendered })
    }
}

/// A conversation as a text: a line for each message, with its role.
fn conversation(history: &[Message]) -> String {
    let line = |message: &Message| {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        format!("{role}: {}", message.content.as_deref().unwrap_or_default())
    };
    history.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A dialogue for a model that has its functions in the text: calls as it should write them, and answers as somebody's words.
fn in_words(messages: &[Message]) -> Vec<Message> {
    let mut written: Vec<Message> = Vec::with_capacity(messages.len());
    let mut answers = false;
    for message in messages {
        let text = message.content.as_deref().unwrap_or_default();
        let is_answer = message.role == Role::Tool;
        match written.last_mut().filter(|_| is_answer && answers) {
            // Answers of calls that were made at once come at once.
            Some(last) => last.content = last.content.take().map(|earlier| format!("{earlier}\n{text}")),
            None => written.push(one_in_words(message, text)),
        }
        answers = is_answer;
    }
    written
}

fn one_in_words(message: &Message, text: &str) -> Message {
    match message.role {
        Role::Tool => Message::user(text),
        role if message.tool_calls.is_empty() => Message::new(role, text),
        role => {
            let calls: Vec<Call<'_>> = message.tool_calls.iter().map(as_python).collect();
            let words = [text, &spoken(&calls)];
            Message::new(role, words.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// A call with its arguments as values of Python's.
pub(crate) fn as_python(call: &FunctionCall) -> Call<'static> {
    let arguments = Value::Object(call.arguments.clone());
    let arguments = PythonValue::from(BorrowedValue::from(&arguments)).into_owned();
    Call { name: Cow::Owned(call.name.clone()), arguments }
}

#[cfg(test)]
mod tests {
    use super::super::locales::Locales;
    use super::super::testing::call_item;
    use super::*;

    fn request(prompt: Option<&'static str>, native: bool, sample: &Sample) -> Request {
        let ground = Locales::new(crate::fixtures::prompts()).get("en").unwrap();
        let after = vec![Message::new(Role::Assistant, "So?")];
        Direct { ground: &ground, prompt, native, run: 2 }.request(sample, after).unwrap()
    }

    fn lines(request: &Request) -> Vec<String> {
        let line = |message: &Message| format!("{:?}: {}", message.role, message.content.as_deref().unwrap_or("-"));
        request.history.iter().map(line).collect()
    }

    #[test]
    fn beside_native_tools_the_dialogue_goes_as_it_is() {
        let it = request(None, true, &call_item(1));
        assert_eq!((it.history.len(), it.tools.len(), it.draw, it.user.as_str()), (4, 2, 2, ""));
        assert_eq!((it.history[1].tool_calls.len(), it.history[2].answers), (1, Some(0)));
        assert_eq!(it.system.as_deref(), Some("It is noon."));
        let mut silent = call_item(1);
        silent.messages.remove(0);
        assert_eq!(request(None, true, &silent).system, None);
    }

    #[test]
    fn without_them_calls_are_written_as_python_does() {
        let it = request(Some("predict_bfcl"), false, &call_item(1));
        assert_eq!(
            lines(&it),
            [
                "User: When does a boat leave Hill?",
                "Assistant: [Find_Port(query='Hill')]",
                "User: {\"id\":\"H1\"}",
                "Assistant: So?"
            ]
        );
        let system = it.system.unwrap();
        assert!(system.starts_with("It is noon.\n") && system.contains("{\"name\":\"Find_Port\""), "{system}");
        assert!(it.tools.is_empty() && it.history.iter().all(|message| message.tool_calls.is_empty()));
    }

    #[test]
    fn a_prompt_of_other_people_may_say_the_conversation_itself() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("confetti")).unwrap();
        let prompt = "=== system\n{{ system }}\n=== user\n {{ tools | length }} tools\n{{ conversation }}\n=== end\n";
        std::fs::write(folder.path().join("confetti/predict_confetti_call.md"), prompt).unwrap();
        let locales = Locales::new(
            crate::llm::Prompts::read(crate::fixtures::assets(), folder.path(), &"confetti".into()).unwrap(),
        );
        let ground = locales.get("en").unwrap();
        let request = |native| {
            let direct = Direct { ground: &ground, prompt: Some("predict_confetti_call"), native, run: 0 };
            direct.request(&call_item(1), Vec::new()).unwrap()
        };
        let text = request(false);
        assert_eq!((text.system.as_deref(), text.history.len(), text.tools.len()), (Some("It is noon."), 0, 0));
        assert_eq!(
            text.user,
            " 2 tools\nuser: When does a boat leave Hill?\nassistant: [Find_Port(query='Hill')]\nuser: {\"id\":\"H1\"}"
        );
        let native = request(true);
        assert_eq!((native.user.as_str(), native.history.len(), native.tools.len()), ("", 3, 2));
    }

    #[test]
    fn answers_of_calls_that_were_made_at_once_come_at_once() {
        let answer = |text: &str| Message::new(Role::Tool, text);
        let call = |name: &str| FunctionCall {
            name: name.to_owned(),
            arguments: serde_json::from_str(r#"{"n": 1.50, "on": true, "none": null, "all": ["it's"]}"#).unwrap(),
        };
        let calling = Message { tool_calls: vec![call("a.b"), call("c")], ..Message::new(Role::Assistant, "Well.") };
        let written = in_words(&[calling, answer("1"), answer("2"), Message::user("Thanks")]);
        let texts: Vec<&str> = written.iter().map(|message| message.content.as_deref().unwrap()).collect();
        let arguments = "n=1.5, on=True, none=None, all=[\"it's\"]";
        assert_eq!(texts, [&format!("Well.\n[a.b({arguments}), c({arguments})]"), "1\n2", "Thanks"]);
        assert_eq!(written[1].role, Role::User);
    }
}
