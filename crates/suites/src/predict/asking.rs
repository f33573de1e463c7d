//! One way to put a sample to a model.

use super::locales::Ground;
use crate::failure::RunStopped;
use crate::llm::{CallVariables, Reply, Request, Task, Variables, Vector};
use crate::record::{Paradigm, Prediction, PredictionTurn, Sample, SuiteId, Tool};
use crate::{Pending, Recorded};
use std::sync::Arc;

/// Which of a job's models a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressee {
    /// The model under test.
    Model,
    /// The one that chooses tools for it; the model itself where the job has no other.
    Router,
}

/// What others than the model under test must say before it can be asked on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wanted {
    /// Questions to a judge.
    pub questions: Vec<Pending>,
    /// Texts that are to become vectors.
    pub texts: Vec<String>,
}

/// What they said of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Learnt {
    /// The judge's answers.
    pub replies: Vec<Recorded>,
    /// Texts with their vectors.
    pub vectors: Vec<(String, Vector)>,
}

impl Wanted {
    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.texts.is_empty()
    }
}

/// One way to put samples to a model: a machine without I/O, which is told what the model has said and gives the next
/// request, until there is none.
///
/// What it may look at of a sample is what a model may be shown: its messages and its candidate tools, never the right
/// answer.
pub trait Asking: Send + Sync {
    /// How the model is asked, in a word; it goes into every row.
    fn variant(&self) -> &str;

    /// What is right while required arguments are missing, by what the model is told.
    fn paradigm(&self) -> Paradigm {
        Paradigm::Ask
    }

    /// The suite's task, where it has several.
    fn task(&self) -> Option<&str> {
        None
    }

    /// Whether this sample is any of its business; the others are left out, and counted.
    fn takes(&self, _sample: &Sample) -> bool {
        true
    }

    /// Whether this sample can be asked about, looked at before anything is paid for; if not, why.
    fn check(&self, sample: &Sample) -> Result<(), String>;

    /// What others must say, after what was said so far. They are asked, and it is told what they said, until nothing is
    /// wanted any more.
    fn wanted(&self, _sample: &Sample, _said: &[Reply]) -> Wanted {
        Wanted::default()
    }

    /// Takes in what others said.
    fn learn(&self, _learnt: Learnt) {}

    /// The next request after what was said so far, when nothing is wanted of others; `None` when all is said.
    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped>;

    /// Who is asked after what was said so far.
    fn addressee(&self, _said: &[Reply]) -> Addressee {
        Addressee::Model
    }

    /// What is kept of it: a turn for each reply, and why there is none where a request got none.
    fn prediction(&self, sample: &Sample, run: u32, said: &[Reply], error: Option<String>) -> Prediction {
        trajectory(self, sample, run, said, error)
    }
}

/// Whether a sample is of the suite that is asked about; else why it cannot be asked about.
pub(crate) fn check_suite(sample: &Sample, suite: SuiteId) -> Result<(), String> {
    if sample.suite == suite {
        return Ok(());
    }
    Err(format!("its suite is `{}`, but the samples before it are of `{suite}`", sample.suite))
}

/// The request for a call to some tools, before it is said in words.
pub(crate) fn call_request(sample: &Sample, run: u32, ground: &Ground, query: String, tools: &[Arc<Tool>]) -> Request {
    let variables = Variables::Call(CallVariables {
        common: ground.common.clone(),
        query,
        tools: tools.to_vec(),
        example: None,
        refusal: ground.refusal.clone(),
        reference_time: sample.reference_time.clone(),
    });
    Request::new(Task::Call, "predict", sample.id.as_str(), run, variables)
}

/// What a model may know of tools: value kinds, wordings and what they return are not that.
pub(crate) fn bare<'t>(tools: impl IntoIterator<Item = &'t Arc<Tool>>) -> Vec<Arc<Tool>> {
    let bare = |tool: &Arc<Tool>| {
        let Tool { name, description, parameters, .. } = Tool::clone(tool);
        Arc::new(Tool { name, description, parameters, ..Tool::default() })
    };
    tools.into_iter().map(bare).collect()
}

