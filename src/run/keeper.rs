//! Writes to the store on a thread of its own, so that nobody who waits for a model waits for a disk.
//!
//! Roots that end at about the same time share a transaction, which costs more than what is in it.

use super::RunError;
use super::root::RootResult;
use super::store::Store;
use crate::failure::RunStopped;
use crate::record::ItemId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

/// Finished roots with so many items and rejects may wait for the disk; then whoever finishes another one waits. A root
/// that has more waits until nothing else does.
const ROOM: u32 = 2048;
/// The first root of a transaction waits so long for company.
const GATHERING: Duration = Duration::from_millis(5);

/// The store's thread.
pub(super) struct Keeper {
    saver: Saver,
    kept: Arc<AtomicUsize>,
    work: JoinHandle<Result<Store, RunError>>,
}

/// The way to it.
#[derive(Debug, Clone)]
pub(super) struct Saver {
    sender: UnboundedSender<Message>,
    room: Arc<Semaphore>,
}

/// What a root gave, and the room that it takes until it is written.
type Message = ((ItemId, Box<RootResult>), OwnedSemaphorePermit);

/// The thread is gone; [`Keeper::end`] says why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gone;

impl Keeper {
    /// Takes the store in charge; `names` are those of the stages.
    pub(super) fn start(store: Store, names: Vec<String>) -> Self {
        let ((sender, receiver), kept) = (unbounded_channel(), Arc::<AtomicUsize>::default());
        let count = kept.clone();
        let work = tokio::task::spawn_blocking(move || keep(store, &names, receiver, &count));
        Self { saver: Saver { sender, room: Arc::new(Semaphore::new(ROOM as usize)) }, kept, work }
    }

    /// The way to it; all of them must be gone before it ends.
    pub(super) fn saver(&self) -> Saver {
        self.saver.clone()
    }

    /// How many roots are written; it counts on.
    pub(super) fn kept(&self) -> Arc<AtomicUsize> {
        self.kept.clone()
    }

    /// Waits until all is written, and gives the store back.
    pub(super) async fn end(self) -> Result<Store, RunError> {
        drop(self.saver);
        self.work.await.map_err(|error| RunError::broken_off("the writing of `run.db`", &error))?
    }
}

impl Saver {
    /// Keeps what a root gave.
    pub(super) async fn save(&self, root: ItemId, result: RootResult) -> Result<(), Gone> {
        let size = u32::try_from(result.items.len() + result.rejects.len()).unwrap_or(ROOM);
        let room = self.room.clone().acquire_many_owned(size.clamp(1, ROOM)).await.map_err(|_| Gone)?;
        self.sender.send(((root, Box::new(result)), room)).map_err(|_| Gone)
    }
}

impl From<Gone> for RunStopped {
    fn from(_: Gone) -> Self {
        Self::Store("`run.db` can no longer be written".to_owned())
    }
}

fn keep(
    mut store: Store,
    names: &[String],
    mut receiver: UnboundedReceiver<Message>,
    kept: &AtomicUsize,
) -> Result<Store, RunError> {
    while let Some(first) = receiver.blocking_recv() {
        std::thread::sleep(GATHERING);
        let others = std::iter::from_fn(|| receiver.try_recv().ok());
        let (roots, room): (Vec<_>, Vec<_>) = std::iter::once(first).chain(others).unzip();
        store.add_all(names, roots)?;
        kept.fetch_add(room.len(), Ordering::Relaxed);
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::reject;
    use rusqlite::Connection;

    #[tokio::test]
    async fn what_was_handed_over_is_there_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::start(Store::open(&folder.path().join("run.db"), &[]).unwrap(), vec!["ask".to_owned()]);
        let result = RootResult { owed: vec![(0, 3, 2)], ..RootResult::default() };
        keeper.saver().save(ItemId::root("a"), result).await.unwrap();
        let kept = keeper.kept();
        let store = keeper.end().await.unwrap();
        assert_eq!(kept.load(Ordering::Relaxed), 1);
        assert_eq!(store.owed().unwrap()["ask"], (3, 2));
    }

    #[tokio::test]
    async fn roots_of_any_size_have_room_one_after_another() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::start(Store::open(&folder.path().join("run.db"), &[]).unwrap(), vec!["ask".to_owned()]);
        for (root, size) in [("a", 3 * ROOM), ("b", 1), ("c", ROOM), ("d", 0)] {
            let rejects = (0..size).map(|number| reject(&format!("{root}/ask/{number}"))).collect();
            keeper.saver().save(ItemId::root(root), RootResult { rejects, ..RootResult::default() }).await.unwrap();
        }
        let store = keeper.end().await.unwrap();
        let mut count = 0;
        store
            .rejects(|_| {
                let _: () = count += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(count, 4 * ROOM + 1);
    }

    #[tokio::test]
    async fn a_disk_that_fails_is_told_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let keeper = Keeper::start(Store::open(&path, &[]).unwrap(), vec!["ask".to_owned()]);
        Connection::open(&path).unwrap().execute("DROP TABLE owed", []).unwrap();
        let result = || RootResult { owed: vec![(0, 1, 1)], ..RootResult::default() };
        while keeper.saver().save(ItemId::root("a"), result()).await.is_ok() {}
        assert_eq!(RunStopped::from(Gone).to_string(), "`run.db` can no longer be written");
        let error = keeper.end().await.err().unwrap().to_string();
        assert!(error.starts_with("`run.db`: no such table: owed"), "{error}");
    }
}
