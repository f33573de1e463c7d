//! What the question stages know of the domains of a run: their worlds, what feeds what, and how their APIs are shown.

use super::simulate::Simulated;
use crate::locale::Pack;
use crate::memo::Memo;
use crate::record::{Catalogue, Graph, Tool};
use crate::toolset::Toolset;
use crate::world::{DeclaredWorld, Prover, World, WorldError, WorldSession, Worlds};
use indexmap::IndexMap;
use std::sync::Arc;

/// The domains of a run.
#[derive(Default)]
pub struct Domains {
    worlds: Worlds,
    provers: Memo<Prover>,
    graphs: Memo<Graph>,
    shown: Memo<Tool>,
    long: Memo<Option<DeclaredWorld>>,
    /// What was answered in the place of APIs that no world answers.
    pub simulated: Simulated,
}

impl Domains {
    /// The worlds of those that the toolset declares: by resource, or as tables and functions.
    pub fn new(toolset: &Toolset, pack: &Arc<Pack>, seed: u64) -> Result<Self, WorldError> {
        Ok(Self { worlds: Worlds::new(toolset, pack, seed)?, ..Self::default() })
    }

    /// The world of a domain, if it has one.
    pub fn world(&self, domain: &str) -> Option<&Arc<World>> {
        self.worlds.world(domain)
    }

    /// A session with all of them.
    pub fn session(&self) -> WorldSession<'_> {
        self.worlds.session()
    }

    /// The world of declared tables and functions, if the toolset has one.
    pub fn declared(&self) -> Option<&Arc<DeclaredWorld>> {
        self.worlds.declared()
    }

    /// The same world with more rows for long answers, if it can be drawn.
    pub fn long(&self) -> Arc<Option<DeclaredWorld>> {
        self.long.get("", || self.declared().and_then(|world| world.lengthened().ok()))
    }

    /// What proves that paths are shortest ones: in the declared world, or by what was recorded of a domain's tools.
    pub fn prover(&self, catalogue: &Catalogue) -> Arc<Prover> {
        match self.declared() {
            Some(world) => self.provers.get("", || Prover::new(world.clone())),
            None => self.provers.get(&catalogue.domain, || Prover::recorded(&catalogue.tools)),
        }
    }

    /// What can feed what among the APIs of a domain.
    pub fn graph(&self, catalogue: &Catalogue) -> Arc<Graph> {
        self.graphs.get(&catalogue.domain, || Graph::new(&catalogue.tools))
    }

    /// An API as a model sees it: by its own name, without what only the generator knows.
    pub fn shown(&self, tool: &Tool) -> Arc<Tool> {
        self.shown.get(&tool.name, || Tool {
            name: tool.function().to_owned(),
            refers: IndexMap::new(),
            yields: IndexMap::new(),
            from: IndexMap::new(),
            ..tool.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_is_shown_by_its_own_name_and_without_what_feeds_it() {
        let json = r#"{"name": "bank.freeze", "description": "Freezes", "refers": {"accountId": "bank.account"}}"#;
        let domains = Domains::default();
        let shown = domains.shown(&serde_json::from_str(json).unwrap());
        assert_eq!((shown.name.as_str(), shown.description.as_str(), shown.refers.len()), ("freeze", "Freezes", 0));
        assert!(Arc::ptr_eq(&shown, &domains.shown(&serde_json::from_str(json).unwrap())), "it is made once");
    }

    #[test]
    fn a_toolset_without_declarations_has_no_worlds() {
        let domains = Domains::new(&Toolset::default(), &crate::fixtures::pack("en"), 7).unwrap();
        assert!(domains.world("bank").is_none() && domains.declared().is_none());
    }

    #[test]
    fn declared_tables_and_functions_are_a_world_too() {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let domains = Domains::new(&toolset, &Arc::new(pack), 7).unwrap();
        assert_eq!(domains.declared().unwrap().declaration().name, "inn");
        let catalogue = |domain: &str| Catalogue { domain: domain.to_owned(), title: String::new(), tools: Vec::new() };
        let is_one =
            |domains: &Domains| Arc::ptr_eq(&domains.prover(&catalogue("a")), &domains.prover(&catalogue("b")));
        assert!(is_one(&domains) && !is_one(&Domains::default()), "a world is one for all domains");
    }
}
