//! One question in flight per key: whoever asks the same meanwhile waits, and shares the answer.
//!
//! If the first asker is cancelled, one of those who wait asks in its place; nobody hangs.

use super::key::Key;
use super::request::{ChatError, Reply};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

type Cell = Arc<OnceCell<Result<Reply, ChatError>>>;

/// The questions in flight.
#[derive(Debug, Default)]
pub(super) struct Flights {
    cells: Mutex<BTreeMap<Key, Cell>>,
}

/// An answer, and whether this very asker got it.
pub(super) struct Landed {
    pub(super) answer: Result<Reply, ChatError>,
    pub(super) own: bool,
}

impl Flights {
    /// The answer of `ask`, or of an equal question that is in flight already.
    pub(super) fn share<'a>(
        &'a self,
        key: Key,
        ask: impl Future<Output = Result<Reply, ChatError>> + 'a,
    ) -> impl Future<Output = Landed> + 'a {
        // The cell keeps what it is given several times over, and an asynchronous function what it is called with;
        // thousands may be in flight.
        let ask = Box::pin(ask);
        async move {
            let seat = Seat { flights: self, key, cell: self.lock().entry(key).or_default().clone() };
            let mut own = false;
            let started = async {
                own = true;
                ask.await
            };
            let answer = seat.cell.get_or_init(|| started).await.clone();
            Landed { answer, own }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Cell>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A share in a flight; the last one to leave, answered or cancelled, clears it away.
struct Seat<'a> {
    flights: &'a Flights,
    key: Key,
    cell: Cell,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut cells = self.flights.lock();
        // The map's own and this one: nobody else sits in it, and nobody can enter while the map is locked.
        if Arc::strong_count(&self.cell) <= 2 {
            cells.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;
    use futures::FutureExt;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::oneshot;

    fn key() -> Key {
        Key::of_question(&request("a", 0))
    }

    fn reply(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    #[tokio::test]
    async fn equal_questions_are_asked_once() {
        let (flights, asked) = (Flights::default(), AtomicUsize::new(0));
        let ask = || async {
            asked.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok(reply("x"))
        };
        let (first, second) = tokio::join!(flights.share(key(), ask()), flights.share(key(), ask()));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert_eq!(first.answer, second.answer);
        assert_eq!((first.own, second.own), (true, false));
    }

    #[tokio::test]
    async fn if_the_first_asker_is_cancelled_the_next_one_asks() {
        let flights = Flights::default();
        let mut first = Box::pin(flights.share(key(), std::future::pending()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(flights.share(key(), async { Ok(reply("second")) }));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        let landed = second.await;
        assert_eq!(landed.answer, Ok(reply("second")));
        assert!(landed.own);
    }

    #[tokio::test]
    async fn what_has_landed_is_forgotten() {
        let flights = Flights::default();
        assert_eq!(
            flights.share(key(), async { Err(ChatError::Interrupted) }).await.answer,
            Err(ChatError::Interrupted)
        );
        assert_eq!(flights.share(key(), async { Ok(reply("later")) }).await.answer, Ok(reply("later")));
        assert!(flights.lock().is_empty());
    }

    #[tokio::test]
    async fn a_failure_is_shared_and_not_repeated_by_those_who_wait() {
        let flights = Flights::default();
        let (sender, receiver) = oneshot::channel();
        let first = flights.share(key(), async {
            receiver.await.unwrap();
            Err(ChatError::Interrupted)
        });
        let second = flights.share(key(), async { unreachable!("the first one's answer is shared") });
        let (first, second, ()) = tokio::join!(first, second, async { sender.send(()).unwrap() });
        assert_eq!(first.answer, second.answer);
    }
}
