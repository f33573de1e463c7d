//! Gathers questions until no more come for a while, or until there are enough.

use super::Batches;
use crate::attempts::Line;
use crate::config::ModelConfig;
use crate::fault::Fault;
use crate::key::Key;
use crate::request::{ChatError, Reply, Request};
use crate::tasks::Task;
use crate::usage::Event;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout_at};

/// A question that waits for company.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) key: Key,
    /// Its line; none where it stands in a file already and only shows that somebody waits for it.
    pub(super) line: Option<String>,
}

/// How large a group may become, and how long it waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    requests: usize,
    bytes: usize,
    linger: Duration,
}

/// Questions that go together.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) keys: Vec<Key>,
    pub(super) text: String,
    /// Whether nobody has come for a while, so that there is no more to be had now.
    pub(super) is_last: bool,
}

/// Whoever gathers.
pub(super) struct Gatherer {
    receiver: UnboundedReceiver<Asked>,
    limits: Limits,
    /// What did not fit into the group before.
    over: Option<Asked>,
    /// Whether somebody has come since the last pause.
    is_stirred: bool,
    /// Waves that are complete: after each, nobody has come for a while.
    waves: Arc<AtomicU64>,
}

/// Where questions come in a trickle, nobody waits longer than so many lingers.
const PATIENCE: u32 = 20;
/// No linger is longer, whatever the settings say.
const LONGEST: Duration = Duration::from_secs(86_400);

impl Limits {
    pub(super) fn new(config: &ModelConfig) -> Self {
        let bytes = config.batch_megabytes.saturating_mul(1_000_000);
        Self { requests: config.batch_requests, bytes, linger: config.batch_linger.0.min(LONGEST) }
    }
}

impl Gatherer {
    pub(super) fn new(receiver: UnboundedReceiver<Asked>, limits: Limits) -> Self {
        Self { receiver, limits, over: None, is_stirred: false, waves: Arc::default() }
    }

    /// How many waves are complete, for whoever asks.
    pub(super) fn waves(&self) -> Arc<AtomicU64> {
        self.waves.clone()
    }

    /// The next group; none when nobody can ask any more.
    pub(super) async fn next(&mut self) -> Option<Group> {
        let mut group = Group::default();
        if !self.is_stirred && self.over.is_none() {
            let asked = self.receiver.recv().await?;
            group.take(asked);
            self.is_stirred = true;
        }
        let latest = Instant::now() + self.limits.linger * PATIENCE;
        if let Some(asked) = self.over.take() {
            group.take(asked);
        }
        while group.keys.len() < self.limits.requests {
            let end = latest.min(Instant::now() + self.limits.linger);
            match timeout_at(end, self.receiver.recv()).await {
                Ok(Some(asked)) if !group.has_room(&asked, &self.limits) => {
                    self.over = Some(asked);
                    break;
                }
                Ok(Some(asked)) => group.take(asked),
                Ok(None) if group.keys.is_empty() => return None,
                Ok(None) | Err(_) => {
                    group.is_last = Instant::now() < latest;
                    self.is_stirred = !group.is_last;
                    self.waves.fetch_add(u64::from(group.is_last), Ordering::Relaxed);
                    break;
                }
            }
        }
        Some(group)
    }
}

impl Group {
    fn take(&mut self, asked: Asked) {
        if let Some(line) = asked.line {
            self.keys.push(asked.key);
            self.text.push_str(&line);
        }
    }

    fn has_room(&self, asked: &Asked, limits: &Limits) -> bool {
        let length = asked.line.as_ref().map_or(0, String::len);
        self.text.is_empty() || self.text.len() + length <= limits.bytes
    }
}

// An attempt that goes in company: it is charged like any other, and passes no rate limit, since batches have none.

impl Line {
    /// The way by which this request goes together with others, if it does.
    pub(crate) fn batches_for(&self, request: &Request) -> Option<&Batches> {
        self.batches.as_ref().filter(|_| !matches!(request.task, Task::Embed | Task::Score))
    }

    /// Asks once by a batch.
    pub(crate) async fn attempt_in_batch(
        &self,
        batches: &Batches,
        key: &Key,
        request: &Request,
        with_format: bool,
        repeated: bool,
    ) -> Result<Result<Reply, Fault>, ChatError> {
        let guess = self.estimator.guess(request);
        let reservation = self.unless_closing(self.budget.reserve(self.spending(guess))).await??;
        self.count(request, Event::Attempt { repeated });
        // Drawn up where the question goes along, and not where its answer is there already.
        let body = || {
            self.usage.count_wave(&request.stage, &self.endpoint.config().model, batches.waves());
            self.endpoint.body_of(request, with_format)
        };
        let flying = self.usage.fly();
        let answer = self.wait_for(batches, batches.ask(key, body)).await?;
        drop(flying);
        let mut answer = answer.and_then(|body| self.endpoint.read(request, body));
        let used = self.used(request, guess, &mut answer);
        reservation.settle(self.spending(used));
        self.count(request, Event::Tokens(used, self.endpoint.config().price));
        Ok(answer)
    }

