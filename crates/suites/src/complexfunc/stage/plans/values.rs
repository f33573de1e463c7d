//! Draws what a request says: towns, days, people, and whatever else its functions take.

use super::brief::{near_to, parameter, places, say, takers};
use super::cases::{CaseBook, CaseValues, case_values};
use crate::locale::{Date, DayOrder, Stamp};
use crate::record::{Chance, Feed, Plan, SaidValue, Value};
use crate::toolset::{Criterion, Format, Function, Param};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// How often a value is drawn again that may not stand.
const TRIES: usize = 24;
/// The first day on which something may happen, and how many days there are (`ComplexFuncBench`, figure 9).
const FIRST_DAY: Date = Date { year: 2024, month: 11, day: 1 };
const DAYS: usize = 60;
/// How often a date is said by how many days it comes after another.
const LENGTH: f64 = 0.4;
/// The most days between two legs of a journey.
const LEG_DAYS: usize = 5;
/// How often a day is one of the next ones, for which there is a word.
const NEAR: f64 = 0.08;

/// What the request says, by slot.
pub(crate) type Said = IndexMap<String, SaidValue>;

/// What stands before the values of a request are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'g> {
    /// What stays as it is, unless it hangs on a day or a place that does not.
    pub kept: &'g Said,
    /// What all else is to differ from.
    pub other: Option<&'g Said>,
    /// The order in which days are said.
    pub order: &'g DayOrder,
    /// The world's cases, where the plan may be about one.
    pub cases: Option<&'g CaseBook<'g>>,
}

/// Draws a value for every slot of a plan but those that name what an answer will hold.
pub(crate) fn draw_values(world: &DeclaredWorld, plan: &Plan, given: Given<'_>, chance: &mut Chance) -> Option<Said> {
    let mut said = Said::new();
    let case = match given.cases.filter(|_| plan.case.is_some()) {
        Some(book) => case_values(book, (world.declaration(), plan), (given.kept, given.other), chance)?,
        None => CaseValues::new(),
    };
    for key in in_turn(world, plan) {
        if is_named(world, plan, &key) {
            continue;
        }
        let mut draw = Draw { world, plan, said: &said, given, case: &case, chance: &mut *chance };
        let value = match given.kept.get(&key).and_then(|kept| draw.kept(&key, kept)) {
            Some(kept) => kept,
            None => draw.slot(&key)?,
        };
        said.insert(key, value);
    }
    let stored = |(field, value): (String, Value)| {
        (super::cases::key(&field), SaidValue { value, words: String::new(), length: None })
    };
    said.extend(case.into_iter().map(stored));
    Some(said)
}

/// Whether a slot says the text of an item that a call must find first.
pub(crate) fn is_named(world: &DeclaredWorld, plan: &Plan, key: &str) -> bool {
    let slot = plan.slots.get(key);
    slot.is_some_and(|slot| {
        let picks = world.declaration().functions.get(&slot.function).map(|it| &it.picks);
        picks.and_then(|it| it.get(&slot.parameter)).is_some_and(|pick| matches!(pick.by, Criterion::Named(_)))
    })
}

/// The slots, each after those that it leans on.
fn in_turn(world: &DeclaredWorld, plan: &Plan) -> Vec<String> {
    let mut order = Vec::new();
    for key in plan.slots.keys() {
        put(world, plan, key, &mut Vec::new(), &mut order);
    }
    order
}

/// Puts a slot behind those that it leans on; `above` are the slots that lean on it.
fn put<'p>(world: &DeclaredWorld, plan: &'p Plan, key: &'p str, above: &mut Vec<&'p str>, order: &mut Vec<String>) {
    if above.contains(&key) || order.iter().any(|it| it == key) {
        return;
    }
    above.push(key);
    for other in leans_on(world, plan, key) {
        put(world, plan, other, above, order);
    }
    above.pop();
    order.push(key.to_owned());
}

