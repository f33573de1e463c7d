//! Many roots at work at the same time, and where their results go.

use super::graph::Graph;
use super::keeper::Keeper;
use super::reporter::{Reporter, ticks};
use super::root::{Root, RootResult};
use super::store::Store;
use super::{RunError, StageCounts};
use crate::llm::Interrupt;
use crate::record::{Item, ItemId};
use crate::stage::Stop;
use std::sync::Arc;
use tokio::task::{JoinError, JoinSet};

/// How roots are worked on.
pub(super) struct Work {
    pub(super) graph: Arc<Graph>,
    pub(super) counts: Arc<Vec<StageCounts>>,
    /// Thrown when nothing new shall be sent.
    pub(super) closing: Interrupt,
    /// Whether each is drawn from once only, as a preview wants it.
    pub(super) sparing: bool,
    /// Most roots at work at the same time.
    pub(super) most: usize,
}

/// Where the results of roots go.
pub(super) enum Sink {
    /// To disk.
    Keeper(Keeper),
    /// To whoever wants to see them; the store waits unused.
    Preview(Vec<Item>, Store),
}

type Finished = (ItemId, Result<RootResult, Stop>);

impl Work {
    /// Works on all roots. After the first reason to stop no further root is begun; those at work come to their end by
    /// themselves, since nobody is answered any more, and what they have finished is kept.
    pub(super) async fn all(
        &self,
        roots: Vec<(usize, Item)>,
        sink: &mut Sink,
        reporter: &mut Reporter,
    ) -> Result<(), Stop> {
        let mut waiting = roots.into_iter();
        let mut at_work: JoinSet<Finished> = JoinSet::new();
        let (mut tick, mut stop) = (ticks(), None);
        loop {
            while stop.is_none() && at_work.len() < self.most {
                let Some((source, item)) = waiting.next() else { break };
                at_work.spawn(self.root(source, item));
            }
            tokio::select! {
                joined = at_work.join_next() => match joined {
                    Some(joined) => match take(joined, sink).await {
                        Ok(()) => reporter.done(),
                        Err(reason) => {
                            self.closing.trigger();
                            stop = Some(match stop {
                                Some(first) => Stop::before(first, reason),
                                None => reason,
                            });
                        }
                    },
                    None => break,
                },
                _ = tick.tick() => reporter.note(),
            }
        }
        stop.map_or(Ok(()), Err)
    }

    fn root(&self, source: usize, item: Item) -> impl Future<Output = Finished> + Send + use<> {
        let (graph, counts, closing) = (self.graph.clone(), self.counts.clone(), self.closing.clone());
        let id = item.root.clone();
        let root = Root::new(graph, counts, id.clone(), self.sparing, closing);
        async move { (id, root.run(source, item).await) }
    }
}

async fn take(joined: Result<Finished, JoinError>, sink: &mut Sink) -> Result<(), Stop> {
    let (id, result) = joined.map_err(|error| Stop::Store(format!("a root's work broke off: {error}")))?;
    sink.take(id, result?).await
}

impl Sink {
    async fn take(&mut self, id: ItemId, result: RootResult) -> Result<(), Stop> {
        match self {
            Self::Keeper(keeper) => Ok(keeper.save(id, result).await?),
            Self::Preview(items, _) => {
                items.extend(result.items.into_iter().map(|(_, item)| item));
                Ok(())
            }
        }
    }

    /// Everything is on disk, or in order to be shown.
    pub(super) async fn end(self) -> Result<(Store, Vec<Item>), RunError> {
        match self {
            Self::Keeper(keeper) => Ok((keeper.end().await?, Vec::new())),
            Self::Preview(mut items, store) => {
                items.sort_by_cached_key(|item| item.id.sort_key());
                Ok((store, items))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::reporter::tests::silent;
    use crate::run::store::tests::store;
    use crate::run::testing::{Prepared, prepare, small};

    fn work(prepared: &Prepared) -> Work {
        let (graph, counts) = (prepared.graph.clone(), prepared.counts.clone());
        Work { graph, counts, closing: Interrupt::new(), sparing: true, most: 2 }
    }

    #[tokio::test]
    async fn what_was_drawn_comes_in_the_order_of_ids() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = Sink::Preview(Vec::new(), store(&folder, "run.db"));
        let prepared = prepare(&small(), &[]);
        work(&prepared).all(prepared.roots, &mut sink, &mut silent()).await.unwrap();
        let ids: Vec<String> = sink.end().await.unwrap().1.iter().map(|item| item.id.sort_key()).collect();
        assert!(ids.len() >= 3 && ids.is_sorted(), "{ids:?}");
    }

    #[tokio::test]
    async fn a_stop_lets_nothing_new_be_sent() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = Sink::Preview(Vec::new(), store(&folder, "run.db"));
        let prepared = prepare(&small(), &[]);
        let work = work(&prepared);
        prepared.interrupt.trigger();
        assert_eq!(work.all(prepared.roots, &mut sink, &mut silent()).await, Err(Stop::Interrupted));
        assert!(work.closing.is_triggered());
        assert_eq!(work.counts[0].read().0, 2, "the third root was never begun");
    }
}
