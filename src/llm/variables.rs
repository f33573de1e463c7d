//! Exactly what each prompt is given. The built-in model sees this and its locale pack, and nothing else.

use super::chat_variables::{DeclineVariables, ExchangeVariables, MissingVariables, TellVariables};
use super::complex_variables::{
    AnnotateVariables, CoarseVariables, CorrectVariables, GeneralizeVariables, NeededVariables,
};
use super::conversation_variables::{
    ActsVariables, ComplexityVariables, ReviewVariables, SayVariables, ScenarioVariables,
};
use super::enrich_variables::EnrichVariables;
use super::localize_variables::LocalizeVariables;
use super::play_variables::{PlayAgentVariables, PlayUserVariables};
use crate::record::{
    ApiPhrases, Difficulty, FunctionCall, Object, Phrases, ReferPhrases, Saying, SlotPhrases, Tool, Value,
};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The variables of one request, by task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variables {
    /// For [`super::Task::Toolkits`].
    Toolkits(ToolkitVariables),
    /// For [`super::Task::WriteQuery`].
    WriteQuery(WriteVariables),
    /// For [`super::Task::SelectParameters`].
    SelectParameters(SelectVariables),
    /// For [`super::Task::Call`].
    Call(CallVariables),
    /// For [`super::Task::Route`].
    Route(RouteVariables),
    /// For [`super::Task::RouteCalls`].
    RouteCalls(RouteCallsVariables),
    /// For [`super::Task::JudgeCall`].
    JudgeCall(JudgeVariables),
    /// For [`super::Task::CanServe`].
    CanServe(ServeVariables),
    /// For [`super::Task::ExternalEntity`].
    ExternalEntity(EntityVariables),
    /// For [`super::Task::ExternalPointer`].
    ExternalPointer(PointerVariables),
    /// For [`super::Task::ExternalMessage`].
    ExternalMessage(MessageVariables),
    /// For [`super::Task::ExternalQuery`].
    ExternalQuery(RewriteVariables),
    /// For [`super::Task::SlotQuestion`].
    SlotQuestion(QuestionVariables),
    /// For [`super::Task::SlotAnswer`].
    SlotAnswer(AnswerVariables),
    /// For [`super::Task::WriteApis`].
    WriteApis(ApisVariables),
    /// For [`super::Task::WriteQuestion`].
    WriteQuestion(AskVariables),
    /// For [`super::Task::WriteComplexQuery`].
    WriteComplexQuery(super::BriefVariables),
    /// For [`super::Task::JudgeQuestion`].
    JudgeQuestion(JudgeQuestionVariables),
    /// For [`super::Task::AskMissing`].
    AskMissing(MissingVariables),
    /// For [`super::Task::TellAnswer`].
    TellAnswer(TellVariables),
    /// For [`super::Task::Decline`].
    Decline(DeclineVariables),
    /// For [`super::Task::Exchange`].
    Exchange(ExchangeVariables),
    /// For [`super::Task::Say`].
    Say(Box<SayVariables>),
    /// For [`super::Task::WriteScenario`].
    WriteScenario(ScenarioVariables),
    /// For [`super::Task::ReviewScenario`].
    ReviewScenario(ReviewVariables),
    /// For [`super::Task::JudgeComplexity`].
    JudgeComplexity(ComplexityVariables),
    /// For [`super::Task::ClassifyDialogActs`].
    ClassifyDialogActs(ActsVariables),
    /// For [`super::Task::PlayUser`].
    PlayUser(PlayUserVariables),
    /// For [`super::Task::PlayAgent`].
    PlayAgent(PlayAgentVariables),
    /// For [`super::Task::Simulate`].
    Simulate(SimulateVariables),
    /// For [`super::Task::CoarseQueries`].
    CoarseQueries(CoarseVariables),
    /// For [`super::Task::Annotate`].
    Annotate(AnnotateVariables),
    /// For [`super::Task::JudgeNeeded`].
    JudgeNeeded(NeededVariables),
    /// For [`super::Task::CorrectQuery`].
    CorrectQuery(CorrectVariables),
    /// For [`super::Task::GeneralizeQuery`].
    GeneralizeQuery(GeneralizeVariables),
    /// For [`super::Task::Localize`].
    Localize(LocalizeVariables),
    /// For [`super::Task::Enrich`].
    Enrich(EnrichVariables),
    /// For [`super::Task::Generate`].
    Generate(Object),
}

/// What every prompt is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Common {
    /// The locale's code.
    pub locale: String,
    /// The locale's language, by its own name.
    pub language: String,
    /// Whether the answer's JSON Schema goes along, so that the prompt need not describe a text format.
    pub structured: bool,
    /// What was wrong with the last answer, in words; empty at the first asking.
    pub fault: String,
}

