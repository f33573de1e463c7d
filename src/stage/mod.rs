//! The stages: one enum, one file for each kind.
//!
//! A new kind is four lines here, a file with its config, and a folder of prompts if it asks a model. The word in the
//! file, the file's name and the word in logs are the same.

mod acceptable_arguments;
mod alike;
mod alternatives;
mod annotate;
mod apis;
mod ask;
mod call_decisions;
mod candidate_apis;
mod candidate_functions;
mod candidates;
mod chat_sample;
mod closeness;
mod coarse_queries;
mod complex_queries;
mod complexities;
mod consistency;
mod context;
mod conversations;
mod conversing;
mod correct;
mod decisions;
mod dialog_acts;
mod dialog_plan;
mod dialogs;
mod dialogue_consistency;
mod disambiguate;
mod distractors;
mod domains;
mod drafts;
mod easy_questions;
mod every_gate;
mod external_answers;
mod external_queries;
mod facts;
mod generalize;
mod generalize_model;
mod generate;
mod gold;
mod golden_replay;
mod hard_questions;
mod imperfect_queries;
mod intent_shift;
mod irrelevant_queries;
mod judge_questions;
mod lists;
mod localize;
mod medium_questions;
mod merge_turns;
mod multiple_slot_values;
mod near_duplicates;
mod needed;
mod normalise;
mod one_right_tool;
mod outcome;
mod pad;
mod parameters;
mod perfect_queries;
mod plans;
mod pointing;
mod quota;
mod readings;
mod registers;
mod sampled;
mod scenario_review;
mod scenarios;
mod schemas;
mod script;
mod select;
mod select_parameters;
mod settled;
mod shortest_path;
mod simulate;
mod single_calls;
mod slot_filling;
mod slot_override;
mod source;
mod speaker;
mod talk;
mod targets;
mod telling;
#[cfg(test)]
mod testing;
mod tool_list;
mod tool_lists;
mod toolkits;
mod toolset;
mod trace;
mod turn_items;
mod work;
mod write;
mod written;

pub use acceptable_arguments::AcceptableArgumentsConfig;
pub use annotate::AnnotateConfig;
pub use apis::ApisConfig;
pub use call_decisions::CallDecisionsConfig;
pub use candidates::{CandidatesConfig, Order};
pub use coarse_queries::CoarseQueriesConfig;
pub use complex_queries::ComplexQueriesConfig;
pub use complexities::ComplexitiesConfig;
pub use consistency::ConsistencyConfig;
pub use context::{Context, Counts, Question, Said, Shared};
pub use conversations::ConversationsConfig;
pub use correct::CorrectConfig;
pub use dialog_acts::DialogActsConfig;
pub use dialogs::{DialogShape, DialogsConfig};
pub use dialogue_consistency::DialogueConsistencyConfig;
pub use disambiguate::DisambiguateConfig;
pub use domains::Domains;
pub use easy_questions::EasyQuestionsConfig;
pub use every_gate::judge_query;
pub use external_answers::ExternalAnswersConfig;
pub use external_queries::ExternalQueriesConfig;
pub use facts::{Content, NamedFile, Scope, StageConfig};
pub use generalize::GeneralizeConfig;
pub use generate::GenerateConfig;
pub use golden_replay::GoldenReplayConfig;
pub use hard_questions::HardQuestionsConfig;
pub use imperfect_queries::ImperfectQueriesConfig;
pub use intent_shift::IntentShiftConfig;
pub use irrelevant_queries::IrrelevantQueriesConfig;
pub use judge_questions::JudgeQuestionsConfig;
pub use localize::LocalizeConfig;
pub use medium_questions::MediumQuestionsConfig;
pub use merge_turns::MergeTurnsConfig;
pub use multiple_slot_values::MultipleSlotValuesConfig;
pub use near_duplicates::NearDuplicatesConfig;
pub use normalise::NormaliseConfig;
pub use one_right_tool::OneRightToolConfig;
pub use outcome::{Failure, Fault, Outcome, Stop};
pub use pad::PadConfig;
pub use parameters::ParametersConfig;
pub use perfect_queries::PerfectQueriesConfig;
pub(crate) use pointing::NO_ENTITY;
pub use quota::{By, QuotaConfig};
pub use readings::{Accept, Readings};
pub use registers::Registers;
pub use scenario_review::ScenarioReviewConfig;
pub use scenarios::{Offered, ScenariosConfig};
pub use script::ScriptConfig;
pub(crate) use select::NOT_SELECTED;
pub use select::SelectConfig;
pub use select_parameters::SelectParametersConfig;
pub use shortest_path::ShortestPathConfig;
pub use simulate::{Simulated, Simulation};
pub use single_calls::SingleCallsConfig;
pub use slot_filling::SlotFillingConfig;
pub use slot_override::SlotOverrideConfig;
pub(crate) use source::Source;
pub use targets::Extraction;
pub use telling::{goal_faults, tell_faults, tell_preview};
pub use tool_list::ToolList;
pub use tool_lists::ToolListsConfig;
pub use toolkits::ToolkitsConfig;
pub use toolset::{Grouping, ToolsetConfig};
pub use trace::Manner;
pub use turn_items::{Responses, TurnItemsConfig};
pub(crate) use work::{Drawing, Scan};

