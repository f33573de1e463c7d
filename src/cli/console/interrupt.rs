//! Ctrl-C: the first one stops the work in good order, the second one at once.

use crate::cli::console::exit::{INTERRUPTED, last_words};
use crate::cli::console::talk::say;
use fcgen::failure::RunStopped;
use fcgen::llm::Interrupt;
use fcgen::run::RunError;
use futures::{Stream, StreamExt};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long a run may take to come to rest by itself.
pub(crate) const PATIENCE: Duration = Duration::from_millis(600);
/// How long the rest may take: after that nobody is waited for, whatever it is busy with.
const GRACE: Duration = Duration::from_millis(350);

/// Why the process is left.
#[derive(Debug, PartialEq, Eq)]
enum Leaving {
    /// Somebody asked twice and wants no clearing up.
    AskedTwice,
    /// It had its time.
    TooLate,
}

/// Listens for Ctrl-C, and for the signal by which schedulers end a job, and throws `wish` when one comes.
///
/// The switch that is returned is thrown when the run had its time and is not waited for any longer. Work that does not
/// even see that, since it reads, computes or waits for a disk, is left a moment later.
pub(crate) fn listen(wish: Interrupt) -> Interrupt {
    let end = Interrupt::new();
    let told = end.clone();
    let (ready, heard) = channel();
    // A thread and a runtime of its own: where the built-in model computes, the run's own has no turn for signals.
    std::thread::spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(async {
                let signals = signals();
                ready.send(()).unwrap_or_default();
                leave(&obey(signals, &wish, &told).await);
            });
        }
    });
    // From here on a signal is heard. Where nobody can listen the system's own handler ends the process.
    heard.recv().unwrap_or_default();
    end
}

/// The wish to stop, for a command that only asks: whoever is asked then says that it was interrupted.
pub(crate) fn wish() -> Interrupt {
    static WISH: OnceLock<Interrupt> = OnceLock::new();
    let begin = || {
        let wish = Interrupt::new();
        listen(wish.clone());
        wish
    };
    WISH.get_or_init(begin).clone()
}

/// What is said of work that was stopped: how to go on.
pub(crate) fn interrupted() -> anyhow::Error {
    RunError::from(RunStopped::Interrupted).into()
}

async fn obey(mut signals: impl Stream<Item = ()> + Unpin, wish: &Interrupt, end: &Interrupt) -> Leaving {
    signals.next().await;
    say("stopping: saving completed replies (interrupt again to stop immediately)");
    wish.trigger();
    if comes(&mut signals, PATIENCE).await {
        return Leaving::AskedTwice;
    }
    end.trigger();
    if comes(&mut signals, GRACE).await { Leaving::AskedTwice } else { Leaving::TooLate }
}

async fn comes(signals: &mut (impl Stream<Item = ()> + Unpin), within: Duration) -> bool {
    tokio::time::timeout(within, signals.next()).await.is_ok()
}

#[expect(clippy::exit, reason = "the main thread may be busy for long")]
fn leave(why: &Leaving) {
    if *why == Leaving::TooLate {
        last_words(&interrupted());
    }
    std::process::exit(INTERRUPTED.into());
}

/// Every signal that asks for an end, from now on: none is missed between two waits.
#[cfg(unix)]
fn signals() -> impl Stream<Item = ()> + Unpin {
    use tokio::signal::unix::{SignalKind, signal};
    let [key, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| {
        let mut signal = signal(kind).ok();
        // Where there is no handler the system's own one ends the process.
        futures::stream::poll_fn(move |context| {
            signal.as_mut().map_or(std::task::Poll::Pending, |signal| signal.poll_recv(context))
        })
    });
    futures::stream::select(key, terminate)
}

#[cfg(not(unix))]
fn signals() -> impl Stream<Item = ()> + Unpin {
    let next = |()| async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Some(((), ()))
    };
    Box::pin(futures::stream::unfold((), next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::channel::mpsc::{UnboundedSender, unbounded};
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, sleep};

    struct Scene {
        key: UnboundedSender<()>,
        wish: Interrupt,
        end: Interrupt,
        obeying: JoinHandle<Leaving>,
    }

    fn scene() -> Scene {
        let (key, signals) = unbounded();
        let (wish, end) = (Interrupt::new(), Interrupt::new());
        let (wished, ended) = (wish.clone(), end.clone());
        let obeying = tokio::spawn(async move { obey(signals, &wished, &ended).await });
        Scene { key, wish, end, obeying }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_one_asks_and_then_waits_for_less_than_a_second() {
        let Scene { key, wish, end, obeying } = scene();
        let began = Instant::now();
        key.unbounded_send(()).unwrap();
        wish.wait().await;
        assert!(!end.is_triggered() && began.elapsed().is_zero());
        end.wait().await;
        assert_eq!(began.elapsed(), PATIENCE);
        assert_eq!(obeying.await.unwrap(), Leaving::TooLate);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        drop(key);
    }

    #[tokio::test(start_paused = true)]
    async fn the_second_one_stops_at_once() {
        for later in [Duration::ZERO, PATIENCE.mul_f64(0.99), PATIENCE + GRACE / 2] {
            let Scene { key, wish, end, obeying } = scene();
            key.unbounded_send(()).unwrap();
            wish.wait().await;
            sleep(later).await;
            key.unbounded_send(()).unwrap();
            let second = Instant::now();
            assert_eq!(obeying.await.unwrap(), Leaving::AskedTwice, "{later:?}");
            assert!(second.elapsed().is_zero(), "{later:?}");
            assert_eq!(end.is_triggered(), later > PATIENCE);
        }
    }

    #[test]
    fn who_was_interrupted_is_told_how_to_go_on() {
        assert_eq!(interrupted().to_string(), "interrupted");
    }
}
