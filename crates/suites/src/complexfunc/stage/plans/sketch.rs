//! Strings functions together: each takes what an earlier answer holds, or what the request says.

use super::cases::CaseValues;
use super::fed::Choices;
use crate::record::{Chance, Constraint, Feed, Plan, PlanCall, PlanSlot, Value};
use crate::toolset::{Declaration, Function, Param};
use indexmap::IndexMap;

/// The longest chain that is tried.
const DEPTH: usize = 6;
/// How often an optional parameter is said.
const OPTIONAL: f64 = 0.5;
/// How often an optional parameter that another function's answer holds is given.
const FED: f64 = 0.45;

/// A plan in the making.
pub(crate) struct Sketch<'p> {
    pub declaration: &'p Declaration,
    /// The functions that may be called.
    pub allowed: Vec<&'p Function>,
    pub plan: Plan,
    pub chance: Chance,
    /// Which matter of the request is being planned.
    pub matter: usize,
    /// The calls of the matter, by function and role.
    pub calls: IndexMap<(String, String), usize>,
    /// What the matter says already, by parameter.
    pub said: IndexMap<String, String>,
    /// Which item of an answer the matter is about, by call and list.
    pub choices: Choices,
    /// The values of the case that the plan is about; none where it is about no case.
    pub case: Option<CaseValues>,
}

impl<'p> Sketch<'p> {
    pub(crate) fn new(declaration: &'p Declaration, allowed: Vec<&'p Function>, chance: Chance) -> Self {
        Self {
            declaration,
            allowed,
            plan: Plan::default(),
            chance,
            matter: 0,
            calls: IndexMap::new(),
            said: IndexMap::new(),
            choices: Choices::new(),
            case: None,
        }
    }

    /// Begins another matter.
    pub(crate) fn begin(&mut self, matter: usize) {
        self.matter = matter;
        self.calls.clear();
        self.said.clear();
        self.choices.clear();
    }

    /// The call of a function in a role, with all that it needs before it; none where something cannot be had.
    pub(crate) fn call(&mut self, function: &'p Function, role: &str, depth: usize) -> Option<usize> {
        let key = (function.name.clone(), role.to_owned());
        if let Some(known) = self.calls.get(&key) {
            return Some(*known);
        }
        if depth > DEPTH || !self.is_allowed(function) {
            return None;
        }
        let mut arguments = IndexMap::new();
        for (name, param) in &function.parameters {
            if let Some(feed) = self.argument(function, name, param, (role, depth, &arguments))? {
                arguments.insert(name.clone(), feed);
            }
        }
        let call = PlanCall { function: function.name.clone(), matter: self.matter, arguments, ..PlanCall::default() };
        self.plan.calls.push(call);
        self.calls.insert(key, self.plan.calls.len() - 1);
        Some(self.plan.calls.len() - 1)
    }

    /// What an argument is fed by; `Some(None)` where it is left out, `None` where it cannot be had.
    #[expect(clippy::option_option, reason = "left out is not the same as not to be had")]
    fn argument(
        &mut self,
        function: &'p Function,
        name: &str,
        param: &'p Param,
        (role, depth, others): (&str, usize, &IndexMap<String, Feed>),
    ) -> Option<Option<Feed>> {
        if !param.fields.is_empty() {
            return Some(Some(self.legs(function, name, param, depth)?));
        }
        if Self::takes_from_answers(function, param) {
            let wanted = param.required
                || (function.sayings.mentions(name) && !self.is_circular(function, param) && self.chance.happens(FED));
            return if wanted { Some(Some(self.fed(function, name, param, (depth, others))?)) } else { Some(None) };
        }
        if let Some(feed) = self.elsewhere(function, name, param, others) {
            return Some(Some(feed));
        }
        if let Some(is_said) = self.is_of_case(function, name) {
            let can = is_said || !param.required;
            let is_said = is_said && (param.required || self.is_taken(function, name));
            return can.then(|| is_said.then(|| Feed::Said(self.slot(function, name, param, role))));
        }
        let known = self.said.contains_key(name) && !function.free;
        // The price of a ticket and the order of hotels say nothing of the price of a night and the order of cars.
        if known && !param.required && self.is_of_another_domain(function, name, param) {
            return Some(None);
        }
        // What is said of another date is said once that one is.
        let leans = param.follows.as_ref().is_some_and(|it| !function.parameters.contains_key(&it.parameter));
        let says = param.required
            || known
            || (!leans && function.sayings.mentions(name) && !function.free && self.chance.happens(OPTIONAL));
        Some(says.then(|| Feed::Said(self.slot(function, name, param, role))))
    }

