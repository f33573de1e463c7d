//! The arguments that a function can be called with, given the answers that are known.

use super::functions::{Group, Offer, Spot};
use super::grow::Closure;
use super::harvest::key;
use super::needs::{Ground, Proposal};
use crate::world::declared::mismatch;
use fcgen_core::record::{Object, Value};
use indexmap::{IndexMap, IndexSet};

/// Arguments, with the golden call whose optional ones they take.
pub(super) type Bound = (Object, Option<usize>);

impl Ground<'_> {
    /// Every choice of arguments: the required ones filled with what is known, the optional ones left out or as a golden
    /// call of the function has them. None where there are more than `most`.
    pub(super) fn bind(&self, closure: &Closure, name: &str, offer: &Offer, most: usize) -> Option<Vec<Bound>> {
        let mut choices: Vec<Object> = vec![Object::new()];
        for group in &offer.groups {
            let tuples = self.tuples(closure, offer, group);
            choices = product(&choices, &tuples, most)?;
        }
        for (name, values) in self.compounds(closure, name, offer) {
            let tuples: Vec<Object> = values.into_iter().map(|value| Object::from([(name.clone(), value)])).collect();
            choices = product(&choices, &tuples, most)?;
        }
        choices.retain(|arguments| in_order(offer, arguments));
        let extras = self.extras(closure, name, offer);
        let mut bound = Vec::new();
        for arguments in choices {
            bound.extend(extras.iter().map(|(extra, like)| (arranged(offer, &arguments, extra), *like)));
        }
        (bound.len() <= most).then_some(bound)
    }

    /// The ways of filling parameters that go together.
    fn tuples(&self, closure: &Closure, offer: &Offer, group: &Group) -> Vec<Object> {
        let said: Vec<Vec<Value>> = group.params.iter().map(|name| self.said(closure, offer, name)).collect();
        let mut found = Distinct::default();
        found.add_all(&group.params, &said);
        for place in &group.places {
            let Some(first) = place.values().next() else { continue };
            for call in closure.calls.iter().filter(|call| call.name == first.tool) {
                for item in call.harvest.get(first.shape).into_iter().flatten() {
                    found.add_all(&group.params, &options(offer, group, place, item, &said));
                }
            }
        }
        found.tuples
    }

    /// What the request says, or what follows from answers that are there, for a parameter.
    fn said(&self, closure: &Closure, offer: &Offer, name: &str) -> Vec<Value> {
        let Some(param) = offer.params.get(name) else { return Vec::new() };
        let is_there = |after: Option<usize>| after.is_none_or(|golden| closure.golden.contains_key(&golden));
        let suits = self.knowns.iter().filter(|known| is_there(known.after) && known.suits(name, param));
        distinct(suits.map(|known| known.value.clone()))
    }

    /// Lists and sets that a function wants are taken from golden calls of it, once their parts are known.
    fn compounds(&self, closure: &Closure, function: &str, offer: &Offer) -> Vec<(String, Vec<Value>)> {
        let wanted = offer.params.iter().filter(|(name, param)| param.required && offer.is_compound(name));
        let of = |name: &str| {
            let golden = self.golden.calls.iter().enumerate().filter(|(_, it)| it.call.name == function);
            let values = golden.filter_map(|(at, it)| {
                let value = it.call.arguments.get(name)?;
                let call = Proposal { name: function, arguments: &it.call.arguments, golden: Some(at), like: Some(at) };
                closure.is_ready(&self.alone(call, offer, name, value)).then(|| value.clone())
            });
            distinct(values)
        };
        wanted.map(|(name, _)| (name.clone(), of(name))).collect()
    }

    /// The optional arguments: none, or those of a golden call as soon as they are known.
    fn extras(&self, closure: &Closure, function: &str, offer: &Offer) -> Vec<(Object, Option<usize>)> {
        let mut extras: Vec<(Object, Option<usize>)> = vec![(Object::new(), None)];
        for (at, golden) in self.golden.calls.iter().enumerate().filter(|(_, it)| it.call.name == function) {
            let is_extra = |name: &String| offer.params.get(name).is_some_and(|param| !param.required);
            let own = golden.call.arguments.iter().filter(|(name, _)| is_extra(name));
            let own: Object = own.map(|(name, value)| (name.clone(), value.clone())).collect();
            let call = Proposal { name: function, arguments: &golden.call.arguments, golden: Some(at), like: Some(at) };
            let ready = own.iter().all(|(name, value)| closure.is_ready(&self.alone(call, offer, name, value)));
            if ready && extras.iter().all(|(known, _)| *known != own) {
                extras.push((own, Some(at)));
            }
        }
        extras
    }
}

