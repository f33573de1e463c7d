//! Lets a model serve requests with calls, and keeps what it did as steps (`ComplexFuncBench`, coarse generation).

use crate::complexfunc::stage::model::trace::{Manner, Talk, Tracer, arrange, offered, settle, without_defaults};
use crate::failure::ItemError;
use crate::llm::SaidBy;
use crate::record::{ComplexQuery, Draw, Item, ItemId, Record, RecordKind};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Executes requests with a model, turn by turn, and records its calls as steps with their answers.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnnotateConfig {
    /// Minimum number of steps; shorter executions are rejected.
    #[serde(default = "count::<2>")]
    pub least_steps: Count,
    /// Maximum turns with calls.
    #[serde(default = "count::<12>")]
    pub max_turns: Count,
    /// Maximum executions of a request until its calls are usable, including the first.
    #[serde(default = "count::<2>")]
    pub asks: Count,
    /// How functions are passed to the model: as native tools or in the prompt text.
    #[serde(default)]
    pub manner: Manner,
}

impl Stage for AnnotateConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("annotate", &[RecordKind::ComplexQuery], RecordKind::ComplexQuery).asks("generator")
    }

    /// Serves one request; one that has its calls already goes on as it is.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::ComplexQuery(query) = &mut item.record else { return Ok(Outcome::keep(item)) };
            if !query.steps.is_empty() {
                return Ok(Outcome::keep(item));
            }
            match self.serve(context, &item.id, query, &[]).await {
                Ok((served, draws)) => {
                    **query = served;
                    item.provenance.draws.extend(draws);
                    Ok(Outcome::keep(item))
                }
                Err(failure) => Ok(context.reject(&item.id, failure.fault()?, query.text.clone())),
            }
        })
    }
}

