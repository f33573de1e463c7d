//! The prompts that ship: every one compiles, renders in both forms, and wants nothing that its request does not have.

use fcgen::llm::*;
use fcgen::locale::Topic;
use fcgen::record::{
    Complexity, Difficulty, FunctionCall, Object, PLACEHOLDER, Parameter, Parameters, Phrases, Saying, Tool,
    Value as Argument,
};
use std::sync::Arc;

fn tool() -> Arc<Tool> {
    let place = Parameter { kind: Some("string".into()), ..Parameter::default() };
    Arc::new(Tool {
        name: "Demo.Cabs.bookCab".to_owned(),
        description: "Books a cab".to_owned(),
        parameters: Parameters {
            properties: [("place".to_owned(), place)].into_iter().collect(),
            ..Parameters::default()
        },
        kinds: [("place".to_owned(), "secret_kind".to_owned())].into_iter().collect(),
        ..Tool::default()
    })
}

/// Calls of a question, an argument said in each of the ways that there are.
fn asked_calls() -> Vec<AskedCall> {
    let sayings = [
        ("plain", Saying::Plain),
        ("chosen", Saying::Chosen),
        ("bare", Saying::Bare),
        ("corrected", Saying::Corrected { old: "Pier 3".to_owned() }),
        ("transformed", Saying::Transformed),
        ("open", Saying::Open),
        ("unsaid", Saying::Unsaid),
        ("answer", Saying::Answer { call: 0, field: "/place".to_owned() }),
    ];
    let argument = |(name, saying): (&str, Saying)| {
        let (value, words) = (Argument::from("Pier 4"), "Pier 4".to_owned());
        (name.to_owned(), AskedArgument { value, words, saying, refers: None })
    };
    let arguments = sayings.into_iter().map(argument).collect();
    vec![AskedCall { tool: tool(), arguments, phrases: None, makes: false }]
}

/// What a model under test is asked: once, so that there is never a fault to repeat.
const ASKED_ONCE: [&str; 3] = ["predict", "predict_tools", "predict_ask"];

/// The same of FunctionChat-Bench.
const CHATS: [&str; 2] = ["functionchat_system", "predict_functionchat"];

/// The same of BFCL's questions and CONFETTI's conversations.
const DIRECT: [&str; 3] = ["predict_bfcl", "predict_confetti_call", "predict_confetti_response"];

/// The same of CallNavi's questions.
const ROUTING: [&str; 4] = ["route", "route_calls", "route_backward", "route_tools"];

/// What a model under test is told where it may ask for what is missing.
fn ask_variables(under_test: &Variables, native: bool) -> Object {
    let mut fields = under_test.fields();
    fields["native"] = native.into();
    serde_json::from_value(fields).unwrap()
}

/// One request of every task that has shipped prompts.
fn requests(common: &Common) -> Vec<(&'static str, Variables)> {
    let mut requests = examples(common);
    // A task without an example is looked at with nothing in its variables.
    let bare = Task::WITH_PROMPT.iter().filter(|task| requests.iter().all(|(name, _)| *name != task.folder()));
    let bare: Vec<_> = bare.map(|task| (task.folder(), empty(*task, common))).collect();
    requests.extend(bare);
    requests
}

fn empty(task: Task, common: &Common) -> Variables {
    let mut variables = serde_json::to_value(Variables::empty(task)).unwrap();
    variables[task.folder()]["common"] = serde_json::to_value(common).unwrap();
    serde_json::from_value(variables).unwrap()
}

