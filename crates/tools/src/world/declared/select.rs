//! Steps that choose rows and order them.

use super::answer::broken;
use super::find::{Likeness, likeness};
use super::layer::Layer;
use super::run::{Done, Run, eval, evaluated};
use crate::toolset::{Cell, Expression, Values, text_of};
use crate::world::CallFault;
use fcgen_core::record::Value;
use indexmap::IndexMap;
use std::sync::Arc;

impl Run<'_, '_> {
    pub(super) fn from(&mut self, tables: &[String], by: &Values) -> Done {
        self.enter();
        let mut wanted = evaluated(by, &self.scope)?;
        wanted.retain(|_, value| !value.is_none());
        self.rows.clear();
        for table in tables {
            let Some(rows) = self.tables.get(table) else { continue };
            let holds = |row: &&Arc<Layer>| wanted.iter().all(|(column, value)| row.get(column) == Some(value));
            let several = tables.len() > 1;
            let named = |row: &Arc<Layer>| {
                let name = || IndexMap::from([("table".to_owned(), Cell::from(table.as_str()))]);
                if several { Arc::new(Layer::over(name(), row)) } else { row.clone() }
            };
            match (wanted.get(rows.key.as_deref().unwrap_or_default()), &rows.key) {
                // The key leads to its row without a search.
                (Some(key), Some(_)) => self.rows.extend(rows.row(&text_of(key)).filter(holds).map(named)),
                _ => self.rows.extend(rows.rows.values().filter(holds).map(named)),
            }
        }
        Ok(())
    }

    pub(super) fn each(&mut self, list: &Expression) -> Done {
        let list = eval(list, &self.scope)?;
        self.enter();
        let row = |element: Cell| {
            let own = || Arc::new(Layer::new(IndexMap::from([("value".to_owned(), element.clone())])));
            element.downcast_object::<Layer>().unwrap_or_else(own)
        };
        self.rows = list.try_iter().map_err(|error| broken(error.to_string()))?.map(row).collect();
        Ok(())
    }

    /// The row of an outer list is `outer` for the rows of an inner one.
    fn enter(&mut self) {
        if let Some(outer) = self.scope.cell().get_attr("row").ok().filter(|row| !row.is_undefined()) {
            self.scope = self.scope.with("outer", outer);
        }
    }

