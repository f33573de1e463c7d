//! Puts into words what variants of dialogues plan: all variants of a dialogue in one answer.

use crate::failure::{ItemError, RunStopped};
use crate::gate::{Wording, check_wording};
use crate::hammerbench::stage::paper_lines;
use crate::hammerbench::stage::variant::variant_lines::{REPAIRS, Teller, letter, write_variants};
use crate::llm::tasks::read_variants;
use crate::llm::{
    AskedSlot, ChangedValue, LineDeed, NewLine, PlannedValue, VariantLine, VariantPlan, VariantsVariables, wait_for_all,
};
use crate::record::{
    ArgumentNotes, Dialogue, FunctionCall, Item, ItemId, Object, Record, RecordKind, SaidWords, Turn, TurnAct,
    TurnPlan, Value,
};
use crate::stage::banks::Bank;
use crate::stage::context::{Context, NOT_SENSIBLE};
use crate::stage::facts::{Scope, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage, Work};
use crate::stage::writing::write::SITUATION;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The word in the file.
pub const KIND: &str = "write_variants";

/// Writes the lines of planned dialogue variants: all variants of a dialogue in one reply.
///
/// The stages that make variants (`merge_turns`, `slot_override`, `multiple_slot_values`, `intent_shift`,
/// `external_answers`) plan the changes, and here a model writes the lines. In a pipeline without this stage, the
/// built-in model writes them in those stages, even if another model wrote the dialogues.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteVariantsConfig {}

impl Stage for WriteVariantsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of(KIND, &[RecordKind::Dialogue], RecordKind::Dialogue).scope(Scope::Tool).asks("generator")
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Writing))
    }
}

/// Writes the variants of a root.
struct Writing;

impl Scan for Writing {
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        let context = context.clone();
        Box::pin(async move {
            let mut bases: IndexMap<ItemId, Vec<Item>> = IndexMap::new();
            for item in items {
                let base = planned(&item).map_or_else(|| item.id.clone(), |dialogue| dialogue.base.clone());
                bases.entry(base).or_default().push(item);
            }
            let work = bases.into_iter().map(|(base, items)| of_base(&context, base, items));
            let mut outcome = Outcome::default();
            wait_for_all(work).await?.into_iter().for_each(|of_base| outcome.add(of_base));
            Ok(outcome)
        })
    }
}

/// A variant as an item of its own.
pub(crate) fn derive(context: &Context, item: &Item, ordinal: usize, dialogue: Dialogue) -> Item {
    let mut provenance = item.provenance.clone();
    provenance.parents = vec![item.id.to_string()];
    if let Record::Dialogue(base) = &item.record {
        let says = |turn: &Turn, old: &Turn| turn.question == old.question && turn.said() == old.said();
        let place = |turn: &Turn| (1..).zip(&base.turns).find(|(_, old)| turn.plan.is_none() && says(turn, old));
        let by_template = |turn: &Turn| place(turn).is_some_and(|(at, _)| item.provenance.has_template_in(at));
        provenance.note_templates(&dialogue.turns.iter().map(by_template).collect::<Vec<_>>());
    }
    let record = Record::Dialogue(Box::new(Dialogue { base: item.id.clone(), ..dialogue }));
    Item { id: item.id.child(context.stage(), ordinal), root: item.root.clone(), record, provenance }
}

/// Variants as a stage passes them on: planned, or, where no later stage writes them, in the words of the built-in model.
pub(crate) fn finish(context: &Context, variants: Vec<Item>) -> Result<Outcome, RunStopped> {
    if context.writes_variants() {
        return Ok(Outcome { kept: variants, rejected: Vec::new() });
    }
    let mut outcome = Outcome::default();
    for item in variants {
        outcome.add(context.settled(&item.id.clone(), by_template(context, item))?);
    }
    Ok(outcome)
}