use crate::config::{Factor, Problem, Section};
use crate::record::RecordKind;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// A stage as the pipeline file configures it. It is written as its config alone, without its kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Stage {
    /// Yields the tools of a toolset, in the run's locale.
    Toolset(ToolsetConfig),
    /// Lets a model make a toolkit for each category, from the functions that are wanted in it.
    Toolkits(ToolkitsConfig),
    /// Puts the tools of a toolkit in one form: names in three parts, every parameter required, no returns.
    Normalise(NormaliseConfig),
    /// Lets a model write queries that name every required parameter of a tool.
    PerfectQueries(PerfectQueriesConfig),
    /// Lets a model choose the parameters that people would mention when they leave some out.
    SelectParameters(SelectParametersConfig),
    /// Lets a model write queries that leave required parameters out.
    ImperfectQueries(ImperfectQueriesConfig),
    /// Yields variants of queries whose values stand in a message beside the words.
    ExternalQueries(ExternalQueriesConfig),
    /// Lets a model invent the APIs of each domain from its scenario.
    Apis(ApisConfig),
    /// Lets a model write questions that one call answers (CallNavi: easy).
    EasyQuestions(EasyQuestionsConfig),
    /// Lets a model write questions that want several calls in order, with everything given (CallNavi: medium).
    MediumQuestions(MediumQuestionsConfig),
    /// Lets a model write questions in which a call takes what an earlier one answers (CallNavi: hard).
    HardQuestions(HardQuestionsConfig),
    /// Lets a model write requests for calls that were planned in a declared world (`ComplexFuncBench`).
    ComplexQueries(ComplexQueriesConfig),
    /// Keeps so many complex queries of each domain, of as many shapes and paths as there are.
    Select(SelectConfig),
    /// Takes those items out of the answers that could be taken for the one that is meant.
    Disambiguate(DisambiguateConfig),
    /// Makes one complex query into several: the same path with other values.
    Generalize(GeneralizeConfig),
    /// Lengthens the answers of some complex queries with unrelated items.
    Pad(PadConfig),
    /// Lets a model write requests that want several calls in steps, many at once (ComplexFuncBench).
    CoarseQueries(CoarseQueriesConfig),
    /// Lets a model serve requests with calls, and keeps what it did as steps (ComplexFuncBench).
    Annotate(AnnotateConfig),
    /// Keeps a request if every argument of its calls can be traced, and mends one that leaves something out.
    Correct(CorrectConfig),
    /// Keeps a query if its call names exactly the parameters that it was to mention, with values that stand in the text.
    Parameters(ParametersConfig),
    /// Keeps a query if enough of its letters are of the locale's script.
    Script(ScriptConfig),
    /// Keeps a query if a model that reads it with and without an example finds the same call.
    Consistency(ConsistencyConfig),
    /// Keeps a question if a model agrees that it asks for its calls, in their order, and for nothing else.
    JudgeQuestions(JudgeQuestionsConfig),
    /// Keeps a request if its golden calls are proved to be a shortest path to its goals.
    ShortestPath(ShortestPathConfig),
    /// Keeps a query only if it is not too like one of the same tool that was kept before.
    NearDuplicates(NearDuplicatesConfig),
    /// Makes a sample of a query or a question: puts the right tools among others that a model must not take for it.
    Candidates(CandidatesConfig),
    /// Makes samples of a query, one for each of several lists of tools, which all queries of its tool share.
    ToolLists(ToolListsConfig),
    /// Adds to samples what is as right as each gold argument, or that nothing else is.
    AcceptableArguments(AcceptableArgumentsConfig),
    /// Keeps a sample of several steps if its golden calls pass the scorer, and none of them can be left out.
    GoldenReplay(GoldenReplayConfig),
    /// Keeps a sample if, of the tools that it shows, the expected one alone can serve the query.
    OneRightTool(OneRightToolConfig),
    /// Passes samples on and adds to each its twin without the right tool, which a model must refuse.
    IrrelevantQueries(IrrelevantQueriesConfig),
    /// Lets a dialogue go on from a query that leaves parameters out: one question and one answer at a time (sQsA).
    SlotFilling(SlotFillingConfig),
    /// Adds to each dialogue its merged variants: several questions at once, several answers at once, or both.
    MergeTurns(MergeTurnsConfig),
    /// Adds to each dialogue a variant in which the person turns to something that no shown tool can serve.
    IntentShift(IntentShiftConfig),
    /// Adds to each dialogue variants in which the person takes a value back: at once, or in place of a later answer.
    SlotOverride(SlotOverrideConfig),
    /// Adds to each dialogue a variant in which the person, once all is done, wants the same with another value.
    MultipleSlotValues(MultipleSlotValuesConfig),
    /// Adds to dialogues variants in which an answer points at a message that holds the value.
    ExternalAnswers(ExternalAnswersConfig),
    /// Keeps a dialogue if a model that reads it finds the call of its last turn, and of every marked one.
    DialogueConsistency(DialogueConsistencyConfig),
    /// Lets a model write the single requests of some functions, so many of each extraction type (FunctionChat-Bench).
    SingleCalls(SingleCallsConfig),
    /// Makes samples that want a call, a question for what is missing, or a refusal (FunctionChat-Bench).
    CallDecisions(CallDecisionsConfig),
    /// Makes dialogs of given shapes, each turn of the assistant a sample (FunctionChat-Bench).
    Dialogs(DialogsConfig),
    /// Makes scenarios: the tools of each, its complexity, its time, and what the person wants in words (CONFETTI).
    Scenarios(ScenariosConfig),
    /// Keeps a scenario if a reader finds that it needs its tools, can have its complexity, and makes sense (CONFETTI).
    ScenarioReview(ScenarioReviewConfig),
    /// Lets a model play the conversation of each scenario, both sides of it (CONFETTI).
    Conversations(ConversationsConfig),
    /// Keeps a conversation if it has its complexity, and notes all that it has (CONFETTI).
    Complexities(ComplexitiesConfig),
    /// Has a model name the dialog acts of what agents say, and counts how many labels agree (CONFETTI).
    DialogActs(DialogActsConfig),
    /// Makes samples of conversations: one for each call, and one for each response (CONFETTI).
    TurnItems(TurnItemsConfig),
    /// Keeps the first so many samples of each kind, in the order of their ids.
    Quota(QuotaConfig),
    /// Lets a model answer a prompt for every row of a table, for rows of the stage before it, or a number of times.
    Generate(GenerateConfig),
    /// Yields the samples of another run, in this run's locale: a model translates texts and values, and checks hold them.
    Localize(LocalizeConfig),
}

