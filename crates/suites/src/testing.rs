//! Stages for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use crate::settings::Section;
use crate::stage::Stage;
use crate::stages::read_stage;
use toml::de::DeTable;

/// Reads a stage of `kind` with the few keys that some kinds cannot do without.
pub fn read(kind: &str) -> Box<dyn Stage> {
    let text = match kind {
        "toolset" => "path = \"mobile\"",
        "quota" => "count = 1",
        "apis" => "scenarios = \"s.toml\"",
        "generate" => "prompt = \"p.md\"",
        "localize" => "samples = \"s.jsonl\"",
        _ => "",
    };
    let table = DeTable::parse(text).unwrap();
    read_stage(kind, Section::new(table.get_ref().clone(), 0..0, kind), &mut Vec::new()).unwrap()
}
