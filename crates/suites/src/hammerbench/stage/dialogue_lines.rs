//! Lets a model write the lines with which a dialogue goes on, all in one answer, and the faulty ones once more.

use crate::failure::ItemError;
use crate::gate::{Wording, check_reply, check_script};
use crate::hammerbench::stage::pointing::holds;
use crate::llm::tasks::read_lines;
use crate::llm::{
    Common, DialogueVariables, FaultyLine, FinishedLine, LineAct, LinePlan, Task, Variables, WrittenLine,
};
use crate::record::{ArgumentNotes, Draw, ItemId, Object, SaidWords, Tool, Value};
use crate::stage::banks::Bank;
use crate::stage::context::{Context, NOT_SENSIBLE, Question};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often faulty lines are written once more.
const REPAIRS: u32 = 2;

/// Words of so few letters may stand anywhere.
const SHORT: usize = 2;

/// The dialogue that goes on.
pub(crate) struct Brief<'a> {
    pub tool: &'a Arc<Tool>,
    pub bank: Option<&'a Bank>,
    pub manner: String,
    pub situation: Option<String>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is known by now.
    pub known: Object,
}

/// A question with its answer, and the value that it gives, if it gives one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Exchange {
    pub question: String,
    pub answer: String,
    pub slot: String,
    pub given: Option<(Value, ArgumentNotes)>,
}

/// A line that passes its gate; the value that it gives and how it says it, where it answers.
struct Accepted {
    text: String,
    given: Option<(Value, ArgumentNotes)>,
}

