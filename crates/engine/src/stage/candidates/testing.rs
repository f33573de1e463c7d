//! A request of three steps for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use crate::record::{Argument, ArgumentNotes, Catalogue, Constraint, FunctionCall, ItemId, Object, Origin, Value};
use crate::record::{ComplexQuery, Item, Provenance, Record, Step};
use crate::stage::context::Context;
use crate::stage::testing::{silent, with_shared};
use crate::toolset::Toolset;
use crate::world::Worlds;
use std::sync::Arc;

const FOLDER: &str = "tests/fixtures/toolsets/inn";

/// A context over the small world.
pub fn inn() -> Context {
    with_shared(silent(), |shared| {
        shared.toolset = Arc::new(Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap());
    })
}

/// Somebody books the cheapest inn of Millbrook: three steps in the small world.
pub fn complex_item() -> Item {
    let toolset = Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap();
    let mut pack = crate::locale::Pack::load(crate::fixtures::assets(), "en").unwrap();
    toolset.extend(&mut pack).unwrap();
    let worlds = Worlds::new(&toolset, &Arc::new(pack), 7).unwrap();
    let mut session = worlds.session();
    let said = |words: &str, constraint| Argument {
        surface: Some(words.to_owned()),
        origin: Origin::Verbatim,
        constraint: Some(constraint),
    };
    let fed = |call, field: &str, constraint| Argument {
        surface: None,
        origin: Origin::Answer { call, field: field.to_owned() },
        constraint: Some(constraint),
    };
    let mut step = |name: &str, arguments: Vec<(&str, Value, Argument)>| {
        let notes: ArgumentNotes = arguments.iter().map(|(name, _, note)| ((*name).to_owned(), note.clone())).collect();
        let arguments: Object = arguments.into_iter().map(|(name, value, _)| (name.to_owned(), value)).collect();
        let call = FunctionCall { name: name.to_owned(), arguments };
        let answer = session.call(name, &call.arguments).unwrap();
        Step { calls: vec![call], answers: vec![answer], notes: vec![notes] }
    };
    let find = step("Find_Town", vec![("query", "Millbrook".into(), said("Millbrook", Constraint::Location))]);
    let of = |step: &Step, pointer: &str| crate::gate::pointed(&step.answers[0], pointer).unwrap().clone();
    let day = |text: &str| said(text, Constraint::Date);
    let town = (of(&find, "/data/0/id"), fed(0, "/data/0/id", Constraint::Id));
    let search = step(
        "Search_Inns",
        vec![
            ("town_id", town.0, town.1),
            ("arrival", "2024-11-05".into(), day("2024-11-05")),
            ("departure", "2024-11-08".into(), day("2024-11-08")),
        ],
    );
    let token = (of(&search, "/data/inns/0/token"), fed(1, "/data/inns/0/token", Constraint::Token));
    let book = step("Book_Inn", vec![("token", token.0, token.1)]);
    let query = ComplexQuery {
        catalogue: Arc::new(Catalogue {
            domain: "inns".to_owned(),
            title: "Inns".to_owned(),
            tools: toolset.tools.clone(),
        }),
        text: "Book the cheapest inn in Millbrook from 2024-11-05 to 2024-11-08.".to_owned(),
        thought: String::new(),
        functions: Vec::new(),
        steps: vec![find, search, book],
        answer: "It is booked.".to_owned(),
        slots: indexmap::IndexMap::new(),
        plan: None,
        tags: vec!["twin".to_owned()],
        base: None,
    };
    let root = ItemId::root("inns");
    let record = Record::ComplexQuery(Box::new(query));
    Item { id: root.child("complex_queries", 0), root, record, provenance: Provenance::default() }
}
