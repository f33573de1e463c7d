//! The authors' own files, where they lie beside the repository (`../shared/upstream`, or below the folder that
//! `FCGEN_SHARED` names): each is read, written back to the same JSON, and imported.

use crate::shared::upstream;
use fcgen::format::Bench;
use fcgen::record::{Expected, Sample};
use fcgen::suite::callnavi::layout::{ApiFile, DomainFiles, Gold, QuestionItem, STEMS, domain};
use fcgen::suite::hammerbench::layout::{ArrayWriter, DataFile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of HammerBench's slices.
fn hammerbench() -> Option<PathBuf> {
    upstream("hammerbench")
}

#[test]
fn every_file_of_the_authors_is_written_back_as_it_was() {
    let Some(folder) = hammerbench() else { return };
    let files = DataFile::below(&folder);
    assert_eq!(files.len(), 30);
    for file in &files {
        let text = std::fs::read_to_string(&file.path).unwrap();
        let mut writer = ArrayWriter::new(Vec::new());
        file.each_item(&mut |_, item| writer.add(&item.unwrap()).unwrap()).unwrap();
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
    Bench::open(&folder).unwrap().each_place(&mut |_, found| {
        let sample = found.unwrap();
        by_type.entry(sample.data_type.0.clone()).or_default().push(sample);
    });
    assert_eq!(by_type.len(), 15);
    for (data_type, samples) in &by_type {
        let refusals = samples.iter().filter(|sample| sample.expected == Expected::Refusal).count();
        let wanted = match data_type.as_str() {
            "IS" => 200,
            twin if twin.starts_with("ir_") => samples.len(),
            _ => 0,
        };
        assert_eq!(refusals, wanted, "{data_type}");
        let marked =
            samples.iter().filter(|sample| sample.snapshot.as_ref().is_some_and(|it| it.marked == Some(true))).count();
        assert_eq!(marked > 0, ["SO_case1", "SO_case2", "External"].contains(&data_type.as_str()), "{data_type}");
        let mut ids: Vec<&str> = samples.iter().map(|sample| sample.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), samples.len(), "{data_type}: ids are not unique");
    }
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_api_and_question_of_callnavi_is_written_back_as_it_was() {
    let Some(folder) = upstream("callnavi") else { return };
    let domains = DomainFiles::below(&folder);
    assert_eq!(domains.iter().map(|files| files.domain.as_str()).collect::<Vec<_>>(), STEMS);
    let mut apis = 0;
    for files in &domains {
        let path = files.questions_path();
        let file: ApiFile = files.apis().unwrap();
        let theirs = json(&path.with_file_name("../APIs").join(path.file_name().unwrap()));
        assert_eq!(serde_json::to_value(&file).unwrap(), theirs, "{}", files.domain);
        apis += file.api_ports.len();
        let mut items: Vec<QuestionItem> = Vec::new();
        files.each(&mut |_, item| items.push(item.unwrap())).unwrap();
        assert_eq!(serde_json::to_value(&items).unwrap(), json(&path), "{}", files.domain);
    }
    assert_eq!(apis, 587);
}

#[test]
fn every_question_of_callnavi_is_imported_with_its_tools_and_its_gold() {
    let Some(folder) = upstream("callnavi") else { return };
    let (mut by_type, mut tools, mut golds) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let bench = Bench::open(&folder).unwrap();
    bench
        .each::<fcgen::format::BenchError>(&mut |sample| {
            *by_type.entry(sample.data_type.0.clone()).or_insert(0) += 1;
            tools.insert(domain(&sample).to_owned(), sample.candidates.len());
            golds.insert(sample.id.to_string(), serde_json::to_value(Gold::of(&sample).unwrap()).unwrap());
            Ok(())
        })
        .unwrap();
    assert_eq!(
        by_type.into_iter().collect::<Vec<_>>(),
        [("easy".to_owned(), 456), ("hard".to_owned(), 86), ("medium".to_owned(), 187)]
    );
    assert_eq!((tools["bank"], tools["telecommunications"], tools.values().sum::<usize>()), (96, 101, 587));
    for files in DomainFiles::below(&folder) {
        for item in json(&files.questions_path()).as_array().unwrap() {
            assert_eq!(golds[item["id"].as_str().unwrap()], item["ground_truth"], "{}", item["id"]);
        }
    }
}
