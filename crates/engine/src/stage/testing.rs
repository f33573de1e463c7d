//! A context with a scripted model, for the tests of this module.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::banks::Banks;
use super::context::{Context, Counts, Shared};
use super::domains::Domains;
use super::work::Stage;
use crate::llm::{BuiltIn, Chat, Reply, Request, Task};
use crate::record::{
    Argument, ArgumentNotes, DataType, Dialogue, FunctionCall, Item, ItemId, Object, Origin, Provenance, Query, Record,
    Sample, Tool, Turn, Value,
};
use crate::stage::writing::people::People;
use crate::toolset::Toolset;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// What a model was asked, in order.
#[derive(Clone, Default)]
pub struct Asked(Arc<Mutex<Vec<Request>>>);

struct Scripted<F>(F, Asked);

impl<F: Fn(&Request) -> Reply + Send + Sync> BuiltIn for Scripted<F> {
    fn answer(&self, request: &Request) -> Reply {
        self.1.0.lock().unwrap().push(request.clone());
        (self.0)(request)
    }
}

impl Asked {
    pub fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    pub fn tasks(&self) -> Vec<Task> {
        self.0.lock().unwrap().iter().map(|request| request.task).collect()
    }

    pub fn draws(&self) -> Vec<u32> {
        self.0.lock().unwrap().iter().map(|request| request.draw).collect()
    }

    pub fn items(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|request| request.item.to_string()).collect()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.0.lock().unwrap().clone()
    }

    /// The faults that were told, one for each asking.
    pub fn faults(&self) -> Vec<String> {
        let fault = |request: &Request| match request.variables.fields().pointer("/common/fault") {
            Some(fault) => fault.as_str().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        self.0.lock().unwrap().iter().map(fault).collect()
    }
}

/// A context of a dozen tools, whose only model is `model`, which stands for the built-in one; and what it was asked.
pub fn context(model: impl Fn(&Request) -> String + Send + Sync + 'static) -> (Context, Asked) {
    speaking(move |request| Reply { text: model(request), ..Reply::default() })
}

/// The same with a model that composes nothing from templates.
pub fn modelled(model: impl Fn(&Request) -> String + Send + Sync + 'static) -> (Context, Asked) {
    named("model", move |request| Reply { text: model(request), ..Reply::default() })
}

