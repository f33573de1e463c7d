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

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, called, context, dialogue_item};
    use super::*;
    use crate::config::section::read_text;

    async fn read(reply: &'static str, marked: bool) -> (Outcome, Asked) {
        let (context, asked) = context(move |request| match request.task {
            crate::llm::Task::Call => called(reply),
            _ => "False".to_owned(),
        });
        let mut item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let Record::Dialogue(dialogue) = &mut item.record else { panic!("no dialogue") };
        dialogue.turns[1].marked = marked;
        let config: DialogueConsistencyConfig = read_text("").unwrap();
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
    async fn another_value_rejects_with_the_dialogue() {
        let (outcome, _) = read(r#"{"to": "Faro", "at": "noon"}"#, false).await;
        assert!(outcome.rejected[0].detail.contains("another value of `to`"), "{}", outcome.rejected[0].detail);
        assert!(outcome.rejected[0].text.starts_with("user:a train, please\nassistant:Which to?"));
    }
}
