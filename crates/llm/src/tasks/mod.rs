//! What a model can be asked to do: a file a task, and one list of them.
//!
//! A file holds the variables of its prompt, the reader of its reply where the reply has a form of its own, and [`TaskInfo`].
//! A reply's JSON Schema is sent to servers and is a part of the reply cache's keys, so it is a file and not drawn up from
//! Rust types: a type that is renamed must not make a run pay again. Schemas that are drawn up for one question, with its
//! tools and values, are in `stage/schemas.rs`.

mod annotate;
mod ask_missing;
mod call;
mod can_serve;
mod classify_dialog_acts;
mod coarse_queries;
mod correct_query;
mod decline;
mod enrich;
mod exchange;
mod external_entity;
mod external_message;
mod external_pointer;
mod external_query;
mod fill_bank;
mod generalize_query;
mod judge_call;
mod judge_complexity;
mod judge_question;
mod judge_served;
mod localize;
mod plan_conversation;
mod read_conversation;
mod read_dialogues;
mod review_scenario;
mod route;
mod route_calls;
mod say;
mod select_parameters;
mod simulate;
mod slot_answer;
mod slot_question;
mod tell_answer;
mod toolkits;
mod write_apis;
mod write_complex_query;
mod write_conversation;
mod write_dialogue;
mod write_query;
mod write_question;
mod write_scenario;
mod write_situations;
mod write_variants;

use crate::record::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

