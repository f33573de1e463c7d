//! The golden calls of a request: when each is made, and which earlier answers its arguments come from.

use super::functions::{Functions, Offer};
use super::harvest::{Harvest, harvest, key};
use fcgen_core::record::{ArgumentNotes, FunctionCall, Object, Origin, Step, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// The golden calls, counted through all steps.
pub(super) struct Golden<'s> {
    pub(super) calls: Vec<GoldenCall<'s>>,
}

/// One golden call.
pub(super) struct GoldenCall<'s> {
    pub(super) call: &'s FunctionCall,
    pub(super) answer: &'s Value,
    pub(super) step: usize,
    pub(super) harvest: Arc<Harvest>,
    /// The arguments that come from answers, with the golden calls that gave these.
    pub(super) noted: IndexMap<String, Vec<usize>>,
    /// The arguments that follow from an answer by arithmetic.
    pub(super) derived: Vec<String>,
    /// The arguments whose values nobody says.
    pub(super) unsaid: Vec<String>,
    /// Earlier calls that changed what this one looks at.
    pub(super) waits: Vec<usize>,
}

impl<'s> Golden<'s> {
    /// Reads the steps. Where nothing is known of a call's arguments, earlier answers tell where they come from.
    pub(super) fn new(steps: &'s [Step], functions: &Functions) -> Self {
        let mut calls: Vec<GoldenCall<'s>> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            for (place, call) in step.calls.iter().enumerate() {
                let answer = step.answers.get(place).unwrap_or(&Value::Null);
                let offer = functions.offers.get(&call.name);
                let mut golden = GoldenCall {
                    call,
                    answer,
                    step: at,
                    harvest: Arc::new(harvest(functions.shapes.get(&call.name).map_or(&[], Vec::as_slice), answer)),
                    noted: IndexMap::new(),
                    derived: Vec::new(),
                    unsaid: Vec::new(),
                    waits: offer.map(|offer| waits(&calls, at, offer, functions)).unwrap_or_default(),
                };
                match step.notes.get(place).filter(|notes| !notes.is_empty()) {
                    Some(notes) => golden.read(notes),
                    None => {
                        golden.noted = offer.map(|offer| found(&calls, at, offer, &call.arguments)).unwrap_or_default();
                    }
                }
                calls.push(golden);
            }
        }
        Self { calls }
    }

    /// The calls from which no other takes anything.
    pub(super) fn goals(&self) -> Vec<usize> {
        let fed: Vec<usize> = self.calls.iter().flat_map(GoldenCall::feeders).collect();
        (0..self.calls.len()).filter(|call| !fed.contains(call)).collect()
    }

    /// The last step.
    pub(super) fn last_step(&self) -> usize {
        self.calls.iter().map(|it| it.step).max().unwrap_or(0)
    }
}

impl GoldenCall<'_> {
    /// The calls that feed it.
    pub(super) fn feeders(&self) -> Vec<usize> {
        self.noted.values().flatten().copied().collect()
    }

    /// The golden calls whose answers gave an argument.
    pub(super) fn sources(&self, name: &str) -> &[usize] {
        self.noted.get(name).map_or(&[], Vec::as_slice)
    }

    fn read(&mut self, notes: &ArgumentNotes) {
        for (path, note) in notes {
            // A part of a list has a note of its own: `legs.0.day`, `legs[0].day`.
            let name = path.split(['.', '[', '/']).next().unwrap_or(path).to_owned();
            match (&note.origin, note.origin.answer()) {
                (origin, Some((call, _))) => {
                    let calls = self.noted.entry(name.clone()).or_default();
                    calls.extend((!calls.contains(&call)).then_some(call));
                    if matches!(origin, Origin::Derived { .. }) {
                        self.derived.push(name);
                    }
                }
                (Origin::Default | Origin::Missing | Origin::Open, None) => self.unsaid.push(name),
                _ => {}
            }
        }
    }
}

/// Arguments that stand in earlier answers, at fields that their parameters name.
fn found(earlier: &[GoldenCall<'_>], step: usize, offer: &Offer, arguments: &Object) -> IndexMap<String, Vec<usize>> {
    let mut noted = IndexMap::new();
    for (name, value) in arguments {
        let holds = |golden: &GoldenCall<'_>| {
            let at = offer.spots_of(name).iter().filter(|spot| spot.tool == golden.call.name);
            let mut values =
                at.flat_map(|spot| golden.harvest[spot.shape].iter().filter_map(|item| item[spot.field].as_ref()));
            golden.step < step && values.any(|held| key(held) == key(value))
        };
        if let Some(call) = earlier.iter().position(holds) {
            noted.insert(name.clone(), vec![call]);
        }
    }
    noted
}

/// The calls of earlier steps that changed a table at which this one looks.
fn waits(earlier: &[GoldenCall<'_>], step: usize, offer: &Offer, functions: &Functions) -> Vec<usize> {
    let changed = |golden: &GoldenCall<'_>| {
        let changes = functions.offers.get(&golden.call.name).map(|it| &it.changes);
        golden.step < step && changes.is_some_and(|changes| changes.iter().any(|table| offer.reads.contains(table)))
    };
    (0..earlier.len()).filter(|at| changed(&earlier[*at])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BOOKING, functions, path};
    use super::*;

    #[test]
    fn notes_tell_what_feeds_what() {
        let (steps, functions) = (path(BOOKING), functions());
        let golden = Golden::new(&steps, &functions);
        assert_eq!(golden.calls.iter().map(|it| it.step).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(golden.goals(), [3]);
        assert_eq!((golden.calls[1].sources("town_id"), golden.calls[1].sources("arrival")), (&[0][..], &[][..]));
        assert_eq!((golden.last_step(), golden.calls[3].waits.as_slice()), (3, &[2][..]));
    }

    #[test]
    fn without_notes_earlier_answers_tell() {
        let (mut steps, functions) = (path(BOOKING), functions());
        for step in &mut steps {
            step.notes.clear();
        }
        let golden = Golden::new(&steps, &functions);
        assert_eq!(golden.calls[1].sources("town_id"), [0]);
        assert_eq!((golden.calls[2].feeders(), golden.calls[3].feeders()), (vec![1], vec![2]));
    }

    #[test]
    fn parts_of_a_list_have_notes_of_their_own() {
        let (mut steps, functions) = (path(BOOKING), functions());
        let notes = r#"{"legs.0.town_id": {"origin": {"answer": {"call": 0, "field": ""}}},
            "legs[1].day": {"origin": {"derived": {"call": 0, "field": ""}}}, "sort": {"origin": "default"}}"#;
        steps[1].notes = vec![serde_json::from_str(notes).unwrap()];
        let call = &Golden::new(&steps, &functions).calls[1];
        assert_eq!((call.sources("legs"), call.derived.as_slice()), (&[0][..], &["legs".to_owned()][..]));
        assert_eq!(call.unsaid, ["sort"]);
    }
}
