//! Shows something again and again while the work goes on.

use crate::cli::console::talk::{is_terminal, say};
use crate::cli::console::words::{counted, dollars, span, thousands};
use fcgen::run::Live;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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

// What a run is doing: bars on a terminal, a plain line every few seconds in a log.

/// Totals at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Figures {
    roots: usize,
    begun: usize,
    kept: usize,
    rejected: usize,
    requests: u64,
    journal: u64,
    tokens: u64,
    cost: f64,
}

enum View {
    Bars { stages: Vec<ProgressBar>, total: ProgressBar },
    Lines,
}

/// Shows a run until the ticker is dropped.
///
/// `sources` are the positions of the stages that take nothing: what came to them has been begun.
pub(crate) fn show(live: Live, sources: Vec<usize>) -> Ticker {
    show_round(live, sources, 0)
}

/// The same of a run that goes over its rejects once more; `round` is 0 for the first time.
pub(crate) fn show_round(live: Live, sources: Vec<usize>, round: usize) -> Ticker {
    let (began, view) = (Instant::now(), View::new(&live, round));
    Ticker::start(view.period(), move |last| {
        view.show(&live, &sources, began.elapsed());
        if last {
            view.finish();
        }
    })
}

impl View {
    fn new(live: &Live, round: usize) -> Self {
        if !is_terminal() {
            say(match round {
                0 => format!("{}, {}", counted(live.roots, "source item"), counted(live.counts.len(), "stage")),
                _ => format!("round {}: retrying rejected items", round + 1),
            });
            return Self::Lines;
        }
        let all = MultiProgress::new();
        let width = live.counts.iter().map(|counts| counts.stage.chars().count()).max().unwrap_or(0);
        let style = |template: &str| ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
        let line = style(&format!("{{prefix:{width}}}  {{msg}}"));
        let stages = live
            .counts
            .iter()
            .map(|counts| all.add(ProgressBar::no_length().with_style(line.clone()).with_prefix(counts.stage.clone())));
        let stages = stages.collect();
        let total = all.add(ProgressBar::new(live.roots as u64).with_style(style("[{bar:20}] {wide_msg}")));
        Self::Bars { stages, total }
    }

    fn period(&self) -> Duration {
        match self {
            Self::Bars { .. } => Duration::from_millis(100),
            Self::Lines => Duration::from_secs(5),
        }
    }

    fn show(&self, live: &Live, sources: &[usize], elapsed: Duration) {
        let figures = Figures::of(live, sources);
        match self {
            Self::Lines => say(figures.line(elapsed)),
            Self::Bars { stages, total } => {
                for (bar, counts) in stages.iter().zip(live.counts.iter()) {
                    let (came, kept, rejected) = counts.read();
                    bar.set_message(format!("{came:>7} in {kept:>7} out {rejected:>7} rejected"));
                    bar.tick();
                }
                total.set_position(figures.begun as u64);
                total.set_message(figures.head(elapsed));
            }
        }
    }

    fn finish(&self) {
        if let Self::Bars { stages, total } = self {
            stages.iter().chain([total]).for_each(ProgressBar::abandon);
        }
    }
}

impl Figures {
    fn of(live: &Live, sources: &[usize]) -> Self {
        let mut figures = Self { roots: live.roots, ..Self::default() };
        for (index, counts) in live.counts.iter().enumerate() {
            let (came, kept, rejected) = counts.read();
            figures.begun += if sources.contains(&index) { came } else { 0 };
            figures.kept = kept;
            figures.rejected += rejected;
        }
        for row in live.usage.snapshot() {
            figures.requests += row.requests;
            figures.journal += row.cache_hits;
            figures.tokens += row.prompt_tokens + row.completion_tokens;
            figures.cost += row.cost;
        }
        figures
    }

    /// All in one line, for a log.
    fn line(&self, elapsed: Duration) -> String {
        let (kept, rejected) = (thousands(self.kept as u64), thousands(self.rejected as u64));
        format!("{}, {kept} items so far, {rejected} rejected", self.head(elapsed))
    }

    /// What no stage's own line says; it fits beside a bar.
    #[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
    fn head(&self, elapsed: Duration) -> String {
        let rate = self.requests as f64 / elapsed.as_secs_f64().max(0.001);
        let roots = format!("{} of {}", thousands(self.begun as u64), counted(self.roots, "source item"));
        let requests = format!("{} requests ({} cached)", thousands(self.requests), thousands(self.journal));
        let (tokens, cost) = (thousands(self.tokens), dollars(self.cost));
        format!("{}: {roots}, {requests}, {tokens} tokens, {cost}, {rate:.0}/s", span(elapsed))
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

#[cfg(test)]
mod progress_tests {
    use super::*;
    use fcgen::llm::UsageBook;
    use fcgen::run::StageCounts;
    use std::sync::Arc;

    #[test]
    fn a_line_says_all_that_matters() {
        let (requests, journal, tokens) = (900, 300, 45_000);
        let figures = Figures { roots: 299, begun: 34, kept: 1200, rejected: 7, requests, journal, tokens, cost: 0.5 };
        insta::assert_snapshot!(
            figures.line(Duration::from_secs(3)),
            @"3.0 s: 34 of 299 source items, 900 requests (300 cached), 45,000 tokens, $0.5000, 300/s, 1,200 items so far, 7 rejected"
        );
    }

    #[test]
    fn nothing_to_see_is_shown_as_nothing() {
        let counts = Arc::new(vec![StageCounts::new("toolset")]);
        let live = Live { counts, usage: Arc::new(UsageBook::default()), roots: 0 };
        assert_eq!(Figures::of(&live, &[0]), Figures::default());
        drop(show(live, vec![0]));
    }
}
