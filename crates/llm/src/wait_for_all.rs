//! Waiting for several questions that are asked at once.

use futures::future::join_all;

/// Waits until all works have ended, and gives their results or the first error. Where one fails the others are not
/// dropped: what they have sent is paid for, and a dropped answer is lost.
pub async fn wait_for_all<T, E>(
    works: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    join_all(works).await.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test]
    async fn a_failure_drops_no_other_work() {
        let ended = Cell::new(0);
        let work = async |fails: bool| {
            if !fails {
                tokio::task::yield_now().await;
            }
            ended.set(ended.get() + 1);
            if fails { Err(ended.get()) } else { Ok(()) }
        };
        assert_eq!((wait_for_all([false, true, false].map(work)).await, ended.get()), (Err(1), 3));
    }
}
