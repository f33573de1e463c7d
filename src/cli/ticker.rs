//! Shows something again and again while the work goes on.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Shows until it is dropped; the last state is always shown.
pub(crate) struct Ticker {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Calls `show` every so often; on a thread of its own, because a model that computes leaves no room among the
    /// tasks. It is told when it is called for the last time.
    pub(crate) fn start(period: Duration, mut show: impl FnMut(bool) + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                show(false);
            }
            show(true);
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A view that broke must not take the work's result with it.
            thread.join().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_is_shown_once_and_last() {
        let (sender, shown) = channel();
        let ticker = Ticker::start(Duration::from_micros(1), move |last| sender.send(last).unwrap());
        assert_eq!(shown.recv(), Ok(false));
        drop(ticker);
        let all: Vec<bool> = shown.iter().collect();
        assert_eq!(all.iter().filter(|last| **last).count(), 1);
        assert_eq!(all.last(), Some(&true));
    }

    #[test]
    fn a_view_that_breaks_ends_alone() {
        drop(Ticker::start(Duration::from_secs(60), |_| panic!("odd")));
    }
}
