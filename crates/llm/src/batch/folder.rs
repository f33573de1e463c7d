//! A folder of requests and results: `requests-0001.jsonl`, and beside it `results-0001.jsonl` when somebody has answered.

use crate::fault::Fault;
use crate::key::Key;
use crate::openai::{COMPLETIONS, answer_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Everything that was asked, and where it is answered.
    pub(super) places: BTreeMap<Key, Place>,
    /// What stands in files of results and answers nothing, in words.
    pub(super) strays: Vec<String>,
}

/// What became of a question that was written down once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// In how many files it was asked.
    pub(super) times: u32,
    /// Where its answer is; none where nobody has answered yet.
    pub(super) answer: Option<Spot>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    number: u32,
    start: u64,
    length: usize,
}

impl Folder {
    /// The folder at `path`, which is made where there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Looks at all files.
    pub(super) fn survey(&self) -> io::Result<Survey> {
        let Survey { mut places, mut strays } = Survey::default();
        for number in self.numbers()? {
            let asked = fs::read_to_string(self.requests(number))?;
            let keys: Vec<Key> = asked.lines().filter_map(key_of).collect();
            for key in &keys {
                let place: &mut Place = places.entry(*key).or_insert(Place { times: 0, answer: None });
                (place.times, place.answer) = (place.times + 1, None);
            }
            let Some(results) = read_if_there(&self.results(number))? else { continue };
            let (spots, unreadable) = spots(number, &results);
            let unknown = spots.keys().filter(|key| !keys.contains(key)).count();
            strays.extend(stray(&self.results(number), &unreadable, unknown));
            for key in keys {
                match (spots.get(&key), places.get_mut(&key)) {
                    (Some(spot), Some(place)) => place.answer = Some(spot.clone()),
                    // The engine left it out: it is asked again.
                    _ => drop(places.remove(&key)),
                }
            }
        }
        Ok(Survey { places, strays })
    }

    /// What stands at a spot.
    pub(super) fn read(&self, spot: &Spot) -> io::Result<Option<Result<Value, Fault>>> {
        let mut file = File::open(self.results(spot.number))?;
        file.seek(SeekFrom::Start(spot.start))?;
        let mut line = vec![0; spot.length];
        file.read_exact(&mut line)?;
        Ok(answer_of(&String::from_utf8_lossy(&line)).map(|(_, answer)| answer))
    }

    /// Writes a file of requests; it appears whole.
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        let number = self.numbers()?.last().map_or(1, |last| last + 1);
        let whole = self.requests(number);
        let aside = whole.with_extension("jsonl.part");
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&aside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(aside, whole)
    }

    /// The files that wait for their results, with the names of those.
    pub(super) fn unanswered(&self) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let pairs = self.numbers()?.into_iter().map(|number| (self.requests(number), self.results(number)));
        Ok(pairs.filter(|(_, results)| !results.exists()).collect())
    }

    fn requests(&self, number: u32) -> PathBuf {
        self.path.join(format!("requests-{number:04}.jsonl"))
    }

    fn results(&self, number: u32) -> PathBuf {
        self.path.join(format!("results-{number:04}.jsonl"))
    }

    /// The numbers of the files of requests, in order.
    fn numbers(&self) -> io::Result<Vec<u32>> {
        let number = |entry: io::Result<fs::DirEntry>| {
            let name = entry.ok()?.file_name();
            name.to_str()?.strip_prefix("requests-")?.strip_suffix(".jsonl")?.parse().ok()
        };
        let mut numbers: Vec<u32> = fs::read_dir(&self.path)?.filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// The lines of a file by their keys, and the numbers, from 1, of those without one. Of several lines for one question an
/// answer is worth more than a refusal.
fn spots(number: u32, file: &[u8]) -> (BTreeMap<Key, Spot>, Vec<usize>) {
    let (mut spots, mut start): (BTreeMap<Key, (bool, Spot)>, u64) = (BTreeMap::new(), 0);
    let mut unreadable = Vec::new();
    for (at, line) in file.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let spot = Spot { number, start, length: line.len() };
        start += line.len() as u64;
        let text = String::from_utf8_lossy(line);
        let read = answer_of(&text).and_then(|(id, answer)| Some((Key::from_hex(&id)?, answer)));
        let Some((key, answer)) = read else {
            unreadable.extend((!text.trim().is_empty()).then_some(at + 1));
            continue;
        };
        if spots.get(&key).is_none_or(|(is_answer, _)| !is_answer && answer.is_ok()) {
            spots.insert(key, (answer.is_ok(), spot));
        }
    }
    (spots.into_iter().map(|(key, (_, spot))| (key, spot)).collect(), unreadable)
}

/// What is said of a file of results in which lines answer nothing.
fn stray(path: &Path, unreadable: &[usize], unknown: usize) -> Option<String> {
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    let broken = unreadable.first().map(|first| {
        format!("{} without a valid `custom_id` and answer (first: line {first})", lines(unreadable.len()))
    });
    let foreign = (unknown > 0).then(|| format!("{} for requests that are not in its request file", lines(unknown)));
    let parts: Vec<String> = broken.into_iter().chain(foreign).collect();
    (!parts.is_empty()).then(|| format!("`{}` has {}; they are ignored", path.display(), parts.join(" and ")))
}

