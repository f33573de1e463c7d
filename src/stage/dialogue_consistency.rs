//! Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.

use super::consistency::{Accept, Reader, Reading};
use super::context::Context;
use super::facts::StageConfig;
use super::outcome::{Failure, Fault, Outcome, Stop};
use crate::config::Share;
use crate::record::{Dialogue, Item, Record, RecordKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.
///
/// The stage's `model` reads; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogueConsistencyConfig {
    /// Least Rouge-L F1 between two values of one argument; the locale pack's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<Share>,
    /// What counts as agreement of two values.
    #[serde(default)]
    pub accept: Accept,
}

impl StageConfig for DialogueConsistencyConfig {
    fn kind(&self) -> &'static str {
        "dialogue_consistency"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Dialogue]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Dialogue
    }

    fn is_gate(&self) -> bool {
        true
    }

    fn role(&self) -> Option<&'static str> {
        Some("checker")
    }
}

impl DialogueConsistencyConfig {
    /// Keeps a dialogue that a reader understands as its labels say (HammerBench 4.1.1).
    pub(super) async fn each(&self, context: &Context, mut item: Item) -> Result<Outcome, Stop> {
        let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
        match self.check(context, &item, dialogue).await {
            Ok(Ok(())) => {
                item.provenance.tier = Some(Tier::ZeroShot);
                Ok(Outcome::keep(item))
            }
            Ok(Err(why)) => {
                let text = dialogue.history(dialogue.turns.len());
                Ok(Outcome::reject(&item.id, &context.stage, Fault::new("inconsistent", why), text))
            }
            Err(failure) => Outcome::of(Err(failure), &item.id, &context.stage),
        }
    }

    /// Whether every turn that matters is read as its label says.
    async fn check(&self, context: &Context, item: &Item, dialogue: &Dialogue) -> Result<Result<(), String>, Failure> {
        let reader = Reader { context, item, rouge_l: self.rouge_l, accept: self.accept };
        for (at, turn) in dialogue.turns.iter().enumerate() {
            let (last, Some(call)) = (at + 1 == dialogue.turns.len(), &turn.call) else { continue };
            if !last && !turn.marked {
                continue;
            }
            let text = dialogue.history(at);
            let reading = Reading { text: &text, tool: &dialogue.tool, call };
            if let Err(why) = reader.agrees(reading, None).await? {
                return Ok(Err(format!("turn {}: {why}", at + 1)));
            }
        }
        Ok(Ok(()))
    }
}
