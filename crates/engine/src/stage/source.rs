//! The roots that a source yields.

use crate::record::{Item, ItemId, Object, Provenance, Record, Row};
use std::sync::Arc;

/// The roots that a source yields, in order.
#[derive(Debug, Clone)]
pub enum Source {
    /// All of them as they are: tools, domains, scenarios.
    Items(Vec<Item>),
    /// Rows, each made when its turn comes: there may be millions.
    Rows(Rows),
}

/// The rows of a table, some times each.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The stage that yields them.
    pub stage: Arc<str>,
    /// The table; without one the rows are empty.
    pub table: Option<Arc<[Object]>>,
    /// How often each row comes.
    pub times: usize,
}

impl Source {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Rows(rows) => rows.table.as_ref().map_or(1, |table| table.len()) * rows.times,
        }
    }

    /// The so-manieth of them, which must be there.
    pub fn root(&self, ordinal: usize) -> Item {
        match self {
            Self::Items(items) => items[ordinal].clone(),
            Self::Rows(rows) => rows.row(ordinal),
        }
    }
}

impl Rows {
    fn row(&self, ordinal: usize) -> Item {
        let id = ItemId::root("row").child(&self.stage, ordinal);
        let fields = self.table.as_ref().map(|table| table[ordinal / self.times].clone()).unwrap_or_default();
        let record = Record::Row(Row { fields });
        Item { root: id.clone(), id, record, provenance: Provenance::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Value;

    fn row(city: &str) -> Object {
        Object::from_iter([("city".to_owned(), Value::from(city))])
    }

    fn told(source: &Source) -> Vec<(String, Object)> {
        let fields = |item: &Item| match &item.record {
            Record::Row(row) => row.fields.clone(),
            other => panic!("{other:?}"),
        };
        (0..source.count()).map(|at| source.root(at)).map(|item| (item.id.to_string(), fields(&item))).collect()
    }

    #[test]
    fn each_row_of_a_table_comes_so_many_times() {
        let table: Arc<[Object]> = [row("Porto"), row("Lyon")].into();
        let source = Source::Rows(Rows { stage: "say".into(), table: Some(table), times: 2 });
        let expected = [("row/say/0", "Porto"), ("row/say/1", "Porto"), ("row/say/2", "Lyon"), ("row/say/3", "Lyon")];
        assert_eq!(told(&source), expected.map(|(id, city)| (id.to_owned(), row(city))));
        let again: Vec<_> = (0..source.count()).map(|at| source.root(at)).collect();
        assert_eq!(told(&Source::Items(again)), told(&source));
    }

    #[test]
    fn without_a_table_the_rows_are_empty() {
        let rows = |table| Source::Rows(Rows { stage: "say".into(), table, times: 2 });
        assert_eq!(
            told(&rows(None)),
            [("row/say/0".to_owned(), Object::new()), ("row/say/1".to_owned(), Object::new())]
        );
        assert_eq!(rows(Some([].into())).count(), 0);
    }
}
