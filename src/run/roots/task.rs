//! Something to be done for one item.

use crate::failure::RunStopped;
use crate::record::Item;
use crate::run::roots::graph::Graph;
use crate::stage::Outcome;
use futures::future::{BoxFuture, FutureExt};
use std::sync::Arc;

/// Something to be done for one item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Task {
    /// A stage works on it.
    Each(usize, Item),
    /// A stage draws an item from it: its so-manieth child, or the first of the so-manieth parent, one of those `beside` it.
    Draw { stage: usize, parent: Item, ordinal: usize, once: bool, beside: Arc<[Item]> },
}

/// A task at work; in the end it names its stage.
pub(crate) type Running = BoxFuture<'static, (usize, Result<Outcome, RunStopped>)>;

impl Task {
    /// The round of the item that is worked on, or of the one that is to come of it.
    pub(crate) fn round(&self, graph: &Graph) -> u32 {
        let (stage, item, ordinal) = match self {
            Self::Draw { stage, parent, ordinal, once: false, .. } => (*stage, parent, *ordinal),
            Self::Each(stage, item) | Self::Draw { stage, parent: item, .. } => (*stage, item, 0),
        };
        let child = || item.id.child(&graph.nodes[stage].name, ordinal).to_string();
        let own = match self {
            Self::Each(..) => graph.round(stage, || item.id.to_string()),
            Self::Draw { .. } => 0,
        };
        graph.round(stage, child).max(own)
    }

    /// The stage that does it.
    pub(crate) fn stage(&self) -> usize {
        match self {
            Self::Each(stage, _) | Self::Draw { stage, .. } => *stage,
        }
    }

    /// Begins it.
    pub(crate) fn run(self, graph: Arc<Graph>) -> Running {
        let stage = self.stage();
        let computes = graph.nodes[stage].stage.meta().computes;
        let work = async move {
            match self {
                Self::Each(stage, item) => {
                    let node = &graph.nodes[stage];
                    let context = node.context.speaking(&item, None);
                    (stage, context.signed(node.stage.each(&context, item).await))
                }
                Self::Draw { stage, parent, ordinal, beside, .. } => {
                    let node = &graph.nodes[stage];
                    let drawn = node.stage.meta().speaks.then_some(ordinal);
                    let context = node.context.speaking(&parent, drawn);
                    (stage, context.signed(node.stage.draw_beside(&context, &parent, ordinal, &beside).await))
                }
            }
        };
        if computes { Apart::begin(work.boxed()).boxed() } else { work.boxed() }
    }
}

/// Work on a thread of the runtime's own choice; it ends with whoever waits for it.
struct Apart(tokio::task::JoinHandle<(usize, Result<Outcome, RunStopped>)>);

impl Apart {
    /// Begins it at once.
    async fn begin(work: Running) -> (usize, Result<Outcome, RunStopped>) {
        let mut apart = Self(tokio::spawn(work));
        match (&mut apart.0).await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::roots::anew::Mark;
    use crate::run::testing::{prepare, small};

    #[test]
    fn the_round_is_that_of_the_item_or_of_the_one_to_come() {
        let mark = |id: &str, stage: &str, round| Mark { id: id.to_owned(), stage: stage.to_owned(), times: 1, round };
        let root = prepare(&small(), &[]).roots.next().unwrap().1;
        let second = root.id.child("perfect_queries", 1).to_string();
        let marks = [mark(&second, "near_duplicates", 2), mark(&second, "candidates", 3)];
        let prepared = prepare(&small(), &marks);
        let stage = |name: &str| prepared.graph.position(name);
        let draw = |ordinal, once| Task::Draw {
            stage: stage("perfect_queries"),
            parent: root.clone(),
            ordinal,
            once,
            beside: Arc::default(),
        };
        assert_eq!([draw(0, false), draw(1, false), draw(1, true)].map(|task| task.round(&prepared.graph)), [0, 2, 0]);
        let item = Item { id: root.id.child("perfect_queries", 1), ..root.clone() };
        let each = |name: &str| Task::Each(stage(name), item.clone()).round(&prepared.graph);
        assert_eq!((each("near_duplicates"), each("candidates"), each("quota")), (2, 3, 0));
    }

    #[tokio::test]
    async fn a_task_names_its_stage_in_the_end() {
        let prepared = prepare(&small(), &[]);
        let (source, item) = prepared.roots.clone().next().unwrap();
        let (stage, outcome) = Task::Each(source, item.clone()).run(prepared.graph.clone()).await;
        assert_eq!((stage, outcome.unwrap().kept), (source, vec![item.clone()]));
        let stage = prepared.graph.position("perfect_queries");
        let draw = Task::Draw { stage, parent: item.clone(), ordinal: 5, once: false, beside: Arc::default() };
        let (_, outcome) = draw.run(prepared.graph.clone()).await;
        assert_eq!(outcome.unwrap().kept[0].id, item.id.child("perfect_queries", 5));
    }
}
