//! HammerBench: each sample is asked about by itself, with everything that was said up to its last turn.

use super::asking::{Asking, bare, call_request};
use super::locales::{Ground, Locales};
use crate::failure::RunStopped;
use crate::llm::{Prompt, Prompts, Reply, Request};
use crate::record::{Paradigm, Role, Sample, Tool, history};
use std::sync::Arc;

/// The prompt that has the tools in its text, and the one beside native tools.
const PROMPT: &str = "predict";
const TOOLS_PROMPT: &str = "predict_tools";

/// How the tools are handed to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In the prompt's text; the call comes back as text (the paper's appendix D).
    Prompt,
    /// As native tools; the dialogue goes as messages.
    Tools,
    /// To the built-in reader, which reads no prompt.
    BuiltIn,
}

impl Mode {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Tools => "tools",
            Self::BuiltIn => "built-in",
        }
    }
}

/// Which tools are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Candidates {
    /// Always all candidates.
    #[default]
    All,
    /// As the authors do: all in the first turn of a conversation, the right tool alone in later ones.
    Upstream,
}

/// The prompt that lets the model ask for what is missing, with tools in its text or beside native ones.
const ASK: &str = "predict_ask";

/// Asks about snapshots, one request for each.
pub struct Snapshots {
    mode: Mode,
    candidates: Candidates,
    paradigm: Paradigm,
    variant: String,
    locales: Locales,
}

impl Snapshots {
    /// A way to ask.
    pub fn new(mode: Mode, candidates: Candidates, prompts: Prompts) -> Self {
        let ending = if candidates == Candidates::Upstream { "-upstream" } else { "" };
        let (variant, paradigm) = (format!("{}{ending}", mode.as_str()), Paradigm::Snapshot);
        Self { mode, candidates, paradigm, variant, locales: Locales::new(prompts) }
    }

    /// The same, where the model is told what is right while required arguments are missing.
    #[must_use]
    pub fn in_paradigm(self, paradigm: Paradigm) -> Self {
        let variant = if paradigm == Paradigm::Ask { self.variant + "-ask" } else { self.variant };
        Self { paradigm, variant, ..self }
    }

    /// The tools that are shown of a sample, with what a model may know of them: value kinds and wordings are not that.
    fn tools(&self, sample: &Sample) -> Vec<Arc<Tool>> {
        let shown = |tool: &&Arc<Tool>| self.candidates == Candidates::All || upstream_shows(sample, &tool.name);
        bare(sample.candidates.iter().filter(shown))
    }

    fn request(&self, sample: &Sample, run: u32, ground: &Ground) -> Result<Request, RunStopped> {
        let tools = self.tools(sample);
        let mut request = call_request(sample, run, ground, text(sample), &tools);
        match (self.mode, self.paradigm) {
            (Mode::BuiltIn, _) => return Ok(request),
            (Mode::Prompt, Paradigm::Snapshot) => render(&*ground.named(PROMPT)?, sample, &mut request, false)?,
            (Mode::Tools, Paradigm::Snapshot) => render(&*ground.named(TOOLS_PROMPT)?, sample, &mut request, true)?,
            (mode, Paradigm::Ask) => render(&*ground.named(ASK)?, sample, &mut request, mode == Mode::Tools)?,
        }
        if self.mode == Mode::Tools {
            request.tools = tools;
            (request.history, request.user) = (sample.messages.clone(), String::new());
        }
        Ok(request)
    }
}

impl Asking for Snapshots {
    fn variant(&self) -> &str {
        &self.variant
    }

