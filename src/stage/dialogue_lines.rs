//! Lets a model write the lines with which a dialogue goes on, all in one answer, and the faulty ones once more.

use super::banks::Bank;
use super::context::{Context, NOT_SENSIBLE, Question};
use super::outcome::Fault;
use super::schemas;
use crate::failure::ItemError;
use crate::gate::{Wording, check_reply, check_script};
use crate::llm::tasks::read_lines;
use crate::llm::{DialogueVariables, FaultyLine, FinishedLine, LineAct, LinePlan, Task, Variables, WrittenLine};
use crate::record::{ArgumentNotes, Draw, ItemId, Object, SaidWords, Tool, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often faulty lines are written once more.
const REPAIRS: u32 = 2;

/// The dialogue that goes on.
pub(super) struct Brief<'a> {
    pub(super) tool: &'a Arc<Tool>,
    pub(super) bank: Option<&'a Bank>,
    pub(super) manner: String,
    pub(super) situation: Option<String>,
    /// The dialogue so far, a line for each turn.
    pub(super) history: String,
    /// What is known by now.
    pub(super) known: Object,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exchange {
    pub(super) question: String,
    pub(super) answer: String,
    pub(super) slot: String,
    pub(super) value: Value,
    pub(super) notes: ArgumentNotes,
}

/// A line that passes its gate; the value that it gives and how it says it, where it answers.
struct Accepted {
    text: String,
    given: Option<(Value, ArgumentNotes)>,
}

/// Asks for a question and an answer for each of `slots`, in order; the `turn`-th value of the bank is given.
pub(super) async fn write_exchanges(
    context: &Context,
    id: &ItemId,
    brief: &Brief<'_>,
    slots: &[String],
    turn: usize,
) -> Result<(Vec<Exchange>, Vec<Draw>), ItemError> {
    let plan = plan(context, brief, slots, turn);
    let mut lines: BTreeMap<usize, Accepted> = BTreeMap::new();
    let (mut repair, mut draws, mut told) = (Vec::new(), Vec::new(), String::new());
    let mut last = Fault::new("unparsable", "never asked");
    for time in 0..=REPAIRS {
        let question = Question { task: Task::WriteDialogue, role: context.role(), item: id, asks: REPAIRS + 1 };
        let written = lines.iter().map(|(n, line)| FinishedLine { n: *n, text: line.text.clone() }).collect::<Vec<_>>();
        let variables = |common| {
            Variables::WriteDialogue(DialogueVariables {
                common,
                tool: brief.tool.clone(),
                reference_time: context.reference_time().to_owned(),
                manner: brief.manner.clone(),
                situation: brief.situation.clone(),
                history: brief.history.clone(),
                known: brief.known.clone(),
                lines: plan.clone(),
                written: written.clone(),
                repair: repair.clone(),
            })
        };
        let schema = Some(schemas::lines(brief.tool, slots));
        let (reply, draw) = context.once(&question, time, schema, &told, &variables).await?;
        draws.push(draw);
        let found = match read_lines(&reply.text) {
            Ok((found, _)) => found.into_iter().collect::<BTreeMap<_, _>>(),
            Err(unparsable) => {
                last = unparsable.into();
                context.count(last.reason);
                if last.reason == NOT_SENSIBLE {
                    break;
                }
                told.clone_from(&last.detail);
                continue;
            }
        };
        told.clear();
        repair.clear();
        for line in &plan {
            if lines.contains_key(&line.n) {
                continue;
            }
            match accept(context, brief, line, found.get(&line.n), &lines, &plan) {
                Ok(accepted) => drop(lines.insert(line.n, accepted)),
                Err(fault) => {
                    context.count(fault.reason);
                    let text = found.get(&line.n).map(|line| line.text.clone()).unwrap_or_default();
                    repair.push(FaultyLine { n: line.n, text, fault: fault.detail.clone() });
                    last = fault;
                }
            }
        }
        if repair.is_empty() {
            return Ok((exchanges(lines, slots), draws));
        }
    }
    let text = repair.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    Err(ItemError::Item { fault: last, text })
}

/// A line that asks and one that answers for each slot. No value is given that is known already.
fn plan(context: &Context, brief: &Brief<'_>, slots: &[String], turn: usize) -> Vec<LinePlan> {
    let mut given: Vec<Value> = brief.known.values().cloned().collect();
    let mut lines = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let about = super::slot_filling::about(brief.tool, slot);
        let ask = LinePlan { n: 2 * at + 1, act: LineAct::Ask, slot: slot.clone(), about, ..LinePlan::default() };
        let values = brief.bank.and_then(|bank| bank.parameters.get(slot)).map_or(0, |it| it.values.len());
        // Requests begin with the first of the bank's values, and answers in the middle.
        let dealt = |step: usize| brief.bank?.deal(slot, values / 2 + turn + step, context.seed());
        let is_free = |value: &Value| value.as_str().is_none() || given.iter().all(|it| !it.equals(value));
        let worded = (0..values).filter_map(dealt).find(|worded| is_free(&worded.value)).cloned();
        given.extend(worded.iter().map(|worded| worded.value.clone()));
        let said = worded.as_ref().map(|it| it.said.clone()).unwrap_or_default();
        let value = worded.map(|it| it.value);
        lines.push(LinePlan { n: ask.n + 1, act: LineAct::Answer, value, said, ..ask.clone() });
        lines.insert(lines.len() - 1, ask);
    }
    lines
}