/// The variant in the words of the built-in model.
fn by_template(context: &Context, mut item: Item) -> Result<Item, ItemError> {
    let Record::Dialogue(dialogue) = item.record.clone() else { return Ok(item) };
    let dialogue = &*dialogue;
    let teller = teller(context, &item, dialogue);
    let plan = VariantPlan { id: letter(0), ..plan_of(context, dialogue) };
    let variables = VariantsVariables {
        tool: teller.tool.clone(),
        phrases: teller.phrases.clone(),
        manner: teller.manner.clone(),
        variants: vec![plan],
        ..VariantsVariables::default()
    };
    let mut chance = context.chance_of("words", item.id.as_str(), context.times(&item.id));
    let reply = context.templates().variants_text(&variables, &mut chance);
    let lines = read_variants(&reply).map_err(Fault::from)?.0.pop().and_then(|(_, lines)| lines);
    let lines = lines.ok_or_else(|| Fault::new(NOT_SENSIBLE, "the built-in model has no words for this"))?;
    item.record = Record::Dialogue(Box::new(worded(context, dialogue, None, &lines)?));
    note_writer(&mut item, dialogue, true);
    Ok(item)
}

/// Notes which turns of a variant templates have written: those that were planned, or of them those that say what the paper's
/// authors say.
fn note_writer(item: &mut Item, planned: &Dialogue, by_template: bool) {
    let of_turn = |(at, turn): (u32, &Turn)| match &turn.plan {
        Some(plan) => by_template || plan.paper,
        None => item.provenance.has_template_in(at),
    };
    let turns: Vec<bool> = (1..).zip(&planned.turns).map(of_turn).collect();
    item.provenance.note_templates(&turns);
}

/// Whose conversation it is.
fn teller<'a>(context: &Context, item: &Item, dialogue: &'a Dialogue) -> Teller<'a> {
    let style = context.pack().styles.iter().find(|it| it.name == dialogue.style);
    Teller {
        tool: &dialogue.tool,
        phrases: context.toolset().said_of(&dialogue.tool.name).cloned(),
        manner: style.map(|style| style.description.clone()).unwrap_or_default(),
        situation: item.provenance.facts.get(SITUATION).cloned(),
    }
}

/// The dialogue of an item in which something is still to be put into words.
fn planned(item: &Item) -> Option<&Dialogue> {
    let Record::Dialogue(dialogue) = &item.record else { return None };
    dialogue.turns.iter().any(|turn| turn.plan.is_some()).then_some(dialogue)
}

/// Writes the variants of a dialogue. Those of a rerun are written by themselves, beside the request of the first run: with all
/// variants in it, its reply is at hand, and the others stay as they are.
async fn of_base(context: &Context, base: ItemId, items: Vec<Item>) -> Result<Outcome, RunStopped> {
    let is_rerun = |item: &&Item| planned(item).is_some() && context.is_rerun(&item.id);
    let again: Vec<Item> = items.iter().filter(is_rerun).cloned().collect();
    let mut outcome = of_group(context, &base.child(context.stage(), 0), items).await?;
    let is_first = |id: &str| again.iter().all(|item| item.id.as_str() != id);
    outcome.kept.retain(|item| is_first(item.id.as_str()));
    outcome.rejected.retain(|reject| is_first(reject.id.as_str()));
    for item in again {
        outcome.add(of_group(context, &item.id.clone(), vec![item]).await?);
    }
    Ok(outcome)
}

async fn of_group(context: &Context, id: &ItemId, items: Vec<Item>) -> Result<Outcome, RunStopped> {
    let (variants, passed): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| planned(item).is_some());
    let mut outcome = Outcome { kept: passed, rejected: Vec::new() };
    let dialogues: Vec<&Dialogue> = variants.iter().filter_map(planned).collect();
    let (Some(item), Some(first)) = (variants.first(), dialogues.first()) else { return Ok(outcome) };
    let context = &context.speaking(item, None);
    let teller = teller(context, item, first);
    let plans = dialogues.iter().map(|dialogue| plan_of(context, dialogue)).collect();
    let bank = match context.bank(&first.tool).await {
        Ok(bank) => bank,
        Err(failure) => return lost(context, outcome, &variants, &failure),
    };
    let accept = |place: usize, lines: &[NewLine]| worded(context, dialogues[place], bank.as_deref(), lines);
    let made = match write_variants(context, id, &teller, plans, REPAIRS, accept).await {
        Ok(made) => made,
        Err(failure) => return lost(context, outcome, &variants, &failure),
    };
    for ((item, planned), made) in variants.iter().zip(dialogues).zip(made) {
        let made = made.map(|(dialogue, draws)| {
            let mut item = Item { record: Record::Dialogue(Box::new(dialogue)), ..item.clone() };
            item.provenance.draws.extend(draws);
            note_writer(&mut item, planned, context.is_template(context.role()));
            item
        });
        outcome.add(context.settled(&item.id, made)?);
    }
    Ok(outcome)
}