impl AsRef<str> for Accepted {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// Asks for a question and an answer for each of `slots`, in order; the `turn`-th value of the bank is given.
pub(crate) async fn write_exchanges(
    context: &Context,
    id: &ItemId,
    brief: &Brief<'_>,
    slots: &[String],
    turn: usize,
) -> Result<(Vec<Exchange>, Vec<Draw>), ItemError> {
    let plan = plan(context, brief, slots, turn);
    let numbers: Vec<usize> = plan.iter().map(|line| line.n).collect();
    let variables = |common, written: &[FinishedLine], repair: &[FaultyLine]| {
        Variables::WriteDialogue(DialogueVariables {
            common,
            tool: brief.tool.clone(),
            reference_time: context.reference_time().to_owned(),
            manner: brief.manner.clone(),
            situation: brief.situation.clone(),
            history: brief.history.clone(),
            known: brief.known.clone(),
            lines: plan.clone(),
            written: written.to_vec(),
            repair: repair.to_vec(),
        })
    };
    let accept = |n: usize, line: Option<&WrittenLine>, lines: &BTreeMap<usize, Accepted>| {
        let planned = plan.iter().find(|line| line.n == n).ok_or_else(|| missing_line(n))?;
        accept(context, brief, planned, line, lines, &plan)
    };
    let question = Question { task: Task::WriteDialogue, role: context.role(), item: id, asks: REPAIRS + 1 };
    let schema = schemas::lines(brief.tool, slots);
    let (lines, draws) = write_lines(context, &question, schema, &numbers, variables, accept).await?;
    Ok((exchanges(lines, slots), draws))
}

/// Asks for the lines of these numbers until `accept` is content with each; what stands is not written again. `accept` is
/// given the lines that stand by then.
pub(crate) async fn write_lines<T: AsRef<str>>(
    context: &Context,
    question: &Question<'_>,
    schema: Arc<serde_json::Value>,
    numbers: &[usize],
    variables: impl Fn(Common, &[FinishedLine], &[FaultyLine]) -> Variables,
    accept: impl Fn(usize, Option<&WrittenLine>, &BTreeMap<usize, T>) -> Result<T, Fault>,
) -> Result<(BTreeMap<usize, T>, Vec<Draw>), ItemError> {
    let mut lines: BTreeMap<usize, T> = BTreeMap::new();
    let (mut repair, mut draws, mut told) = (Vec::new(), Vec::new(), String::new());
    let mut last = Fault::new("unparsable", "never asked");
    for time in 0..question.asks.max(1) {
        let finished = |(n, line): (&usize, &T)| FinishedLine { n: *n, text: line.as_ref().to_owned() };
        let written: Vec<FinishedLine> = lines.iter().map(finished).collect();
        let ask = |common| variables(common, &written, &repair);
        let (reply, draw) = context.once(question, time, Some(schema.clone()), &told, &ask).await?;
        draws.push(draw);
        let found = match read_lines(&reply.text) {
            Ok((found, _)) => found.into_iter().collect::<BTreeMap<_, _>>(),
            Err(unparsable) => {
                last = unparsable.into();
                context.count(last.reason);
                if last.reason == NOT_SENSIBLE {
                    break;
                }
                told = context.explained(&last);
                continue;
            }
        };
        told.clear();
        repair.clear();
        for n in numbers {
            if lines.contains_key(n) {
                continue;
            }
            match accept(*n, found.get(n), &lines) {
                Ok(accepted) => drop(lines.insert(*n, accepted)),
                Err(fault) => {
                    context.count(fault.reason);
                    let text = found.get(n).map(|line| line.text.clone()).unwrap_or_default();
                    repair.push(FaultyLine { n: *n, text, fault: context.explained(&fault) });
                    last = fault;
                }
            }
        }
        if repair.is_empty() {
            return Ok((lines, draws));
        }
    }
    let text = repair.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    Err(ItemError::Item { fault: last, text })
}

/// The text of a line that was written; its absence is a fault, and so is one without words.
pub(crate) fn text_of(n: usize, line: Option<&WrittenLine>) -> Result<String, Fault> {
    let line = line.ok_or_else(|| missing_line(n))?;
    if !line.text.chars().any(char::is_alphanumeric) || line.text.contains('\n') {
        return Err(Fault::new("empty_line", format!("line {n} is no text of one line")));
    }
    Ok(line.text.clone())
}

fn missing_line(n: usize) -> Fault {
    Fault::new("missing_line", format!("line {n} is missing"))
}

/// A line that asks and one that answers for each slot. No value is given that is known already.
fn plan(context: &Context, brief: &Brief<'_>, slots: &[String], turn: usize) -> Vec<LinePlan> {
    let mut given: Vec<Value> = brief.known.values().cloned().collect();
    let mut said_so_far = brief.known.clone();
    let mut lines = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let act = answer(context, brief, (at, slot), slots.len(), turn);
        let about = brief.tool.about(slot);
        let ask = LinePlan { n: 2 * at + 1, act: LineAct::Ask, slot: slot.clone(), about, ..LinePlan::default() };
        let values = brief.bank.and_then(|bank| bank.parameters.get(slot)).map_or(0, |it| it.values.len());
        // Requests begin with the first of the bank's values, and answers in the middle.
        let dealt = |step: usize| brief.bank?.deal(slot, values / 2 + turn + step, context.seed());
        let is_free = |value: &Value| value.as_str().is_none() || given.iter().all(|it| !it.equals(value));
        let worded = (0..values).filter_map(dealt).find(|worded| is_free(&worded.value)).cloned();
        let worded = worded.filter(|_| act == LineAct::Answer);
        // What belongs together with something that was said fits it, or the writer chooses what does.
        let (is_tied, fitting) = match brief.bank.filter(|_| act == LineAct::Answer) {
            Some(bank) => bank.fitting(slot, &said_so_far, turn, context.seed()),
            None => (false, None),
        };
        let value = if is_tied { fitting } else { worded.map(|it| it.value) };
        let said = brief.bank.zip(value.as_ref()).map(|(bank, value)| bank.said(slot, value)).unwrap_or_default();
        given.extend(value.clone());
        said_so_far.extend(value.iter().map(|value| (slot.clone(), value.clone())));
        lines.push(LinePlan { n: ask.n + 1, act, value, said, ..ask.clone() });
        lines.insert(lines.len() - 1, ask);
    }
    lines
}

