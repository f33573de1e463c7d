//! Benchmarks in every layout. The first line of an input names the layout, and a ruler parts its two files.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::files;
use fcgen::format::{Bench, BenchError};
use fcgen::suite::bfcl::layout as bfcl;
use fcgen::suite::complexfunc::layout::Row;
use std::fs;
use std::path::Path;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\n",
    "\n=====\n",
    "\"id\": ",
    "\"question\": ",
    "\"function\": ",
    "\"parameters\": ",
    "\"properties\": ",
    "\"required\": ",
    "\"ground_truth\": ",
    "\"API\": ",
    "\"conversations\": ",
    "\"functions\": ",
    "\"messages\": ",
    "\"multiple_tools\": ",
    "\"api_ports\": ",
    "\"content\": ",
    "\"role\": ",
    "\"items\": ",
    "\"type\": ",
    "\"dict\"",
    "null",
    "bfcl\n",
    "rows\n",
    "chat\n",
    "calls\n",
    "hammer\n",
    "conversations\n",
    "samples\n",
    "\"$$$\"",
    "\"function_call\": ",
    "\"difficulty\": ",
    "\"turns\": ",
    "\"acceptable_arguments\": ",
    "\"arguments\": ",
];

/// Each layout with the names of its two files.
const LAYOUTS: [(&str, &str, &str); 7] = [
    ("bfcl", "BFCL_v4_simple_python.json", "possible_answer/BFCL_v4_simple_python.json"),
    ("rows", "ComplexFuncBench.jsonl", "x"),
    ("chat", "FunctionChat-Dialog.jsonl", "x"),
    ("calls", "Dataset/Questions/bank.json", "Dataset/APIs/bank.json"),
    ("hammer", "en/single-turn.json", "x"),
    ("conversations", "BFCL_v4_conversationsclean.json", "possible_answer/BFCL_v4_conversationsclean.json"),
    ("samples", "samples.jsonl", "x"),
];

fn line(chance: &mut Chance) -> String {
    let (layout, ..) = chance.pick(&LAYOUTS);
    let mut value = |depth| write::json(chance, depth);
    let (id, question, function, truth) = (value(0), value(3), value(4), value(4));
    let one = match layout {
        "bfcl" | "conversations" => format!(r#"{{"id": "a-1", "question": {question}, "function": [{function}]}}"#),
        "rows" => format!(r#"{{"id": {id}, "conversations": [{question}, {truth}], "functions": [{function}]}}"#),
        "chat" => format!(r#"{{"dialog_num": {id}, "tools": [{function}], "turns": [{truth}]}}"#),
        "calls" => format!(
            r#"[{{"id": {id}, "question": {question}, "ground_truth": {{"API": {truth}, "parameters": {function}}}}}]"#
        ),
        _ => {
            format!(r#"[{{"id": {id}, "messages": [{question}], "multiple_tools": [{function}], "single_tool": []}}]"#)
        }
    };
    format!("{layout}\n{one}\n=====\n{{\"id\": \"a-1\", \"ground_truth\": {truth}, \"api_ports\": [{function}]}}")
}

#[test]
fn benchmarks() {
    let folder = tempfile::tempdir().unwrap();
    for (layout, one, two) in LAYOUTS {
        for file in [one, two] {
            fs::create_dir_all(folder.path().join(layout).join(file).parent().unwrap()).unwrap();
        }
    }
    let seeds = files("tests/fixtures/fuzz", ".txt");
    let target = Target { name: "benchmarks", seeds, words: WORDS, make: line, longest: LONGEST, usual: 200 };
    target.drive(text(|input| {
        let (head, rest) = input.split_once('\n').unwrap_or(("", input));
        let (layout, one, two) = LAYOUTS.into_iter().find(|(name, ..)| *name == head).unwrap_or(LAYOUTS[0]);
        let (first, second) = rest.split_once("=====").unwrap_or((rest, ""));
        let place = folder.path().join(layout);
        fs::write(place.join(one), first).unwrap();
        fs::write(place.join(two), second).unwrap();
        let line = first.lines().next().unwrap_or_default();
        let row = Row::read(line).map(|row| (row.steps().is_ok(), row.tools().is_ok(), row.query().is_ok()));
        let entry = bfcl::Entry::read(line).is_ok();
        format!("{layout} {} {:?} {entry}", read(&place), row.ok())
    }));
}

/// How many samples came, and what ended it.
fn read(place: &Path) -> String {
    let mut samples = 0;
    let result = Bench::open(place).and_then(|bench| {
        bench.each::<BenchError>(&mut |sample| {
            samples += 1;
            serde_json::to_string(&sample).expect("a sample can be written");
            Ok(())
        })
    });
    let fault = result.err().map(|fault| {
        let shown = fault.to_string();
        shown.rsplit('`').next().unwrap_or_default().to_owned()
    });
    format!("{} {fault:?}", samples.min(3))
}
