//! Rows and scopes as expressions see them.

use crate::toolset::{Cell, text_of};
use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use std::sync::Arc;

/// A row: its own values above those of another, which it leaves as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    own: IndexMap<String, Cell>,
    below: Option<Arc<Layer>>,
}

/// The rows of a table by key, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// The column that holds the keys.
    pub(super) key: Option<String>,
    /// The rows.
    pub(super) rows: IndexMap<String, Arc<Layer>>,
}

/// Names in scope, above those of another scope.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    names: IndexMap<String, Cell>,
    below: Option<Arc<Scope>>,
}

impl Layer {
    /// A row of these values.
    pub(super) fn new(own: IndexMap<String, Cell>) -> Self {
        Self { own, below: None }
    }

    /// These values above another row.
    pub(super) fn over(own: IndexMap<String, Cell>, below: &Arc<Self>) -> Self {
        Self { own, below: Some(below.clone()) }
    }

    /// A value.
    pub(super) fn get(&self, name: &str) -> Option<&Cell> {
        self.own.get(name).or_else(|| self.below.as_ref()?.get(name))
    }

    /// The same row for expressions.
    pub(super) fn cell(self: &Arc<Self>) -> Cell {
        Cell::from_dyn_object(self.clone())
    }

    fn names(&self) -> Vec<Cell> {
        let mut names = self.below.as_ref().map(|below| below.names()).unwrap_or_default();
        names.extend(self.own.keys().map(|name| Cell::from(name.as_str())));
        names.dedup();
        names
    }
}

impl Rows {
    /// The row with this key.
    pub(super) fn row(&self, key: &str) -> Option<&Arc<Layer>> {
        self.rows.get(key)
    }

    /// Adds a row; one without a key is named by its number.
    pub(super) fn insert(&mut self, row: Arc<Layer>) {
        let key = self.key.as_ref().and_then(|key| row.get(key)).map(text_of);
        let key = key.unwrap_or_else(|| self.rows.len().to_string());
        self.rows.insert(key, row);
    }
}

impl Scope {
    /// These names above another scope.
    pub(super) fn over(names: IndexMap<String, Cell>, below: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { names, below: Some(below.clone()) })
    }

    /// One name above another scope.
    pub(super) fn with(self: &Arc<Self>, name: &str, value: Cell) -> Arc<Self> {
        Self::over(IndexMap::from([(name.to_owned(), value)]), self)
    }

    /// A scope of these names alone.
    pub(super) fn new(names: IndexMap<String, Cell>) -> Arc<Self> {
        Arc::new(Self { names, below: None })
    }

    /// The same scope for expressions.
    pub(super) fn cell(self: &Arc<Self>) -> Cell {
        Cell::from_dyn_object(self.clone())
    }

    fn get(&self, name: &str) -> Option<&Cell> {
        self.names.get(name).or_else(|| self.below.as_ref()?.get(name))
    }
}

impl Object for Layer {
    fn get_value(self: &Arc<Self>, key: &Cell) -> Option<Cell> {
        self.get(key.as_str()?).cloned()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Cell> {
        self.get(key).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.names())
    }
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Cell) -> Option<Cell> {
        self.get(key.as_str()?).cloned()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Cell> {
        self.get(key).cloned()
    }
}