/// The outcome without these variants, which share a failure.
fn lost(
    context: &Context,
    mut outcome: Outcome,
    variants: &[Item],
    failure: &ItemError,
) -> Result<Outcome, RunStopped> {
    for item in variants {
        outcome.add(context.failed(&item.id, failure.clone())?);
    }
    Ok(outcome)
}

/// A variant as a writer is shown it.
fn plan_of(context: &Context, dialogue: &Dialogue) -> VariantPlan {
    let mut lines: Vec<VariantLine> = Vec::new();
    let mut n = 0;
    let mut add = |speaker: &str, text: &str, line: Option<VariantLine>| {
        n += usize::from(line.is_some());
        let stands = line.is_none();
        let line = line.unwrap_or_default();
        let (n, text) = if stands { (0, text.to_owned()) } else { (n, String::new()) };
        lines.push(VariantLine { n, speaker: speaker.to_owned(), text, ..line });
    };
    for turn in &dialogue.turns {
        let plan = turn.plan.as_ref();
        let paper = plan.is_some_and(|plan| plan.paper);
        if let Some(question) = &turn.question {
            add("assistant", question, plan.and_then(|plan| asked(dialogue, plan)));
        }
        let mut said = plan.and_then(|plan| said(turn, plan));
        let shift = plan.filter(|plan| plan.act == TurnAct::Shift).and(said.as_mut());
        let is_shift = shift.is_some();
        if let Some(shift) = shift {
            shift.tool = context.toolset().tool(&shift.about).cloned();
            shift.phrases = context.toolset().said_of(&shift.about).cloned();
            let about = shift.tool.as_ref().map(|tool| tool.description.clone()).filter(|about| !about.is_empty());
            shift.about = about.unwrap_or_else(|| shift.about.clone());
        }
        add("user", &turn.said(), said);
        if is_shift && !paper {
            add("assistant", "", Some(VariantLine { deed: LineDeed::Refuse, ..VariantLine::default() }));
        }
    }
    VariantPlan { lines, ..VariantPlan::default() }
}

/// What the assistant is to say before a turn, where its words do not stand.
fn asked(dialogue: &Dialogue, plan: &TurnPlan) -> Option<VariantLine> {
    let slot = |name: &String| AskedSlot { name: name.clone(), about: dialogue.tool.about(name) };
    let deed = match plan.act {
        _ if plan.paper => return None,
        TurnAct::Again => LineDeed::Report,
        _ if plan.asks.is_empty() => return None,
        _ => LineDeed::Ask,
    };
    Some(VariantLine { deed, asks: plan.asks.iter().map(slot).collect(), ..VariantLine::default() })
}

/// What the person is to say in a turn, where the words do not stand.
fn said(turn: &Turn, plan: &TurnPlan) -> Option<VariantLine> {
    let deed = match plan.act {
        TurnAct::Correct | TurnAct::Change | TurnAct::Again if plan.paper => return None,
        TurnAct::Answer if plan.says.is_empty() => return None,
        TurnAct::Answer => LineDeed::Answer,
        TurnAct::Correct => LineDeed::Correct,
        TurnAct::Change => LineDeed::Change,
        TurnAct::Again => LineDeed::Again,
        TurnAct::Shift => LineDeed::Shift,
        TurnAct::Point => LineDeed::Point,
    };
    let words = |name: &str, value: &Value| PlannedValue {
        name: name.to_owned(),
        value: Some(value.clone()),
        said: plan.said.get(name).cloned().unwrap_or_default(),
    };
    let called = |name: &String| Some(words(name, turn.call.as_ref()?.arguments.get(name)?));
    let is_kept = |name: &String| !plan.takes_back.contains_key(name);
    // What people say of a value that is taken back is not what they say of the new one.
    let says = plan.says.iter().map(|(name, value)| {
        let known = words(name, value);
        PlannedValue { said: if is_kept(name) { known.said } else { Vec::new() }, ..known }
    });
    let change = |(name, from): (&String, &Value)| {
        Some(ChangedValue { name: name.clone(), from: Some(from.clone()), to: called(name)? })
    };
    Some(VariantLine {
        deed,
        says: says.collect(),
        changes: plan.takes_back.iter().filter_map(change).collect(),
        hides: turn.slots.first().filter(|_| deed == LineDeed::Point).and_then(called),
        about: plan.about.clone(),
        ..VariantLine::default()
    })
}

