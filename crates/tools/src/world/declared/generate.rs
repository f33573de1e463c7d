//! Draws the tables of a declared world.
//!
//! Everything but the values of kinds is drawn without the locale, so that every locale's tables have one structure.

use super::dice::Dice;
use super::layer::{Layer, Rows, Scope};
use super::seal::blank;
use crate::toolset::{Cell, Column, Declaration, TableSpec, from_cell, text_of, to_cell};
use crate::world::WorldError;
use fcgen_core::locale::Pack;
use fcgen_core::record::Chance;
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

/// How often a value that must be new is drawn.
const ATTEMPTS: u32 = 500;

/// The tables by name.
pub(super) type Tables = IndexMap<String, Arc<Rows>>;

/// What tables are drawn from.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) declaration: &'a Declaration,
    pub(super) pack: &'a Pack,
    pub(super) seed: u64,
}

/// A row before it is drawn.
pub(super) struct Seedling {
    /// Its ordinal in the table.
    pub(super) at: usize,
    /// Its ordinal among those of the same parents.
    pub(super) of_parents: usize,
    /// The rows of its parents.
    pub(super) parents: IndexMap<String, Cell>,
    /// What is known of it.
    pub(super) told: IndexMap<String, Cell>,
}

/// Values that must not come twice, by column.
pub(super) type Taken = IndexMap<String, IndexSet<String>>;

impl Ground<'_> {
    /// All tables.
    pub(super) fn tables(self) -> Result<Tables, WorldError> {
        let mut tables = Tables::new();
        for spec in self.declaration.tables.values() {
            let rows = self.table(spec, &tables)?;
            tables.insert(spec.name.clone(), Arc::new(rows));
        }
        Ok(tables)
    }

    fn table(self, spec: &TableSpec, tables: &Tables) -> Result<Rows, WorldError> {
        let base = self.scope(tables);
        let mut rows = Rows { key: spec.key.clone(), ..Rows::default() };
        let mut taken = Taken::new();
        for seedling in seedlings(spec, tables) {
            let row = self.row(spec, &seedling, &base, &mut taken)?;
            rows.insert(Arc::new(row));
        }
        Ok(rows)
    }

    /// What every expression of the world may name.
    pub(super) fn scope(self, tables: &Tables) -> Arc<Scope> {
        let mut names: IndexMap<String, Cell> =
            tables.iter().map(|(name, rows)| (name.clone(), Cell::from_dyn_object(rows.clone()))).collect();
        names.insert("today".to_owned(), Cell::from(self.declaration.today.as_str()));
        names.insert("chance".to_owned(), Cell::from_object(Dice(self.seed)));
        Scope::new(names)
    }

    /// Draws one row.
    pub(super) fn row(
        self,
        spec: &TableSpec,
        seedling: &Seedling,
        base: &Arc<Scope>,
        taken: &mut Taken,
    ) -> Result<Layer, WorldError> {
        let mut values = seedling.told.clone();
        let mut names = seedling.parents.clone();
        names.insert("at".to_owned(), Cell::from(seedling.of_parents));
        let scope = Scope::over(names, base);
        for (name, column) in &spec.columns {
            if values.contains_key(name) {
                continue;
            }
            let value = self.new_value(spec, name, column, seedling.at, &values, &scope, taken)?;
            values.insert(name.clone(), value);
        }
        // Columns stand in their declared order, also those that were told.
        let order: Vec<&String> = spec.fields().collect();
        values.sort_by_key(|name, _| order.iter().position(|it| *it == name));
        Ok(Layer::new(values))
    }

    #[expect(clippy::too_many_arguments, reason = "a value hangs on everything that was drawn before it")]
    fn new_value(
        self,
        spec: &TableSpec,
        name: &str,
        column: &Column,
        at: usize,
        values: &IndexMap<String, Cell>,
        scope: &Arc<Scope>,
        taken: &mut Taken,
    ) -> Result<Cell, WorldError> {
        let is_unique =
            matches!(column, Column::Shape(_) | Column::Slug(_) | Column::Token(_) | Column::Kind { unique: true, .. });
        for attempt in 0..ATTEMPTS {
            let place: [&[u8]; 5] = [
                &self.seed.to_le_bytes(),
                spec.name.as_bytes(),
                name.as_bytes(),
                &(at as u64).to_le_bytes(),
                &attempt.to_le_bytes(),
            ];
            let value = self.value(spec, name, column, values, scope, &mut Chance::of(&place))?;
            if !is_unique || taken.entry(name.to_owned()).or_default().insert(text_of(&value)) {
                return Ok(value);
            }
        }
        let (domain, fields) = (self.declaration.name.clone(), name.to_owned());
        Err(WorldError::Crowded { domain, resource: spec.name.clone(), fields, rows: at + 1 })
    }

    fn value(
        self,
        spec: &TableSpec,
        name: &str,
        column: &Column,
        values: &IndexMap<String, Cell>,
        scope: &Arc<Scope>,
        chance: &mut Chance,
    ) -> Result<Cell, WorldError> {
        let computed = |expression: &crate::toolset::Expression| {
            let row = Arc::new(Layer::new(values.clone()));
            expression.eval(&scope.with("row", row.cell()).cell()).map_err(|detail| WorldError::Column {
                domain: self.declaration.name.clone(),
                table: spec.name.clone(),
                column: name.to_owned(),
                detail,
            })
        };
        Ok(match column {
            Column::Kind { kind, .. } => {
                let drawn = self.pack.draw(kind, chance);
                let missing = || WorldError::Kind { domain: self.declaration.name.clone(), kind: kind.clone() };
                to_cell(&drawn.ok_or_else(missing)?.value)
            }
            Column::Value(expression) => {
                let value = computed(expression)?;
                // Rows and scopes that a value may lead to are not kept alive by it.
                if value.kind() == minijinja::value::ValueKind::Map { to_cell(&from_cell(&value)) } else { value }
            }
            Column::Near { centre, within } => {
                let centre = f64::try_from(computed(centre)?).unwrap_or_default();
                Cell::from(((centre + (chance.share() * 2.0 - 1.0) * within) * 1e6).round() / 1e6)
            }
            Column::Of(of) => some_key(scope, of, chance),
            plain => drawn(plain, chance),
        })
    }
}

