//! Many roots at work at the same time, and where their results go.

use crate::failure::{RunError, RunStopped};
use crate::llm::Interrupt;
use crate::record::Item;
use crate::run::keeper::{Keeper, Roots, Saver};
use crate::run::reporter::{Reporter, ticks};
use crate::run::roots::graph::Graph;
use crate::run::roots::root::Root;
use crate::run::store::Store;
use crate::run::{Preview, StageCounts};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::{JoinSet, yield_now};

/// How roots are worked on.
pub(crate) struct Work {
    pub(crate) graph: Arc<Graph>,
    pub(crate) counts: Arc<Vec<StageCounts>>,
    /// Thrown when nothing new shall be sent.
    pub(crate) closing: Interrupt,
    /// Whether each is drawn from once only, as a preview wants it.
    pub(crate) sparing: bool,
    /// Most roots at work at the same time.
    pub(crate) most: usize,
}

/// Where the results of roots go.
pub(crate) enum Sink {
    /// To disk.
    Keeper(Keeper),
    /// To whoever wants to see them; the store waits unused.
    Preview(Arc<Mutex<Preview>>, Store),
}

/// What workers hold of the sink.
enum Taker {
    Keeper(Saver),
    Preview(Arc<Mutex<Preview>>),
}

/// What the workers share. Each takes one root after the other, so that nobody must be woken to hand out the next.
struct Shift {
    graph: Arc<Graph>,
    counts: Arc<Vec<StageCounts>>,
    closing: Interrupt,
    sparing: bool,
    waiting: Mutex<Roots>,
    taker: Taker,
    stop: Mutex<Option<RunStopped>>,
}

impl Work {
    /// Works on all roots. After the first reason to stop no further root is begun; those at work come to their end by
    /// themselves, since nobody is answered any more, and what they have finished is kept.
    pub(crate) async fn all(&self, roots: Roots, sink: &Sink, reporter: &mut Reporter) -> Result<(), RunStopped> {
        let (workers, kept) = (self.most.min(roots.len()), sink.kept());
        let shift = Arc::new(self.shift(roots, sink));
        let (mut at_work, mut tick) = (JoinSet::new(), ticks());
        for _ in 0..workers {
            at_work.spawn(shift.clone().work());
        }
        loop {
            tokio::select! {
                joined = at_work.join_next() => match joined {
                    Some(Ok(())) => {}
                    Some(Err(error)) => shift.end(RunStopped::Store(format!("processing a source item failed: {error}"))),
                    None => break,
                },
                _ = tick.tick() => {
                    reporter.done(kept.load(Ordering::Relaxed));
                    reporter.note();
                }
            }
        }
        lock(&shift.stop).take().map_or(Ok(()), Err)
    }

    fn shift(&self, roots: Roots, sink: &Sink) -> Shift {
        Shift {
            graph: self.graph.clone(),
            counts: self.counts.clone(),
            closing: self.closing.clone(),
            sparing: self.sparing,
            waiting: Mutex::new(roots),
            taker: sink.taker(),
            stop: Mutex::default(),
        }
    }
}

impl Shift {
    /// Takes one root after the other, until none is left or there is a reason to stop.
    async fn work(self: Arc<Self>) {
        while let Some((source, item)) = self.next() {
            match self.root(source, item).await {
                // Roots that wait for nobody would else hold the thread for as long as there are any.
                Ok(()) => yield_now().await,
                Err(stop) => self.end(stop),
            }
        }
    }

    fn next(&self) -> Option<(usize, Item)> {
        let stopped = lock(&self.stop).is_some();
        if stopped { None } else { lock(&self.waiting).next() }
    }

    async fn root(&self, source: usize, item: Item) -> Result<(), RunStopped> {
        let (graph, counts, closing) = (self.graph.clone(), self.counts.clone(), self.closing.clone());
        let id = item.root.clone();
        let result = Root::new(graph, counts, id.clone(), self.sparing, closing).run(source, item).await?;
        match &self.taker {
            Taker::Keeper(saver) => Ok(saver.save(id, result).await?),
            Taker::Preview(preview) => {
                let mut preview = lock(preview);
                preview.items.extend(result.items.into_iter().map(|(_, item)| item));
                preview.rejects.extend(result.rejects);
                Ok(())
            }
        }
    }

    fn end(&self, reason: RunStopped) {
        self.closing.trigger();
        let mut stop = lock(&self.stop);
        *stop = Some(match stop.take() {
            Some(first) => first.before(reason),
            None => reason,
        });
    }
}

impl Sink {
    /// Where to hand over what was drawn for a preview.
    pub(crate) fn preview(store: Store) -> Self {
        Self::Preview(Arc::default(), store)
    }

    /// How many roots are on disk; it counts on.
    pub(crate) fn kept(&self) -> Arc<AtomicUsize> {
        match self {
            Self::Keeper(keeper) => keeper.kept(),
            Self::Preview(..) => Arc::default(),
        }
    }

    fn taker(&self) -> Taker {
        match self {
            Self::Keeper(keeper) => Taker::Keeper(keeper.saver()),
            Self::Preview(preview, _) => Taker::Preview(preview.clone()),
        }
    }

    /// Everything is on disk, or in order to be shown.
    pub(crate) async fn end(self) -> Result<(Store, Preview), RunError> {
        match self {
            Self::Keeper(keeper) => Ok((keeper.end().await?, Preview::default())),
            Self::Preview(preview, store) => {
                let mut preview = std::mem::take(&mut *lock(&preview));
                preview.items.sort_by_cached_key(|item| item.id.sort_key());
                preview.rejects.sort_by_cached_key(|reject| (reject.id.sort_key(), reject.stage.clone()));
                Ok((store, preview))
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let sink = Sink::preview(store(&folder, "run.db"));
        let prepared = prepare(&small(), &[]);
        work(&prepared).all(prepared.roots.clone(), &sink, &mut silent()).await.unwrap();
        let ids: Vec<String> = sink.end().await.unwrap().1.items.iter().map(|item| item.id.sort_key()).collect();
        assert!(ids.len() >= 3 && ids.is_sorted(), "{ids:?}");
    }

    #[tokio::test]
    async fn whatever_is_kept_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let sink = Sink::Keeper(Keeper::start(store(&folder, "run.db"), vec![String::new(); 9]));
        let (prepared, kept) = (prepare(&small(), &[]), sink.kept());
        work(&prepared).all(prepared.roots.clone(), &sink, &mut silent()).await.unwrap();
        sink.end().await.unwrap();
        assert_eq!(kept.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_stop_lets_nothing_new_be_sent() {
        let folder = tempfile::tempdir().unwrap();
        let sink = Sink::preview(store(&folder, "run.db"));
        let prepared = prepare(&small(), &[]);
        let work = work(&prepared);
        prepared.interrupt.trigger();
        assert_eq!(work.all(prepared.roots.clone(), &sink, &mut silent()).await, Err(RunStopped::Interrupted));
        assert!(work.closing.is_triggered());
        assert!((1..=2).contains(&work.counts[0].read().0), "the third root was never begun");
    }
}