macro_rules! tasks {
    ($($(#[doc = $doc:literal])+ $module:ident: $task:ident($variables:ty),)+) => {
        $(pub use $module::*;)+

        /// The kinds of thing that a model is asked to do; one prompt folder each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Task {
            $($(#[doc = $doc])+ $task,)+
            /// Whatever a user's own prompt asks (the `generate` stage).
            Generate,
            /// Turn texts into vectors: each message of the history is a text.
            Embed,
            /// Say how well claims stand in contexts, where a server of its own does so.
            Score,
        }

        /// The variables of one request, by task.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Variables {
            $(#[doc = concat!("For [`Task::", stringify!($task), "`].")] $task($variables),)+
            /// For [`Task::Generate`].
            Generate(Object),
        }

        impl Variables {
            /// The variables of a task with nothing in them, for whoever wants to know their names.
            pub fn empty(task: Task) -> Self {
                match task {
                    $(Task::$task => Self::$task(Default::default()),)+
                    Task::Generate | Task::Embed | Task::Score => Self::Generate(Object::default()),
                }
            }
        }

        impl Task {
            /// The tasks whose prompts ship with fcgen; the general one brings its own, and texts need none.
            pub const WITH_PROMPT: &[Self] = &[$(Self::$task),+];

            const fn info(self) -> TaskInfo {
                match self {
                    $(Self::$task => $module::INFO,)+
                    Self::Generate => TaskInfo::creative("generate", "Generate"),
                    Self::Embed => TaskInfo::once("embed", "Embed"),
                    Self::Score => TaskInfo::once("score", "Score"),
                }
            }
        }
    };
}

tasks! {
    /// Make a toolkit from a category and its wanted functions (HammerBench E.1).
    toolkits: Toolkits(ToolkitVariables),
    /// Write a query with the arguments that it names (E.2).
    write_query: WriteQuery(WriteVariables),
    /// Choose the parameters that people would mention (E.3).
    select_parameters: SelectParameters(SelectVariables),
    /// Read a query: which call does it ask for (appendix D)?
    call: Call(CallVariables),
    /// Read a question: which APIs does it want, in which order (CallNavi's routing)?
    route: Route(RouteVariables),
    /// The same, with the parameters of every call (CallNavi).
    route_calls: RouteCalls(RouteCallsVariables),
    /// Do two calls say the same (E.4)?
    judge_call: JudgeCall(JudgeVariables),
    /// Can this tool serve this query (E.5)?
    can_serve: CanServe(ServeVariables),
    /// Which argument is a known entity (E.6, first step)?
    external_entity: ExternalEntity(EntityVariables),
    /// Name a pointer to an entity (E.6, second step).
    external_pointer: ExternalPointer(PointerVariables),
    /// Simulate the message that holds the entity (E.6, third step).
    external_message: ExternalMessage(MessageVariables),
    /// Rewrite the query with the pointer in the value's place (E.6, fourth step).
    external_query: ExternalQuery(RewriteVariables),
    /// Ask for a missing parameter (E.7, question).
    slot_question: SlotQuestion(QuestionVariables),
    /// Answer such a question (E.7, answer).
    slot_answer: SlotAnswer(AnswerVariables),
    /// Invent APIs for a domain (CallNavi section 4).
    write_apis: WriteApis(ApisVariables),
    /// Write a question that wants several calls in order (CallNavi section 4).
    write_question: WriteQuestion(AskVariables),
    /// Write a request that wants several calls in steps (`ComplexFuncBench`, section 3.1).
    write_complex_query: WriteComplexQuery(BriefVariables),
    /// Does a question ask for these calls (CallNavi section 4, quality control)?
    judge_question: JudgeQuestion(JudgeQuestionVariables),
    /// Ask for everything that is missing at once (FunctionChat-Bench: slot).
    ask_missing: AskMissing(MissingVariables),
    /// Tell a tool's answer (FunctionChat-Bench: completion).
    tell_answer: TellAnswer(TellVariables),
    /// Decline what no tool serves (FunctionChat-Bench: relevance).
    decline: Decline(DeclineVariables),
    /// Say something that wants no tool, and answer it (FunctionChat-Bench: relevance).
    exchange: Exchange(ExchangeVariables),
    /// Say one line of a conversation (CONFETTI).
    say: Say(Box<SayVariables>),
    /// Write down what a person wants, before a conversation is played (CONFETTI, section 3.1).
    write_scenario: WriteScenario(ScenarioVariables),
    /// Is such a scenario sound (CONFETTI, section 3.1)?
    review_scenario: ReviewScenario(ReviewVariables),
    /// Does a conversation have a complexity that no rule can prove (CONFETTI, Table 1)?
    judge_complexity: JudgeComplexity(ComplexityVariables),
    /// What does an agent do with its words (CONFETTI, Table 8)?
    classify_dialog_acts: ClassifyDialogActs(ActsVariables),
    /// Plan a conversation of which nobody planned what happens (CONFETTI, section 3.2).
    plan_conversation: PlanConversation(PlanVariables),
    /// Answer a call in the place of an API.
    simulate: Simulate(SimulateVariables),
    /// Write requests that want several calls in steps (`ComplexFuncBench`, figure 8).
    coarse_queries: CoarseQueries(CoarseVariables),
    /// Serve a request with calls, turn by turn (`ComplexFuncBench`, 3.1).
    annotate: Annotate(AnnotateVariables),
    /// Is a request served in full, and which calls does nobody need (`ComplexFuncBench`, correction)?
    judge_served: JudgeServed(ServedVariables),
    /// Rewrite a request that leaves out what its calls need (`ComplexFuncBench`, correction).
    correct_query: CorrectQuery(CorrectVariables),
    /// Say a request with other values (`ComplexFuncBench`, figure 9).
    generalize_query: GeneralizeQuery(GeneralizeVariables),
    /// Say texts and their values in another language, with everything else as it was.
    localize: Localize(LocalizeVariables),
    /// Complete what is said of a tool.
    enrich: Enrich(EnrichVariables),
    /// Write the situations that people are in with a toolset.
    write_situations: WriteSituations(SituationsVariables),
    /// Fill the bank of a tool with values, wordings and situations.
    fill_bank: FillBank(BankVariables),
    /// Write the lines with which a dialogue goes on.
    write_dialogue: WriteDialogue(DialogueVariables),
    /// Write every line of a conversation whose calls are made and answered already (CONFETTI).
    write_conversation: WriteConversation(ConversationVariables),
    /// Read a whole conversation: which complexities has it, and what does the agent do with its words (CONFETTI)?
    read_conversation: ReadConversation(ReadConversationVariables),
    /// Put into words what variants of a dialogue plan.
    write_variants: WriteVariants(VariantsVariables),
    /// Read dialogues: which calls do they ask for?
    read_dialogues: ReadDialogues(DialoguesVariables),
}

/// What is fixed of a task.
#[derive(Clone, Copy)]
struct TaskInfo {
    folder: &'static str,
    seed_word: &'static str,
    creates: bool,
    is_voiced: bool,
    reply_schema: Option<&'static str>,
}

impl TaskInfo {
    /// A task that wants something new for each item, by its folder below `prompts/` and its word in seeds.
    const fn creative(folder: &'static str, seed_word: &'static str) -> Self {
        Self { folder, seed_word, creates: true, is_voiced: false, reply_schema: None }
    }

    /// A task whose question has one answer, whoever asks.
    const fn once(folder: &'static str, seed_word: &'static str) -> Self {
        Self { creates: false, ..Self::creative(folder, seed_word) }
    }

    /// The same where the answer is what a person says, or decides on it.
    const fn voiced(self) -> Self {
        Self { is_voiced: true, ..self }
    }

    /// The same with the JSON Schema of its reply.
    const fn reply(self, schema: &'static str) -> Self {
        Self { reply_schema: Some(schema), ..self }
    }
}

/// Each reply schema, read once.
static SCHEMAS: LazyLock<BTreeMap<&'static str, Arc<Json>>> = LazyLock::new(|| {
    let read = |text: &'static str| Some((text, Arc::new(serde_json::from_str(text).ok()?)));
    Task::WITH_PROMPT.iter().filter_map(|task| task.info().reply_schema).filter_map(read).collect()
});

impl Task {
    /// The task's folder below `prompts/`.
    pub fn folder(self) -> &'static str {
        self.info().folder
    }

    /// The task's word in seeds of the built-in model. It stays as it is when a task gets another name: another word is
    /// another text in every benchmark.
    pub fn seed_word(self) -> &'static str {
        self.info().seed_word
    }

    /// Whether something new is wanted, so that equal prompts for different items want different answers. A question
    /// that reads or judges has one answer, whoever asks, and so has a call of an API.
    pub fn creates(self) -> bool {
        self.info().creates
    }

    /// Whether the answer is what a person says, or decides on it, so that the prompt tells who that person is.
    pub fn is_voiced(self) -> bool {
        self.info().is_voiced
    }

    /// The JSON Schema of the task's reply, where it is the same for every question.
    pub fn reply_schema(self) -> Option<Arc<Json>> {
        SCHEMAS.get(self.info().reply_schema?).cloned()
    }
}