/// What the person does when asked for a parameter: one that may be left open is answered as the bank says that people do. The
/// first answer of a dialogue gives a value where no other is sure to.
fn answer(context: &Context, brief: &Brief<'_>, (at, slot): (usize, &str), slots: usize, turn: usize) -> LineAct {
    let required = &brief.tool.parameters.required;
    let answers = brief.bank.and_then(|bank| bank.optional.get(slot));
    // Who does not mind about a flag or a listed value may as well mean one of them.
    let is_listed = brief
        .tool
        .parameters
        .properties
        .get(slot)
        .is_some_and(|parameter| parameter.values.is_some() || parameter.type_name() == "boolean");
    let must_say = is_listed || required.iter().any(|name| name == slot);
    let Some(answers) = answers.filter(|_| !must_say) else { return LineAct::Answer };
    if at == 0 && (slots == 1 || required.iter().all(|name| brief.known.contains_key(name))) {
        return LineAct::Answer;
    }
    let turn = u32::try_from(turn).unwrap_or(u32::MAX);
    let mut chance = context.chance_of("answers", &format!("{} {slot}", brief.tool.name), turn);
    match chance.weighted([answers.value, answers.no, answers.unknown].into_iter()) {
        1 => LineAct::Decline,
        2 => LineAct::DontKnow,
        _ => LineAct::Answer,
    }
}