/// A category's toolkit is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolkitVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The category's title.
    pub category: String,
    /// The functions that it should have.
    pub wanted: String,
    /// The least number of tools.
    pub count: usize,
}

/// A query is to be written, with the arguments that it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// Names of the parameters that the query must mention; no others.
    pub must_include: Vec<String>,
    /// The manner in which the person asks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// What people say when they want this tool; absent for tools that people bring along.
    pub phrases: Option<Arc<Phrases>>,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
    /// Whether the person describes the problem alone, and leaves open what is to be done.
    #[serde(default)]
    pub implied: bool,
}

/// Parameters are to be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// How many to choose.
    pub count: usize,
}

/// A query is to be read: which call does it ask for?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The dialogue as text: what the person said (and, in dialogues, what was answered).
    pub query: String,
    /// The tools to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// Another query of the same tool with its call, for one-shot reading.
    pub example: Option<CallExample>,
    /// The sentence that refuses.
    pub refusal: String,
}

/// A query with its call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallExample {
    /// The query.
    pub query: String,
    /// Its call.
    pub call: FunctionCall,
}

/// A question is to be read: which APIs does it want, in which order?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The APIs to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// The same as the prompt shows them; empty for the built-in model, which reads `tools`.
    pub candidates: String,
}

/// The same, with the parameters of every call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteCallsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The APIs to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// The same as the prompt shows them; empty where they go as native tools, and for the built-in model.
    pub candidates: String,
    /// The format of the answer.
    pub answer: CallsFormat,
    /// What stands for a value that the question does not give.
    pub placeholder: String,
    /// Where the last call is asked for first: 0 then, and from 1 on the round that completes it. Else all is asked for
    /// at once.
    pub round: Option<u32>,
    /// What a model writes behind an answer that is complete, where there are rounds.
    pub stop: String,
}

/// The format in which calls are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallsFormat {
    /// A JSON object.
    #[default]
    Json,
    /// A YAML document.
    Yaml,
}

/// Two calls are to be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The query.
    pub query: String,
    /// The gold arguments.
    pub label: Object,
    /// The predicted arguments.
    pub output: Object,
}

/// Can this tool serve this query?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The query.
    pub query: String,
    /// The tool.
    pub tool: Arc<Tool>,
}

/// Which argument is a known entity?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The gold arguments.
    pub label: Object,
    /// The entities, in the locale's words.
    pub entities: Vec<String>,
}

/// A pointer to an entity is to be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The entity, in the locale's words.
    pub entity: String,
    /// What the parameter is about: its description.
    pub about: String,
    /// Where the entity is mentioned: mail, text message, note ...
    pub source: String,
    /// The value, which must not be said.
    pub value: String,
}

/// The message that holds the entity is to be simulated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The entity, in the locale's words.
    pub entity: String,
    /// What the parameter is about: its description.
    pub about: String,
    /// Where it is mentioned: mail, text message, note ...
    pub source: String,
    /// How a person refers to it, from the step before: the message is to fit.
    pub pointer: String,
    /// The value, which must be said as it stands.
    pub value: String,
    /// Values that must not be said.
    pub forbidden: Vec<String>,
}

/// The query is to be rewritten with the pointer in the value's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewriteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The query as it was, with the value in it.
    pub query: String,
    /// The gold arguments.
    pub label: Object,
    /// The parameter whose value is hidden.
    pub parameter: String,
    /// How the query says that value.
    pub surface: String,
    /// The pointer.
    pub pointer: String,
}

/// A question for a missing parameter is to be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is known by now.
    pub known: Object,
    /// The parameter that is missing.
    pub parameter: String,
    /// What that parameter is about: its description.
    pub about: String,
    /// Questions that people know for it; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
}

/// A question is to be answered, with the argument that the answer gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue up to the question, a line for each turn.
    pub history: String,
    /// The question.
    pub question: String,
    /// What is known by now.
    pub known: Object,
    /// The parameter that is asked for.
    pub parameter: String,
    /// What else the question asks for, so that a bare value would not tell which of them it is.
    #[serde(default)]
    pub among: Vec<String>,
    /// What the person has said to the question already, where it asks for several things; empty else.
    #[serde(default)]
    pub so_far: String,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// What people say about the parameter; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
}

/// APIs of a domain are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApisVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// What the domain is about.
    pub scenario: String,
    /// The things that it is about, with commas between; empty where the writer is to find them.
    pub things: String,
    /// How many are wanted now.
    pub count: usize,
    /// Names of those that are there.
    pub known: Vec<String>,
}

