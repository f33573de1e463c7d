//! Adds to dialogues variants in which an answer points at a message that holds the value.

use super::context::Context;
use super::facts::{StageMeta, with};
use super::outcome::{Fault, Outcome};
use super::pointing::{Pointing, Target};
use super::slot_filling::about;
use super::slot_override::derive;
use super::work::{Stage, Work};
use super::write_variants::said_words;
use crate::config::{Count, Share, count, share};
use crate::failure::ItemError;
use crate::gate::{check_parameters, check_script};
use crate::record::{
    ArgumentNotes, DataType, Dialogue, Draw, FunctionCall, Item, ItemId, Object, Record, RecordKind, SaidWords, Turn,
    TurnAct, TurnPlan,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to dialogues variants in which an answer points at a message that holds the value.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExternalAnswersConfig {
    /// Share of the dialogues with two such answers where two can be; the others have one.
    #[serde(default = "share::<20>")]
    twice: Share,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for ExternalAnswersConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("external_answers", &[RecordKind::Dialogue], RecordKind::Dialogue).asks("generator")
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["External"])
    }

    /// Passes a dialogue on, and behind it its variant with external information (HammerBench 3.2, E.6).
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
            let turns = self.turns(context, &item, dialogue);
            if turns.is_empty() {
                return Ok(Outcome::keep(item));
            }
            let id = item.id.child(context.stage(), 0);
            let variant = if context.plans_variants() {
                Ok(planned(context, &item, dialogue, &turns))
            } else {
                self.variant(context, &item, dialogue, &turns, &id).await
            };
            let mut outcome = context.settled(&id, variant)?;
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

impl ExternalAnswersConfig {
    /// The turns whose answers give way to a pointer: one or two of those that name an entity.
    fn turns(&self, context: &Context, item: &Item, dialogue: &Dialogue) -> Vec<usize> {
        if dialogue.data_type.0 != "Based" {
            return Vec::new();
        }
        let mut chance = context.chance(item.id.as_str(), 0);
        let mut turns: Vec<usize> =
            (1..dialogue.turns.len()).filter(|at| names_entity(context, dialogue, *at)).collect();
        chance.shuffle(&mut turns);
        turns.truncate(if chance.happens(self.twice.get()) { 2 } else { 1 });
        turns.sort_unstable();
        turns
    }

    async fn variant(
        &self,
        context: &Context,
        item: &Item,
        dialogue: &Dialogue,
        turns: &[usize],
        id: &ItemId,
    ) -> Result<Item, ItemError> {
        let mut variant = Dialogue { data_type: DataType("External".to_owned()), ..dialogue.clone() };
        let mut all: Vec<Draw> = Vec::new();
        for at in turns {
            let turn_id = id.child("turn", *at);
            let pointing = Pointing { context, id: &turn_id, asks: self.asks.as_draws() };
            let (turn, draws) = pointed(pointing, dialogue, *at).await?;
            variant.turns[*at] = turn;
            all.extend(draws);
        }
        let mut derived = derive(context, item, 0, variant);
        derived.provenance.draws.extend(all);
        derived.provenance.template |= context.is_template(context.role());
        Ok(derived)
    }
}

/// The variant for a model that writes it.
fn planned(context: &Context, item: &Item, dialogue: &Dialogue, turns: &[usize]) -> Item {
    let mut variant = Dialogue { data_type: DataType("External".to_owned()), ..dialogue.clone() };
    for at in turns {
        let id = item.id.child(context.stage(), 0).child("turn", *at);
        let pointing = Pointing { context, id: &id, asks: 1 };
        let turn = &mut variant.turns[*at];
        let value = |slot: &String| turn.call.as_ref()?.arguments.get(slot);
        let words = |slot: &String| Some((slot.clone(), said_words(None, &turn.notes, slot, value(slot)?)));
        let said: SaidWords = turn.slots.iter().filter_map(words).collect();
        turn.plan = Some(TurnPlan { act: TurnAct::Point, said, about: pointing.source(), ..TurnPlan::default() });
        (turn.text, turn.marked) = (String::new(), true);
    }
    derive(context, item, 0, variant)
}

/// Whether the answer of turn `at` gives a text that somebody could point at.
fn names_entity(context: &Context, dialogue: &Dialogue, at: usize) -> bool {
    let Some(turn) = dialogue.turns.get(at) else { return false };
    let [slot] = turn.slots.as_slice() else { return false };
    let value = turn.call.as_ref().and_then(|call| call.arguments.get(slot));
    let kinds = &context.pack().kinds;
    // A tool that states no kinds may still name entities; a model will say.
    let entity = match dialogue.tool.kinds.get(slot) {
        Some(kind) => kinds.get(kind).is_some_and(|kind| kind.entity.is_some()),
        None => dialogue.tool.kinds.is_empty(),
    };
    let listed = dialogue.tool.parameters.properties.get(slot).is_some_and(|it| it.values.is_some());
    // What is one of a list is nothing that people look up, though templates point at it.
    entity && value.is_some_and(|value| value.as_str().is_some()) && !(listed && context.plans_variants())
}

