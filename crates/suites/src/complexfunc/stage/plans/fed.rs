//! Where arguments that no person would say come from: one item of an earlier answer.

use super::sketch::Sketch;
use crate::record::{Feed, Source};
use crate::toolset::{Criterion, Format, Function, Param, Pick};
use indexmap::IndexMap;

/// Which pick was chosen, by call and list.
pub(crate) type Choices = IndexMap<(usize, String), String>;

/// How often something is returned elsewhere than where it was taken.
const ELSEWHERE: f64 = 0.25;
/// How often two values of a set are asked for, and not one.
const TWO: f64 = 0.4;
/// How often what a request says in one matter follows from another matter's answer.
const ACROSS: f64 = 0.6;
/// How often the item that is meant hangs on whether another one has a quality.
const CHOSEN: f64 = 0.2;
/// Minutes between landing and what is booked for afterwards.
const LATER: i64 = 60;

impl<'p> Sketch<'p> {
    /// What feeds a parameter: an item of an answer, for which the calls before it are made.
    pub(crate) fn fed(
        &mut self,
        function: &'p Function,
        name: &str,
        param: &'p Param,
        (depth, others): (usize, &IndexMap<String, Feed>),
    ) -> Option<Feed> {
        if let Some(feed) = self.alike(function, name, param, others) {
            return Some(feed);
        }
        for (source, feeder) in self.sources(function, param) {
            let role = if feeder.free { self.role(function, name, &source, others) } else { String::new() };
            let known = self.calls.get(&(feeder.name.clone(), role.clone())).copied();
            let call = known.or_else(|| self.tried(|sketch| sketch.call(feeder, &role, depth + 1)));
            if let Some(call) = call {
                return self.item(call, feeder, &source, param);
            }
        }
        None
    }

    /// A lookup of its own, for a place that nothing else says.
    pub(crate) fn looked_up(&mut self, param: &'p Param, role: &str, depth: usize) -> Option<Feed> {
        let source = param.from.first()?.clone();
        let feeder = self.allowed.iter().find(|it| it.name == source.tool).copied()?;
        let call = self.call(feeder, role, depth + 1)?;
        self.item(call, feeder, &source, param)
    }

    /// Does something, or leaves the plan as it was.
    pub(crate) fn tried<T>(&mut self, act: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = (self.plan.clone(), self.calls.clone(), self.said.clone(), self.choices.clone());
        let done = act(self);
        if done.is_none() {
            (self.plan, self.calls, self.said, self.choices) = before;
        }
        done
    }

