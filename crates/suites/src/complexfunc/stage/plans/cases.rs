//! Draws cases: values that belong together, such as those of a trip, from which all that a request says follows.

use super::picked::at;
use super::values::{Said, text};
use super::walk::Walked;
use crate::locale::{Date, Stamp};
use crate::record::{Chance, Feed, Plan, Value};
use crate::toolset::{Case, CaseField, Cases, Declaration};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// How often a first day is one of the next ones, for which there is a word, where the case allows one.
const NEAR: f64 = 0.32;
/// How often a value is drawn again that may not stand.
const TRIES: usize = 60;
/// The key under which the name of the case stands among its values.
const WHY: &str = "why";
/// What stands before a field's name where its value is kept with what the request says.
const PREFIX: &str = "case.";

/// The values of a case, by field; a field that nobody says is not there.
pub(crate) type CaseValues = IndexMap<String, Value>;

/// The cases of a world, with the rows that their values are drawn from.
#[derive(Debug)]
pub(crate) struct CaseBook<'w> {
    cases: &'w Cases,
    rows: IndexMap<&'w str, Vec<Value>>,
    today: Date,
    near: Vec<i64>,
}

impl<'w> CaseBook<'w> {
    /// The cases of a world; none where its toolset declares none.
    pub(crate) fn new(world: &'w DeclaredWorld) -> Option<Self> {
        let cases = &world.declaration().cases;
        let today = Stamp::read(&world.declaration().today)?.date?;
        let tables = cases.fields.values().filter_map(|field| field.rows.as_deref());
        let rows = tables.map(|table| (table, world.session().rows(table))).collect();
        let near = world.pack().requests.near.keys().map(|days| i64::from(*days)).collect();
        (!cases.cases.is_empty()).then_some(Self { cases, rows, today, near })
    }

    /// One of the cases.
    pub(crate) fn any(&self, chance: &mut Chance) -> Option<&'w str> {
        let names: Vec<&str> = self.cases.cases.keys().map(String::as_str).collect();
        chance.pick(&names).copied()
    }

    /// Values for a case. Of those of another draw the named fields are kept; a day that follows another keeps its distance.
    pub(crate) fn values(
        &self,
        name: &str,
        (kept, old): (&[&str], &CaseValues),
        chance: &mut Chance,
    ) -> Option<CaseValues> {
        let case = self.cases.cases.get(name)?;
        let mut values = CaseValues::from([(WHY.to_owned(), Value::from(name))]);
        for (name, field) in &self.cases.fields {
            let kept = kept.contains(&name.as_str());
            // Who travels and when is as the case has it.
            let is_free = field.rows.is_some();
            if let Some(after) = field.after.as_ref().filter(|_| kept) {
                let length = day(old.get(name)?)?.number() - day(old.get(after)?)?.number();
                let [least, most] = case.within.get(name).copied().unwrap_or(field.days);
                if !(i64::from(least)..=i64::from(most)).contains(&length) {
                    return None;
                }
                values.insert(name.clone(), Value::from(day(values.get(after)?)?.plus(length)?.to_string()));
            } else if kept && is_free {
                values.insert(name.clone(), old.get(name)?.clone());
            } else {
                let drawn = (0..TRIES).find_map(|_| self.value(case, (name, field), &values, chance))?;
                values.extend(drawn.map(|value| (name.clone(), value)));
            }
        }
        Some(values)
    }

    /// A value for a field; `Some(None)` where the case has none that anybody says.
    #[expect(clippy::option_option, reason = "a value that nobody says is not one that cannot be drawn")]
    fn value(
        &self,
        case: &Case,
        (name, field): (&str, &CaseField),
        before: &CaseValues,
        chance: &mut Chance,
    ) -> Option<Option<Value>> {
        if field.share.is_some_and(|share| !chance.happens(share)) {
            return Some(None);
        }
        let within = |own: [u32; 2]| case.within.get(name).copied().unwrap_or(own);
        let number = |[least, most]: [u32; 2], chance: &mut Chance| {
            least + u32::try_from(chance.below((most.max(least) - least + 1) as usize)).unwrap_or(0)
        };
        if let Some(ages) = field.ages {
            let count = number(within(field.number.unwrap_or([1, 1])), chance);
            let ages = case.ages.unwrap_or(ages);
            let mut drawn: Vec<u32> = (0..count).map(|_| number(ages, chance)).collect();
            drawn.sort_unstable();
            let texts: Vec<String> = drawn.iter().map(u32::to_string).collect();
            return Some((count > 0).then(|| Value::from(texts.join(","))));
        }
        if let Some(range) = field.number {
            let drawn = number(within(range), chance);
            return Some((field.unsaid != Some(drawn)).then(|| Value::from(i64::from(drawn))));
        }
        if let Some(fields) = &field.sum {
            let count = fields.iter().map(|name| self.count(name, before)).sum::<u32>();
            return Some((field.unsaid != Some(count)).then(|| Value::from(i64::from(count))));
        }
        if let Some(table) = &field.rows {
            let keys: Vec<&Value> = self.rows.get(table.as_str())?.iter().filter_map(key_of).collect();
            let other = field.unlike.as_ref().and_then(|name| before.get(name));
            let drawn = (*chance.pick(&keys)?).clone();
            return (other != Some(&drawn)).then_some(Some(drawn));
        }
        if let Some(column) = &field.column {
            let from = field.from.as_ref()?;
            let table = self.cases.fields.get(from)?.rows.as_deref()?;
            let key = before.get(from)?;
            let row = self.rows.get(table)?.iter().find(|row| key_of(row) == Some(key))?.as_object()?;
            return Some(row.get(column).filter(|value| !field.except.contains(&text(value))).cloned());
        }
        if let Some(after) = &field.after {
            let days = number(within(field.days), chance);
            return Some(Some(Value::from(day(before.get(after)?)?.plus(i64::from(days))?.to_string())));
        }
        self.first_day(case, within(field.day?), chance).map(|day| Some(Value::from(day.to_string())))
    }

    /// How many a field counts: a number, or the ages of a list; of a number that nobody says that number.
    fn count(&self, name: &str, values: &CaseValues) -> u32 {
        let unsaid = self.cases.fields.get(name).and_then(|it| it.unsaid).unwrap_or(0);
        values.get(name).map_or(unsaid, |value| match value.as_str() {
            Some(ages) => u32::try_from(ages.split(',').count()).unwrap_or(u32::MAX),
            None => value.to_string().parse().unwrap_or(unsaid),
        })
    }

    /// A day so many days ahead, on a day of the week that the case allows.
    fn first_day(&self, case: &Case, [least, most]: [u32; 2], chance: &mut Chance) -> Option<Date> {
        let fits = |day: &Date| {
            case.weekdays.is_empty() || case.weekdays.iter().any(|wanted| i64::from(*wanted) == day.weekday() + 1)
        };
        let range = i64::from(least)..=i64::from(most);
        let near: Vec<Date> = self
            .near
            .iter()
            .filter(|it| range.contains(it))
            .filter_map(|it| self.today.plus(*it))
            .filter(fits)
            .collect();
        if chance.happens(NEAR) {
            if let Some(day) = chance.pick(&near) {
                return Some(*day);
            }
        }
        let first = range.start() + i64::try_from(chance.below((most.max(least) - least + 1) as usize)).ok()?;
        (first..first + 7).filter_map(|ahead| self.today.plus(ahead)).find(fits)
    }
}

