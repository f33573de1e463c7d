//! Lessons: what a training example teaches, in one form for every trainer.

use crate::record::{Expected, FunctionCall, Message, Object, Paradigm, Role, Sample, Step, Tool, Value};
use indexmap::IndexMap;
use serde::Serialize;
use std::sync::Arc;

/// Whether a turn may be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum Learn {
    /// It is right.
    #[default]
    Yes,
    /// It is there to be read: another example teaches it.
    Context,
    /// It is wrong, or was answered by an error.
    Wrong,
}

/// What an example ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aim {
    /// Calls.
    Call,
    /// A question for a required argument.
    Question,
    /// Saying that no tool fits.
    Refusal,
    /// Words.
    Answer,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// The words.
    pub text: Option<String>,
    /// The calls.
    pub calls: Vec<FunctionCall>,
    /// Which call a tool answers: its ordinal in the lesson, from 0.
    pub answers: Option<usize>,
    /// The thought before it.
    pub reasoning: Option<String>,
    /// Whether it may be learned.
    pub learn: Learn,
}

/// An example.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// The turns; the last is an assistant's.
    pub turns: Vec<Turn>,
    /// Where the target begins among them.
    pub target: usize,
    /// What it ends in.
    pub aim: Aim,
    /// The parameters that a question is for.
    pub asked: Vec<String>,
    /// How it was made from its sample.
    pub paradigm: Paradigm,
    /// The tools, in the order shown.
    pub tools: Vec<Arc<Tool>>,
    /// The sample that it was made from; its messages, candidates and right answer stand above.
    pub sample: Sample,
}

impl Aim {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Question => "question",
            Self::Refusal => "refusal",
            Self::Answer => "answer",
        }
    }

    /// The aim of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Call, Self::Question, Self::Refusal, Self::Answer].into_iter().find(|aim| aim.as_str() == name)
    }
}

impl Turn {
    /// Words of somebody.
    pub fn said(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: Some(text.into()), calls: Vec::new(), answers: None, reasoning: None, learn: Learn::Yes }
    }

    /// Calls of the assistant.
    pub fn called(calls: Vec<FunctionCall>) -> Self {
        Self { role: Role::Assistant, text: None, calls, answers: None, reasoning: None, learn: Learn::Yes }
    }

    /// A tool's answer to a call.
    pub fn answered(call: usize, text: impl Into<String>) -> Self {
        Self { answers: Some(call), ..Self::said(Role::Tool, text) }
    }

    /// Whether it is one that may be learned.
    pub fn is_learned(&self) -> bool {
        self.role == Role::Assistant && self.learn == Learn::Yes
    }
}

impl Lesson {
    /// Its name.
    pub fn id(&self) -> &str {
        self.sample.id.as_str()
    }

    /// What stands before the target.
    pub fn prompt(&self) -> &[Turn] {
        self.turns.get(..self.target).unwrap_or_default()
    }

    /// The target.
    pub fn taught(&self) -> &[Turn] {
        self.turns.get(self.target..).unwrap_or_default()
    }

    /// Every call of the target.
    pub fn calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.taught().iter().flat_map(|turn| &turn.calls)
    }

    /// Every call with its ordinal, from the first turn on.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &FunctionCall)> {
        self.turns.iter().flat_map(|turn| &turn.calls).enumerate()
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name).map(AsRef::as_ref)
    }

    /// The sample that asks for exactly what the lesson teaches.
    pub fn as_sample(&self) -> Sample {
        let mut sample = self.sample.clone();
        sample.messages = self.prompt().iter().map(message).collect();
        sample.candidates.clone_from(&self.tools);
        sample.expected = self.expected();
        if let Some(text) = self.last_words() {
            let name = if self.aim == Aim::Call { "final_answer" } else { "gold_text" };
            sample.provenance.facts.insert(name.to_owned(), text.to_owned());
        }
        sample
    }

    fn last_words(&self) -> Option<&str> {
        self.turns.last().filter(|turn| turn.calls.is_empty())?.text.as_deref()
    }

    fn expected(&self) -> Expected {
        match self.aim {
            Aim::Refusal => Expected::Refusal,
            Aim::Question => Expected::Question(self.asked.clone()),
            Aim::Answer => Expected::Answer(self.last_words().unwrap_or_default().to_owned()),
            Aim::Call => match self.taught() {
                [only] if only.calls.len() == 1 => Expected::Call(only.calls[0].clone()),
                turns => Expected::Steps(steps(turns)),
            },
        }
    }
}

fn message(turn: &Turn) -> Message {
    Message {
        role: turn.role,
        content: turn.text.clone(),
        tool_calls: turn.calls.clone(),
        answers: turn.answers,
        reasoning: turn.reasoning.clone(),
        train: turn.learn == Learn::Yes,
    }
}

/// The calls of a target with the answers that follow them.
fn steps(turns: &[Turn]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for turn in turns {
        match (turn.role, steps.last_mut()) {
            (Role::Tool, Some(step)) => step.answers.push(read(turn.text.as_deref().unwrap_or_default())),
            _ if turn.calls.is_empty() => {}
            _ => steps.push(Step { calls: turn.calls.clone(), answers: Vec::new(), notes: Vec::new() }),
        }
    }
    steps
}

/// A text as the value that it writes, else as itself.
pub(crate) fn read(text: &str) -> Value {
    Value::read(text).unwrap_or_else(|_| text.into())
}

/// An object of a few fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<IndexMap<_, _>>()
}

/// A record as a value, with its numbers as they are.
pub(crate) fn value_of(record: &impl serde::Serialize) -> Value {
    serde_json::to_string(record).ok().and_then(|text| Value::read(&text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{call, lesson, parallel};

    #[test]
    fn a_lesson_is_a_sample_again() {
        let sample = lesson("call").as_sample();
        assert_eq!(sample.expected, Expected::Call(call("Rail.book", r#"{"to":"Porto"}"#)));
        assert_eq!((sample.messages.len(), sample.candidates.len()), (1, 2));
        assert_eq!(lesson("refusal").as_sample().expected, Expected::Refusal);
        let question = lesson("question").as_sample();
        assert_eq!(question.expected, Expected::Question(vec!["to".to_owned()]));
        assert_eq!(question.provenance.facts["gold_text"], "Where to?");
    }

    #[test]
    fn parallel_calls_and_their_answers_are_steps() {
        let Expected::Steps(steps) = parallel().as_sample().expected else { panic!() };
        assert_eq!((steps.len(), steps[0].calls.len(), steps[0].answers.len()), (1, 2, 2));
        assert_eq!(parallel().as_sample().provenance.facts["final_answer"], "Both are booked.");
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for aim in [Aim::Call, Aim::Question, Aim::Refusal, Aim::Answer] {
            assert_eq!(Aim::named(aim.as_str()), Some(aim));
        }
    }
}
