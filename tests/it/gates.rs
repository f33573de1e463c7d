//! How many faulty queries the gates catch, and how many sound ones they let pass, on hand-made items and without any
//! knowledge of what is wrong with them.

use crate::gate_fixtures::Case;
use crate::made::made;
use fcgen::llm::{BuiltIn, Chat, Reply, Request};
use fcgen::locale::{Language, Pack};
use fcgen::model::Grammar;
use fcgen::record::{ArgumentNotes, DataType, Expected, FunctionCall, ItemId, Query, Sample, Tool, Value};
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
fn context(locale: &str, mut toolset: Toolset, tools: Vec<Arc<Tool>>) -> Context {
    let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
    toolset.extend(&mut pack).unwrap();
    let pack = Arc::new(pack);
    let language = Arc::new(Language::load(fcgen::assets(), locale).unwrap());
    toolset.tools = tools;
    let chat = Chat::builtin("grammar", Arc::new(Reader(Grammar::new(pack.clone(), 7))));
    let shared = Shared {
        assets: fcgen::assets().clone(),
        labels: Vec::new(),
        seed: 7,
        rouge: language.rouge_l(),
        prompts: Shared::prompts(fcgen::assets(), locale).unwrap(),
        people: fcgen::stage::People::default(),
        speakers: Vec::new(),
        banks: fcgen::stage::Banks::default(),
        reads_with_examples: false,
        writes_variants: false,
        templates: std::sync::OnceLock::new(),
        drafter: std::sync::OnceLock::new(),
        tools_by_word: std::sync::OnceLock::new(),
        reference_time: "2026-03-02T09:30:00Z".to_owned(),
        pack,
        language,
        toolset: Arc::new(toolset),
        chats: ["generator", "checker", "judge"]
            .map(|role| (role.to_owned(), chat.clone()))
            .into_iter()
            .collect::<IndexMap<_, _>>(),
        reruns: BTreeMap::new(),
        domains: fcgen::stage::Domains::default(),
        counts: Counts::default(),
    };
    Context::new("gates", None, Arc::new(shared))
}

/// Every case of a file with the first fault that a gate finds in it.
async fn verdicts(file: &str) -> Vec<(Case, Option<String>)> {
    let text = std::fs::read_to_string(format!("tests/fixtures/gates/{file}.jsonl")).unwrap();
    let mut verdicts = Vec::new();
    for (line, case) in text.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()).enumerate() {
        let others: Vec<Arc<Tool>> = case.others.iter().cloned().map(Arc::new).collect();
        let tool = Arc::new(case.tool.clone());
        let tools = others.iter().chain([&tool]).cloned().collect();
        let context = context("en", Toolset::default(), tools);
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

/// Ways in which a label is wrong: what it says instead, where it can be wrong in that way.
type Plant = fn(&Sample, &Tool, &FunctionCall, &BTreeMap<(String, String), Vec<Value>>) -> Option<FunctionCall>;

const PLANTS: [(&str, Plant); 4] = [
    ("another value", |sample, _, call, seen| {
        let at = sample.id.as_str().len() % call.arguments.len().max(1);
        let (name, value) = call.arguments.get_index(at)?;
        let other = seen.get(&(call.name.clone(), name.clone()))?.iter().find(|other| *other != value)?;
        changed(call, name, other.clone())
    }),
    ("left out", |_, _, call, _| {
        let mut call = call.clone();
        call.arguments.pop().map(|_| call)
    }),
    ("invented", |_, tool, call, seen| {
        let name = tool.parameters.properties.keys().find(|name| !call.arguments.contains_key(*name))?;
        changed(call, name, seen.get(&(call.name.clone(), name.clone()))?.first()?.clone())
    }),
    ("under each other's parameters", |_, _, call, _| {
        let [(one, first), (two, second), ..] = call.arguments.iter().collect::<Vec<_>>()[..] else { return None };
        let is_alike = first.type_name() == second.type_name() && first != second;
        changed(&changed(call, one, second.clone())?, two, first.clone()).filter(|_| is_alike)
    }),
];

#[expect(clippy::unnecessary_wraps, reason = "what plants it may find nothing to change")]
fn changed(call: &FunctionCall, name: &str, value: Value) -> Option<FunctionCall> {
    let mut call = call.clone();
    call.arguments.insert(name.to_owned(), value);
    Some(call)
}

/// Whether the gates let a label pass for what a sample says.
async fn passes(context: &Context, sample: &Sample, tool: &Arc<Tool>, call: FunctionCall) -> bool {
    let query = Query {
        data_type: sample.data_type.clone(),
        tool: tool.clone(),
        text: sample.query(),
        external: None,
        hidden: None,
        preset: call.arguments.keys().cloned().collect(),
        call,
        notes: ArgumentNotes::new(),
        base: None,
    };
    judge_query(context, &sample.id, query, &[]).await.unwrap().is_none()
}

/// Labels of made requests, made wrong in known ways, and how many of each the built-in reader lets pass; the same for the
/// labels as they are. A request may say what a wrong label says by chance, so that not all can be caught.
#[tokio::test]
async fn planted_labels_of_made_requests_are_stopped() {
    for locale in ["en", "ko"] {
        let made = made("hammer", &[&format!("pipeline.locale={locale}"), "pipeline.limit=40"]).await;
        let toolset = Toolset::load(fcgen::assets(), "mobile", locale).unwrap();
        let is_single = |sample: &&Sample| ["ST_Perfect", "ST_Imperfect"].contains(&sample.data_type.0.as_str());
        let samples: Vec<&Sample> = made.samples.iter().filter(is_single).collect();
        let mut seen: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
        for call in samples.iter().filter_map(|sample| gold(sample)) {
            for (name, value) in &call.arguments {
                seen.entry((call.name.clone(), name.clone())).or_default().push(value.clone());
            }
        }
        let context = context(locale, toolset.clone(), toolset.tools.clone());
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for sample in samples {
            let Some((call, tool)) = gold(sample).and_then(|call| Some((call, toolset.tool(&call.name)?))) else {
                continue;
            };
            let plants = PLANTS.iter().filter_map(|(kind, plant)| Some((*kind, plant(sample, tool, call, &seen)?)));
            for (kind, call) in plants.chain([("sound", call.clone())]) {
                let (passed, of) = counts.entry(kind).or_default();
                *of += 1;
                *passed += usize::from(Box::pin(passes(&context, sample, tool, call)).await);
            }
        }
        println!("{locale}: (passed, of) {counts:?}");
        let (kept, sound) = counts.remove("sound").unwrap();
        let (slipped, planted) = counts.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        assert!(planted > 200 && slipped * 10 <= planted, "{locale}: {slipped} of {planted} slipped");
        assert!((sound - kept) * 25 <= sound, "{locale}: {kept} of {sound} kept");
    }
}

fn gold(sample: &Sample) -> Option<&FunctionCall> {
    match &sample.expected {
        Expected::Call(call) => Some(call),
        _ => None,
    }
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
