//! Adds to each dialogue a variant in which the person turns to something that no shown tool can serve.

use crate::hammerbench::stage::variant::write_variants::{derive, finish};
use crate::record::{DataType, Dialogue, Item, Record, RecordKind, Tool, Turn, TurnAct, TurnPlan};
use crate::stage::context::Context;
use crate::stage::facts::{StageMeta, with};
use crate::stage::nearness::{is_flat, nearest_third};
use crate::stage::outcome::Outcome;
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Adds to each dialogue a variant in which the user switches to a request that no listed tool can serve.
///
/// The new request is for another tool of the run; the model that verifies the dialogue decides whether a listed tool
/// could serve it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntentShiftConfig {
    /// Whether to use the single template of the original benchmark instead of varied wording.
    #[serde(default)]
    paper_phrases: bool,
}

impl Stage for IntentShiftConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("intent_shift", &[RecordKind::Dialogue], RecordKind::Dialogue)
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["IS"])
    }

    fn speak_as_the_paper(&mut self) {
        self.paper_phrases = true;
    }

    /// Passes a dialogue on, and behind it its variant with a shift (HammerBench 3.2: intent shift).
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
            if dialogue.data_type.0 != "Based" {
                return Ok(Outcome::keep(item));
            }
            let mut chance = context.chance(item.id.as_str(), 0);
            let at = open_turn(dialogue, 1 + chance.below(dialogue.turns.len() - 1));
            // Where all tools are shown there is no other to turn to.
            let Some(tool) = chance.pick(&strangers(context, dialogue)).cloned() else {
                return Ok(Outcome::keep(item));
            };
            let about = tool.name.clone();
            let plan = TurnPlan { act: TurnAct::Shift, about, paper: self.paper_phrases, ..TurnPlan::default() };
            let mut variant = derive(context, &item, 0, cut(dialogue, at, plan));
            variant.provenance.facts.insert("intent".to_owned(), tool.name.clone());
            let mut outcome = finish(context, vec![variant])?;
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

/// The turn, or the last one before it at which the call still lacks what its tool requires: where nothing is missing, calling
/// would be as right as refusing.
fn open_turn(dialogue: &Dialogue, at: usize) -> usize {
    let required = &dialogue.tool.parameters.required;
    let lacks = |at: &usize| {
        let call = dialogue.turns.get(at - 1).and_then(|turn| turn.call.as_ref());
        call.is_some_and(|call| required.iter().any(|name| !call.arguments.contains_key(name)))
    };
    (1..=at).rev().find(lacks).unwrap_or(at)
}

/// Tools of other categories that the dialogue does not show; where a language model writes, those of them that are nearest to
/// what the dialogue is about, since people switch between related matters.
fn strangers(context: &Context, dialogue: &Dialogue) -> Vec<Arc<Tool>> {
    let shown = |tool: &Tool| dialogue.frame.candidates.iter().any(|candidate| candidate.name == tool.name);
    let tools = &context.toolset().tools;
    let nearest = is_flat(tools).then(|| nearest_third(&dialogue.tool, tools));
    let is_other = |tool: &Tool| match &nearest {
        Some(nearest) => !nearest.contains(tool.name.as_str()),
        None => tool.category() != dialogue.tool.category(),
    };
    let others: Vec<Arc<Tool>> = tools.iter().filter(|tool| is_other(tool) && !shown(tool)).cloned().collect();
    if context.is_template("generator") {
        return others;
    }
    let near = nearest_third(&dialogue.tool, &others);
    others.iter().filter(|tool| near.contains(tool.name.as_str())).cloned().collect()
}

/// The dialogue up to turn `at`, whose answer gives way to the shift.
fn cut(dialogue: &Dialogue, at: usize, plan: TurnPlan) -> Dialogue {
    let question = dialogue.turns.get(at).and_then(|turn| turn.question.clone());
    let refusal = Some(String::new());
    let shift = Turn { question, refusal, marked: true, plan: Some(plan), ..Turn::default() };
    let turns = dialogue.turns.iter().take(at).cloned().chain([shift]).collect();
    Dialogue { data_type: DataType("IS".to_owned()), turns, ..dialogue.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{dialogue_item, dialogues, modelled};

    #[tokio::test]
    async fn an_answer_gives_way_to_another_intent() {
        let context = modelled(|request| panic!("{:?}", request.task)).0;
        let context = crate::stage::testing::with_shared(context, |shared| shared.writes_variants = true);
        let config: IntentShiftConfig = read_text("").unwrap();
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let outcome = config.each(&context, item).await.unwrap();
        let [base, variant] = dialogues(&outcome.kept)[..] else { panic!("not two") };
        let last = variant.turns.last().unwrap();
        assert!(last.marked && last.call.is_none() && last.refusal.is_some());
        assert_eq!(last.question, base.turns[variant.turns.len() - 1].question);
        assert_eq!(variant.turns[..variant.turns.len() - 1], base.turns[..variant.turns.len() - 1]);
        let plan = last.plan.as_ref().unwrap();
        assert_eq!((plan.act, &plan.about), (TurnAct::Shift, &outcome.kept[1].provenance.facts["intent"]));
        assert!(!plan.about.starts_with("Travel.Trains."));
    }
}