/// What each prompt is given, by its folder.
fn examples(common: &Common) -> Vec<(&'static str, Variables)> {
    let common = || common.clone();
    let text = |word: &str| word.to_owned();
    let label: Object = [("place".to_owned(), Argument::from("Pier 4"))].into_iter().collect();
    let call = FunctionCall { name: text("Demo.Cabs.bookCab"), arguments: label.clone() };
    let judged = call.clone();
    let under_test = || {
        Variables::Call(CallVariables {
            common: common(),
            query: text("user:a cab\nassistant:Where to?\nuser:Pier 4"),
            tools: vec![tool()],
            example: None,
            refusal: text("None \"fits\""),
            reference_time: None,
        })
    };
    let route_calls = |round: Option<u32>| {
        Variables::RouteCalls(RouteCallsVariables {
            common: common(),
            query: text("a cab to Pier 4"),
            tools: vec![tool()],
            candidates: text("bookCab(place: string)"),
            answer: if round.is_some() { CallsFormat::Yaml } else { CallsFormat::Json },
            placeholder: PLACEHOLDER.to_owned(),
            round,
            stop: text("<!stop>"),
        })
    };
    let route = RouteVariables {
        common: common(),
        query: text("a cab to Pier 4"),
        tools: vec![tool()],
        candidates: text("bookCab(place: string)"),
    };
    let phrases = Phrases { intents: vec![text("book a cab"), text("get a cab[ to {place}]")], ..Phrases::default() };
    vec![
        (
            "toolkits",
            Variables::Toolkits(ToolkitVariables {
                common: common(),
                category: text("Cabs"),
                wanted: text("book"),
                count: 3,
            }),
        ),
        (
            "read_dialogues",
            Variables::ReadDialogues(DialoguesVariables {
                common: common(),
                example: Some(CallExample { query: text("cab, please"), call: call.clone() }),
                ..DialoguesVariables::default()
            }),
        ),
        (
            "write_query",
            Variables::WriteQuery(WriteVariables {
                given: None,
                written: vec![text("a cab from the old ferry, quick")],
                common: common(),
                tool: tool(),
                must_include: vec![text("place")],
                style: text("plain"),
                manner: text("a short command"),
                phrases: Some(Arc::new(phrases)),
                seed: Some(label.clone()),
                implied: true,
                reference_time: text("2026-03-02T09:30:00Z"),
                requests: vec![
                    RequestPlan {
                        says: vec![
                            PlannedValue {
                                name: text("place"),
                                value: Some("Pier 4".into()),
                                said: vec![text("the pier")],
                            },
                            PlannedValue { name: text("when"), ..PlannedValue::default() },
                        ],
                        person: Some(label.clone()),
                        manner: text("a short command"),
                        situation: Some(text("late for the ferry")),
                        seed: Some(label.clone()),
                        app: Some(text("Wharf")),
                        implied: true,
                    },
                    RequestPlan { manner: text("politely"), ..RequestPlan::default() },
                ],
            }),
        ),
        (
            "select_parameters",
            Variables::SelectParameters(SelectVariables { common: common(), tool: tool(), count: 1 }),
        ),
        (
            "call",
            Variables::Call(CallVariables {
                common: common(),
                query: text("a cab to Pier 4"),
                tools: vec![tool()],
                example: Some(CallExample { query: text("cab, please"), call }),
                refusal: text("None \"fits\""),
                reference_time: None,
            }),
        ),
        (
            "judge_call",
            Variables::JudgeCall(JudgeVariables {
                common: common(),
                query: text("a cab to Pier 4"),
                label: label.clone(),
                output: label.clone(),
            }),
        ),
        (
            "coarse_queries",
            Variables::CoarseQueries(CoarseVariables {
                common: common(),
                title: text("Cabs"),
                functions: vec![tool()],
                existing: existing(),
                count: 10,
                least_steps: 2,
                today: text("2024-10-13"),
                seed: Some(label.clone()),
            }),
        ),
        (
            "annotate",
            Variables::Annotate(AnnotateVariables {
                common: common(),
                query: text("a cab to Pier 4"),
                tools: vec![tool()],
                native: false,
                today: String::new(),
            }),
        ),
        (
            "judge_served",
            Variables::JudgeServed(ServedVariables {
                common: common(),
                query: text("a cab to Pier 4"),
                calls: vec![judged.clone()],
                answers: vec![Argument::from("booked")],
                said: text("It is booked."),
            }),
        ),
        ("write_conversation", Variables::WriteConversation(whole(common()))),
        (
            "correct_query",
            Variables::CorrectQuery(CorrectVariables {
                common: common(),
                query: text("a cab"),
                missing: vec![MissingArgument {
                    function: text("Demo.Cabs.bookCab"),
                    purpose: text("Books a cab"),
                    parameter: text("place"),
                    about: text("Where to"),
                    value: Argument::from("Pier 4"),
                }],
                today: text("2024-10-13"),
            }),
        ),
        (
            "generalize_query",
            Variables::GeneralizeQuery(GeneralizeVariables {
                common: common(),
                query: text("a cab to Pier 4"),
                replaceable: vec![text("Pier 4")],
                kept: vec![text("quiet")],
                pieces: 6,
                existing: existing(),
                known: vec![text("a cab to Pier 5")],
                today: String::new(),
            }),
        ),
        (
            "localize",
            Variables::Localize(LocalizeVariables {
                common: common(),
                from: text("English"),
                texts: [(text("message 0"), text("a cab to Pier 4"))].into(),
                values: [(text("value 0"), text("Pier 4"))].into(),
                fixed: vec![text("A12")],
            }),
        ),
        (
            "enrich",
            Variables::Enrich(EnrichVariables {
                common: common(),
                from: text("English"),
                tool: tool(),
                values: vec![text("to")],
            }),
        ),
        ("write_situations", Variables::WriteSituations(situations(common(), SituationForm::Threads))),
        ("write_situations", Variables::WriteSituations(situations(common(), SituationForm::Cases))),
        ("write_situations", Variables::WriteSituations(situations(common(), SituationForm::Matters))),
        (
            "write_apis",
            Variables::WriteApis(ApisVariables {
                common: common(),
                title: text("Cabs"),
                scenario: text("A cab office."),
                things: text("cab, ride"),
                count: 3,
                known: vec![text("getCab")],
            }),
        ),
        (
            "write_question",
            Variables::WriteQuestion(AskVariables {
                common: common(),
                title: text("Cabs"),
                difficulty: Difficulty::Hard,
                calls: asked_calls(),
                style: text("plain"),
                manner: text("a short command"),
                seed: None,
                situation: None,
                requests: vec![AskPlan {
                    calls: asked_calls(),
                    manner: text("a short command"),
                    situation: Some(text("A guest has to get to the harbor.")),
                    ..AskPlan::default()
                }],
            }),
        ),
        ("write_complex_query", Variables::WriteComplexQuery(brief(common()))),
        (
            "judge_question",
            Variables::JudgeQuestion(JudgeQuestionVariables {
                common: common(),
                question: text("a cab to Pier 4"),
                calls: vec![JudgedCall { tool: tool(), call: judged }],
            }),
        ),
        ("route", Variables::Route(route)),
        ("route_calls", route_calls(None)),
        ("route_backward", route_calls(Some(0))),
        ("route_backward", route_calls(Some(1))),
        ("route_tools", route_calls(None)),
        (
            "judge_callnavi",
            Variables::Generate(plan_variables(&common(), &[("query", "a cab"), ("label", "{}"), ("output", "{}")])),
        ),
        (
            "repair_callnavi",
            Variables::Generate(plan_variables(&common(), &[("text", "bookCab("), ("apis", "bookCab(place)")])),
        ),
        (
            "judge_same_call",
            Variables::Generate(plan_variables(
                &common(),
                &[("query", "a cab"), ("dialogue", "[]"), ("function", "{}"), ("label", "{}"), ("output", "{}")],
            )),
        ),
        (
            "judge_complete",
            Variables::Generate(plan_variables(&common(), &[("query", "a cab"), ("answer", "It comes at noon.")])),
        ),
        (
            "judge_correct",
            Variables::Generate(plan_variables(
                &common(),
                &[("query", "a cab"), ("dialogue", "[]"), ("answer", "It comes at noon.")],
            )),
        ),
        ("predict", under_test()),
        ("predict_tools", under_test()),
        ("predict_ask", Variables::Generate(ask_variables(&under_test(), false))),
        ("predict_ask", Variables::Generate(ask_variables(&under_test(), true))),
        ("predict_steps", under_test()),
        ("can_serve", Variables::CanServe(ServeVariables { common: common(), query: text("a cab"), tool: tool() })),
        (
            "external_entity",
            Variables::ExternalEntity(EntityVariables {
                common: common(),
                tool: tool(),
                label: label.clone(),
                entities: vec![text("place"), text("time")],
            }),
        ),
        (
            "external_pointer",
            Variables::ExternalPointer(PointerVariables {
                common: common(),
                entity: text("place"),
                about: text("Where to"),
                source: text("e-mail"),
                value: text("Pier 4"),
                kind: text("place"),
                ..PointerVariables::default()
            }),
        ),
        (
            "external_message",
            Variables::ExternalMessage(MessageVariables {
                common: common(),
                entity: text("place"),
                about: text("Where to"),
                source: text("e-mail"),
                pointer: text("the place in the mail"),
                value: text("Pier 4"),
                forbidden: vec![text("two")],
                kind: text("place"),
            }),
        ),
        (
            "external_query",
            Variables::ExternalQuery(RewriteVariables {
                common: common(),
                tool: tool(),
                query: text("a cab to Pier 4"),
                label: label.clone(),
                parameter: text("place"),
                surface: text("Pier 4"),
                pointer: text("the place in the mail"),
            }),
        ),
        (
            "slot_question",
            Variables::SlotQuestion(QuestionVariables {
                common: common(),
                tool: tool(),
                history: text("user:a cab"),
                known: Object::new(),
                parameter: text("place"),
                about: text("Where to"),
                phrases: None,
            }),
        ),
        (
            "ask_missing",
            Variables::AskMissing(MissingVariables {
                common: common(),
                tool: tool(),
                history: text("user:a cab"),
                missing: vec![Missing { parameter: text("place"), about: text("Where to"), phrases: None }],
            }),
        ),
        (
            "tell_answer",
            Variables::TellAnswer(TellVariables {
                common: common(),
                tool: tool(),
                history: text("user:a cab to Pier 4"),
                call: FunctionCall { name: text("bookCab"), arguments: label.clone() },
                answer: "CAB-1".into(),
                must_tell: vec![text("id")],
                phrases: None,
            }),
        ),
        (
            "decline",
            Variables::Decline(DeclineVariables {
                common: common(),
                history: text("user:sing"),
                query: text("sing"),
                ..DeclineVariables::default()
            }),
        ),
        (
            "exchange",
            Variables::Exchange(ExchangeVariables {
                common: common(),
                history: text("user:a cab to Pier 4"),
                topic: Topic::Thanks,
                style: text("plain"),
                manner: text("a short command"),
            }),
        ),
        ("say", Variables::Say(Box::new(line(common(), Line::Aside)))),
        ("say", Variables::Say(Box::new(line(common(), Line::Report { error: "no".into() })))),
        ("say", Variables::Say(Box::new(line(common(), Line::Switch { query: text("a cab") })))),
        ("say", Variables::Say(Box::new(line(common(), Line::Stack { first: text("a cab"), second: text("a tent") })))),
        (
            "say",
            Variables::Say(Box::new(line(common(), Line::Vague { between: vec![text("a"), text("b")], says: vec![] }))),
        ),
        (
            "say",
            Variables::Say(Box::new(line(
                common(),
                Line::Confirm {
                    tool: tool(),
                    said: label.clone(),
                    answers: "CAB-1".into(),
                    next: FunctionCall { name: text("bookCab"), arguments: label.clone() },
                    phrases: None,
                },
            ))),
        ),
        (
            "say",
            Variables::Say(Box::new(line(
                common(),
                Line::Correct {
                    tool: tool(),
                    parameter: text("place"),
                    value: "Pier 4".into(),
                    surface: text("Pier 4"),
                    old: "Porto".to_owned(),
                    phrases: None,
                },
            ))),
        ),
        ("write_scenario", Variables::WriteScenario(scenario(common()))),
        ("plan_conversation", Variables::PlanConversation(plan(common(), "CONFIRMATION"))),
        (
            "review_scenario",
            Variables::ReviewScenario(ReviewVariables { asked: scenario(common()), goals: text("A cab to Pier 4.") }),
        ),
        (
            "judge_complexity",
            Variables::JudgeComplexity(ComplexityVariables {
                common: common(),
                complexity: Complexity::Overfill,
                history: text("user:a cab"),
                said: text("to Pier 4, my aunt waits"),
                reply: text("It comes."),
                called: vec![tool()],
                arguments: vec![label.clone()],
                tools: vec![tool()],
            }),
        ),
        (
            "simulate",
            Variables::Simulate(SimulateVariables {
                common: common(),
                tool: tool(),
                returns: Some("any".into()),
                earlier: vec![AnsweredCall {
                    call: FunctionCall { name: text("findCab"), arguments: label.clone() },
                    answer: "CAB-1".into(),
                }],
                call: FunctionCall { name: text("Demo.Cabs.bookCab"), arguments: label.clone() },
            }),
        ),
        ("functionchat_system", Variables::Generate(plan_variables(&common(), &[("query", "a cab to Pier 4")]))),
        ("predict_functionchat", Variables::Generate(chat_variables(&common()))),
        ("predict_bfcl", Variables::Generate(direct_variables(&common(), false))),
        ("predict_confetti_call", Variables::Generate(direct_variables(&common(), false))),
        ("predict_confetti_call", Variables::Generate(direct_variables(&common(), true))),
        ("predict_confetti_response", Variables::Generate(direct_variables(&common(), false))),
        ("predict_confetti_response", Variables::Generate(direct_variables(&common(), true))),
        ("judge_functionchat_call", Variables::Generate(chat_variables(&common()))),
        ("judge_functionchat_completion", Variables::Generate(chat_variables(&common()))),
        ("judge_functionchat_slot", Variables::Generate(chat_variables(&common()))),
        ("judge_functionchat_relevance", Variables::Generate(chat_variables(&common()))),
        (
            "judge_confetti_string",
            Variables::Generate(plan_variables(&common(), &[("context", "Pier 4"), ("claim", "the fourth pier")])),
        ),
        ("judge_confetti_validity", Variables::Generate(confetti_variables(&common()))),
        ("classify_dialog_acts", Variables::Generate(confetti_variables(&common()))),
        (
            "slot_answer",
            Variables::SlotAnswer(AnswerVariables {
                given: None,
                common: common(),
                tool: tool(),
                history: text("user:a cab"),
                question: text("Where to?"),
                known: label,
                parameter: text("place"),
                among: vec![text("guests")],
                so_far: text("Two of us"),
                style: text("plain"),
                manner: text("a short command"),
                phrases: None,
            }),
        ),
    ]
}