    /// Whether the case says what a parameter takes; none where no case would. Lookups say where, which a case always has.
    fn is_of_case(&self, function: &Function, name: &str) -> Option<bool> {
        let values = self.case.as_ref().filter(|_| !function.free)?;
        let (field, _) = self.declaration.cases.field(&function.name, name)?;
        Some(values.contains_key(field))
    }

    /// Whether a parameter that need not be given takes what the case has.
    fn is_taken(&mut self, function: &Function, name: &str) -> bool {
        let field = self.declaration.cases.field(&function.name, name).and_then(|(_, field)| field.taken);
        field.is_none_or(|share| self.chance.happens(share))
    }

    /// Whether a case's value is what a parameter takes.
    pub(crate) fn has_of_case(&self, function: &Function, name: &str) -> bool {
        self.is_of_case(function, name) == Some(true)
    }

    /// Whether a parameter's values come from answers, and not from people.
    fn takes_from_answers(function: &Function, param: &Param) -> bool {
        let sources = param.from.iter().any(|source| source.tool != function.name);
        sources
            && param.format.is_none()
            && param.values.is_empty()
            && (param.listed.is_none() || ties(function, param))
    }

    /// Whether a parameter of the same name was said for a function of another domain, and is neither of people nor of when
    /// and where: these hold for all that a person asks.
    fn is_of_another_domain(&self, function: &Function, name: &str, param: &Param) -> bool {
        let slot = self.said.get(name).and_then(|key| self.plan.slots.get(key));
        let other = slot.and_then(|slot| self.declaration.functions.get(&slot.function));
        let holds_for_all = matches!(
            param.constraint,
            Some(Constraint::People | Constraint::Age | Constraint::Date | Constraint::Time | Constraint::Location)
        );
        !holds_for_all && other.is_some_and(|it| it.domain != function.domain)
    }

    /// Whether what holds a value needs this function's own answer.
    fn is_circular(&self, function: &Function, param: &Param) -> bool {
        param.from.iter().all(|source| {
            let needs = |it: &Param| it.required && it.from.iter().any(|from| from.tool == function.name);
            self.declaration.functions.get(&source.tool).is_none_or(|it| it.parameters.values().any(needs))
        })
    }

    /// The slot by which the request says a parameter: one for each lookup, else one for the whole matter.
    pub(crate) fn slot(&mut self, function: &Function, name: &str, param: &Param, role: &str) -> String {
        if function.free {
            let key = format!("{}.{role}", self.matter);
            self.add_slot(&key, function, name, param);
            return key;
        }
        let key = format!("{}.{name}", self.matter);
        self.add_slot(&key, function, name, param);
        self.said.insert(name.to_owned(), key.clone());
        key
    }

    pub(crate) fn add_slot(&mut self, key: &str, function: &Function, parameter: &str, param: &Param) {
        // A lookup's slot is called after the parameter that it serves.
        let served = key.split_once('.').map_or("", |(_, served)| served);
        let served = if served.is_empty() { parameter } else { served };
        let field = self.case.as_ref().and_then(|_| self.declaration.cases.field(&function.name, served));
        let slot = PlanSlot {
            field: field.map(|(name, _)| name.to_owned()),
            function: function.name.clone(),
            parameter: parameter.to_owned(),
            protected: param.protected || is_fixed(function, parameter, param),
            ..PlanSlot::default()
        };
        self.plan.slots.entry(key.to_owned()).or_insert(slot);
    }

    /// Whether a function may be called beside those that are.
    pub(crate) fn is_allowed(&self, function: &Function) -> bool {
        let apart = |call: &PlanCall| !self.declaration.overlap(&call.function, &function.name);
        self.allowed.iter().any(|it| it.name == function.name) && self.plan.calls.iter().all(apart)
    }

