//! The lines of a file of results, joined to their questions by name: in any order, twice, or not at all.

use crate::llm::fault::Fault;
use crate::llm::key::Key;
use crate::llm::openai::answer_of;
use serde_json::Value;
use std::collections::BTreeMap;

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
