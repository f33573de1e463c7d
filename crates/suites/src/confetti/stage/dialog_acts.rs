//! Labels what the agent does with its words, and looks at the labels that are there (CONFETTI, section 3.4).

use crate::confetti::metric::{Act, acts_match, read_acts};
use crate::confetti::stage::conversing::read_whole;
use crate::failure::ItemError;
use crate::llm::{ActsVariables, Reply, Task, Variables};
use crate::record::{Conversation, Item, ItemId, Record, RecordKind, history};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Labels the dialog acts of the agent's text by the role `judge`: turns without labels get them; for turns with
/// labels, agreement is counted.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogActsConfig {
    /// Whether to reject a conversation if the judge disagrees with its labels.
    #[serde(default)]
    strict: bool,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

/// The fact that keeps how many of a conversation's labels the judge shares.
pub(crate) const AGREED_FACT: &str = "acts_agreed";

impl Stage for DialogActsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("dialog_acts", &[RecordKind::Conversation]).asks("judge")
    }

    /// Looks over one conversation.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Conversation(conversation) = &item.record else { return Ok(Outcome::keep(item)) };
            let mut labelled = conversation.clone();
            let whole = match self.read_by_model(context, &item.id, conversation).await {
                Ok(whole) => whole,
                Err(failure) => return context.failed(&item.id, failure),
            };
            let (mut agreed, mut of) = (0, 0);
            for at in 0..conversation.turns.len() {
                let read = match whole.get(&at) {
                    Some(read) => read.clone(),
                    None => match self.read(context, &item.id, conversation, at).await {
                        Ok(read) => read,
                        Err(failure) => return context.failed(&item.id, failure),
                    },
                };
                let Some(turn) = labelled.turns.get_mut(at) else { continue };
                let known: BTreeSet<Act> = turn.acts.iter().filter_map(|label| Act::of(label)).collect();
                if known.is_empty() {
                    turn.acts = with_calls(read, !turn.calls.is_empty()).map(|act| act.as_str().to_owned()).collect();
                    continue;
                }
                of += 1;
                let agrees = acts_match(&known, &read);
                context.count(if agrees { "labels agree" } else { "labels differ" });
                agreed += usize::from(agrees);
                if self.strict && !agrees {
                    let detail = format!("`{}` is read as {}", turn.reply, names(&read));
                    let fault = Fault::new("other_dialog_acts", detail);
                    return Ok(context.reject(&item.id, fault, turn.acts.join(", ")));
                }
            }
            item.provenance.facts.insert(AGREED_FACT.to_owned(), format!("{agreed} of {of}"));
            item.record = Record::Conversation(labelled);
            Ok(Outcome::keep(item))
        })
    }
}

impl DialogActsConfig {
    /// What a language model finds in all turns at once; nothing where a template reads.
    async fn read_by_model(
        &self,
        context: &Context,
        id: &ItemId,
        conversation: &Conversation,
    ) -> Result<BTreeMap<usize, BTreeSet<Act>>, ItemError> {
        if context.is_template(context.role()) {
            return Ok(BTreeMap::new());
        }
        let reading = read_whole(context, id, conversation, self.asks.as_draws()).await?;
        Ok(reading.acts.into_iter().map(|(at, labels)| (at, read_acts(&labels).0)).collect())
    }

    /// What a reader finds in the words of one turn.
    async fn read(
        &self,
        context: &Context,
        id: &ItemId,
        conversation: &Conversation,
        at: usize,
    ) -> Result<BTreeSet<Act>, ItemError> {
        let Some(turn) = conversation.turns.get(at) else { return Ok(BTreeSet::new()) };
        let place = id.child("acts", at);
        let question = context.question(Task::ClassifyDialogActs, &place, self.asks.as_draws());
        let variables = |common| {
            let dialog = history(&conversation.before(at, turn.calls.len()));
            Variables::ClassifyDialogActs(ActsVariables { common, dialog, text: turn.reply.clone() })
        };
        let read = |reply: &Reply| {
            let (acts, unknown) = read_acts(&reply.text);
            match unknown.first() {
                Some(label) => Err(Fault::new("unknown_act", format!("`{label}` is no label"))),
                None if acts.is_empty() => Err(Fault::new("unknown_act", "no label")),
                None => Ok(acts),
            }
        };
        Ok(context.obtain(&question, None, variables, read).await?.0)
    }
}

/// The acts of a turn: calling first, where it calls.
fn with_calls(read: BTreeSet<Act>, calls: bool) -> impl Iterator<Item = Act> {
    let words = read.into_iter().filter(|act| *act != Act::FunctionCalling);
    calls.then_some(Act::FunctionCalling).into_iter().chain(words)
}

fn names(acts: &BTreeSet<Act>) -> String {
    acts.iter().map(|act| act.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{AgentTurn, Provenance, Scenario};
    use crate::settings::section::read_text;
    use crate::stage::testing::context;

    /// A conversation of one turn with these labels.
    fn item(acts: &[&str]) -> Item {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": "overfill", "required": [], "optional": [], "minimum_turns": 1, "offered": 3,
            "reference_time": "2026-01-02T09:00:00",
        }))
        .unwrap();
        let acts = acts.iter().map(|act| (*act).to_owned()).collect();
        let turn = AgentTurn { said: "tea?".into(), calls: Vec::new(), reply: "Which one?".into(), acts };
        let conversation = Conversation { scenario, system: String::new(), tools: Vec::new(), turns: vec![turn] };
        let id = ItemId::root("f").child("conversations", 0);
        let record = Record::Conversation(Box::new(conversation));
        Item { root: ItemId::root("f"), id, record, provenance: Provenance::default() }
    }

    async fn looked_at(acts: &[&str], settings: &str, label: &'static str) -> Outcome {
        let (context, asked) = context(move |_| label.to_owned());
        let config: DialogActsConfig = read_text(settings).unwrap();
        let outcome = config.each(&context, item(acts)).await.unwrap();
        let Variables::ClassifyDialogActs(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.dialog.as_str(), variables.text.as_str()), ("user:tea?", "Which one?"));
        outcome
    }

    fn acts(outcome: &Outcome) -> Vec<String> {
        match &outcome.kept[0].record {
            Record::Conversation(conversation) => conversation.turns[0].acts.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn turns_without_labels_get_them() {
        let outcome = looked_at(&[], "", "agent_seek_information").await;
        assert_eq!(acts(&outcome), ["agent_seek_information"]);
        assert_eq!(outcome.kept[0].provenance.facts[AGREED_FACT], "0 of 0");
    }

    #[tokio::test]
    async fn labels_that_are_there_stay_and_are_compared() {
        let outcome = looked_at(&["agent_seek_information"], "", "agent_other").await;
        assert_eq!(acts(&outcome), ["agent_seek_information"]);
        assert_eq!(outcome.kept[0].provenance.facts[AGREED_FACT], "0 of 1");
        let outcome = looked_at(&["agent_seek_information"], "strict = true", "agent_other").await;
        assert_eq!(outcome.rejected[0].detail, "`Which one?` is read as agent_other");
        let outcome =
            looked_at(&["agent_seek_information"], "strict = true", "agent_seek_information, agent_other").await;
        assert_eq!(outcome.kept[0].provenance.facts[AGREED_FACT], "1 of 1");
    }

    #[tokio::test]
    async fn what_is_no_label_is_asked_for_again() {
        let outcome = looked_at(&[], "asks = 2", "agent_sings").await;
        assert_eq!(
            (outcome.rejected[0].reason.as_str(), outcome.rejected[0].detail.as_str()),
            ("unknown_act", "`agent_sings` is no label")
        );
    }
}