    pub(super) fn find(&mut self, text: &Expression, within: &[Expression], nearest: bool) -> Done {
        let text = text_of(&eval(text, &self.scope)?);
        let mut found: Vec<(Likeness, Arc<Layer>)> = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let scope = self.scope.with("row", row.cell());
            let names =
                within.iter().map(|it| Ok(text_of(&eval(it, &scope)?))).collect::<Result<Vec<_>, CallFault>>()?;
            found.extend(likeness(&text, &names, nearest).map(|likeness| (likeness, row)));
        }
        // Spellings count only where nothing is called so.
        let is_near = |likeness: Likeness| matches!(likeness, Likeness::Near(_));
        if found.iter().any(|(likeness, _)| !is_near(*likeness)) {
            found.retain(|(likeness, _)| !is_near(*likeness));
        }
        found.sort_by_key(|(likeness, _)| *likeness);
        self.rows = found.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    /// Filters of one key are alternatives; those of several keys must all hold.
    pub(super) fn filters(&mut self, parameter: &str, by: &Values) -> Done {
        let Some(text) = self.arguments.get(parameter).and_then(Value::as_str).map(str::to_owned) else {
            return Ok(());
        };
        let invalid = || {
            let expected = by.keys().map(|key| format!("{key}::VALUE")).collect::<Vec<_>>().join(",");
            CallFault::Invalid { parameter: parameter.to_owned(), expected, value: Value::from(text.as_str()) }
        };
        let mut wanted: IndexMap<&str, Vec<&str>> = IndexMap::new();
        for filter in text.split(',').map(str::trim).filter(|filter| !filter.is_empty()) {
            let (key, value) = filter.split_once("::").filter(|(key, _)| by.contains_key(*key)).ok_or_else(invalid)?;
            wanted.entry(key).or_default().push(value);
        }
        self.keep(|_, scope| {
            for (key, values) in &wanted {
                let Some(expression) = by.get(*key) else { continue };
                let own = eval(expression, scope)?;
                if !values.iter().any(|value| passes(&own, value)) {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    pub(super) fn sort(&mut self, parameter: Option<&str>, orders: &IndexMap<String, Vec<Expression>>) -> Done {
        let given = parameter.and_then(|name| self.arguments.get(name)).and_then(Value::as_str);
        let order = match given {
            Some(name) => orders.get(name).ok_or_else(|| CallFault::Invalid {
                parameter: parameter.unwrap_or_default().to_owned(),
                expected: orders.keys().cloned().collect::<Vec<_>>().join("|"),
                value: Value::from(name),
            })?,
            None => match orders.values().next() {
                Some(order) => order,
                None => return Ok(()),
            },
        };
        let mut keyed = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let scope = self.scope.with("row", row.cell());
            keyed.push((order.iter().map(|it| eval(it, &scope)).collect::<Result<Vec<Cell>, _>>()?, row));
        }
        keyed.sort_by(|one, two| one.0.cmp(&two.0));
        self.rows = keyed.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    pub(super) fn page(&mut self, number: &Expression, size: &Expression) -> Done {
        let whole = |expression| Ok(f64::try_from(eval(expression, &self.scope)?).unwrap_or(1.0).max(1.0));
        let (number, size): (f64, f64) = (whole(number)?, whole(size)?);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "neither is below one; what is too great saturates"
        )]
        let (number, size) = (number as usize, size as usize);
        self.count = self.rows.len();
        self.rows = self.rows.iter().skip((number - 1).saturating_mul(size)).take(size).cloned().collect();
        Ok(())
    }
}

/// Whether a value passes a filter: an element of a list, `1` or `0` for a boolean, else its text.
fn passes(own: &Cell, value: &str) -> bool {
    match own.kind() {
        minijinja::value::ValueKind::Seq => own.try_iter().into_iter().flatten().any(|it| text_of(&it) == value),
        minijinja::value::ValueKind::Bool => value == if own.is_true() { "1" } else { "0" },
        _ => text_of(own) == value,
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::testing::known;
    use crate::world::CallFault;
    use crate::world::declared::testing::{answer, call, inn, world_of};
    use fcgen_core::record::Object;
    use proptest::prelude::*;
    use serde_json::Value as Json;

    fn search(seed: u64, more: &str) -> (Vec<Json>, u64) {
        let json = format!(r#"{{"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-03"{more}}}"#);
        let answer = call(&mut inn("en", seed).session(), "Search_Inns", &json);
        (answer["data"]["inns"].as_array().unwrap().clone(), answer["data"]["count"].as_u64().unwrap())
    }

    fn all(seed: u64, more: &str) -> Vec<Json> {
        (1..4).flat_map(|page| search(seed, &format!(r#", "page": {page}{more}"#)).0).collect()
    }

    #[test]
    fn names_are_found_by_parts_and_slips() {
        let world = inn("en", 1);
        let mut session = world.session();
        let mut found = |query: &str| {
            let towns = call(&mut session, "Find_Town", &format!(r#"{{"query": "{query}"}}"#));
            towns["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|town| town["id"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("Old Harbor"), ["T3"]);
        assert_eq!(found("harbor"), ["T3"]);
        assert_eq!(found("Milbrook"), ["T1"]);
        assert_eq!(found("Atlantis"), [""; 0]);
    }

    #[test]
    fn several_tables_are_searched_together() {
        let world = inn("en", 1);
        let mut session = world.session();
        assert_eq!(call(&mut session, "Locate_Town", r#"{"query": "Greyford"}"#)["data"]["what"], "towns");
        let name = world.column("inns", "name")[3].clone();
        assert_eq!(call(&mut session, "Locate_Town", &format!(r#"{{"query": {name}}}"#))["data"]["what"], "inns");
    }

    #[test]
    fn a_filter_that_nobody_knows_is_refused() {
        let arguments: Object = serde_json::from_str(
            r#"{"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-03", "filters": "colour::red"}"#,
        )
        .unwrap();
        let fault = inn("en", 1).session().call("Search_Inns", &arguments).unwrap_err();
        let expected = "stars::VALUE,wifi::VALUE,extra::VALUE";
        assert!(matches!(&fault, CallFault::Invalid { expected: told, .. } if told == expected), "{fault}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn pages_partition_and_orders_hold(seed in any::<u64>()) {
            let inns = all(seed, "");
            prop_assert_eq!((inns.len(), search(seed, "").1), (8, 8));
            let ids: std::collections::BTreeSet<&str> = inns.iter().map(|inn| inn["id"].as_str().unwrap()).collect();
            prop_assert_eq!(ids.len(), 8);
            let price = |inn: &Json| inn["total"].as_f64().unwrap();
            prop_assert!(inns.is_sorted_by(|one, two| price(one) <= price(two)));
            let stars = |inn: &Json| inn["stars"].as_u64().unwrap();
            prop_assert!(all(seed, r#", "sort": "stars""#).is_sorted_by(|one, two| stars(one) >= stars(two)));
            prop_assert!(search(seed, r#", "page": 50"#).0.is_empty());
        }

        #[test]
        fn filters_of_one_key_are_alternatives_and_those_of_several_all_hold(seed in any::<u64>()) {
            let of = |filters: &str| all(seed, &format!(r#", "filters": "{filters}""#));
            let every = all(seed, "");
            let expected = every.iter().filter(|inn| {
                let stars = inn["stars"].as_u64().unwrap();
                (stars == 2 || stars == 4) && inn["wifi"] == true && inn["extras"].as_array().unwrap().contains(&"sauna".into())
            });
            prop_assert_eq!(of("wifi::1, stars::4,stars::2,extra::sauna").len(), expected.count());
            prop_assert_eq!(of("").len(), every.len());
            let least = all(seed, r#", "stars_from": 3"#);
            prop_assert!(least.iter().all(|inn| inn["stars"].as_u64() >= Some(3)));
            prop_assert_eq!(least.len(), every.iter().filter(|inn| inn["stars"].as_u64() >= Some(3)).count());
        }
    }

    const IDS: &str = "{ for = 'row in rows', give = 'row.id' }";

    #[test]
    fn orders_are_by_name_the_first_by_default_and_ties_keep_their_order() {
        let steps =
            "{ from = ['places'] }, { sort = 'x', orders = { size = ['row.size'], back = ['-row.size', 'row.id'] } }";
        assert_eq!(answer(steps, IDS, "{}").unwrap(), r#"["b","d","c","a"]"#);
        assert_eq!(answer(steps, IDS, r#"{"x": "back"}"#).unwrap(), r#"["a","c","b","d"]"#);
        assert_eq!(
            answer(steps, IDS, r#"{"x": "none"}"#).unwrap_err(),
            "invalid value for `x`: expected size|back, found \"none\""
        );
    }

    #[test]
    fn a_page_out_of_reach_is_empty_and_one_below_the_first_is_the_first() {
        let page = |n: &str| {
            answer("{ from = ['places'] }, { page = 'n', size = '3' }", IDS, &format!(r#"{{"n": {n}}}"#)).unwrap()
        };
        assert_eq!([page("1"), page("0"), page("-4"), page("null")], [r#"["a","b","c"]"#; 4]);
        assert_eq!([page("2"), page("3"), page("1e300")], [r#"["d"]"#, "[]", "[]"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn pages_of_any_size_are_the_sorted_list_cut_up(size in 1_usize..6) {
            let steps = format!("{{ from = ['places'] }}, {{ sort = '-row.size' }}, {{ page = 'n', size = '{size}' }}");
            let world = world_of(&known(&steps, IDS).unwrap()).unwrap();
            let mut session = world.session();
            let mut page = |n: usize| -> Vec<Json> {
                let json = format!(r#"{{"n": {n}}}"#);
                call(&mut session, "F", &json).as_array().unwrap().clone()
            };
            let pages: Vec<Vec<Json>> = (1..6).map(&mut page).collect();
            prop_assert_eq!(pages.concat(), ["a", "c", "b", "d"]);
            prop_assert!(pages.iter().all(|page| page.len() <= size));
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn two_filters_leave_what_both_leave(seed in any::<u64>(), stars in 1_u8..6, extra in prop::sample::select(vec!["sauna", "garden", "bar"])) {
            let ids = |filters: &str| -> Vec<String> {
                all(seed, &format!(r#", "filters": "{filters}""#)).iter().map(|inn| inn["id"].to_string()).collect()
            };
            let (one, other) = (format!("stars::{stars}"), format!("extra::{extra}"));
            let kept = ids(&other);
            let both: Vec<String> = ids(&one).into_iter().filter(|id| kept.contains(id)).collect();
            prop_assert_eq!(&ids(&format!("{one},{other}")), &both);
            prop_assert_eq!(ids(&format!("{other},{one},{one}")), both);
        }
    }
}
