//! What a call must wait for: the answers without which its arguments are not known.

use super::functions::{Functions, Group, Offer, Spot, is_compound};
use super::golden::Golden;
use super::harvest::key;
use super::known::Known;
use crate::toolset::Param;
use fcgen_core::record::{Object, Value};

/// One request with what it is offered.
pub(super) struct Ground<'a> {
    pub(super) functions: &'a Functions,
    pub(super) golden: &'a Golden<'a>,
    pub(super) knowns: Vec<Known<'a>>,
    pub(super) offered: Vec<&'a str>,
}

/// A call that may be made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proposal<'p> {
    pub(super) name: &'p str,
    pub(super) arguments: &'p Object,
    /// The golden call that it is.
    pub(super) golden: Option<usize>,
    /// The golden call whose optional arguments it has.
    pub(super) like: Option<usize>,
}

/// Values that an answer must have given. Any of the ways will do.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Want {
    /// Values that must stand in one item of one answer.
    pub(super) places: Vec<Vec<(Spot, Value)>>,
    /// Golden calls whose answers give them.
    pub(super) golden: Vec<usize>,
}

impl Ground<'_> {
    /// Everything that a call must wait for; what the request says needs no waiting.
    pub(super) fn wants(&self, call: Proposal<'_>) -> Vec<Want> {
        let Some(offer) = self.functions.offers.get(call.name) else { return Vec::new() };
        let waits = call.golden.map_or(&[][..], |golden| &self.golden.calls[golden].waits);
        let mut wants: Vec<Want> = waits.iter().map(|wait| Want { golden: vec![*wait], ..Want::default() }).collect();
        for group in &offer.groups {
            wants.extend(self.group(call, offer, group));
        }
        let grouped = |name: &String| offer.groups.iter().any(|group| group.params.contains(name));
        for (name, value) in call.arguments.iter().filter(|(name, _)| !grouped(name)) {
            wants.extend(self.alone(call, offer, name, value));
        }
        wants
    }

    /// What an argument that stands in no group must wait for.
    pub(super) fn alone(&self, call: Proposal<'_>, offer: &Offer, name: &str, value: &Value) -> Vec<Want> {
        let Some(param) = offer.params.get(name) else { return Vec::new() };
        let noted = self.noted(call.golden.or(call.like), name);
        if noted.is_some_and(<[usize]>::is_empty) {
            return Vec::new();
        }
        let parts =
            if is_compound(param) { parts(name, param, value) } else { vec![(name.to_owned(), param, value.clone())] };
        let asked = parts.into_iter().filter(|(path, param, value)| !self.is_said(last(path), param, value));
        let want = |(path, _, value): (String, &Param, Value)| {
            let places = offer.spots_of(&path).iter().map(|spot| vec![(spot.clone(), value.clone())]).collect();
            self.with_golden(Want { places, golden: Vec::new() }, noted.unwrap_or_default())
        };
        asked.map(want).filter(|want| !want.places.is_empty() || !want.golden.is_empty()).collect()
    }

    /// What the arguments of one item must wait for.
    fn group(&self, call: Proposal<'_>, offer: &Offer, group: &Group) -> Vec<Want> {
        let open: Vec<(&str, &Value)> = group
            .params
            .iter()
            .filter_map(|name| Some((name.as_str(), call.arguments.get(name)?)))
            .filter(|(name, value)| self.is_open(call, offer, name, value))
            .collect();
        if open.is_empty() {
            return Vec::new();
        }
        let golden: Vec<Vec<usize>> =
            open.iter().map(|(name, value)| self.golden_sources(call, offer, name, value)).collect();
        let together = |open: &[(&str, &Value)]| -> Vec<Vec<(Spot, Value)>> {
            let at = |place: &indexmap::IndexMap<String, Spot>| {
                open.iter().map(|(name, value)| Some((place.get(*name)?.clone(), (*value).clone()))).collect()
            };
            group.places.iter().filter_map(at).collect()
        };
        if golden.windows(2).all(|pair| pair[0] == pair[1]) {
            return vec![Want { places: together(&open), golden: golden.into_iter().next().unwrap_or_default() }];
        }
        open.iter().zip(golden).map(|(one, golden)| Want { places: together(&[*one]), golden }).collect()
    }

    /// Whether a required argument needs an answer.
    fn is_open(&self, call: Proposal<'_>, offer: &Offer, name: &str, value: &Value) -> bool {
        let own = self.noted(call.golden, name).is_some_and(<[usize]>::is_empty);
        !own && offer.params.get(name).is_some_and(|param| !self.is_said(name, param, value))
    }

    /// The golden calls that a golden argument comes from; none where the call is not golden.
    fn noted(&self, golden: Option<usize>, name: &str) -> Option<&[usize]> {
        Some(self.golden.calls.get(golden?)?.sources(name))
    }

    /// The golden calls from whose answers a value follows or, in a golden call, comes.
    fn golden_sources(&self, call: Proposal<'_>, offer: &Offer, name: &str, value: &Value) -> Vec<usize> {
        let mut golden = self.noted(call.golden, name).unwrap_or_default().to_vec();
        if let Some(param) = offer.params.get(name) {
            let follows = self.knowns.iter().filter(|known| known.suits(name, param) && known.is(value));
            golden.extend(follows.filter_map(|known| known.after));
        }
        golden.sort_unstable();
        golden.dedup();
        golden
    }

    /// Whether the request says a value that this parameter may take.
    pub(super) fn is_said(&self, name: &str, param: &Param, value: &Value) -> bool {
        self.knowns.iter().any(|known| known.after.is_none() && known.is(value) && known.suits(name, param))
    }

    /// The golden calls count where no golden answer explains a part by itself.
    fn with_golden(&self, want: Want, noted: &[usize]) -> Want {
        let explained = want.places.iter().flatten().any(|(spot, value)| {
            let of = self.golden.calls.iter().filter(|call| call.call.name == spot.tool);
            of.flat_map(|call| &call.harvest[spot.shape]).any(|item| holds(item, spot, value))
        });
        if explained { want } else { Want { golden: noted.to_vec(), ..want } }
    }
}