/// What judges are told of calls and words in a conversation.
fn confetti_variables(common: &Common) -> Object {
    let lists = [
        ("functions", serde_json::json!([{"name": "bookCab", "parameters": {"type": "object", "properties": {}}}])),
        ("dialog", serde_json::json!([{"role": "user", "content": "a cab"}])),
        ("calls", serde_json::json!([{"name": "bookCab", "arguments": {"place": "Pier 4"}}])),
    ];
    let lists = lists.into_iter().map(|(name, value)| (name.to_owned(), Argument::from(value)));
    plan_variables(common, &[("text", "Where to?")]).into_iter().chain(lists).collect()
}

/// What a model and its judge are told of a turn of a dialog.
fn line(common: Common, line: Line) -> SayVariables {
    let (history, style, manner) = ("user:a cab".to_owned(), "plain".to_owned(), "a short command".to_owned());
    SayVariables { common, history, style, manner, line }
}

/// What exists in a place.
fn existing() -> Vec<Existing> {
    let kinds = [("piers".to_owned(), vec!["Pier 4".to_owned()])].into_iter().collect();
    vec![Existing { place: "Porto".to_owned(), kinds }]
}

/// A conversation of every act, one of whose lines is written once more.
fn whole(common: Common) -> ConversationVariables {
    use SpeechAct as Act;
    let acts = [
        Act::Request,
        Act::Describe,
        Act::Ask,
        Act::Answer,
        Act::Tell,
        Act::Decline,
        Act::Thank,
        Act::Caution,
        Act::Confirm,
        Act::Agree,
        Act::Vague,
        Act::Which,
        Act::Report,
        Act::Retry,
        Act::GiveUp,
        Act::AskOn,
        Act::Aside,
        Act::Switch,
        Act::Stack,
        Act::Correct,
    ];
    let says = PlannedWords {
        key: "place".to_owned(),
        about: "Where to".to_owned(),
        value: "Pier 4".into(),
        words: "Pier 4".to_owned(),
        exact: true,
    };
    let step = |(at, act): (usize, &Act)| ConversationStep {
        n: at + 1,
        is_person: at % 2 == 0,
        acts: vec![PlannedAct {
            act: *act,
            wish: "a cab".to_owned(),
            says: vec![says.clone()],
            about: vec!["a bus".to_owned()],
            ..PlannedAct::default()
        }],
        ..ConversationStep::default()
    };
    let call = FunctionCall { name: "Demo.Cabs.bookCab".to_owned(), arguments: Object::new() };
    let called = ConversationStep { call: Some(call), answer: Some("booked".into()), ..ConversationStep::default() };
    ConversationVariables {
        common,
        scenario: "Somebody is late.".to_owned(),
        reference_time: "2026-01-02T09:00:00".to_owned(),
        manner: "a short command".to_owned(),
        things: vec![KnownThings {
            about: "Name of the pier".to_owned(),
            planned: vec!["Pier 4".to_owned()],
            others: vec!["Pier 5".to_owned()],
        }],
        steps: acts.iter().enumerate().map(step).chain([called]).collect(),
        written: vec![FinishedLine { n: 1, text: "A cab, please.".to_owned() }],
        repair: vec![FaultyLine { n: 2, text: "Booked.".to_owned(), fault: "nothing was asked".to_owned() }],
    }
}

