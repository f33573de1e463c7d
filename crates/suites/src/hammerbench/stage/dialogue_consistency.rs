//! Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.

use crate::failure::{ItemError, RunStopped};
use crate::hammerbench::stage::one_right_tool::chosen;
use crate::hammerbench::stage::variant::variant_lines::letter;
use crate::llm::tasks::read_calls;
use crate::llm::{CallExample, DialoguesVariables, Reply, ShownDialogue, ShownLine, Task, Variables, wait_for_all};
use crate::record::{Dialogue, Item, ItemId, Record, RecordKind, Tier};
use crate::settings::Share;
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::gates::readings::{Accept, Reader, Reading, Readings};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage, Work};
use crate::stage::writing::schemas;
use crate::text::ReadAnswer;
use futures::future::join;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keeps a dialogue if a model that reads it recovers the call of its last turn, and of every marked turn.
///
/// The stage's `model` reads the dialogues; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogueConsistencyConfig {
    /// Minimum Rouge-L F1 between two values of one argument. Default: set by the locale pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rouge_l: Option<Share>,
    /// When two values count as equal.
    #[serde(default)]
    accept: Accept,
    /// Readings that must agree with a label: `all` (without an example and with one) or `any`. Default: `all` for a
    /// language model, `any` for the built-in verifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    readings: Option<Readings>,
    /// Whether to read a second time, with an example: a request with its call of the same tool. Default: only if
    /// `readings` is `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_shot: Option<bool>,
    /// How a model reads: all positions of a dialogue and of its variants in one reply (`dialogues`), or one position
    /// at a time, for weak models (`turn`). The built-in verifier reads one position at a time.
    #[serde(default, skip_serializing_if = "At::is_default")]
    reading: At,
}

/// How dialogues are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum At {
    /// All positions and all variants of a dialogue in one reply.
    #[default]
    Dialogues,
    /// One position at a time.
    Turn,
}

impl At {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Stage for DialogueConsistencyConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("dialogue_consistency", &[RecordKind::Dialogue]).asks("checker")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), readings: self.readings, ..Settings::default() }
    }

    fn resolve_readings(&mut self, is_builtin: bool) {
        self.readings.get_or_insert(Readings::for_reader(is_builtin));
    }

    fn consults(&self, context: &Context) -> bool {
        self.reading == At::Dialogues && !context.is_template(context.role())
    }

    fn scan(&self, context: &Context) -> Option<Box<dyn Scan>> {
        self.consults(context).then(|| -> Box<dyn Scan> { Box::new(Together(self.clone())) })
    }

    /// Keeps a dialogue that a reader understands as its labels say (HammerBench 4.1.1).
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
            match self.tier(context, &item, dialogue).await {
                Ok(Ok(tier)) => {
                    // Where a dialogue ends without a call there is nothing to read: what was read of its base holds.
                    item.provenance.tier = tier.or(item.provenance.tier).or(Some(Tier::ZeroShot));
                    Ok(Outcome::keep(item))
                }
                Ok(Err(why)) => {
                    let text = dialogue.history(dialogue.turns.len());
                    Ok(context.reject(&item.id, Fault::new("inconsistent", why), text))
                }
                Err(failure) => context.failed(&item.id, failure),
            }
        })
    }
}

