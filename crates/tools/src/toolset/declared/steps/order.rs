//! The order in which tables can be made: those that others refer to come first.

use super::super::table::{Column, TableSpec};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The tables in such an order, or one that needs itself.
pub(crate) fn in_order(tables: &IndexMap<String, TableSpec>) -> Result<Vec<String>, String> {
    let mut order: Vec<String> = Vec::new();
    while order.len() < tables.len() {
        let is_ready = |table: &&TableSpec| {
            let needs = needs(table);
            !order.contains(&table.name) && needs.iter().all(|name| order.contains(name) || !tables.contains_key(name))
        };
        let left = || tables.values().find(|table| !order.contains(&table.name));
        match tables.values().find(is_ready) {
            Some(table) => order.push(table.name.clone()),
            None => return Err(left().map(|table| table.name.clone()).unwrap_or_default()),
        }
    }
    Ok(order)
}

/// The names of tables, and whatever else the expressions of a table name.
fn needs(table: &TableSpec) -> BTreeSet<String> {
    let mut needs: BTreeSet<String> = table.each.values().cloned().collect();
    for column in table.columns.values() {
        match column {
            Column::Of(of) => drop(needs.insert(of.clone())),
            Column::Value(expression) | Column::Near { centre: expression, .. } => {
                needs.extend(
                    expression.wants().into_iter().filter_map(|want| want.split('.').next().map(str::to_owned)),
                );
            }
            _ => {}
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::steps::expression::Expression;

    fn table(name: &str, columns: &[(&str, Column)]) -> (String, TableSpec) {
        let columns = columns.iter().map(|(name, column)| ((*name).to_owned(), column.clone())).collect();
        let spec = TableSpec {
            name: name.to_owned(),
            key: None,
            rows: 1,
            long: None,
            each: IndexMap::new(),
            given: None,
            columns,
        };
        (name.to_owned(), spec)
    }

    fn value(text: &str) -> Column {
        Column::Value(Expression::compile(text).unwrap())
    }

    #[test]
    fn what_is_referred_to_comes_first() {
        let tables = IndexMap::from([
            table("a", &[("x", value("b[row.x].name ~ today"))]),
            table("b", &[("y", Column::Of("c".to_owned()))]),
            table("c", &[]),
        ]);
        assert_eq!(in_order(&tables).unwrap(), ["c", "b", "a"]);
    }

    #[test]
    fn a_circle_is_named() {
        let tables =
            IndexMap::from([table("a", &[("x", Column::Of("b".to_owned()))]), table("b", &[("x", value("a.x"))])]);
        assert_eq!(in_order(&tables).unwrap_err(), "a");
    }
}
