//! Keeps a sample of several steps if its golden calls pass the scorer, and its gold is right.
//!
//! The calls are made by a perfect model, in parallel and one by one, by our own profile and by the authors'. No model is
//! asked.

use crate::complexfunc::layout::PATH_FACT;
use crate::complexfunc::metric::Settings;
use crate::complexfunc::stage::needed::check_gold;
use crate::complexfunc::{GoldenFault, GoldenReplay, declared_settings, undeclared_settings};
use crate::record::{Expected, FINAL_ANSWER_FACT, Item, Record, RecordKind, Sample};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps a multi-step sample if its golden calls pass the scorer and its gold answer is correct.
///
/// No call can be left out. No call requests what the request or an earlier answer about the same thing already gives
/// (`needless_call`), no argument is a default that nobody mentioned (`unsaid_argument`), and the closing answer states
/// what every goal asks for (`unanswered_goal`) and nothing that no answer contains (`false_claim`).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoldenReplayConfig {}

impl Stage for GoldenReplayConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("golden_replay", &[RecordKind::Sample]).computes()
    }

    /// Keeps a sample; those whose right answer is no chain of calls pass.
    fn apply(&self, context: &Context, item: Item) -> Outcome {
        let Record::Sample(sample) = &item.record else { return Outcome::keep(item) };
        let faults = GoldenReplay::new(sample, settings(context)).map(|replay| replay.faults()).unwrap_or_default();
        let replayed = faults.first().map(|first| {
            let reason = match first {
                GoldenFault::Fails { .. } => "replay_failed",
                GoldenFault::Deletable { .. } => "deletable_call",
            };
            Fault::new(reason, first.to_string())
        });
        match replayed.or_else(|| gold_fault(context, sample)) {
            Some(fault) => context.reject(&item.id, fault, sample.query()),
            None => Outcome::keep(item),
        }
    }
}

/// What is wrong with the gold of a request in several steps.
fn gold_fault(context: &Context, sample: &Sample) -> Option<Fault> {
    let Expected::Steps(steps) = &sample.expected else { return None };
    let answer = sample.provenance.facts.get(FINAL_ANSWER_FACT).map_or("", String::as_str);
    let is_planned = sample.provenance.facts.contains_key(PATH_FACT);
    check_gold(context, &sample.candidates, (&sample.query(), steps, answer), is_planned).err()
}

/// What the scorer knows of the run's functions.
fn settings(context: &Context) -> Arc<Settings> {
    let toolset = context.toolset();
    let declared = toolset.world.as_ref().map(|world| declared_settings(world));
    Arc::new(declared.unwrap_or_else(|| undeclared_settings(&toolset.tools)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Argument, Origin};
    use crate::settings::section::read_text;
    use crate::stage::Context;
    use crate::stage::candidates::CandidatesConfig;
    use crate::stage::candidates::testing::{complex_item, inn};
    use crate::stage::testing::{sample_item, samples, silent};

    fn sampled(context: &Context) -> Item {
        read_text::<CandidatesConfig>("").unwrap().apply(context, complex_item()).kept.remove(0)
    }

    fn judged(change: impl FnOnce(&mut Sample)) -> Outcome {
        let context = inn();
        let mut item = sampled(&context);
        if let Record::Sample(sample) = &mut item.record {
            change(sample);
        }
        GoldenReplayConfig {}.apply(&context, item)
    }

    #[test]
    fn calls_that_pass_and_are_all_needed_are_kept() {
        let outcome = judged(|_| {});
        assert_eq!(outcome.rejected, []);
        assert_eq!(samples(&outcome.kept).len(), 1);
    }

    #[test]
    fn calls_of_a_wrong_form_are_rejected() {
        let outcome = judged(|sample| {
            let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
            steps[1].calls[0].arguments.shift_remove("town_id");
        });
        let reject = &outcome.rejected[0];
        assert_eq!((reject.reason.as_str(), reject.text.contains("Millbrook")), ("replay_failed", true));
        assert!(reject.detail.contains("profile `strict`") && reject.detail.contains("town_id"), "{}", reject.detail);
    }

    #[test]
    fn a_call_that_may_be_left_out_is_rejected() {
        let outcome = judged(|sample| {
            let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
            let mut call = steps[0].calls[0].clone();
            call.name = "Locate_Town".to_owned();
            // The same lookup twice in one step is made once and done twice.
            for _ in 0..2 {
                steps[0].calls.push(call.clone());
                steps[0].answers.push(serde_json::from_str(r#"{"status": true, "data": {"latitude": 1}}"#).unwrap());
                steps[0].notes.push(crate::record::ArgumentNotes::new());
            }
            let tool = |name: &str| {
                serde_json::from_value(
                    serde_json::json!({"name": name, "parameters": {"properties": {"query": {"type": "string"}}, "required": ["query"]}}),
                )
            };
            sample.candidates.push(Arc::new(tool("Locate_Town").unwrap()));
        });
        let reject = &outcome.rejected[0];
        assert_eq!(reject.reason, "deletable_call", "{}", reject.detail);
    }

    #[test]
    fn gold_that_is_not_right_is_rejected_by_its_reason() {
        let reason = |outcome: Outcome| outcome.rejected.first().map(|reject| reject.reason.clone());
        let claim = judged(|sample| {
            sample.provenance.facts.insert(FINAL_ANSWER_FACT.to_owned(), "It costs 987654.".to_owned());
        });
        assert_eq!(reason(claim).as_deref(), Some("false_claim"));
        let default = judged(|sample| {
            let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
            steps[1].calls[0].arguments.insert("guests".to_owned(), 2.into());
            let note = Argument { origin: Origin::Default, ..Argument::default() };
            steps[1].notes[0].insert("guests".to_owned(), note);
        });
        assert_eq!(reason(default).as_deref(), Some("unsaid_argument"));
    }

    #[test]
    fn whatever_is_no_chain_of_calls_passes() {
        let outcome = GoldenReplayConfig {}.apply(&silent(), sample_item("a train", "{}"));
        assert_eq!((outcome.kept.len(), outcome.rejected.len()), (1, 0));
    }
}