/// The slots that must be known before one is drawn: what it agrees with, differs from, follows, or is near to.
fn leans_on<'p>(world: &DeclaredWorld, plan: &'p Plan, key: &str) -> Vec<&'p str> {
    let declaration = world.declaration();
    let mut found: Vec<&str> = near_to(declaration, plan, key).map(|feed| places(plan, feed)).unwrap_or_default();
    if let Some(slot) = plan.slots.get(key) {
        found.extend(slot.with.iter().chain(&slot.unlike).map(String::as_str));
    }
    let follows = parameter(declaration, plan, key).and_then(|it| it.follows.as_ref());
    let beside = follows.map(|it| beside(key, &it.parameter)).unwrap_or_default();
    found.extend(beside.iter().filter_map(|it| plan.slots.get_key_value(it.as_str())).map(|(key, _)| key.as_str()));
    found
}

/// The slots of the same matter that say another parameter: in the same branch, or before it divides.
fn beside(key: &str, parameter: &str) -> Vec<String> {
    let Some((prefix, _)) = key.rsplit_once('.') else { return Vec::new() };
    let branch = key.split_once('#').map(|(_, branch)| format!("{prefix}.{parameter}#{branch}"));
    branch.into_iter().chain(std::iter::once(format!("{prefix}.{parameter}"))).collect()
}

struct Draw<'d> {
    world: &'d DeclaredWorld,
    plan: &'d Plan,
    said: &'d Said,
    given: Given<'d>,
    case: &'d CaseValues,
    chance: &'d mut Chance,
}