fn scenario(common: Common) -> ScenarioVariables {
    ScenarioVariables {
        situation: "a burst pipe".to_owned(),
        common,
        complexity: "OVERFILL".to_owned(),
        required: vec![tool()],
        optional: vec![tool()],
        wants: vec!["a cab".to_owned()],
        rivals: vec!["a bus".to_owned()],
        reference_time: "2026-01-02T09:00:00".to_owned(),
        minimum_turns: 3,
    }
}

fn situations(common: Common, form: SituationForm) -> SituationsVariables {
    let list = |name: &str| vec![NamedList { name: name.to_owned(), items: vec!["Pier 4".to_owned()] }];
    let place = WantedParameter {
        name: "place".to_owned(),
        kind: "pier".to_owned(),
        required: true,
        ..WantedParameter::default()
    };
    let cab = WantedFunction { name: "bookCab".to_owned(), parameters: vec![place], ..WantedFunction::default() };
    SituationsVariables {
        common,
        form,
        count: 2,
        about: "Cabs".to_owned(),
        functions: vec![cab],
        kinds: list("pier"),
        tables: list("piers"),
        fields: Vec::new(),
        known: vec!["a late train".to_owned()],
    }
}

fn plan(common: Common, complexity: &str) -> PlanVariables {
    PlanVariables {
        common,
        scenario: "A cab to Pier 4.".to_owned(),
        complexity: complexity.to_owned(),
        reference_time: "2026-01-02T09:00:00".to_owned(),
        tools: vec![tool()],
        required: vec!["Demo.Cabs.bookCab".to_owned()],
        minimum_turns: 2,
    }
}

