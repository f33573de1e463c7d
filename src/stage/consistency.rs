//! Keeps a query if a model that reads it with and without an example finds the same call.

use super::context::{Context, Question};
use super::facts::StageConfig;
use super::outcome::{Failure, Fault, Outcome, Stop};
use super::schemas;
use super::write::{Order, write_query};
use crate::config::Share;
use crate::gate::{Agreement, compare_calls};
use crate::llm::answer::{ReadAnswer, read_call};
use crate::llm::{CallExample, CallVariables, JudgeVariables, Reply, Task, Variables};
use crate::record::RecordKind;
use crate::record::{FunctionCall, Item, Query, Record, Tier, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps a query if a model that reads it with and without an example finds the same call.
///
/// The stage's `model` reads; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyConfig {
    /// Least Rouge-L F1 between two values of one argument; the locale pack's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<Share>,
    /// What counts as agreement of two values.
    #[serde(default)]
    pub accept: Accept,
    /// Whether the second reading sees an example.
    #[serde(default = "yes")]
    pub one_shot: bool,
}

/// What counts as agreement of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// Enough Rouge-L, or else the judge's word.
    #[default]
    RougeOrJudge,
    /// Enough Rouge-L alone.
    Rouge,
    /// The judge's word alone.
    Judge,
    /// Enough Rouge-L and the judge's word.
    Both,
}

fn yes() -> bool {
    true
}

impl StageConfig for ConsistencyConfig {
    fn kind(&self) -> &'static str {
        "consistency"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Query]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Query
    }

    fn is_gate(&self) -> bool {
        true
    }

    fn conflicts(&self) -> Vec<(&'static str, String)> {
        if self.rouge_l.is_none() || self.accept != Accept::Judge {
            return Vec::new();
        }
        vec![("rouge_l", "`rouge_l` means nothing beside `accept = \"judge\"`".to_owned())]
    }

    fn role(&self) -> Option<&'static str> {
        Some("checker")
    }
}

impl ConsistencyConfig {
    /// Keeps a query that a reader understands as its label says (HammerBench 4.1.1).
    pub(super) async fn each(&self, context: &Context, mut item: Item) -> Result<Outcome, Stop> {
        let Record::Query(query) = &item.record else { return Ok(Outcome::keep(item)) };
        let tier = match self.tier(context, &item, query).await {
            Ok(Ok(tier)) => tier,
            Ok(Err(why)) => {
                let fault = Fault::new("inconsistent", why);
                return Ok(Outcome::reject(&item.id, &context.stage, fault, query.said()));
            }
            Err(failure) => return Outcome::of(Err(failure), &item.id, &context.stage),
        };
        item.provenance.tier = Some(tier);
        Ok(Outcome::keep(item))
    }

    /// The tier, or why no reading agrees.
    async fn tier(&self, context: &Context, item: &Item, query: &Query) -> Result<Result<Tier, String>, Failure> {
        let reader = Reader { context, item, rouge_l: self.rouge_l, accept: self.accept };
        let said = query.said();
        let reading = Reading { text: &said, tool: &query.tool, call: &query.call };
        let why = match reader.agrees(reading, None).await? {
            Ok(()) => return Ok(Ok(Tier::ZeroShot)),
            Err(why) if !self.one_shot => return Ok(Err(why)),
            Err(why) => why,
        };
        let Some(example) = example(context, item, query).await? else { return Ok(Err(why)) };
        Ok(reader.agrees(reading, Some(example)).await?.map(|()| Tier::OneShot))
    }
}

/// What is to be read: a request or a dialogue, with the call that its label says.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) tool: &'a Arc<Tool>,
    pub(super) call: &'a FunctionCall,
}

/// Reads texts with a model and compares what it finds with their labels.
pub(super) struct Reader<'a> {
    pub(super) context: &'a Context,
    pub(super) item: &'a Item,
    pub(super) rouge_l: Option<Share>,
    pub(super) accept: Accept,
}