    /// The answers that hold a value: those of calls that are made anyway come first.
    fn sources(&mut self, function: &Function, param: &Param) -> Vec<(Source, &'p Function)> {
        let allowed = |source: &&Source| source.tool != function.name;
        let mut sources: Vec<(Source, &'p Function)> = param
            .from
            .iter()
            .filter(allowed)
            .filter_map(|source| {
                let feeder = self.allowed.iter().find(|it| it.name == source.tool)?;
                Some((source.clone(), *feeder))
            })
            .collect();
        self.chance.shuffle(&mut sources);
        let is_made = |function: &Function| self.calls.keys().any(|(name, _)| *name == function.name);
        sources.sort_by_key(|(_, feeder)| !is_made(feeder));
        sources
    }

    /// The same item as another parameter's, where the two usually go together.
    fn alike(
        &mut self,
        function: &Function,
        name: &str,
        param: &Param,
        others: &IndexMap<String, Feed>,
    ) -> Option<Feed> {
        let other = param.like.as_ref()?;
        let Feed::Item { call, pick, .. } = others.get(other)? else { return None };
        // Whether it goes elsewhere is decided once for both halves of a place.
        let elsewhere = others.iter().any(|(it, feed)| {
            function.parameters.get(it).is_some_and(|it| it.like.is_some()) && feed.sources() != [*call]
        });
        let first = !others.keys().any(|it| function.parameters.get(it).is_some_and(|it| it.like.is_some()));
        if elsewhere || (first && function.sayings.mentions(name) && self.chance.happens(ELSEWHERE)) {
            return None;
        }
        let tool = &self.plan.calls.get(*call)?.function;
        let feeder = self.declaration.functions.get(tool)?;
        let source = param.from.iter().find(|source| source.tool == *tool)?;
        let item = &feeder.picks.get(pick)?.item;
        let field = source.field.strip_prefix(item.as_str())?.to_owned();
        Some(Feed::Item { call: *call, pick: pick.clone(), field, slot: None, minutes: 0 })
    }

    /// The role of a lookup: one lookup serves several fields of one item, and another of the same field is another place.
    fn role(&self, function: &Function, name: &str, source: &Source, others: &IndexMap<String, Feed>) -> String {
        for (other, feed) in others.iter().rev() {
            let Feed::Item { call, .. } = feed else { continue };
            let from =
                function.parameters.get(other).and_then(|param| param.from.iter().find(|it| it.tool == source.tool));
            let is_lookup = self.plan.calls.get(*call).is_some_and(|it| it.function == source.tool);
            if is_lookup && from.is_some_and(|from| from.field != source.field) {
                // Unless that item gave this field to somebody already.
                let taken = others.iter().any(|(it, feed)| {
                    let same = function.parameters.get(it).is_some_and(|it| it.from.contains(source));
                    same && feed.sources() == [*call]
                });
                let found = self.calls.iter().find(|(_, made)| **made == *call).map(|((_, role), _)| role.clone());
                if let Some(role) = found.filter(|_| !taken) {
                    return role;
                }
            }
        }
        name.to_owned()
    }

    /// The item of a call's answer that is meant, or a place in the answer outside of its lists.
    fn item(&mut self, call: usize, feeder: &'p Function, source: &Source, param: &'p Param) -> Option<Feed> {
        let within = |pick: &Pick| source.field.strip_prefix(&pick.item).map(str::to_owned);
        let fitting: Vec<(&String, &Pick)> = feeder.picks.iter().filter(|(_, pick)| within(pick).is_some()).collect();
        if fitting.is_empty() {
            let is_whole = !source.field.split('/').any(|part| part == "0");
            return is_whole.then(|| Feed::Whole { call, field: source.field.clone() });
        }
        if param.set {
            return self.set(call, feeder, source, (&fitting, param));
        }
        let list = fitting.first().map(|(_, pick)| pick.item.clone())?;
        let chosen = self.choices.get(&(call, list.clone())).cloned();
        let name = match chosen {
            Some(name) => name,
            None => self.any_of(&fitting)?,
        };
        self.choices.insert((call, list), name.clone());
        let pick = feeder.picks.get(&name)?;
        let slot = self.named(call, feeder, (&name, pick), param);
        Some(Feed::Item { call, pick: name, field: within(pick)?, slot, minutes: 0 })
    }

    /// One of several picks: now and then one that hangs on a quality, of which there are many.
    fn any_of(&mut self, picks: &[(&String, &Pick)]) -> Option<String> {
        let hangs = |pick: &Pick| matches!(pick.by, Criterion::Chosen(_));
        let (chosen, plain): (Vec<_>, Vec<_>) = picks.iter().partition(|(_, pick)| hangs(pick));
        let chosen =
            if plain.is_empty() || (!chosen.is_empty() && self.chance.happens(CHOSEN)) { chosen } else { plain };
        self.chance.pick(&chosen).map(|(name, _)| (*name).clone())
    }

    /// One or two items, each meant by its text.
    fn set(
        &mut self,
        call: usize,
        feeder: &'p Function,
        source: &Source,
        (fitting, param): (&[(&String, &Pick)], &Param),
    ) -> Option<Feed> {
        let (name, pick) = fitting.iter().find(|(_, pick)| matches!(pick.by, Criterion::Named(_)))?;
        let field = source.field.strip_prefix(&pick.item)?.to_owned();
        let count = if self.chance.happens(TWO) { 2 } else { 1 };
        let feeds = (0..count).map(|place| {
            let key = format!("{}.{}.{name}.{place}", self.matter, feeder.name);
            self.add_slot(&key, feeder, name, param);
            if let Some(slot) = self.plan.slots.get_mut(&key).filter(|_| place > 0) {
                slot.unlike = Some(format!("{}.{}.{name}.0", self.matter, feeder.name));
            }
            Feed::Item { call, pick: (*name).clone(), field: field.clone(), slot: Some(key), minutes: 0 }
        });
        Some(Feed::Set(feeds.collect()))
    }

    fn named(
        &mut self,
        call: usize,
        feeder: &'p Function,
        (name, pick): (&str, &Pick),
        param: &Param,
    ) -> Option<String> {
        matches!(pick.by, Criterion::Named(_)).then(|| {
            let key = format!("{}.{}.{name}.{call}", self.matter, feeder.name);
            self.add_slot(&key, feeder, name, param);
            key
        })
    }

    /// What people say themselves but need not, since another matter's answer holds it: where they will stay, when they land.
    pub(crate) fn elsewhere(
        &mut self,
        function: &Function,
        name: &str,
        param: &Param,
        others: &IndexMap<String, Feed>,
    ) -> Option<Feed> {
        let is_time = matches!(param.format, Some(Format::Date | Format::Time));
        if param.from.is_empty() || (!is_time && param.values.is_empty()) || !said_across(function, name, is_time) {
            return None;
        }
        let leans = |it: &Param| it.follows.as_ref().is_some_and(|follows| follows.parameter == name);
        let is_leaned_on =
            function.parameters.iter().any(|(other, it)| leans(it) && !self.has_of_case(function, other));
        if is_time && is_leaned_on {
            // How long after a day that nobody says could not be told.
            return None;
        }
        let tied = param.like.as_ref().filter(|_| is_time);
        let with = match tied.map(|other| others.get(other)) {
            Some(Some(Feed::Item { call, .. })) => Some(*call),
            Some(_) => return None,
            None => None,
        };
        let (call, source) = self.other_matter(param, with)?;
        // Who flies takes the car once the flight has landed.
        let follows = is_time && self.case.is_some();
        if with.is_none() && !follows && !self.chance.happens(ACROSS) {
            return None;
        }
        let (pick, field) = self.across(call, source)?;
        let later = param.format == Some(Format::Time)
            && function.sayings.said.get(name).is_some_and(|it| it.contains_key("after"));
        let minutes = if later && self.chance.happens(0.7) { LATER } else { 0 };
        Some(Feed::Item { call, pick, field, slot: None, minutes })
    }

    /// A call of another matter whose answer holds a value, and where; `with` is the only one that it may be.
    fn other_matter<'s>(&mut self, param: &'s Param, with: Option<usize>) -> Option<(usize, &'s Source)> {
        let matter = self.matter;
        let fits = |at: usize| with.is_none_or(|with| with == at);
        let calls = self.plan.calls.iter().enumerate().filter(|(at, call)| call.matter != matter && fits(*at));
        let found: Vec<(usize, &Source)> = calls
            .filter_map(|(at, call)| Some((at, param.from.iter().find(|source| source.tool == call.function)?)))
            .collect();
        self.chance.pick(&found).copied()
    }

