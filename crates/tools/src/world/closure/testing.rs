//! Golden paths in the small world, for the tests of this folder.

use super::functions::Functions;
use crate::world::DeclaredWorld;
use crate::world::declared::testing::inn;
use fcgen_core::record::{Argument, FunctionCall, Object, Origin, Step, Value};
use std::sync::{Arc, LazyLock};

static WORLD: LazyLock<Arc<DeclaredWorld>> = LazyLock::new(|| Arc::new(inn("en", 4)));

pub(super) fn world() -> Arc<DeclaredWorld> {
    WORLD.clone()
}

pub(super) fn functions() -> Functions {
    Functions::declared(world().declaration())
}

/// A town is looked up, its inns are searched, one is booked, and the booking is cancelled.
pub(super) const BOOKING: &[&[&str]] = &[
    &[r#"Find_Town {"query": "Greyford"}"#],
    &[r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04"}"#],
    &[r#"Book_Inn {"token": "@1/data/inns/1/token"}"#],
    &[r#"Cancel_Booking {"booking_id": "@2/data/id"}"#],
];

/// Two towns are looked up, both are searched, and one inn of each is shown.
pub(super) const TWICE: &[&[&str]] = &[
    &[r#"Find_Town {"query": "Greyford"}"#, r#"Find_Town {"query": "Old Harbor"}"#],
    &[
        r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04"}"#,
        r#"Search_Inns {"town_id": "@1/data/0/id", "arrival": "2024-11-04", "departure": "2024-11-06"}"#,
    ],
    &[r#"Get_Inn {"token": "@2/data/inns/0/token"}"#, r#"Get_Inn {"token": "@3/data/inns/0/token"}"#],
];

/// Steps of calls in which `@0/data/0/id` stands for a place in the answer of the first call; the world answers.
pub(super) fn path(steps: &[&[&str]]) -> Vec<Step> {
    path_in(&world(), steps)
}

pub(super) fn path_in(world: &DeclaredWorld, steps: &[&[&str]]) -> Vec<Step> {
    let mut session = world.session();
    let mut answers: Vec<Value> = Vec::new();
    let mut made = Vec::new();
    for texts in steps {
        let mut step = Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() };
        for text in *texts {
            let (name, json) = text.split_once(' ').unwrap();
            let mut arguments: Object = serde_json::from_str(json).unwrap();
            let origins = arguments.iter_mut().map(|(name, value)| (name.clone(), filled(value, &answers)));
            let note = |(name, origin)| (name, Argument { origin, ..Argument::default() });
            step.notes.push(origins.map(note).collect());
            step.answers.push(session.call(name, &arguments).unwrap_or_else(|fault| panic!("{text}: {fault}")));
            step.calls.push(FunctionCall { name: name.to_owned(), arguments });
        }
        answers.extend(step.answers.iter().cloned());
        made.push(step);
    }
    made
}

/// Puts the value in that a text stands for, and tells where it comes from.
fn filled(value: &mut Value, answers: &[Value]) -> Origin {
    let Some(place) = value.as_str().and_then(|text| text.strip_prefix('@')) else { return Origin::Verbatim };
    let (call, field) = place.split_at(place.find('/').unwrap());
    let (call, field) = (call.parse::<usize>().unwrap(), field.to_owned());
    *value = Value::from(serde_json::Value::from(&answers[call]).pointer(&field).unwrap().clone());
    Origin::Answer { call, field }
}