/// A value that hangs on nothing.
fn drawn(column: &Column, chance: &mut Chance) -> Cell {
    match column {
        Column::Number(numbers) => {
            fcgen_core::record::Value::read(&numbers.draw(chance)).map(|number| to_cell(&number)).unwrap_or_default()
        }
        Column::OneOf(values) => chance.pick(values).map(to_cell).unwrap_or_default(),
        Column::SomeOf { values, least, most } => {
            let mut order: Vec<usize> = (0..values.len()).collect();
            chance.shuffle(&mut order);
            let count = least + chance.below(most.saturating_sub(*least) + 1);
            let kept: Vec<usize> = order.into_iter().take(count).collect();
            let some = values.iter().enumerate().filter(|(at, _)| kept.contains(at));
            some.map(|(_, value)| to_cell(value)).collect::<Vec<Cell>>().into()
        }
        Column::Chance(probability) => Cell::from(chance.happens(*probability)),
        Column::Shape(shape) => Cell::from(shape.draw(chance)),
        Column::Slug(words) => {
            let mut parts: Vec<String> = words.iter().filter_map(|list| chance.pick(list).cloned()).collect();
            parts.push(blank(chance, 8).to_lowercase().replace(['-', '_'], "0"));
            Cell::from(parts.join("-"))
        }
        Column::Token(length) => Cell::from(blank(chance, *length)),
        Column::Days(from, to) => {
            let days = usize::try_from(to.number() - from.number() + 1).unwrap_or(1);
            let day = from.plus(i64::try_from(chance.below(days)).unwrap_or(0));
            day.map(|day| Cell::from(day.to_string())).unwrap_or_default()
        }
        Column::Times { from, to, step } => {
            let steps = usize::try_from((to - from) / step + 1).unwrap_or(1);
            let minutes = from + step * i64::try_from(chance.below(steps)).unwrap_or(0);
            Cell::from(format!("{:02}:{:02}", minutes / 60, minutes % 60))
        }
        Column::Kind { .. } | Column::Of(_) | Column::Near { .. } | Column::Value(_) => Cell::default(),
    }
}