/// The variant with its words, if they say what the plan wants.
fn worded(context: &Context, dialogue: &Dialogue, bank: Option<&Bank>, lines: &[NewLine]) -> Result<Dialogue, Fault> {
    let mut made = dialogue.clone();
    let mut lines = lines.iter().filter(|line| line.n > 0).collect::<Vec<_>>();
    lines.sort_by_key(|line| line.n);
    let mut next = lines.into_iter();
    let missing = || Fault::new("missing_line", "a line is missing");
    for at in 0..made.turns.len() {
        let Some(plan) = made.turns[at].plan.take() else { continue };
        if asked(dialogue, &plan).is_some() {
            made.turns[at].question = Some(next.next().ok_or_else(missing)?.text.clone());
        }
        let turn = &made.turns[at];
        let Some(planned) = said(turn, &plan) else {
            if plan.paper {
                let (text, notes) = paper_lines::changed(context, &made, at, &plan)?;
                if plan.act == TurnAct::Again {
                    made.turns[at].question = Some(context.pack().dialogue.paper.done.clone());
                }
                settle(&mut made, at, &NewLine { text, ..NewLine::default() }, notes);
            }
            continue;
        };
        let line = next.next().ok_or_else(missing)?;
        if planned.deed == LineDeed::Shift {
            let turn = &mut made.turns[at];
            (turn.text, turn.refusal) = if plan.paper {
                (paper_lines::shifted(context, &line.text), Some(context.pack().dialogue.paper.refusal.clone()))
            } else {
                (line.text.clone(), Some(next.next().ok_or_else(missing)?.text.clone()))
            };
            continue;
        }
        let notes = grounded(context, dialogue, bank, (turn, &plan), line)?;
        settle(&mut made, at, line, notes);
    }
    Ok(made)
}

/// The notes on what a line says, if it says what its plan wants.
fn grounded(
    context: &Context,
    dialogue: &Dialogue,
    bank: Option<&Bank>,
    (turn, plan): (&Turn, &TurnPlan),
    line: &NewLine,
) -> Result<ArgumentNotes, Fault> {
    let tool = &dialogue.tool;
    let called = turn.call.as_ref().map(|call| &call.arguments);
    let hidden = turn.slots.first().filter(|_| plan.act == TurnAct::Point);
    let names = plan.says.keys().chain(plan.takes_back.keys()).chain(hidden);
    let label: Object = names.filter_map(|name| Some((name.clone(), called?.get(name)?.clone()))).collect();
    let preset: Vec<String> = label.keys().cloned().collect();
    let known = |name: &str, value: &Value| {
        let of_bank = bank.map(|bank| bank.said(name, value)).unwrap_or_default();
        plan.said.get(name).into_iter().flatten().cloned().chain(of_bank).collect()
    };
    let wording = Wording { said: &line.said, known: &known, reference_time: context.reference_time() };
    let call = FunctionCall { name: tool.name.clone(), arguments: label };
    let text = line.message.as_deref().filter(|_| hidden.is_some()).unwrap_or(&line.text);
    let notes = check_wording(tool, &preset, &call, (text, wording), context.language())?;
    let own: Vec<String> = line.said.values().flatten().cloned().chain([line.was.clone()]).collect();
    let own: Vec<String> = own.into_iter().filter(|words| !words.is_empty()).collect();
    // Who takes a value back may name it.
    let old = plan.takes_back.iter().flat_map(|(name, value)| said_words(bank, &turn.notes, name, value));
    let own: Vec<String> = own.into_iter().chain(old).collect();
    let nothing = Object::new();
    let known = called.unwrap_or(&nothing);
    let text = (line.text.as_str(), own.as_slice());
    let besides = bank.and_then(|bank| bank.says_besides(text, &call.arguments, known, context.language()));
    if let Some((name, words)) = besides {
        return Err(Fault::new("unsaid_in_text", format!("line {} says `{words}` for {name} as well", line.n))
            .naming([words, name]));
    }
    if let Some(hidden) = hidden {
        let words = notes.get(hidden).and_then(|note| note.surface.as_deref()).unwrap_or_default();
        if crate::hammerbench::stage::pointing::gives_away(&line.text, words) {
            return Err(Fault::new("value_in_pointer", format!("line {} must not say `{words}`", line.n)));
        }
    }
    // What is taken back in the same breath has been said in it; of a flag nobody can point at the words.
    let is_said = |(name, value): (&String, &Value)| plan.says.contains_key(name) && value.as_bool().is_none();
    let takes_back = plan.act == TurnAct::Correct && plan.takes_back.iter().any(is_said);
    if takes_back && (line.was.is_empty() || !crate::hammerbench::stage::pointing::holds(&line.text, &line.was)) {
        return Err(Fault::new(
            "nothing_taken_back",
            format!("line {} does not say the value that is taken back", line.n),
        ));
    }
    Ok(notes)
}

