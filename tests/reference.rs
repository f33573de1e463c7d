//! The authors' own files, where they lie beside the repository (`../shared/upstream`, or below the folder that
//! `FCGEN_SHARED` names): each is read, written back to the same JSON, and imported.

use fcgen::format::hammerbench::{ArrayWriter, DataFile, import_file};
use fcgen::record::{Expected, Sample};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of HammerBench's slices, if it is at hand.
#[expect(clippy::print_stdout, reason = "a test that compared nothing should say so")]
fn hammerbench() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("FCGEN_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("upstream/hammerbench");
    if !folder.is_dir() {
        println!("skipped: no files of the authors below {}", shared.display());
        return None;
    }
    Some(folder)
}

#[test]
fn every_file_of_the_authors_is_written_back_as_it_was() {
    let Some(folder) = hammerbench() else { return };
    let files = DataFile::below(&folder);
    assert_eq!(files.len(), 30);
    for file in &files {
        let text = file.read().unwrap();
        let mut writer = ArrayWriter::new(Vec::new());
        for item in file.items(&text) {
            writer.add(&item.unwrap()).unwrap();
        }
        let written = String::from_utf8(writer.finish().unwrap()).unwrap();
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(json(&written), json(&text), "{}", file.path.display());
    }
}

#[test]
fn every_file_of_marked_turns_is_written_back_as_it_was() {
    let Some(folder) = hammerbench() else { return };
    let mut files = 0;
    for file in DataFile::below(&folder) {
        let Some(marks) = file.marked_turns().unwrap() else { continue };
        let path =
            file.path.with_file_name("snapshot_id").join(format!("snap_shot_id_{}.json", file.data_type.unwrap()));
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&marks).unwrap(), json);
        files += 1;
    }
    assert_eq!(files, 6);
}

#[test]
fn every_file_of_the_authors_is_imported_turn_by_turn() {
    let Some(folder) = hammerbench() else { return };
    let mut by_type: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for file in DataFile::below(&folder) {
        import_file(&file, &mut |sample| by_type.entry(sample.data_type.0.clone()).or_default().push(sample)).unwrap();
    }
    assert_eq!(by_type.len(), 15);
    for (data_type, samples) in &by_type {
        let refusals = samples.iter().filter(|sample| sample.expected == Expected::Refusal).count();
        let wanted = match data_type.as_str() {
            "IS" => 200,
            twin if twin.starts_with("ir_") => samples.len(),
            _ => 0,
        };
        assert_eq!(refusals, wanted, "{data_type}");
        let marked = samples.iter().filter(|sample| sample.snapshot.as_ref().is_some_and(|it| it.marked)).count();
        assert_eq!(marked > 0, ["SO_case1", "SO_case2", "External"].contains(&data_type.as_str()), "{data_type}");
        let mut ids: Vec<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), samples.len(), "{data_type}: ids are not unique");
    }
}
