//! Keeps a conversation if it has the complexity that it was to have (CONFETTI, section 3.3).

use crate::confetti::layout::{COMPLEXITY_FACT, OBSERVED_FACT};
use crate::confetti::metric::Act;
use crate::confetti::stage::conversing::{READ, proved, read_whole, told_and_changed};
use crate::failure::ItemError;
use crate::llm::{ComplexityVariables, Task, Variables};
use crate::record::{AgentTurn, Complexity, Conversation, Item, ItemId, Record, RecordKind, history};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Keeps a conversation if it has its intended complexity, verified by rules where possible and by the role `judge`
/// otherwise. Records all complexities that it has.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComplexitiesConfig {
    /// Whether to judge only the intended complexity, not all that a judge could find.
    #[serde(default)]
    wanted_only: bool,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for ComplexitiesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("complexities", &[RecordKind::Conversation]).asks("judge")
    }

    /// Looks over one conversation.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Conversation(conversation) = &item.record else { return Ok(Outcome::keep(item)) };
            let found = match self.found(context, &item.id, conversation).await {
                Ok(found) => found,
                Err(failure) => return context.failed(&item.id, failure),
            };
            let wanted = conversation.scenario.complexity;
            let names =
                |found: &BTreeSet<Complexity>| found.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ");
            if !found.contains(&wanted) {
                let fault = Fault::new(
                    "another_complexity",
                    format!("{} was wanted, found: {}", wanted.as_str(), names(&found)),
                );
                return Ok(context.reject(&item.id, fault, conversation.scenario.goals.clone()));
            }
            let mut observed = found.clone();
            // Every conversation has nothing in particular; it is worth a note only where that was wanted.
            if wanted != Complexity::NoTargetComplexity {
                observed.remove(&Complexity::NoTargetComplexity);
            }
            let facts = [(COMPLEXITY_FACT, wanted.as_str().to_owned()), (OBSERVED_FACT, names(&observed))];
            item.provenance.facts.extend(facts.map(|(name, text)| (name.to_owned(), text)));
            Ok(Outcome::keep(item))
        })
    }
}

impl ComplexitiesConfig {
    async fn found(
        &self,
        context: &Context,
        id: &ItemId,
        conversation: &Conversation,
    ) -> Result<BTreeSet<Complexity>, ItemError> {
        let tools = &context.toolset().tools;
        let wanted = conversation.scenario.complexity;
        // Of people's own tools nobody says which change something: where leave is wanted, it may be for any.
        let any = wanted == Complexity::Confirmation && !tools.iter().any(|tool| tool.acts);
        let acts = |name: &str| any || tools.iter().any(|tool| tool.name == name && tool.acts);
        let mut found = proved(conversation, &acts);
        let read: Vec<Complexity> = READ.into_iter().filter(|it| !self.wanted_only || *it == wanted).collect();
        if !read.is_empty() && !context.is_template(context.role()) {
            let reading = read_whole(context, id, conversation, self.asks.as_draws()).await?;
            let can = |(complexity, at): &(Complexity, usize)| variables(conversation, *complexity, *at).is_some();
            let there: Vec<Complexity> = reading.complexities.into_iter().filter(can).map(|it| it.0).collect();
            found.extend(read.into_iter().filter(|it| there.contains(it)));
            return Ok(found);
        }
        for complexity in read {
            for at in 0..conversation.turns.len() {
                let Some(variables) = variables(conversation, complexity, at) else { continue };
                let place = id.child(complexity.as_str(), at);
                let question = context.question(Task::JudgeComplexity, &place, self.asks.as_draws());
                let asked = |common| Variables::JudgeComplexity(ComplexityVariables { common, ..variables.clone() });
                if context.verdict(&question, asked).await? {
                    found.insert(complexity);
                    break;
                }
            }
        }
        Ok(found)
    }
}

/// What a reader of one turn is given; absent where the turn cannot have the complexity.
fn variables(conversation: &Conversation, complexity: Complexity, at: usize) -> Option<ComplexityVariables> {
    let turn = conversation.turns.get(at)?;
    let asks_back = turn.calls.is_empty() && seeks_in(turn);
    // Several questions may come before what they are for.
    let asks_on = |turn: &&AgentTurn| turn.calls.is_empty() && seeks_in(turn);
    let serving = if asks_back { conversation.turns[at..].iter().find(|turn| !asks_on(turn))? } else { turn };
    // What answers a question, or takes a detail back, is no request of its own.
    let before = at.checked_sub(1).and_then(|before| conversation.turns.get(before));
    let answers = before.is_some_and(|before| seeks_in(before) || told_and_changed(before, serving));
    let can = match complexity {
        Complexity::AmbiguousGoal => asks_back,
        Complexity::ImplicitDescriptiveGoal => !serving.calls.is_empty() && !answers,
        _ => !serving.calls.is_empty(),
    };
    let tool = |name: &str| conversation.tools.iter().find(|tool| tool.name == name).cloned();
    let called: Vec<_> = serving.calls.iter().filter_map(|made| tool(&made.call.name)).collect();
    can.then(|| ComplexityVariables {
        common: crate::llm::Common::default(),
        complexity,
        history: history(&conversation.before(at, 0)),
        said: turn.said.clone(),
        reply: turn.reply.clone(),
        arguments: serving.calls.iter().map(|made| made.call.arguments.clone()).collect(),
        called,
        tools: conversation.tools.clone(),
    })
}

