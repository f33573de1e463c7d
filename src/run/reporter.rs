//! Leaves word of how far a run is, once a second and at every turn; what nobody can write down is no reason to stop.

use super::progress::{FILE, Phase, Progress, Rates, Spent, StageProgress};
use super::{Live, RunError, StageCounts};
use crate::config::Plan;
use crate::failure::RunStopped;
use crate::llm::{Interrupt, UsageBook};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::time::{Duration, Instant, Interval, MissedTickBehavior, interval};

/// Word is left no more often than this while nothing turns.
const INTERVAL: Duration = Duration::from_secs(1);
/// Rates are those of so many seconds.
const WINDOW: Duration = Duration::from_secs(15);

/// Leaves word until it is told the end. Dropped before, it says that somebody stopped the run.
pub(crate) struct Reporter {
    /// Nowhere in a preview, which leaves nothing behind.
    path: Option<PathBuf>,
    progress: Progress,
    watched: Option<Watched>,
    began: Instant,
    moments: VecDeque<Moment>,
    interrupt: Interrupt,
}

/// What is counted while the work goes on.
struct Watched {
    counts: Arc<Vec<StageCounts>>,
    usage: Arc<UsageBook>,
    /// Positions of the stages from which items leave.
    leaving: Vec<usize>,
}

/// What had been done by some moment.
#[derive(Debug, Clone, Copy)]
struct Moment {
    at: Instant,
    items: usize,
    answered: u64,
    done: usize,
}

impl Reporter {
    /// Says that a run of `plan` is being set up in `folder`, where there is one.
    pub(super) fn begin(plan: &Plan, folder: Option<&Path>, interrupt: &Interrupt) -> Self {
        let progress = Progress {
            pipeline: plan.pipeline.name.to_string(),
            locale: plan.pipeline.locale.to_string(),
            seed: plan.pipeline.seed.get() as u64,
            phase: Phase::Setup,
            stopped: None,
            roots: 0,
            done: 0,
            stages: Vec::new(),
            spent: Spent::default(),
            in_flight: 0,
            rates: Rates::default(),
            seconds: 0.0,
            seconds_left: None,
        };
        let (began, path) = (Instant::now(), folder.map(|folder| folder.join(FILE)));
        let (moments, interrupt) = (VecDeque::new(), interrupt.clone());
        let mut reporter = Self { path, progress, watched: None, began, moments, interrupt };
        reporter.note();
        reporter
    }

    /// The roots are known, and the work on them begins.
    pub(super) fn makes(&mut self, live: &Live, leaving: Vec<usize>) {
        self.watched = Some(Watched { counts: live.counts.clone(), usage: live.usage.clone(), leaving });
        self.progress.roots = live.roots;
        self.turn(Phase::Making);
    }

    /// So many roots are done.
    pub(super) fn done(&mut self, count: usize) {
        self.progress.done = count;
    }

    /// The files are being written; word is left meanwhile.
    pub(super) async fn writes<T>(&mut self, work: impl Future<Output = T>) -> T {
        self.turn(Phase::Writing);
        let (mut work, mut ticks) = (std::pin::pin!(work), ticks());
        loop {
            tokio::select! {
                result = &mut work => return result,
                _ = ticks.tick() => self.note(),
            }
        }
    }

    /// Leaves word of how far it is now.
    pub(super) fn note(&mut self) {
        if let Some(path) = &self.path {
            look(&mut self.progress, self.watched.as_ref(), &mut self.moments, self.began.elapsed());
            write(path, &self.progress);
        }
    }

    /// The last word: a run that came to its end needs none, since its manifest says all.
    pub(super) fn end(mut self, error: Option<&RunError>) {
        match error {
            Some(error) => self.stop(&error.to_string()),
            None => self.path.take().map_or((), |path| fs::remove_file(path).unwrap_or_default()),
        }
    }

    fn turn(&mut self, phase: Phase) {
        self.progress.phase = phase;
        self.note();
    }

    fn stop(&mut self, why: &str) {
        self.progress.stopped = Some(why.to_owned());
        self.note();
        self.path = None;
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if self.interrupt.is_triggered() {
            self.stop(&RunStopped::Interrupted.to_string());
        }
    }
}

