//! One batch from hand to hand: put, made, looked at until it ends.

use super::desk::{Desk, Word};
use super::gather::Group;
use super::store::{Left, Store};
use crate::fault::{Consequence, Fault};
use crate::interrupt::Interrupt;
use crate::key::Key;
use crate::openai::{Batch, Endpoint, State};
use crate::request::ChatError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

/// Whoever carries batches, and what all of them share.
pub(super) struct Carrier {
    pub(super) endpoint: Arc<Endpoint>,
    /// Where batches are written down; without one, nothing outlives the process.
    pub(super) store: Option<Store>,
    pub(super) desk: Desk,
    /// Thrown when nothing more shall be sent.
    pub(super) closing: Interrupt,
    pub(super) under_way: AtomicUsize,
    /// Those of them that only wait until the server may have room again.
    pub(super) resting: AtomicUsize,
    /// Batches in a row that the server did not accept.
    pub(super) failures: AtomicU32,
}

/// A batch that is at the server.
pub(super) struct Sent {
    /// None where nothing is written down.
    pub(super) mark: Option<String>,
    pub(super) id: String,
    /// What it is to answer, each with its line.
    pub(super) keys: Vec<(u32, Key)>,
}

/// A batch is counted as long as this lives.
pub(super) struct Counted<'a>(&'a AtomicUsize);

const FILE: &str = "requests.jsonl";
const NO_API: &str = "check that the server has `/files` and `/batches`; otherwise remove `batch`, or use `batch_dir` with an \
                      inference engine";

impl Carrier {
    /// Sends a group, and hands its answers out when they are there.
    pub(super) async fn carry(&self, group: Group) {
        if self.closing.is_triggered() {
            return;
        }
        let _counted = Counted::new(&self.under_way);
        let Group { keys, text, .. } = group;
        match self.send(&keys, text).await {
            Ok(sent) => self.collect(sent, true).await,
            Err(error) => self.desk.end(keys, &error),
        }
    }

    /// Goes on with a batch of an earlier process.
    pub(super) async fn take_up(&self, left: Left) {
        let _counted = Counted::new(&self.under_way);
        let Left { mark, id, keys } = left;
        let id = match id {
            Some(id) => Ok(Some(id)),
            None => self.find(&mark).await,
        };
        match id {
            Ok(Some(id)) => self.collect(Sent { mark: Some(mark), id, keys }, false).await,
            Ok(None) => self.drop_batch(Some(&mark), keys.into_iter().map(|(_, key)| key)),
            Err(error) => self.desk.end(keys.into_iter().map(|(_, key)| key), &error),
        }
    }

    /// Forgets a batch that is not there, and has its questions asked in another one.
    pub(super) fn drop_batch(&self, mark: Option<&str>, keys: impl Iterator<Item = Key>) {
        let keys: Vec<Key> = keys.collect();
        match self.write_down(mark, Store::forget) {
            Ok(()) => keys.into_iter().for_each(|key| self.desk.tell(key, Word::Again)),
            Err(error) => self.desk.end(keys, &error),
        }
    }

    /// Writes something down about a batch, where anything is.
    pub(super) fn write_down<T: Default>(
        &self,
        mark: Option<&str>,
        act: impl FnOnce(&Store, &str) -> Result<T, crate::JournalError>,
    ) -> Result<T, ChatError> {
        let both = self.store.as_ref().zip(mark);
        both.map_or_else(|| Ok(T::default()), |(store, mark)| Ok(act(store, mark)?))
    }

    /// Sends a file, which may be large and is not held any longer than this takes.
    async fn send(&self, keys: &[Key], text: String) -> Result<Sent, ChatError> {
        let mark = self.store.as_ref().map(|store| store.intend(keys)).transpose()?;
        // Where this fails what was written down stays: the batch may be there, and the next process looks for it.
        let id = self.put_and_make(&text, mark.as_deref()).await?;
        drop(text);
        self.write_down(mark.as_deref(), |store, mark| store.sent(mark, &id))?;
        Ok(Sent { mark, id, keys: (0..).zip(keys.iter().copied()).collect() })
    }

    async fn put_and_make(&self, text: &str, mark: Option<&str>) -> Result<String, ChatError> {
        let mut tried = 0;
        let file = loop {
            match self.endpoint.put_file(FILE, text.as_bytes()).await {
                Ok(file) => break file,
                Err(fault) => self.again(&fault, &mut tried, "uploading the request file failed").await?,
            }
        };
        tried = 0;
        loop {
            let fault = match self.endpoint.make_batch(&file, mark).await {
                Ok(batch) => return Ok(batch.id),
                Err(fault) => fault,
            };
            self.again(&fault, &mut tried, "creating the batch failed").await?;
            // The server's word may have been lost, and not the batch.
            if let Some(mark) = mark.filter(|_| may_have_begun(&fault)) {
                if let Some(id) = self.find(mark).await? {
                    return Ok(id);
                }
            }
        }
    }

