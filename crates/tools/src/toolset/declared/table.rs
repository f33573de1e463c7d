//! Tables and their columns, once they were checked.

use super::steps::expression::Expression;
use crate::toolset::Shape;
use fcgen_core::locale::{Date, Numbers};
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;

/// A table of the world.
#[derive(Debug, Clone)]
pub(crate) struct TableSpec {
    /// Its name.
    pub(crate) name: String,
    /// The column whose values name its rows, if it has one.
    pub(crate) key: Option<String>,
    /// Rows for each combination of parents, or in all where there are none.
    pub(crate) rows: usize,
    /// The same in a world with long answers, where those are more.
    pub(crate) long: Option<usize>,
    /// Its parents: the column that names one, and the table.
    pub(crate) each: IndexMap<String, String>,
    /// Rows that a file gives.
    pub(crate) given: Option<Vec<Object>>,
    /// The columns that are drawn or computed.
    pub(crate) columns: IndexMap<String, Column>,
}

/// Where the values of a column come from.
#[derive(Debug, Clone)]
pub(crate) enum Column {
    /// A value kind of the locale.
    Kind {
        /// The kind.
        kind: String,
        /// Whether no two rows have one.
        unique: bool,
    },
    /// The key of a row of another table.
    Of(String),
    /// A number.
    Number(Numbers),
    /// One of these.
    OneOf(Vec<Value>),
    /// Several of these, in their order.
    SomeOf {
        /// The values.
        values: Vec<Value>,
        /// The least number of them.
        least: usize,
        /// The greatest.
        most: usize,
    },
    /// True so often.
    Chance(f64),
    /// A unique text of this shape.
    Shape(Shape),
    /// A readable name: one word of each list, and a unique ending.
    Slug(Vec<Vec<String>>),
    /// A unique opaque text of this length.
    Token(usize),
    /// A number near another.
    Near {
        /// The other.
        centre: Expression,
        /// How far at most.
        within: f64,
    },
    /// A day.
    Days(Date, Date),
    /// A time of the day, in minutes from midnight.
    Times {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
        /// Minutes between two.
        step: i64,
    },
    /// A computed value.
    Value(Expression),
}

impl Column {
    /// The JSON type of its values, where that is known.
    pub(crate) fn type_name(&self) -> Option<&'static str> {
        match self {
            Self::Kind { .. }
            | Self::Shape(_)
            | Self::Slug(_)
            | Self::Token(_)
            | Self::Days(..)
            | Self::Times { .. } => Some("string"),
            Self::Number(numbers) if numbers.decimals == 0 => Some("integer"),
            Self::Number(_) | Self::Near { .. } => Some("number"),
            Self::OneOf(values) => values.first().map(Value::type_name),
            Self::SomeOf { .. } => Some("array"),
            Self::Chance(_) => Some("boolean"),
            Self::Of(_) | Self::Value(_) => None,
        }
    }
}

impl TableSpec {
    /// The names of its columns.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &String> {
        let given = self.given.iter().flatten().next().into_iter().flat_map(Object::keys);
        self.each.keys().chain(given).chain(self.columns.keys())
    }

    /// The JSON type of a column's values, where that is known.
    pub(crate) fn type_of(&self, field: &str) -> Option<&'static str> {
        let given = || self.given.as_ref()?.first()?.get(field).map(Value::type_name);
        let parent = || self.each.contains_key(field).then_some("string");
        self.columns.get(field).map_or_else(|| given().or_else(parent), Column::type_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TableSpec {
        let row = Object::from([("id".to_owned(), "A".into()), ("size".to_owned(), 3.into())]);
        TableSpec {
            name: "things".to_owned(),
            key: Some("id".to_owned()),
            rows: 1,
            long: None,
            each: IndexMap::from([("owner".to_owned(), "owners".to_owned())]),
            given: Some(vec![row]),
            columns: IndexMap::from([
                ("open".to_owned(), Column::Chance(0.5)),
                ("tags".to_owned(), Column::SomeOf { values: vec![], least: 0, most: 0 }),
            ]),
        }
    }

    #[test]
    fn fields_come_from_parents_files_and_columns() {
        assert_eq!(table().fields().map(String::as_str).collect::<Vec<_>>(), ["owner", "id", "size", "open", "tags"]);
    }

    #[test]
    fn types_are_known_where_values_are() {
        let table = table();
        let types = ["owner", "id", "size", "open", "tags", "none"].map(|field| table.type_of(field));
        assert_eq!(types, [Some("string"), Some("string"), Some("number"), Some("boolean"), Some("array"), None]);
        let numbers = |decimals| Column::Number(Numbers { least: 0.0, most: 1.0, step: 1.0, decimals }).type_name();
        assert_eq!((numbers(0), numbers(1)), (Some("integer"), Some("number")));
    }

    #[test]
    fn every_column_of_values_of_one_type_has_it() {
        let day = || Date::new(2024, 1, 1).unwrap();
        let expression = || Expression::compile("1").unwrap();
        let kind = |unique| Column::Kind { kind: "city".to_owned(), unique };
        let one_of = |values: &[&str]| Column::OneOf(values.iter().map(|json| Value::read(json).unwrap()).collect());
        for (column, type_name) in [
            (kind(true), Some("string")),
            (Column::Of("t".to_owned()), None),
            (one_of(&["1", "\"a\""]), Some("number")),
            (one_of(&["true"]), Some("boolean")),
            (one_of(&[]), None),
            (Column::Shape(Shape::new("A#")), Some("string")),
            (Column::Slug(Vec::new()), Some("string")),
            (Column::Token(9), Some("string")),
            (Column::Near { centre: expression(), within: 1.0 }, Some("number")),
            (Column::Days(day(), day()), Some("string")),
            (Column::Times { from: 0, to: 1, step: 1 }, Some("string")),
            (Column::Value(expression()), None),
        ] {
            assert_eq!(column.type_name(), type_name, "{column:?}");
        }
    }

    #[test]
    fn a_drawn_column_goes_before_what_a_file_gives() {
        let mut table = table();
        table.columns.insert("size".to_owned(), Column::Token(3));
        assert_eq!(table.type_of("size"), Some("string"));
    }
}
