//! How a model is asked: for what, by which way, in which form.

use super::super::render::CandidateForm;
use super::super::snapshots::Mode;
use crate::llm::CallsFormat;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The names of the APIs, in order.
    Routing,
    /// The calls with their parameters.
    #[default]
    Parameters,
}

/// By which way the calls are come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approach {
    /// All candidates are shown, and all is asked for at once.
    #[default]
    Direct,
    /// First a router chooses among the candidates; the model is shown what it chose.
    Router,
    /// The last call is asked for first; then, in at most so many rounds, what is missing.
    Backward {
        /// Most rounds after the first question.
        rounds: u32,
    },
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What is asked for.
    pub goal: Goal,
    /// How the tools are handed to the model.
    pub mode: Mode,
    /// How the candidates are written into a prompt.
    pub candidates: CandidateForm,
    /// In which format calls with parameters come back as text.
    pub answer: CallsFormat,
    /// By which way.
    pub approach: Approach,
    /// Whether the server is asked to hold to a JSON Schema, which is made of the candidates.
    pub structured: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            mode: Mode::Prompt,
            candidates: CandidateForm::default(),
            answer: CallsFormat::default(),
            approach: Approach::default(),
            structured: false,
        }
    }
}

impl Goal {
    /// The suite's task.
    pub fn word(self) -> &'static str {
        match self {
            Self::Routing => "routing",
            Self::Parameters => "parameters",
        }
    }
}

impl Plan {
    /// The whole plan in a word: `parameters-json-signature-router`.
    pub fn variant(&self) -> String {
        let answer = match (self.goal, self.mode, self.answer) {
            (Goal::Routing, ..) => None,
            (_, Mode::Tools, _) => Some("tools"),
            (_, _, CallsFormat::Json) => Some("json"),
            (_, _, CallsFormat::Yaml) => Some("yaml"),
        };
        let shown = match (self.mode, self.approach) {
            (Mode::BuiltIn, _) => Some("built_in"),
            // Native tools have a form of their own; a router is asked by a prompt all the same.
            (Mode::Tools, Approach::Direct | Approach::Backward { .. }) => None,
            _ => Some(self.candidates.word()),
        };
        let approach = match self.approach {
            Approach::Direct => None,
            Approach::Router => Some("router"),
            Approach::Backward { .. } => Some("backward"),
        };
        let structured = self.structured.then_some("structured");
        let parts = [Some(self.goal.word()), answer, shown, approach, structured];
        parts.into_iter().flatten().collect::<Vec<_>>().join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_the_whole_plan() {
        let (plan, yaml) = (Plan::default(), CallsFormat::Yaml);
        let (signature, router) = (CandidateForm::Signature, Approach::Router);
        for (plan, word) in [
            (plan, "parameters-json-json"),
            (Plan { goal: Goal::Routing, ..plan }, "routing-json"),
            (Plan { candidates: signature, ..plan }, "parameters-json-signature"),
            (Plan { candidates: CandidateForm::Yaml, answer: yaml, ..plan }, "parameters-yaml-yaml"),
            (
                Plan { candidates: CandidateForm::JsonSchema, structured: true, ..plan },
                "parameters-json-json_schema-structured",
            ),
            (Plan { approach: Approach::Backward { rounds: 2 }, ..plan }, "parameters-json-json-backward"),
            (Plan { mode: Mode::Tools, ..plan }, "parameters-tools"),
            (
                Plan { mode: Mode::Tools, approach: router, candidates: signature, ..plan },
                "parameters-tools-signature-router",
            ),
            (Plan { mode: Mode::BuiltIn, approach: router, ..plan }, "parameters-json-built_in-router"),
            (Plan { mode: Mode::BuiltIn, goal: Goal::Routing, ..plan }, "routing-built_in"),
        ] {
            assert_eq!(plan.variant(), word);
        }
    }
}