    /// The id of the batch with this mark. A server that shows no list has none.
    async fn find(&self, mark: &str) -> Result<Option<String>, ChatError> {
        let mut tried = 0;
        loop {
            match self.endpoint.find_batch(mark).await {
                Ok(Some(batch)) => {
                    self.write_down(Some(mark), |store, mark| store.sent(mark, &batch.id))?;
                    return Ok(Some(batch.id));
                }
                Ok(None) | Err(Fault::Status { status: 400 | 404 | 405 | 501, .. }) => return Ok(None),
                Err(fault) => self.again(&fault, &mut tried, "listing the batches failed").await?,
            }
        }
    }

    /// Waits for a batch, and hands its answers out. One that this process made is known: a server that says otherwise has
    /// not come to it yet, or loses batches.
    async fn collect(&self, sent: Sent, is_ours: bool) {
        match self.until_end(&sent.id, is_ours).await {
            Ok(Some(batch)) => self.hand_out(sent, &batch).await,
            Ok(None) => self.drop_batch(sent.mark.as_deref(), sent.keys.into_iter().map(|(_, key)| key)),
            Err(error) => self.desk.end(sent.keys.into_iter().map(|(_, key)| key), &error),
        }
    }

    /// The batch at its end; none where the server no longer knows it.
    async fn until_end(&self, id: &str, is_ours: bool) -> Result<Option<Batch>, ChatError> {
        let config = self.endpoint.config();
        let (mut pauses, mut tried) = (Pauses::from(config.batch_poll.0), 0);
        loop {
            match self.endpoint.look_at_batch(id).await {
                Ok(batch) if batch.state() != State::Running => return Ok(Some(batch)),
                Ok(_) => tried = 0,
                Err(Fault::Status { status: 404 | 410, .. }) if !is_ours => return Ok(None),
                Err(fault @ Fault::Status { status: 404 | 410, .. }) if tried >= self.endpoint.config().retries => {
                    return Err(self.trouble(
                        &format!("batch `{id}` was created, but the server does not know it"),
                        &fault,
                        NO_API,
                    ));
                }
                Err(Fault::Status { status: 404 | 410, .. }) => tried += 1,
                Err(fault) => {
                    tried += 1;
                    self.check(&fault, tried, &format!("checking batch `{id}` failed"))?;
                }
            }
            pauses.wait().await;
        }
    }

    /// Waits where another attempt is worth it; else says why not.
    pub(super) async fn again(&self, fault: &Fault, tried: &mut u32, what: &str) -> Result<(), ChatError> {
        *tried += 1;
        let asked = self.check(fault, *tried, what)?;
        let wait = asked + self.endpoint.config().backoff.0.saturating_mul(2_u32.saturating_pow(*tried - 1));
        tokio::select! {
            biased;
            () = self.closing.wait() => Err(ChatError::Interrupted),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    /// What the server wants to be waited for, where another attempt is worth it.
    fn check(&self, fault: &Fault, tried: u32, what: &str) -> Result<std::time::Duration, ChatError> {
        match fault.consequence(&self.endpoint.circumstances()) {
            Consequence::Again { wait, .. } if tried <= self.endpoint.config().retries => Ok(wait.unwrap_or_default()),
            Consequence::Again { .. } => {
                Err(self.trouble(what, fault, "submitted requests are kept; run the same command to resume"))
            }
            Consequence::Stop { hint } if !matches!(fault, Fault::Status { status: 404 | 405, .. }) => {
                Err(self.trouble(what, fault, &hint))
            }
            Consequence::Stop { .. } | Consequence::Refused { .. } => Err(self.trouble(what, fault, NO_API)),
        }
    }

    /// Something that concerns all questions.
    pub(super) fn trouble(&self, what: &str, why: &dyn std::fmt::Display, hint: &str) -> ChatError {
        let config = self.endpoint.config();
        let detail = format!("`{}` at `{}`: {what}: {why}", config.model, config.base_url);
        ChatError::Endpoint { detail, hint: hint.to_owned() }
    }
}

/// Whether the server may have made the batch all the same: what stands before it can lose its word at any status.
fn may_have_begun(fault: &Fault) -> bool {
    !matches!(fault, Fault::Unreachable { .. } | Fault::Status { status: 400 | 429, .. })
}

impl<'a> Counted<'a> {
    pub(super) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

// Pauses that grow, so that what takes hours is not looked at every moment.

/// A pause, and the next ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pauses {
    next: Duration,
    longest: Duration,
}

/// Each pause is so much longer than the one before, up to so many first ones.
const GROWTH: f64 = 1.5;
const MOST: u32 = 20;
/// No first pause is longer, whatever the settings say.
const LONGEST: Duration = Duration::from_secs(86_400);

impl Pauses {
    pub(super) fn from(first: Duration) -> Self {
        let first = first.min(LONGEST);
        Self { next: first, longest: first.saturating_mul(MOST) }
    }

    /// Waits for the next pause.
    pub(super) async fn wait(&mut self) {
        let pause = self.next;
        self.next = pause.mul_f64(GROWTH).min(self.longest);
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_to_twentyfold() {
        let mut pauses = Pauses::from(Duration::from_secs(8));
        let mut lengths = Vec::new();
        for _ in 0..12 {
            let start = Instant::now();
            pauses.wait().await;
            lengths.push(start.elapsed().as_secs());
        }
        assert_eq!(lengths, [8, 12, 18, 27, 40, 60, 91, 136, 160, 160, 160, 160]);
    }
}