/// A kind's word in the file, and the JSON Schema of its config.
pub type Kind = (&'static str, fn() -> Schema);

/// Every kind, in the order of the reference page.
pub const KINDS: [Kind; 50] = [
    ("toolset", schema_of::<ToolsetConfig>),
    ("toolkits", schema_of::<ToolkitsConfig>),
    ("normalise", schema_of::<NormaliseConfig>),
    ("perfect_queries", schema_of::<PerfectQueriesConfig>),
    ("select_parameters", schema_of::<SelectParametersConfig>),
    ("imperfect_queries", schema_of::<ImperfectQueriesConfig>),
    ("external_queries", schema_of::<ExternalQueriesConfig>),
    ("apis", schema_of::<ApisConfig>),
    ("easy_questions", schema_of::<EasyQuestionsConfig>),
    ("medium_questions", schema_of::<MediumQuestionsConfig>),
    ("hard_questions", schema_of::<HardQuestionsConfig>),
    ("complex_queries", schema_of::<ComplexQueriesConfig>),
    ("select", schema_of::<SelectConfig>),
    ("disambiguate", schema_of::<DisambiguateConfig>),
    ("generalize", schema_of::<GeneralizeConfig>),
    ("pad", schema_of::<PadConfig>),
    ("coarse_queries", schema_of::<CoarseQueriesConfig>),
    ("annotate", schema_of::<AnnotateConfig>),
    ("correct", schema_of::<CorrectConfig>),
    ("parameters", schema_of::<ParametersConfig>),
    ("script", schema_of::<ScriptConfig>),
    ("consistency", schema_of::<ConsistencyConfig>),
    ("judge_questions", schema_of::<JudgeQuestionsConfig>),
    ("shortest_path", schema_of::<ShortestPathConfig>),
    ("near_duplicates", schema_of::<NearDuplicatesConfig>),
    ("candidates", schema_of::<CandidatesConfig>),
    ("tool_lists", schema_of::<ToolListsConfig>),
    ("acceptable_arguments", schema_of::<AcceptableArgumentsConfig>),
    ("golden_replay", schema_of::<GoldenReplayConfig>),
    ("one_right_tool", schema_of::<OneRightToolConfig>),
    ("irrelevant_queries", schema_of::<IrrelevantQueriesConfig>),
    ("slot_filling", schema_of::<SlotFillingConfig>),
    ("merge_turns", schema_of::<MergeTurnsConfig>),
    ("intent_shift", schema_of::<IntentShiftConfig>),
    ("slot_override", schema_of::<SlotOverrideConfig>),
    ("multiple_slot_values", schema_of::<MultipleSlotValuesConfig>),
    ("external_answers", schema_of::<ExternalAnswersConfig>),
    ("dialogue_consistency", schema_of::<DialogueConsistencyConfig>),
    ("single_calls", schema_of::<SingleCallsConfig>),
    ("call_decisions", schema_of::<CallDecisionsConfig>),
    ("dialogs", schema_of::<DialogsConfig>),
    ("scenarios", schema_of::<ScenariosConfig>),
    ("scenario_review", schema_of::<ScenarioReviewConfig>),
    ("conversations", schema_of::<ConversationsConfig>),
    ("complexities", schema_of::<ComplexitiesConfig>),
    ("dialog_acts", schema_of::<DialogActsConfig>),
    ("turn_items", schema_of::<TurnItemsConfig>),
    ("quota", schema_of::<QuotaConfig>),
    ("generate", schema_of::<GenerateConfig>),
    ("localize", schema_of::<LocalizeConfig>),
];

fn schema_of<T: JsonSchema>() -> Schema {
    schemars::schema_for!(T)
}

impl Stage {
    /// Reads the config of a stage of `kind`, without the keys that have faults; `None` where too little is left.
    pub(crate) fn read(kind: &str, section: Section<'_>, problems: &mut Vec<Problem>) -> Option<Self> {
        match kind {
            "toolset" => section.salvage(problems).map(Self::Toolset),
            "toolkits" => section.salvage(problems).map(Self::Toolkits),
            "normalise" => section.salvage(problems).map(Self::Normalise),
            "perfect_queries" => section.salvage(problems).map(Self::PerfectQueries),
            "select_parameters" => section.salvage(problems).map(Self::SelectParameters),
            "imperfect_queries" => section.salvage(problems).map(Self::ImperfectQueries),
            "external_queries" => section.salvage(problems).map(Self::ExternalQueries),
            "apis" => section.salvage(problems).map(Self::Apis),
            "easy_questions" => section.salvage(problems).map(Self::EasyQuestions),
            "medium_questions" => section.salvage(problems).map(Self::MediumQuestions),
            "hard_questions" => section.salvage(problems).map(Self::HardQuestions),
            "complex_queries" => section.salvage(problems).map(Self::ComplexQueries),
            "select" => section.salvage(problems).map(Self::Select),
            "disambiguate" => section.salvage(problems).map(Self::Disambiguate),
            "generalize" => section.salvage(problems).map(Self::Generalize),
            "pad" => section.salvage(problems).map(Self::Pad),
            "coarse_queries" => section.salvage(problems).map(Self::CoarseQueries),
            "annotate" => section.salvage(problems).map(Self::Annotate),
            "correct" => section.salvage(problems).map(Self::Correct),
            "parameters" => section.salvage(problems).map(Self::Parameters),
            "script" => section.salvage(problems).map(Self::Script),
            "consistency" => section.salvage(problems).map(Self::Consistency),
            "judge_questions" => section.salvage(problems).map(Self::JudgeQuestions),
            "shortest_path" => section.salvage(problems).map(Self::ShortestPath),
            "near_duplicates" => section.salvage(problems).map(Self::NearDuplicates),
            "candidates" => section.salvage(problems).map(Self::Candidates),
            "tool_lists" => section.salvage(problems).map(Self::ToolLists),
            "acceptable_arguments" => section.salvage(problems).map(Self::AcceptableArguments),
            "golden_replay" => section.salvage(problems).map(Self::GoldenReplay),
            "one_right_tool" => section.salvage(problems).map(Self::OneRightTool),
            "irrelevant_queries" => section.salvage(problems).map(Self::IrrelevantQueries),
            "slot_filling" => section.salvage(problems).map(Self::SlotFilling),
            "merge_turns" => section.salvage(problems).map(Self::MergeTurns),
            "intent_shift" => section.salvage(problems).map(Self::IntentShift),
            "slot_override" => section.salvage(problems).map(Self::SlotOverride),
            "multiple_slot_values" => section.salvage(problems).map(Self::MultipleSlotValues),
            "external_answers" => section.salvage(problems).map(Self::ExternalAnswers),
            "dialogue_consistency" => section.salvage(problems).map(Self::DialogueConsistency),
            "single_calls" => section.salvage(problems).map(Self::SingleCalls),
            "call_decisions" => section.salvage(problems).map(Self::CallDecisions),
            "dialogs" => section.salvage(problems).map(Self::Dialogs),
            "scenarios" => section.salvage(problems).map(Self::Scenarios),
            "scenario_review" => section.salvage(problems).map(Self::ScenarioReview),
            "conversations" => section.salvage(problems).map(Self::Conversations),
            "complexities" => section.salvage(problems).map(Self::Complexities),
            "dialog_acts" => section.salvage(problems).map(Self::DialogActs),
            "turn_items" => section.salvage(problems).map(Self::TurnItems),
            "quota" => section.salvage(problems).map(Self::Quota),
            "generate" => section.salvage(problems).map(Self::Generate),
            "localize" => section.salvage(problems).map(Self::Localize),
            _ => None,
        }
    }

    /// The config as what all kinds have in common.
    pub fn config(&self) -> &dyn StageConfig {
        match self {
            Self::Toolset(config) => config,
            Self::Toolkits(config) => config,
            Self::Normalise(config) => config,
            Self::PerfectQueries(config) => config,
            Self::SelectParameters(config) => config,
            Self::ImperfectQueries(config) => config,
            Self::ExternalQueries(config) => config,
            Self::Apis(config) => config,
            Self::EasyQuestions(config) => config,
            Self::MediumQuestions(config) => config,
            Self::HardQuestions(config) => config,
            Self::ComplexQueries(config) => config,
            Self::Select(config) => config,
            Self::Disambiguate(config) => config,
            Self::Generalize(config) => config,
            Self::Pad(config) => config,
            Self::CoarseQueries(config) => config,
            Self::Annotate(config) => config,
            Self::Correct(config) => config,
            Self::Parameters(config) => config,
            Self::Script(config) => config,
            Self::Consistency(config) => config,
            Self::JudgeQuestions(config) => config,
            Self::ShortestPath(config) => config,
            Self::NearDuplicates(config) => config,
            Self::Candidates(config) => config,
            Self::ToolLists(config) => config,
            Self::AcceptableArguments(config) => config,
            Self::GoldenReplay(config) => config,
            Self::OneRightTool(config) => config,
            Self::IrrelevantQueries(config) => config,
            Self::SlotFilling(config) => config,
            Self::MergeTurns(config) => config,
            Self::IntentShift(config) => config,
            Self::SlotOverride(config) => config,
            Self::MultipleSlotValues(config) => config,
            Self::ExternalAnswers(config) => config,
            Self::DialogueConsistency(config) => config,
            Self::SingleCalls(config) => config,
            Self::CallDecisions(config) => config,
            Self::Dialogs(config) => config,
            Self::Scenarios(config) => config,
            Self::ScenarioReview(config) => config,
            Self::Conversations(config) => config,
            Self::Complexities(config) => config,
            Self::DialogActs(config) => config,
            Self::TurnItems(config) => config,
            Self::Quota(config) => config,
            Self::Generate(config) => config,
            Self::Localize(config) => config,
        }
    }

    fn config_mut(&mut self) -> &mut dyn StageConfig {
        match self {
            Self::Toolset(config) => config,
            Self::Toolkits(config) => config,
            Self::Normalise(config) => config,
            Self::PerfectQueries(config) => config,
            Self::SelectParameters(config) => config,
            Self::ImperfectQueries(config) => config,
            Self::ExternalQueries(config) => config,
            Self::Apis(config) => config,
            Self::EasyQuestions(config) => config,
            Self::MediumQuestions(config) => config,
            Self::HardQuestions(config) => config,
            Self::ComplexQueries(config) => config,
            Self::Select(config) => config,
            Self::Disambiguate(config) => config,
            Self::Generalize(config) => config,
            Self::Pad(config) => config,
            Self::CoarseQueries(config) => config,
            Self::Annotate(config) => config,
            Self::Correct(config) => config,
            Self::Parameters(config) => config,
            Self::Script(config) => config,
            Self::Consistency(config) => config,
            Self::JudgeQuestions(config) => config,
            Self::ShortestPath(config) => config,
            Self::NearDuplicates(config) => config,
            Self::Candidates(config) => config,
            Self::ToolLists(config) => config,
            Self::AcceptableArguments(config) => config,
            Self::GoldenReplay(config) => config,
            Self::OneRightTool(config) => config,
            Self::IrrelevantQueries(config) => config,
            Self::SlotFilling(config) => config,
            Self::MergeTurns(config) => config,
            Self::IntentShift(config) => config,
            Self::SlotOverride(config) => config,
            Self::MultipleSlotValues(config) => config,
            Self::ExternalAnswers(config) => config,
            Self::DialogueConsistency(config) => config,
            Self::SingleCalls(config) => config,
            Self::CallDecisions(config) => config,
            Self::Dialogs(config) => config,
            Self::Scenarios(config) => config,
            Self::ScenarioReview(config) => config,
            Self::Conversations(config) => config,
            Self::Complexities(config) => config,
            Self::DialogActs(config) => config,
            Self::TurnItems(config) => config,
            Self::Quota(config) => config,
            Self::Generate(config) => config,
            Self::Localize(config) => config,
        }
    }

    /// The word in the file.
    pub fn kind(&self) -> &'static str {
        self.config().kind()
    }

    /// How much of a run it looks at before it hands anything on.
    pub fn scope(&self) -> Scope {
        self.config().scope()
    }

    /// The kinds of record that it takes; a source takes none.
    pub fn input(&self) -> &'static [RecordKind] {
        self.config().input()
    }

    /// The kind of record that it yields.
    pub fn output(&self) -> RecordKind {
        self.config().output()
    }

    /// Whether it only keeps or rejects.
    pub fn is_gate(&self) -> bool {
        self.config().is_gate()
    }

    /// Whether it takes nothing and yields what others work on.
    pub fn is_source(&self) -> bool {
        self.input().is_empty()
    }

    /// Takes the pipeline's factor on `per_tool`.
    pub(crate) fn scale(&mut self, factor: Factor) {
        self.config_mut().scale(factor);
    }

    /// Takes the pipeline's wish for the authors' templates.
    pub(crate) fn speak_as_the_paper(&mut self) {
        self.config_mut().speak_as_the_paper();
    }

    /// Resolves which readings have to agree with a label, by whether the built-in model reads.
    pub(crate) fn resolve_readings(&mut self, is_builtin: bool) {
        self.config_mut().resolve_readings(is_builtin);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use toml::de::DeTable;

    /// Reads a stage of `kind` with the few keys that some kinds cannot do without.
    pub(crate) fn read(kind: &str) -> Stage {
        let text = match kind {
            "toolset" => "path = \"mobile\"",
            "quota" => "count = 1",
            "apis" => "scenarios = \"s.toml\"",
            "generate" => "prompt = \"p.md\"",
            "localize" => "samples = \"s.jsonl\"",
            _ => "",
        };
        let table = DeTable::parse(text).unwrap();
        Stage::read(kind, Section::new(table.get_ref().clone(), 0..0, kind), &mut Vec::new()).unwrap()
    }

    #[test]
    fn every_kind_is_read_under_its_own_word() {
        for (kind, schema) in KINDS {
            assert_eq!(read(kind).kind(), kind);
            assert!(schema().get("description").is_some(), "{kind} has no summary");
        }
    }

    #[test]
    fn every_key_of_every_kind_is_documented() {
        for (kind, schema) in KINDS {
            let schema = schema();
            let properties = schema.get("properties").and_then(|properties| properties.as_object());
            for (key, property) in properties.into_iter().flatten() {
                assert!(property.get("description").is_some(), "`{key}` of `{kind}`");
            }
        }
    }

    #[test]
    fn a_gate_yields_what_it_takes() {
        for stage in KINDS.map(|(kind, _)| read(kind)).iter().filter(|stage| stage.is_gate()) {
            assert!(stage.input().contains(&stage.output()), "{}", stage.kind());
        }
    }

    #[test]
    fn only_ordered_scans_and_quotas_look_further_than_an_item() {
        let wider: Vec<&str> =
            KINDS.iter().map(|(kind, _)| *kind).filter(|kind| read(kind).scope() != Scope::Item).collect();
        assert_eq!(
            wider,
            ["select", "near_duplicates", "tool_lists", "slot_override", "multiple_slot_values", "quota"]
        );
    }

    #[test]
    fn the_factor_reaches_the_stages_that_owe_items_for_each_tool() {
        let factor = crate::config::section::read_text::<crate::config::PipelineConfig>("scale = 2").unwrap().scale;
        let scaled = KINDS.iter().map(|(kind, _)| *kind).filter(|kind| {
            let mut stage = read(kind);
            stage.scale(factor);
            stage != read(kind)
        });
        let with_key = KINDS.iter().filter(|(_, schema)| {
            ["/properties/per_tool", "/properties/per_domain"].iter().any(|key| schema().pointer(key).is_some())
        });
        assert_eq!(scaled.collect::<Vec<_>>(), with_key.map(|(kind, _)| *kind).collect::<Vec<_>>());
    }
}
