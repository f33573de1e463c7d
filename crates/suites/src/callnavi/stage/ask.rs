//! Lets a model write questions for planned calls; what the question stages share.

use crate::callnavi::stage::drafts::{Drafter, names_one_thing};
use crate::failure::{ItemError, RunStopped};
use crate::gate::{check_question, check_script, said};
use crate::llm::tasks::read_question;
use crate::llm::{AskPlan, AskVariables, AskedArgument, AskedCall, Common, Reply, Task, Variables, WrittenQuestion};
use crate::record::{
    Argument, ArgumentNotes, Catalogue, Difficulty, Draw, FunctionCall, Item, ItemId, Object, Origin, PLACEHOLDER,
    PlannedCall, Provenance, Question, Record, Saying, Tool, Value,
};
use crate::settings::Count;
use crate::stage::context::{Context, NOT_SENSIBLE, PLANS, Question as Asked};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::writing::schemas;
use std::sync::Arc;

/// The calls of a question before it is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Draft {
    pub calls: Vec<AskedCall>,
    /// What each call answers; `null` where nothing answers.
    pub answers: Vec<Value>,
    /// What makes the question hard.
    pub tags: Vec<String>,
    /// What the person's matter is, where the domain tells it.
    pub situation: Option<String>,
}

/// Which question of a domain is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Ordered {
    pub difficulty: Difficulty,
    pub asks: Count,
    /// How many questions the domain owes, and how many of them a model writes in one answer.
    pub size: (usize, usize),
    pub ordinal: usize,
}

/// What is to be written.
struct Order<'a> {
    id: ItemId,
    root: &'a ItemId,
    catalogue: &'a Arc<Catalogue>,
    difficulty: Difficulty,
    draft: Draft,
    asks: u32,
    ordinal: usize,
    /// The questions that a model writes in the same answer, by their ordinals; the order's own among them.
    others: Vec<(usize, Draft)>,
}

/// Who asks, and how.
struct Voice {
    person: Option<Object>,
    style: String,
    manner: String,
    /// A row of the stage's table.
    seed: Option<Object>,
}

