//! How many faulty queries the gates catch, and how many sound ones they let pass, on hand-made items and without any
//! knowledge of what is wrong with them.

use crate::gate_fixtures::Case;
use fcgen::llm::grammar::Grammar;
use fcgen::llm::{BuiltIn, Chat, Reply, Request};
use fcgen::locale::{Language, Pack};
use fcgen::record::{ArgumentNotes, DataType, ItemId, Query, Tool};
use fcgen::stage::{Context, Counts, Shared, judge_query};
use fcgen::toolset::Toolset;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

struct Reader(Grammar);

impl BuiltIn for Reader {
    fn answer(&self, request: &Request) -> Reply {
        self.0.reply(request)
    }
}

/// What the gates of a run of these tools could reach: the built-in model, in the role of each.
fn context(tools: Vec<Arc<Tool>>) -> Context {
    let pack = Arc::new(Pack::load("en").unwrap());
    let language = Arc::new(Language::load("en").unwrap());
    let chat = Chat::builtin("grammar", Arc::new(Reader(Grammar::new(pack.clone(), 7))));
    let shared = Shared {
        seed: 7,
        rouge: language.rouge_l(),
        prompts: Shared::prompts("en").unwrap(),
        pack,
        language,
        toolset: Arc::new(Toolset { tools, ..Toolset::default() }),
        chats: ["generator", "checker", "judge"]
            .map(|role| (role.to_owned(), chat.clone()))
            .into_iter()
            .collect::<IndexMap<_, _>>(),
        reruns: BTreeMap::new(),
        domains: fcgen::stage::Domains::default(),
        counts: Counts::default(),
    };
    Context {
        stage: Arc::from("gates"),
        role: None,
        table: Arc::from(Vec::new()),
        prompt: None,
        schema: None,
        validator: None,
        shared: Arc::new(shared),
    }
}

/// Every case of a file with the first fault that a gate finds in it.
async fn verdicts(file: &str) -> Vec<(Case, Option<String>)> {
    let text = std::fs::read_to_string(format!("tests/fixtures/gates/{file}.jsonl")).unwrap();
    let mut verdicts = Vec::new();
    for (line, case) in text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()).enumerate() {
        let others: Vec<Arc<Tool>> = case.others.iter().cloned().map(Arc::new).collect();
        let tool = Arc::new(case.tool.clone());
        let context = context(others.iter().chain([&tool]).cloned().collect());
        let query = Query {
            data_type: DataType("ST_Imperfect".to_owned()),
            tool,
            text: case.query.clone(),
            external: None,
            hidden: None,
            call: case.call.clone(),
            preset: case.preset.clone(),
            notes: ArgumentNotes::new(),
            base: None,
        };
        let id = ItemId::root(format!("{file}{line}"));
        let fault = judge_query(&context, &id, query, &others).await.unwrap();
        verdicts.push((case, fault.map(|reject| format!("{}: {} ({})", reject.stage, reject.reason, reject.detail))));
    }
    verdicts
}

#[tokio::test]
async fn what_is_faulty_is_caught() {
    let faulty = Box::pin(verdicts("faulty")).await;
    let slipped: Vec<&Case> = faulty.iter().filter(|(_, fault)| fault.is_none()).map(|(case, _)| case).collect();
    println!("faulty: {} of {} caught", faulty.len() - slipped.len(), faulty.len());
    for case in &slipped {
        println!("  slipped: {}: {} {:?}", case.why, case.query, case.call.arguments);
    }
    assert!(slipped.len() * 20 <= faulty.len(), "{} of {} slipped", slipped.len(), faulty.len());
}

#[tokio::test]
async fn what_is_sound_is_kept_by_the_gates_that_ask_no_model() {
    let (lost, all) = Box::pin(lost(&["parameters", "script"])).await;
    assert!(lost * 20 <= all, "{lost} of {all} lost");
}

#[tokio::test]
async fn most_of_what_is_sound_is_kept_by_all_gates() {
    let (lost, all) = Box::pin(lost(&["parameters", "script", "consistency", "one_right_tool"])).await;
    assert!(lost * 20 <= all, "{lost} of {all} lost");
}

/// How many of the sound cases these gates reject, and how many there are.
#[expect(clippy::print_stdout, reason = "what was lost is what there is to mend")]
async fn lost(gates: &[&str]) -> (usize, usize) {
    let sound = Box::pin(verdicts("sound")).await;
    let by_gates = |fault: &&String| gates.iter().any(|gate| fault.starts_with(&format!("{gate}:")));
    let lost: Vec<(&Case, &String)> =
        sound.iter().filter_map(|(case, fault)| Some((case, fault.as_ref().filter(by_gates)?))).collect();
    println!("sound: {} of {} kept by {}", sound.len() - lost.len(), sound.len(), gates.join(", "));
    for (case, fault) in &lost {
        println!("  lost: {}: {} | {fault}", case.why, case.query);
    }
    (lost.len(), sound.len())
}
