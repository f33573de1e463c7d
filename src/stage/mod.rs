//! The stages: one list, one file for each kind.
//!
//! A new kind is a line in [`STAGES`], a file with its config (here, or in the `stage` folder of the suite that it is for),
//! and a folder of prompts if it asks a model. The word in the file, the file's name and the word in logs are the same.

pub(crate) mod banks;
pub(crate) mod candidates;
pub(crate) mod context;
pub(crate) mod domains;
pub(crate) mod facts;
pub(crate) mod gates;
pub(crate) mod generate;
pub(crate) mod lists;
pub(crate) mod localize;
pub(crate) mod outcome;
pub(crate) mod simulate;
pub(crate) mod source;
pub(crate) mod targets;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod tools;
pub(crate) mod work;
pub(crate) mod writing;

pub(crate) use crate::stage::gates::consistency::KIND as CONSISTENCY;
pub use crate::stage::gates::every_gate::judge_query;
pub use crate::stage::gates::readings::Readings;
pub use crate::stage::tools::toolset::{Grouping, ToolsetConfig};
pub use crate::stage::writing::people::People;
pub use crate::stage::writing::telling::{goal_faults, tell_faults, tell_preview};
pub(crate) use crate::suite::complexfunc::stage::select::NOT_SELECTED;
pub(crate) use crate::suite::hammerbench::stage::pointing::NO_ENTITY;
pub(crate) use crate::suite::hammerbench::stage::variant::write_variants::KIND as WRITES_VARIANTS;
pub use banks::{Bank, Banks, Keep};
pub use context::{Context, Counts, Question, Said, Shared};
pub use domains::Domains;
pub use facts::{Content, NamedFile, Scope, Settings, StageMeta};
pub use generate::GenerateConfig;
pub use outcome::{Fault, Outcome};
pub use source::{Rows, Source};
pub use work::{Quota, Scan, Stage, ToJson, Work};

use crate::config::{Problem, Section};
use crate::suite::callnavi::stage as callnavi;
use crate::suite::complexfunc::stage as complexfunc;
use crate::suite::confetti::stage as confetti;
use crate::suite::functionchat::stage as functionchat;
use crate::suite::hammerbench::stage as hammerbench;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;