/// Puts a line into its turn, and what it says of values into all turns that still have them.
fn settle(dialogue: &mut Dialogue, at: usize, line: &NewLine, notes: ArgumentNotes) {
    let values = dialogue.turns[at].call.as_ref().map(|call| call.arguments.clone()).unwrap_or_default();
    dialogue.turns[at].text.clone_from(&line.text);
    dialogue.turns[at].external.clone_from(&line.message);
    for (name, note) in notes {
        let value = values.get(&name);
        let still = |turn: &&mut Turn| turn.call.as_ref().is_some_and(|call| call.arguments.get(&name) == value);
        for turn in dialogue.turns[at..].iter_mut().take_while(still) {
            turn.notes.insert(name.clone(), note.clone());
        }
    }
}

/// How many ways of saying a value a writer is shown.
const WORDINGS: usize = 4;

/// What people say for a value, as a bank or the words of before have it.
pub(crate) fn said_words(bank: Option<&Bank>, notes: &ArgumentNotes, name: &str, value: &Value) -> Vec<String> {
    let of_bank = bank.map(|bank| bank.said(name, value)).unwrap_or_default();
    // A number's note has its figure alone, and people say what they count.
    let is_told = of_bank.is_empty() && !matches!(value, Value::Number(_));
    let before = notes.get(name).and_then(|note| note.surface.clone()).filter(|_| is_told);
    of_bank.into_iter().chain(before).take(WORDINGS).collect()
}