/// The moments at which word is left.
pub(super) fn ticks() -> Interval {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn look(progress: &mut Progress, watched: Option<&Watched>, moments: &mut VecDeque<Moment>, elapsed: Duration) {
    progress.seconds = elapsed.as_secs_f64();
    let Some(Watched { counts, usage, leaving }) = watched else { return };
    progress.stages = StageProgress::of(counts);
    progress.spent = Spent::of(&usage.totals());
    progress.in_flight = usage.in_flight();
    moments.push_back(Moment {
        at: Instant::now(),
        items: leaving.iter().filter_map(|stage| counts.get(*stage)).map(|stage| stage.read().1).sum(),
        answered: progress.spent.attempts.saturating_sub(progress.in_flight),
        done: progress.done,
    });
    // The first of the moments that are left is the beginning of the window.
    while moments.get(1).is_some_and(|second| second.at.elapsed() >= WINDOW) {
        moments.pop_front();
    }
    progress.rates = rates(moments);
    progress.seconds_left = left(progress, moments);
}

fn rates(moments: &VecDeque<Moment>) -> Rates {
    let (Some(first), Some(last)) = (moments.front(), moments.back()) else { return Rates::default() };
    let over_seconds = last.at.duration_since(first.at).as_secs_f64();
    let a_second = |count: u64| if over_seconds > 0.0 { real(count) / over_seconds } else { 0.0 };
    Rates {
        over_seconds,
        items_per_second: a_second((last.items - first.items) as u64),
        requests_per_second: a_second(last.answered.saturating_sub(first.answered)),
    }
}

/// At the pace of the last while, where roots were done in it; else at that of the whole run.
fn left(progress: &Progress, moments: &VecDeque<Moment>) -> Option<u64> {
    let lately = moments
        .front()
        .zip(moments.back())
        .map(|(first, last)| (last.done - first.done, last.at.duration_since(first.at).as_secs_f64()));
    let of_late = lately.filter(|(done, seconds)| *done > 0 && *seconds > 0.0);
    let (done, seconds) = of_late.unwrap_or((progress.done, progress.seconds));
    let open = progress.roots.saturating_sub(progress.done) as u64;
    (done > 0).then(|| Duration::from_secs_f64(real(open) * seconds / real(done as u64)).as_secs())
}

#[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
fn real(count: u64) -> f64 {
    count as f64
}

/// Written aside and renamed, so that nobody reads half of it; not synced, since a machine that fails ends the run as well.
fn write(path: &Path, progress: &Progress) {
    let part = path.with_extension("json.part");
    let Ok(text) = serde_json::to_vec(progress) else { return };
    fs::write(&part, text).and_then(|()| fs::rename(&part, path)).unwrap_or_default();
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::run::testing::small;

    /// A reporter whom nobody hears.
    pub(crate) fn silent() -> Reporter {
        Reporter::begin(&small(), None, &Interrupt::new())
    }

    fn live() -> Live {
        let counts = ["toolset", "ask"].map(StageCounts::new);
        Live { counts: Arc::new(counts.into()), usage: Arc::default(), roots: 10 }
    }

    fn read(folder: &tempfile::TempDir) -> Progress {
        Progress::read(folder.path()).unwrap().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn word_is_left_of_every_phase_and_taken_away_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut reporter = Reporter::begin(&small(), Some(folder.path()), &Interrupt::new());
        assert_eq!((read(&folder).phase, read(&folder).roots), (Phase::Setup, 0));
        reporter.makes(&live(), vec![1]);
        assert_eq!((read(&folder).phase, read(&folder).roots), (Phase::Making, 10));
        let seen = reporter.writes(async { read(&folder).phase }).await;
        assert_eq!(seen, Phase::Writing);
        reporter.end(None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn rates_are_those_of_the_last_while() {
        let folder = tempfile::tempdir().unwrap();
        let (mut reporter, live) = (Reporter::begin(&small(), Some(folder.path()), &Interrupt::new()), live());
        reporter.makes(&live, vec![1]);
        for second in 0..30 {
            tokio::time::advance(Duration::from_secs(1)).await;
            let items = if second < 15 { 100 } else { 2 };
            (0..items).for_each(|_| live.counts[1].kept());
            reporter.note();
        }
        let progress = read(&folder);
        assert_eq!((progress.seconds, progress.rates.over_seconds, progress.rates.items_per_second), (30.0, 15.0, 2.0));
        assert_eq!(progress.seconds_left, None, "no root is done");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_left_takes_as_long_as_what_was_done() {
        let folder = tempfile::tempdir().unwrap();
        let mut reporter = Reporter::begin(&small(), Some(folder.path()), &Interrupt::new());
        reporter.makes(&live(), vec![1]);
        tokio::time::advance(Duration::from_secs(4)).await;
        reporter.done(2);
        reporter.note();
        assert_eq!(read(&folder).seconds_left, Some(16));
        tokio::time::advance(Duration::from_secs(60)).await;
        reporter.note();
        tokio::time::advance(Duration::from_secs(15)).await;
        reporter.note();
        assert_eq!(read(&folder).seconds_left, Some(316), "none was done lately: the pace is that of the whole run");
    }

    #[tokio::test]
    async fn the_reason_of_a_stop_is_the_last_word() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |interrupt: &Interrupt| Reporter::begin(&small(), Some(folder.path()), interrupt);
        begin(&Interrupt::new()).end(Some(&RunStopped::Budget("$1.00".to_owned()).into()));
        assert_eq!(read(&folder).stopped.unwrap(), "the budget is spent: $1.00");
        let interrupt = Interrupt::new();
        let reporter = begin(&interrupt);
        assert_eq!(read(&folder).stopped, None);
        interrupt.trigger();
        drop(reporter);
        assert_eq!(read(&folder).stopped.unwrap(), "interrupted");
    }

    #[tokio::test]
    async fn a_preview_leaves_no_word_and_a_folder_that_is_gone_is_no_fault() {
        let mut reporter = silent();
        reporter.makes(&live(), Vec::new());
        reporter.end(None);
        let folder = tempfile::tempdir().unwrap();
        let mut reporter = Reporter::begin(&small(), Some(&folder.path().join("gone")), &Interrupt::new());
        reporter.note();
        reporter.end(None);
    }
}
