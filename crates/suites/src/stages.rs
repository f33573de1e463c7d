//! The list of all kinds of stages.

use crate::callnavi::stage as callnavi;
use crate::complexfunc::stage as complexfunc;
use crate::confetti::stage as confetti;
use crate::functionchat::stage as functionchat;
use crate::hammerbench::stage as hammerbench;
use crate::settings::{Problem, Section};
use crate::stage::{self, Stage, StageKind};

/// Every kind, in the order of the reference page.
pub static STAGES: &[StageKind] = &[
    // Tools, from a file or from a model.
    StageKind::of::<stage::tools::toolset::ToolsetConfig>("toolset"),
    StageKind::of::<stage::tools::toolkits::ToolkitsConfig>("toolkits"),
    StageKind::of::<stage::tools::normalise::NormaliseConfig>("normalise"),
    // HammerBench: queries.
    StageKind::of::<hammerbench::perfect_queries::PerfectQueriesConfig>("perfect_queries"),
    StageKind::of::<hammerbench::select_parameters::SelectParametersConfig>("select_parameters"),
    StageKind::of::<hammerbench::imperfect_queries::ImperfectQueriesConfig>("imperfect_queries"),
    StageKind::of::<hammerbench::external_queries::ExternalQueriesConfig>("external_queries"),
    // CallNavi: APIs and questions.
    StageKind::of::<callnavi::apis::ApisConfig>("apis"),
    StageKind::of::<callnavi::questions::EasyQuestionsConfig>("easy_questions"),
    StageKind::of::<callnavi::questions::MediumQuestionsConfig>("medium_questions"),
    StageKind::of::<callnavi::questions::HardQuestionsConfig>("hard_questions"),
    // ComplexFuncBench: requests of several steps.
    StageKind::of::<complexfunc::complex_queries::ComplexQueriesConfig>("complex_queries"),
    StageKind::of::<complexfunc::select::SelectConfig>("select"),
    StageKind::of::<complexfunc::disambiguate::DisambiguateConfig>("disambiguate"),
    StageKind::of::<complexfunc::generalize::GeneralizeConfig>("generalize"),
    StageKind::of::<complexfunc::pad::PadConfig>("pad"),
    StageKind::of::<complexfunc::model::coarse_queries::CoarseQueriesConfig>("coarse_queries"),
    StageKind::of::<complexfunc::model::annotate::AnnotateConfig>("annotate"),
    StageKind::of::<complexfunc::model::correct::CorrectConfig>("correct"),
    // Gates of queries, questions and requests.
    StageKind::of::<stage::gates::parameters::ParametersConfig>("parameters"),
    StageKind::of::<stage::gates::script::ScriptConfig>("script"),
    StageKind::of::<stage::gates::consistency::ConsistencyConfig>("consistency"),
    StageKind::of::<callnavi::judge_questions::JudgeQuestionsConfig>("judge_questions"),
    StageKind::of::<complexfunc::shortest_path::ShortestPathConfig>("shortest_path"),
    StageKind::of::<stage::gates::near_duplicates::NearDuplicatesConfig>("near_duplicates"),
    // Samples of all of these.
    StageKind::of::<stage::candidates::CandidatesConfig>("candidates"),
    StageKind::of::<functionchat::tool_lists::ToolListsConfig>("tool_lists"),
    StageKind::of::<functionchat::acceptable_arguments::AcceptableArgumentsConfig>("acceptable_arguments"),
    StageKind::of::<complexfunc::golden_replay::GoldenReplayConfig>("golden_replay"),
    StageKind::of::<hammerbench::one_right_tool::OneRightToolConfig>("one_right_tool"),
    StageKind::of::<hammerbench::irrelevant_queries::IrrelevantQueriesConfig>("irrelevant_queries"),
    // HammerBench: dialogues.
    StageKind::of::<hammerbench::slot_filling::SlotFillingConfig>("slot_filling"),
    StageKind::of::<hammerbench::variant::merge_turns::MergeTurnsConfig>("merge_turns"),
    StageKind::of::<hammerbench::variant::intent_shift::IntentShiftConfig>("intent_shift"),
    StageKind::of::<hammerbench::variant::slot_override::SlotOverrideConfig>("slot_override"),
    StageKind::of::<hammerbench::variant::multiple_slot_values::MultipleSlotValuesConfig>("multiple_slot_values"),
    StageKind::of::<hammerbench::variant::external_answers::ExternalAnswersConfig>("external_answers"),
    StageKind::of::<hammerbench::variant::write_variants::WriteVariantsConfig>(
        hammerbench::variant::write_variants::KIND,
    ),
    StageKind::of::<hammerbench::dialogue_consistency::DialogueConsistencyConfig>("dialogue_consistency"),
    // FunctionChat-Bench.
    StageKind::of::<functionchat::single_calls::SingleCallsConfig>("single_calls"),
    StageKind::of::<functionchat::call_decisions::CallDecisionsConfig>("call_decisions"),
    StageKind::of::<functionchat::dialogs::DialogsConfig>("dialogs"),
    // CONFETTI.
    StageKind::of::<confetti::scenarios::ScenariosConfig>("scenarios"),
    StageKind::of::<confetti::scenario_review::ScenarioReviewConfig>("scenario_review"),
    StageKind::of::<confetti::conversations::ConversationsConfig>("conversations"),
    StageKind::of::<confetti::complexities::ComplexitiesConfig>("complexities"),
    StageKind::of::<confetti::dialog_acts::DialogActsConfig>("dialog_acts"),
    StageKind::of::<confetti::turn_items::TurnItemsConfig>("turn_items"),
    // Of any suite.
    StageKind::of::<stage::gates::quota::QuotaConfig>("quota"),
    StageKind::of::<stage::generate::GenerateConfig>("generate"),
    StageKind::of::<stage::localize::LocalizeConfig>("localize"),
];