impl AnnotateConfig {
    /// The request with the calls that a model makes for it, their answers, and what it says in the end. `said` are words that
    /// are known to say choices.
    pub(crate) async fn serve(
        &self,
        context: &Context,
        item: &ItemId,
        query: &ComplexQuery,
        said: &[SaidBy],
    ) -> Result<(ComplexQuery, Vec<Draw>), ItemError> {
        let tools = offered(context, &query.catalogue, &query.functions);
        let mut last = Fault::new("too_few_steps", "never asked");
        let asks = self.asks.as_draws().max(1);
        for time in 0..asks {
            let (text, told) = (query.text.as_str(), last.detail.clone());
            let fault = if time == 0 { "" } else { &told };
            let max_turns = self.max_turns.get();
            let talk =
                Talk { context, item, query: text, tools: &tools, manner: self.manner, max_turns, asks, time, fault };
            // A talk holds a world and all that was said; callers are not to carry that along.
            let talked = match Box::pin(talk.talk()).await {
                Ok(talked) => talked,
                // The next talk may come to its end.
                Err(ItemError::Item { fault, .. }) if matches!(fault.reason, "truncated" | "filtered") => {
                    context.count(fault.reason);
                    last = fault;
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let made = settle(&talked);
            match made.and_then(|made| self.stepped(context, query, said, made)) {
                Ok(stepped) => return Ok((ComplexQuery { answer: talked.answer, ..stepped }, talked.draws)),
                Err(fault) => {
                    context.count(fault.reason);
                    last = fault;
                }
            }
        }
        Err(last.into())
    }

    fn stepped(
        &self,
        context: &Context,
        query: &ComplexQuery,
        said: &[SaidBy],
        made: Vec<crate::complexfunc::stage::model::trace::Made>,
    ) -> Result<ComplexQuery, Fault> {
        let tracer = Tracer::new(context, &query.text, said);
        let steps = arrange(&tracer, &without_defaults(&tracer, made));
        if steps.len() < self.least_steps.get() {
            let detail = format!("it takes {} of at least {} steps", steps.len(), self.least_steps.get());
            return Err(Fault::new("too_few_steps", detail));
        }
        Ok(ComplexQuery { steps, ..query.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{coarse, complex, complex_item, greyford, inn, shown};
    use crate::llm::{Request, Variables};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, context};

    const TEXT: &str = "The cheapest inn in Greyford from November 1, 2024 until November 4, 2024, please";
    const FIND: &str = r#"[{"name": "Find_Town", "arguments": {"query": "Greyford"}}]"#;

    fn search() -> String {
        let context = inn(crate::stage::testing::silent());
        format!(r#"[{{"name": "Search_Inns", "arguments": {}}}]"#, greyford(&context).1)
    }

    /// What comes of turns, each said when the one before was answered; a further try begins at the next list.
    async fn served(settings: &str, tries: &[&[&str]]) -> (Outcome, Asked) {
        let tries: Vec<Vec<String>> = tries.iter().map(|it| it.iter().map(|&turn| turn.to_owned()).collect()).collect();
        let speak = move |request: &Request| {
            let turns = &tries[(request.draw as usize).min(tries.len() - 1)];
            turns.get(request.history.len() / 2).cloned().unwrap_or_else(|| FIND.to_owned())
        };
        let (context, asked) = context(speak);
        let context = inn(context);
        let config: AnnotateConfig = read_text(&format!("manner = \"prompt\"\n{settings}")).unwrap();
        let item = complex_item(coarse(&context, TEXT, &["Find_Town", "Search_Inns"]));
        (config.each(&context, item).await.unwrap(), asked)
    }

    async fn reason(tries: &[&[&str]]) -> String {
        let (outcome, _) = served("asks = 1", tries).await;
        outcome.rejected.first().map(|it| it.reason.clone()).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_request_gets_its_calls_their_answers_and_the_words_in_the_end() {
        let search = search();
        let (outcome, asked) = served("", &[&[FIND, &search, "Take the Mill."]]).await;
        let query = complex(&outcome.kept)[0];
        insta::assert_snapshot!(shown(&query.steps), @r#"
        0 Find_Town query=["verbatim","Greyford"]
        1 Search_Inns town_id=[{"answer":{"call":0,"field":"/data/0/id"}},null] arrival=["normalised","November 1, 2024"] departure=["normalised","November 4, 2024"]
        "#);
        assert_eq!(
            (query.answer.as_str(), query.text.as_str(), query.thought.as_str()),
            ("Take the Mill.", TEXT, "first this, then that")
        );
        assert!(query.steps[1].answers[0].to_string().contains("\"inns\""));
        assert_eq!(serde_json::to_value(query.steps[1].notes[0]["arrival"].constraint).unwrap(), "date");
        assert_eq!((outcome.kept[0].provenance.draws.len(), asked.count()), (3, 3));
    }

    #[tokio::test]
    async fn calls_that_failed_are_dropped_where_the_model_mends_them() {
        let wrong = FIND.replace("query", "name");
        let (outcome, _) = served("asks = 1", &[&[&wrong, FIND, &search(), "There."]]).await;
        assert_eq!(complex(&outcome.kept)[0].call_count(), 2);
    }

    #[tokio::test]
    async fn every_fault_rejects() {
        let search = search();
        let wrong = FIND.replace("query", "name");
        let lost = search.replace("T2", "T9");
        assert_eq!(reason(&[&[&wrong, &search, "There."]]).await, "first_step_failed");
        assert_eq!(reason(&[&[FIND, &lost, "There."]]).await, "error_left");
        assert_eq!(reason(&[&[FIND, &search, &search.replace("arrival", "from"), "There."]]).await, "malformed_call");
        assert_eq!(reason(&[&[FIND, "There."]]).await, "too_few_steps");
        assert_eq!(reason(&[&["I cannot."]]).await, "too_few_steps");
        assert_eq!(reason(&[&[FIND, &search, ""]]).await, "no_answer");
        let (outcome, asked) = served("asks = 1\nmax_turns = 2", &[&[FIND, &search, FIND, FIND]]).await;
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("no_answer", 3));
        assert_eq!(outcome.rejected[0].text, TEXT);
    }

    #[tokio::test]
    async fn a_request_is_served_anew_with_what_was_wrong() {
        let search = search();
        let (outcome, asked) = served("asks = 2", &[&[FIND, "There."], &[FIND, &search, "There."]]).await;
        assert_eq!((outcome.kept.len(), asked.draws()), (1, vec![0, 0, 1, 1, 1]));
        let faults = asked.faults();
        assert_eq!((faults[1].as_str(), faults[2].as_str()), ("", "it takes 1 of at least 2 steps"));
        let Variables::Annotate(told) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((told.today.as_str(), told.native, told.tools[0].name.as_str()), ("2024-10-13", false, "Find_Town"));
    }

    #[tokio::test]
    async fn what_has_its_calls_goes_on_as_it_is() {
        let (outcome, _) = served("", &[&[FIND, &search(), "There."]]).await;
        let config: AnnotateConfig = read_text("").unwrap();
        let item = outcome.kept[0].clone();
        let silent = crate::stage::testing::silent();
        assert_eq!(config.each(&silent, item.clone()).await.unwrap().kept, [item]);
        let other = crate::stage::testing::question_item();
        assert_eq!(config.each(&silent, other.clone()).await.unwrap().kept, [other]);
    }
}
