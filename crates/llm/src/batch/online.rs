//! Questions by a server's Batch API: gathered, carried, and handed out by a task of their own.

use super::Answer;
use super::carry::Carrier;
use super::desk::{Desk, Seat, Word};
use super::gather::{Asked, Gatherer, Limits};
use super::store::{Left, Store};
use crate::chat::ChatDeps;
use crate::key::Key;
use crate::openai::Endpoint;
use crate::request::ChatError;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};

/// One server that is asked by batches.
pub(crate) struct Online {
    carrier: Arc<Carrier>,
    sender: UnboundedSender<Asked>,
    waves: Arc<AtomicU64>,
    work: Mutex<Work>,
}

/// What is done beside those who ask.
enum Work {
    /// Nothing yet: whoever asks nothing sends nothing.
    Ready(Box<(Gatherer, Vec<Left>)>),
    Begun(JoinHandle<()>),
}

impl Online {
    /// Looks for what an earlier process sent; nothing is asked yet.
    pub(super) fn open(endpoint: &Arc<Endpoint>, deps: &ChatDeps) -> Result<Self, ChatError> {
        let config = endpoint.config();
        // Roles that share a server do not share batches: their models differ, or their keys.
        let place = format!("{} {} {}", config.endpoint_name(), config.model, config.key_variable());
        let open = |journal: &Arc<crate::Journal>| Store::open(journal.connection_path(), &place);
        let store = deps.journal.as_ref().map(open).transpose()?;
        let left = store.as_ref().map_or_else(|| Ok(Vec::new()), Store::left)?;
        let desk = Desk::default();
        desk.hand_in(left.iter().flat_map(|left| left.keys.iter().map(|(_, key)| *key)));
        let (sender, receiver) = unbounded_channel();
        let gatherer = Gatherer::new(receiver, Limits::new(config));
        let (endpoint, closing) = (endpoint.clone(), deps.closing.clone());
        let (under_way, resting, failures) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU32::new(0));
        let carrier = Arc::new(Carrier { endpoint, store, desk, closing, under_way, resting, failures });
        let waves = gatherer.waves();
        Ok(Self { carrier, sender, waves, work: Mutex::new(Work::Ready(Box::new((gatherer, left)))) })
    }

    /// Asks, in company.
    pub(super) async fn ask(&self, key: Key, line: impl Fn() -> String) -> Answer {
        self.begin();
        loop {
            let (word, is_first) = match self.carrier.desk.sit(key) {
                Seat::Served(answer) => return answer,
                Seat::Wait { word, is_first } => (word, is_first),
            };
            if is_first && self.sender.send(Asked { key, line: Some(line()) }).is_err() {
                return Err(ChatError::Interrupted);
            }
            match word.await {
                Ok(Word::Said(answer)) => return answer,
                Ok(Word::Again) => {}
                Err(_) => return Err(ChatError::Interrupted),
            }
        }
    }

    /// Waves of questions that are complete.
    pub(super) fn waves(&self) -> u64 {
        self.waves.load(Ordering::Relaxed)
    }

    /// Batches that were sent and are not collected.
    pub(super) fn under_way(&self) -> usize {
        self.carrier.under_way.load(Ordering::Relaxed)
    }

    fn begin(&self) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Work::Ready(ready) = &mut *work {
            let carrier = self.carrier.clone();
            let (_, nobody) = unbounded_channel();
            let placeholder = Gatherer::new(nobody, Limits::new(carrier.endpoint.config()));
            let (gatherer, left) = std::mem::replace(&mut **ready, (placeholder, Vec::new()));
            *work = Work::Begun(tokio::spawn(carry_all(carrier, gatherer, left)));
        }
    }
}

impl Drop for Online {
    fn drop(&mut self) {
        // Batches go on at the server; the next process collects them.
        if let Work::Begun(work) = self.work.get_mut().unwrap_or_else(PoisonError::into_inner) {
            work.abort();
        }
    }
}

async fn carry_all(carrier: Arc<Carrier>, mut gatherer: Gatherer, left: Vec<Left>) {
    let mut batches = JoinSet::new();
    for left in left {
        let carrier = carrier.clone();
        batches.spawn(async move { carrier.take_up(left).await });
    }
    while let Some(group) = gatherer.next().await {
        while batches.try_join_next().is_some() {}
        if !group.keys.is_empty() {
            let carrier = carrier.clone();
            batches.spawn(async move { carrier.carry(group).await });
        }
    }
}
