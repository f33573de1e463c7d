//! A declared world with its tables.

use super::generate::{Ground, Tables};
use super::layer::Layer;
use super::session::DeclaredSession;
use crate::locale::Pack;
use crate::record::Value;
use crate::toolset::{Declaration, from_cell};
use crate::world::WorldError;
use std::sync::Arc;

/// The world of a toolset that declares tables and functions.
#[derive(Debug, Clone)]
pub struct DeclaredWorld {
    pub(super) declaration: Arc<Declaration>,
    pub(super) pack: Arc<Pack>,
    pub(super) seed: u64,
    pub(super) tables: Tables,
}

impl DeclaredWorld {
    /// Draws the tables. The pack must know the toolset's kinds ([`crate::toolset::Toolset::extend`]).
    pub fn new(declaration: Arc<Declaration>, pack: Arc<Pack>, seed: u64) -> Result<Self, WorldError> {
        let tables = Ground { declaration: &declaration, pack: &pack, seed }.tables()?;
        Ok(Self { declaration, pack, seed, tables })
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

#[cfg(test)]
mod tests {
    use crate::world::declared::testing::inn;

    #[test]
    fn a_world_shows_its_columns() {
        let world = inn("ko", 3);
        let names: Vec<String> = world.column("towns", "name").iter().map(ToString::to_string).collect();
        assert_eq!(names, ["\"밀브룩\"", "\"그레이퍼드\"", "\"올드하버\""]);
        assert!(world.column("towns", "none").is_empty() && world.column("none", "id").is_empty());
        assert_eq!((world.pack().code.as_str(), world.declaration().name.as_str()), ("ko", "inn"));
    }
}