/// The words of several values.
pub(crate) fn all_said(bank: Option<&Bank>, notes: &ArgumentNotes, values: &Object) -> SaidWords {
    let words = |(name, value): (&String, &Value)| (name.clone(), said_words(bank, notes, name, value));
    values.iter().map(words).filter(|(_, words)| !words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hammerbench::stage::variant::merge_turns::MergeTurnsConfig;
    use crate::llm::{Task, Variables};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, dialogue_item, dialogues, modelled, with_shared};

    /// Writes the variants of a dialogue, with these replies one after the other; readers say `read`.
    async fn written(items: impl AsyncFn(&Context, Item) -> Vec<Item>, replies: &[&str]) -> (Outcome, Asked) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();

        let (context, asked) = modelled(move |request| match request.task {
            Task::WriteVariants => replies[(request.draw as usize).min(replies.len() - 1)].clone(),
            other => panic!("{other:?}"),
        });
        let context = with_shared(context, |shared| shared.writes_variants = true);
        let items = items(&context, dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())])).await;
        let outcome = Writing.consult(&context, items).await.unwrap();
        (outcome, asked)
    }

    async fn merged(context: &Context, item: Item) -> Vec<Item> {
        read_text::<MergeTurnsConfig>("").unwrap().each(context, item).await.unwrap().kept
    }

    const MERGED: &str = r#"{"variants": [
        {"id": "A", "lines": [{"n": 1, "text": "Where to, and when?"}, {"n": 2, "text": "noon, to Porto", "said": {"to": "Porto", "at": "noon"}}]},
        {"id": "B", "lines": [{"n": 1, "text": "When and where to?"}]},
        {"id": "C", "lines": [{"n": 1, "text": "Porto at noon", "said": {"to": "Porto", "at": "noon"}}]}]}"#;

    #[tokio::test]
    async fn all_variants_of_a_dialogue_are_one_request() {
        let (outcome, asked) = written(merged, &[MERGED]).await;
        let [base, both, questions, answers] = dialogues(&outcome.kept)[..] else { panic!("{:?}", outcome.rejected) };
        assert_eq!(asked.count(), 1);
        assert_eq!(
            (both.turns[1].question.as_deref(), &*both.turns[1].text),
            (Some("Where to, and when?"), "noon, to Porto")
        );
        assert_eq!(
            (questions.turns[1].question.as_deref(), &questions.turns[1].text),
            (Some("When and where to?"), &base.turns[1].text)
        );
        assert_eq!((&answers.turns[1].question, &*answers.turns[1].text), (&base.turns[1].question, "Porto at noon"));
        assert_eq!(both.turns[1].notes["at"].surface.as_deref(), Some("noon"));
        assert!(dialogues(&outcome.kept).iter().all(|it| it.turns.iter().all(|turn| turn.plan.is_none())));
        assert!(outcome.kept.iter().all(|item| !item.provenance.template));
        let Variables::WriteVariants(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        let shown: Vec<(usize, &str)> = variables.variants[0].lines.iter().map(|it| (it.n, it.text.as_str())).collect();
        assert_eq!(shown, [(0, "a train, please"), (1, ""), (2, "")], "no text of a template is shown");
    }

    #[tokio::test]
    async fn a_variant_with_a_fault_is_asked_for_once_more_and_no_other() {
        let faulty = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "Where to?"}, {"n": 2, "text": "to Faro"}]},
            {"id": "B", "lines": [{"n": 1, "text": "When and where to?"}]}, {"id": "C", "sensible": false, "lines": []}]}"#;
        let (outcome, asked) = written(merged, &[faulty, MERGED]).await;
        assert_eq!((outcome.kept.len(), asked.count()), (3, 2));
        assert_eq!(outcome.rejected[0].reason, "not_sensible", "nobody is asked again for that");
        let Variables::WriteVariants(second) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!((second.variants.len(), second.variants[0].id.as_str()), (1, "A"));
        assert!(second.variants[0].fault.contains("does not say"), "{}", second.variants[0].fault);
        assert_eq!(second.variants[0].lines[2].text, "to Faro", "the writer sees what it wrote");
    }

    /// A dialogue whose last turn does this with its only value.
    fn acting(act: TurnAct, context: &Context, item: Item) -> Vec<Item> {
        let Record::Dialogue(mut dialogue) = item.record.clone() else { panic!("no dialogue") };
        let turn = dialogue.turns.last_mut().unwrap();
        let old = Object::from_iter([("at".to_owned(), "noon".into())]);
        let mut plan = TurnPlan { act, ..TurnPlan::default() };
        match act {
            TurnAct::Correct => {
                turn.call.as_mut().unwrap().arguments["at"] = "six".into();
                (plan.says, plan.takes_back) = (old.clone(), old);
            }
            TurnAct::Shift => {
                (turn.call, turn.refusal, plan.about) = (None, Some(String::new()), "Home.Lamps.view".into());
            }
            _ => {}
        }
        (turn.text, turn.plan, dialogue.base) = (String::new(), Some(plan), item.id.clone());
        let variant =
            Item { id: item.id.child(context.stage(), 9), record: Record::Dialogue(dialogue), ..item.clone() };
        vec![item, variant]
    }

    #[tokio::test]
    async fn in_a_rerun_one_variant_is_written_by_itself_and_the_others_stay() {
        let alone = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "And when, and where to?"}]}]}"#;
        let (context, asked) = modelled(move |request| match &*request.variables {
            Variables::WriteVariants(variables) if variables.variants.len() == 3 => MERGED.to_owned(),
            Variables::WriteVariants(_) => alone.to_owned(),
            other => panic!("{other:?}"),
        });
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let again = item.id.child("stage", 1);
        let context = with_shared(context, |shared| {
            shared.writes_variants = true;
            shared.reruns.insert(("stage".to_owned(), again.to_string()), 1);
        });
        let items = merged(&context, item).await;
        let outcome = Writing.consult(&context, items).await.unwrap();
        let question = |at: usize| dialogues(&outcome.kept)[at].turns[1].question.clone().unwrap();
        assert_eq!((asked.count(), outcome.kept.len()), (2, 4), "{:?}", outcome.rejected);
        assert_eq!(question(1), "Where to, and when?", "as the first run has it");
        assert_eq!((outcome.kept[3].id.clone(), question(3)), (again, "And when, and where to?".to_owned()));
    }

    #[tokio::test]
    async fn a_correction_says_both_values() {
        let correct = async |context: &Context, item| acting(TurnAct::Correct, context, item);
        let half = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "at six", "said": {"at": "six"}, "was": "noon"}]}]}"#;
        let (outcome, asked) = written(correct, &[half]).await;
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("nothing_taken_back", 3));
        assert_eq!(outcome.rejected[0].text, "at six");
        let whole = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "at noon, no, six", "said": {"at": "six"}, "was": "noon"}]}]}"#;
        let (outcome, _) = written(correct, &[whole]).await;
        let turn = dialogues(&outcome.kept)[1].turns.last().unwrap();
        assert_eq!((&*turn.text, turn.notes["at"].surface.as_deref()), ("at noon, no, six", Some("six")));
    }

    #[tokio::test]
    async fn a_shift_has_a_request_and_a_refusal() {
        let shift = async |context: &Context, item| acting(TurnAct::Shift, context, item);
        let lines = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "show me the lamp"}, {"n": 2, "text": "I can't do lamps"}]}]}"#;
        let (outcome, asked) = written(shift, &[lines]).await;
        let turn = dialogues(&outcome.kept)[1].turns.last().unwrap();
        assert_eq!((&*turn.text, turn.refusal.as_deref()), ("show me the lamp", Some("I can't do lamps")));
        let Variables::WriteVariants(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        let shift = variables.variants[0].lines.iter().find(|line| line.deed == LineDeed::Shift).unwrap();
        assert_eq!(shift.about, "Home.Lamps.view", "a tool without a description has its name");
    }

    #[tokio::test]
    async fn the_authors_have_one_template_for_a_shift_and_one_refusal() {
        let shift = async |context: &Context, item| {
            let mut items = acting(TurnAct::Shift, context, item);
            let Record::Dialogue(dialogue) = &mut items[1].record else { panic!("no dialogue") };
            dialogue.turns.last_mut().unwrap().plan.as_mut().unwrap().paper = true;
            items
        };
        let line = r#"{"variants": [{"id": "A", "lines": [{"n": 1, "text": "Turn on the lamp"}]}]}"#;
        let (outcome, _) = written(shift, &[line]).await;
        let last = dialogues(&outcome.kept)[1].turns.last().unwrap();
        assert_eq!(last.text, "Oh no, Turn on the lamp");
        assert_eq!(last.refusal.as_deref(), Some("Sorry, no tool is suitable for your request."));
    }

    #[tokio::test]
    async fn a_pointer_hides_what_its_message_says() {
        let point = async |context: &Context, item| acting(TurnAct::Point, context, item);
        let lines = |text: &str| {
            let line =
                format!(r#"{{"n": 1, "text": "{text}", "said": {{"at": "noon"}}, "message": "It begins at noon."}}"#);
            format!(r#"{{"variants": [{{"id": "A", "lines": [{line}]}}]}}"#)
        };
        let (outcome, _) = written(point, &[&lines("at noon, as in the mail")]).await;
        assert_eq!(outcome.rejected[0].reason, "value_in_pointer");
        let (outcome, _) = written(point, &[&lines("when the mail says")]).await;
        let turn = dialogues(&outcome.kept)[1].turns.last().unwrap();
        assert_eq!(turn.said(), "when the mail says<EK>:It begins at noon.");
    }

    #[tokio::test]
    async fn what_is_in_words_already_passes() {
        let (outcome, asked) = written(async |_: &Context, item| vec![item], &[]).await;
        assert_eq!((outcome.kept.len(), asked.count()), (1, 0));
    }
}