impl Reader<'_> {
    /// Whether the model finds the label's call; otherwise why not.
    pub(super) async fn agrees(
        &self,
        reading: Reading<'_>,
        example: Option<CallExample>,
    ) -> Result<Result<(), String>, Failure> {
        let context = self.context;
        let refusal = context.shared.pack.refusal.clone();
        let variables = |common| {
            Variables::Call(CallVariables {
                common,
                query: reading.text.to_owned(),
                tools: vec![reading.tool.clone()],
                example: example.clone(),
                refusal: refusal.clone(),
            })
        };
        let question = Question { task: Task::Call, role: context.role(), item: &self.item.id, asks: 1 };
        let read = |reply: &Reply| match read_call(&reply.text, &refusal) {
            Ok((answer, _)) => Ok(answer),
            Err(unparsable) => Err(unparsable.into()),
        };
        let schema = Some(schemas::call(reading.tool, &refusal));
        let answer = match context.obtain(&question, schema, variables, read).await {
            Ok((answer, _)) => answer,
            Err(Failure::Item { fault, .. }) if fault.reason != "transport" => return Ok(Err(fault.detail)),
            Err(failure) => return Err(failure),
        };
        match answer {
            ReadAnswer::Refusal => Ok(Err("a reader finds that the tool cannot serve the request".to_owned())),
            ReadAnswer::Call(call) => self.accepts(reading, &call).await,
        }
    }

    async fn accepts(&self, reading: Reading<'_>, call: &FunctionCall) -> Result<Result<(), String>, Failure> {
        let shared = &self.context.shared;
        let threshold = self.rouge_l.map_or(shared.language.rouge.consistency_rouge_l, Share::get);
        let agreement = compare_calls(reading.call, call, &shared.rouge, threshold);
        let (alike, why) = match agreement {
            Agreement::Disagree(why) => return Ok(Err(why)),
            Agreement::Agree => (true, String::new()),
            Agreement::ValuesDiffer { parameter, rouge_l } => {
                (false, format!("a reader finds another value of `{parameter}` (Rouge-L {rouge_l:.2})"))
            }
        };
        let judge = match self.accept {
            Accept::Rouge => return Ok(if alike { Ok(()) } else { Err(why) }),
            Accept::RougeOrJudge if alike => return Ok(Ok(())),
            Accept::Both if !alike => return Ok(Err(why)),
            Accept::RougeOrJudge | Accept::Judge | Accept::Both => self.judge(reading, call).await?,
        };
        Ok(if judge {
            Ok(())
        } else {
            Err(if why.is_empty() { "the judge sees another meaning".to_owned() } else { why })
        })
    }

    async fn judge(&self, reading: Reading<'_>, call: &FunctionCall) -> Result<bool, Failure> {
        let variables = |common| {
            let (label, output) = (reading.call.arguments.clone(), call.arguments.clone());
            Variables::JudgeCall(JudgeVariables { common, query: reading.text.to_owned(), label, output })
        };
        let question = Question { task: Task::JudgeCall, role: "judge", item: &self.item.id, asks: 2 };
        match self.context.verdict(&question, variables).await {
            Err(Failure::Item { fault, .. }) if fault.reason == "unparsable_verdict" => Ok(false),
            verdict => verdict,
        }
    }
}