    /// The pick that means an item of another matter's answer, and the field in it: the pick that is used already, where
    /// it names nothing.
    fn across(&mut self, call: usize, source: &Source) -> Option<(String, String)> {
        let feeder = self.declaration.functions.get(&source.tool)?;
        let used = self.plan.calls.iter().flat_map(|it| it.arguments.values());
        let meant = used.flat_map(feeds_of).find_map(|feed| match feed {
            Feed::Item { call: at, pick, .. } if *at == call => Some(pick.clone()),
            _ => None,
        });
        let within = |name: &String| feeder.picks.get(name).and_then(|pick| source.field.strip_prefix(&pick.item));
        let is_named = |name: &String| feeder.picks.get(name).is_some_and(|it| matches!(it.by, Criterion::Named(_)));
        let is_plain = |pick: &Pick| !matches!(pick.by, Criterion::Named(_) | Criterion::Chosen(_));
        let pick = meant.filter(|it| within(it).is_some() && !is_named(it)).or_else(|| {
            let plain = feeder.picks.iter().filter(|(name, it)| is_plain(it) && within(name).is_some());
            let fitting: Vec<&String> = plain.map(|(name, _)| name).collect();
            self.chance.pick(&fitting).map(|it| (*it).clone())
        })?;
        let field = within(&pick)?.to_owned();
        Some((pick, field))
    }
}

/// Whether the request can say that a value follows from another matter.
fn said_across(function: &Function, name: &str, is_time: bool) -> bool {
    if !is_time {
        return true;
    }
    let forms = function.sayings.said.get(name);
    function.sayings.mentions(name) && forms.is_some_and(|it| it.contains_key("same") || it.contains_key("after"))
}