    fn legs(&mut self, function: &'p Function, name: &str, param: &'p Param, depth: usize) -> Option<Feed> {
        let count = 2 + self.chance.below(2);
        let mut legs: Vec<IndexMap<String, Feed>> = Vec::new();
        for leg in 0..count {
            let mut fields = IndexMap::new();
            for (field, inner) in &param.fields {
                let role = format!("{name}.{leg}.{field}");
                let feed = if Self::takes_from_answers(function, inner) {
                    self.leg_end(inner, &legs, (&role, field, depth))?
                } else {
                    let key = format!("{}.{role}", self.matter);
                    self.add_slot(&key, function, &format!("{name}.{field}"), inner);
                    Feed::Said(key)
                };
                fields.insert(field.clone(), feed);
            }
            legs.push(fields);
        }
        Some(Feed::List(legs))
    }

    /// A place of a leg: it begins where the one before ended.
    fn leg_end(
        &mut self,
        param: &'p Param,
        legs: &[IndexMap<String, Feed>],
        (role, field, depth): (&str, &str, usize),
    ) -> Option<Feed> {
        if let Some(last) = legs.last() {
            let is_place =
                |(name, feed): (&String, &Feed)| (name != field && !feed.sources().is_empty()).then(|| feed.clone());
            let first_place = last.iter().position(|(name, _)| name == field)?;
            let others: Vec<Feed> = last.iter().filter_map(is_place).collect();
            let begins = last.values().take(first_place).all(|feed| feed.sources().is_empty());
            if begins && !others.is_empty() {
                return others.into_iter().next();
            }
        }
        self.looked_up(param, role, depth)
    }
}

/// Whether requests can give a parameter one value alone.
fn is_fixed(function: &Function, name: &str, param: &Param) -> bool {
    let Some(listed) = &param.listed else { return param.type_name == "boolean" };
    let forms = function.sayings.said.get(name);
    let is_default = |value: &Value| param.default.as_ref().is_some_and(|default| default.equals(value));
    let said =
        |value: &&Value| forms.is_some_and(|it| it.contains_key(&super::values::text(value))) && !is_default(value);
    listed.iter().filter(said).count() < 2
}

