//! Draws the tables of a world.
//!
//! Identifiers, references and listed values are drawn without the locale, so that every locale's tables have one
//! structure; only the values of kinds are the language's own. What a thing refers to belongs together: the seat of a
//! booking is on one of its flights, and a loan is paid back from an account of its borrower.

use super::follows::follow;
use super::values::draw;
use super::{Row, Table, WorldError};
use crate::toolset::{Content, Domain, Field, Operation, Resource};
use fcgen_core::locale::{Pack, Stamp};
use fcgen_core::record::{Chance, Object, Value};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// How often a row is drawn anew before its table is given up.
const ATTEMPTS: u32 = 200;

/// What tables are drawn from.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) domain: &'a Domain,
    pub(super) pack: &'a Pack,
    pub(super) seed: u64,
}

/// The identifiers of every resource, oldest first.
type Ids = IndexMap<String, Vec<String>>;

/// The tables that are there already, by resource.
type Tables = IndexMap<String, Table>;

/// One row that is being drawn.
struct Place<'a> {
    resource: &'a Resource,
    at: usize,
    id: &'a str,
}

impl Ground<'_> {
    /// Chance for one purpose, apart from all others.
    pub(super) fn chance(self, purpose: &str, resource: &str, at: usize, attempt: u32) -> Chance {
        let words: [&[u8]; 6] = [
            &self.seed.to_le_bytes(),
            self.domain.name.as_bytes(),
            purpose.as_bytes(),
            resource.as_bytes(),
            &(at as u64).to_le_bytes(),
            &attempt.to_le_bytes(),
        ];
        Chance::of(&words)
    }

    /// The tables of all resources.
    pub(super) fn tables(self) -> Result<IndexMap<String, Table>, WorldError> {
        let ids: Ids = self.domain.resources.values().map(|it| (it.name.clone(), self.ids(it))).collect();
        let mut tables = IndexMap::new();
        for resource in self.domain.resources.values() {
            let table = self.table(resource, &ids, &tables)?;
            tables.insert(resource.name.clone(), table);
        }
        Ok(tables)
    }

    fn ids(self, resource: &Resource) -> Vec<String> {
        let mut ids = IndexSet::new();
        // A shape holds four times as many identifiers as there are rows.
        for attempt in 0..u32::try_from(resource.rows.saturating_mul(64)).unwrap_or(u32::MAX) {
            if ids.len() == resource.rows {
                break;
            }
            ids.insert(resource.shape.draw(&mut self.chance("id", &resource.name, 0, attempt)));
        }
        ids.into_iter().collect()
    }

    fn table(self, resource: &Resource, ids: &Ids, tables: &Tables) -> Result<Table, WorldError> {
        let keys = keys(self.domain, resource);
        let mut seen: Vec<BTreeSet<String>> = vec![BTreeSet::new(); keys.len()];
        let mut table = Table::default();
        for (at, id) in ids.get(&resource.name).into_iter().flatten().enumerate() {
            let place = Place { resource, at, id };
            let mut values = self.values(&place, (ids, tables), &mut |_| true, Object::new(), 0)?;
            for attempt in 1.. {
                let Some(clash) = keys.iter().zip(&seen).find(|(key, seen)| seen.contains(&spell(key, &values))) else {
                    break;
                };
                if attempt > ATTEMPTS {
                    return Err(self.crowded(resource, clash.0));
                }
                let again = drawn_anew(resource, clash.0);
                values = self.values(&place, (ids, tables), &mut |field| again.contains(&field), values, attempt)?;
            }
            for (key, seen) in keys.iter().zip(&mut seen) {
                seen.insert(spell(key, &values));
            }
            table.insert(Row::new(id.clone(), values));
        }
        Ok(table)
    }

    fn crowded(self, resource: &Resource, key: &[String]) -> WorldError {
        let (domain, rows) = (self.domain.name.clone(), resource.rows);
        WorldError::Crowded { domain, resource: resource.name.clone(), fields: key.join("`, `"), rows }
    }

    /// The values of a row; those of fields that are not `wanted` stay as they are.
    fn values(
        self,
        place: &Place<'_>,
        (ids, tables): (&Ids, &Tables),
        wanted: &mut dyn FnMut(&str) -> bool,
        mut values: Object,
        attempt: u32,
    ) -> Result<Object, WorldError> {
        for (name, field) in place.resource.fields.iter().filter(|(name, _)| wanted(name)) {
            values.shift_remove(name);
            let value = match &field.content {
                Content::Reference(of) => {
                    // Where keys are taken again and again, better a stranger's than none.
                    let is_free = attempt < ATTEMPTS / 4;
                    let related = if is_free { self.related(place, (name, of), &values, tables) } else { Vec::new() };
                    self.reference(place, name, (ids.get(of), related), &values, attempt)
                }
                _ => match self.later(place, name, field, &values, attempt) {
                    Some(day) => day,
                    None => match self.follow(place, name, field, &values, tables) {
                        Some(number) => number,
                        None => self.value(&place.resource.name, name, field, place.at, attempt)?,
                    },
                },
            };
            values.insert(name.clone(), value);
        }
        // Fields stand in their declared order, also those that were drawn anew.
        values.sort_by_key(|name, _| place.resource.fields.get_index_of(name));
        Ok(values)
    }

    /// The value of a field that refers to nothing.
    pub(super) fn value(
        self,
        resource: &str,
        name: &str,
        field: &Field,
        at: usize,
        attempt: u32,
    ) -> Result<Value, WorldError> {
        let mut chance = self.chance(name, resource, at, attempt);
        let unknown = || WorldError::Kind {
            domain: self.domain.name.clone(),
            kind: field.content.kind().unwrap_or_default().to_owned(),
        };
        draw(self.pack, field, &mut chance).map(|drawn| drawn.value).ok_or_else(unknown)
    }

    /// A day that is so many days after another one of the row.
    fn later(self, place: &Place<'_>, name: &str, field: &Field, values: &Object, attempt: u32) -> Option<Value> {
        let (other, days) = field.after.as_ref()?;
        let mut chance = self.chance(name, &place.resource.name, place.at, attempt);
        days_after(values.get(other)?, *days, &mut chance)
    }

    /// A number that follows from others of the row, or of earlier rows that it refers to.
    fn follow(self, place: &Place<'_>, name: &str, field: &Field, values: &Object, tables: &Tables) -> Option<Value> {
        let mut chance = self.chance(name, &place.resource.name, place.at, 0);
        let known = |name: &str| {
            let Some((own, further)) = name.split_once('.') else { return values.get(name).cloned() };
            let resource = place.resource.fields.get(own)?.content.reference()?;
            tables.get(resource)?.row(values.get(own)?.as_str()?)?.value(further).cloned()
        };
        follow((self.domain, self.pack), field, &known, &mut chance)
    }

    /// The things of a sort that go with what the row's fields before this one refer to: what that refers to, or what refers to it, or
    /// what refers to the same as it does; none where nothing does.
    fn related(self, place: &Place<'_>, (name, of): (&str, &str), values: &Object, tables: &Tables) -> Vec<String> {
        let fields = |resource: &str| self.domain.resources.get(resource).map(|it| &it.fields).into_iter().flatten();
        let refers = |resource: &str, to: &str| -> Vec<String> {
            let names = fields(resource).filter(|(_, field)| field.content.reference() == Some(to));
            names.map(|(name, _)| name.clone()).collect()
        };
        let held = |row: &Row, names: &[String]| -> Vec<String> {
            names.iter().filter_map(|name| row.value(name)?.as_str().map(str::to_owned)).collect()
        };
        let before = place.resource.fields.iter().take_while(|(it, _)| *it != name);
        let others = before.filter_map(|(name, field)| {
            let resource = field.content.reference()?;
            Some((resource, tables.get(resource)?.row(values.get(name)?.as_str()?)?))
        });
        let others: Vec<(&str, &Row)> = others.collect();
        let direct = others.iter().map(|(resource, row)| held(row, &refers(resource, of))).find(|ids| !ids.is_empty());
        let rows = || tables.get(of).into_iter().flat_map(Table::rows);
        let pointing = |(resource, row): &(&str, &Row)| {
            let names = refers(of, resource);
            let ids = rows().filter(|it| held(it, &names).iter().any(|id| id == row.id())).map(|it| it.id().to_owned());
            Some(ids.collect::<Vec<_>>()).filter(|ids| !ids.is_empty())
        };
        let akin = |(resource, row): &(&str, &Row)| {
            let shared =
                fields(resource).filter_map(|(name, field)| Some((row.value(name)?, field.content.reference()?)));
            let shared = shared.filter(|(_, third)| *third != *resource && *third != of);
            let fits = |it: &&Row| {
                shared
                    .clone()
                    .any(|(id, third)| held(it, &refers(of, third)).iter().any(|held| id.as_str() == Some(held)))
            };
            let ids: Vec<String> = rows().filter(fits).map(|it| it.id().to_owned()).collect();
            Some(ids).filter(|ids| !ids.is_empty() && *resource != of)
        };
        direct.or_else(|| others.iter().find_map(pointing)).or_else(|| others.iter().find_map(akin)).unwrap_or_default()
    }

    /// The identifier that a reference holds, one of the related ones where there are some: never the row's own, nor one that another field of the row holds.
    fn reference(
        self,
        place: &Place<'_>,
        name: &str,
        (ids, related): (Option<&Vec<String>>, Vec<String>),
        values: &Object,
        attempt: u32,
    ) -> Value {
        let resource = &place.resource.name;
        let taken = |id: &&String| *id == place.id || values.values().any(|it| it.as_str() == Some(id));
        let mut free: Vec<&String> = related.iter().filter(|id| !taken(id)).collect();
        if free.is_empty() {
            free = ids.into_iter().flatten().filter(|id| !taken(id)).collect();
        }
        if attempt == 0 && asked_for(self.domain, resource, name) && place.at % 4 != 3 {
            // Three rows of four go round, so that most parents have one and some have several.
            let mut round: Vec<&String> = ids.into_iter().flatten().collect();
            self.chance(name, resource, usize::MAX, 0).shuffle(&mut round);
            let turn = place.at - place.at / 4;
            let id = round.get(turn % round.len().max(1)).copied().filter(|id| free.contains(id));
            free = id.map_or(free, |id| vec![id]);
        }
        let id = self.chance(name, resource, place.at, attempt).pick(&free).copied();
        id.map_or(Value::Null, |id| Value::from(id.as_str()))
    }
}

