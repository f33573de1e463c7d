//! Checks tables: every column has one source of values, and every name in it is there.

use super::names::Names;
use super::rows;
use super::steps::reader::{Reader, Text};
use super::structure::{ColumnText, TableText};
use super::table::{Column, TableSpec};
use crate::toolset::Shape;
use fcgen_core::assets::Assets;
use fcgen_core::locale::{Date, Numbers, Stamp};
use fcgen_core::record::Value;
use indexmap::IndexMap;
use toml::Spanned;

/// Rows of a table that does not say how many.
const ROWS: usize = 24;

/// Where a table's file and its words lie.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) assets: &'a Assets,
    pub(super) folder: &'a str,
    pub(super) locale: &'a str,
    /// The names of all tables.
    pub(super) tables: &'a [&'a str],
    pub(super) kinds: &'a dyn Fn(&str) -> bool,
}

impl Reader<'_> {
    /// Checks a table.
    pub(super) fn table(&mut self, name: &str, text: &Spanned<TableText>, place: Place<'_>) -> TableSpec {
        let table = text.get_ref();
        let mut spec = TableSpec {
            name: name.to_owned(),
            key: table.key.as_ref().map(|key| key.get_ref().clone()),
            rows: table.rows.unwrap_or(if table.each.is_empty() { ROWS } else { 1 }),
            long: table.long,
            each: table.each.iter().map(|(column, of)| (column.clone(), of.get_ref().clone())).collect(),
            given: None,
            columns: IndexMap::new(),
        };
        for of in table.each.values().filter(|of| !place.tables.contains(&of.get_ref().as_str())) {
            self.unknown(of.span(), "table", of.get_ref(), place.tables);
        }
        if let Some(file) = &table.from {
            match rows::read(place.assets, place.folder, place.locale, file.get_ref(), spec.key.as_deref()) {
                Ok(rows) => spec.given = Some(rows),
                Err(message) => self.fault(file.span(), message),
            }
        }
        let mut names = column_names(place.tables, &spec);
        for (column, text) in &table.columns {
            if let Some(checked) = self.column(text, &names, place) {
                spec.columns.insert(column.clone(), checked);
            }
            names.add_field("row", column);
        }
        self.check_key(text, &mut spec);
        spec
    }

    /// The key is what the table says, or its column `id`.
    fn check_key(&mut self, text: &Spanned<TableText>, spec: &mut TableSpec) {
        let has = |name: &str| spec.fields().any(|field| field == name);
        match &text.get_ref().key {
            Some(key) if !has(key.get_ref()) && (spec.given.is_some() || text.get_ref().from.is_none()) => {
                let fields: Vec<&str> = spec.fields().map(String::as_str).collect();
                self.unknown(key.span(), "column", key.get_ref(), &fields);
            }
            None if has("id") => spec.key = Some("id".to_owned()),
            _ => {}
        }
        if spec.fields().next().is_none() && text.get_ref().from.is_none() {
            self.fault(text.span(), format!("no columns in table `{}`", spec.name));
        }
    }

    fn column(&mut self, text: &Spanned<ColumnText>, names: &Names, place: Place<'_>) -> Option<Column> {
        let column = text.get_ref();
        let sources = [
            ("kind", column.kind.is_some()),
            ("of", column.of.is_some()),
            ("range", column.range.is_some()),
            ("one_of", column.one_of.is_some()),
            ("some_of", column.some_of.is_some()),
            ("chance", column.chance.is_some()),
            ("shape", column.shape.is_some()),
            ("slug", column.slug.is_some()),
            ("token", column.token.is_some()),
            ("near", column.near.is_some()),
            ("days", column.days.is_some()),
            ("times", column.times.is_some()),
            ("value", column.value.is_some()),
        ];
        if sources.iter().filter(|(_, there)| *there).count() != 1 {
            let listed: Vec<String> = sources.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.fault(text.span(), format!("a column must have exactly one of {}", listed.join(", ")));
            return None;
        }
        self.drawn(column, place).or_else(|| self.computed(text, names))
    }

    fn drawn(&mut self, column: &ColumnText, place: Place<'_>) -> Option<Column> {
        if let Some(kind) = &column.kind {
            if !(place.kinds)(kind.get_ref()) {
                self.fault(kind.span(), format!("unknown value kind `{}` in this locale", kind.get_ref()));
            }
            return Some(Column::Kind { kind: kind.get_ref().clone(), unique: column.unique });
        }
        if let Some(of) = &column.of {
            if !place.tables.contains(&of.get_ref().as_str()) {
                self.unknown(of.span(), "table", of.get_ref(), place.tables);
            }
            return Some(Column::Of(of.get_ref().clone()));
        }
        if let Some(values) = &column.some_of {
            let [least, most] = column.count.unwrap_or([1, values.len()]);
            return Some(Column::SomeOf { values: values.iter().map(json).collect(), least, most });
        }
        let shape = column.shape.as_ref().map(|shape| Column::Shape(Shape::new(shape.get_ref())));
        let numbers = column.range.map(|range| Column::Number(numbers(range, column.step.unwrap_or(1.0))));
        let listed = column.one_of.as_ref().map(|values| Column::OneOf(values.iter().map(json).collect()));
        let slug = column.slug.clone().map(Column::Slug);
        shape.or(numbers).or(listed).or(slug).or(column.chance.map(Column::Chance)).or(column.token.map(Column::Token))
    }

    fn computed(&mut self, text: &Spanned<ColumnText>, names: &Names) -> Option<Column> {
        let column = text.get_ref();
        if let Some(centre) = &column.near {
            let within = column.within.unwrap_or(0.01);
            return self.expression(centre, names).map(|centre| Column::Near { centre, within });
        }
        if let Some(value) = &column.value {
            return self.expression(value, names).map(Column::Value);
        }
        if let Some([from, to]) = &column.days {
            return Some(Column::Days(self.day(from)?, self.day(to)?));
        }
        let [from, to] = column.times.as_ref()?;
        #[expect(clippy::cast_possible_truncation, reason = "steps of time are minutes of a day")]
        let step = column.step.unwrap_or(5.0).clamp(1.0, 1_440.0) as i64;
        Some(Column::Times { from: self.minutes(from)?, to: self.minutes(to)?, step })
    }

    fn day(&mut self, text: &Text) -> Option<Date> {
        let day = Stamp::read(text.get_ref()).and_then(|stamp| stamp.date);
        if day.is_none() {
            self.fault(text.span(), format!("`{}` is not a date; expected the form `2024-11-05`", text.get_ref()));
        }
        day
    }

    fn minutes(&mut self, text: &Text) -> Option<i64> {
        let time = Stamp::read(text.get_ref()).and_then(|stamp| stamp.time);
        if time.is_none() {
            self.fault(text.span(), format!("`{}` is not a time; expected the form `08:30`", text.get_ref()));
        }
        time.map(|time| i64::from(time.hour) * 60 + i64::from(time.minute))
    }
}