fn chat_variables(common: &Common) -> Object {
    let texts =
        [("query", "a cab to Pier 4"), ("system", "Be kind."), ("mode", "only_ground_truth"), ("note", "careful")];
    let tool = serde_json::json!({"name": "bookCab", "description": "Books a cab", "parameters": {"type": "object", "properties": {}}});
    let lists = [
        ("tools", serde_json::json!([tool])),
        ("dialog", serde_json::json!([{"role": "user", "content": "a cab"}])),
        ("gold", serde_json::json!({"role": "assistant", "content": "Where to?"})),
        ("response", serde_json::json!({"role": "assistant", "content": "Fine."})),
        ("acceptable", serde_json::json!({"place": ["Pier Four"]})),
        ("lines", serde_json::json!(false)),
    ];
    let lists = lists.into_iter().map(|(name, value)| (name.to_owned(), Argument::from(value)));
    plan_variables(common, &texts).into_iter().chain(lists).collect()
}

/// What a model is told that writes its calls as Python does, or has tools of its own.
fn direct_variables(common: &Common, native: bool) -> Object {
    let native = ("native".to_owned(), serde_json::json!(native).into());
    chat_variables(common).into_iter().chain([native]).collect()
}

/// Variables of prompts that no task of the pipeline has.
fn plan_variables(common: &Common, texts: &[(&str, &str)]) -> Object {
    let common = serde_json::to_value(common).map_or(Argument::Null, Argument::from);
    let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), Argument::from(*text)));
    texts.chain([("common".to_owned(), common)]).collect()
}

