//! Adds to dialogues variants in which an answer points at a message that holds the value.

use crate::hammerbench::stage::pointing::Pointing;
use crate::hammerbench::stage::variant::write_variants::{derive, finish, said_words};
use crate::record::{DataType, Dialogue, Item, Record, RecordKind, SaidWords, TurnAct, TurnPlan, Value};
use crate::settings::{Share, share};
use crate::stage::context::Context;
use crate::stage::facts::{StageMeta, with};
use crate::stage::outcome::Outcome;
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to dialogues variants in which an answer refers to a message that contains the value.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExternalAnswersConfig {
    /// Share of dialogues with two such answers, where two are possible; the others have one.
    #[serde(default = "share::<20>")]
    twice: Share,
}

impl Stage for ExternalAnswersConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("external_answers", &[RecordKind::Dialogue], RecordKind::Dialogue)
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
            let mut outcome = finish(context, vec![pointed(context, &item, dialogue, &turns)])?;
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
        if !context.is_template("generator") {
            turns.sort_by_key(|at| !is_looked_up(dialogue, *at));
        }
        turns.truncate(if chance.happens(self.twice.get()) { 2 } else { 1 });
        turns.sort_unstable();
        turns
    }
}

/// The variant, whose answers in these turns are to point at messages.
fn pointed(context: &Context, item: &Item, dialogue: &Dialogue, turns: &[usize]) -> Item {
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
    let could_be = !listed || context.is_template("generator");
    entity && could_be && value.is_some_and(|value| value.as_str().is_some())
}

/// Whether the answer of turn `at` gives what people look up, since it is long or hard to remember: a text of several words that
/// has no form of its own.
fn is_looked_up(dialogue: &Dialogue, at: usize) -> bool {
    let turn = &dialogue.turns[at];
    let value = |slot: &String| turn.call.as_ref()?.arguments.get(slot);
    let has_form =
        |slot: &String| dialogue.tool.parameters.properties.get(slot).is_some_and(|it| it.more.contains_key("format"));
    let is_long = |text: &str| text.split_whitespace().count() > 1 || text.chars().count() > 8;
    let texts = turn.slots.iter().filter(|slot| !has_form(slot)).filter_map(value).filter_map(Value::as_str);
    texts.into_iter().any(is_long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{context, dialogue_item, dialogues, modelled, with_shared};

    #[tokio::test]
    async fn an_answer_is_to_point_at_what_people_look_up() {
        let context = modelled(|request| panic!("{:?}", request.task)).0;
        let context = with_shared(context, |shared| shared.writes_variants = true);
        let config: ExternalAnswersConfig = read_text("twice = 0").unwrap();
        let item = dialogue_item(&[("at", "noon".into()), ("to", "Vila Nova de Gaia".into()), ("quiet", true.into())]);
        let outcome = config.each(&context, item).await.unwrap();
        let [base, variant] = dialogues(&outcome.kept)[..] else { panic!("not two") };
        let plan = variant.turns[2].plan.as_ref().unwrap();
        assert_eq!(
            (plan.act, variant.turns[2].marked, &variant.turns[2].call),
            (TurnAct::Point, true, &base.turns[2].call)
        );
        assert_eq!((&variant.turns[1], &variant.turns[3]), (&base.turns[1], &base.turns[3]));
        assert_eq!(variant.data_type.0.as_str(), "External");
    }

    #[tokio::test]
    async fn a_dialogue_without_an_entity_stays_as_it_is() {
        let (context, _) = context(|request| panic!("{:?}", request.task));
        let config: ExternalAnswersConfig = read_text("").unwrap();
        let item = dialogue_item(&[("quiet", true.into())]);
        assert_eq!(config.each(&context, item.clone()).await.unwrap(), Outcome::keep(item));
    }
}
