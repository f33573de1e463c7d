//! Keeps a scenario if a reader finds it sound, before a word of its conversation is written (CONFETTI, section 3.1).

use crate::confetti::stage::scenarios::scenario_variables;
use crate::llm::{ReviewVariables, Task, Variables};
use crate::record::{Item, Record, RecordKind};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a scenario if the role `judge` confirms that it needs its tools, can have its complexity, and makes sense.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioReviewConfig {
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for ScenarioReviewConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("scenario_review", &[RecordKind::Scenario]).asks("judge")
    }

    /// Looks over one scenario.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Scenario(scenario) = &item.record else { return Ok(Outcome::keep(item)) };
            let question = context.question(Task::ReviewScenario, &item.id, self.asks.as_draws());
            let variables = |common| {
                let asked = scenario_variables(context, common, scenario);
                Variables::ReviewScenario(ReviewVariables { asked, goals: scenario.goals.clone() })
            };
            match context.verdict(&question, variables).await {
                Ok(true) => Ok(Outcome::keep(item)),
                Ok(false) => {
                    let fault = Fault::new("unsound_scenario", "the reviewer finds it unsound");
                    Ok(context.reject(&item.id, fault, scenario.goals.clone()))
                }
                Err(failure) => context.failed(&item.id, failure),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ItemId, Provenance, Scenario};
    use crate::settings::section::read_text;
    use crate::stage::testing::context;

    async fn reviewed(verdict: &'static str) -> Outcome {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 3, "complexity": "overfill", "required": ["Travel.Trains.book"], "optional": [], "minimum_turns": 2,
            "offered": 3, "reference_time": "2026-01-02T09:00:00", "goals": "Go to Porto.",
        }))
        .unwrap();
        let id = ItemId::root("Travel.Trains.book").child("scenarios", 3);
        let record = Record::Scenario(Box::new(scenario));
        let item = Item { root: ItemId::root("Travel.Trains.book"), id, record, provenance: Provenance::default() };
        let (context, asked) = context(move |_| verdict.to_owned());
        let config: ScenarioReviewConfig = read_text("asks = 2").unwrap();
        let outcome = config.each(&context, item).await.unwrap();
        let Variables::ReviewScenario(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.goals.as_str(), variables.asked.required.len()), ("Go to Porto.", 1));
        outcome
    }

    #[tokio::test]
    async fn an_unsound_scenario_is_dropped_with_its_text() {
        assert_eq!(reviewed("True").await.kept.len(), 1);
        let dropped = reviewed("False").await.rejected.remove(0);
        assert_eq!((dropped.reason.as_str(), dropped.text.as_str()), ("unsound_scenario", "Go to Porto."));
        assert_eq!(reviewed("perhaps").await.rejected[0].reason, "unparsable_verdict");
    }
}