/// What every prompt is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Common {
    /// Locale code.
    pub locale: String,
    /// The locale's language, by its own name.
    pub language: String,
    /// Whether the answer's JSON Schema goes along, so that the prompt need not describe a text format.
    pub structured: bool,
    /// What was wrong with the last answer, in words; empty at the first asking.
    pub fault: String,
    /// The weekday of the time that days are counted from, in the locale's language; empty where a locale has no calendar.
    pub weekday: String,
}

/// The structured answer to a yes-or-no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The answer.
    pub verdict: bool,
}

/// The structured answer wherever a plain text is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainText {
    /// The text.
    pub text: String,
}

impl Variables {
    /// The variables as a prompt sees them: the fields, without the task's name around them.
    pub fn fields(&self) -> Json {
        match serde_json::to_value(self) {
            Ok(Json::Object(tagged)) => tagged.into_iter().next().map_or_else(Default::default, |it| it.1),
            _ => Json::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::is_strict;
    use serde::de::DeserializeOwned;

    #[test]
    fn every_task_has_the_folder_that_its_name_says() {
        for task in Task::WITH_PROMPT.iter().copied().chain([Task::Generate, Task::Embed, Task::Score]) {
            assert_eq!(serde_json::to_value(task).unwrap(), task.folder());
        }
        let shipped = crate::fixtures::assets().list("prompts");
        assert!(Task::WITH_PROMPT.iter().all(|task| shipped.contains(&task.folder().to_owned())), "{shipped:?}");
    }

    #[test]
    fn the_words_in_seeds_are_frozen() {
        let tasks = Task::WITH_PROMPT.iter().copied().chain([Task::Generate, Task::Embed, Task::Score]);
        let words: Vec<&str> = tasks.map(Task::seed_word).collect();
        insta::assert_snapshot!(words.join("\n"));
    }

    #[test]
    fn who_reads_or_judges_creates_nothing() {
        let reading: Vec<&str> =
            Task::WITH_PROMPT.iter().filter(|task| !task.creates()).map(|task| task.folder()).collect();
        insta::assert_snapshot!(reading.join("\n"));
        assert!(!Task::Embed.creates() && !Task::Score.creates() && Task::Generate.creates());
    }

    #[test]
    fn a_prompt_sees_the_fields_without_the_tasks_name() {
        let row: Object = [("city".to_owned(), crate::record::Value::from("서울"))].into_iter().collect();
        assert_eq!(Variables::Generate(row).fields(), serde_json::json!({"city": "서울"}));
        let common = Common { locale: "ko".to_owned(), ..Common::default() };
        let (query, refusal) = ("hm".to_owned(), "no".to_owned());
        let fields = Variables::Call(CallVariables {
            common,
            query,
            tools: Vec::new(),
            example: None,
            refusal,
            reference_time: None,
        })
        .fields();
        assert_eq!(
            (&fields["common"]["locale"], &fields["query"], &fields["tools"]),
            (&"ko".into(), &"hm".into(), &serde_json::json!([]))
        );
        assert_eq!(fields.as_object().unwrap().len(), 6);
    }

    /// The words stand in the reply cache's keys, where the built-in model's replies are recorded.
    #[test]
    fn the_words_of_tasks_are_frozen() {
        let error = serde_json::from_str::<Variables>(r#"{"none": 0}"#).unwrap_err().to_string();
        insta::assert_snapshot!(error.replace(", ", "\n"));
    }

    #[test]
    fn every_schema_is_frozen() {
        let line = |task: Task| {
            let text = task.info().reply_schema?;
            let schema = task.reply_schema().unwrap_or_else(|| panic!("{} is no JSON", task.folder()));
            assert!(jsonschema::validator_for(&schema).is_ok() && text.ends_with("}\n"), "{}", task.folder());
            Some(format!("{} {}", task.folder(), blake3::hash(schema.to_string().as_bytes()).to_hex()))
        };
        let lines: Vec<String> = Task::WITH_PROMPT.iter().copied().filter_map(line).collect();
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(Task::Generate.reply_schema(), None);
    }

    /// Whoever sends another one has every request of the task refused by OpenAI, twice.
    #[test]
    fn a_server_that_holds_to_a_schema_to_the_letter_takes_every_one() {
        let open = Task::WITH_PROMPT.iter().filter(|task| task.reply_schema().is_some_and(|it| !is_strict(&it)));
        assert_eq!(open.map(|task| task.folder()).collect::<Vec<_>>(), Vec::<&str>::new());
        let texts = Task::WITH_PROMPT.iter().filter_map(|task| task.info().reply_schema);
        assert!(texts.into_iter().all(|text| !text.contains("::")), "no names of Rust");
    }

    /// Whether the schema takes a reply, and whether the reader does.
    fn takes<T: DeserializeOwned>(task: Task, reply: &str) -> (bool, bool) {
        let schema = task.reply_schema().unwrap();
        let is_valid = jsonschema::is_valid(&schema, &serde_json::from_str(reply).unwrap());
        (is_valid, serde_json::from_str::<T>(reply).is_ok())
    }

    #[test]
    fn a_schema_takes_what_the_reader_takes() {
        const BOTH: (bool, bool) = (true, true);
        const NONE: (bool, bool) = (false, false);
        let field = |name: &str, kind: &str, more: &str| {
            let absent = r#""enum": null, "format": null, "minimum": null, "maximum": null"#;
            format!(
                r#"{{"name": "{name}", "type": "{kind}", "description": "d", "required": null, "default": null, {more}, {absent}}}"#
            )
        };
        let to = field("to", "string", r#""items": null, "properties": null"#);
        let item = format!(
            r#"{{"type": "object", "enum": null, "items": null, "properties": [{to}], "format": null, "minimum": null, "maximum": null}}"#
        );
        let legs = field("legs", "array", &format!(r#""items": {item}, "properties": null"#));
        let tools = |fields: &str| {
            format!(
                r#"{{"tools": [{{"tool": "Go", "name": "n", "description": "d", "parameters": [{fields}], "returns": []}}]}}"#
            )
        };
        assert_eq!(takes::<DraftTools>(Task::Toolkits, &tools(&format!("{to}, {legs}"))), BOTH);
        assert_eq!(takes::<DraftTools>(Task::Toolkits, &tools(r#"{"name": "to", "type": "string"}"#)), (false, true));
        assert_eq!(takes::<DraftTools>(Task::WriteApis, r#"{"tools": [{"tool": "Go"}]}"#), NONE);
        assert_eq!(takes::<Verdict>(Task::CanServe, r#"{"verdict": true}"#), BOTH);
        assert_eq!(takes::<Verdict>(Task::JudgeCall, r#"{"verdict": "True"}"#), NONE);
        assert_eq!(takes::<FoundEntity>(Task::ExternalEntity, r#"{"parameter": "", "entity": ""}"#), BOTH);
        assert_eq!(takes::<FoundEntity>(Task::ExternalEntity, r#"{"entity": ""}"#), NONE);
        assert_eq!(takes::<PlainText>(Task::Decline, r#"{"text": "hm"}"#), BOTH);
        assert_eq!(takes::<PlainText>(Task::Say, "{}"), NONE);
        assert_eq!(takes::<Exchanged>(Task::Exchange, r#"{"user": "Hi", "assistant": ""}"#), BOTH);
        let queries = r#"{"queries": [{"query": "q", "function_list": ["f"], "thought": "t"}]}"#;
        assert_eq!(takes::<WrittenQueries>(Task::CoarseQueries, queries), BOTH);
        assert_eq!(takes::<WrittenQueries>(Task::CoarseQueries, r#"{"queries": [{"query": "q"}]}"#), NONE);
        let said = r#"{"query": "q", "said": [{"function": "f", "parameter": "p", "words": "w"}]}"#;
        assert_eq!(takes::<RewrittenRequest>(Task::CorrectQuery, said), BOTH);
        assert_eq!(takes::<RewrittenRequest>(Task::GeneralizeQuery, "{}"), NONE);
        let texts = r#"{"texts": [{"id": "message 0", "text": "x"}], "values": []}"#;
        assert_eq!(takes::<LocalizedTexts>(Task::Localize, texts), BOTH);
        assert_eq!(takes::<LocalizedTexts>(Task::Localize, r#"{"texts": []}"#), NONE);
        let tool = r#"{"description": "d", "intents": ["a"], "parameters": [{"name": "n", "description": "d", "label": "l",
            "questions": [], "clauses": [], "negations": [], "wordings": [{"value": "v", "said": ["s"]}], "values": []}]}"#;
        assert_eq!(takes::<EnrichedTool>(Task::Enrich, tool), BOTH);
        assert_eq!(takes::<EnrichedTool>(Task::Enrich, r#"{"description": "d"}"#), NONE);
        let matter = r#"{"threads": [], "fields": [], "cases": [], "matters": [{"name": "m", "calls": ["a", "b"], "given": [], "says": ["s"]}]}"#;
        assert_eq!(takes::<WrittenSituations>(Task::WriteSituations, matter), BOTH);
        assert_eq!(takes::<WrittenSituations>(Task::WriteSituations, r#"{"plots": []}"#), NONE);
    }
}