/// A day that is at least and at most so many days after another one.
pub(super) fn days_after(day: &Value, [least, most]: [i64; 2], chance: &mut Chance) -> Option<Value> {
    let span = usize::try_from(most.saturating_sub(least)).ok()?.saturating_add(1);
    let more = least.saturating_add(i64::try_from(chance.below(span)).ok()?);
    let later = Stamp::read(day.as_str()?)?.date?.plus(more)?;
    Some(Value::from(later.to_string().as_str()))
}

/// The fields by which some API finds one row of the resource.
fn keys<'a>(domain: &'a Domain, resource: &'a Resource) -> Vec<&'a [String]> {
    let key = |operation: &'a Operation| match operation {
        Operation::Find(fields) => Some(fields.as_slice()),
        _ => None,
    };
    domain.apis_of(&resource.name).filter_map(|api| key(&api.operation)).collect()
}

/// Whether some API asks for the rows that refer to one by this field.
fn asked_for(domain: &Domain, resource: &str, field: &str) -> bool {
    let by = |operation: &Operation| match operation {
        Operation::Latest(fields) | Operation::List(fields) => fields.iter().any(|it| it == field),
        _ => false,
    };
    domain.apis_of(resource).any(|api| by(&api.operation))
}

/// The fields to draw anew where a key is taken: those of the language, if it has some, so that the structure stays.
fn drawn_anew<'a>(resource: &Resource, key: &'a [String]) -> Vec<&'a str> {
    let spoken = |name: &&String| resource.fields.get(*name).is_some_and(|field| field.content.kind().is_some());
    let kinds: Vec<&str> = key.iter().filter(spoken).map(String::as_str).collect();
    if kinds.is_empty() { key.iter().map(String::as_str).collect() } else { kinds }
}