impl Draw<'_> {
    /// A value that stays: a date that is said by its distance moves with the day that it follows. One that would come
    /// before that day or too long after it, and a place that would be in another town than it must be, are drawn anew.
    fn kept(&mut self, key: &str, kept: &SaidValue) -> Option<SaidValue> {
        let param = parameter(self.world.declaration(), self.plan, key)?;
        // What follows from the case stays where the case keeps it.
        if let Some(value) = self.of_case(key).filter(|_| param.values.is_empty()) {
            return (kept.value == *value).then(|| kept.clone());
        }
        let follows = param.follows.as_ref();
        let Some((follows, base)) = follows.and_then(|it| Some((it, self.beside(key, &it.parameter)?))) else {
            return self.stays(key, param, &kept.value).then(|| kept.clone());
        };
        let base = Stamp::read(base.value.as_str()?)?.date?;
        if let Some(length) = kept.length {
            let date = base.plus(i64::from(length))?;
            return Some(SaidValue { value: Value::from(date.to_string()), ..kept.clone() });
        }
        let days = Stamp::read(kept.value.as_str()?)?.date?.number() - base.number();
        let (least, most) = follows.days;
        (i64::from(least)..=i64::from(most)).contains(&days).then(|| kept.clone())
    }

    fn slot(&mut self, key: &str) -> Option<SaidValue> {
        let slot = self.plan.slots.get(key)?;
        if let Some(other) = slot.with.as_ref().and_then(|with| self.said.get(with)) {
            return Some(SaidValue { length: None, ..other.clone() });
        }
        let function = self.world.declaration().functions.get(&slot.function)?;
        let param = parameter(self.world.declaration(), self.plan, key)?;
        let unlike = slot.unlike.as_ref().and_then(|other| self.said.get(other)).map(|it| it.value.clone());
        for _ in 0..TRIES {
            let Some((value, length)) = self.value(key, function, param) else { continue };
            let is_new = unlike.as_ref().is_none_or(|other| !other.equals(&value));
            let is_default = param.default.as_ref().is_some_and(|default| default.equals(&value));
            let before = self
                .given
                .other
                .and_then(|other| other.get(key))
                .filter(|_| slot.with.is_none() && !slot.protected && slot.field.is_none());
            let repeats = before.is_some_and(|before| before.value.equals(&value));
            if is_new && !is_default && !repeats && !self.meets_itself(key, param, &value) {
                let named = (key_parameter(self.plan, key), param);
                let words = match self.said_before(key, &value) {
                    Some(words) => words,
                    None => self.worded(key, function, named, &value)?,
                };
                return Some(SaidValue { value, words, length });
            }
        }
        None
    }

    /// The value of the case that a slot has.
    fn of_case(&self, key: &str) -> Option<&Value> {
        self.case.get(self.plan.slots.get(key)?.field.as_ref()?)
    }

    /// The words by which the same value of the case is said already.
    fn said_before(&self, key: &str, value: &Value) -> Option<String> {
        let own = self.plan.slots.get(key)?;
        let field = own.field.as_ref()?;
        let is_same = |(other, said): &(&String, &SaidValue)| {
            let slot = self.plan.slots.get(*other);
            slot.is_some_and(|it| it.field.as_ref() == Some(field) && it.parameter == own.parameter)
                && said.value == *value
        };
        self.said.iter().find(is_same).map(|(_, said)| said.words.clone())
    }

    /// Whether a slot has a day of the case that follows no other.
    fn begins(&self, key: &str) -> bool {
        let field = self.plan.slots.get(key).and_then(|slot| slot.field.as_ref());
        field.and_then(|it| self.world.declaration().cases.fields.get(it)).is_some_and(|it| it.after.is_none())
    }

    /// Whether a value is said by how far it is from today.
    fn is_near(&self, words: &str) -> bool {
        self.world.pack().requests.near.values().flatten().any(|word| word == words)
    }

    /// The words for a value. Of the days of a case the first is said with its year, unless it is said by how far it is.
    fn worded(&mut self, key: &str, function: &Function, named: (&str, &Param), value: &Value) -> Option<String> {
        let day = Stamp::read(&text(value)).and_then(|it| it.date).filter(|_| named.1.format == Some(Format::Date));
        let year = day.filter(|_| self.of_case(key).is_some()).map(|it| it.year.to_string());
        // Only the day on which everything begins is said by how far it is; what comes after another day would be taken for
        // so much later than that one.
        if let Some(day) = day.filter(|_| !self.case.is_empty() && !self.begins(key)) {
            let pack = self.world.pack();
            return pack.requests.days.as_ref().map(|days| days.say_in(self.given.order, day, self.chance));
        }
        let mut say = || say(self.world, function, named, (value, self.given.order), self.chance);
        let first = say()?;
        let Some(year) = year.filter(|year| !self.said.values().any(|it| it.words.contains(year.as_str()))) else {
            return Some(first);
        };
        let near = &self.world.pack().requests.near;
        if near.values().flatten().any(|word| *word == first) || first.contains(&year) {
            return Some(first);
        }
        Some((0..TRIES).filter_map(|_| say()).find(|words| words.contains(&year)).unwrap_or(first))
    }

    fn value(&mut self, key: &str, function: &Function, param: &Param) -> Option<(Value, Option<u32>)> {
        if let Some(value) = self.of_case(key).cloned() {
            return self.taken(key, (function, param), value);
        }
        if let Some(follows) = &param.follows {
            if let Some(base) = self.beside(key, &follows.parameter).cloned() {
                let (least, most) = follows.days;
                let days = least + u32::try_from(self.chance.below((most - least + 1) as usize)).unwrap_or(0);
                let date = Stamp::read(base.value.as_str()?)?.date?.plus(i64::from(days))?;
                let by_length = follows
                    .length
                    .as_ref()
                    .is_some_and(|slot| function.sayings.mentions(slot) || self.mentioned(key, slot));
                let length = (by_length && days > 0 && self.chance.happens(LENGTH)).then_some(days);
                return Some((Value::from(date.to_string()), length));
            }
        }
        self.plain(key, function, param).map(|value| (value, None))
    }

    /// A value of the case as a parameter takes it: of a place one of those that are there, of a day that follows another one
    /// perhaps how long it comes after it.
    fn taken(
        &mut self,
        key: &str,
        (function, param): (&Function, &Param),
        value: Value,
    ) -> Option<(Value, Option<u32>)> {
        if !param.values.is_empty() {
            return self.place(key, param).map(|place| (place, None));
        }
        let Some(follows) = &param.follows else { return Some((value, None)) };
        let Some(base) = self.beside(key, &follows.parameter).cloned() else { return Some((value, None)) };
        let date = |value: &Value| Stamp::read(value.as_str()?)?.date;
        let days = u32::try_from(date(&value)?.number() - date(&base.value)?.number()).ok()?;
        let (least, most) = follows.days;
        let by_length =
            follows.length.as_ref().is_some_and(|slot| function.sayings.mentions(slot) || self.mentioned(key, slot));
        let length = (by_length && !self.is_near(&base.words) && self.chance.happens(LENGTH)).then_some(days);
        (least..=most).contains(&days).then_some((value, length))
    }

    /// Whether any function that takes a slot has words for how long it is.
    fn mentioned(&self, key: &str, slot: &str) -> bool {
        takers(self.plan, key).into_iter().any(|call| {
            let function =
                self.plan.calls.get(call).and_then(|it| self.world.declaration().functions.get(&it.function));
            function.is_some_and(|it| it.sayings.mentions(slot))
        })
    }

    fn plain(&mut self, key: &str, function: &Function, param: &Param) -> Option<Value> {
        if let Some(format) = param.format {
            return self.formatted(key, format, param);
        }
        if !param.values.is_empty() {
            return self.place(key, param);
        }
        if let Some(listed) = &param.listed {
            let words = function.sayings.said.get(key_parameter(self.plan, key));
            let said: Vec<&Value> =
                listed.iter().filter(|value| words.is_some_and(|it| it.contains_key(&text(value)))).collect();
            return self.chance.pick(&said).map(|value| (*value).clone());
        }
        if param.type_name == "boolean" {
            return Some(Value::Bool(true));
        }
        if let Some((least, most, step)) = param.drawn.or(param.range.map(|(least, most)| (least, most, 1.0))) {
            let number = self.number(least, most, step);
            return Value::read(&number.to_string()).ok();
        }
        if let Some(of) = &param.of {
            let keys = self.world.session().rows(of);
            let row = self.chance.pick(&keys)?.as_object()?.clone();
            return row.values().next().cloned();
        }
        let kind = param.kind.as_ref()?;
        self.world.pack().draw(kind, self.chance).map(|drawn| drawn.value)
    }

    fn formatted(&mut self, key: &str, format: Format, param: &Param) -> Option<Value> {
        match format {
            Format::Date => self.day(key).map(|day| Value::from(day.to_string())),
            Format::Time => {
                let (least, most, _) = param.drawn.unwrap_or((8.0, 20.0, 1.0));
                let hour = self.number(least, most, 1.0);
                let minute = if self.chance.happens(0.25) { 30 } else { 0 };
                Some(Value::from(format!("{hour:02.0}:{minute:02}")))
            }
            Format::Numbers => {
                let (least, most, step) = param.drawn.unwrap_or((2.0, 9.0, 1.0));
                let count = 1 + self.chance.below(2);
                let mut ages: Vec<f64> = (0..count).map(|_| self.number(least, most, step)).collect();
                ages.sort_by(f64::total_cmp);
                let texts: Vec<String> = ages.iter().map(|age| format!("{age:.0}")).collect();
                Some(Value::from(texts.join(",")))
            }
        }
    }

    fn number(&mut self, least: f64, most: f64, step: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ranges of requests are small")]
        let steps = ((most - least) / step).floor().max(0.0) as usize;
        #[expect(clippy::cast_precision_loss, reason = "ranges of requests are small")]
        let at = self.chance.below(steps + 1) as f64;
        least + step * at
    }

    /// A day; days that stand for themselves come one after another as their slots do.
    fn day(&mut self, key: &str) -> Option<Date> {
        if let Some(last) = self.last_leg(key) {
            return last.plus(1 + i64::try_from(self.chance.below(LEG_DAYS)).ok()?);
        }
        let other = self.plan.slots.get(key).and_then(|slot| self.said.get(slot.unlike.as_ref()?));
        if let Some(other) = other.filter(|_| !self.case.is_empty()) {
            let base = Stamp::read(other.value.as_str()?)?.date?;
            return base.plus(1 + i64::try_from(self.chance.below(4)).ok()?);
        }
        let today = Stamp::read(&self.world.declaration().today)?.date?;
        if self.chance.happens(NEAR) {
            let near: Vec<u32> = self.world.pack().requests.near.keys().copied().collect();
            return today.plus(i64::from(*self.chance.pick(&near)?));
        }
        FIRST_DAY.plus(i64::try_from(self.chance.below(DAYS)).ok()?)
    }

    /// The day of the leg before a leg.
    fn last_leg(&self, key: &str) -> Option<Date> {
        let is_day = |key: &str| key.contains("legs") && key.ends_with("date");
        let before = self.said.iter().filter(|(other, _)| is_day(key) && is_day(other));
        before.filter_map(|(_, it)| Stamp::read(it.value.as_str()?)?.date).max()
    }

    /// A place that people name; near another one where it must be.
    fn place(&mut self, key: &str, param: &Param) -> Option<Value> {
        // What is compared is of one sort: two towns, or two airports.
        let other = self.plan.slots.get(key).and_then(|slot| self.said.get(slot.unlike.as_ref()?));
        let other = other.map(|it| it.value.clone());
        let is_like = |(table, column): &&(String, String)| {
            let has = |other: &Value| {
                let rows = self.world.session().rows(table);
                rows.iter().filter_map(Value::as_object).any(|row| row.get(column) == Some(other))
            };
            other.as_ref().is_none_or(has)
        };
        let alike: Vec<&(String, String)> = param.values.iter().filter(is_like).collect();
        let (table, column) = (*self.chance.pick(&alike)?).clone();
        let wanted = self.of_case(key).cloned().or_else(|| self.near(key));
        let rows = self.world.session().rows(&table);
        let city = |row: &Value| row.as_object().and_then(|row| row.get("city")).cloned();
        let fitting: Vec<&Value> = rows.iter().filter(|row| wanted.is_none() || city(row) == wanted).collect();
        let row = self.chance.pick(&fitting)?;
        row.as_object()?.get(&column).cloned()
    }

    /// The town in which a place must be: that of the place that it is near to.
    fn near(&self, key: &str) -> Option<Value> {
        self.town_of(near_to(self.world.declaration(), self.plan, key)?)
    }

    /// Whether a place that stays is still where it must be, and not where the same call begins or ends; and whether the day
    /// of a leg still comes soon after the leg before.
    fn stays(&self, key: &str, param: &Param, value: &Value) -> bool {
        if let Some(last) = self.last_leg(key) {
            let day = value.as_str().and_then(Stamp::read).and_then(|it| it.date);
            let most = i64::try_from(LEG_DAYS).unwrap_or(i64::MAX);
            return day.is_some_and(|day| (1..=most).contains(&(day.number() - last.number())));
        }
        let in_town =
            |town: &Value| param.values.iter().any(|(table, column)| self.towns((table, column), value).contains(town));
        let town = self.of_case(key).cloned().or_else(|| self.near(key));
        !self.meets_itself(key, param, value) && town.is_none_or(|town| in_town(&town))
    }

    /// The towns of the rows of a table that have a value in a column.
    fn towns(&self, (table, column): (&String, &String), value: &Value) -> Vec<Value> {
        let rows = self.world.session().rows(table);
        let named = rows.iter().filter_map(Value::as_object).filter(|row| row.get(column) == Some(value));
        named.filter_map(|row| row.get("city").cloned()).collect()
    }

    /// The town of the place that a feed was looked up by.
    fn town_of(&self, feed: &Feed) -> Option<Value> {
        let lookup = self.plan.calls.get(*feed.sources().first()?)?;
        for slot in lookup.arguments.values().flat_map(Feed::slots) {
            let said = self.said.get(slot)?;
            let param = parameter(self.world.declaration(), self.plan, slot)?;
            for (table, column) in &param.values {
                if let Some(town) = self.towns((table, column), &said.value).into_iter().next() {
                    return Some(town);
                }
            }
        }
        // What an answer says is near is in the town of its own search.
        lookup.arguments.values().find_map(|feed| if feed.sources().is_empty() { None } else { self.town_of(feed) })
    }

    /// Whether a place is where the same call already begins or ends.
    fn meets_itself(&self, key: &str, param: &Param, value: &Value) -> bool {
        if param.values.is_empty() {
            return false;
        }
        let own: Vec<usize> = takers(self.plan, key);
        let together = self.plan.calls.iter().filter(|call| call.sources().iter().any(|it| own.contains(it)));
        let others = together.flat_map(crate::record::PlanCall::sources).filter(|it| !own.contains(it));
        let slots: Vec<&str> = others
            .filter_map(|call| self.plan.calls.get(call))
            .flat_map(|call| call.arguments.values())
            .flat_map(Feed::slots)
            .filter(|it| *it != key)
            .collect();
        slots.iter().any(|slot| self.said.get(*slot).is_some_and(|it| it.value.equals(value)))
    }

    /// What the same matter says of another parameter.
    fn beside(&self, key: &str, parameter: &str) -> Option<&SaidValue> {
        beside(key, parameter).iter().find_map(|it| self.said.get(it))
    }
}

