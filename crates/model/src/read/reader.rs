//! A locale's reader: requests against tools.

use super::assign::read_slots;
use super::fit::Fit;
use super::ideas::ToolIdeas;
use super::learn::Learned;
use super::request::RequestIdeas;
use super::slot::{Slot, tells};
use super::text::Text;
use crate::locale::{Language, Pack};
use crate::read::values::recognise::Recogniser;
use crate::record::{FunctionCall, Object, Tool};
use std::sync::Arc;

/// A tool prepared for reading.
pub(crate) struct ToolReader {
    pub(super) name: String,
    pub(super) ideas: ToolIdeas,
    pub(super) slots: Vec<Slot>,
}

/// What a locale reads with.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) recogniser: &'a Recogniser,
    /// What numbers and corrections look like; absent where the locale says nothing of it.
    pub(crate) language: Option<&'a Arc<Language>>,
}

impl ToolReader {
    pub(crate) fn new(tool: &Tool, pack: &Pack, recogniser: &Recogniser) -> Self {
        let slots = Slot::all(tool, pack, recogniser);
        Self { name: tool.name.clone(), ideas: ToolIdeas::new(tool, &pack.reading), slots }
    }
}

impl Reader<'_> {
    /// A text as this reader sees it.
    pub(crate) fn text(&self, text: &str) -> Text {
        let text = match self.language {
            Some(language) => Text::of(text, self.spaced(), language),
            None => Text::new(text, self.spaced()),
        };
        text.cut_by(self.pack.reading.cutter())
    }

    /// Whether words are set apart by spaces.
    pub(crate) fn spaced(&self) -> bool {
        !self.pack.joiner.is_empty()
    }

    /// Whether a text begins by saying what is to be done, whatever that is, or asks a question.
    pub(crate) fn says_what_to_do(&self, text: &Text) -> bool {
        let ideas = RequestIdeas::new(text.lower(), &[], &self.pack.reading);
        ideas.is_asking() || ideas.begins_with_verb()
    }

    /// How well a request fits a tool, and what it says to it.
    pub(crate) fn read(&self, text: &Text, tool: &ToolReader, learned: &Learned) -> (Fit, Object) {
        let said = read_slots(&tool.slots, text, self.recogniser, &self.pack.reading, learned);
        let ideas = RequestIdeas::new(text.lower(), &said.values, &self.pack.reading);
        (Fit { told: said.told, own_value: said.own, ..ideas.fit(&tool.ideas) }, said.arguments)
    }

    /// The same, where a value that few requests hold says more.
    pub(super) fn read_telling(&self, text: &Text, tool: &ToolReader, learned: &Learned) -> (Fit, Object) {
        let (mut fit, arguments) = self.read(text, tool, learned);
        if tells(&tool.slots, &arguments, self.pack) {
            fit.told += 1.0;
        }
        (fit, arguments)
    }

    /// The call that a request asks for; `None` where no tool can serve it (appendix D).
    pub(crate) fn call(&self, request: &str, tools: &[Arc<ToolReader>], learned: &Learned) -> Option<FunctionCall> {
        let text = self.text(request);
        let read = tools.iter().map(|tool| {
            let (fit, arguments) = self.read_telling(&text, tool, learned);
            (fit, FunctionCall { name: tool.name.clone(), arguments })
        });
        read.filter(|(fit, _)| fit.may_serve())
            .reduce(|best, next| if next.0.score() > best.0.score() { next } else { best })
            .map(|(_, call)| call)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::toolset::Toolset;

    /// A locale with the tools of a toolset, ready to read.
    pub(crate) struct Desk {
        pub(crate) toolset: Toolset,
        pub(crate) pack: Pack,
        pub(crate) recogniser: Recogniser,
        language: Arc<Language>,
    }

    impl Desk {
        pub(crate) fn new(path: &str, locale: &str) -> Self {
            let toolset = Toolset::load(crate::fixtures::assets(), path, locale).unwrap();
            let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
            toolset.extend(&mut pack).unwrap();
            let recogniser = Recogniser::new(&pack);
            Self {
                toolset,
                pack,
                recogniser,
                language: Arc::new(Language::load(crate::fixtures::assets(), locale).unwrap()),
            }
        }

        pub(crate) fn reader(&self) -> Reader<'_> {
            Reader { pack: &self.pack, recogniser: &self.recogniser, language: Some(&self.language) }
        }

        pub(crate) fn tool(&self, name: &str) -> Arc<ToolReader> {
            Arc::new(ToolReader::new(self.toolset.tool(name).unwrap(), &self.pack, &self.recogniser))
        }
    }

    #[test]
    fn the_fitting_tool_is_called_and_a_stranger_refused() {
        let desk = Desk::new("mobile", "en");
        let tools = ["UtilityTools.AlarmClock.deleteAlarm", "UtilityTools.AlarmClock.addAlarm"].map(|it| desk.tool(it));
        let call = |request: &str| desk.reader().call(request, &tools, &Learned::new());
        let call_text = serde_json::to_string(&call("scrap the alarm at 7:30 am").unwrap()).unwrap();
        assert_eq!(call_text, r#"{"name":"UtilityTools.AlarmClock.deleteAlarm","arguments":{"time":"7:30 am"}}"#);
        assert_eq!(call("how deep is the ocean"), None);
    }

    #[test]
    fn words_stand_apart_where_the_language_sets_them_apart() {
        assert!(Desk::new("mobile", "en").reader().spaced());
        assert!(!Desk::new("tests/fixtures/toolsets/proof", "zh").reader().spaced());
    }
}
