//! A table: the rows of one resource, oldest first.

use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;

/// One thing of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    id: String,
    values: Object,
}

/// The rows of a resource by identifier, in the order in which they came to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table(IndexMap<String, Row>);

impl Row {
    /// A row of its identifier and the values of its fields.
    pub fn new(id: String, values: Object) -> Self {
        Self { id, values }
    }

    /// Its identifier.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What a field holds.
    pub fn value(&self, field: &str) -> Option<&Value> {
        self.values.get(field)
    }

    /// The fields with their values.
    pub fn values(&self) -> &Object {
        &self.values
    }

    /// Puts a value into a field.
    pub(super) fn set(&mut self, field: &str, value: Value) {
        self.values.insert(field.to_owned(), value);
    }

    /// Whether the fields hold these values.
    pub fn holds(&self, wanted: &Object) -> bool {
        wanted.iter().all(|(field, value)| self.value(field).is_some_and(|own| own.equals(value)))
    }
}

impl Table {
    /// The row with this identifier.
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.0.get(id)
    }

    /// The rows, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> + ExactSizeIterator {
        self.0.values()
    }

    /// The rows that hold these values, oldest first.
    pub fn matching<'a>(&'a self, wanted: &'a Object) -> impl DoubleEndedIterator<Item = &'a Row> {
        self.rows().filter(|row| row.holds(wanted))
    }

    pub(super) fn row_mut(&mut self, id: &str) -> Option<&mut Row> {
        self.0.get_mut(id)
    }

    pub(super) fn insert(&mut self, row: Row) {
        self.0.insert(row.id.clone(), row);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.0.shift_remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::default();
        for (id, colour) in [("A", "red"), ("B", "blue"), ("C", "red")] {
            table.insert(Row::new(id.to_owned(), Object::from([("colour".to_owned(), colour.into())])));
        }
        table
    }

    #[test]
    fn rows_keep_their_order_and_are_found_by_what_they_hold() {
        let table = table();
        let wanted = Object::from([("colour".to_owned(), "red".into())]);
        assert_eq!(table.matching(&wanted).map(Row::id).collect::<Vec<_>>(), ["A", "C"]);
        assert_eq!(table.matching(&wanted).next_back().map(Row::id), Some("C"), "the newest");
        assert_eq!(table.matching(&Object::new()).count(), 3);
        assert!(!table.row("B").unwrap().holds(&Object::from([("size".to_owned(), 3.into())])));
    }

    #[test]
    fn a_row_that_was_taken_away_leaves_the_others_in_order() {
        let mut table = table();
        table.remove("A");
        assert_eq!(table.rows().map(Row::id).collect::<Vec<_>>(), ["B", "C"]);
        table.row_mut("B").unwrap().set("colour", "green".into());
        assert_eq!(table.row("B").unwrap().value("colour").and_then(Value::as_str), Some("green"));
        assert_eq!(table.row("B").unwrap().values().len(), 1);
    }
}