/// The same as [`context`] with a model that may call tools.
pub fn speaking(model: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (Context, Asked) {
    named("grammar", model)
}

fn named(name: &str, model: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (Context, Asked) {
    let asked = Asked::default();
    let chat = Chat::builtin(name, Arc::new(Scripted(model, asked.clone())));
    let language = crate::fixtures::language("en");
    let shared = Shared {
        assets: crate::fixtures::assets().clone(),
        labels: vec!["output".to_owned()],
        seed: 7,
        rouge: language.rouge_l(),
        pack: crate::fixtures::pack("en"),
        language,
        toolset: Arc::new(Toolset {
            name: "test".to_owned(),
            licence: "CC0".to_owned(),
            tools: tools(),
            ..Toolset::default()
        }),
        prompts: Shared::prompts(crate::fixtures::assets(), "en").unwrap(),
        people: People::default(),
        speakers: Vec::new(),
        banks: Banks::default(),
        reads_with_examples: false,
        writes_variants: false,
        templates: OnceLock::new(),
        drafter: OnceLock::new(),
        tools_by_word: OnceLock::new(),
        reference_time: "2026-03-02T09:30:00Z".to_owned(),
        chats: [("generator".to_owned(), chat)].into_iter().collect(),
        reruns: BTreeMap::new(),
        domains: Domains::default(),
        counts: Counts::default(),
    };
    let context = Context::new("stage", None, Arc::new(shared));
    (context, asked)
}

/// A context in which nobody may be asked.
pub fn silent() -> Context {
    context(|request| panic!("{:?} of `{}` was asked", request.task, request.item)).0
}

/// The same context with other shared things.
pub fn with_shared(context: Context, change: impl FnOnce(&mut Shared)) -> Context {
    context.sharing(change)
}

/// Four categories of two domains and a third one, three tools in each; all but the first have no parameters.
fn tools() -> Vec<Arc<Tool>> {
    let categories = ["Travel.Trains", "Travel.Hotels", "Home.Lamps", "Work.Notes"];
    let functions = ["book", "cancel", "view"];
    let names = categories.iter().flat_map(|category| functions.map(|function| format!("{category}.{function}")));
    names.map(|name| Arc::new(if name == TRAIN { train() } else { Tool { name, ..Tool::default() } })).collect()
}

/// The tool that queries are about.
pub const TRAIN: &str = "Travel.Trains.book";

/// A tool of four parameters, three of them required.
pub fn train() -> Tool {
    serde_json::from_str(
        r#"{"name": "Travel.Trains.book", "description": "Book a train", "kinds": {"to": "place", "at": "time"},
            "parameters": {"type": "object", "required": ["to", "at", "seats"], "properties": {
                "to": {"type": "string", "description": "Destination"}, "at": {"type": "string", "description": "Time"},
                "seats": {"type": "integer", "description": "Seats"}, "quiet": {"type": "boolean", "description": "Quiet car"}}}}"#,
    )
    .unwrap()
}

pub fn tool_item(tool: Tool) -> Item {
    let id = ItemId::root(&tool.name);
    Item { root: id.clone(), id, record: Record::Tool(Arc::new(tool)), provenance: Provenance::default() }
}

/// A query for the train with its label, as a writing stage gives it.
pub fn query(text: &str, arguments: &str) -> Query {
    let arguments: Object = serde_json::from_str(arguments).unwrap();
    Query {
        data_type: DataType("ST_Imperfect".to_owned()),
        tool: Arc::new(train()),
        text: text.to_owned(),
        external: None,
        hidden: None,
        preset: arguments.keys().cloned().collect(),
        call: FunctionCall { name: TRAIN.to_owned(), arguments },
        notes: ArgumentNotes::new(),
        base: None,
    }
}

pub fn query_item(query: Query) -> Item {
    let root = ItemId::root(TRAIN);
    let record = Record::Query(Box::new(query));
    Item { id: root.child("write", 0), root, record, provenance: Provenance::default() }
}

/// The queries of an outcome.
pub fn queries(items: &[Item]) -> Vec<&Query> {
    let query = |item| match item {
        &Item { record: Record::Query(ref query), .. } => Some(&**query),
        _ => None,
    };
    items.iter().filter_map(query).collect()
}

/// The samples of an outcome.
pub fn samples(items: &[Item]) -> Vec<&Sample> {
    let sample = |item| match item {
        &Item { record: Record::Sample(ref sample), .. } => Some(&**sample),
        _ => None,
    };
    items.iter().filter_map(sample).collect()
}

/// A reply in the text format of written queries.
pub fn written(arguments: &str, query: &str) -> String {
    format!("1. Parameters: ```json{arguments}```. <user0>{query}<user1>")
}

/// A reply that calls the train.
pub fn called(arguments: &str) -> String {
    format!("```json{{\"name\": \"{TRAIN}\", \"parameters\": {arguments}}}```")
}

/// A sample of an incomplete request for the train, at the place of a candidates stage.
pub fn sample_item(text: &str, arguments: &str) -> Item {
    let mut query = query(text, arguments);
    for (name, value) in &query.call.arguments {
        let surface = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap(), str::to_owned);
        query
            .notes
            .insert(name.clone(), Argument { surface: Some(surface), origin: Origin::Verbatim, ..Argument::default() });
    }
    let config: super::candidates::CandidatesConfig = crate::settings::section::read_text("").unwrap();
    config.apply(&silent(), query_item(query)).kept.remove(0)
}