/// Reads the config of a stage of `kind`, without the keys that have faults; `None` where too little is left.
pub fn read_stage(kind: &str, section: Section<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Stage>> {
    STAGES.iter().find(|it| it.kind == kind)?.read(section, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, Selection};
    use crate::stage::testing::{query, query_item, silent, tool_item, train};
    use crate::stage::{Outcome, Quota, Scope};
    use crate::testing::read;
    use std::sync::Arc;

    /// What every kind is: its role, its input and output, whether it is a gate, how much it looks at.
    #[test]
    fn every_kind_says_what_it_is() {
        let line = |it: &StageKind| {
            let meta = read(it.kind).meta();
            assert_eq!(meta.kind, it.kind, "it is read under its own word");
            let words = [
                meta.role.map(|role| format!(", asks the {role}")).unwrap_or_default(),
                if meta.is_gate { ", gate" } else { "" }.to_owned(),
                if meta.scope == Scope::Item { String::new() } else { format!(", scope {:?}", meta.scope) },
                if meta.computes { ", computes" } else { "" }.to_owned(),
            ];
            format!("{}: {:?} -> {:?}{}", meta.kind, meta.input, meta.output, words.concat())
        };
        insta::assert_snapshot!(STAGES.iter().map(line).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn every_kind_and_every_key_of_it_is_documented() {
        for StageKind { kind, schema, .. } in STAGES {
            let schema = schema();
            assert!(schema.get("description").is_some(), "{kind} has no summary");
            let properties = schema.get("properties").and_then(|properties| properties.as_object());
            for (key, property) in properties.into_iter().flatten() {
                assert!(property.get("description").is_some(), "`{key}` of `{kind}`");
            }
        }
    }

    #[test]
    fn who_looks_further_than_an_item_scans() {
        let context = silent();
        for StageKind { kind, .. } in STAGES {
            let stage = read(kind);
            assert_eq!(stage.scope() != Scope::Item, stage.scan(&context).is_some(), "{kind}");
        }
    }

    #[test]
    fn the_factor_reaches_the_stages_of_which_items_are_required_for_each_tool() {
        let factor = serde_json::from_str("2").unwrap();
        for StageKind { kind, schema, .. } in STAGES {
            let mut stage = read(kind);
            stage.scale(factor);
            let has_key =
                ["/properties/per_tool", "/properties/per_domain"].iter().any(|key| schema().pointer(key).is_some());
            assert_eq!(stage.to_json() != read(kind).to_json(), has_key, "{kind}");
        }
    }

    #[test]
    fn what_is_required_and_what_may_be_drawn() {
        let (tool, query) = (tool_item(train()).record, query_item(query("x", "{}")).record);
        let quota = |kind: &str, record: &Record| read(kind).quota(record);
        assert_eq!(quota("perfect_queries", &tool), Some(Quota { required: 4, budget: 8, once: false }));
        assert_eq!(quota("select_parameters", &tool), Some(Quota { required: 6, budget: 12, once: false }));
        assert_eq!(quota("external_queries", &query), Some(Quota { required: 4, budget: 8, once: true }));
        let selection = Record::Selection(Selection { tool: Arc::new(train()), parameters: Vec::new(), dealt: None });
        assert_eq!(quota("imperfect_queries", &selection), None, "a selection was drawn before");
        assert_eq!(quota("parameters", &query), None);
    }

    #[test]
    fn only_sources_yield_and_only_what_suits_is_drawn_from() {
        let context = silent();
        assert_eq!(read("parameters").roots(&context).count(), 0);
        assert!(!read("external_queries").suits(&context, &tool_item(train())));
        assert!(read("perfect_queries").suits(&context, &tool_item(train())));
    }

    #[test]
    fn a_scan_remembers() {
        let context = silent();
        for (kind, kept) in [("near_duplicates", 1), ("quota", 2)] {
            let mut scan = read(kind).scan(&context).unwrap();
            let items = vec![query_item(query("book a train", "{}")), query_item(query("book a train", "{}"))];
            assert_eq!(scan.scan(&context, items).kept.len(), kept, "{kind}");
        }
    }

    #[tokio::test]
    async fn a_stage_passes_on_what_it_does_not_work_on() {
        let context = silent();
        let item = tool_item(train());
        for kind in ["toolset", "perfect_queries", "select_parameters", "external_queries", "quota", "parameters"] {
            assert_eq!(read(kind).each(&context, item.clone()).await.unwrap(), Outcome::keep(item.clone()), "{kind}");
        }
        assert_eq!(read("parameters").draw(&context, &item, 0).await.unwrap(), Outcome::default());
    }
}