// One request as a line of a file.

/// The line, with its end. What is asked goes by its key, so that answers find back in any order.
pub(super) fn write(key: &Key, body: &Value) -> String {
    let line = json!({ "custom_id": key.to_hex(), "method": "POST", "url": COMPLETIONS, "body": body });
    format!("{line}\n")
}

/// The key that a line of requests goes by.
pub(super) fn key_of(line: &str) -> Option<Key> {
    let line: Value = serde_json::from_str(line).ok()?;
    Key::from_hex(line.get("custom_id")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::folder;
    use serde_json::json;

    fn key(number: u8) -> Key {
        Key::from_bytes([number; 32])
    }

    fn asked(numbers: &[u8]) -> String {
        numbers.iter().map(|number| folder::write(&key(*number), &json!({ "n": number }))).collect()
    }

    fn answered(number: u8, status: u16) -> String {
        let response = json!({ "status_code": status, "body": { "n": number } });
        format!("{}\n", json!({ "custom_id": key(number).to_hex(), "response": response, "error": null }))
    }

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("deep/batches")).unwrap();
        (place, folder)
    }

    #[test]
    fn files_are_numbered_and_appear_whole() {
        let (_place, folder) = folder();
        folder.write(&asked(&[1, 2])).unwrap();
        folder.write(&asked(&[3])).unwrap();
        let mut names: Vec<_> = fs::read_dir(&folder.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["requests-0001.jsonl", "requests-0002.jsonl"]);
        let places = folder.survey().unwrap().places;
        assert_eq!(places.len(), 3);
        assert!(places.values().all(|place| *place == Place { times: 1, answer: None }));
        assert_eq!(folder.unanswered().unwrap().len(), 2);
    }

    #[test]
    fn results_that_lie_beside_are_found_line_by_line() {
        let (_place, folder) = folder();
        folder.write(&asked(&[1, 2, 3])).unwrap();
        let results =
            format!("half a line\n{}{}{}{}", answered(2, 500), answered(1, 200), answered(2, 200), answered(9, 200));
        fs::write(folder.results(1), results).unwrap();
        let Survey { places, strays } = folder.survey().unwrap();
        assert!(strays[0].ends_with("1 line without a valid `custom_id` and answer (first: line 1) and 1 line for requests that are not in its request file; they are ignored"), "{strays:?}");
        let read = |number: u8| folder.read(places[&key(number)].answer.as_ref().unwrap()).unwrap().unwrap();
        assert_eq!((read(1), read(2)), (Ok(json!({ "n": 1 })), Ok(json!({ "n": 2 }))));
        assert!(!places.contains_key(&key(3)), "what was left out is asked again");
        assert_eq!(folder.unanswered().unwrap(), []);
    }

    #[test]
    fn what_is_asked_again_waits_for_the_later_file() {
        let (_place, folder) = folder();
        folder.write(&asked(&[1])).unwrap();
        fs::write(folder.results(1), answered(1, 500)).unwrap();
        assert_eq!(folder.survey().unwrap().places[&key(1)].times, 1);
        folder.write(&asked(&[1])).unwrap();
        assert_eq!(folder.survey().unwrap().places[&key(1)], Place { times: 2, answer: None });
        assert_eq!(folder.unanswered().unwrap().len(), 1);
    }

    #[test]
    fn strange_files_are_left_alone() {
        let (_place, folder) = folder();
        for name in ["requests-x.jsonl", "requests-0001.jsonl.part", "notes.txt", "results-0007.jsonl"] {
            fs::write(folder.path.join(name), "?").unwrap();
        }
        assert!(folder.survey().unwrap().places.is_empty());
        folder.write("").unwrap();
        assert_eq!(folder.numbers().unwrap(), [1]);
    }
}

#[cfg(test)]
mod line_tests {
    use super::*;
    use crate::testing::request;

    #[test]
    fn a_line_is_what_servers_and_engines_read() {
        let key = Key::from_bytes([7; 32]);
        let line = write(&key, &json!({ "model": "m" }));
        let name = "07".repeat(32);
        let expected =
            format!(r#"{{"custom_id":"{name}","method":"POST","url":"/v1/chat/completions","body":{{"model":"m"}}}}"#);
        assert_eq!(line, expected + "\n");
        assert_eq!(key_of(&line), Some(key));
    }

    #[test]
    fn what_goes_by_no_key_is_none_of_ours() {
        for line in ["", "{}", r#"{"custom_id": "request-1"}"#, r#"{"custom_id": 7}"#, "half"] {
            assert_eq!(key_of(line), None, "{line}");
        }
        let key = Key::of_question(&request("a", 0));
        assert!(key.to_hex().len() <= 64, "servers take no longer names");
    }
}
