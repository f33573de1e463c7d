//! Leakage between the parts of a data set: a tool, a conversation or a near-duplicate on both sides.

use super::leak::{Likeness, Pool, Print, Side, SourceError, Words, each_row, likeness, place};
use crate::export::read_any;
use crate::format::Place;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::record::{Expected, FunctionCall, Sample};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The parts, in the order in which they are looked at: those that are held come first, the greatest one streams by.
const PARTS: [&str; 3] = ["test", "validation", "train"];

/// What share of their runs of words two near-duplicates have in common, and how many runs are no chance.
const NEAR: f64 = 0.8;
const LEAST: usize = 6;

/// Where something was seen first: its part and its row.
type Seen = BTreeMap<String, (&'static str, String)>;

/// The files of the parts that lie in a folder, by their names.
pub(super) fn files(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let of = |part: &'static str| {
        let named = ["jsonl", "json"].map(|ending| (part, folder.join(format!("{part}.{ending}"))));
        named.into_iter().find(|(_, file)| file.is_file())
    };
    PARTS.into_iter().filter_map(of).collect()
}

/// What stands in more than one part of a folder. Names of tools and conversations are held, and of the texts of all parts
/// but the last their hashes.
pub fn shared(folder: &Path, words: &Words) -> Result<Findings, SourceError> {
    let (mut look, files) = (Look::default(), files(folder));
    for (at, (part, file)) in files.iter().enumerate() {
        let mut pool: Pool<String> = Pool::default();
        each_row(file, &mut |line, text| {
            let Ok((sample, _)) = read_any(text, &place(file, line)) else { return };
            let print = Print::of(&sample, words);
            look.row(part, &Place::of(file, line), &sample, &print);
            if at + 1 < files.len() {
                pool.add(sample.id.to_string(), print);
            }
        })?;
        pool.seal();
        look.pools.push((part, pool));
    }
    Ok(look.findings)
}

#[derive(Default)]
struct Look {
    pools: Vec<(&'static str, Pool<String>)>,
    tools: Seen,
    groups: Seen,
    findings: Findings,
}

impl Look {
    fn row(&mut self, part: &'static str, place: &Place, sample: &Sample, print: &Print) {
        let id = sample.id.as_str();
        let mut tell =
            |rule, severity, message: String| self.findings.add(Finding::new(rule, severity, place, id, message));
        let mut is_shared = false;
        let mut names: Vec<&String> = called(sample).map(|call| &call.name).collect();
        names.sort();
        names.dedup();
        for name in names {
            if let Some((other, row)) = elsewhere(&mut self.tools, name, part, id) {
                is_shared = true;
                tell(
                    "shared_tool",
                    Severity::Warning,
                    format!("`{name}` is called in `{part}` and, by `{row}`, in `{other}`"),
                );
            }
        }
        if let Some((other, row)) = elsewhere(&mut self.groups, &sample.group, part, id) {
            is_shared = true;
            tell("shared_base", Severity::Error, format!("same base `{}` as `{row}` in `{other}`", sample.group));
        }
        for (other, pool) in &self.pools {
            let is_near = |at: &usize| {
                pool.print(*at)
                    .is_some_and(|other| other.text.len() >= LEAST && likeness(&other.text, &print.text) >= NEAR)
            };
            let alike =
                pool.like(print, Side::Asked).into_iter().find(|(at, how)| *how == Likeness::Text && is_near(at));
            if let Some(row) = alike.and_then(|(at, _)| pool.whose(at)) {
                is_shared = true;
                tell("shared_text", Severity::Error, format!("near duplicate of `{row}` in `{other}`"));
            }
        }
        self.findings.tally("rows share nothing with another part", !is_shared);
    }
}

/// Where a name was seen first, if that was in another part.
fn elsewhere(seen: &mut Seen, name: &str, part: &'static str, id: &str) -> Option<(&'static str, String)> {
    match seen.get(name) {
        Some((other, row)) if *other != part => Some((*other, row.clone())),
        Some(_) => None,
        None => {
            seen.insert(name.to_owned(), (part, id.to_owned()));
            None
        }
    }
}

/// Every call of a row: those that it teaches, and those that stand before.
fn called(sample: &Sample) -> impl Iterator<Item = &FunctionCall> {
    let right: Vec<&FunctionCall> = match &sample.expected {
        Expected::Call(call) => vec![call],
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
        _ => Vec::new(),
    };
    right.into_iter().chain(sample.messages.iter().flat_map(|message| &message.tool_calls))
}

#[cfg(test)]
mod tests {
    use super::super::Ground;
    use super::*;
    use serde_json::json;

    fn row(id: &str, group: &str, tool: &str, words: &str) -> String {
        let call = json!({"id": "c1", "type": "function", "function": {"name": tool, "arguments": {}}});
        let messages = json!([{"role": "user", "content": words}, {"role": "assistant", "tool_calls": [call]}]);
        let tools = json!([{"type": "function", "function": {"name": tool, "description": tool}}]);
        json!({"id": id, "group": group, "messages": messages, "tools": tools}).to_string()
    }

    fn found(parts: &[(&str, &[String])]) -> (Vec<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        for (part, rows) in parts {
            std::fs::write(folder.path().join(format!("{part}.jsonl")), rows.join("\n")).unwrap();
        }
        let findings =
            shared(folder.path(), &Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap())).unwrap();
        let told = findings
            .rules()
            .flat_map(|(rule, _, _, first)| first.iter().map(move |it| format!("{rule} {} {}", it.place, it.id)));
        (told.collect(), findings.tallies().next().map_or(0, |(_, tally)| tally.of))
    }

    const TRAIN: &str = "book two seats on the night train to Porto";

    #[test]
    fn what_stands_on_both_sides_is_found_with_its_ids() {
        let train = [row("a", "g1", "f", TRAIN), row("b", "g2", "g", "sing a song about boats and rivers")];
        let test = [
            row("c", "g1", "h", "what is the weather up there"),
            row("d", "g3", "g", "hum"),
            row("e", "g4", "i", &TRAIN.to_uppercase()),
        ];
        let (found, rows) = found(&[("train", &train), ("test", &test)]);
        assert_eq!(
            found,
            ["shared_base train.jsonl:1 a", "shared_text train.jsonl:1 a", "shared_tool train.jsonl:2 b"]
        );
        assert_eq!(rows, 5);
    }

    #[test]
    fn what_stands_on_one_side_may_be_there_twice() {
        let train = [row("a", "g1", "f", TRAIN), row("b", "g1", "f", TRAIN)];
        let other = [row("c", "g2", "h", "what is the weather")];
        assert_eq!(found(&[("train", &train), ("validation", &other), ("test", &[])]).0, Vec::<String>::new());
        assert_eq!(found(&[("train", &train)]).0, Vec::<String>::new());
    }
}
