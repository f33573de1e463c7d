//! A declared world with its tables.

use super::generate::{Ground, Tables};
use super::layer::{Layer, Scope};
use super::session::DeclaredSession;
use crate::toolset::{Declaration, from_cell};
use crate::world::WorldError;
use fcgen_core::locale::Pack;
use fcgen_core::record::Value;
use indexmap::IndexMap;
use std::sync::Arc;

/// The world of a toolset that declares tables and functions.
#[derive(Debug, Clone)]
pub struct DeclaredWorld {
    pub(super) declaration: Arc<Declaration>,
    pub(super) pack: Arc<Pack>,
    pub(super) seed: u64,
    pub(super) tables: Arc<Tables>,
    /// What every expression may name while the tables are these.
    pub(super) base: Arc<Scope>,
}

impl DeclaredWorld {
    /// Draws the tables. The pack must know the toolset's kinds ([`crate::toolset::Toolset::extend`]).
    pub fn new(declaration: Arc<Declaration>, pack: Arc<Pack>, seed: u64) -> Result<Self, WorldError> {
        let ground = Ground { declaration: &declaration, pack: &pack, seed };
        let tables = Arc::new(ground.tables()?);
        let base = ground.scope(&tables);
        Ok(Self { declaration, pack, seed, tables, base })
    }

    /// The same with as many rows as its tables state for long answers; calls take what those of this one take.
    pub fn lengthened(&self) -> Result<Self, WorldError> {
        Self::new(Arc::new(self.declaration.lengthened()), self.pack.clone(), self.seed)
    }

    /// The declaration.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// The language of the values.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.pack
    }

    /// The values of a column, oldest row first; none where there is no such table or column.
    pub fn column(&self, table: &str, column: &str) -> Vec<Value> {
        self.rows(table).filter_map(|row| row.get(column).map(from_cell)).collect()
    }

    /// What people call the row of a table with this key: its name and its title, where it has them.
    pub fn titles(&self, table: &str, key: &str) -> Vec<String> {
        let row = self.tables.get(table).and_then(|rows| rows.row(key));
        let title = |column: &&str| row?.get(column).map(from_cell)?.as_str().map(str::to_owned);
        ["name", "title"].iter().filter_map(title).collect()
    }

    /// What people call things: the names of each table's rows, by what they belong to in the end (a hotel to its city), and
    /// by table. Those that belong to nothing stand under the empty text.
    pub fn names(&self) -> IndexMap<String, IndexMap<String, Vec<String>>> {
        let mut names: IndexMap<String, IndexMap<String, Vec<String>>> = IndexMap::new();
        for table in self.declaration.tables.keys() {
            for row in self.rows(table) {
                let Some(name) = name_of(row) else { continue };
                let place = self.place(table, row).unwrap_or_default();
                names.entry(place).or_default().entry(table.clone()).or_default().push(name);
            }
        }
        names
    }

    /// The name of what a row belongs to in the end; none where it belongs to nothing.
    fn place(&self, table: &str, row: &Layer) -> Option<String> {
        let (column, parent) = self.declaration.tables.get(table)?.each.first()?;
        let key = from_cell(row.get(column)?);
        let above = self.tables.get(parent)?.row(key.as_str()?)?;
        self.place(parent, above).or_else(|| name_of(above))
    }

    /// A session: calls that change something change it for this session alone.
    pub fn session(&self) -> DeclaredSession<'_> {
        DeclaredSession::new(self)
    }

    pub(super) fn rows<'a>(&'a self, table: &str) -> impl Iterator<Item = &'a Arc<Layer>> + use<'a> {
        self.tables.get(table).into_iter().flat_map(|rows| rows.rows.values())
    }

    pub(super) fn ground(&self) -> Ground<'_> {
        Ground { declaration: &self.declaration, pack: &self.pack, seed: self.seed }
    }
}

fn name_of(row: &Layer) -> Option<String> {
    from_cell(row.get("name")?).as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::world::declared::testing::{inn, toolset_with, world_of};

    #[test]
    fn a_world_shows_its_columns() {
        let world = inn("ko", 3);
        let names: Vec<String> = world.column("towns", "name").iter().map(ToString::to_string).collect();
        assert_eq!(names, ["\"밀브룩\"", "\"그레이퍼드\"", "\"올드하버\""]);
        assert_eq!(
            (world.titles("towns", "T2"), world.titles("towns", "T9").len()),
            (vec!["그레이퍼드".to_owned()], 0)
        );
        assert!(world.column("towns", "none").is_empty() && world.column("none", "id").is_empty());
        assert_eq!((world.pack().code.as_str(), world.declaration().name.as_str()), ("ko", "inn"));
    }

    #[test]
    fn worlds_of_one_seed_are_one_world_and_those_of_others_are_not() {
        let columns =
            |seed: u64| ["id", "name", "price", "photo", "slug"].map(|column| inn("en", seed).column("inns", column));
        assert_eq!(columns(3), columns(3));
        assert!(columns(3).iter().zip(&columns(4)).all(|(one, other)| one != other && one.len() == other.len()));
    }

    #[test]
    fn a_column_is_as_long_as_its_table_and_its_keys_are_different() {
        let world = inn("en", 9);
        let ids = world.column("inns", "id");
        assert_eq!((ids.len(), world.rows("inns").count(), world.rows("none").count()), (24, 24, 0));
        let different: std::collections::BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(different.len(), ids.len());
    }

    #[test]
    fn a_world_that_cannot_be_drawn_says_which_part_of_it() {
        let error = world_of(&toolset_with("{ near = \"town.latitude\"", "{ near = \"town.size // 0\"")).unwrap_err();
        assert!(
            error.to_string().starts_with("domain `mine`: column `latitude` of `inns`: `town.size // 0`: "),
            "{error}"
        );
    }
}