/// The values of a plan's case: such as the plan takes all of and no others. What `kept` holds of all slots of a field is
/// kept of another draw.
pub(crate) fn case_values(
    book: &CaseBook<'_>,
    (declaration, plan): (&Declaration, &Plan),
    (kept, other): (&Said, Option<&Said>),
    chance: &mut Chance,
) -> Option<CaseValues> {
    let own = plan.case.as_deref()?;
    let old = other.map(stored).unwrap_or_default();
    let is_kept = |field: &&String| {
        let mut slots = plan.slots.iter().filter(|(_, slot)| slot.field.as_ref() == Some(*field)).peekable();
        slots.peek().is_some() && slots.all(|(key, _)| kept.contains_key(key))
    };
    let kept: Vec<&str> = book.cases.fields.keys().filter(is_kept).map(String::as_str).collect();
    let kept = if old.is_empty() { Vec::new() } else { kept };
    (0..TRIES).find_map(|_| {
        // A variant may be about another case, as long as that takes the same.
        let name = if old.is_empty() { own } else { book.any(chance)? };
        let values = book.values(name, (&kept, &old), chance).filter(|_| compares(declaration, plan, name))?;
        fits(declaration, plan, &values).then_some(values)
    })
}

/// Whether whoever has a case may compare what a plan compares.
fn compares(declaration: &Declaration, plan: &Plan, case: &str) -> bool {
    let twins = plan.slots.values().filter(|slot| slot.field.is_none());
    let mut compared = twins.filter_map(|slot| plan.slots.get(slot.unlike.as_ref()?)?.field.as_ref());
    let case = declaration.cases.cases.get(case);
    compared.all(|field| case.is_some_and(|case| case.compares.contains(field)))
}

/// What the person says of the case that a request's values are of: patterns.
pub(crate) fn reasons<'d>(declaration: &'d Declaration, said: &Said) -> &'d [String] {
    let case = said.get(&key(WHY)).and_then(|it| declaration.cases.cases.get(it.value.as_str()?));
    case.map_or(&[], |case| &case.says)
}