    /// A batch at a server is not waited for when the run ends: it outlives it. Files are written first.
    async fn wait_for<T>(
        &self,
        batches: &Batches,
        answer: impl Future<Output = Result<T, ChatError>>,
    ) -> Result<T, ChatError> {
        let leave = async {
            match batches {
                Batches::Online(_) => self.closing.wait().await,
                Batches::Offline(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answer => answer,
            () = leave => Err(ChatError::Interrupted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TextDuration;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    const LINE: &str = "0123456789\n";

    fn gatherer(requests: usize, bytes: usize) -> (UnboundedSender<Asked>, Gatherer) {
        let (sender, receiver) = unbounded_channel();
        (sender, Gatherer::new(receiver, Limits { requests, bytes, linger: Duration::from_secs(5) }))
    }

    fn asked(number: u8) -> Asked {
        Asked { key: Key::from_bytes([number; 32]), line: Some(LINE.to_owned()) }
    }

    fn size(group: Option<Group>) -> Option<(usize, bool)> {
        group.map(|group| (group.keys.len(), group.is_last))
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_within_the_linger_goes_along() {
        let (sender, mut gatherer) = gatherer(100, 1000);
        tokio::spawn(async move {
            for number in 0..4 {
                sender.send(asked(number)).unwrap();
                tokio::time::sleep(Duration::from_secs(4)).await;
            }
            tokio::time::sleep(Duration::from_secs(9)).await;
            sender.send(asked(9)).unwrap();
            tokio::time::sleep(Duration::from_secs(60)).await;
        });
        let start = Instant::now();
        assert_eq!(size(gatherer.next().await), Some((4, true)));
        assert_eq!(start.elapsed().as_secs(), 17);
        assert_eq!(size(gatherer.next().await), Some((1, true)));
        assert_eq!(size(gatherer.next().await), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_group_goes_at_once_and_the_rest_after_a_pause() {
        let (sender, mut gatherer) = gatherer(2, 1000);
        (0..5).for_each(|number| sender.send(asked(number)).unwrap());
        let start = Instant::now();
        assert_eq!(size(gatherer.next().await), Some((2, false)));
        assert_eq!(size(gatherer.next().await), Some((2, false)));
        assert_eq!(start.elapsed().as_secs(), 0);
        assert_eq!(size(gatherer.next().await), Some((1, true)));
        sender.send(asked(7)).unwrap();
        sender.send(asked(8)).unwrap();
        assert_eq!(size(gatherer.next().await), Some((2, false)));
        assert_eq!(size(gatherer.next().await), Some((0, true)), "nobody comes any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_keeps_to_its_size_and_what_is_larger_goes_alone() {
        let (sender, mut gatherer) = gatherer(100, 2 * LINE.len());
        (0..3).for_each(|number| sender.send(asked(number)).unwrap());
        sender.send(Asked { line: Some(LINE.repeat(9)), ..asked(3) }).unwrap();
        let first = gatherer.next().await.unwrap();
        assert_eq!((first.keys.len(), first.text.len()), (2, 2 * LINE.len()));
        assert_eq!(size(gatherer.next().await), Some((1, false)));
        assert_eq!(gatherer.next().await.unwrap().text.len(), 9 * LINE.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_not_waited_for_for_ever() {
        let (sender, mut gatherer) = gatherer(1000, 100_000);
        tokio::spawn(async move {
            for number in 0..200 {
                sender.send(asked(number)).unwrap();
                tokio::time::sleep(Duration::from_secs(3)).await;
            }
        });
        let start = Instant::now();
        let (count, is_last) = size(gatherer.next().await).unwrap();
        assert_eq!((count, is_last, start.elapsed().as_secs()), (34, false, 100));
    }

    #[tokio::test(start_paused = true)]
    async fn who_only_waits_stirs_and_adds_nothing() {
        let (sender, mut gatherer) = gatherer(10, 1000);
        sender.send(Asked { line: None, ..asked(1) }).unwrap();
        assert_eq!(size(gatherer.next().await), Some((0, true)));
        drop(sender);
        assert_eq!(size(gatherer.next().await), None);
    }

    #[test]
    fn limits_are_those_of_the_settings() {
        let config = ModelConfig { batch_linger: TextDuration::from_millis(7), ..ModelConfig::default() };
        let limits = Limits::new(&config);
        assert_eq!((limits.requests, limits.bytes, limits.linger.as_millis()), (50_000, 200_000_000, 7));
    }
}