fn common(structured: bool, fault: &str) -> Common {
    Common {
        locale: "xx".to_owned(),
        language: "Klingon".to_owned(),
        structured,
        fault: fault.to_owned(),
        ..Common::default()
    }
}

fn shipped(task: &str) -> Result<Vec<Prompt>, PromptError> {
    let files = fcgen::assets().list(&format!("prompts/{task}"));
    files.iter().map(|file| Prompt::load(fcgen::assets(), task, file.trim_end_matches(".md"))).collect()
}

/// A search in two towns, and what is wanted of the cheapest hotel in each.
fn brief(common: Common) -> BriefVariables {
    let said = |text: &str| BriefWords::Said(text.to_owned());
    let slots = |name: &str, words: Vec<BriefWords>| indexmap::IndexMap::from([(name.to_owned(), words)]);
    let cheapest =
        BriefWords::Item { part: 0, pick: "cheapest".to_owned(), phrases: vec!["the cheapest".to_owned()], name: None };
    let part = |function: &str, description: &str| BriefPart {
        function: function.to_owned(),
        description: description.to_owned(),
        ..BriefPart::default()
    };
    let search = BriefPart {
        slots: slots("town", vec![said("Porto"), said("Lyon")]),
        ..part("Search_Hotels", "Searches the hotels of a town.")
    };
    let rules = BriefPart {
        slots: slots("hotel", vec![cheapest]),
        each: true,
        wanted: true,
        ..part("Get_Rules", "Gives the rules of a hotel.")
    };
    BriefVariables {
        why: "for a wedding".to_owned(),
        common,
        title: "Hotels".to_owned(),
        today: "October 13, 2024".to_owned(),
        parts: vec![search, rules],
        style: "plain".to_owned(),
        manner: "a short plain instruction".to_owned(),
        seed: None,
    }
}