/// Whether a plan takes what a case has wherever it can, and nothing that the case has not: a party is the same everywhere.
pub(crate) fn fits(declaration: &Declaration, plan: &Plan, values: &CaseValues) -> bool {
    plan.calls.iter().all(|call| {
        let function = declaration.functions.get(&call.function).filter(|it| !it.free);
        function.into_iter().flat_map(|it| &it.parameters).all(|(name, param)| {
            let Some((field_name, field)) = declaration.cases.field(&call.function, name) else { return true };
            let has = values.contains_key(field_name);
            match call.arguments.get(name) {
                Some(Feed::Said(slot)) => {
                    has || plan.slots.get(slot).is_none_or(|it| it.field.as_deref() != Some(field_name))
                }
                Some(_) => true,
                // A day need not be said again of everything that could take it.
                None => !has || !param.from.is_empty() || field.day.is_some() || field.after.is_some(),
            }
        })
    })
}

/// Whether what was found agrees with the case where other calls take the case's value: who lands on another day than the one
/// on which the stay begins has no such stay.
pub(crate) fn agrees(declaration: &Declaration, plan: &Plan, walked: &Walked) -> bool {
    let made: Vec<_> = walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
    let values = stored(&walked.said);
    declaration.cases.fields.iter().all(|(name, field)| {
        field.agrees.iter().filter_map(|source| source.split_once(": ")).all(|(function, path)| {
            let suffix = path.rsplit_once("[].").map_or(path, |(_, suffix)| suffix).replace('.', "/");
            let takes = |feed: &Feed| {
                let slots = feed.slots();
                slots.into_iter().any(|it| plan.slots.get(it).is_some_and(|slot| slot.field.as_ref() == Some(name)))
            };
            let is_taken =
                plan.calls.iter().any(|call| call.function != function && call.arguments.values().any(takes));
            let mut found =
                walked.meant.iter().filter(|((call, _), _)| made.get(*call).is_some_and(|it| it.0.name == function));
            !is_taken
                || found.all(|((call, _), picked)| {
                    let value = made.get(*call).and_then(|it| at(it.1, &format!("{}/{suffix}", picked.item)));
                    value.is_none() || value == values.get(name)
                })
        })
    })
}

/// The values of the case that a request's values are kept with.
fn stored(said: &Said) -> CaseValues {
    let own = said.iter().filter_map(|(key, said)| Some((key.strip_prefix(PREFIX)?.to_owned(), said.value.clone())));
    own.collect()
}

/// The key under which a field's value is kept with what the request says.
pub(crate) fn key(field: &str) -> String {
    format!("{PREFIX}{field}")
}

fn key_of(row: &Value) -> Option<&Value> {
    row.as_object()?.values().next()
}

fn day(value: &Value) -> Option<Date> {
    Stamp::read(value.as_str()?)?.date
}

#[cfg(test)]
mod tests {
    use super::super::testing::travel;
    use super::*;

    fn drawn(name: &str, draw: u32) -> CaseValues {
        let book = CaseBook::new(&travel("en").world).unwrap();
        let nothing = CaseValues::new();
        book.values(name, (&[], &nothing), &mut Chance::new(1, "case", name, draw)).unwrap()
    }

    #[test]
    fn the_values_of_a_trip_belong_together() {
        for draw in 0..40 {
            let trip = drawn("school_holiday", draw);
            let of = |field: &str| day(&trip[field]).unwrap();
            let length = of("end").number() - of("start").number();
            assert!((4..=7).contains(&length) && [5, 6].contains(&of("start").weekday()), "{trip:?}");
            let children = trip["children"].as_str().unwrap().split(',').count();
            assert_eq!(trip["people"].to_string(), (2 + children).to_string());
            assert_ne!(trip["from"], trip["to"]);
        }
        let alone = drawn("job_interview", 1);
        assert!(["adults", "children", "people", "rooms"].iter().all(|field| !alone.contains_key(*field)), "{alone:?}");
    }

    #[test]
    fn what_is_kept_stays_and_days_keep_their_distance() {
        let book = CaseBook::new(&travel("en").world).unwrap();
        let old = drawn("solo_trip", 3);
        for draw in 0..20 {
            let mut chance = Chance::new(2, "case", "kept", draw);
            let new = book.values("solo_trip", (&["to", "end"], &old), &mut chance).unwrap();
            let length =
                |trip: &CaseValues| day(&trip["end"]).unwrap().number() - day(&trip["start"]).unwrap().number();
            assert_eq!((&new["to"], length(&new)), (&old["to"], length(&old)));
        }
    }
}