/// A turn for each reply.
pub(crate) fn trajectory(
    asking: &(impl Asking + ?Sized),
    sample: &Sample,
    run: u32,
    said: &[Reply],
    error: Option<String>,
) -> Prediction {
    Prediction {
        id: sample.id.clone(),
        run,
        task: asking.task().map(str::to_owned),
        variant: Some(asking.variant().to_owned()),
        turns: said.iter().map(turn).collect(),
        finish_reason: said.last().filter(|_| error.is_none()).map(|reply| reply.finish.word().to_owned()),
        usage: usage(said),
        error,
    }
}

/// What is kept of a reply.
pub(crate) fn turn(reply: &Reply) -> PredictionTurn {
    PredictionTurn {
        content: (!reply.text.is_empty()).then(|| reply.text.clone()),
        tool_calls: reply.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect(),
        reasoning: reply.reasoning.clone(),
        routing: None,
    }
}

/// The tokens of all replies; the built-in reader reads none.
fn usage(said: &[Reply]) -> Option<(u64, u64)> {
    let sum = said.iter().fold((0, 0), |sum, reply| (sum.0 + reply.usage.prompt, sum.1 + reply.usage.completion));
    (sum.0 > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;
    use crate::llm::{FinishReason, ToolCallText, Usage};

    struct Router;

    impl Asking for Router {
        fn variant(&self) -> &'static str {
            "router"
        }

        fn task(&self) -> Option<&str> {
            Some("routing")
        }

        fn check(&self, _: &Sample) -> Result<(), String> {
            Ok(())
        }

        fn next(&self, _: &Sample, _: u32, _: &[Reply]) -> Result<Option<Request>, RunStopped> {
            Ok(None)
        }
    }

    fn json(said: &[Reply], error: Option<&str>) -> String {
        serde_json::to_string(&Router.prediction(&sample("a"), 1, said, error.map(str::to_owned))).unwrap()
    }

    fn reply(text: &str) -> Reply {
        Reply { text: text.to_owned(), usage: Usage { prompt: 5, completion: 2 }, ..Reply::default() }
    }

    #[test]
    fn a_reply_becomes_a_turn_with_all_that_it_holds() {
        let call = ToolCallText { name: "A.b".to_owned(), arguments: "{}".to_owned() };
        let reply = Reply {
            tool_calls: vec![call],
            reasoning: Some("hm".to_owned()),
            finish: FinishReason::ToolCalls,
            ..reply("")
        };
        insta::assert_snapshot!(json(&[reply], None), @r#"{"id":"a","run":1,"task":"routing","variant":"router","turns":[{"tool_calls":[["A.b","{}"]],"reasoning":"hm"}],"finish_reason":"tool_calls","usage":[5,2]}"#);
    }

    #[test]
    fn several_replies_are_a_trajectory_and_their_tokens_add_up() {
        insta::assert_snapshot!(json(&[reply("one"), reply("two")], None), @r#"{"id":"a","run":1,"task":"routing","variant":"router","turns":[{"content":"one"},{"content":"two"}],"finish_reason":"stop","usage":[10,4]}"#);
    }

    #[test]
    fn an_error_is_an_error_and_no_text() {
        insta::assert_snapshot!(json(&[], Some("HTTP 503")), @r#"{"id":"a","run":1,"task":"routing","variant":"router","turns":[],"error":"HTTP 503"}"#);
        insta::assert_snapshot!(json(&[reply("one")], Some("HTTP 503")), @r#"{"id":"a","run":1,"task":"routing","variant":"router","turns":[{"content":"one"}],"usage":[5,2],"error":"HTTP 503"}"#);
    }

    #[test]
    fn who_reads_no_tokens_counts_none() {
        let free = Reply { usage: Usage { prompt: 0, completion: 9 }, ..reply("x") };
        assert!(!json(&[free], None).contains("usage"));
    }
}