#[test]
fn every_shipped_prompt_uses_only_what_its_request_has() {
    let requests = requests(&common(false, ""));
    for (task, _) in &requests {
        // A task whose requests are of several forms has an example of each.
        let forms: Vec<_> = requests.iter().filter(|(other, _)| other == task).map(|(_, it)| it.fields()).collect();
        for prompt in shipped(task).unwrap() {
            for want in prompt.undeclared() {
                let pointer = format!("/{}", want.replace('.', "/"));
                let known = forms.iter().any(|fields| fields.pointer(&pointer).is_some());
                assert!(known, "{} wants `{want}`", prompt.name());
            }
        }
    }
}

#[test]
fn every_folder_is_a_task_and_every_task_has_a_prompt() {
    let mut tasks: Vec<&str> = requests(&common(false, "")).into_iter().map(|(task, _)| task).collect();
    // It stands before the prompts of all tasks in which a person speaks.
    tasks.push("person");
    tasks.sort_unstable();
    tasks.dedup();
    let folders: Vec<String> = fcgen::assets().list("prompts").into_iter().filter(|name| !name.contains('.')).collect();
    assert_eq!(folders, tasks);
}

/// So a new task needs no example: what its prompt may name is known all the same.
#[test]
fn every_task_can_be_looked_at_without_an_example() {
    for task in Task::WITH_PROMPT {
        let common = common(false, "it was empty");
        let fields = empty(*task, &common).fields();
        assert_eq!(fields["common"]["fault"], "it was empty", "{}", task.folder());
        // Some tasks are judges' too, who are given what they like.
        let is_own = |it: &Variables| !matches!(it, Variables::Generate(_));
        let names = |fields: &serde_json::Value| fields.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        for (name, example) in examples(&common).iter().filter(|(name, it)| *name == task.folder() && is_own(it)) {
            assert_eq!(names(&fields), names(&example.fields()), "{name}");
        }
    }
}

#[test]
fn every_shipped_prompt_renders_in_both_forms_and_repeats_the_fault() {
    for (structured, fault) in [(true, ""), (false, "it was &quot;empty&quot;"), (true, "it was empty")] {
        for (task, variables) in requests(&common(structured, fault)) {
            for prompt in shipped(task).unwrap() {
                let Rendered { system, user } = prompt.render(&variables.fields()).unwrap();
                let text = format!("{}\n{user}", system.unwrap());
                let once = ASKED_ONCE.contains(&task)
                    || ROUTING.contains(&task)
                    || CHATS.contains(&task)
                    || DIRECT.contains(&task)
                    || task == "predict_steps";
                assert!(text.contains(fault) || once, "{}", prompt.name());
                assert!(!text.contains("secret_kind") && !text.contains("get a cab["), "{}", prompt.name());
                assert!(!text.contains("\n\n\n\n"), "{}: {text}", prompt.name());
            }
        }
    }
}

