//! The one thread that writes: it gathers replies for a moment and commits them together, with what was spent by then.

use super::accounts::Accounts;
use super::store::JournalError;
use crate::key::Key;
use crate::request::{Reply, Request};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// At most so many replies go into one commit.
const LARGEST_GROUP: usize = 256;
/// A reply waits so long for company; what a killed process loses is younger than that.
const LONGEST_WAIT: Duration = Duration::from_millis(10);
/// Where no reply comes for so long, what was spent meanwhile is written without one.
const LONGEST_SILENCE: Duration = Duration::from_millis(50);

/// What the writer is told.
pub(super) enum Message {
    /// Keep this.
    Keep(Box<Row>),
    /// Say when everything before is on disk.
    Flush(Sender<()>),
}

/// One reply on its way to disk.
pub(super) struct Row {
    key: Key,
    question: Key,
    task: String,
    stage: Arc<str>,
    item: Arc<str>,
    draw: u32,
    reply: String,
}

/// What the writer and everybody else look at.
#[derive(Default)]
pub(super) struct Shared {
    pending: Mutex<BTreeMap<Key, Reply>>,
    failure: Mutex<Option<JournalError>>,
    accounts: OnceLock<Accounts>,
}

impl Row {
    pub(super) fn new(key: Key, request: &Request, reply: &Reply) -> serde_json::Result<Self> {
        Ok(Self {
            key,
            question: Key::of_question(request),
            task: serde_json::to_string(&request.task)?.trim_matches('"').to_owned(),
            stage: request.stage.clone(),
            item: request.item.clone(),
            draw: request.draw,
            reply: serde_json::to_string(reply)?,
        })
    }
}

impl Shared {
    /// Replies that are given but not yet on disk.
    pub(super) fn pending(&self) -> MutexGuard<'_, BTreeMap<Key, Reply>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps these accounts from now on; the first ones stay.
    pub(super) fn keep_accounts(&self, accounts: Accounts) {
        drop(self.accounts.set(accounts));
    }

    /// The failure that made writing stop, if there was one.
    pub(super) fn failure(&self) -> Option<JournalError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fail(&self, failure: JournalError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

/// Writes until nobody can send any more.
pub(super) fn write_all(mut connection: Connection, path: &Path, receiver: &Receiver<Message>, shared: &Shared) {
    let mut waiting: Vec<Sender<()>> = Vec::new();
    loop {
        let message = receiver.recv_timeout(LONGEST_SILENCE);
        let ends = matches!(message, Err(RecvTimeoutError::Disconnected));
        let mut group = Vec::new();
        if let Ok(message) = message {
            gather(message, receiver, &mut group, &mut waiting);
        }
        match commit(&mut connection, &group, shared.accounts.get()) {
            Ok(()) => group.iter().for_each(|row| drop(shared.pending().remove(&row.key))),
            Err(error) => shared.fail(JournalError::new(path, &error)),
        }
        for sender in waiting.drain(..) {
            // Whoever waited may have given up; that is no concern of the writer.
            sender.send(()).unwrap_or_default();
        }
        if ends {
            return;
        }
    }
}

/// Takes what comes within a moment of the first reply. It sleeps meanwhile, so that no reply has to wake it; a flush
/// waits with the others.
fn gather(first: Message, receiver: &Receiver<Message>, group: &mut Vec<Row>, waiting: &mut Vec<Sender<()>>) {
    let mut next = Some(first);
    let mut rested = false;
    while let Some(message) = next {
        match message {
            Message::Keep(row) => group.push(*row),
            Message::Flush(sender) => return waiting.push(sender),
        }
        if group.len() >= LARGEST_GROUP {
            return;
        }
        next = receiver.try_recv().ok();
        if next.is_none() && !rested {
            std::thread::sleep(LONGEST_WAIT);
            rested = true;
            next = receiver.try_recv().ok();
        }
    }
}

/// Writes replies and what was spent, all of it or nothing.
fn commit(connection: &mut Connection, group: &[Row], accounts: Option<&Accounts>) -> rusqlite::Result<()> {
    // What a reply cost is booked before the reply is kept, so that it is among what is read now.
    let news = accounts.and_then(|accounts| Some((accounts, accounts.news()?)));
    if group.is_empty() && news.is_none() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        // The first reply stays: two processes of one run must agree on it.
        let mut insert = transaction.prepare_cached(
            "INSERT OR IGNORE INTO reply (key, question, task, stage, item, draw, reply) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        for row in group {
            let (key, question) = (row.key.as_bytes(), row.question.as_bytes());
            insert.execute(params![key, question, row.task, row.stage, row.item, row.draw, row.reply])?;
        }
    }
    if let Some((accounts, news)) = &news {
        accounts.write(&transaction, news)?;
    }
    transaction.commit()?;
    if let Some((accounts, news)) = news {
        accounts.wrote(news);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use std::sync::mpsc;

    fn keep(item: &str) -> Message {
        let asked = request(item, 0);
        Message::Keep(Box::new(Row::new(Key::of_question(&asked), &asked, &Reply::default()).unwrap()))
    }

    fn gathered(messages: Vec<Message>) -> (usize, usize) {
        let (sender, receiver) = mpsc::channel();
        for message in messages {
            sender.send(message).unwrap();
        }
        let (mut group, mut waiting) = (Vec::new(), Vec::new());
        gather(receiver.recv().unwrap(), &receiver, &mut group, &mut waiting);
        (group.len(), waiting.len())
    }

    #[test]
    fn a_group_has_a_largest_size() {
        let many = (0..300).map(|number| keep(&number.to_string())).collect();
        assert_eq!(gathered(many), (LARGEST_GROUP, 0));
    }

    #[test]
    fn a_flush_ends_the_wait() {
        assert_eq!(gathered(vec![keep("a"), Message::Flush(mpsc::channel().0), keep("b")]), (1, 1));
    }

    #[test]
    fn a_commit_that_fails_is_remembered_and_answers_those_who_wait() {
        let (sender, receiver) = mpsc::channel();
        let (flushed, heard) = mpsc::channel();
        sender.send(keep("a")).unwrap();
        sender.send(Message::Flush(flushed)).unwrap();
        drop(sender);
        let shared = Shared::default();
        // There is no table in it.
        write_all(Connection::open_in_memory().unwrap(), Path::new("run.db"), &receiver, &shared);
        heard.recv().unwrap();
        insta::assert_snapshot!(shared.failure().unwrap(), @"`run.db`: no such table: reply");
    }
}