/// A question is to be written that wants these calls, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// How hard the question is to be.
    pub difficulty: Difficulty,
    /// The calls, in the order in which they are to be made.
    pub calls: Vec<AskedCall>,
    /// The manner in which the person asks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
}

/// One call that a question is to want.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedCall {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its arguments, by parameter.
    pub arguments: IndexMap<String, AskedArgument>,
    /// What people say when they want it; absent for tools that people bring along.
    pub phrases: Option<Arc<ApiPhrases>>,
    /// Whether it makes something new that later calls take.
    pub makes: bool,
}

/// One argument of such a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedArgument {
    /// The value; `null` where the writer chooses it, or where the question does not settle it.
    pub value: Value,
    /// The words that say it.
    pub words: String,
    /// How the question says it.
    pub saying: Saying,
    /// How people refer to the thing that it identifies, if it identifies one.
    pub refers: Option<Arc<ReferPhrases>>,
}

/// Does a question ask for these calls, in this order?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeQuestionVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The question.
    pub question: String,
    /// The calls, in their order.
    pub calls: Vec<JudgedCall>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedCall {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The call.
    pub call: FunctionCall,
}

/// A call is to be answered in the place of an API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulateVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// JSON Schema of the answer, where the tool states it.
    pub returns: Option<serde_json::Value>,
    /// The calls before that this one hangs on, with their answers.
    pub earlier: Vec<AnsweredCall>,
    /// The call.
    pub call: FunctionCall,
}

/// A call with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweredCall {
    /// The call.
    pub call: FunctionCall,
    /// The answer.
    pub answer: Value,
}

/// The structured answer to [`super::Task::WriteQuestion`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenQuestion {
    /// The arguments of each call, in order.
    pub parameters: Vec<Object>,
    /// Numbers of the calls, from 1, in the order in which the question mentions them.
    #[serde(default)]
    pub mentions: Vec<usize>,
    /// What the person asks.
    pub question: String,
}

/// The structured answer to [`super::Task::WriteQuery`] and [`super::Task::SlotAnswer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenQuery {
    /// The arguments: every parameter that was asked for, with its value.
    pub parameters: Object,
    /// What the person says.
    pub query: String,
}

/// The structured answer to [`super::Task::SelectParameters`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedParameters {
    /// Why these.
    pub thoughts: String,
    /// Their names.
    pub parameters: Vec<String>,
}

/// The structured answer to a yes-or-no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The answer.
    pub verdict: bool,
}

/// The structured answer to [`super::Task::ExternalEntity`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundEntity {
    /// The parameter; empty where no argument is one of the entities.
    pub parameter: String,
    /// The entity.
    pub entity: String,
}

/// The structured answer wherever a plain text is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainText {
    /// The text.
    pub text: String,
}

impl Variables {
    /// The variables as a prompt sees them: the fields, without the task's name around them.
    pub fn fields(&self) -> serde_json::Value {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(tagged)) => tagged.into_iter().next().map_or_else(Default::default, |it| it.1),
            _ => serde_json::Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_sees_the_fields_without_the_tasks_name() {
        let row: Object = [("city".to_owned(), crate::record::Value::from("서울"))].into_iter().collect();
        assert_eq!(Variables::Generate(row).fields(), serde_json::json!({"city": "서울"}));
        let common = Common { locale: "ko".to_owned(), ..Common::default() };
        let (query, refusal) = ("hm".to_owned(), "no".to_owned());
        let fields =
            Variables::Call(CallVariables { common, query, tools: Vec::new(), example: None, refusal }).fields();
        assert_eq!(
            (&fields["common"]["locale"], &fields["query"], &fields["tools"]),
            (&"ko".into(), &"hm".into(), &serde_json::json!([]))
        );
        assert_eq!(fields.as_object().unwrap().len(), 5);
    }

    /// The words stand in the reply cache's keys, where the built-in model's replies are recorded.
    #[test]
    fn the_words_of_tasks_are_frozen() {
        let error = serde_json::from_str::<Variables>(r#"{"none": 0}"#).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"unknown variant `none`, expected one of `toolkits`, `write_query`, `select_parameters`, `call`, `route`, `route_calls`, `judge_call`, `can_serve`, `external_entity`, `external_pointer`, `external_message`, `external_query`, `slot_question`, `slot_answer`, `write_apis`, `write_question`, `write_complex_query`, `judge_question`, `ask_missing`, `tell_answer`, `decline`, `exchange`, `say`, `write_scenario`, `review_scenario`, `judge_complexity`, `classify_dialog_acts`, `play_user`, `play_agent`, `simulate`, `coarse_queries`, `annotate`, `judge_needed`, `correct_query`, `generalize_query`, `localize`, `enrich`, `generate` at line 1 column 7");
    }
}