/// A sibling of the query: a complete one of the same tool, written for this purpose and the same for all its queries.
/// The query itself, or one with just its parameters, would give the label away.
async fn example(context: &Context, item: &Item, query: &Query) -> Result<Option<CallExample>, Failure> {
    let id = item.root.child(&context.stage, 0);
    let order = Order {
        id,
        root: &item.root,
        tool: &query.tool,
        preset: query.tool.parameters.required.clone(),
        data_type: "example",
        asks: 3,
        style: None,
        implied: false,
        draws: Vec::new(),
    };
    let generator = Context { role: None, ..context.clone() };
    match write_query(&generator, order).await {
        Ok(Item { record: Record::Query(sibling), .. }) => {
            Ok(Some(CallExample { query: sibling.text, call: sibling.call }))
        }
        Ok(_) => Ok(None),
        Err(Failure::Item { fault, .. }) if fault.reason != "transport" => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, called, context, query, query_item, written};
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn either_agreement_will_do_by_default() {
        let config: ConsistencyConfig = read_text("").unwrap();
        assert_eq!((config.accept, config.one_shot, config.role()), (Accept::RougeOrJudge, true, Some("checker")));
        assert!(config.is_gate() && config.rouge_l.is_none());
        assert_eq!((config.input(), config.output()), (&[RecordKind::Query][..], RecordKind::Query));
    }

    #[test]
    fn a_threshold_that_nobody_looks_at_is_a_slip() {
        let conflicts = |text: &str| read_text::<ConsistencyConfig>(text).unwrap().conflicts().len();
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"judge\""), 1);
        assert_eq!(conflicts("rouge_l = 0.5\naccept = \"both\""), 0);
    }

    #[test]
    fn the_words_for_agreement_are_four() {
        for word in ["rouge_or_judge", "rouge", "judge", "both"] {
            assert!(read_text::<ConsistencyConfig>(&format!("accept = \"{word}\"")).is_ok(), "{word}");
        }
        let messages = read_text::<ConsistencyConfig>("accept = \"jugde\"").unwrap_err();
        assert_eq!(messages, ["unknown value `jugde` of `accept` in the test"]);
    }

    const TEXT: &str = "a ride to Porto at noon";
    const LABEL: &str = r#"{"to": "Porto", "at": "noon"}"#;

    /// Reads the query with a model that answers so without an example, with one, and as a judge.
    async fn read(settings: &str, zero: &str, one: &str, verdict: &str) -> (Outcome, Asked) {
        let (zero, one, verdict) = (zero.to_owned(), one.to_owned(), verdict.to_owned());
        let (context, asked) = context(move |request| match &*request.variables {
            Variables::Call(variables) if variables.example.is_some() => one.clone(),
            Variables::Call(_) => zero.clone(),
            Variables::JudgeCall(_) => verdict.clone(),
            Variables::WriteQuery(_) => {
                written(r#"{"to": "Faro", "at": "six", "seats": 2}"#, "take two of us to Faro at six")
            }
            other => panic!("{other:?}"),
        });
        let config: ConsistencyConfig = read_text(settings).unwrap();
        (config.each(&context, query_item(query(TEXT, LABEL))).await.unwrap(), asked)
    }

    fn tier(outcome: &Outcome) -> Option<Tier> {
        outcome.kept[0].provenance.tier
    }

    #[tokio::test]
    async fn a_query_that_is_understood_at_once_needs_no_example() {
        let (outcome, asked) = read("", &called(LABEL), "", "").await;
        assert_eq!((tier(&outcome), asked.tasks()), (Some(Tier::ZeroShot), vec![Task::Call]));
        let Variables::Call(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.query.as_str(), variables.tools.len(), variables.example.is_none()), (TEXT, 1, true));
        assert!(!variables.refusal.is_empty());
    }

    #[tokio::test]
    async fn the_second_reading_sees_a_sibling_and_never_the_query_itself() {
        let (outcome, asked) = read("", &called("{}"), &called(LABEL), "").await;
        assert_eq!(
            (tier(&outcome), asked.tasks()),
            (Some(Tier::OneShot), vec![Task::Call, Task::WriteQuery, Task::Call])
        );
        assert_eq!(asked.items()[1], "Travel.Trains.book/stage/0", "the same sibling for all queries of the tool");
        let Variables::Call(variables) = &*asked.requests()[2].variables else { panic!("another task") };
        let example = variables.example.as_ref().unwrap();
        assert_eq!((example.query.as_str(), example.call.arguments.len()), ("take two of us to Faro at six", 3));
    }

    #[tokio::test]
    async fn what_no_reading_finds_is_rejected_with_the_last_reason() {
        for (zero, one, detail) in [
            (called("{}"), called(r#"{"to": "Porto"}"#), "`at` was not found in the request"),
            (
                called("{}"),
                called(r#"{"to": "Porto", "at": "noon", "seats": 2}"#),
                "the request also seems to say seats = 2",
            ),
            (
                called("{}"),
                "Sorry, no tool is suitable for your request.".to_owned(),
                "a reader finds that the tool cannot serve the request",
            ),
        ] {
            let (outcome, _) = read("", &zero, &one, "").await;
            let reject = &outcome.rejected[0];
            assert_eq!(
                (reject.reason.as_str(), reject.detail.as_str(), reject.text.as_str()),
                ("inconsistent", detail, TEXT)
            );
        }
        let (outcome, asked) = read("one_shot = false", &called("{}"), &called(LABEL), "").await;
        assert_eq!((outcome.rejected.len(), asked.count()), (1, 1));
    }

    #[tokio::test]
    async fn a_reading_that_cannot_be_parsed_finds_nothing() {
        let (outcome, asked) = read("", "I wonder", &called(LABEL), "").await;
        assert_eq!((tier(&outcome), asked.count()), (Some(Tier::OneShot), 3));
    }

    #[tokio::test]
    async fn who_agrees_on_values_is_a_setting() {
        let (same, other) = (called(LABEL), called(r#"{"to": "the old harbor", "at": "noon"}"#));
        for (settings, reading, verdict, kept) in [
            ("", &other, "True", true),
            ("", &other, "False", false),
            ("", &other, "who knows", false),
            ("accept = \"rouge\"", &other, "True", false),
            ("accept = \"rouge\"", &same, "False", true),
            ("accept = \"judge\"", &same, "False", false),
            ("accept = \"judge\"", &same, "True", true),
            ("accept = \"both\"", &same, "True", true),
            ("accept = \"both\"", &same, "False", false),
            ("accept = \"both\"", &other, "True", false),
        ] {
            let (outcome, asked) = read(settings, reading, reading, verdict).await;
            assert_eq!(outcome.kept.len() == 1, kept, "{settings} {reading} {verdict}");
            let judged = asked.tasks().contains(&Task::JudgeCall);
            assert!(!judged || !settings.contains("\"rouge\""), "nobody asks a judge where Rouge-L decides");
        }
    }

    #[tokio::test]
    async fn the_judge_sees_both_sets_of_arguments() {
        let (_, asked) = read("", &called(r#"{"to": "the old harbor", "at": "noon"}"#), "", "True").await;
        let Variables::JudgeCall(variables) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!(variables.query, TEXT);
        assert_eq!(variables.label["to"].as_str(), Some("Porto"));
        assert_eq!(variables.output["to"].as_str(), Some("the old harbor"));
    }

    #[tokio::test]
    async fn how_alike_values_must_be_is_a_setting() {
        let near = called(r#"{"to": "Porto", "at": "noon sharp"}"#);
        let (outcome, _) = read("rouge_l = 0.6", &near, &near, "False").await;
        assert_eq!(outcome.kept.len(), 1);
        let (outcome, _) = read("rouge_l = 0.7", &near, &near, "False").await;
        assert!(outcome.rejected[0].detail.contains("another value of `at` (Rouge-L 0.67)"), "{outcome:?}");
    }
}
