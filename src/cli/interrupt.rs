//! Ctrl-C: the first one stops the run in good order, the second one at once.

use super::exit::INTERRUPTED;
use super::talk::say;
use fcgen::llm::Interrupt;
use std::time::Duration;

/// How long a run may take to come to rest by itself.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// Listens for Ctrl-C, and for the signal by which schedulers end a job, and throws `wish` when one comes.
///
/// The switch that is returned is thrown when the run had its time and is not waited for any longer.
pub(crate) fn listen(wish: Interrupt) -> Interrupt {
    let end = Interrupt::new();
    let told = end.clone();
    // A thread and a runtime of its own: where the built-in model computes, the run's own has no turn for signals.
    std::thread::spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(obey(&wish, &told));
        }
    });
    end
}

async fn obey(wish: &Interrupt, end: &Interrupt) {
    wait().await;
    say("stopping: what was paid for is being put on disk (once more to stop at once)");
    wish.trigger();
    tokio::select! {
        () = tokio::time::sleep(PATIENCE) => end.trigger(),
        () = wait() => leave(),
    }
    wait().await;
    leave();
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
