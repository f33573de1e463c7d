//! BFCL's predictions: decoding and checking from memory, as bfcl-eval was measured, and results line by line from a file.

use crate::timing::{Fallible, each_line, timed};
use fcgen::format::Bench;
use fcgen::record::Chance;
use fcgen::suite::bfcl::layout::ResultLine;
use fcgen::suite::bfcl::metric::{Item, Reply, strict, upstream};
use fcgen::suite::bfcl::{Board, Gold, Options, Profile, Results, score};
use std::fmt::Write as _;
use std::path::Path;

/// Items a second of processor time of bfcl-eval, decoding and checking, on the machine on which ours was measured first.
const AUTHORS: f64 = 47_500.0;
/// Items of the benchmark.
const ITEMS: usize = 1_000;

/// Writes a benchmark and results, and times their scoring.
pub(crate) fn run(count: usize) -> Fallible<()> {
    let folder = std::env::temp_dir().join(format!("fcgen-bench-{}-bfcl", std::process::id()));
    std::fs::create_dir_all(folder.join("possible_answer"))?;
    let mut chance = Chance::new(7, "bench", "bfcl", 0);
    let results = write(&folder, count, &mut chance)?;
    let path = folder.join("results.jsonl");
    std::fs::write(&path, &results)?;
    let gold = Gold::read(&Bench::open(&folder)?, None)?;
    println!("\nBFCL: {count} results of {} items, 1 thread, {} MiB", gold.len(), results.len() >> 20);
    memory(&gold, &results, count)?;
    file(&gold, &path, count)?;
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// Decoding and checking of what lies in memory, parsed.
fn memory(gold: &Gold, results: &str, count: usize) -> Fallible<()> {
    let lines: Vec<ResultLine<'_>> = results.lines().filter_map(|line| ResultLine::read(line).ok()?).collect();
    let pairs: Vec<_> = lines.iter().filter_map(|line| Some((gold.get(&line.id)?.1, line))).collect();
    let judged = |right: &dyn Fn(&Item, Reply<'_, '_>) -> bool| {
        let is_right = |line: &ResultLine<'_>, item: &Item| {
            right(item, Reply { given: &line.given, native: line.native, underscores: false })
        };
        pairs.iter().map(|(item, line)| f64::from(u8::from(is_right(line, item)))).sum::<f64>()
    };
    let by_upstream = timed(count, || Ok(judged(&|item, reply| upstream::judge(item, reply).is_valid())))?;
    let by_us = timed(count, || Ok(judged(&|item, reply| strict::judge(item, reply).verdict.is_valid())))?;
    println!("decoding and checking        {by_upstream:>9.0} items/s  {:>6.1} times bfcl-eval", by_upstream / AUTHORS);
    println!("the same by our own rules    {by_us:>9.0} items/s  {:>6.1} times bfcl-eval", by_us / AUTHORS);
    Ok(())
}

/// Everything from the file to the figures, beside reading the same lines as values of JSON.
fn file(gold: &Gold, path: &Path, count: usize) -> Fallible<()> {
    let floor = timed(count, || {
        let mut lines = 0.0;
        each_line(path, |line| {
            std::hint::black_box(serde_json::from_str::<serde_json::Value>(line)?);
            lines += 1.0;
            Ok(())
        })?;
        Ok(lines)
    })?;
    for (name, profile) in
        [("results from a file, upstream", Profile::Upstream), ("results from a file, strict  ", Profile::Strict)]
    {
        let speed = timed(count, || {
            let mut board = Board::new("bench", profile);
            let options = Options { profile, ..Options::default() };
            score(gold, &Results::open(path)?, 0, &mut board, options, &mut |_| Ok(()))?;
            Ok(f64::from(u32::try_from(board.counts.coverage.scored)?))
        })?;
        println!("{name} {speed:>7.0} items/s  {:>6.2} times the time of reading", floor / speed);
    }
    println!("reading as values of JSON    {floor:>9.0} items/s");
    Ok(())
}

/// Writes questions and answers, and makes results: of four one is wrong somewhere, half are texts.
fn write(folder: &Path, count: usize, chance: &mut Chance) -> Fallible<String> {
    let (mut questions, mut answers, mut results) = (String::new(), String::new(), String::new());
    for at in 0..ITEMS {
        let parameters = r#"{"type": "dict", "properties": {"location": {"type": "string"}, "days": {"type": "integer"}, "ratio": {"type": "float"}, "tags": {"type": "array", "items": {"type": "string"}}, "unit": {"type": "string"}}, "required": ["location", "days"]}"#;
        writeln!(
            questions,
            r#"{{"id": "simple_python_{at}", "question": [[{{"role": "user", "content": "x"}}]], "function": [{{"name": "weather.get_{at}", "parameters": {parameters}}}]}}"#
        )?;
        writeln!(
            answers,
            r#"{{"id": "simple_python_{at}", "ground_truth": [{{"weather.get_{at}": {{"location": ["City {at}, CA", "City {at}"], "days": [{at}], "ratio": [{at}.5, ""], "tags": [["wind", "rain {at}"], ""], "unit": ["celsius", ""]}}}}]}}"#
        )?;
    }
    std::fs::write(folder.join("BFCL_v4_simple_python.json"), questions)?;
    std::fs::write(folder.join("possible_answer/BFCL_v4_simple_python.json"), answers)?;
    for number in 0..count {
        let at = number % ITEMS;
        let days = at + usize::from(chance.below(4) == 0);
        // Every prediction has an id of its own, since an item has many.
        write!(results, r#"{{"pid": "p{number}", "id": "simple_python_{at}", "result": "#)?;
        match chance.below(2) {
            0 => write!(
                results,
                r#""[weather.get_{at}(location='City {at}, CA', days={days}, ratio={at}.5, tags=['wind', 'Rain {at}'], unit='celsius')]""#
            )?,
            _ => write!(
                results,
                r#"[{{"weather.get_{at}": "{{\"location\": \"City {at}\", \"days\": {days}, \"ratio\": {at}.5, \"tags\": [\"wind\", \"rain {at}\"]}}"}}]"#
            )?,
        }
        writeln!(results, r#", "input_token_count": 512, "output_token_count": 31, "latency": 1.25}}"#)?;
    }
    Ok(results)
}