impl Object for Rows {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Cell) -> Option<Cell> {
        self.row(&text_of(key)).map(Layer::cell)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.rows.keys().map(|key| Cell::from(key.as_str())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::{Expression, from_cell};

    fn layer(pairs: &[(&str, i64)]) -> IndexMap<String, Cell> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Cell::from(*value))).collect()
    }

    #[test]
    fn a_row_shows_its_own_values_and_those_below() {
        let below = Arc::new(Layer::new(layer(&[("a", 1), ("b", 2)])));
        let row = Arc::new(Layer::over(layer(&[("c", 3)]), &below));
        assert_eq!(from_cell(&row.cell()).to_string(), r#"{"a":1,"b":2,"c":3}"#);
        let over = Arc::new(Layer::over(layer(&[("a", 9)]), &row));
        assert_eq!((over.get("a"), below.get("a")), (Some(&Cell::from(9)), Some(&Cell::from(1))));
    }

    #[test]
    fn a_scope_finds_names_rows_and_tables() {
        let mut rows = Rows { key: Some("id".to_owned()), ..Rows::default() };
        rows.insert(Arc::new(Layer::new(layer(&[("id", 7), ("size", 70)]))));
        let base = Scope::new(IndexMap::from([("things".to_owned(), Cell::from_object(rows))]));
        let scope = base.with("wanted", Cell::from(7));
        let eval = |text: &str| Expression::compile(text).unwrap().eval(&scope.cell());
        assert_eq!(eval("things[wanted].size * 2").unwrap(), Cell::from(140));
        assert!(eval("things[8].size").is_err());
        assert_eq!(eval("things[8] is defined").unwrap(), Cell::from(false));
        assert_eq!(eval("things|length").unwrap(), Cell::from(1));
    }

    #[test]
    fn rows_without_keys_are_numbered() {
        let mut rows = Rows::default();
        rows.insert(Arc::default());
        rows.insert(Arc::default());
        assert!(rows.row("1").is_some() && rows.row("2").is_none());
    }

    #[test]
    fn a_row_over_a_row_names_everything_once_from_below_upwards() {
        let below = Arc::new(Layer::new(layer(&[("a", 1), ("b", 2)])));
        let over = Arc::new(Layer::over(layer(&[("b", 3)]), &below));
        let Enumerator::Values(names) = Object::enumerate(&over) else { panic!("no names") };
        assert_eq!(names.iter().map(text_of).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(from_cell(&over.cell()).to_string(), r#"{"a":1,"b":3}"#);
        assert_eq!(over.get_value(&Cell::from("a")), Some(Cell::from(1)));
        assert_eq!((over.get_value(&Cell::from(1)), over.get("c")), (None, None));
    }

    #[test]
    fn tables_list_their_keys_oldest_first_and_a_new_row_of_a_key_takes_its_place() {
        let mut rows = Rows { key: Some("id".to_owned()), ..Rows::default() };
        for (id, size) in [(3, 1), (1, 2), (3, 9)] {
            rows.insert(Arc::new(Layer::new(layer(&[("id", id), ("size", size)]))));
        }
        let rows = Arc::new(rows);
        let Enumerator::Values(keys) = Object::enumerate(&rows) else { panic!("no keys") };
        assert_eq!(keys.iter().map(text_of).collect::<Vec<_>>(), ["3", "1"]);
        let size = |key: &Cell| rows.get_value(key).and_then(|row| row.get_attr("size").ok());
        assert_eq!((size(&Cell::from(3)), size(&Cell::from("1"))), (Some(Cell::from(9)), Some(Cell::from(2))));
        assert_eq!((size(&Cell::from(7)), Object::repr(&rows)), (None, ObjectRepr::Map));
    }

    #[test]
    fn a_name_of_a_scope_hides_the_same_name_below_and_nothing_else() {
        let base = Scope::new(layer(&[("a", 1), ("b", 2)]));
        let scope = Scope::over(layer(&[("b", 3)]), &base).with("c", Cell::from(4));
        let value = |name: &str| scope.get_value_by_str(name).and_then(|cell| i64::try_from(cell).ok());
        assert_eq!(["a", "b", "c", "d"].map(value), [Some(1), Some(3), Some(4), None]);
        assert_eq!(base.get_value(&Cell::from("b")), Some(Cell::from(2)));
        assert_eq!(base.get_value(&Cell::from(1)), None);
    }

    #[test]
    fn a_copy_of_a_table_shares_its_rows_and_no_more() {
        let mut rows = Rows { key: Some("id".to_owned()), ..Rows::default() };
        rows.insert(Arc::new(Layer::new(layer(&[("id", 1)]))));
        let mut copy = rows.clone();
        copy.insert(Arc::new(Layer::new(layer(&[("id", 2)]))));
        assert!(Arc::ptr_eq(rows.row("1").unwrap(), copy.row("1").unwrap()));
        assert_eq!((rows.rows.len(), copy.rows.len()), (1, 2));
    }
}
