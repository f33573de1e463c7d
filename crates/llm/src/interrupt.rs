//! The wish to stop, shared by everybody who waits.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// So long may come in what was sent before the switch was thrown, since it is paid for.
const LANDING: Duration = Duration::from_millis(250);

/// A switch that is thrown once; whoever waits for a model then gets `Interrupted`.
#[derive(Debug, Clone)]
pub struct Interrupt {
    sender: Arc<watch::Sender<bool>>,
    children: Arc<Mutex<Vec<Self>>>,
}

impl Interrupt {
    /// A switch that is not thrown.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)), children: Arc::default() }
    }

    /// Another switch, which is thrown together with this one, or before it by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        let child = Self::new();
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.push(child.clone());
        if self.is_triggered() {
            child.trigger();
        }
        child
    }

    /// Throws the switch; there is no way back.
    pub fn trigger(&self) {
        self.sender.send_replace(true);
        self.children.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Self::trigger);
    }

    /// Whether it was thrown.
    pub fn is_triggered(&self) -> bool {
        *self.sender.borrow()
    }

    /// Returns when it is thrown, at once if it was.
    pub async fn wait(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives in `self`, so it cannot be gone before this returns.
        if receiver.wait_for(|thrown| *thrown).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns when it was thrown and what had been sent by then had its time to come in.
    pub(super) async fn landing(&self) {
        self.wait().await;
        tokio::time::sleep(LANDING).await;
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn it_wakes_all_who_wait_and_all_who_come_later() {
        let interrupt = Interrupt::new();
        let twin = interrupt.clone();
        let early = tokio::spawn(async move { twin.wait().await });
        assert!(interrupt.wait().now_or_never().is_none());
        interrupt.trigger();
        early.await.unwrap();
        assert!(interrupt.is_triggered());
        assert!(interrupt.wait().now_or_never().is_some());
    }

    #[test]
    fn a_child_is_thrown_with_it_and_not_the_other_way_round() {
        let parent = Interrupt::new();
        let (early, other) = (parent.child(), parent.child());
        early.trigger();
        assert!(early.is_triggered() && !other.is_triggered() && !parent.is_triggered());
        parent.trigger();
        assert!(other.is_triggered() && parent.child().is_triggered());
    }
}