impl DialogueConsistencyConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let threshold = self.accept.conflict(self.rouge_l);
        threshold.into_iter().chain(Readings::conflict(self.readings, self.one_shot)).collect()
    }

    /// The least reliable tier of all turns that matter, or why one of them is read in another way.
    async fn tier(
        &self,
        context: &Context,
        item: &Item,
        dialogue: &Dialogue,
    ) -> Result<Result<Option<Tier>, String>, ItemError> {
        let readings = self.readings.unwrap_or(Readings::All);
        let one_shot = self.one_shot.unwrap_or(readings == Readings::All);
        let reader = Reader { context, item, rouge_l: self.rouge_l, accept: self.accept, readings };
        let mut tiers = Vec::new();
        for (at, turn) in dialogue.turns.iter().enumerate() {
            let Some(call) = &turn.call else {
                // What the built-in model turns to was looked at when it was made.
                if turn.marked && !context.is_template(context.role()) {
                    let shown = &dialogue.frame.candidates;
                    if let Some(tool) = chosen(context, &item.id, &turn.text, shown).await? {
                        return Ok(Err(format!("turn {}: {}", at + 1, servable(&tool))));
                    }
                }
                continue;
            };
            if at + 1 < dialogue.turns.len() && !turn.marked {
                continue;
            }
            let text = dialogue.history(at);
            let reading = Reading { text: &text, tool: &dialogue.tool, call };
            match reader.tier(reading, one_shot).await? {
                Ok(tier) => tiers.push(tier),
                Err(why) => return Ok(Err(format!("turn {}: {why}", at + 1))),
            }
        }
        Ok(Ok(tiers.into_iter().max()))
    }
}

/// Reads a dialogue, or all variants of one, in one answer.
struct Together(DialogueConsistencyConfig);

impl Scan for Together {
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        let (config, context) = (self.0.clone(), context.clone());
        Box::pin(async move {
            let mut groups: IndexMap<ItemId, Vec<Item>> = IndexMap::new();
            for item in items {
                let base = match &item.record {
                    Record::Dialogue(dialogue) if dialogue.data_type.0 != "Based" => dialogue.base.clone(),
                    _ => item.id.clone(),
                };
                // What is asked for anew is read by itself: the others were read before.
                let group = if context.is_rerun(&item.id) { item.id.clone() } else { base };
                groups.entry(group).or_default().push(item);
            }
            let work = groups.into_iter().map(|(id, items)| config.of_group(&context, id, items));
            let mut outcome = Outcome::default();
            wait_for_all(work).await?.into_iter().for_each(|of_group| outcome.add(of_group));
            Ok(outcome)
        })
    }
}

/// What was read in dialogues.
#[derive(Default)]
struct Answers {
    /// At the places, by their names.
    calls: BTreeMap<String, Result<ReadAnswer, String>>,
    /// Why dialogues make no sense, by their letters.
    senseless: BTreeMap<String, String>,
}

impl DialogueConsistencyConfig {
    /// Keeps the dialogues of a group that a reader understands as their labels say.
    async fn of_group(&self, context: &Context, id: ItemId, items: Vec<Item>) -> Result<Outcome, RunStopped> {
        let mut open: Vec<Item> = Vec::new();
        let mut outcome = Outcome::default();
        for mut item in items {
            match &item.record {
                Record::Dialogue(dialogue) if !places(dialogue).is_empty() => open.push(item),
                _ => {
                    // Where a dialogue ends without a call there is nothing to read: what was read of its base holds.
                    item.provenance.tier = item.provenance.tier.or(Some(Tier::ZeroShot));
                    outcome.add(Outcome::keep(item));
                }
            }
        }
        let readings = self.readings.unwrap_or(Readings::All);
        // Where both readings have to agree, the second is the same request whatever the first finds: nobody waits for it.
        let early = async {
            match self.example(context, &open).await? {
                Some(example) if readings == Readings::All => {
                    Ok((None, self.agreeing(context, &id, &open, Some(example)).await?))
                }
                example => Ok::<_, RunStopped>((example, Vec::new())),
            }
        };
        let (first, early) = join(self.agreeing(context, &id, &open, None), early).await;
        let (first, (example, early)) = (first?, early?);
        let mut second: BTreeMap<ItemId, _> = open.iter().map(|item| item.id.clone()).zip(early).collect();
        let is_open = |(_, found): &(&Item, &Result<Result<(), String>, ItemError>)| matches!(found, Ok(Err(_)));
        let again: Vec<Item> = open.iter().zip(&first).filter(is_open).map(|(item, _)| item.clone()).collect();
        if let Some(example) = example.filter(|_| !again.is_empty()) {
            let found = self.agreeing(context, &id, &again, Some(example)).await?;
            second.extend(again.iter().map(|item| item.id.clone()).zip(found));
        }
        for (mut item, first) in open.into_iter().zip(first) {
            let tier = match (first, second.remove(&item.id)) {
                (Err(failure), _) | (_, Some(Err(failure))) => Err(failure),
                (Ok(first), None) => Ok(first.map(|()| Tier::ZeroShot)),
                (Ok(Ok(())), Some(Ok(second))) => {
                    Ok(second.map(|()| Tier::Both).map_err(|why| format!("with an example, {why}")))
                }
                (Ok(Err(why)), Some(Ok(_))) if readings == Readings::All => Ok(Err(why)),
                (Ok(Err(_)), Some(Ok(second))) => Ok(second.map(|()| Tier::OneShot)),
            };
            outcome.add(match tier {
                Ok(Ok(tier)) => {
                    item.provenance.tier = Some(tier);
                    Outcome::keep(item)
                }
                Ok(Err(why)) => context.reject(&item.id, Fault::new("inconsistent", why), history(&item)),
                Err(failure) => context.failed(&item.id, failure)?,
            });
        }
        Ok(outcome)
    }