/// Draws a question of a domain: plans its calls, and lets a model write the words.
pub(crate) async fn draw_question(
    context: &Context,
    parent: &Item,
    ordered: Ordered,
    plan: impl Fn(&mut Drafter<'_>, usize) -> Result<Draft, Fault>,
) -> Result<Outcome, RunStopped> {
    let Record::Catalogue(catalogue) = &parent.record else { return Ok(Outcome::default()) };
    let Ordered { difficulty, asks, size, ordinal } = ordered;
    let planned = |ordinal: usize| {
        let id = parent.id.child(context.stage(), ordinal);
        plan(&mut Drafter::new(context, catalogue, &id), ordinal)
    };
    let id = parent.id.child(context.stage(), ordinal);
    let draft = match planned(ordinal) {
        Ok(draft) => draft,
        Err(fault) => return Ok(context.reject(&id, fault, String::new())),
    };
    let others = if context.is_template(context.role()) {
        Vec::new()
    } else {
        batch(ordinal, size).filter_map(|it| Some((it, planned(it).ok()?))).collect()
    };
    let asks = asks.as_draws();
    let order = Order { id: id.clone(), root: &parent.root, catalogue, difficulty, draft, asks, ordinal, others };
    context.settled(&id, write_question(context, order).await)
}

/// The ordinals that are written in one answer with one: what is drawn beyond what is owed is written alone.
fn batch(ordinal: usize, (owed, size): (usize, usize)) -> std::ops::Range<usize> {
    let size = size.max(1);
    let first = ordinal / size * size;
    if ordinal < owed { first..(first + size).min(owed) } else { ordinal..ordinal + 1 }
}

/// Asks until a question passes the format, the quality control and the script check: once together with others, then alone.
async fn write_question(context: &Context, order: Order<'_>) -> Result<Item, ItemError> {
    let Voice { style, seed, .. } = voice(context, &order, order.ordinal);
    let is_planned = context.prompt_of(Task::WriteQuestion).is_some_and(|prompt| prompt.wants(PLANS));
    let own = [(order.ordinal, order.draft.clone())];
    let own = if is_planned && !context.is_template(context.role()) { &own[..] } else { &[] };
    let mut fault = None;
    let mut written = None;
    if !own.is_empty() && order.others.len() > 1 && !context.is_rerun(&order.id) {
        let place = order.others.iter().take_while(|(ordinal, _)| *ordinal != order.ordinal).count();
        let first = order.others.first().map_or(order.ordinal, |(ordinal, _)| *ordinal);
        // The same question for each of them is asked once, also where one of them is asked for anew later.
        let id = order.root.child(&format!("{}/batch", context.stage()), first);
        let asked = Asked { task: Task::WriteQuestion, role: context.role(), item: &id, asks: 1 };
        let schema = Some(schemas::asked_together(order.others.iter().map(|(_, draft)| draft.calls.as_slice())));
        let variables = |common| variables(context, &order, &order.others, common);
        match context.obtain(&asked, schema, variables, |reply| read(context, &order, place, reply)).await {
            Ok((question, draw)) => written = Some((question, draw, Some(format!("{id} {place}")))),
            Err(ItemError::Item { fault, text }) if fault.reason == NOT_SENSIBLE => {
                return Err(ItemError::Item { fault, text });
            }
            Err(ItemError::Item { fault: found, .. }) if found.reason != "transport" => fault = Some(found),
            Err(failure) => return Err(failure),
        }
    }
    let (question, draw, place): (Question, Draw, Option<String>) = if let Some(written) = written {
        written
    } else {
        let asked = Asked { task: Task::WriteQuestion, role: context.role(), item: &order.id, asks: order.asks };
        let schema = Some(match own {
            [] => schemas::asked(&order.draft.calls),
            own => schemas::asked_together(own.iter().map(|(_, draft)| draft.calls.as_slice())),
        });
        let variables = |common| variables(context, &order, own, common);
        let read = |reply: &Reply| read(context, &order, 0, reply);
        let (question, draw) = context.obtain_after(fault, &asked, schema, variables, read).await?;
        (question, draw, None)
    };
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: vec![draw],
        parents: vec![order.root.to_string()],
        ..Provenance::default()
    };
    provenance.facts.insert("style".to_owned(), style);
    provenance.facts.extend(place.map(|place| ("batch".to_owned(), place)));
    if let Some(seed) = &seed {
        provenance.facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    let record = Record::Question(Box::new(question));
    Ok(Item { id: order.id.clone(), root: order.root.clone(), record, provenance })
}

/// Who asks the question of an ordinal.
fn voice(context: &Context, order: &Order<'_>, ordinal: usize) -> Voice {
    let speaker = if ordinal == order.ordinal { context.clone() } else { context.voice(order.root, Some(ordinal)) };
    let id = if ordinal == order.ordinal { order.id.clone() } else { order.root.child(context.stage(), ordinal) };
    let mut chance = context.chance(id.as_str(), 0);
    let pack = context.pack();
    let styles = if pack.questions.styles.is_empty() { &pack.styles } else { &pack.questions.styles };
    let (style, manner) = speaker.manner(styles, None, &mut chance);
    Voice { person: speaker.person(), style, manner, seed: chance.pick(context.table()).cloned() }
}

fn variables(context: &Context, order: &Order<'_>, drafts: &[(usize, Draft)], common: Common) -> Variables {
    let plan = |(ordinal, draft): &(usize, Draft)| {
        let Voice { person, manner, seed, .. } = voice(context, order, *ordinal);
        AskPlan { calls: draft.calls.clone(), person, manner, situation: draft.situation.clone(), seed }
    };
    let Voice { style, manner, seed, .. } = voice(context, order, order.ordinal);
    Variables::WriteQuestion(AskVariables {
        common,
        title: order.catalogue.title.clone(),
        difficulty: order.difficulty,
        calls: order.draft.calls.clone(),
        style,
        manner,
        seed,
        situation: order.draft.situation.clone(),
        requests: drafts.iter().map(plan).collect(),
    })
}

fn read(context: &Context, order: &Order<'_>, place: usize, reply: &Reply) -> Result<Question, Fault> {
    let (written, way) = read_question(&reply.text, place)?;
    context.count(&format!("read {}", way.as_str()));
    if !written.sensible {
        return Err(Fault::new(NOT_SENSIBLE, "the writer finds that nobody would ask for this"));
    }
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
    let planned = planned.collect::<Result<Vec<PlannedCall>, Fault>>()?;
    check_alike(calls, &planned)?;
    let question = Question {
        difficulty: order.difficulty,
        catalogue: order.catalogue.clone(),
        calls: planned,
        mentions: mentions(&written, calls),
        text: written.question,
        tags: order.draft.tags.clone(),
        base: None,
    };
    check_question(&question, context.language())?;
    check_script(&question.text, context.language(), None)?;
    context.check_echo(Task::WriteQuestion, &question.text)?;
    Ok(question)
}

/// Checks that the writer chose one value where two calls name one thing.
fn check_alike(calls: &[AskedCall], planned: &[PlannedCall]) -> Result<(), Fault> {
    let mut known: Vec<(&String, &Tool, &Value)> = Vec::new();
    for (call, planned) in calls.iter().zip(planned) {
        for (name, value) in &planned.call.arguments {
            if call.arguments.get(name).is_none_or(|it| it.saying != Saying::Chosen) {
                continue;
            }
            let same = known.iter().find(|(it, tool, _)| *it == name && names_one_thing(name, tool, &call.tool));
            let first = same.map(|(_, _, first)| *first);
            known.push((name, &call.tool, value));
            if let Some(first) = first.filter(|it| !it.equals(value)) {
                let detail = format!("`{name}` is {first} in one call and {value} in another; it is one and the same");
                return Err(Fault::new("values_differ", detail));
            }
        }
    }
    Ok(())
}

/// The call with the values that were planned, or that the writer chose. What need not be given and was not, is not.
fn plan(context: &Context, asked: &AskedCall, written: &Object, text: &str) -> Result<PlannedCall, Fault> {
    let tool = &asked.tool;
    if let Some(name) = written.keys().find(|name| !asked.arguments.contains_key(*name)) {
        return Err(Fault::new("invented_parameter", format!("`{name}` of `{}` was not to be given", tool.name)));
    }
    let mut arguments = Object::new();
    let mut notes = ArgumentNotes::new();
    for (name, argument) in &asked.arguments {
        let Some(value) = settled(name, tool, argument, written)? else { continue };
        notes.insert(name.clone(), note(context, name, tool, argument, &value, text));
        arguments.insert(name.clone(), value);
    }
    let call = FunctionCall { name: tool.name.clone(), arguments };
    Ok(PlannedCall { tool: tool.clone(), call, notes, answer: Value::Null })
}

/// The value that the label holds; the writer's own only where the writer was to choose, and none where the writer chose
/// to leave out what need not be given.
fn settled(name: &str, tool: &Tool, argument: &AskedArgument, written: &Object) -> Result<Option<Value>, Fault> {
    let missing = || Fault::new("missing_parameter", format!("`{name}` of `{}` was to be given", tool.name));
    let given = written.get(name);
    match &argument.saying {
        Saying::Open | Saying::Unsaid | Saying::Answer { .. } => Ok(Some(Value::from(PLACEHOLDER))),
        Saying::Chosen => {
            let chosen = given.filter(|it| it.as_str() != Some(PLACEHOLDER) && **it != Value::Null).cloned();
            let required = tool.parameters.required.iter().any(|it| it == name);
            if chosen.is_none() && required { Err(missing()) } else { Ok(chosen) }
        }
        _ if given.is_some_and(|it| it.equals(&argument.value)) => Ok(Some(argument.value.clone())),
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
    use super::*;
    use crate::stage::testing::{Asked as Heard, context, question_item};

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
            situation: None,
        }
    }

    async fn write(replies: &[&str]) -> (Result<Item, ItemError>, Heard) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let item = question_item();
        let Record::Question(question) = &item.record else { panic!("no question") };
        let (id, difficulty) = (item.id.clone(), Difficulty::Hard);
        let order = Order {
            id,
            root: &item.root,
            catalogue: &question.catalogue,
            difficulty,
            draft: draft(question),
            asks: 2,
            ordinal: 0,
            others: Vec::new(),
        };
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

    #[tokio::test]
    async fn what_makes_no_sense_to_the_writer_is_not_asked_for_again() {
        let reply = r#"{"requests": [{"parameters": [{}, {}], "question": "", "sensible": false}]}"#;
        let (written, asked) = write(&[reply, SOUND]).await;
        let Err(ItemError::Item { fault, .. }) = written else { panic!("it was kept") };
        assert_eq!((fault.reason, asked.count()), (NOT_SENSIBLE, 1));
    }

    #[test]
    fn what_is_owed_is_written_in_batches_and_what_is_drawn_beyond_alone() {
        assert_eq!([batch(0, (8, 6)), batch(5, (8, 6)), batch(7, (8, 6)), batch(9, (8, 6))], [0..6, 0..6, 6..8, 9..10]);
    }

    #[test]
    fn what_need_not_be_given_may_be_left_out_by_the_writer() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "t", "parameters": {"properties": {"id": {}, "note": {}}, "required": ["id"]}}"#,
        )
        .unwrap();
        let argument = AskedArgument { value: Value::Null, words: String::new(), saying: Saying::Chosen, refers: None };
        let written: Object = serde_json::from_str(r#"{"id": "$$$", "note": "$$$"}"#).unwrap();
        assert_eq!(settled("note", &tool, &argument, &written).unwrap(), None);
        assert_eq!(settled("id", &tool, &argument, &written).unwrap_err().reason, "missing_parameter");
    }

    #[test]
    fn the_order_of_mention_is_told_or_seen() {
        let item = question_item();
        let Record::Question(question) = &item.record else { panic!("no question") };
        let calls = draft(question).calls;
        let order = |told: &[usize]| {
            let written = WrittenQuestion {
                parameters: Vec::new(),
                mentions: told.to_vec(),
                question: question.text.clone(),
                sensible: true,
            };
            mentions(&written, &calls)
        };
        assert_eq!(order(&[2, 1]), [1, 0]);
        assert_eq!(order(&[1, 1]), [0, 1], "where it is no order, the words tell");
    }
}
