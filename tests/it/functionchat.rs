//! FunctionChat-Bench's published files, read and written back; where they lie beside the repository.

use crate::shared::shared;
use fcgen::format::Bench;
use fcgen::suite::functionchat::layout::{ChatFile, Export, FILES};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The authors' files; nothing where there are none.
#[expect(clippy::print_stdout, reason = "a test that compared nothing should say so")]
fn files() -> Vec<ChatFile> {
    let files = ChatFile::below(&shared().join("upstream/functionchat"));
    if files.is_empty() {
        println!("skipped: no files of FunctionChat-Bench below {}", shared().display());
    }
    files
}

/// JSON within strings is JSON, an empty schema is one without parameters, and the order of keys says nothing.
fn meaning(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('{') => {
            serde_json::from_str(text).map_or_else(|_| value.clone(), |inner: Value| meaning(&inner))
        }
        Value::Array(list) => list.iter().map(meaning).collect(),
        Value::Object(object) => {
            let mut object: Map<String, Value> = object.iter().map(|(key, it)| (key.clone(), meaning(it))).collect();
            if let Some(parameters) = object.get_mut("parameters").and_then(Value::as_object_mut) {
                for (key, default) in [("type", json!("object")), ("properties", json!({})), ("required", json!([]))] {
                    parameters.entry(key).or_insert(default);
                }
            }
            Value::Object(object)
        }
        other => other.clone(),
    }
}

#[test]
fn the_authors_files_come_back_as_they_were() {
    let (files, mut export) = (files(), Export::new(None));
    let read = |path: &Path| -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| meaning(&serde_json::from_str(line).unwrap())).collect()
    };
    let mut samples = 0;
    Bench::of(files.clone()).each_place(&mut |_, found| {
        let sample = found.unwrap();
        let line = serde_json::to_string(&sample).unwrap();
        assert!(export.add(&serde_json::from_str(&line).unwrap()), "{}", sample.id);
        samples += 1;
    });
    let written = export.files().unwrap();
    assert_eq!(written.len(), files.len());
    for (file, (name, lines)) in files.iter().zip(&written) {
        assert!(file.path.ends_with(name));
        for (at, (wanted, line)) in read(&file.path).iter().zip(lines).enumerate() {
            assert_eq!(&meaning(&serde_json::from_str(line).unwrap()), wanted, "{name}, line {}", at + 1);
        }
        assert_eq!(read(&file.path).len(), lines.len());
    }
    assert!(files.is_empty() || samples == 500 + 200 + 606);
}

#[test]
fn the_authors_files_are_known_by_their_hashes() {
    let begins = ["3f74ed04cb9f1e0b", "2596361f101421c4", "7fe66417cd82a6d4"];
    for (file, begin) in files().iter().zip(begins) {
        assert!(file.sha256().unwrap().starts_with(begin), "{}", file.path.display());
    }
}

#[test]
fn a_folder_that_was_written_is_the_same_benchmark() {
    let files = files();
    if files.is_empty() {
        return;
    }
    let (folder, mut export) = (tempfile::tempdir().unwrap(), Export::new(None));
    let bench = Bench::of(files);
    let samples = |bench: &Bench, take: &mut dyn FnMut(fcgen::record::Sample)| {
        let all = bench.each::<fcgen::format::BenchError>(&mut |sample| {
            take(sample);
            Ok(())
        });
        all.unwrap();
    };
    let (mut ids, mut again) = (Vec::new(), Vec::new());
    samples(&bench, &mut |sample| {
        export.add(&sample);
        ids.push(sample);
    });
    for (name, lines) in export.files().unwrap() {
        assert!(FILES.contains(&name));
        std::fs::write(folder.path().join(name), lines.join("\n")).unwrap();
    }
    samples(&Bench::open(folder.path()).unwrap(), &mut |sample| again.push(sample));
    assert_eq!(ids.len(), again.len());
    for (one, other) in ids.iter().zip(&again) {
        assert_eq!(one, other, "{}", one.id);
    }
}