fn some_key(scope: &Arc<Scope>, table: &str, chance: &mut Chance) -> Cell {
    let rows = scope.cell().get_attr(table).ok().and_then(|rows| rows.downcast_object::<Rows>());
    let picked = rows.as_ref().and_then(|rows| Some(rows.rows.get_index(chance.below(rows.rows.len()))?.0.clone()));
    picked.map(Cell::from).unwrap_or_default()
}

/// The rows of a table before they are drawn: those of its file, or so many for each combination of parents.
fn seedlings(spec: &TableSpec, tables: &Tables) -> Vec<Seedling> {
    if let Some(given) = &spec.given {
        let told =
            |row: &fcgen_core::record::Object| row.iter().map(|(name, value)| (name.clone(), to_cell(value))).collect();
        let seedling = |(at, row)| Seedling { at, of_parents: at, parents: IndexMap::new(), told: told(row) };
        return given.iter().enumerate().map(seedling).collect();
    }
    let mut seedlings = Vec::new();
    for parents in combinations(spec, tables) {
        for of_parents in 0..spec.rows {
            let told = parents.iter().map(|(column, key, _)| (column.clone(), Cell::from(key.as_str()))).collect();
            let rows = parents.iter().map(|(column, _, row)| (column.clone(), row.cell())).collect();
            seedlings.push(Seedling { at: seedlings.len(), of_parents, parents: rows, told });
        }
    }
    seedlings
}

/// One parent of a row: the column, its key, its row.
type Parent = (String, String, Arc<Layer>);

