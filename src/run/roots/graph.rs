//! The stages of a plan as a graph: who reads from whom, what is emitted, and where a drawing stage's items are settled.

use crate::config::{Count, Plan};
use crate::failure::RunStopped;
use crate::record::{ItemId, RecordKind};
use crate::run::keeper::Roots;
use crate::run::roots::anew::{Mark, effects};
use crate::run::roots::follow::Follow;
use crate::stage::{Context, Scope, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One stage, ready to run.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) stage: Arc<dyn Stage>,
    /// How many accepted items are required of it in all, over all roots, where its config says so.
    pub(crate) total: Option<usize>,
    pub(crate) context: Context,
    /// Positions of the stages that read from it, those of run scope left out.
    pub(crate) consumers: Vec<usize>,
    /// Positions of the stages of run scope that read from it.
    pub(crate) closers: Vec<usize>,
    /// For a drawing stage: the last gate behind it, whose items count as accepted.
    pub(crate) settled_at: usize,
    /// The stages from which its items come, near and far.
    pub(crate) above: BTreeSet<usize>,
    /// For a drawing stage: itself, and the stages through which its items go until they are settled.
    pub(crate) zone: BTreeSet<usize>,
}

/// All stages of a plan.
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// In which round an item is asked for anew in a stage.
    rounds: BTreeMap<(usize, String), u32>,
    /// The place of each root among all of them, where a stage owes a total that the roots share.
    places: BTreeMap<ItemId, usize>,
    /// The run in another locale whose items are made again.
    pub(crate) follow: Option<Arc<Follow>>,
}

impl Node {
    /// Whether its items leave the roots: nobody reads them there, or a stage of run scope does.
    pub(crate) fn leaves(&self) -> bool {
        self.stage.scope() != Scope::Run && (self.consumers.is_empty() || !self.closers.is_empty())
    }
}

impl Graph {
    pub(crate) fn new(plan: &Plan, contexts: Vec<Context>, marks: &[Mark]) -> Result<Self, RunStopped> {
        let is_run = |index: &usize| plan.stages[*index].stage.scope() == Scope::Run;
        let mut nodes = Vec::new();
        for (index, (planned, context)) in plan.stages.iter().zip(contexts).enumerate() {
            let readers = (0..plan.stages.len()).filter(|reader| plan.stages[*reader].from.contains(&index));
            let (closers, consumers): (Vec<usize>, Vec<usize>) = readers.partition(is_run);
            if let Some(consumer) = consumers.first().filter(|_| is_run(&index)) {
                return Err(out_of_order(&planned.name, &plan.stages[*consumer].name));
            }
            let (name, stage) = (planned.name.clone(), planned.stage.clone());
            let total = stage.settings().total.map(Count::get);
            let (settled_at, above, zone) = (settled_at(plan, index), BTreeSet::new(), BTreeSet::new());
            nodes.push(Node { name, stage, total, context, consumers, closers, settled_at, above, zone });
        }
        let mut rounds = BTreeMap::new();
        for (stage, mark) in effects(plan, marks) {
            let round: &mut u32 = rounds.entry((stage, mark.id.clone())).or_default();
            *round = (*round).max(mark.round);
        }
        let places = BTreeMap::new();
        let mut graph = Self { nodes, rounds, places, follow: None };
        let below: Vec<BTreeSet<usize>> = (0..graph.nodes.len()).map(|stage| graph.below(stage)).collect();
        for (stage, node) in graph.nodes.iter_mut().enumerate() {
            node.above = (0..below.len()).filter(|other| below[*other].contains(&stage)).collect();
            let leads = |other: &usize| *other == node.settled_at || below[*other].contains(&node.settled_at);
            node.zone = below[stage].iter().copied().filter(leads).chain([stage]).collect();
        }
        if graph.nodes.iter().any(|node| node.total.is_some()) {
            graph.places = graph.roots(plan).zip(0..).map(|((_, item), place)| (item.root, place)).collect();
        }
        Ok(graph)
    }

    /// The same for a run that follows another.
    pub(crate) fn following(self, follow: Option<Arc<Follow>>) -> Self {
        Self { follow, ..self }
    }

    /// All roots of the plan, each with the stage that yields it, in order.
    pub(crate) fn roots(&self, plan: &Plan) -> Roots {
        let source = |index: usize| self.nodes[index].stage.roots(&self.nodes[index].context);
        let most = plan.pipeline.limit.map_or(usize::MAX, Count::get);
        Roots::new(self.sources().map(|index| (index, source(index))).collect(), most)
    }

    /// The place of a root among all roots, and how many there are; known only where a stage owes a total.
    pub(crate) fn place(&self, root: &ItemId) -> Option<(usize, usize)> {
        Some((*self.places.get(root)?, self.places.len()))
    }

