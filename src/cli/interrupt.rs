//! Ctrl-C: the first one stops the run in good order, the second one at once.

use super::exit::INTERRUPTED;
use super::talk::say;
use fcgen::llm::Interrupt;

/// Listens for Ctrl-C, and for the signal by which schedulers end a job.
pub(crate) fn listen(interrupt: Interrupt) {
    tokio::spawn(async move {
        wait().await;
        say("stopping: what was paid for is being put on disk (once more to stop at once)");
        interrupt.trigger();
        wait().await;
        leave();
    });
}

#[expect(clippy::exit, reason = "whoever asks twice wants no clearing up")]
fn leave() {
    std::process::exit(INTERRUPTED.into());
}

#[cfg(unix)]
async fn wait() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return key().await };
    tokio::select! {
        () = key() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn wait() {
    key().await;
}

async fn key() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the system's own one ends the process.
        std::future::pending::<()>().await;
    }
}
