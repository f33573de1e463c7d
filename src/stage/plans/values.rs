//! Draws what a request says: towns, days, people, and whatever else its functions take.

use super::slots::{parameter, takers};
use super::words::say;
use crate::locale::{Date, Stamp};
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
/// How often a day is one of the next ones, for which there is a word.
const NEAR: f64 = 0.08;

/// What the request says, by slot.
pub(in crate::stage) type Said = IndexMap<String, SaidValue>;

/// Draws a value for every slot of a plan but those that name what an answer will hold. Slots in `kept` stay as they are,
/// unless they hang on a day that does not; the others differ from what `other` says.
pub(in crate::stage) fn draw_values(
    world: &DeclaredWorld,
    plan: &Plan,
    (kept, other): (&Said, Option<&Said>),
    chance: &mut Chance,
) -> Option<Said> {
    let mut said = Said::new();
    for key in in_turn(world, plan) {
        if is_named(world, plan, &key) {
            continue;
        }
        let mut draw = Draw { world, plan, said: &said, other, chance: &mut *chance };
        let value = match kept.get(&key).and_then(|kept| draw.kept(&key, kept)) {
            Some(kept) => kept,
            None => draw.slot(&key)?,
        };
        said.insert(key, value);
    }
    Some(said)
}

/// Whether a slot says the text of an item that a call must find first.
pub(super) fn is_named(world: &DeclaredWorld, plan: &Plan, key: &str) -> bool {
    let slot = plan.slots.get(key);
    slot.is_some_and(|slot| {
        let picks = world.declaration().functions.get(&slot.function).map(|it| &it.picks);
        picks.and_then(|it| it.get(&slot.parameter)).is_some_and(|pick| matches!(pick.by, Criterion::Named(_)))
    })
}

/// The slots, each after those that it leans on.
fn in_turn(world: &DeclaredWorld, plan: &Plan) -> Vec<String> {
    let rank = |key: &String| {
        let slot = plan.slots.get(key);
        let follows = parameter(world.declaration(), plan, key).is_some_and(|it| it.follows.is_some());
        (
            slot.is_some_and(|it| it.with.is_some()),
            follows,
            slot.is_some_and(|it| it.unlike.is_some()),
            parameter(world.declaration(), plan, key).is_some_and(|it| it.near.is_some()),
        )
    };
    let mut keys: Vec<String> = plan.slots.keys().cloned().collect();
    keys.sort_by_key(|key| {
        let (with, follows, unlike, near) = rank(key);
        // A day that agrees with another is there before the days that follow it.
        u8::from(follows) * 4 + u8::from(unlike || near) * 2 + u8::from(with)
    });
    keys
}

struct Draw<'d> {
    world: &'d DeclaredWorld,
    plan: &'d Plan,
    said: &'d Said,
    /// What is to be said otherwise.
    other: Option<&'d Said>,
    chance: &'d mut Chance,
}

impl Draw<'_> {
    /// A value that stays: a date that is said by its distance moves with the day that it follows, and one that would
    /// come before that day, or too long after it, is drawn anew.
    fn kept(&mut self, key: &str, kept: &SaidValue) -> Option<SaidValue> {
        let param = parameter(self.world.declaration(), self.plan, key)?;
        let follows = param.follows.as_ref();
        let Some((follows, base)) = follows.and_then(|it| Some((it, self.beside(key, &it.parameter)?))) else {
            return Some(kept.clone());
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
            let before = self.other.and_then(|other| other.get(key)).filter(|_| slot.with.is_none() && !slot.protected);
            let repeats = before.is_some_and(|before| before.value.equals(&value));
            if is_new && !is_default && !repeats && !self.meets_itself(key, param, &value) {
                let words = say(self.world, function, (key_parameter(self.plan, key), param), &value, self.chance)?;
                return Some(SaidValue { value, words, length });
            }
        }
        None
    }

    fn value(&mut self, key: &str, function: &Function, param: &Param) -> Option<(Value, Option<u32>)> {
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
        if key.contains("legs") {
            let before = self.said.iter().filter(|(other, _)| other.contains("legs") && other.ends_with("date"));
            let last = before.filter_map(|(_, it)| Stamp::read(it.value.as_str()?)?.date).max();
            if let Some(last) = last {
                return last.plus(1 + i64::try_from(self.chance.below(5)).ok()?);
            }
        }
        let today = Stamp::read(&self.world.declaration().today)?.date?;
        if self.chance.happens(NEAR) {
            let near: Vec<u32> = self.world.pack().requests.near.keys().copied().collect();
            return today.plus(i64::from(*self.chance.pick(&near)?));
        }
        FIRST_DAY.plus(i64::try_from(self.chance.below(DAYS)).ok()?)
    }

    /// A place that people name; near another one where it must be.
    fn place(&mut self, key: &str, param: &Param) -> Option<Value> {
        let (table, column) = self.chance.pick(&param.values)?.clone();
        let wanted = self.near(key);
        let rows = self.world.session().rows(&table);
        let city = |row: &Value| row.as_object().and_then(|row| row.get("city")).cloned();
        let fitting: Vec<&Value> = rows.iter().filter(|row| wanted.is_none() || city(row) == wanted).collect();
        let row = self.chance.pick(&fitting)?;
        row.as_object()?.get(&column).cloned()
    }

    /// The town in which a place must be: that of the place that it is near to.
    fn near(&self, key: &str) -> Option<Value> {
        for call in takers(self.plan, key) {
            for taker in &self.plan.calls {
                for (name, feed) in &taker.arguments {
                    if !feed.sources().contains(&call) {
                        continue;
                    }
                    let function = self.world.declaration().functions.get(&taker.function)?;
                    let Some(other) = function.parameters.get(name).and_then(|it| it.near.as_ref()) else { continue };
                    return self.town_of(taker.arguments.get(other)?);
                }
            }
        }
        None
    }

    /// The town of the place that a feed was looked up by.
    fn town_of(&self, feed: &Feed) -> Option<Value> {
        let lookup = self.plan.calls.get(*feed.sources().first()?)?;
        for slot in lookup.arguments.values().flat_map(Feed::slots) {
            let said = self.said.get(slot)?;
            let param = parameter(self.world.declaration(), self.plan, slot)?;
            for (table, column) in &param.values {
                let rows = self.world.session().rows(table);
                let found = rows.iter().filter_map(Value::as_object).find(|row| row.get(column) == Some(&said.value));
                if let Some(town) = found.and_then(|row| row.get("city")) {
                    return Some(town.clone());
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
        let (prefix, _) = key.rsplit_once('.')?;
        let branch = key.split_once('#').map(|(_, branch)| format!("#{branch}")).unwrap_or_default();
        let same = format!("{prefix}.{parameter}{branch}");
        self.said.get(&same).or_else(|| self.said.get(&format!("{prefix}.{parameter}")))
    }
}

/// The parameter of a slot, as it is written.
pub(super) fn key_parameter<'p>(plan: &'p Plan, key: &str) -> &'p str {
    plan.slots.get(key).map_or("", |slot| slot.parameter.as_str())
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
