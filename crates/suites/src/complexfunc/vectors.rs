//! Verdicts on ComplexFuncBench's vectors: trajectories of scripted models, each gone through by the rules of three runners.

use super::answers::Answers;
use super::lines::{fields, steps};
use super::script::{Script, Toolset};
use crate::VectorError;
use crate::complexfunc::layout::{Row, RowError};
use crate::complexfunc::metric::{Dialect, Golden, Machine, Rules, Similarity, play};
use crate::record::Object;
use crate::vectors::{each_line, read};
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;

/// A sample made ready for each of the three.
type Sample = [Golden; 3];

/// Judges a set, one line for each trajectory and dialect.
pub fn verdicts(folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let toolset = Toolset::read(&folder.join("toolset.json"))?;
    let samples = samples(&folder.join("samples.jsonl"), &toolset)?;
    let path = folder.join(format!("api-{set}.json"));
    let answers = Answers::read(&path)?;
    let path = folder.join(format!("trajectories-{set}.jsonl"));
    let text = read(&path)?;
    each_line(&path, &text, |line| {
        let script = Script::read(line).map_err(|error| error.to_string())?;
        let sample = samples.get(&script.sample_id).ok_or_else(|| format!("no sample `{}`", script.sample_id))?;
        for golden in sample {
            give(verdict(golden, &script, &toolset, &answers));
        }
        Ok::<(), String>(())
    })
}

fn samples(path: &Path, toolset: &Toolset) -> Result<IndexMap<String, Sample>, VectorError> {
    let (text, mut samples) = (read(path)?, IndexMap::new());
    each_line::<RowError>(path, &text, |line| {
        let row = Row::read(line)?;
        let (steps, tools) = (row.steps()?, row.tools()?);
        let settings = Arc::new(toolset.settings.clone());
        let golden = Dialect::ALL.map(|it| Golden::new(&steps, &tools, settings.clone(), Rules::Upstream(it)));
        samples.insert(row.id, golden);
        Ok(())
    })?;
    Ok(samples)
}

fn verdict(golden: &Golden, script: &Script, toolset: &Toolset, answers: &Answers) -> Object {
    let machine = Machine::new(golden, Similarity::Trigram256).traced();
    let outcome = play(machine, &mut script.oracle(toolset, answers));
    let dialect = golden.rules().name();
    let mut line = Object::new();
    let key = format!("{}/{dialect}", script.id);
    let names = [
        ("key", key.as_str()),
        ("id", &script.id),
        ("dialect", dialect),
        ("sample_id", &script.sample_id),
        ("behaviour", &script.behaviour),
    ];
    line.extend(names.map(|(name, text)| (name.to_owned(), text.into())));
    line.extend(fields(golden, &outcome));
    line.insert("steps".to_owned(), steps(golden, &outcome));
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::driver::tests::sample;
    use crate::verdicts as suite_verdicts;

    const SCRIPT: &str = r#"{"id": "Boats-0#perfect", "sample_id": "Boats-0", "behaviour": "perfect", "turns": [
        {"function_call": [{"name": "Find_Port", "arguments": {"query": "Hill"}}]},
        {"function_call": [{"name": "Get_Boat", "arguments": {"port": "H1", "seats": 3}}]}, {"content": "At noon."}]}"#;

    fn judged(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("complexfuncbench")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join("complexfuncbench").join(name), text).unwrap();
        }
        let mut lines = Vec::new();
        let mut give = |line: Object| lines.push(crate::record::Value::from(line).to_string());
        let judged = suite_verdicts(crate::fixtures::assets(), "complexfuncbench", folder.path(), "A", &mut give);
        judged.map(|()| lines).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
    }

    fn files(script: &str) -> [(&'static str, String); 4] {
        let row = serde_json::to_string(&Row::of(&sample("Boats-0")).unwrap()).unwrap();
        let api = r#"{"api_calls": [{"call": {"name": "Get_Boat", "arguments": {"seats": 3, "port": "H1"}}, "data": [1]},
            {"call": {"name": "Get_Boat", "arguments": {"seats": 2, "port": "H1"}}, "data": [1]}]}"#;
        let toolset =
            r#"{"free_functions": ["Find_Port"], "exact_match_values": {"Find_Port": [], "Get_Boat": ["port"]}}"#;
        [
            ("toolset.json", toolset.to_owned()),
            ("samples.jsonl", row),
            ("api-A.json", api.to_owned()),
            ("trajectories-A.jsonl", script.replace('\n', " ")),
        ]
    }

    fn lent<'f>(files: &'f [(&'static str, String)]) -> Vec<(&'static str, &'f str)> {
        files.iter().map(|(name, text)| (*name, text.as_str())).collect()
    }

    #[test]
    fn each_trajectory_has_a_line_for_each_runner() {
        let lines = judged(&lent(&files(SCRIPT))).unwrap();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with(r#"{"key":"Boats-0#perfect/qwen","id":"Boats-0#perfect","dialect":"qwen","sample_id":"Boats-0","behaviour":"perfect","status":"recorded","success":true"#), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.contains(r#""how":["response"]"#)));
    }

    #[test]
    fn an_unknown_sample_and_faulty_files_are_told() {
        let error = judged(&lent(&files(&SCRIPT.replace("\"Boats-0\"", "\"Boats-9\"")))).unwrap_err();
        assert_eq!(error, "`/complexfuncbench/trajectories-A.jsonl`, line 1: no sample `Boats-9`");
        let good = files(SCRIPT);
        for at in 0..4 {
            let mut broken = good.clone();
            broken[at].1 = "{\"free_functions\": 5, \"api_calls\": 5".to_owned();
            assert!(judged(&lent(&broken)).unwrap_err().contains(broken[at].0), "{}", broken[at].0);
            let missing: Vec<_> =
                lent(&good).into_iter().enumerate().filter(|(place, _)| *place != at).map(|(_, it)| it).collect();
            assert_eq!(judged(&missing).unwrap_err(), format!("cannot read `/complexfuncbench/{}`", good[at].0));
        }
    }
}