/// What each parameter of a group can be if an item of an answer is taken: its field, or what the request says.
fn options(
    offer: &Offer,
    group: &Group,
    place: &IndexMap<String, Spot>,
    item: &[Option<Value>],
    said: &[Vec<Value>],
) -> Vec<Vec<Value>> {
    let of = |(name, said): (&String, &Vec<Value>)| {
        let held = place.get(name).and_then(|spot| item.get(spot.field)?.as_ref());
        let fits = held.filter(|value| offer.params.get(name).is_some_and(|param| mismatch(param, value).is_none()));
        fits.into_iter().chain(said).cloned().collect()
    };
    group.params.iter().zip(said).map(of).collect()
}

/// Tuples of values, each once.
#[derive(Default)]
struct Distinct {
    keys: IndexSet<String>,
    tuples: Vec<Object>,
}

impl Distinct {
    fn add_all(&mut self, names: &[String], options: &[Vec<Value>]) {
        let mut tuples = vec![Object::new()];
        for (name, values) in names.iter().zip(options) {
            let with = |tuple: &Object| -> Vec<Object> {
                let one = |value: &Value| tuple.clone().into_iter().chain([(name.clone(), value.clone())]).collect();
                values.iter().map(one).collect()
            };
            tuples = tuples.iter().flat_map(with).collect();
        }
        for tuple in tuples {
            let key: Vec<String> = tuple.values().map(key).collect();
            if self.keys.insert(key.join("\u{1f}")) {
                self.tuples.push(tuple);
            }
        }
    }
}

fn distinct(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut keys = IndexSet::new();
    values.filter(|value| keys.insert(key(value))).collect()
}

/// Every choice with every tuple; none where there are too many.
fn product(choices: &[Object], tuples: &[Object], most: usize) -> Option<Vec<Object>> {
    if choices.len().saturating_mul(tuples.len()) > most.saturating_mul(8) {
        return None;
    }
    let with = |choice: &Object| -> Vec<Object> {
        tuples.iter().map(|tuple| choice.clone().into_iter().chain(tuple.clone()).collect()).collect()
    };
    Some(choices.iter().flat_map(with).collect())
}

/// Whether every day that follows another comes after it.
fn in_order(offer: &Offer, arguments: &Object) -> bool {
    offer.params.iter().all(|(name, param)| {
        let day = |name: &str| arguments.get(name).and_then(Value::as_str);
        let other = param.follows.as_ref().and_then(|follows| day(&follows.parameter));
        other.zip(day(name)).is_none_or(|(first, second)| first < second)
    })
}

/// All arguments in the order of the parameters.
fn arranged(offer: &Offer, required: &Object, extra: &Object) -> Object {
    let value = |name: &String| Some((name.clone(), required.get(name).or_else(|| extra.get(name))?.clone()));
    offer.params.keys().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::super::golden::Golden;
    use super::super::grow::Reach;
    use super::super::known::knowns;
    use super::super::testing::{TWICE, functions, path};
    use super::*;

    fn bound(function: &str, levels: usize, steps: &[&[&str]]) -> Vec<String> {
        let (steps, functions) = (path(steps), functions());
        let golden = Golden::new(&steps, &functions);
        let ground =
            Ground { functions: &functions, golden: &golden, knowns: knowns(&golden, &functions), offered: Vec::new() };
        let reach = Reach { last: levels, latest: IndexMap::new(), calls: 100 };
        let closure = Closure::grow(&ground, None, &reach).ok().unwrap();
        let bound = ground.bind(&closure, function, &functions.offers[function], 100).unwrap();
        bound.iter().map(|(arguments, like)| format!("{} {like:?}", Value::Object(arguments.clone()))).collect()
    }

    #[test]
    fn what_is_said_and_what_was_answered_fill_parameters() {
        assert_eq!(bound("Find_Town", 0, TWICE), [r#"{"query":"Greyford"} None"#, r#"{"query":"Old Harbor"} None"#]);
        let searches = bound("Search_Inns", 0, TWICE);
        assert_eq!(searches.len(), 6);
        assert!(
            searches[0].starts_with(r#"{"town_id":"T2","arrival":"2024-11-01","departure":"2024-11-04"}"#),
            "{searches:?}"
        );
        assert!(bound("Get_Inn", 0, TWICE).is_empty());
        assert!(bound("Get_Inn", 1, TWICE).len() >= 4);
    }

    #[test]
    fn optional_arguments_are_left_out_or_as_a_golden_call_has_them() {
        let search = r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04", "guests": 3, "sort": "stars"}"#;
        let found = bound("Search_Inns", 0, &[TWICE[0], &[search]]);
        assert_eq!(found.len(), 4);
        assert!(found[1].ends_with(r#""guests":3,"sort":"stars"} Some(2)"#), "{found:?}");
    }

    #[test]
    fn too_many_choices_are_none() {
        let one = |name: &str, count: i64| -> Vec<Object> {
            (0..count).map(|at| Object::from([(name.to_owned(), Value::from(at))])).collect()
        };
        assert_eq!(product(&one("a", 3), &one("b", 4), 12).unwrap().len(), 12);
        assert!(product(&one("a", 30), &one("b", 40), 12).is_none());
    }
}
