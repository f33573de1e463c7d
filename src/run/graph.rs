//! The stages of a plan as a graph: who reads from whom, what is emitted, and where a drawing stage's items are settled.

use crate::config::Plan;
use crate::record::RecordKind;
use crate::stage::{Context, Scope, Stage};

/// One stage, ready to run.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) stage: Stage,
    pub(super) context: Context,
    /// Positions of the stages that read from it, those of run scope left out.
    pub(super) consumers: Vec<usize>,
    /// Whether its items leave the roots: nobody reads them, or only a stage of run scope does.
    pub(super) leaves: bool,
    /// For a drawing stage: the last gate behind it, whose items count as accepted.
    pub(super) settled_at: usize,
}

/// All stages of a plan.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// Positions of the stages of run scope, in order.
    pub(super) closing: Vec<usize>,
}

impl Graph {
    pub(super) fn new(plan: &Plan, contexts: Vec<Context>) -> Self {
        let is_run = |index: usize| plan.stages[index].stage.scope() == Scope::Run;
        let readers = |index: usize| {
            plan.stages
                .iter()
                .enumerate()
                .filter(move |(_, stage)| stage.from.contains(&index))
                .map(|(reader, _)| reader)
        };
        let nodes = plan.stages.iter().zip(contexts).enumerate().map(|(index, (planned, context))| {
            let all: Vec<usize> = readers(index).collect();
            let consumers: Vec<usize> = all.iter().copied().filter(|reader| !is_run(*reader)).collect();
            Node {
                name: planned.name.clone(),
                stage: planned.stage.clone(),
                context,
                leaves: consumers.is_empty() && !is_run(index),
                consumers,
                settled_at: settled_at(plan, index),
            }
        });
        let closing = (0..plan.stages.len()).filter(|index| is_run(*index)).collect();
        Self { nodes: nodes.collect(), closing }
    }

    /// Positions of the sources.
    pub(super) fn sources(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().enumerate().filter(|(_, node)| node.stage.is_source()).map(|(index, _)| index)
    }
}

/// Follows the one way behind a drawing stage through writers and gates to the last gate.
fn settled_at(plan: &Plan, index: usize) -> usize {
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

    #[test]
    fn queries_are_settled_behind_the_last_gate_of_their_way() {
        let text = crate::data::read("pipelines/hammer.toml").unwrap();
        let plan = load(&text, "pipelines/hammer.toml", &Overrides::default()).unwrap();
        let name = |stage: &str| {
            let index = plan.stages.iter().position(|planned| planned.name == stage).unwrap();
            plan.stages[settled_at(&plan, index)].name.clone()
        };
        assert_eq!(name("perfect_queries"), "near_duplicates");
        assert_eq!(name("select_parameters"), "near_duplicates");
        assert_eq!(name("external_queries"), "external_near_duplicates");
    }
}
