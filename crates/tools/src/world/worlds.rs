//! The worlds of a toolset behind one door: those of resources and the declared one.

use super::{CallFault, DeclaredSession, DeclaredWorld, Session, World, WorldError};
use crate::toolset::Toolset;
use fcgen_core::locale::Pack;
use fcgen_core::record::{FunctionCall, Object, Value};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that answers calls of a toolset's tools.
#[derive(Debug, Clone, Default)]
pub struct Worlds {
    domains: IndexMap<String, Arc<World>>,
    /// Which domain has a tool, by the tool's full name; of several domains the first.
    by_tool: BTreeMap<String, usize>,
    declared: Option<Arc<DeclaredWorld>>,
}

/// A session with every world of a toolset. Cloning it is cheap and gives an independent one in the same state.
#[derive(Debug, Clone)]
pub struct WorldSession<'w> {
    domains: Vec<Session<'w>>,
    by_tool: &'w BTreeMap<String, usize>,
    declared: Option<DeclaredSession<'w>>,
}

impl Worlds {
    /// Draws the tables of a toolset's worlds. The pack must know the toolset's kinds ([`Toolset::extend`]).
    pub fn new(toolset: &Toolset, pack: &Arc<Pack>, seed: u64) -> Result<Self, WorldError> {
        let world = |(name, domain): (&String, &Arc<crate::toolset::Domain>)| {
            Ok((name.clone(), Arc::new(World::new(domain.clone(), pack.clone(), seed)?)))
        };
        let declared =
            toolset.world.as_ref().map(|it| DeclaredWorld::new(it.clone(), pack.clone(), seed).map(Arc::new));
        let domains: IndexMap<String, Arc<World>> = toolset.domains.iter().map(world).collect::<Result<_, _>>()?;
        let mut by_tool = BTreeMap::new();
        for (at, world) in domains.values().enumerate() {
            for api in world.domain().apis.values() {
                by_tool.entry(api.tool.clone()).or_insert(at);
            }
        }
        Ok(Self { domains, by_tool, declared: declared.transpose()? })
    }

    /// Whether a tool is answered here; the others need a simulation.
    pub fn answers(&self, tool: &str) -> bool {
        let declared = self.declared.as_ref().is_some_and(|world| world.declaration().functions.contains_key(tool));
        declared || self.by_tool.contains_key(tool)
    }

    /// The world of a domain, where it has one.
    pub fn world(&self, domain: &str) -> Option<&Arc<World>> {
        self.domains.get(domain)
    }

    /// The declared world, where the toolset has one.
    pub fn declared(&self) -> Option<&Arc<DeclaredWorld>> {
        self.declared.as_ref()
    }

    /// A session: calls that change something change it for this session alone.
    pub fn session(&self) -> WorldSession<'_> {
        WorldSession {
            domains: self.domains.values().map(|world| world.session()).collect(),
            by_tool: &self.by_tool,
            declared: self.declared.as_ref().map(|world| world.session()),
        }
    }
}

impl WorldSession<'_> {
    /// Makes a call: a tool by its full name, and the arguments. A call that fails changes nothing.
    pub fn call(&mut self, tool: &str, arguments: &Object) -> Result<Value, CallFault> {
        if let Some(session) = self.by_tool.get(tool).and_then(|at| self.domains.get_mut(*at)) {
            return session.call(tool, arguments);
        }
        match &mut self.declared {
            Some(session) => session.call(tool, arguments),
            None => Err(CallFault::UnknownTool { tool: tool.to_owned() }),
        }
    }

    /// The call in the world that has the tool; `None` where none has.
    pub fn made(&mut self, tool: &str, arguments: &Object) -> Option<Result<Value, CallFault>> {
        let is_declared = || self.declared.as_ref().is_some_and(|session| session.has_function(tool));
        (self.by_tool.contains_key(tool) || is_declared()).then(|| self.call(tool, arguments))
    }

    /// The answer to a call, as the API gives it: the result, or the error.
    pub fn answer(&mut self, call: &FunctionCall) -> Value {
        match self.call(&call.name, &call.arguments) {
            Ok(answer) => answer,
            Err(fault) => self.refusal(&call.name, &fault),
        }
    }

    /// What a failed call is answered with.
    pub fn refusal(&self, tool: &str, fault: &CallFault) -> Value {
        match &self.declared {
            Some(session) if !self.by_tool.contains_key(tool) => session.refusal(tool, fault),
            _ => fault.answer(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::testing::{pack, toolset};

    fn worlds(path: &str) -> Worlds {
        let toolset = crate::fixtures::toolset(path, "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        Worlds::new(&toolset, &Arc::new(pack), 3).unwrap()
    }

    fn call(name: &str, arguments: &str) -> FunctionCall {
        FunctionCall { name: name.to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    #[test]
    fn both_sorts_of_world_answer_through_one_door() {
        let mut toolset = toolset("en").clone();
        let inn = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        toolset.join(inn.as_ref().clone());
        let mut pack = pack("en").as_ref().clone();
        toolset.extend(&mut pack).unwrap();
        let worlds = Worlds::new(&toolset, &Arc::new(pack), 3).unwrap();
        assert!(worlds.answers("bank.getCustomerSegment") && worlds.answers("Find_Town") && !worlds.answers("fly"));
        let mut session = worlds.session();
        let towns = session.answer(&call("Find_Town", r#"{"query": "Greyford"}"#)).to_string();
        assert!(towns.starts_with(r#"{"status":true,"message":"Success","data":[{"id":"T2""#), "{towns}");
        let unknown = session.answer(&call("bank.getCustomerSegment", r#"{"customerId": "x"}"#)).to_string();
        assert!(unknown.starts_with(r#"{"error":{"code":"not_found""#), "{unknown}");
    }

    #[test]
    fn errors_come_as_the_toolset_wraps_them() {
        let worlds = worlds("tests/fixtures/toolsets/inn");
        let answer = worlds.session().answer(&call("Find_Town", "{}")).to_string();
        assert_eq!(answer, r#"{"status":false,"message":[{"query":"This field is required."}]}"#);
        assert!(worlds.declared().is_some());
        let nobody = Worlds::default().session().answer(&call("Find_Town", "{}")).to_string();
        assert_eq!(nobody, r#"{"error":{"code":"unknown_function","function":"Find_Town"}}"#);
    }

    #[test]
    fn a_copy_of_a_session_goes_its_own_way() {
        let worlds = worlds("tests/fixtures/toolsets/inn");
        let mut session = worlds.session();
        let search = call("Search_Inns", r#"{"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-02"}"#);
        let found = session.answer(&search).to_string();
        let token = found.split("\"token\":").nth(1).unwrap().split('}').next().unwrap().to_owned();
        let book = call("Book_Inn", &format!(r#"{{"token": {token}}}"#));
        let mut copy = session.clone();
        assert_eq!(session.answer(&book), copy.answer(&book));
        assert_ne!(session.answer(&book), worlds.session().answer(&book), "the state is another");
    }
}