/// The turn with a pointer in the value's place, and the message that holds the value.
async fn pointed(pointing: Pointing<'_>, dialogue: &Dialogue, at: usize) -> Result<(Turn, Vec<Draw>), ItemError> {
    let unknown = || ItemError::from(Fault::new("no_entity", "the answer names no entity"));
    let turn = dialogue.turns.get(at).ok_or_else(unknown)?;
    let (slot, call) = (turn.slots.first().ok_or_else(unknown)?, turn.call.as_ref().ok_or_else(unknown)?);
    let given = Object::from_iter(call.arguments.get(slot).map(|value| (slot.clone(), value.clone())));
    let (_, entity, first) = pointing.entity(&dialogue.tool, &given).await?;
    let value = turn.notes.get(slot).and_then(|note| note.surface.clone()).ok_or_else(unknown)?;
    let target = Target { entity, about: about(&dialogue.tool, slot), source: pointing.source(), value };
    let (pointer, second) = pointing.pointer(&target).await?;
    let others = turn.notes.iter().filter(|(name, _)| *name != slot);
    let forbidden = others.filter_map(|(_, note)| note.surface.clone()).collect();
    let check = |message: &str| stands(pointing.context, dialogue, slot, &given, message).map(drop);
    let (message, third) = pointing.message(&target, &pointer, forbidden, check).await?;
    let notes = stands(pointing.context, dialogue, slot, &given, &message)?;
    let mut turn = Turn { text: pointer, external: Some(message), marked: true, ..turn.clone() };
    turn.notes.extend(notes);
    Ok((turn, vec![first, second, third]))
}

/// Whether a message says the value.
fn stands(
    context: &Context,
    dialogue: &Dialogue,
    slot: &str,
    given: &Object,
    message: &str,
) -> Result<ArgumentNotes, Fault> {
    let call = FunctionCall { name: dialogue.tool.name.clone(), arguments: given.clone() };
    check_script(message, context.language(), None)?;
    check_parameters(&dialogue.tool, &[slot.to_owned()], &call, message, context.language())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context, dialogue_item, dialogues};
    use super::*;
    use crate::config::section::read_text;
    use crate::llm::Task;

    async fn pointed_at(settings: &str, message: &'static str) -> (Outcome, Asked) {
        let (context, asked) = context(move |request| match request.task {
            Task::ExternalEntity => "to: place".to_owned(),
            Task::ExternalPointer => "the place in my note".to_owned(),
            Task::ExternalMessage => message.to_owned(),
            other => panic!("{other:?}"),
        });
        let config: ExternalAnswersConfig = read_text(settings).unwrap();
        let item = dialogue_item(&[("to", "Porto".into()), ("quiet", true.into())]);
        (config.each(&context, item).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn an_answer_points_at_a_message_that_says_the_value() {
        let (outcome, asked) = pointed_at("", "Let us meet in Porto.").await;
        let [base, variant] = dialogues(&outcome.kept)[..] else { panic!("not two") };
        assert_eq!(variant.turns[1].said(), "the place in my note<EK>:Let us meet in Porto.");
        assert!(variant.turns[1].marked && variant.turns[1].call == base.turns[1].call);
        assert_eq!(variant.turns[2], base.turns[2], "a flag is nothing to point at");
        assert_eq!((variant.data_type.0.as_str(), asked.count()), ("External", 3));
        assert_eq!(outcome.kept[1].provenance.draws.len(), 3);
    }

    #[tokio::test]
    async fn a_message_without_the_value_is_none() {
        let (outcome, asked) = pointed_at("asks = 2", "Let us meet somewhere.").await;
        assert_eq!((outcome.kept.len(), outcome.rejected[0].reason.as_str()), (1, "value_not_in_query"));
        assert_eq!(asked.count(), 4);
    }

    #[tokio::test]
    async fn a_dialogue_without_an_entity_stays_as_it_is() {
        let (context, _) = context(|request| panic!("{:?}", request.task));
        let config: ExternalAnswersConfig = read_text("").unwrap();
        let item = dialogue_item(&[("quiet", true.into())]);
        assert_eq!(config.each(&context, item.clone()).await.unwrap(), Outcome::keep(item));
    }
}
