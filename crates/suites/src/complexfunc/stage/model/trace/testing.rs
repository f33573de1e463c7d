//! The small world of the inn, and its calls, for the tests of the stages that trace.

use super::Made;
use super::held::Answered;
use crate::locale::Pack;
use crate::record::{Catalogue, ComplexQuery, FunctionCall, Item, ItemId, Provenance, Record, Step, Tool, Value};
use crate::stage::context::Context;
use crate::stage::domains::Domains;
use crate::stage::testing::with_shared;
use std::sync::Arc;

/// The same context in the world of the inn.
pub(crate) fn inn(context: Context) -> Context {
    let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
    let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
    toolset.extend(&mut pack).unwrap();
    let pack = Arc::new(pack);
    with_shared(context, |shared| {
        shared.domains = Domains::new(&toolset, &pack, 7).unwrap();
        shared.toolset = toolset;
        shared.pack = pack;
    })
}

/// The catalogue of the inn's functions.
pub(crate) fn catalogue(context: &Context) -> Arc<Catalogue> {
    let tools = context.toolset().tools.clone();
    Arc::new(Catalogue { domain: "inns".to_owned(), title: "Inns".to_owned(), tools })
}

/// A request as a coarse stage writes it.
pub(crate) fn coarse(context: &Context, text: &str, functions: &[&str]) -> ComplexQuery {
    ComplexQuery {
        catalogue: catalogue(context),
        text: text.to_owned(),
        thought: "first this, then that".to_owned(),
        functions: functions.iter().map(|name| (*name).to_owned()).collect(),
        steps: Vec::new(),
        answer: String::new(),
        slots: indexmap::IndexMap::new(),
        plan: None,
        tags: Vec::new(),
        base: None,
    }
}

/// Its item.
pub(crate) fn complex_item(query: ComplexQuery) -> Item {
    let root = ItemId::root("inns");
    let record = Record::ComplexQuery(Box::new(query));
    Item { id: root.child("coarse_queries", 0), root, record, provenance: Provenance::default() }
}

/// The requests of an outcome.
pub(crate) fn complex(items: &[Item]) -> Vec<&ComplexQuery> {
    let query = |item| match item {
        &Item { record: Record::ComplexQuery(ref query), .. } => Some(&**query),
        _ => None,
    };
    items.iter().filter_map(query).collect()
}

pub(crate) fn call(name: &str, arguments: &str) -> FunctionCall {
    FunctionCall { name: name.to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
}

pub(crate) fn tool(context: &Context, name: &str) -> Arc<Tool> {
    let tools = &context.toolset().tools;
    tools.iter().find(|tool| tool.name == name).cloned().unwrap()
}

/// Calls with what the world answers, each with its turn.
pub(crate) fn made(context: &Context, calls: &[(usize, &str, &str)]) -> Vec<Made> {
    let world = context.domains().declared().unwrap();
    let mut session = world.session();
    let made = |(turn, name, arguments): &(usize, &str, &str)| {
        let call = call(name, arguments);
        let answer = session.call(name, &call.arguments).unwrap();
        Made { tool: tool(context, name), call, answer, turn: *turn, rests_on: Vec::new() }
    };
    calls.iter().map(made).collect()
}

/// What earlier calls answered, in their order.
pub(crate) fn answered(made: &[Made]) -> Vec<Answered<'_>> {
    made.iter().enumerate().map(|(call, it)| Answered { call, tool: &it.call.name, answer: &it.answer }).collect()
}

/// The first token of the inns that a search in Greyford finds, and the search itself.
pub(crate) fn greyford(context: &Context) -> (String, &'static str) {
    let search = r#"{"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}"#;
    let made = made(context, &[(0, "Search_Inns", search)]);
    let token = crate::gate::pointed(&made[0].answer, "/data/inns/0/token").and_then(Value::as_str).unwrap();
    (token.to_owned(), search)
}

/// Origins of all arguments, step by step, for snapshots.
pub(crate) fn shown(steps: &[Step]) -> String {
    let mut lines = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for (call, notes) in step.calls.iter().zip(&step.notes) {
            let note = |(name, note): (&String, &crate::record::Argument)| {
                format!("{name}={}", serde_json::to_string(&(&note.origin, &note.surface)).unwrap())
            };
            lines.push(format!("{at} {} {}", call.name, notes.iter().map(note).collect::<Vec<_>>().join(" ")));
        }
    }
    lines.join("\n")
}
