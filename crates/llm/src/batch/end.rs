//! The end of a batch: what it brought is handed out, and what it did not bring is asked again or told.

use super::carry::{Carrier, Counted, Sent};
use super::desk::Word;
use crate::fault::Fault;
use crate::key::Key;
use crate::openai::{Batch, Complaint, State, answer_of};
use crate::request::ChatError;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// A server that has enough to do is left alone for so many first pauses.
const REST: u32 = 20;
/// So many batches in a row may be refused as a whole: once may be chance.
const CHANCES: u32 = 1;

impl Carrier {
    /// Hands out what a batch brought.
    pub(super) async fn hand_out(&self, sent: Sent, batch: &Batch) {
        if batch.state() == State::Failed {
            return self.hand_back(sent, &batch.complaints()).await;
        }
        self.failures.store(0, Ordering::Relaxed);
        match self.fetch(batch).await {
            Ok(results) => self.hand_out_results(&sent, results, batch.state()),
            Err(error) => self.desk.end(sent.keys.into_iter().map(|(_, key)| key), &error),
        }
    }

    fn hand_out_results(&self, sent: &Sent, mut results: Results, state: State) {
        let answers: Vec<(Key, Option<Result<Value, Fault>>)> =
            sent.keys.iter().map(|(_, key)| (*key, results.remove(key))).collect();
        let unanswered: Vec<Key> =
            answers.iter().filter(|(_, answer)| !matches!(answer, Some(Ok(_)))).map(|(key, _)| *key).collect();
        // First of all: a question that is asked again must not be looked for here by the next process.
        if let Err(error) = self.write_down(sent.mark.as_deref(), |store, mark| store.release(mark, &unanswered)) {
            return self.desk.end(sent.keys.iter().map(|(_, key)| *key), &error);
        }
        let (there, missing): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, answer)| answer.is_some());
        for (key, answer) in there {
            self.desk.tell(key, answer.map_or(Word::Again, |answer| Word::Said(Ok(self.redacted(answer)))));
        }
        let missing = missing.into_iter().map(|(key, _)| key);
        match state {
            State::Cancelled => self.desk.end(missing, &self.cancelled(&sent.id)),
            State::Expired => self.tell_unserved(missing, "the batch's window of time was over"),
            _ => self.tell_unserved(missing, "the batch brought no answer"),
        }
    }

    fn tell_unserved(&self, keys: impl Iterator<Item = Key>, why: &str) {
        for key in keys {
            self.desk.tell(key, Word::Said(Ok(Err(Fault::Unserved { detail: why.to_owned() }))));
        }
    }

    fn cancelled(&self, id: &str) -> ChatError {
        let hint = "its answers are kept; run the same command to submit the rest again";
        self.trouble(&format!("batch `{id}`"), &"it was cancelled", hint)
    }

    fn redacted<T>(&self, answer: Result<T, Fault>) -> Result<T, Fault> {
        answer.map_err(|fault| self.endpoint.redacted(fault))
    }

    /// The results of a batch. Where lines are missing that the server says are there, they are got once more.
    async fn fetch(&self, batch: &Batch) -> Result<Results, ChatError> {
        let mut tried = 0;
        loop {
            let mut results = Results::default();
            for file in batch.files() {
                self.fetch_file(file, &mut results).await?;
            }
            let cut = Fault::Unserved { detail: "the files have fewer lines than the batch had answers".to_owned() };
            if results.lines >= batch.lines() {
                return Ok(results);
            }
            match self.again(&cut, &mut tried, "").await {
                Ok(()) => {}
                // Nobody waits any more, and the next process gets them again.
                Err(ChatError::Interrupted) => return Err(ChatError::Interrupted),
                Err(_) => return Ok(results),
            }
        }
    }

    async fn fetch_file(&self, file: &str, results: &mut Results) -> Result<(), ChatError> {
        let mut tried = 0;
        loop {
            match self.endpoint.get_file(file).await {
                Ok(text) => {
                    results.read(&text);
                    return Ok(());
                }
                // Servers keep files for some weeks. What was in it is asked again.
                Err(Fault::Status { status: 404 | 410, .. }) => return Ok(()),
                Err(fault) => {
                    self.again(&fault, &mut tried, &format!("downloading the results file `{file}` failed")).await?;
                }
            }
        }
    }

    /// A batch that was not accepted: lines that are at fault are refused, the others are asked in another one.
    async fn hand_back(&self, sent: Sent, complaints: &[Complaint]) {
        let by_line: BTreeMap<u32, &Complaint> =
            complaints.iter().filter_map(|complaint| Some((complaint.line?, complaint))).collect();
        let (faulty, sound): (Vec<_>, Vec<_>) =
            sent.keys.iter().partition(|(line, _)| by_line.contains_key(&(line + 1)));
        if faulty.is_empty() {
            return self.hand_back_whole(sent, complaints).await;
        }
        self.drop_batch(sent.mark.as_deref(), sound.into_iter().map(|(_, key)| key));
        for (line, key) in faulty {
            let complaint = by_line.get(&(line + 1)).map(|complaint| (*complaint).clone()).unwrap_or_default();
            let fault =
                Fault::Status { status: 400, code: Some(complaint.code), message: complaint.message, wait: None };
            self.desk.tell(key, Word::Said(Ok(self.redacted(Err(fault)))));
        }
    }

    /// Whether another batch is at work, whose end makes room. Those that rest as this one does make none.
    fn has_company(&self) -> bool {
        let at_work = self.under_way.load(Ordering::Relaxed).saturating_sub(self.resting.load(Ordering::Relaxed));
        at_work > 1
    }

    async fn hand_back_whole(&self, sent: Sent, complaints: &[Complaint]) {
        let keys = sent.keys.into_iter().map(|(_, key)| key);
        let is_busy = complaints.iter().any(|complaint| complaint.code.contains("token_limit"));
        if (is_busy && self.has_company()) || self.failures.fetch_add(1, Ordering::Relaxed) < CHANCES {
            let _resting = Counted::new(&self.resting);
            let poll = self.endpoint.config().batch_poll.0;
            tokio::time::sleep(if is_busy { poll.saturating_mul(REST) } else { poll }).await;
            return self.drop_batch(sent.mark.as_deref(), keys);
        }
        let messages: Vec<&str> = complaints.iter().map(|complaint| complaint.message.as_str()).collect();
        let hint = if is_busy {
            "set a lower `batch_requests` and run the same command to resume"
        } else {
            "none of its requests were answered; fix this and run the same command to resume"
        };
        let why = self.endpoint.redacted(Fault::Unserved { detail: messages.join("; ") });
        let error = self.trouble(&format!("batch `{}` was not accepted", sent.id), &why, hint);
        let forgotten = self.write_down(sent.mark.as_deref(), super::store::Store::forget);
        self.desk.end(keys, &forgotten.err().unwrap_or(error));
    }
}