    async fn example(&self, context: &Context, items: &[Item]) -> Result<Option<CallExample>, RunStopped> {
        let first = items.iter().find_map(|item| Some((item, dialogue_of(item)?)));
        let wanted = self.one_shot.unwrap_or(self.readings != Some(Readings::Any));
        let Some((item, dialogue)) = first.filter(|_| wanted) else { return Ok(None) };
        match self.reader(context, item).example(&dialogue.tool).await {
            Ok(example) => Ok(example),
            Err(ItemError::Item { .. }) => Ok(None),
            Err(ItemError::Stopped(stop)) => Err(stop),
        }
    }

    fn reader<'a>(&self, context: &'a Context, item: &'a Item) -> Reader<'a> {
        let readings = self.readings.unwrap_or(Readings::All);
        Reader { context, item, rouge_l: self.rouge_l, accept: self.accept, readings }
    }

    /// Which dialogues a reading of all of them agrees with, or why not.
    async fn agreeing(
        &self,
        context: &Context,
        id: &ItemId,
        items: &[Item],
        example: Option<CallExample>,
    ) -> Result<Vec<Result<Result<(), String>, ItemError>>, RunStopped> {
        let dialogues: Vec<&Dialogue> = items.iter().filter_map(dialogue_of).collect();
        if dialogues.is_empty() {
            return Ok(Vec::new());
        }
        let answers = match read_together(context, id, &dialogues, example).await {
            Ok(answers) => answers,
            Err(ItemError::Item { fault, text }) => {
                let lost = || ItemError::Item { fault: fault.clone(), text: text.clone() };
                return Ok(items.iter().map(|_| Err(lost())).collect());
            }
            Err(ItemError::Stopped(stop)) => return Err(stop),
        };
        let mut found = Vec::new();
        for (ordinal, (item, dialogue)) in items.iter().zip(dialogues).enumerate() {
            found.push(self.fits(context, item, dialogue, (ordinal, &answers)).await);
        }
        Ok(found)
    }

    /// Whether what was read at the places of a dialogue is what its labels say.
    async fn fits(
        &self,
        context: &Context,
        item: &Item,
        dialogue: &Dialogue,
        (ordinal, answers): (usize, &Answers),
    ) -> Result<Result<(), String>, ItemError> {
        let reader = self.reader(context, item);
        if let Some(why) = answers.senseless.get(&letter(ordinal)) {
            context.count("senseless");
            return Ok(Err(format!("a reader finds that it makes no sense: {why}")));
        }
        for at in places(dialogue) {
            let text = dialogue.history(at);
            let found = match (answers.calls.get(&point(ordinal, at)), &dialogue.turns[at].call) {
                (None, _) => Err("the reader says nothing of it".to_owned()),
                (Some(Err(why)), _) => Err(why.clone()),
                (Some(Ok(ReadAnswer::Refusal)), None) => Ok(()),
                (Some(Ok(ReadAnswer::Call(call))), None) => Err(servable(&call.name)),
                (Some(Ok(answer)), Some(call)) => {
                    reader.fits(Reading { text: &text, tool: &dialogue.tool, call }, answer).await?
                }
            };
            if let Err(why) = found {
                return Ok(Err(format!("turn {}: {why}", at + 1)));
            }
        }
        Ok(Ok(()))
    }
}

