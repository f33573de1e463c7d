//! Asks for one turn of each sample: a single call, a turn of a dialog, a decision.

use crate::failure::RunStopped;
use crate::functionchat::layout::TypeOfOutput;
use crate::llm::{Prompt, Prompts, Reply, Request};
use crate::predict::asking::{Asking, bare, call_request, check_suite};
use crate::predict::locales::{Ground, Locales};
use crate::predict::snapshots::Mode;
use crate::record::{Message, Role, Sample, SuiteId, Value};
use std::path::Path;

/// The prompt that has the functions in its text.
const PROMPT: &str = "predict_functionchat";

/// Asks for turns. What was said and called before is the right one, whatever the model said.
pub struct Chats {
    mode: Mode,
    system: System,
    variant: String,
    locales: Locales,
}

impl Chats {
    /// A way to ask.
    pub fn new(mode: Mode, system: System, prompts: Prompts) -> Self {
        let word = if mode == Mode::Prompt { "prompt" } else { "tools" };
        let variant = format!("{word}{}", system.as_str());
        Self { mode, system, variant, locales: Locales::new(prompts) }
    }

    fn request(&self, sample: &Sample, run: u32, ground: &Ground) -> Result<Request, RunStopped> {
        let tools = bare(&sample.candidates);
        let system = self.system.of(sample, ground)?;
        let said: Vec<Message> = sample.messages.iter().filter(|it| it.role != Role::System).cloned().collect();
        let request = call_request(sample, run, ground, sample.query(), &tools);
        let mut request = Request { system, history: said, ..request };
        if self.mode == Mode::Prompt {
            let mut fields = request.variables.fields();
            fields["system"] = request.system.take().unwrap_or_default().into();
            let rendered = ground.named(PROMPT)?.render(&fields);
            request.system = rendered.map_err(|error| RunStopped::Input(error.to_string()))?.system;
            request.history = request.history.iter().map(in_words).collect();
        } else {
            request.tools = tools;
        }
        Ok(request)
    }
}