fn accept(
    context: &Context,
    brief: &Brief<'_>,
    plan: &LinePlan,
    line: Option<&WrittenLine>,
    before: &BTreeMap<usize, Accepted>,
    plans: &[LinePlan],
) -> Result<Accepted, Fault> {
    let line = line.ok_or_else(|| Fault::new("missing_line", format!("line {} is missing", plan.n)))?;
    if !line.text.chars().any(char::is_alphanumeric) || line.text.contains('\n') {
        return Err(Fault::new("empty_line", format!("line {} is no text of one line", plan.n)));
    }
    let text = line.text.clone();
    context.check_echo(Task::WriteDialogue, &text)?;
    if plan.act == LineAct::Ask {
        check_script(&text, context.language(), None)?;
        return Ok(Accepted { text, given: None });
    }
    let value = match (&plan.value, &line.argument) {
        (Some(planned), Some(written)) if !planned.equals(written) => {
            return Err(Fault::new("changed_value", format!("{} was to be {planned}, as given", plan.slot)));
        }
        (Some(value), _) | (None, Some(value)) => value.clone(),
        (None, None) => {
            return Err(Fault::new("missing_parameter", format!("`{}` was to be given and is not", plan.slot)));
        }
    };
    let mut known = brief.known.clone();
    let earlier = plans.iter().filter_map(|plan| Some((plan, before.get(&plan.n)?.given.as_ref()?)));
    known.extend(earlier.filter(|(it, _)| it.n != plan.n).map(|(it, (value, _))| (it.slot.clone(), value.clone())));
    let said = SaidWords::from_iter([(plan.slot.clone(), line.said.clone())]);
    let worded = |name: &str, value: &Value| brief.bank.map(|bank| bank.said(name, value)).unwrap_or_default();
    let wording = Wording { said: &said, known: &worded, reference_time: context.reference_time() };
    let notes = check_reply(brief.tool, (&plan.slot, &value), &known, (&text, wording), context.language())?;
    if plan.value.is_none() {
        let arguments = Object::from_iter([(plan.slot.clone(), value.clone())]);
        context.check_copied(Task::WriteDialogue, brief.tool, &arguments)?;
    }
    Ok(Accepted { text, given: Some((value, notes)) })
}

fn exchanges(mut lines: BTreeMap<usize, Accepted>, slots: &[String]) -> Vec<Exchange> {
    let exchange = |(at, slot): (usize, &String)| {
        let (asked, answered) = (lines.remove(&(2 * at + 1))?, lines.remove(&(2 * at + 2))?);
        let (value, notes) = answered.given?;
        Some(Exchange { question: asked.text, answer: answered.text, slot: slot.clone(), value, notes })
    };
    slots.iter().enumerate().filter_map(exchange).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context, train};
    use super::*;

    /// The lines for a place and a number of seats, written with these replies.
    async fn written(replies: Vec<&'static str>) -> (Result<Vec<Exchange>, ItemError>, Asked) {
        let (context, asked) =
            context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].to_owned());
        let tool = Arc::new(train());
        let (bank, manner, situation, known) = (None, String::new(), None, Object::new());
        let history = "user:a train, please".to_owned();
        let brief = Brief { tool: &tool, bank, manner, situation, history, known };
        let slots = ["to".to_owned(), "seats".to_owned()];
        let made = write_exchanges(&context, &ItemId::root("t"), &brief, &slots, 0).await;
        (made.map(|(exchanges, _)| exchanges), asked)
    }

    const WHOLE: &str = r#"{"sensible": true, "lines": [{"n": 1, "text": "Where to?"}, {"n": 2, "text": "Porto", "argument": "Porto", "said": "Porto"},
        {"n": 3, "text": "How many are you?"}, {"n": 4, "text": "two of us", "argument": 2, "said": "two of us"}]}"#;

    #[tokio::test]
    async fn a_whole_dialogue_is_one_request() {
        let (exchanges, asked) = written(vec![WHOLE]).await;
        let exchanges = exchanges.unwrap();
        assert_eq!((exchanges.len(), asked.count()), (2, 1));
        assert_eq!((exchanges[1].answer.as_str(), exchanges[1].slot.as_str()), ("two of us", "seats"));
        assert_eq!(exchanges[1].notes["seats"].surface.as_deref(), Some("two"));
    }

    #[tokio::test]
    async fn faulty_lines_alone_are_written_once_more() {
        let faulty = r#"{"lines": [{"n": 1, "text": "Where to?"}, {"n": 2, "text": "Porto", "argument": "Porto"},
            {"n": 3, "text": "How many are you?"}, {"n": 4, "text": "a few", "argument": 2, "said": "two of us"}]}"#;
        let mended =
            r#"{"lines": [{"n": 4, "text": "two", "argument": 2, "said": "two"}, {"n": 1, "text": "Whither?"}]}"#;
        let (exchanges, asked) = written(vec![faulty, mended]).await;
        let exchanges = exchanges.unwrap();
        assert_eq!((exchanges[0].question.as_str(), exchanges[1].answer.as_str()), ("Where to?", "two"));
        let Variables::WriteDialogue(second) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!((second.written.len(), second.repair.len(), second.repair[0].n), (3, 1, 4));
        assert!(second.repair[0].fault.contains("does not say seats = 2"), "{:?}", second.repair);
    }

    #[tokio::test]
    async fn what_is_never_mended_is_lost_with_its_fault() {
        let (made, asked) = written(vec![r#"{"lines": [{"n": 1, "text": "Where to?"}]}"#]).await;
        let Err(ItemError::Item { fault, .. }) = made else { panic!("it was kept") };
        assert_eq!((fault.reason, asked.count()), ("missing_line", 3));
        let (made, _) = written(vec![r#"{"sensible": false, "lines": []}"#]).await;
        let Err(ItemError::Item { fault, .. }) = made else { panic!("it was kept") };
        assert_eq!(fault.reason, "not_sensible");
    }
}