fn dialogue_of(item: &Item) -> Option<&Dialogue> {
    match &item.record {
        Record::Dialogue(dialogue) => Some(dialogue),
        _ => None,
    }
}

fn history(item: &Item) -> String {
    dialogue_of(item).map(|dialogue| dialogue.history(dialogue.turns.len())).unwrap_or_default()
}

/// Why a turn to something that no shown tool serves is none.
fn servable(tool: &str) -> String {
    format!("a reader finds that `{tool}` can serve the new request")
}

/// The turns that are read: the last one, and those that are marked.
fn places(dialogue: &Dialogue) -> Vec<usize> {
    let last = dialogue.turns.len().saturating_sub(1);
    let is_read = |(at, turn): &(usize, &crate::record::Turn)| turn.marked || *at == last && turn.call.is_some();
    dialogue.turns.iter().enumerate().filter(is_read).map(|(at, _)| at).collect()
}

/// The name of a place.
fn point(ordinal: usize, at: usize) -> String {
    format!("{}{}", letter(ordinal), at + 1)
}

/// The calls that a reader finds in dialogues of one tool.
async fn read_together(
    context: &Context,
    id: &ItemId,
    dialogues: &[&Dialogue],
    example: Option<CallExample>,
) -> Result<Answers, ItemError> {
    let Some(first) = dialogues.first() else { return Ok(Answers::default()) };
    let refusal = context.pack().refusal.clone();
    let shown: Vec<ShownDialogue> = dialogues.iter().enumerate().flat_map(|(ordinal, it)| shown(ordinal, it)).collect();
    let variables = |common| {
        Variables::ReadDialogues(DialoguesVariables {
            common,
            tools: first.frame.candidates.clone(),
            dialogues: shown.clone(),
            example: example.clone(),
            refusal: refusal.clone(),
            reference_time: context.writing_time(),
        })
    };
    let read = |reply: &Reply| {
        let found = read_calls(&reply.text, &refusal)?.0;
        let calls = found.calls.into_iter().map(|(point, answer)| (point, answer.map_err(|fault| fault.detail)));
        Ok(Answers { calls: calls.collect(), senseless: found.senseless.into_iter().collect() })
    };
    let question = context.question(Task::ReadDialogues, id, 2);
    let schema = Some(schemas::calls(&first.frame.candidates, &refusal));
    match context.obtain(&question, schema, variables, read).await {
        Ok((answers, _)) => Ok(answers),
        Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => Ok(Answers::default()),
        Err(failure) => Err(failure),
    }
}

