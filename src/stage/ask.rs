//! Lets a model write a question for planned calls; what the question stages share.

use super::context::{Context, Question as Asked};
use super::drafts::Drafter;
use super::outcome::{Fault, Outcome};
use super::schemas;
use crate::config::Count;
use crate::failure::{ItemError, RunStopped};
use crate::gate::{check_question, check_script, said};
use crate::llm::tasks::read_question;
use crate::llm::{AskVariables, AskedArgument, AskedCall, Reply, Task, Variables, WrittenQuestion};
use crate::record::{
    Argument, ArgumentNotes, Catalogue, Difficulty, FunctionCall, Item, ItemId, Object, Origin, PLACEHOLDER,
    PlannedCall, Provenance, Question, Record, Saying, Tool, Value,
};
use std::sync::Arc;

/// The calls of a question before it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Draft {
    pub(super) calls: Vec<AskedCall>,
    /// What each call answers; `null` where nothing answers.
    pub(super) answers: Vec<Value>,
    /// What makes the question hard.
    pub(super) tags: Vec<String>,
}

/// What is to be written.
struct Order<'a> {
    id: ItemId,
    root: &'a ItemId,
    catalogue: &'a Arc<Catalogue>,
    difficulty: Difficulty,
    draft: Draft,
    asks: u32,
}