    /// Positions of the sources.
    pub(crate) fn sources(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.stage.is_source()).map(|(index, _)| index)
    }

    /// The stages to which one hands its items, near and far.
    pub(crate) fn below(&self, stage: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![stage];
        while let Some(at) = open.pop() {
            open.extend(self.nodes[at].consumers.iter().filter(|it| found.insert(**it)));
        }
        found
    }

    /// The stages of run scope, in order.
    pub(crate) fn closing(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.stage.scope() == Scope::Run)
    }

    /// Positions of the stages from which items leave their roots.
    pub(crate) fn leaving(&self) -> Vec<usize> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.leaves()).map(|(index, _)| index).collect()
    }

    /// The stage with this name; the names in the run's state are all known.
    pub(crate) fn position(&self, name: &str) -> usize {
        self.nodes.iter().position(|node| node.name == name).unwrap_or(0)
    }

    /// In which round a stage works on an item; 0 where it is not asked for anew.
    pub(crate) fn round(&self, stage: usize, id: impl FnOnce() -> String) -> u32 {
        if self.rounds.is_empty() {
            return 0;
        }
        self.rounds.get(&(stage, id())).copied().unwrap_or(0)
    }
}

/// What looks at the whole run does so when every root is done, and no model is asked after that.
fn out_of_order(closer: &str, reader: &str) -> RunStopped {
    RunStopped::Input(format!(
        "`{reader}` reads from `{closer}`, which processes the whole run after all other stages; put `{closer}` last"
    ))
}

/// Follows the one way behind a drawing stage through writers and gates to the last gate.
pub(crate) fn settled_at(plan: &Plan, index: usize) -> usize {
    let mut at = index;
    loop {
        let mut readers = plan.stages.iter().enumerate().filter(|(_, stage)| stage.from.contains(&at));
        let (Some((next, stage)), None) = (readers.next(), readers.next()) else { return at };
        let completes = at == index && stage.stage.input().contains(&RecordKind::Selection);
        if stage.stage.scope() == Scope::Run || !(stage.stage.is_gate() || completes) {
            return at;
        }
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Overrides, load};
    use crate::run::testing::{SMALL, plan};

    #[test]
    fn queries_are_settled_behind_the_last_gate_of_their_way() {
        let text = crate::fixtures::assets().read("pipelines/hammer.toml").unwrap();
        let plan = load(crate::fixtures::assets(), &text, "pipelines/hammer.toml", &Overrides::default()).unwrap();
        let name = |stage: &str| {
            let index = plan.stages.iter().position(|planned| planned.name == stage).unwrap();
            plan.stages[settled_at(&plan, index)].name.clone()
        };
        assert_eq!(name("perfect_queries"), "near_duplicates");
        assert_eq!(name("select_parameters"), "near_duplicates");
        assert_eq!(name("external_queries"), "external_near_duplicates");
    }

    fn graph(plan: &Plan, marks: &[Mark]) -> Result<Graph, RunStopped> {
        let ground = crate::run::prepare::ground::Ground::load(plan).unwrap();
        let setup =
            crate::run::prepare::setup::Setup::new(plan, ground, &crate::run::Options::new("none"), marks).unwrap();
        Graph::new(plan, setup.contexts, marks)
    }

    #[test]
    fn items_leave_for_a_stage_of_run_scope_even_where_others_read_them() {
        let text = format!("{SMALL}\n[[stage]]\nkind = \"irrelevant_queries\"\nfrom = [\"candidates\"]\n");
        let graph = graph(&plan(&text, &[]), &[]).unwrap();
        let leaving: Vec<&str> = graph.leaving().iter().map(|stage| graph.nodes[*stage].name.as_str()).collect();
        assert_eq!(leaving, ["candidates", "irrelevant_queries"]);
        assert_eq!(graph.closing().map(|(_, node)| node.name.as_str()).collect::<Vec<_>>(), ["quota"]);
    }

    #[test]
    fn nobody_can_read_from_what_comes_last() {
        let text = format!("{SMALL}\n[[stage]]\nkind = \"irrelevant_queries\"\n");
        let stop = graph(&plan(&text, &[]), &[]).err().unwrap();
        insta::assert_snapshot!(stop, @"`irrelevant_queries` reads from `quota`, which processes the whole run after all other stages; put `quota` last");
    }

    #[test]
    fn the_last_round_of_an_item_counts() {
        let mark = |stage: &str, round| Mark { id: "A.B.c/s/1".to_owned(), stage: stage.to_owned(), times: 1, round };
        let graph = graph(&plan(SMALL, &[]), &[mark("parameters", 1), mark("near_duplicates", 2)]).unwrap();
        let round = |stage: &str, id: &str| graph.round(graph.position(stage), || id.to_owned());
        assert_eq!(round("perfect_queries", "A.B.c/s/1"), 2);
        assert_eq!((round("candidates", "A.B.c/s/1"), round("perfect_queries", "A.B.c/s/10")), (0, 0));
    }
}