/// Every combination of parents; no row is two parents at once.
fn combinations(spec: &TableSpec, tables: &Tables) -> Vec<Vec<Parent>> {
    let mut combinations: Vec<Vec<Parent>> = vec![Vec::new()];
    for (column, table) in &spec.each {
        let rows = tables.get(table).into_iter().flat_map(|rows| rows.rows.iter());
        let parents: Vec<Parent> = rows.map(|(key, row)| (column.clone(), key.clone(), row.clone())).collect();
        let with = |before: &Vec<Parent>| {
            let new = parents.iter().filter(|it| before.iter().all(|other| !Arc::ptr_eq(&other.2, &it.2)));
            new.map(|it| before.iter().cloned().chain([it.clone()]).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    combinations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::testing::toolset_of;
    use crate::world::declared::testing::{inn, toolset_with, world_of};
    use proptest::prelude::*;

    fn texts(locale: &str, seed: u64, column: &str) -> Vec<String> {
        inn(locale, seed).rows("inns").map(|row| from_cell(row.get(column).unwrap()).to_string()).collect()
    }

    #[test]
    fn every_parent_has_its_rows_and_files_give_theirs() {
        let world = inn("en", 1);
        assert_eq!(
            (world.rows("towns").count(), world.rows("inns").count(), world.rows("bookings").count()),
            (3, 24, 0)
        );
        let town = world.rows("towns").nth(1).unwrap();
        assert_eq!(from_cell(&town.cell()).to_string(), r#"{"id":"T2","latitude":50.5,"size":45,"name":"Greyford"}"#);
        let inns = world.rows("inns").filter(|row| row.get("town").unwrap().as_str() == Some("T2"));
        for inn in inns {
            let label = inn.get("label").unwrap().as_str().unwrap().to_owned();
            assert!(label.ends_with(" in Greyford"), "{label}");
            let latitude = f64::try_from(inn.get("latitude").unwrap().clone()).unwrap();
            assert!((50.4..=50.6).contains(&latitude));
        }
    }

    #[test]
    fn what_a_table_cannot_hold_is_named() {
        let error = |old: &str, new: &str| world_of(&toolset_with(old, new)).unwrap_err().to_string();
        let crowded = error("shape = \"IN####\"", "shape = \"IN#\"");
        assert_eq!(crowded, "domain `mine`: `id` has too few values to distinguish 10 rows of `inns`");
        let column = error("row.name ~ ' in ' ~ town.name", "town.name // 2");
        assert!(column.starts_with("domain `mine`: column `label` of `inns`: `town.name // 2`: "), "{column}");
    }

    #[test]
    fn two_parents_of_one_table_are_never_the_same_row() {
        let toolset = toolset_with(
            "[tables.bookings]\nrows = 0",
            "[tables.bookings]\neach = { from = \"towns\", to = \"towns\" }\nrows = 2",
        );
        let world = world_of(&toolset).unwrap();
        assert_eq!(world.rows("bookings").count(), 12);
        assert!(world.rows("bookings").all(|row| row.get("from") != row.get("to")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn the_structure_is_free_of_the_locale_and_hangs_on_the_seed(seed in any::<u64>()) {
            for column in ["id", "stars", "price", "extras", "latitude", "slug", "open", "built", "photo", "rival"] {
                prop_assert_eq!(texts("en", seed, column), texts("ko", seed, column));
            }
            prop_assert_ne!(texts("en", seed, "id"), texts("en", seed.wrapping_add(1), "id"));
            prop_assert_ne!(texts("en", seed, "name"), texts("ko", seed, "name"));
        }

        #[test]
        fn values_are_what_their_columns_say(seed in any::<u64>()) {
            for row in inn("en", seed).rows("inns") {
                let text = |name: &str| text_of(row.get(name).unwrap());
                let number = |name: &str| f64::try_from(row.get(name).unwrap().clone()).unwrap();
                prop_assert!((1.0..=5.0).contains(&number("stars")) && (40.0..=200.0).contains(&number("price")));
                prop_assert!((1..=2).contains(&row.get("extras").unwrap().len().unwrap()));
                prop_assert!(("06:00".."10:01").contains(&text("open").as_str()) && text("open").ends_with('0'));
                prop_assert!(("1900-01-01".."2000-01-01").contains(&text("built").as_str()));
                prop_assert_eq!((text("photo").len(), text("slug").split('-').count()), (24, 3));
            }
            let names: std::collections::BTreeSet<String> = texts("en", seed, "name").into_iter().collect();
            prop_assert_eq!(names.len(), 24);
        }
    }

    /// The rows of one table of so many rows with this column, as JSON.
    fn column(rows: usize, column: &str) -> Vec<String> {
        let world = format!(
            "[tables.others]\nrows = 3\n[tables.others.columns]\nid = {{ shape = \"O#\" }}\n[tables.things]\nrows = {rows}\n[tables.things.columns]\nvalue = {column}\n"
        );
        let world = world_of(&toolset_of(&world, "").unwrap()).unwrap();
        world.column("things", "value").iter().map(ToString::to_string).collect()
    }

    /// How many different values there are.
    fn different(values: &[String]) -> usize {
        values.iter().collect::<std::collections::BTreeSet<_>>().len()
    }

    #[test]
    fn numbers_keep_to_their_steps_and_bounds() {
        let numbers =
            |text: &str| -> Vec<f64> { column(60, text).iter().map(|number| number.parse().unwrap()).collect() };
        let halves = numbers("{ range = [1, 3], step = 0.5 }");
        assert!(
            halves.iter().all(|number| (1.0..=3.0).contains(number) && (number * 2.0).fract() == 0.0),
            "{halves:?}"
        );
        assert_eq!(different(&column(60, "{ range = [1, 3], step = 0.5 }")), 5, "every value may come");
        assert!(numbers("{ range = [7, 7] }").iter().all(|number| (number - 7.0).abs() < f64::EPSILON));
        let near = numbers("{ near = \"50 + at\", within = 0.25 }");
        let is_near =
            |(at, number): (usize, &f64)| (number - 50.0 - f64::from(u32::try_from(at).unwrap())).abs() <= 0.25;
        assert!(near.iter().enumerate().all(is_near), "{near:?}");
    }

    #[test]
    fn lists_give_one_or_some_of_theirs_in_their_order() {
        let one = column(40, "{ one_of = [\"a\", 2, true] }");
        assert!(one.iter().all(|value| ["\"a\"", "2", "true"].contains(&value.as_str())) && different(&one) == 3);
        let some = column(40, "{ some_of = [1, 2, 3], count = [0, 2] }");
        assert!(
            some.iter().all(|list| list.len() <= 5 && list != "[2,1]" && list != "[3,1]" && list != "[3,2]"),
            "{some:?}"
        );
        assert!(some.contains(&"[]".to_owned()) && different(&some) > 4, "{some:?}");
        let of = column(40, "{ of = \"others\" }");
        assert!(different(&of) == 3 && of.iter().all(|key| key.starts_with("\"O")), "{of:?}");
    }

    #[test]
    fn what_names_a_row_is_never_the_same_twice() {
        for unique in ["{ shape = \"A##\" }", "{ token = 12 }", "{ slug = [[\"old\", \"new\"]] }"] {
            let values = column(80, unique);
            assert_eq!(different(&values), 80, "{unique}");
        }
        assert!(column(5, "{ token = 12 }").iter().all(|token| token.len() == 14));
        assert!(column(5, "{ slug = [[\"old\"], [\"mill\"]] }").iter().all(|slug| slug.starts_with("\"old-mill-")));
        assert!(column(80, "{ chance = 1.0 }").iter().all(|value| value == "true"));
        assert_eq!(different(&column(80, "{ chance = 0.5 }")), 2);
    }

    #[test]
    fn days_and_times_lie_between_their_bounds() {
        let days = column(60, "{ days = [\"2024-02-28\", \"2024-03-01\"] }");
        let leap = ["\"2024-02-28\"", "\"2024-02-29\"", "\"2024-03-01\""];
        assert!(days.iter().all(|day| leap.contains(&day.as_str())) && different(&days) == 3, "{days:?}");
        let times = column(60, "{ times = [\"08:15\", \"09:00\"], step = 15 }");
        assert!(times.iter().all(|time| ["\"08:15\"", "\"08:30\"", "\"08:45\"", "\"09:00\""].contains(&time.as_str())));
        assert_eq!(different(&times), 4);
    }

    #[test]
    fn computed_values_name_what_stands_before_them_and_tables_of_other_files() {
        let world = "[tables.a]\nfrom = \"places.json\"\n[tables.a.columns]\ndouble = { value = \"row.size * 2\" }\nmore = { value = \"row.double + at\" }\n\
             [tables.b]\nrows = 2\n[tables.b.columns]\nsides = { value = \"a.a.side ~ a.b.side\" }\nwhole = { value = \"{'x': a.c, 'n': [1]}\" }\n";
        let world = world_of(&toolset_of(world, "").unwrap()).unwrap();
        let shown =
            |table: &str, column: &str| world.column(table, column).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            (shown("a", "double").join(","), shown("a", "more").join(",")),
            ("6,2,4,2".to_owned(), "6,3,6,5".to_owned())
        );
        assert_eq!(shown("b", "sides"), ["\"westeast\""; 2]);
        assert_eq!(shown("b", "whole")[0], r#"{"x":{"id":"c","side":"west","size":2,"double":4,"more":6},"n":[1]}"#);
    }

    #[test]
    fn rows_of_several_parents_are_all_their_combinations() {
        let world = "[tables.a]\nrows = 2\n[tables.a.columns]\nid = { shape = \"A#\" }\n[tables.b]\nrows = 3\n[tables.b.columns]\nid = { shape = \"B#\" }\n\
             [tables.c]\neach = { one = \"a\", other = \"b\" }\nrows = 2\n[tables.c.columns]\nplace = { value = \"at\" }\n";
        let world = world_of(&toolset_of(world, "").unwrap()).unwrap();
        let pairs: Vec<String> =
            world.rows("c").map(|row| format!("{} {}", row.get("one").unwrap(), row.get("other").unwrap())).collect();
        assert_eq!((pairs.len(), different(&pairs)), (12, 6));
        assert_eq!(
            world.column("c", "place").iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["0", "1"].repeat(6)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_table_that_grows_keeps_the_rows_that_it_had(rows in 1_usize..30, more in 1_usize..30) {
            for text in ["{ shape = \"A###\" }", "{ range = [1, 900] }", "{ token = 9 }", "{ days = [\"2024-01-01\", \"2026-01-01\"] }"] {
                let (few, many) = (column(rows, text), column(rows + more, text));
                prop_assert_eq!(&few[..], &many[..rows]);
                prop_assert_eq!(many.len(), rows + more);
            }
        }
    }
}
