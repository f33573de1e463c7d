//! Exports loaded by their consumers' own code: `FCGEN_CONSUMERS=1 cargo test --test it consumers -- --nocapture`.
//!
//! It wants Python and a package index, and so is skipped unless it is asked for.

#![expect(clippy::print_stdout, reason = "what consumers say is what it is for")]

use std::path::Path;
use std::process::Command;

const DIALECTS: [&str; 6] = ["trl", "trl-arrow", "openai", "llamafactory", "parquet", "csv"];
const PIPELINES: [&str; 5] = ["hammer", "callnavi", "functionchat", "complexfunc", "confetti"];

fn must(command: &mut Command) {
    let output = command.output().unwrap();
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {told}");
    println!("{told}");
}

fn fcgen(folder: &Path, line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    must(Command::new(env!("CARGO_BIN_EXE_fcgen")).args(words).current_dir(folder));
}

#[test]
fn every_consumer_keeps_every_row() {
    if std::env::var_os("FCGEN_CONSUMERS").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let python = at.join("venv/bin/python");
    must(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(at));
    must(Command::new(&python).args(["-m", "pip", "install", "-q", "datasets", "pyarrow"]).current_dir(at));
    // The trainers themselves want more than a checker needs; where they cannot be loaded the check says so.
    let trainers = ["-m", "pip", "install", "-q", "--no-deps", "llamafactory", "trl"];
    Command::new(&python).args(trainers).current_dir(at).output().unwrap();
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumers/check.py");
    for pipeline in PIPELINES {
        fcgen(at, &format!("pipeline {pipeline} --limit 2 --quiet --out {pipeline}"));
        for dialect in DIALECTS {
            let out = format!("out/{pipeline}/{dialect}");
            fcgen(at, &format!("export {pipeline} --to {dialect} --allow-template --out {out}"));
        }
        println!("== {pipeline}");
        must(Command::new(&python).arg(&check).arg(at.join("out").join(pipeline)).current_dir(at));
    }
}