/// What an expression of a column may name: the tables, the parents, and the columns before it.
fn column_names(tables: &[&str], spec: &TableSpec) -> Names {
    let mut names = Names::default();
    for name in tables.iter().copied().chain(["chance", "today", "at"]) {
        names.add(name);
    }
    spec.each.keys().for_each(|parent| names.add(parent));
    names.add_fields("row", spec.fields().cloned());
    names
}

/// Numbers with as many decimals as their bounds and steps are written with.
fn numbers([least, most]: [f64; 2], step: f64) -> Numbers {
    let decimals = |number: f64| number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let step = if step > 0.0 { step } else { 1.0 };
    Numbers { least, most: most.max(least), step, decimals: decimals(least).max(decimals(step)) }
}

/// A TOML scalar as a value of JSON; a list or table is none.
pub(in crate::toolset) fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(bool) => Value::Bool(*bool),
        toml::Value::Array(list) => Value::List(list.iter().map(json).collect()),
        other => Value::from(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{told, toolset_of, world_faults};

    #[test]
    fn a_column_has_one_source_and_knows_what_it_names() {
        for (old, new, expected) in [
            (
                "{ range = [1, 5] }",
                "{ range = [1, 5], chance = 0.5 }",
                "a column must have exactly one of `kind`, `of`",
            ),
            ("{ range = [1, 5] }", "{ unique = true }", "a column must have exactly one of"),
            ("kind = \"inn_name\"", "kind = \"inn_nam\"", "unknown value kind `inn_nam` in this locale"),
            ("{ near = \"town.latitude\"", "{ near = \"twon.latitude\"", "`twon.latitude`: unknown name"),
            (
                "each = { town = \"towns\" }",
                "each = { town = \"town\" }",
                "unknown table `town`; did you mean `towns`?",
            ),
            ("from = \"towns.csv\"", "from = \"tawns.csv\"", "world/tawns.csv` is missing"),
            ("from = \"towns.csv\"", "from = \"towns.csv\"\nkey = \"idd\"", "unknown column `idd`; did you mean `id`?"),
        ] {
            let faults = world_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{new}: {faults:?}");
            assert!(faults.iter().all(|fault| fault.starts_with("world/inns.toml:")), "{new}: {faults:?}");
        }
    }

    #[test]
    fn decimals_follow_from_how_numbers_are_written() {
        assert_eq!(numbers([1.0, 5.0], 1.0).decimals, 0);
        assert_eq!(numbers([6.0, 9.8], 0.1).decimals, 1);
        assert_eq!(numbers([1.25, 2.0], 0.5).decimals, 2);
        assert_eq!(numbers([3.0, 1.0], -1.0), Numbers { least: 3.0, most: 3.0, step: 1.0, decimals: 0 });
    }

    #[test]
    fn every_fault_of_a_table_is_told_with_its_line() {
        insta::assert_snapshot!(told(&[
            ("stars = { range = [1, 5] }", "stars = {}"),
            ("stars = { range = [1, 5] }", "stars = { range = [1, 5], of = \"towns\" }"),
            ("rival = { of = \"towns\" }", "rival = { of = \"town\" }"),
            ("label = { value = \"row.name ~ ' in ' ~ town.name\" }", "label = { value = \"row.nam\" }"),
            ("label = { value = \"row.name ~ ' in ' ~ town.name\" }", "label = { value = \"row.name +\" }"),
            ("id = { shape = \"IN####\" }", "id = { value = \"row.name\" }"),
            ("built = { days = [\"1900-01-01\", \"1999-12-31\"] }", "built = { days = [\"1900-01-01\", \"later\"] }"),
            ("open = { times = [\"06:00\", \"10:00\"], step = 30 }", "open = { times = [\"6\", \"10:00\"] }"),
            ("[tables.bookings]\nrows = 0", "[tables.bookings]\nkey = \"nights_\"\nrows = 0"),
            ("[tables.bookings]\nrows = 0", "[tables.empty]\nrows = 2\n[tables.bookings]\nrows = 0"),
            ("from = \"towns.csv\"", "from = \"../towns.csv\""),
        ]));
    }

    fn columns(text: &str) -> IndexMap<String, Column> {
        let world = format!(
            "[tables.o]\n[tables.o.columns]\nid = {{ shape = \"O##\" }}\n[tables.t]\n[tables.t.columns]\n{text}\n"
        );
        toolset_of(&world, "").unwrap().world.unwrap().tables["t"].columns.clone()
    }

    #[test]
    fn every_source_of_values_becomes_its_column() {
        let columns = columns(
            "kind = { kind = \"city\" }\nof = { of = \"o\" }\nnumber = { range = [1, 3], step = 0.5 }\none = { one_of = [1] }\nsome = { some_of = [1, 2, 3] }\n\
             chance = { chance = 0.25 }\nshape = { shape = \"A#\" }\nslug = { slug = [[\"a\"]] }\ntoken = { token = 9 }\nnear = { near = \"at\" }\n\
             days = { days = [\"2024-01-01\", \"2024-01-02\"] }\ntimes = { times = [\"08:00\", \"09:30\"] }\nvalue = { value = \"at\" }",
        );
        assert!(matches!(&columns["kind"], Column::Kind { kind, unique: false } if kind == "city"));
        assert!(matches!(&columns["of"], Column::Of(of) if of == "o"));
        assert!(matches!(&columns["number"], Column::Number(numbers) if numbers.decimals == 1));
        assert!(matches!(&columns["one"], Column::OneOf(values) if values.len() == 1));
        assert!(
            matches!(&columns["some"], Column::SomeOf { least: 1, most: 3, .. }),
            "all of them at most where nothing is said"
        );
        assert!(matches!(&columns["chance"], Column::Chance(often) if (often - 0.25).abs() < f64::EPSILON));
        assert!(matches!(&columns["shape"], Column::Shape(_)) && matches!(&columns["slug"], Column::Slug(_)));
        assert!(matches!(&columns["token"], Column::Token(9)));
        assert!(matches!(&columns["near"], Column::Near { within, .. } if (within - 0.01).abs() < f64::EPSILON));
        assert!(matches!(&columns["days"], Column::Days(from, to) if to.number() - from.number() == 1));
        assert!(matches!(&columns["times"], Column::Times { from: 480, to: 570, step: 5 }));
        assert!(matches!(&columns["value"], Column::Value(_)));
    }

    #[test]
    fn rows_and_keys_are_what_is_said_or_usual() {
        let world = "[tables.a]\n[tables.a.columns]\nid = { shape = \"A##\" }\n[tables.b]\neach = { a = \"a\" }\n[tables.b.columns]\nn = { range = [1, 2] }\n\
             [tables.c]\nkey = \"code\"\nrows = 3\n[tables.c.columns]\nid = { range = [1, 2] }\ncode = { shape = \"C##\" }\n";
        let tables = toolset_of(world, "").unwrap().world.unwrap().tables.clone();
        let of = |name: &str| (tables[name].rows, tables[name].key.as_deref());
        assert_eq!(["a", "b", "c"].map(of), [(24, Some("id")), (1, None), (3, Some("code"))]);
    }

    #[test]
    fn scalars_of_a_file_are_values_of_json() {
        let value: toml::Value = toml::from_str("a = [1, 2.5, true, \"x\", [1]]\nd = 2024-01-01").unwrap();
        assert_eq!(json(&value["a"]).to_string(), r#"[1,2.5,true,"x",[1]]"#);
        assert_eq!(json(&value["d"]).to_string(), "\"2024-01-01\"");
    }
}
