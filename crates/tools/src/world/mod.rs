//! Worlds: tables and the functions that are declared over them, so that the same call in the same state always gets the
//! same answer.

mod arguments;
mod call;
mod closure;
mod declared;
mod fault;
mod follows;
mod generate;
mod preview;
mod session;
mod table;
#[cfg(any(test, feature = "fixtures"))]
#[expect(clippy::unwrap_used, reason = "only tests read it")]
pub mod testing;
mod values;
mod worlds;

pub use closure::{Flaw, Limits, Path, Proof, Prover, offered};
pub use declared::{DeclaredSession, DeclaredWorld, Sample, Sampler};
pub use fault::{CallFault, WorldError};
pub use preview::{preview, world_faults};
pub use session::Session;
pub use table::{Row, Table};
pub use values::Words;
pub use worlds::{WorldSession, Worlds};

use crate::toolset::Domain;
use fcgen_core::locale::Pack;
use generate::Ground;
use indexmap::IndexMap;
use std::sync::Arc;

/// The world of one domain: a table for each resource.
#[derive(Debug, Clone)]
pub struct World {
    domain: Arc<Domain>,
    pack: Arc<Pack>,
    seed: u64,
    tables: IndexMap<String, Arc<Table>>,
}

impl World {
    /// Draws the tables. The pack must know the toolset's kinds ([`crate::toolset::Toolset::extend`]).
    pub fn new(domain: Arc<Domain>, pack: Arc<Pack>, seed: u64) -> Result<Self, WorldError> {
        let tables = Ground { domain: &domain, pack: &pack, seed }.tables()?;
        let tables = tables.into_iter().map(|(name, table)| (name, Arc::new(table))).collect();
        Ok(Self { domain, pack, seed, tables })
    }

    /// The declaration.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The language of the values.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.pack
    }

    /// The rows of a resource, oldest first; none where there is no such resource.
    pub fn rows<'a>(&'a self, resource: &str) -> impl DoubleEndedIterator<Item = &'a Row> + use<'a> {
        self.tables.get(resource).into_iter().flat_map(|table| table.rows())
    }

    /// The row of a resource with this identifier.
    pub fn row(&self, resource: &str, id: &str) -> Option<&Row> {
        self.tables.get(resource)?.row(id)
    }

    /// A session: calls that change something change it for this session alone.
    pub fn session(&self) -> Session<'_> {
        Session::new(self)
    }

    fn ground(&self) -> Ground<'_> {
        Ground { domain: &self.domain, pack: &self.pack, seed: self.seed }
    }
}