/// The same as a record.
pub fn sample_of(text: &str, arguments: &str) -> Sample {
    let Record::Sample(sample) = sample_item(text, arguments).record else { panic!("not a sample") };
    *sample
}

/// A `Based` dialogue about the train: it begins without an argument and is asked for `slots`, each with its value.
pub fn dialogue_item(slots: &[(&str, Value)]) -> Item {
    let first = sample_item("a train, please", "{}");
    let Record::Sample(sample) = &first.record else { panic!("not a sample") };
    let mut call = FunctionCall { name: TRAIN.to_owned(), arguments: Object::new() };
    let mut turns = vec![Turn { text: "a train, please".to_owned(), call: Some(call.clone()), ..Turn::default() }];
    let mut notes = ArgumentNotes::new();
    for (name, value) in slots {
        let surface = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap(), str::to_owned);
        call.arguments.insert((*name).to_owned(), value.clone());
        notes.insert(
            (*name).to_owned(),
            Argument { surface: Some(surface.clone()), origin: Origin::Verbatim, ..Argument::default() },
        );
        turns.push(Turn {
            question: Some(format!("Which {name}?")),
            text: format!("It is {surface}."),
            slots: vec![(*name).to_owned()],
            call: Some(call.clone()),
            notes: notes.clone(),
            ..Turn::default()
        });
    }
    let frame = Sample { messages: Vec::new(), ..(**sample).clone() };
    let dialogue = Dialogue {
        data_type: DataType("Based".to_owned()),
        tool: Arc::new(train()),
        frame: Box::new(frame),
        turns,
        base: first.id.clone(),
        style: "plain".to_owned(),
    };
    let id = first.id.child("slot_filling", 0);
    Item { id, root: first.root, record: Record::Dialogue(Box::new(dialogue)), provenance: Provenance::default() }
}

/// The dialogues of an outcome.
pub fn dialogues(items: &[Item]) -> Vec<&Dialogue> {
    let dialogue = |item| match item {
        &Item { record: Record::Dialogue(ref dialogue), .. } => Some(&**dialogue),
        _ => None,
    };
    items.iter().filter_map(dialogue).collect()
}

/// A hard question of two calls: an account is found by a phone number, then frozen.
pub fn question_item() -> Item {
    let json = r#"{"difficulty": "hard", "text": "Freeze the account behind 555-0107", "mentions": [1, 0], "tags": ["dependent"],
        "catalogue": {"domain": "bank", "title": "Banking", "tools": [
            {"name": "bank.findAccount", "description": "Finds an account by a phone number",
             "parameters": {"properties": {"phone": {"type": "string"}}, "required": ["phone"]}},
            {"name": "bank.freezeAccount", "description": "Freezes an account",
             "parameters": {"properties": {"accountId": {"type": "string"}}, "required": ["accountId"]}}]},
        "calls": [
            {"tool": {"name": "bank.findAccount", "parameters": {"properties": {"phone": {"type": "string"}}, "required": ["phone"]}},
             "call": {"name": "bank.findAccount", "arguments": {"phone": "555-0107"}},
             "notes": {"phone": {"surface": "555-0107", "origin": "verbatim"}}, "answer": {"accountId": "AC1"}},
            {"tool": {"name": "bank.freezeAccount", "parameters": {"properties": {"accountId": {"type": "string"}}, "required": ["accountId"]}},
             "call": {"name": "bank.freezeAccount", "arguments": {"accountId": "$$$"}},
             "notes": {"accountId": {"origin": {"answer": {"call": 0, "field": "/accountId"}}}}, "answer": {"status": "frozen"}}]}"#;
    let question: crate::record::Question = serde_json::from_str(json).unwrap();
    let root = ItemId::root("bank");
    let record = Record::Question(Box::new(question));
    Item { id: root.child("hard_questions", 0), root, record, provenance: Provenance::default() }
}