fn seeks_in(turn: &AgentTurn) -> bool {
    turn.acts.iter().any(|label| Act::of(label) == Some(Act::Seek))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{AgentTurn, MadeCall, Provenance, Scenario, Value};
    use crate::settings::section::read_text;
    use crate::stage::testing::context;

    /// A conversation that was to be of a complexity: one call, told; and before it a question where `asks`.
    fn item(complexity: &str, asks: bool) -> Item {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": complexity, "required": ["f"], "optional": [], "minimum_turns": 1, "offered": 3,
            "reference_time": "2026-01-02T09:00:00", "goals": "Tea.",
        }))
        .unwrap();
        let acts = |act: Act| vec![act.as_str().to_owned()];
        let made = MadeCall {
            call: crate::record::FunctionCall { name: "f".to_owned(), ..Default::default() },
            notes: crate::record::ArgumentNotes::new(),
            answer: Value::Null,
            failed: false,
        };
        let told =
            AgentTurn { said: "green".into(), calls: vec![made], reply: "Done.".into(), acts: acts(Act::Inform) };
        let asked = AgentTurn { said: "tea".into(), calls: Vec::new(), reply: "Which?".into(), acts: acts(Act::Seek) };
        let turns = if asks { vec![asked, told] } else { vec![told] };
        let conversation = Conversation { scenario, system: String::new(), tools: Vec::new(), turns };
        let id = ItemId::root("f").child("conversations", 0);
        let record = Record::Conversation(Box::new(conversation));
        Item { root: ItemId::root("f"), id, record, provenance: Provenance::default() }
    }

    async fn judged(complexity: &str, asks: bool, settings: &str, verdict: &'static str) -> (Outcome, usize) {
        let (context, asked) = context(move |_| verdict.to_owned());
        let config: ComplexitiesConfig = read_text(settings).unwrap();
        (config.each(&context, item(complexity, asks)).await.unwrap(), asked.count())
    }

    #[tokio::test]
    async fn what_rules_prove_is_not_asked_about() {
        let (outcome, asked) = judged("no_target_complexity", false, "wanted_only = true", "True").await;
        assert_eq!(asked, 0);
        assert_eq!(outcome.kept[0].provenance.facts[OBSERVED_FACT], "NO_TARGET_COMPLEXITY");
        let (outcome, _) = judged("goal_stacking", false, "wanted_only = true", "True").await;
        assert_eq!(outcome.rejected[0].reason, "another_complexity");
        assert_eq!(outcome.rejected[0].detail, "GOAL_STACKING was wanted, found: NO_TARGET_COMPLEXITY");
    }

    #[tokio::test]
    async fn what_reading_tells_is_the_judges() {
        let (outcome, asked) = judged("overfill", false, "wanted_only = true", "True").await;
        assert_eq!((asked, outcome.kept[0].provenance.facts[COMPLEXITY_FACT].as_str()), (1, "OVERFILL"));
        let (outcome, _) = judged("overfill", false, "wanted_only = true", "False").await;
        assert_eq!(outcome.rejected.len(), 1);
        let (outcome, _) = judged("overfill", false, "", "hm").await;
        assert_eq!(outcome.rejected[0].reason, "unparsable_verdict");
    }

    #[tokio::test]
    async fn all_that_a_conversation_has_is_noted() {
        let (outcome, asked) = judged("ambiguous_goal", true, "", "True").await;
        let observed = &outcome.kept[0].provenance.facts[OBSERVED_FACT];
        assert_eq!((asked, observed.as_str()), (3, "AMBIGUOUS_GOAL, IMPLICIT_DESCRIPTIVE_GOAL, OVERFILL"));
    }

    #[tokio::test]
    async fn leave_may_be_for_any_call_where_no_tool_says_what_it_changes() {
        let (outcome, _) = judged("confirmation", true, "wanted_only = true", "True").await;
        assert_eq!(outcome.kept[0].provenance.facts[OBSERVED_FACT], "CONFIRMATION");
        let (context, _) = context(|_| "True".to_owned());
        let context = crate::stage::testing::with_shared(context, |shared| {
            let tool = |name: &str, acts| crate::record::Tool { name: name.to_owned(), acts, ..Default::default() };
            let tools = [tool("f", false), tool("g", true)].map(std::sync::Arc::new).to_vec();
            shared.toolset = std::sync::Arc::new(crate::toolset::Toolset { tools, ..Default::default() });
        });
        let config: ComplexitiesConfig = read_text("").unwrap();
        let outcome = config.each(&context, item("confirmation", true)).await.unwrap();
        assert_eq!(outcome.rejected[0].reason, "another_complexity");
    }
}