/// Whether a listed parameter comes with another of the same item: the sort of a destination with its id.
fn ties(function: &Function, param: &Param) -> bool {
    param.required
        && param.from.iter().any(|source| {
            function.parameters.values().any(|other| {
                !std::ptr::eq(other, param)
                    && other.listed.is_none()
                    && other.from.iter().any(|it| it.tool == source.tool && it.field != source.field)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{inn, item, names, travel};
    use super::*;
    use std::collections::BTreeSet;

    fn called(name: &str, draw: u32) -> Sketch<'static> {
        let mut sketch = inn().sketch("inns", draw);
        sketch.call(inn().function(name), "", 0).unwrap();
        sketch
    }

    #[test]
    fn a_function_comes_after_all_that_feeds_it() {
        let sketch = called("Book_Inn", 1);
        assert_eq!(names(&sketch.plan), ["Find_Town", "Search_Inns", "Book_Inn"]);
        let [find, search, book] = &sketch.plan.calls[..] else { panic!("three calls") };
        assert_eq!(find.arguments["query"], Feed::Said("0.town_id".to_owned()));
        assert_eq!(search.arguments["town_id"], item(0, "asked", "/id"));
        assert_eq!(search.arguments["arrival"], Feed::Said("0.arrival".to_owned()));
        assert_eq!(book.sources(), [1]);
        let slot = &sketch.plan.slots["0.town_id"];
        assert_eq!((slot.function.as_str(), slot.parameter.as_str(), slot.protected), ("Find_Town", "query", false));
    }

    #[test]
    fn what_need_not_be_said_is_said_now_and_then_where_there_are_words_for_it() {
        let sketches: Vec<Sketch> = (0..40).map(|draw| called("Search_Inns", draw)).collect();
        let count = |name: &str| sketches.iter().filter(|it| it.plan.calls[1].arguments.contains_key(name)).count();
        for name in ["guests", "ages", "quiet"] {
            assert!((5..36).contains(&count(name)), "{name}: {}", count(name));
        }
        assert_eq!(["stars_from", "filters", "sort", "page"].map(count), [0; 4], "nobody would say these");
        assert_eq!(["town_id", "arrival", "departure"].map(count), [40; 3]);
        let quiet = sketches.iter().find_map(|it| it.plan.slots.get("0.quiet")).unwrap();
        assert!(quiet.protected, "it can only be true");
    }

    #[test]
    fn what_cannot_be_had_is_not_called() {
        let search = inn().function("Search_Inns");
        let mut sketch = inn().sketch("inns", 0);
        sketch.allowed.retain(|it| it.name != "Find_Town");
        assert_eq!(sketch.call(search, "", 0), None, "nothing else knows towns");
        let mut sketch = inn().sketch("inns", 0);
        assert_eq!(sketch.call(search, "", DEPTH + 1), None);
        sketch.call(inn().function("Locate_Town"), "", 0).unwrap();
        assert_eq!(sketch.call(inn().function("Find_Town"), "town_id", 0), None, "the two overlap");
    }

    #[test]
    fn a_matter_has_each_call_once_and_another_matter_has_its_own() {
        let mut sketch = called("Search_Inns", 3);
        let search = inn().function("Search_Inns");
        assert_eq!(sketch.call(search, "", 0), Some(1));
        assert_eq!(sketch.call(inn().function("Get_Inn"), "", 0), Some(2));
        sketch.begin(1);
        assert_eq!(sketch.call(search, "", 0), Some(4));
        assert_eq!(sketch.plan.calls.iter().map(|it| it.matter).collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
        let matters: BTreeSet<&str> = sketch.plan.slots.keys().filter_map(|key| key.split('.').next()).collect();
        assert_eq!(matters.into_iter().collect::<Vec<_>>(), ["0", "1"]);
        assert_eq!(sketch.plan.calls[4].arguments["arrival"], Feed::Said("1.arrival".to_owned()));
    }

    #[test]
    fn every_leg_has_a_place_and_a_day_of_its_own() {
        let sketch = called("Plan_Tour", 2);
        let Feed::List(legs) = &sketch.plan.calls.last().unwrap().arguments["legs"] else { panic!("a list") };
        assert!((2..4).contains(&legs.len()) && sketch.plan.calls.len() == legs.len() + 1);
        for (at, leg) in legs.iter().enumerate() {
            assert_eq!(leg["day"], Feed::Said(format!("0.legs.{at}.day")));
            assert_eq!(leg["town_id"], item(at, "asked", "/id"));
        }
        assert_eq!(sketch.plan.slots["0.legs.1.day"].parameter, "legs.day");
        assert_eq!(sketch.plan.slots["0.legs.1.town_id"].function, "Find_Town");
    }

    #[test]
    fn a_flight_begins_where_the_one_before_ended() {
        for draw in 0..6 {
            let mut sketch = travel("en").sketch("flights", draw);
            let at = sketch.call(travel("en").function("Search_Flights_Multi_Stops"), "", 0).unwrap();
            let Feed::List(legs) = &sketch.plan.calls[at].arguments["legs"] else { panic!("a list") };
            let places =
                |leg: &IndexMap<String, Feed>| leg.values().filter(|it| !it.sources().is_empty()).cloned().collect();
            let places: Vec<Vec<Feed>> = legs.iter().map(places).collect();
            assert!(places.windows(2).all(|pair| pair[0].len() == 2 && pair[0][1] == pair[1][0]), "{places:?}");
        }
    }

    #[test]
    fn prices_and_orders_of_one_domain_say_nothing_of_another() {
        let mut looked = 0;
        for draw in 0..40 {
            let mut sketch = travel("en").sketch("cross", draw);
            let made =
                ["Search_Attractions", "Search_Hotels"].map(|name| sketch.call(travel("en").function(name), "", 0));
            let [Some(one), Some(other)] = made else { continue };
            let at = [one, other];
            looked += 1;
            let fed = |at: usize, name: &str| sketch.plan.calls[at].arguments.get(name);
            let both = |name: &&str| fed(at[0], name).is_some() && fed(at[0], name) == fed(at[1], name);
            let shared: Vec<&str> =
                ["price_min", "price_max", "sort_by", "currency_code"].into_iter().filter(both).collect();
            assert_eq!(shared, [""; 0]);
        }
        assert!(looked > 5, "{looked}");
    }

    #[test]
    fn the_sort_of_a_destination_comes_with_its_id() {
        for draw in 0..10 {
            let mut sketch = travel("en").sketch("hotels", draw);
            let at = sketch.call(travel("en").function("Search_Hotels"), "", 0).unwrap();
            let Feed::Item { call, pick, .. } = &sketch.plan.calls[at].arguments["dest_id"] else { panic!("an item") };
            assert_eq!(sketch.plan.calls[at].arguments["search_type"], item(*call, pick, "/search_type"));
        }
    }
}