/// A dialogue as a reader is shown it. What a person turns to is read once more by itself: in its place it could be taken
/// for an answer.
fn shown(ordinal: usize, dialogue: &Dialogue) -> Vec<ShownDialogue> {
    let places = places(dialogue);
    let (mut lines, mut alone) = (Vec::new(), Vec::new());
    for (at, turn) in dialogue.turns.iter().enumerate() {
        let line = |speaker: &str, text: String, point: String| ShownLine { speaker: speaker.to_owned(), text, point };
        lines.extend(turn.question.iter().map(|question| line("assistant", question.clone(), String::new())));
        let mut point = if places.contains(&at) { point(ordinal, at) } else { String::new() };
        if turn.call.is_none() && !point.is_empty() {
            let lines = vec![line("user", turn.text.clone(), std::mem::take(&mut point))];
            alone.push(ShownDialogue { id: format!("{}x", letter(ordinal)), lines });
        }
        lines.push(line("user", turn.said(), point));
    }
    std::iter::once(ShownDialogue { id: letter(ordinal), lines }).chain(alone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Variables;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, called, context, dialogue_item, modelled, written};

    async fn read(reply: &'static str, marked: bool) -> (Outcome, Asked) {
        read_by("readings = \"any\"", reply, reply, marked).await
    }

    /// Reads the dialogue with a model that answers so without an example, and so with one.
    async fn read_by(settings: &str, zero: &'static str, one: &'static str, marked: bool) -> (Outcome, Asked) {
        let (context, asked) = context(move |request| match &*request.variables {
            Variables::Call(variables) => called(if variables.example.is_some() { one } else { zero }),
            Variables::WriteQuery(_) => {
                written(r#"{"to": "Faro", "at": "six", "seats": 2}"#, "take two of us to Faro at six")
            }
            _ => "False".to_owned(),
        });
        let mut item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
        dialogue.turns[1].marked = marked;
        let config: DialogueConsistencyConfig = read_text(settings).unwrap();
        (config.each(&context, item).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn a_dialogue_is_kept_that_is_read_as_its_label_says() {
        let (outcome, asked) = read(r#"{"to": "Porto", "at": "noon"}"#, false).await;
        assert_eq!((outcome.kept.len(), asked.count()), (1, 1), "the last turn alone is read");
        assert_eq!(outcome.kept[0].provenance.tier, Some(Tier::ZeroShot));
    }

    #[tokio::test]
    async fn a_marked_turn_is_read_as_well() {
        let (outcome, asked) = read(r#"{"to": "Porto", "at": "noon"}"#, true).await;
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("inconsistent", 1));
        assert!(outcome.rejected[0].detail.starts_with("turn 2: "), "{}", outcome.rejected[0].detail);
    }

    #[tokio::test]
    async fn every_turn_that_matters_is_read_twice_where_all_readings_have_to_agree() {
        const RIGHT: &str = r#"{"to": "Porto", "at": "noon"}"#;
        const WRONG: &str = r#"{"to": "Faro", "at": "noon"}"#;
        let tier = |outcome: &Outcome| outcome.kept.first().and_then(|item| item.provenance.tier);
        let (outcome, asked) = read_by("readings = \"all\"", RIGHT, RIGHT, false).await;
        assert_eq!((tier(&outcome), asked.count()), (Some(Tier::Both), 3));
        let (outcome, _) = read_by("readings = \"all\"", RIGHT, WRONG, false).await;
        assert!(outcome.rejected[0].detail.contains("with an example, "), "{}", outcome.rejected[0].detail);
        let (outcome, asked) = read_by("readings = \"all\"\none_shot = false", RIGHT, WRONG, false).await;
        assert_eq!((tier(&outcome), asked.count()), (Some(Tier::ZeroShot), 1));
        let (outcome, _) = read_by("readings = \"any\"\none_shot = true", WRONG, RIGHT, false).await;
        assert_eq!(tier(&outcome), Some(Tier::OneShot));
        let (outcome, _) = read_by("readings = \"any\"", WRONG, RIGHT, false).await;
        assert_eq!(outcome.rejected.len(), 1, "nobody asked for a second reading");
    }

    #[tokio::test]
    async fn a_dialogue_without_a_call_keeps_the_tier_of_what_was_read_before() {
        let (context, asked) = context(|_| called("{}"));
        let config: DialogueConsistencyConfig = read_text("readings = \"all\"").unwrap();
        for (before, after) in [(None, Tier::ZeroShot), (Some(Tier::Both), Tier::Both)] {
            let mut item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
            let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
            dialogue.turns.iter_mut().for_each(|turn| turn.call = None);
            item.provenance.tier = before;
            let outcome = config.each(&context, item).await.unwrap();
            assert_eq!((outcome.kept[0].provenance.tier, asked.count()), (Some(after), 0));
        }
    }

    /// Reads a dialogue and a variant of it together, with a model that answers so without an example, and so with one.
    async fn wait_for_all(zero: &'static str, one: &'static str) -> (Outcome, Asked) {
        let (context, asked) = modelled(move |request| match &*request.variables {
            Variables::ReadDialogues(variables) => (if variables.example.is_some() { one } else { zero }).to_owned(),
            Variables::WriteQuery(_) => {
                written(r#"{"to": "Faro", "at": "six", "seats": 2}"#, "take two of us to Faro at six")
            }
            Variables::Call(_) => called(r#"{"to": "Faro", "at": "six", "seats": 2}"#),
            other => panic!("{other:?}"),
        });
        let base = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let variant = |ordinal: usize| {
            let mut item = Item { id: base.id.child("variant", ordinal), ..base.clone() };
            let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
            dialogue.data_type.0 = "mQmA".to_owned();
            dialogue.base = base.id.clone();
            dialogue.turns[1].marked = true;
            item
        };
        let config: DialogueConsistencyConfig = read_text("readings = \"all\"\naccept = \"rouge\"").unwrap();
        let items = vec![variant(0), variant(1)];
        (config.scan(&context).unwrap().consult(&context, items).await.unwrap(), asked)
    }

    const BOTH: &str = r#"{"calls": [{"point": "A2", "name": "Travel.Trains.book", "parameters": {"to": "Porto"}},
        {"point": "A3", "name": "Travel.Trains.book", "parameters": {"to": "Porto", "at": "noon"}},
        {"point": "B2", "name": "Travel.Trains.book", "parameters": {"to": "Porto", "at": ""}},
        {"point": "B3", "name": "Travel.Trains.book", "parameters": {"to": "Porto", "at": "six"}}]}"#;

    #[tokio::test]
    async fn all_variants_of_a_dialogue_are_read_in_one_answer() {
        let alone = r#"{"calls": [{"point": "A2", "name": "Travel.Trains.book", "parameters": {"to": "Porto"}},
            {"point": "A3", "name": "Travel.Trains.book", "parameters": {"to": "Porto", "at": "noon"}}]}"#;
        let (outcome, asked) = wait_for_all(BOTH, alone).await;
        let tasks = [Task::ReadDialogues, Task::WriteQuery, Task::Call, Task::ReadDialogues];
        assert_eq!(asked.tasks(), tasks, "an example is read before it is shown");
        assert_eq!(outcome.kept[0].provenance.tier, Some(Tier::Both));
        assert!(outcome.rejected[0].detail.starts_with("turn 3: a reader finds another value of `at`"), "{outcome:?}");
        let Variables::ReadDialogues(second) = &*asked.requests()[3].variables else { panic!("another task") };
        assert_eq!(second.dialogues.len(), 2, "nobody waits for the first reading before the second");
    }

    #[tokio::test]
    async fn a_place_that_the_reader_leaves_out_is_none_that_agrees() {
        let (outcome, _) = wait_for_all(r#"{"calls": []}"#, "").await;
        assert!(outcome.rejected.iter().all(|reject| reject.detail == "turn 2: the reader says nothing of it"));
        assert_eq!(outcome.rejected.len(), 2);
    }

    #[tokio::test]
    async fn what_makes_no_sense_to_a_reader_is_rejected_whatever_it_calls() {
        const ODD: &str = r#"{"calls": [{"point": "A2", "name": "Travel.Trains.book", "parameters": {"to": "Porto"}},
            {"point": "A3", "name": "Travel.Trains.book", "parameters": {"to": "Porto", "at": "noon"}}],
            "senseless": [{"id": "A", "why": "nobody asks that"}]}"#;
        let (outcome, _) = wait_for_all(ODD, ODD).await;
        assert_eq!(outcome.rejected[0].detail, "a reader finds that it makes no sense: nobody asks that");
    }

    #[tokio::test]
    async fn another_value_rejects_with_the_dialogue() {
        let (outcome, _) = read(r#"{"to": "Faro", "at": "noon"}"#, false).await;
        assert!(outcome.rejected[0].detail.contains("another value of `to`"), "{}", outcome.rejected[0].detail);
        assert!(outcome.rejected[0].text.starts_with("user:a train, please\nassistant:Which to?"));
    }
}
