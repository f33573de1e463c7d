//! Steps that change tables.

use super::answer::broken;
use super::generate::{Seedling, Taken};
use super::layer::{Layer, Rows, Scope};
use super::run::{Done, Run, evaluated};
use crate::toolset::{Cell, Values, text_of};
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

impl Run<'_, '_> {
    fn table_mut(&mut self, table: &str) -> &mut Rows {
        // Rows are copied when the first of them changes in a call: the session keeps its own until the call has gone well.
        Arc::make_mut(Arc::make_mut(&mut self.tables).entry(table.to_owned()).or_default())
    }

    /// The keys of the rows at hand.
    fn keys(&self, table: &str) -> IndexSet<String> {
        let column = self.tables.get(table).and_then(|rows| rows.key.clone()).unwrap_or_default();
        self.rows.iter().filter_map(|row| row.get(&column)).map(text_of).collect()
    }

    pub(super) fn insert(&mut self, table: &str, values: &Values) -> Done {
        let told = evaluated(values, &self.scope)?;
        let world = self.session.world;
        let Some(spec) = world.declaration.tables.get(table) else { return Ok(()) };
        let rows = self.tables.get(table).cloned().unwrap_or_default();
        let made = self.made.entry(table.to_owned()).or_default();
        // The rows that the world was drawn with have the ordinals before.
        let at = world.tables.get(table).map_or(0, |rows| rows.rows.len()) + *made;
        *made += 1;
        let taken_of = |column: &String| {
            let own = rows.rows.values().filter_map(|row| row.get(column)).map(text_of).collect::<IndexSet<String>>();
            (column.clone(), own)
        };
        let mut taken: Taken = spec.columns.keys().map(taken_of).collect();
        let seedling = Seedling { at, of_parents: at, parents: IndexMap::new(), told };
        let row =
            world.ground().row(spec, &seedling, &self.scope, &mut taken).map_err(|error| broken(error.to_string()))?;
        let row = Arc::new(row);
        self.table_mut(table).insert(row.clone());
        self.rescope();
        // What follows may name the one row that there is now.
        self.scope = self.scope.with("row", row.cell());
        self.rows = vec![row];
        Ok(())
    }

    pub(super) fn update(&mut self, table: &str, values: &Values) -> Done {
        let keys = self.keys(table);
        let mut changed = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let new = evaluated(values, &self.scope.with("row", row.cell()))?;
            changed.push(Arc::new(Layer::over(new, &row)));
        }
        let rows = self.table_mut(table);
        for (key, row) in keys.iter().zip(&changed) {
            rows.rows.insert(key.clone(), row.clone());
        }
        self.rows = changed;
        self.rescope();
        Ok(())
    }

    pub(super) fn delete(&mut self, table: &str) {
        let keys = self.keys(table);
        self.table_mut(table).rows.retain(|key, _| !keys.contains(key));
    }

    /// Lets the expressions that follow see the tables as they are now.
    fn rescope(&mut self) {
        let names =
            self.tables.iter().map(|(name, rows)| (name.clone(), Cell::from_dyn_object(rows.clone()))).collect();
        self.scope = Scope::over(names, &self.scope);
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::testing::known;
    use crate::world::declared::testing::{answer, call, inn, world_of};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn what_is_made_has_what_was_told_and_a_key_of_its_own(seed in any::<u64>(), times in 1_usize..5) {
            let world = inn("en", seed);
            let mut session = world.session();
            let json = r#"{"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}"#;
            let found = call(&mut session, "Search_Inns", json);
            let token = format!(r#"{{"token": {}}}"#, found["data"]["inns"][0]["token"]);
            let ids: Vec<serde_json::Value> = (0..times).map(|_| call(&mut session, "Book_Inn", &token)["data"]["id"].clone()).collect();
            let bookings = session.rows("bookings");
            prop_assert_eq!(bookings.len(), times);
            let row = bookings[0].as_object().unwrap();
            prop_assert_eq!(row.keys().collect::<Vec<_>>(), ["id", "inn", "nights", "state"]);
            prop_assert_eq!(row["nights"].to_string(), "3");
            prop_assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)));
            call(&mut session, "Forget_Booking", &format!(r#"{{"booking_id": {}}}"#, ids[0]));
            prop_assert_eq!(session.rows("bookings").len(), times - 1);
            let again = call(&mut session, "Book_Inn", &token)["data"]["id"].clone();
            prop_assert!(!ids.contains(&again), "nothing gets the identifier of what was deleted");
        }
    }

    /// Makes a note, and then lists all of them.
    const NOTE: &str = "{ insert = 'notes', values = { text = 'x' } }, { from = ['notes'] }";
    const TEXTS: &str = "{ for = 'row in rows', give = 'row.text' }";

    #[test]
    fn what_was_made_is_found_by_the_steps_that_follow() {
        assert_eq!(answer(NOTE, TEXTS, r#"{"x": "first"}"#).unwrap(), r#"["first"]"#);
        let named = "{ insert = 'notes', values = { text = 'x' } }, { let = { again = 'notes[row.id].text' } }";
        assert_eq!(answer(named, "'again'", r#"{"x": "first"}"#).unwrap(), r#""first""#);
    }

    #[test]
    fn what_changes_is_changed_in_its_table_alone_and_what_goes_is_gone() {
        let both = "{ from = ['places'] }, { where = 'row.size == 1' }, { update = 'places', values = { size = 'row.size + 8' } }, { from = ['places'] }";
        assert_eq!(answer(both, "{ for = 'row in rows', give = 'row.size' }", "{}").unwrap(), "[3,9,2,9]");
        let gone = "{ from = ['places'], by = { side = 'x' } }, { delete = 'places' }, { from = ['places'] }";
        assert_eq!(
            answer(gone, "{ for = 'row in rows', give = 'row.id' }", r#"{"x": "west"}"#).unwrap(),
            r#"["b","d"]"#
        );
    }

    #[test]
    fn a_call_that_fails_leaves_nothing_and_sessions_do_not_see_each_other() {
        let broken = world_of(
            &known(&format!("{NOTE}, {{ require = 'n > 0', parameter = 'n', error = 'no' }}"), TEXTS).unwrap(),
        )
        .unwrap();
        let mut session = broken.session();
        let arguments = |json: &str| serde_json::from_str(json).unwrap();
        assert!(session.call("F", &arguments(r#"{"x": "first", "n": 0}"#)).is_err());
        assert!(session.rows("notes").is_empty(), "what was made before the failure is not kept");
        session.call("F", &arguments(r#"{"x": "second", "n": 1}"#)).unwrap();
        let mut other = session.clone();
        other.call("F", &arguments(r#"{"x": "third", "n": 1}"#)).unwrap();
        assert_eq!(
            (session.rows("notes").len(), other.rows("notes").len(), broken.session().rows("notes").len()),
            (1, 2, 0)
        );
    }
}