fn accept(
    context: &Context,
    brief: &Brief<'_>,
    plan: &LinePlan,
    line: Option<&WrittenLine>,
    before: &BTreeMap<usize, Accepted>,
    plans: &[LinePlan],
) -> Result<Accepted, Fault> {
    let text = text_of(plan.n, line)?;
    let line = line.ok_or_else(|| missing_line(plan.n))?;
    if plan.act == LineAct::Ask {
        check_script(&text, context.language(), None)?;
        return Ok(Accepted { text, given: None });
    }
    context.check_echo(Task::WriteDialogue, &text)?;
    if plan.act != LineAct::Answer {
        check_script(&text, context.language(), None)?;
        let values = brief.bank.and_then(|bank| bank.parameters.get(&plan.slot)).map(|it| it.values.as_slice());
        let words = values.unwrap_or_default().iter().flat_map(|worded| &worded.said);
        let mut words = words.filter(|words| words.chars().count() > SHORT);
        if let Some(words) = words.find(|words| holds(&text, words)) {
            return Err(Fault::new(
                "unsaid_in_text",
                format!("line {} was to give no value, and says `{words}`", plan.n),
            ));
        }
        return Ok(Accepted { text, given: None });
    }
    let value = match (&plan.value, &line.argument) {
        (Some(planned), Some(written)) if !planned.equals(written) => {
            return Err(Fault::new("changed_value", format!("{} was to be {planned}, as given", plan.slot))
                .naming([&plan.slot, &planned.to_string()]));
        }
        (Some(value), _) | (None, Some(value)) => value.clone(),
        (None, None) => {
            return Err(Fault::new("missing_parameter", format!("`{}` was to be given and is not", plan.slot)));
        }
    };
    let mut known = brief.known.clone();
    let earlier = plans.iter().filter_map(|plan| Some((plan, before.get(&plan.n)?.given.as_ref()?)));
    known.extend(earlier.filter(|(it, _)| it.n != plan.n).map(|(it, (value, _))| (it.slot.clone(), value.clone())));
    let own: Vec<String> = line.said.iter().cloned().chain(value.as_str().map(str::to_owned)).collect();
    let about = Object::from_iter([(plan.slot.clone(), value.clone())]);
    let besides = brief.bank.and_then(|bank| bank.says_besides((&text, &own), &about, &known, context.language()));
    if let Some((name, words)) = besides {
        return Err(Fault::new("unsaid_in_text", format!("line {} says `{words}` for {name} as well", plan.n))
            .naming([words, name]));
    }
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
        Some(Exchange { question: asked.text, answer: answered.text, slot: slot.clone(), given: answered.given })
    };
    slots.iter().enumerate().filter_map(exchange).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{Asked, context, train};

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
        let (_, notes) = exchanges[1].given.as_ref().unwrap();
        assert_eq!(notes["seats"].surface.as_deref(), Some("two"));
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

    #[test]
    fn a_value_fits_what_it_belongs_together_with() {
        let bank = r#"{"format": 1, "tool": "Travel.Trains.book", "locale": "en",
            "parameters": {"to": {"values": [{"value": "Porto", "said": ["Porto"]}]},
                           "at": {"values": [{"value": "noon", "said": ["at noon"]}, {"value": "dawn", "said": ["at dawn"]}]}},
            "bundles": [{"to": "Porto", "at": "dawn"}]}"#;
        let bank: Bank = serde_json::from_str(bank).unwrap();
        let tool = Arc::new(train());
        let (context, _) = context(|_| String::new());
        let planned = |to: &str| {
            let known = Object::from_iter([("to".to_owned(), to.into())]);
            let (manner, history) = (String::new(), String::new());
            let brief = Brief { tool: &tool, bank: Some(&bank), manner, situation: None, history, known };
            plan(&context, &brief, &["at".to_owned()], 0)[1].clone()
        };
        let fitting = planned("Porto");
        assert_eq!((fitting.value, fitting.said), (Some("dawn".into()), vec!["at dawn".to_owned()]));
        assert_eq!(planned("Faro").value, None, "no bundle fits, so the writer chooses");
    }

    #[tokio::test]
    async fn what_may_be_left_open_is_answered_as_the_bank_says() {
        let bank = r#"{"format": 1, "tool": "Travel.Trains.book", "locale": "en",
            "parameters": {"meal": {"values": [{"value": "curry", "said": ["a curry"]}]}},
            "optional": {"meal": {"no": 1}, "quiet": {"no": 1}, "to": {"no": 1}}}"#;
        let bank: Bank = serde_json::from_str(bank).unwrap();
        let mut tool = train();
        tool.parameters.properties.insert("meal".to_owned(), tool.parameters.properties["to"].clone());
        let tool = Arc::new(tool);
        let brief = Brief {
            tool: &tool,
            bank: Some(&bank),
            manner: String::new(),
            situation: None,
            history: String::new(),
            known: Object::new(),
        };
        let slots = ["to".to_owned(), "meal".to_owned()];
        for (answer, kept) in [("I don't mind", true), ("yes, a curry", false)] {
            let reply = format!(
                r#"{{"lines": [{{"n": 1, "text": "Where to?"}}, {{"n": 2, "text": "Porto", "argument": "Porto", "said": "Porto"}},
                {{"n": 3, "text": "A meal?"}}, {{"n": 4, "text": "{answer}", "argument": null}}]}}"#
            );
            let (context, asked) = context(move |_| reply.clone());
            let made = write_exchanges(&context, &ItemId::root("t"), &brief, &slots, 0).await;
            let Variables::WriteDialogue(first) = &*asked.requests()[0].variables else { panic!("another task") };
            let acts: Vec<LineAct> = first.lines.iter().map(|line| line.act).collect();
            assert_eq!(
                acts,
                [LineAct::Ask, LineAct::Answer, LineAct::Ask, LineAct::Decline],
                "what is required is given"
            );
            match made {
                Ok((exchanges, _)) => assert_eq!((exchanges[1].given.clone(), kept), (None, true)),
                Err(ItemError::Item { fault, .. }) => assert_eq!((fault.reason, kept), ("unsaid_in_text", false)),
                Err(stopped) => panic!("{stopped:?}"),
            }
        }
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