/// Whether an item has a value at a spot.
pub(super) fn holds(item: &[Option<Value>], spot: &Spot, value: &Value) -> bool {
    item.get(spot.field).and_then(Option::as_ref).is_some_and(|held| key(held) == key(value))
}

/// The parts of a set, and of a list of objects, each with the path by which its spots are known.
fn parts<'p>(name: &str, param: &'p Param, value: &Value) -> Vec<(String, &'p Param, Value)> {
    match value {
        Value::String(text) if param.set => {
            text.split(',').map(|part| (name.to_owned(), param, Value::from(part.trim()))).collect()
        }
        Value::List(elements) => elements.iter().flat_map(|element| fields(name, param, element)).collect(),
        Value::Object(_) => fields(name, param, value),
        other => vec![(name.to_owned(), param, other.clone())],
    }
}

fn fields<'p>(name: &str, param: &'p Param, element: &Value) -> Vec<(String, &'p Param, Value)> {
    let Some(object) = element.as_object() else { return vec![(name.to_owned(), param, element.clone())] };
    let known = object.iter().filter_map(|(field, value)| Some((field, param.fields.get(field)?, value)));
    known.map(|(field, inner, value)| (format!("{name}.{field}"), inner, value.clone())).collect()
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::known::knowns;
    use super::super::testing::{TWICE, functions, path};
    use super::*;
    use fcgen_core::record::{Argument, Origin, Step};

    fn shown(steps: &[Step], golden: usize) -> Vec<String> {
        let functions = functions();
        let golden_calls = Golden::new(steps, &functions);
        let knowns = knowns(&golden_calls, &functions);
        let ground = Ground { functions: &functions, golden: &golden_calls, knowns, offered: Vec::new() };
        let wants = ground.wants_of(golden);
        let of = |want: &Want| {
            let tools: Vec<String> =
                want.places.iter().flatten().map(|(spot, value)| format!("{} {value}", spot.tool)).collect();
            format!("{} {:?}", tools.join(" or "), want.golden)
        };
        wants.iter().map(of).collect()
    }

    #[test]
    fn what_the_request_says_needs_no_waiting() {
        let steps = path(TWICE);
        assert!(shown(&steps, 0).is_empty());
        assert_eq!(shown(&steps, 3), ["Find_Town \"T3\" [1]"]);
        assert!(shown(&steps, 4)[0].starts_with("Search_Inns \""), "{:?}", shown(&steps, 4));
    }

    #[test]
    fn a_value_that_is_said_somewhere_is_said_everywhere() {
        let mut steps = path(TWICE);
        let taken =
            Argument { origin: Origin::Answer { call: 0, field: "/data/0/id".to_owned() }, ..Argument::default() };
        steps[1].notes[1].insert("arrival".to_owned(), taken.clone());
        assert_eq!(shown(&steps, 3).len(), 1, "the first search leaves on that day, and the request says so");
        steps[1].calls[1].arguments.insert("departure".to_owned(), "2024-11-09".into());
        steps[1].notes[1].insert("departure".to_owned(), taken);
        assert_eq!(shown(&steps, 3)[1..], [" [0]".to_owned()], "only the golden call gives this day");
    }

    #[test]
    fn lists_and_sets_are_taken_apart() {
        let mut steps = path(TWICE);
        let legs = r#"[{"town_id": "T2", "day": "2024-11-01"}, {"town_id": "T3", "day": "2024-12-01"}]"#;
        steps[2].calls[0].name = "Plan_Tour".to_owned();
        steps[2].calls[0].arguments = Object::from([("legs".to_owned(), serde_json::from_str(legs).unwrap())]);
        let note = r#"{"legs.0.town_id": {"origin": {"answer": {"call": 0, "field": ""}}}, "legs.1.town_id": {"origin": {"answer": {"call": 1, "field": ""}}}}"#;
        steps[2].notes[0] = serde_json::from_str(note).unwrap();
        assert_eq!(shown(&steps, 4), ["Find_Town \"T2\" []", "Find_Town \"T3\" []"]);
        let (functions, value) = (functions(), Value::from("stars::4, wifi::1"));
        let filters = &functions.offers["Search_Inns"].params["filters"];
        let found: Vec<Value> = parts("filters", filters, &value).into_iter().map(|(.., value)| value).collect();
        assert_eq!(found, ["stars::4".into(), Value::from("wifi::1")]);
    }
}