fn spell(key: &[String], values: &Object) -> String {
    key.iter().map(|name| values.get(name).map(Value::to_string).unwrap_or_default() + "\u{1f}").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::resources::testing::{STRUCTURE, TEXT, load};
    use crate::world::World;
    use crate::world::testing::{bank, pack};
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn most_parents_have_a_newest_row_and_some_have_several() {
        let world = bank("en", 3);
        let owners: Vec<&str> = world.rows("account").filter_map(|row| row.value("customerId")?.as_str()).collect();
        let distinct: BTreeSet<&str> = owners.iter().copied().collect();
        assert_eq!(owners.len(), 24);
        assert!((15..24).contains(&distinct.len()), "{}", distinct.len());
    }

    #[test]
    fn a_table_that_cannot_tell_its_rows_apart_is_named() {
        let structure = STRUCTURE.replace("get = [\"limit\"]", "find = [\"state\"]");
        let text = TEXT.replace("{cardId}", "{state}");
        let toolset = load(&structure, &text).unwrap();
        let fault = World::new(Arc::clone(&toolset.domains["cards"]), pack("en"), 1).unwrap_err();
        let expected = "domain `cards`: `state` has too few values to distinguish 5 rows of `card`";
        assert_eq!(fault.to_string(), expected);
    }

    #[test]
    fn a_kind_that_the_pack_lacks_is_named() {
        let toolset = load(
            &STRUCTURE.replace("\"amount\"", "\"hue\""),
            &TEXT.replace("[card]\n", "[kinds.hue]\nvalues = [\"red\"]\n[card]\n"),
        );
        let domain = Arc::clone(&toolset.unwrap().domains["cards"]);
        let fault = World::new(domain, pack("en"), 1).unwrap_err();
        assert_eq!(fault.to_string(), "domain `cards`: unknown value kind `hue` in this locale");
    }

    fn structure(locale: &str, seed: u64) -> Vec<String> {
        let world = bank(locale, seed);
        let mut rows = Vec::new();
        for resource in world.domain().resources.values() {
            for row in world.rows(&resource.name) {
                let free = |name: &&String| resource.fields[*name].content.kind().is_none();
                let values: Vec<String> =
                    row.values().keys().filter(free).map(|it| row.value(it).unwrap().to_string()).collect();
                rows.push(format!(
                    "{} {} {}",
                    row.id(),
                    values.join(" "),
                    row.values().keys().cloned().collect::<Vec<_>>().join(" ")
                ));
            }
        }
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn the_structure_is_free_of_the_locale_and_hangs_on_the_seed(seed in any::<u64>()) {
            prop_assert_eq!(structure("en", seed), structure("ko", seed));
            prop_assert_ne!(structure("en", seed), structure("en", seed.wrapping_add(1)));
        }

        #[test]
        fn identifiers_and_keys_are_unique_and_references_lead_to_rows(seed in any::<u64>()) {
            let world = bank("ko", seed);
            for resource in world.domain().resources.values() {
                prop_assert_eq!(world.rows(&resource.name).count(), resource.rows);
                for key in keys(world.domain(), resource) {
                    let spelt: BTreeSet<String> = world.rows(&resource.name).map(|row| spell(key, row.values())).collect();
                    prop_assert_eq!(spelt.len(), resource.rows);
                }
                for row in world.rows(&resource.name) {
                    prop_assert!(resource.shape.fits(row.id()));
                    for (name, field) in &resource.fields {
                        let value = row.value(name).unwrap();
                        let Some(of) = field.content.reference() else { continue };
                        prop_assert!(world.row(of, value.as_str().unwrap()).is_some());
                    }
                }
            }
            for row in world.rows("transfer") {
                prop_assert_ne!(row.value("fromAccountId"), row.value("toAccountId"));
            }
        }
    }
}