impl Asking for Chats {
    fn variant(&self) -> &str {
        &self.variant
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        check_suite(sample, SuiteId::FunctionChat)?;
        if TypeOfOutput::of(sample).is_none() {
            return Err("no turn of a dialog is expected".to_owned());
        }
        if !sample.messages.iter().any(|message| message.role == Role::User) {
            return Err("no user message".to_owned());
        }
        if self.mode == Mode::BuiltIn {
            return Err("the built-in reader does not support dialogs; choose a model with `--model`".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        self.system.of(sample, &ground).map(drop).map_err(|fault| fault.to_string())
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        if !said.is_empty() {
            return Ok(None);
        }
        let ground = self.locales.get(&sample.locale)?;
        self.request(sample, run, &ground).map(Some)
    }
}

/// A message for a model that has its functions in the text: calls as it should write them, and answers as somebody's words.
fn in_words(message: &Message) -> Message {
    let calls = message.tool_calls.iter().map(|call| {
        let arguments = Value::Object(call.arguments.clone());
        format!("{{\"name\": {}, \"arguments\": {arguments}}}", Value::from(call.name.as_str()))
    });
    let calls: Vec<String> = calls.collect();
    let content = message.content.clone().unwrap_or_default();
    match message.role {
        Role::Tool => Message::user(content),
        role if calls.is_empty() => Message::new(role, content),
        role => Message::new(role, format!("```json\n{}\n```", calls.join("\n"))),
    }
}

// The system's message, which is a controlled variable: figures with different ones do not compare.

/// The folder of the messages that ship.
const SHIPPED: &str = "functionchat_system";

/// Which message the system gives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum System {
    /// The sample's own where it has one, and else that of its locale.
    #[default]
    Own,
    /// None at all, and the sample's own is left out.
    Silent,
    /// This one in every sample.
    Text(String),
}

impl System {
    /// The message in a file: a text, or a prompt whose part for the system it is.
    pub fn read(path: &Path) -> Result<Self, RunStopped> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| RunStopped::Input(format!("`{}` cannot be read: {error}", path.display())))?;
        if !text.lines().any(|line| line.starts_with("=== ")) {
            return Ok(Self::Text(text.trim().to_owned()));
        }
        let fault = |error: crate::llm::PromptError| RunStopped::Input(error.to_string());
        let prompt = Prompt::from_text(&path.display().to_string(), &text).map_err(fault)?;
        let rendered = prompt.render(&serde_json::json!({"query": ""})).map_err(fault)?;
        Ok(Self::Text(rendered.system.unwrap_or_default()))
    }

    /// The word that names it in predictions.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Own => "",
            Self::Silent => "-no-system",
            Self::Text(_) => "-other-system",
        }
    }

    /// The message for a sample.
    pub(super) fn of(&self, sample: &Sample, ground: &Ground) -> Result<Option<String>, RunStopped> {
        let own = sample.messages.iter().find(|message| message.role == Role::System);
        match (self, own.and_then(|message| message.content.clone())) {
            (Self::Silent, _) => Ok(None),
            (Self::Text(text), _) => Ok(Some(text.clone())),
            (Self::Own, Some(text)) => Ok(Some(text)),
            (Self::Own, None) => {
                let fields = serde_json::json!({"common": ground.common, "query": ""});
                let rendered = ground.named(SHIPPED)?.render(&fields);
                Ok(rendered.map_err(|error| RunStopped::Input(error.to_string()))?.system)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample(expected: &serde_json::Value) -> Sample {
        serde_json::from_value(json!({
            "id": "dialog/2", "suite": SuiteId::FunctionChat.as_str(), "data_type": "completion", "locale": "en", "group": "g", "licence": "CC0", "source": "test",
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "Any boats?"},
                {"role": "assistant", "tool_calls": [{"name": "list_boats", "arguments": {"n": 1.5}}]},
                {"role": "tool", "content": "{'boats': None}", "answers": 0}],
            "expected": expected, "tags": ["secret"], "acceptable": {"n": ["secret"]},
            "candidates": [{"name": "list_boats", "description": "Lists boats", "kinds": {"n": "secret_kind"}}],
            "provenance": {"template": false, "draws": [], "facts": {"gold_text": "secret"}},
        }))
        .unwrap()
    }

    fn request(mode: Mode, system: System) -> Request {
        let asking = Chats::new(mode, system, crate::fixtures::prompts());
        let sample = sample(&json!({"answer": "secret"}));
        assert_eq!(asking.check(&sample), Ok(()));
        assert!(asking.next(&sample, 0, &[Reply::default()]).unwrap().is_none());
        asking.next(&sample, 3, &[]).unwrap().unwrap()
    }

    #[test]
    fn beside_native_tools_the_history_goes_as_it_is() {
        let it = request(Mode::Tools, System::Own);
        assert_eq!((it.system.as_deref(), it.history.len(), it.tools.len(), it.draw), (Some("Be kind."), 3, 1, 3));
        assert_eq!((it.history[1].tool_calls.len(), it.history[2].answers), (1, Some(0)));
    }

    #[test]
    fn without_native_tools_calls_are_texts_and_the_functions_stand_in_the_prompt() {
        let it = request(Mode::Prompt, System::Text("Be brief.".to_owned()));
        let system = it.system.unwrap();
        assert!(
            system.starts_with("Be brief.") && system.contains("{\"name\":\"list_boats\"") && it.tools.is_empty(),
            "{system}"
        );
        let said: Vec<_> = it.history.iter().map(|message| (message.role, message.content.clone().unwrap())).collect();
        assert_eq!(
            said[1],
            (Role::Assistant, "```json\n{\"name\": \"list_boats\", \"arguments\": {\"n\":1.5}}\n```".to_owned())
        );
        assert_eq!(said[2], (Role::User, "{'boats': None}".to_owned()));
    }

    #[test]
    fn nothing_of_the_right_answer_is_shown() {
        for mode in [Mode::Tools, Mode::Prompt] {
            for system in [System::Own, System::Silent] {
                let shown = format!("{:?}", request(mode, system));
                assert!(!shown.contains("secret"), "{shown}");
            }
        }
        assert!(request(Mode::Tools, System::Silent).system.is_none());
        assert!(request(Mode::Prompt, System::Silent).system.unwrap().starts_with("The functions"));
    }

    #[test]
    fn the_variant_names_what_was_varied() {
        let variant = |mode, system| Chats::new(mode, system, crate::fixtures::prompts()).variant().to_owned();
        assert_eq!(variant(Mode::Tools, System::Own), "tools");
        assert_eq!(variant(Mode::Prompt, System::Silent), "prompt-no-system");
        assert_eq!(variant(Mode::Tools, System::Text(String::new())), "tools-other-system");
    }

    #[test]
    fn what_cannot_be_asked_is_told_before() {
        let told = |mode, change: &dyn Fn(&mut Sample)| {
            let mut sample = sample(&json!("refusal"));
            change(&mut sample);
            Chats::new(mode, System::Own, crate::fixtures::prompts()).check(&sample).unwrap_err()
        };
        assert!(told(Mode::BuiltIn, &|_| {}).contains("choose a model with `--model`"));
        assert!(told(Mode::Tools, &|it| it.suite = "callnavi".into()).contains("`callnavi`"));
        assert_eq!(told(Mode::Tools, &|it| it.messages.clear()), "no user message");
        assert_eq!(
            told(Mode::Tools, &|it| it.expected = crate::record::Expected::Steps(Vec::new())),
            "no turn of a dialog is expected"
        );
    }
}

#[cfg(test)]
mod system_tests {
    use super::*;
    use crate::predict::locales::Locales;
    use crate::predict::testing::sample;
    use crate::record::Message;

    fn of(system: &System, own: Option<&str>) -> Option<String> {
        let mut sample = sample("a");
        if let Some(text) = own {
            sample.messages.insert(0, Message::new(Role::System, text));
        }
        system.of(&sample, &Locales::new(crate::fixtures::prompts()).get("en").unwrap()).unwrap()
    }

    #[test]
    fn a_sample_keeps_its_own_unless_somebody_says_otherwise() {
        assert_eq!(of(&System::Own, Some("Be kind.")).unwrap(), "Be kind.");
        assert!(of(&System::Own, None).unwrap().contains("talk with the user in English"));
        assert_eq!((of(&System::Silent, Some("Be kind.")), of(&System::Silent, None)), (None, None));
        let other = System::Text("Be brief.".to_owned());
        assert_eq!(
            (of(&other, Some("Be kind.")).unwrap(), of(&other, None).unwrap()),
            ("Be brief.".to_owned(), "Be brief.".to_owned())
        );
    }

    #[test]
    fn a_file_is_a_text_or_a_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("s.md");
            std::fs::write(&path, text).unwrap();
            System::read(&path)
        };
        assert_eq!(read("\nBe kind.\n").unwrap(), System::Text("Be kind.".to_owned()));
        assert_eq!(
            read("=== system\nBe brief.\n=== user\n{{ query }}\n.\n").unwrap(),
            System::Text("Be brief.".to_owned())
        );
        assert!(read("=== system\n{{ nothing }}\n=== user\nx\n").is_err());
        assert!(System::read(Path::new("/no/such")).unwrap_err().to_string().contains("`/no/such` cannot be read"));
    }
}