    fn paradigm(&self) -> Paradigm {
        self.paradigm
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        if !sample.messages.iter().any(|message| message.role == Role::User) {
            return Err("no user message".to_owned());
        }
        if self.tools(sample).is_empty() && !sample.candidates.is_empty() {
            return Err("the tools listed by the original benchmark are not among its tools".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        let prompt = match (self.mode, self.paradigm) {
            (Mode::BuiltIn, _) => return Ok(()),
            (_, Paradigm::Ask) => ASK,
            (Mode::Prompt, Paradigm::Snapshot) => PROMPT,
            (Mode::Tools, Paradigm::Snapshot) => TOOLS_PROMPT,
        };
        ground.named(prompt).map(drop).map_err(|fault| fault.to_string())
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        if !said.is_empty() {
            return Ok(None);
        }
        let ground = self.locales.get(&sample.locale)?;
        self.request(sample, run, &ground).map(Some)
    }
}

/// What a model reads: of a single turn the words alone, of a conversation a line for each turn, from its first one on.
fn text(sample: &Sample) -> String {
    match sample.messages.as_slice() {
        [only] if sample.snapshot.is_none() => only.content.clone().unwrap_or_default(),
        messages => history(messages),
    }
}

fn upstream_shows(sample: &Sample, name: &str) -> bool {
    match (&sample.snapshot, &sample.authors_candidates) {
        (Some(place), _) if place.turn > 1 => name == place.tool,
        (_, Some(names)) => names.iter().any(|other| other == name),
        (_, None) => true,
    }
}

fn render(prompt: &Prompt, sample: &Sample, request: &mut Request, native: bool) -> Result<(), RunStopped> {
    let mut fields = request.variables.fields();
    fields["native"] = native.into();
    // The authors write a single turn as a dialogue, too.
    fields["dialogue"] = history(&sample.messages).into();
    let rendered = prompt.render(&fields).map_err(|error| RunStopped::Input(error.to_string()))?;
    (request.system, request.user) = (rendered.system, rendered.user);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{conversation, sample};
    use super::*;
    use crate::llm::Variables;
    use crate::record::{Expected, FunctionCall, Message, Object};
    use indexmap::IndexMap;

    fn ask(mode: Mode, candidates: Candidates, sample: &Sample) -> Request {
        let asking = Snapshots::new(mode, candidates, crate::fixtures::prompts());
        assert_eq!(asking.check(sample), Ok(()));
        asking.next(sample, 0, &[]).unwrap().unwrap()
    }

    fn shown(request: &Request) -> Vec<&str> {
        let Variables::Call(variables) = &*request.variables else { panic!("another task") };
        variables.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn the_prompt_has_the_tools_and_the_dialogue_in_its_text() {
        let request = ask(Mode::Prompt, Candidates::All, &conversation()[1]);
        assert_eq!(request.user, "user:A cab, please\nassistant:Where to?\nuser:Pier 4");
        let system = request.system.unwrap();
        for part in
            ["\"name\":\"Travel.Cabs.bookCab\"", "\"name\":\"Travel.Cabs.cancelCab\"", "Sorry, no tool is suitable"]
        {
            assert!(system.contains(part), "{part}: {system}");
        }
        assert!(request.tools.is_empty() && request.history.is_empty());
    }

    #[test]
    fn native_tools_go_beside_the_dialogue_as_messages() {
        let sample = &conversation()[1];
        let request = ask(Mode::Tools, Candidates::All, sample);
        assert_eq!((request.history.len(), request.user.as_str(), request.tools.len()), (3, "", 2));
        assert_eq!(request.history, sample.messages);
        assert!(!request.system.unwrap().contains("bookCab"));
    }

    #[test]
    fn the_built_in_reader_is_given_no_text_at_all() {
        let request = ask(Mode::BuiltIn, Candidates::All, &sample("a"));
        assert_eq!((request.system.as_deref(), request.user.as_str(), request.draw), (None, "", 0));
        assert!(matches!(&*request.variables, Variables::Call(variables) if variables.query == "A cab to Pier 4"));
    }

    #[test]
    fn who_may_ask_is_told_so_in_both_modes_and_every_shipped_locale() {
        let ask_in = |mode: Mode, paradigm: Paradigm, locale: &str| {
            let asking = Snapshots::new(mode, Candidates::All, crate::fixtures::prompts()).in_paradigm(paradigm);
            let sample = Sample { locale: locale.to_owned(), ..sample("a") };
            assert_eq!((asking.check(&sample), asking.paradigm()), (Ok(()), paradigm));
            (asking.next(&sample, 0, &[]).unwrap().unwrap(), asking.variant().to_owned())
        };
        for (locale, word) in
            [("en", "in English"), ("ko", "한국어 질문"), ("zh", "用中文"), ("ja", "日本語の短い質問")]
        {
            for (mode, variant) in [(Mode::Prompt, "prompt-ask"), (Mode::Tools, "tools-ask")] {
                let (request, named) = ask_in(mode, Paradigm::Ask, locale);
                let system = request.system.unwrap();
                assert!(system.contains(word), "{locale}: {system}");
                assert_eq!((system.contains("bookCab"), named.as_str()), (mode == Mode::Prompt, variant));
                assert_eq!(request.tools.is_empty(), mode == Mode::Prompt);
                let (snapshot, _) = ask_in(mode, Paradigm::Snapshot, locale);
                assert_ne!(snapshot.system.unwrap(), system);
            }
        }
    }

    #[test]
    fn a_conversation_is_a_conversation_from_its_first_turn_on() {
        let request = ask(Mode::Prompt, Candidates::All, &conversation()[0]);
        assert_eq!(request.user, "user:A cab, please");
        assert_eq!(ask(Mode::Prompt, Candidates::All, &sample("a")).user, "A cab to Pier 4");
    }

    #[test]
    fn the_authors_show_the_right_tool_alone_after_the_first_turn() {
        let [first, second] = conversation();
        for (sample, count) in [(&first, 2), (&second, 1)] {
            assert_eq!(shown(&ask(Mode::Prompt, Candidates::Upstream, sample)).len(), count);
            assert_eq!(shown(&ask(Mode::Prompt, Candidates::All, sample)).len(), 2);
        }
        assert_eq!(shown(&ask(Mode::Prompt, Candidates::Upstream, &second)), ["Travel.Cabs.bookCab"]);
    }

    #[test]
    fn the_authors_show_fewer_tools_where_none_is_right() {
        let twin = Sample { authors_candidates: Some(vec!["Travel.Cabs.cancelCab".to_owned()]), ..sample("a") };
        assert_eq!(shown(&ask(Mode::Prompt, Candidates::Upstream, &twin)), ["Travel.Cabs.cancelCab"]);
        assert_eq!(shown(&ask(Mode::Prompt, Candidates::All, &twin)).len(), 2);
    }

    #[test]
    fn whatever_a_model_must_not_know_changes_nothing() {
        let plain = sample("a");
        let mut told = plain.clone();
        told.expected = Expected::Refusal;
        told.label = Some(FunctionCall { name: "x".to_owned(), arguments: Object::new() });
        told.tags = vec!["hard".to_owned()];
        let tool = Arc::make_mut(&mut told.candidates[0]);
        tool.kinds.insert("place".to_owned(), "city".to_owned());
        tool.wordings.insert("place".to_owned(), IndexMap::default());
        tool.returns = Some(true.into());
        for mode in [Mode::Prompt, Mode::Tools, Mode::BuiltIn] {
            let (one, other) = (ask(mode, Candidates::All, &plain), ask(mode, Candidates::All, &told));
            assert_eq!(format!("{one:?}"), format!("{other:?}"));
        }
    }

    #[test]
    fn runs_are_draws_and_one_reply_is_all() {
        let asking = Snapshots::new(Mode::Prompt, Candidates::Upstream, crate::fixtures::prompts());
        assert_eq!(asking.next(&sample("a"), 3, &[]).unwrap().unwrap().draw, 3);
        assert!(asking.next(&sample("a"), 3, &[Reply::default()]).unwrap().is_none());
        assert_eq!(asking.variant(), "prompt-upstream");
    }

    #[test]
    fn what_cannot_be_asked_about_is_told_before() {
        let check = |sample: &Sample| {
            Snapshots::new(Mode::Prompt, Candidates::Upstream, crate::fixtures::prompts()).check(sample).unwrap_err()
        };
        let silent = Sample { messages: vec![Message::new(Role::System, "x")], ..sample("a") };
        assert_eq!(check(&silent), "no user message");
        let [_, mut second] = conversation();
        second.snapshot.as_mut().unwrap().tool = "Travel.Cabs.callCab".to_owned();
        assert_eq!(check(&second), "the tools listed by the original benchmark are not among its tools");
    }
}
