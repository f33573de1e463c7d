//! Writes to the store on a thread of its own, so that nobody who waits for a model waits for a disk.

use super::RunError;
use super::root::RootResult;
use super::store::Store;
use crate::record::ItemId;
use crate::stage::Stop;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// So many finished roots may wait for the disk; then whoever finishes another one waits.
const WAITING: usize = 8;

/// The store's thread.
pub(super) struct Keeper {
    sender: Sender<Message>,
    work: JoinHandle<Result<Store, RunError>>,
}

type Message = (ItemId, Box<RootResult>);

/// The thread is gone; [`Keeper::end`] says why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gone;

impl Keeper {
    /// Takes the store in charge; `names` are those of the stages.
    pub(super) fn start(store: Store, names: Vec<String>) -> Self {
        let (sender, receiver) = channel(WAITING);
        Self { sender, work: tokio::task::spawn_blocking(move || keep(store, &names, receiver)) }
    }

    /// Keeps what a root gave.
    pub(super) async fn save(&self, root: ItemId, result: RootResult) -> Result<(), Gone> {
        self.sender.send((root, Box::new(result))).await.map_err(|_| Gone)
    }

    /// Waits until all is written, and gives the store back.
    pub(super) async fn end(self) -> Result<Store, RunError> {
        drop(self.sender);
        self.work.await.map_err(|error| RunError::broken_off("the writing of `run.db`", &error))?
    }
}

impl From<Gone> for Stop {
    fn from(_: Gone) -> Self {
        Self::Store("`run.db` can no longer be written".to_owned())
    }
}

fn keep(mut store: Store, names: &[String], mut receiver: Receiver<Message>) -> Result<Store, RunError> {
    while let Some((root, result)) = receiver.blocking_recv() {
        store.add(root.as_str(), names, *result)?;
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[tokio::test]
    async fn what_was_handed_over_is_there_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::start(Store::open(&folder.path().join("run.db"), &[]).unwrap(), vec!["ask".to_owned()]);
        let result = RootResult { owed: vec![(0, 3, 2)], ..RootResult::default() };
        keeper.save(ItemId::root("a"), result).await.unwrap();
        let store = keeper.end().await.unwrap();
        assert_eq!(store.owed().unwrap()["ask"], (3, 2));
    }

    #[tokio::test]
    async fn a_disk_that_fails_is_told_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let keeper = Keeper::start(Store::open(&path, &[]).unwrap(), vec!["ask".to_owned()]);
        Connection::open(&path).unwrap().execute("DROP TABLE owed", []).unwrap();
        let result = || RootResult { owed: vec![(0, 1, 1)], ..RootResult::default() };
        while keeper.save(ItemId::root("a"), result()).await.is_ok() {}
        assert_eq!(Stop::from(Gone).to_string(), "`run.db` can no longer be written");
        let error = keeper.end().await.err().unwrap().to_string();
        assert!(error.starts_with("`run.db`: no such table: owed"), "{error}");
    }
}