// The lines of a file of results, joined to their questions by name: in any order, twice, or not at all.

/// What a batch brought.
#[derive(Debug, Default)]
pub(super) struct Results {
    by_key: BTreeMap<Key, Result<Value, Fault>>,
    /// Lines that could be read, whoever they belong to.
    pub(super) lines: u64,
}

impl Results {
    /// Takes in a file's lines. What cannot be read belongs to nobody: whoever misses it is asked again.
    pub(super) fn read(&mut self, file: &[u8]) {
        for line in file.split(|byte| *byte == b'\n') {
            let answer = answer_of(&String::from_utf8_lossy(line));
            if let Some((id, answer)) = answer {
                self.lines += 1;
                self.take(Key::from_hex(&id), answer);
            }
        }
    }

    /// The answer to one question.
    pub(super) fn remove(&mut self, key: &Key) -> Option<Result<Value, Fault>> {
        self.by_key.remove(key)
    }

    /// An answer is worth more than a refusal, and the first one stays.
    fn take(&mut self, key: Option<Key>, answer: Result<Value, Fault>) {
        let Some(key) = key else { return };
        let is_better =
            !matches!(self.by_key.get(&key), Some(Ok(_))) && (answer.is_ok() || !self.by_key.contains_key(&key));
        if is_better {
            self.by_key.insert(key, answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn key(number: u8) -> Key {
        Key::from_bytes([number; 32])
    }

    fn line(number: u8, status: u16, said: &str) -> String {
        let response = json!({ "status_code": status, "body": { "said": said } });
        json!({ "custom_id": key(number).to_hex(), "response": response }).to_string()
    }

    fn read(lines: &[String]) -> Results {
        let mut results = Results::default();
        results.read(lines.join("\n").as_bytes());
        results
    }

    #[test]
    fn answers_find_their_questions_in_any_order() {
        let mut results = read(&[line(2, 200, "b"), String::new(), line(1, 200, "a")]);
        let mut said = |number| results.remove(&key(number)).map(|answer| answer.unwrap()["said"].clone());
        assert_eq!((said(1), said(2), said(3)), (Some(json!("a")), Some(json!("b")), None));
        assert_eq!(results.lines, 2);
    }

    #[test]
    fn of_two_answers_the_first_one_stays_and_any_is_better_than_none() {
        let mut results = read(&[line(1, 429, ""), line(1, 200, "a"), line(1, 200, "b"), line(1, 500, "")]);
        assert_eq!(results.remove(&key(1)).unwrap().unwrap()["said"], "a");
        let mut results = read(&[line(2, 429, ""), line(2, 500, "")]);
        assert!(matches!(results.remove(&key(2)), Some(Err(Fault::Status { status: 429, .. }))));
    }

    #[test]
    fn what_cannot_be_read_harms_nobody() {
        let half: String = line(2, 200, "b").chars().take(90).collect();
        let mut results =
            read(&[half, line(1, 200, "a"), "\u{fffd}".to_owned(), r#"{"custom_id": "else"}"#.to_owned()]);
        assert!(results.remove(&key(2)).is_none() && results.remove(&key(1)).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut results = Results::default();
            results.read(&bytes);
            prop_assert!(results.by_key.is_empty());
        }

        #[test]
        fn a_file_that_breaks_off_anywhere_loses_no_line_before(cut in 0..400_usize) {
            let whole = format!("{}\n{}\n", line(1, 200, "a"), line(2, 200, "b"));
            let first = line(1, 200, "a").len();
            let mut results = Results::default();
            results.read(&whole.as_bytes()[..cut.min(whole.len())]);
            prop_assert_eq!(results.remove(&key(1)).is_some(), cut >= first);
        }
    }
}