/// Reads a stage's table and notes what is wrong with it.
type Reader = fn(Section<'_>, &mut Vec<Problem>) -> Option<Box<dyn Stage>>;

/// A kind of stage: its word in the file, and how its table is described and read.
pub struct StageKind {
    /// The word in the file.
    pub kind: &'static str,
    /// The JSON Schema of its config.
    pub schema: fn() -> Schema,
    read: Reader,
}

/// Every kind, in the order of the reference page.
pub static STAGES: &[StageKind] = &[
    // Tools, from a file or from a model.
    stage::<crate::stage::tools::toolset::ToolsetConfig>("toolset"),
    stage::<crate::stage::tools::toolkits::ToolkitsConfig>("toolkits"),
    stage::<crate::stage::tools::normalise::NormaliseConfig>("normalise"),
    // HammerBench: queries.
    stage::<hammerbench::perfect_queries::PerfectQueriesConfig>("perfect_queries"),
    stage::<hammerbench::select_parameters::SelectParametersConfig>("select_parameters"),
    stage::<hammerbench::imperfect_queries::ImperfectQueriesConfig>("imperfect_queries"),
    stage::<hammerbench::external_queries::ExternalQueriesConfig>("external_queries"),
    // CallNavi: APIs and questions.
    stage::<callnavi::apis::ApisConfig>("apis"),
    stage::<callnavi::questions::EasyQuestionsConfig>("easy_questions"),
    stage::<callnavi::questions::MediumQuestionsConfig>("medium_questions"),
    stage::<callnavi::questions::HardQuestionsConfig>("hard_questions"),
    // ComplexFuncBench: requests of several steps.
    stage::<complexfunc::complex_queries::ComplexQueriesConfig>("complex_queries"),
    stage::<complexfunc::select::SelectConfig>("select"),
    stage::<complexfunc::disambiguate::DisambiguateConfig>("disambiguate"),
    stage::<complexfunc::generalize::GeneralizeConfig>("generalize"),
    stage::<complexfunc::pad::PadConfig>("pad"),
    stage::<complexfunc::model::coarse_queries::CoarseQueriesConfig>("coarse_queries"),
    stage::<complexfunc::model::annotate::AnnotateConfig>("annotate"),
    stage::<complexfunc::model::correct::CorrectConfig>("correct"),
    // Gates of queries, questions and requests.
    stage::<crate::stage::gates::parameters::ParametersConfig>("parameters"),
    stage::<crate::stage::gates::script::ScriptConfig>("script"),
    stage::<crate::stage::gates::consistency::ConsistencyConfig>("consistency"),
    stage::<callnavi::judge_questions::JudgeQuestionsConfig>("judge_questions"),
    stage::<complexfunc::shortest_path::ShortestPathConfig>("shortest_path"),
    stage::<crate::stage::gates::near_duplicates::NearDuplicatesConfig>("near_duplicates"),
    // Samples of all of these.
    stage::<candidates::CandidatesConfig>("candidates"),
    stage::<functionchat::tool_lists::ToolListsConfig>("tool_lists"),
    stage::<functionchat::acceptable_arguments::AcceptableArgumentsConfig>("acceptable_arguments"),
    stage::<complexfunc::golden_replay::GoldenReplayConfig>("golden_replay"),
    stage::<hammerbench::one_right_tool::OneRightToolConfig>("one_right_tool"),
    stage::<hammerbench::irrelevant_queries::IrrelevantQueriesConfig>("irrelevant_queries"),
    // HammerBench: dialogues.
    stage::<hammerbench::slot_filling::SlotFillingConfig>("slot_filling"),
    stage::<hammerbench::variant::merge_turns::MergeTurnsConfig>("merge_turns"),
    stage::<hammerbench::variant::intent_shift::IntentShiftConfig>("intent_shift"),
    stage::<hammerbench::variant::slot_override::SlotOverrideConfig>("slot_override"),
    stage::<hammerbench::variant::multiple_slot_values::MultipleSlotValuesConfig>("multiple_slot_values"),
    stage::<hammerbench::variant::external_answers::ExternalAnswersConfig>("external_answers"),
    stage::<hammerbench::variant::write_variants::WriteVariantsConfig>(hammerbench::variant::write_variants::KIND),
    stage::<hammerbench::dialogue_consistency::DialogueConsistencyConfig>("dialogue_consistency"),
    // FunctionChat-Bench.
    stage::<functionchat::single_calls::SingleCallsConfig>("single_calls"),
    stage::<functionchat::call_decisions::CallDecisionsConfig>("call_decisions"),
    stage::<functionchat::dialogs::DialogsConfig>("dialogs"),
    // CONFETTI.
    stage::<confetti::scenarios::ScenariosConfig>("scenarios"),
    stage::<confetti::scenario_review::ScenarioReviewConfig>("scenario_review"),
    stage::<confetti::conversations::ConversationsConfig>("conversations"),
    stage::<confetti::complexities::ComplexitiesConfig>("complexities"),
    stage::<confetti::dialog_acts::DialogActsConfig>("dialog_acts"),
    stage::<confetti::turn_items::TurnItemsConfig>("turn_items"),
    // Of any suite.
    stage::<crate::stage::gates::quota::QuotaConfig>("quota"),
    stage::<generate::GenerateConfig>("generate"),
    stage::<localize::LocalizeConfig>("localize"),
];

/// The entry of a kind whose config is a `T`.
const fn stage<T: Stage + DeserializeOwned + JsonSchema + 'static>(kind: &'static str) -> StageKind {
    StageKind {
        kind,
        schema: || schema_for!(T),
        read: |section, problems| Some(Box::new(section.salvage::<T>(problems)?)),
    }
}

/// Reads the config of a stage of `kind`, without the keys that have faults; `None` where too little is left.
pub(crate) fn read(kind: &str, section: Section<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Stage>> {
    let of_kind = STAGES.iter().find(|it| it.kind == kind)?;
    (of_kind.read)(section, problems)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use toml::de::DeTable;

    /// Reads a stage of `kind` with the few keys that some kinds cannot do without.
    pub(crate) fn read(kind: &str) -> Box<dyn Stage> {
        let text = match kind {
            "toolset" => "path = \"mobile\"",
            "quota" => "count = 1",
            "apis" => "scenarios = \"s.toml\"",
            "generate" => "prompt = \"p.md\"",
            "localize" => "samples = \"s.jsonl\"",
            _ => "",
        };
        let table = DeTable::parse(text).unwrap();
        super::read(kind, Section::new(table.get_ref().clone(), 0..0, kind), &mut Vec::new()).unwrap()
    }

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
        let context = testing::silent();
        for StageKind { kind, .. } in STAGES {
            let stage = read(kind);
            assert_eq!(stage.scope() != Scope::Item, stage.scan(&context).is_some(), "{kind}");
        }
    }

    #[test]
    fn the_factor_reaches_the_stages_of_which_items_are_required_for_each_tool() {
        let factor = crate::config::section::read_text::<crate::config::PipelineConfig>("scale = 2").unwrap().scale;
        for StageKind { kind, schema, .. } in STAGES {
            let mut stage = read(kind);
            stage.scale(factor);
            let has_key =
                ["/properties/per_tool", "/properties/per_domain"].iter().any(|key| schema().pointer(key).is_some());
            assert_eq!(stage.to_json() != read(kind).to_json(), has_key, "{kind}");
        }
    }
}