/// A feed and those that it is made of.
pub(crate) fn feeds_of(feed: &Feed) -> Vec<&Feed> {
    match feed {
        Feed::Set(feeds) => feeds.iter().flat_map(feeds_of).collect(),
        Feed::List(items) => items.iter().flat_map(IndexMap::values).flat_map(feeds_of).collect(),
        plain => vec![plain],
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{inn, item, said, travel};
    use super::*;
    use crate::record::Plan;
    use std::collections::BTreeSet;

    #[test]
    fn what_comes_to_nothing_leaves_no_trace() {
        let mut sketch = inn().sketch("inns", 0);
        let search = inn().function("Search_Inns");
        let none = sketch.tried(|sketch| {
            sketch.call(search, "", 0)?;
            assert_eq!(sketch.plan.calls.len(), 2);
            None::<()>
        });
        assert_eq!((none, &sketch.plan), (None, &Plan::default()));
        assert!(sketch.calls.is_empty() && sketch.said.is_empty() && sketch.choices.is_empty());
        assert_eq!(sketch.tried(|sketch| sketch.call(search, "", 0)), Some(1));
        assert_eq!(sketch.plan.calls.len(), 2);
    }

    #[test]
    fn any_pick_may_mean_the_item_and_one_that_names_it_is_said() {
        let mut picks: BTreeSet<String> = BTreeSet::new();
        for draw in 0..40 {
            let mut sketch = inn().sketch("inns", draw);
            let at = sketch.call(inn().function("Book_Inn"), "", 0).unwrap();
            let Feed::Item { call, pick, field, slot, .. } = &sketch.plan.calls[at].arguments["token"] else {
                panic!("an item")
            };
            assert_eq!((*call, field.as_str(), slot.is_some()), (1, "/token", pick == "named"));
            let named = sketch.plan.slots.get("0.Search_Inns.named.1");
            assert_eq!(named.map(|it| it.parameter.as_str()), slot.as_ref().map(|_| "named"));
            picks.insert(pick.clone());
        }
        assert_eq!(picks.into_iter().collect::<Vec<_>>(), ["best", "cheapest", "named"]);
    }

    #[test]
    fn a_matter_is_about_one_item_of_a_list() {
        for draw in 0..20 {
            let mut sketch = inn().sketch("inns", draw);
            let calls = ["Get_Inn", "Book_Inn"].map(|name| sketch.call(inn().function(name), "", 0).unwrap());
            let [one, other] = calls.map(|at| &sketch.plan.calls[at].arguments["token"]);
            assert_eq!(one, other);
        }
    }

    #[test]
    fn a_car_is_returned_where_it_was_taken_or_both_halves_of_the_place_are_elsewhere() {
        let mut elsewhere = 0;
        for draw in 0..30 {
            let mut sketch = travel("en").sketch("car_rental", draw);
            let at = sketch.call(travel("en").function("Search_Car_Rentals"), "", 0).unwrap();
            let arguments = &sketch.plan.calls[at].arguments;
            let source = |name: &str| arguments[name].sources();
            assert_eq!(source("pick_up_latitude"), source("pick_up_longitude"));
            assert_eq!(source("drop_off_latitude"), source("drop_off_longitude"));
            elsewhere += usize::from(source("pick_up_latitude") != source("drop_off_latitude"));
        }
        assert!((1..20).contains(&elsewhere), "{elsewhere}");
    }

    #[test]
    fn a_set_has_one_or_two_items_that_are_named_apart() {
        let mut counts = BTreeSet::new();
        for draw in 0..60 {
            let mut sketch = travel("en").sketch("car_rental", draw);
            let at = sketch.call(travel("en").function("Get_Car_Booking_Summary"), "", 0).unwrap();
            let Some(Feed::Set(feeds)) = sketch.plan.calls[at].arguments.get("extra_ids").cloned() else { continue };
            let keys: Vec<&str> = feeds.iter().flat_map(Feed::slots).collect();
            assert_eq!(keys.len(), feeds.len());
            let unlike = |key: &str| sketch.plan.slots[key].unlike.as_deref();
            assert_eq!(unlike(keys[0]), None);
            assert!(keys.get(1).is_none_or(|key| unlike(key) == Some(keys[0])));
            counts.insert(feeds.len());
        }
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn another_matter_may_begin_where_and_when_the_first_ends() {
        let (mut across, mut later, mut sketches) = (0, 0, 0);
        for draw in 0..40 {
            let mut sketch = travel("en").sketch("cross", draw);
            sketch.call(travel("en").function("Get_Flight_Details"), "", 0).unwrap();
            let own = sketch.plan.calls.len();
            sketch.begin(1);
            let Some(at) = sketch.call(travel("en").function("Search_Taxi"), "", 0) else { continue };
            sketches += 1;
            let arguments = &sketch.plan.calls[at].arguments;
            let (date, time) = (&arguments["pick_up_date"], &arguments["pick_up_time"]);
            if let Feed::Item { call, minutes, .. } = date {
                assert!(*call < own && *minutes == 0, "a day is the same day");
                across += 1;
            }
            if let Feed::Item { minutes, .. } = time {
                assert_eq!(date.sources(), time.sources(), "the time of another day would be wrong");
                later += usize::from(*minutes == LATER);
            }
        }
        assert!(sketches > 20 && (5..sketches).contains(&across) && later > 0, "{sketches} {across} {later}");
    }

    #[test]
    fn a_feed_is_taken_apart() {
        let set = Feed::Set(vec![item(0, "a", ""), said("x")]);
        let legs = Feed::List(vec![IndexMap::from([("day".to_owned(), said("y")), ("all".to_owned(), set)])]);
        assert_eq!(feeds_of(&legs), [&said("y"), &item(0, "a", ""), &said("x")]);
        assert_eq!(feeds_of(&said("x")), [&said("x")]);
    }
}
