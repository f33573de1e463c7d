//! The wish to stop, shared by everybody who waits.

use std::sync::Arc;
use tokio::sync::watch;

/// A switch that is thrown once; whoever waits for a model then gets `Interrupted`.
#[derive(Debug, Clone)]
pub struct Interrupt {
    sender: Arc<watch::Sender<bool>>,
}

impl Interrupt {
    /// A switch that is not thrown.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Throws the switch; there is no way back.
    pub fn trigger(&self) {
        self.sender.send_replace(true);
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
}