/// The parameter of a slot, as it is written.
pub(crate) fn key_parameter<'p>(plan: &'p Plan, key: &str) -> &'p str {
    plan.slots.get(key).map_or("", |slot| slot.parameter.as_str())
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, given, inn, item, said, slot, stay, travel, two_towns};
    use super::*;
    use crate::record::PlanSlot;

    fn day(said: &Said, key: &str) -> i64 {
        Stamp::read(said[key].value.as_str().unwrap()).unwrap().date.unwrap().number()
    }

    fn drawn(plan: &Plan, kept: &Said, draw: u32) -> Said {
        draw_values(&inn().world, plan, given(kept), &mut Chance::new(1, "v", "p", draw)).unwrap()
    }

    fn all(plan: &Plan) -> Vec<Said> {
        (0..60).map(|draw| drawn(plan, &Said::new(), draw)).collect()
    }

    fn number(value: &Value) -> u32 {
        text(value).parse().unwrap()
    }

    #[test]
    fn every_value_is_one_that_its_function_takes() {
        let (first, today) = (FIRST_DAY.number(), Date { year: 2024, month: 10, day: 13 }.number());
        for said in all(&stay()) {
            let town = said["0.town_id"].value.as_str().unwrap();
            assert!(["Millbrook", "Greyford", "Old Harbor"].contains(&town));
            let arrival = day(&said, "0.arrival");
            assert!((first..first + 60).contains(&arrival) || [1, 2, 7, 14].contains(&(arrival - today)), "{arrival}");
            assert!([1, 3, 4].contains(&number(&said["0.guests"].value)), "2 would be the default");
            let ages: Vec<u32> = text(&said["0.ages"].value).split(',').map(|age| age.parse().unwrap()).collect();
            assert!(ages.is_sorted() && (1..3).contains(&ages.len()) && ages.iter().all(|age| (2..=9).contains(age)));
            assert_eq!(said["0.quiet"].value, Value::Bool(true));
            assert!(said.values().all(|it| !it.words.is_empty()));
            assert_eq!(said.len(), stay().slots.len());
        }
    }

    #[test]
    fn a_day_follows_another_and_may_be_said_by_how_long_after_it_comes() {
        let drawn = all(&stay());
        let mut lengths = 0;
        for said in &drawn {
            let days = day(said, "0.departure") - day(said, "0.arrival");
            assert!((1..=6).contains(&days));
            let length = said["0.departure"].length;
            assert!(length.is_none_or(|it| i64::from(it) == days));
            lengths += usize::from(length.is_some());
            assert!(said.iter().all(|(key, it)| key == "0.departure" || it.length.is_none()));
        }
        assert!((10..45).contains(&lengths), "{lengths}");
    }

    #[test]
    fn what_is_compared_differs() {
        for said in all(&two_towns()) {
            assert_ne!(said["0.town_id"].value, said["0.town_id#2"].value);
        }
    }

    #[test]
    fn what_agrees_is_the_same_in_value_and_words() {
        let mut plan = stay();
        let with = |key: &str| Some(key.to_owned());
        plan.slots
            .insert("1.arrival".to_owned(), PlanSlot { with: with("0.arrival"), ..slot("Search_Inns", "arrival") });
        plan.slots.insert("1.departure".to_owned(), slot("Search_Inns", "departure"));
        plan.slots
            .insert("1.leave".to_owned(), PlanSlot { with: with("0.departure"), ..slot("Search_Inns", "departure") });
        for said in (0..20).filter_map(|draw| {
            draw_values(&inn().world, &plan, given(&Said::new()), &mut Chance::new(2, "v", "p", draw))
        }) {
            assert_eq!(said["1.arrival"], said["0.arrival"]);
            assert_eq!((&said["1.leave"].value, said["1.leave"].length), (&said["0.departure"].value, None));
            assert!(day(&said, "1.departure") > 0);
        }
    }

    #[test]
    fn a_day_follows_one_that_agrees_with_another_matters() {
        let mut plan = stay();
        let with = Some("0.arrival".to_owned());
        plan.slots.insert("1.arrival".to_owned(), PlanSlot { with, ..slot("Search_Inns", "arrival") });
        plan.slots.insert("1.departure".to_owned(), slot("Search_Inns", "departure"));
        for said in all(&plan) {
            let days = day(&said, "1.departure") - day(&said, "1.arrival");
            assert!((1..=6).contains(&days), "{days}");
        }
    }

    #[test]
    fn what_is_kept_stays_and_what_follows_it_follows() {
        let first = drawn(&stay(), &Said::new(), 0);
        let kept: Said =
            first.iter().filter(|(key, _)| *key != "0.departure").map(|(k, v)| (k.clone(), v.clone())).collect();
        for draw in 1..20 {
            let again = drawn(&stay(), &kept, draw);
            assert!(kept.iter().all(|(key, value)| again[key] == *value));
            assert!((1..=6).contains(&(day(&again, "0.departure") - day(&first, "0.arrival"))));
        }
        assert_eq!(drawn(&stay(), &Said::new(), 7), drawn(&stay(), &Said::new(), 7));
        assert_ne!(drawn(&stay(), &Said::new(), 7), drawn(&stay(), &Said::new(), 8));
    }

    #[test]
    fn the_text_of_an_item_is_not_drawn() {
        let mut plan = stay();
        plan.slots.insert("0.Search_Inns.named.1".to_owned(), slot("Search_Inns", "named"));
        assert!(is_named(&inn().world, &plan, "0.Search_Inns.named.1"));
        assert!(!is_named(&inn().world, &plan, "0.guests") && !is_named(&inn().world, &plan, "0.none"));
        assert!(!drawn(&plan, &Said::new(), 0).contains_key("0.Search_Inns.named.1"));
    }

    #[test]
    fn slots_that_lean_on_others_come_after_them() {
        let mut plan = stay();
        plan.slots.sort_by(|_, one, _, other| other.parameter.cmp(&one.parameter));
        let with = Some("0.departure".to_owned());
        plan.slots.shift_insert(0, "1.departure".to_owned(), PlanSlot { with, ..slot("Search_Inns", "departure") });
        let order = in_turn(&inn().world, &plan);
        let place = |key: &str| order.iter().position(|it| it == key).unwrap();
        assert!(place("0.arrival") < place("0.departure") && place("0.departure") < place("1.departure"));
        assert_eq!(order.len(), plan.slots.len());
    }

    fn taxi() -> Plan {
        let lookup = |key: &str| call("Search_Taxi_Location", vec![("query", said(key))]);
        let places = vec![
            ("pick_up_place_id", item(0, "asked", "/place_id")),
            ("drop_off_place_id", item(1, "asked", "/place_id")),
        ];
        let slots = ["0.pick_up_place_id", "0.drop_off_place_id"];
        let place = |key: &str| (key.to_owned(), slot("Search_Taxi_Location", "query"));
        Plan {
            calls: vec![lookup(slots[0]), lookup(slots[1]), call("Search_Taxi", places)],
            slots: slots.map(place).into_iter().collect(),
            ..Plan::default()
        }
    }

    /// The towns that have a place of this name.
    fn towns(name: &Value) -> Vec<Value> {
        let session = travel("en").world.session();
        let rows = ["airports", "hotels", "landmarks"].into_iter().flat_map(|table| session.rows(table));
        let named = rows.filter(|row| row.as_object().is_some_and(|row| row.get("name") == Some(name)));
        named.filter_map(|row| row.as_object().and_then(|row| row.get("city")).cloned()).collect()
    }

    #[test]
    fn what_must_be_near_is_another_place_in_the_same_town() {
        for draw in 0..6 {
            let said = travel("en").said(&taxi(), draw);
            let [one, other] = ["0.pick_up_place_id", "0.drop_off_place_id"].map(|key| &said[key].value);
            assert_ne!(one, other);
            let near = towns(other);
            assert!(towns(one).iter().any(|town| near.contains(town)), "{one} and {other}");
        }
    }

    #[test]
    fn a_place_is_drawn_after_the_one_that_it_is_near_to_and_moves_with_it() {
        let mut plan = taxi();
        plan.slots.reverse();
        let order = in_turn(&travel("en").world, &plan);
        assert_eq!(order, ["0.pick_up_place_id", "0.drop_off_place_id"]);
        let first = travel("en").said(&plan, 0);
        let kept: Said =
            first.iter().filter(|(key, _)| key.contains("drop")).map(|(k, v)| (k.clone(), v.clone())).collect();
        let (mut stayed, mut moved) = (0, 0);
        for draw in 0..12 {
            let mut chance = Chance::new(5, "near", "p", draw);
            let said = draw_values(&travel("en").world, &plan, given(&kept), &mut chance).unwrap();
            let [one, other] = ["0.pick_up_place_id", "0.drop_off_place_id"].map(|key| &said[key].value);
            let near = towns(other);
            assert!(one != other && towns(one).iter().any(|town| near.contains(town)), "{one} and {other}");
            *(if *other == kept["0.drop_off_place_id"].value { &mut stayed } else { &mut moved }) += 1;
        }
        assert!(moved > stayed, "{moved} moved, {stayed} stayed");
    }

    #[test]
    fn all_days_of_a_request_are_said_in_one_order() {
        let world = &inn().world;
        let mut orders = [0, 0];
        for draw in 0..30 {
            let mut chance = Chance::new(6, "order", "p", draw);
            let order = world.pack().requests.day_order(&mut chance);
            let free = Said::new();
            let given = Given { order: &order, ..given(&free) };
            let said = draw_values(world, &stay(), given, &mut chance).unwrap();
            let days = ["0.arrival", "0.departure"].map(|key| said[key].words.clone());
            let days = days.iter().filter(|words| words.contains(|it: char| it.is_ascii_digit()));
            let begins: Vec<bool> = days.map(|it| it.starts_with(|it: char| it.is_ascii_digit())).collect();
            assert!(begins.windows(2).all(|pair| pair[0] == pair[1]), "{said:?}");
            begins.first().into_iter().for_each(|first| orders[usize::from(*first)] += 1);
        }
        assert!(orders[0] > 5 && orders[1] > 2, "{orders:?}");
    }

    #[test]
    fn legs_come_one_after_another() {
        let keys = ["0.legs.0.date", "0.legs.1.date", "0.legs.2.date"];
        let slots = keys.map(|key| (key.to_owned(), slot("Search_Flights_Multi_Stops", "legs.date")));
        let plan = Plan { slots: slots.into_iter().collect(), ..Plan::default() };
        for draw in 0..20 {
            let said = travel("en").said(&plan, draw);
            let days = keys.map(|key| day(&said, key));
            assert!(days.windows(2).all(|pair| (1..=5).contains(&(pair[1] - pair[0]))), "{days:?}");
            // In a variant whose first legs are on other days, the last one moves along.
            let kept = Said::from([(keys[2].to_owned(), said[keys[2]].clone())]);
            let variant =
                draw_values(&travel("en").world, &plan, given(&kept), &mut Chance::new(draw.into(), "v", "p", 0));
            let days = keys.map(|key| day(variant.as_ref().unwrap(), key));
            assert!(days.windows(2).all(|pair| (1..=5).contains(&(pair[1] - pair[0]))), "{days:?}");
        }
    }
}