#[test]
fn a_model_without_tools_is_told_how_calls_are_written() {
    for (task, variables) in requests(&common(false, "")).into_iter().filter(|(task, _)| DIRECT.contains(task)) {
        let native = variables.fields()["native"] == true;
        for prompt in shipped(task).unwrap() {
            let system = prompt.render(&variables.fields()).unwrap().system.unwrap();
            assert!(system.starts_with("Be kind.\n\n"), "{system}");
            assert_eq!(
                (system.contains("(parameter=\"value\""), system.contains("bookCab")),
                (!native, !native),
                "{task}"
            );
        }
    }
}

#[test]
fn a_model_under_test_is_told_the_dialogue_the_refusal_and_the_form() {
    for (task, variables) in requests(&common(false, "")) {
        for prompt in shipped(task).unwrap().iter().filter(|_| ASKED_ONCE.contains(&task)) {
            let Rendered { system, user } = prompt.render(&variables.fields()).unwrap();
            let system = system.unwrap();
            assert_eq!(user, "user:a cab\nassistant:Where to?\nuser:Pier 4");
            assert!(system.contains("None \"fits\""), "{}", prompt.name());
            let (form, tool) = ("```json\n{\"name\": ", "{\"name\":\"Demo.Cabs.bookCab\"");
            let with_text = task == "predict" || variables.fields()["native"] == false;
            assert_eq!((system.contains(form), system.contains(tool)), (with_text, with_text), "{}", prompt.name());
        }
    }
}

#[test]
fn a_router_is_told_the_question_the_candidates_and_the_form() {
    for (task, variables) in requests(&common(false, "")).into_iter().filter(|(task, _)| ROUTING.contains(task)) {
        let (round, yaml) = match &variables {
            Variables::RouteCalls(it) => (it.round, it.answer == CallsFormat::Yaml),
            _ => (None, false),
        };
        for prompt in shipped(task).unwrap() {
            let Rendered { system, user } = prompt.render(&variables.fields()).unwrap();
            let (system, name) = (system.unwrap(), prompt.name());
            assert_eq!(user.starts_with("a cab to Pier 4"), round != Some(1), "{name}: {user}");
            assert_eq!(user.contains("<!stop>"), round == Some(1), "{name}: {user}");
            assert_eq!(system.contains("bookCab(place: string)"), task != "route_tools", "{name}");
            assert_eq!(system.contains(PLACEHOLDER), task != "route", "{name}");
            assert_eq!(system.contains("{\"API\": "), task == "route_calls", "{name}");
            assert_eq!(system.contains("```yaml\nAPI:\n"), yaml, "{name}");
        }
    }
}

#[test]
fn an_english_prompt_that_asks_for_text_names_the_language() {
    let silent = ["call", "external_entity", "predict", "predict_tools"];
    let silent: Vec<&str> = silent.into_iter().chain(ROUTING).collect();
    for (task, variables) in requests(&common(true, "")) {
        let Rendered { system, .. } =
            Prompt::load(fcgen::assets(), task, "en").unwrap().render(&variables.fields()).unwrap();
        assert_eq!(system.unwrap().contains("Klingon"), !silent.contains(&task), "{task}");
    }
}

#[test]
fn who_plans_a_conversation_is_told_how_its_complexity_shows() {
    let render = |complexity: &str| {
        let variables = Variables::PlanConversation(plan(common(false, ""), complexity));
        Prompt::load(fcgen::assets(), "plan_conversation", "en")
            .unwrap()
            .render(&variables.fields())
            .unwrap()
            .system
            .unwrap()
    };
    let plain = render("NO_TARGET_COMPLEXITY");
    for complexity in fcgen::record::Complexity::ALL.map(fcgen::record::Complexity::as_str) {
        let told = render(complexity).lines().count() - plain.lines().count();
        assert_eq!(told, usize::from(complexity != "NO_TARGET_COMPLEXITY"), "{complexity}");
    }
}
