//! A folder in the authors' layout, wherever it begins: at `data`, at a locale, or above them.

use super::{HammerId, HammerItem, SINGLE_TURN};
use crate::format::{FileError, each_item};
use crate::record::MULTI_TURN;
use std::path::{Path, PathBuf};

/// The file that holds all of a kind in the snapshot generation.
const SNAPSHOT_FILES: [&str; 2] = ["single-turn.json", "multi-turn.json"];

/// One data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its locale, by the folder that it is in.
    pub locale: String,
    /// Its data type; absent in the snapshot generation, whose items say it themselves.
    pub data_type: Option<String>,
}

impl DataFile {
    /// The data files below a folder: those of the conversation generation where there are any, else the others.
    pub fn below(folder: &Path) -> Vec<Self> {
        // The name of `.` is that of the folder that it stands for.
        let locales = locales(&folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        let files = |names: fn() -> Vec<(Option<String>, PathBuf)>| -> Vec<Self> {
            let all = locales.iter().flat_map(|(locale, folder)| {
                names().into_iter().map(move |(data_type, path)| Self {
                    path: folder.join(path),
                    locale: locale.clone(),
                    data_type,
                })
            });
            all.filter(|file| file.path.is_file()).collect()
        };
        let found = files(conversation_files);
        if found.is_empty() { files(snapshot_files) } else { found }
    }

    /// Hands out every item with its line, or what is wrong with it. One is held at a time.
    pub fn each_item(&self, take: &mut dyn FnMut(usize, Result<HammerItem, String>)) -> Result<(), FileError> {
        each_item(&self.path, take)
    }

    /// The marked turns of each item, where the data type has a file of them beside it.
    pub fn marked_turns(&self) -> Result<Option<Vec<Vec<u32>>>, FileError> {
        let Some(data_type) = &self.data_type else { return Ok(None) };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let path = folder.join("snapshot_id").join(format!("snap_shot_id_{data_type}.json"));
        if !path.is_file() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path).map_err(FileError::io(&path))?;
        serde_json::from_str(&text).map(Some).map_err(|error| FileError::line(&path, error.line().max(1), error))
    }
}

impl HammerId {
    /// The parts of a snapshot's id: data type as the files spell it, conversation, turn from 1.
    pub fn parts(&self) -> Option<(String, u64, u32)> {
        let Self::Snapshot(id) = self else { return None };
        let mut parts = id.rsplitn(3, '_');
        let (turn, conversation) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((parts.next()?.replace('-', "_"), conversation, turn))
    }
}

fn conversation_files() -> Vec<(Option<String>, PathBuf)> {
    let single = SINGLE_TURN.iter().map(|name| (*name, format!("single-turn/{name}.json")));
    let multi = MULTI_TURN.iter().map(|(name, file)| (*name, format!("multi-turn/{file}.json")));
    single.chain(multi).map(|(name, path)| (Some(name.to_owned()), PathBuf::from(path))).collect()
}

fn snapshot_files() -> Vec<(Option<String>, PathBuf)> {
    SNAPSHOT_FILES.iter().map(|path| (None, PathBuf::from(path))).collect()
}

/// The folders that hold files, each with its locale.
fn locales(folder: &Path) -> Vec<(String, PathBuf)> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let holds = |path: &Path| {
        path.join("single-turn").is_dir()
            || path.join("multi-turn").is_dir()
            || SNAPSHOT_FILES.iter().any(|file| path.join(file).is_file())
    };
    if holds(folder) {
        return vec![(name(folder), folder.to_owned())];
    }
    let roots = ["data", "benchmark/data", "."].map(|part| folder.join(part));
    for root in roots {
        let Ok(entries) = std::fs::read_dir(&root) else { continue };
        let mut found: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| holds(path)).collect();
        found.sort();
        if !found.is_empty() {
            return found.into_iter().map(|path| (name(&path), path)).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::folder;

    const ITEM: &str = r#"{"id": 3, "messages": [], "multiple_tools": [], "single_tool": []}"#;

    #[test]
    fn files_are_found_from_wherever_one_begins() {
        let folder =
            folder(&[("data/en/single-turn/ST_Perfect.json", "[]"), ("data/zh/multi-turn/HammerBench_IS.json", "[]")]);
        let found = |path: &Path| -> Vec<String> {
            let files = DataFile::below(path);
            files.into_iter().map(|file| format!("{} {}", file.locale, file.data_type.unwrap_or_default())).collect()
        };
        for path in [folder.path().to_owned(), folder.path().join("data")] {
            assert_eq!(found(&path), ["en ST_Perfect", "zh IS"]);
        }
        assert_eq!(found(&folder.path().join("data/zh")), ["zh IS"]);
        assert_eq!(found(&folder.path().join("data/zh/multi-turn")), Vec::<String>::new());
    }

    #[test]
    fn where_there_are_no_conversations_there_may_be_snapshots() {
        let folder = folder(&[("ko/multi-turn.json", "[]")]);
        let files = DataFile::below(folder.path());
        assert_eq!((files.len(), files[0].locale.as_str(), files[0].data_type.as_ref()), (1, "ko", None));
    }

    #[test]
    fn items_come_one_by_one_and_a_fault_has_its_place() {
        let folder = folder(&[("x.json", &format!("[{ITEM},\n{{\"id\": 4}}]"))]);
        let file = DataFile { path: folder.path().join("x.json"), locale: "en".to_owned(), data_type: None };
        let mut items = Vec::new();
        file.each_item(&mut |line, item| items.push((line, item.map(|item| item.id)))).unwrap();
        assert_eq!(items[0], (1, Ok(Some(HammerId::Conversation(3)))));
        assert!(items[1].0 == 2 && items[1].1.as_ref().unwrap_err().starts_with("missing field `messages`"));
        let gone = DataFile { path: "/no/such".into(), ..file.clone() };
        assert_eq!(gone.each_item(&mut |_, _| {}).unwrap_err().to_string(), "cannot read `/no/such`");
    }

    #[test]
    fn marks_lie_beside_the_files() {
        let folder = folder(&[
            ("multi-turn/HammerBench_SO_case1.json", "[]"),
            ("multi-turn/snapshot_id/snap_shot_id_SO_case1.json", "[[2], []]"),
        ]);
        let files = DataFile::below(folder.path());
        assert_eq!(files[0].marked_turns().unwrap(), Some(vec![vec![2], vec![]]));
    }

    #[test]
    fn a_snapshots_id_has_three_parts() {
        let parts = |id: &str| HammerId::Snapshot(id.to_owned()).parts();
        assert_eq!(parts("ir-ST-Perfect_12_1"), Some(("ir_ST_Perfect".to_owned(), 12, 1)));
        assert_eq!(parts("SO-case2_0_4"), Some(("SO_case2".to_owned(), 0, 4)));
        assert_eq!((parts("Based_1"), parts("Based_x_1"), HammerId::Conversation(1).parts()), (None, None, None));
    }

    #[test]
    fn faulty_marks_are_told_and_missing_ones_are_none() {
        let folder = folder(&[
            ("multi-turn/HammerBench_IS.json", "[]"),
            ("multi-turn/HammerBench_External.json", "[]"),
            ("multi-turn/snapshot_id/snap_shot_id_External.json", "[[-1]]"),
        ]);
        let marks: Vec<_> = DataFile::below(folder.path()).iter().map(DataFile::marked_turns).collect();
        assert_eq!(marks[0].as_ref().unwrap(), &None);
        let error = marks[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("snap_shot_id_External.json`, line 1: invalid value: integer `-1`"), "{error}");
    }
}
