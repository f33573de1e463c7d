//! Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.

use super::context::Context;
use super::facts::{Settings, StageMeta};
use super::outcome::{Fault, Outcome};
use super::readings::{Accept, Reader, Reading, Readings};
use super::work::{Stage, Work};
use crate::config::Share;
use crate::failure::ItemError;
use crate::record::{Dialogue, Item, Record, RecordKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.
///
/// The stage's `model` reads; the role `judge` compares values that differ.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DialogueConsistencyConfig {
    /// Least Rouge-L F1 between two values of one argument; the locale pack's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rouge_l: Option<Share>,
    /// What counts as agreement of two values.
    #[serde(default)]
    accept: Accept,
    /// Which readings have to agree with a label: `all` (without an example and with one) or `any`. Absent: `all` where a model
    /// reads, `any` for the built-in reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    readings: Option<Readings>,
    /// Whether there is a second reading, with an example: a request with the call of the same tool. Absent: where `readings`
    /// is `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_shot: Option<bool>,
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
            let (last, Some(call)) = (at + 1 == dialogue.turns.len(), &turn.call) else { continue };
            if !last && !turn.marked {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, called, context, dialogue_item, written};
    use super::*;
    use crate::config::section::read_text;
    use crate::llm::Variables;

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

    #[tokio::test]
    async fn another_value_rejects_with_the_dialogue() {
        let (outcome, _) = read(r#"{"to": "Faro", "at": "noon"}"#, false).await;
        assert!(outcome.rejected[0].detail.contains("another value of `to`"), "{}", outcome.rejected[0].detail);
        assert!(outcome.rejected[0].text.starts_with("user:a train, please\nassistant:Which to?"));
    }
}