/// Draws the `ordinal`-th question of a domain: plans its calls, and lets a model write the words.
pub(super) async fn draw_question(
    context: &Context,
    parent: &Item,
    ordinal: usize,
    (difficulty, asks): (Difficulty, Count),
    plan: impl FnOnce(&mut Drafter<'_>) -> Result<Draft, Fault>,
) -> Result<Outcome, RunStopped> {
    let Record::Catalogue(catalogue) = &parent.record else { return Ok(Outcome::default()) };
    let id = parent.id.child(context.stage(), ordinal);
    let draft = match plan(&mut Drafter::new(context, catalogue, &id)) {
        Ok(draft) => draft,
        Err(fault) => return Ok(context.reject(&id, fault, String::new())),
    };
    let order = Order { id: id.clone(), root: &parent.root, catalogue, difficulty, draft, asks: asks.as_draws() };
    context.settled(&id, write_question(context, order).await)
}

/// Asks until a question passes the format, the quality control and the script check.
async fn write_question(context: &Context, order: Order<'_>) -> Result<Item, ItemError> {
    let mut chance = context.chance(order.id.as_str(), 0);
    let styles = if context.pack().questions.styles.is_empty() {
        &context.pack().styles
    } else {
        &context.pack().questions.styles
    };
    let (style, manner) = context.manner(styles, None, &mut chance);
    let seed = chance.pick(context.table()).cloned();
    let variables = |common| {
        Variables::WriteQuestion(AskVariables {
            common,
            title: order.catalogue.title.clone(),
            difficulty: order.difficulty,
            calls: order.draft.calls.clone(),
            style: style.clone(),
            manner: manner.clone(),
            seed: seed.clone(),
        })
    };
    let asked = Asked { task: Task::WriteQuestion, role: context.role(), item: &order.id, asks: order.asks };
    let schema = Some(schemas::asked(&order.draft.calls));
    let (question, draw) = context.obtain(&asked, schema, variables, |reply| read(context, &order, reply)).await?;
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: vec![draw],
        parents: vec![order.root.to_string()],
        ..Provenance::default()
    };
    provenance.facts.insert("style".to_owned(), style.clone());
    if let Some(seed) = &seed {
        provenance.facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    let record = Record::Question(Box::new(question));
    Ok(Item { id: order.id.clone(), root: order.root.clone(), record, provenance })
}

fn read(context: &Context, order: &Order<'_>, reply: &Reply) -> Result<Question, Fault> {
    let (written, way) = read_question(&reply.text)?;
    context.count(&format!("read {}", way.as_str()));
    let calls = &order.draft.calls;
    if written.parameters.len() != calls.len() {
        let detail =
            format!("{} calls were given, the answer has arguments of {}", calls.len(), written.parameters.len());
        return Err(Fault::new("wrong_count", detail));
    }
    let planned = calls.iter().zip(&written.parameters).zip(&order.draft.answers);
    let planned = planned.map(|((call, arguments), answer)| {
        Ok(PlannedCall { answer: answer.clone(), ..plan(context, call, arguments, &written.question)? })
    });
    let question = Question {
        difficulty: order.difficulty,
        catalogue: order.catalogue.clone(),
        calls: planned.collect::<Result<_, Fault>>()?,
        mentions: mentions(&written, calls),
        text: written.question,
        tags: order.draft.tags.clone(),
        base: None,
    };
    check_question(&question, context.language())?;
    check_script(&question.text, context.language(), None)?;
    Ok(question)
}

/// The call with the values that were planned, or that the writer chose.
fn plan(context: &Context, asked: &AskedCall, written: &Object, text: &str) -> Result<PlannedCall, Fault> {
    let tool = &asked.tool;
    if let Some(name) = written.keys().find(|name| !asked.arguments.contains_key(*name)) {
        return Err(Fault::new("invented_parameter", format!("`{name}` of `{}` was not to be given", tool.name)));
    }
    let mut arguments = Object::new();
    let mut notes = ArgumentNotes::new();
    for (name, argument) in &asked.arguments {
        let value = settled(name, tool, argument, written)?;
        notes.insert(name.clone(), note(context, name, tool, argument, &value, text));
        arguments.insert(name.clone(), value);
    }
    let call = FunctionCall { name: tool.name.clone(), arguments };
    Ok(PlannedCall { tool: tool.clone(), call, notes, answer: Value::Null })
}

/// The value that the label holds; the writer's own only where the writer was to choose.
fn settled(name: &str, tool: &Tool, argument: &AskedArgument, written: &Object) -> Result<Value, Fault> {
    let missing = || Fault::new("missing_parameter", format!("`{name}` of `{}` was to be given", tool.name));
    let given = written.get(name);
    match &argument.saying {
        Saying::Open | Saying::Unsaid | Saying::Answer { .. } => Ok(Value::from(PLACEHOLDER)),
        Saying::Chosen => given.filter(|it| it.as_str() != Some(PLACEHOLDER)).cloned().ok_or_else(missing),
        _ if given.is_some_and(|it| it.equals(&argument.value)) => Ok(argument.value.clone()),
        _ => {
            let detail = format!("{name} of `{}` was to be {}, as given", tool.name, argument.value);
            Err(Fault::new("changed_value", detail))
        }
    }
}

fn note(context: &Context, name: &str, tool: &Tool, argument: &AskedArgument, value: &Value, text: &str) -> Argument {
    let words = || Some(argument.words.clone()).filter(|words| !words.is_empty() && text.contains(words.as_str()));
    match &argument.saying {
        Saying::Answer { call, field } => Argument {
            surface: None,
            origin: Origin::Answer { call: *call, field: field.clone() },
            ..Argument::default()
        },
        Saying::Unsaid => Argument { surface: None, origin: Origin::Missing, ..Argument::default() },
        Saying::Open => Argument { surface: words(), origin: Origin::Open, ..Argument::default() },
        Saying::Transformed => {
            Argument { surface: Some(argument.words.clone()), origin: Origin::Inferred, ..Argument::default() }
        }
        _ => {
            let parameter = tool.parameters.properties.get(name).cloned().unwrap_or_default();
            said(tool, name, &parameter, value, text, context.language()).unwrap_or_default()
        }
    }
}

/// The calls in the order of mention: as the writer says, else by where their values stand, else as they come.
fn mentions(written: &WrittenQuestion, calls: &[AskedCall]) -> Vec<usize> {
    let told: Vec<usize> = written.mentions.iter().filter_map(|number| number.checked_sub(1)).collect();
    let mut sorted = told.clone();
    sorted.sort_unstable();
    if sorted.iter().copied().eq(0..calls.len()) {
        return told;
    }
    let place = |call: &AskedCall| {
        let words = call.arguments.values().map(|argument| argument.words.as_str()).filter(|words| !words.is_empty());
        words.filter_map(|words| written.question.find(words)).min().unwrap_or(usize::MAX)
    };
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by_key(|call| place(&calls[*call]));
    order
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked as Heard, context, question_item};
    use super::*;

    const SOUND: &str = r#"{"parameters": [{"phone": "555-0107"}, {"accountId": "$$$"}], "mentions": [2, 1],
        "question": "Freeze the account behind 555-0107"}"#;

    /// The draft that the testing question comes from.
    fn draft(question: &Question) -> Draft {
        let saying = |origin: &Origin| match origin {
            Origin::Answer { call, field } => Saying::Answer { call: *call, field: field.clone() },
            _ => Saying::Plain,
        };
        let argument = |(name, note): (&String, &Argument)| {
            let words = note.surface.clone().unwrap_or_default();
            let value = Value::from(words.as_str());
            (name.clone(), AskedArgument { value, words, saying: saying(&note.origin), refers: None })
        };
        let call = |planned: &PlannedCall| AskedCall {
            tool: planned.tool.clone(),
            arguments: planned.notes.iter().map(argument).collect(),
            phrases: None,
            makes: false,
        };
        Draft {
            calls: question.calls.iter().map(call).collect(),
            answers: question.calls.iter().map(|it| it.answer.clone()).collect(),
            tags: vec!["dependent".to_owned()],
        }
    }

    async fn write(replies: &[&str]) -> (Result<Item, ItemError>, Heard) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let item = question_item();
        let Record::Question(question) = &item.record else { panic!("no question") };
        let (id, difficulty) = (item.id.clone(), Difficulty::Hard);
        let order =
            Order { id, root: &item.root, catalogue: &question.catalogue, difficulty, draft: draft(question), asks: 2 };
        (write_question(&context, order).await, asked)
    }

    #[tokio::test]
    async fn a_question_comes_with_its_calls_and_where_their_values_come_from() {
        let item = write(&[SOUND]).await.0.unwrap();
        let Record::Question(question) = &item.record else { panic!("no question") };
        let Record::Question(expected) = question_item().record else { panic!("no question") };
        assert_eq!((&question.calls, &question.mentions), (&expected.calls, &expected.mentions));
        assert_eq!((item.provenance.template, item.provenance.parents.clone()), (true, vec!["bank".to_owned()]));
    }

    #[tokio::test]
    async fn every_fault_is_asked_for_again_and_told() {
        for (first, told) in [
            ("no question at all", "no JSON object"),
            (&SOUND.replace(r#", {"accountId": "$$$"}"#, ""), "2 calls were given, the answer has arguments of 1"),
            (&SOUND.replacen("555-0107", "555-0108", 1), "was to be \"555-0107\", as given"),
            (&SOUND.replace("behind 555-0107", "behind the phone"), "does not say phone"),
            (
                &SOUND.replace("555-0107\"}", "555-0107\", \"name\": \"x\"}"),
                "`name` of `bank.findAccount` was not to be given",
            ),
            (&SOUND.replace("account behind", "account AC1 behind"), "says `AC1`, which is to be found out"),
        ] {
            let (item, asked) = write(&[first, SOUND]).await;
            assert!(item.is_ok(), "{first}");
            assert!(asked.faults()[1].contains(told), "{first}: {}", asked.faults()[1]);
        }
    }

    #[tokio::test]
    async fn who_never_writes_well_is_rejected_with_the_last_fault() {
        let Err(ItemError::Item { fault, .. }) = write(&["one", "two"]).await.0 else { panic!("it was kept") };
        assert_eq!(fault.reason, "no_question");
    }

    #[test]
    fn the_order_of_mention_is_told_or_seen() {
        let item = question_item();
        let Record::Question(question) = &item.record else { panic!("no question") };
        let calls = draft(question).calls;
        let order = |told: &[usize]| {
            let written =
                WrittenQuestion { parameters: Vec::new(), mentions: told.to_vec(), question: question.text.clone() };
            mentions(&written, &calls)
        };
        assert_eq!(order(&[2, 1]), [1, 0]);
        assert_eq!(order(&[1, 1]), [0, 1], "where it is no order, the words tell");
    }
}
